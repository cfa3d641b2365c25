# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of graphs whose parameters the driver describes by other structs: kernels, copies, fills."""

from __future__ import annotations

import ctypes

from cuda.cpu import driver
from cuda.cpu.abi import CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.device import context
from cuda.cpu.runtime_api import abi
from cuda.cpu.runtime_api.copy import box_of, ends, place
from cuda.cpu.runtime_api.device import ensure_context
from cuda.cpu.runtime_api.host_code import host_of, kernel_of


def kernel_parameters(name: str, at: int) -> CUDA_KERNEL_NODE_PARAMS:
    """Return a cudaKernelNodeParams as the driver's struct, which has the same fields and two more."""
    if not at:
        raise invalid(f"{name}: pNodeParams is NULL")
    ensure_context()
    made = CUDA_KERNEL_NODE_PARAMS()
    ctypes.memmove(ctypes.addressof(made), at, ctypes.sizeof(abi.cudaKernelNodeParams))
    made.func = kernel_of(made.func or 0)
    return made


def cudaGraphAddKernelNode(graph: int, dependencies: int, count: int, at: int) -> int:
    made = kernel_parameters("cudaGraphAddKernelNode", at)
    return driver.cuGraphAddKernelNode(graph, dependencies, count, ctypes.addressof(made))


def cudaGraphKernelNodeSetParams(node: int, at: int) -> None:
    made = kernel_parameters("cudaGraphKernelNodeSetParams", at)
    driver.cuGraphKernelNodeSetParams(node, ctypes.addressof(made))


def cudaGraphExecKernelNodeSetParams(graph_exec: int, node: int, at: int) -> None:
    made = kernel_parameters("cudaGraphExecKernelNodeSetParams", at)
    driver.cuGraphExecKernelNodeSetParams(graph_exec, node, ctypes.addressof(made))


def cudaGraphKernelNodeGetParams(node: int, at: int) -> None:
    if not at:
        raise invalid("cudaGraphKernelNodeGetParams: pNodeParams is NULL")
    ensure_context()
    made = CUDA_KERNEL_NODE_PARAMS()
    driver.cuGraphKernelNodeGetParams(node, ctypes.addressof(made))
    made.func = host_of(made.func or made.kern)
    ctypes.memmove(at, ctypes.addressof(made), ctypes.sizeof(abi.cudaKernelNodeParams))


def cudaGraphAddMemsetNode(graph: int, dependencies: int, count: int, at: int) -> int:
    ensure_context()
    return driver.cuGraphAddMemsetNode(graph, dependencies, count, at, context.cuCtxGetCurrent())


def cudaGraphAddMemcpyNode(graph: int, dependencies: int, count: int, at: int) -> int:
    if not at:
        raise invalid("cudaGraphAddMemcpyNode: pCopyParams is NULL")
    ensure_context()
    given = abi.cudaMemcpy3DParms.from_address(at)
    box = box_of("cudaGraphAddMemcpyNode", given, given.kind)
    return driver.cuGraphAddMemcpyNode(graph, dependencies, count, ctypes.addressof(box), context.cuCtxGetCurrent())


def cudaGraphAddMemcpyNode1D(
    graph: int, dependencies: int, count: int, target: int, source: int, size: int, kind: int
) -> int:
    ensure_context()
    box = CUDA_MEMCPY3D(WidthInBytes=size, Height=1, Depth=1)
    to_device, from_device = ends("cudaGraphAddMemcpyNode1D", kind)
    place(box, "dst", target, size, to_device, kind)
    place(box, "src", source, size, from_device, kind)
    return driver.cuGraphAddMemcpyNode(graph, dependencies, count, ctypes.addressof(box), context.cuCtxGetCurrent())
