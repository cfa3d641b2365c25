# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Nodes given by cudaGraphNodeParams, conditional handles, and updates of copy and memset nodes.

The union's members are the driver's, but for kernels and copies.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cuda.cpu import driver
from cuda.cpu import runtime_abi as abi
from cuda.cpu.abi import (
    CU_GRAPH_NODE_TYPE_KERNEL,
    CU_GRAPH_NODE_TYPE_MEMCPY,
    CU_MEMORYTYPE_ARRAY,
    CU_MEMORYTYPE_HOST,
    CU_MEMORYTYPE_UNIFIED,
    CUDA_MEMCPY3D,
    CUgraphNodeParams,
)
from cuda.cpu.driver.array import array as arrays
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.device import context
from cuda.cpu.driver.graph import capture
from cuda.cpu.driver.graph.graph import graphs
from cuda.cpu.driver.graph.graph_work import Work
from cuda.cpu.driver.graph.recapture import Recapture
from cuda.cpu.runtime_api.copy import box_of, ends, set_end
from cuda.cpu.runtime_api.device import ensure_context
from cuda.cpu.runtime_api.host_code import host_of, kernel_of

HEAD = CUgraphNodeParams._anonymous2.offset  # of both structs: what comes before the union
ROOM = CUgraphNodeParams._anonymous2.size


def _given(name: str, at: int) -> Any:
    ensure_context()
    if not at:
        raise invalid(f"{name}: nodeParams is NULL")
    return abi.cudaGraphNodeParams.from_address(at)


@contextmanager
def as_driver(name: str, at: int) -> Iterator[int]:
    """Give the address of a cudaGraphNodeParams as the driver's struct; what a call stores there goes back."""
    given = _given(name, at)
    made = CUgraphNodeParams(type=given.type)
    union = ctypes.addressof(made) + HEAD
    ctypes.memmove(union, at + HEAD, ROOM)
    if given.type == CU_GRAPH_NODE_TYPE_KERNEL:
        kernel = given.kernel
        ctypes.memset(union, 0, ROOM)
        ctypes.memmove(union, ctypes.addressof(kernel), abi.cudaKernelNodeParamsV2.ctx.offset)
        made.kernel.func, made.kernel.ctx = kernel_of(made.kernel.func or 0), kernel.ctx
    elif given.type == CU_GRAPH_NODE_TYPE_MEMCPY:
        copied = given.memcpy
        box = box_of(name, copied.copyParams, copied.copyParams.kind)
        ctypes.memset(union, 0, ROOM)
        made.memcpy.flags, made.memcpy.copyCtx, made.memcpy.copyParams = copied.flags, copied.ctx, box
    yield ctypes.addressof(made)
    if given.type not in (CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY):
        ctypes.memmove(at + HEAD, union, ROOM)


def cudaGraphAddNode(graph: int, pDependencies: int, dependencyData: int, numDependencies: int, nodeParams: int) -> int:
    with as_driver("cudaGraphAddNode", nodeParams) as params:
        return driver.cuGraphAddNode(graph, pDependencies, dependencyData, numDependencies, params)


def cudaGraphNodeSetParams(node: int, nodeParams: int) -> None:
    with as_driver("cudaGraphNodeSetParams", nodeParams) as params:
        driver.cuGraphNodeSetParams(node, params)


def cudaGraphExecNodeSetParams(graphExec: int, node: int, nodeParams: int) -> None:
    with as_driver("cudaGraphExecNodeSetParams", nodeParams) as params:
        driver.cuGraphExecNodeSetParams(graphExec, node, params)


def cudaGraphNodeGetParams(node: int, nodeParams: int) -> None:
    made = CUgraphNodeParams()
    driver.cuGraphNodeGetParams(node, ctypes.addressof(made))
    _write_params(made, nodeParams)


def _write_params(made: Any, at: int) -> None:
    """Write a CUgraphNodeParams as a cudaGraphNodeParams."""
    given = _given("cudaGraphNodeGetParams", at)
    ctypes.memset(at, 0, ctypes.sizeof(given))
    given.type = made.type
    if made.type == CU_GRAPH_NODE_TYPE_KERNEL:
        made.kernel.func = host_of(made.kernel.func or made.kernel.kern)
        union = ctypes.addressof(made) + HEAD
        ctypes.memmove(ctypes.addressof(given.kernel), union, abi.cudaKernelNodeParamsV2.ctx.offset)
        given.kernel.ctx = made.kernel.ctx
    elif made.type == CU_GRAPH_NODE_TYPE_MEMCPY:
        given.memcpy.ctx, given.memcpy.copyParams = made.memcpy.copyCtx, parameters_of(made.memcpy.copyParams)
    else:
        ctypes.memmove(at + HEAD, ctypes.addressof(made) + HEAD, ROOM)


