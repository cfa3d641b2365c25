# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs: nodes and the edges between them."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from typing import Any

from cuda.cpu.abi import (
    CU_GRAPH_NODE_TYPE_CONDITIONAL,
    CU_GRAPH_NODE_TYPE_EMPTY,
    CU_GRAPH_NODE_TYPE_GRAPH,
    CU_GRAPH_NODE_TYPE_HOST,
    CU_GRAPH_NODE_TYPE_KERNEL,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    CU_GRAPH_NODE_TYPE_MEM_FREE,
    CU_GRAPH_NODE_TYPE_MEMCPY,
    CU_GRAPH_NODE_TYPE_MEMSET,
    CUDA_ERROR_LOSSY_QUERY,
    CUDA_ERROR_NOT_SUPPORTED,
    CUgraphEdgeData,
)
from cuda.cpu.driver.base import once
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.graph import graph_update
from cuda.cpu.driver.graph.graph_work import Work

graphs = Table("graph")
nodes = Table("graph node")
_ids = itertools.count(1)

PLAIN = bytes(8)  # a CUgraphEdgeData of zeros: all of the node before, then all of this one
MEMORY = (CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE)
IN_BODIES = (
    CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET,
    CU_GRAPH_NODE_TYPE_EMPTY, CU_GRAPH_NODE_TYPE_GRAPH, CU_GRAPH_NODE_TYPE_CONDITIONAL,
    CU_GRAPH_NODE_TYPE_HOST,  # the documentation does not list it, NVIDIA's driver takes it
)  # fmt: skip


class Node:
    def __init__(self, graph: Graph, work: Work, original: Node | None = None) -> None:
        self.graph = graph
        self.work = work
        self.original = original or self  # the node of which this is a clone, or the clone of one
        self.before: dict[tuple[Node, bytes], None] = {}  # in the order in which they were added
        self.after: dict[tuple[Node, bytes], None] = {}
        self.id = next(graph.node_ids)
        self.handle = nodes.add(self)


class Graph:
    def __init__(self, parent: Node | None = None) -> None:
        self.nodes: dict[Node, None] = {}
        self.parent = parent  # the node that the graph belongs to
        self.memories: list[Any] = []  # allocated by its nodes
        self.conditions: dict[int, Any] = {}  # by handle; of the graph that no node has
        self.objects: dict[Any, int] = {}  # user objects, and how many references of each are the graph's
        self.node_ids = itertools.count()
        self.id = next(_ids)
        self.handle = graphs.add(self)

    def root(self) -> Graph:
        """Return the graph that this one is within, through however many nodes."""
        return self.parent.graph.root() if self.parent is not None else self

    def check_node(self, work: Work) -> None:
        """Refuse what the body of a conditional node cannot hold."""
        outer = self.parent
        while outer is not None and outer.work.kind != CU_GRAPH_NODE_TYPE_CONDITIONAL:
            outer = outer.graph.parent
        if outer is not None and work.kind not in IN_BODIES:
            raise CudaError(
                CUDA_ERROR_NOT_SUPPORTED,
                f"a node of CUgraphNodeType {work.kind} cannot be in the body of a conditional node, which holds "
                "kernels, copies, fills, host functions, empty nodes, child graphs and conditional nodes",
            )
        for inner in work.graphs():
            for node in inner.nodes:
                self.check_node(node.work)

    @once.alone
    def add(self, work: Work, before: Sequence[tuple[Node, bytes]] = ()) -> Node:
        self.check_node(work)
        node = Node(self, work)
        for inner in work.graphs():
            inner.parent = node
        self.nodes[node] = None
        for first, data in before:
            connect(first, node, data)
        return node

    def in_order(self) -> list[Node]:
        """Return the nodes, each behind those that it depends on, else in the order in which they were added."""
        missing = {node: len(node.before) for node in self.nodes}
        found = [node for node, count in missing.items() if not count]
        for node in found:
            for behind, _ in node.after:
                missing[behind] -= 1
                if not missing[behind]:
                    found.append(behind)
        return found

    def refers(self) -> bool:
        """Return whether the graph, or one within it, has references to user objects."""
        return bool(self.objects) or any(inner.refers() for node in self.nodes for inner in node.work.graphs())

    def clone(self) -> Graph:
        if any(node.work.kind in (*MEMORY, CU_GRAPH_NODE_TYPE_CONDITIONAL) for node in self.nodes):
            raise CudaError(CUDA_ERROR_NOT_SUPPORTED, "a graph with conditional or memory nodes cannot be cloned")
        graph_update.check_not_updatable("a clone of a graph", *graph_update.updatable(self))
        return self.snapshot()

    @once.alone
    def snapshot(self, parent: Node | None = None) -> Graph:
        """Return a copy; nodes of graphs within it are copied too, work is shared."""
        copy, clones = Graph(parent), {}
        for node in self.nodes:
            clone = clones[node] = Node(copy, node.work, node)
            clone.work = node.work.snapshot(clone)
            copy.nodes[clone] = None
        for node, clone in clones.items():
            for first, data in node.before:
                connect(clones[first], clone, data)
        for thing, count in self.objects.items():
            thing.retain(count)
            copy.objects[thing] = count
        return copy

    def close(self) -> None:
        graphs.pop(self.handle, None)
        for node in self.nodes:
            nodes.pop(node.handle, None)
            for inner in node.work.graphs():
                inner.close()
        for memory in self.memories:
            memory.leave(self)
        held, self.objects = self.objects, {}
        for thing, count in held.items():
            thing.release(count)


