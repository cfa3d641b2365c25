# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conditional nodes, and graphs launched by kernels."""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import c_uint32, c_uint64

import graph_calls as calls
import kernels
import pytest
from support.scripts import run_script

from cuda.cpu import abi, driver

IF, WHILE, SWITCH = abi.CU_GRAPH_COND_TYPE_IF, abi.CU_GRAPH_COND_TYPE_WHILE, abi.CU_GRAPH_COND_TYPE_SWITCH
ON_DEVICE = abi.CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
TAIL, FIRE, SIBLING = 1 << 56, 2 << 56, 3 << 56

DECLARED = """
.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value) ;
.extern .func (.param .b32 result) cudaGraphLaunch (.param .b64 graph, .param .b64 stream) ;
"""

# The condition becomes the value.
SET = """
.visible .entry set(.param .u64 handle, .param .u32 value)
{
 .reg .b64 %rd<2>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [handle]; ld.param.u32 %r1, [value];
 { .param .b64 p0; st.param.b64 [p0], %rd1; .param .b32 p1; st.param.b32 [p1], %r1;
   call.uni cudaGraphSetConditional, (p0, p1); }
 ret;
}
"""

# *place -= 1, and the condition is what it is then.
COUNT = """
.visible .entry count(.param .u64 handle, .param .u64 out_ptr)
{
 .reg .b64 %rd<3>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [handle]; ld.param.u64 %rd2, [out_ptr];
 ld.global.u32 %r1, [%rd2]; sub.u32 %r1, %r1, 1; st.global.u32 [%rd2], %r1;
 { .param .b64 p0; st.param.b64 [p0], %rd1; .param .b32 p1; st.param.b32 [p1], %r1;
   call.uni cudaGraphSetConditional, (p0, p1); }
 ret;
}
"""

# *place = *place * 10 + digit: which kernels ran, and in what order
NOTE = """
.visible .entry note(.param .u64 out_ptr, .param .u32 digit)
{
 .reg .b64 %rd<2>; .reg .b32 %r<4>;
 ld.param.u64 %rd1, [out_ptr]; ld.param.u32 %r1, [digit];
 ld.global.u32 %r2, [%rd1]; mad.lo.u32 %r3, %r2, 10, %r1; st.global.u32 [%rd1], %r3; ret;
}
"""

# *result = cudaGraphLaunch(*graph, stream); a *graph of 0 is the current graph, launched while --*left > 0
LAUNCH = """
.visible .entry launch(.param .u64 graph, .param .u64 stream, .param .u64 result, .param .u64 left)
{
 .reg .b64 %rd<6>; .reg .b32 %r<3>; .reg .pred %p<3>;
 ld.param.u64 %rd1, [graph]; ld.param.u64 %rd2, [stream]; ld.param.u64 %rd3, [result]; ld.param.u64 %rd4, [left];
 ld.global.u64 %rd1, [%rd1];
 setp.ne.u64 %p1, %rd1, 0; @%p1 bra GO;
 mov.u64 %rd1, %current_graph_exec;
 ld.global.u32 %r2, [%rd4]; sub.u32 %r2, %r2, 1; st.global.u32 [%rd4], %r2;
 setp.eq.u32 %p2, %r2, 0; @%p2 bra DONE;
GO:
 { .param .b64 p0; st.param.b64 [p0], %rd1; .param .b64 p1; st.param.b64 [p1], %rd2; .param .b32 q;
   call.uni (q), cudaGraphLaunch, (p0, p1); ld.param.b32 %r1, [q]; }
 st.global.u32 [%rd3], %r1;
DONE: ret;
}
"""


@pytest.fixture
def module(context):
    with kernels.loaded(DECLARED, SET, COUNT, NOTE, LAUNCH) as loaded:
        yield loaded


def condition(graph: int, default: int | None = None) -> int:
    flags = 0 if default is None else abi.CU_GRAPH_COND_ASSIGN_DEFAULT
    return driver.cuGraphConditionalHandleCreate(graph, 0, default or 0, flags)


def add_condition(graph: int, handle: int, kind: int, size: int = 1, before=()) -> tuple[int, list[int]]:
    """Add a conditional node; return it and its bodies."""
    given = abi.CUgraphNodeParams(type=abi.CU_GRAPH_NODE_TYPE_CONDITIONAL)
    given.conditional.handle, given.conditional.type, given.conditional.size = handle, kind, size
    pointer, count, _kept = calls.array(before)
    node = driver.cuGraphAddNode(graph, pointer, 0, count, ctypes.addressof(given))
    return node, list((c_uint64 * size).from_address(given.conditional.phGraph_out))


