# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A `Group` -> the source of its kernel.

A warp computes a row in passes over its columns. Each pass ends with the reductions whose operands are known by then,
so that the next one can use them; what it needs of earlier passes is computed again from the inputs, which costs less
than memory for it. A flat group has a thread for each element and no passes. All threads of a block or warp go through
a loop equally often, and the last elements are apart, so that the CPU device loads and stores whole vectors without
masks. `_columns` has the kernels of groups that reduce their rows.
"""

from __future__ import annotations

import hashlib

from cuda.interop.fusion import _columns
from cuda.interop.fusion._group import Group, Input, Literal, Value
from cuda.interop.fusion._operations import HELPERS, REDUCTIONS, USES, expression, literal, neutral

_INCLUDES = {"__half": "cuda_fp16.h", "__nv_bfloat16": "cuda_bf16.h"}
_NARROW = tuple(_INCLUDES)  # computed in float
MOST_COLUMNS = 2**31 - 33  # with columns of type int, whose loops are faster


def compute_type(memory_type: str) -> str:
    """Return the type in which values of a type in memory are computed."""
    return "float" if memory_type in _NARROW else memory_type


def generate(group: Group, column_type: str = "int") -> tuple[str, str]:
    """Return the kernel's name and its source. With more than `MOST_COLUMNS` columns, `column_type` is "long long".

    Its arguments are: the number of rows and of columns (flat: of elements), the sizes of the rows' axes if an input
    needs them, each input's address and strides, the scalars, and the outputs' addresses. Groups `by_columns` take the
    number of rows of a chunk before the inputs, and write chunks instead of outputs; a second kernel, whose name ends
    with "_combined", takes the number of columns and of chunks, the chunks' addresses and the outputs'.
    """
    body = _Source(group, column_type).text()
    name = "fused_" + hashlib.sha256(body.encode()).hexdigest()[:12]
    types = {each.memory_type for each in group.inputs} | {each.memory_type for each in group.outputs}
    includes = "".join(f"#include <{header}>\n" for type_, header in _INCLUDES.items() if type_ in types)
    return name, includes + body.replace("KERNEL", name)


def needs_axes(group: Group) -> bool:
    """Return whether the kernel takes the sizes of the rows' axes."""
    return any(each.rows == "axes" for each in group.inputs)


