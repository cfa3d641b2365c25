# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Primitives of a Thunder trace -> an FX graph of core ATen operations, from which `cuda.interop.torch` makes kernels.

A node has the name of the trace's variable and, as `trace_line`, the line that defines it, which becomes the comment in
the kernel's source.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from thunder.core.dtypes import to_torch_dtype
from thunder.core.prims import PrimIDs
from thunder.core.proxies import NumberProxy, TensorProxy
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, GraphModule, Node

aten = torch.ops.aten
Result = Any  # a node, or a tuple of nodes

_UNARY = (
    "abs", "neg", "exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "sin", "cos", "tanh", "erf",
    "floor", "ceil", "reciprocal", "bitwise_not",
)  # fmt: skip
_BITWISE = ("bitwise_and", "bitwise_or")
_BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge", *_BITWISE)
_TYPES = {
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.bool,
}  # fmt: skip


class Translator:
    """The FX graph of a list of primitives."""

    def __init__(self, inputs: Sequence[TensorProxy], tensors: Sequence[torch.Tensor] | None) -> None:
        """Start a graph; `tensors` have the inputs' strides, None: the inputs are contiguous."""
        self.graph = Graph()
        self.mode = FakeTensorMode()
        self.dense = tensors is not None
        self.nodes: dict[str, Node] = {}
        self.kept: dict[Node, Node] = {}  # a reduction -> the same with an axis of size 1
        self.line = ""
        for index, proxy in enumerate(inputs):
            node = self.graph.placeholder(proxy.name)
            shape, dtype = tuple(int(each) for each in proxy.shape), to_torch_dtype(proxy.dtype)
            with self.mode:
                value = torch.empty(shape, dtype=dtype, device=str(proxy.device.device_str()))
                if tensors is not None:
                    value = value.as_strided(shape, tensors[index].stride())
            node.meta["val"] = value
            self.nodes[proxy.name] = node

    def module(self, lines: Sequence[Any], outputs: Sequence[TensorProxy]) -> GraphModule:
        """Return the module that computes the outputs by the lines of a trace."""
        for each in lines:
            self.line = _text(each)
            results = TRANSLATIONS[each.sym.id](self, each)
            proxies = each.flat_proxy_outs
            for proxy, node in zip(proxies, results if isinstance(results, tuple) else (results,), strict=True):
                self.nodes[proxy.name] = node
        self.graph.output(tuple(self.nodes[each.name] for each in outputs))
        return GraphModule(torch.nn.Module(), self.graph)

    def call(self, target: Any, *args: Any, name: str | None = None, **kwargs: Any) -> Node:
        """Add a call of an operation of PyTorch."""
        node = self.graph.create_node("call_function", target, args, kwargs, name)
        with self.mode:
            value = target(*_values(args), **kwargs)
            if self.dense and "view" not in str(target._schema) and not target.is_view:
                value = torch.empty(value.shape, dtype=value.dtype, device=value.device)
        node.meta["val"] = value
        node.meta["trace_line"] = self.line
        return node

    def operand(self, value: Any) -> Any:
        """Return an argument of a line: a node or a number."""
        return self.nodes[value.name] if isinstance(value, TensorProxy) else number(value)


def _values(args: Sequence[Any]) -> list[Any]:
    return [each.meta["val"] if isinstance(each, Node) else each for each in args]


def number(value: Any) -> Any:
    """Return a number of a trace as one of Python."""
    return value.value if isinstance(value, NumberProxy) else value


def _text(line: Any) -> str:
    """Return a line as the trace shows it, without the shape: kernels are the same for all sizes."""
    text = str(line).strip().splitlines()[0]
    return text.split("  # ")[0]


def _name(line: Any) -> str:
    return str(line.flat_proxy_outs[0].name)


def _unary(target: Any) -> Callable[[Translator, Any], Result]:
    return lambda to, line: to.call(target, to.operand(line.args[0]), name=_name(line))


