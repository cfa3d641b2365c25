# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels with known slowdowns, for perf_targets: 5 % or 2 % more blocks, each with the same work."""

from __future__ import annotations

import functools

import numpy as np

from cuda.core import LaunchConfig, Module, launch
from cuda.perf import State, axis, benchmark

SIZES = 100, 200, 300, 400  # blocks, of which 2 % and 5 % are whole numbers
CHANGES = {"base": 1.0, "same": 1.0, "slower2": 1.02, "slower5": 1.05}
SOURCE = r"""
extern "C" __global__ void compute(const float *x, float *y, int count) // dependent multiplications and additions
{
    float value = x[threadIdx.x];
    for (int i = 0; i < count; ++i)
        value = value * 0.999f + 0.001f;
    y[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
extern "C" __global__ void copy(const float *x, float *y, int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        y[blockIdx.x * count + i] = x[blockIdx.x * count + i];
}
extern "C" __global__ void shared(const float *x, float *y, int count) // barriers, shared memory
{
    __shared__ float tile[256];
    float sum = 0;
    for (int i = 0; i < count; ++i) {
        tile[threadIdx.x] = x[i * blockDim.x + threadIdx.x];
        __syncthreads();
        sum += tile[255 - threadIdx.x];
        __syncthreads();
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void gather(const float *x, float *y, int count) // irregular reads, divergent loops
{
    unsigned at = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < count + (int)(threadIdx.x & 7); ++i) {
        at = (at * 1664525u + 1013904223u) & 65535u;
        sum += x[at];
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""
COUNTS = {"compute": 64, "copy": 1024, "shared": 16, "gather": 16}


@functools.cache
def module() -> Module:
    return Module.from_source(SOURCE)


@benchmark
@axis.variant("kernel", *COUNTS)
@axis.size("size", *SIZES)
@axis.variant("change", *CHANGES)
def case(state: State, kernel: str, size: int, change: str) -> None:
    """Launch a kernel with as many blocks as the change says."""
    blocks, count = round(size * CHANGES[change]), COUNTS[kernel]
    function = getattr(module(), kernel)
    x = state.device.to_device(np.ones(2 * size * 1024, np.float32), stream=state.stream)
    y = state.device.zeros(2 * size * 1024, np.float32, stream=state.stream)
    config = LaunchConfig(grid=blocks, block=256)
    state.exec(lambda launched: launch(launched.stream, config, function, x, y, count))
