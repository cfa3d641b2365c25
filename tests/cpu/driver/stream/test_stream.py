# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import ctypes
import threading

import kernels
import pytest
from stream_calls import is_busy, streams

from cuda.cpu import abi, driver

LEGACY, PER_THREAD = 1, 2


def test_attributes_of_a_new_stream(context):
    stream = driver.cuStreamCreateWithPriority(abi.CU_STREAM_NON_BLOCKING, -3)
    assert driver.cuStreamGetFlags(stream) == abi.CU_STREAM_NON_BLOCKING
    assert driver.cuStreamGetPriority(stream) == -3
    assert driver.cuStreamGetCtx(stream) == context
    assert driver.cuStreamGetCtx_v2(stream) == (context, 0)
    assert driver.cuStreamGetDevice(stream) == 0
    ids = [driver.cuStreamGetId(each) for each in (0, LEGACY, PER_THREAD, stream)]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3
    driver.cuStreamDestroy(stream)


def test_priority_is_clamped_to_the_range(context):
    for asked, given in ((7, 0), (-99, -5)):
        stream = driver.cuStreamCreateWithPriority(0, asked)
        assert driver.cuStreamGetPriority(stream) == given
        driver.cuStreamDestroy(stream)


def test_wrong_flags(context, refused):
    with refused("INVALID_VALUE", "CUstream_flags"):
        driver.cuStreamCreate(2)


def test_a_destroyed_stream_is_an_invalid_handle(context, refused):
    stream = driver.cuStreamCreate(0)
    driver.cuStreamDestroy(stream)
    for call in (driver.cuStreamDestroy, driver.cuStreamSynchronize, driver.cuStreamQuery, driver.cuStreamGetId):
        with refused("INVALID_HANDLE", "no live stream"):
            call(stream)


@pytest.mark.parametrize("handle", [0, LEGACY, PER_THREAD])
def test_default_streams_are_not_destroyed(context, refused, handle):
    with refused("INVALID_HANDLE"):
        driver.cuStreamDestroy(handle)


def test_query_and_synchronize(spinning):
    with streams(0) as [stream]:
        assert not is_busy(stream)
        flag = spinning(stream)
        assert is_busy(stream)
        flag.raise_()
        driver.cuStreamSynchronize(stream)
        assert not is_busy(stream)


def test_destroying_a_busy_stream_lets_its_work_finish(spinning):
    stream = driver.cuStreamCreate(0)
    flag = spinning(stream)
    buffer = driver.cuMemAlloc(4)
    driver.cuMemsetD32Async(buffer, 17, 1, stream)
    driver.cuStreamDestroy(stream)
    flag.raise_()
    driver.cuCtxSynchronize()
    assert kernels.read(buffer) == 17
    driver.cuMemFree(buffer)


@contextlib.contextmanager
def stream_of(kind: str):
    """A default stream, or a new one of this kind."""
    default = {"legacy": LEGACY, "per-thread": PER_THREAD}.get(kind)
    flags = {"blocking": abi.CU_STREAM_DEFAULT, "non-blocking": abi.CU_STREAM_NON_BLOCKING}.get(kind)
    stream = driver.cuStreamCreate(flags) if default is None else default
    yield stream
    if default is None:
        driver.cuStreamDestroy(stream)


@pytest.mark.parametrize(
    ("first", "second", "waits"),
    [
        ("blocking", "legacy", True),
        ("legacy", "blocking", True),
        ("per-thread", "legacy", True),
        ("legacy", "per-thread", True),
        ("non-blocking", "legacy", False),
        ("legacy", "non-blocking", False),
        ("blocking", "blocking", False),
    ],
)
def test_implicit_synchronization_between_streams(spinning, first, second, waits):
    pointer = driver.cuMemHostAlloc(4, 0)
    value = ctypes.c_uint32.from_address(pointer)
    value.value = 0
    with stream_of(first) as one, stream_of(second) as other:
        flag = spinning(one)
        driver.cuMemsetD32Async(pointer, 5, 1, other)
        if waits:
            assert is_busy(other)
            assert value.value == 0
            flag.raise_()
        driver.cuStreamSynchronize(other)
        assert value.value == 5
        flag.raise_()
        driver.cuStreamSynchronize(one)
    driver.cuMemFreeHost(pointer)


HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


def address(function) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value


def test_host_functions_run_in_order(context):
    seen = []
    first = HOST_FUNCTION(lambda data: seen.append(data))
    second = CALLBACK(lambda stream, status, data: seen.append((stream, status, data)))
    with streams(0) as [stream]:
        driver.cuLaunchHostFunc(stream, address(first), 7)
        driver.cuStreamAddCallback(stream, address(second), 8, 0)
        driver.cuLaunchHostFunc_v2(stream, address(first), 9, 0)
        driver.cuStreamSynchronize(stream)
        assert seen == [7, (stream, 0, 8), 9]


def test_callbacks_receive_the_status_of_a_fault(context, refused):
    other = driver.cuCtxCreate(0, 0, 0)
    seen = []
    function = HOST_FUNCTION(lambda data: seen.append(data))
    callback = CALLBACK(lambda stream, status, data: seen.append(status))
    with kernels.loaded(kernels.TRAP) as module:
        stream = driver.cuStreamCreate(0)
        kernels.run(module, "stop", stream=stream)
        driver.cuLaunchHostFunc(stream, address(function), 7)
        driver.cuStreamAddCallback(stream, address(callback), 0, 0)
        with refused("LAUNCH_FAILED"):
            driver.cuStreamSynchronize(stream)
    driver.cuCtxDestroy(other)
    assert seen == [abi.CUDA_ERROR_LAUNCH_FAILED]


def test_wrong_callbacks(context, refused):
    with refused("INVALID_VALUE", "NULL"):
        driver.cuLaunchHostFunc(0, 0, 0)
    with refused("INVALID_VALUE", "NULL"):
        driver.cuStreamAddCallback(0, 0, 0, 0)
    with refused("INVALID_VALUE", "flags"):
        driver.cuStreamAddCallback(0, address(CALLBACK(lambda *a: None)), 0, 1)
    with refused("INVALID_VALUE", "syncMode"):
        driver.cuLaunchHostFunc_v2(0, address(HOST_FUNCTION(lambda d: None)), 0, 5)


def test_wait_event_orders_streams(spinning):
    with streams(abi.CU_STREAM_NON_BLOCKING, abi.CU_STREAM_NON_BLOCKING) as [first, second]:
        event = driver.cuEventCreate(abi.CU_EVENT_DISABLE_TIMING)
        driver.cuStreamWaitEvent(second, event, 0)  # never recorded: nothing to wait for
        flag = spinning(first)
        driver.cuEventRecord(event, first)
        driver.cuStreamWaitEvent(second, event, 0)
        assert is_busy(second)
        flag.raise_()
        driver.cuStreamSynchronize(second)
        driver.cuEventDestroy(event)


def test_wait_value_and_write_value(context, refused):
    with streams(abi.CU_STREAM_NON_BLOCKING, abi.CU_STREAM_NON_BLOCKING) as [first, second]:
        pointer = driver.cuMemHostAlloc(16, 0)
        ctypes.memset(pointer, 0, 16)
        driver.cuStreamWaitValue32(first, pointer, 3, abi.CU_STREAM_WAIT_VALUE_GEQ)
        driver.cuStreamWriteValue64(first, pointer + 8, 2**63 + 1, 0)
        assert is_busy(first)
        driver.cuStreamWriteValue32(second, pointer, 4, 0)
        driver.cuStreamSynchronize(first)
        assert ctypes.c_uint64.from_address(pointer + 8).value == 2**63 + 1
        driver.cuStreamSynchronize(second)
        with refused("INVALID_VALUE", "aligned"):
            driver.cuStreamWaitValue32(first, pointer + 2, 0, 0)
        with refused("INVALID_VALUE", "flags"):
            driver.cuStreamWriteValue32(first, pointer, 0, 8)
        with refused("NOT_SUPPORTED", "FLUSH"):
            driver.cuStreamWaitValue32(first, pointer, 0, abi.CU_STREAM_WAIT_VALUE_FLUSH)
        driver.cuMemFreeHost(pointer)


