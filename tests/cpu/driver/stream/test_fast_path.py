# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fast path in C for launches, waits and queries: when it is used, and when calls fall back to Python."""

from __future__ import annotations

import ctypes
import functools
import sys
import threading

import kernels
import pytest

import cuda.cpu
from cuda.cpu import abi, driver
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.stream import stream as streams

pytestmark = pytest.mark.cpu_only
LIBRARY = ctypes.CDLL(cuda.cpu.library_path())


class Call:
    """Launches of `store`, waits and queries through libcuda.so.1, on one stream."""

    def __init__(self, stream: int = 0, module: int = 0) -> None:
        self.out = driver.cuMemAlloc(4)
        self.module = module or driver.cuModuleLoadData(kernels.address_of(kernels.text(kernels.STORE)))
        self.function = driver.cuModuleGetFunction(self.module, b"store")
        self.stream = ctypes.c_void_p(stream)
        self.value = ctypes.c_uint32(0)

    def launch(self, *, block: int = 1, rows: int = 1, shared: int = 0, arguments: int | None = None) -> int:
        self.value.value += 1
        packed, _keep = kernels.packed(ctypes.c_uint64(self.out), self.value)
        packed = packed if arguments is None else arguments
        function = ctypes.c_void_p(self.function)
        params = ctypes.c_void_p(packed)
        return LIBRARY.cuLaunchKernel(function, 1, 1, 1, block, rows, 1, shared, self.stream, params, None)

    def launch_ex(self) -> int:
        self.value.value += 1
        packed, _keep = kernels.packed(ctypes.c_uint64(self.out), self.value)
        shape = dict.fromkeys(("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ"), 1)
        config = abi.CUlaunchConfig(**shape, hStream=self.stream.value or 0)
        function = ctypes.c_void_p(self.function)
        return LIBRARY.cuLaunchKernelEx(ctypes.byref(config), function, ctypes.c_void_p(packed), None)

    def synchronize(self) -> int:
        return LIBRARY.cuStreamSynchronize(self.stream)

    def query(self) -> int:
        return LIBRARY.cuStreamQuery(self.stream)

    def arrived(self) -> bool:
        """Synchronize, and return whether the latest launch has stored its value."""
        return self.synchronize() == 0 and kernels.read(self.out) == self.value.value

    def close(self) -> None:
        driver.cuMemFree(self.out)
        driver.cuModuleUnload(self.module)


@pytest.fixture
def call(context, monkeypatch):
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")  # switching to optimised code would call Python once more
    made = Call()
    for _ in range(3):
        assert made.launch() == made.synchronize() == 0
    yield made
    made.close()


def python_called(function) -> bool:
    """Return whether a call runs any of the driver's Python code."""
    seen = []

    def look(frame, event, argument) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith("cuda.cpu.driver"):
            seen.append(frame.f_code.co_name)

    sys.setprofile(look)
    try:
        assert function() == 0
    finally:
        sys.setprofile(None)
    return bool(seen)


@pytest.mark.parametrize("name", ["launch", "launch_ex", "synchronize", "query"])
def test_the_fast_path_is_used_from_the_second_call(call, name):
    driver.cuStreamDestroy(driver.cuStreamCreate(0))
    assert python_called(getattr(call, name))
    assert not python_called(getattr(call, name))
    assert call.arrived()


def test_block_shapes_select_the_machine_code(call):
    blocks = ((48, 3), (1, 64)), ((32, 2), (64, 1)), ((40, 1), (7, 1)), ((33, 3), (40, 3))
    rows = ((16, 2), (16, 3)), ((24, 2), (24, 3)), ((8, 3), (8, 2)), ((12, 3), (9, 2))
    for same in blocks + rows:
        asked = [python_called(functools.partial(call.launch, block=block, rows=rows)) for block, rows in same]
        assert asked == [True] + [False] * (len(same) - 1)
        assert call.arrived()


