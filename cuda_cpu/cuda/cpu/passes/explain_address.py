# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Explain why an address is not affine, for CUDA_CPU_EXPLAIN=1: the PTX line that prevents it."""

from __future__ import annotations

from cuda.cpu.passes.find_affine import SIMPLE, quotient_of, stride_of_step
from cuda.cpu.passes.graph import Block, Graph, Step

CHOICES = {"selp", "min", "max"}  # see emit/access/clamped.py


def explain_address(graph: Graph, name: str) -> str:
    """Return the first cause among the definitions on which a register without a stride depends, or ""."""
    work, seen = [name], {name}
    differing = ""
    while work:
        register = work.pop()
        writers = [(block, step) for block in graph.blocks for step in block.steps if register in step.writes]
        for block, step in writers:
            cause = _cause(graph, block, step, register)
            if cause:
                return cause
        lines = sorted({step.instruction.line for _, step in writers})
        if len(lines) > 1 and not differing:
            differing = f"lines {' and '.join(map(str, lines[:2]))} give {register} by different rules"
        sources = {source for _, step in writers for source in step.reads if _is_unknown(graph, source)} - seen
        seen |= sources
        work += sorted(sources)
    return differing


def _is_unknown(graph: Graph, register: str) -> bool:
    unknown = register not in graph.strides or register in graph.converged_only
    return register in graph.register_bits and not graph.is_uniform(register) and unknown


def _cause(graph: Graph, block: Block, step: Step, register: str) -> str:
    """Return why an instruction gives no affine result even for affine operands."""
    line = step.instruction.line
    if step.form is None:
        return f"{register} comes from the call at line {line}"
    if graph.preserved[block.number] >> graph.register_bits[register] & 1:
        return f"lanes may wait elsewhere for the old {register} when line {line} changes it"
    if quotient_of(graph, step):
        return f"lanes may have several quotients at line {line}"
    if register in graph.strides:  # of converged SIMD groups
        return ""
    follows = step.form.opcode in SIMPLE and not step.instruction.guard
    follows = follows and any(_is_unknown(graph, source) for source in step.reads)
    if stride_of_step(graph, step) is None and not follows:
        alike = " (a row if all lanes choose alike)" if step.form.opcode in CHOICES else ""
        return f"{register} comes from {step.form} at line {line}{alike}"
    return ""
