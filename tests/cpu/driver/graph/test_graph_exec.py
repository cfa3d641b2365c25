# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Execution of each kind of node, and updates of nodes in executable graphs."""

from __future__ import annotations

import ctypes
from ctypes import addressof

import kernels
import pytest
from graph_calls import (
    add_copy,
    add_fill,
    add_kernel,
    at,
    copy_params,
    empty,
    executable,
    kernel_params,
    launch,
    link,
    memory,
    new_graph,
)

from cuda.cpu import abi, driver


@pytest.fixture
def store(context):
    with kernels.loaded(kernels.STORE) as module:
        yield module


def stored(pointer: int, number: int):
    return ctypes.c_uint64(pointer), ctypes.c_uint32(number)


def test_edges_are_obeyed_in_any_order_of_nodes(store):
    with new_graph() as graph, memory(2) as pointer:
        last = add_copy(graph, pointer + 4, pointer, 4)
        middle = add_kernel(graph, store, "store", *stored(pointer, 7))
        first = add_fill(graph, pointer, 1, 2)
        link(graph, middle, last), link(graph, first, middle)
        with executable(graph) as run:
            for _ in range(2):
                driver.cuMemsetD32(pointer, 0, 2)
                launch(run)
                assert [kernels.read(pointer + at) for at in (0, 4)] == [7, 7]


@pytest.mark.parametrize("ends", ["module", "context"])
def test_a_kernel_of_an_unloaded_module_is_not_launched(context, refused, ends):
    module = driver.cuModuleLoadData(kernels.address_of(kernels.text(kernels.STORE)))
    pointer = driver.cuMemAlloc(4)
    with new_graph() as graph:
        add_kernel(graph, module, "store", *stored(pointer, 7))
        with executable(graph) as run:
            launch(run)
            assert kernels.read(pointer) == 7
            if ends == "module":
                driver.cuModuleUnload(module)
                driver.cuMemFree(pointer)
            else:
                driver.cuDevicePrimaryCtxReset(0)
            with refused("INVALID_HANDLE", "the module of one of its kernels was unloaded"):
                driver.cuGraphLaunch(run, 0)
    driver.cuCtxSynchronize()


def test_parameters_are_copied_and_returned(store):
    with new_graph() as graph, memory() as pointer:
        given, kept = kernel_params(store, "store", *stored(pointer, 3))
        node = driver.cuGraphAddKernelNode(graph, 0, 0, addressof(given))
        kept[2].value = 99
        got = abi.CUDA_KERNEL_NODE_PARAMS()
        driver.cuGraphKernelNodeGetParams(node, addressof(got))
        assert (got.func, got.gridDimX, got.blockDimZ) == (given.func, 1, 1)
        addresses = (ctypes.c_uint64 * 2).from_address(got.kernelParams)
        assert ctypes.c_uint32.from_address(addresses[1]).value == 3
        with executable(graph) as run:
            launch(run)
            assert kernels.read(pointer) == 3
            changed, _kept = kernel_params(store, "store", *stored(pointer, 4))
            driver.cuGraphExecKernelNodeSetParams(run, node, addressof(changed))
            launch(run)
            assert kernels.read(pointer) == 4
        driver.cuGraphKernelNodeSetParams(node, addressof(changed))
        with executable(graph) as run:
            driver.cuMemsetD32(pointer, 0, 1)
            launch(run)
            assert kernels.read(pointer) == 4


def test_nodes_are_disabled(store, refused):
    with new_graph() as graph, memory() as pointer:
        a = add_fill(graph, pointer, 1, 1)
        b = add_kernel(graph, store, "store", *stored(pointer, 2), before=[a])
        nothing = empty(graph)
        with executable(graph) as run:
            driver.cuGraphNodeSetEnabled(run, b, 0)
            assert (driver.cuGraphNodeGetEnabled(run, a), driver.cuGraphNodeGetEnabled(run, b)) == (1, 0)
            launch(run)
            assert kernels.read(pointer) == 1
            driver.cuGraphNodeSetEnabled(run, b, 1)
            launch(run)
            assert kernels.read(pointer) == 2
            with refused("INVALID_VALUE", "must be one of"):
                driver.cuGraphNodeSetEnabled(run, nothing, 0)