class _Source:
    """The source of one kernel."""

    def __init__(self, group: Group, column_type: str) -> None:
        self.group = group
        self.column_type = column_type
        self.values = {each.name: each for each in group.values}
        self.inputs = {each.name: each for each in group.inputs}
        self.scalars = {each.name: each for each in group.scalars}
        self.stored: set[str] = set()  # by the passes so far: read again instead of computed
        self.levels: dict[str, int] = {}
        for each in group.values:
            found = [self.levels.get(name, 0) for name in each.operands if isinstance(name, str)]
            self.levels[each.name] = max(found, default=0) + (each.operation in REDUCTIONS)

    def text(self) -> str:
        lines = [HELPERS[name] for name in HELPERS if any(each.operation in USES[name] for each in self.group.values)]
        lines += [f'extern "C" __global__ void KERNEL({", ".join(self._parameters())})', "{"]
        if self.group.by_columns:
            lines += [*self._columns(), "}", *_columns.combination(self.group, self.column_type)]
        else:
            lines += [*(self._flat() if self.group.flat else self._rows()), "}"]
        return "\n".join(lines) + "\n"

    def _parameters(self) -> list[str]:
        group = self.group
        found = ["long long elements"] if group.flat else ["long long rows", f"{self.column_type} columns"]
        if needs_axes(group):
            found += [f"long long row_size_{axis}" for axis in range(group.row_axes)]
        if group.by_columns:
            found.append("long long chunk_rows")
        for each in group.inputs:
            found.append(f"const {each.memory_type} *{each.name}_in")
            axes = {"none": [], "stride": ["row"], "axes": [str(axis) for axis in range(group.row_axes)]}[each.rows]
            found += [f"long long {each.name}_stride_{axis}" for axis in axes]
            if each.columns == "stride":
                found.append(f"long long {each.name}_stride")
        found += [f"{each.type} {each.name}" for each in group.scalars]
        if group.by_columns:
            return found + _columns.parameters(group)
        return found + [f"{each.memory_type} *{each.value}_out" for each in group.outputs]

    def _columns(self) -> list[str]:
        return _columns.body(
            self.group,
            lambda wanted, indent: self._elements(wanted, set(), indent),
            lambda value: self._operand(value, 0),
            self._axes() if needs_axes(self.group) else [],
            self.column_type,
        )

    def _flat(self) -> list[str]:
        lines = ["    const auto element = [&](const long long i) {"]
        lines += self._elements([each.value for each in self.group.outputs], set(), " " * 8)
        lines += [f"        {self._store(each.value, 'i')}" for each in self.group.outputs]
        return [
            *lines,
            "    };",
            "    long long start = blockIdx.x * (long long)blockDim.x;",
            "    for (; start <= elements - blockDim.x; start += (long long)gridDim.x * blockDim.x)",
            "        element(start + threadIdx.x);",
            "    if (start + threadIdx.x < elements)",
            "        element(start + threadIdx.x);",
        ]

    def _rows(self) -> list[str]:
        start = "long long row = blockIdx.x * (long long)blockDim.y + threadIdx.y"
        lines = [f"    for ({start}; row < rows; row += (long long)gridDim.x * blockDim.y) {{"]
        if needs_axes(self.group):
            lines += self._axes()
        known: set[str] = set()
        for level in range(max(self.levels.values()) + 1):
            lines += self._pass(level, known)
        return [*lines, "    }"]

    def _axes(self) -> list[str]:
        lines = ["        long long row_rest = row;"]
        for axis in reversed(range(self.group.row_axes)):
            lines.append(f"        const long long row_axis_{axis} = row_rest % row_size_{axis};")
            lines.append(f"        row_rest /= row_size_{axis};")
        return lines

    def _pass(self, level: int, known: set[str]) -> list[str]:
        """Return one pass over the columns; `known` are the values per row, to which it adds."""
        indent = " " * 8
        stored = [each.value for each in self.group.outputs if self.levels[each.value] == level]
        reductions = [
            each for each in self.group.values if each.operation in REDUCTIONS and self.levels[each.name] == level + 1
        ]
        wanted = [*stored, *(name for each in reductions for name in each.operands if isinstance(name, str))]
        per_row = [name for name in self._needed(wanted, known) if self._is_per_row(name)]
        lines = self._elements(per_row, known, indent)
        known.update(per_row)
        for name in stored:
            if self._is_per_row(name):
                lines.append(f"{indent}if (threadIdx.x == 0)\n            {self._store(name, 'row')}")
        elements = [name for name in stored if not self._is_per_row(name)]
        if not elements and not reductions:
            return lines
        lines += [f"{indent}{each.type} {each.name} = {neutral(each.operation, each.type)};" for each in reductions]
        lines += [f"{indent}{{", f"            const auto element = [&](const {self.column_type} column) {{"]
        lines += self._elements(wanted, known, " " * 16)
        for each in reductions:
            partial = expression(REDUCTIONS[each.operation][0], [each.name, self._operand(each, 0)], each.type)
            lines.append(f"                {each.name} = {partial};{_comment(each)}")
        lines += [f"                {self._store(name, 'row * columns + column')}" for name in elements]
        lines += [
            "            };",
            f"            {self.column_type} start = 0;",
            "            for (; start <= columns - 32; start += 32)",
            "                element(start + threadIdx.x);",
            "            if (start + threadIdx.x < columns)",
            "                element(start + threadIdx.x);",
            "        }",
        ]
        for each in reductions:
            lines += self._combine(each)
        known.update(each.name for each in reductions)
        wide = {each.value for each in self.group.outputs if each.memory_type not in _NARROW}
        self.stored.update(name for name in elements if name in wide)
        return lines

    def _combine(self, value: Value) -> list[str]:
        """Return the combination of a warp's partial results, which all its threads get."""
        other = f"{value.name}_other"
        combined = expression(REDUCTIONS[value.operation][0], [value.name, other], value.type)
        return [
            "        for (int lanes = 16; lanes > 0; lanes /= 2) {",
            f"            const {value.type} {other} = __shfl_xor_sync(0xffffffff, {value.name}, lanes);",
            f"            {value.name} = {combined};",
            "        }",
        ]

    def _is_per_row(self, name: str) -> bool:
        if name in self.inputs:
            return self.inputs[name].columns == "none"
        return self.values[name].per_row

    def _needed(self, wanted: list[str], known: set[str]) -> list[str]:
        """Return inputs and values that are computed for the wanted ones, in their order."""
        found: set[str] = set()
        pending = list(wanted)
        while pending:
            name = pending.pop()
            if name in known or name in found or name in self.scalars:
                continue
            found.add(name)
            if name in self.values and name not in self.stored:
                pending += [each for each in self.values[name].operands if isinstance(each, str)]
        return [name for name in (*self.inputs, *self.values) if name in found]

    def _elements(self, wanted: list[str], known: set[str], indent: str) -> list[str]:
        lines = []
        for name in self._needed(wanted, known):
            if name in self.inputs:
                lines.append(indent + self._load(self.inputs[name]))
                continue
            value = self.values[name]
            if name in self.stored:
                lines.append(f"{indent}const {value.type} {name} = {name}_out[row * columns + column];")
                continue
            if value.operation == "column":
                text = "column"
            else:
                operands = [self._operand(value, index) for index in range(len(value.operands))]
                text = expression(value.operation, operands, value.operand_type)
            lines.append(f"{indent}const {value.type} {name} = {text};{_comment(value)}")
        return lines

    def _operand(self, value: Value, index: int) -> str:
        """Return an operand, converted to the type in which the operation computes; a condition stays a bool."""
        operand = value.operands[index]
        type_ = "bool" if value.operation == "where" and index == 0 else value.operand_type
        if isinstance(operand, Literal):
            return literal(operand.value, type_)
        if operand in self.scalars:
            own = self.scalars[operand].type
        else:
            own = self.values[operand].type if operand in self.values else compute_type(self._memory_type(operand))
        return operand if own == type_ else f"({type_}){operand}"

    def _memory_type(self, name: str) -> str:
        return self.inputs[name].memory_type

    def _load(self, each: Input) -> str:
        if self.group.flat:
            index = "0" if each.columns == "none" else "i"
        else:
            index = self._index(each)
        type_ = compute_type(each.memory_type)
        cast = f"({type_})" if type_ != each.memory_type else ""
        return f"const {type_} {each.name} = {cast}{each.name}_in[{index}];"

    def _index(self, each: Input) -> str:
        terms = []
        if each.rows == "stride":
            terms.append(f"row * {each.name}_stride_row")
        elif each.rows == "axes":
            terms += [f"row_axis_{axis} * {each.name}_stride_{axis}" for axis in range(self.group.row_axes)]
        if each.columns != "none":
            terms.append("column" if each.columns == "unit" else f"column * {each.name}_stride")
        return " + ".join(terms) or "0"

    def _store(self, name: str, index: str) -> str:
        memory_type = next(each.memory_type for each in self.group.outputs if each.value == name)
        value = f"({memory_type}){name}" if memory_type in _NARROW else name
        return f"{name}_out[{index}] = {value};"


def _comment(value: Value) -> str:
    return f"  // {value.comment}" if value.comment else ""
