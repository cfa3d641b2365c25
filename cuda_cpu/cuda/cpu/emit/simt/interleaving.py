# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Interleaving: the SIMD groups of a block run some iterations at a time of loops that read memory with a long stride.

In a grid-stride loop, the words of a SIMD group's next iteration are far away, but those of the next SIMD group follow
directly. If each SIMD group ran the loop from beginning to end, every access would be in another page, and the lines
beside it would leave the cache before they are used. Interleaved, a block reads as many streams as a slice has
iterations, each of which the hardware prefetches.

Between its slices, the state of a SIMD group is spilled as at a barrier. Only converged SIMD groups are interleaved;
any other one runs the loop to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access import linear
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.block_fusion import NOT_BEGUN
from cuda.cpu.passes.find_regions import Region
from cuda.cpu.passes.graph import Block, Step
from cuda.cpu.passes.traits import PURE
from cuda.cpu.passes.vector_accesses import contiguous_stride
from cuda.cpu.ptx.syntax import Register

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.block_fusion import BlockFusion
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.emit.simt.regions import Regions

ITERATIONS = 8  # of a slice: CPUs prefetch as many streams, and a cache set has as many lines
STREAMS = 16  # that a slice reads at most where all lines of a stream are in one cache set
FAR = 4096  # bytes per iteration: within a page the CPU prefetches for a single SIMD group, too
COMMUTES = {"add", "and", "or", "xor", "min", "max"}


def strided_loads(frame: Frame, region: Region) -> dict[int, list[Register]]:
    """Return the addresses of contiguous loads in each loop of a region that may be interleaved, by its header."""
    graph = frame.graph
    found: dict[int, list[Register]] = {}
    inside = {number for number in region.blocks if not graph.blocks[number].barrier}
    for first, last in graph.loops:
        blocks = range(first, last + 1)
        innermost = not any(loop != (first, last) and first <= loop[0] and loop[1] <= last for loop in graph.loops)
        steps = [step for number in blocks for step in graph.blocks[number].steps]
        if innermost and inside.issuperset(blocks) and all(_has_no_order(frame, step) for step in steps):
            bases = [step.instruction.address(1).base for step in steps if _loads_contiguous(frame, step)]
            loads = [base for base in bases if isinstance(base, Register)]
            if loads:
                found[first] = loads
    return found


def is_enabled(frame: Frame) -> bool:
    return frame.flow.has_converged and not frame.module.settings.quick


def resumed_at(frame: Frame) -> set[int]:
    """Return the blocks before which SIMD groups are restored: behind barriers, and any where they interleave."""
    found = {region.start for region in frame.graph.regions if region.after is not None}
    if is_enabled(frame):
        found.update(*(region.blocks for region in frame.graph.regions if strided_loads(frame, region)))
    return found


def _has_no_order(frame: Frame, step: Step) -> bool:
    """Return whether the order of SIMD groups is unobservable: calls may print, and float sums are rounded."""
    form = step.form
    if form is None:
        return False
    if form.opcode in ("atom", "red"):
        return form.op in COMMUTES and form.type[0] in "bsu" and not any(map(frame.facts.is_read, step.writes))
    return form.opcode in PURE or (form.opcode in ("ld", "ldu", "st") and form.sem in (None, "weak"))


def _loads_contiguous(frame: Frame, step: Step) -> bool:
    instruction, form = step.operation()
    if form.opcode != "ld" or form.space not in (None, "global"):
        return False
    return bool(contiguous_stride(frame.graph, instruction, form))


def _streams(addresses: list[Register]) -> int:
    """Return how many streams the loads of a loop read in an iteration."""
    return len({address.name for address in addresses})