def test_memset_and_memcpy_nodes_are_updated(context, refused):
    with new_graph() as graph, memory(2) as pointer:
        fill = add_fill(graph, pointer, 1, 2)
        copy = add_copy(graph, pointer, pointer + 4, 4, before=[fill])
        with executable(graph) as run:
            other = abi.CUDA_MEMSET_NODE_PARAMS(pointer, 0, 9, 4, 2, 1)
            driver.cuGraphExecMemsetNodeSetParams(run, fill, addressof(other), 0)
            launch(run)
            assert kernels.read(pointer + 4) == 9
            driver.cuGraphExecMemcpyNodeSetParams(run, copy, at(copy_params(pointer, pointer + 4, 4)), 0)
            other.value = 5
            driver.cuGraphExecMemsetNodeSetParams(run, fill, addressof(other), 0)
            launch(run)
            assert kernels.read(pointer) == 5
            with refused("INVALID_VALUE", "must be one of"):
                driver.cuGraphExecMemsetNodeSetParams(run, copy, addressof(other), 0)
        driver.cuGraphMemsetNodeSetParams(fill, addressof(other))
        got = abi.CUDA_MEMSET_NODE_PARAMS()
        driver.cuGraphMemsetNodeGetParams(fill, addressof(got))
        assert bytes(got) == bytes(other)
        driver.cuGraphMemcpyNodeSetParams(copy, at(copy_params(pointer + 4, pointer, 4)))
        got = abi.CUDA_MEMCPY3D()
        driver.cuGraphMemcpyNodeGetParams(copy, addressof(got))
        assert got.dstDevice == pointer + 4


def test_host_functions(context, refused):
    seen = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    given = abi.CUDA_HOST_NODE_PARAMS(ctypes.cast(function, ctypes.c_void_p).value, 6)
    with new_graph() as graph:
        node = driver.cuGraphAddHostNode(graph, 0, 0, addressof(given))
        with executable(graph) as run:
            launch(run)
            given.userData = 8
            driver.cuGraphExecHostNodeSetParams(run, node, addressof(given))
            launch(run)
        assert seen == [6, 8]
        driver.cuGraphHostNodeSetParams(node, addressof(given))
        got = abi.CUDA_HOST_NODE_PARAMS()
        driver.cuGraphHostNodeGetParams(node, addressof(got))
        assert got.userData == 8
        with refused("INVALID_VALUE", "fn is NULL"):
            driver.cuGraphAddHostNode(graph, 0, 0, at(abi.CUDA_HOST_NODE_PARAMS()))
        with refused("INVALID_VALUE", "NULL"):
            driver.cuGraphAddHostNode(graph, 0, 0, 0)


def test_events(spinning):
    stream, event = driver.cuStreamCreate(1), driver.cuEventCreate(0)
    flag = spinning(stream)
    driver.cuEventRecord(event, stream)
    with new_graph() as graph, memory() as pointer:
        waits = driver.cuGraphAddEventWaitNode(graph, 0, 0, event)
        add_fill(graph, pointer, 1, 1, before=[waits])
        assert driver.cuGraphEventWaitNodeGetEvent(waits) == event
        with executable(graph) as run:
            other = driver.cuStreamCreate(1)
            driver.cuGraphLaunch(run, other)
            with pytest.raises(driver.error.CudaError):
                driver.cuStreamQuery(other)
            flag.raise_()
            driver.cuStreamSynchronize(other)
            assert kernels.read(pointer) == 1
    with new_graph() as graph:
        second = driver.cuEventCreate(0)
        node = driver.cuGraphAddEventRecordNode(graph, 0, 0, second)
        driver.cuGraphEventRecordNodeSetEvent(node, event)
        assert driver.cuGraphEventRecordNodeGetEvent(node) == event
        with executable(graph) as run:
            driver.cuGraphExecEventRecordNodeSetEvent(run, node, second)
            launch(run)
            driver.cuEventRecord(event, 0), driver.cuEventSynchronize(event)
            assert driver.cuEventElapsedTime(second, event) >= 0
        driver.cuEventDestroy(second)
    for each in (stream, other):
        driver.cuStreamDestroy(each)
    driver.cuEventDestroy(event)


