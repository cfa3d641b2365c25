# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Products of matrices: the linear layers of a model, and the batched products of its attention."""

from __future__ import annotations

import numpy as np

from cuda.perf import State, axis, benchmark
from cuda.perf.suite.kit import MODELS, Kit, skip_if_large, wide

SOURCE = r"""
extern "C" __global__ void gemm(const T *a, const T *b, T *c, int rows, int inner, int columns)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    a += (size_t)blockIdx.z * rows * inner, b += (size_t)blockIdx.z * inner * columns;
    c += (size_t)blockIdx.z * rows * columns;
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < inner; first += TILE) {
        const int k_a = first + threadIdx.x, k_b = first + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < rows && k_a < inner ? (float)a[(size_t)row * inner + k_a] : 0;
        const bool inside = k_b < inner && column < columns;
        tile_b[threadIdx.y][threadIdx.x] = inside ? (float)b[(size_t)k_b * columns + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns)
        c[(size_t)row * columns + column] = (T)sum;
}
"""
TILE = 16


def _exec(state: State, dtype: str, batch: int, rows: int, inner: int, columns: int) -> None:
    flops = 2.0 * batch * rows * inner * columns
    skip_if_large(state, flops)
    kit = Kit(state, SOURCE, dtype, TILE=TILE)
    a, b = kit.random(batch, rows, inner), kit.random(batch, inner, columns)
    a_device, b_device = kit.on_device(a, b)
    c = kit.empty(batch, rows, columns)
    grid = (-(-columns // TILE), -(-rows // TILE), batch)
    launcher = kit.call("gemm", grid, (TILE, TILE), a_device, b_device, c, rows, inner, columns)
    # The rounding of a sum grows with the root of its length; the tolerance is that of a sum of 1,000.
    kit.exec(launcher, c, lambda: np.matmul(wide(a), wide(b)), (a, b), flops)


@benchmark
@axis.size("tokens", 16, 512)
@axis.variant("model", *MODELS)
@axis.variant("layer", "query", "up", "down")
@axis.type("dtype", "float32", "float16")
def gemm(state: State, tokens: int, model: str, layer: str, dtype: str) -> None:
    """Multiply activations by the weights of a linear layer."""
    sizes = MODELS[model]
    inner, columns = {
        "query": (sizes.hidden, sizes.hidden),
        "up": (sizes.hidden, sizes.inner),
        "down": (sizes.inner, sizes.hidden),
    }[layer]
    _exec(state, dtype, 1, tokens, inner, columns)


@benchmark
@axis.size("tokens", 64, 512)
@axis.variant("model", *MODELS)
@axis.type("dtype", "float32", "float16")
def batched_gemm(state: State, tokens: int, model: str, dtype: str) -> None:
    """Multiply the queries of each head by its keys."""
    sizes = MODELS[model]
    _exec(state, dtype, sizes.heads, tokens, sizes.hidden // sizes.heads, tokens)
