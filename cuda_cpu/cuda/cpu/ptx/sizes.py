# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Limits of the memory that a program may declare, as ptxas checks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.layout import aligned, parameter_layout

if TYPE_CHECKING:
    from cuda.cpu.ptx.program import Program
    from cuda.cpu.ptx.syntax import Function

MOST_LOCAL = 512 << 10  # bytes of each thread (CUDA programming guide, table of compute capabilities)
MOST_SHARED = 227 << 10  # bytes of a block: most of any device; launches check the limit of their device
MOST_PARAMETERS = 32764  # bytes of a kernel's parameters (PTX ISA manual, 7.1.1)


def check_sizes(program: Program) -> None:
    """Raise PtxError for a function that needs more memory than any device has."""
    for function in {id(function): function for function in program.functions.values()}.values():
        unit = program.unit_of[function.name]
        try:
            _check("local memory for each thread", function, _local_bytes(function), MOST_LOCAL)
            if function.entry:
                _check("parameters", function, parameter_layout(function.parameters)[1], MOST_PARAMETERS)
                _check("shared memory", function, program.laid_out(function.name).shared_static, MOST_SHARED)
        except PtxError as error:
            raise error.located(unit.name, unit.text) from None


def _check(memory: str, function: Function, size: int, most: int) -> None:
    if size > most:
        raise PtxError(f"{function.name} declares {size} bytes of {memory}; at most {most} are possible", function.line)


def _local_bytes(function: Function) -> int:
    end = 0
    for variable in function.variables.values():
        if variable.space == "local":
            end = aligned(end, variable.align) + variable.size
    return end
