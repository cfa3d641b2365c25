# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Describe how a function will run, and what keeps it from running faster, for CUDA_CPU_EXPLAIN=1."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cuda.cpu.passes.explain_address import explain_address
from cuda.cpu.passes.graph import Block, Graph, Step
from cuda.cpu.passes.sink_choices import is_chosen
from cuda.cpu.passes.vector_accesses import base_of, contiguous_stride, interleaved_stride, offsets_of
from cuda.cpu.ptx.syntax import Register, Symbol

MOST = 3  # causes that a group of accesses names


def explain_graph(graph: Graph, *, shuffles: bool = True) -> list[str]:
    """Return a line for the whole function, and one for each reason for which accesses take a slow path.

    `shuffles`: interleaved elements are accessed as vectors, too.
    """
    rows, shared, apart = [], [], []
    slow: list[tuple[Step, str, str]] = []  # with how and why it is slow, and the cause of that
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
                or ((base := base_of(step.instruction, form)) and is_chosen(base))
            ):
                rows.append(step)
                base = base_of(step.instruction, form)
                if base is not None and base.name in graph.converged_only:
                    slow.append((step, " in SIMD groups that have diverged", explain_address(graph, base.name)))
            else:
                apart.append(step)
                slow.append((step, *_reason(graph, step)))
    divergent = sum(graph.is_divergent(block.end) for block in graph.blocks)
    kind = "kernel" if graph.function.entry else "function"
    counts = f"{len(graph.blocks)} blocks, {len(graph.loops)} loops, {divergent} divergent branches"
    accesses = f"{len(shared)} by one address, {len(rows)} by rows, {len(apart)} by lanes"
    lines = [f"{kind} {graph.function.name}: {counts}; accesses: {accesses}"]
    if graph.general:
        lines.append(f"  blocks run in any order: {graph.reason}")
    return lines + [_told(group) for group in _grouped(slow)]


def _grouped(slow: list[tuple[Step, str, str]]) -> Iterable[list[tuple[Step, str, str]]]:
    """Group accesses by what is said of them, apart from the registers and lines that causes name."""
    groups: dict[tuple[str, str], list[tuple[Step, str, str]]] = {}
    for each in slow:
        _, how, cause = each
        groups.setdefault((how, re.sub(r"%\S+|\b\d+\b", "", cause)), []).append(each)
    return groups.values()


def _told(group: list[tuple[Step, str, str]]) -> str:
    """Return a line of text for accesses that are slow for the same reason."""
    _, how, _ = group[0]
    lines = sorted({step.instruction.line for step, _, _ in group})
    forms = dict.fromkeys(str(step.form) for step, _, _ in group)
    causes = dict.fromkeys(cause for _, _, cause in group if cause)
    where = f"line{'s' if len(lines) > 1 else ''} {_listed(map(str, lines), len(lines))}"
    what = f"{_listed(forms, len(forms))} {'go' if len(forms) > 1 else 'goes'} lane by lane"
    return f"  {where}: {what}{how}" + (f": {_listed(causes)}" if causes else "")


def _listed(items: Iterable[str], most: int = MOST) -> str:
    """Return "a, b and c" of the first items, and how many more there are."""
    items = list(items)
    shown = items[:most] + ([f"{len(items) - most} more"] if len(items) > most else [])
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


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


def _reason(graph: Graph, step: Step) -> tuple[str, str]:
    """Return why an access goes lane by lane, and the cause of that, if it has one."""
    base = _base(step)
    assert step.form is not None
    if step.form.space == "local":
        return ": each lane has local memory of its own", ""
    assert isinstance(base, Register)  # an address by name is the same for all lanes
    if set(step.form.modifiers) & {"volatile", "relaxed", "acquire", "release", "mmio"}:
        return ": it is ordered among threads", ""
    stride = graph.strides.get(base.name)
    if stride is None:
        return ": its addresses follow no rule that is known before the kernel runs", explain_address(graph, base.name)
    return f": its addresses are {stride} bytes apart", ""