def _binary(name: str) -> Callable[[Translator, Any], Result]:
    """Return the translation of an operation of two operands; of some, PyTorch has no variant with a number."""
    packet = getattr(aten, name)
    variants = packet.overloads()
    target = packet.Tensor if "Tensor" in variants else packet.default
    scalar = packet.Scalar if "Scalar" in variants and name not in _BITWISE else None

    def translate(to: Translator, line: Any) -> Result:
        first, second = (to.operand(each) for each in line.args[:2])
        if isinstance(first, Node) and not isinstance(second, Node) and scalar is not None:
            return to.call(scalar, first, second, name=_name(line))
        first, second = (_tensor(to, each, line) for each in (first, second))
        return to.call(target, first, second, name=_name(line))

    return translate


def _tensor(to: Translator, value: Any, line: Any) -> Node:
    """Return an operand as a tensor, which the kernel takes as a literal if it is a number."""
    if isinstance(value, Node):
        return value
    other = next(each for each in line.flat_args if isinstance(each, TensorProxy) and each.dtype != torch.bool)
    dtype = to_torch_dtype(other.dtype)
    return to.call(aten.scalar_tensor.default, value, dtype=dtype, device=str(other.device.device_str()))


def _where(to: Translator, line: Any) -> Result:
    condition = to.operand(line.args[0])
    dtype, device = to_torch_dtype(line.output.dtype), str(line.output.device.device_str())
    branches = [
        each if isinstance(each, Node) else to.call(aten.scalar_tensor.default, each, dtype=dtype, device=device)
        for each in (to.operand(each) for each in line.args[1:3])
    ]
    return to.call(aten.where.self, condition, *branches, name=_name(line))


def _convert(to: Translator, line: Any) -> Result:
    dtype = to_torch_dtype(line.output.dtype)
    return to.call(aten._to_copy.default, to.operand(line.args[0]), dtype=dtype, name=_name(line))


def _broadcast(to: Translator, line: Any) -> Result:
    shape = [int(number(each)) for each in line.args[1]]
    dims = [int(number(each)) for each in line.args[2]]
    node = to.operand(line.args[0])
    kept = to.kept.get(node)
    if kept is not None and len(shape) == len(dims) + 1 and dims == list(range(len(dims))):
        node, dims = kept, list(range(len(shape)))
    first = len(shape) - len(dims)
    if dims != list(range(first, len(shape))):
        first = dims[0] if dims else len(shape)
        for axis in range(first, len(shape)):
            if axis not in dims:
                node = to.call(aten.unsqueeze.default, node, axis - first)
    if list(node.meta["val"].shape) == shape:
        return node
    return to.call(aten.expand.default, node, shape, name=_name(line))


def _keep(to: Translator, node: Node) -> Node:
    """Return a reduction without its last axis, of size 1."""
    result = to.call(aten.squeeze.dim, node, -1)
    to.kept[result] = node
    return result


def _reduction(target: Any) -> Callable[[Translator, Any], Result]:
    def translate(to: Translator, line: Any) -> Result:
        operand = to.operand(line.args[0])
        if reduces_rows(line):
            return to.call(target, operand, list(range(line.args[0].ndim - 1)), name=_name(line))
        alone = operand.meta["val"].shape[-1] == 1
        return _keep(to, operand if alone else to.call(target, operand, [-1], True))

    return translate


def _moments(to: Translator, line: Any) -> tuple[Node, Node]:
    x = to.operand(line.args[0])
    count = x.meta["val"].shape[-1]
    mean = to.call(aten.div.Tensor, to.call(aten.sum.dim_IntList, x, [-1], True), count)
    off = to.call(aten.sub.Tensor, x, mean)
    squares = to.call(aten.sum.dim_IntList, to.call(aten.mul.Tensor, off, off), [-1], True)
    return to.call(aten.div.Tensor, squares, count - number(line.kwargs["correction"])), mean


def _var_mean(to: Translator, line: Any) -> Result:
    return tuple(_keep(to, each) for each in _moments(to, line))


def _iota(to: Translator, line: Any) -> Result:
    dtype, device = to_torch_dtype(line.kwargs["dtype"]), str(line.output.device.device_str())
    return to.call(aten.arange.start_step, 0, number(line.args[0]), 1, dtype=dtype, device=device, name=_name(line))


