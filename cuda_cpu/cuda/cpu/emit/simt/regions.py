# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loops over the SIMD groups of a block, one for each region between barriers.

With them one call runs all warps of many blocks (PoCL calls such regions parallel regions). Registers that live from
one region to another are spilled for each SIMD group (`barrier_spill.py`). Uniform tiles have a second loop for each
region (`uniform_tile.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.emit.access import affine
from cuda.cpu.emit.llvm.slot import Slot
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt import padded_rows
from cuda.cpu.emit.simt.barrier_spill import BarrierSpill
from cuda.cpu.emit.simt.block_fusion import BlockFusion
from cuda.cpu.emit.simt.block_indices import BlockIndices
from cuda.cpu.emit.simt.control import Flow
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.interleaving import Interleaving, resumed_at
from cuda.cpu.emit.simt.uniform_tile import UniformTile, is_worth_it
from cuda.cpu.passes.find_regions import Region
from cuda.cpu.passes.graph import BLOCK, RETURN, Block
from cuda.cpu.ptx.syntax import Call, Instruction
from cuda.cpu.runtime.abi import FAULTS, WARP

GENERAL, CONSECUTIVE, CONVERGED = 0, 1, 2  # state of a SIMD group at a barrier; CONSECUTIVE has bases, too
TOGETHER = FAULTS["barrier"]
STACK_OPERATIONS = {"stacksave", "stackrestore", "alloca"}


class Regions:
    """Emit the regions of a kernel. `emit_body` emits the basic blocks of each."""

    def __init__(self, frame: Frame, flow: Flow, emit_step: Callable[..., None]):
        self.frame, self.flow, self.graph = frame, flow, frame.graph
        self.builder = builder = frame.builder
        self.regions = self.graph.regions
        self.groups_per_warp = 32 // frame.width  # SIMD groups of a warp
        self.current = builder.slot("i32")  # number of the current SIMD group
        self.spill = BarrierSpill(frame, self.current, emit_step, resumed_at(frame))
        self.barrier = builder.slot("i32")  # the barrier that SIMD groups have reached, -1: none yet
        self.count, self.fails = builder.slot("i32"), builder.slot("i1")  # bar.red: true predicates, any false
        self.result = builder.slot("i32")
        warps = frame.warp_field("warp_count", "i32")
        self.last = frame.entry.binary("sub", warps, 1)
        self.groups = frame.entry.binary("mul", warps, self.groups_per_warp)
        self.indices = BlockIndices(frame, self.groups)
        self.full_groups = self._count_full()
        self.warp_bytes = frame.entry.cast("zext", frame.warp_field("warp_bytes", "i32"), "i64")
        self.tile = UniformTile(self) if is_worth_it(frame) else None
        self.some_leave = any(self._returns(region) and self._barriers(region) for region in self.regions)
        body = frame.facts.body
        self.calls = any(isinstance(item, Call) for item in body)
        self.has_stack = self.calls or any(getattr(item, "opcode", "") in STACK_OPERATIONS for item in body)
        self.fusion: BlockFusion | None = None

    def _count_full(self) -> Value:
        """Return how many SIMD groups are certainly converged: all lanes of the first ones run, and are consecutive."""
        frame = self.frame
        full = frame.entry.compare("icmp eq", frame.warp_field("last_lanes", "i32"), -1)
        short = frame.entry.binary("sub", self.groups, self.groups_per_warp)
        count = frame.entry.select(full, self.groups, short)
        if frame.consecutive_slot:
            count = frame.entry.select(affine.has_consecutive_lanes(frame), count, 0)
        if frame.module.pads_rows:
            count = frame.entry.select(padded_rows.is_padded(frame), constant(0, "i32"), count)
        return frame.entry.opaque(count)  # LLVM would else repeat the conditions

    # --- properties of a region ----------------------------------------------------------------------

    def _barriers(self, region: Region) -> list[int]:
        return [number for number in region.blocks if self.graph.blocks[number].barrier == BLOCK]

    def _returns(self, region: Region) -> bool:
        blocks = [self.graph.blocks[number] for number in region.blocks]
        return any(b.end.kind in ("return", "exit") or RETURN in b.end.targets or b.leaves for b in blocks)

    # --- the loops ------------------------------------------------------------------------------------

    def emit(self, emit_body: Callable[..., None], emit_converged: Callable[..., set[int]]) -> None:
        builder, frame, flow = self.builder, self.frame, self.flow
        flow.budget = Slot(builder, builder.alloca("i32"), "i32", align=4)
        flow.budget.store(frame.warp_slot("budget", "i32").load())
        self.count.store(0)
        self.fails.store(0)
        self.indices.begin_call()
        self.interleaving = Interleaving(self, self.regions[0])
        fusion = BlockFusion(self)
        if fusion.is_worth_it:
            self.fusion = fusion
            self.spill.base = builder.slot("i32")
            fusion.begin_call()
        builder.jump("block")
        builder.label("block")
        if self.tile:
            self.tile.begin_block()
        if self.fusion:
            self.fusion.begin_block(emit_converged)
        else:
            builder.jump("region0")
        for region in self.regions:
            flow.region = region.number
            if region.number:
                self.interleaving = Interleaving(self, region)
            self._begin(region, emit_converged)
            emit_body(region.blocks)
            self._end(region)
        builder.label("over")
        self.indices.next_block("block", "done")

    def _begin(self, region: Region, emit_converged: Callable[..., set[int]]) -> None:
        """Emit the head of the loop over SIMD groups, up to the first block."""
        builder, frame, number = self.builder, self.frame, region.number
        builder.label(f"region{number}")
        self.barrier.store(-1)
        self.interleaving.begin()
        self.rewind()
        leaves: set[int] = set()
        if self.tile:
            leaves = self.tile.emit_loop(region, emit_converged)
        else:
            builder.jump(f"run{number}")
        builder.label(f"run{number}")
        self.indices.begin_run(self.current.load())
        builder.jump(f"group{number}")
        builder.label(f"group{number}")
        _, index = self.enter_group()
        self.interleaving.enter()
        lanes = self._lanes(region, index)
        if self.groups_per_warp > 1 or (region.after is not None and self.some_leave):
            some = builder.new_label("some")
            builder.branch(builder.is_zero(lanes), f"next{number}", some)
            builder.label(some)
        if self.tile:
            self.tile.resume(region, leaves)
        self.clear()
        if region.after is None:
            self._begin_warp()
            affine.check_consecutive(frame)
            self._start(region, lanes)
        else:
            self._restore(region, lanes)

    def enter_group(self) -> tuple[Value, Value]:
        """Make the next SIMD group of a run the current one; return its number, and the warp's."""
        at, index = self._enter_warp()
        self.indices.begin_group()
        if self.groups_per_warp > 1:
            number = self.builder.binary("urem", at, self.groups_per_warp)
            self.frame.set_first_lane(self.builder.binary("mul", number, self.frame.width))
        return at, index

    def next_group(self, again: str, over: str) -> Value:
        """Advance to the next SIMD group of the run; return its number."""
        builder = self.builder
        following = builder.binary("add", self.current.load(), 1)
        self.current.store(following)
        self.indices.next_group()
        run_end = self.indices.run_end.load()
        builder.branch(builder.compare("icmp ult", following, run_end), again, over)
        return following

    def rewind(self) -> None:
        """Go back to the block's first SIMD group."""
        self.current.store(0)
        self.indices.rewind()

    def _lanes(self, region: Region, index: Value) -> Value:
        """Return the lanes of the SIMD group that begin the region."""
        builder, frame = self.builder, self.frame
        if region.after is not None and self.some_leave:
            return self.spill.read("lanes", builder.mask_type)
        if frame.module.pads_rows:
            lanes = frame.warp_field("lanes", "i32")
        else:
            last = builder.compare("icmp eq", index, self.last)
            lanes = builder.select(last, frame.warp_field("last_lanes", "i32"), -1)
        if frame.group.first_lane is not None:
            shifted = builder.binary("lshr", lanes, frame.group.first_lane)
            lanes = builder.cast("trunc", shifted, builder.mask_type)
            if self.some_leave:  # SIMD groups without any lane, which are skipped
                self.spill.write("lanes", builder.mask_type, lanes)
        return lanes

    def _enter_warp(self) -> tuple[Value, Value]:
        """Make the warp of the SIMD group the current one; return the numbers of the SIMD group and the warp."""
        builder = self.builder
        at = self.current.load()
        index = at if self.groups_per_warp == 1 else builder.binary("udiv", at, self.groups_per_warp)
        # Opaque to LLVM, which would otherwise keep an induction variable for the pointer in a scarce register.
        hidden = builder.opaque(index, " #4")
        field = builder.offset("%warp", WARP["current"])
        if (
            self.flow.tile_exits is not None
        ):  # loads may pass the store, but it stays in the loop: its address might change
            none = builder.binary("sub", hidden, index)
            field = builder.element("i8", field, none)
        builder.store(index, field, align=4, metadata=", !tbaa !7")
        far = builder.binary("mul", builder.cast("zext", hidden, "i64"), self.warp_bytes)
        self.frame.set_warp(builder.element("i8", "%warp", far))
        return at, index

    def clear(self) -> None:
        """Begin a SIMD group: no register is known, and no lane waits anywhere."""
        self.frame.block.values.clear()
        self.flow.clear()
        self.frame.dead.store(0)

    def begin_tile_group(self, region: Region) -> None:
        """Emit the head of the loop over the SIMD groups of a uniform tile, up to the first block."""
        builder, frame, flow = self.builder, self.frame, self.flow
        at, _ = self._enter_warp()
        if self.groups_per_warp > 1:
            number = builder.binary("urem", at, self.groups_per_warp)
            frame.set_first_lane(builder.binary("mul", number, frame.width))
            if region.after is None and self.some_leave:
                self.spill.write("lanes", builder.mask_type, -1)
        self.indices.begin_tile_group(at)
        self.interleaving.begin_alone()
        self.clear()
        frame.set_consecutive(1)
        if region.after is None:
            self._begin_warp()
        else:
            self.spill.restore(region, builder.mask(-1), is_converged=True)
            self._write_reduction(region, builder.mask(-1))
        builder.jump(flow.converged_label(region.start))

    def return_group(self, region: Region) -> None:
        """Record that all lanes of the SIMD group have returned."""
        if self._barriers(region) and self.some_leave:
            self.spill.write("lanes", self.builder.mask_type, 0)
            if self.tile:
                self.tile.returned.store(1)

    def _begin_warp(self) -> None:
        """Set what called functions expect in each warp."""
        frame = self.frame
        if self.has_stack:
            frame.warp_slot("local_top", "i64").store(frame.facts.local_bytes)
        if self.calls:
            for axis in range(3):
                index = frame.warp_field("block_idx", "i32", 4 * axis)
                frame.warp_slot("block_idx", "i32", 4 * axis).store(index)

    def _start(self, region: Region, lanes: Value) -> None:
        if self.flow.has_converged:
            at, general = self.current.load(), self.builder.new_label("general")
            full = self.builder.compare("icmp ult", at, self.full_groups)
            self.builder.branch(full, self.flow.converged_label(region.start), general, likely=True)
            self.builder.label(general)
        self.flow.start(lanes, region.start)

    def _end(self, region: Region) -> None:
        """Emit the latch of the loop: the next SIMD group, or the region behind the barrier that all have reached."""
        builder, number, barriers = self.builder, region.number, self._barriers(region)
        builder.label(self.flow.done)
        self.return_group(region)
        builder.jump(f"next{number}")
        builder.label(f"next{number}")
        following = self.next_group(f"group{number}", f"ended{number}")
        builder.label(f"ended{number}")
        more = builder.compare("icmp ult", following, self.groups)
        builder.branch(more, f"onward{number}", f"over{number}")
        builder.label(f"onward{number}")
        self.indices.next_run()
        builder.jump(f"run{number}")
        builder.label(f"over{number}")
        self.interleaving.end()
        if not barriers:
            builder.jump("over")
            return
        self._finish_reduction()
        self.frame.set_warp("%warp")
        known = {after.after: after for after in self.regions}
        where = self.barrier.load()
        arms = [(barrier, builder.new_label("behind")) for barrier in barriers if barrier in known]
        if len(barriers) == 1 and arms and not self._returns(region):
            builder.jump(arms[0][1])
        else:
            builder.switch(where, arms, "over")
        for barrier, label in arms:
            builder.label(label)
            if known[barrier].number <= region.number:  # each loop through barriers has such an edge
                self.flow.poll(1)
            builder.jump(f"region{known[barrier].number}")

    def _finish_reduction(self) -> None:
        """Store the result of bar.red, and reset it for the next one."""
        builder = self.builder
        if not any(block.steps[0].operation()[1].has("red") for block in self.graph.blocks if block.barrier == BLOCK):
            return
        fails = builder.cast("zext", self.fails.load(), "i32")
        count = self.count.load()
        both = builder.binary("shl", count, 1)
        self.result.store(builder.binary("or", both, fails))
        self.count.store(0)
        self.fails.store(0)

    # --- barriers ---------------------------------------------------------------------------------------

    def arrive(self, block: Block, region: Region) -> None:
        """End a SIMD group's part of the region at a barrier."""
        builder, frame = self.builder, self.frame
        instruction, form = block.steps[0].operation()
        frame.at_line(instruction.line)
        if form.has("red"):
            self._reduce(instruction)
        known = self._is_as_before(region)
        if self.some_leave and not known:
            self.spill.write("lanes", builder.mask_type, frame.mask)
        if len(self._barriers(region)) > 1:
            self._check_same_barrier(block.number)
        self.barrier.store(block.number)
        self.spill.save(region, block.number)
        if self.tile and not frame.copy.converged:
            self.tile.diverged.store(1)
        if frame.consecutive_slot and not known:
            kind = constant(CONVERGED, "i8")
            if not frame.copy.converged:
                kind = builder.cast("zext", frame.is_consecutive(), "i8")
            self.spill.write("kind", "i8", kind)
        builder.jump(self.flow.arrived)

    def _is_as_before(self, region: Region) -> bool:
        """Return whether lanes and kind of a SIMD group are stored already: in the loop for uniform tiles.

        Behind a barrier it is for blocks of which all SIMD groups were converged there.
        """
        return region.after is not None and self.flow.tile_exits is not None

    def _check_same_barrier(self, barrier: int) -> None:
        """Fault if warps reach different barriers: what they read to branch on was not the same for all."""
        builder = self.builder
        before = self.barrier.load()
        first = builder.compare("icmp eq", before, -1)
        same = builder.compare("icmp eq", before, barrier)
        differ = builder.binary("xor", builder.binary("or", first, same), 1)
        self.frame.fault_if(differ, "barrier")

    def _reduce(self, instruction: Instruction) -> None:
        builder, frame = self.builder, self.frame
        predicate = instruction.operands[-1]
        bits = builder.lane_bits(frame.read(predicate, "pred"))
        held = builder.binary("and", bits, frame.mask)
        number = builder.resize(builder.intrinsic("ctpop", builder.mask_type, held), "i32")
        total = builder.binary("add", self.count.load(), number)
        self.count.store(total)
        fails = builder.compare("icmp ne", held, frame.mask)
        fails = builder.binary("or", self.fails.load(), fails)
        self.fails.store(fails)

    # --- registers that live behind barriers ---------------------------------------------------------------------

    def _restore(self, region: Region, lanes: Value) -> None:
        """Resume a SIMD group behind a barrier."""
        builder, frame, flow = self.builder, self.frame, self.flow
        kind = self.spill.read("kind", "i8") if frame.consecutive_slot else None
        if flow.has_converged:
            full = builder.compare("icmp eq", lanes, -1)
            if kind is not None:
                full = builder.compare("icmp eq", kind, CONVERGED)
            converged, other = builder.new_label("converged"), builder.new_label("general")
            builder.branch(full, converged, other)
            builder.label(converged)
            if kind is not None:
                frame.set_consecutive(1)
            self.spill.restore(region, builder.mask(-1), is_converged=True)
            self._write_reduction(region, builder.mask(-1))
            builder.jump(flow.converged_label(region.start))
            builder.label(other)
        if kind is not None:
            consecutive_slot = builder.compare("icmp ne", kind, GENERAL)
            frame.set_consecutive(consecutive_slot)
        self.spill.restore(region, lanes, is_converged=False)
        self._write_reduction(region, lanes)
        flow.start(lanes, region.start)

    def _write_reduction(self, region: Region, lanes: Value) -> None:
        """Write the result of bar.red."""
        frame = self.frame
        instruction, form = self.graph.blocks[region.barrier].steps[0].operation()
        if not form.has("red"):
            return
        frame.begin_block(region.start, lanes, alone=True)
        word = self.result.load()
        count = self.builder.binary("lshr", word, constant(1, "i32"))
        full = self.builder.binary("and", word, constant(1, "i32"))
        value = {
            "popc": lambda: count,
            "and": lambda: self.builder.compare("icmp eq", full, constant(0, "i32")),
            "or": lambda: self.builder.compare("icmp ne", count, constant(0, "i32")),
        }[form.op]()
        frame.write(instruction.operands[0], value)
        frame.block.values.clear()
