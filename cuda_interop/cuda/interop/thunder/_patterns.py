# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A transform of traces: expressions that the operator executor has a kernel for become one operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import thunder.torch as ltorch
from thunder.core.prims import PrimIDs
from thunder.core.proxies import TensorProxy
from thunder.core.symbol import BoundSymbol
from thunder.core.trace import TraceCtx, TraceProvenance, from_trace
from thunder.core.transform_common import Transform, dce

from cuda.interop.thunder import _functions, _rotary
from cuda.interop.thunder._operators import is_supported, operator_executor, torch_type
from cuda.interop.thunder._translate import number


class _Lines:
    """The lines that define the tensors of a trace, also those inside of other lines."""

    def __init__(self, trace: TraceCtx) -> None:
        self._of: dict[str, list[BoundSymbol]] = {}
        for line in _all_lines(trace.bound_symbols):
            for each in line.flat_proxy_outs:
                self._of.setdefault(each.name, []).append(line)

    def find(self, value: Any, kind: Any) -> BoundSymbol | None:
        """Return the line of a kind that defines a tensor, if there is one."""
        lines = self._of.get(value.name, ()) if isinstance(value, TensorProxy) else ()
        return next((each for each in lines if each.sym.id == kind), None)


def _all_lines(lines: Sequence[BoundSymbol]) -> Iterator[BoundSymbol]:
    for each in lines:
        yield each
        yield from _all_lines(each.subsymbols)


def _both_orders(line: BoundSymbol) -> list[tuple[Any, Any]]:
    first, second = line.args[:2]
    return [(first, second), (second, first)]


def _swiglu(line: BoundSymbol, lines: _Lines) -> BoundSymbol | None:
    """Return the operation for `silu(gate) * up`."""
    for product, up in _both_orders(line):
        silu = lines.find(product, ltorch.silu.id)
        if silu is None or any(silu.args[1:]) or any(silu.kwargs.values()):  # in place
            continue
        gate = silu.args[0]
        if isinstance(up, TensorProxy) and is_supported(gate, up) and gate.shape == up.shape:
            return _functions.swiglu.bind(gate, up, output=line.output)
    return None