def connect(first: Node, then: Node, data: bytes) -> None:
    first.after[then, data] = None
    then.before[first, data] = None


def disconnect(first: Node, then: Node, data: bytes) -> None:
    del first.after[then, data], then.before[first, data]


def ancestors(of: Sequence[Node]) -> set[Node]:
    """Return the nodes that come before those given, and these."""
    found, left = set(of), list(of)
    while left:
        for node, _ in left.pop().before:
            if node not in found:
                found.add(node)
                left.append(node)
    return found


def read_edge(name: str, ptr: int) -> bytes:
    """Return the checked CUgraphEdgeData at `ptr`, or a plain one (0)."""
    if not ptr:
        return PLAIN
    given = CUgraphEdgeData.from_address(ptr)
    if given.type > 1 or any(given.reserved):
        raise invalid(f"{name}: edge type {given.type} is no CUgraphDependencyType, or reserved bytes are not 0")
    return bytes(given)


def read_nodes(name: str, graph: Graph | None, handles: int, data: int, count: int) -> list[tuple[Node, bytes]]:
    """Return the nodes of an array, all of them in `graph`, with the edge data of another (NULL: plain)."""
    if count and not handles:
        raise invalid(f"{name}: the array of {count} nodes is NULL")
    found = []
    for i in range(count):
        node = nodes.find(ctypes.c_uint64.from_address(handles + 8 * i).value)
        if graph is not None and node.graph is not graph:
            raise invalid(f"{name}: node {i} is of another graph")
        found.append((node, read_edge(name, data + 8 * i if data else 0)))
    return found


def read_dependencies(name: str, graph: Graph, handles: int, data: int, count: int) -> list[tuple[Node, bytes]]:
    found = read_nodes(name, graph, handles, data, count)
    if len(set(found)) < count:
        raise invalid(f"{name}: a node is twice among the dependencies")
    return found


def cuGraphCreate(flags: int) -> int:
    devices.check_started()
    if flags:
        raise invalid(f"cuGraphCreate: flags is {flags}, must be 0")
    return Graph().handle


@once.alone
def cuGraphDestroy(hGraph: int) -> None:
    graph = graphs.find(hGraph)
    if graph.parent is not None:
        raise invalid("cuGraphDestroy: the graph belongs to a node")
    graph.close()


