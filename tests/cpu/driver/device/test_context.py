# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import _thread
import contextlib
import ctypes
import os
import signal
import threading
import time

import kernels
import pytest
from support.scripts import run_script
from test_device import in_new_process

from cuda.cpu import abi, driver
from cuda.cpu.driver.base.error import CudaError


def test_primary_context_counts_its_owners(refused):
    first = driver.cuDevicePrimaryCtxRetain(0)
    assert driver.cuDevicePrimaryCtxRetain(0) == first
    driver.cuDevicePrimaryCtxRelease(0)
    assert driver.cuDevicePrimaryCtxGetState(0) == (0, 1)
    driver.cuDevicePrimaryCtxRelease(0)
    assert driver.cuDevicePrimaryCtxGetState(0) == (0, 0)
    with refused("INVALID_CONTEXT", "not retained"):
        driver.cuDevicePrimaryCtxRelease(0)


def test_a_released_context_cannot_be_used(refused):
    handle = driver.cuDevicePrimaryCtxRetain(0)
    driver.cuCtxSetCurrent(handle)
    driver.cuDevicePrimaryCtxRelease(0)
    with refused("CONTEXT_IS_DESTROYED"):
        driver.cuMemAlloc(4)
    driver.cuCtxSetCurrent(0)


def test_releasing_a_context_frees_memory_and_streams(context):
    free, _ = driver.cuMemGetInfo()
    driver.cuDevicePrimaryCtxRetain(0)
    other = driver.cuCtxCreate(0, 0, 0)
    driver.cuMemAlloc(1000)
    stream, event = driver.cuStreamCreate(0), driver.cuEventCreate(0)
    driver.cuCtxDestroy(other)
    driver.cuDevicePrimaryCtxRelease(0)
    driver.cuCtxSetCurrent(context)
    assert driver.cuMemGetInfo()[0] == free
    for call in (lambda: driver.cuStreamSynchronize(stream), lambda: driver.cuEventSynchronize(event)):
        with pytest.raises(CudaError) as caught:
            call()
        assert caught.value.status == abi.CUDA_ERROR_INVALID_HANDLE


def test_flags_of_the_primary_context(refused):
    driver.cuDevicePrimaryCtxSetFlags(0, abi.CU_CTX_SCHED_BLOCKING_SYNC)
    assert driver.cuDevicePrimaryCtxGetState(0) == (abi.CU_CTX_SCHED_BLOCKING_SYNC, 0)
    driver.cuDevicePrimaryCtxSetFlags(0, 0)
    with refused("INVALID_VALUE", "0x3"):
        driver.cuDevicePrimaryCtxSetFlags(0, 3)


def test_context_stack(context, refused):
    assert driver.cuCtxGetCurrent() == context
    other = driver.cuCtxCreate(0, abi.CU_CTX_SCHED_SPIN, 0)
    assert driver.cuCtxGetCurrent() == other
    assert driver.cuCtxGetFlags() == abi.CU_CTX_SCHED_SPIN
    assert driver.cuCtxPopCurrent() == other
    assert driver.cuCtxGetCurrent() == context
    driver.cuCtxPushCurrent(other)
    driver.cuCtxDestroy(other)
    assert driver.cuCtxGetCurrent() == context
    driver.cuCtxSetCurrent(0)
    assert driver.cuCtxGetCurrent() == 0
    with refused("INVALID_CONTEXT"):
        driver.cuCtxPopCurrent()
    with refused("INVALID_CONTEXT"):
        driver.cuMemAlloc(4)
    with refused("INVALID_CONTEXT"):
        driver.cuCtxSetCurrent(other)


def test_each_thread_has_its_own_stack(context):
    seen = []
    thread = threading.Thread(target=lambda: seen.append(driver.cuCtxGetCurrent()))
    thread.start()
    thread.join()
    assert seen == [0]


def test_old_versions_of_cuCtxCreate(context, refused):
    driver.cuCtxDestroy(driver.cuCtxCreate_v2(0, 0))
    driver.cuCtxDestroy(driver.cuCtxCreate_v3(0, 0, 0, 0))
    with refused("INVALID_VALUE", "NULL"):
        driver.cuCtxCreate_v3(0, 1, 0, 0)


