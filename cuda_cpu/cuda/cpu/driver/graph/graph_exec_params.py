# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Setting the parameters of nodes in executable graphs (cuGraphExecKernelNodeSetParams)."""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import (
    CU_GRAPH_NODE_TYPE_EVENT_RECORD,
    CU_GRAPH_NODE_TYPE_KERNEL,
    CU_GRAPH_NODE_TYPE_MEMCPY,
    CU_GRAPH_NODE_TYPE_MEMSET,
    CU_GRAPH_NODE_TYPE_WAIT_EVENT,
    CUDA_BATCH_MEM_OP_NODE_PARAMS,
    CUDA_HOST_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS,
    CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS_v1,
    CUgraphNodeParams,
)
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.device import context
from cuda.cpu.driver.graph import graph_node, graph_work
from cuda.cpu.driver.graph.graph import graphs
from cuda.cpu.driver.graph.graph_exec import execs
from cuda.cpu.driver.graph.graph_exec_update import update
from cuda.cpu.driver.graph.graph_work import view


def _set_kernel(handle: int, node_handle: int, params_ptr: int, structure: Any) -> None:
    name = "cuGraphExecKernelNodeSetParams"
    found = execs.find(handle)
    node = found.node(name, node_handle, CU_GRAPH_NODE_TYPE_KERNEL)
    work = graph_work.kernel_from(name, view(name, structure, params_ptr))
    if work.context is not node.work.context:
        raise invalid(f"{name}: the new kernel is of another context than the node's")
    found.set(name, node, work)


def cuGraphExecKernelNodeSetParams(hGraphExec: int, hNode: int, nodeParams: int) -> None:
    _set_kernel(hGraphExec, hNode, nodeParams, CUDA_KERNEL_NODE_PARAMS)


def cuGraphExecKernelNodeSetParams_v1(hGraphExec: int, hNode: int, nodeParams: int) -> None:
    _set_kernel(hGraphExec, hNode, nodeParams, CUDA_KERNEL_NODE_PARAMS_v1)


def cuGraphExecMemcpyNodeSetParams(hGraphExec: int, hNode: int, copyParams: int, ctx: int) -> None:
    name = "cuGraphExecMemcpyNodeSetParams"
    found = execs.find(hGraphExec)
    node = found.node(name, hNode, CU_GRAPH_NODE_TYPE_MEMCPY)
    found.set(name, node, graph_work.memcpy_from(name, view(name, CUDA_MEMCPY3D, copyParams), context.find(ctx)))


def cuGraphExecMemsetNodeSetParams(hGraphExec: int, hNode: int, memsetParams: int, ctx: int) -> None:
    name = "cuGraphExecMemsetNodeSetParams"
    found = execs.find(hGraphExec)
    node = found.node(name, hNode, CU_GRAPH_NODE_TYPE_MEMSET)
    found.set(
        name, node, graph_work.memset_from(name, view(name, CUDA_MEMSET_NODE_PARAMS, memsetParams), context.find(ctx))
    )


def cuGraphExecHostNodeSetParams(hGraphExec: int, hNode: int, nodeParams: int) -> None:
    name = "cuGraphExecHostNodeSetParams"
    found = execs.find(hGraphExec)
    node = found.node(name, hNode, graph_node.CU_GRAPH_NODE_TYPE_HOST)
    found.set(name, node, graph_work.host_from(name, view(name, CUDA_HOST_NODE_PARAMS, nodeParams)))


def cuGraphExecBatchMemOpNodeSetParams(hGraphExec: int, hNode: int, nodeParams: int) -> None:
    name = "cuGraphExecBatchMemOpNodeSetParams"
    found = execs.find(hGraphExec)
    node = found.node(name, hNode, graph_node.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
    found.set(name, node, graph_work.batch_from(name, view(name, CUDA_BATCH_MEM_OP_NODE_PARAMS, nodeParams)))


def cuGraphExecEventRecordNodeSetEvent(hGraphExec: int, hNode: int, event: int) -> None:
    found = execs.find(hGraphExec)
    node = found.node("cuGraphExecEventRecordNodeSetEvent", hNode, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
    found.set("cuGraphExecEventRecordNodeSetEvent", node, graph_work.record_event(event))


def cuGraphExecEventWaitNodeSetEvent(hGraphExec: int, hNode: int, event: int) -> None:
    found = execs.find(hGraphExec)
    node = found.node("cuGraphExecEventWaitNodeSetEvent", hNode, CU_GRAPH_NODE_TYPE_WAIT_EVENT)
    found.set("cuGraphExecEventWaitNodeSetEvent", node, graph_work.wait_event(event))


def cuGraphExecNodeSetParams(hGraphExec: int, hNode: int, nodeParams: int) -> None:
    found = execs.find(hGraphExec)
    node = found.node("cuGraphExecNodeSetParams", hNode)
    given = view("cuGraphExecNodeSetParams", CUgraphNodeParams, nodeParams)
    if node.work.kind == given.type == graph_node.CU_GRAPH_NODE_TYPE_GRAPH:
        return cuGraphExecChildGraphNodeSetParams(hGraphExec, hNode, given.graph.graph or 0)
    found.set("cuGraphExecNodeSetParams", node, graph_node.changed("cuGraphExecNodeSetParams", node, nodeParams))


def cuGraphExecChildGraphNodeSetParams(hGraphExec: int, hNode: int, childGraph: int) -> None:
    name = "cuGraphExecChildGraphNodeSetParams"
    found = execs.find(hGraphExec)
    node = found.node(name, hNode, graph_node.CU_GRAPH_NODE_TYPE_GRAPH)
    difference = update(name, found, node.work.graph, graphs.find(childGraph))
    if difference[0]:
        raise invalid(f"{name}: the graph has not the topology of the node's (CUgraphExecUpdateResult {difference[0]})")
