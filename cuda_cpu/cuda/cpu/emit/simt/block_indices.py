# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Where in the grid a kernel's blocks are, and where in its block each packet: counted on from one to the next.

They could be read from memory, but a load waits for an earlier store on its way to memory whose address has the same
low 12 bits, and a kernel that writes whole rows nearly always has one under way.
"""

from __future__ import annotations

from cuda.cpu.emit.access import affine
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import WARP, Frame

AXES = ("%tid.x", "%tid.y", "%tid.z")
NOTHING = constant(0, "i32")


class Places:
    """Count the blocks of a call, and the packets of a block."""

    def __init__(self, frame: Frame, packets: str):
        self.frame, self.builder, self._packets = frame, frame.builder, packets
        self.left = self.builder.alloca("i32")  # blocks that are still to run, with this one
        frame.block_places = [self.builder.alloca("i32") for _ in AXES]
        # Threads are counted as far as a kernel asks for their places, and if it has affine registers at all.
        used = [number for number, axis in enumerate(AXES) if axis in frame.graph.register_bits and frame.in_row]
        self._axes = max(used, default=-1) + 1
        self._threads = [self.builder.alloca("i32") for _ in range(self._axes)]
        self._along = self.builder.alloca("i16")  # %tid.x, at most 1023: nothing that is made of it wraps around
        # Packets that follow each other in a row of threads: where several lie in one, they need only count along x.
        self._by_rows = self._axes > 0 and len(affine.segments(frame)) == 1
        self._row = self._packets_of_row(packets) if self._by_rows else packets
        self.row_end = self.builder.alloca("i32")  # packet behind the row

    def _packets_of_row(self, packets: str) -> str:
        frame = self.frame
        sizes = [frame.warp_field("block_dim", "i32", 4 * axis).ref for axis in range(3)]
        rows = frame.at_entry(f"mul i32 {sizes[1]}, {sizes[2]}")
        several = frame.at_entry(f"icmp ne i32 {rows}, 1")
        many = frame.at_entry(f"and i1 {several}, {affine.lies_in_rows(frame)}")
        return frame.at_entry(
            f"select i1 {many}, i32 {frame.at_entry(f'udiv i32 {sizes[0]}, {frame.width}')}, i32 {packets}"
        )

    # --- blocks -------------------------------------------------------------------------------------------

    def begin_call(self) -> None:
        """Take over the first block from the runtime."""
        builder, frame = self.builder, self.frame
        builder.line(f"store i32 {frame.warp_field('blocks', 'i32').ref}, ptr {self.left}")
        for axis, slot in enumerate(frame.block_places):
            builder.line(f"store i32 {builder.load('i32', self._block_field(axis)).ref}, ptr {slot}")

    def next_block(self, again: str, over: str) -> None:
        """Go on to the next block in the order of the grid, x first, or to `over` behind the last one."""
        builder = self.builder
        left = builder.binary("sub", builder.load("i32", self.left), constant(1, "i32"))
        builder.store(left, self.left)
        step = builder.new_label("step")
        builder.branch(builder.compare("icmp eq", left, constant(0, "i32")).ref, over, step)
        builder.label(step)
        self.step_block()
        builder.jump(again)

    def step_block(self) -> None:
        before = [self.builder.load("i32", slot) for slot in self.frame.block_places]
        one = [constant(1, "i32"), constant(0, "i32"), constant(0, "i32")]
        self.put_block(self._advance(before, one, "grid_dim"))

    def put_block(self, places: list[Value]) -> None:
        """Let the block at this place be the one that runs."""
        for axis, place in enumerate(places):
            self.builder.store(place, self.frame.block_places[axis])
            self.builder.store(place, self._block_field(axis))  # for faults, which tell where they were

    def _block_field(self, axis: int) -> str:
        return self.builder.offset("%warp", WARP["block_idx"] + 4 * axis)

    # --- packets ------------------------------------------------------------------------------------------

    def begin_packets(self) -> None:
        """Go back to the block's first thread."""
        for slot in self._threads:
            self.builder.line(f"store i32 0, ptr {slot}")

    def begin_row(self, packet: str) -> None:
        """Begin a row of packets with this one."""
        end = self.builder.assign(f"add i32 {packet}, {self._row}")
        # Behind the last row there may be packets without lanes, fewer than a row of them.
        end = self.builder.intrinsic("umin", "i32", Value(end, "i32"), Value(self._packets, "i32")).ref
        self.builder.line(f"store i32 {end}, ptr {self.row_end}")
        self.builder.line(f"store i16 0, ptr {self._along}")

    def next_row(self) -> None:
        if self._by_rows and self._axes > 1:
            one = [constant(1, "i32"), constant(0, "i32")][: self._axes - 1]
            self._put(1, self._advance(self._load(1), one, "block_dim", 1))

    def begin_packet(self) -> None:
        """Find where each segment begins; that is right for blocks in which all of them are rows."""
        frame, builder = self.frame, self.builder
        if self._by_rows:
            along = builder.cast("zext", Value(builder.assign(f"load i16, ptr {self._along}"), "i16"), "i32")
            frame.starts = {(axis, 0): value for axis, value in zip(AXES, [along, *self._load(1)], strict=False)}
            return
        place = self._load(0)
        for segment in affine.segments(frame):
            here = place
            if segment:
                here = self._advance(place, self._apart(segment * affine.lanes_of_segment(frame)), "block_dim")
            frame.starts |= {(axis, segment): value for axis, value in zip(AXES, here, strict=False)}

    def begin_even_packet(self, packet: str) -> None:
        """Find where each segment of an even block (even.py) begins."""
        for segment, row in enumerate(self._even_rows(packet)):
            self.frame.starts |= {
                (axis, segment): value for axis, value in zip(AXES, (NOTHING, row, NOTHING), strict=True)
            }

    def take_up(self, packet: str) -> None:
        """Go on with a packet of an even block as one of any block."""
        row = self._even_rows(packet)[0]
        self._put(0, [NOTHING, row, NOTHING][: self._axes])
        behind = self.builder.assign(f"add i32 {packet}, 1") if self._by_rows else self._packets
        self.builder.line(f"store i32 {behind}, ptr {self.row_end}")
        self.builder.line(f"store i16 0, ptr {self._along}")

    def _even_rows(self, packet: str) -> list[Value]:
        count = len(affine.segments(self.frame))
        first = self.builder.binary("mul", Value(packet, "i32"), constant(count, "i32"))
        return [self.builder.binary("add", first, constant(segment, "i32")) for segment in range(count)]

    def next_packet(self) -> None:
        """Go on by one packet: for each place one step from the last one, which waits for nothing else."""
        if self._by_rows:
            along = self.builder.assign(f"load i16, ptr {self._along}")
            along = self.builder.assign(f"add nuw nsw i16 {along}, {self.frame.width}")
            self.builder.line(f"store i16 {along}, ptr {self._along}")
        else:
            self._put(0, self._advance(self._load(0), self._apart(self.frame.width), "block_dim"))

    def _load(self, first: int) -> list[Value]:
        return [self.builder.load("i32", slot) for slot in self._threads[first:]]

    def _put(self, first: int, place: list[Value]) -> None:
        for slot, value in zip(self._threads[first:], place, strict=True):
            self.builder.store(value, slot)

    def _apart(self, lanes: int) -> list[Value]:
        """Return how far apart along each axis threads are between which there are so many lanes."""
        frame, left, found = self.frame, str(lanes), []
        for axis in range(len(self._threads)):
            size = frame.warp_field("block_dim", "i32", 4 * axis).ref
            found.append(Value(frame.at_entry(f"urem i32 {left}, {size}"), "i32"))
            left = frame.at_entry(f"udiv i32 {left}, {size}")
        return found

    def _advance(self, place: list[Value], by: list[Value], sizes: str, first: int = 0) -> list[Value]:
        """Return the place further by less than the size along each axis, and by one where the one before it ends."""
        builder, found, carry = self.builder, [], None
        for axis, (value, more) in enumerate(zip(place, by, strict=True), first):
            value = builder.binary("add", value, more)
            value = value if carry is None else builder.binary("add", value, carry)
            size = self.frame.warp_field(sizes, "i32", 4 * axis)
            beyond = builder.binary("sub", value, size)  # negative where the axis does not end: sizes are below 2**31
            # A comparison would become a carry in the processor's flags, see `jit._choose_scheduler`.
            stays = builder.binary("ashr", beyond, constant(31, "i32"))  # -1 or 0
            found.append(builder.binary("add", beyond, builder.binary("and", size, stays)))
            carry = builder.binary("add", stays, constant(1, "i32"))
        return found