def test_child_graph_nodes(store, refused):
    with new_graph() as outer, new_graph() as inner, memory() as pointer:
        node = add_kernel(inner, store, "store", *stored(pointer, 1))
        child = driver.cuGraphAddChildGraphNode(outer, 0, 0, inner)
        copy = driver.cuGraphChildGraphNodeGetGraph(child)
        assert copy != inner
        clone = driver.cuGraphNodeFindInClone(node, copy)
        with refused("INVALID_VALUE", "belongs to a node"):
            driver.cuGraphDestroy(copy)
        with executable(outer) as run:
            launch(run)
            assert kernels.read(pointer) == 1
            changed, _kept = kernel_params(store, "store", *stored(pointer, 2))
            driver.cuGraphExecKernelNodeSetParams(run, clone, addressof(changed))
            launch(run)
            assert kernels.read(pointer) == 2
            driver.cuGraphExecChildGraphNodeSetParams(run, child, inner)
            launch(run)
            assert kernels.read(pointer) == 1
            empty(inner)
            with refused("INVALID_VALUE", "topology"):
                driver.cuGraphExecChildGraphNodeSetParams(run, child, inner)


def test_batch_memory_operation_nodes(context, refused):
    with new_graph() as graph, memory() as pointer:
        entry = abi.CUstreamBatchMemOpParams(operation=abi.CU_STREAM_MEM_OP_WRITE_VALUE_32)
        entry.writeValue.address, entry.writeValue.value64 = pointer, 12
        given = abi.CUDA_BATCH_MEM_OP_NODE_PARAMS(0, 1, addressof(entry), 0)
        node = driver.cuGraphAddBatchMemOpNode(graph, 0, 0, addressof(given))
        with executable(graph) as run:
            launch(run)
            assert kernels.read(pointer) == 12
            entry.writeValue.value64 = 13
            driver.cuGraphExecBatchMemOpNodeSetParams(run, node, addressof(given))
            launch(run)
            assert kernels.read(pointer) == 13
        got = abi.CUDA_BATCH_MEM_OP_NODE_PARAMS()
        driver.cuGraphBatchMemOpNodeGetParams(node, addressof(got))
        assert abi.CUstreamBatchMemOpParams.from_address(got.paramArray).writeValue.value64 == 12
        given.count = 300
        with refused("INVALID_VALUE", "at most 256"):
            driver.cuGraphBatchMemOpNodeSetParams(node, addressof(given))


