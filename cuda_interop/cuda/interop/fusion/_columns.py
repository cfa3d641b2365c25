# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The kernels of a group that reduces its rows: a result for each column.

A thread has a column of a chunk of rows, and a second kernel combines the chunks in their order, so that the results
are the same in every run. Both accumulate in the type in which values are computed.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda.interop.fusion._group import Group, Value
from cuda.interop.fusion._operations import REDUCTIONS, expression, neutral

Lines = list[str]


def parameters(group: Group) -> Lines:
    """Return the last parameters of the first kernel: what it writes."""
    return [f"{each.type} *{each.name}_parts" for each in reductions(group)]


def reductions(group: Group) -> list[Value]:
    """Return the values that the kernels store, in the order of the group's outputs."""
    values = {each.name: each for each in group.values}
    return [values[each.value] for each in group.outputs]


def body(group: Group, elements: Callable[[list[str], str], Lines], operand: Callable[[Value], str], axes: Lines,
         column_type: str) -> Lines:  # fmt: skip
    """Return the body of the first kernel; `elements` returns the lines that compute values, `axes` those of a row."""
    found = reductions(group)
    lines = [
        f"    const {column_type} column = blockIdx.x * ({column_type})blockDim.x + threadIdx.x;",
        "    const long long first = blockIdx.y * chunk_rows;",
        "    const long long last = first + chunk_rows < rows ? first + chunk_rows : rows;",
        *[f"    {each.type} {each.name} = {neutral(each.operation, each.type)};" for each in found],
        "    for (long long row = first; row < last; ++row) {",
        *axes,
        "        if (column < columns) {",
        *elements([name for each in found for name in each.operands if isinstance(name, str)], " " * 12),
    ]
    for each in found:
        partial = expression(REDUCTIONS[each.operation][0], [each.name, operand(each)], each.type)
        lines.append(f"            {each.name} = {partial};{f'  // {each.comment}' if each.comment else ''}")
    lines += ["        }", "    }", "    if (column < columns) {"]
    index = "blockIdx.y * (long long)columns + column"
    return [*lines, *[f"        {each.name}_parts[{index}] = {each.name};" for each in found], "    }"]


def combination(group: Group, column_type: str) -> Lines:
    """Return the second kernel."""
    found = reductions(group)
    types = [each.memory_type for each in group.outputs]
    given = [f"const {each.type} *{each.name}_parts" for each in found]
    given += [f"{type_} *{each.name}_out" for each, type_ in zip(found, types, strict=True)]
    lines = [
        f'extern "C" __global__ void KERNEL_combined({column_type} columns, int chunks, {", ".join(given)})',
        "{",
        f"    const {column_type} column = blockIdx.x * ({column_type})blockDim.x + threadIdx.x;",
        "    if (column >= columns)",
        "        return;",
        *[f"    {each.type} {each.name} = {neutral(each.operation, each.type)};" for each in found],
        "    for (int chunk = 0; chunk < chunks; ++chunk) {",
    ]
    for each in found:
        part = f"{each.name}_part"
        lines.append(f"        const {each.type} {part} = {each.name}_parts[chunk * (long long)columns + column];")
        combined = expression(REDUCTIONS[each.operation][0], [each.name, part], each.type)
        lines.append(f"        {each.name} = {combined};")
    stores = [f"    {each.name}_out[column] = ({type_}){each.name};" for each, type_ in zip(found, types, strict=True)]
    return [*lines, "    }", *stores, "}"]
