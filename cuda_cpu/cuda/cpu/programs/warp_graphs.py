# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs of NVIDIA's Warp on the CPU device, and the memory that they use. See warp.py.

A conditional node runs its body if an int32 in the device's memory is not zero. A kernel in front of the node copies
that to the node's condition; in the body of a loop, another one does so at the end of each round. Warp captures a body
by the same stream: it pauses the capture of the graph, captures into the body's graph, and resumes.

Memory that is allocated while a graph is captured is none of its nodes: it is memory like any other, which exists until
the program and the graph need it no more. So does memory that is freed during a capture. A function of the host becomes
a node that calls it.
"""

from __future__ import annotations

import collections
import ctypes
import sys
import threading
from collections.abc import Callable
from typing import Any

from cuda.cpu import abi
from cuda.cpu.programs.driver_calls import address, call, current, returned, value, while_capturing

_pointer, _size = ctypes.c_void_p, ctypes.c_size_t
_THREAD_LOCAL = 1  # CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
_SET = 1  # CU_STREAM_SET_CAPTURE_DEPENDENCIES

SET_CONDITION = b"""
.version 8.0
.target sm_52
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value) ;
.visible .entry set_condition(.param .u64 number, .param .u64 handle)
{
 .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .pred %p<2>;
 ld.param.u64 %rd1, [number]; ld.param.u64 %rd2, [handle];
 ld.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; selp.u32 %r2, 1, 0, %p1;
 { .param .b64 p0; st.param.b64 [p0], %rd2; .param .b32 p1; st.param.b32 [p1], %r2;
   call.uni cudaGraphSetConditional, (p0, p1); }
 ret;
}
"""


HOST_FUNCTION = ctypes.CFUNCTYPE(None, _pointer)


class Uses:
    """What a graph needs: memory, and functions of the host."""

    def __init__(self) -> None:
        self.memory: set[int] = set()
        self.functions: list[Any] = []


class Captured(threading.local):
    """What the captures that this thread has begun need, the innermost last."""

    def __init__(self) -> None:
        self.uses: list[Uses] = []


def free(memory: int) -> None:
    """Free memory, also while a graph is captured; at the end of the program, the driver does so."""
    if not sys.is_finalizing():
        with while_capturing():
            call("cuMemFree_v2", _pointer(memory))


class GraphMemory:
    """Replaced functions that allocate and free, and which memory graphs use."""

    def __init__(self) -> None:
        self.captured = Captured()
        self.of_graph: dict[int, Uses] = {}
        self.users: collections.Counter[int] = collections.Counter()  # memory -> number of such graphs
        self.unwanted: set[int] = set()  # memory that the program has freed, and graphs may use

    def alloc_device(self, context: Any, size: int, *_: Any) -> int:
        with while_capturing():
            pointer = returned(_pointer, "cuMemAlloc_v2", _size(max(size, 1)))
        if self.captured.uses:
            self.use(pointer)
        return pointer

    alloc_device_default = alloc_device_async = alloc_device

    def free_device(self, context: Any, pointer: Any, *_: Any) -> None:
        memory = value(pointer)
        if not memory:
            return
        if self.captured.uses and not self.users[memory]:
            self.use(memory)
        if self.users[memory]:
            self.unwanted.add(memory)
        else:
            del self.users[memory]
            free(memory)

    free_device_default = free_device_async = free_device

    def use(self, memory: int) -> None:
        self.captured.uses[-1].memory.add(memory)
        self.users[memory] += 1

    def release(self, uses: Uses) -> None:
        """Free the memory of a graph that is gone, unless the program or another graph needs it."""
        for memory in uses.memory:
            self.users[memory] -= 1
            if not self.users[memory]:
                del self.users[memory]
                if memory in self.unwanted:
                    self.unwanted.discard(memory)
                    free(memory)


class Position:
    """The graph that a stream captures, and the nodes that what comes next depends on."""

    def __init__(self, stream: Any) -> None:
        status, graph, nodes, edges = ctypes.c_int(), _pointer(), _pointer(), _pointer()
        number, count = ctypes.c_uint64(), _size()
        outputs = [ctypes.byref(each) for each in (status, number, graph, nodes, edges, count)]
        call("cuStreamGetCaptureInfo_v3", address(stream), *outputs)
        self.id, self.graph = number.value, graph
        self.nodes = (_pointer * count.value).from_buffer_copy(ctypes.string_at(nodes, 8 * count.value))

    def dependencies(self) -> tuple[Any, None, Any]:
        return self.nodes, None, _size(len(self.nodes))

    def move_behind(self, stream: Any, node: int) -> None:
        nodes = (_pointer * 1)(node)
        call("cuStreamUpdateCaptureDependencies_v2", address(stream), nodes, None, _size(1), _SET)


class Graphs(GraphMemory):
    """The replaced functions of graphs, by their names without the `wp_` in front."""

    def __init__(self) -> None:
        super().__init__()
        self.paused: dict[int, Position] = {}  # graph -> where its capture goes on
        self.kernels: dict[int, ctypes.c_void_p] = {}  # context -> set_condition

    def cuda_stream_is_capturing(self, stream: Any) -> int:
        status = ctypes.c_int()
        call("cuStreamIsCapturing", address(stream), ctypes.byref(status))
        return int(status.value == 1)  # CU_STREAM_CAPTURE_STATUS_ACTIVE

    def cuda_stream_get_capture_id(self, stream: Any) -> int:
        return Position(stream).id

    def cuda_graph_begin_capture(self, context: Any, stream: Any, external: int, mode: int) -> bool:
        if not external:  # else somebody else has begun
            call("cuStreamBeginCapture_v2", address(stream), mode)
        self.captured.uses.append(Uses())
        return True

    def cuda_graph_end_capture(self, context: Any, stream: Any, graph: Any) -> bool:
        uses = self.captured.uses.pop()
        made = _pointer()
        try:
            call("cuStreamEndCapture", address(stream), ctypes.byref(made))
        except RuntimeError:
            self.release(uses)
            raise
        graph._obj.value = made.value
        self.of_graph[made.value or 0] = uses
        return True

    def cuda_graph_pause_capture(self, context: Any, stream: Any, graph: Any) -> bool:
        position = Position(stream)
        call("cuStreamEndCapture", address(stream), graph)
        self.paused[position.graph.value or 0] = position
        return True

    def cuda_graph_resume_capture(self, context: Any, stream: Any, graph: Any) -> bool:
        position = self.paused.pop(value(graph), None)
        before = position.dependencies() if position else (None, None, _size(0))
        call("cuStreamBeginCaptureToGraph", address(stream), address(graph), *before, _THREAD_LOCAL)
        return True

    def cuda_graph_create_exec(self, context: Any, stream: Any, graph: Any, executable: Any) -> bool:
        call("cuGraphInstantiateWithFlags", executable, address(graph), ctypes.c_uint64(0))
        return True

    def cuda_graph_launch(self, executable: Any, stream: Any) -> bool:
        call("cuGraphLaunch", address(executable), address(stream))
        return True

    def cuda_graph_destroy(self, context: Any, graph: Any) -> bool:
        uses = self.of_graph.pop(value(graph), Uses())
        if uses.functions:  # a launch may be running them
            with current(context):
                call("cuCtxSynchronize")
        call("cuGraphDestroy", address(graph))
        self.release(uses)
        return True

    def cuda_graph_exec_destroy(self, context: Any, executable: Any) -> bool:
        call("cuGraphExecDestroy", address(executable))
        return True

    def cuda_graph_insert_child_graph(self, context: Any, stream: Any, child: Any) -> bool:
        at = Position(stream)
        nodes, _, count = at.dependencies()
        at.move_behind(stream, returned(_pointer, "cuGraphAddChildGraphNode", at.graph, nodes, count, address(child)))
        uses = self.of_graph.get(value(child), Uses())
        if self.captured.uses:
            own = self.captured.uses[-1]
            own.functions += uses.functions
            for memory in uses.memory - own.memory:
                self.use(memory)
        return True

    def call_in_graph(self, stream: Any, function: Callable[[], object]) -> None:
        """Let the graph that a stream captures call a function of the host."""
        node = HOST_FUNCTION(lambda _: function() and None)
        call("cuLaunchHostFunc", address(stream), node, None)
        self.captured.uses[-1].functions.append(node)

    def cuda_graph_check_conditional_body(self, graph: Any) -> bool:
        return True  # bodies may have nodes of every type

    def cuda_graph_set_condition(
        self, context: Any, stream: Any, arch: int, use_ptx: bool, number: Any, handle: Any
    ) -> bool:
        key = value(context)
        if key not in self.kernels:
            with current(context), while_capturing():
                module = returned(_pointer, "cuModuleLoadData", SET_CONDITION)
                kernel = returned(_pointer, "cuModuleGetFunction", _pointer(module), b"set_condition")
                self.kernels[key] = _pointer(kernel)
        values = (ctypes.cast(number, _pointer), ctypes.c_uint64(value(handle)))
        parameters = (_pointer * 2)(*[ctypes.addressof(each) for each in values])
        call("cuLaunchKernel", self.kernels[key], *[1] * 6, 0, address(stream), parameters, None)
        return True

    def _insert(self, given: tuple[Any, Any, int, bool, Any], kind: int, count: int) -> tuple[int, Any]:
        """Insert a conditional node; return its condition, and the graphs of its bodies."""
        context, stream, arch, use_ptx, number = given
        graph = Position(stream).graph
        handle = returned(ctypes.c_uint64, "cuGraphConditionalHandleCreate", graph, address(context), 0, 0)
        self.cuda_graph_set_condition(context, stream, arch, use_ptx, number, handle)
        params = abi.CUgraphNodeParams()
        params.type = abi.CU_GRAPH_NODE_TYPE_CONDITIONAL
        asked = params.conditional
        asked.handle, asked.type, asked.size, asked.ctx = handle, kind, count, value(context)
        at = Position(stream)
        node = returned(_pointer, "cuGraphAddNode_v2", graph, *at.dependencies(), ctypes.byref(params))
        at.move_behind(stream, node)
        return handle, (_pointer * count).from_address(asked.phGraph_out)

    def cuda_graph_insert_while(
        self, context: Any, stream: Any, arch: int, use_ptx: bool, number: Any, body: Any, handle: Any
    ) -> bool:
        given = (context, stream, arch, use_ptx, number)
        handle._obj.value, (body._obj.value,) = self._insert(given, abi.CU_GRAPH_COND_TYPE_WHILE, 1)
        return True

    def cuda_graph_insert_if_else(
        self, context: Any, stream: Any, arch: int, use_ptx: bool, number: Any, first: Any, second: Any
    ) -> bool:
        given = (context, stream, arch, use_ptx, number)
        _, bodies = self._insert(given, abi.CU_GRAPH_COND_TYPE_IF, 2 if second else 1)
        for output, body in zip((first, second), bodies, strict=False):
            if output:
                output._obj.value = body
        return True