def test_nodes_by_cuda_graph_node_params(store, refused):
    with new_graph() as graph, memory() as pointer:
        given = abi.CUgraphNodeParams(type=abi.CU_GRAPH_NODE_TYPE_MEMSET)
        given.memset.dst, given.memset.value, given.memset.elementSize = pointer, 4, 4
        given.memset.width = given.memset.height = 1
        node = driver.cuGraphAddNode(graph, 0, 0, 0, addressof(given))
        got = abi.CUgraphNodeParams()
        driver.cuGraphNodeGetParams(node, addressof(got))
        assert (got.type, got.memset.dst, got.memset.value) == (given.type, pointer, 4)
        given.memset.value = 5
        with executable(graph) as run:
            driver.cuGraphExecNodeSetParams(run, node, addressof(given))
            launch(run)
            assert kernels.read(pointer) == 5
        driver.cuGraphNodeSetParams(node, addressof(given))
        given.type = abi.CU_GRAPH_NODE_TYPE_HOST
        with refused("INVALID_VALUE", "must be the same"):
            driver.cuGraphNodeSetParams(node, addressof(given))
        given.type = abi.CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL
        with refused("NOT_SUPPORTED", "CUgraphNodeType 8"):
            driver.cuGraphAddNode(graph, 0, 0, 0, addressof(given))
        for kind, member in ((abi.CU_GRAPH_NODE_TYPE_EMPTY, None), (abi.CU_GRAPH_NODE_TYPE_GRAPH, "graph")):
            inner = driver.cuGraphCreate(0)
            given = abi.CUgraphNodeParams(type=kind)
            if member:
                given.graph.graph, given.graph.ownership = inner, abi.CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE
            node = driver.cuGraphAddNode(graph, 0, 0, 0, addressof(given))
            assert driver.cuGraphNodeGetType(node) == kind
            if not member:
                driver.cuGraphDestroy(inner)
        assert driver.cuGraphChildGraphNodeGetGraph(node) == inner


def test_a_child_graph_is_replaced(store):
    with new_graph() as graph, new_graph() as inner, memory() as pointer:
        fill = add_fill(inner, pointer, 4, 1)
        node = driver.cuGraphAddChildGraphNode(graph, 0, 0, inner)
        before = driver.cuGraphChildGraphNodeGetGraph(node)
        given = abi.CUgraphNodeParams(type=abi.CU_GRAPH_NODE_TYPE_GRAPH)
        given.graph.graph = inner
        change = abi.CUDA_MEMSET_NODE_PARAMS(pointer, 0, 5, 4, 1, 1)
        driver.cuGraphMemsetNodeSetParams(fill, addressof(change))
        with executable(graph) as run:
            driver.cuGraphExecNodeSetParams(run, node, addressof(given))
            launch(run)
            assert kernels.read(pointer) == 5
        driver.cuGraphNodeSetParams(node, addressof(given))
        after = driver.cuGraphChildGraphNodeGetGraph(node)
        assert after not in (before, inner)
        with executable(graph) as run:
            driver.cuMemsetD32(pointer, 0, 1)
            launch(run)
            assert kernels.read(pointer) == 5


def test_a_kernel_node_without_a_cluster_returns_zero_dimensions(store):
    with new_graph() as graph, memory() as pointer:
        node = add_kernel(graph, store, "store", *stored(pointer, 1))
        value = abi.CUlaunchAttributeValue()
        driver.cuGraphKernelNodeGetAttribute(node, abi.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, addressof(value))
        assert (value.clusterDim.x, value.clusterDim.y, value.clusterDim.z) == (0, 0, 0)


def test_attributes_of_kernel_nodes(store, refused):
    with new_graph() as graph, memory() as pointer:
        a = add_kernel(graph, store, "store", *stored(pointer, 1), grid=(2, 1, 1))
        b = add_kernel(graph, store, "store", *stored(pointer, 2), before=[a], grid=(2, 1, 1))
        value = abi.CUlaunchAttributeValue()
        value.cooperative = 1
        which = abi.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        driver.cuGraphKernelNodeSetAttribute(a, which, addressof(value))
        driver.cuGraphKernelNodeCopyAttributes(b, a)
        value.cooperative = 0
        driver.cuGraphKernelNodeGetAttribute(b, which, addressof(value))
        assert value.cooperative == 1
        value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = 3, 1, 1
        with refused("INVALID_CLUSTER_SIZE", "no multiple"):
            driver.cuGraphKernelNodeSetAttribute(a, abi.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, addressof(value))
        with refused("INVALID_VALUE", "99 is no attribute"):
            driver.cuGraphKernelNodeGetAttribute(a, 99, addressof(value))
        with executable(graph) as run:
            launch(run)
        assert kernels.read(pointer) == 2


