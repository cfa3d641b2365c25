# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tensor maps of NumPy arrays, and kernels that copy by them."""

from __future__ import annotations

import functools
import os

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import compile_cuda
from support.loaded import Loaded

from cuda.cpu import driver

if os.environ.get("CUDA_PYTHON_DRIVER") == "nvidia":
    from support import gpu_kernels

TYPES = {
    "uint8": 0,
    "uint16": 1,
    "uint32": 2,
    "int32": 3,
    "uint64": 4,
    "int64": 5,
    "float16": 6,
    "float32": 7,
    "float64": 8,
}
ROOM = 16384  # bytes of shared memory


def encoded(data, box, *, steps=None, swizzle=0, fill=0, im2col=None, start_of_map=None, **changes):
    """Return a tensor map of a NumPy array; `box` and the like go from the innermost dimension outwards.

    On a GPU the map is of the array's copy there, and made at launch.
    """
    memory = np.zeros(192, np.uint8)
    start = -memory.ctypes.data % 64 if start_of_map is None else start_of_map
    rank = data.ndim
    words = {
        "sizes": np.array(data.shape[::-1], np.uint64),
        "strides": np.array([*data.strides[-2::-1], 0], np.uint64),
        "box": np.array(box, np.uint32),
        "steps": np.array(steps or [1] * rank, np.uint32),
    } | {key: value for key, value in changes.items() if isinstance(value, np.ndarray)}
    numbers = {"type": TYPES.get(str(data.dtype), 9), "rank": rank, "start": data.ctypes.data, "promotion": 0}
    numbers |= {"interleave": 0} | {key: value for key, value in changes.items() if not isinstance(value, np.ndarray)}
    tail = [words["steps"].ctypes.data, numbers["interleave"], swizzle, numbers["promotion"], fill]
    if im2col:
        words |= {"lower": np.array(im2col[0], np.int32), "upper": np.array(im2col[1], np.int32)}
        name, middle = "cuTensorMapEncodeIm2col", [words["lower"].ctypes.data, words["upper"].ctypes.data, *box]
    else:
        name, middle = "cuTensorMapEncodeTiled", [words["box"].ctypes.data]

    def encode(driver: object, address: int) -> np.void:
        head = [memory.ctypes.data + start, numbers["type"], numbers["rank"], address]
        getattr(driver, name)(*head, words["sizes"].ctypes.data, words["strides"].ctypes.data, *middle, *tail)
        return memory[start : start + 128].copy().view("V128")[0]

    if os.environ.get("CUDA_PYTHON_DRIVER") == "nvidia":
        return gpu_kernels.TensorMap(data, encode)
    return encode(driver, numbers["start"])


PRELUDE = """
struct alignas(64) Map { unsigned long long words[16]; };
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void await(unsigned bar, unsigned parity) {
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra L; }"
        :: "r"(bar), "r"(parity) : "memory"); }
extern __shared__ __align__(1024) unsigned char room[];
__shared__ __align__(8) unsigned long long bar;
"""
LOAD = (
    PRELUDE
    + """
extern "C" __global__ void load(const __grid_constant__ Map map, int *c, unsigned char *out, int bytes) {
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(&bar)));
    for (int i = threadIdx.x; i < bytes; i += 32) room[i] = 0xCD;
    asm volatile("fence.proxy.async.shared::cta;"); __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" :: "l"(&map));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(at(&bar)), "r"(bytes));
        asm volatile("INSTRUCTION" :: "r"(at(room)), "l"(&map), "r"(at(&bar)), COORDINATES : "memory"); }
    await(at(&bar), 0);
    for (int i = threadIdx.x; i < bytes; i += 32) out[i] = room[i]; }"""
)
STORE = (
    PRELUDE
    + """
extern "C" __global__ void store(const __grid_constant__ Map map, int *c, const unsigned char *from, int bytes) {
    for (int i = threadIdx.x; i < bytes; i += 32) room[i] = from[i];
    asm volatile("fence.proxy.async.shared::cta;"); __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("INSTRUCTION" :: "l"(&map), "r"(at(room)), COORDINATES : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"); } }"""
)


@functools.cache
def program(source: str, instruction: str, coordinates: int) -> Loaded:
    source = source.replace("INSTRUCTION", instruction)
    source = source.replace("COORDINATES", ", ".join(f'"r"(c[{i}])' for i in range(coordinates)))
    return Loaded(compile_cuda(source, "--gpu-architecture=sm_90a", "-default-device"))


def coordinates(first: int, count: int) -> str:
    return "{" + ", ".join(f"%{first + axis}" for axis in range(count)) + "}"
