# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import ctypes
import threading

import kernels
import pytest
from graph_calls import array, executable, launch, listed, memory, new_graph
from stream_calls import streams

from cuda.cpu import abi, driver
from cuda.cpu.driver.base import capture_state
from cuda.cpu.driver.base.error import CudaError

GLOBAL, THREAD, RELAXED = 0, 1, 2
NON_BLOCKING = abi.CU_STREAM_NON_BLOCKING


@pytest.fixture(autouse=True)
def no_capture_is_left():
    yield
    assert not capture_state.active


@pytest.fixture
def event(context):
    made = driver.cuEventCreate(0)
    yield made
    driver.cuEventDestroy(made)


def kinds(graph: int) -> list[int]:
    return [driver.cuGraphNodeGetType(node) for node in listed(driver.cuGraphGetNodes, graph)]


def ended(stream: int, says: str, refused) -> None:
    with refused(says):
        driver.cuStreamEndCapture(stream)


def test_captured_work_runs_at_graph_launch(context):
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
    value = ctypes.c_uint32(8)
    with streams(0) as [stream], memory(4) as pointer, kernels.loaded(kernels.STORE) as module:
        assert driver.cuStreamIsCapturing(stream) == abi.CU_STREAM_CAPTURE_STATUS_NONE
        driver.cuStreamBeginCapture(stream, GLOBAL)
        assert driver.cuStreamIsCapturing(stream) == abi.CU_STREAM_CAPTURE_STATUS_ACTIVE
        kernels.run(module, "store", ctypes.c_uint64(pointer), ctypes.c_uint32(5), block=(16, 2, 1), stream=stream)
        driver.cuMemcpyDtoDAsync(pointer + 4, pointer, 4, stream)
        driver.cuMemcpyHtoDAsync(pointer + 8, ctypes.addressof(value), 4, stream)
        driver.cuMemsetD32Async(pointer + 12, 6, 1, stream)
        driver.cuLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p).value, 0)
        driver.cuStreamWriteValue32(stream, pointer + 12, 7, 0)
        driver.cuStreamWaitValue32(stream, pointer + 12, 7, abi.CU_STREAM_WAIT_VALUE_EQ)
        graph = driver.cuStreamEndCapture(stream)
        assert kinds(graph) == [0, 1, 1, 2, 3, 12, 12]
        assert len(listed(driver.cuGraphGetEdges_v1, graph, columns=2)) == 6
        driver.cuStreamSynchronize(stream)
        assert kernels.read(pointer) == 0, "it ran during the capture"
        value.value = 9
        with executable(graph) as run:
            launch(run, stream)
        assert [kernels.read(pointer + at) for at in (0, 4, 8, 12)] == [5, 5, 9, 7]
        driver.cuGraphDestroy(graph)


def test_captured_2d_copies_and_packed_parameters(context):
    with streams(0) as [stream], memory(8) as pointer, kernels.loaded(kernels.STORE) as module:
        driver.cuStreamBeginCapture(stream, RELAXED)
        function = driver.cuModuleGetFunction(module, b"store")
        buffer, size = (ctypes.c_uint64 * 2)(pointer, 3), ctypes.c_size_t(12)
        extra = (ctypes.c_uint64 * 5)(1, ctypes.addressof(buffer), 2, ctypes.addressof(size), 0)
        driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, 0, ctypes.addressof(extra))
        driver.cuMemsetD2D32Async(pointer + 8, 16, 4, 1, 2, stream)
        given = abi.CUDA_MEMCPY2D(WidthInBytes=4, Height=2, srcPitch=16, dstPitch=16)
        given.srcMemoryType = given.dstMemoryType = abi.CU_MEMORYTYPE_DEVICE
        given.srcDevice, given.dstDevice = pointer + 8, pointer + 12
        driver.cuMemcpy2DAsync(ctypes.addressof(given), stream)
        graph = driver.cuStreamEndCapture(stream)
        with executable(graph) as run:
            launch(run, stream)
        assert [kernels.read(pointer + 4 * i) for i in range(8)] == [3, 0, 4, 4, 0, 0, 4, 4]
        driver.cuGraphDestroy(graph)