def test_update(store, refused):
    info = abi.CUgraphExecUpdateResultInfo()

    def make(graph, number, pointer):
        a = add_fill(graph, pointer, number, 1)
        return a, add_kernel(graph, store, "store", *stored(pointer + 4, number), before=[a])

    with new_graph() as graph, new_graph() as other, memory(2) as pointer:
        make(graph, 1, pointer)
        a, b = make(other, 2, pointer)
        with executable(graph) as run:
            driver.cuGraphExecUpdate(run, other, addressof(info))
            assert info.result == abi.CU_GRAPH_EXEC_UPDATE_SUCCESS
            assert driver.cuGraphExecUpdate_v1(run, other) == (0, 0)
            launch(run)
            assert [kernels.read(pointer + at) for at in (0, 4)] == [2, 2]
            link(other, a, b, driver.cuGraphRemoveDependencies_v1)
            with refused("GRAPH_EXEC_UPDATE_FAILURE", "differ"):
                driver.cuGraphExecUpdate(run, other, addressof(info))
            assert (info.result, info.errorNode) == (abi.CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b)
            driver.cuGraphDestroyNode(b)
            empty(other)
            with refused("GRAPH_EXEC_UPDATE_FAILURE"):
                driver.cuGraphExecUpdate(run, other, addressof(info))
            assert info.result == abi.CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED
            launch(run)


def test_variants_of_instantiation(context, refused):
    with new_graph() as graph:
        made, node = driver.cuGraphInstantiate_v2(graph, 0, 0)
        assert node == 0
        driver.cuGraphExecDestroy(made)
        given = abi.CUDA_GRAPH_INSTANTIATE_PARAMS(flags=abi.CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)
        made = driver.cuGraphInstantiateWithParams(graph, addressof(given))
        assert given.result_out == abi.CUDA_GRAPH_INSTANTIATE_SUCCESS
        assert driver.cuGraphExecGetFlags(made) == given.flags
        assert driver.cuGraphExecGetId(made) != driver.cuGraphGetId(graph)
        driver.cuGraphUpload(made, 0)
        driver.cuGraphExecDestroy(made)
        for call in (driver.cuGraphExecDestroy, driver.cuGraphExecGetFlags):
            with refused("INVALID_HANDLE", "no live executable graph"):
                call(made)
        with refused("INVALID_VALUE", "0x40"):
            driver.cuGraphInstantiate(graph, 0x40)


def test_wrong_nodes(store, refused):
    with new_graph() as graph, memory() as pointer:
        given, _kept = kernel_params(store, "store", *stored(pointer, 3), block=(2000, 1, 1))
        with refused("INVALID_VALUE", "block dimension"):
            driver.cuGraphAddKernelNode(graph, 0, 0, addressof(given))
        with refused("INVALID_VALUE", "func and kern are NULL"):
            driver.cuGraphAddKernelNode(graph, 0, 0, at(abi.CUDA_KERNEL_NODE_PARAMS()))
        with refused("INVALID_VALUE", "elementSize is 3"):
            bad = abi.CUDA_MEMSET_NODE_PARAMS(pointer, 0, 1, 3, 1, 1)
            driver.cuGraphAddMemsetNode(graph, 0, 0, addressof(bad), 0)
        with refused("INVALID_VALUE", "past the end"):
            add_fill(graph, pointer, 0, 2)
        with refused("INVALID_VALUE", "past the end"):
            add_copy(graph, pointer, pointer, 8)
        with refused("INVALID_HANDLE", "event"):
            driver.cuGraphAddEventWaitNode(graph, 0, 0, 5)
        node = empty(graph)
        with refused("INVALID_VALUE", "must be 0"):
            driver.cuGraphKernelNodeGetParams(node, addressof(given))
        with executable(graph) as run, new_graph() as other, refused("INVALID_VALUE", "not made from"):
            driver.cuGraphNodeGetEnabled(run, empty(other))