def test_execution_affinity(context, refused):
    given = abi.CUexecAffinityParam(type=abi.CU_EXEC_AFFINITY_TYPE_SM_COUNT)
    given.param.smCount.val = 1
    asked = abi.CUexecAffinityParam()
    other = driver.cuCtxCreate_v3(ctypes.addressof(given), 1, 0, 0)
    driver.cuCtxGetExecAffinity(ctypes.addressof(asked), abi.CU_EXEC_AFFINITY_TYPE_SM_COUNT)
    assert asked.param.smCount.val == 1
    pointer = driver.cuMemAlloc(4)
    driver.cuMemsetD32(pointer, 3, 1)
    driver.cuCtxSynchronize()
    driver.cuMemFree(pointer)
    driver.cuCtxDestroy(other)
    driver.cuCtxGetExecAffinity(ctypes.addressof(asked), abi.CU_EXEC_AFFINITY_TYPE_SM_COUNT)
    assert asked.param.smCount.val == driver.cuDeviceGetAttribute(abi.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0)
    given.param.smCount.val = 100000
    params = abi.CUctxCreateParams(execAffinityParams=ctypes.addressof(given), numExecAffinityParams=1)
    with refused("INVALID_VALUE", "smCount is 100000"):
        driver.cuCtxCreate(ctypes.addressof(params), 0, 0)
    given.type = 7
    with refused("UNSUPPORTED_EXEC_AFFINITY"):
        driver.cuCtxCreate_v3(ctypes.addressof(given), 1, 0, 0)
    with refused("UNSUPPORTED_EXEC_AFFINITY"):
        driver.cuCtxGetExecAffinity(ctypes.addressof(asked), 7)


@pytest.mark.parametrize("flags", [3, 0x100])
def test_unknown_flags(refused, flags):
    with refused("INVALID_VALUE", "CUctx_flags"):
        driver.cuCtxCreate(0, flags, 0)


def test_primary_context_is_not_destroyed(context, refused):
    with refused("INVALID_CONTEXT", "cuDevicePrimaryCtxRelease"):
        driver.cuCtxDestroy(context)


def test_attach_and_detach_count_references(refused):
    driver.cuInit(0)
    made = driver.cuCtxCreate(0, 0, 0)
    assert driver.cuCtxAttach(0) == made
    with refused("INVALID_VALUE", "flags is 1"):
        driver.cuCtxAttach(1)
    driver.cuCtxDetach(made)
    driver.cuCtxSynchronize()
    driver.cuCtxDetach(made)
    with refused("INVALID_CONTEXT"):
        driver.cuCtxDetach(made)
    other = driver.cuCtxCreate(0, 0, 0)
    driver.cuCtxPopCurrent()
    with refused("INVALID_CONTEXT", "is not current"):
        driver.cuCtxDetach(other)
    driver.cuCtxDestroy(other)


def test_attributes_of_a_context(context):
    assert driver.cuCtxGetDevice() == driver.cuCtxGetDevice_v2(context) == 0
    assert driver.cuCtxGetApiVersion(context) == 3020
    assert driver.cuCtxGetId(0) == driver.cuCtxGetId(context) > 0
    assert driver.cuCtxGetStreamPriorityRange() == (0, -5)
    driver.cuCtxSetCacheConfig(abi.CU_FUNC_CACHE_PREFER_L1)
    assert driver.cuCtxGetCacheConfig() == abi.CU_FUNC_CACHE_PREFER_L1


def test_limits(context, refused):
    assert driver.cuCtxGetLimit(abi.CU_LIMIT_STACK_SIZE) == 1024
    driver.cuCtxSetLimit(abi.CU_LIMIT_STACK_SIZE, 4096)
    assert driver.cuCtxGetLimit(abi.CU_LIMIT_STACK_SIZE) == 4096
    driver.cuCtxSetLimit(abi.CU_LIMIT_STACK_SIZE, 1024)
    with refused("INVALID_VALUE", "greatest"):
        driver.cuCtxSetLimit(abi.CU_LIMIT_STACK_SIZE, 1 << 40)
    with refused("UNSUPPORTED_LIMIT"):
        driver.cuCtxGetLimit(abi.CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH)
    with refused("INVALID_VALUE"):
        driver.cuCtxGetLimit(99)


PRINT = """
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[2] = {10, 0};
.visible .entry print()
{
 .reg .b64 %rd<2>;
 mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1;
 {
  .param .b64 p0; .param .b64 p1; .param .b32 result;
  st.param.b64 [p0], %rd1; st.param.b64 [p1], 0;
  call.uni (result), vprintf, (p0, p1);
 }
 ret;
}
"""


def test_the_size_of_the_fifo_is_set_before_a_kernel_prints(refused):
    """The same holds for the size of the heap; a reset context has printed nothing."""
    handle = driver.cuCtxCreate(0, 0, 0)
    try:
        driver.cuCtxSetLimit(abi.CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 21)
        with kernels.loaded(PRINT) as module:
            kernels.run(module, "print")
            driver.cuCtxSynchronize()
        with refused("INVALID_VALUE", "has printed already"):
            driver.cuCtxSetLimit(abi.CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 22)
        assert driver.cuCtxGetLimit(abi.CU_LIMIT_PRINTF_FIFO_SIZE) == 1 << 21
        other = driver.cuCtxCreate(0, 0, 0)
        driver.cuCtxSetLimit(abi.CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20)
        driver.cuCtxDestroy(other)
    finally:
        driver.cuCtxDestroy(handle)


