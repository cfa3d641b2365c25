# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fault injection: when the Nth allocation or command fails, for all N, the call returns an error and leaks nothing."""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import addressof, c_uint64

import arrays
import graph_calls as calls
import kernels
import pytest
from support import open_files
from test_green_context import description, whole
from test_pool import properties
from test_stress import COUNT_UP

from cuda.cpu import abi, driver, runtime_api
from cuda.cpu.driver.array import array
from cuda.cpu.driver.base import address, shared_file
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.code import library, module
from cuda.cpu.driver.device import context as contexts
from cuda.cpu.driver.device import green_context
from cuda.cpu.driver.graph import graph, graph_exec, user_object
from cuda.cpu.driver.memory import memory, pool, virtual_memory
from cuda.cpu.driver.stream import event, stream
from cuda.cpu.runtime import _runtime

PAGE = virtual_memory.GRANULARITY
COMMANDS = (
    "launch", "copy", "copy_2d", "fill", "fill_2d", "record", "wait_event", "call", "free", "run", "branch",
    "write_value", "wait_value", "choose",
)  # fmt: skip
TABLES = (
    stream.streams, event.events, graph.graphs, graph.nodes, graph_exec.execs, pool.pools, contexts.contexts,
    array.arrays, array.mipmapped_arrays, green_context.greens, virtual_memory.memories, virtual_memory._ranges,
    virtual_memory._mappings, module.modules, library.libraries, user_object.objects, address._records,
)  # fmt: skip


class Injector:
    """Makes the driver's Nth request for a native object, command or memory fail."""

    def __init__(self, patch) -> None:
        self.count, self.fails = 0, 0
        for name in ("Event", "GraphRun", "CompiledKernel"):
            patch.setattr(_runtime, name, self.wrap(getattr(_runtime, name)))
        for name in ("Queue", "Sequence"):
            base = getattr(_runtime, name)
            commands = {command: self.wrap(getattr(base, command)) for command in COMMANDS}
            patch.setattr(_runtime, name, self.wrap(type(name, (base,), commands)))
        patch.setattr(memory, "reserve", self.wrap(memory.reserve))
        out = CudaError(abi.CUDA_ERROR_OUT_OF_MEMORY, "injected")
        patch.setattr(shared_file, "make", self.wrap(shared_file.make, out))
        plain, failing = shared_file.map_at, self.wrap(shared_file.map_at, out)
        back = shared_file.PRIVATE | shared_file.FIXED  # cuMemUnmap releases with it
        patch.setattr(shared_file, "map_at", lambda *given: (plain if given[3] == back else failing)(*given))

    def wrap(self, make, error=MemoryError):
        def made(*arguments, **named):
            self.count += 1
            if self.count == self.fails:
                raise error
            return make(*arguments, **named)

        return made


class Program(contextlib.ExitStack):
    def own(self, handle: int, give_back, *more) -> int:
        self.callback(give_back, handle, *more)
        return handle


