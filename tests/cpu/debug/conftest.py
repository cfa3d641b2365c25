# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Programs in gdb, in batch mode."""

import os
import shutil
import subprocess
import sys

import pytest

LIMIT = 300  # seconds


@pytest.fixture(scope="session")
def gdb():
    """The path of a gdb that can start programs."""
    path = shutil.which("gdb")
    if path is None:
        pytest.skip("gdb is not installed: apt-get install gdb")
    done = subprocess.run(
        [path, "-nx", "-batch", "-ex", "run", "-ex", "python print('has Python')", shutil.which("true")],
        capture_output=True, text=True, timeout=LIMIT,
    )  # fmt: skip
    if "exited normally" not in done.stdout or "has Python" not in done.stdout:
        pytest.skip(f"gdb cannot start programs, or has no Python: {done.stderr.strip()}")
    return path


@pytest.fixture
def debug(gdb, tmp_path):
    """A function from the text of a program and commands of gdb to gdb's output."""

    def debug(text, *commands, name="program.py", **environment):
        script = tmp_path / name
        script.write_text(text)
        words = [word for each in commands for word in ("-ex", each)]
        done = subprocess.run(
            [sys.executable, "-m", "cuda.cpu", "debug", "--batch", *words, str(script)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, env=os.environ | environment,
        )  # fmt: skip
        return done.stdout

    return debug
