# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What copies access of pageable host memory, which the runtime does not record: it knows no allocations there.

A copy to such memory may still be under way when the call returns. It races with every copy from or to the same bytes
that nothing orders after it. The source of a copy may be overwritten: it has been read when the call returns, by way of
other memory.
"""

from __future__ import annotations

READ, WRITE = 1, 2  # CPU_TOUCHED_READ, CPU_TOUCHED_WRITE
AREA = 20  # log2 of the bytes of an area: accesses without a common one are not compared

_Side = tuple[int, int, int, int]  # site, block, thread, flags


class Pageable:
    """A range that a copy reads or writes, with the attributes of `_runtime.Operation`."""

    kernel = ""
    node = round = grid_id = symbols = 0
    grid_dim = block_dim = (1, 1, 1)
    ranges = 1

    def __init__(self, number: int, start: int, size: int, *, writes: bool) -> None:
        self.number, self.start, self.end = number, start, start + size
        self._flags = WRITE if writes else READ

    def allocations(self) -> set[int]:
        """Return numbers for the areas, which no allocation has."""
        return {-1 - area for area in range(self.start >> AREA, (self.end - 1 >> AREA) + 1)}

    def conflicts(self, later: Pageable) -> list[tuple[int, int, int, int, _Side, _Side]]:
        """Return what races with a later copy, as `_runtime.Operation.conflicts`."""
        start, end = max(self.start, later.start), min(self.end, later.end)
        if start >= end or not self._flags & WRITE:
            return []
        return [(start, end, 0, 1, (0, 0, 0, self._flags), (0, 0, 0, later._flags))]
