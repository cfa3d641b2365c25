# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Device, pinned and managed memory: allocation, copies, fills, attributes, closing."""

import numpy as np
from common import begin, outcome

from cuda.core import (
    Buffer,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    LegacyPinnedMemoryResource,
    ManagedMemoryResource,
    PinnedMemoryResource,
)

device, stream = begin()
resources = [
    device.memory_resource,
    DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 24)),
    LegacyPinnedMemoryResource(),
    PinnedMemoryResource(),
    ManagedMemoryResource(),
]
buffers = []
for resource in resources:
    buffer = resource.allocate(1000, stream=stream)
    print(
        type(resource).__name__, buffer.size, buffer.is_device_accessible, buffer.is_host_accessible, outcome(getattr, buffer, "device_id"),
        buffer.is_managed, buffer.is_mapped, buffer.__dlpack_device__(), outcome(getattr, resource, "device_id"), buffer.memory_resource is resource,
    )  # fmt: skip
    buffer.fill(len(buffers) + 1, stream=stream)
    buffers.append(buffer)
stream.sync()
for source in buffers:
    for target in buffers:
        source.copy_to(target, stream=stream)
        stream.sync()
        if target.is_host_accessible:
            print(int(np.from_dlpack(target).view(np.uint8).sum()), end=" ")
print()
copied = buffers[2].copy_to(stream=stream)
print(copied.size, copied == buffers[2], copied == copied, copied != buffers[0])
print(outcome(buffers[0].copy_from, resources[0].allocate(10, stream=stream), stream=stream))
print(outcome(buffers[0].fill, 256, stream=stream), outcome(buffers[0].fill, b"abc", stream=stream))
print(outcome(buffers[0].fill, b"\1\2\3\4", stream=stream), outcome(buffers[0].fill, "x", stream=stream))
print(outcome(resources[0].allocate, "10", stream=stream))
print(outcome(resources[1].allocate, 1 << 30, stream=stream))
handle = buffers[0].handle
alias = Buffer.from_handle(handle, 1000, owner=buffers[0])
print(int(alias.handle) == int(handle), alias.owner is buffers[0], alias.memory_resource)
for buffer in buffers:
    buffer.close(stream)
    buffer.close()
print(buffers[0].is_closed, buffers[0].handle, buffers[0].size)
stream.sync()
