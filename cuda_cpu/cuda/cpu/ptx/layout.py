# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Where parameters and shared variables lie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cuda.cpu.code import Parameter
from cuda.cpu.ptx.syntax import Variable


@dataclass(slots=True)
class SharedLayout:
    """Static shared memory of a kernel.

    `offsets` has (function, variable) -> bytes from the start of the block's shared memory; the function is ""
    for a variable of the module. Dynamic shared memory begins at `size`.
    """

    offsets: dict[tuple[str, str], int]
    size: int


def aligned(offset: int, alignment: int) -> int:
    """Return the least multiple of `alignment` that is not below `offset`."""
    return (offset + alignment - 1) // alignment * alignment


def parameter_layout(parameters: Iterable[Variable]) -> tuple[tuple[Parameter, ...], int]:
    """Lay kernel parameters out one after the other, each aligned as it says (PTX ISA manual, section 7.1.1).

    Returns
    -------
    tuple
        The parameters and the bytes that they need in all.
    """
    found, end = [], 0
    for parameter in parameters:
        offset = aligned(end, parameter.align)
        found.append(Parameter(offset, parameter.size, parameter.align))
        end = offset + parameter.size
    return tuple(found), end


def shared_layout(variables: Iterable[tuple[str, Variable]], start: SharedLayout | None = None) -> SharedLayout:
    """Lay shared variables, each with its function's name or "", out behind those of `start`."""
    offsets = dict(start.offsets) if start else {}
    end = start.size if start else 0
    dynamic = 1
    for function, variable in variables:
        if variable.linkage == "extern":
            dynamic = max(dynamic, variable.align, 16)
        elif (function, variable.name) not in offsets:
            offset = offsets[function, variable.name] = aligned(end, variable.align)
            end = offset + variable.size
    return SharedLayout(offsets, aligned(end, dynamic))
