# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The highest rates of a device: of its data sheet for known GPUs, otherwise measured by two kernels.

They are stored in the fingerprint of a run (`Environment.peaks`). A measurement takes about a second. The first
`MEASUREMENTS` runs of a device, driver and settings repeat it, and the user's cache has the best rates: other processes
only lower them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
from typing import TYPE_CHECKING

import numpy as np

from cuda.perf.atomic import replaced
from cuda.perf.model import Environment, Work

if TYPE_CHECKING:
    from cuda.core import Device, Stream

BYTES, FLOPS = "bytes per second", "single-precision operations per second"
# Of the data sheets, in order: operations without tensor cores, bytes.
DATA_SHEETS = {
    "A100": (19.5e12, 1.555e12), "H100": (66.9e12, 3.35e12), "H200": (66.9e12, 4.8e12), "L4": (30.3e12, 0.3e12),
    "RTX 4090": (82.6e12, 1.008e12), "T4": (8.1e12, 0.32e12),
}  # fmt: skip

# 16 independent chains per thread: enough for the latency of an addition on all devices.
SOURCE = r"""
extern "C" __global__ void copy(const float4 *x, float4 *y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}
extern "C" __global__ void multiply_add(float *y, float a, float b, int count)
{
    float sums[16];
#pragma unroll
    for (int chain = 0; chain < 16; ++chain)
        sums[chain] = chain;
    for (int i = 0; i < count; ++i)
#pragma unroll
        for (int chain = 0; chain < 16; ++chain)
            sums[chain] = fmaf(sums[chain], a, b);
    float sum = 0;
#pragma unroll
    for (int chain = 0; chain < 16; ++chain)
        sum += sums[chain];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""
BLOCK, CHAINS = 256, 16
COPIED = {"cpu": 1 << 26, "gpu": 1 << 29}  # bytes of each array: beyond the caches
BLOCKS, ITERATIONS = {"cpu": 64, "gpu": 4096}, {"cpu": 2048, "gpu": 8192}
MEASUREMENTS = 3
SECONDS = 0.3  # of each measurement; the shortest launch counts


def known(environment: Environment) -> dict[str, float]:
    """Return the peaks of a fingerprint, or of the device's data sheet; {} if neither has them."""
    name = environment.device.replace(" ", "")
    sheet = next((rates for sheet, rates in DATA_SHEETS.items() if sheet.replace(" ", "") in name), None)
    return environment.peaks or ({FLOPS: sheet[0], BYTES: sheet[1]} if sheet else {})


def of(environment: Environment, device: Device, stream: Stream) -> dict[str, float]:
    """Return the peaks of a device, measured if no data sheet and no earlier measurement is known."""
    if specified := known(environment):
        return specified
    path = _cache(environment)
    stored, count = {FLOPS: 0.0, BYTES: 0.0}, 0
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        data = json.loads(path.read_text())
        stored, count = {rate: float(data[rate]) for rate in (FLOPS, BYTES)}, int(data["measurements"])
    if count >= MEASUREMENTS:
        return stored
    measured = measure(environment.device_kind, device, stream)
    found = {rate: max(measured[rate], stored[rate]) for rate in (FLOPS, BYTES)}
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replaced(path) as file:
            json.dump(found | {"measurements": count + 1}, file)
    return found


def _cache(environment: Environment) -> pathlib.Path:
    facts = [environment.machine_id, environment.driver, environment.compiler, sorted(environment.settings.items())]
    digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base, "cuda-perf", f"peaks-{digest}.json")


def measure(kind: str, device: Device, stream: Stream) -> dict[str, float]:
    """Return the rates of copying large arrays, and of independent multiply-adds, at best."""
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
    computed = best(lambda launched: launch(launched.stream, computing, module.multiply_add, y, 0.999, 0.001, count))
    return {FLOPS: 2 * CHAINS * BLOCK * blocks * count / computed, BYTES: 2 * size / moved}


def share(work: Work, seconds: float, peaks: dict[str, float]) -> tuple[float, str] | None:
    """Return the share of what a roofline allows, and what limits: "memory" or "arithmetic"; None if unknown.

    Data that stay in caches may be moved faster than the memory's peak: the share is then above 1.
    """
    if not (FLOPS in peaks and BYTES in peaks) or not seconds > 0:
        return None
    least = {
        "memory": (work.bytes_read + work.bytes_written) / peaks[BYTES],
        "arithmetic": work.flops / peaks[FLOPS],
    }
    limit = max(least, key=lambda name: least[name])
    return (least[limit] / seconds, limit) if least[limit] else None
