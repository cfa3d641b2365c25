# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The highest rates of a device: of its data sheet for known GPUs, otherwise measured.

They are stored in the fingerprint of a run (`Environment.peaks`). A measurement takes a few seconds. The first
`MEASUREMENTS` runs of a device, driver and settings repeat it, and the user's cache has the best rates: other processes
only lower them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import pathlib
from typing import TYPE_CHECKING

import numpy as np

from cuda.perf.atomic import replaced
from cuda.perf.model import PRECISIONS, Environment, Work

if TYPE_CHECKING:
    from cuda.core import Device, Stream

BYTES = "bytes per second"
FLOPS = {name: f"{operations} per second" for name, operations in PRECISIONS.items()}
# Of the data sheets, without sparsity: bytes, then operations in the order of PRECISIONS; 0: the device has none.
DATA_SHEETS = {
    "A100": (1.555e12, 9.7e12, 19.5e12, 78e12, 156e12, 312e12, 0),
    "H100": (3.35e12, 33.5e12, 66.9e12, 133.8e12, 494.7e12, 989.4e12, 1978.9e12),
    "H200": (4.8e12, 33.5e12, 66.9e12, 133.8e12, 494.7e12, 989.4e12, 1978.9e12),
    "L4": (0.3e12, 0.473e12, 30.3e12, 30.3e12, 60e12, 121e12, 242.5e12),
    "RTX 4090": (1.008e12, 1.29e12, 82.6e12, 82.6e12, 82.6e12, 165.2e12, 330.3e12),
    "T4": (0.32e12, 0.254e12, 8.1e12, 16.2e12, 0, 65e12, 0),
}

