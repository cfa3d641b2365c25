# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Uniform tiles: two-dimensional blocks as wide as a segment, with converged SIMD groups alone.

Kernels that work on tiles of matrices have such blocks. %tid.x is the same in all SIMD groups, and %tid.y follows from
a SIMD group's number. Each region gets a second loop, over converged SIMD groups, in which LLVM sees what is invariant
from one SIMD group to the next: the row of a matrix by which all rows of a block are multiplied is loaded once, and
stays in registers. A SIMD group that diverges continues in the region's other loop, with all SIMD groups behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.emit.access import affine
from cuda.cpu.passes.find_regions import Region

if TYPE_CHECKING:
    from cuda.cpu.emit.llvm.values import Value
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.emit.simt.regions import Regions

MOST_STEPS = 1000  # of a kernel with such loops: they add to the compile time


def is_worth_it(frame: Frame) -> bool:
    """Return whether a kernel may work on tiles: it has two dimensions and barriers."""
    graph = frame.graph
    steps = sum(len(block.steps) for block in graph.blocks)
    tiles = len(graph.regions) > 1 and {"%tid.x", "%tid.y"} <= graph.register_bits.keys()
    return (
        bool(frame.consecutive_slot)
        and frame.flow.has_converged
        and tiles
        and steps <= MOST_STEPS
        and not frame.module.settings.quick
    )


class UniformTile:
    """The loops of a kernel's regions for uniform tiles."""

    def __init__(self, regions: Regions):
        self.regions, self.frame, self.builder = regions, regions.frame, regions.builder
        self.holds = self._is_tile()
        self.diverged = self.builder.slot("i1")  # some SIMD group was not converged at the last barrier
        self.returned = self.builder.slot("i1")  # some SIMD group has returned
        self.resume_at = self.builder.slot("i32")  # block at which a SIMD group left the loop, plus 1; 0: none did

    def _is_tile(self) -> Value:
        """Return whether the blocks of this call are uniform tiles."""
        frame, regions = self.frame, self.regions
        found = frame.entry.compare("icmp eq", regions.groups, regions.full_groups)
        for axis, size in ((0, affine.lanes_of_segment(frame)), (2, 1)):
            same = frame.entry.compare("icmp eq", frame.warp_field("block_dim", "i32", 4 * axis), size)
            found = frame.entry.binary("and", found, same)
        return found

    def begin_block(self) -> None:
        """Begin a block of the grid."""
        for slot in (self.diverged, self.returned):
            slot.store(0)
        self.resume_at.store(0)

    def emit_loop(self, region: Region, emit_converged: Callable[[tuple[int, ...]], object]) -> set[int]:
        """Emit the loop; return at which blocks SIMD groups may leave it.

        It is entered in front of the region's other loop, to which it passes all other blocks on.
        """
        builder, flow, number = self.builder, self.frame.flow, region.number
        some = [slot.load() for slot in (self.diverged, self.returned)]
        self.diverged.store(0)
        converged = builder.binary("xor", builder.binary("or", some[0], some[1]), 1)
        applies = builder.binary("and", converged, self.holds)
        builder.branch(applies, f"tile{number}", f"run{number}")
        builder.label(f"tile{number}")
        flow.tile_exits = set()
        self.regions.begin_tile_group(region)
        emit_converged(region.blocks)
        self._end(region)
        exits, flow.tile_exits = flow.tile_exits, None
        self._leave(region, exits)
        return exits

    def _end(self, region: Region) -> None:
        builder, regions, number = self.builder, self.regions, region.number
        builder.label(self.frame.flow.done)
        regions.return_group(region)
        builder.jump(self.frame.flow.arrived)
        builder.label(self.frame.flow.arrived)
        following = builder.binary("add", regions.current.load(), 1)
        regions.current.store(following)
        more = builder.compare("icmp ult", following, regions.groups)
        builder.branch(more, f"tile{number}", f"over{number}")

    def _leave(self, region: Region, exits: set[int]) -> None:
        """Continue with the SIMD group in the region's other loop."""
        builder, number = self.builder, region.number
        for block in sorted(exits):
            builder.label(f"leave{number}.{block}")
            self.resume_at.store(block + 1)
            builder.jump(f"leave{number}")
        if exits:
            builder.label(f"leave{number}")
            self.regions.indices.resume_group(self.regions.current.load())
            builder.jump(f"group{number}")

    def resume(self, region: Region, exits: set[int]) -> None:
        """Go to the block at which the SIMD group has left its loop, if it has."""
        builder = self.builder
        if exits:
            block, fresh = self.resume_at.load(), builder.new_label("fresh")
            self.resume_at.store(0)
            builder.switch(block, [(each + 1, f"b{region.number}.{each}") for each in sorted(exits)], fresh)
            builder.label(fresh)
