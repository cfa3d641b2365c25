# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernel launches: cuLaunchKernel and its kin. `submit` checks a launch and puts it into the stream's queue."""

from __future__ import annotations

import ctypes
from ctypes import addressof, memmove
from typing import Any, NoReturn

from cuda.cpu.abi import (
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
    CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
    CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT,
    CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
    CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
    CUDA_ERROR_INVALID_CLUSTER_SIZE,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_NOT_SUPPORTED,
    CUlaunchAttribute,
    CUlaunchConfig,
)
from cuda.cpu.compile.code import Kernel
from cuda.cpu.driver.base import capture_state
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.code import occupancy
from cuda.cpu.driver.code.function import ONE, UNKNOWN, Function, functions
from cuda.cpu.driver.code.kernel import function_of, kernels
from cuda.cpu.driver.device import device_attribute
from cuda.cpu.driver.stream import event as events
from cuda.cpu.driver.stream import stream as streams
from cuda.cpu.runtime import _runtime

Dim = tuple[int, int, int]

GRID = tuple(device_attribute.FIXED[f"MAX_GRID_DIM_{axis}"] for axis in "XYZ")
BLOCK = tuple(device_attribute.FIXED[f"MAX_BLOCK_DIM_{axis}"] for axis in "XYZ")
MOST_X, MOST_Y, MOST_Z = GRID
MOST_BLOCK_Z = BLOCK[2]
PORTABLE_CLUSTER, GREATEST_CLUSTER = 8, 16
LARGE = 100_000  # elements of an array, or iterations of a loop

BUFFER_POINTER, BUFFER_SIZE = 1, 2  # CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE


def unpack(function: Function, extra: int) -> Any:
    """Copy the parameters out of a buffer that the caller has laid out (the `extra` of a launch)."""
    name, wanted = function.kernel.name, function.kernel.parameter_bytes
    found: dict[int, int] = {}
    while key := ctypes.c_uint64.from_address(extra).value:
        if key not in (BUFFER_POINTER, BUFFER_SIZE):
            raise invalid(f"launch of {name!r}: extra has the unknown key {key}")
        found[key] = ctypes.c_uint64.from_address(extra + 8).value
        extra += 16
    if not found.get(BUFFER_SIZE) or (wanted and not found.get(BUFFER_POINTER)):
        raise invalid(f"launch of {name!r}: extra must give a buffer and its size")
    size = ctypes.c_size_t.from_address(found[BUFFER_SIZE]).value
    if size < wanted:
        raise invalid(f"launch of {name!r}: the buffer in extra has {size} bytes, the parameters need {wanted}")
    buffer = function.buffer()
    memmove(buffer, found[BUFFER_POINTER], wanted)
    return buffer


def parameters(function: Function, kernel_params: int, extra: int) -> Any:
    """Return the parameters in a buffer, where no array of pointers gives them."""
    name, count = function.kernel.name, len(function.kernel.parameters)
    if kernel_params and extra:
        raise invalid(f"launch of {name!r}: both kernelParams and extra are given")
    if extra:
        return unpack(function, extra)
    if count:
        raise invalid(f"launch of {name!r}: kernelParams is NULL, the kernel has {count}")
    return function.buffer()


def has_large_number(kernel: Kernel, kernel_params: int) -> bool:
    """Return whether a parameter may make a loop run for long: one block may add up an array of any size."""
    if not kernel_params:
        return False
    pointers = (ctypes.c_void_p * len(kernel.parameters)).from_address(kernel_params)
    return any(
        parameter.is_integer and pointer and ctypes.c_int32.from_address(pointer).value > LARGE
        for parameter, pointer in zip(kernel.parameters, pointers, strict=True)
    )


def submit(
    function: Function,
    grid: Dim,
    block: Dim,
    cluster: Dim,
    shared_bytes: int,
    stream: streams.CommandTarget,
    kernel_params: int,
    extra: int,
    cooperative: bool,
) -> None:
    gx, gy, gz = grid
    bx, by, bz = block
    kernel = function.kernel
    if not (
        0 < gx <= MOST_X and 0 < gy <= MOST_Y and 0 < gz <= MOST_Z
        and bx > 0 and by > 0 and 0 < bz <= MOST_BLOCK_Z and bx * by * bz <= kernel.max_threads
        and shared_bytes <= function.dynamic and function.context is stream.context
    ):  # fmt: skip
        explain(function, grid, block, shared_bytes, stream)
    if kernel.required_block is not None and block != kernel.required_block:
        refuse_block(kernel, block)
    if cluster is not ONE:
        check_cluster(function, grid, cluster)
    if cooperative:
        check_cooperative(function, gx * gy * gz, bx * by * bz, shared_bytes)
    block = kernel.tile_block or block
    run = _runtime.lane_run(block)
    native = function.compiled.get(run)
    if native is None:  # a graph's node may be launched any number of times
        once = isinstance(stream, streams.Stream) and not capture_state.active
        may_be_brief = once and not has_large_number(kernel, kernel_params)
        native = function.load(run, gx * gy * gz * bx * by * bz if may_be_brief else None)
    if kernel_params and not extra:
        params, gather = kernel_params, True
    else:
        buffer = parameters(function, kernel_params, extra)
        params, gather = addressof(buffer), False
    queue = stream.queue_after_waits()
    if not function.module.live:  # from here on, unloading the module waits for this queue
        raise CudaError(CUDA_ERROR_INVALID_HANDLE, f"launch of {kernel.name!r}: its module was unloaded meanwhile")
    try:
        queue.launch(native, grid, block, cluster, shared_bytes, params, cooperative, 0, gather)
    except _runtime.QueueClosed:
        raise CudaError(
            CUDA_ERROR_INVALID_HANDLE, f"launch of {kernel.name!r}: the stream was destroyed meanwhile"
        ) from None
    except ValueError as error:
        raise invalid(f"launch of {kernel.name!r}: {error}") from None


