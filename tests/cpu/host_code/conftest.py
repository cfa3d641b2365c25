# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of `python -m cuda.cpu cc`."""

from __future__ import annotations

import pathlib
import shutil

import pytest
from whole_programs import call

from cuda.cpu.programs import machine_code


@pytest.fixture(scope="module")
def installed():
    compiler = pytest.importorskip("cuda.core._program._clang._find", reason="cuda.core has no device headers")
    if not compiler.is_installed():
        pytest.skip("clang is not installed: pip install open-cuda-python[open]")
    try:
        machine_code.python_library(None)
    except machine_code.MachineCodeError as error:
        pytest.skip(str(error))


@pytest.fixture
def build(tmp_path):
    """Return a function that compiles files into a program."""
    if shutil.which("g++") is None:
        pytest.skip("without g++, ziglang's C++ library is compiled, which takes a minute")

    def build(*files: str | pathlib.Path, name: str = "program") -> pathlib.Path:
        done = call(*files, "-o", name, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        return tmp_path / name

    return build
