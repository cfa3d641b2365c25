# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs of the runtime API, built from nodes and by capture, and structs with the same layout in both APIs."""

import ctypes

import numpy as np
import pytest
from test_runtime_kernel import ADD, arguments, dim3, numbers

from cuda.bindings import driver, runtime
from cuda.bindings.runtime import cudaError_t as Error


@pytest.fixture
def pointer(ok):
    start = ok(runtime.cudaMalloc(64))
    yield start
    ok(runtime.cudaFree(start))


@pytest.fixture
def kernel(ok):
    library = ok(runtime.cudaLibraryLoadData(ADD, [], [], 0, [], [], 0))
    yield ok(runtime.cudaLibraryGetKernel(library, "add"))
    ok(runtime.cudaLibraryUnload(library))


def run(ok, graph):
    instance = ok(runtime.cudaGraphInstantiate(graph, 0))
    ok(runtime.cudaGraphLaunch(instance, 0))
    ok(runtime.cudaStreamSynchronize(0))
    ok(runtime.cudaGraphExecDestroy(instance))


def test_nodes_run_in_their_order(ok, kernel, pointer):
    graph = ok(runtime.cudaGraphCreate(0))
    fill = runtime.cudaMemsetParams()
    fill.dst, fill.elementSize, fill.value, fill.width, fill.height = pointer, 4, 9, 16, 1
    filled = ok(runtime.cudaGraphAddMemsetNode(graph, [], 0, fill))
    launch = runtime.cudaKernelNodeParams()
    launch.func, launch.gridDim, launch.blockDim = kernel, dim3(2), dim3(1)
    launch.kernelParams = arguments(pointer, 5)
    launched = ok(runtime.cudaGraphAddKernelNode(graph, [filled], 1, launch))
    back = np.zeros(16, np.uint32)
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    ok(runtime.cudaGraphAddMemcpyNode1D(graph, [launched], 1, back, pointer, 64, kind))
    run(ok, graph)
    assert back.tolist() == [5, 6] + 14 * [9]
    assert ok(runtime.cudaGraphNodeGetType(launched)) == runtime.cudaGraphNodeType.cudaGraphNodeTypeKernel
    answer = ok(runtime.cudaGraphKernelNodeGetParams(launched))
    assert (answer.gridDim.x, answer.blockDim.x, int(answer.func) != 0) == (2, 1, True)
    nodes, count = ok(runtime.cudaGraphGetNodes(graph, 8))
    assert (len(nodes), count) == (3, 3)
    ok(runtime.cudaGraphDestroy(graph))


def test_capture(ok, kernel, pointer):
    stream = ok(runtime.cudaStreamCreate())
    ok(runtime.cudaStreamBeginCapture(stream, runtime.cudaStreamCaptureMode.cudaStreamCaptureModeThreadLocal))
    ok(runtime.cudaMemsetAsync(pointer, 0, 64, stream))
    ok(runtime.cudaLaunchKernel(kernel, dim3(3), dim3(1), arguments(pointer, 1), 0, stream))
    graph = ok(runtime.cudaStreamEndCapture(stream))
    run(ok, graph)
    assert numbers(ok, pointer)[:4] == [1, 2, 3, 0]
    ok(runtime.cudaGraphDestroy(graph))
    ok(runtime.cudaStreamDestroy(stream))


def test_copies_of_boxes_and_wrong_parameters(ok, pointer):
    graph = ok(runtime.cudaGraphCreate(0))
    data = np.arange(64, dtype=np.uint8)
    copy = runtime.cudaMemcpy3DParms()
    copy.srcPtr = runtime.make_cudaPitchedPtr(data.ctypes.data, 64, 64, 1)
    copy.dstPtr = runtime.make_cudaPitchedPtr(pointer, 64, 64, 1)
    copy.extent = runtime.make_cudaExtent(64, 1, 1)
    copy.kind = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
    ok(runtime.cudaGraphAddMemcpyNode(graph, [], 0, copy))
    run(ok, graph)
    assert bytes(np.array(numbers(ok, pointer), np.uint32)) == data.tobytes()
    assert runtime.cudaGraphAddKernelNode(graph, [], 0, None) == (Error.cudaErrorInvalidValue, None)
    ok(runtime.cudaGraphDestroy(graph))


Kinds = runtime.cudaGraphNodeType