HEAP = """
.extern .func (.param .b64 result) malloc (.param .b64 size);
.visible .entry allocate(.param .u64 out, .param .u64 size)
{
 .reg .b64 %rd<4>;
 ld.param.u64 %rd1, [size]; ld.param.u64 %rd3, [out];
 {
  .param .b64 p0; .param .b64 result;
  st.param.b64 [p0], %rd1;
  call.uni (result), malloc, (p0);
  ld.param.b64 %rd2, [result];
 }
 st.global.u64 [%rd3], %rd2;
 ret;
}
"""


def test_device_heap_memory_is_freed_with_the_last_context():
    """The heap is emptied when the last context is destroyed; its size, like that of stacks, can then be set again."""
    code = f"""
import ctypes, kernels
from cuda.cpu import abi
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
for megabytes in (6, 30, 6):
    if megabytes > 8:
        driver.cuCtxSetLimit(abi.CU_LIMIT_MALLOC_HEAP_SIZE, 40 << 20)
    out = driver.cuMemAlloc(8)
    with kernels.loaded({HEAP!r}) as module:
        for again in range(2):
            kernels.run(module, "allocate", ctypes.c_uint64(out), ctypes.c_uint64(megabytes << 20))
            print(bool(kernels.read(out, ctypes.c_uint64)), end=" ")
        try:
            driver.cuCtxSetLimit(abi.CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20)
        except CudaError as error:
            print(error.status, end=" ")
    driver.cuDevicePrimaryCtxReset(0)
"""
    for checks in ("", "memcheck"):
        assert in_new_process(code, CUDA_CPU_CHECK=checks) == " ".join(["True False 1"] * 3)


