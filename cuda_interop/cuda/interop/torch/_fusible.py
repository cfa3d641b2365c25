# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of an FX graph that a fused kernel can compute, and what they are in terms of `cuda.interop.fusion`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import statically_known_true

from cuda.interop.fusion import Literal
from cuda.interop.torch._types import CUDA_TYPES

_UNARY = (
    "exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "sin", "cos", "tanh", "erf", "floor", "ceil",
    "abs", "neg", "reciprocal", "sigmoid", "relu",
)  # fmt: skip
# Overload of aten -> operation of the generator, where the operands are converted to the type of the result
_ARITHMETIC = {
    **{f"{name}.default": name for name in (*_UNARY, "maximum", "minimum")},
    **{f"{name}.{kind}": name for name in ("add", "sub", "mul", "div") for kind in ("Tensor", "Scalar")},
    "where.self": "where",
    "_to_copy.default": "cast",
    "clone.default": "cast",
}
_FLOATING = {"exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "sin", "cos", "tanh", "erf", "div",
             "reciprocal", "sigmoid", "pow"}  # fmt: skip
# The same, where they are converted to a common type, or to bool
_COMPARISONS = {
    f"{name}.{kind}": name for name in ("eq", "ne", "lt", "le", "gt", "ge") for kind in ("Tensor", "Scalar")
}
_LOGICAL = {
    "logical_and.default": "and", "logical_or.default": "or", "logical_not.default": "not",
    "bitwise_and.Tensor": "and", "bitwise_or.Tensor": "or", "bitwise_not.default": "not",
}  # fmt: skip
_POWERS = {1: "cast", 2: "square", 3: "cube", 0.5: "sqrt", -1: "reciprocal", -0.5: "rsqrt"}
_REDUCTIONS = {"sum.dim_IntList": "sum", "amax.default": "amax", "amin.default": "amin"}
_VIEWS = {"expand.default", "alias.default", "detach.default"}  # a kernel reads what they are views of
_FILLED = {"full.default": 1, "full_like.default": 1, "scalar_tensor.default": 0}  # the argument that is the number
_TYPES = {
    each: CUDA_TYPES[each]
    for each in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.bool)
}


@dataclass(frozen=True)
class Operation:
    """What a node computes; operands are nodes, numbers, or `COLUMN`."""

    name: str
    operands: tuple[Any, ...]
    operand_dtype: torch.dtype
    columns: Any  # of the domain
    rows: tuple[Any, ...] = ()  # of the domain, where they are reduced


COLUMN = object()


def overload(node: Node) -> str:
    """Return the name of an operation of aten, such as ``"add.Tensor"``, or nothing."""
    target = node.target
    if isinstance(target, torch._ops.OpOverload) and target.namespace == "aten":
        return str(target).removeprefix("aten.")
    return ""


def same(a: Any, b: Any) -> bool:
    """Return whether two sizes are known to be equal, for all values of the symbols."""
    return bool(statically_known_true(a == b))


def is_contiguous(value: torch.Tensor) -> bool:
    """Return whether a tensor is known to be contiguous."""
    expected: Any = 1
    for size, stride in zip(reversed(value.shape), reversed(value.stride()), strict=True):
        if not same(size, 1) and not same(stride, expected):
            return False
        expected = expected * size
    return True


def resolve(operand: Any) -> Any:
    """Return what a kernel takes for an operand: a node behind views, a literal, a number, or `COLUMN`."""
    while isinstance(operand, Node) and overload(operand) in _VIEWS:
        operand = operand.args[0]
    if isinstance(operand, Node):
        name = overload(operand)
        if name in _FILLED and isinstance(number := operand.args[_FILLED[name]], (int, float, bool)):
            return Literal(number if operand.meta["val"].is_floating_point() else int(number))
        if name == "arange.start_step" and operand.args[0] == 0 and operand.args[2:3] in ((), (1,)):
            return COLUMN
        return operand
    return Literal(operand) if isinstance(operand, (int, float, bool)) else operand


def _reduction(node: Node) -> Operation | None:
    operand = node.args[0]
    value = operand.meta["val"]
    dims = node.args[1] if len(node.args) > 1 else []
    keepdim = node.args[2] if len(node.args) > 2 else False
    name, dtype = _REDUCTIONS[overload(node)], node.meta["val"].dtype
    if not dtype.is_floating_point:
        return None
    if value.ndim > 1 and sorted(each % value.ndim for each in dims) == list(range(value.ndim - 1)):
        return Operation(name, (resolve(operand),), dtype, value.shape[-1], tuple(value.shape[:-1]))
    if dims not in ([-1], [value.ndim - 1]) or not keepdim or same(value.shape[-1], 1):
        return None
    return Operation(name, (resolve(operand),), dtype, value.shape[-1])


def _operation(node: Node) -> Operation | None:
    """Return the operation of a node by its overload alone."""
    name, result = overload(node), node.meta["val"]
    if name in _REDUCTIONS:
        return _reduction(node)
    dtype = result.dtype
    arguments = node.args
    if name == "pow.Tensor_Scalar" and isinstance(node.args[1], (int, float)):
        kind = _POWERS.get(node.args[1], "pow")
        arguments = node.args if kind == "pow" else node.args[:1]
    elif name in _COMPARISONS:
        kind = _COMPARISONS[name]
        dtype = torch.result_type(*(each.meta["val"] if isinstance(each, Node) else each for each in arguments))
    elif name in _LOGICAL and (result.dtype == torch.bool):
        kind, dtype = _LOGICAL[name], torch.bool
        if any(each.meta["val"].dtype != torch.bool for each in arguments if isinstance(each, Node)):
            return None
    elif name in _ARITHMETIC and (not node.kwargs or name == "_to_copy.default" or name == "clone.default"):
        kind = _ARITHMETIC[name]
    else:
        return None
    if kind == "cast":
        arguments = arguments[:1]
        source = arguments[0].meta["val"]
        if source.device != result.device or (result.dtype == torch.int64 and source.is_floating_point()):
            return None
    if (kind in _FLOATING and not dtype.is_floating_point) or (dtype == torch.bool and name in _ARITHMETIC):
        return None
    return Operation(kind, tuple(resolve(each) for each in arguments), dtype, result.shape[-1])


def operation(node: Node) -> Operation | None:
    """Return what a kernel computes for a node, or None if it has to stay an operation of PyTorch."""
    result = node.meta.get("val")
    if node.op != "call_function" or not isinstance(result, torch.Tensor) or not overload(node):
        return None
    if result.ndim == 0 or result.dtype not in _TYPES or result.layout != torch.strided or not is_contiguous(result):
        return None
    found = _operation(node)
    if found is None or found.operand_dtype not in _TYPES:
        return None
    return found if all(_is_operand(each, result, found) for each in found.operands) else None


def _is_operand(operand: Any, result: torch.Tensor, found: Operation) -> bool:
    if isinstance(operand, Literal) or operand is COLUMN:
        return True
    value = operand.meta.get("val") if isinstance(operand, Node) else None
    if isinstance(value, (torch.SymInt, torch.SymFloat)):
        return True
    return (
        isinstance(value, torch.Tensor)
        and value.device == result.device
        and value.dtype in _TYPES
        and value.layout == torch.strided
    )


def memory_type(dtype: torch.dtype) -> str:
    """Return the type of elements in CUDA C++."""
    return _TYPES[dtype]
