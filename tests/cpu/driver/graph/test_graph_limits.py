# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Updates of executable graphs that a GPU rejects, and updates that replace memory nodes."""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import addressof

import kernels
import pytest
from graph_calls import add_copy, add_fill, add_kernel, array, copy_params, executable, launch, memory, new_graph

from cuda.cpu import abi, driver

PARAMETERS = abi.CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED
ATTRIBUTES = abi.CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED


@pytest.fixture
def store(context):
    with kernels.loaded(kernels.STORE) as module:
        yield module


def result_of_update(run: int, graph: int) -> int:
    info = abi.CUgraphExecUpdateResultInfo()
    with contextlib.suppress(driver.error.CudaError):
        driver.cuGraphExecUpdate(run, graph, addressof(info))
    return info.result


def other_context_memory(context: int) -> tuple[int, int]:
    other = driver.cuCtxCreate(0, 0, 0)
    pointer = driver.cuMemAlloc(16)
    driver.cuCtxSetCurrent(context)
    return other, pointer


def test_copy_updates_keep_memory_kind_and_context(context, refused):
    value = ctypes.c_uint32(5)
    other, far = other_context_memory(context)
    with new_graph() as graph, new_graph() as host, new_graph() as elsewhere, new_graph() as near, memory(4) as pointer:
        copy = add_copy(graph, pointer, pointer + 4, 4)
        add_copy(host, pointer, addressof(value), 4)
        add_copy(elsewhere, far, pointer, 4)
        add_copy(near, pointer + 8, pointer, 8)
        with executable(graph) as run:
            assert [result_of_update(run, new) for new in (host, elsewhere, near)] == [PARAMETERS, PARAMETERS, 0]
            for target, source in ((pointer, addressof(value)), (far, pointer)):
                given = copy_params(target, source, 4)
                with refused("INVALID_VALUE", "another kind or context"):
                    driver.cuGraphExecMemcpyNodeSetParams(run, copy, addressof(given), 0)
            rows = copy_params(pointer, pointer + 8, 4)
            rows.Height, rows.srcPitch, rows.dstPitch = 2, 4, 4
            with refused("INVALID_VALUE", "one dimension"):
                driver.cuGraphExecMemcpyNodeSetParams(run, copy, addressof(rows), 0)
            driver.cuMemsetD32(pointer, 7, 2)
            launch(run)
            assert [kernels.read(pointer + at) for at in (8, 12)] == [7, 7]
    driver.cuCtxDestroy(other)


@pytest.mark.parametrize(
    ("before", "after", "result"),
    [
        ((4, 1), (8, 1), 0),
        ((4, 1), (4, 2), PARAMETERS),
        ((4, 2), (4, 2), 0),
        ((4, 2), (2, 2), PARAMETERS),
    ],
)
def test_memset_updates_keep_the_shape(context, refused, before, after, result):
    with memory(16) as pointer, new_graph() as graph, new_graph() as changed:
        params = [abi.CUDA_MEMSET_NODE_PARAMS(pointer, 32, 3, 4, *shape) for shape in (before, after)]
        node = driver.cuGraphAddMemsetNode(graph, 0, 0, addressof(params[0]), 0)
        driver.cuGraphAddMemsetNode(changed, 0, 0, addressof(params[1]), 0)
        with executable(graph) as run:
            assert result_of_update(run, changed) == result
            with refused("INVALID_VALUE", "shape has changed") if result else contextlib.nullcontext():
                driver.cuGraphExecMemsetNodeSetParams(run, node, addressof(params[1]), 0)


def with_attribute(graph: int, store: int, which: int, value: abi.CUlaunchAttributeValue, pointer: int) -> None:
    node = add_kernel(graph, store, "store", ctypes.c_uint64(pointer), ctypes.c_uint32(1))
    driver.cuGraphKernelNodeSetAttribute(node, which, addressof(value))


def test_kernel_updates_keep_the_cooperative_attribute(store):
    with memory() as pointer, new_graph() as graph, new_graph() as cooperative:
        add_kernel(graph, store, "store", ctypes.c_uint64(pointer), ctypes.c_uint32(1))
        value = abi.CUlaunchAttributeValue(cooperative=1)
        with_attribute(cooperative, store, abi.CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value, pointer)
        for first, second in ((graph, cooperative), (cooperative, graph)):
            with executable(first) as run:
                assert result_of_update(run, second) == ATTRIBUTES


@pytest.mark.parametrize(("flag", "result"), [(0, 0), (abi.CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY, ATTRIBUTES)])
def test_priority_updates_are_rejected_where_priorities_are_used(store, flag, result):
    with memory() as pointer, new_graph() as graph, new_graph() as urgent:
        with_attribute(graph, store, abi.CU_LAUNCH_ATTRIBUTE_PRIORITY, abi.CUlaunchAttributeValue(), pointer)
        value = abi.CUlaunchAttributeValue(priority=-1)
        with_attribute(urgent, store, abi.CU_LAUNCH_ATTRIBUTE_PRIORITY, value, pointer)
        with executable(graph, flag) as run:
            assert result_of_update(run, urgent) == result


def allocating(graph: int, target: int, value: int, size: int = 4) -> int:
    """Add nodes: allocate, fill, copy to `target`, free. Return the address."""
    given = abi.CUDA_MEM_ALLOC_NODE_PARAMS(bytesize=size)
    given.poolProps.allocType = abi.CU_MEM_ALLOCATION_TYPE_PINNED
    given.poolProps.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    node = driver.cuGraphAddMemAllocNode(graph, 0, 0, addressof(given))
    fill = add_fill(graph, given.dptr, value, 1, before=[node])
    pointer, count, _kept = array([add_copy(graph, target, given.dptr, 4, before=[fill])])
    driver.cuGraphAddMemFreeNode(graph, pointer, count, given.dptr)
    return given.dptr


def reserved() -> int:
    value = ctypes.c_uint64()
    driver.cuDeviceGetGraphMemAttribute(0, abi.CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, addressof(value))
    return value.value


def test_update_replaces_memory_nodes(context, refused):
    """As in a loop that captures its work each time and updates one executable graph with it."""
    with memory() as pointer, new_graph() as graph:
        allocating(graph, pointer, 1)
        with executable(graph) as run:
            launch(run)
            assert kernels.read(pointer) == 1
            for value in (2, 3):
                with new_graph() as other:
                    mine = allocating(other, pointer, value, 8)
                    assert result_of_update(run, other) == 0
                    with refused("NOT_SUPPORTED", "instantiated already"):
                        driver.cuGraphInstantiate(other, 0)
                for _ in range(2):
                    driver.cuMemsetD32(pointer, 0, 1)
                    launch(run)
                    assert kernels.read(pointer) == value
                with refused("INVALID_VALUE", "not the start of a live"):
                    driver.cuMemFree(mine)
            again = driver.cuGraphInstantiate(graph, 0)  # free again for another
            assert result_of_update(run, graph) == PARAMETERS
            driver.cuGraphExecDestroy(again)
            assert result_of_update(run, graph) == 0
            launch(run)
            assert kernels.read(pointer) == 1
    assert reserved() == 0
