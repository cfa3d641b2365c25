# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Block fusion: interleave the SIMD groups of several thread blocks in a loop with a long stride.

In a grid-stride loop the words of a thread block are followed by those of the next one, and the longer the contiguous
memory is, the better works the hardware prefetcher. So where SIMD groups are interleaved (`interleaving.py`), a further
copy of the kernel's first basic blocks, for converged SIMD groups of as many thread blocks as the spill arrays have
room for, runs up to and through the loop; then each thread block goes on by itself with what was spilled for it.

This is unobservable: the fused copy contains only pure instructions and loads. Where it ends, the state of a SIMD group
is spilled as at the end of a slice. A SIMD group that is not converged there has done nothing yet, and repeats its last
slice when its thread block goes on. The fused copy runs if the thread block before it took more than one slice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.barrier_spill import most_groups
from cuda.cpu.emit.simt.frame_state import Copy
from cuda.cpu.passes.graph import RETURN, Graph
from cuda.cpu.passes.traits import PURE

if TYPE_CHECKING:
    from cuda.cpu.emit.llvm.slot import Slot
    from cuda.cpu.emit.simt.predication import Arms
    from cuda.cpu.emit.simt.regions import Regions
    from cuda.cpu.ptx.form import Form

NOT_BEGUN = -1  # in place of a block's number plus 1: the SIMD group has not begun
ENOUGH = 2  # passes over the SIMD groups of a block


def blocks_before(graph: Graph, first: int) -> tuple[int, ...]:
    """Return the blocks that a kernel reaches from its first one through pure instructions and loads alone."""
    seen: set[int] = set()
    work = [first]
    while work:
        number = work.pop()
        block = graph.blocks[number]
        if number in seen or block.barrier or not all(_only_computes(step.form) for step in block.steps):
            continue
        seen.add(number)
        work += [target for target in block.end.targets if target != RETURN]
    return tuple(sorted(seen))


def _only_computes(form: Form | None) -> bool:
    if form is None:
        return False
    return form.opcode in PURE or (form.opcode in ("ld", "ldu") and getattr(form, "sem", None) in (None, "weak"))


