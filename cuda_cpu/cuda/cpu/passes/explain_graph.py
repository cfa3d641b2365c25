# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Describe how a function will run, and what keeps it from running faster, for CUDA_CPU_EXPLAIN=1."""

from __future__ import annotations

from cuda.cpu.passes.explain_address import explain_address
from cuda.cpu.passes.graph import Block, Graph, Step
from cuda.cpu.passes.vector_accesses import base_of, contiguous_stride, interleaved_stride, offsets_of
from cuda.cpu.ptx.syntax import Register, Symbol


def explain_graph(graph: Graph, *, shuffles: bool = True) -> list[str]:
    """Return a line for the whole function, and one for each construct that takes a slow path.

    `shuffles`: interleaved elements are accessed as vectors, too.
    """
    rows, shared, apart, diverged = [], [], [], []
    for block in graph.blocks:
        for step in block.steps:
            form = step.form
            if form is None or form.opcode not in ("ld", "st") or (form.space or "").startswith("param"):
                continue
            if _is_uniform(graph, step):
                shared.append(step)
            elif (
                contiguous_stride(graph, step.instruction, form) is not None
                or (shuffles and interleaved_stride(graph, step.instruction, form))
                or offsets_of(graph, step.instruction, form)
            ):
                rows.append(step)
                base = base_of(step.instruction, form)
                if base is not None and base.name in graph.converged_only:
                    diverged.append((step, explain_address(graph, base.name)))
            else:
                apart.append(step)
    divergent = sum(graph.is_divergent(block.end) for block in graph.blocks)
    kind = "kernel" if graph.function.entry else "function"
    counts = f"{len(graph.blocks)} blocks, {len(graph.loops)} loops, {divergent} divergent branches"
    accesses = f"{len(shared)} by one address, {len(rows)} by rows, {len(apart)} by lanes"
    lines = [f"{kind} {graph.function.name}: {counts}; accesses: {accesses}"]
    if graph.general:
        lines.append(f"  blocks run in any order: {graph.reason}")
    lines += [
        f"  line {step.instruction.line}: {step.form} goes lane by lane: {_reason(graph, step)}" for step in apart
    ]
    lines += [
        f"  line {step.instruction.line}: {step.form} goes lane by lane in SIMD groups that have diverged: {cause}"
        for step, cause in diverged
    ]
    return lines


def line_of(block: Block) -> int:
    """Return the first PTX line of a block."""
    return block.steps[0].instruction.line if block.steps else block.end.line


def _base(step: Step) -> Register | Symbol | None:
    return step.instruction.address(1 if step.instruction.opcode == "ld" else 0).base


def _is_uniform(graph: Graph, step: Step) -> bool:
    base = _base(step)
    return (
        step.form is not None
        and step.form.space != "local"
        and (not isinstance(base, Register) or graph.is_uniform(base.name))
    )


def _reason(graph: Graph, step: Step) -> str:
    base = _base(step)
    assert step.form is not None
    if step.form.space == "local":
        return "each lane has local memory of its own"
    assert isinstance(base, Register)  # an address by name is the same for all lanes
    if set(step.form.modifiers) & {"volatile", "relaxed", "acquire", "release", "mmio"}:
        return "it is ordered among threads"
    stride = graph.strides.get(base.name)
    if stride is None:
        cause = explain_address(graph, base.name)
        return "its addresses follow no rule that is known before the kernel runs" + (f": {cause}" if cause else "")
    return f"its addresses are {stride} bytes apart"
