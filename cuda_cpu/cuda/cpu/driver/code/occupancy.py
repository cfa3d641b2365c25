# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Occupancy: how many blocks an SM would hold, by the limits that the device declares (see device_attribute.py).

A core runs one block after the other or mixes them on fibers; the answers are those of a GPU of the same compute
capability, so that programs that choose block sizes by them choose as they would there. Registers are no limit: PTX
does not specify how many a kernel would use.
"""

from __future__ import annotations

import ctypes
from math import prod

from cuda.cpu.abi import (
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    CUDA_ERROR_INVALID_CLUSTER_SIZE,
    CUlaunchAttribute,
    CUlaunchConfig,
)
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.code.function import Function
from cuda.cpu.driver.code.kernel import function_of
from cuda.cpu.driver.device import device_attribute

GRANULARITY = 128  # bytes, in which shared memory is given to blocks


def blocks_per_multiprocessor(function: Function, threads: int, dynamic: int) -> int:
    capability = function.context.device.capability
    per_sm, _, most_threads, most_blocks = device_attribute.architecture(capability)
    if threads > greatest_block(function) or dynamic > function.dynamic:
        return 0  # above 48 KiB, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES has to be set before a launch
    threads = prod(function.kernel.tile_block or (threads,))
    shared = -(-(function.kernel.shared_bytes + dynamic) // GRANULARITY) * GRANULARITY
    shared += device_attribute.reserved_shared(capability)
    return min(
        most_blocks, most_threads // (-(-threads // 32) * 32), (per_sm << 10) // shared if shared else most_blocks
    )


def greatest_block(function: Function) -> int:
    """Return the most threads that a launch may give; tile kernels are launched with one and run with more."""
    return 1 if function.kernel.tile_block else function.kernel.max_threads


def _check_threads(call: str, threads: int) -> None:
    if threads <= 0:
        raise invalid(f"{call}: blockSize is {threads}, must be at least 1")


def cuOccupancyMaxActiveBlocksPerMultiprocessor(func: int, blockSize: int, dynamicSMemSize: int) -> int:
    _check_threads("cuOccupancyMaxActiveBlocksPerMultiprocessor", blockSize)
    return blocks_per_multiprocessor(function_of(func), blockSize, dynamicSMemSize)


def cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    func: int, blockSize: int, dynamicSMemSize: int, flags: int
) -> int:
    _check_flags(flags)
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(func, blockSize, dynamicSMemSize)


def _check_flags(flags: int) -> None:
    if flags not in (0, 1):
        raise invalid(f"flags is {flags}, must be CU_OCCUPANCY_DEFAULT or CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE")


_size_type = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)


def cuOccupancyMaxPotentialBlockSize(
    func: int, blockSizeToDynamicSMemSize: int, dynamicSMemSize: int, blockSizeLimit: int
) -> tuple[int, int]:
    """Return the smallest grid that fills the device and the block size with which it is fullest; 0 if none fits."""
    function = function_of(func)
    most = greatest_block(function)
    top = min(blockSizeLimit, most) if blockSizeLimit > 0 else most
    shared_of = (
        _size_type(blockSizeToDynamicSMemSize) if blockSizeToDynamicSMemSize else lambda threads: dynamicSMemSize
    )
    best = (0, 0, 0)  # threads in flight, block size, blocks
    for threads in sorted({top, *range(32, top + 1, 32)}):
        blocks = blocks_per_multiprocessor(function, threads, shared_of(threads))
        if blocks:
            best = max(best, (blocks * threads, threads, blocks))
    return best[2] * function.context.device.cores, best[1]


def cuOccupancyMaxPotentialBlockSizeWithFlags(
    func: int, blockSizeToDynamicSMemSize: int, dynamicSMemSize: int, blockSizeLimit: int, flags: int
) -> tuple[int, int]:
    _check_flags(flags)
    return cuOccupancyMaxPotentialBlockSize(func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit)


def cuOccupancyAvailableDynamicSMemPerBlock(func: int, numBlocks: int, blockSize: int) -> int:
    """Return how much dynamic shared memory each of `numBlocks` blocks on an SM can have."""
    function = function_of(func)
    call = "cuOccupancyAvailableDynamicSMemPerBlock"
    _check_threads(call, blockSize)
    if not 0 < numBlocks <= blocks_per_multiprocessor(function, blockSize, 0):
        raise invalid(f"{call}: {numBlocks} blocks of {blockSize} threads do not fit on an SM")
    capability = function.context.device.capability
    each = (device_attribute.architecture(capability)[0] << 10) // numBlocks // GRANULARITY * GRANULARITY
    room = each - device_attribute.reserved_shared(capability) - function.kernel.shared_bytes
    return max(0, min(room, function.dynamic))


def _config(call: str, ptr: int) -> CUlaunchConfig:
    if not ptr:
        raise invalid(f"{call}: config is NULL")
    return CUlaunchConfig.from_address(ptr)


def greatest_cluster(function: Function) -> int:
    return 16 if function.settings.get(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) else 8


def cuOccupancyMaxPotentialClusterSize(func: int, config: int) -> int:
    call = "cuOccupancyMaxPotentialClusterSize"
    function, given = function_of(func), _config(call, config)
    threads = given.blockDimX * given.blockDimY * given.blockDimZ
    _check_threads(call, threads)
    if not blocks_per_multiprocessor(function, threads, given.sharedMemBytes):
        return 0
    return greatest_cluster(function) if function.context.device.capability >= device_attribute.CLUSTERS_SINCE else 1


def cuOccupancyMaxActiveClusters(func: int, config: int) -> int:
    """Return how many clusters run at once; a cluster larger than the cores still runs, so it is at least 1."""
    function, given = function_of(func), _config("cuOccupancyMaxActiveClusters", config)
    threads = given.blockDimX * given.blockDimY * given.blockDimZ
    _check_threads("cuOccupancyMaxActiveClusters", threads)
    blocks = blocks_per_multiprocessor(function, threads, given.sharedMemBytes) * function.context.device.cores
    cluster = cluster_of("cuOccupancyMaxActiveClusters", function, given)
    if function.context.device.capability < device_attribute.CLUSTERS_SINCE:
        return 0
    return max(blocks // prod(cluster), 1) if blocks else 0


def cluster_of(call: str, function: Function, given: CUlaunchConfig) -> tuple[int, int, int]:
    """Return the cluster of a launch: that of its attributes, else the kernel's own."""
    there = given.numAttrs and given.attrs
    attributes = (CUlaunchAttribute * given.numAttrs).from_address(given.attrs) if there else ()
    size = function.cluster
    for attribute in attributes:
        if attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            dim = attribute.value.clusterDim
            size = (dim.x, dim.y, dim.z)
    if not 0 < prod(size) <= greatest_cluster(function):
        raise CudaError(
            CUDA_ERROR_INVALID_CLUSTER_SIZE,
            f"{call}: a cluster of {size} blocks, must have 1 to {greatest_cluster(function)}",
        )
    return size
