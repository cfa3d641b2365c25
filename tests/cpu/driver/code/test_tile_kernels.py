# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tile kernels (.language 7): launched with blocks of one thread, they run with the threads of their .reqntid."""

from __future__ import annotations

import ctypes

import kernels
import numpy as np
import pytest

import cuda.cpu
from cuda.cpu import abi, driver

LIBRARY = ctypes.CDLL(cuda.cpu.library_path())
THREADS, BLOCKS = 96, 3

# out[ctaid * ntid + tid] += clusterid * 1000 + ntid
TILE = """
.visible .global .align 8 .b8 ___NV_TILE_LAUNCH_META_DATA___[64];
.visible .entry tile(.param .u64 out)
.reqntid 96
.minnctapersm 1
.language 7
{
 .reg .b64 %rd<4>; .reg .b32 %r<8>;
 ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %clusterid.x;
 mad.lo.s32 %r4, %r3, %r2, %r1; mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;
 mad.lo.s32 %r5, %r3, 1000, %r2; red.global.add.u32 [%rd3], %r5;
 ret;
}
"""


@pytest.fixture
def tile(context):
    """The kernel, and memory for its results."""
    out = driver.cuMemAlloc(4 * BLOCKS * THREADS)
    driver.cuMemsetD8(out, 0, 4 * BLOCKS * THREADS)
    with kernels.loaded(TILE) as module:
        yield driver.cuModuleGetFunction(module, b"tile"), out
    driver.cuMemFree(out)


def check(out: int, times: int = 1) -> None:
    """See that each thread ran `times` times since the last check."""
    driver.cuCtxSynchronize()
    found = np.zeros((BLOCKS, THREADS), np.uint32)
    driver.cuMemcpyDtoH(found.ctypes.data, out, found.nbytes)
    assert (found == times * (1000 * np.arange(BLOCKS)[:, None] + THREADS)).all()
    driver.cuMemsetD8(out, 0, found.nbytes)


def arguments(out: int) -> tuple[int, list]:
    return kernels.packed(ctypes.c_uint64(out))


def test_every_kind_of_launch(tile):
    function, out = tile
    params, _kept = arguments(out)
    shape = (BLOCKS, 1, 1, 1, 1, 1)
    driver.cuLaunchKernel(function, *shape, 0, 0, params, 0)
    check(out)
    driver.cuLaunchCooperativeKernel(function, *shape, 0, 0, params)
    check(out)
    names = ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ")
    config = abi.CUlaunchConfig(**dict(zip(names, shape, strict=True)))
    driver.cuLaunchKernelEx(ctypes.addressof(config), function, params, 0)
    check(out)
    for _ in range(3):  # the later ones on the fast path in C
        assert LIBRARY.cuLaunchKernel(ctypes.c_void_p(function), *shape, 0, None, ctypes.c_void_p(params), None) == 0
    check(out, 3)
    driver.cuParamSetSize(function, 8)
    driver.cuParamSetv(function, 0, ctypes.addressof(ctypes.c_uint64(out)), 8)
    driver.cuLaunchGrid(function, BLOCKS, 1)
    check(out)


def test_graphs(tile):
    function, out = tile
    params, _kept = arguments(out)
    graph = driver.cuGraphCreate(0)
    given = abi.CUDA_KERNEL_NODE_PARAMS(func=function, gridDimX=BLOCKS, gridDimY=1, gridDimZ=1)
    given.blockDimX = given.blockDimY = given.blockDimZ = 1
    given.kernelParams = params
    node = driver.cuGraphAddKernelNode(graph, 0, 0, ctypes.addressof(given))
    got = abi.CUDA_KERNEL_NODE_PARAMS()
    driver.cuGraphKernelNodeGetParams(node, ctypes.addressof(got))
    assert (got.blockDimX, got.blockDimY, got.blockDimZ) == (1, 1, 1)
    run = driver.cuGraphInstantiate(graph, 0)
    for _ in range(2):
        driver.cuGraphLaunch(run, 0)
    check(out, 2)
    driver.cuGraphExecDestroy(run)
    driver.cuGraphDestroy(graph)


def test_capture(tile):
    function, out = tile
    params, _kept = arguments(out)
    stream = driver.cuStreamCreate(0)
    driver.cuStreamBeginCapture(stream, abi.CU_STREAM_CAPTURE_MODE_GLOBAL)
    driver.cuLaunchKernel(function, BLOCKS, 1, 1, 1, 1, 1, 0, stream, params, 0)
    graph = driver.cuStreamEndCapture(stream)
    run = driver.cuGraphInstantiate(graph, 0)
    driver.cuGraphLaunch(run, stream)
    check(out)
    driver.cuGraphExecDestroy(run)
    driver.cuGraphDestroy(graph)
    driver.cuStreamDestroy(stream)


def test_a_graph_refuses_other_blocks(tile, refused):
    function, out = tile
    params, _kept = arguments(out)
    graph = driver.cuGraphCreate(0)
    given = abi.CUDA_KERNEL_NODE_PARAMS(func=function, gridDimX=1, gridDimY=1, gridDimZ=1, kernelParams=params)
    given.blockDimX, given.blockDimY, given.blockDimZ = THREADS, 1, 1
    with refused("INVALID_VALUE", "is a tile kernel"):
        driver.cuGraphAddKernelNode(graph, 0, 0, ctypes.addressof(given))
        driver.cuGraphInstantiate(graph, 0)
    driver.cuGraphDestroy(graph)


def test_occupancy_counts_the_threads_that_run(tile):
    function, _ = tile
    per_sm = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor
    assert per_sm(function, 1, 0) == 2048 // THREADS
    assert per_sm(function, THREADS, 0) == 0  # such a launch is refused
    _, size = driver.cuOccupancyMaxPotentialBlockSize(function, 0, 0, 0)
    assert size == 1


def test_attributes(tile):
    function, _ = tile
    assert driver.cuFuncGetAttribute(abi.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function) == THREADS
    assert driver.cuFuncGetAttribute(abi.CU_FUNC_ATTRIBUTE_NUM_REGS, function) <= 65536 // THREADS


def test_other_languages_are_no_tile_kernels(context, refused):
    """.language alone, or with another number, changes nothing."""
    with kernels.loaded(TILE.replace(".language 7", ".language 1")) as module:
        function = driver.cuModuleGetFunction(module, b"tile")
        params, _kept = arguments(0)
        with refused("INVALID_VALUE", "the kernel was compiled for (96, 1, 1)"):
            driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, params, 0)