# Independent chains per thread: enough for the latency of an operation on all devices. Each thread has other values, or
# compilers compute once what all threads have alike.
SOURCE = r"""
#define CHAINS 16
#define TILES 4
extern "C" __global__ void copy(const float4 *x, float4 *y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}

struct half2_bits { unsigned bits; };
__device__ float multiply_add(float x) { return fmaf(x, 0.999f, 0.001f); }
__device__ double multiply_add(double x) { return fma(x, 0.999, 0.001); }
__device__ half2_bits multiply_add(half2_bits x)
{
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x.bits) : "r"(0x3bfe3bfeu), "r"(0x14191419u));
    return x;
}
__device__ void set(float &x, int value) { x = value; }
__device__ void set(double &x, int value) { x = value; }
__device__ void set(half2_bits &x, int value) { x.bits = 0x3c003c00u + value; }
__device__ float number(float x) { return x; }
__device__ float number(double x) { return x; }
__device__ float number(half2_bits x) { return x.bits; }
template <class T> __device__ void chains(float *y, int count)
{
    T values[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        set(values[chain], chain + threadIdx.x + blockIdx.x);
    for (int i = 0; i < count; ++i)
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain)
            values[chain] = multiply_add(values[chain]);
    float sum = 0;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain)
        sum += number(values[chain]);
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void f64(float *y, int count) { chains<double>(y, count); }
extern "C" __global__ void f32(float *y, int count) { chains<float>(y, count); }
extern "C" __global__ void f16(float *y, int count) { chains<half2_bits>(y, count); }

#define TENSOR_KERNEL(NAME, INSTRUCTION, ONE)                                                                          \
    extern "C" __global__ void NAME(float *y, int count)                                                               \
    {                                                                                                                  \
        float d[TILES][4] = {};                                                                                        \
        const unsigned a = (threadIdx.x + blockIdx.x) % 2 ? ONE : 0;                                                   \
        for (int i = 0; i < count; ++i)                                                                                \
            for (int tile = 0; tile < TILES; ++tile)                                                                   \
                asm volatile(INSTRUCTION " {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"                      \
                             : "+f"(d[tile][0]), "+f"(d[tile][1]), "+f"(d[tile][2]), "+f"(d[tile][3]) : "r"(a));       \
        float sum = 0;                                                                                                 \
        for (int tile = 0; tile < TILES; ++tile)                                                                       \
            sum += d[tile][0] + d[tile][1] + d[tile][2] + d[tile][3];                                                  \
        y[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                                                \
    }
#if __CUDA_ARCH__ >= 800
TENSOR_KERNEL(tensor_tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 0x3f800000u)
TENSOR_KERNEL(tensor_f16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 0x3c003c00u)
#endif
#if __CUDA_ARCH__ >= 890
TENSOR_KERNEL(tensor_f8, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 0x38383838u)
#endif
"""
# Operations of a thread per iteration, and the smallest architecture.
KERNELS = {
    "f64": (2 * 16, 0), "f32": (2 * 16, 0), "f16": (4 * 16, 0), "tensor_tf32": (4 * 2 * 16 * 8 * 8 // 32, 80),
    "tensor_f16": (4 * 2 * 16 * 8 * 16 // 32, 80), "tensor_f8": (4 * 2 * 16 * 8 * 32 // 32, 89),
}  # fmt: skip
BLOCK = 256
COPIED = {"cpu": 1 << 26, "gpu": 1 << 29}  # bytes of each array: beyond the caches
BLOCKS, ITERATIONS = {"cpu": 64, "gpu": 4096}, {"cpu": 256, "gpu": 8192}
MEASUREMENTS = 3
SECONDS = 0.3  # of each measurement; the shortest launch counts


def known(environment: Environment) -> dict[str, float]:
    """Return the peaks of a fingerprint, or of the device's data sheet; {} if neither has them."""
    name = environment.device.replace(" ", "")
    sheet = next((rates for sheet, rates in DATA_SHEETS.items() if sheet.replace(" ", "") in name), None)
    return environment.peaks or (dict(zip((BYTES, *FLOPS.values()), sheet, strict=True)) if sheet else {})


def of(environment: Environment, device: Device, stream: Stream) -> dict[str, float]:
    """Return the peaks of a device, measured if no data sheet and no earlier measurement is known."""
    if specified := known(environment):
        return specified
    path = _cache(environment)
    stored: dict[str, float] = {}
    count = 0
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        data = json.loads(path.read_text())
        stored, count = {rate: float(value) for rate, value in data["peaks"].items()}, int(data["measurements"])
    if count >= MEASUREMENTS:
        return stored
    measured = measure(environment.device_kind, device, stream)
    found = {rate: max(value, stored.get(rate, 0.0)) for rate, value in measured.items()}
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replaced(path) as file:
            json.dump({"peaks": found, "measurements": count + 1}, file)
    return found


def _cache(environment: Environment) -> pathlib.Path:
    facts = [environment.machine_id, environment.driver, environment.compiler, sorted(environment.settings.items())]
    digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base, "cuda-perf", f"peaks-{digest}.json")


def measure(kind: str, device: Device, stream: Stream) -> dict[str, float]:
    """Return the rates of copying large arrays, and of multiply-adds of each precision, at best."""
    from cuda.core import LaunchConfig, Module, launch
    from cuda.perf.define import Benchmark, State
    from cuda.perf.measure import Meter
    from cuda.perf.model import Definition

    module = Module.from_source(SOURCE)
    size, blocks, count = COPIED[kind], BLOCKS[kind], ITERATIONS[kind]
    x = device.to_device(np.ones(size // 4, np.float32), stream=stream)
    y = device.zeros(size // 4, np.float32, stream=stream)
    copying, computing = LaunchConfig(grid=size // 16 // BLOCK, block=BLOCK), LaunchConfig(grid=blocks, block=BLOCK)

    def best(call: object) -> float:
        state = State("peak", {}, device, stream, kind == "cpu")
        state.exec(call)  # type: ignore[arg-type]
        meter = Meter(Benchmark(best, Definition("peak", __file__, 0)), state, kind == "gpu")
        return min(meter.block(1, SECONDS, SECONDS / 3, 0, 0).seconds)

    moved = best(lambda launched: launch(launched.stream, copying, module.copy, x, y))
    found = {BYTES: 2 * size / moved}
    for name, (operations, least) in KERNELS.items():
        if int(device.arch) >= least:
            kernel = getattr(module, name)
            seconds = best(lambda launched, kernel=kernel: launch(launched.stream, computing, kernel, y, count))
            found[FLOPS[name]] = operations * BLOCK * blocks * count / seconds
    return found


def share(work: Work, seconds: float, peaks: dict[str, float]) -> tuple[float, str] | None:
    """Return the share of what a roofline allows, and what limits: "memory" or "arithmetic"; None if unknown.

    Data that stay in caches may be moved faster than the memory's peak: the share is then above 1.
    """
    arithmetic = peaks.get(FLOPS.get(work.precision, "")) if work.flops else math.inf
    if not (arithmetic and peaks.get(BYTES)) or not seconds > 0:
        return None
    least = {"memory": (work.bytes_read + work.bytes_written) / peaks[BYTES], "arithmetic": work.flops / arithmetic}
    limit = max(least, key=lambda name: least[name])
    return (least[limit] / seconds, limit) if least[limit] else None
