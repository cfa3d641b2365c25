# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Executable graphs: a copy of a graph whose work is put on a stream's queue in one order that obeys all edges."""

from __future__ import annotations

from typing import Any

from cuda.cpu.abi import (
    CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED,
    CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
    CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
    CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE,
    CU_GRAPH_NODE_TYPE_EVENT_RECORD,
    CU_GRAPH_NODE_TYPE_KERNEL,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    CU_GRAPH_NODE_TYPE_MEMCPY,
    CU_GRAPH_NODE_TYPE_MEMSET,
    CU_GRAPH_NODE_TYPE_WAIT_EVENT,
    CUDA_BATCH_MEM_OP_NODE_PARAMS,
    CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH,
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH,
    CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD,
    CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
    CUDA_GRAPH_INSTANTIATE_PARAMS,
    CUDA_HOST_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS,
    CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS_v1,
    CUgraphExecUpdateResultInfo,
)
from cuda.cpu.driver import context, graph_node, graph_work, stream, wait
from cuda.cpu.driver.error import CudaError, invalid
from cuda.cpu.driver.graph import MEMORY, Graph, Node, graphs, nodes
from cuda.cpu.driver.graph_work import ChildWork, Work, view
from cuda.cpu.driver.handle import Table
from cuda.cpu.runtime import _runtime

execs = Table("executable graph")

FLAGS = (
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH
    | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
    | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY
)
SWITCHED = (CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_MEMCPY)


class GraphExec:
    def __init__(self, graph: Graph, flags: int) -> None:
        if any(memory.exec is not None for memory in graph.memories):
            raise CudaError(CUDA_ERROR_NOT_SUPPORTED, "a graph with memory nodes is instantiated already")
        self.flags = flags
        self.graph = graph.snapshot()
        self.twins: dict[Node, Node] = {}
        self._pair(self.graph)
        self.off: set[Node] = set()
        self.memories = list(graph.memories)
        for memory in self.memories:
            memory.exec = self
            memory.holders.add(self)
        self.done = _runtime.Event()
        self.context: Any = None  # of the latest launch
        self.prepare()
        self.handle = execs.add(self)

    def _pair(self, graph: Graph) -> None:
        for twin in graph.nodes:
            self.twins[twin.original] = twin
            if isinstance(twin.work, ChildWork):
                self._pair(twin.work.graph)

    def prepare(self) -> None:
        """Put all work in order, once for many launches."""
        self.steps: list[Work] = []
        self._collect(self.graph)

    def _collect(self, graph: Graph) -> None:
        for node in graph.in_order():
            if isinstance(node.work, ChildWork):
                self._collect(node.work.graph)
            elif node not in self.off:
                self.steps.append(node.work)

    def node(self, name: str, handle: int, *kinds: int) -> Node:
        """Return the executable graph's own node for one of the graph that it was made from."""
        found = self.twins.get(nodes.find(handle))
        if found is None:
            raise invalid(f"{name}: the executable graph was not made from the graph of this node")
        if kinds and found.work.kind not in kinds:
            raise invalid(f"{name}: the node's CUgraphNodeType is {found.work.kind}, must be one of {kinds}")
        return found

    def set(self, node: Node, work: Work) -> None:
        graph_node.replace(node, work)
        self.prepare()

    def launch(self, line: stream.Stream) -> None:
        if not self.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH:
            for work in self.steps:
                if work.kind == CU_GRAPH_NODE_TYPE_MEM_ALLOC and work.memory.live:
                    raise invalid("cuGraphLaunch: memory that an earlier launch allocated has not been freed")
        queue = line.ready()
        if not self.done.is_done():  # launches of one executable graph do not overlap
            queue.wait_event(self.done)
        for work in self.steps:
            work.run(line, queue)
        queue.record(self.done)
        self.context = line.context

    def close(self) -> None:
        execs.pop(self.handle, None)
        if self.graph.objects and not self.done.is_done():  # what runs may use them
            wait.until(self.context, self.done.wait)
        self.graph.close()
        for memory in self.memories:
            memory.exec = None
            memory.leave(self)


def _instantiate(name: str, handle: int, flags: int) -> GraphExec:
    graph = graphs.find(handle)
    if flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH:
        raise CudaError(CUDA_ERROR_NOT_SUPPORTED, f"{name}: kernels of the CPU device cannot launch graphs")
    if flags & ~FLAGS:
        raise invalid(f"{name}: flags 0x{flags:x} are not a combination of CUgraphInstantiate_flags")
    return GraphExec(graph, flags)


