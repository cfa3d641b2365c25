# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Split a kernel at its barriers into regions, each of which the machine code runs for all warps of a block in turn.

All warps of a block must arrive at the same barrier, so a branch between barriers must be uniform for the whole block.
Barriers do not wait for warps that have returned, so a branch of which only one side leads to a barrier may diverge.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda.cpu.passes.analyse_uniformity import UNIFORM
from cuda.cpu.passes.find_liveness import as_set
from cuda.cpu.passes.find_pending import leading_to, members
from cuda.cpu.passes.graph import BLOCK, RETURN, Graph, Step
from cuda.cpu.passes.traits import is_lanewise, is_polling
from cuda.cpu.ptx.syntax import Immediate

MOST_BLOCKS = 4000  # the time to analyse branches between barriers is quadratic: a second
MOST_COPIES = 3  # total size of the regions, in sizes of the kernel


@dataclass(slots=True)
class Region:
    """The blocks from the kernel's start, or from a barrier, to the next barriers."""

    number: int
    after: int | None  # the block of the barrier before it; None at the kernel's start
    start: int  # its first block
    blocks: tuple[int, ...]  # in order; those with barriers end it
    used: int = 0  # registers that it reads or writes
    written: int = 0

    @property
    def barrier(self) -> int:
        """The block of the barrier before it."""
        assert self.after is not None, "the kernel's first region follows no barrier"
        return self.after


def find_regions(graph: Graph) -> str:
    """Fill `regions`; or return the reason why there are none."""
    barriers = [block for block in graph.blocks if block.barrier == BLOCK]
    for block in barriers:
        form, line = block.steps[0].form, block.steps[0].instruction.line
        if graph.general:
            return graph.reason
        assert form is not None
        if "cluster" in form.modifiers or "arrive" in form.modifiers:
            return f"the barrier at line {line} is not one that all threads of the block wait at"
        if not _is_for_all(block.steps[0]):
            return f"the barrier at line {line} counts threads, or its number is not known before the kernel runs"
    if barriers and len(graph.blocks) > MOST_BLOCKS:
        return f"the kernel has {len(graph.blocks)} basic blocks, more than {MOST_BLOCKS}"
    reason = _why_apart(graph) if barriers else ""
    if reason:
        return reason
    graph.regions = _split(graph)
    size = sum(len(block.steps) + 1 for block in graph.blocks)
    whole = sum(len(graph.blocks[number].steps) + 1 for region in graph.regions for number in region.blocks)
    if whole > MOST_COPIES * size + 1000:
        graph.regions = []
        return f"{len(barriers)} barriers would make the code {whole / size:.0f} times as large"
    return ""


def _is_for_all(step: Step) -> bool:
    operands = step.instruction.operands
    if "red" in step.instruction.modifiers:  # d, a{, b}, {!}c
        return len(operands) == 3 and isinstance(operands[1], Immediate)
    return len(operands) == 1 and isinstance(operands[0], Immediate)


def _split(graph: Graph) -> list[Region]:
    found: dict[int | None, tuple[int, tuple[int, ...]]] = {}
    work: list[int | None] = [None]
    while work:
        after = work.pop()
        if after in found:
            continue
        targets = (0,) if after is None else graph.blocks[after].end.targets
        if not targets or targets[0] == RETURN:
            continue
        blocks = until_barriers(graph, targets[0])
        found[after] = targets[0], blocks
        work += [number for number in blocks if graph.blocks[number].barrier == BLOCK]
    regions = [Region(n, after, *found[after]) for n, after in enumerate(sorted(found, key=_place))]
    for region in regions:
        for number in region.blocks:
            block = graph.blocks[number]
            reads = {name for step in block.steps for name in step.reads} | set(block.end.reads)
            writes = {name for step in block.steps for name in step.writes}
            region.used |= _bits(graph, reads | writes)
            region.written |= _bits(graph, writes)
        if region.after is not None:  # it begins with the result of its barrier
            region.written |= _bits(graph, set(graph.blocks[region.after].steps[0].writes))
    return regions


def _place(after: int | None) -> int:
    return -1 if after is None else after


def _bits(graph: Graph, names: set[str]) -> int:
    return sum(1 << graph.register_bits[name] for name in names)


def until_barriers(graph: Graph, start: int) -> tuple[int, ...]:
    """Return the blocks that are reachable from `start` up to the next barriers, and those."""
    return tuple(sorted(_until_barriers(graph, start, range(len(graph.blocks)))))