@once.alone
def cuGraphClone(originalGraph: int) -> int:
    return graphs.find(originalGraph).clone().handle


def cuGraphGetId(hGraph: int) -> int:
    return graphs.find(hGraph).id


@once.alone
def cuGraphNodeFindInClone(hOriginalNode: int, hClonedGraph: int) -> int:
    node, graph = nodes.find(hOriginalNode), graphs.find(hClonedGraph)
    for clone in graph.nodes:
        if clone.original is node:
            return clone.handle
    raise invalid("cuGraphNodeFindInClone: the graph is no clone of the node's graph, or the node was removed from it")


def cuGraphNodeGetType(hNode: int) -> int:
    return nodes.find(hNode).work.kind


def cuGraphNodeGetContainingGraph(hNode: int) -> int:
    return nodes.find(hNode).graph.handle


def cuGraphNodeGetLocalId(hNode: int) -> int:
    return nodes.find(hNode).id


def cuGraphNodeGetToolsId(hNode: int) -> int:
    node = nodes.find(hNode)
    return node.graph.id << 32 | node.id


def _give(name: str, count_place: int, columns: Sequence[tuple[int, Sequence[Any]]]) -> None:
    """Fill a caller's arrays (NULL: not wanted) and its count; with no array at all only count."""
    if not count_place:
        raise invalid(f"{name}: the number is NULL")
    number = ctypes.c_size_t.from_address(count_place)
    length = len(columns[0][1])
    wanted = any(out_ptr for out_ptr, _ in columns)
    if wanted:
        room = number.value
        for out_ptr, values in columns:
            for i in range(room if out_ptr else 0):
                value = values[i] if i < length else 0
                if isinstance(value, bytes):
                    ctypes.memmove(out_ptr + 8 * i, value, 8)
                else:
                    ctypes.c_uint64.from_address(out_ptr + 8 * i).value = value
        length = min(length, room)
    number.value = length


@once.alone
def cuGraphGetNodes(hGraph: int, nodes: int, numNodes: int) -> None:
    _give("cuGraphGetNodes", numNodes, [(nodes, [node.handle for node in graphs.find(hGraph).nodes])])


@once.alone
def cuGraphGetRootNodes(hGraph: int, rootNodes: int, numRootNodes: int) -> None:
    roots = [node.handle for node in graphs.find(hGraph).nodes if not node.before]
    _give("cuGraphGetRootNodes", numRootNodes, [(rootNodes, roots)])


@once.alone
def cuGraphGetEdges(hGraph: int, from_: int, to: int, edgeData: int, numEdges: int) -> None:
    edges = [(a.handle, b.handle, edge) for b in graphs.find(hGraph).nodes for a, edge in b.before]
    _give_edges("cuGraphGetEdges", edges, (from_, to), edgeData, numEdges)


def _give_edges(name: str, edges: list[tuple[Any, ...]], out_ptrs: tuple[int, ...], data: int, count: int) -> None:
    """Fill columns of handles and the last one of edge data, which must not be lost without `data`."""
    if any(out_ptrs) and not data and any(edge[-1] != PLAIN for edge in edges):
        raise CudaError(CUDA_ERROR_LOSSY_QUERY, f"{name}: edges have data, for which there is no array")
    _give(name, count, [(out_ptr, [edge[i] for edge in edges]) for i, out_ptr in enumerate((*out_ptrs, data))])


def cuGraphGetEdges_v1(hGraph: int, from_: int, to: int, numEdges: int) -> None:
    cuGraphGetEdges(hGraph, from_, to, 0, numEdges)


def _neighbours(name: str, found: Any, out_ptr: int, data: int, count: int) -> None:
    _give_edges(name, [(node.handle, edge) for node, edge in found], (out_ptr,), data, count)


