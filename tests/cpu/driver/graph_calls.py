# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Helpers to call the driver's graph functions in Python, which take arrays and structures by address."""

from __future__ import annotations

import contextlib
import ctypes

import kernels

from cuda.cpu import abi, driver

_kept: list = []


def at(structure) -> int:
    """Return the address of a structure that lives as long as the tests."""
    _kept.append(structure)
    return ctypes.addressof(structure)


def array(values) -> tuple[int, int, object]:
    """Return address, length and owner of an array of handles."""
    values = list(values)
    made = (ctypes.c_uint64 * max(len(values), 1))(*values)
    return (ctypes.addressof(made) if values else 0), len(values), made


@contextlib.contextmanager
def new_graph():
    graph = driver.cuGraphCreate(0)
    try:
        yield graph
    finally:
        driver.cuGraphDestroy(graph)


@contextlib.contextmanager
def executable(graph: int, flags: int = 0):
    made = driver.cuGraphInstantiate(graph, flags)
    try:
        yield made
    finally:
        driver.cuGraphExecDestroy(made)


def empty(graph: int, *before: int) -> int:
    pointer, count, _kept = array(before)
    return driver.cuGraphAddEmptyNode(graph, pointer, count)


def link(graph: int, first: int, then: int, call=driver.cuGraphAddDependencies_v1) -> None:
    (a, count, _kept), (b, _, _also) = array([first]), array([then])
    call(graph, a, b, count)


def listed(call, *arguments, columns: int = 1) -> list:
    """Return the result of a function with arrays and a count, called twice: for the count, then for the arrays."""
    count = ctypes.c_size_t()
    call(*arguments, *[0] * columns, ctypes.addressof(count))
    arrays = [(ctypes.c_uint64 * max(count.value, 1))() for _ in range(columns)]
    call(*arguments, *map(ctypes.addressof, arrays), ctypes.addressof(count))
    rows = [tuple(column[i] for column in arrays) for i in range(count.value)]
    return [row[0] for row in rows] if columns == 1 else rows


def kernel_params(module: int, name: str, *values, grid=(1, 1, 1), block=(1, 1, 1)):
    """Return a CUDA_KERNEL_NODE_PARAMS and the objects that must live as long."""
    function = driver.cuModuleGetFunction(module, name.encode())
    kernel_params, kept = kernels.packed(*values)
    return abi.CUDA_KERNEL_NODE_PARAMS(function, *grid, *block, 0, kernel_params), kept


def add_kernel(graph: int, module: int, name: str, *values, before=(), **shape) -> int:
    params, _kept = kernel_params(module, name, *values, **shape)
    pointer, count, _also = array(before)
    return driver.cuGraphAddKernelNode(graph, pointer, count, ctypes.addressof(params))


def add_fill(graph: int, target: int, value: int, count: int, before=()) -> int:
    """Add a node that sets `count` ints."""
    params = abi.CUDA_MEMSET_NODE_PARAMS(target, 0, value, 4, count, 1)
    pointer, number, _kept = array(before)
    return driver.cuGraphAddMemsetNode(graph, pointer, number, ctypes.addressof(params), 0)


def copy_params(target: int, source: int, size: int):
    given = abi.CUDA_MEMCPY3D(WidthInBytes=size, Height=1, Depth=1)
    given.srcMemoryType = given.dstMemoryType = abi.CU_MEMORYTYPE_UNIFIED
    given.srcDevice, given.dstDevice = source, target
    return given


def add_copy(graph: int, target: int, source: int, size: int, before=()) -> int:
    params = copy_params(target, source, size)
    pointer, number, _kept = array(before)
    return driver.cuGraphAddMemcpyNode(graph, pointer, number, ctypes.addressof(params), 0)


@contextlib.contextmanager
def memory(count: int = 1):
    """Device memory of `count` ints, all 0."""
    pointer = driver.cuMemAlloc(4 * count)
    driver.cuMemsetD32(pointer, 0, count)
    driver.cuStreamSynchronize(0)  # the fill may lag behind the host, and other streams do not wait for it
    try:
        yield pointer
    finally:
        driver.cuMemFree(pointer)


def launch(executable_graph: int, stream: int = 0) -> None:
    driver.cuGraphLaunch(executable_graph, stream)
    driver.cuStreamSynchronize(stream)
