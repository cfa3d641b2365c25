# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Inter-process sharing of memory, pools and events."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal

import kernels
import pytest
from support import open_files
from support.other_process import OtherProcess
from support.scripts import run_checked
from test_pool import create, pool

from cuda.cpu import abi, driver
from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.error import CudaError

FD = abi.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
LAZY = abi.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
SHARED = abi.CU_EVENT_INTERPROCESS | abi.CU_EVENT_DISABLE_TIMING

START = """
import ctypes
from cuda.cpu import abi, driver
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
def read(address):
    value = ctypes.c_uint32()
    driver.cuMemcpyDtoH(ctypes.addressof(value), address, 4)
    return value.value
def handle(get, *what):
    data = ctypes.create_string_buffer(64)
    get(ctypes.addressof(data), *what)
    return data.raw
def import_pointer(data):
    data = ctypes.create_string_buffer(data, 64)
    return driver.cuMemPoolImportPointer(pool, ctypes.addressof(data))
"""


@pytest.fixture
def other(context):
    with OtherProcess() as process:
        assert process.run(START) is None
        yield process


def handle(get, *arguments) -> bytes:
    data = ctypes.create_string_buffer(64)
    get(ctypes.addressof(data), *arguments)
    return data.raw


def memory_handle(pointer: int) -> bytes:
    return handle(driver.cuIpcGetMemHandle, pointer)


def test_another_process_reads_and_writes_memory(other, refused):
    pointer = driver.cuMemAlloc(5000)
    driver.cuMemsetD32(pointer, 7, 1250)
    shared = memory_handle(pointer)
    assert shared == memory_handle(pointer)
    assert kernels.read(pointer) == 7, "the pages moved, the address and what is there did not"
    assert other.run(f"p = driver.cuIpcOpenMemHandle({shared}, {LAZY})") is None
    assert other.run("read(p), read(p + 4996)") == (7, 7)
    other.run("driver.cuMemsetD32(p + 4, 8, 1); driver.cuCtxSynchronize()")
    assert kernels.read(pointer + 4) == 8
    driver.cuMemsetD32(pointer + 8, 9, 1)
    driver.cuCtxSynchronize()
    assert other.run("read(p + 8), driver.cuMemGetAddressRange(p)[1]") == (9, 5000)
    assert "not the start of a live" in other.fails("driver.cuMemFree(p)")
    assert other.run(f"driver.cuIpcOpenMemHandle({shared}, {LAZY}) == p"), "opened again it is the same"
    assert other.run("driver.cuIpcCloseMemHandle(p)") is None
    assert other.run("read(p)") == 7
    assert other.run("driver.cuIpcCloseMemHandle(p)") is None
    assert "no live device pointer" in other.fails("read(p)")
    assert "not what cuIpcOpenMemHandle" in other.fails("driver.cuIpcCloseMemHandle(p)")
    driver.cuMemFree(pointer)
    assert "is gone" in other.fails(f"driver.cuIpcOpenMemHandle({shared}, {LAZY})")


def test_kernels_use_memory_of_another_process(other):
    pointer = driver.cuMemAlloc(4)
    driver.cuMemsetD32(pointer, 0, 1)
    other.run(f"p = driver.cuIpcOpenMemHandle({memory_handle(pointer)}, {LAZY})")
    other.run(f"""
text = ctypes.create_string_buffer({kernels.text(kernels.STORE)!r})
module = driver.cuModuleLoadData(ctypes.addressof(text))
arguments = ctypes.c_uint64(p), ctypes.c_uint32(77)
addresses = (ctypes.c_uint64 * 2)(*map(ctypes.addressof, arguments))
function = driver.cuModuleGetFunction(module, b"store")
driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, ctypes.addressof(addresses), 0)
""")
    assert other.run("driver.cuCtxSynchronize()") is None
    assert kernels.read(pointer) == 77
    driver.cuMemFree(pointer)


def test_reused_memory_is_not_visible_to_old_imports(other):
    pointer = driver.cuMemAlloc(4096)
    driver.cuMemsetD32(pointer, 1, 1024)
    other.run(f"p = driver.cuIpcOpenMemHandle({memory_handle(pointer)}, {LAZY})")
    driver.cuMemFree(pointer)
    again = driver.cuMemAlloc(4096)
    assert again == pointer, "the range is in use again, which is what this test is about"
    driver.cuMemsetD32(again, 2, 1024)
    driver.cuCtxSynchronize()
    assert other.run("read(p)") == 1
    driver.cuMemFree(again)


def test_memory_outlives_its_process(context):
    with OtherProcess() as other:
        other.run(START)
        shared = other.run("p = driver.cuMemAlloc(100); driver.cuMemsetD8(p, 5, 100); driver.cuCtxSynchronize()")
        shared = other.run("handle(driver.cuIpcGetMemHandle, p)")
        pointer = driver.cuIpcOpenMemHandle(shared, LAZY)
        other.kill()
        other.process.wait()
        assert kernels.read(pointer, ctypes.c_uint8) == 5
        driver.cuIpcCloseMemHandle(pointer)
        with pytest.raises(CudaError, match="is gone"):
            driver.cuIpcOpenMemHandle(shared, LAZY)


