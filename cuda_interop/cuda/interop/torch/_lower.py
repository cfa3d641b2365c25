# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of an FX graph -> the `Group` of a kernel, and what the kernel's arguments are at run time."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx import Node

from cuda.interop.fusion import ELEMENTWISE, Group, Input, Literal, Output, Scalar, Value
from cuda.interop.fusion._generate import compute_type
from cuda.interop.torch._column_kernel import ColumnKernel
from cuda.interop.torch._fused_kernel import FusedKernel, Stride
from cuda.interop.torch._fusible import COLUMN, Operation, is_contiguous, memory_type, same

# Names in the generated code, which a node may have, too.
_RESERVED = {
    *ELEMENTWISE,
    "row",
    "rows",
    "row_rest",
    "column",
    "columns",
    "column_number",
    "elements",
    "i",
    "lanes",
    "start",
    "first",
    "last",
    "chunk",
    "chunks",
    "chunk_rows",
}
_RESERVED |= {"double", "float", "int", "bool", "long", "short", "infinity", "and", "or", "not", "exponential", "start"}
_RESERVED |= {"error_function", "element"}


def lower(
    nodes: Sequence[Node],
    stored: Sequence[Node],
    rows: tuple[Any, ...],
    columns: Any,
    found: Mapping[Node, Operation | None],
    by_columns: bool = False,
) -> tuple[FusedKernel, list[Node]] | None:
    """Return a group's kernel and its arguments; None if a size of its domain is not the size of an argument."""
    lowering = _Lowering(nodes, stored, rows, columns, found)
    sizes = [lowering.size(each) for each in (*rows, columns)]
    if any(each is None for each in sizes):
        return None
    results = [node.meta["val"] for node in stored]
    dtypes = [each.dtype for each in results]
    if by_columns:
        lowering.group.by_columns = True
        axes = [each.ndim - 1 for each in results]
        return ColumnKernel(lowering.group, sizes, lowering.strides, dtypes, axes), lowering.arguments
    per_row = [lowering.is_per_row(node) for node in stored]
    return FusedKernel(lowering.group, sizes, lowering.strides, dtypes, per_row), lowering.arguments


class _Lowering:
    def __init__(self, nodes: Any, stored: Any, rows: Any, columns: Any, found: Any) -> None:
        self.rows, self.columns = rows, columns
        self.group = Group(row_axes=len(rows))
        self.arguments: list[Node] = []  # tensors, then numbers
        self.strides: list[list[Stride]] = []
        self.names: dict[Node, str] = {}
        members = set(nodes)
        outside = dict.fromkeys(
            each for node in nodes for each in found[node].operands if isinstance(each, Node) and each not in members
        )
        tensors = [each for each in outside if isinstance(each.meta["val"], torch.Tensor)]
        self.group.flat = self._is_flat(nodes, tensors, found)
        for node in tensors:
            self._add_input(node)
        for node in outside:
            if node not in tensors:
                self._add_scalar(node)
        if any(each is COLUMN for node in nodes for each in found[node].operands):
            self.group.values.append(Value("column_number", "column", (), "long long", "long long", False))
        for node in nodes:
            self._add_value(node, found[node])
        for node in stored:
            self.group.outputs.append(Output(self.names[node], memory_type(node.meta["val"].dtype)))

    def is_per_row(self, node: Node) -> bool:
        return same(node.meta["val"].shape[-1], 1) and not same(self.columns, 1)

    def size(self, size: Any) -> Any:
        """Return where a size is found at run time: a number, or (argument, axis), or (argument, None) for a number."""
        if isinstance(size, int):
            return size
        for index, node in enumerate(self.arguments):
            value = node.meta["val"]
            if isinstance(value, torch.SymInt) and same(value, size):
                return index, None
            for axis, own in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
                if same(own, size):
                    return index, axis
        return None

    def _is_flat(self, nodes: Any, tensors: Any, found: Any) -> bool:
        domain = (*self.rows, self.columns)
        if any(found[node].name in ("sum", "amax", "amin") or self.is_per_row(node) for node in nodes):
            return False
        if any(each is COLUMN for node in nodes for each in found[node].operands):
            return False
        values = [each.meta["val"] for each in tensors]
        return all(
            same(each.numel(), 1)
            or (each.ndim == len(domain) and all(map(same, each.shape, domain)) and is_contiguous(each))
            for each in values
        )

    def _name(self, node: Node) -> str:
        name = re.sub(r"\W", "_", node.name)
        self.names[node] = name = f"{name}_" if name in _RESERVED else name
        return name

    def _add_input(self, node: Node) -> None:
        value = node.meta["val"]
        sizes, strides = list(value.shape), list(value.stride())
        steps: list[Stride] = []
        if not sizes or (same(sizes[-1], 1) and not same(self.columns, 1)):
            columns = "none"
        else:
            columns = "unit" if same(strides[-1], 1) or same(sizes[-1], 1) else "stride"
        outer = list(zip(sizes, strides, strict=True))[:-1]
        if all(same(size, 1) for size, _ in outer):
            rows = "none"
        elif len(outer) == len(self.rows) and self._is_collapsible(outer):
            rows = "stride"
            steps.append(len(outer) - 1)
        else:
            rows = "axes"
            missing = len(self.rows) - len(outer)
            steps += [None] * missing
            steps += [None if same(size, 1) else axis for axis, (size, _) in enumerate(outer)]
        if self.group.flat:
            rows, steps = "none", []
            columns = "none" if same(value.numel(), 1) else "unit"
        elif columns == "stride":
            steps.append(len(sizes) - 1)
        self.group.inputs.append(Input(self._name(node), memory_type(value.dtype), rows, columns))
        self.arguments.append(node)
        self.strides.append(steps)

    def _is_collapsible(self, outer: list[tuple[Any, Any]]) -> bool:
        """Return whether one stride leads from each row to the next."""
        if not all(same(size, own) for (size, _), own in zip(outer, self.rows, strict=True)):
            return False
        following = itertools.pairwise(outer)
        return all(same(stride, inner_stride * inner) for (_, stride), (inner, inner_stride) in following)

    def _add_scalar(self, node: Node) -> None:
        type_ = "double" if isinstance(node.meta["val"], torch.SymFloat) else "long long"
        self.group.scalars.append(Scalar(self._name(node), type_))
        self.arguments.append(node)

    def _add_value(self, node: Node, found: Operation) -> None:
        operands = tuple(
            each if isinstance(each, Literal) else "column_number" if each is COLUMN else self.names[each]
            for each in found.operands
        )
        result = node.meta["val"]
        comment = node.meta.get("trace_line")
        if comment is None:
            comment = f"{str(result.dtype).removeprefix('torch.')}{list(result.shape)} {node.target}{node.args}"
        self.group.values.append(
            Value(
                self._name(node),
                found.name,
                operands,
                compute_type(memory_type(result.dtype)),
                compute_type(memory_type(found.operand_dtype)),
                self.is_per_row(node),
                comment,
            )
        )
