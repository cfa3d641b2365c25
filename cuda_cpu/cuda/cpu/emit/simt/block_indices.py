# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""%ctaid of each block and %tid of each SIMD group's first lane, as counters.

They could be loaded from memory, but a load stalls behind an earlier store whose address has the same low 12 bits (4K
aliasing), and a kernel that writes contiguous memory nearly always has one in flight.
"""

from __future__ import annotations

from cuda.cpu.emit.access import affine
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.runtime.abi import WARP

THREAD_AXES = ("%tid.x", "%tid.y", "%tid.z")
ZERO = constant(0, "i32")


class BlockIndices:
    """Count the blocks of a call, and the SIMD groups of a block."""

    def __init__(self, frame: Frame, groups: Value):
        self.frame, self.builder, self._groups = frame, frame.builder, groups
        self.left = self.builder.slot("i32")  # blocks left to run, including this one
        frame.reserve_block_indices()
        # Thread indices are counted as far as a kernel reads them, and if it has affine registers at all.
        used = [
            number
            for number, axis in enumerate(THREAD_AXES)
            if axis in frame.graph.register_bits and frame.consecutive_slot
        ]
        self._axes = max(used, default=-1) + 1
        self._thread_slots = [self.builder.slot("i32") for _ in range(self._axes)]
        self._x = self.builder.slot("i16")  # %tid.x, at most 1023: sums with it do not wrap around
        # A run of SIMD groups has the same %tid.y and %tid.z: within it only x is counted.
        self._by_runs = self._axes > 0 and len(affine.segments(frame)) == 1
        # Where a segment is a row, it begins at 0 along x: rows are counted.
        self._first = 1 if frame.module.has_short_rows and not self._by_runs else 0
        self._run = self._groups_of_run(groups) if self._by_runs else groups
        self.run_end = self.builder.slot("i32")  # number of the SIMD group behind the run

    def _groups_of_run(self, groups: Value) -> Value:
        frame = self.frame
        sizes = [self._size("block_dim", axis) for axis in range(3)]
        rows = frame.entry.binary("mul", sizes[1], sizes[2])
        several = frame.entry.compare("icmp ne", rows, 1)
        many = frame.entry.binary("and", several, affine.has_consecutive_lanes(frame))
        return frame.entry.select(many, frame.entry.binary("udiv", sizes[0], frame.width), groups)

    # --- blocks -------------------------------------------------------------------------------------------

    def begin_call(self) -> None:
        """Take over the first block from the runtime."""
        builder, frame = self.builder, self.frame
        self.left.store(frame.warp_field("blocks", "i32"))
        for axis, slot in enumerate(frame.block_index_slots):
            slot.store(builder.load("i32", self._block_field(axis)))

    def next_block(self, again: str, over: str) -> None:
        """Advance to the next block in the order of the grid, x first, or to `over` behind the last one."""
        builder = self.builder
        left = builder.binary("sub", self.left.load(), constant(1, "i32"))
        self.left.store(left)
        step = builder.new_label("step")
        builder.branch(builder.compare("icmp eq", left, 0), over, step)
        builder.label(step)
        self.step_block()
        builder.jump(again)

    def step_block(self) -> None:
        before = [slot.load() for slot in self.frame.block_index_slots]
        one = [constant(1, "i32"), constant(0, "i32"), constant(0, "i32")]
        self.set_block(self._advance(before, one, "grid_dim"))

    def set_block(self, indices: list[Value]) -> None:
        """Make the block with these indices the current one."""
        for axis, index in enumerate(indices):
            self.frame.block_index_slots[axis].store(index)
            self.builder.store(index, self._block_field(axis))  # for fault reports

    def _block_field(self, axis: int) -> str:
        return self.builder.offset("%warp", WARP["block_idx"] + 4 * axis)

    # --- SIMD groups ------------------------------------------------------------------------------------------

    def rewind(self) -> None:
        """Go back to the block's first thread."""
        for slot in self._thread_slots:
            slot.store(0)

    def begin_run(self, group: Value) -> None:
        """Begin a run of SIMD groups with this one."""
        end = self.builder.binary("add", group, self._run)
        # Behind the last run there may be SIMD groups without lanes, fewer than a run of them.
        end = self.builder.intrinsic("umin", "i32", end, self._groups)
        self.run_end.store(end)
        self._x.store(0)

    def next_run(self) -> None:
        if self._by_runs and self._axes > 1:
            one = [constant(1, "i32"), constant(0, "i32")][: self._axes - 1]
            self._write(1, self._advance(self._load(1), one, "block_dim", 1))

    def begin_group(self) -> None:
        """Compute the first thread of each segment; this is valid if the lanes of all segments are consecutive."""
        frame, builder = self.frame, self.builder
        if self._by_runs:
            x = builder.cast("zext", self._x.load(), "i32")
            values = zip(THREAD_AXES, [x, *self._load(1)], strict=False)
            frame.set_thread_starts({(axis, 0): value for axis, value in values})
            return
        index = self._load(self._first)
        for segment in affine.segments(frame):
            here = self._advance_segments(index, segment) if segment else index
            starts = {(axis, segment): value for axis, value in zip(THREAD_AXES[self._first :], here, strict=False)}
            if self._first:
                starts[THREAD_AXES[0], segment] = ZERO
            frame.set_thread_starts(frame.group.thread_starts | starts)

    def begin_tile_group(self, group: Value) -> None:
        """Compute the first thread of each segment of a uniform tile."""
        for segment, row in enumerate(self._tile_rows(group)):
            starts = {(axis, segment): value for axis, value in zip(THREAD_AXES, (ZERO, row, ZERO), strict=True)}
            self.frame.set_thread_starts(self.frame.group.thread_starts | starts)

    def resume_group(self, group: Value) -> None:
        """Continue with a SIMD group of a uniform tile as one of any block."""
        row = self._tile_rows(group)[0]
        self._write(0, [ZERO, row, ZERO][: self._axes])
        behind = self.builder.binary("add", group, 1) if self._by_runs else self._groups
        self.run_end.store(behind)
        self._x.store(0)

    def _tile_rows(self, group: Value) -> list[Value]:
        count = len(affine.segments(self.frame))
        first = self.builder.binary("mul", group, constant(count, "i32"))
        return [self.builder.binary("add", first, constant(segment, "i32")) for segment in range(count)]

    def next_group(self) -> None:
        """Advance by one SIMD group: one step from the last one for each counter, which depends on nothing else."""
        if self._by_runs:
            x = self._x.load()
            x = self.builder.binary("add nuw nsw", x, self.frame.width)
            self._x.store(x)
        else:
            following = self._advance_segments(self._load(self._first), len(affine.segments(self.frame)))
            self._write(self._first, following)

    def _advance_segments(self, index: list[Value], count: int) -> list[Value]:
        """Return the index of the first thread so many segments further on."""
        far = count if self._first else count * affine.lanes_of_segment(self.frame)
        return self._advance(index, self._distance(far), "block_dim", self._first)

    def _load(self, first: int) -> list[Value]:
        return [slot.load() for slot in self._thread_slots[first:]]

    def _write(self, first: int, index: list[Value]) -> None:
        for slot, value in zip(self._thread_slots[first:], index, strict=True):
            slot.store(value)

    def _size(self, sizes: str, axis: int) -> Value:
        """Return the size of the grid or block along an axis, of which rows may be padded."""
        if self.frame.module.pads_rows and sizes == "block_dim" and axis == 0:
            return self.frame.warp_field("row_pitch", "i32")
        return self.frame.warp_field(sizes, "i32", 4 * axis)

    def _distance(self, far: int) -> list[Value]:
        """Return the distance along each axis that is counted of threads that are so many lanes, or rows, apart."""
        frame, left, found = self.frame, constant(far, "i32"), []
        for axis in range(self._first, len(self._thread_slots)):
            size = self._size("block_dim", axis)
            found.append(frame.entry.binary("urem", left, size))
            left = frame.entry.binary("udiv", left, size)
        return found

    def _advance(self, index: list[Value], by: list[Value], sizes: str, first: int = 0) -> list[Value]:
        """Return the index plus `by`, which is less than the size along each axis, with the carry to the next axis."""
        builder, found, carry = self.builder, [], None
        for axis, (value, more) in enumerate(zip(index, by, strict=True), first):
            value = builder.binary("add", value, more)
            value = value if carry is None else builder.binary("add", value, carry)
            size = self._size(sizes, axis)
            beyond = builder.binary("sub", value, size)  # negative where the axis does not end: sizes are below 2**31
            # A comparison would become a carry in the processor's flags, see `jit._choose_scheduler`.
            stays = builder.binary("ashr", beyond, constant(31, "i32"))  # -1 or 0
            found.append(builder.binary("add", beyond, builder.binary("and", size, stays)))
            carry = builder.binary("add", stays, constant(1, "i32"))
        return found
