# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Updates of executable graphs (cuGraphExecUpdate): all nodes take over the work of another graph's, or none does."""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import (
    CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED,
    CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
    CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
    CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
    CUgraphExecUpdateResultInfo,
)
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.graph import graph_limits, graph_update
from cuda.cpu.driver.graph.graph import Graph, Node, graphs
from cuda.cpu.driver.graph.graph_condition import ConditionalWork
from cuda.cpu.driver.graph.graph_exec import GraphExec, execs
from cuda.cpu.driver.graph.graph_work import ChildWork, expect, view

Difference = tuple[int, Node | None, Node | None]  # CUgraphExecUpdateResult, the new node, the one it depends on


def compare(owner: GraphExec, old: Graph, new: Graph) -> tuple[Difference | None, list[tuple[Node, Node]]]:
    """Return in what two graphs differ beyond parameters, or the pairs of nodes: they correspond in their order."""
    pairs = list(zip(old.nodes, new.nodes, strict=False))
    if len(old.nodes) != len(new.nodes):
        return (CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, None, None), []
    counterpart = {b: a for a, b in pairs}
    found = []
    for a, b in pairs:
        if a.work.kind != b.work.kind:
            return (CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, b, None), []
        for first, data in b.before:
            if (counterpart[first], data) not in a.before:
                return (CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b, first), []
        if len(a.before) != len(b.before):
            return (CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b, None), []
        if forbidden := graph_limits.forbidden(owner, a.work, b.work):
            return (forbidden, b, None), []
        if len(a.work.graphs()) != len(b.work.graphs()) or getattr(a.work, "type", 0) != getattr(b.work, "type", 0):
            return (CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, b, None), []
        for one, other in zip(a.work.graphs(), b.work.graphs(), strict=True):
            difference, inner = compare(owner, one, other)
            if difference is not None:
                return difference, []
            found += inner
        if not isinstance(a.work, ChildWork):
            found.append((a, b))
    return None, found


def update(name: str, found: GraphExec, old: Graph, new: Graph) -> Difference:
    """Take over what the nodes of `new` do, all of it or nothing."""
    graph_update.check_not_updatable(name, *graph_update.updatable(old), *graph_update.updatable(new))
    difference, pairs = compare(found, old, new)
    if difference is not None:
        return difference
    before = [a.work for a, _ in pairs]
    for a, b in pairs:
        if isinstance(a.work, ConditionalWork):  # the graphs stay the executable graph's own
            a.work = ConditionalWork(expect(b.work, ConditionalWork).condition, a.work.type, a.work.bodies)
        else:
            a.work = b.work
    try:
        found.prepare()
    except MemoryError:
        for (a, _), work in zip(pairs, before, strict=True):
            a.work = work
        raise
    if old is found.graph:
        found.hold(new.memories)
    found.retired += swap_objects(old, new)
    found.release_retired()
    return 0, None, None


def swap_objects(old: Graph, new: Graph) -> list[tuple[Any, int]]:
    """Let `old` refer to the user objects of `new`, and return those that it referred to."""
    retired = list(old.objects.items())
    for thing, count in new.objects.items():
        thing.retain(count)
    old.objects = dict(new.objects)
    for a, b in zip(old.nodes, new.nodes, strict=True):
        for one, other in zip(a.work.graphs(), b.work.graphs(), strict=True):
            retired += swap_objects(one, other)
    return retired


def _failed(name: str, difference: Difference) -> CudaError:
    result, node, _ = difference
    which = f" at node {node.id}" if node is not None else ""
    return CudaError(
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, f"{name}: the graphs differ{which} (CUgraphExecUpdateResult {result})"
    )


def cuGraphExecUpdate(hGraphExec: int, hGraph: int, resultInfo: int) -> None:
    name = "cuGraphExecUpdate"
    found, new, info = execs.find(hGraphExec), graphs.find(hGraph), view(name, CUgraphExecUpdateResultInfo, resultInfo)
    difference = update(name, found, found.graph, new)
    result, node, first = difference
    info.result = result
    info.errorNode, info.errorFromNode = (each.handle if each is not None else 0 for each in (node, first))
    if result:
        raise _failed(name, difference)


def cuGraphExecUpdate_v1(hGraphExec: int, hGraph: int) -> tuple[int, int]:
    """Update as `cuGraphExecUpdate`; a failure's reason is only in the log."""
    found = execs.find(hGraphExec)
    difference = update("cuGraphExecUpdate", found, found.graph, graphs.find(hGraph))
    if difference[0]:
        raise _failed("cuGraphExecUpdate", difference)
    return 0, 0
