# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Recapture (cuStreamBeginRecaptureToGraph): capture into an existing graph, whose nodes must match in order."""

from __future__ import annotations

import ctypes
from ctypes import addressof, sizeof
from typing import Any

from cuda.cpu.abi import (
    CU_GRAPH_NODE_TYPE_KERNEL,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    CU_GRAPH_NODE_TYPE_MEM_FREE,
    CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE,
    CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE,
    CUDA_ERROR_GRAPH_RECAPTURE_FAILURE,
    CUgraphNodeParams,
    CUstreamBatchMemOpParams,
)
from cuda.cpu.driver.graph import graph_node
from cuda.cpu.driver.graph.capture import Capture, begin
from cuda.cpu.driver.graph.graph import Graph, Node, graphs
from cuda.cpu.driver.graph.graph_memory import MemoryWork
from cuda.cpu.driver.graph.graph_work import EventWork, Work, expect
from cuda.cpu.driver.stream import stream as streams

# CUgraphRecaptureCallback
Callback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int
)


class Recapture(Capture):
    """A capture whose nodes are there already; what they do is replaced."""

    def __init__(self, origin: streams.Stream, mode: int, graph: Graph, callback: int, data: int) -> None:
        held, graph.objects = graph.objects, {}
        for thing, count in held.items():
            thing.release(count)
        self.left = list(graph.nodes)
        self.callback = Callback(callback) if callback else None
        self.data = data
        super().__init__(origin, mode, graph, [], own=False)

    def _next(self, stream: streams.Stream, kind: int) -> Node:
        """Return the node that comes next, which must be of this kind and behind the same nodes."""
        self.check()
        if not self.left:
            self.fail(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, "the graph has no further node for what is captured")
        node = self.left.pop(0)
        if node.work.kind != kind or set(node.before) != set(self.at[stream]):
            self.fail(
                CUDA_ERROR_GRAPH_RECAPTURE_FAILURE,
                f"node {node.id} of the graph has CUgraphNodeType {node.work.kind} and {len(node.before)} nodes before "
                f"it; type {kind} behind {len(self.at[stream])} was captured, or other nodes",
            )
        self.at[stream] = [(node, bytes(8))]
        return node

    def add(self, stream: streams.Stream, work: Work) -> Node:
        node = self._next(stream, work.kind)
        if not same(node.work, work):
            self._call_back(node, work)
            graph_node.replace(node, work)
        return node

    def write(self, work: Work) -> Any:
        """Return what a node does as the callback gets it."""
        made = CUgraphNodeParams()
        graph_node.write_params(work, addressof(made))
        return made

    def _call_back(self, node: Node, work: Work) -> None:
        if self.callback is None:
            return
        moved = work.kind == CU_GRAPH_NODE_TYPE_KERNEL and work.context is not node.work.context
        status = CU_GRAPH_RECAPTURE_INELIGIBLE_FOR_UPDATE if moved else CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE
        before, after = self.write(node.work), self.write(work)
        answer = self.callback(self.data, node.handle, addressof(before), addressof(after), status)
        if answer:
            text = f"the callback answered {answer} to the change of node {node.id}"
            self.fail(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, text)

    def allocate(self, stream: streams.Stream, size: int) -> int:
        node = self._next(stream, CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        record = expect(node.work, MemoryWork).memory.record
        if record.size != size:
            text = f"node {node.id} allocates {record.size} bytes, {size} were captured"
            self.fail(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, text)
        return record.start

    def free(self, stream: streams.Stream, pointer: int) -> None:
        node = self._next(stream, CU_GRAPH_NODE_TYPE_MEM_FREE)
        start = expect(node.work, MemoryWork).memory.record.start
        if start != pointer:
            text = f"node {node.id} frees 0x{start:x}, 0x{pointer:x} was captured"
            self.fail(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, text)

    def complete(self) -> None:
        if self.left:
            text = f"{len(self.left)} nodes of the graph were not captured again, node {self.left[0].id} is the first"
            self.fail(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE, text)


def same(one: Any, other: Any) -> bool:
    """Return whether two works of a kind do the same with the same parameters."""
    if one.kind == CU_GRAPH_NODE_TYPE_KERNEL:
        return _launch(one) == _launch(other)
    if isinstance(one, EventWork):
        return one.event is other.event
    if one.graphs():
        return False
    if isinstance(one.keep, ctypes.Array) and one.keep._type_ is CUstreamBatchMemOpParams:
        return bytes(one.keep) == bytes(other.keep)
    return one.params is other.params or bytes(one.params) == bytes(other.params)


def _launch(work: Any) -> tuple[Any, ...]:
    given, (buffer, _) = work.params, work.keep
    shape = (given.gridDimX, given.gridDimY, given.gridDimZ, given.blockDimX, given.blockDimY, given.blockDimZ)
    rest = given.sharedMemBytes, work.cluster, work.cooperative
    return (work.function, *shape, *rest, ctypes.string_at(addressof(buffer), sizeof(buffer)))


def cuStreamBeginRecaptureToGraph(hStream: int, mode: int, hGraph: int, callbackFunc: int, userData: int) -> None:
    to = graphs.find(hGraph)
    begin(
        "cuStreamBeginRecaptureToGraph",
        hStream,
        mode,
        lambda stream: Recapture(stream, mode, to, callbackFunc, userData),
    )