def test_peer_access():
    first, second = driver.cuCtxCreate(0, 0, 0), driver.cuCtxCreate(0, 0, 0)
    try:
        driver.cuCtxEnablePeerAccess(first, 0)
        for call, status in (
            (lambda: driver.cuCtxEnablePeerAccess(first, 0), abi.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
            (lambda: driver.cuCtxEnablePeerAccess(second, 0), abi.CUDA_ERROR_INVALID_CONTEXT),
            (lambda: driver.cuCtxEnablePeerAccess(12345, 0), abi.CUDA_ERROR_INVALID_CONTEXT),
        ):
            with pytest.raises(CudaError) as caught:
                call()
            assert caught.value.status == status
        driver.cuCtxDisablePeerAccess(first)
        with pytest.raises(CudaError) as caught:
            driver.cuCtxDisablePeerAccess(first)
        assert caught.value.status == abi.CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
    finally:
        driver.cuCtxDestroy(second)
        driver.cuCtxDestroy(first)


def test_a_fault_stays_until_the_context_is_reset(refused):
    handle = driver.cuDevicePrimaryCtxRetain(0)
    driver.cuCtxSetCurrent(handle)
    try:
        used = driver.cuMemGetInfo()
        buffer = driver.cuMemAlloc(256)
        with kernels.loaded(kernels.STORE) as module:
            kernels.run(module, "store", ctypes.c_uint64(buffer + 256), ctypes.c_uint32(1))
            with refused("ILLEGAL_ADDRESS", "kernel 'store'") as _:
                driver.cuCtxSynchronize()
            assert "0 bytes past the end of the device allocation of 256 bytes" in driver.error.last_error_message()
            assert "warp 0, PTX line 8 `ld.param.u64 %rd1, [out_ptr];" in driver.error.last_error_message()
            for call in (driver.cuCtxSynchronize, lambda: driver.cuMemAlloc(4), lambda: driver.cuStreamCreate(0)):
                with refused("ILLEGAL_ADDRESS", "kernel 'store'"):
                    call()
        driver.cuDevicePrimaryCtxReset(0)
        assert driver.cuMemGetInfo() == used
        driver.cuMemFree(driver.cuMemAlloc(4))
        driver.cuCtxSynchronize()
    finally:
        driver.cuDevicePrimaryCtxReset(0)
        driver.cuCtxSetCurrent(0)
        driver.cuDevicePrimaryCtxRelease(0)


def test_a_fault_belongs_to_one_context(context, refused):
    other = driver.cuCtxCreate(0, 0, 0)
    with kernels.loaded(kernels.TRAP) as module:
        kernels.run(module, "stop")
        with refused("LAUNCH_FAILED", "trap"):
            driver.cuCtxSynchronize()
    driver.cuCtxSetCurrent(context)
    driver.cuCtxSynchronize()
    driver.cuCtxDestroy(other)


@pytest.mark.parametrize(
    "wait",
    [
        lambda stream, event, buffer: driver.cuCtxSynchronize(),
        lambda stream, event, buffer: driver.cuStreamSynchronize(stream),
        lambda stream, event, buffer: driver.cuEventSynchronize(event),
        lambda stream, event, buffer: kernels.read(buffer),
    ],
    ids=["context", "stream", "event", "copy"],
)
def test_ctrl_c_ends_a_kernel_and_leaves_the_context_usable(spinning, refused, wait):
    stream, event = driver.cuStreamCreate(0), driver.cuEventCreate(0)
    flag = spinning(stream)
    driver.cuEventRecord(event, stream)
    buffer = driver.cuMemAlloc(4)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        wait(stream, event, buffer)
    with refused("ILLEGAL_STATE", "kernel 'spin' was cancelled"):  # results are incomplete: reported once
        wait(stream, event, buffer)
    with contextlib.suppress(CudaError):  # of the other streams
        driver.cuCtxSynchronize()
    wait(stream, event, buffer)
    driver.cuCtxSynchronize()
    assert flag.value.value == 0
    driver.cuMemFree(buffer)
    driver.cuEventDestroy(event)
    driver.cuStreamDestroy(stream)


def test_two_devices():
    """Each device has its own memory, contexts and pools; pointers are valid on both."""
    code = """
import contextlib
import ctypes
driver.cuInit(0)
contexts = [driver.cuDevicePrimaryCtxRetain(ordinal) for ordinal in (0, 1)]
pointers = []
for ordinal, context in enumerate(contexts):
    driver.cuCtxSetCurrent(context)
    pointers.append(driver.cuMemAlloc(8))
    driver.cuMemsetD8(pointers[-1], ordinal + 1, 8)
    driver.cuCtxSynchronize()
driver.cuMemcpyPeer(pointers[1], contexts[1], pointers[0], contexts[0], 4)
answer = ctypes.create_string_buffer(8)
driver.cuMemcpyDtoH(ctypes.addressof(answer), pointers[1], 8)
owner = ctypes.c_int()
owners = []
for pointer in pointers:
    driver.cuPointerGetAttribute(ctypes.addressof(owner), 9, pointer)
    owners.append(owner.value)
free = []
for context, pointer in zip(contexts, pointers):
    driver.cuCtxSetCurrent(context)
    driver.cuMemFree(pointer)
    free.append(driver.cuMemGetInfo()[0] == driver.cuMemGetInfo()[1])
pools = {driver.cuDeviceGetDefaultMemPool(ordinal) for ordinal in (0, 1)}
print(answer.raw, owners, free, len(pools))
"""
    answer = in_new_process(code, CUDA_CPU_DEVICES="2", CUDA_CPU_MEMORY="16M")
    assert answer == f"{bytes([1] * 4 + [2] * 4)!r} [0, 1] [True, True] 2"


def test_a_reused_thread_identifier_has_no_context():
    """Threads unknown to Python's threading end unnoticed, and the operating system reuses their identifiers."""
    handle = driver.cuDevicePrimaryCtxRetain(0)
    seen = {}

    def foreign():
        driver.cuCtxSetCurrent(handle)
        seen[_thread.get_ident()] = driver.cuCtxGetCurrent()
        done.release()

    def known():
        found.append((_thread.get_ident(), driver.cuCtxGetCurrent()))

    for _ in range(50):
        done, found = _thread.allocate_lock(), []
        done.acquire()
        _thread.start_new_thread(foreign, ())
        done.acquire()
        time.sleep(0.01)  # until the thread has ended, too
        thread = threading.Thread(target=known)
        thread.start()
        thread.join()
        if found[0][0] in seen:
            break
    driver.cuDevicePrimaryCtxRelease(0)
    assert set(seen.values()) == {handle}
    assert found[0][0] in seen, "no identifier was used again: the test shows nothing"
    assert found[0][1] == 0


@pytest.mark.parametrize("waits", [False, True])
def test_an_unobserved_fault_is_reported_at_exit(waits):
    done = run_script(f"""
        import ctypes, sys
        sys.path.insert(0, "tests/cpu/driver")
        import kernels
        from cuda.cpu import driver
        driver.cuInit(0)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
        module = driver.cuModuleLoadData(kernels.address_of(kernels.text(kernels.STORE)))
        arguments, _keep = kernels.packed(ctypes.c_uint64(16), ctypes.c_uint32(8))
        driver.cuLaunchKernel(driver.cuModuleGetFunction(module, b"store"), 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0)
        if {waits}:
            try:
                driver.cuCtxSynchronize()
            except driver.error.CudaError:
                pass
    """)
    assert done.returncode == 0
    told = "cuda.cpu: work failed that the program has not waited for: CUDA_ERROR_ILLEGAL_ADDRESS: kernel 'store'"
    assert (told in done.stderr) != waits, done.stderr
