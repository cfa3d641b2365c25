# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The fusion executor: connected primitives with the same rows become kernels of `cuda.interop.fusion`.

Thunder's own partition merges the lines of a trace, as far as `_together` allows; each group is one call in the new
trace. Thunder then recomputes in a group what is cheaper to compute again than to load.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from thunder.core import utils
from thunder.core.proxies import TensorProxy, unvariableify
from thunder.core.rematerialization import rematerialize
from thunder.core.symbol import BoundSymbol, Symbol
from thunder.core.trace import TraceCtx, TraceProvenance, from_trace
from thunder.core.transform_common import dce
from thunder.executors.data_dependent_partition import Node, dataflow_fusion
from thunder.executors.passes import update_fusion_call_ctx
from thunder.executors.utils import Region
from thunder.extend import FusionExecutor

from cuda.interop.thunder._translate import REDUCTIONS, TRANSLATIONS, VIEWS, Translator, can_translate, reduces_rows
from cuda.interop.torch._fused_kernel import FusedKernel
from cuda.interop.torch._fusion import fuse

Domain = tuple[tuple[int, ...], int]  # the rows of a line, and its columns


class Fusion:
    """What a group of lines does: calls its kernels, for contiguous inputs or those of other strides.

    Attributes
    ----------
    kernels : list of FusedKernel
        The kernels; each has a `name` and a `source`.
    """

    def __init__(self, lines: Sequence[Any], inputs: Sequence[TensorProxy], outputs: Sequence[TensorProxy]) -> None:
        self._lines, self._inputs, self._outputs = lines, inputs, outputs
        self._contiguous, self.kernels = self._fuse(None)
        self._strided: dict[tuple[Any, ...], Any] = {}

    def __call__(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        if all(each.is_contiguous() for each in tensors):
            return self._contiguous(*tensors)
        strides = tuple(each.stride() for each in tensors)
        found = self._strided.get(strides)
        if found is None:
            found = self._strided[strides] = self._of_strides(tensors)
        return found(*tensors)

    def _fuse(self, tensors: Sequence[torch.Tensor] | None) -> tuple[Any, list[FusedKernel]]:
        return fuse(Translator(self._inputs, tensors).module(self._lines, self._outputs))

    def _of_strides(self, tensors: Sequence[torch.Tensor]) -> Any:
        """Return a function for inputs of these strides; it copies them if PyTorch carries out part of the group."""
        module, _ = self._fuse(tensors)
        operations = [each.target for each in module.graph.nodes if isinstance(each.target, torch._ops.OpOverload)]
        if all(each.is_view for each in operations):
            return module
        return lambda *given: self._contiguous(*(each.contiguous() for each in given))


class CudaFusionExecutor(FusionExecutor):
    """Thunder's fusion executor `fusion_executor`."""

    def __init__(self) -> None:
        super().__init__("cuda_core_fusion", version="1")
        for each in TRANSLATIONS:
            self.register_supported(each)

    def can_fuse(self, line: BoundSymbol) -> bool:
        """Return whether a line, or all that it consists of, are primitives that a kernel can compute."""
        if line.sym.id in TRANSLATIONS:
            return can_translate(line)
        if line.sym.is_fusion or line.sym.executor is not None or not line.subsymbols:
            return False
        return all(self.can_fuse(each) for each in line.subsymbols)

    def fuse(self, region: Any, fusion_counter: int) -> BoundSymbol:
        """Return the call of a group's kernels."""
        inputs = [unvariableify(each) for each in region.inputs]
        outputs = [unvariableify(each) for each in region.outputs]
        name = f"cuda_fusion{fusion_counter}"
        fusion = Fusion(list(region.bound_symbols), inputs, outputs)
        symbol = Symbol(name, meta=lambda *_: tuple(outputs), is_fusion=True, executor=self)
        return BoundSymbol(symbol, inputs, {}, outputs, region.bound_symbols, _call_ctx={name: fusion})

    def fusion_pass(self, trace: TraceCtx) -> TraceCtx:
        """Return a trace in which groups of primitives are calls of kernels."""
        flat = from_trace(trace)
        flat.bound_symbols = [each for line in trace.bound_symbols for each in self._primitives(line)]
        flat = dce(flat)
        producers, consumers = utils.producers_and_consumers(flat)
        lines: list[BoundSymbol] = []
        count = 0
        for group in dataflow_fusion(flat, self._together):
            if _is_worth_a_kernel(group):
                call = self.fuse(Region(producers, consumers, group), count)
                if _fusion_of(call).kernels:
                    lines.append(call)
                    count += 1
                    continue
            lines.extend(group)
        fused = from_trace(trace)
        fused.bound_symbols = lines
        fused = update_fusion_call_ctx(dce(rematerialize(fused)))
        fused.set_provenance(TraceProvenance("Fusion into CUDA C++ kernels"))
        return fused

    def _primitives(self, line: BoundSymbol) -> list[BoundSymbol]:
        if line.sym.id in TRANSLATIONS or not self.can_fuse(line):
            return [line]
        found = [each for part in line.subsymbols for each in self._primitives(part)]
        for each in found:
            each.tags.update(line.tags)
        return found

    def _together(self, first: Node, second: Node) -> bool:
        """Return whether two groups can be one kernel: the same rows, and as many columns or one."""
        domains = []
        for group in (first, second):
            if not all(each.sym.id in TRANSLATIONS and self.can_fuse(each) for each in group.group_bsyms):
                return False
            domains.append(_domain(group.group_bsyms))
        one, other = domains
        if one is None or other is None:
            return second in first.children
        return one[0] == other[0] and (one[1] == other[1] or 1 in (one[1], other[1]))


def _is_worth_a_kernel(group: Sequence[BoundSymbol]) -> bool:
    """Return whether a group has several operations, or a reduction of rows."""
    lines = [each for each in group if each.sym.id in TRANSLATIONS and each.sym.id not in VIEWS]
    return len(lines) > 1 or any(reduces_rows(each) and can_translate(each) for each in lines)


def _domain(lines: Sequence[BoundSymbol]) -> Domain | None:
    """Return the rows and the columns of a group, None if it has only views."""
    found: Domain | None = None
    for line in lines:
        if line.sym.id in VIEWS:
            continue
        tensor = line.args[0] if line.sym.id in REDUCTIONS else line.flat_proxy_outs[0]
        *rows, columns = (int(each) for each in tensor.shape)
        if found is None or found[1] == 1:
            found = (tuple(rows), columns)
    return found


def _fusion_of(line: BoundSymbol) -> Fusion:
    return line._call_ctx[line.sym.name]


def fused_kernels(trace: TraceCtx) -> list[FusedKernel]:
    """Return the kernels that a trace calls.

    Parameters
    ----------
    trace : thunder.core.trace.TraceCtx
        A trace of `thunder.last_traces` or `thunder.last_backward_traces`.

    Returns
    -------
    list of FusedKernel
        The kernels in the order of their calls; each has a `name` and a `source`.
    """
    calls = [each for each in trace.bound_symbols if each.sym.is_fusion and each.sym.executor is fusion_executor]
    return [kernel for each in calls for kernel in _fusion_of(each).kernels]


fusion_executor = CudaFusionExecutor()
