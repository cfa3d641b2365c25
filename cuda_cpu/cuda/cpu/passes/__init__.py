# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Passes over a PTX function before code generation: control flow, liveness, uniformity, affine values, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from cuda.cpu.passes.analyse_uniformity import analyse_uniformity
from cuda.cpu.passes.find_affine import find_affine
from cuda.cpu.passes.find_converged_only import find_converged_only
from cuda.cpu.passes.find_liveness import find_liveness
from cuda.cpu.passes.find_patterns import find_patterns
from cuda.cpu.passes.find_pending import find_divergent, leading_to
from cuda.cpu.passes.find_spins import find_spins
from cuda.cpu.passes.fold_constants import fold_constants
from cuda.cpu.passes.fold_offsets import fold_offsets
from cuda.cpu.passes.graph import Block, Graph
from cuda.cpu.passes.narrow_addresses import narrow_addresses
from cuda.cpu.passes.order_blocks import order_blocks
from cuda.cpu.passes.sink_choices import sink_choices
from cuda.cpu.passes.split_blocks import is_collective, split_blocks
from cuda.cpu.passes.split_guards import split_guards
from cuda.cpu.passes.vector_accesses import find_breaks
from cuda.cpu.ptx.syntax import Function

Watcher = Callable[[Callable, Graph], None]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Call `watcher` with each pass and the graph that it has filled, for all analyses in this context."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def report(function: Callable, graph: Graph) -> None:
    """Call the watcher, if there is one, after a pass has run."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(function, graph)


def analyse(
    function: Function,
    leaves: frozenset[str] = frozenset(),
    polling: frozenset[str] = frozenset(),
    synchronising: frozenset[str] = frozenset(),
    strict: bool = False,
    keeps_returns: bool = False,
    keeps_registers: bool = False,
    whole_rows: bool = False,
    patterns: bool = False,
    converged_only: bool = False,
    choices: bool = False,
    broadcasts: bool = False,
    strided: bool = False,
    narrow: bool = False,
) -> Graph:
    """Return the function's graph with everything that emission needs.

    Parameters
    ----------
    function : Function
        With a body.
    leaves : frozenset of str
        Functions in which lanes may exit.
    polling : frozenset of str
        Functions that read what other threads may change.
    synchronising : frozenset of str
        Functions with barriers of the block in them.
    strict : bool
        Lanes wait at all collectives for the lanes in the member mask, so that missing ones are found.
    keeps_returns : bool
        A branch to a return remains a branch, so that lanes reconverge at it.
    keeps_registers : bool
        Registers with a constant value remain, for a debugger.
    whole_rows : bool
        The code only runs blocks whose rows along x are whole warps.
    converged_only : bool
        Registers that are affine in converged SIMD groups alone are found, too.
    patterns : bool
        With `whole_rows`: find patterns of addresses that are not affine, too.
    choices : bool
        Choices between indices become such between addresses of rows.
    broadcasts : bool
        With `choices`: of one address for all lanes, too.
    strided : bool
        Words at known distances are accessed by one base for all lanes.
    narrow : bool
        Addresses of shared memory are computed in 32 bits, by instructions that the PTX does not have.
    """
    body = function.body or []
    body = body if keeps_registers else fold_constants(body)
    if narrow:
        function, body = narrow_addresses(function, body)
    body = body if keeps_registers else fold_offsets(body)
    body = split_guards(body, function.entry)
    breaks: set[int] = set()
    collectives, sunk = False, None
    while True:
        graph = split_blocks(function, body, leaves, breaks, collectives, synchronising, keeps_returns)
        graph.whole_rows, graph.strided = whole_rows, strided
        _analyse(graph, polling, strict)
        if choices:
            choices, sunk = False, sink_choices(graph, body, broadcasts=broadcasts)
            if sunk is not None:
                function, body = sunk
                continue
        if sunk is not None:
            report(sink_choices, graph)
        if converged_only and not leaves:
            find_converged_only(graph)
            report(find_converged_only, graph)
        if patterns and whole_rows:
            find_patterns(graph)
            report(find_patterns, graph)
        more = find_breaks(graph) - breaks
        if not more and collectives >= graph.general:
            return graph
        breaks |= more
        collectives |= graph.general  # if blocks run in any order, every collective is a barrier of the warp


def _analyse(graph: Graph, polling: frozenset[str], strict: bool) -> None:
    report(split_blocks, graph)
    order_blocks(graph)
    report(order_blocks, graph)
    find_liveness(graph)
    report(find_liveness, graph)
    find_spins(graph, polling)
    report(find_spins, graph)
    analyse_uniformity(graph)
    graph.reason = _why_any_order(graph)
    if strict and not graph.reason and any(map(is_collective, graph.blocks)):
        graph.reason = "checks require it"
    if graph.reason:
        graph.general = True
        analyse_uniformity(graph)
    report(analyse_uniformity, graph)
    find_divergent(graph)
    find_affine(graph)
    report(find_affine, graph)


def _why_any_order(graph: Graph) -> str:
    """Return why the fixed order of blocks could deadlock: lanes wait for others that never run; "" if it cannot."""
    for first, last in graph.loops:
        blocks = graph.blocks[first : last + 1]
        if first in graph.spins and (graph.pending[first] or any(graph.is_divergent(block.end) for block in blocks)):
            return f"lanes may wait for each other in the loop at line {_line_of(blocks)}"
        behind = graph.pending[first] & ((2 << last) - (2 << first))  # lanes that are still in an earlier iteration
        if behind and any(map(is_collective, blocks)):
            return f"operations of the warp in the loop at line {_line_of(blocks)}, in which lanes may run ahead"
    barriers = [b for b in graph.blocks if (b.barrier or b.waits) and graph.pending[b.number]]
    # At a barrier of the warp, lanes wait only for lanes that can still reach a barrier.
    leading = leading_to(graph, (block.number for block in graph.blocks if block.barrier)) if barriers else 0
    for block in barriers:
        if block.waits or graph.pending[block.number] & leading:
            return f"lanes may diverge before the barrier at line {_line_of([block])}"
    return ""


def _line_of(blocks: list[Block]) -> int:
    """Return the first PTX line of some blocks."""
    lines = [step.instruction.line for block in blocks for step in block.steps]
    return min(lines + [block.end.line for block in blocks if block.end.line], default=0)
