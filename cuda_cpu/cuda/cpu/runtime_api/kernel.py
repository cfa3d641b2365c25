# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the runtime API, given as cudaKernel_t, cudaFunction_t, or the address of the stub in host code."""

from __future__ import annotations

import ctypes

from cuda.cpu import runtime_abi as abi
from cuda.cpu.abi import CUlaunchConfig
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.code import kernel as kernels
from cuda.cpu.driver.code import launch, occupancy
from cuda.cpu.driver.code.child_launch import ATTRIBUTES
from cuda.cpu.driver.stream import event as events
from cuda.cpu.driver.stream import stream as streams
from cuda.cpu.runtime_api.device import ensure_context
from cuda.cpu.runtime_api.host_code import kernel_of


def size_of(dim: bytes) -> tuple[int, int, int]:
    given = abi.dim3.from_buffer_copy(dim)
    return given.x, given.y, given.z


def check_shape(grid: tuple[int, int, int], block: tuple[int, int, int]) -> None:
    """Raise the runtime API's own error for a shape that no launch can have; the driver's is for any value."""
    for shape, given, most in (("grid", grid, launch.GRID), ("block", block, launch.BLOCK)):
        if not all(0 < size <= limit for size, limit in zip(given, most, strict=True)):
            text = f"launch: the {shape} is {given}, at most {most} is possible, and nothing may be 0"
            raise CudaError(abi.cudaErrorInvalidConfiguration, text)
    if (threads := block[0] * block[1] * block[2]) > launch.BLOCK[0]:
        text = f"launch: a block of {block} has {threads} threads, at most {launch.BLOCK[0]} are possible"
        raise CudaError(abi.cudaErrorInvalidConfiguration, text)


def cudaLaunchKernel(func: int, gridDim: bytes, blockDim: bytes, args: int, sharedMem: int, stream: int) -> None:
    ensure_context()
    kernel, blocks, threads = kernel_of(func), size_of(gridDim), size_of(blockDim)
    check_shape(blocks, threads)
    launch.launch(func, kernel, blocks, threads, sharedMem, stream, args, 0)


def cudaLaunchCooperativeKernel(
    func: int, gridDim: bytes, blockDim: bytes, args: int, sharedMem: int, stream: int
) -> None:
    ensure_context()
    kernel, blocks, threads = kernel_of(func), size_of(gridDim), size_of(blockDim)
    check_shape(blocks, threads)
    launch.cuLaunchCooperativeKernel(kernel, *blocks, *threads, sharedMem, stream, args)


def driver_config(name: str, at: int) -> CUlaunchConfig:
    """Return a cudaLaunchConfig_t as the driver's struct; their attributes are the same."""
    if not at:
        raise invalid(f"{name}: the launch configuration is NULL")
    given = abi.cudaLaunchConfig_t.from_address(at)
    grid, block = given.gridDim, given.blockDim
    return CUlaunchConfig(
        grid.x, grid.y, grid.z, block.x, block.y, block.z,
        given.dynamicSmemBytes, given.stream, given.attrs, given.numAttrs,
    )  # fmt: skip


def cudaLaunchKernelExC(config: int, func: int, args: int) -> None:
    ensure_context()
    converted, kernel = driver_config("cudaLaunchKernelExC", config), kernel_of(func)
    check_shape(
        (converted.gridDimX, converted.gridDimY, converted.gridDimZ),
        (converted.blockDimX, converted.blockDimY, converted.blockDimZ),
    )
    launch.launch_with(ctypes.addressof(converted), func, kernel, args, 0)


def cudaOccupancyMaxPotentialClusterSize(func: int, launchConfig: int) -> int:
    ensure_context()
    config = driver_config("cudaOccupancyMaxPotentialClusterSize", launchConfig)
    return occupancy.cuOccupancyMaxPotentialClusterSize(kernel_of(func), ctypes.addressof(config))


def cudaOccupancyMaxActiveClusters(func: int, launchConfig: int) -> int:
    ensure_context()
    config = driver_config("cudaOccupancyMaxActiveClusters", launchConfig)
    return occupancy.cuOccupancyMaxActiveClusters(kernel_of(func), ctypes.addressof(config))


def cudaFuncGetAttributes(attr: int, func: int) -> None:
    ensure_context()
    if not attr:
        raise invalid("cudaFuncGetAttributes: attr is NULL")
    handle = kernel_of(func)
    values = {field: kernels.cuFuncGetAttribute(which, handle) for field, which in ATTRIBUTES.items()}
    ctypes.memset(attr, 0, ctypes.sizeof(abi.cudaFuncAttributes))
    answer = abi.cudaFuncAttributes.from_address(attr)
    for field, value in values.items():
        setattr(answer, field, value)


def cudaKernelSetAttributeForDevice(kernel: int, attr: int, value: int, device: int) -> None:
    ensure_context()
    kernels.cuKernelSetAttribute(attr, value, kernel, device)


def cudaStreamCreate() -> int:
    ensure_context()
    return streams.cuStreamCreate(0)


def cudaEventCreate() -> int:
    ensure_context()
    return events.cuEventCreate(0)
