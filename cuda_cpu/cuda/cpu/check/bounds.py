# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit memcheck's test for the usual case: all lanes access the allocation that the instruction's last access was in.

The runtime stores that allocation for each site (struct cpu_ranges in runtime/check/check.h). Shared and local memory
are compared with their sizes. An access that passes is right, so that it needs no call of check_access.
"""

from __future__ import annotations

from cuda.cpu.check import MEMCHECK, SPACES, STRONG, SYNCCHECK
from cuda.cpu.check.accesses import Access
from cuda.cpu.emit.access import affine
from cuda.cpu.emit.access.addresses import local_start, pointers, shared_start
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.syntax import Register
from cuda.cpu.runtime.abi import number

RANGES = number("RANGES")
RANGE_BYTES = 24  # of struct cpu_range: version, start, size
FIRST_RANGE = 8  # behind the address of the version
IN_TABLE = ("global", "const", "generic")

Variable = tuple[Value, ...] | None  # struct cpu_variable: offset, size, space, name


def can_test(checks: int, access: Access) -> bool:
    """Return whether nothing but its bounds must be checked of an access, by sizes that are known here."""
    if not checks & MEMCHECK or checks & ~(MEMCHECK | SYNCCHECK) or (checks & SYNCCHECK and access.kind & STRONG):
        return False
    is_plain = isinstance(access.size, int) and access.skipped is None and not access.mbarrier
    return is_plain and access.space in (*IN_TABLE, "shared", "local")


def is_right(frame: Frame, access: Access, pointer: Value, variable: Variable, site: int) -> Value:
    """Return whether the addresses of all lanes that run are aligned and within bounds (i1)."""
    assert isinstance(access.size, int)
    lanes = frame.mask if access.lanes == -1 else frame.builder.binary("and", frame.mask, access.lanes)
    if (ends := _ends(frame, access, pointer)) is not None:
        span, starts = ends
        tests = [_test(frame, access, start, access.size + span, variable, site) for start in starts]
        return frame.builder.fold("and", tests)
    address = frame.builder.cast("ptrtoint", pointer, "i64")
    right = _test(frame, access, address, access.size, variable, site)
    if right.uniform:
        return right
    wrong = frame.builder.lane_bits(frame.builder.complement(right))
    return frame.builder.is_zero(frame.builder.binary("and", wrong, lanes))


def is_row(frame: Frame, access: Access) -> bool:
    """Return whether the lanes that run access neighbouring memory."""
    return frame.module.lane_run == frame.width and _is_contiguous(frame, access)


def bases_of(frame: Frame, access: Access) -> list[Value]:
    """Return the first address of each segment, if the lanes of a segment that run access neighbouring memory."""
    found: list[Value] = []
    if not _is_contiguous(frame, access) or access.space in ("local", "param"):
        return found
    for segment in affine.segments(frame):
        with frame.in_segment(segment):
            pointer = pointers(frame, access.address, access.space)
        found.append(frame.builder.cast("ptrtoint", pointer, "i64"))
    return found


def _is_contiguous(frame: Frame, access: Access) -> bool:
    base = access.address.base
    stride = frame.graph.strides.get(base.name) if isinstance(base, Register) else None
    return frame.copy.consecutive and access.lanes == -1 and stride is not None and stride == access.size


def _ends(frame: Frame, access: Access, pointer: Value) -> tuple[int, list[Value]] | None:
    """Return the first address of each segment whose lanes are consecutive, and how far it is to the last one's."""
    base = access.address.base
    stride = frame.graph.strides.get(base.name) if isinstance(base, Register) else None
    known = frame.copy.full and access.lanes == -1 and access.space != "local" and not pointer.uniform
    if stride is None or not known or stride % _natural(access.size):
        return None
    span, starts = stride * (affine.lanes_of_segment(frame) - 1), []
    for segment in affine.segments(frame):
        with frame.in_segment(segment):
            start = frame.builder.cast("ptrtoint", pointers(frame, access.address, access.space), "i64")
        starts.append(frame.builder.binary("add", start, min(span, 0)) if span < 0 else start)
    return abs(span), starts


def _natural(size: object) -> int:
    """Return the alignment of an access of some bytes, as runtime/check/check.c."""
    assert isinstance(size, int)
    return 32 if size > 16 else 1 << (size - 1).bit_length()


def _test(frame: Frame, access: Access, address: Value, size: int, variable: Variable, site: int) -> Value:
    """Return whether some bytes from an address on are within bounds, and the address is aligned."""
    builder = frame.builder
    start, extent, valid = _bounds(frame, access, variable, site)
    limit = builder.intrinsic("usub.sat", "i64", extent, constant(size - 1, "i64"))
    right = builder.compare("icmp ult", builder.binary("sub", address, start), limit)
    if (natural := _natural(access.size)) > 1:
        low = builder.binary("and", address, natural - 1)
        right = builder.binary("and", right, builder.is_zero(low))
    return right if valid is None else builder.binary("and", right, valid)


def _bounds(frame: Frame, access: Access, variable: Variable, site: int) -> tuple[Value, Value, Value | None]:
    """Return where the memory begins that may be accessed, its size, and whether that is known (None: it is)."""
    builder = frame.builder
    space = access.space
    if variable is not None and variable[2].ref != str(SPACES["global"]):
        space = "local" if variable[2].ref == str(SPACES["local"]) else "shared"
    if space in IN_TABLE:
        return _range(frame, site)
    start = local_start(frame) if space == "local" else shared_start(frame)
    size = frame.warp_slot("local_top", "i64").load() if space == "local" else frame.warp_field("shared_size", "i32")
    size = builder.resize(size, "i64")
    if variable is None:
        return start, size, None
    offset, extent = variable[:2]
    start = builder.binary("add", start, offset)
    return start, builder.binary("sub", size, offset) if extent.ref == "0" else extent, None


def _range(frame: Frame, site: int) -> tuple[Value, Value, Value]:
    """Return start and size of the allocation of the site's last access, and whether they are valid."""
    builder = frame.builder
    ranges = frame.warp_field("ranges", "ptr").ref
    at = FIRST_RANGE + RANGE_BYTES * ((site ^ site >> 32) % RANGES)
    version, start, size = (builder.load("i64", builder.offset(ranges, at + 8 * i), align=8) for i in range(3))
    now = builder.load("i64", frame.fixed_load(ranges, 0, "ptr", 8).ref, align=8)
    return start, size, builder.compare("icmp eq", version, now)
