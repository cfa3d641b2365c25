# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run a Python script in a process of its own, where it may break its context or be interrupted."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap


def run_script(text, *arguments, timeout=60, **environment):
    """Run `text` with this interpreter, paths and driver; return the finished process.

    Parameters
    ----------
    text : str
        The script; it may be indented.
    *arguments : str
        Options of the interpreter.
    **environment : str or None
        Variables to set, or with None to remove.
    """
    variables = dict(os.environ)
    variables["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    for name, value in environment.items():
        variables.pop(name, None)
        if value is not None:
            variables[name] = value
    return subprocess.run(
        [sys.executable, *arguments, "-c", textwrap.dedent(text)],
        env=variables,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def run_checked(text, *arguments, **settings):
    """Run a script that must succeed, and return what it printed."""
    done = run_script(text, *arguments, **settings)
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
