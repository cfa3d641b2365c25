# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Blocks abreast: the packets of several blocks take turns in a loop before any of these blocks goes on behind it.

In a grid-stride loop the rows of a thread block are followed by those of the next one, and the longer a piece of memory
is, the better the CPU fetches ahead. So where packets take turns (`turns.py`), another copy of the first blocks, for
whole packets of as many thread blocks as there is room to keep, runs up to and through the loop; then each of the
thread blocks goes on by itself with what was kept for it.

Nobody can tell: that copy has only what computes and loads. Where it ends, a packet is kept as at the end of a turn. A
packet that is not whole there has done nothing, and starts its last turn anew when its thread block goes on. Whether it
is worth it, the thread block before tells: it must have taken turns more than once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.registry import PURE
from cuda.cpu.emit.llvm.values import Value
from cuda.cpu.emit.simt.barrier_spill import most_packets
from cuda.cpu.passes.graph import RETURN, Graph

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.predication import Arms
    from cuda.cpu.emit.simt.regions import Regions

START = -1  # instead of a block's number and 1: the packet has not begun
ENOUGH = 2  # times that the packets of a block took turns


def blocks_before(graph: Graph, first: int) -> tuple[int, ...]:
    """Return the blocks that a kernel comes to from its first one by computing and loading alone."""
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


def _only_computes(form: object) -> bool:
    if form is None:
        return False
    return form.opcode in PURE or (form.opcode in ("ld", "ldu") and getattr(form, "sem", None) in (None, "weak"))


