# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Executable graphs (CUgraphExec): instantiation, launch, update, and setting of node parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cuda.cpu.abi import (
    CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
    CU_GRAPH_NODE_TYPE_CONDITIONAL,
    CU_GRAPH_NODE_TYPE_EMPTY,
    CU_GRAPH_NODE_TYPE_GRAPH,
    CU_GRAPH_NODE_TYPE_HOST,
    CU_GRAPH_NODE_TYPE_KERNEL,
    CU_GRAPH_NODE_TYPE_MEM_ALLOC,
    CU_GRAPH_NODE_TYPE_MEMCPY,
    CU_GRAPH_NODE_TYPE_MEMSET,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED,
    CUDA_GRAPH_INSTANTIATE_ERROR,
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH,
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH,
    CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD,
    CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
    CUDA_GRAPH_INSTANTIATE_PARAMS,
    CUDA_GRAPH_INSTANTIATE_SUCCESS,
)
from cuda.cpu.check import state
from cuda.cpu.driver.base import capture_state
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import wait
from cuda.cpu.driver.graph import graph_condition, graph_limits, graph_node, graph_plan, graph_update
from cuda.cpu.driver.graph.graph import Graph, Node, graphs, nodes
from cuda.cpu.driver.graph.graph_condition import ConditionalWork
from cuda.cpu.driver.graph.graph_memory import MemoryWork
from cuda.cpu.driver.graph.graph_work import EventWork, KernelWork, Work, view
from cuda.cpu.driver.stream import stream as streams
from cuda.cpu.runtime import _runtime

execs = Table("executable graph")
_updated: set[int] = set()  # nodes that kernels update, of all executable graphs

FLAGS = (
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH
    | CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
    | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
    | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY
)
SWITCHED = (CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_MEMCPY)


# What a graph that kernels launch can hold.
ON_DEVICE = (
    CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_EMPTY,
    CU_GRAPH_NODE_TYPE_GRAPH, CU_GRAPH_NODE_TYPE_CONDITIONAL,
)  # fmt: skip

Stage = tuple[list[Work], Any]  # what the host does at each launch; the sequence that runs then, None: no more


