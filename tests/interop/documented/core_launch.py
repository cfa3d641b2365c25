# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments of all kinds, cooperative launches, dynamic shared memory, what launch() refuses."""

import ctypes
import pathlib

import numpy as np
import nvidia
from common import begin, compiled, outcome, pinned

from cuda.core import LaunchConfig, launch

device, stream = begin()
SOURCE = r"""
#include <cooperative_groups.h>
extern "C" __global__ void everything(double *out, bool a, char b, short c, int d, long long e, float f, double g, unsigned char h)
{
    double values[] = {double(a), double(b), double(c), double(d), double(e), double(f), g, double(h)};
    if (threadIdx.x < 8) out[threadIdx.x] = values[threadIdx.x];
}
extern "C" __global__ void shared(int *out)
{
    extern __shared__ int data[];
    unsigned size;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x] + size;
}
extern "C" __global__ void together(int *out)
{
    atomicAdd(out, 1);
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[1] = out[0];
}
"""
include = pathlib.Path(next(iter(nvidia.__path__))) / "cu13" / "include"
everything, shared, together = compiled(
    SOURCE, "everything", "shared", "together", include_path=[str(include), str(include / "cccl")]
)
buffer, out = pinned(8, np.float64)
one = LaunchConfig(grid=1, block=32)
launch(
    stream,
    one,
    everything,
    buffer,
    True,
    ctypes.c_byte(120),
    np.int16(-3),
    ctypes.c_int(7),
    -(1 << 40),
    ctypes.c_float(0.5),
    2.25,
    np.uint8(255),
)
stream.sync()
print(out)
out_buffer, numbers = pinned(32, np.int32)
launch(stream, LaunchConfig(grid=1, block=32, shmem_size=256), shared, out_buffer)
stream.sync()
print(numbers)
numbers[:] = 0
launch(stream, LaunchConfig(grid=2, block=64, is_cooperative=True), together, out_buffer)
stream.sync()
print(numbers[:2])
print(LaunchConfig(grid=(2, 3), block=(4,)).grid, LaunchConfig(grid=1, block=(1, 2, 3)).block)
print(
    outcome(LaunchConfig, grid=0, block=1),
    outcome(LaunchConfig, grid=(1, 2, 3, 4), block=1),
)
print(
    outcome(launch, stream, one, "everything"),
    outcome(launch, None, one, everything),
    outcome(launch, stream, None, everything),
)