def note(graph: int, module: int, pointer: int, digit: int, before=()) -> int:
    return calls.add_kernel(graph, module, "note", c_uint64(pointer), c_uint32(digit), before=before)


def set_to(graph: int, module: int, handle: int, value: int, before=()) -> int:
    return calls.add_kernel(graph, module, "set", c_uint64(handle), c_uint32(value), before=before)


@pytest.mark.parametrize(
    ("kind", "size", "value", "ran"),
    [
        (IF, 1, 3, 1),
        (IF, 1, 0, 0),
        (IF, 2, 1, 1),
        (IF, 2, 0, 2),
        (SWITCH, 3, 0, 1),
        (SWITCH, 3, 2, 3),
        (SWITCH, 3, 3, 0),
    ],
)
def test_if_and_switch_run_at_most_one_body(module, kind, size, value, ran):
    with calls.memory() as pointer, calls.new_graph() as graph:
        handle = condition(graph)
        first = set_to(graph, module, handle, value)
        node, bodies = add_condition(graph, handle, kind, size, [first])
        for digit, body in enumerate(bodies, 1):
            note(body, module, pointer, digit)
        note(graph, module, pointer, 9, [node])
        with calls.executable(graph) as made:
            calls.launch(made)
        assert kernels.read(pointer) == ran * 10 + 9


def test_a_loop_runs_until_its_condition_is_0(module):
    with calls.memory(2) as pointer, calls.new_graph() as graph:
        handle = condition(graph, default=1)
        fill = calls.add_fill(graph, pointer, 5, 1)
        _, [body] = add_condition(graph, handle, WHILE, before=[fill])
        counted = calls.add_kernel(body, module, "count", c_uint64(handle), c_uint64(pointer))
        note(body, module, pointer + 4, 1, [counted])
        with calls.executable(graph) as made:
            for _ in range(2):  # the default is set at each launch
                calls.launch(made)
        assert (kernels.read(pointer), kernels.read(pointer + 4)) == (0, 1111111111)


def test_a_condition_without_a_default_keeps_its_value(module):
    with calls.memory() as pointer, calls.new_graph() as graph:
        handle = condition(graph)
        node, [body] = add_condition(graph, handle, IF)
        note(body, module, pointer, 1)
        set_to(graph, module, handle, 1, [node])
        with calls.executable(graph) as made:
            calls.launch(made)
            assert kernels.read(pointer) == 0
            calls.launch(made)
            assert kernels.read(pointer) == 1


def test_nested_conditional_nodes(module):
    with calls.memory(2) as pointer, calls.new_graph() as graph:
        outer, inner = condition(graph, default=1), condition(graph, default=0)
        fill = calls.add_fill(graph, pointer, 3, 1)
        _, [body] = add_condition(graph, outer, WHILE, before=[fill])
        counted = calls.add_kernel(body, module, "count", c_uint64(outer), c_uint64(pointer))
        node, [rest] = add_condition(body, inner, IF, before=[counted])
        note(rest, module, pointer + 4, 2)
        flip = set_to(body, module, inner, 1, [node])
        assert driver.cuGraphNodeGetContainingGraph(flip) == body
        child = driver.cuGraphCreate(0)
        note(child, module, pointer + 4, 7)
        given, count, _kept = calls.array([node])
        driver.cuGraphAddChildGraphNode(body, given, count, child)
        driver.cuGraphDestroy(child)
        with calls.executable(graph) as made:
            calls.launch(made)
        assert kernels.read(pointer + 4) == 72727


def test_a_body_is_captured(module):
    stream = driver.cuStreamCreate(0)
    with calls.memory() as pointer, calls.new_graph() as graph:
        _, [body] = add_condition(graph, condition(graph, default=1), IF)
        driver.cuStreamBeginCaptureToGraph(stream, body, 0, 0, 0, abi.CU_STREAM_CAPTURE_MODE_GLOBAL)
        driver.cuMemsetD32Async(pointer, 6, 1, stream)
        assert driver.cuStreamEndCapture(stream) == body
        with calls.executable(graph) as made:
            calls.launch(made)
        assert kernels.read(pointer) == 6
    driver.cuStreamDestroy(stream)


