# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Let the packets of a block take turns in loops that go through memory in long steps, some rounds each.

In a grid-stride loop a packet's next row is far away, but that of the next packet lies behind its own. Packet by packet
from the loop's beginning to its end, each row is in another page, and its neighbours leave the cache before they are
asked for. In turns the block goes through as many streams as a turn has rounds, each of which the CPU fetches ahead.

Between its turns a packet is kept as behind a barrier. Only whole packets take turns, any other one goes on alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access import linear
from cuda.cpu.emit.llvm.registry import PURE
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.block_fusion import START
from cuda.cpu.passes.find_affine import row_stride
from cuda.cpu.passes.find_regions import Region
from cuda.cpu.passes.graph import Block, Step
from cuda.cpu.ptx.syntax import Operand

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.block_fusion import Abreast
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.emit.simt.regions import Regions

ROUNDS = 8  # of a turn: as many streams as CPUs fetch ahead, and lines as a set of the cache has
FAR = 4096  # bytes that rows advance by: within a page the CPU fetches ahead for one packet, too
COMMUTES = {"add", "and", "or", "xor", "min", "max"}


def rows_of_loops(frame: Frame, region: Region) -> dict[int, list[Operand]]:
    """Return the addresses of rows that each loop of a region loads in which packets may take turns, by its header."""
    graph, found = frame.graph, {}
    inside = {number for number in region.blocks if not graph.blocks[number].barrier}
    for first, last in graph.loops:
        blocks = range(first, last + 1)
        innermost = not any(loop != (first, last) and first <= loop[0] and loop[1] <= last for loop in graph.loops)
        steps = [step for number in blocks for step in graph.blocks[number].steps]
        if innermost and inside.issuperset(blocks) and all(_has_no_order(frame, step) for step in steps):
            rows = [step.instruction.operands[1].base for step in steps if _loads_row(frame, step)]
            if rows:
                found[first] = rows
    return found


def _has_no_order(frame: Frame, step: Step) -> bool:
    """Tell whether nobody sees which packet came first: calls may print, and sums of floats be rounded."""
    form = step.form
    if form is None:
        return False
    if form.opcode in ("atom", "red"):
        return form.op in COMMUTES and form.type[0] in "bsu" and not any(map(frame.is_read, step.writes))
    return form.opcode in PURE or (form.opcode in ("ld", "ldu", "st") and form.sem in (None, "weak"))


def _loads_row(frame: Frame, step: Step) -> bool:
    form = step.form
    if form.opcode != "ld" or form.space not in (None, "global"):
        return False
    return bool(row_stride(frame.graph, step.instruction, form))


