# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Find the pending blocks of each block: those at which other lanes of the SIMD group may wait while it runs.

After a block its lanes are added to its successors, and the first block in order that has lanes runs next. Hence only
later blocks can be pending, and only targets of divergent branches.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from operator import or_

from cuda.cpu.passes.find_liveness import as_set
from cuda.cpu.passes.graph import RETURN, Block, Graph


def find_pending(graph: Graph) -> None:
    """Fill `pending` and `preserved` for the uniformity that is assumed so far."""
    count = len(graph.blocks)
    if graph.general:
        everything = (1 << count) - 1
        graph.pending = [everything & ~(1 << number) for number in range(count)]
        graph.preserved = _needed_by_others(graph)
    else:
        graph.pending = [later << (number + 1) for number, later in enumerate(_flow(graph))]
        known = {0: 0}
        graph.preserved = [_needed(graph, pending, known) for pending in graph.pending]


def _flow(graph: Graph) -> list[int]:
    """Return the pending blocks of each block; bit i is block number + 1 + i.

    Sets are relative to a block, as most of their members are near it: with bit i for block i, the time would be
    quadratic in the number of blocks. Most sets of candidates share their last members, so each set is visited once:
    `known` maps its first member and the others to the pending blocks with which it has been visited.
    """
    pending = [0] * len(graph.blocks)
    known: dict[tuple[int, int], int] = {}
    reached = {0}
    work = [0]
    while work:
        block = graph.blocks[work.pop()]
        for base, waiting, candidates in exits_of(graph, block, pending[block.number]):
            while candidates:
                distance = first_of(candidates)
                number = base + distance
                candidates >>= distance + 1
                waiting >>= distance + 1
                base = number + 1
                before = known.get((number, candidates), -1)
                if before >= 0 and waiting | before == before:
                    break
                known[number, candidates] = max(before, 0) | waiting
                if number not in reached or waiting | pending[number] != pending[number]:
                    reached.add(number)
                    pending[number] |= waiting
                    work.append(number)
    return pending


def exits_of(graph: Graph, block: Block, pending: int) -> list[tuple[int, int, int]]:
    """Return, for each exit of the block, all blocks with lanes and those of them that may run next.

    The blocks are relative to the first number, those of `pending` to the next block.
    """
    behind = block.number + 1
    targets = [target for target in block.end.targets if target != RETURN]
    if not targets:
        return [(behind, pending, pending)]
    if not graph.is_divergent(block.end) and not block.leaves:
        found = [_exit(behind, pending, [target], surely=True) for target in targets]
        return found + ([(behind, pending, pending)] if RETURN in block.end.targets else [])
    return [_exit(behind, pending, targets, surely=RETURN not in block.end.targets and not block.leaves)]


def _exit(behind: int, pending: int, targets: list[int], *, surely: bool) -> tuple[int, int, int]:
    """Return an exit that adds lanes to all targets; `surely`: one of them gets some."""
    base = min(behind, *targets)
    waiting = pending << (behind - base)
    for target in targets:
        waiting |= 1 << (target - base)
    return base, waiting, upto(waiting, max(targets) - base) if surely else waiting


def upto(blocks: int, last: int) -> int:
    """Return the members of a set of blocks that are not after `last`."""
    return blocks & ((1 << (last + 1)) - 1)


def first_of(blocks: int) -> int:
    """Return the least number in a set of blocks."""
    near = blocks & 0xFFFFFFFF or blocks  # a large number takes longer to negate
    return (near & -near).bit_length() - 1


def members(blocks: int) -> list[int]:
    """Return the numbers in a set of blocks, in order."""
    bits, found = f"{blocks:b}"[::-1], []
    number = bits.find("1")
    while number >= 0:
        found.append(number)
        number = bits.find("1", number + 1)
    return found


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
    """Return the blocks that can be reached from each block, itself among them; in quadratic time."""
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


def reachable(graph: Graph, starts: Iterable[int]) -> int:
    """Return the blocks that can be reached from some blocks, these among them."""
    return _closure([[t for t in block.end.targets if t != RETURN] for block in graph.blocks], starts)


def leading_to(graph: Graph, targets: Iterable[int]) -> int:
    """Return the blocks from which any of some blocks can be reached, these among them."""
    sources: list[list[int]] = [[] for _ in graph.blocks]
    for block in graph.blocks:
        for target in block.end.targets:
            if target != RETURN:
                sources[target].append(block.number)
    return _closure(sources, targets)


def _closure(edges: list[list[int]], starts: Iterable[int]) -> int:
    found = set(starts)
    work = list(found)
    while work:
        for each in edges[work.pop()]:
            if each not in found:
                found.add(each)
                work.append(each)
    return as_set(found)


def find_divergent(graph: Graph) -> None:
    """Fill `divergent`: blocks reachable from divergent branches, or from calls in which lanes exit."""
    ends = [block.end for block in graph.blocks if graph.is_divergent(block.end) or block.leaves]
    graph.divergent = reachable(graph, {target for end in ends for target in end.targets if target != RETURN})