class BlockFusion:
    """The loop over fused thread blocks; region 0 of each of them follows."""

    def __init__(self, regions: Regions):
        self.regions, self.frame, self.builder = regions, regions.frame, regions.builder
        self.blocks = blocks_before(self.frame.graph, regions.regions[0].start)
        self.ends: set[int] = set()  # blocks before which SIMD groups are suspended
        slot = self.builder.slot
        self.passes = slot("i32")  # over the SIMD groups of the last block that was not fused
        self._pending = slot("i32")  # fused thread blocks that are still to run, with this one
        self._member, self._most, self._first = slot("i32"), slot("i32"), slot("i1")
        self._start = [slot("i32") for _ in self.frame.block_index_slots]  # of the first one

    @property
    def is_worth_it(self) -> bool:
        """Return whether any interleaved loop is among the blocks."""
        regions = self.regions
        if regions.tile or regions.has_stack:
            return False
        loops = [
            range(first, last + 1) for first, last in self.frame.graph.loops if first in regions.interleaving.headers
        ]
        return any(set(self.blocks).issuperset(loop) for loop in loops)

    # --- labels while the copy is emitted ---------------------------------------------------------------

    alone = "alone"  # for SIMD groups that have to continue in their own thread block
    arrived = "beside"

    def label_of(self, number: int) -> str:
        """Return the label at which converged SIMD groups continue."""
        if number in self.blocks:
            return f"a0.{number}"
        self.ends.add(number)
        return f"suspend.{number}"

    def excludes(self, arms: Arms) -> bool:
        """Return whether short arms of a branch contain a block that the fused copy does not."""
        numbers = {block.number for block in arms.blocks}
        return not numbers.issubset(self.blocks)

    # --- thread blocks ----------------------------------------------------------------------------------

    @property
    def _base(self) -> Slot:
        """The element of the current block's first SIMD group in the spill arrays."""
        base = self.regions.spill.base
        assert base is not None
        return base

    def begin_call(self) -> None:
        for slot in (self.passes, self._pending, self._base):
            slot.store(0)

    def begin_block(self, emit_converged: Callable[[tuple[int, ...]], object]) -> None:
        """Take up a thread block of the fused ones, or begin one alone or several fused ones; then go to region 0."""
        builder, regions = self.builder, self.regions
        pending = self._pending.load()
        builder.branch(builder.compare("icmp ugt", pending, 1), "follow", "fresh")
        builder.label("follow")
        self._pending.store(builder.binary("sub", pending, 1))
        before = self._base.load()
        self._base.store(builder.binary("add", before, regions.groups))
        builder.jump("region0")
        builder.label("fresh")
        self._base.store(0)
        passes = self.passes.load()
        several = self._choose_count()
        repeated = builder.compare("icmp uge", passes, ENOUGH)
        builder.branch(builder.binary("and", repeated, several), "fusion", "single")
        self._emit(emit_converged)
        builder.label("single")
        self._pending.store(0)
        self.passes.store(0)
        regions.interleaving.restart()
        builder.jump("region0")

    def _choose_count(self) -> Value:
        """Store how many thread blocks are fused, so that later ones begin at a multiple; return whether there are
        several.
        """
        frame, builder, regions = self.frame, self.builder, self.regions
        room = frame.entry.binary("udiv", constant(most_groups(frame), "i32"), regions.groups)
        index = frame.block_index_slots[0].load()
        over = builder.binary("urem", index, room)
        most = builder.binary("sub", room, over)
        left = regions.indices.left.load()
        most = builder.intrinsic("umin", "i32", most, left)
        self._most.store(most)
        return builder.compare("icmp ugt", most, 1)

    # --- the copy -----------------------------------------------------------------------------------------

    def _emit(self, emit_converged: Callable[[tuple[int, ...]], object]) -> None:
        builder, regions, indices = self.builder, self.regions, self.regions.indices
        builder.label("fusion")
        for slot, start in zip(self.frame.block_index_slots, self._start, strict=True):
            start.store(slot.load())
        self._first.store(1)
        builder.jump("pass")
        builder.label("pass")
        regions.interleaving.begin_pass()
        self._member.store(0)
        self._base.store(0)
        builder.jump("member")
        builder.label("member")
        regions.rewind()
        builder.jump("run")
        builder.label("run")
        indices.begin_run(regions.current.load())
        builder.jump("each")
        builder.label("each")
        self.frame.flow.fusion = self
        self._begin_group()
        emit_converged(self.blocks)
        with self.frame.emitting(Copy(converged=True)):
            for number in sorted(self.ends):
                builder.label(self.label_of(number))
                regions.interleaving.suspend(number)
        self.frame.flow.fusion = None
        self._end()

    def _begin_group(self) -> None:
        builder, regions = self.builder, self.regions
        at, _ = regions.enter_group()
        begins, later = builder.new_label("begins"), builder.new_label("later")
        regions.interleaving.begin_slice()
        builder.branch(self._first.load(), begins, later)
        builder.label(later)
        regions.interleaving.dispatch(
            regions.spill.read("resume_at", "i32"), sorted(regions.interleaving.headers & set(self.blocks)), "beside"
        )
        builder.label(begins)
        regions.spill.write("resume_at", "i32", NOT_BEGUN)
        converged = builder.new_label("begin")
        builder.branch(builder.compare("icmp ult", at, regions.full_groups), converged, "beside")
        builder.label(converged)
        regions.clear()
        if self.frame.consecutive_slot:
            self.frame.set_consecutive(1)
        builder.jump(self.label_of(regions.regions[0].start))

    def _end(self) -> None:
        """Emit the latches of the loops: over SIMD groups, runs of them, thread blocks, and slices."""
        builder, regions, indices = self.builder, self.regions, self.regions.indices
        builder.label(self.alone)
        builder.jump(self.arrived)
        builder.label(self.arrived)
        following = regions.next_group("each", "run_end")
        builder.label("run_end")
        more = builder.compare("icmp ult", following, regions.groups)
        builder.branch(more, "next_run", "member_end")
        builder.label("next_run")
        indices.next_run()
        builder.jump("run")
        builder.label("member_end")
        at = builder.binary("add", self._member.load(), 1)
        self._member.store(at)
        most = self._most.load()
        builder.branch(builder.compare("icmp ult", at, most), "next_member", "pass_end")
        builder.label("next_member")
        base = self._base.load()
        self._base.store(builder.binary("add", base, regions.groups))
        indices.step_block()
        builder.jump("member")
        builder.label("pass_end")
        self._first.store(0)
        indices.set_block([start.load() for start in self._start])
        regions.interleaving.end_pass("pass", "together")
        builder.label("together")
        self._base.store(0)
        self._pending.store(most)
        regions.interleaving.restart(begin=False)
        builder.jump("region0")
