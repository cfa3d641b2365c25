# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernel, copy and memset nodes, whose parameter structs differ from the driver's."""

from __future__ import annotations

import ctypes

from cuda.cpu import driver
from cuda.cpu import runtime_abi as abi
from cuda.cpu.abi import CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.device import context
from cuda.cpu.runtime_api.copy import box_of, ends, set_end
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


def cudaGraphAddKernelNode(graph: int, pDependencies: int, numDependencies: int, pNodeParams: int) -> int:
    made = kernel_parameters("cudaGraphAddKernelNode", pNodeParams)
    return driver.cuGraphAddKernelNode(graph, pDependencies, numDependencies, ctypes.addressof(made))


def cudaGraphKernelNodeSetParams(node: int, pNodeParams: int) -> None:
    made = kernel_parameters("cudaGraphKernelNodeSetParams", pNodeParams)
    driver.cuGraphKernelNodeSetParams(node, ctypes.addressof(made))


def cudaGraphExecKernelNodeSetParams(hGraphExec: int, node: int, pNodeParams: int) -> None:
    made = kernel_parameters("cudaGraphExecKernelNodeSetParams", pNodeParams)
    driver.cuGraphExecKernelNodeSetParams(hGraphExec, node, ctypes.addressof(made))


def cudaGraphKernelNodeGetParams(node: int, pNodeParams: int) -> None:
    if not pNodeParams:
        raise invalid("cudaGraphKernelNodeGetParams: pNodeParams is NULL")
    ensure_context()
    made = CUDA_KERNEL_NODE_PARAMS()
    driver.cuGraphKernelNodeGetParams(node, ctypes.addressof(made))
    made.func = host_of(made.func or made.kern)
    ctypes.memmove(pNodeParams, ctypes.addressof(made), ctypes.sizeof(abi.cudaKernelNodeParams))


def cudaGraphAddMemsetNode(graph: int, pDependencies: int, numDependencies: int, pMemsetParams: int) -> int:
    ensure_context()
    return driver.cuGraphAddMemsetNode(graph, pDependencies, numDependencies, pMemsetParams, context.cuCtxGetCurrent())


def cudaGraphAddMemcpyNode(graph: int, pDependencies: int, numDependencies: int, pCopyParams: int) -> int:
    if not pCopyParams:
        raise invalid("cudaGraphAddMemcpyNode: pCopyParams is NULL")
    ensure_context()
    given = abi.cudaMemcpy3DParms.from_address(pCopyParams)
    box = box_of("cudaGraphAddMemcpyNode", given, given.kind)
    return driver.cuGraphAddMemcpyNode(
        graph, pDependencies, numDependencies, ctypes.addressof(box), context.cuCtxGetCurrent()
    )


def cudaGraphAddMemcpyNode1D(
    graph: int, pDependencies: int, numDependencies: int, dst: int, src: int, count: int, kind: int
) -> int:
    ensure_context()
    box = CUDA_MEMCPY3D(WidthInBytes=count, Height=1, Depth=1)
    to_device, from_device = ends("cudaGraphAddMemcpyNode1D", kind)
    set_end(box, "dst", dst, count, to_device, kind)
    set_end(box, "src", src, count, from_device, kind)
    return driver.cuGraphAddMemcpyNode(
        graph, pDependencies, numDependencies, ctypes.addressof(box), context.cuCtxGetCurrent()
    )
