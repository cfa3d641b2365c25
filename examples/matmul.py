# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Multiply two matrices by tiles in static shared memory, with barriers."""

import numpy as np

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

TILE = 16
SOURCE = r"""
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int rows, int inner, int columns)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < inner; first += TILE) {
        const int k_a = first + threadIdx.x, k_b = first + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < rows && k_a < inner ? a[row * inner + k_a] : 0;
        tile_b[threadIdx.y][threadIdx.x] = k_b < inner && column < columns ? b[k_b * columns + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns)
        c[row * columns + column] = sum;
}
"""


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(arch=f"sm_{device.arch}", define_macro=("TILE", str(TILE)))
    kernel = Program(SOURCE, code_type="c++", options=options).compile("cubin").get_kernel("matmul")

    rows, inner, columns = 150, 203, 170  # not multiples of the tile size
    random = np.random.default_rng(seed=2)
    a, b = random.random((rows, inner), dtype=np.float32), random.random((inner, columns), dtype=np.float32)
    a_device, b_device = device.to_device(a, stream=stream), device.to_device(b, stream=stream)
    c_device = device.empty((rows, columns), np.float32, stream=stream)

    config = LaunchConfig(grid=(-(-columns // TILE), -(-rows // TILE)), block=(TILE, TILE))
    launch(stream, config, kernel, a_device, b_device, c_device, rows, inner, columns)

    np.testing.assert_allclose(c_device.to_host(stream=stream), a @ b, rtol=1e-4)
    print(f"matmul: ({rows}x{inner}) @ ({inner}x{columns}) on {device.name} matches NumPy")


if __name__ == "__main__":
    main()
