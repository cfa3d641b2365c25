# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from typing import Self

from cuda.core._device._device import Device
from cuda.core._memory._resource import MemoryResource

class GraphMemory(MemoryResource):
    def trim(self) -> None: ...
    def close(self) -> None: ...
    @property
    def attributes(self) -> GraphMemoryAttributes: ...

class GraphMemoryResource(GraphMemory):
    def __new__(cls, device_id: int | Device) -> Self: ...

class GraphMemoryAttributes:
    def __init__(self, resource: GraphMemory) -> None: ...
    reserved_mem_high: int
    used_mem_high: int
    @property
    def reserved_mem_current(self) -> int: ...
    @property
    def used_mem_current(self) -> int: ...
