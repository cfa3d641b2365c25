# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the pending blocks of each block: those at which other lanes of the SIMD group may wait while it runs.

After a block its lanes are added to its successors, and the first block in order that has lanes runs next. Hence only
later blocks can be pending, and only targets of divergent branches.
"""

from __future__ import annotations

from itertools import accumulate
from operator import or_

from cuda.cpu.passes.graph import RETURN, Block, Graph


def find_pending(graph: Graph) -> None:
    """Fill `pending` and `preserved` for the uniformity that is assumed so far."""
    count = len(graph.blocks)
    if graph.general:
        everything = (1 << count) - 1
        graph.pending = [everything & ~(1 << number) for number in range(count)]
        graph.preserved = _needed_by_others(graph)
    else:
        graph.pending = _flow(graph)
        known = {0: 0}
        graph.preserved = [_needed(graph, pending, known) for pending in graph.pending]


def _flow(graph: Graph) -> list[int]:
    """Return the pending blocks of each block.

    Most sets of candidates share their last members, so each set is visited once: `known` maps it to the pending blocks
    with which it has been visited.
    """
    pending = [0] * len(graph.blocks)
    known: dict[int, int] = {}
    reached = {0}
    work = [0]
    while work:
        block = graph.blocks[work.pop()]
        for waiting, candidates in steps_after(graph, block, pending[block.number]):
            while candidates:
                number = first_of(candidates)
                later = waiting >> (number + 1) << (number + 1)
                before = known.get(candidates, -1)
                if before >= 0 and not later & ~before:
                    break
                known[candidates] = max(before, 0) | later
                candidates &= candidates - 1
                if number not in reached or later & ~pending[number]:
                    reached.add(number)
                    pending[number] |= later
                    work.append(number)
    return pending


def steps_after(graph: Graph, block: Block, pending: int) -> list[tuple[int, int]]:
    """Return, for each exit of the block, all blocks with lanes and those of them that may run next."""
    targets = [target for target in block.end.targets if target != RETURN]
    if not targets:
        return [(pending, pending)]
    if not graph.is_divergent(block.end) and not block.leaves:
        return [(pending | 1 << t, upto(pending | 1 << t, t)) for t in targets] + (
            [(pending, pending)] if RETURN in block.end.targets else []
        )
    waiting = pending
    for target in targets:
        waiting |= 1 << target
    surely = RETURN not in block.end.targets and not block.leaves
    return [(waiting, upto(waiting, max(targets)) if surely else waiting)]


def upto(blocks: int, last: int) -> int:
    """Return the members of a set of blocks that are not after `last`."""
    return blocks & ((1 << (last + 1)) - 1)


def first_of(blocks: int) -> int:
    """Return the least number in a set of blocks."""
    return (blocks & -blocks).bit_length() - 1


def members(blocks: int) -> list[int]:
    """Return the numbers in a set of blocks, in order."""
    result = []
    while blocks:
        lowest = blocks & -blocks
        result.append(lowest.bit_length() - 1)
        blocks ^= lowest
    return result


def _needed(graph: Graph, pending: int, known: dict[int, int]) -> int:
    """Return the registers that some blocks need; `known` caches results, as most sets share their last members."""
    sets = []
    while pending not in known:
        sets.append(pending)
        pending &= pending - 1
    preserved = known[pending]
    for blocks in reversed(sets):
        preserved |= graph.live_in[first_of(blocks)]
        known[blocks] = preserved
    return preserved


def _needed_by_others(graph: Graph) -> list[int]:
    """Return for each block the registers that any other block needs."""
    before = accumulate(graph.live_in, or_, initial=0)
    behind = list(accumulate(reversed(graph.live_in), or_, initial=0))
    return [early | late for early, late in zip(before, reversed(behind[:-1]), strict=False)]


def find_reach(graph: Graph) -> list[int]:
    """Return the blocks that can be reached from each block, itself among them."""
    reach = [1 << block.number for block in graph.blocks]
    changed = True
    while changed:
        changed = False
        for block in reversed(graph.blocks):
            value = reach[block.number]
            for target in block.end.targets:
                if target != RETURN:
                    value |= reach[target]
            if value != reach[block.number]:
                reach[block.number] = value
                changed = True
    return reach


def find_divergent(graph: Graph) -> None:
    """Fill `divergent`: blocks reachable from divergent branches, or from calls in which lanes exit."""
    reach = find_reach(graph)
    for block in graph.blocks:
        if graph.is_divergent(block.end) or block.leaves:
            for target in block.end.targets:
                if target != RETURN:
                    graph.divergent |= reach[target]