class Turns:
    """Emit the turns of a region's packets."""

    def __init__(self, regions: Regions, region: Region):
        self._regions, self._region = regions, region
        self.frame, self.flow, self.builder = regions.frame, regions.flow, regions.builder
        takes = self.flow.has_whole and not self.frame.module.quick
        self._rows = rows_of_loops(self.frame, region) if takes else {}
        if self._rows:
            self._first = self.builder.alloca("i1")  # no packet has had a turn yet
            self._more = self.builder.alloca("i1")  # some packet is in a loop
            self._left = self.builder.alloca("i32")  # rounds of this turn

    def __contains__(self, header: int) -> bool:
        """Tell whether packets take turns in a loop; in a region's loop for even blocks none does."""
        return header in self._rows and self.flow.even is None

    def ways_of(self, number: int) -> int:
        """Return how many rows the loop round a block goes along, 0 if there is none in which packets take turns."""
        for first, last in self.frame.graph.loops:
            if first in self._rows and first <= number <= last:
                return len({address.name for address in self._rows[first]})
        return 0

    @property
    def headers(self) -> set[int]:
        return set(self._rows)

    @property
    def _abreast(self) -> Abreast | None:
        return self._regions.abreast if self._region.after is None else None

    def begin(self) -> None:
        """Begin the region."""
        if self._rows:
            self.begin_pass()
            if not self._abreast:
                self.start_anew()

    def start_anew(self, *, anew: bool = True) -> None:
        """Let no packet have begun yet, or each be where it was kept."""
        self.builder.line(f"store i1 {str(anew).lower()}, ptr {self._first}")

    def begin_pass(self) -> None:
        self.builder.line(f"store i1 false, ptr {self._more}")

    def skip(self) -> None:
        """Begin a packet that takes no turns."""
        if self._rows:
            self._regions.kept.put("turn", "i32", 0)

    def take(self) -> None:
        """Begin a packet's turn: go on in the loop where its last one has ended, or to the next packet."""
        if not self._rows:
            return
        builder, kept = self.builder, self._regions.kept
        first, later = builder.new_label("first"), builder.new_label("later")
        self.begin_turn()
        was = kept.get("turn", "i32")
        kept.put("turn", "i32", 0)
        builder.branch(builder.assign(f"load i1, ptr {self._first}"), first, later)
        builder.label(later)
        at, otherwise = self.headers, f"next{self._region.number}"
        if self._abreast:
            at |= self._abreast.ends
            begun = builder.new_label("begun")
            builder.branch(builder.assign(f"icmp eq i32 {was}, {START}"), first, begun)
            builder.label(begun)
        self.go_on(was, sorted(at), otherwise)
        builder.label(first)

    def begin_turn(self) -> None:
        self.builder.line(f"store i32 {ROUNDS}, ptr {self._left}")

    def go_on(self, was: str, numbers: list[int], otherwise: str) -> None:
        """Take the packet up in front of the block that it was kept at."""
        builder = self.builder
        labels = [builder.new_label("turn") for _ in numbers]
        cases = " ".join(f"i32 {number + 1}, label %{label}" for number, label in zip(numbers, labels, strict=True))
        builder.line(f"switch i32 {was}, label %{otherwise} [{cases}]")
        for number, label in zip(numbers, labels, strict=True):
            builder.label(label)
            self._go_on(number)

    def _go_on(self, number: int) -> None:
        frame, builder = self.frame, self.builder
        self._regions.clear()
        if frame.in_row:
            builder.line(f"store i1 true, ptr {frame.in_row}")
        self._regions.kept.take_up(self._region, frame.graph.live_in[number], "-1", is_whole=True)
        builder.jump(self.flow.whole_label(number))

    def end_round(self, block: Block, header: int) -> None:
        """End a round of a loop, and the packet's turn if it was the last one of that."""
        builder, frame, flow = self.builder, self.frame, self.flow
        left = builder.binary("sub", builder.load("i32", self._left), constant(1, "i32"))
        builder.store(left, self._left)
        last, goes = builder.new_label("last"), builder.new_label("waits")
        over = builder.compare("icmp eq", left, constant(0, "i32"))
        builder.branch(over.ref, last, flow.whole_label(header), likely=False)
        builder.label(last)
        builder.line(f"store i32 {ROUNDS}, ptr {self._left}")
        flow.poll(ROUNDS * flow.cost_of(header))
        values, bases = dict(frame.values), dict(frame.bases)
        builder.branch(self._is_far(block, header), goes, flow.whole_label(header))
        frame.values, frame.bases = values, bases
        builder.label(goes)
        builder.line(f"store i1 true, ptr {self._more}")
        self.keep(header)

    def keep(self, number: int) -> None:
        """Keep a whole packet in front of a block, and go to the next one."""
        self._regions.kept.put("turn", "i32", number + 1)
        self._regions.kept.put_away(self._region, self.frame.graph.live_in[number])
        self.builder.jump(self.flow.arrived)

    def _is_far(self, block: Block, header: int) -> str:
        """Return whether rows are far from those of the next round, and others have packets beside them."""
        builder = self.builder
        far = Value(builder.assign(f"icmp ugt i32 {self._regions.packets}, 1"), "i1")
        for address in self._rows[header]:
            advance = linear.advance(self.frame, block.number, address)
            if advance is not None and not linear.is_nothing(advance):
                advance = builder.resize(advance, "i64", signed=True)
                apart = builder.binary("add", advance, constant(FAR, "i64"))
                return builder.binary("and", far, builder.compare("icmp uge", apart, constant(2 * FAR, "i64"))).ref
        return "false"

    def end(self) -> None:
        """End a pass over the packets: there is another one if some of them are in a loop."""
        if not self._rows:
            return
        builder, again, over = self.builder, self.builder.new_label("again"), self.builder.new_label("ended")
        self.end_pass(again, over)
        builder.label(again)
        builder.line(f"store i1 false, ptr {self._first}")
        self.begin_pass()
        if self._abreast:
            times = builder.assign(f"load i32, ptr {self._abreast.times}")
            builder.line(f"store i32 {builder.assign(f'add i32 {times}, 1')}, ptr {self._abreast.times}")
        self._regions.begin_packets()
        builder.jump(f"row{self._region.number}")
        builder.label(over)

    def end_pass(self, again: str, over: str) -> None:
        self.builder.branch(self.builder.assign(f"load i1, ptr {self._more}"), again, over)