@once.alone
def cuGraphNodeGetDependencies(hNode: int, dependencies: int, edgeData: int, numDependencies: int) -> None:
    _neighbours("cuGraphNodeGetDependencies", nodes.find(hNode).before, dependencies, edgeData, numDependencies)


def cuGraphNodeGetDependencies_v1(hNode: int, dependencies: int, numDependencies: int) -> None:
    cuGraphNodeGetDependencies(hNode, dependencies, 0, numDependencies)


@once.alone
def cuGraphNodeGetDependentNodes(hNode: int, dependentNodes: int, edgeData: int, numDependentNodes: int) -> None:
    _neighbours("cuGraphNodeGetDependentNodes", nodes.find(hNode).after, dependentNodes, edgeData, numDependentNodes)


def cuGraphNodeGetDependentNodes_v1(hNode: int, dependentNodes: int, numDependentNodes: int) -> None:
    cuGraphNodeGetDependentNodes(hNode, dependentNodes, 0, numDependentNodes)


def _pairs(name: str, handle: int, first: int, then: int, data: int, count: int) -> list[tuple[Node, Node, bytes]]:
    graph = graphs.find(handle)
    ends = read_nodes(name, graph, then, data, count)
    return [(a, b, edge) for (a, _), (b, edge) in zip(read_nodes(name, graph, first, 0, count), ends, strict=True)]


@once.alone
def cuGraphAddDependencies(hGraph: int, from_: int, to: int, edgeData: int, numDependencies: int) -> None:
    """Add edges, all or none of them."""
    name, added = "cuGraphAddDependencies", []
    try:
        for a, b, edge in _pairs(name, hGraph, from_, to, edgeData, numDependencies):
            if (a, edge) in b.before:
                raise invalid(f"{name}: node {b.id} depends on node {a.id} already")
            if b in ancestors([a]):
                raise invalid(f"{name}: an edge from node {a.id} to node {b.id} makes a cycle")
            connect(a, b, edge)
            added.append((a, b, edge))
    except CudaError:
        for pair in added:
            disconnect(*pair)
        raise


def cuGraphAddDependencies_v1(hGraph: int, from_: int, to: int, numDependencies: int) -> None:
    cuGraphAddDependencies(hGraph, from_, to, 0, numDependencies)


def _check_removable(name: str, graph: Graph) -> None:
    if any(node.work.kind in MEMORY for node in list(graph.nodes)):
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: nothing can be removed from a graph with memory nodes")


@once.alone
def cuGraphRemoveDependencies(hGraph: int, from_: int, to: int, edgeData: int, numDependencies: int) -> None:
    """Remove edges, all or none of them."""
    name = "cuGraphRemoveDependencies"
    _check_removable(name, graphs.find(hGraph))
    pairs = _pairs(name, hGraph, from_, to, edgeData, numDependencies)
    for a, b, edge in pairs:
        if (a, edge) not in b.before:
            raise invalid(f"{name}: there is no such edge from node {a.id} to node {b.id}")
    if len(set(pairs)) < len(pairs):
        raise invalid(f"{name}: an edge is given twice")
    for pair in pairs:
        disconnect(*pair)


def cuGraphRemoveDependencies_v1(hGraph: int, from_: int, to: int, numDependencies: int) -> None:
    cuGraphRemoveDependencies(hGraph, from_, to, 0, numDependencies)


@once.alone
def cuGraphDestroyNode(hNode: int) -> None:
    node = nodes.find(hNode)
    _check_removable("cuGraphDestroyNode", node.graph)
    graph_update.check_not_updatable("cuGraphDestroyNode", node.work)
    nodes.take(hNode)
    for first, edge in list(node.before):
        disconnect(first, node, edge)
    for then, edge in list(node.after):
        disconnect(node, then, edge)
    node.graph.nodes.pop(node, None)
    for inner in node.work.graphs():
        inner.close()


def forget_after_fork() -> None:
    graphs.clear()
    nodes.clear()