def streams_and_graphs(module: int) -> None:
    """Use streams, events, memory, pools, graphs and IPC events."""
    with Program() as program:
        own = program.own
        stream = own(driver.cuStreamCreate(0), driver.cuStreamDestroy)
        mark = own(driver.cuEventCreate(2), driver.cuEventDestroy)
        own(driver.cuEventCreate(abi.CU_EVENT_INTERPROCESS | 2), driver.cuEventDestroy)
        pointer = own(driver.cuMemAlloc(4096), driver.cuMemFree)
        own(driver.cuMemAllocManaged(64, 1), driver.cuMemFree)
        given = properties(handleTypes=abi.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        shared = own(driver.cuMemPoolCreate(addressof(given)), driver.cuMemPoolDestroy)
        own(driver.cuMemAllocFromPoolAsync(5000, shared, stream), driver.cuMemFree)
        own(driver.cuMemAllocAsync(100, stream), driver.cuMemFree)
        kernels.run(module, "count_up", c_uint64(pointer), stream=stream)
        driver.cuEventRecord(mark, stream)
        driver.cuStreamWaitEvent(0, mark, 0)
        driver.cuMemsetD32Async(pointer, 1, 4, 0)
        made = own(driver.cuGraphCreate(0), driver.cuGraphDestroy)
        calls.add_kernel(made, module, "count_up", c_uint64(pointer))
        calls.add_fill(made, pointer + 64, 3, 4)
        exe = own(driver.cuGraphInstantiate(made, 0), driver.cuGraphExecDestroy)
        driver.cuGraphLaunch(exe, stream)
        driver.cuStreamSynchronize(stream)
        assert kernels.read(pointer + 64) == 3


def capture(module: int) -> None:
    """Capture two streams with memory, update the graph, launch it again."""
    with Program() as program:
        own = program.own
        one, other = (own(driver.cuStreamCreate(1), driver.cuStreamDestroy) for _ in range(2))
        mark, back = (own(driver.cuEventCreate(2), driver.cuEventDestroy) for _ in range(2))
        pointer = own(driver.cuMemAlloc(4096), driver.cuMemFree)

        def captured(value: int) -> int:
            driver.cuStreamBeginCapture(one, abi.CU_STREAM_CAPTURE_MODE_RELAXED)
            try:
                driver.cuEventRecord(mark, one)
                driver.cuStreamWaitEvent(other, mark, 0)
                driver.cuMemsetD32Async(pointer, value, 1, other)
                kernels.run(module, "count_up", c_uint64(pointer + 8), stream=one)
                driver.cuEventRecord(back, other)
                driver.cuStreamWaitEvent(one, back, 0)
            except BaseException:
                with contextlib.suppress(CudaError):
                    driver.cuGraphDestroy(driver.cuStreamEndCapture(one))
                raise
            return own(driver.cuStreamEndCapture(one), driver.cuGraphDestroy)

        exe = own(driver.cuGraphInstantiate(captured(4), 0), driver.cuGraphExecDestroy)
        driver.cuGraphLaunch(exe, one)
        result = abi.CUgraphExecUpdateResultInfo()
        driver.cuGraphExecUpdate(exe, captured(5), addressof(result))
        driver.cuGraphLaunch(exe, one)
        driver.cuStreamSynchronize(one)
        assert kernels.read(pointer) == 5


def memory_of_all_kinds(module: int) -> None:
    """Use virtual memory, arrays, textures, pitched and host memory, green contexts, libraries."""
    with Program() as program:
        own = program.own
        given = abi.CUmemAllocationProp(type=abi.CU_MEM_ALLOCATION_TYPE_PINNED)
        given.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
        physical = own(driver.cuMemCreate(PAGE, addressof(given), 0), driver.cuMemRelease)
        start = own(driver.cuMemAddressReserve(2 * PAGE, 0, 0, 0), driver.cuMemAddressFree, 2 * PAGE)
        driver.cuMemMap(start, PAGE, 0, physical, 0)
        program.callback(driver.cuMemUnmap, start, PAGE)
        access = abi.CUmemAccessDesc(location=given.location, flags=abi.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        driver.cuMemSetAccess(start, PAGE, addressof(access), 1)
        stream = own(driver.cuStreamCreate(1), driver.cuStreamDestroy)
        driver.cuMemsetD8Async(start, 1, PAGE, stream)
        shape = arrays.describe((8, 8), "float32", 1, abi.CUDA_ARRAY3D_SURFACE_LDST)
        image = own(driver.cuArray3DCreate(addressof(shape)), driver.cuArrayDestroy)
        own(driver.cuMipmappedArrayCreate(addressof(shape), 3), driver.cuMipmappedArrayDestroy)
        resource, how = arrays.resource(image), abi.CUDA_TEXTURE_DESC()
        own(driver.cuTexObjectCreate(addressof(resource), addressof(how), 0), driver.cuTexObjectDestroy)
        own(driver.cuSurfObjectCreate(addressof(resource)), driver.cuSurfObjectDestroy)
        own(driver.cuMemAllocPitch(100, 10, 4)[0], driver.cuMemFree)
        host = own(driver.cuMemHostAlloc(4096, 0), driver.cuMemFreeHost)
        driver.cuMemcpyHtoDAsync(start, host, 4096, stream)
        green = own(driver.cuGreenCtxCreate(description(whole()), 0, 1), driver.cuGreenCtxDestroy)
        own(driver.cuGreenCtxStreamCreate(green, 1, 0), driver.cuStreamDestroy)
        text = kernels.text(COUNT_UP)
        loaded = driver.cuLibraryLoadData(kernels.address_of(text), 0, 0, 0, 0, 0, 0)
        own(loaded, driver.cuLibraryUnload)
        driver.cuLibraryGetKernel(loaded, b"count_up")
        driver.cuCtxSynchronize()


def with_the_runtime_api(module: int) -> None:
    with Program() as program:
        own = program.own
        pointers = [own(runtime_api.cudaMalloc(5000), runtime_api.cudaFree) for _ in range(3)]
        stream = own(runtime_api.cudaStreamCreate(), runtime_api.cudaStreamDestroy)
        runtime_api.cudaMemsetAsync(pointers[0], 3, 5000, stream)
        runtime_api.cudaMemcpyAsync(pointers[1], pointers[0], 5000, 3, stream)
        own(runtime_api.cudaMallocAsync(100, stream), runtime_api.cudaFree)
        mark = own(runtime_api.cudaEventCreate(), runtime_api.cudaEventDestroy)
        runtime_api.cudaEventRecord(mark, stream)
        runtime_api.cudaStreamSynchronize(stream)
        back = (ctypes.c_uint8 * 5000)()
        runtime_api.cudaMemcpy(addressof(back), pointers[1], 5000, 2)
        assert set(back) == {3}


@pytest.mark.parametrize("program", [streams_and_graphs, capture, memory_of_all_kinds, with_the_runtime_api])
def test_every_allocation_fails_once(context, monkeypatch, program):
    with kernels.loaded(COUNT_UP) as module:
        program(module)  # creates what stays: default streams and pools, machine code
        driver.cuCtxSynchronize()
        injector = Injector(monkeypatch)
        program(module)
        total = injector.count
        assert total > 7
        driver.cuCtxSynchronize()
        driver.cuMemPoolTrimTo(driver.cuDeviceGetDefaultMemPool(0), 0)
        tables, files = [len(table) for table in TABLES], open_files.count()
        free = driver.cuMemGetInfo()[0]
        statuses, out = [], abi.CUDA_ERROR_OUT_OF_MEMORY
        for number in range(1, total + 1):
            injector.count, injector.fails = 0, number
            try:
                program(module)  # may succeed: a hinted address is optional, and a wait may find its work already done
            except (MemoryError, CudaError) as error:
                statuses.append(getattr(error, "status", out))
            injector.fails = 0
            driver.cuCtxSynchronize()
            driver.cuMemPoolTrimTo(driver.cuDeviceGetDefaultMemPool(0), 0)
            left = {table.kind if hasattr(table, "kind") else len(table): (len(table), before)
                    for table, before in zip(TABLES, tables, strict=True) if len(table) != before}  # fmt: skip
            assert not left, f"left behind by failure {number}"
            assert open_files.count() == files, f"open after failure {number}"
            assert driver.cuMemGetInfo()[0] == free, f"memory kept after failure {number}"
        assert len(statuses) >= total - 3
        assert set(statuses) == {out}
        program(module)