def test_other_streams_join_through_events(context, event):
    with streams(0, 0) as [stream, other], memory(2) as pointer:
        driver.cuStreamBeginCapture(stream, GLOBAL)
        driver.cuMemsetD32Async(pointer, 1, 2, stream)
        driver.cuEventRecord(event, stream)
        driver.cuStreamWaitEvent(other, event, 0)
        assert driver.cuStreamIsCapturing(other) == abi.CU_STREAM_CAPTURE_STATUS_ACTIVE
        driver.cuMemsetD32Async(pointer, 2, 1, other)
        driver.cuMemsetD32Async(pointer + 4, 3, 1, stream)
        driver.cuEventRecord(event, other)
        driver.cuStreamWaitEvent(stream, event, 0)
        driver.cuMemcpyDtoDAsync(pointer + 4, pointer, 4, stream)
        graph = driver.cuStreamEndCapture(stream)
        a, b, c, d = listed(driver.cuGraphGetNodes, graph)
        assert sorted(listed(driver.cuGraphGetEdges_v1, graph, columns=2)) == sorted([(a, b), (a, c), (b, d), (c, d)])
        assert driver.cuStreamIsCapturing(other) == abi.CU_STREAM_CAPTURE_STATUS_NONE
        with executable(graph) as run:
            launch(run, other)
        assert [kernels.read(pointer + at) for at in (0, 4)] == [2, 2]
        driver.cuGraphDestroy(graph)


def test_unjoined_work(context, event, refused):
    with streams(0, 0) as [stream, other], memory() as pointer:
        driver.cuStreamBeginCapture(stream, GLOBAL)
        driver.cuEventRecord(event, stream)
        driver.cuStreamWaitEvent(other, event, 0)
        driver.cuMemsetD32Async(pointer, 1, 1, other)
        with refused("STREAM_CAPTURE_UNMATCHED"):
            driver.cuStreamEndCapture(other)
        ended(stream, "STREAM_CAPTURE_INVALIDATED", refused)
        driver.cuStreamBeginCapture(stream, GLOBAL)
        driver.cuEventRecord(event, stream)
        driver.cuStreamWaitEvent(other, event, 0)
        driver.cuMemsetD32Async(pointer, 1, 1, other)
        ended(stream, "STREAM_CAPTURE_UNJOINED", refused)


def test_a_joined_stream_may_be_destroyed_before_the_end(context, event, refused):
    with streams(0) as [stream], memory() as pointer:
        for joined in (True, False):
            other = driver.cuStreamCreate(0)
            driver.cuStreamBeginCapture(stream, GLOBAL)
            driver.cuEventRecord(event, stream)
            driver.cuStreamWaitEvent(other, event, 0)
            driver.cuMemsetD32Async(pointer, 1, 1, other)
            if joined:
                driver.cuEventRecord(event, other)
                driver.cuStreamWaitEvent(stream, event, 0)
            driver.cuStreamDestroy(other)
            if joined:
                graph = driver.cuStreamEndCapture(stream)
                assert len(listed(driver.cuGraphGetNodes, graph)) == 1
                driver.cuGraphDestroy(graph)
            else:
                ended(stream, "STREAM_CAPTURE_UNJOINED", refused)


def test_captures_neither_merge_nor_depend_on_uncaptured_work(context, event, refused):
    with streams(0, 0) as [stream, other]:
        driver.cuStreamBeginCapture(stream, GLOBAL)
        driver.cuStreamBeginCapture(other, GLOBAL)
        driver.cuEventRecord(event, stream)
        with refused("STREAM_CAPTURE_MERGE"):
            driver.cuStreamWaitEvent(other, event, 0)
        for each in (stream, other):
            assert driver.cuStreamIsCapturing(each) == abi.CU_STREAM_CAPTURE_STATUS_INVALIDATED
            ended(each, "STREAM_CAPTURE_INVALIDATED", refused)
        driver.cuEventRecord(event, other)
        driver.cuStreamBeginCapture(stream, GLOBAL)
        with refused("STREAM_CAPTURE_ISOLATION"):
            driver.cuStreamWaitEvent(stream, event, 0)
        ended(stream, "STREAM_CAPTURE_INVALIDATED", refused)


def test_external_events_in_a_capture(context, event):
    with streams(0) as [stream]:
        driver.cuStreamBeginCapture(stream, GLOBAL)
        driver.cuEventRecordWithFlags(event, stream, abi.CU_EVENT_RECORD_EXTERNAL)
        driver.cuStreamWaitEvent(stream, event, abi.CU_EVENT_WAIT_EXTERNAL)
        graph = driver.cuStreamEndCapture(stream)
        assert kinds(graph) == [abi.CU_GRAPH_NODE_TYPE_EVENT_RECORD, abi.CU_GRAPH_NODE_TYPE_WAIT_EVENT]
        driver.cuGraphDestroy(graph)


ILLEGAL = {
    "synchronize": lambda stream, event: driver.cuStreamSynchronize(stream),
    "query": lambda stream, event: driver.cuStreamQuery(stream),
    "query an event": lambda stream, event: driver.cuEventQuery(event),
    "synchronize the context": lambda stream, event: driver.cuCtxSynchronize(),
    "callback": lambda stream, event: driver.cuStreamAddCallback(stream, 1, 0, 0),
    "allocate": lambda stream, event: driver.cuMemAlloc(4),
    "allocate on the host": lambda stream, event: driver.cuMemHostAlloc(4, 0),
    "a copy that waits": lambda stream, event: driver.cuMemcpy(0x1000, 0x1000, 4),
}


