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
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.barrier_spill import BarrierSpill
from cuda.cpu.emit.simt.block_fusion import BlockFusion
from cuda.cpu.emit.simt.block_indices import BlockIndices
from cuda.cpu.emit.simt.control import Flow
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.interleaving import Interleaving
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
        self.current = builder.alloca("i32")  # number of the current SIMD group
        self.spill = BarrierSpill(frame, self.current, emit_step)
        self.barrier = builder.alloca("i32")  # the barrier that SIMD groups have reached, -1: none yet
        self.count, self.fails = builder.alloca("i32"), builder.alloca("i1")  # bar.red: true predicates, any false
        self.result = builder.alloca("i32")
        warps = frame.warp_field("warp_count", "i32").ref
        self.last = frame.at_entry(f"sub i32 {warps}, 1")
        self.groups = frame.at_entry(f"mul i32 {warps}, {self.groups_per_warp}")
        self.indices = BlockIndices(frame, self.groups)
        self.full_groups = self._count_full()
        self.warp_bytes = frame.at_entry(f"zext i32 {frame.warp_field('warp_bytes', 'i32').ref} to i64")
        self.tile = UniformTile(self) if is_worth_it(frame) else None
        self.some_leave = any(self._returns(region) and self._barriers(region) for region in self.regions)
        body = frame.facts.body
        self.calls = any(isinstance(item, Call) for item in body)
        self.has_stack = self.calls or any(getattr(item, "opcode", "") in STACK_OPERATIONS for item in body)
        self.fusion: BlockFusion | None = None

    def _count_full(self) -> str:
        """Return how many SIMD groups are certainly converged: all lanes of the first ones run, and are consecutive."""
        frame = self.frame
        full = frame.at_entry(f"icmp eq i32 {frame.warp_field('last_lanes', 'i32').ref}, -1")
        short = frame.at_entry(f"sub i32 {self.groups}, {self.groups_per_warp}")
        count = frame.at_entry(f"select i1 {full}, i32 {self.groups}, i32 {short}")
        if frame.consecutive_slot:
            count = frame.at_entry(f"select i1 {affine.has_consecutive_lanes(frame)}, i32 {count}, i32 0")
        return frame.at_entry(f'call i32 asm "", "=r,0"(i32 {count})')  # opaque: LLVM would else repeat the conditions

    # --- properties of a region ----------------------------------------------------------------------

    def _barriers(self, region: Region) -> list[int]:
        return [number for number in region.blocks if self.graph.blocks[number].barrier == BLOCK]

    def _returns(self, region: Region) -> bool:
        blocks = [self.graph.blocks[number] for number in region.blocks]
        return any(b.end.kind in ("return", "exit") or RETURN in b.end.targets or b.leaves for b in blocks)

    # --- the loops ------------------------------------------------------------------------------------

    def emit(self, emit_body: Callable[..., None], emit_converged: Callable[..., set[int]]) -> None:
        builder, frame, flow = self.builder, self.frame, self.flow
        flow.budget = builder.alloca("i32")
        left = builder.assign(f"load i32, ptr {frame.warp_pointer('budget')}, align 4")
        builder.line(f"store i32 {left}, ptr {flow.budget}, align 4")
        builder.line(f"store i32 0, ptr {self.count}")
        builder.line(f"store i1 false, ptr {self.fails}")
        self.indices.begin_call()
        self.interleaving = Interleaving(self, self.regions[0])
        fusion = BlockFusion(self)
        if fusion.is_worth_it:
            self.fusion = fusion
            self.spill.base = builder.alloca("i32")
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
        builder.line(f"store i32 -1, ptr {self.barrier}")
        self.interleaving.begin()
        self.rewind()
        leaves: set[int] = set()
        if self.tile:
            leaves = self.tile.emit_loop(region, emit_converged)
        else:
            builder.jump(f"run{number}")
        builder.label(f"run{number}")
        self.indices.begin_run(builder.assign(f"load i32, ptr {self.current}"))
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

    def enter_group(self) -> tuple[str, str]:
        """Make the next SIMD group of a run the current one; return its number, and the warp's."""
        at, index = self._enter_warp()
        self.indices.begin_group()
        if self.groups_per_warp > 1:
            number = self.builder.assign(f"urem i32 {at}, {self.groups_per_warp}")
            self.frame.set_first_lane(Value(self.builder.assign(f"mul i32 {number}, {self.frame.width}"), "i32"))
        return at, index

    def next_group(self, again: str, over: str) -> str:
        """Advance to the next SIMD group of the run; return its number."""
        builder = self.builder
        following = builder.assign(f"add i32 {builder.assign(f'load i32, ptr {self.current}')}, 1")
        builder.line(f"store i32 {following}, ptr {self.current}")
        self.indices.next_group()
        run_end = builder.assign(f"load i32, ptr {self.indices.run_end}")
        builder.branch(builder.assign(f"icmp ult i32 {following}, {run_end}"), again, over)
        return following

    def rewind(self) -> None:
        """Go back to the block's first SIMD group."""
        self.builder.line(f"store i32 0, ptr {self.current}")
        self.indices.rewind()

    def _lanes(self, region: Region, index: str) -> str:
        """Return the lanes of the SIMD group that begin the region."""
        builder, frame = self.builder, self.frame
        if region.after is not None and self.some_leave:
            return self.spill.read("lanes", builder.mask_type)
        last = builder.assign(f"icmp eq i32 {index}, {self.last}")
        lanes = builder.assign(f"select i1 {last}, i32 {frame.warp_field('last_lanes', 'i32').ref}, i32 -1")
        if frame.group.first_lane is not None:
            shifted = builder.assign(f"lshr i32 {lanes}, {frame.group.first_lane.ref}")
            lanes = builder.assign(f"trunc i32 {shifted} to {builder.mask_type}")
            if self.some_leave:  # SIMD groups without any lane, which are skipped
                self.spill.write("lanes", builder.mask_type, lanes)
        return lanes

    def _enter_warp(self) -> tuple[str, str]:
        """Make the warp of the SIMD group the current one; return the numbers of the SIMD group and the warp."""
        builder = self.builder
        at = builder.assign(f"load i32, ptr {self.current}")
        index = at if self.groups_per_warp == 1 else builder.assign(f"udiv i32 {at}, {self.groups_per_warp}")
        # Opaque to LLVM, which would otherwise keep an induction variable for the pointer in a scarce register.
        hidden = builder.assign(f'call i32 asm "", "=r,0"(i32 {index}) #4')
        field = builder.offset("%warp", WARP["current"])
        if (
            self.flow.tile_exits is not None
        ):  # loads may pass the store, but it stays in the loop: its address might change
            none = builder.assign(f"sub i32 {hidden}, {index}")
            field = builder.assign(f"getelementptr i8, ptr {field}, i32 {none}")
        builder.line(f"store i32 {index}, ptr {field}, align 4, !tbaa !7")
        far = builder.assign(f"mul i64 {builder.assign(f'zext i32 {hidden} to i64')}, {self.warp_bytes}")
        self.frame.set_warp(builder.assign(f"getelementptr i8, ptr %warp, i64 {far}"))
        return at, index

    def clear(self) -> None:
        """Begin a SIMD group: no register is known, and no lane waits anywhere."""
        self.frame.block.values.clear()
        self.flow.clear()
        self.builder.line(f"store {self.builder.mask_type} 0, ptr {self.frame.dead}")

    def begin_tile_group(self, region: Region) -> None:
        """Emit the head of the loop over the SIMD groups of a uniform tile, up to the first block."""
        builder, frame, flow = self.builder, self.frame, self.flow
        at, _ = self._enter_warp()
        if self.groups_per_warp > 1:
            number = builder.assign(f"urem i32 {at}, {self.groups_per_warp}")
            frame.set_first_lane(Value(builder.assign(f"mul i32 {number}, {frame.width}"), "i32"))
            if region.after is None and self.some_leave:
                self.spill.write("lanes", builder.mask_type, -1)
        self.indices.begin_tile_group(at)
        self.interleaving.begin_alone()
        self.clear()
        builder.line(f"store i1 true, ptr {frame.consecutive_slot}")
        if region.after is None:
            self._begin_warp()
        else:
            self.spill.restore(region, "-1", is_converged=True)
            self._write_reduction(region, "-1")
        builder.jump(flow.converged_label(region.start))

    def return_group(self, region: Region) -> None:
        """Record that all lanes of the SIMD group have returned."""
        if self._barriers(region) and self.some_leave:
            self.spill.write("lanes", self.builder.mask_type, 0)
            if self.tile:
                self.builder.line(f"store i1 true, ptr {self.tile.returned}")

    def _begin_warp(self) -> None:
        """Set what called functions expect in each warp."""
        builder, frame = self.builder, self.frame
        if self.has_stack:
            builder.line(f"store i64 {frame.facts.local_bytes}, ptr {frame.warp_pointer('local_top')}, align 8")
        if self.calls:
            for axis in range(3):
                index = frame.warp_field("block_idx", "i32", 4 * axis)
                builder.line(f"store i32 {index.ref}, ptr {frame.warp_pointer('block_idx', 4 * axis)}, align 4")

    def _start(self, region: Region, lanes: str) -> None:
        if self.flow.has_converged:
            at, general = self.builder.assign(f"load i32, ptr {self.current}"), self.builder.new_label("general")
            full = self.builder.assign(f"icmp ult i32 {at}, {self.full_groups}")
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
        more = builder.assign(f"icmp ult i32 {following}, {self.groups}")
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
        where = builder.assign(f"load i32, ptr {self.barrier}")
        arms = [(barrier, builder.new_label("behind")) for barrier in barriers if barrier in known]
        if len(barriers) == 1 and arms and not self._returns(region):
            builder.jump(arms[0][1])
        else:
            cases = " ".join(f"i32 {barrier}, label %{label}" for barrier, label in arms)
            builder.line(f"switch i32 {where}, label %over [{cases}]")
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
        fails = builder.assign(f"zext i1 {builder.assign(f'load i1, ptr {self.fails}')} to i32")
        count = builder.assign(f"load i32, ptr {self.count}")
        both = builder.assign(f"shl i32 {count}, 1")
        builder.line(f"store i32 {builder.assign(f'or i32 {both}, {fails}')}, ptr {self.result}")
        builder.line(f"store i32 0, ptr {self.count}")
        builder.line(f"store i1 false, ptr {self.fails}")

    # --- barriers ---------------------------------------------------------------------------------------

    def arrive(self, block: Block, region: Region) -> None:
        """End a SIMD group's part of the region at a barrier."""
        builder, frame = self.builder, self.frame
        instruction, form = block.steps[0].operation()
        frame.at_line(instruction.line)
        if form.has("red"):
            self._reduce(instruction)
        if self.some_leave:
            self.spill.write("lanes", builder.mask_type, frame.mask)
        if len(self._barriers(region)) > 1:
            self._check_same_barrier(block.number)
        builder.line(f"store i32 {block.number}, ptr {self.barrier}")
        self.spill.save(region, block.number)
        if self.tile and not frame.copy.converged:
            builder.line(f"store i1 true, ptr {self.tile.diverged}")
        if frame.consecutive_slot:
            kind = f"{CONVERGED}"
            if not frame.copy.converged:
                kind = builder.assign(f"zext i1 {builder.assign(f'load i1, ptr {frame.consecutive_slot}')} to i8")
            self.spill.write("kind", "i8", kind)
        builder.jump(self.flow.arrived)

    def _check_same_barrier(self, barrier: int) -> None:
        """Fault if warps reach different barriers: what they read to branch on was not the same for all."""
        builder = self.builder
        before = builder.assign(f"load i32, ptr {self.barrier}")
        first = builder.assign(f"icmp eq i32 {before}, -1")
        same = builder.assign(f"icmp eq i32 {before}, {barrier}")
        differ = builder.assign(f"xor i1 {builder.assign(f'or i1 {first}, {same}')}, true")
        self.frame.fault_if(differ, "barrier")

    def _reduce(self, instruction: Instruction) -> None:
        builder, frame = self.builder, self.frame
        predicate = instruction.operands[-1]
        bits = builder.lane_bits(frame.read(predicate, "pred"))
        held = Value(builder.assign(f"and {builder.mask_type} {bits}, {frame.mask}"), builder.mask_type)
        number = builder.resize(builder.intrinsic("ctpop", builder.mask_type, held), "i32")
        total = builder.assign(f"add i32 {builder.assign(f'load i32, ptr {self.count}')}, {number.ref}")
        builder.line(f"store i32 {total}, ptr {self.count}")
        fails = builder.assign(f"icmp ne {builder.mask_type} {held.ref}, {frame.mask}")
        fails = builder.assign(f"or i1 {builder.assign(f'load i1, ptr {self.fails}')}, {fails}")
        builder.line(f"store i1 {fails}, ptr {self.fails}")

    # --- registers that live behind barriers ---------------------------------------------------------------------

    def _restore(self, region: Region, lanes: str) -> None:
        """Resume a SIMD group behind a barrier."""
        builder, frame, flow = self.builder, self.frame, self.flow
        kind = self.spill.read("kind", "i8") if frame.consecutive_slot else ""
        if flow.has_converged:
            full = builder.assign(f"icmp eq {builder.mask_type} {lanes}, -1")
            if kind:
                full = builder.assign(f"icmp eq i8 {kind}, {CONVERGED}")
            converged, other = builder.new_label("converged"), builder.new_label("general")
            builder.branch(full, converged, other)
            builder.label(converged)
            if kind:
                builder.line(f"store i1 true, ptr {frame.consecutive_slot}")
            self.spill.restore(region, "-1", is_converged=True)
            self._write_reduction(region, "-1")
            builder.jump(flow.converged_label(region.start))
            builder.label(other)
        if kind:
            consecutive_slot = builder.assign(f"icmp ne i8 {kind}, {GENERAL}")
            builder.line(f"store i1 {consecutive_slot}, ptr {frame.consecutive_slot}")
        self.spill.restore(region, lanes, is_converged=False)
        self._write_reduction(region, lanes)
        flow.start(lanes, region.start)

    def _write_reduction(self, region: Region, lanes: str) -> None:
        """Write the result of bar.red."""
        frame = self.frame
        instruction, form = self.graph.blocks[region.barrier].steps[0].operation()
        if not form.has("red"):
            return
        frame.begin_block(region.start, lanes, alone=True)
        word = Value(self.builder.assign(f"load i32, ptr {self.result}"), "i32")
        count = self.builder.binary("lshr", word, constant(1, "i32"))
        full = self.builder.binary("and", word, constant(1, "i32"))
        value = {
            "popc": lambda: count,
            "and": lambda: self.builder.compare("icmp eq", full, constant(0, "i32")),
            "or": lambda: self.builder.compare("icmp ne", count, constant(0, "i32")),
        }[form.op]()
        frame.write(instruction.operands[0], value)
        frame.block.values.clear()