def test_many_streams_use_the_fast_path(call):
    streams = [driver.cuStreamCreate(0) for _ in range(30)]

    def asked() -> int:
        count = 0
        for stream in streams:
            call.stream = ctypes.c_void_p(stream)
            count += python_called(call.launch) + python_called(call.synchronize)
        return count

    assert asked() == 60
    assert 0 in (asked() for _ in range(20)), "with a route for each; but a call that has to wait long is Python's"
    call.stream = ctypes.c_void_p(0)
    for stream in streams:
        driver.cuStreamDestroy(stream)


def test_the_fast_path_is_set_up_per_thread(call, context):
    def work() -> None:
        seen.append(LIBRARY.cuStreamSynchronize(ctypes.c_void_p(2)))
        driver.cuCtxSetCurrent(context)
        seen.append([python_called(call.launch) for _ in range(2)])

    seen: list[object] = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [abi.CUDA_ERROR_INVALID_CONTEXT, [True, False]]
    assert call.arrived()


def test_the_fast_path_rejects_invalid_launches(call):
    assert not python_called(call.launch)
    assert call.launch(block=0) == call.launch(block=1025) == abi.CUDA_ERROR_INVALID_VALUE
    assert call.launch(shared=1 << 20) == abi.CUDA_ERROR_INVALID_VALUE
    assert "dynamic shared memory" in cuda.cpu.last_error_message()
    assert call.launch(arguments=0) == abi.CUDA_ERROR_INVALID_VALUE
    nothing = (ctypes.c_void_p * 2)()
    assert call.launch(arguments=ctypes.addressof(nothing)) == abi.CUDA_ERROR_INVALID_VALUE
    assert call.launch() == 0
    assert call.arrived()


def test_a_required_block_size(context):
    text = kernels.text(kernels.STORE.replace("{\n", ".reqntid 2, 1, 1\n{\n", 1))
    call = Call(module=driver.cuModuleLoadData(kernels.address_of(text)))
    assert [call.launch(block=2) for _ in range(3)] == [0, 0, 0]
    assert not python_called(lambda: call.launch(block=2))
    assert call.launch(block=1) == abi.CUDA_ERROR_INVALID_VALUE
    call.close()


def test_less_shared_memory(call):
    assert call.launch(shared=4096) == 0
    driver.cuFuncSetAttribute(call.function, abi.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024)
    assert call.launch(shared=4096) == abi.CUDA_ERROR_INVALID_VALUE
    assert call.launch(shared=1024) == 0


def test_another_context(call, context):
    other = driver.cuCtxCreate(0, 0, 0)
    assert call.launch() == abi.CUDA_ERROR_INVALID_HANDLE  # the stream belongs to the other context
    driver.cuCtxPopCurrent()
    assert call.launch() == 0
    driver.cuCtxPushCurrent(other)
    driver.cuCtxPopCurrent()
    assert not python_called(call.launch)
    driver.cuCtxSetCurrent(0)
    assert call.launch() == abi.CUDA_ERROR_INVALID_CONTEXT
    driver.cuCtxSetCurrent(context)
    assert call.launch() == 0
    driver.cuCtxDestroy(other)
    assert call.arrived()


def test_destroyed_handles(context):
    call = Call(driver.cuStreamCreate(0))
    for _ in range(3):
        assert call.launch() == call.synchronize() == call.query() == 0
    driver.cuStreamDestroy(call.stream.value)
    for name in ("launch", "launch_ex", "synchronize", "query"):
        assert getattr(call, name)() == abi.CUDA_ERROR_INVALID_HANDLE
    call.stream = ctypes.c_void_p(0)
    for _ in range(3):
        assert call.launch() == 0
    call.close()
    assert call.launch() == abi.CUDA_ERROR_INVALID_HANDLE


@pytest.mark.parametrize("name", ["launch", "copy", "wait"])
def test_a_stream_destroyed_by_another_thread(context, monkeypatch, name):
    """The stream is destroyed between the handle look-up and the command; the call fails as for a destroyed handle."""
    call = Call(driver.cuStreamCreate(0))
    queue_after_waits = streams.Stream.queue_after_waits

    def late(stream):
        queue = queue_after_waits(stream)
        driver.cuStreamDestroy(stream.handle)
        return queue

    monkeypatch.setattr(streams.Stream, "queue_after_waits", late)
    calls = {
        "launch": call.launch,
        "copy": lambda: LIBRARY.cuMemsetD8Async(ctypes.c_uint64(call.out), 1, ctypes.c_size_t(4), call.stream),
        "wait": lambda: LIBRARY.cuStreamWaitValue32_v2(call.stream, ctypes.c_uint64(call.out), 0, 0),
    }
    assert calls[name]() == abi.CUDA_ERROR_INVALID_HANDLE
    monkeypatch.undo()
    call.close()


