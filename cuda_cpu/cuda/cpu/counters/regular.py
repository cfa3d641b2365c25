# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Count requests whose addresses have a stride that the passes know, without looking at each lane's address.

A segment has as many lanes as are consecutive in the blocks that the code is compiled for: 32 or 16. A request is
regular if all lanes run and the addresses within each segment have the stride. The code computes the sectors of global
memory from the first and last addresses. For shared memory, it counts how often each distance between the segments
occurs; `profile/regular.py` derives the wavefronts.
"""

from __future__ import annotations

from cuda.cpu.check import READ, WRITE
from cuda.cpu.check.instrument import Access
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
REQUESTS, SECTORS, EXCESS, STRIDED, GLOBAL_COUNTERS = range(5)


def stride_of(strides: dict[str, int], access: Access, pointer: Value, segments: int) -> int | None:
    """Return the distance in bytes of the addresses of neighbouring lanes of a regular request; None if unknown.

    Parameters
    ----------
    strides : dict
        Strides of affine registers, see passes/find_affine.py.
    """
    if not isinstance(access.size, int) or access.size > SECTOR or access.lanes != -1 or access.skipped is not None:
        return None
    if access.space not in SPACES or access.kind & UPDATE == UPDATE:  # of atomic operations, collisions count, too
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
        return 1 if segments == 1 else DISTANCES
    return GLOBAL_COUNTERS


class RegularRequest:
    """Emits the test whether a request is regular, and its counters.

    The passes assume consecutive lanes, and indices that do not wrap around between the first lane and the last.
    """

    def __init__(self, frame: Frame, addresses: Value, stride: int, size: int):
        self.builder = frame.builder
        self.frame = frame
        self.uniform = addresses.uniform
        self.stride, self.size = stride, size
        self.lanes = WARP if addresses.uniform else frame.module.lane_run  # of a segment
        starts = range(0, WARP, self.lanes)
        self.first = [self.builder.extract(addresses, str(lane)) for lane in starts]
        self.last = [self.builder.extract(addresses, str(lane + self.lanes - 1)) for lane in starts]

    def test(self) -> Value:
        """Return whether the request is regular."""
        builder = self.builder
        found = builder.compare("icmp eq", self.frame.mask, -1)
        if self.uniform:
            return found
        span = constant(self.stride * (self.lanes - 1), "i64")
        for first, last in zip(self.first, self.last, strict=True):
            found = builder.binary("and", found, builder.compare("icmp eq", builder.binary("sub", last, first), span))
        return builder.binary("and", found, has_consecutive_lanes(self.frame))

    def distance(self) -> Value:
        """Return the index of the counter for the distance of the second segment from the first (i64)."""
        builder = self.builder
        if len(self.first) == 1:
            return constant(0, "i64")
        bytes_ = builder.binary("sub", self.first[1], self.first[0])
        words = builder.binary("ashr", bytes_, constant(2, "i64"))
        near = builder.binary("add", words, constant(NEAR, "i64"))
        bank = builder.binary("and", words, constant(BANKS - 1, "i64"))
        is_near = builder.compare("icmp ult", near, constant(2 * NEAR, "i64"))
        return builder.select(is_near, near, builder.binary("add", bank, constant(2 * NEAR, "i64")))

    def sectors(self) -> Value:
        """Return the number of sectors (i64)."""
        builder = self.builder
        if abs(self.stride) >= SECTOR:
            return constant(WARP, "i64")
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

    def has_excess(self, sectors: Value) -> Value:
        """Return whether the sectors are more than the bytes would fill (i64)."""
        needed = -(-self.size * WARP // SECTOR)
        return self.builder.cast("zext", self.builder.compare("icmp ugt", sectors, constant(needed, "i64")), "i64")

    def is_strided(self) -> Value:
        """Return whether all lanes have the stride, and it is not 0 (i64)."""
        if len(self.first) == 1 or not self.stride:
            return constant(int(self.stride != 0), "i64")
        distance = self.builder.binary("sub", self.first[1], self.first[0])
        same = self.builder.compare("icmp eq", distance, constant(self.stride * self.lanes, "i64"))
        return self.builder.cast("zext", same, "i64")
