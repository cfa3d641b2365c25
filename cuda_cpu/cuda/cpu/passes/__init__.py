# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What is found out about a PTX function before it is emitted: an ordered list of passes."""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.passes.analyse_uniformity import analyse_uniformity
from cuda.cpu.passes.find_affine import find_affine, find_breaks
from cuda.cpu.passes.find_liveness import find_liveness
from cuda.cpu.passes.find_pending import find_divergent, find_reach, members
from cuda.cpu.passes.find_spins import find_spins
from cuda.cpu.passes.graph import BLOCK, Block, Graph, Step
from cuda.cpu.passes.order_blocks import order_blocks
from cuda.cpu.passes.split_blocks import split_blocks
from cuda.cpu.passes.split_guards import split_guards
from cuda.cpu.ptx.syntax import Function, Statement


def analyse(
    function: Function,
    is_pure: Callable[[str], bool],
    is_lanewise: Callable[[Step], bool],
    leaves: frozenset[str] = frozenset(),
) -> Graph:
    """Return the function's graph with everything that emission needs.

    Parameters
    ----------
    function : Function
        With a body.
    is_pure : callable
        Tells of an opcode whether it only computes, so that its guard may select the result.
    is_lanewise : callable
        Tells of a Step whether equal inputs of all lanes give equal results.
    leaves : frozenset of str
        Functions in which lanes may exit.
    """
    body = split_guards(function.body, is_pure, function.entry)
    graph = _analyse(function, body, is_lanewise, leaves, set())
    breaks = find_breaks(graph)
    return _analyse(function, body, is_lanewise, leaves, breaks) if breaks else graph


def _analyse(
    function: Function,
    body: list[Statement],
    is_lanewise: Callable[[Step], bool],
    leaves: frozenset[str],
    breaks: set[int],
) -> Graph:
    graph = split_blocks(function, body, leaves, breaks)
    order_blocks(graph)
    find_liveness(graph)
    find_spins(graph)
    analyse_uniformity(graph, is_lanewise)
    graph.reason = _why_any_order(graph)
    if graph.reason:
        graph.general = True
        analyse_uniformity(graph, is_lanewise)
    find_divergent(graph)
    find_affine(graph)
    return graph


def _why_any_order(graph: Graph) -> str:
    """Say why lanes that wait in one block could keep those from running that they wait for; "" if they cannot."""
    for first, last in graph.loops:
        blocks = graph.blocks[first : last + 1]
        if first in graph.spins and (graph.pending[first] or any(graph.is_divergent(block.end) for block in blocks)):
            return f"lanes may wait for each other in the loop at line {_line_of(blocks)}"
    barriers = [block for block in graph.blocks if block.barrier and graph.pending[block.number]]
    # Lanes at a warp's barrier wait for others only if these can still come to one.
    reach = find_reach(graph) if barriers else []
    targets = sum(1 << block.number for block in graph.blocks if block.barrier)
    for block in barriers:
        others = members(graph.pending[block.number])
        if block.barrier == BLOCK or any(reach[other] & targets for other in others):
            return f"lanes may come apart to the barrier at line {_line_of([block])}"
    return ""


def _line_of(blocks: list[Block]) -> int:
    """Return the first PTX line of some blocks."""
    lines = [step.instruction.line for block in blocks for step in block.steps]
    return min(lines + [block.end.line for block in blocks if block.end.line], default=0)
