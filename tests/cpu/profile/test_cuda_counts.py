# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Counts of CUDA C++ kernels in closed form: transposes, five reductions, a tiled matrix product, textbook cases.

Instruction counts depend on the compiler, so only memory accesses and operations are compared.
"""

import numpy as np
import pytest
from support.profile_cases import COLLISIONS, CONFLICTS, WAVEFRONTS, requests, sectors

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
from cuda.cpu.profile import Profile

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.cpu_only]

SOURCE = """
template <int PITCH> __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][PITCH];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void naive_transpose(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

/* Five ways to add the 256 values of a block, after Harris, "Optimizing Parallel Reduction in CUDA". */
template <int WAY> __global__ void sum(const float *in, float *out)
{
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    if (WAY == 0)
        for (unsigned d = 1; d < 256; d *= 2) {
            if (t % (2 * d) == 0)
                s[t] += s[t + d];
            __syncthreads();
        }
    else if (WAY == 1)
        for (unsigned d = 1; d < 256; d *= 2) {
            unsigned i = 2 * d * t;
            if (i < 256)
                s[i] += s[i + d];
            __syncthreads();
        }
    else if (WAY == 2)
        for (unsigned d = 128; d; d /= 2) {
            if (t < d)
                s[t] += s[t + d];
            __syncthreads();
        }
    else if (WAY == 3) {
        for (unsigned d = 128; d >= 32; d /= 2) {
            if (t < d)
                s[t] += s[t + d];
            __syncthreads();
        }
        if (t < 32) {
            float v = s[t];
            for (unsigned d = 16; d; d /= 2)
                v += __shfl_down_sync(~0u, v, d);
            s[t] = v;
        }
        __syncthreads();
    } else
        atomicAdd(out + blockIdx.x, s[t]);
    if (WAY < 4 && t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][16], t[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum = fmaf(s[threadIdx.y][i], t[i][threadIdx.x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

struct Particle { float x, y, z, mass; };
__global__ void masses(const Particle *in, float *out) { int i = blockIdx.x * 256 + threadIdx.x; out[i] = in[i].mass; }
__global__ void histogram(const unsigned char *in, unsigned *bins)
{
    atomicAdd(bins + in[blockIdx.x * 256 + threadIdx.x] % 4, 1);
}
"""
NAMES = (
    "transpose<32>", "transpose<33>", "naive_transpose", *(f"sum<{way}>" for way in range(5)), "product", "masses",
    "histogram",
)  # fmt: skip
N, BLOCKS = 128, 8
TILES, WARPS = (N // 32) ** 2, (N // 32) ** 2 * 32
SQUARE = {"grid": (N // 32, N // 32), "block": (32, 32), "arguments": (np.int32(N),)}
LINEAR = {"grid": BLOCKS, "block": 256, "arguments": ()}
OF_BLOCK = 8 * BLOCKS  # warps of the reductions


def summed(way):
    """Return the shared accesses of a warp-level request model: (requests, wavefronts) of a block's reduction."""
    passes = [8]  # s[t] = in[...]
    if way == 0:
        for d in (1 << k for k in range(8)):
            active = [[t for t in range(32 * w, 32 * w + 32) if t % (2 * d) == 0] for w in range(8)]
            passes += 3 * [sum(map(bool, active))]
    elif way == 1:
        for d in (1 << k for k in range(8)):
            for w in range(8):
                lanes = [2 * d * t for t in range(32 * w, 32 * w + 32) if 2 * d * t < 256]
                if lanes:
                    ways = max(np.bincount(np.array(lanes) % 32))
                    passes += 3 * [int(ways)]
    elif way == 2:
        for d in (128 >> k for k in range(8)):
            passes += 3 * [-(-d // 32)]
    elif way == 3:
        for d in (128, 64, 32):
            passes += 3 * [d // 32]
        passes += [1, 1]
    else:
        passes += [8]
    return sum(passes) + (way < 4)  # and s[0]


EXPECTED = {
    "transpose<32>": (SQUARE, {
        requests("ld"): WARPS, sectors("ld"): 4 * WARPS, requests("st"): WARPS, sectors("st"): 4 * WARPS,
        WAVEFRONTS: WARPS + 32 * WARPS, CONFLICTS: 31 * WARPS,
    }),
    "transpose<33>": (SQUARE, {
        sectors("ld"): 4 * WARPS, sectors("st"): 4 * WARPS, WAVEFRONTS: 2 * WARPS, CONFLICTS: 0,
    }),
    "naive_transpose": (SQUARE, {sectors("ld"): 4 * WARPS, sectors("st"): 32 * WARPS, WAVEFRONTS: 0}),
    **{f"sum<{way}>": (LINEAR, {
        requests("ld"): OF_BLOCK, sectors("ld"): 4 * OF_BLOCK, WAVEFRONTS: BLOCKS * summed(way),
    }) for way in range(4)},
    "sum<4>": (LINEAR, {
        WAVEFRONTS: 2 * OF_BLOCK, requests("atom"): OF_BLOCK, sectors("atom"): OF_BLOCK, COLLISIONS: 31 * OF_BLOCK,
    }),
    "product": ({"grid": (N // 16, N // 16), "block": (16, 16), "arguments": (np.int32(N),)}, {
        # per warp, two rows of 16 threads: each tile two loads and stores, and 16 times a broadcast and a row
        requests("ld"): 2 * (N // 16) * N * N // 32, sectors("ld"): 4 * 2 * (N // 16) * N * N // 32,
        sectors("st"): 4 * N * N // 32, WAVEFRONTS: (2 + 2 * 16) * (N // 16) * N * N // 32, CONFLICTS: 0,
        "ptx__flops_fp32.sum": 2 * N**3,
    }),
    "masses": (LINEAR, {sectors("ld"): 16 * OF_BLOCK, sectors("st"): 4 * OF_BLOCK}),
    "histogram": (LINEAR, {sectors("ld"): OF_BLOCK, requests("atom"): OF_BLOCK, COLLISIONS: 28 * OF_BLOCK}),
}  # fmt: skip


@pytest.fixture(scope="module")
def compiled():
    device = Device()
    device.set_current()
    options = ProgramOptions(arch=f"sm_{device.arch}")
    return Program(SOURCE, "c++", options).compile("cubin", name_expressions=NAMES)


def test_all_kernels_have_expectations():
    assert set(EXPECTED) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_those_of_the_closed_form(device, stream, compiled, name):
    options, expected = EXPECTED[name]
    buffers = [device.allocate(4 * N * N, stream=stream) for _ in range(3 if name == "product" else 2)]
    values = np.tile(np.arange(4, dtype=np.uint8), N * N)  # neighbours differ
    with Profile() as profile:
        buffers[0].copy_from(values, stream=stream)
        config = LaunchConfig(grid=options["grid"], block=options["block"])
        launch(stream, config, compiled.get_kernel(name), *buffers, *options["arguments"])
    (launched,) = profile.launches
    assert {metric: launched.metric(metric) for metric in expected} == expected