def is_before_barriers(graph: Graph, start: int, last: int) -> bool:
    """Return whether block `last` is reachable from the earlier block `start` without a barrier between them."""
    return any(
        last in _until_barriers(graph, start, inside) for inside in (range(start, last + 1), range(len(graph.blocks)))
    )


def _until_barriers(graph: Graph, start: int, inside: range) -> set[int]:
    seen, work = {start}, [start]
    while work:
        block = graph.blocks[work.pop()]
        if block.barrier == BLOCK:
            continue
        for target in block.end.targets:
            if target in inside and target not in seen:
                seen.add(target)
                work.append(target)
    return seen


# --- uniformity of the branches between barriers --------------------------------------------------------


def _why_apart(graph: Graph) -> str:
    """Return a message about a branch that may lead warps of a block to different barriers; "" if there is none."""
    influences = _influences(graph)
    barriers = sum(1 << block.number for block in graph.blocks if block.barrier == BLOCK)
    uniform = _find_block_uniform(graph, influences)
    for number, influence in influences.items():
        end = graph.blocks[number].end
        if influence & barriers and not all(uniform >> graph.register_bits[name] & 1 for name in end.reads):
            line = graph.blocks[(influence & barriers).bit_length() - 1].steps[0].instruction.line
            return f"by the branch at line {end.line}, warps may come to the barrier at line {line} or not"
    return ""


def _influences(graph: Graph) -> dict[int, int]:
    """Return, for each branch with several paths to barriers, the blocks that are control-dependent on it."""
    leading = leading_to(graph, (block.number for block in graph.blocks if block.barrier == BLOCK))
    successors = [tuple({t for t in block.end.targets if t != RETURN and leading >> t & 1}) for block in graph.blocks]
    # An additional block is the exit: each loop with a barrier has at least an edge to it.
    end = len(successors)
    ways = [
        targets if targets and len(targets) == len(set(block.end.targets)) else (*targets, end)
        for block, targets in zip(graph.blocks, successors, strict=True)
    ]
    behind = _find_postdominators([*ways, ()])
    influences = {}
    for number, targets in enumerate(successors):
        if len(targets) < 2:
            continue
        others = behind[number] & ~(1 << number)
        join = next((each for each in members(others) if behind[each] == others and each != end), None)
        seen, work = 0, list(targets)
        while work:
            at = work.pop()
            if at != join and not seen >> at & 1:
                seen |= 1 << at
                work += successors[at]
        influences[number] = seen
    return influences


def _find_postdominators(successors: list[tuple[int, ...]]) -> list[int]:
    count = len(successors)
    behind = [(1 << count) - 1 if targets else 1 << number for number, targets in enumerate(successors)]
    changed = True
    while changed:
        changed = False
        for number in reversed(range(count)):
            if not successors[number]:
                continue
            value = -1
            for target in successors[number]:
                value &= behind[target]
            value |= 1 << number
            if value != behind[number]:
                behind[number], changed = value, True
    return behind


def _find_block_uniform(graph: Graph, influences: dict[int, int]) -> int:
    """Return the registers that hold one value for all warps of a block at the same point of the code."""
    bits = graph.register_bits
    uniform = as_set({bit for name, bit in bits.items() if graph.is_uniform(name)})
    for name, bit in bits.items():
        special = name.startswith("%") and name not in graph.function.registers and name != "%cc"
        if name == "%warpid" or (special and name not in UNIFORM):
            uniform &= ~(1 << bit)

    def holds(names: tuple[str, ...]) -> bool:
        return all(uniform >> bits[name] & 1 for name in names)

    results = [step for block in graph.blocks if block.barrier == BLOCK for step in block.steps]
    known = set(map(id, results))
    for step in results:  # bar.red has the same result for all threads
        uniform |= _bits(graph, set(step.writes))
    while True:
        before = uniform
        for block in graph.blocks:
            for step in block.steps:
                if id(step) in known:
                    continue
                same = is_lanewise(graph.function, step) and holds(step.reads) and not is_polling(step.operation()[0])
                if not same:
                    uniform &= ~_bits(graph, set(step.writes))
        for number, influence in influences.items():
            if holds(graph.blocks[number].end.reads):
                continue
            for each in members(influence):
                for step in graph.blocks[each].steps:
                    uniform &= ~_bits(graph, set(step.writes))
        if uniform == before:
            return uniform