def test_parameters_of_a_conditional_node(module, tmp_path):
    with calls.new_graph() as graph:
        handle = condition(graph, default=0)
        node, bodies = add_condition(graph, handle, SWITCH, 2)
        assert driver.cuGraphNodeGetType(node) == abi.CU_GRAPH_NODE_TYPE_CONDITIONAL
        given = abi.CUgraphNodeParams()
        driver.cuGraphNodeGetParams(node, ctypes.addressof(given))
        inner = given.conditional
        assert (inner.handle, inner.type, inner.size) == (handle, SWITCH, 2)
        assert list((c_uint64 * 2).from_address(inner.phGraph_out)) == bodies
        driver.cuGraphDebugDotPrint(graph, str(tmp_path / "dot").encode(), 0)
        text = (tmp_path / "dot").read_text()
        assert "CONDITIONAL" in text
        assert text.count("subgraph") == 2
        driver.cuGraphDestroyNode(node)


def test_wrong_conditions(module, refused):
    with calls.memory() as pointer, calls.new_graph() as graph, calls.new_graph() as other:
        handle = condition(graph)
        with refused("INVALID_VALUE", "no node's"):
            driver.cuGraphInstantiate(graph, 0)
        for kind, size, says in (
            (7, 1, "no CUgraphConditionalNodeType"),
            (WHILE, 2, "1 to 1"),
            (IF, 3, "1 to 2"),
            (IF, 0, "size"),
        ):
            with refused("INVALID_VALUE", says):
                add_condition(graph, handle, kind, size)
        with refused("INVALID_VALUE", "not created for this graph"):
            add_condition(other, handle, IF)
        _, [body] = add_condition(graph, handle, IF)
        with refused("INVALID_VALUE", "another conditional node's"):
            add_condition(graph, handle, IF)
        with refused("INVALID_VALUE", "flags is 2"):
            driver.cuGraphConditionalHandleCreate(graph, 0, 0, 2)
        with refused("NOT_SUPPORTED", "cannot be cloned"):
            driver.cuGraphClone(graph)
        with refused("NOT_SUPPORTED", "conditional or memory nodes"):
            driver.cuGraphAddChildGraphNode(other, 0, 0, graph)
        event = driver.cuEventCreate(0)
        with refused("NOT_SUPPORTED", "body of a conditional node"):
            driver.cuGraphAddEventRecordNode(body, 0, 0, event)
        driver.cuEventDestroy(event)
        with refused("INVALID_VALUE", "belongs to a node"):
            driver.cuGraphDestroy(body)
        with calls.executable(graph), refused("NOT_SUPPORTED", "instantiated already"):
            driver.cuGraphInstantiate(graph, 0)
        note(body, module, pointer, 1)


def test_update_replaces_the_work_of_bodies(module, refused):
    def build(graph: int, digit: int, kind: int = IF) -> None:
        _, [body] = add_condition(graph, condition(graph, default=1), kind)
        note(body, module, pointer, digit)

    with calls.memory() as pointer, calls.new_graph() as graph, calls.new_graph() as other, calls.new_graph() as third:
        build(graph, 1)
        build(other, 2)
        build(third, 3, WHILE)
        info = abi.CUgraphExecUpdateResultInfo()
        with calls.executable(graph) as made:
            calls.launch(made)
            driver.cuGraphExecUpdate(made, other, ctypes.addressof(info))
            calls.launch(made)
            with refused("GRAPH_EXEC_UPDATE_FAILURE"):
                driver.cuGraphExecUpdate(made, third, ctypes.addressof(info))
            assert info.result == abi.CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED
            calls.launch(made)
        assert kernels.read(pointer) == 122


def test_an_endless_loop_can_be_interrupted():
    done = run_script("""
        import ctypes, os, signal, threading, time
        import sys
        sys.path.insert(0, "tests/cpu/driver")
        from cuda.cpu import driver
        driver.cuInit(0)
        driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
        import test_graph_condition as test
        graph = driver.cuGraphCreate(0)
        test.add_condition(graph, test.condition(graph, default=1), test.WHILE)
        made = driver.cuGraphInstantiate(graph, 0)
        driver.cuGraphLaunch(made, 0)
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            driver.cuCtxSynchronize()
        except KeyboardInterrupt:
            print("stopped")
        try:
            driver.cuCtxSynchronize()
        except driver.error.CudaError as error:
            print(error.status)
        driver.cuMemsetD32(p := driver.cuMemAlloc(4), 7, 1)
        driver.cuCtxSynchronize()
        print("alive")
    """)
    assert done.stdout.split() == ["stopped", str(abi.CUDA_ERROR_ILLEGAL_STATE), "alive"], done.stderr


