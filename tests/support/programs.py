# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run programs of tests/interop with `python -m cuda.cpu run` in an environment that has the packages they need.

CUDA_CPU_PEER names the Python of that environment, CUDA_CPU_PEER_TORCH that of one with PyTorch.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[1] / "interop"


def python(variable: str = "CUDA_CPU_PEER") -> str:
    """Return the path of the other environment's Python, "" if none is given."""
    return os.environ.get(variable, "")


def needs(module: str, package: str, variable: str = "CUDA_CPU_PEER") -> pytest.MarkDecorator:
    """Return a mark that skips a test where the other environment lacks a module."""
    other = python(variable)
    found = other and subprocess.run([other, "-c", f"import {module}"], capture_output=True).returncode == 0
    return pytest.mark.skipif(not found, reason=f"set {variable} to a Python with {package}")


def run(
    program: str | pathlib.Path,
    *arguments: str,
    options: tuple[str, ...] = (),
    variables: dict[str, str] | None = None,
    interpreter: str | None = None,
    timeout: int = 300,
) -> subprocess.CompletedProcess[str]:
    """Run a program, by its name if it is one of tests/interop; its options are those of `cuda.cpu run`."""
    path = FOLDER / program if isinstance(program, str) else program
    other = ["--python", python() if interpreter is None else interpreter]
    command = [sys.executable, "-m", "cuda.cpu", "run", *options, *(other if other[1] else []), str(path), *arguments]
    environment = os.environ | {"CC": "gcc"} | (variables or {})  # Triton compiles its launcher
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)


def right(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the parts that a program says are right; it must have ended without an error."""
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.removesuffix(" is right") for line in done.stdout.splitlines() if line.endswith(" is right")]
