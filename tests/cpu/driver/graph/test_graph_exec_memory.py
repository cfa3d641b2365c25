# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Allocation and free nodes of executable graphs."""

from __future__ import annotations

import ctypes
from ctypes import addressof

import kernels
import pytest
from graph_calls import (
    add_fill,
    array,
    at,
    executable,
    launch,
    memory,
    new_graph,
)

from cuda.cpu import abi, driver


def allocation(graph: int, size: int) -> tuple[int, int]:
    given = abi.CUDA_MEM_ALLOC_NODE_PARAMS(bytesize=size)
    given.poolProps.allocType = abi.CU_MEM_ALLOCATION_TYPE_PINNED
    given.poolProps.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    node = driver.cuGraphAddMemAllocNode(graph, 0, 0, addressof(given))
    driver.cuGraphMemAllocNodeGetParams(node, addressof(given))
    return node, given.dptr


def graph_memory(which: int) -> int:
    value = ctypes.c_uint64()
    driver.cuDeviceGetGraphMemAttribute(0, which, addressof(value))
    return value.value


def test_allocation_and_free_nodes(context, refused):
    with new_graph() as graph:
        node, pointer = allocation(graph, 100)
        fill = add_fill(graph, pointer, 3, 1, before=[node])
        nodes, count, _kept = array([fill])
        free = driver.cuGraphAddMemFreeNode(graph, nodes, count, pointer)
        assert driver.cuGraphMemFreeNodeGetParams(free) == pointer
        with refused("INVALID_VALUE", "another node frees"):
            driver.cuGraphAddMemFreeNode(graph, nodes, count, pointer)
        for call in (driver.cuGraphClone, lambda g: driver.cuGraphDestroyNode(fill)):
            with refused("NOT_SUPPORTED", "memory nodes"):
                call(graph)
        with executable(graph) as run:
            with refused("NOT_SUPPORTED", "instantiated already"):
                driver.cuGraphInstantiate(graph, 0)
            launch(run), launch(run)
            assert graph_memory(abi.CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) == 0
            assert graph_memory(abi.CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= 100
    driver.cuDeviceGraphMemTrim(0)
    assert graph_memory(abi.CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == 0


@pytest.mark.parametrize("kind", ["host", "managed"])
def test_allocation_nodes_of_other_kinds(context, kind):
    given = abi.CUDA_MEM_ALLOC_NODE_PARAMS(bytesize=4)
    if kind == "host":
        given.poolProps.allocType = abi.CU_MEM_ALLOCATION_TYPE_PINNED
        given.poolProps.location.type = abi.CU_MEM_LOCATION_TYPE_HOST
    else:
        given.poolProps.allocType = abi.CU_MEM_ALLOCATION_TYPE_MANAGED
        given.poolProps.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    with new_graph() as graph:
        node = driver.cuGraphAddMemAllocNode(graph, 0, 0, addressof(given))
        driver.cuGraphMemAllocNodeGetParams(node, addressof(given))
        add_fill(graph, given.dptr, 3, 1, before=[node])
        with executable(graph) as run:
            for _ in range(2):
                launch(run)
                value = ctypes.c_uint32()
                which = abi.CU_POINTER_ATTRIBUTE_MEMORY_TYPE if kind == "host" else abi.CU_POINTER_ATTRIBUTE_IS_MANAGED
                driver.cuPointerGetAttribute(addressof(value), which, given.dptr)
                assert value.value == 1  # CU_MEMORYTYPE_HOST, or true
                assert ctypes.c_uint32.from_address(given.dptr).value == 3
                driver.cuMemFreeAsync(given.dptr, 0)


def test_allocations_that_outlive_a_launch(context, refused):
    graph = driver.cuGraphCreate(0)
    node, pointer = allocation(graph, 4)
    add_fill(graph, pointer, 3, 1, before=[node])
    run = driver.cuGraphInstantiate(graph, 0)
    with refused("INVALID_VALUE", "not the start of a live"):
        driver.cuMemFree(pointer)
    launch(run)
    assert kernels.read(pointer) == 3
    with refused("INVALID_VALUE", "has not been freed"):
        driver.cuGraphLaunch(run, 0)
    driver.cuMemFreeAsync(pointer, 0)
    launch(run)
    driver.cuGraphDestroy(graph)
    driver.cuGraphExecDestroy(run)
    assert kernels.read(pointer) == 3
    driver.cuMemFree(pointer)
    with refused("INVALID_VALUE"):
        driver.cuMemFree(pointer)


def test_auto_free_on_launch(context):
    with new_graph() as graph:
        allocation(graph, 4)
        with executable(graph, abi.CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) as run:
            launch(run), launch(run)
            driver.cuMemFree(allocation_of(graph))


def allocation_of(graph: int) -> int:
    count, node, given = ctypes.c_size_t(1), ctypes.c_uint64(), abi.CUDA_MEM_ALLOC_NODE_PARAMS()
    driver.cuGraphGetNodes(graph, addressof(node), addressof(count))
    driver.cuGraphMemAllocNodeGetParams(node.value, addressof(given))
    return given.dptr


def test_wrong_memory_nodes(context, refused):
    with new_graph() as graph, memory() as pointer:
        with refused("INVALID_VALUE", "not memory that a node"):
            driver.cuGraphAddMemFreeNode(graph, 0, 0, pointer)
        with refused("INVALID_VALUE", "size is 0"):
            allocation(graph, 0)
        with refused("INVALID_VALUE", "allocType"):
            driver.cuGraphAddMemAllocNode(graph, 0, 0, at(abi.CUDA_MEM_ALLOC_NODE_PARAMS(bytesize=4)))
        value = ctypes.c_uint64()
        with refused("INVALID_VALUE", "9 is no"):
            driver.cuDeviceGetGraphMemAttribute(0, 9, addressof(value))
        with refused("INVALID_VALUE", "cannot be set"):
            driver.cuDeviceSetGraphMemAttribute(0, abi.CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, addressof(value))
        driver.cuDeviceSetGraphMemAttribute(0, abi.CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, addressof(value))
        assert graph_memory(abi.CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) == 0