def explain(function: Function, grid: Dim, block: Dim, shared_bytes: int, stream: streams.CommandTarget) -> NoReturn:
    """Raise what is wrong with a launch."""
    launch, most = f"launch of {function.kernel.name!r}", function.kernel.max_threads
    for shape, given, limits in (("grid", grid, GRID), ("block", block, BLOCK)):
        for axis, value, limit in zip("xyz", given, limits, strict=True):
            if not 0 < value <= limit:
                raise invalid(f"{launch}: {shape} dimension {axis} is {value}, must be 1 to {limit}")
    threads = block[0] * block[1] * block[2]
    if threads > BLOCK[0]:
        raise invalid(f"{launch}: a block of {block} has {threads} threads, at most {BLOCK[0]} are possible")
    if threads > most and function.kernel.tile_block is not None:
        refuse_block(function.kernel, block)
    if threads > most:
        raise invalid(f"{launch}: a block of {block} has {threads} threads, the kernel's launch bounds allow {most}")
    if shared_bytes > function.dynamic:
        raise invalid(
            f"{launch}: {shared_bytes} bytes of dynamic shared memory, at most {function.dynamic} unless "
            "cuFuncSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) allows more"
        )
    raise CudaError(
        CUDA_ERROR_INVALID_HANDLE,
        f"{launch}: the kernel was loaded in context 0x{function.context.handle:x}, the "
        f"stream belongs to context 0x{stream.context.handle:x}",
    )


def refuse_block(kernel: Kernel, block: Dim) -> NoReturn:
    """Raise that a kernel does not run with a block size."""
    wanted = "is a tile kernel, which needs" if kernel.tile_block else "was compiled for"
    raise invalid(f"launch of {kernel.name!r}: the block is {block}, the kernel {wanted} {kernel.required_block}")