# --- launches of graphs by kernels --------------------------------------------------------------------


@contextlib.contextmanager
def launcher(module: int, room: int, stream: int, flags: int = 0, behind: int = 8):
    """An executable graph of a kernel that launches the graph whose handle is at `room`, and then records `behind`."""
    with calls.new_graph() as graph:
        arguments = c_uint64(room), c_uint64(stream), c_uint64(room + 8), c_uint64(room + 12)
        first = calls.add_kernel(graph, module, "launch", *arguments)
        note(graph, module, room + 16, behind, [first])
        with calls.executable(graph, flags) as made:
            yield made


@contextlib.contextmanager
def launched(module: int, room: int, digit: int):
    with calls.new_graph() as graph:
        note(graph, module, room + 16, digit)
        with calls.executable(graph, ON_DEVICE) as made:
            yield made


def put(room: int, graph: int) -> None:
    handle = c_uint64(graph)
    driver.cuMemcpyHtoD(room, ctypes.addressof(handle), 8)


@pytest.mark.parametrize(("stream", "order"), [(TAIL, 85), (FIRE, 58), (SIBLING, 58)])
def test_a_kernel_launches_a_graph(module, stream, order):
    with calls.memory(8) as room, launched(module, room, 5) as inner, launcher(module, room, stream) as outer:
        put(room, inner)
        calls.launch(outer)
        assert (kernels.read(room + 8), kernels.read(room + 16)) == (0, order)
        calls.launch(inner)  # from the host as well
        assert kernels.read(room + 16) == order * 10 + 5


def test_a_graph_tail_launches_itself(module):
    with calls.memory(8) as room, launcher(module, room, TAIL, ON_DEVICE, behind=1) as graph:
        driver.cuMemsetD32(room + 12, 4, 1)
        calls.launch(graph)
        assert (kernels.read(room + 12), kernels.read(room + 16)) == (0, 1111)


def test_tail_launches_of_a_tail_run_first(module):
    with contextlib.ExitStack() as stack:
        rooms = [stack.enter_context(calls.memory(8)) for _ in range(3)]
        notes = stack.enter_context(calls.memory())

        def graph_of(steps, flags):
            graph, last = stack.enter_context(calls.new_graph()), []
            for kind, value in steps:
                if kind == "note":
                    last = [note(graph, module, notes, value, last)]
                else:
                    room = rooms[value]
                    arguments = c_uint64(room), c_uint64(TAIL), c_uint64(room + 8), c_uint64(room + 12)
                    last = [calls.add_kernel(graph, module, "launch", *arguments, before=last)]
            return stack.enter_context(calls.executable(graph, flags))

        put(rooms[2], graph_of([("note", 4)], ON_DEVICE))
        put(rooms[0], graph_of([("launch", 2), ("note", 2)], ON_DEVICE))
        put(rooms[1], graph_of([("note", 3)], ON_DEVICE))
        calls.launch(graph_of([("launch", 0), ("launch", 1), ("note", 1)], 0))
        assert kernels.read(notes) == 1243


def test_invalid_device_graph_launches(module, refused):
    with calls.memory(8) as room:
        with launcher(module, room, TAIL) as outer:
            put(room, 12345)
            calls.launch(outer)
            assert kernels.read(room + 8) == 1  # cudaErrorInvalidValue
        with launched(module, room, 5) as inner:
            put(room, inner)
            with launcher(module, room, 77) as outer:
                calls.launch(outer)
                assert kernels.read(room + 8) == 1
            arguments = c_uint64(room), c_uint64(TAIL), c_uint64(room + 8), c_uint64(room + 12)
            kernels.run(module, "launch", *arguments)
            assert kernels.read(room + 8) == 801  # the kernel is in no graph
        with launcher(module, room, TAIL) as outer:  # the handle is of a graph that is gone
            calls.launch(outer)
            assert kernels.read(room + 8) == 1
    with calls.new_graph() as graph:
        event = driver.cuEventCreate(0)
        driver.cuGraphAddEventRecordNode(graph, 0, 0, event)
        with refused("NOT_SUPPORTED", "a graph that kernels launch"):
            driver.cuGraphInstantiate(graph, ON_DEVICE)
        driver.cuEventDestroy(event)
