# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.cpu cc`: compile a CUDA C++ program with its host code, linked with this package's libraries.

The compiler and its headers belong to this project's cuda.core, which this package does not import: it can be installed
without it.
"""

from __future__ import annotations

import importlib
import importlib.util
import pathlib
import sys

from cuda.cpu.programs import machine_code

COMPILER = "cuda.core._program._clang._whole"
PACKAGE = pathlib.Path(__file__).parents[1]
LIBRARIES = [str(PACKAGE / "runtime_api" / "libcudart_cpu.so.13"), str(PACKAGE / "entry" / "libcuda.so.1")]


def main(arguments: list[str]) -> int:
    """Compile and link as the command line says, and return the exit status."""
    try:
        found = importlib.util.find_spec(COMPILER)
    except ModuleNotFoundError:  # no cuda.core, or another one
        found = None
    variables: dict[str, str] = {}
    try:
        if found is None:
            raise machine_code.MachineCodeError("it needs cuda.core of open-cuda-python, which has the device headers")
        machine_code.name_python(variables, None)
    except machine_code.MachineCodeError as error:
        print(f"python -m cuda.cpu cc: {error}", file=sys.stderr)
        return 2
    return importlib.import_module(COMPILER).main(arguments, LIBRARIES, variables)
