# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Count requests whose addresses have a stride that the passes know, without looking at each lane's address.

A segment has as many lanes as are consecutive in the blocks that the code is compiled for: 32 or 16. A request is
regular if the addresses within each segment have the stride, and all lanes run. With one segment, some lanes are
enough: any of them if they access the same address, otherwise those between the first and the last one. The code
computes the sectors of global memory from the first and last addresses. For shared memory, it counts how often each
distance between the segments occurs; `profile/regular.py` derives the wavefronts.
"""

from __future__ import annotations

from cuda.cpu.check import READ, WRITE
from cuda.cpu.check.accesses import Access
from cuda.cpu.emit.access.addresses import pointers
from cuda.cpu.emit.access.affine import has_consecutive_lanes
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.syntax import Register
from cuda.cpu.runtime.abi import number

SECTOR, WARP, BANKS = number("SECTOR"), number("WARP_SIZE"), number("BANKS")
UPDATE = READ | WRITE
SPACES = ("global", "const", "shared")
WORD = 4
# Distances between segments of shared memory, in words: those that are counted exactly, from -NEAR to NEAR; of others,
# only the bank counts. Words of two segments can be the same only if these are NEAR.
NEAR = 128
DISTANCES = 2 * NEAR + BANKS
MOST_STRIDE = 16  # of two segments in shared memory: 15 times this is NEAR
# Counters of global memory; of shared memory and one segment, the first three.
REQUESTS, THREADS, STRIDED, SECTORS, EXCESS, GLOBAL_COUNTERS = range(6)
SHARED_COUNTERS = 3


def can_be_regular(access: Access) -> bool:
    """Return whether the code can count requests of an access itself: not of atomic operations, which may collide."""
    is_plain = isinstance(access.size, int) and access.size <= SECTOR and access.lanes == -1 and access.skipped is None
    return is_plain and access.space in SPACES and access.kind & UPDATE != UPDATE


def stride_of(strides: dict[str, int], access: Access, pointer: Value, segments: int) -> int | None:
    """Return the distance in bytes of the addresses of neighbouring lanes of a regular request; None if unknown.

    Parameters
    ----------
    strides : dict
        Strides of affine registers, see passes/find_affine.py.
    """
    if not can_be_regular(access):
        return None
    base = access.address.base
    stride = 0 if pointer.uniform else strides.get(base.name) if isinstance(base, Register) else None
    if stride is None:
        return None
    if access.space == "shared" and stride % WORD and abs(stride) > 2:
        return None  # which words are accessed depends on the base
    if segments > 1 and abs(stride) > (MOST_STRIDE if access.space == "shared" else SECTOR - 1):
        return None
    return stride


def counters_of(space: str, segments: int) -> int:
    """Return the number of counters of an access."""
    if space == "shared":
        return SHARED_COUNTERS if segments == 1 else DISTANCES
    return GLOBAL_COUNTERS


class RegularRequest:
    """Emits the test whether a request is regular, and its counters.

    The passes assume consecutive lanes, and indices that do not wrap around between the first lane and the last.
    """

    def __init__(self, frame: Frame, access: Access, pointer: Value, stride: int | None):
        """Without a stride, a request is regular if all lanes that run access the same address."""
        assert isinstance(access.size, int)
        self.frame, self.builder = frame, frame.builder
        self.size, self.space = access.size, access.space
        self.same: Value | None = None  # whether the addresses are the same, if that is not known
        if stride is None:
            stride, pointer = 0, self._first_of(pointer)
        self.stride = stride
        self.uniform = pointer.uniform
        self.lanes = WARP if pointer.uniform else frame.module.lane_run  # of a segment
        self.segments = WARP // self.lanes
        # Bytes and words of up to 32 neighbouring words are in different banks, whichever lanes run.
        free = access.space != "shared" or (access.size <= WORD and abs(stride) <= WORD)
        self.partial = self.segments == 1 and free and not frame.copy.full
        lowest, highest = self._ends()
        starts = range(0, WARP, self.lanes)
        if self.uniform:
            self.first = self.last = [frame.builder.cast("ptrtoint", pointer, "i64")]
        elif frame.copy.consecutive:
            bases = [self._base(access, segment) for segment in range(self.segments)]
            self.first = [self._moved(base, lowest) for base in bases]
            self.last = [self._moved(base, highest) for base in bases]
        else:
            addresses = frame.builder.cast("ptrtoint", pointer, "i64")
            self.first = [self._element(addresses, lane, lowest) for lane in starts]
            self.last = [self._element(addresses, lane, highest) for lane in starts]

    def _first_of(self, pointer: Value) -> Value:
        """Return the address of the first lane that runs, and set `same`."""
        builder, mask = self.builder, self.frame.mask
        first = builder.intrinsic("cttz", "i32", mask, "i1 false")
        lane = builder.binary("and", first, constant(WARP - 1, "i32"))
        found = builder.extract(pointer, lane.ref)
        others = builder.lane_bits(builder.compare("icmp ne", pointer, found))
        self.same = builder.compare("icmp eq", builder.binary("and", others, mask), 0)
        return found

    def _ends(self) -> tuple[Value, Value]:
        """Return the first and last lane of a segment (i32)."""
        builder = self.builder
        if not self.partial or self.uniform:
            return constant(0, "i32"), constant(self.lanes - 1, "i32")
        first = builder.intrinsic("cttz", "i32", self.frame.mask, "i1 false")
        above = builder.intrinsic("ctlz", "i32", self.frame.mask, "i1 false")
        lanes = constant(WARP - 1, "i32")  # there is no such lane in an empty mask, which is not regular
        return builder.binary("and", first, lanes), builder.binary("and", builder.binary("sub", lanes, above), lanes)

    def _base(self, access: Access, segment: int) -> Value:
        with self.frame.in_segment(segment):
            return self.builder.cast("ptrtoint", pointers(self.frame, access.address, access.space), "i64")

    def _moved(self, base: Value, lane: Value) -> Value:
        distance = self.builder.binary("mul", self.builder.resize(lane, "i64"), constant(self.stride, "i64"))
        return self.builder.binary("add", base, distance)

    def _element(self, addresses: Value, segment: int, lane: Value) -> Value:
        if lane.literal:
            return self.builder.extract(addresses, str(segment + int(lane.ref)))
        return self.builder.extract(addresses, lane.ref)

    def test(self) -> Value | None:
        """Return whether the request is regular; None if it always is."""
        builder, mask = self.builder, self.frame.mask
        if self.frame.copy.full:
            return self.same
        if not self.partial:
            found = builder.compare("icmp eq", mask, -1)
        else:
            found = builder.compare("icmp ne", mask, 0)
            if not self.uniform:
                found = builder.binary("and", found, self._is_contiguous(mask))
        if self.same is not None:
            return builder.binary("and", found, self.same)
        if self.uniform or self.frame.copy.consecutive:
            return found
        first_lane, last_lane = self._ends()
        lanes = builder.resize(builder.binary("sub", last_lane, first_lane), "i64")
        span = builder.binary("mul", lanes, constant(self.stride, "i64"))
        for first, last in zip(self.first, self.last, strict=True):
            found = builder.binary("and", found, builder.compare("icmp eq", builder.binary("sub", last, first), span))
        return builder.binary("and", found, has_consecutive_lanes(self.frame))

    def _is_contiguous(self, mask: Value) -> Value:
        """Return whether all lanes between the first and the last run: adding the first one carries to the end."""
        builder = self.builder
        lowest = builder.binary("and", mask, builder.binary("sub", constant(0, "i32"), mask))
        return builder.compare("icmp eq", builder.binary("and", builder.binary("add", mask, lowest), mask), 0)

    def threads(self) -> Value:
        """Return the number of lanes (i64)."""
        if not self.partial:
            return constant(WARP, "i64")
        return self.builder.resize(self.builder.intrinsic("ctpop", "i32", self.frame.mask), "i64")

    def distance(self) -> Value:
        """Return the index of the counter for the distance of the second segment from the first (i64)."""
        builder = self.builder
        bytes_ = builder.binary("sub", self.first[1], self.first[0])
        words = builder.binary("ashr", bytes_, constant(2, "i64"))
        near = builder.binary("add", words, constant(NEAR, "i64"))
        bank = builder.binary("and", words, constant(BANKS - 1, "i64"))
        is_near = builder.compare("icmp ult", near, constant(2 * NEAR, "i64"))
        return builder.select(is_near, near, builder.binary("add", bank, constant(2 * NEAR, "i64")))

    def sectors(self, threads: Value) -> Value:
        """Return the number of sectors (i64)."""
        builder = self.builder
        if abs(self.stride) >= SECTOR:
            return threads
        shift = constant(SECTOR.bit_length() - 1, "i64")
        ranges = []
        for first, last in zip(self.first, self.last, strict=True):
            lowest, highest = (last, first) if self.stride < 0 else (first, last)
            ranges.append((builder.binary("lshr", lowest, shift), builder.binary("lshr", highest, shift)))
        total = self._length(*ranges[0])
        if len(ranges) > 1:
            total = builder.binary("add", total, self._length(*ranges[1]))
            low = builder.intrinsic("umax", "i64", ranges[0][0], ranges[1][0])
            high = builder.intrinsic("umin", "i64", ranges[0][1], ranges[1][1])
            both = builder.intrinsic("smax", "i64", self._length(low, high), constant(0, "i64"))
            total = builder.binary("sub", total, both)
        return total

    def _length(self, low: Value, high: Value) -> Value:
        return self.builder.binary("add", self.builder.binary("sub", high, low), constant(1, "i64"))

    def has_excess(self, sectors: Value, threads: Value) -> Value:
        """Return whether the sectors are more than the bytes would fill (i64)."""
        builder = self.builder
        bytes_ = builder.binary("mul", threads, constant(self.size, "i64"))
        above = builder.binary("add", bytes_, constant(SECTOR - 1, "i64"))
        needed = builder.binary("lshr", above, constant(SECTOR.bit_length() - 1, "i64"))
        return builder.cast("zext", builder.compare("icmp ugt", sectors, needed), "i64")

    def is_strided(self, threads: Value) -> Value:
        """Return whether all lanes have the stride, it is not 0, and they are several (i64)."""
        builder = self.builder
        if not self.stride:
            return constant(0, "i64")
        if self.segments == 1:
            return builder.cast("zext", builder.compare("icmp ugt", threads, constant(1, "i64")), "i64")
        distance = builder.binary("sub", self.first[1], self.first[0])
        same = builder.compare("icmp eq", distance, constant(self.stride * self.lanes, "i64"))
        return builder.cast("zext", same, "i64")
