# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Solve a linear system by conjugate gradients in a single kernel, with block-wide sums of CUB."""

import numpy as np

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = r"""
#include <cub/block/block_reduce.cuh>
constexpr int COUNT = 256;
using Reduce = cub::BlockReduce<double, COUNT>;

__device__ double dot(double a, double b, typename Reduce::TempStorage &storage)
{
    __shared__ double total;
    double sum = Reduce(storage).Sum(a * b);
    if (threadIdx.x == 0)
        total = sum;
    __syncthreads();
    double result = total;
    __syncthreads();
    return result;
}

// (2 + shift) x[i] - x[i-1] - x[i+1] = b[i]: an implicit time step of the heat equation; one row per thread
extern "C" __global__ void solve(double *x, const double *b, double shift, double tolerance, int *rounds)
{
    __shared__ typename Reduce::TempStorage storage;
    __shared__ double shared[COUNT + 2];
    int i = threadIdx.x;
    if (i < 2)
        shared[i * (COUNT + 1)] = 0;
    double mine = 0, rest = b[i], direction = rest, square = dot(rest, rest, storage);
    int round = 0;
    for (; round < COUNT && square > tolerance * tolerance; ++round) {
        shared[i + 1] = direction;
        __syncthreads();
        double image = (2 + shift) * direction - shared[i] - shared[i + 2];
        double step = square / dot(direction, image, storage);
        mine += step * direction;
        rest -= step * image;
        double next = dot(rest, rest, storage);
        direction = rest + next / square * direction;
        square = next;
    }
    x[i] = mine;
    if (i == 0)
        *rounds = round;
}
"""


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(arch=f"sm_{device.arch}", std="c++17", use_bundled_headers=True)
    print("compiling CUB, which takes a few seconds ...", flush=True)
    kernel = Program(SOURCE, "c++", options).compile("cubin").get_kernel("solve")

    count, shift = 256, 0.1
    memory = LegacyPinnedMemoryResource()
    buffers = [memory.allocate(8 * count, stream=stream), memory.allocate(8 * count, stream=stream)]
    x, b = (np.from_dlpack(buffer).view(np.float64) for buffer in buffers)
    rounds_buffer = memory.allocate(4, stream=stream)
    b[:] = np.random.default_rng(seed=2).standard_normal(count)
    launch(stream, LaunchConfig(grid=1, block=count), kernel, *buffers, shift, 1e-10, rounds_buffer)
    stream.sync()
    rounds = np.from_dlpack(rounds_buffer).view(np.int32)[0]

    matrix = (2 + shift) * np.eye(count) - np.eye(count, k=1) - np.eye(count, k=-1)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, b), atol=1e-8)
    print(f"solver_cub: {count} equations solved on {device.name} in {rounds} iterations, equal to NumPy's")


if __name__ == "__main__":
    main()