def check_cluster(function: Function, grid: Dim, cluster: Dim) -> None:
    launch, blocks = f"launch of {function.kernel.name!r}", cluster[0] * cluster[1] * cluster[2]
    free = function.settings.get(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
    most = GREATEST_CLUSTER if free else PORTABLE_CLUSTER
    required = function.kernel.required_cluster
    if function.context.device.capability < device_attribute.CLUSTERS_SINCE:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{launch}: the device has no clusters, its capability is below 9.0")
    if required is not None and cluster != required:
        raise CudaError(
            CUDA_ERROR_INVALID_CLUSTER_SIZE, f"{launch}: the cluster is {cluster}, it was compiled for {required}"
        )
    if cluster == UNKNOWN and function.kernel.explicit_cluster:
        raise CudaError(
            CUDA_ERROR_INVALID_CLUSTER_SIZE,
            f"{launch}: it needs a cluster, which CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION has to give",
        )
    if not 0 < blocks <= most:
        raise CudaError(
            CUDA_ERROR_INVALID_CLUSTER_SIZE,
            f"{launch}: a cluster of {cluster} has {blocks} blocks, must have 1 to {most}",
        )
    if any(count % size for count, size in zip(grid, cluster, strict=True)):
        raise CudaError(
            CUDA_ERROR_INVALID_CLUSTER_SIZE, f"{launch}: the grid {grid} is no multiple of the cluster {cluster}"
        )


def check_cooperative(function: Function, blocks: int, threads: int, shared_bytes: int) -> None:
    """See that all blocks fit on the device at once, as the API demands, though fibers would run more."""
    most = occupancy.blocks_per_multiprocessor(function, threads, shared_bytes) * function.context.device.cores
    if blocks > most:
        raise CudaError(
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            f"launch of {function.kernel.name!r}: {blocks} blocks cannot "
            f"all be on the device at once, at most {most} can",
        )


def kernel_in(handle: int, owner: Any) -> Function | None:
    """Return the function of a CUkernel in a context; None if it is no CUkernel."""
    found = kernels.get(handle)
    return found.function(owner) if found is not None else None


def cuLaunchKernel(
    f: int, gridDimX: int, gridDimY: int, gridDimZ: int, blockDimX: int, blockDimY: int, blockDimZ: int,
    sharedMemBytes: int, hStream: int, kernelParams: int, extra: int,
) -> None:  # fmt: skip
    grid, block = (gridDimX, gridDimY, gridDimZ), (blockDimX, blockDimY, blockDimZ)
    launch(f, f, grid, block, sharedMemBytes, hStream, kernelParams, extra)


def launch(
    key: int, handle: int, grid: Dim, block: Dim, shared_bytes: int, stream_handle: int, kernel_params: int, extra: int
) -> None:
    """Launch, and cache the fast path of later launches, for which `key` stands for the function."""
    epoch = _runtime.fast_path_epoch()
    function = functions.get(handle)
    stream = streams.find(stream_handle)
    if function is None:
        function = function_of(handle, stream)
    submit(function, grid, block, function.cluster, shared_bytes, stream, kernel_params, extra, False)
    cache_fast_path(epoch, key, stream_handle, function, stream, block)


def cache_fast_path(
    epoch: int, key: int, stream_handle: int, function: Function, stream: streams.Stream, block: Dim
) -> None:
    """Cache a fast path for later launches of the function in the stream, if the epoch is still `epoch`."""
    run = _runtime.lane_run(function.kernel.tile_block or block)
    native, most_threads = function.compiled.get(run), 0
    if native is None:
        native, most_threads = function.brief.get(run, (None, 0))
    if function.cluster is ONE and native is not None and not capture_state.active:
        kernel = function.kernel
        _runtime.cache_launch(
            epoch, key, stream_handle, stream.queue, stream.queues_to_wait_for(), native, run,
            kernel.max_threads, function.dynamic, kernel.required_block, kernel.tile_block, most_threads,
        )  # fmt: skip


def cuLaunchCooperativeKernel(
    f: int, gridDimX: int, gridDimY: int, gridDimZ: int, blockDimX: int, blockDimY: int, blockDimZ: int,
    sharedMemBytes: int, hStream: int, kernelParams: int,
) -> None:  # fmt: skip
    stream = streams.find(hStream)
    function = function_of(f, stream)
    grid, block = (gridDimX, gridDimY, gridDimZ), (blockDimX, blockDimY, blockDimZ)
    submit(function, grid, block, function.cluster, sharedMemBytes, stream, kernelParams, 0, True)


# Attributes that end in an event once the kernel is done: later than the API allows, never earlier.
EVENTS = {
    CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: "programmaticEvent",
    CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT: "launchCompletionEvent",
}


def cuLaunchKernelEx(config: int, f: int, kernelParams: int, extra: int) -> None:
    """Launch with attributes; those that only advise the hardware (priority, cache windows, carve-out) are accepted."""
    launch_with(config, f, f, kernelParams, extra)


def launch_with(config: int, key: int, handle: int, kernel_params: int, extra: int) -> None:
    """Launch with attributes; without any, cache the fast path of later launches, as `launch` does."""
    if not config:
        raise invalid("cuLaunchKernelEx: config is NULL")
    given = CUlaunchConfig.from_address(config)
    epoch = _runtime.fast_path_epoch()
    stream_handle = given.hStream or 0
    stream = streams.find(stream_handle)
    function = function_of(handle, stream)
    cluster, cooperative, events_after, updatable = function.cluster, False, [], None
    attributes = (
        (CUlaunchAttribute * given.numAttrs).from_address(given.attrs) if given.numAttrs and given.attrs else ()
    )
    for i, attribute in enumerate(attributes):
        which, value = attribute.id, attribute.value
        if which == CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            cooperative = bool(value.cooperative)
        elif which == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            size = value.clusterDim
            cluster = (size.x, size.y, size.z)
        elif which in EVENTS:
            events_after.append(getattr(value, EVENTS[which]).event)
        elif which == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
            updatable = value if value.deviceUpdatableKernelNode.deviceUpdatable else None
        elif not 0 <= which <= CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE:
            raise invalid(f"cuLaunchKernelEx: attrs[{i}].id is {which}, no CUlaunchAttributeID")
    grid = (given.gridDimX, given.gridDimY, given.gridDimZ)
    block = (given.blockDimX, given.blockDimY, given.blockDimZ)
    if updatable is not None and stream.capture is None:
        raise invalid("cuLaunchKernelEx: only launches that are captured can become nodes that kernels update")
    submit(function, grid, block, cluster, given.sharedMemBytes, stream, kernel_params, extra, cooperative)
    if updatable is not None:
        stream.capture.make_updatable(stream, updatable)
    if not attributes:
        cache_fast_path(epoch, key, stream_handle, function, stream, block)
    for event in events_after:
        events.cuEventRecord(event, stream_handle)
