# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory that grows in its address range."""

import numpy as np
from common import begin, compiled, pinned

from cuda.core import LaunchConfig, VirtualMemoryResource, VirtualMemoryResourceOptions, launch

device, stream = begin()
(fill,) = compiled(
    'extern "C" __global__ void fill(int *x, int y, int n) { for (int i = threadIdx.x; i < n; i += 64) x[i] = y; }',
    "fill",
)
resource = VirtualMemoryResource(device, VirtualMemoryResourceOptions())
buffer = resource.allocate(1 << 20)
print(buffer.size, resource.is_device_accessible, resource.is_host_accessible, resource.device_id)
count = buffer.size // 4
launch(stream, LaunchConfig(grid=1, block=64), fill, buffer, np.int32(3), np.int32(count))
stream.sync()
resized = resource.modify_allocation(buffer, 6 << 20)
print(resized.size)
host, data = pinned(resized.size // 4, np.int32)
launch(
    stream,
    LaunchConfig(grid=1, block=64),
    fill,
    int(resized.handle) + 4 * count,
    np.int32(4),
    np.int32(resized.size // 4 - count),
)
resized.copy_to(host, stream=stream)
stream.sync()
print(data[0], data[count - 1], data[count], data[-1])
resized.close()
