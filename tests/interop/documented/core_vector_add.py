# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A template kernel, instantiated for two types, over device memory filled from pinned memory."""

import numpy as np
from common import begin, compiled, pinned

from cuda.core import LaunchConfig, launch

device, stream = begin()
SOURCE = """
template <typename T>
__global__ void add(const T *a, const T *b, T *c, size_t count)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        c[i] = a[i] + b[i];
}
"""
kernels = compiled(SOURCE, "add<float>", "add<long long>")
count = 50_000
for kernel, kind in zip(kernels, (np.float32, np.int64), strict=True):
    host_a, a = pinned(count, kind, np.arange(count))
    host_b, b = pinned(count, kind, 3)
    host_c, c = pinned(count, kind)
    on_device = [device.allocate(host.size, stream=stream) for host in (host_a, host_b, host_c)]
    on_device[0].copy_from(host_a, stream=stream)
    on_device[1].copy_from(host_b, stream=stream)
    launch(stream, LaunchConfig(grid=64, block=256), kernel, *on_device, np.uint64(count))
    on_device[2].copy_to(host_c, stream=stream)
    stream.sync()
    print(np.dtype(kind), np.array_equal(c, a + b), c[:3], c[-1])
    for buffer in on_device:
        buffer.close(stream)
stream.close()
