# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A kernel that runs many blocks itself, with their warps: a loop over the packets for each region between barriers.

What lives from one region to another is kept for each packet (`kept.py`). Blocks of tiles have a second loop for each
region (`even.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.emit.access import affine
from cuda.cpu.emit.instructions.calls import local_size
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.barrier_spill import Kept
from cuda.cpu.emit.simt.block_fusion import Abreast
from cuda.cpu.emit.simt.block_indices import Places
from cuda.cpu.emit.simt.control import Flow
from cuda.cpu.emit.simt.frame import WARP, Frame
from cuda.cpu.emit.simt.interleaving import Turns
from cuda.cpu.emit.simt.uniform_tile import Even, is_worth_it
from cuda.cpu.passes.find_regions import Region
from cuda.cpu.passes.graph import BLOCK, RETURN, Block
from cuda.cpu.ptx.syntax import Call

GENERAL, IN_ROW, WHOLE = 0, 1, 2  # what a packet was at the barrier; IN_ROW has bases, too
TOGETHER = 6  # CPU_FAULT_BARRIER
STACK_OPERATIONS = {"stacksave", "stackrestore", "alloca"}


class Regions:
    """Emit the regions of a kernel. The emission of their blocks is left to `emit_body`."""

    def __init__(self, frame: Frame, flow: Flow, emit_step: Callable[..., None]):
        self.frame, self.flow, self.graph = frame, flow, frame.graph
        self.builder = builder = frame.builder
        self.regions = self.graph.regions
        self.parts = 32 // frame.width  # packets of a warp
        self.at = builder.alloca("i32")  # the packet that runs
        self.kept = Kept(frame, self.at, emit_step)
        self.where = builder.alloca("i32")  # the barrier that packets have come to, -1 so far none
        self.count, self.fails = builder.alloca("i32"), builder.alloca("i1")  # bar.red: what holds, whether any fails
        self.result = builder.alloca("i32")
        warps = frame.warp_field("warp_count", "i32").ref
        self.last = frame.at_entry(f"sub i32 {warps}, 1")
        self.packets = frame.at_entry(f"mul i32 {warps}, {self.parts}")
        self.places = Places(frame, self.packets)
        self.whole = self._count_whole()
        self.warp_bytes = frame.at_entry(f"zext i32 {frame.warp_field('warp_bytes', 'i32').ref} to i64")
        self.even = Even(self) if is_worth_it(frame) else None
        self.some_leave = any(self._returns(region) and self._barriers(region) for region in self.regions)
        body = frame.function.body
        self.calls = any(isinstance(item, Call) for item in body)
        self.has_stack = self.calls or any(getattr(item, "opcode", "") in STACK_OPERATIONS for item in body)
        self.abreast: Abreast | None = None

    def _count_whole(self) -> str:
        """Return how many packets are whole for sure: all lanes of the first ones run, and lie in a row."""
        frame = self.frame
        full = frame.at_entry(f"icmp eq i32 {frame.warp_field('last_lanes', 'i32').ref}, -1")
        short = frame.at_entry(f"sub i32 {self.packets}, {self.parts}")
        count = frame.at_entry(f"select i1 {full}, i32 {self.packets}, i32 {short}")
        if frame.in_row:
            count = frame.at_entry(f"select i1 {affine.lies_in_rows(frame)}, i32 {count}, i32 0")
        return frame.at_entry(f'call i32 asm "", "=r,0"(i32 {count})')  # one number for LLVM, not the conditions again

    # --- what a region is like ----------------------------------------------------------------------

    def _barriers(self, region: Region) -> list[int]:
        return [number for number in region.blocks if self.graph.blocks[number].barrier == BLOCK]

    def _returns(self, region: Region) -> bool:
        blocks = [self.graph.blocks[number] for number in region.blocks]
        return any(b.end.kind in ("return", "exit") or RETURN in b.end.targets or b.leaves for b in blocks)

    # --- the loops ------------------------------------------------------------------------------------

    def emit(self, emit_body: Callable[..., None], emit_whole: Callable[..., set[int]]) -> None:
        builder, frame, flow = self.builder, self.frame, self.flow
        flow.budget = builder.alloca("i32")
        left = builder.assign(f"load i32, ptr {frame.warp_pointer('budget')}, align 4")
        builder.line(f"store i32 {left}, ptr {flow.budget}, align 4")
        builder.line(f"store i32 0, ptr {self.count}")
        builder.line(f"store i1 false, ptr {self.fails}")
        self.places.begin_call()
        self.turns = Turns(self, self.regions[0])
        abreast = Abreast(self)
        if abreast.is_worth_it:
            self.abreast = abreast
            self.kept.base = builder.alloca("i32")
            abreast.begin_call()
        builder.jump("block")
        builder.label("block")
        if self.even:
            self.even.begin_block()
        if self.abreast:
            self.abreast.begin_block(emit_whole)
        else:
            builder.jump("region0")
        for region in self.regions:
            flow.region = region.number
            if region.number:
                self.turns = Turns(self, region)
            self._begin(region, emit_whole)
            emit_body(region.blocks)
            self._end(region)
        builder.label("over")
        self.places.next_block("block", "done")

    def _begin(self, region: Region, emit_whole: Callable[..., set[int]]) -> None:
        """Emit the head of the loop over packets, up to the first block."""
        builder, frame, number = self.builder, self.frame, region.number
        builder.label(f"region{number}")
        builder.line(f"store i32 -1, ptr {self.where}")
        self.turns.begin()
        self.begin_packets()
        leaves: set[int] = set()
        if self.even:
            leaves = self.even.emit_loop(region, emit_whole)
        else:
            builder.jump(f"row{number}")
        builder.label(f"row{number}")
        self.places.begin_row(builder.assign(f"load i32, ptr {self.at}"))
        builder.jump(f"packet{number}")
        builder.label(f"packet{number}")
        _, index = self.enter_packet()
        self.turns.take()
        lanes = self._lanes(region, index)
        if self.parts > 1 or (region.after is not None and self.some_leave):
            some = builder.new_label("some")
            builder.branch(builder.is_zero(lanes), f"next{number}", some)
            builder.label(some)
        if self.even:
            self.even.take_up(region, leaves)
        self.clear()
        if region.after is None:
            self._begin_warp()
            affine.check_row(frame)
            self._start(region, lanes)
        else:
            self._restore(region, lanes)

    def enter_packet(self) -> tuple[str, str]:
        """Let the next packet of a row run; return its number, and the warp's."""
        at, index = self._enter_warp()
        self.places.begin_packet()
        if self.parts > 1:
            part = self.builder.assign(f"urem i32 {at}, {self.parts}")
            self.frame.first_lane = Value(self.builder.assign(f"mul i32 {part}, {self.frame.width}"), "i32")
        return at, index

    def next_packet(self, again: str, over: str) -> str:
        """Go on to the next packet of the row; return its number."""
        builder = self.builder
        following = builder.assign(f"add i32 {builder.assign(f'load i32, ptr {self.at}')}, 1")
        builder.line(f"store i32 {following}, ptr {self.at}")
        self.places.next_packet()
        row_end = builder.assign(f"load i32, ptr {self.places.row_end}")
        builder.branch(builder.assign(f"icmp ult i32 {following}, {row_end}"), again, over)
        return following

    def begin_packets(self) -> None:
        """Go back to the block's first packet."""
        self.builder.line(f"store i32 0, ptr {self.at}")
        self.places.begin_packets()

    def _lanes(self, region: Region, index: str) -> str:
        """Return the lanes of the packet that begin the region."""
        builder, frame = self.builder, self.frame
        if region.after is not None and self.some_leave:
            return self.kept.get("lanes", builder.mask_type)
        last = builder.assign(f"icmp eq i32 {index}, {self.last}")
        lanes = builder.assign(f"select i1 {last}, i32 {frame.warp_field('last_lanes', 'i32').ref}, i32 -1")
        if self.parts > 1:
            shifted = builder.assign(f"lshr i32 {lanes}, {frame.first_lane.ref}")
            lanes = builder.assign(f"trunc i32 {shifted} to {builder.mask_type}")
            if self.some_leave:  # packets without any lane, which are skipped
                self.kept.put("lanes", builder.mask_type, lanes)
        return lanes

    def _enter_warp(self) -> tuple[str, str]:
        """Let the warp of the packet be the one that runs; return the numbers of the packet and the warp."""
        builder = self.builder
        at = builder.assign(f"load i32, ptr {self.at}")
        index = at if self.parts == 1 else builder.assign(f"udiv i32 {at}, {self.parts}")
        # Hidden from LLVM, which would advance the pointer, in registers that are scarce; few warps need it.
        hidden = builder.assign(f'call i32 asm "", "=r,0"(i32 {index}) #4')
        place = builder.offset("%warp", WARP["current"])
        if self.flow.even is not None:  # loads may pass the store, but it stays in the loop: its address might change
            none = builder.assign(f"sub i32 {hidden}, {index}")
            place = builder.assign(f"getelementptr i8, ptr {place}, i32 {none}")
        builder.line(f"store i32 {index}, ptr {place}, align 4, !tbaa !7")
        far = builder.assign(f"mul i64 {builder.assign(f'zext i32 {hidden} to i64')}, {self.warp_bytes}")
        self.frame.warp = builder.assign(f"getelementptr i8, ptr %warp, i64 {far}")
        return at, index

    def clear(self) -> None:
        """Begin a packet: nothing is known of registers, and no lane waits anywhere."""
        self.frame.values.clear()
        self.flow.clear()
        self.builder.line(f"store {self.builder.mask_type} 0, ptr {self.frame.dead}")

    def begin_even_packet(self, region: Region) -> None:
        """Emit the head of the loop over the packets of an even block, up to the first block."""
        builder, frame, flow = self.builder, self.frame, self.flow
        at, _ = self._enter_warp()
        if self.parts > 1:
            part = builder.assign(f"urem i32 {at}, {self.parts}")
            frame.first_lane = Value(builder.assign(f"mul i32 {part}, {frame.width}"), "i32")
            if region.after is None and self.some_leave:
                self.kept.put("lanes", builder.mask_type, -1)
        self.places.begin_even_packet(at)
        self.turns.skip()
        self.clear()
        builder.line(f"store i1 true, ptr {frame.in_row}")
        if region.after is None:
            self._begin_warp()
        else:
            self.kept.restore(region, "-1", is_whole=True)
            self._put_result(region, "-1")
        builder.jump(flow.whole_label(region.start))

    def return_packet(self, region: Region) -> None:
        """Note that all lanes of the packet have returned."""
        if self._barriers(region) and self.some_leave:
            self.kept.put("lanes", self.builder.mask_type, 0)
            if self.even:
                self.builder.line(f"store i1 true, ptr {self.even.left}")

    def _begin_warp(self) -> None:
        """Set what called functions expect in each warp."""
        builder, frame = self.builder, self.frame
        if self.has_stack:
            builder.line(f"store i64 {local_size(frame.function)}, ptr {frame.warp_pointer('local_top')}, align 8")
        if self.calls:
            for axis in range(3):
                index = frame.warp_field("block_idx", "i32", 4 * axis)
                builder.line(f"store i32 {index.ref}, ptr {frame.warp_pointer('block_idx', 4 * axis)}, align 4")

    def _start(self, region: Region, lanes: str) -> None:
        if self.flow.has_whole:
            at, general = self.builder.assign(f"load i32, ptr {self.at}"), self.builder.new_label("general")
            every = self.builder.assign(f"icmp ult i32 {at}, {self.whole}")
            self.builder.branch(every, self.flow.whole_label(region.start), general, likely=True)
            self.builder.label(general)
        self.flow.start(lanes, region.start)

    def _end(self, region: Region) -> None:
        """Emit the loop's end: the next packet, or the region behind the barrier that all have come to."""
        builder, number, barriers = self.builder, region.number, self._barriers(region)
        builder.label(self.flow.done)
        self.return_packet(region)
        builder.jump(f"next{number}")
        builder.label(f"next{number}")
        following = self.next_packet(f"packet{number}", f"ended{number}")
        builder.label(f"ended{number}")
        more = builder.assign(f"icmp ult i32 {following}, {self.packets}")
        builder.branch(more, f"onward{number}", f"over{number}")
        builder.label(f"onward{number}")
        self.places.next_row()
        builder.jump(f"row{number}")
        builder.label(f"over{number}")
        self.turns.end()
        if not barriers:
            builder.jump("over")
            return
        self._give_result()
        self.frame.warp = "%warp"
        known = {after.after: after for after in self.regions}
        where = builder.assign(f"load i32, ptr {self.where}")
        arms = [(barrier, builder.new_label("behind")) for barrier in barriers if barrier in known]
        if len(barriers) == 1 and arms and not self._returns(region):
            builder.jump(arms[0][1])
        else:
            cases = " ".join(f"i32 {barrier}, label %{label}" for barrier, label in arms)
            builder.line(f"switch i32 {where}, label %over [{cases}]")
        for barrier, label in arms:
            builder.label(label)
            if known[barrier].number <= region.number:  # one way of each loop through barriers is such
                self.flow.poll(1)
            builder.jump(f"region{known[barrier].number}")

    def _give_result(self) -> None:
        """Keep what bar.red has found, and begin anew."""
        builder = self.builder
        if not any("red" in block.steps[0].form.modifiers for block in self.graph.blocks if block.barrier == BLOCK):
            return
        fails = builder.assign(f"zext i1 {builder.assign(f'load i1, ptr {self.fails}')} to i32")
        count = builder.assign(f"load i32, ptr {self.count}")
        both = builder.assign(f"shl i32 {count}, 1")
        builder.line(f"store i32 {builder.assign(f'or i32 {both}, {fails}')}, ptr {self.result}")
        builder.line(f"store i32 0, ptr {self.count}")
        builder.line(f"store i1 false, ptr {self.fails}")

    # --- barriers ---------------------------------------------------------------------------------------

    def arrive(self, block: Block, region: Region) -> None:
        """End a packet's part of the region at a barrier."""
        builder, frame = self.builder, self.frame
        step = block.steps[0]
        frame.line = step.instruction.line
        if "red" in step.form.modifiers:
            self._reduce(step.instruction)
        if self.some_leave:
            self.kept.put("lanes", builder.mask_type, frame.mask)
        if len(self._barriers(region)) > 1:
            self._check_together(block.number)
        builder.line(f"store i32 {block.number}, ptr {self.where}")
        self.kept.save(region, block.number)
        if self.even and not frame.whole:
            builder.line(f"store i1 true, ptr {self.even.apart}")
        if frame.in_row:
            kind = f"{WHOLE}"
            if not frame.whole:
                kind = builder.assign(f"zext i1 {builder.assign(f'load i1, ptr {frame.in_row}')} to i8")
            self.kept.put("kind", "i8", kind)
        builder.jump(self.flow.arrived)

    def _check_together(self, barrier: int) -> None:
        """Warps that come to different barriers have read different values where one value was the same for all."""
        builder = self.builder
        before = builder.assign(f"load i32, ptr {self.where}")
        first = builder.assign(f"icmp eq i32 {before}, -1")
        same = builder.assign(f"icmp eq i32 {before}, {barrier}")
        apart = builder.assign(f"xor i1 {builder.assign(f'or i1 {first}, {same}')}, true")
        self.frame.fault_if(apart, "barrier")

    def _reduce(self, instruction: object) -> None:
        builder, frame = self.builder, self.frame
        predicate = instruction.operands[-1]
        held = builder.lane_bits(frame.read(predicate, "pred"))
        held = Value(builder.assign(f"and {builder.mask_type} {held}, {frame.mask}"), builder.mask_type)
        number = builder.resize(builder.intrinsic("ctpop", builder.mask_type, held), "i32")
        total = builder.assign(f"add i32 {builder.assign(f'load i32, ptr {self.count}')}, {number.ref}")
        builder.line(f"store i32 {total}, ptr {self.count}")
        fails = builder.assign(f"icmp ne {builder.mask_type} {held.ref}, {frame.mask}")
        fails = builder.assign(f"or i1 {builder.assign(f'load i1, ptr {self.fails}')}, {fails}")
        builder.line(f"store i1 {fails}, ptr {self.fails}")

    # --- what lives behind barriers ---------------------------------------------------------------------

    def _restore(self, region: Region, lanes: str) -> None:
        """Take up a packet behind a barrier."""
        builder, frame, flow = self.builder, self.frame, self.flow
        kind = self.kept.get("kind", "i8") if frame.in_row else ""
        if flow.has_whole:
            every = builder.assign(f"icmp eq {builder.mask_type} {lanes}, -1")
            if kind:
                every = builder.assign(f"icmp eq i8 {kind}, {WHOLE}")
            entire, other = builder.new_label("whole"), builder.new_label("general")
            builder.branch(every, entire, other)
            builder.label(entire)
            if kind:
                builder.line(f"store i1 true, ptr {frame.in_row}")
            self.kept.restore(region, "-1", is_whole=True)
            self._put_result(region, "-1")
            builder.jump(flow.whole_label(region.start))
            builder.label(other)
        if kind:
            in_row = builder.assign(f"icmp ne i8 {kind}, {GENERAL}")
            builder.line(f"store i1 {in_row}, ptr {frame.in_row}")
        self.kept.restore(region, lanes, is_whole=False)
        self._put_result(region, lanes)
        flow.start(lanes, region.start)

    def _put_result(self, region: Region, lanes: str) -> None:
        """Write what bar.red gives."""
        step, frame = self.graph.blocks[region.after].steps[0], self.frame
        if "red" not in step.form.modifiers:
            return
        frame.begin_block(region.start, lanes)
        frame.kept = 0
        word = Value(self.builder.assign(f"load i32, ptr {self.result}"), "i32")
        count = self.builder.binary("lshr", word, constant(1, "i32"))
        every = self.builder.binary("and", word, constant(1, "i32"))
        value = {
            "popc": lambda: count,
            "and": lambda: self.builder.compare("icmp eq", every, constant(0, "i32")),
            "or": lambda: self.builder.compare("icmp ne", count, constant(0, "i32")),
        }[step.form.op]()
        frame.write(step.instruction.operands[0], value)
        frame.values.clear()
