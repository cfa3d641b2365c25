# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of a graph by kind: adding them, and getting and setting their parameters."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda.cpu.abi import (
    CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE,
    CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE,
    CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
    CU_GRAPH_NODE_TYPE_CONDITIONAL,
    CU_GRAPH_NODE_TYPE_EMPTY,
    CU_GRAPH_NODE_TYPE_EVENT_RECORD,
    CU_GRAPH_NODE_TYPE_GRAPH,
    CU_GRAPH_NODE_TYPE_HOST,
    CU_GRAPH_NODE_TYPE_KERNEL,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    CU_GRAPH_NODE_TYPE_MEM_FREE,
    CU_GRAPH_NODE_TYPE_MEMCPY,
    CU_GRAPH_NODE_TYPE_MEMSET,
    CU_GRAPH_NODE_TYPE_WAIT_EVENT,
    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
    CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
    CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE,
    CUDA_BATCH_MEM_OP_NODE_PARAMS,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_HOST_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS,
    CUDA_MEM_ALLOC_NODE_PARAMS,
    CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS_v1,
    CUgraphNodeParams,
    CUlaunchAttributeValue,
)
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import context
from cuda.cpu.driver.graph import graph_condition, graph_memory, graph_update, graph_work
from cuda.cpu.driver.graph.graph import Graph, Node, graphs, nodes, read_dependencies
from cuda.cpu.driver.graph.graph_work import ChildWork, EventWork, KernelWork, Work, expect, view


def add(name: str, handle: int, before: int, count: int, make: Callable[[Graph], Work], data: int = 0) -> int:
    """Add a node with the work that `make` returns, unless anything is wrong with it or its dependencies."""
    graph = graphs.find(handle)
    first = read_dependencies(name, graph, before, data, count)
    work = make(graph)
    return graph.add(work, first).handle


def child(name: str, graph: Graph, handle: int, ownership: int) -> ChildWork:
    given = graphs.find(handle)
    if ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE:
        return ChildWork(given.clone())
    if ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE:
        raise invalid(f"{name}: ownership {ownership} is no CUgraphChildGraphNodeOwnership")
    if given is graph or given.parent is not None:
        raise invalid(f"{name}: the child graph is the graph itself, or has an owner already")
    if given.memories or given.conditions:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: a graph with conditional or memory nodes cannot be a child")
    return ChildWork(given)


# kind -> member of CUgraphNodeParams, work for what is given there and the node's graph
READERS: dict[int, tuple[str, Callable[[str, Any, Graph], Work]]] = {
    CU_GRAPH_NODE_TYPE_KERNEL: ("kernel", lambda name, given, graph: graph_work.kernel_from(name, given)),
    CU_GRAPH_NODE_TYPE_MEMCPY: (
        "memcpy",
        lambda name, given, graph: graph_work.memcpy_from(
            name, given.copyParams, context.find(given.copyCtx or 0)
        ),
    ),
    CU_GRAPH_NODE_TYPE_MEMSET: (
        "memset",
        lambda name, given, graph: graph_work.memset_from(name, given, context.find(given.ctx or 0)),
    ),
    CU_GRAPH_NODE_TYPE_HOST: ("host", lambda name, given, graph: graph_work.host_from(name, given)),
    CU_GRAPH_NODE_TYPE_GRAPH: (
        "graph",
        lambda name, given, graph: child(name, graph, given.graph or 0, given.ownership),
    ),
    CU_GRAPH_NODE_TYPE_EMPTY: ("kernel", lambda name, given, graph: graph_work.empty()),
    CU_GRAPH_NODE_TYPE_WAIT_EVENT: (
        "eventWait", lambda name, given, graph: graph_work.wait_event(given.event or 0)
    ),
    CU_GRAPH_NODE_TYPE_EVENT_RECORD: (
        "eventRecord", lambda name, given, graph: graph_work.record_event(given.event or 0)
    ),
    CU_GRAPH_NODE_TYPE_MEM_ALLOC: ("alloc", lambda name, given, graph: graph_memory.allocation(name, graph, given)),
    CU_GRAPH_NODE_TYPE_MEM_FREE: ("free", lambda name, given, graph: graph_memory.free(name, given.dptr or 0)),
    CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: ("memOp", lambda name, given, graph: graph_work.batch_from(name, given)),
    CU_GRAPH_NODE_TYPE_CONDITIONAL: (
        "conditional", lambda name, given, graph: graph_condition.from_params(name, given, graph)
    ),
}  # fmt: skip


