# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Software prefetch of contiguous memory that other SIMD groups, or later iterations of a loop, will access.

A load or store that misses holds up those behind it, and the hardware prefetches only for sequential accesses, which
those of thread blocks are not in two or three dimensions. Launches of few threads are not worth it: their data is
mostly in the cache.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from cuda.cpu.emit.access.affine import ContiguousAccess
from cuda.cpu.emit.access.linear import is_nothing
from cuda.cpu.emit.llvm.values import Value, constant

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

NEXT_PAGE = 4096  # bytes: the next page, which the hardware does not prefetch
WITHIN = 2560  # into the next page, soon enough
ITERATIONS = 8  # of a loop
LINE = 64  # bytes of a cache line
LARGE = 3 << 20  # threads of a launch, measured with words: of 9 MB prefetches gain nothing, of 16 MB a sixth
ONE = constant(1, "i64")
SECOND = 2  # cache level: in the first one, lines of several streams would evict each other before they are used


def prefetch(frame: Frame, access: ContiguousAccess, size: int, *, to_write: bool = False) -> None:
    """Prefetch what the next warps will access, or in a loop, where addresses may be far apart, the next iterations.

    Once for all accesses that are less than a cache line apart, as those of a stencil. SIMD groups of which only some
    lanes run, at the end of contiguous memory, prefetch like all others. `size` is that of a segment.
    """
    if not _is_worth_it(frame, access, to_write):
        return
    builder, (register, offset) = frame.builder, access.origin
    if any(abs(offset - other) < LINE for name, other in frame.block.prefetched if name == register):
        return
    frame.block.prefetched.append(access.origin)
    frame.module.declare("llvm.prefetch.p0", "void", ["ptr", "i32", "i32", "i32"])
    if _is_in_loop(frame):
        _emit_hints(frame, access, size, to_write=to_write)
        return
    some, after = builder.new_label("hint"), builder.new_label("asked")
    builder.branch(_is_large_launch(frame), some, after, likely=False)
    builder.label(some)
    _emit_hints(frame, access, size, to_write=to_write)
    builder.jump(after)
    builder.label(after)


def _is_large_launch(frame: Frame) -> Value:
    """Return whether the launch has so many threads that its data is likely not in the cache."""
    entry = frame.entry
    sizes = [frame.warp_field(field, "i32", 4 * axis) for field in ("grid_dim", "block_dim") for axis in range(3)]
    threads = functools.reduce(lambda a, b: entry.binary("mul", a, entry.cast("zext", b, "i64")), sizes, ONE)
    return entry.compare("icmp uge", threads, LARGE)


def _emit_hints(frame: Frame, access: ContiguousAccess, size: int, *, to_write: bool) -> None:
    builder = frame.builder
    for base in access.bases if size >= LINE else access.bases[:1]:
        if access.advance is not None and _is_in_loop(frame):
            far = builder.binary("mul", access.advance, ITERATIONS)
            pointers = [builder.element("i8", base, far)]
        else:
            pointers = [builder.offset(base, far) for far in _distances(frame)]
        for pointer in pointers:
            for line in range(0, size, max(LINE, size * len(access.bases) // 2)):  # the hardware fetches lines in pairs
                address = Value(builder.offset(pointer, line), "ptr")
                hint = (constant(each, "i32") for each in (to_write, SECOND, 1))
                builder.call("llvm.prefetch.p0", "void", address, *hint)


def _distances(frame: Frame) -> list[int]:
    """Return how far ahead other SIMD groups access memory, also where contiguous memory ends."""
    near = frame.module.settings.near
    return [near, NEXT_PAGE] if near else [WITHIN]


def _is_two_dimensional(frame: Frame) -> bool:
    """Return whether blocks, or the grid of them, have a second dimension."""
    return not frame.graph.register_bits.keys().isdisjoint({"%tid.y", "%ctaid.y"})


def _is_worth_it(frame: Frame, access: ContiguousAccess, to_write: bool) -> bool:
    if not access.streams or not frame.flow.has_converged or (frame.module.settings.quick and not frame.copy.converged):
        return False
    if _is_in_loop(frame):
        moves = access.advance is not None and not is_nothing(access.advance)
        return moves and not to_write and not _has_several_streams(frame)
    if not _is_two_dimensional(frame):
        return not frame.module.settings.near  # AMD's hardware, for which it is set, prefetches sequential accesses
    # Between barriers, warps work on tiles and do not continue their streams.
    return len(frame.graph.regions) <= 1


def _has_several_streams(frame: Frame) -> bool:
    """Return whether interleaved SIMD groups read several streams at once.

    All lines of a slice lie in one cache set where strides are powers of two: with twice as many, because of
    prefetches, some are evicted before they are used.
    """
    regions = frame.flow.regions
    return regions is not None and regions.interleaving.streams_of(frame.flow.block.number) > 1


def _is_in_loop(frame: Frame) -> bool:
    if frame.copy.converged:
        return frame.copy.in_loop
    return any(first <= frame.flow.block.number <= last for first, last in frame.graph.loops)
