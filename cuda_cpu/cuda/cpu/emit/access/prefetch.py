# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fetching ahead: packets that access rows of memory ask for what other packets, or later rounds of a loop, will need.

A load or store that waits for its line holds up those behind it, and the CPU fetches ahead by itself only for programs
that go through memory in order, which blocks do not.
"""

from __future__ import annotations

from cuda.cpu.emit.access.affine import Row
from cuda.cpu.emit.access.linear import is_nothing
from cuda.cpu.emit.simt.frame import Frame

FAR = 4096  # bytes: the next page, which the CPU does not fetch by itself
WITHIN = 2560  # into the next page, soon enough
ROUNDS = 8  # of a loop
LINE = 64  # bytes, of the cache
SECOND = 2  # the cache to fetch to: in the first one, lines of several rows drive each other out until they are used


def fetch_ahead(frame: Frame, row: Row, size: int, *, to_write: bool = False) -> None:
    """Ask for what the next warps will access, or in a loop, where addresses may be far apart, the next rounds.

    Once for all accesses that are less than a line apart, as those of a stencil. Packets of which only some lanes run,
    at the ends of rows, ask like all others: what they leave out would be waited for. `size` is that of a segment.
    """
    if not _is_worth_it(frame, row, to_write):
        return
    builder, (register, offset) = frame.builder, row.place
    if any(abs(offset - other) < LINE for name, other in frame.fetched if name == register):
        return
    frame.fetched.append(row.place)
    frame.module.declare("llvm.prefetch.p0", "void", ["ptr", "i32", "i32", "i32"])
    if _is_in_loop(frame) or not frame.flow.regions:
        _ask(frame, row, size, to_write=to_write)
        return
    some, after = builder.new_label("hint"), builder.new_label("asked")
    builder.branch(_is_short(frame), after, some, likely=False)
    builder.label(some)
    _ask(frame, row, size, to_write=to_write)
    builder.jump(after)
    builder.label(after)


def _is_short(frame: Frame) -> str:
    """Return whether this call runs the whole launch, whose data most often are in the second-level cache already."""
    sizes = [frame.warp_field("grid_dim", "i32", 4 * axis).ref for axis in range(3)]
    count = frame.at_entry(f"mul i32 {sizes[0]}, {sizes[1]}")
    count = frame.at_entry(f"mul i32 {count}, {sizes[2]}")
    return frame.at_entry(f"icmp eq i32 {count}, {frame.warp_field('blocks', 'i32').ref}")


def _ask(frame: Frame, row: Row, size: int, *, to_write: bool) -> None:
    builder = frame.builder
    for base in row.bases if size >= LINE else row.bases[:1]:
        if _is_in_loop(frame):
            far = builder.assign(f"mul i64 {row.advance.ref}, {ROUNDS}")
            places = [builder.assign(f"getelementptr i8, ptr {base}, i64 {far}")]
        else:
            places = [builder.offset(base, far) for far in _distances(frame)]
        for place in places:
            for line in range(0, size, max(LINE, size * len(row.bases) // 2)):  # the CPU fetches lines in pairs
                hint = f"i32 {int(to_write)}, i32 {SECOND}, i32 1"
                builder.line(f"call void @llvm.prefetch.p0(ptr {builder.offset(place, line)}, {hint})")


def _distances(frame: Frame) -> list[int]:
    """Return how far ahead other packets go on: in one dimension soon, in two where rows end, too."""
    near = frame.module.near
    if not near:
        return [WITHIN]
    return [near, FAR] if _has_rows(frame) else [near]


def _has_rows(frame: Frame) -> bool:
    """Tell whether blocks, or the grid of them, have a second dimension."""
    return not frame.graph.register_bits.keys().isdisjoint({"%tid.y", "%ctaid.y"})


def _is_worth_it(frame: Frame, row: Row, to_write: bool) -> bool:
    if not row.streams or not frame.flow.has_whole or (frame.module.quick and not frame.whole):
        return False
    if _is_in_loop(frame):
        moves = row.advance is not None and not is_nothing(row.advance)
        return moves and not to_write and not _go_many_ways(frame)
    # Around barriers warps work on tiles, and do not go on with rows, but for blocks that follow each other in a line.
    return len(frame.graph.regions) <= 1 or not _has_rows(frame)


def _go_many_ways(frame: Frame) -> bool:
    """Tell whether packets take turns through several rows at once.

    All lines of a turn lie in one set of the cache where steps are powers of two: with twice as many, which are asked
    for, some are gone before they are used.
    """
    regions = frame.flow.regions
    return bool(regions) and regions.turns.ways_of(frame.flow.block.number) > 1


def _is_in_loop(frame: Frame) -> bool:
    if frame.whole:
        return frame.in_loop
    return any(first <= frame.flow.block.number <= last for first, last in frame.graph.loops)
