# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A launch with thread block clusters, and what the kernel sees of them."""

import numpy as np
from common import begin, compiled, pinned

from cuda.core import LaunchConfig, launch

device, stream = begin()
SOURCE = r"""
extern "C" __global__ void dims(unsigned *out)
{
    unsigned rank, size, clusters;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters));
    if (threadIdx.x == 0) { out[3 * blockIdx.x] = rank; out[3 * blockIdx.x + 1] = size; out[3 * blockIdx.x + 2] = clusters; }
}
"""
(kernel,) = compiled(SOURCE, "dims")
config = LaunchConfig(grid=4, cluster=2, block=32)
print(config.grid, config.cluster, config.block, config.shmem_size, config.is_cooperative)
blocks = config.grid[0] * config.cluster[0]
buffer, seen = pinned(3 * blocks, np.uint32)
launch(stream, config, kernel, buffer)
stream.sync()
print(seen.reshape(-1, 3).tolist())
