# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What each memory resource does with unusual sizes."""

from common import begin

from cuda.core import (
    Buffer,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    GraphMemoryResource,
    LegacyPinnedMemoryResource,
    ManagedMemoryResource,
    PinnedMemoryResource,
    VirtualMemoryResource,
)
from cuda.core.graph import GraphDefinition

device, stream = begin()
resources = [
    device.memory_resource,
    DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 24)),
    PinnedMemoryResource(),
    ManagedMemoryResource(),
    LegacyPinnedMemoryResource(),
    VirtualMemoryResource(device),
]
sizes = [0, 1, 64, 64.0, True, -1, -(1 << 40), 1 << 62, 1 << 63, 1 << 64, 1 << 70, "4", None, b"4"]


def tried(allocate, size):
    try:
        with allocate(size) as buffer:
            return type(buffer.handle).__name__, buffer.size >= size
    except Exception as error:
        return type(error).__name__


for resource in resources:
    for size in sizes:
        if not (isinstance(size, float) and isinstance(resource, LegacyPinnedMemoryResource | VirtualMemoryResource)):
            print(type(resource).__name__, size, tried(lambda n, r=resource: r.allocate(n, stream=stream), size))

builder = device.create_graph_builder().begin_building()
graph = GraphDefinition()
for size in sizes[:4]:
    print("captured", size, tried(lambda n: GraphMemoryResource(device).allocate(n, stream=builder), size))
for size in sizes[4:]:
    try:
        print("node", size, type(graph.allocate(size)).__name__)
    except Exception as error:
        print("node", size, type(error).__name__)
for size in (4, 4.0, -1, 1 << 64, "4", None):
    print("wrapped", size, tried(lambda n: Buffer.from_handle(4096, n), size))