def from_union(name: str, params_ptr: int, graph: Graph) -> Work:
    """Return the work of a CUgraphNodeParams."""
    given = view(name, CUgraphNodeParams, params_ptr)
    if given.type not in READERS:
        raise CudaError(
            CUDA_ERROR_NOT_SUPPORTED, f"{name}: the CPU device has no graph nodes of CUgraphNodeType {given.type}"
        )
    member, read = READERS[given.type]
    work = read(name, getattr(given, member), graph)
    if given.type == CU_GRAPH_NODE_TYPE_GRAPH:
        given.graph.graph = expect(work, ChildWork).graph.handle
    return work


def cuGraphAddNode(hGraph: int, dependencies: int, dependencyData: int, numDependencies: int, nodeParams: int) -> int:
    name = "cuGraphAddNode"
    return add(
        name, hGraph, dependencies, numDependencies, lambda graph: from_union(name, nodeParams, graph), dependencyData
    )


cuGraphAddNode_v3 = cuGraphAddNode


def cuGraphAddNode_v1(hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    return cuGraphAddNode(hGraph, dependencies, 0, numDependencies, nodeParams)


def cuGraphAddKernelNode(hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    name = "cuGraphAddKernelNode"
    given = view(name, CUDA_KERNEL_NODE_PARAMS, nodeParams)
    return add(name, hGraph, dependencies, numDependencies, lambda graph: graph_work.kernel_from(name, given))


def cuGraphAddKernelNode_v1(hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    name = "cuGraphAddKernelNode"
    given = view(name, CUDA_KERNEL_NODE_PARAMS_v1, nodeParams)
    return add(name, hGraph, dependencies, numDependencies, lambda graph: graph_work.kernel_from(name, given))


def cuGraphAddMemcpyNode(hGraph: int, dependencies: int, numDependencies: int, copyParams: int, ctx: int) -> int:
    name = "cuGraphAddMemcpyNode"
    given = view(name, CUDA_MEMCPY3D, copyParams)
    return add(
        name,
        hGraph,
        dependencies,
        numDependencies,
        lambda graph: graph_work.memcpy_from(name, given, context.find(ctx)),
    )


def cuGraphAddMemsetNode(hGraph: int, dependencies: int, numDependencies: int, memsetParams: int, ctx: int) -> int:
    name = "cuGraphAddMemsetNode"
    given = view(name, CUDA_MEMSET_NODE_PARAMS, memsetParams)
    return add(
        name,
        hGraph,
        dependencies,
        numDependencies,
        lambda graph: graph_work.memset_from(name, given, context.find(ctx)),
    )


def cuGraphAddHostNode(hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    name = "cuGraphAddHostNode"
    given = view(name, CUDA_HOST_NODE_PARAMS, nodeParams)
    return add(name, hGraph, dependencies, numDependencies, lambda graph: graph_work.host_from(name, given))


def cuGraphAddChildGraphNode(hGraph: int, dependencies: int, numDependencies: int, childGraph: int) -> int:
    name = "cuGraphAddChildGraphNode"
    return add(name, hGraph, dependencies, numDependencies, lambda graph: child(name, graph, childGraph, 0))


def cuGraphAddEmptyNode(hGraph: int, dependencies: int, numDependencies: int) -> int:
    return add("cuGraphAddEmptyNode", hGraph, dependencies, numDependencies, lambda graph: graph_work.empty())


def cuGraphAddEventRecordNode(hGraph: int, dependencies: int, numDependencies: int, event: int) -> int:
    return add(
        "cuGraphAddEventRecordNode", hGraph, dependencies, numDependencies, lambda graph: graph_work.record_event(event)
    )


def cuGraphAddEventWaitNode(hGraph: int, dependencies: int, numDependencies: int, event: int) -> int:
    return add(
        "cuGraphAddEventWaitNode", hGraph, dependencies, numDependencies, lambda graph: graph_work.wait_event(event)
    )


def cuGraphAddBatchMemOpNode(hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    name = "cuGraphAddBatchMemOpNode"
    given = view(name, CUDA_BATCH_MEM_OP_NODE_PARAMS, nodeParams)
    return add(name, hGraph, dependencies, numDependencies, lambda graph: graph_work.batch_from(name, given))


def cuGraphAddMemAllocNode(hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    name = "cuGraphAddMemAllocNode"
    given = view(name, CUDA_MEM_ALLOC_NODE_PARAMS, nodeParams)
    return add(name, hGraph, dependencies, numDependencies, lambda graph: graph_memory.allocation(name, graph, given))


def cuGraphAddMemFreeNode(hGraph: int, dependencies: int, numDependencies: int, dptr: int) -> int:
    name = "cuGraphAddMemFreeNode"
    return add(name, hGraph, dependencies, numDependencies, lambda graph: graph_memory.free(name, dptr))


def of_kind(name: str, handle: int, *kinds: int) -> Node:
    node = nodes.find(handle)
    if node.work.kind not in kinds:
        raise invalid(f"{name}: the node's CUgraphNodeType is {node.work.kind}, must be {kinds[0]}")
    return node


def _give(name: str, handle: int, kind: int, out_ptr: int) -> None:
    params = of_kind(name, handle, kind).work.params
    view(name, type(params), out_ptr)
    ctypes.memmove(out_ptr, ctypes.addressof(params), ctypes.sizeof(params))


def cuGraphKernelNodeGetParams(hNode: int, nodeParams: int) -> None:
    _give("cuGraphKernelNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams)


def cuGraphKernelNodeGetParams_v1(hNode: int, nodeParams: int) -> None:
    name = "cuGraphKernelNodeGetParams"
    params = of_kind(name, hNode, CU_GRAPH_NODE_TYPE_KERNEL).work.params
    view(name, CUDA_KERNEL_NODE_PARAMS_v1, nodeParams)
    ctypes.memmove(nodeParams, ctypes.addressof(params), ctypes.sizeof(CUDA_KERNEL_NODE_PARAMS_v1))


def cuGraphMemcpyNodeGetParams(hNode: int, nodeParams: int) -> None:
    _give("cuGraphMemcpyNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams)


def cuGraphMemsetNodeGetParams(hNode: int, nodeParams: int) -> None:
    _give("cuGraphMemsetNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams)


def cuGraphHostNodeGetParams(hNode: int, nodeParams: int) -> None:
    _give("cuGraphHostNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams)


def cuGraphBatchMemOpNodeGetParams(hNode: int, nodeParams_out: int) -> None:
    _give("cuGraphBatchMemOpNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams_out)


def cuGraphMemAllocNodeGetParams(hNode: int, params_out: int) -> None:
    _give("cuGraphMemAllocNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEM_ALLOC, params_out)


def cuGraphMemFreeNodeGetParams(hNode: int) -> int:
    return of_kind("cuGraphMemFreeNodeGetParams", hNode, CU_GRAPH_NODE_TYPE_MEM_FREE).work.params.dptr


def cuGraphChildGraphNodeGetGraph(hNode: int) -> int:
    node = of_kind("cuGraphChildGraphNodeGetGraph", hNode, CU_GRAPH_NODE_TYPE_GRAPH)
    return expect(node.work, ChildWork).graph.handle


def cuGraphEventRecordNodeGetEvent(hNode: int) -> int:
    name = "cuGraphEventRecordNodeGetEvent"
    return expect(of_kind(name, hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD).work, EventWork).event.handle


def cuGraphEventWaitNodeGetEvent(hNode: int) -> int:
    name = "cuGraphEventWaitNodeGetEvent"
    return expect(of_kind(name, hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT).work, EventWork).event.handle


def cuGraphNodeGetParams(hNode: int, nodeParams: int) -> None:
    """Give a node's parameters with their type."""
    write_params(nodes.find(hNode).work, nodeParams)


def write_params(work: Work, out_ptr: int) -> None:
    given = view("cuGraphNodeGetParams", CUgraphNodeParams, out_ptr)
    ctypes.memset(out_ptr, 0, ctypes.sizeof(CUgraphNodeParams))
    given.type = work.kind
    member = getattr(given, READERS[work.kind][0])
    if work.kind == CU_GRAPH_NODE_TYPE_MEMCPY:
        member.copyCtx, member.copyParams = work.context.handle, work.params
    elif isinstance(work, EventWork):
        member.event = work.event.handle
    elif isinstance(work, ChildWork):
        member.graph = work.graph.handle
    elif work.params is not None:  # the structures that were superseded begin as those of the union
        ctypes.memmove(ctypes.addressof(member), ctypes.addressof(work.params), ctypes.sizeof(work.params))
        if work.kind == CU_GRAPH_NODE_TYPE_MEMSET:
            member.ctx = work.context.handle


def replace(node: Node, work: Work) -> None:
    """Give a node other work of its kind; what was set by attributes stays."""
    if isinstance(work, ChildWork):
        expect(node.work, ChildWork).graph.close()
        work.graph.parent = node
    work.attributes, work.device_node = node.work.attributes, node.work.device_node
    node.work = rework(work)


def rework(work: Work) -> Work:
    """Return kernel work as its attributes want it; other work as it is."""
    if not isinstance(work, KernelWork) or not work.attributes:
        return work
    given, cluster, cooperative = work.params, work.cluster, work.cooperative
    for which, data in work.attributes.items():
        value = CUlaunchAttributeValue.from_buffer_copy(data)
        if which == CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            cooperative = bool(value.cooperative)
        elif which == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            cluster = (value.clusterDim.x, value.clusterDim.y, value.clusterDim.z)
    sources, _kept_alive = graph_work.pointers(work.function, given.kernelParams, 0)
    grid = (given.gridDimX, given.gridDimY, given.gridDimZ)
    block = (given.blockDimX, given.blockDimY, given.blockDimZ)
    made = graph_work.kernel(work.function, grid, block, cluster, given.sharedMemBytes, sources, cooperative)
    made.attributes, made.device_node = work.attributes, work.device_node
    return made


def _set_kernel(handle: int, params_ptr: int, structure: Any) -> None:
    name = "cuGraphKernelNodeSetParams"
    node = of_kind(name, handle, CU_GRAPH_NODE_TYPE_KERNEL)
    replace(node, graph_work.kernel_from(name, view(name, structure, params_ptr)))


def cuGraphKernelNodeSetParams(hNode: int, nodeParams: int) -> None:
    _set_kernel(hNode, nodeParams, CUDA_KERNEL_NODE_PARAMS)


def cuGraphKernelNodeSetParams_v1(hNode: int, nodeParams: int) -> None:
    _set_kernel(hNode, nodeParams, CUDA_KERNEL_NODE_PARAMS_v1)


def cuGraphMemcpyNodeSetParams(hNode: int, nodeParams: int) -> None:
    name = "cuGraphMemcpyNodeSetParams"
    node = of_kind(name, hNode, CU_GRAPH_NODE_TYPE_MEMCPY)
    replace(node, graph_work.memcpy_from(name, view(name, CUDA_MEMCPY3D, nodeParams), node.work.context))


def cuGraphMemsetNodeSetParams(hNode: int, nodeParams: int) -> None:
    name = "cuGraphMemsetNodeSetParams"
    node = of_kind(name, hNode, CU_GRAPH_NODE_TYPE_MEMSET)
    replace(node, graph_work.memset_from(name, view(name, CUDA_MEMSET_NODE_PARAMS, nodeParams), node.work.context))


def cuGraphHostNodeSetParams(hNode: int, nodeParams: int) -> None:
    name = "cuGraphHostNodeSetParams"
    node = of_kind(name, hNode, CU_GRAPH_NODE_TYPE_HOST)
    replace(node, graph_work.host_from(name, view(name, CUDA_HOST_NODE_PARAMS, nodeParams)))


def cuGraphBatchMemOpNodeSetParams(hNode: int, nodeParams: int) -> None:
    name = "cuGraphBatchMemOpNodeSetParams"
    node = of_kind(name, hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
    replace(node, graph_work.batch_from(name, view(name, CUDA_BATCH_MEM_OP_NODE_PARAMS, nodeParams)))


def cuGraphEventRecordNodeSetEvent(hNode: int, event: int) -> None:
    node = of_kind("cuGraphEventRecordNodeSetEvent", hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
    replace(node, graph_work.record_event(event))


def cuGraphEventWaitNodeSetEvent(hNode: int, event: int) -> None:
    node = of_kind("cuGraphEventWaitNodeSetEvent", hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT)
    replace(node, graph_work.wait_event(event))


FIXED = (CU_GRAPH_NODE_TYPE_CONDITIONAL, CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE)


def changed(name: str, node: Node, params_ptr: int) -> Work:
    """Return the work of a CUgraphNodeParams that is to replace a node's."""
    given = view(name, CUgraphNodeParams, params_ptr)
    if given.type != node.work.kind or node.work.kind in FIXED:
        raise invalid(f"{name}: type is {given.type}, the node's {node.work.kind}, which must be the same and settable")
    return from_union(name, params_ptr, node.graph)


def cuGraphNodeSetParams(hNode: int, nodeParams: int) -> None:
    node = nodes.find(hNode)
    replace(node, changed("cuGraphNodeSetParams", node, nodeParams))


cuGraphNodeSetParams_v2 = cuGraphNodeSetParams


def _attribute(name: str, handle: int, which: int, value_ptr: int) -> Node:
    node = of_kind(name, handle, CU_GRAPH_NODE_TYPE_KERNEL)
    if not 0 < which <= CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE or not value_ptr:
        raise invalid(f"{name}: {which} is no attribute of kernel nodes, or the value is NULL")
    return node


def cuGraphKernelNodeGetAttribute(hNode: int, attr: int, value_out: int) -> None:
    work = expect(_attribute("cuGraphKernelNodeGetAttribute", hNode, attr, value_out).work, KernelWork)
    value = CUlaunchAttributeValue()
    if attr in work.attributes:
        value = CUlaunchAttributeValue.from_buffer_copy(work.attributes[attr])
    elif attr == CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        value.cooperative = work.cooperative
    elif attr == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION and work.cluster != (1, 1, 1):  # 0 is no cluster
        value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = work.cluster
    ctypes.memmove(value_out, ctypes.addressof(value), ctypes.sizeof(value))


def _set_attributes(node: Node, attributes: dict[int, bytes]) -> None:
    before = node.work.attributes
    try:
        node.work.attributes = attributes
        node.work = rework(node.work)
    except CudaError:
        node.work.attributes = before
        raise


def cuGraphKernelNodeSetAttribute(hNode: int, attr: int, value: int) -> None:
    """Set cooperation and cluster; other attributes only advise the hardware and are remembered."""
    node = _attribute("cuGraphKernelNodeSetAttribute", hNode, attr, value)
    if attr == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        graph_update.make_updatable(node.work, CUlaunchAttributeValue.from_address(value))
    data = ctypes.string_at(value, ctypes.sizeof(CUlaunchAttributeValue))
    _set_attributes(node, {**node.work.attributes, attr: data})


def cuGraphKernelNodeCopyAttributes(dst: int, src: int) -> None:
    name = "cuGraphKernelNodeCopyAttributes"
    to, of = (of_kind(name, handle, CU_GRAPH_NODE_TYPE_KERNEL) for handle in (dst, src))
    graph_update.check_not_updatable(name, to.work, of.work)
    _set_attributes(to, dict(of.work.attributes))
