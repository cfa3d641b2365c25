# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Even blocks: two-dimensional, as wide as a segment, all packets whole, as kernels that work on tiles have them.

There %tid.x is the same in all packets, and %tid.y follows from a packet's number. So a region gets a second loop, over
whole packets alone, in which LLVM sees what does not change from one packet to the next: the row of a matrix that all
rows of a block are multiplied with is loaded once, and stays in registers. A packet that is no longer whole goes on in
the region's other loop, with all packets behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.emit.access import affine
from cuda.cpu.passes.find_regions import Region

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.emit.simt.regions import Regions

MOST_STEPS = 1000  # of a kernel that gets such loops, lest it be compiled for long


def is_worth_it(frame: Frame) -> bool:
    """Tell whether a kernel may be one that works on tiles: of two dimensions, with barriers."""
    graph = frame.graph
    steps = sum(len(block.steps) for block in graph.blocks)
    tiles = len(graph.regions) > 1 and {"%tid.x", "%tid.y"} <= graph.register_bits.keys()
    return bool(frame.in_row) and frame.flow.has_whole and tiles and steps <= MOST_STEPS and not frame.module.quick


class Even:
    """The loops of a kernel's regions for even blocks."""

    def __init__(self, regions: Regions):
        self.regions, self.frame, self.builder = regions, regions.frame, regions.builder
        self.holds = self._are_even()
        self.apart = self.builder.alloca("i1")  # some packet has come to the last barrier, but not whole
        self.left = self.builder.alloca("i1")  # some packet has returned
        self.goes_on = self.builder.alloca("i32")  # block at which a packet leaves its loop, and 1; 0: none does

    def _are_even(self) -> str:
        """Return whether the blocks of this call are even, an i1 operand."""
        frame, regions = self.frame, self.regions
        found = frame.at_entry(f"icmp eq i32 {regions.packets}, {regions.whole}")
        for axis, size in ((0, affine.lanes_of_segment(frame)), (2, 1)):
            same = frame.at_entry(f"icmp eq i32 {frame.warp_field('block_dim', 'i32', 4 * axis).ref}, {size}")
            found = frame.at_entry(f"and i1 {found}, {same}")
        return found

    def begin_block(self) -> None:
        """Begin a block of the grid."""
        for slot in (self.apart, self.left):
            self.builder.line(f"store i1 false, ptr {slot}")
        self.builder.line(f"store i32 0, ptr {self.goes_on}")

    def emit_loop(self, region: Region, emit_whole: Callable[[tuple[int, ...]], None]) -> set[int]:
        """Emit the loop, for a block with whole packets only; return at which blocks packets may leave it.

        It is entered in front of the region's other loop, which it goes to for any other block.
        """
        builder, flow, number = self.builder, self.frame.flow, region.number
        some = [builder.assign(f"load i1, ptr {slot}") for slot in (self.apart, self.left)]
        builder.line(f"store i1 false, ptr {self.apart}")
        whole = builder.assign(f"xor i1 {builder.assign(f'or i1 {some[0]}, {some[1]}')}, true")
        even = builder.assign(f"and i1 {whole}, {self.holds}")
        builder.branch(even, f"even{number}", f"row{number}")
        builder.label(f"even{number}")
        flow.even = set()
        self.regions.begin_even_packet(region)
        emit_whole(region.blocks)
        self._end(region)
        leaves, flow.even = flow.even, None
        self._leave(region, leaves)
        return leaves

    def _end(self, region: Region) -> None:
        builder, regions, number = self.builder, self.regions, region.number
        builder.label(self.frame.flow.done)
        regions.return_packet(region)
        builder.jump(self.frame.flow.arrived)
        builder.label(self.frame.flow.arrived)
        following = builder.assign(f"add i32 {builder.assign(f'load i32, ptr {regions.at}')}, 1")
        builder.line(f"store i32 {following}, ptr {regions.at}")
        more = builder.assign(f"icmp ult i32 {following}, {regions.packets}")
        builder.branch(more, f"even{number}", f"over{number}")

    def _leave(self, region: Region, leaves: set[int]) -> None:
        """Go on with the packet in the region's other loop."""
        builder, number = self.builder, region.number
        for block in sorted(leaves):
            builder.label(f"leave{number}.{block}")
            builder.line(f"store i32 {block + 1}, ptr {self.goes_on}")
            builder.jump(f"leave{number}")
        if leaves:
            builder.label(f"leave{number}")
            self.regions.places.take_up(builder.assign(f"load i32, ptr {self.regions.at}"))
            builder.jump(f"packet{number}")

    def take_up(self, region: Region, leaves: set[int]) -> None:
        """Go to the block at which the packet has left its loop, if it has."""
        builder = self.builder
        if leaves:
            block, fresh = builder.assign(f"load i32, ptr {self.goes_on}"), builder.new_label("fresh")
            builder.line(f"store i32 0, ptr {self.goes_on}")
            cases = " ".join(f"i32 {each + 1}, label %b{region.number}.{each}" for each in sorted(leaves))
            builder.line(f"switch i32 {block}, label %{fresh} [{cases}]")
            builder.label(fresh)