def cuGraphInstantiate(handle: int, flags: int) -> int:
    return _instantiate("cuGraphInstantiate", handle, flags).handle


def cuGraphInstantiateWithParams(handle: int, place: int) -> int:
    name = "cuGraphInstantiateWithParams"
    given = view(name, CUDA_GRAPH_INSTANTIATE_PARAMS, place)
    given.hErrNode_out, given.result_out = 0, 1  # CUDA_GRAPH_INSTANTIATE_ERROR, unless it succeeds
    made = _instantiate(name, handle, given.flags)
    given.result_out = 0
    return made.handle


def cuGraphInstantiate_v1(handle: int, log: int, size: int) -> tuple[int, int]:
    return _instantiate("cuGraphInstantiate", handle, 0).handle, 0


cuGraphInstantiate_v2 = cuGraphInstantiate_v1


def cuGraphExecDestroy(handle: int) -> None:
    execs.find(handle).close()


def cuGraphExecGetFlags(handle: int) -> int:
    return execs.find(handle).flags


def cuGraphExecGetId(handle: int) -> int:
    return execs.find(handle).graph.id


def cuGraphUpload(handle: int, where: int) -> None:
    """Check the request; an executable graph is ready for launch from the beginning."""
    execs.find(handle), stream.find(where).ready()


def cuGraphLaunch(handle: int, where: int) -> None:
    found, line = execs.find(handle), stream.find(where)
    if line.capture is not None:
        line.capture.add(line, ChildWork(found.graph.clone()))
    else:
        found.launch(line)


def cuGraphNodeSetEnabled(handle: int, node_handle: int, enabled: int) -> None:
    """Turn a kernel, a copy or a fill into nothing, or back."""
    found = execs.find(handle)
    node = found.node("cuGraphNodeSetEnabled", node_handle, *SWITCHED)
    (found.off.discard if enabled else found.off.add)(node)
    found.prepare()


def cuGraphNodeGetEnabled(handle: int, node_handle: int) -> int:
    found = execs.find(handle)
    return int(found.node("cuGraphNodeGetEnabled", node_handle, *SWITCHED) not in found.off)


def _set_kernel(handle: int, node_handle: int, place: int, structure: Any) -> None:
    name = "cuGraphExecKernelNodeSetParams"
    found = execs.find(handle)
    node = found.node(name, node_handle, CU_GRAPH_NODE_TYPE_KERNEL)
    work = graph_work.kernel_from(name, view(name, structure, place))
    if work.context is not node.work.context:
        raise invalid(f"{name}: the new kernel is of another context than the node's")
    found.set(node, work)


def cuGraphExecKernelNodeSetParams(handle: int, node_handle: int, place: int) -> None:
    _set_kernel(handle, node_handle, place, CUDA_KERNEL_NODE_PARAMS)


def cuGraphExecKernelNodeSetParams_v1(handle: int, node_handle: int, place: int) -> None:
    _set_kernel(handle, node_handle, place, CUDA_KERNEL_NODE_PARAMS_v1)


def cuGraphExecMemcpyNodeSetParams(handle: int, node_handle: int, place: int, owner: int) -> None:
    name = "cuGraphExecMemcpyNodeSetParams"
    found = execs.find(handle)
    node = found.node(name, node_handle, CU_GRAPH_NODE_TYPE_MEMCPY)
    found.set(node, graph_work.memcpy_from(name, view(name, CUDA_MEMCPY3D, place), context.find(owner)))


def cuGraphExecMemsetNodeSetParams(handle: int, node_handle: int, place: int, owner: int) -> None:
    name = "cuGraphExecMemsetNodeSetParams"
    found = execs.find(handle)
    node = found.node(name, node_handle, CU_GRAPH_NODE_TYPE_MEMSET)
    found.set(node, graph_work.memset_from(name, view(name, CUDA_MEMSET_NODE_PARAMS, place), context.find(owner)))


def cuGraphExecHostNodeSetParams(handle: int, node_handle: int, place: int) -> None:
    name = "cuGraphExecHostNodeSetParams"
    found = execs.find(handle)
    node = found.node(name, node_handle, graph_node.CU_GRAPH_NODE_TYPE_HOST)
    found.set(node, graph_work.host_from(name, view(name, CUDA_HOST_NODE_PARAMS, place)))