@pytest.mark.parametrize("call", ILLEGAL)
def test_illegal_calls_invalidate_the_capture(context, event, refused, call):
    with streams(NON_BLOCKING) as [stream], memory() as pointer:
        driver.cuStreamBeginCapture(stream, GLOBAL)
        with refused("STREAM_CAPTURE_UNSUPPORTED", "not possible during a stream capture"):
            ILLEGAL[call](stream, event)
        with refused("STREAM_CAPTURE_INVALIDATED"):
            driver.cuMemsetD32Async(pointer, 1, 1, stream)
        ended(stream, "STREAM_CAPTURE_INVALIDATED", refused)
        driver.cuMemsetD32Async(pointer, 1, 1, stream)
        driver.cuStreamSynchronize(stream)


def test_a_free_during_a_capture(context, refused):
    pointer = driver.cuMemAlloc(4)
    with streams(0) as [stream]:
        driver.cuStreamBeginCapture(stream, GLOBAL)
        with refused("STREAM_CAPTURE_UNSUPPORTED"):
            driver.cuMemFree(pointer)
        ended(stream, "STREAM_CAPTURE_INVALIDATED", refused)
    driver.cuMemFree(pointer)


def test_captured_events_cannot_be_queried(context, event, refused):
    for call in (driver.cuEventQuery, driver.cuEventSynchronize, lambda e: driver.cuEventElapsedTime(e, e)):
        with streams(0) as [stream]:
            driver.cuStreamBeginCapture(stream, GLOBAL)
            driver.cuEventRecord(event, stream)
            with refused("CAPTURED_EVENT"):
                call(event)
            ended(stream, "STREAM_CAPTURE_INVALIDATED", refused)


def test_the_legacy_stream(context, event, refused):
    with refused("STREAM_CAPTURE_UNSUPPORTED"):
        driver.cuStreamBeginCapture(0, GLOBAL)
    with streams(0) as [stream], memory() as pointer:
        for call in (
            lambda: driver.cuMemsetD32Async(pointer, 1, 1, 0),
            lambda: driver.cuStreamIsCapturing(0),
            lambda: driver.cuStreamWaitEvent(0, event, 0),
        ):
            driver.cuStreamBeginCapture(stream, RELAXED)
            driver.cuEventRecord(event, stream)
            with refused("STREAM_CAPTURE_IMPLICIT"):
                call()
            with contextlib.suppress(CudaError):
                driver.cuGraphDestroy(driver.cuStreamEndCapture(stream))
    with streams(NON_BLOCKING) as [stream], memory() as pointer:
        driver.cuStreamBeginCapture(stream, RELAXED)
        driver.cuMemsetD32Async(pointer, 1, 1, 0)
        driver.cuGraphDestroy(driver.cuStreamEndCapture(stream))


def exchanged(mode: int) -> int:
    pointer = ctypes.c_int(mode)
    driver.cuThreadExchangeStreamCaptureMode(ctypes.addressof(pointer))
    return pointer.value


def test_thread_capture_modes(context, refused):
    assert exchanged(RELAXED) == GLOBAL
    with streams(0) as [stream]:
        driver.cuStreamBeginCapture(stream, GLOBAL)
        pointer = driver.cuMemAlloc(4)
        assert exchanged(GLOBAL) == RELAXED
        driver.cuGraphDestroy(driver.cuStreamEndCapture(stream))
        driver.cuStreamBeginCapture(stream, RELAXED)
        driver.cuMemFree(pointer)
        driver.cuGraphDestroy(driver.cuStreamEndCapture(stream))
    with refused("INVALID_VALUE"):
        exchanged(7)
    with refused("INVALID_VALUE"):
        driver.cuThreadExchangeStreamCaptureMode(0)


def in_thread(function) -> int:
    """Return the status of a call in a new thread."""
    found, context = [], driver.cuCtxGetCurrent()

    def body():
        driver.cuCtxSetCurrent(context)
        try:
            function()
            found.append(0)
        except CudaError as error:
            found.append(error.status)

    thread = threading.Thread(target=body)
    thread.start(), thread.join()
    return found[0]


def test_calls_of_other_threads_during_a_capture(context, refused):
    with streams(0) as [stream]:
        for mode, status in ((THREAD, 0), (GLOBAL, abi.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)):
            driver.cuStreamBeginCapture(stream, mode)
            assert in_thread(lambda: driver.cuMemFreeHost(driver.cuMemHostAlloc(4, 0))) == status
            wrong = in_thread(lambda: driver.cuStreamEndCapture(stream))
            assert wrong == abi.CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD
            if status:
                ended(stream, "STREAM_CAPTURE_INVALIDATED", refused)
            else:
                driver.cuGraphDestroy(driver.cuStreamEndCapture(stream))