def test_wrong_memory_handles(context, refused):
    pointer = driver.cuMemAlloc(1000)
    shared = memory_handle(pointer)
    with refused("INVALID_CONTEXT", "of this process"):
        driver.cuIpcOpenMemHandle(shared, LAZY)
    with refused("INVALID_HANDLE", "not made for this"):
        driver.cuIpcOpenMemHandle(bytes(64), LAZY)
    with refused("INVALID_VALUE", "must be CU_IPC_MEM_LAZY"):
        driver.cuIpcOpenMemHandle(shared, 0)
    with refused("INVALID_HANDLE", "not made for this"):
        driver.cuIpcOpenEventHandle(shared)
    for wrong in (pointer + 4, 0):
        with refused("INVALID_VALUE", "not the start"):
            memory_handle(wrong)
    with refused("INVALID_VALUE", "NULL"):
        driver.cuIpcGetMemHandle(0, pointer)
    driver.cuMemFree(pointer)
    pooled = driver.cuMemAllocAsync(64, 0)
    with refused("INVALID_VALUE", "cuMemAlloc returned"):
        memory_handle(pooled)
    driver.cuMemFreeAsync(pooled, 0)


def exported(handle: int) -> int:
    pointer = ctypes.c_int()
    driver.cuMemPoolExportToShareableHandle(ctypes.addressof(pointer), handle, FD, 0)
    return pointer.value


@pytest.mark.parametrize("location", [abi.CU_MEM_LOCATION_TYPE_DEVICE, abi.CU_MEM_LOCATION_TYPE_HOST_NUMA])
def test_another_process_maps_pool_allocations(context, location):
    with pool(location=location, handleTypes=FD) as ours:
        descriptor = exported(ours)
        with OtherProcess(pass_fds=[descriptor]) as other:
            other.run(START)
            pointers = [driver.cuMemAllocFromPoolAsync(size, ours, 0) for size in (4, 70000)]
            for i, pointer in enumerate(pointers):
                driver.cuMemsetD32Async(pointer, i + 3, 1, 0)
            driver.cuCtxSynchronize()
            data = [handle(driver.cuMemPoolExportPointer, pointer) for pointer in pointers]
            other.run(f"pool = driver.cuMemPoolImportFromShareableHandle({descriptor}, {FD}, 0)")
            other.run(f"pointers = [import_pointer(data) for data in {data}]")
            assert other.run("[read(p) for p in pointers]") == [3, 4]
            other.run("driver.cuMemsetD32Async(pointers[0], 50, 1, 0); driver.cuMemFreeAsync(pointers[0], 0)")
            other.run("driver.cuCtxSynchronize()")
            assert kernels.read(pointers[0]) == 50
            assert "no live device pointer" in other.fails("read(pointers[0])")
            assert "imported pool" in other.fails("driver.cuMemAllocFromPoolAsync(5, pool, 0)")
            assert "not of an allocation of this pool" in other.fails("import_pointer(bytes(64))")
            assert other.run("driver.cuMemPoolDestroy(pool)") is None
            assert other.run("read(pointers[1])") == 4, "what was imported lives until it is freed"
            assert other.run("driver.cuMemFree(pointers[1])") is None
        for pointer in pointers:
            driver.cuMemFreeAsync(pointer, 0)
        driver.cuCtxSynchronize()
        os.close(descriptor)


def test_a_shared_pool_accounts_for_its_memory(context, refused):
    free = driver.cuMemGetInfo()[0]
    ours = create(handleTypes=FD)
    pointer = driver.cuMemAllocFromPoolAsync(10000, ours, 0)
    assert driver.cuMemGetInfo()[0] == free - 12288
    given = ctypes.c_uint64()
    driver.cuPointerGetAttribute(ctypes.addressof(given), abi.CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, pointer)
    assert given.value == FD
    driver.cuMemPoolDestroy(ours)
    driver.cuMemFree(pointer)
    driver.cuCtxSynchronize()
    assert driver.cuMemGetInfo()[0] == free
    with pool() as private, refused("INVALID_VALUE", "not made with this handle type"):
        exported(private)
    with refused("INVALID_VALUE", "no file descriptor of a pool"):
        driver.cuMemPoolImportFromShareableHandle(0, FD, 0)
    with refused("NOT_SUPPORTED", "handle type 2"):
        driver.cuMemPoolImportFromShareableHandle(0, 2, 0)
    unshared = create(handleTypes=FD)
    for pooled in (driver.cuMemAllocAsync(64, 0), driver.cuMemAllocFromPoolAsync(64, unshared, 0)):
        with refused("INVALID_VALUE", "no allocation of a pool that was exported"):
            handle(driver.cuMemPoolExportPointer, pooled)
        driver.cuMemFreeAsync(pooled, 0)
    driver.cuMemPoolDestroy(unshared)


