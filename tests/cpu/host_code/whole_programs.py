# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compile whole programs by `python -m cuda.cpu cc`, and run them by themselves."""

from __future__ import annotations

import pathlib
import subprocess
import sys

from host_programs import environment


def call(*arguments: str | pathlib.Path, folder: pathlib.Path, **variables: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "cuda.cpu", "cc", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, cwd=folder, env=environment(variables), timeout=200)


def run(program: pathlib.Path, **variables: str) -> str:
    """Return what a program prints, without `python -m cuda.cpu run`."""
    known = environment({"CUDA_CPU_DEVICES": "1"} | variables)
    done = subprocess.run([program], capture_output=True, text=True, env=known, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