class GraphExec:
    def __init__(self, graph: Graph, flags: int) -> None:
        if graph.memories and any(memory.exec is not None for memory in graph.memories):
            raise CudaError(CUDA_ERROR_NOT_SUPPORTED, "a graph with memory nodes is instantiated already")
        self.conditions = graph_condition.conditions_of(graph)
        if any(condition.exec is not None for condition in self.conditions):
            raise CudaError(CUDA_ERROR_NOT_SUPPORTED, "a graph with conditional nodes is instantiated already")
        self.device_nodes = [work.device_node for work in graph_update.updatable(graph)]
        if _updated.intersection(self.device_nodes):
            raise CudaError(CUDA_ERROR_NOT_SUPPORTED, "a graph with nodes that kernels update is instantiated already")
        self.flags = flags
        self.on_device = bool(flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
        self.graph = graph.snapshot()
        self.clones: dict[Node, Node] = {}
        self._pair(self.graph)
        self.off: set[Node] = set()
        for condition in self.conditions:
            condition.exec = self
        self.memories: list[Any] = []
        self.hold(graph.memories)
        self.retired: list[tuple[Any, int]] = []  # user objects of graphs that updates replaced: launches may use them
        self.context: Any = None  # of the latest launch
        self.steps: list[Stage] = []
        self.modules: set[Any] = set()  # of its kernels
        _updated.update(self.device_nodes)
        self.handle = execs.add(self)
        try:
            self.done = _runtime.Event()
            self.prepare()
        except MemoryError:
            self.forget()
            raise

    def hold(self, memories: list[Any]) -> None:
        """Keep the memory of the graph's nodes, and no other: an update may bring that of other nodes."""
        before, self.memories = self.memories, list(memories)
        for memory in self.memories:
            memory.exec = self
            memory.holders.add(self)
        for memory in before:
            if memory not in self.memories:
                memory.exec = None
                memory.leave(self)

    def _pair(self, graph: Graph) -> None:
        for counterpart in graph.nodes:
            self.clones[counterpart.original] = counterpart
            for inner in counterpart.work.graphs():
                self._pair(inner)

    def prepare(self) -> None:
        """Put all work in order, once for many launches, or leave what was there."""
        before, self.steps, self.modules = (self.steps, self.modules), [], set()
        try:
            self._fill()
        except MemoryError:
            self.steps, self.modules = before
            raise

    def _fill(self) -> None:
        first = _runtime.Sequence()
        for condition in graph_condition.conditions_of(self.graph):
            if condition.default is not None:
                first.write_value(condition.handle, condition.default, 4)
        self.steps.append(([], first))
        planned = graph_plan.steps_of(self.graph, self.off)
        if state.order is not None:
            state.order.nodes.add(planned)
        for steps in graph_plan.segments(planned):
            works: list[Work] = [step.work for step in steps if isinstance(step.work, (EventWork, MemoryWork))]
            if isinstance(steps[0].work, EventWork):  # recorded anew at each launch
                self.steps.append((works, None))
                continue
            if self.steps[-1][1] is None:
                self.steps.append(([], _runtime.Sequence()))
            self.steps[-1][0].extend(works)
            self._collect(self.steps[-1][1], steps)
        if self.on_device:
            first.publish(self.handle)

    def _collect(self, sequence: Any, steps: list[graph_plan.Step]) -> None:
        """Put steps into a sequence: one behind the other, or as parts of which several can run at once."""
        parts = graph_plan.parts(steps)
        if len(parts) == 1:
            for step in steps:
                self._add(step, sequence)
            return
        made = []
        for inner, after in parts:
            made.append((_runtime.Sequence(), after))
            for step in inner:
                self._add(step, made[-1][0])
        if made:
            sequence.branch(made)

    def _add(self, step: graph_plan.Step, sequence: Any) -> None:
        work = step.work
        if state.order is not None:
            sequence.node = state.order.nodes.number_of(step)
        if isinstance(work, ConditionalWork):
            bodies = []
            for graph in work.bodies:
                bodies.append(_runtime.Sequence())
                steps = graph_plan.steps_of(graph, self.off)
                if state.order is not None:
                    state.order.nodes.add(steps, step)
                self._collect(bodies[-1], steps)
            sequence.choose(work.condition.handle, work.type, bodies)
        elif work is not None and not isinstance(work, MemoryWork):
            work.run(None, sequence)
            if isinstance(work, KernelWork):
                self.modules.add(work.function.module)
            if work.device_node:
                sequence.updatable(work.device_node, work.number)

    def node(self, name: str, handle: int, *kinds: int) -> Node:
        """Return the executable graph's own node for one of the graph that it was made from."""
        found = self.clones.get(nodes.find(handle))
        if found is None:
            raise invalid(f"{name}: the executable graph was not made from the graph of this node")
        if kinds and found.work.kind not in kinds:
            raise invalid(f"{name}: the node's CUgraphNodeType is {found.work.kind}, must be one of {kinds}")
        return found

    def set(self, name: str, node: Node, work: Work) -> None:
        graph_limits.check(name, self, node.work, work)
        before = node.work
        graph_node.replace(node, work)
        try:
            self.prepare()
        except MemoryError:
            node.work = before
            raise

    def launch(self, stream: streams.Stream) -> None:
        memories = [work for works, _ in self.steps for work in works if isinstance(work, MemoryWork)]
        if not self.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH and any(
            work.kind == CU_GRAPH_NODE_TYPE_MEM_ALLOC and work.memory.live for work in memories
        ):
            raise invalid("cuGraphLaunch: memory that an earlier launch allocated has not been freed")
        queue = stream.queue_after_waits()
        for module in self.modules:
            if not module.live:  # see launch.submit
                message = "cuGraphLaunch: the module of one of its kernels was unloaded"
                raise CudaError(CUDA_ERROR_INVALID_HANDLE, message)
        if not self.done.is_done() or state.order is not None:  # launches of one executable graph do not overlap
            queue.wait_event(self.done)
        run = _runtime.GraphRun(self.handle if self.on_device else 0)
        parts = [sequence for _, sequence in self.steps if sequence is not None]
        for works, sequence in self.steps:
            for work in works:
                work.run(stream, queue)
            if sequence is not None:
                queue.run(sequence, run, sequence is parts[-1])
        queue.record(self.done)
        if state.order is not None:
            self._note(queue)
        self.context = stream.context

    def _note(self, queue: Any) -> None:
        """Tell racecheck of nodes whose effect on the order of operations is not known."""
        kinds = set(_kinds(self.graph))
        if CU_GRAPH_NODE_TYPE_BATCH_MEM_OP in kinds:
            state.order.waits_for_value(queue)
        if CU_GRAPH_NODE_TYPE_HOST in kinds:
            state.order.host_function(queue)

    def release_retired(self) -> None:
        """Let go of the user objects that an update replaced, once no launch can use them."""
        if self.done.is_done():
            retired, self.retired = self.retired, []
            for thing, count in retired:
                thing.release(count)

    def close(self) -> None:
        if (self.retired or self.graph.refers()) and not self.done.is_done():  # what runs may use them
            wait.until(self.context, self.done.wait)
        self.release_retired()
        self.forget()

    def forget(self) -> None:
        execs.pop(self.handle, None)
        _updated.difference_update(self.device_nodes)
        _runtime.withdraw(self.handle)
        self.graph.close()
        for condition in self.conditions:
            condition.exec = None
        self.hold([])


def _kinds(graph: Graph) -> Iterator[int]:
    """Yield the kinds of all nodes, those of graphs within the graph included."""
    for node in graph.nodes:
        yield node.work.kind
        for inner in node.work.graphs():
            yield from _kinds(inner)


def _instantiate(name: str, handle: int, flags: int) -> GraphExec:
    graph = graphs.find(handle)
    if flags & ~FLAGS:
        raise invalid(f"{name}: flags 0x{flags:x} are not a combination of CUgraphInstantiate_flags")
    if flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH:
        _check_device_launch(name, graph, flags)
    for condition in graph.conditions.values():
        if not condition.used:
            raise invalid(f"{name}: conditional handle 0x{condition.handle:x} of the graph is no node's")
    return GraphExec(graph, flags)


def _check_device_launch(name: str, graph: Graph, flags: int) -> None:
    if flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH:
        raise invalid(f"{name}: a graph for launches by kernels cannot free memory on launch")
    for node in graph.nodes:
        if node.work.kind not in ON_DEVICE:
            raise CudaError(
                CUDA_ERROR_NOT_SUPPORTED,
                f"{name}: node {node.id} is of CUgraphNodeType {node.work.kind}; a graph that kernels launch "
                "holds kernels, copies, fills, empty nodes, child graphs and conditional nodes",
            )
        for inner in node.work.graphs():
            _check_device_launch(name, inner, flags)


def cuGraphInstantiate(hGraph: int, flags: int) -> int:
    return _instantiate("cuGraphInstantiate", hGraph, flags).handle


def cuGraphInstantiateWithParams(hGraph: int, instantiateParams: int) -> int:
    name = "cuGraphInstantiateWithParams"
    given = view(name, CUDA_GRAPH_INSTANTIATE_PARAMS, instantiateParams)
    unused = any(not condition.used for condition in graphs.find(hGraph).conditions.values())
    given.hErrNode_out = 0
    given.result_out = CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED if unused else CUDA_GRAPH_INSTANTIATE_ERROR
    made = _instantiate(name, hGraph, given.flags)
    given.result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS
    return made.handle


def cuGraphInstantiate_v1(hGraph: int, logBuffer: int, bufferSize: int) -> tuple[int, int]:
    return _instantiate("cuGraphInstantiate", hGraph, 0).handle, 0


cuGraphInstantiate_v2 = cuGraphInstantiate_v1


def cuGraphExecDestroy(hGraphExec: int) -> None:
    execs.take(hGraphExec).close()


def cuGraphExecGetFlags(hGraphExec: int) -> int:
    return execs.find(hGraphExec).flags


def cuGraphExecGetId(hGraphExec: int) -> int:
    return execs.find(hGraphExec).graph.id


def cuGraphUpload(hGraph: int, hStream: int) -> None:
    """Check the request; an executable graph is ready for launch from the beginning."""
    execs.find(hGraph), _not_capturing("cuGraphUpload", hStream).queue_after_waits()


def cuGraphLaunch(hGraph: int, hStream: int) -> None:
    execs.find(hGraph).launch(_not_capturing("cuGraphLaunch", hStream))


def _not_capturing(name: str, stream_handle: int) -> streams.Stream:
    """Return a stream; one that is being captured takes no executable graphs, and the capture is invalid then."""
    stream = streams.find(stream_handle)
    capture_state.refuse(name, [stream.capture] if stream.capture is not None else [])
    return stream


def cuGraphNodeSetEnabled(hGraphExec: int, hNode: int, isEnabled: int) -> None:
    """Turn a kernel, a copy or a fill into nothing, or back."""
    found = execs.find(hGraphExec)
    node = found.node("cuGraphNodeSetEnabled", hNode, *SWITCHED)
    (found.off.discard if isEnabled else found.off.add)(node)
    found.prepare()


def cuGraphNodeGetEnabled(hGraphExec: int, hNode: int) -> int:
    found = execs.find(hGraphExec)
    return int(found.node("cuGraphNodeGetEnabled", hNode, *SWITCHED) not in found.off)


def forget_after_fork() -> None:
    execs.clear()