def parameters_of(box: Any) -> Any:
    """Return a CUDA_MEMCPY3D as a cudaMemcpy3DParms."""
    made = abi.cudaMemcpy3DParms(kind=abi.cudaMemcpyDefault)
    hosts, element = [], 1
    for end in ("src", "dst"):
        kind, corner = getattr(box, f"{end}MemoryType"), getattr(made, f"{end}Pos")
        hosts.append(kind == CU_MEMORYTYPE_HOST)
        corner.x, corner.y, corner.z = (getattr(box, end + part) for part in ("XInBytes", "Y", "Z"))
        if kind == CU_MEMORYTYPE_ARRAY:
            setattr(made, f"{end}Array", getattr(box, f"{end}Array"))
            element = arrays.find_plain(getattr(box, f"{end}Array"), "graph node").shape.element
            corner.x //= element
        else:
            start = getattr(box, f"{end}Host" if kind == CU_MEMORYTYPE_HOST else f"{end}Device") or 0
            rows = getattr(box, f"{end}Height")
            setattr(made, f"{end}Ptr", abi.cudaPitchedPtr(start, getattr(box, f"{end}Pitch"), box.WidthInBytes, rows))
    if CU_MEMORYTYPE_UNIFIED not in (box.srcMemoryType, box.dstMemoryType):
        made.kind = (
            abi.cudaMemcpyHostToHost if all(hosts)
            else abi.cudaMemcpyHostToDevice if hosts[0]
            else abi.cudaMemcpyDeviceToHost if hosts[1]
            else abi.cudaMemcpyDeviceToDevice
        )  # fmt: skip
    made.extent = abi.cudaExtent(box.WidthInBytes // element, box.Height, box.Depth)
    return made


def _copy_parameters(name: str, at: int) -> Any:
    ensure_context()
    if not at:
        raise invalid(f"{name}: pNodeParams is NULL")
    given = abi.cudaMemcpy3DParms.from_address(at)
    return box_of(name, given, given.kind)


def _line(name: str, target: int, source: int, size: int, kind: int) -> Any:
    """Return a copy of one row of bytes."""
    ensure_context()
    box = CUDA_MEMCPY3D(WidthInBytes=size, Height=1, Depth=1)
    to_device, from_device = ends(name, kind)
    set_end(box, "dst", target, size, to_device, kind)
    set_end(box, "src", source, size, from_device, kind)
    return box


def _set_copy(node: int, box: Any) -> None:
    driver.cuGraphMemcpyNodeSetParams(node, ctypes.addressof(box))


def _set_copy_in(graph_exec: int, node: int, box: Any) -> None:
    driver.cuGraphExecMemcpyNodeSetParams(graph_exec, node, ctypes.addressof(box), context.cuCtxGetCurrent())


def cudaGraphMemcpyNodeGetParams(node: int, pNodeParams: int) -> None:
    if not pNodeParams:
        raise invalid("cudaGraphMemcpyNodeGetParams: pNodeParams is NULL")
    box = CUDA_MEMCPY3D()
    driver.cuGraphMemcpyNodeGetParams(node, ctypes.addressof(box))
    made = parameters_of(box)
    ctypes.memmove(pNodeParams, ctypes.addressof(made), ctypes.sizeof(made))


def cudaGraphMemcpyNodeSetParams(node: int, pNodeParams: int) -> None:
    _set_copy(node, _copy_parameters("cudaGraphMemcpyNodeSetParams", pNodeParams))


def cudaGraphMemcpyNodeSetParams1D(node: int, dst: int, src: int, count: int, kind: int) -> None:
    _set_copy(node, _line("cudaGraphMemcpyNodeSetParams1D", dst, src, count, kind))


def cudaGraphExecMemcpyNodeSetParams(hGraphExec: int, node: int, pNodeParams: int) -> None:
    _set_copy_in(hGraphExec, node, _copy_parameters("cudaGraphExecMemcpyNodeSetParams", pNodeParams))


def cudaGraphExecMemcpyNodeSetParams1D(hGraphExec: int, node: int, dst: int, src: int, count: int, kind: int) -> None:
    _set_copy_in(hGraphExec, node, _line("cudaGraphExecMemcpyNodeSetParams1D", dst, src, count, kind))


def cudaGraphExecMemsetNodeSetParams(hGraphExec: int, node: int, pNodeParams: int) -> None:
    ensure_context()
    driver.cuGraphExecMemsetNodeSetParams(hGraphExec, node, pNodeParams, context.cuCtxGetCurrent())


def cudaGraphConditionalHandleCreate(graph: int, defaultLaunchValue: int, flags: int) -> int:
    ensure_context()
    return driver.cuGraphConditionalHandleCreate(graph, context.cuCtxGetCurrent(), defaultLaunchValue, flags)


def cudaGraphConditionalHandleCreate_v2(graph: int, ctx: int, defaultLaunchValue: int, flags: int) -> int:
    ensure_context()
    return driver.cuGraphConditionalHandleCreate(graph, ctx, defaultLaunchValue, flags)


# --- recapture ------------------------------------------------------------------------------------------


class RuntimeRecapture(Recapture):
    """A recapture whose callback gets the runtime API's structs."""

    def write(self, work: Work) -> Any:
        made = abi.cudaGraphNodeParams()
        _write_params(super().write(work), ctypes.addressof(made))
        return made


def cudaStreamBeginRecaptureToGraph(stream: int, mode: int, graph: int, callbackData: int) -> None:
    """Begin as cuStreamBeginRecaptureToGraph; without callback data there is no callback."""
    name = "cudaStreamBeginRecaptureToGraph"
    ensure_context()
    to = graphs.find(graph)
    given = (
        abi.cudaGraphRecaptureCallbackData.from_address(callbackData)
        if callbackData
        else abi.cudaGraphRecaptureCallbackData()
    )
    callback, data = given.callbackFunc or 0, given.userData or 0
    capture.begin(name, stream, mode, lambda origin: RuntimeRecapture(origin, mode, to, callback, data))