def test_batch_of_memory_operations(context, refused):
    pointer = driver.cuMemAlloc(16)
    operations = (abi.CUstreamBatchMemOpParams * 2)()
    operations[0].writeValue.operation = abi.CU_STREAM_MEM_OP_WRITE_VALUE_32
    operations[0].writeValue.address = pointer
    operations[0].writeValue.value = 5
    operations[1].waitValue.operation = abi.CU_STREAM_MEM_OP_WAIT_VALUE_32
    operations[1].waitValue.address = pointer
    operations[1].waitValue.value = 5
    operations[1].waitValue.flags = abi.CU_STREAM_WAIT_VALUE_EQ
    driver.cuStreamBatchMemOp(0, 2, ctypes.addressof(operations), 0)
    driver.cuStreamSynchronize(0)
    assert kernels.read(pointer) == 5
    operations[1].operation = 77
    with refused("NOT_SUPPORTED", "operation 77"):
        driver.cuStreamBatchMemOp(0, 2, ctypes.addressof(operations), 0)
    driver.cuMemFree(pointer)


def test_attributes(context, refused):
    with streams(0, 0) as [stream, other]:
        value = abi.CUlaunchAttributeValue()
        driver.cuStreamGetAttribute(stream, abi.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, ctypes.addressof(value))
        assert value.syncPolicy == abi.CU_SYNC_POLICY_AUTO
        value.priority = -2
        driver.cuStreamSetAttribute(stream, abi.CU_LAUNCH_ATTRIBUTE_PRIORITY, ctypes.addressof(value))
        assert driver.cuStreamGetPriority(stream) == -2
        value.syncPolicy = abi.CU_SYNC_POLICY_SPIN
        driver.cuStreamSetAttribute(stream, abi.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, ctypes.addressof(value))
        driver.cuStreamCopyAttributes(other, stream)
        value.syncPolicy = 0
        driver.cuStreamGetAttribute(other, abi.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, ctypes.addressof(value))
        assert value.syncPolicy == abi.CU_SYNC_POLICY_SPIN
        with refused("INVALID_VALUE"):
            driver.cuStreamGetAttribute(stream, abi.CU_LAUNCH_ATTRIBUTE_COOPERATIVE, ctypes.addressof(value))


def test_an_uncaptured_stream_has_no_capture_state(context):
    assert driver.cuStreamIsCapturing(0) == abi.CU_STREAM_CAPTURE_STATUS_NONE
    assert driver.cuStreamGetCaptureInfo(0) == (0,) * 6


def test_attaching_managed_memory(context, refused):
    managed, plain = driver.cuMemAllocManaged(64, abi.CU_MEM_ATTACH_GLOBAL), driver.cuMemAlloc(64)
    driver.cuStreamAttachMemAsync(0, managed, 0, abi.CU_MEM_ATTACH_SINGLE)
    with refused("INVALID_VALUE", "managed"):
        driver.cuStreamAttachMemAsync(0, plain, 0, abi.CU_MEM_ATTACH_SINGLE)
    driver.cuMemFree(managed)
    driver.cuMemFree(plain)


def test_each_thread_has_its_own_per_thread_stream(context):
    ids = []

    def ask():
        driver.cuCtxSetCurrent(context)
        ids.append(driver.cuStreamGetId(PER_THREAD))

    ask()
    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert len(set(ids)) == 2