def test_another_process_waits_for_an_event(other, spinning):
    event, stream = driver.cuEventCreate(SHARED), driver.cuStreamCreate(0)
    pointer = driver.cuMemAlloc(4)
    driver.cuMemsetD32(pointer, 0, 1)
    other.run(f"e = driver.cuIpcOpenEventHandle({handle(driver.cuIpcGetEventHandle, event)})")
    other.run(f"p = driver.cuIpcOpenMemHandle({memory_handle(pointer)}, {LAZY})")
    assert other.run("driver.cuEventQuery(e)") is None, "an event that was never recorded is done"
    flag = spinning(stream)
    driver.cuMemsetD32Async(pointer, 4, 1, stream)
    driver.cuEventRecord(event, stream)
    assert "CudaError: (600" in other.fails("driver.cuEventQuery(e)")
    other.run("s = driver.cuStreamCreate(0); driver.cuStreamWaitEvent(s, e, 0); q = driver.cuMemAlloc(4)")
    other.run("driver.cuMemcpyDtoDAsync(q, p, 4, s)")
    flag.raise_()
    assert other.run("driver.cuStreamSynchronize(s), read(q)") == (None, 4)
    other.run("driver.cuMemsetD32Async(p, 6, 1, s); driver.cuEventRecord(e, s)")
    driver.cuEventSynchronize(event)
    assert kernels.read(pointer) == 6, "the same event, recorded by the other process"
    driver.cuEventDestroy(event)
    assert other.run("driver.cuEventQuery(e)") is None
    driver.cuStreamDestroy(stream)
    driver.cuMemFree(pointer)


def test_waits_for_a_dead_process_return(context):
    with OtherProcess() as other:
        other.run(START)
        other.run("flag = driver.cuMemHostAlloc(4, 0); ctypes.c_uint32.from_address(flag).value = 0")
        other.run(f"e = driver.cuEventCreate({SHARED}); driver.cuStreamWaitValue32(0, flag, 1, 1)")
        event = driver.cuIpcOpenEventHandle(
            other.run("driver.cuEventRecord(e, 0) or handle(driver.cuIpcGetEventHandle, e)")
        )
        with pytest.raises(CudaError):
            driver.cuEventQuery(event)
        other.kill()
        driver.cuEventSynchronize(event)  # before the process is reaped
        assert other.process.wait() == -signal.SIGKILL
        driver.cuEventDestroy(event)


def test_wrong_events(context, refused):
    event = driver.cuEventCreate(abi.CU_EVENT_DISABLE_TIMING)
    with refused("INVALID_HANDLE", "CU_EVENT_INTERPROCESS"):
        handle(driver.cuIpcGetEventHandle, event)
    driver.cuEventDestroy(event)
    with refused("INVALID_VALUE", "needs CU_EVENT_DISABLE_TIMING"):
        driver.cuEventCreate(abi.CU_EVENT_INTERPROCESS)
    event = driver.cuEventCreate(SHARED)
    with refused("INVALID_CONTEXT", "of this process"):
        driver.cuIpcOpenEventHandle(handle(driver.cuIpcGetEventHandle, event))
    driver.cuEventDestroy(event)


def test_file_descriptors_are_closed(context):
    def files() -> int:
        return open_files.count()

    before = files()
    with contextlib.ExitStack() as stack:
        pointer = driver.cuMemAlloc(10)
        memory_handle(pointer)
        stack.callback(driver.cuMemFree, pointer)
        stack.callback(driver.cuEventDestroy, driver.cuEventCreate(SHARED))
        shared = create(handleTypes=FD)
        stack.callback(driver.cuMemPoolDestroy, shared)
        driver.cuMemFree(driver.cuMemAllocFromPoolAsync(10, shared, 0))
        assert files() == before + 3
    assert files() == before


def test_processes_forked_before_the_driver_starts_share_memory():
    said = run_checked(f"""
        import ctypes, os
        there, here = os.pipe()
        child = os.fork()
        from cuda.cpu import driver
        driver.cuInit(0)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
        if child:
            p = driver.cuIpcOpenMemHandle(os.read(there, 64), {LAZY})
            value = ctypes.c_uint32()
            driver.cuMemcpyDtoH(ctypes.addressof(value), p, 4)
            print(value.value, os.kill(child, 9), os.waitpid(child, 0)[0] == child)
        else:
            p = driver.cuMemAlloc(4)
            driver.cuMemsetD32(p, 321, 1)
            driver.cuCtxSynchronize()
            data = ctypes.create_string_buffer(64)
            driver.cuIpcGetMemHandle(ctypes.addressof(data), p)
            os.write(here, data.raw)
            import signal
            signal.pause()
    """)
    assert said.split() == ["321", "None", "True"]


def test_the_address_range_of_a_destroyed_pool_is_released(context):
    with pool(handleTypes=FD) as shared:
        pointer = driver.cuMemAllocFromPoolAsync(64, shared, 0)
        driver.cuMemFreeAsync(pointer, 0)
        driver.cuStreamSynchronize(0)
        with pytest.raises(CudaError, match="nothing is allocated"):
            address.check("dst", pointer, 64)
    assert address.check("dst", pointer, 64) is None