def _full(to: Translator, line: Any) -> Result:
    shape = [int(number(each)) for each in line.args[0]]
    dtype, device = to_torch_dtype(line.output.dtype), str(line.output.device.device_str())
    return to.call(aten.full.default, shape, number(line.args[1]), dtype=dtype, device=device, name=_name(line))


TRANSLATIONS: dict[Any, Callable[[Translator, Any], Result]] = {
    **{PrimIDs[name.upper()]: _unary(getattr(aten, name).default) for name in _UNARY},
    **{PrimIDs[name.upper()]: _binary(name) for name in _BINARY},
    PrimIDs.POW: lambda to, line: to.call(
        aten.pow.Tensor_Scalar, to.operand(line.args[0]), number(line.args[1]), name=_name(line)
    ),
    PrimIDs.WHERE: _where,
    PrimIDs.CONVERT_ELEMENT_TYPE: _convert,
    PrimIDs.SHALLOW_COPY: lambda to, line: to.operand(line.args[0]),
    PrimIDs.BROADCAST_IN_DIM: _broadcast,
    PrimIDs.SUM: _reduction(aten.sum.dim_IntList),
    PrimIDs.AMAX: _reduction(aten.amax.default),
    PrimIDs.AMIN: _reduction(aten.amin.default),
    PrimIDs.VAR: lambda to, line: _keep(to, _moments(to, line)[0]),
    PrimIDs.VAR_MEAN: _var_mean,
    PrimIDs.IOTA: _iota,
    PrimIDs.FULL: _full,
}
REDUCTIONS = {PrimIDs.SUM, PrimIDs.AMAX, PrimIDs.AMIN, PrimIDs.VAR, PrimIDs.VAR_MEAN}
_OF_ROWS = {PrimIDs.SUM, PrimIDs.AMAX, PrimIDs.AMIN}
# Lines that compute nothing, and so make no kernel alone
VIEWS = {PrimIDs.SHALLOW_COPY, PrimIDs.BROADCAST_IN_DIM, PrimIDs.IOTA, PrimIDs.FULL}


def reduces_rows(line: Any) -> bool:
    """Return whether a line reduces all dimensions but the last: a kernel apart, with a result for each column."""
    if line.sym.id not in _OF_ROWS or line.args[0].ndim < 2:
        return False
    return sorted(number(each) for each in line.args[1]) == list(range(line.args[0].ndim - 1))


def can_translate(line: Any) -> bool:
    """Return whether a kernel can compute a primitive."""
    return _of_types(line) and _special(line)


def _of_types(line: Any) -> bool:
    tensors = [each for each in (*line.flat_args, *line.flat_proxy_outs) if isinstance(each, TensorProxy)]
    if any(to_torch_dtype(each.dtype) not in _TYPES for each in tensors):
        return False
    if len({str(each.device.device_str()) for each in tensors}) != 1:
        return False
    return not any(isinstance(each, NumberProxy) and each.value is None for each in line.flat_args)


def _special(line: Any) -> bool:
    """Return whether the arguments of a primitive are those that its translation knows."""
    kind = line.sym.id
    if kind in VIEWS:
        return kind is not PrimIDs.IOTA or (number(line.kwargs["start"]), number(line.kwargs["step"])) == (0, 1)
    out = line.flat_proxy_outs[0]
    if kind in REDUCTIONS:
        source = line.args[0]
        dims = [number(each) for each in line.args[1]]
        of_columns = dims == [source.ndim - 1] and source.ndim > 0
        return (of_columns or reduces_rows(line)) and to_torch_dtype(source.dtype).is_floating_point
    if not isinstance(out, TensorProxy) or out.ndim == 0 or math.prod(out.shape) == 0:
        return False
    if kind is PrimIDs.POW:
        return isinstance(line.args[0], TensorProxy) and isinstance(number(line.args[1]), (int, float))
    if kind is PrimIDs.DIV:
        return to_torch_dtype(out.dtype).is_floating_point
    if kind in (PrimIDs.BITWISE_AND, PrimIDs.BITWISE_OR, PrimIDs.BITWISE_NOT):
        return to_torch_dtype(out.dtype) == torch.bool
    return True
