# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A second process that runs pieces of code for a test, one after the other."""

from __future__ import annotations

import os
import subprocess
import sys

SERVER = """
import sys, traceback
names = {}
while (size := int(sys.stdin.readline() or 0)):
    code = sys.stdin.read(size)
    try:
        try:
            answer = repr((True, eval(code, names)))
        except SyntaxError:
            exec(code, names)
            answer = "True, None"
    except Exception as error:
        answer = repr((False, f"{type(error).__name__}: {error}"))
    print(len(answer), flush=True)
    print(answer, end="", flush=True)
"""


class OtherProcess:
    """A process with this one's paths; a context manager that ends it.

    Code is ASCII.
    """

    def __init__(self, *, pass_fds=(), **environment):
        variables = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)} | environment
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=variables,
            text=True,
            pass_fds=pass_fds,
        )

    def start(self, code):
        """Start running `code` in the process; `answer` waits for it."""
        self.process.stdin.write(f"{len(code)}\n{code}")
        self.process.stdin.flush()

    def answer(self):
        """Return whether the code succeeded, and its value or the error."""
        size = self.process.stdout.readline()
        assert size, f"the other process ended with {self.process.wait()}"
        return eval(self.process.stdout.read(int(size)))

    def run(self, code):
        """Run code in the process and return the value, if it is an expression."""
        self.start(code)
        done, value = self.answer()
        assert done, value
        return value

    def fails(self, code):
        """Run code that must fail, and return the error."""
        self.start(code)
        done, text = self.answer()
        assert not done, text
        return text

    def kill(self):
        self.process.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process.stdout.close()