def cuGraphExecBatchMemOpNodeSetParams(handle: int, node_handle: int, place: int) -> None:
    name = "cuGraphExecBatchMemOpNodeSetParams"
    found = execs.find(handle)
    node = found.node(name, node_handle, graph_node.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
    found.set(node, graph_work.batch_from(name, view(name, CUDA_BATCH_MEM_OP_NODE_PARAMS, place)))


def cuGraphExecEventRecordNodeSetEvent(handle: int, node_handle: int, event: int) -> None:
    found = execs.find(handle)
    node = found.node("cuGraphExecEventRecordNodeSetEvent", node_handle, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
    found.set(node, graph_work.record_event(event))


def cuGraphExecEventWaitNodeSetEvent(handle: int, node_handle: int, event: int) -> None:
    found = execs.find(handle)
    node = found.node("cuGraphExecEventWaitNodeSetEvent", node_handle, CU_GRAPH_NODE_TYPE_WAIT_EVENT)
    found.set(node, graph_work.wait_event(event))


def cuGraphExecNodeSetParams(handle: int, node_handle: int, place: int) -> None:
    found = execs.find(handle)
    node = found.node("cuGraphExecNodeSetParams", node_handle)
    found.set(node, graph_node.changed("cuGraphExecNodeSetParams", node, place))


Difference = tuple[int, Node | None, Node | None]  # CUgraphExecUpdateResult, the new node, the one it depends on


def compare(old: Graph, new: Graph) -> tuple[Difference | None, list[tuple[Node, Node]]]:
    """Return in what two graphs differ beyond parameters, or the pairs of nodes: they correspond in their order."""
    pairs = list(zip(old.nodes, new.nodes, strict=False))
    if len(old.nodes) != len(new.nodes):
        return (CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, None, None), []
    twin = {b: a for a, b in pairs}
    found = []
    for a, b in pairs:
        if a.work.kind != b.work.kind:
            return (CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, b, None), []
        for first, data in b.before:
            if (twin[first], data) not in a.before:
                return (CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b, first), []
        if len(a.before) != len(b.before):
            return (CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, b, None), []
        if a.work.kind == CU_GRAPH_NODE_TYPE_KERNEL and a.work.context is not b.work.context:
            return (CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE, b, None), []
        if a.work.kind in MEMORY and a.work is not b.work:
            return (CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, b, None), []
        if isinstance(a.work, ChildWork):
            difference, inner = compare(a.work.graph, b.work.graph)
            if difference is not None:
                return difference, []
            found += inner
        else:
            found.append((a, b))
    return None, found


def update(name: str, found: GraphExec, old: Graph, new: Graph) -> Difference:
    """Take over what the nodes of `new` do, all of it or nothing."""
    difference, pairs = compare(old, new)
    if difference is not None:
        return difference
    for a, b in pairs:
        a.work = b.work
    found.prepare()
    return 0, None, None


def _failed(name: str, difference: Difference) -> CudaError:
    result, node, _ = difference
    which = f" at node {node.id}" if node is not None else ""
    return CudaError(
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, f"{name}: the graphs differ{which} (CUgraphExecUpdateResult {result})"
    )


def cuGraphExecUpdate(handle: int, graph: int, place: int) -> None:
    name = "cuGraphExecUpdate"
    found, new, info = execs.find(handle), graphs.find(graph), view(name, CUgraphExecUpdateResultInfo, place)
    difference = update(name, found, found.graph, new)
    result, node, first = difference
    info.result = result
    info.errorNode, info.errorFromNode = (each.handle if each is not None else 0 for each in (node, first))
    if result:
        raise _failed(name, difference)


def cuGraphExecUpdate_v1(handle: int, graph: int) -> tuple[int, int]:
    """Update as `cuGraphExecUpdate`; a failure's reason is only in the log."""
    found = execs.find(handle)
    difference = update("cuGraphExecUpdate", found, found.graph, graphs.find(graph))
    if difference[0]:
        raise _failed("cuGraphExecUpdate", difference)
    return 0, 0


def cuGraphExecChildGraphNodeSetParams(handle: int, node_handle: int, graph: int) -> None:
    name = "cuGraphExecChildGraphNodeSetParams"
    found = execs.find(handle)
    node = found.node(name, node_handle, graph_node.CU_GRAPH_NODE_TYPE_GRAPH)
    difference = update(name, found, node.work.graph, graphs.find(graph))
    if difference[0]:
        raise invalid(f"{name}: the graph has not the topology of the node's (CUgraphExecUpdateResult {difference[0]})")


def forget_after_fork() -> None:
    execs.clear()