def test_nodes_by_cudaGraphNodeParams(ok, kernel, pointer):
    graph = ok(runtime.cudaGraphCreate(0))
    given = runtime.cudaGraphNodeParams()
    given.type = Kinds.cudaGraphNodeTypeMemset
    given.memset.dst, given.memset.elementSize, given.memset.value = pointer, 4, 9
    given.memset.width, given.memset.height = 16, 1
    filled = ok(runtime.cudaGraphAddNode(graph, [], None, 0, given))
    given = runtime.cudaGraphNodeParams()
    given.type = Kinds.cudaGraphNodeTypeKernel
    given.kernel.func, given.kernel.gridDim, given.kernel.blockDim = kernel, dim3(2), dim3(1)
    given.kernel.kernelParams = arguments(pointer, 5)
    launched = ok(runtime.cudaGraphAddNode(graph, [filled], None, 1, given))
    back = np.zeros(16, np.uint32)
    given = runtime.cudaGraphNodeParams()
    given.type = Kinds.cudaGraphNodeTypeMemcpy
    box = given.memcpy.copyParams
    box.srcPtr = runtime.make_cudaPitchedPtr(pointer, 64, 64, 1)
    box.dstPtr = runtime.make_cudaPitchedPtr(back.ctypes.data, 64, 64, 1)
    box.extent, box.kind = runtime.make_cudaExtent(64, 1, 1), runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    given.memcpy.copyParams = box
    copied = ok(runtime.cudaGraphAddNode(graph, [launched], None, 1, given))
    run(ok, graph)
    assert back.tolist() == [5, 6] + 14 * [9]
    assert ok(runtime.cudaGraphNodeGetParams(launched)).kernel.gridDim.x == 2
    asked = ok(runtime.cudaGraphNodeGetParams(copied)).memcpy.copyParams
    assert (asked.extent.width, asked.srcPtr.ptr, asked.kind) == (64, pointer, box.kind)
    assert ok(runtime.cudaGraphMemcpyNodeGetParams(copied)).dstPtr.ptr == back.ctypes.data
    given = ok(runtime.cudaGraphNodeGetParams(filled))
    given.memset.value = 3
    ok(runtime.cudaGraphNodeSetParams(filled, given))
    instance = ok(runtime.cudaGraphInstantiate(graph, 0))
    given.memset.value = 4
    ok(runtime.cudaGraphExecNodeSetParams(instance, filled, given))
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    other = np.zeros(16, np.uint32)
    ok(runtime.cudaGraphExecMemcpyNodeSetParams1D(instance, copied, other, pointer, 32, kind))
    ok(runtime.cudaGraphLaunch(instance, 0))
    ok(runtime.cudaStreamSynchronize(0))
    assert other.tolist() == [5, 6] + 6 * [4] + 8 * [0]
    ok(runtime.cudaGraphMemcpyNodeSetParams1D(copied, other, pointer, 64, kind))
    run(ok, graph)
    assert other.tolist() == [5, 6] + 14 * [3]
    ok(runtime.cudaGraphExecDestroy(instance))
    ok(runtime.cudaGraphDestroy(graph))


def test_conditional_nodes(ok, pointer):
    graph = ok(runtime.cudaGraphCreate(0))
    handle = ok(
        runtime.cudaGraphConditionalHandleCreate(
            graph, 1, runtime.cudaGraphConditionalHandleFlags.cudaGraphCondAssignDefault
        )
    )
    given = runtime.cudaGraphNodeParams()
    given.type = Kinds.cudaGraphNodeTypeConditional
    given.conditional.handle = handle
    given.conditional.type = runtime.cudaGraphConditionalNodeType.cudaGraphCondTypeIf
    given.conditional.size = 1
    ok(runtime.cudaGraphAddNode(graph, [], None, 0, given))
    fill = runtime.cudaMemsetParams()
    fill.dst, fill.elementSize, fill.value, fill.width, fill.height = pointer, 4, 9, 16, 1
    ok(runtime.cudaGraphAddMemsetNode(given.conditional.phGraph_out[0], [], 0, fill))
    run(ok, graph)
    assert numbers(ok, pointer)[:2] == [9, 9]
    ok(runtime.cudaGraphDestroy(graph))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("cudaMemsetParams", "CUDA_MEMSET_NODE_PARAMS"),
        ("cudaHostNodeParams", "CUDA_HOST_NODE_PARAMS"),
        ("cudaMemAllocNodeParams", "CUDA_MEM_ALLOC_NODE_PARAMS"),
        ("cudaGraphInstantiateParams", "CUDA_GRAPH_INSTANTIATE_PARAMS"),
        ("cudaGraphExecUpdateResultInfo", "CUgraphExecUpdateResultInfo"),
        ("cudaGraphEdgeData", "CUgraphEdgeData"),
        ("cudaLaunchAttribute", "CUlaunchAttribute"),
        ("cudaMemPoolProps", "CUmemPoolProps"),
        ("cudaMemLocation", "CUmemLocation"),
        ("cudaMemAccessDesc", "CUmemAccessDesc"),
        ("cudaMemcpyAttributes", "CUmemcpyAttributes"),
        ("cudaDevResource", "CUdevResource"),
        ("cudaDevSmResourceGroupParams", "CU_DEV_SM_RESOURCE_GROUP_PARAMS"),
    ],
)
def test_structs_shared_with_the_driver_have_the_same_layout(ours, theirs):
    from cuda.cpu import abi as of_driver
    from cuda.cpu import runtime_abi as of_runtime

    def layout(cls):
        return [
            (getattr(cls, field[0]).offset, getattr(cls, field[0]).size)
            for field in cls._fields_
            if "reserved" not in field[0]
        ]

    one, other = getattr(of_runtime, ours), getattr(of_driver, theirs)
    assert ctypes.sizeof(one) == ctypes.sizeof(other) == driver.sizeof(getattr(driver, theirs))
    # The driver may name a field that the runtime reserves.
    assert layout(one) == layout(other)[: len(layout(one))]
