# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Offsets of kernel parameters and of variables in shared memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cuda.cpu.ptx.syntax import Variable


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel parameter's offset, size and alignment in the parameter buffer, in bytes."""

    offset: int
    size: int
    align: int
    is_integer: bool = False  # of 32 bits: it may be the number of elements of an array


@dataclass(slots=True)
class SharedLayout:
    """Static shared memory of a kernel: each variable's offset; dynamic shared memory begins at `size`."""

    offsets: dict[str, int]
    size: int


def aligned(offset: int, alignment: int) -> int:
    """Return the least multiple of `alignment` that is not below `offset`."""
    return (offset + alignment - 1) // alignment * alignment


def parameter_layout(parameters: Iterable[Variable]) -> tuple[tuple[Parameter, ...], int]:
    """Lay kernel parameters out one after the other, each with its alignment (PTX ISA manual, section 7.1.1).

    Returns
    -------
    tuple
        The parameters and their total size in bytes.
    """
    found, end = [], 0
    for parameter in parameters:
        offset = aligned(end, parameter.align)
        is_integer = parameter.type in ("u32", "s32") and parameter.size == 4
        found.append(Parameter(offset, parameter.size, parameter.align, is_integer))
        end = offset + parameter.size
    return tuple(found), end


def shared_layout(variables: Iterable[Variable], start: SharedLayout | None = None) -> SharedLayout:
    """Lay shared variables out after those of `start`; extern arrays without a size start dynamic shared memory."""
    offsets = dict(start.offsets) if start else {}
    end = start.size if start else 0
    dynamic = []
    for variable in variables:
        if variable.linkage == "extern" and not variable.size:
            dynamic.append(variable)
        elif variable.name not in offsets:
            offset = offsets[variable.name] = aligned(end, variable.align)
            end = offset + variable.size
    if dynamic:
        end = aligned(end, max(16, *(variable.align for variable in dynamic)))
    offsets.update((variable.name, end) for variable in dynamic)
    return SharedLayout(offsets, end)