class Abreast:
    """The loop over thread blocks whose packets go through a loop together; regions 0 of them follow."""

    def __init__(self, regions: Regions):
        self.regions, self.frame, self.builder = regions, regions.frame, regions.builder
        self.blocks = blocks_before(self.frame.graph, regions.regions[0].start)
        self.ends: set[int] = set()  # blocks that packets are kept in front of
        slot = self.builder.alloca
        self.times = slot("i32")  # that the packets of the last block alone took turns
        self._kept = slot("i32")  # thread blocks of which packets are kept, with this one
        self._at, self._most, self._first = slot("i32"), slot("i32"), slot("i1")
        self._start = [slot("i32") for _ in self.frame.block_places]  # of the first one

    @property
    def is_worth_it(self) -> bool:
        """Tell whether any loop in which packets take turns is among the blocks."""
        regions = self.regions
        if regions.even or regions.has_stack:
            return False
        loops = [range(first, last + 1) for first, last in self.frame.graph.loops if first in regions.turns.headers]
        return any(set(self.blocks).issuperset(loop) for loop in loops)

    # --- labels while the copy is emitted ---------------------------------------------------------------

    alone = "alone"  # where packets go that have to go on by themselves
    arrived = "beside"

    def label_of(self, number: int) -> str:
        """Return where whole packets go on."""
        if number in self.blocks:
            return f"a0.{number}"
        self.ends.add(number)
        return f"keep.{number}"

    def leaves_out(self, arms: Arms) -> bool:
        """Tell whether short arms of a branch have anything that the copy has not."""
        numbers = {block.number for blocks in arms.blocks.values() for block in blocks}
        return not numbers.issubset(self.blocks)

    # --- thread blocks ----------------------------------------------------------------------------------

    def begin_call(self) -> None:
        for slot in (self.times, self._kept, self.regions.kept.base):
            self.builder.line(f"store i32 0, ptr {slot}")

    def begin_block(self, emit_whole: Callable[[tuple[int, ...]], None]) -> None:
        """Go on with a thread block's packets, or begin one alone or several, and go to region 0."""
        builder, regions = self.builder, self.regions
        base = regions.kept.base
        kept = builder.assign(f"load i32, ptr {self._kept}")
        builder.branch(builder.assign(f"icmp ugt i32 {kept}, 1"), "follow", "fresh")
        builder.label("follow")
        builder.line(f"store i32 {builder.assign(f'sub i32 {kept}, 1')}, ptr {self._kept}")
        before = builder.assign(f"load i32, ptr {base}")
        builder.line(f"store i32 {builder.assign(f'add i32 {before}, {regions.packets}')}, ptr {base}")
        builder.jump("region0")
        builder.label("fresh")
        builder.line(f"store i32 0, ptr {base}")
        times = builder.assign(f"load i32, ptr {self.times}")
        several = self._choose_count()
        often = builder.assign(f"icmp uge i32 {times}, {ENOUGH}")
        builder.branch(builder.assign(f"and i1 {often}, {several}"), "abreast", "single")
        self._emit(emit_whole)
        builder.label("single")
        builder.line(f"store i32 0, ptr {self._kept}")
        builder.line(f"store i32 0, ptr {self.times}")
        regions.turns.start_anew()
        builder.jump("region0")

    def _choose_count(self) -> str:
        """Note how many thread blocks go together, so that later ones begin at a multiple; tell whether several do."""
        frame, builder, regions = self.frame, self.builder, self.regions
        room = frame.at_entry(f"udiv i32 {most_packets(frame)}, {regions.packets}")
        place = builder.load("i32", frame.block_places[0])
        over = builder.assign(f"urem i32 {place.ref}, {room}")
        most = Value(builder.assign(f"sub i32 {room}, {over}"), "i32")
        left = builder.load("i32", regions.places.left)
        most = builder.intrinsic("umin", "i32", most, left)
        builder.store(most, self._most)
        return builder.assign(f"icmp ugt i32 {most.ref}, 1")

    # --- the copy -----------------------------------------------------------------------------------------

    def _emit(self, emit_whole: Callable[[tuple[int, ...]], None]) -> None:
        builder, regions, places = self.builder, self.regions, self.regions.places
        builder.label("abreast")
        for slot, start in zip(self.frame.block_places, self._start, strict=True):
            builder.store(builder.load("i32", slot), start)
        builder.line(f"store i1 true, ptr {self._first}")
        builder.jump("pass")
        builder.label("pass")
        regions.turns.begin_pass()
        builder.line(f"store i32 0, ptr {self._at}")
        builder.line(f"store i32 0, ptr {regions.kept.base}")
        builder.jump("member")
        builder.label("member")
        regions.begin_packets()
        builder.jump("line")
        builder.label("line")
        places.begin_row(builder.assign(f"load i32, ptr {regions.at}"))
        builder.jump("each")
        builder.label("each")
        self.frame.flow.abreast = self
        self._begin_packet()
        emit_whole(self.blocks)
        self.frame.whole = True
        for number in sorted(self.ends):
            builder.label(self.label_of(number))
            regions.turns.keep(number)
        self.frame.whole = False
        self.frame.flow.abreast = None
        self._end()

    def _begin_packet(self) -> None:
        builder, regions = self.builder, self.regions
        at, _ = regions.enter_packet()
        begins, later = builder.new_label("begins"), builder.new_label("later")
        regions.turns.begin_turn()
        builder.branch(builder.assign(f"load i1, ptr {self._first}"), begins, later)
        builder.label(later)
        regions.turns.go_on(regions.kept.get("turn", "i32"), sorted(regions.turns.headers & set(self.blocks)), "beside")
        builder.label(begins)
        regions.kept.put("turn", "i32", START)
        whole = builder.new_label("begin")
        builder.branch(builder.assign(f"icmp ult i32 {at}, {regions.whole}"), whole, "beside")
        builder.label(whole)
        regions.clear()
        if self.frame.in_row:
            builder.line(f"store i1 true, ptr {self.frame.in_row}")
        builder.jump(self.label_of(regions.regions[0].start))

    def _end(self) -> None:
        """Emit the ends of the loops: over packets, rows of them, thread blocks, and turns."""
        builder, regions, places = self.builder, self.regions, self.regions.places
        builder.label(self.alone)
        builder.jump(self.arrived)
        builder.label(self.arrived)
        following = regions.next_packet("each", "line_end")
        builder.label("line_end")
        more = builder.assign(f"icmp ult i32 {following}, {regions.packets}")
        builder.branch(more, "next_line", "member_end")
        builder.label("next_line")
        places.next_row()
        builder.jump("line")
        builder.label("member_end")
        at = builder.assign(f"add i32 {builder.assign(f'load i32, ptr {self._at}')}, 1")
        builder.line(f"store i32 {at}, ptr {self._at}")
        most = builder.assign(f"load i32, ptr {self._most}")
        builder.branch(builder.assign(f"icmp ult i32 {at}, {most}"), "next_member", "pass_end")
        builder.label("next_member")
        base = builder.assign(f"load i32, ptr {regions.kept.base}")
        builder.line(f"store i32 {builder.assign(f'add i32 {base}, {regions.packets}')}, ptr {regions.kept.base}")
        places.step_block()
        builder.jump("member")
        builder.label("pass_end")
        builder.line(f"store i1 false, ptr {self._first}")
        places.put_block([builder.load("i32", start) for start in self._start])
        regions.turns.end_pass("pass", "together")
        builder.label("together")
        builder.line(f"store i32 0, ptr {regions.kept.base}")
        builder.line(f"store i32 {most}, ptr {self._kept}")
        regions.turns.start_anew(anew=False)
        builder.jump("region0")
