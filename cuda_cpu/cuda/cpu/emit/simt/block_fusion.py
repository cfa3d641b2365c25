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

from cuda.cpu.emit.llvm.values import Value
from cuda.cpu.emit.simt.barrier_spill import most_groups
from cuda.cpu.emit.simt.frame_state import Copy
from cuda.cpu.passes.graph import RETURN, Graph
from cuda.cpu.passes.traits import PURE

if TYPE_CHECKING:
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
        slot = self.builder.alloca
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
        numbers = {block.number for blocks in arms.blocks.values() for block in blocks}
        return not numbers.issubset(self.blocks)

    # --- thread blocks ----------------------------------------------------------------------------------

    def begin_call(self) -> None:
        for slot in (self.passes, self._pending, self.regions.spill.base):
            self.builder.line(f"store i32 0, ptr {slot}")

    def begin_block(self, emit_converged: Callable[[tuple[int, ...]], object]) -> None:
        """Take up a thread block of the fused ones, or begin one alone or several fused ones; then go to region 0."""
        builder, regions = self.builder, self.regions
        base = regions.spill.base
        pending = builder.assign(f"load i32, ptr {self._pending}")
        builder.branch(builder.assign(f"icmp ugt i32 {pending}, 1"), "follow", "fresh")
        builder.label("follow")
        builder.line(f"store i32 {builder.assign(f'sub i32 {pending}, 1')}, ptr {self._pending}")
        before = builder.assign(f"load i32, ptr {base}")
        builder.line(f"store i32 {builder.assign(f'add i32 {before}, {regions.groups}')}, ptr {base}")
        builder.jump("region0")
        builder.label("fresh")
        builder.line(f"store i32 0, ptr {base}")
        passes = builder.assign(f"load i32, ptr {self.passes}")
        several = self._choose_count()
        repeated = builder.assign(f"icmp uge i32 {passes}, {ENOUGH}")
        builder.branch(builder.assign(f"and i1 {repeated}, {several}"), "fusion", "single")
        self._emit(emit_converged)
        builder.label("single")
        builder.line(f"store i32 0, ptr {self._pending}")
        builder.line(f"store i32 0, ptr {self.passes}")
        regions.interleaving.restart()
        builder.jump("region0")

    def _choose_count(self) -> str:
        """Store how many thread blocks are fused, so that later ones begin at a multiple; return whether there are
        several.
        """
        frame, builder, regions = self.frame, self.builder, self.regions
        room = frame.at_entry(f"udiv i32 {most_groups(frame)}, {regions.groups}")
        index = builder.load("i32", frame.block_index_slots[0])
        over = builder.assign(f"urem i32 {index.ref}, {room}")
        most = Value(builder.assign(f"sub i32 {room}, {over}"), "i32")
        left = builder.load("i32", regions.indices.left)
        most = builder.intrinsic("umin", "i32", most, left)
        builder.store(most, self._most)
        return builder.assign(f"icmp ugt i32 {most.ref}, 1")

    # --- the copy -----------------------------------------------------------------------------------------

    def _emit(self, emit_converged: Callable[[tuple[int, ...]], object]) -> None:
        builder, regions, indices = self.builder, self.regions, self.regions.indices
        builder.label("fusion")
        for slot, start in zip(self.frame.block_index_slots, self._start, strict=True):
            builder.store(builder.load("i32", slot), start)
        builder.line(f"store i1 true, ptr {self._first}")
        builder.jump("pass")
        builder.label("pass")
        regions.interleaving.begin_pass()
        builder.line(f"store i32 0, ptr {self._member}")
        builder.line(f"store i32 0, ptr {regions.spill.base}")
        builder.jump("member")
        builder.label("member")
        regions.rewind()
        builder.jump("run")
        builder.label("run")
        indices.begin_run(builder.assign(f"load i32, ptr {regions.current}"))
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
        builder.branch(builder.assign(f"load i1, ptr {self._first}"), begins, later)
        builder.label(later)
        regions.interleaving.dispatch(
            regions.spill.read("resume_at", "i32"), sorted(regions.interleaving.headers & set(self.blocks)), "beside"
        )
        builder.label(begins)
        regions.spill.write("resume_at", "i32", NOT_BEGUN)
        converged = builder.new_label("begin")
        builder.branch(builder.assign(f"icmp ult i32 {at}, {regions.full_groups}"), converged, "beside")
        builder.label(converged)
        regions.clear()
        if self.frame.consecutive_slot:
            builder.line(f"store i1 true, ptr {self.frame.consecutive_slot}")
        builder.jump(self.label_of(regions.regions[0].start))

    def _end(self) -> None:
        """Emit the latches of the loops: over SIMD groups, runs of them, thread blocks, and slices."""
        builder, regions, indices = self.builder, self.regions, self.regions.indices
        builder.label(self.alone)
        builder.jump(self.arrived)
        builder.label(self.arrived)
        following = regions.next_group("each", "run_end")
        builder.label("run_end")
        more = builder.assign(f"icmp ult i32 {following}, {regions.groups}")
        builder.branch(more, "next_run", "member_end")
        builder.label("next_run")
        indices.next_run()
        builder.jump("run")
        builder.label("member_end")
        at = builder.assign(f"add i32 {builder.assign(f'load i32, ptr {self._member}')}, 1")
        builder.line(f"store i32 {at}, ptr {self._member}")
        most = builder.assign(f"load i32, ptr {self._most}")
        builder.branch(builder.assign(f"icmp ult i32 {at}, {most}"), "next_member", "pass_end")
        builder.label("next_member")
        base = builder.assign(f"load i32, ptr {regions.spill.base}")
        builder.line(f"store i32 {builder.assign(f'add i32 {base}, {regions.groups}')}, ptr {regions.spill.base}")
        indices.step_block()
        builder.jump("member")
        builder.label("pass_end")
        builder.line(f"store i1 false, ptr {self._first}")
        indices.set_block([builder.load("i32", start) for start in self._start])
        regions.interleaving.end_pass("pass", "together")
        builder.label("together")
        builder.line(f"store i32 0, ptr {regions.spill.base}")
        builder.line(f"store i32 {most}, ptr {self._pending}")
        regions.interleaving.restart(begin=False)
        builder.jump("region0")
