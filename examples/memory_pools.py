# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Allocate from device, pinned and managed pools, a growing buffer, and a custom memory resource."""

import numpy as np

from cuda.core import (
    Buffer,
    Device,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    Host,
    ManagedMemoryResource,
    ManagedMemoryResourceOptions,
    MemoryResource,
    PinnedMemoryResource,
    VirtualMemoryResource,
)


class NumPyMemory(MemoryResource):
    """A memory resource whose memory is allocated by NumPy."""

    is_device_accessible = False
    is_host_accessible = True
    device_id = -1

    def __init__(self):
        self.arrays = {}

    def allocate(self, size, *, stream):
        array = np.empty(size, np.uint8)
        self.arrays[array.ctypes.data] = array
        return Buffer.from_handle(array.ctypes.data, size, mr=self, stream=stream)

    def deallocate(self, ptr, size, *, stream):
        del self.arrays[int(ptr)]


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()

    # A separate pool: freed memory is reused in stream order.
    pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 26))
    for _ in range(100):
        with pool.allocate(1 << 20, stream=stream) as buffer:
            buffer.fill(1, stream=stream)
    print(f"100 MiB were allocated; the pool never held more than {pool.attributes.used_mem_high >> 20} MiB in use")

    # Pinned and managed memory are allocated from pools, too. The host can read both.
    pinned = PinnedMemoryResource().allocate(1024, stream=stream)
    near = ManagedMemoryResourceOptions(preferred_location=device)
    managed = ManagedMemoryResource(near).allocate(1024, stream=stream)
    managed.prefetch(device, stream=stream)
    managed.fill(np.float32(2.5), stream=stream)
    managed.copy_to(pinned, stream=stream)
    managed.prefetch(Host(), stream=stream)
    stream.sync()
    assert (np.frombuffer(pinned, "f4") == 2.5).all()

    # A buffer that grows and keeps its content.
    growing = VirtualMemoryResource(device)
    buffer = growing.allocate(1, stream=stream)
    unit = buffer.size
    growing.modify_allocation(buffer, 3 * unit)
    assert buffer.size == 3 * unit

    # Any resource can be the device's default.
    mine = NumPyMemory()
    with mine.allocate(8, stream=stream) as bytes_of_numpy:
        memoryview(bytes_of_numpy)[:] = b"01234567"
    assert not mine.arrays
    print(f"memory_pools: device, pinned, managed, virtual and NumPy's memory on {device.name}")


if __name__ == "__main__":
    main()
