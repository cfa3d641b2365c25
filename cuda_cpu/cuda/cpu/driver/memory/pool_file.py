# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The memory file of a pool that is shared between processes: sparse, of the size of an arena."""

from __future__ import annotations

import os
from typing import Any

from cuda.cpu.driver.base import address, host_memory, once, shared_file
from cuda.cpu.driver.device import device as devices
from cuda.cpu.runtime import _runtime


class PoolFile:
    """An arena in a file; what it hands out counts as memory of `of` (None: the host's)."""

    def __init__(self, kind: int, location: tuple[int, int], of: devices.Device | None) -> None:
        name = f"pool-{kind}-{location[0]}-{location[1]}"

        def make(size: int) -> tuple[int, Any]:
            descriptor = shared_file.make(name, size)
            try:
                return descriptor, _runtime.Arena(size, descriptor)
            except BaseException:
                os.close(descriptor)
                raise

        memory = of.memory if of is not None else host_memory.physical()
        self.descriptor, self.arena = host_memory.reserve(memory, make)
        self.base, self.size = self.arena.base, self.arena.size
        self.device = of
        self.sizes: dict[int, int] = {}
        self.closed = False

    def allocate(self, size: int) -> int:
        start = self.arena.allocate(size)
        self.sizes[start] = size
        if self.device is not None:
            with once.counting:
                self.device.mapped += size
        return start

    def free(self, start: int) -> None:
        self.arena.free(start)
        size = self.sizes.pop(start)
        if self.device is not None:
            with once.counting:
                self.device.mapped -= size
        self.close(only=self.closed)

    def close(self, *, only: bool = True) -> None:
        """Give the file back, now or when the last block is freed."""
        self.closed = self.closed or only
        if only and not self.sizes and self.descriptor >= 0:
            address.forget(self)
            self.arena.close()
            os.close(self.descriptor)
            self.descriptor = -1
