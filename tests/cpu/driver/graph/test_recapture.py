# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Recapturing into a captured graph (cuStreamBeginRecaptureToGraph)."""

import contextlib
import ctypes
from ctypes import addressof, c_uint32, c_uint64

import graph_calls as calls
import kernels
import pytest

from cuda.cpu import abi, driver, runtime_abi, runtime_api
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.graph.recapture import Callback

RELAXED = abi.CU_STREAM_CAPTURE_MODE_RELAXED


@pytest.fixture
def store(context):
    with kernels.loaded(kernels.STORE) as module:
        yield module


@pytest.fixture
def stream(context):
    made = driver.cuStreamCreate(abi.CU_STREAM_NON_BLOCKING)
    yield made
    driver.cuStreamDestroy(made)


def work(module, stream, pointer, value, fill=3, size=64):
    """Enqueue the work to capture: an allocation, a kernel, a memset and a copy."""
    room = driver.cuMemAllocAsync(size, stream)
    kernels.run(module, "store", c_uint64(pointer), c_uint32(value), stream=stream)
    driver.cuMemsetD32Async(pointer + 4, fill, 1, stream)
    driver.cuMemcpyDtoDAsync(pointer + 8, pointer, 8, stream)
    driver.cuMemFreeAsync(room, stream)


def address_of(callback) -> int:
    return ctypes.cast(callback, ctypes.c_void_p).value if callback else 0


def again(stream, graph, callback=None, data=0):
    driver.cuStreamBeginRecaptureToGraph(stream, RELAXED, graph, address_of(callback), data)


@contextlib.contextmanager
def captured(module, stream, pointer):
    driver.cuStreamBeginCapture(stream, RELAXED)
    work(module, stream, pointer, 1)
    graph = driver.cuStreamEndCapture(stream)
    yield graph
    driver.cuGraphDestroy(graph)


def test_recapture_with_other_parameters(store, stream):
    with calls.memory(4) as pointer, captured(store, stream, pointer) as graph:
        nodes = calls.listed(driver.cuGraphGetNodes, graph)
        told = []

        @Callback
        def note(data, node, before, after, status):
            kinds = [abi.CUgraphNodeParams.from_address(each).type for each in (before, after)]
            told.append((data, node, kinds, status))
            return 0

        again(stream, graph, note, 77)
        work(store, stream, pointer, 9)
        assert driver.cuStreamEndCapture(stream) == graph
        kernel = abi.CU_GRAPH_NODE_TYPE_KERNEL
        assert told == [(77, nodes[1], [kernel, kernel], abi.CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE)]
        assert calls.listed(driver.cuGraphGetNodes, graph) == nodes
        with calls.executable(graph) as run:
            calls.launch(run)
        assert [kernels.read(pointer + 4 * i) for i in range(4)] == [9, 3, 9, 3]
        again(stream, graph)
        work(store, stream, pointer, 9, fill=8)
        driver.cuStreamEndCapture(stream)
        with calls.executable(graph) as run:
            calls.launch(run)
        assert kernels.read(pointer + 4) == 8


@pytest.mark.parametrize("wrong", ["more", "fewer", "kind", "size", "refusal", "order"])
def test_mismatched_work_fails_the_recapture(store, stream, refused, wrong):
    callback = Callback(lambda *_: 1) if wrong == "refusal" else None  # lives as long as it may be called
    with calls.memory(4) as pointer, captured(store, stream, pointer) as graph:
        again(stream, graph, callback)
        with refused("GRAPH_RECAPTURE_FAILURE"):
            if wrong == "kind":
                kernels.run(store, "store", c_uint64(pointer), c_uint32(1), stream=stream)
            elif wrong == "order":
                driver.cuMemFreeAsync(driver.cuMemAllocAsync(64, stream), stream)
            elif wrong == "fewer":
                driver.cuMemAllocAsync(64, stream)
                driver.cuStreamEndCapture(stream)
            else:
                work(store, stream, pointer, 2 if wrong == "refusal" else 1, size=65 if wrong == "size" else 64)
                driver.cuMemsetD32Async(pointer, 1, 1, stream)
        with contextlib.suppress(CudaError):
            driver.cuStreamEndCapture(stream)
        assert driver.cuStreamIsCapturing(stream) == abi.CU_STREAM_CAPTURE_STATUS_NONE


def test_user_objects_are_released(store, stream):
    gone = []
    destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: gone.append(1))
    with calls.memory(4) as pointer, captured(store, stream, pointer) as graph:
        thing = driver.cuUserObjectCreate(0, address_of(destroy), 1, abi.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        driver.cuGraphRetainUserObject(graph, thing, 1, abi.CU_GRAPH_USER_OBJECT_MOVE)
        again(stream, graph)
        work(store, stream, pointer, 1)
        driver.cuStreamEndCapture(stream)
        driver.cuCtxSynchronize()
    assert gone == [1]


def test_with_the_runtime_api(store, stream):
    told = []

    @Callback
    def note(data, node, before, after, status):
        values = [runtime_abi.cudaGraphNodeParams.from_address(each) for each in (before, after)]
        told.append([(each.type, each.kernel.gridDim.x) for each in values])
        return 0

    with calls.memory(4) as pointer, captured(store, stream, pointer) as graph:
        given = runtime_abi.cudaGraphRecaptureCallbackData(address_of(note), 0)
        runtime_api.cudaStreamBeginRecaptureToGraph(stream, RELAXED, graph, addressof(given))
        work(store, stream, pointer, 5)
        assert runtime_api.cudaStreamEndCapture(stream) == graph
    assert told == [[(abi.CU_GRAPH_NODE_TYPE_KERNEL, 1)] * 2]


def test_wrong_calls(store, stream, refused):
    with calls.new_graph() as graph:
        for arguments, status in (
            ((stream, 9, graph, 0, 0), "INVALID_VALUE"),
            ((0, RELAXED, graph, 0, 0), "STREAM_CAPTURE_UNSUPPORTED"),
            ((stream, RELAXED, 5, 0, 0), "INVALID_HANDLE"),
        ):
            with refused(status):
                driver.cuStreamBeginRecaptureToGraph(*arguments)