class Interleaving:
    """Emit the interleaved loops of a region."""

    def __init__(self, regions: Regions, region: Region):
        self._regions, self._region = regions, region
        self.frame, self.flow, self.builder = regions.frame, regions.flow, regions.builder
        self._loads = strided_loads(self.frame, region) if is_enabled(self.frame) else {}
        most = max(map(_streams, self._loads.values()), default=1)
        self._fewest = max(1, min(ITERATIONS, STREAMS // most))  # iterations of a slice
        if self._loads:
            self._iterations = self.builder.slot("i32")  # of a slice
            self._first = self.builder.slot("i1")  # the first pass
            self._more = self.builder.slot("i1")  # some SIMD group is in a loop
            self._left = self.builder.slot("i32")  # iterations of this slice

    def __contains__(self, header: int) -> bool:
        """Return whether a loop is interleaved; in the loop for uniform tiles none is."""
        return header in self._loads and self.flow.tile_exits is None

    def streams_of(self, number: int) -> int:
        """Return how many streams the loop around a block reads, 0 if it is not interleaved."""
        for first, last in self.frame.graph.loops:
            if first in self._loads and first <= number <= last:
                return _streams(self._loads[first])
        return 0

    @property
    def headers(self) -> set[int]:
        return set(self._loads)

    @property
    def _fusion(self) -> BlockFusion | None:
        return self._regions.fusion if self._region.after is None else None

    def begin(self) -> None:
        """Begin the region."""
        if self._loads:
            self._iterations.store(self._fewest)
            self.begin_pass()
            if not self._fusion:
                self.restart()

    def restart(self, *, begin: bool = True) -> None:
        """Begin the first pass, in which SIMD groups begin the region, or a pass in which each resumes what was
        spilled.
        """
        self._first.store(begin)

    def begin_pass(self) -> None:
        self._more.store(0)

    def begin_alone(self) -> None:
        """Begin a SIMD group that is not interleaved."""
        if self._loads:
            self._regions.spill.write("resume_at", "i32", 0)

    def enter(self) -> None:
        """Begin a slice of a SIMD group: resume the loop where the last slice ended, or go to the next SIMD group."""
        if not self._loads:
            return
        builder, spill = self.builder, self._regions.spill
        first, later = builder.new_label("first"), builder.new_label("later")
        self.begin_slice()
        was = spill.read("resume_at", "i32")
        spill.write("resume_at", "i32", 0)
        builder.branch(self._first.load(), first, later)
        builder.label(later)
        at, otherwise = self.headers, f"next{self._region.number}"
        if self._fusion:
            at |= self._fusion.ends
            begun = builder.new_label("begun")
            builder.branch(builder.compare("icmp eq", was, NOT_BEGUN), first, begun)
            builder.label(begun)
        self.dispatch(was, sorted(at), otherwise)
        builder.label(first)

    def begin_slice(self) -> None:
        self._left.store(self._iterations.load())

    def dispatch(self, was: Value, numbers: list[int], otherwise: str) -> None:
        """Resume the SIMD group before the block at which it was suspended."""
        builder = self.builder
        labels = [builder.new_label("resume_at") for _ in numbers]
        builder.switch(was, [(number + 1, label) for number, label in zip(numbers, labels, strict=True)], otherwise)
        for number, label in zip(numbers, labels, strict=True):
            builder.label(label)
            self._resume(number)

    def _resume(self, number: int) -> None:
        frame, builder = self.frame, self.builder
        self._regions.clear()
        if frame.consecutive_slot:
            frame.set_consecutive(1)
        self._regions.spill.reload(self._region, frame.graph.live_in[number], builder.mask(-1), is_converged=True)
        builder.jump(self.flow.converged_label(number))

    def end_iteration(self, block: Block, header: int) -> None:
        """End an iteration, and the slice with its last one."""
        builder, frame, flow = self.builder, self.frame, self.flow
        left = builder.binary("sub", self._left.load(), constant(1, "i32"))
        self._left.store(left)
        last, suspends = builder.new_label("last"), builder.new_label("waits")
        over = builder.compare("icmp eq", left, constant(0, "i32"))
        builder.branch(over, last, flow.converged_label(header), likely=False)
        builder.label(last)
        spent = builder.binary("mul", self._iterations.load(), flow.cost_of(header))
        with frame.restoring_registers():
            advance = self._advance_of(block, header)
            self._choose_iterations(advance)
            is_long = self._is_long(advance)
        self.begin_slice()
        flow.poll(spent)
        builder.branch(is_long, suspends, flow.converged_label(header))
        builder.label(suspends)
        self._more.store(1)
        self.suspend(header)

    def suspend(self, number: int) -> None:
        """Spill a converged SIMD group before a block, and go to the next one."""
        self._regions.spill.write("resume_at", "i32", number + 1)
        self._regions.spill.spill_live(self._region, self.frame.graph.live_in[number])
        self.builder.jump(self.flow.arrived)

    def _advance_of(self, block: Block, header: int) -> Value | None:
        """Return how many bytes the addresses of a loop advance in an iteration, None if that is not known."""
        for address in self._loads[header]:
            advance = linear.advance(self.frame, block.number, address)
            if advance is not None and not linear.is_nothing(advance):
                return self.builder.resize(advance, "i64", signed=True)
        return None

    def _choose_iterations(self, advance: Value | None) -> None:
        """Choose how long slices are from now on: few iterations where the lines of each stream are in one set."""
        if self._fewest == ITERATIONS or advance is None:
            return
        builder = self.builder
        same_set = builder.is_zero(builder.binary("and", advance, FAR - 1))
        self._iterations.store(builder.select(same_set, constant(self._fewest, "i32"), constant(ITERATIONS, "i32")))

    def _is_long(self, advance: Value | None) -> Value:
        """Return whether a loop's stride is long and there are other SIMD groups to interleave with."""
        if advance is None:
            return constant(0, "i1")
        builder = self.builder
        distant = builder.compare("icmp ugt", self._regions.groups, 1)
        apart = builder.binary("add", advance, constant(FAR, "i64"))
        return builder.binary("and", distant, builder.compare("icmp uge", apart, constant(2 * FAR, "i64")))

    def end(self) -> None:
        """End a pass over the SIMD groups; another one follows if some of them are in a loop."""
        if not self._loads:
            return
        builder, again, over = self.builder, self.builder.new_label("again"), self.builder.new_label("ended")
        self.end_pass(again, over)
        builder.label(again)
        self._first.store(0)
        self.begin_pass()
        if self._fusion:
            passes = self._fusion.passes.load()
            self._fusion.passes.store(builder.binary("add", passes, 1))
        self._regions.rewind()
        builder.jump(f"run{self._region.number}")
        builder.label(over)

    def end_pass(self, again: str, over: str) -> None:
        self.builder.branch(self._more.load(), again, over)