def _half_turned(value: Any, lines: _Lines) -> Any:
    """Return x if a tensor is `cat([-second, first], -1)` of the halves of its rows, else None."""
    cat = lines.find(value, ltorch.cat.id)
    if cat is None or len(cat.args[0]) != 2:
        return None
    dim = cat.args[1] if len(cat.args) > 1 else cat.kwargs.get("dim", 0)
    negated, first = cat.args[0]
    neg = lines.find(negated, ltorch.neg.id)
    parts = [lines.find(each, PrimIDs.SLICE) for each in (first, neg.args[0] if neg else None)]
    if number(dim) not in (-1, value.ndim - 1) or parts[0] is None or parts[1] is None:
        return None
    x, columns = parts[0].args[0], parts[0].args[0].shape[-1]
    halves = ((0, columns // 2), (columns // 2, columns))
    fits = all(_is_slice(part, x, *ends) for part, ends in zip(parts, halves, strict=True))
    return x if columns % 2 == 0 and fits else None


def _is_slice(line: BoundSymbol | None, x: TensorProxy, start: int, end: int) -> bool:
    """Return whether a slice is of x, with all rows and a range of columns."""
    if line is None or line.args[0].name != x.name:
        return False
    starts, ends = ([number(each) for each in part] for part in line.args[1:3])
    steps = [number(each) for each in line.args[3]] if len(line.args) > 3 and line.args[3] else [1] * x.ndim
    rows = [int(number(each)) for each in x.shape[:-1]]
    return starts == [*[0] * len(rows), start] and ends == [*rows, end] and steps == [1] * x.ndim


def _is_table(value: Any, x: TensorProxy) -> bool:
    return isinstance(value, TensorProxy) and value.dtype == x.dtype and value.shape[-1:] == x.shape[-1:]


def _rotary_embedding(line: BoundSymbol, lines: _Lines) -> BoundSymbol | None:
    """Return the operation for `x * cos + cat([-second, first], -1) * sin`."""
    if any(number(each) not in (None, 1) for each in (*line.args[2:], *line.kwargs.values())):
        return None
    for kept, turned in _both_orders(line):
        products = [lines.find(each, ltorch.mul.id) for each in (kept, turned)]
        if products[0] is None or products[1] is None:
            continue
        for half, sin in _both_orders(products[1]):
            x = _half_turned(half, lines)
            if x is None or not is_supported(x):
                continue
            for same, cos in _both_orders(products[0]):
                if isinstance(same, TensorProxy) and same.name == x.name and _tables_fit(x, cos, sin):
                    return _functions.rotary.bind(x, cos, sin, output=line.output)
    return None


def _tables_fit(x: TensorProxy, cos: Any, sin: Any) -> bool:
    """Return whether the kernel takes these tables."""
    if not (_is_table(cos, x) and _is_table(sin, x)):
        return False
    try:
        _rotary.check(x, cos, sin, *(torch_type(each) for each in (x, cos, sin)))
    except (TypeError, ValueError):
        return False
    return True


_PATTERNS: dict[Any, Callable[[BoundSymbol, _Lines], BoundSymbol | None]] = {
    ltorch.mul.id: _swiglu,
    ltorch.add.id: _rotary_embedding,
}


class OperatorPatterns(Transform):
    """Make one operation of the expressions that stand for `swiglu` and for `rotary_embedding`, for `thunder.jit`.

    So programs that do not call these functions get their kernels, too: pass ``transforms=[OperatorPatterns()]`` and
    `operator_executor` among the executors. Rounding changes: a kernel rounds once, at the end.

    Examples
    --------
    >>> def gated(x, y):
    ...     return torch.nn.functional.silu(x) * y
    >>> compiled = thunder.jit(gated, executors=[operator_executor], transforms=[OperatorPatterns()])
    >>> compiled(torch.zeros(2, 2), torch.ones(2, 2)).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    >>> "cuda_swiglu(" in str(thunder.last_traces(compiled)[-1])
    True
    """

    def transform_traces_pre_prologue(
        self, prologue_trace: TraceCtx, computation_trace: TraceCtx, epilogue_trace: TraceCtx | None, **kwargs: Any
    ) -> tuple[TraceCtx, TraceCtx, TraceCtx | None]:
        """Return the traces with the operations in place of expressions.

        Parameters
        ----------
        prologue_trace, computation_trace, epilogue_trace : thunder.core.trace.TraceCtx
            The traces of a program; only that of the computation changes.
        **kwargs : object
            What Thunder says about the compilation; `executors_list` must have `operator_executor`.

        Returns
        -------
        tuple of thunder.core.trace.TraceCtx
            The traces.

        Raises
        ------
        ValueError
            If `operator_executor` is not among the executors.
        """
        if operator_executor not in kwargs.get("executors_list", ()):
            raise ValueError("OperatorPatterns: executors must have operator_executor")
        lines = _Lines(computation_trace)
        found = [_replaced(each, lines) for each in computation_trace.bound_symbols]
        if all(new is old for new, old in zip(found, computation_trace.bound_symbols, strict=True)):
            return prologue_trace, computation_trace, epilogue_trace
        trace = from_trace(computation_trace)
        trace.bound_symbols = found
        trace = dce(trace)
        trace.set_provenance(TraceProvenance("Operations in place of expressions"))
        return prologue_trace, trace, epilogue_trace


def _replaced(line: BoundSymbol, lines: _Lines) -> BoundSymbol:
    """Return the operation in place of a line, or the line."""
    pattern = _PATTERNS.get(line.sym.id)
    return (pattern(line, lines) if pattern else None) or line
