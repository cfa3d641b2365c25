# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Address ranges of sparse and deferred arrays, into which tiles of memory are mapped."""

from __future__ import annotations

import mmap
from typing import Any

from cuda.cpu.driver.array.array_shape import TILE
from cuda.cpu.driver.base import address, capture_state, once, shared_file
from cuda.cpu.driver.base.address import Allocation, Kind
from cuda.cpu.driver.device import context

READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE


class Tiles:
    """What is mapped into the addresses of an array. `live` keeps cuMemFree away from them."""

    live = False

    def __init__(self, start: int, size: int) -> None:
        self.start, self.size = start, size
        self.mapped: dict[int, Any] = {}  # address of a tile -> virtual_memory.Memory

    def take_back(self, record: Allocation, stream: Any) -> None:
        for tile in list(self.mapped):
            self._let_go(tile)
        shared_file.libc.munmap(self.start, self.size)

    def map(self, tile: int, memory: Any, offset: int) -> None:
        flags = mmap.MAP_SHARED | shared_file.FIXED
        shared_file.map_at(tile, TILE, READ_WRITE, flags, memory.descriptor, offset)
        with once.counting:
            memory.mapped += 1
        self._let_go(tile)
        self.mapped[tile] = memory

    def unmap(self, tile: int) -> None:
        shared_file.map_at(tile, TILE, mmap.PROT_READ, shared_file.PRIVATE | shared_file.FIXED)
        self._let_go(tile)

    def _let_go(self, tile: int) -> None:
        memory = self.mapped.pop(tile, None)
        if memory is not None:
            with once.counting:
                memory.mapped -= 1
            memory.drop()


def reserve(size: int) -> Allocation:
    """Return the record of an array's addresses, with nothing mapped."""
    owner = context.current()
    capture_state.check_safe("a sparse or deferred array")
    size = -(-size // TILE) * TILE
    start = shared_file.map_aligned(size, TILE, mmap.PROT_READ)  # so that all levels begin at a multiple
    record = Allocation(start, size, Kind.DEVICE, owner)
    record.keeper = Tiles(start, size)
    address.add(record)
    return record