def test_capture_to_a_graph_and_its_state(context, refused):
    with streams(0) as [stream], memory(3) as pointer, new_graph() as graph:
        assert driver.cuStreamGetCaptureInfo(stream) == (0, 0, 0, 0, 0, 0)
        first = driver.cuGraphAddEmptyNode(graph, 0, 0)
        nodes, count, _kept = array([first])
        driver.cuStreamBeginCaptureToGraph(stream, graph, nodes, 0, count, GLOBAL)
        status, number, to, nodes, _, count = driver.cuStreamGetCaptureInfo(stream)
        assert (status, to, count) == (abi.CU_STREAM_CAPTURE_STATUS_ACTIVE, graph, 1)
        assert ctypes.c_uint64.from_address(nodes).value == first
        assert driver.cuStreamGetCaptureInfo_v1(stream) == (status, number)
        assert driver.cuStreamGetCaptureInfo_v2(stream)[2] == graph
        driver.cuMemsetD32Async(pointer, 1, 1, stream)
        driver.cuStreamUpdateCaptureDependencies(stream, nodes, 0, 1, 1)
        driver.cuMemsetD32Async(pointer + 4, 1, 1, stream)
        driver.cuStreamUpdateCaptureDependencies_v1(stream, nodes, 1, 0)
        driver.cuMemsetD32Async(pointer + 8, 1, 1, stream)
        with refused("INVALID_VALUE", "flags is 2"):
            driver.cuStreamUpdateCaptureDependencies(stream, nodes, 0, 1, 2)
        assert driver.cuStreamEndCapture(stream) == graph
        _, a, b, c = listed(driver.cuGraphGetNodes, graph)
        edges = listed(driver.cuGraphGetEdges_v1, graph, columns=2)
        assert sorted(edges) == sorted([(first, a), (first, b), (b, c), (first, c)])
        with refused("ILLEGAL_STATE"):
            driver.cuStreamUpdateCaptureDependencies(stream, nodes, 0, 1, 1)


def test_wrong_calls(context, refused):
    with streams(0) as [stream]:
        with refused("INVALID_VALUE", "9 is no CUstreamCaptureMode"):
            driver.cuStreamBeginCapture(stream, 9)
        with refused("ILLEGAL_STATE"):
            driver.cuStreamEndCapture(stream)
        with refused("INVALID_HANDLE", "graph"):
            driver.cuStreamBeginCaptureToGraph(stream, 0, 0, 0, 0, GLOBAL)
        driver.cuStreamBeginCapture_v1(stream)
        with refused("ILLEGAL_STATE"):
            driver.cuStreamBeginCapture(stream, GLOBAL)
        driver.cuGraphDestroy(driver.cuStreamEndCapture(stream))


def test_captured_stream_ordered_allocations(context, refused):
    with streams(0) as [stream], memory() as pointer:
        driver.cuStreamBeginCapture(stream, GLOBAL)
        made = driver.cuMemAllocAsync(4, stream)
        driver.cuMemsetD32Async(made, 3, 1, stream)
        driver.cuMemcpyDtoDAsync(pointer, made, 4, stream)
        driver.cuMemFreeAsync(made, stream)
        graph = driver.cuStreamEndCapture(stream)
        assert kinds(graph) == [10, 2, 1, 11]
        with executable(graph) as run:
            launch(run, stream), launch(run, stream)
        assert kernels.read(pointer) == 3
        driver.cuGraphDestroy(graph)
        driver.cuStreamBeginCapture(stream, GLOBAL)
        with refused("INVALID_VALUE", "not memory that a node"):
            driver.cuMemFreeAsync(pointer, stream)
        driver.cuGraphDestroy(driver.cuStreamEndCapture(stream))


@pytest.mark.parametrize("use", [driver.cuGraphLaunch, driver.cuGraphUpload])
def test_executable_graphs_are_not_captured(context, refused, use):
    with streams(0) as [stream], new_graph() as inner:
        driver.cuGraphAddEmptyNode(inner, 0, 0)
        with executable(inner) as run:
            driver.cuStreamBeginCapture(stream, GLOBAL)
            with refused("STREAM_CAPTURE_UNSUPPORTED", use.__name__):
                use(run, stream)
            with refused("STREAM_CAPTURE_INVALIDATED"):
                driver.cuStreamEndCapture(stream)


def test_a_destroyed_stream_ends_its_capture(context):
    stream = driver.cuStreamCreate(0)
    driver.cuStreamBeginCapture(stream, GLOBAL)
    driver.cuStreamDestroy(stream)
    assert not capture_state.active