def test_a_context_with_a_sticky_error(context):
    call = Call(driver.cuStreamCreate(0))
    for _ in range(3):
        assert call.launch() == call.synchronize() == 0
    packed, _keep = kernels.packed(ctypes.c_uint64(call.out + 4096), call.value)
    assert call.launch(arguments=packed) == 0
    for name in ("synchronize", "query", "launch", "launch_ex"):
        assert getattr(call, name)() == abi.CUDA_ERROR_ILLEGAL_ADDRESS
    driver.cuDevicePrimaryCtxReset(0)
    assert call.launch() == abi.CUDA_ERROR_INVALID_HANDLE


def test_a_stream_being_captured(context):
    call = Call(driver.cuStreamCreate(0))
    for _ in range(3):
        assert call.launch() == call.synchronize() == 0
    driver.cuStreamBeginCapture(call.stream.value, abi.CU_STREAM_CAPTURE_MODE_RELAXED)
    assert call.launch() == call.launch() == 0
    graph = driver.cuStreamEndCapture(call.stream.value)
    assert call.synchronize() == 0
    assert kernels.read(call.out) == call.value.value - 2
    run = driver.cuGraphInstantiate(graph, 0)
    driver.cuGraphLaunch(run, call.stream.value)
    assert call.arrived()
    driver.cuGraphExecDestroy(run)
    driver.cuGraphDestroy(graph)
    assert call.launch() == 0
    assert call.arrived()
    driver.cuStreamDestroy(call.stream.value)
    call.close()


@pytest.mark.parametrize("first_is_legacy", [False, True])
def test_the_legacy_stream_synchronizes_with_blocking_streams(call, spinning, first_is_legacy):
    other = Call(driver.cuStreamCreate(0))
    first, second = (call, other) if first_is_legacy else (other, call)
    for each in (first, second, first, second):
        assert each.launch() == each.synchronize() == 0
    flag = spinning(first.stream.value or 0)
    assert second.launch() == 0
    assert second.query() == abi.CUDA_ERROR_NOT_READY
    assert ctypes.c_uint32.from_address(second.out).value == second.value.value - 1
    flag.raise_()
    assert second.arrived()
    driver.cuStreamDestroy(other.stream.value)
    other.close()


def test_a_synchronization_trims_memory_pools(call):
    pool = driver.cuDeviceGetDefaultMemPool(0)
    reserved = ctypes.c_uint64()

    def held() -> int:
        driver.cuMemPoolGetAttribute(pool, abi.CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, ctypes.addressof(reserved))
        return reserved.value

    before = held()
    assert not python_called(call.synchronize)
    driver.cuMemFreeAsync(driver.cuMemAllocAsync(1 << 20, 0), 0)
    assert held() > before
    assert call.synchronize() == 0
    assert held() == before
    assert call.synchronize() == 0
    assert not python_called(call.synchronize)


def test_attributes_need_no_python(context):
    """Taichi queries attributes in threads that the main thread waits for without releasing the interpreter lock."""
    value = ctypes.c_int()
    for attribute, expected in devices.find(0).attributes.items():
        get = functools.partial(LIBRARY.cuDeviceGetAttribute, ctypes.byref(value), attribute, 0)
        assert not python_called(get)
        assert value.value == expected
    for arguments in ((ctypes.byref(value), 0, 0), (ctypes.byref(value), 10**6, 0), (None, 10, 0)):
        assert LIBRARY.cuDeviceGetAttribute(*arguments) == abi.CUDA_ERROR_INVALID_VALUE
    for device in (-1, 64, 63):
        assert LIBRARY.cuDeviceGetAttribute(ctypes.byref(value), 10, device) == abi.CUDA_ERROR_INVALID_DEVICE
