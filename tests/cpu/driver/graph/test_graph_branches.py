# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Independent branches of a graph run concurrently, so that their kernels may wait for each other."""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import addressof, c_uint32, c_uint64

import kernels
import pytest
from graph_calls import add_kernel, array, empty, executable, launch, memory, new_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda.cpu import abi, driver
from cuda.cpu.driver.base.error import CudaError

# *mine += 1, and wait until *other is as large.
MEET = """
.visible .entry meet(.param .u64 mine, .param .u64 other)
{
 .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .pred %p<2>;
 ld.param.u64 %rd1, [mine]; ld.param.u64 %rd2, [other];
 ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [%rd1], %r1;
AGAIN: ld.volatile.global.u32 %r2, [%rd2]; setp.lt.u32 %p1, %r2, %r1; @%p1 bra AGAIN;
 ret;
}
"""

# *place = (*clock)++
STAMP = """
.visible .entry stamp(.param .u64 out_ptr, .param .u64 clock)
{
 .reg .b64 %rd<3>; .reg .b32 %r<3>;
 ld.param.u64 %rd1, [out_ptr]; ld.param.u64 %rd2, [clock];
 atom.global.add.u32 %r1, [%rd2], 1; add.u32 %r2, %r1, 1; st.global.u32 [%rd1], %r2; ret;
}
"""


@pytest.fixture
def module(context):
    with kernels.loaded(MEET, STAMP, kernels.SPIN, kernels.TRAP) as loaded:
        yield loaded


def add_ring(graph: int, module: int, pointer: int, count: int, before=()) -> list[int]:
    """Add kernels that each wait for the next one, and the last for the first."""
    ends = [(c_uint64(pointer + 4 * i), c_uint64(pointer + 4 * ((i + 1) % count))) for i in range(count)]
    return [add_kernel(graph, module, "meet", *pair, before=before) for pair in ends]


@pytest.mark.parametrize("count", [2, 9])
def test_kernels_wait_for_each_other(module, count):
    with new_graph() as graph, memory(count) as pointer:
        first = empty(graph)
        ring = add_ring(graph, module, pointer, count, [first])
        add_kernel(graph, module, "stamp", c_uint64(pointer), c_uint64(pointer + 4), before=ring)
        with executable(graph) as run:
            launch(run)
        assert [kernels.read(pointer + at) for at in (0, 4)] == [2, 2]


def test_one_graph_launched_repeatedly(module):
    with new_graph() as graph, memory(2) as pointer:
        add_ring(graph, module, pointer, 2)
        with executable(graph) as run:
            for _ in range(20):
                driver.cuGraphLaunch(run, 0)
            driver.cuStreamSynchronize(0)
        assert [kernels.read(pointer + at) for at in (0, 4)] == [20, 20]


def test_concurrent_graph_launches(module):
    """Kernels of a child graph and of its parent wait for each other, while another graph runs."""
    stream = driver.cuStreamCreate(abi.CU_STREAM_NON_BLOCKING)
    with new_graph() as inner, new_graph() as graph, memory(8) as pointer:
        add_kernel(inner, module, "meet", c_uint64(pointer), c_uint64(pointer + 4))
        driver.cuGraphAddChildGraphNode(graph, 0, 0, inner)
        add_kernel(graph, module, "meet", c_uint64(pointer + 4), c_uint64(pointer))
        with new_graph() as other:
            add_ring(other, module, pointer + 8, 4)
            with executable(graph) as run, executable(other) as beside:
                driver.cuGraphLaunch(beside, stream)
                driver.cuGraphLaunch(run, 0)
                driver.cuStreamSynchronize(0)
                driver.cuStreamSynchronize(stream)
        assert [kernels.read(pointer + 4 * at) for at in range(6)] == [1] * 6
    driver.cuStreamDestroy(stream)


def test_concurrent_branches_of_a_conditional_body(module, context):
    with new_graph() as graph, memory(2) as pointer:
        handle = driver.cuGraphConditionalHandleCreate(graph, context, 1, abi.CU_GRAPH_COND_ASSIGN_DEFAULT)
        given = abi.CUgraphNodeParams(type=abi.CU_GRAPH_NODE_TYPE_CONDITIONAL)
        given.conditional.handle, given.conditional.type = handle, abi.CU_GRAPH_COND_TYPE_IF
        given.conditional.size, given.conditional.ctx = 1, context
        driver.cuGraphAddNode(graph, 0, 0, 0, addressof(given))
        body = c_uint64.from_address(given.conditional.phGraph_out).value
        add_ring(body, module, pointer, 2)
        with executable(graph) as run:
            launch(run)
        assert [kernels.read(pointer + at) for at in (0, 4)] == [1, 1]


def test_recording_an_event_releases_other_branches(module):
    """The kernel before the event may wait for a kernel of a branch that comes after it in the node order."""
    mark = driver.cuEventCreate(0)
    with new_graph() as graph, memory(2) as pointer:
        one = add_kernel(graph, module, "meet", c_uint64(pointer), c_uint64(pointer + 4))
        before, count, _kept = array([one])
        driver.cuGraphAddEventRecordNode(graph, before, count, mark)
        add_kernel(graph, module, "meet", c_uint64(pointer + 4), c_uint64(pointer), before=[empty(graph)])
        with executable(graph) as run:
            launch(run)
        driver.cuEventSynchronize(mark)
        assert [kernels.read(pointer + at) for at in (0, 4)] == [1, 1]
    driver.cuEventDestroy(mark)


@pytest.mark.parametrize("order", [("stop", "spin"), ("spin", "stop")])
def test_a_fault_ends_the_other_branches(order, refused):
    """An endless kernel is stopped, and the launch fails with the fault of the other branch."""
    context = driver.cuCtxCreate(0, 0, 0)
    with kernels.loaded(kernels.SPIN, kernels.TRAP) as module, new_graph() as graph:
        pointer = driver.cuMemAlloc(4)
        driver.cuMemsetD32(pointer, 0, 1)
        for name in order:
            add_kernel(graph, module, name, *([c_uint64(pointer)] if name == "spin" else []))
        with executable(graph) as run:
            driver.cuGraphLaunch(run, 0)
            with refused("LAUNCH_FAILED", "trap"):
                driver.cuStreamSynchronize(0)
    driver.cuCtxDestroy(context)


def test_destroying_the_context_stops_all_branches():
    context = driver.cuCtxCreate(0, 0, 0)
    with new_graph() as graph, contextlib.suppress(CudaError):
        image = kernels.text(kernels.SPIN)
        module = driver.cuModuleLoadData(kernels.address_of(image))
        pointer = driver.cuMemAlloc(4)
        driver.cuMemsetD32(pointer, 0, 1)
        for _ in range(3):
            add_kernel(graph, module, "spin", c_uint64(pointer))
        run = driver.cuGraphInstantiate(graph, 0)
        driver.cuGraphLaunch(run, 0)
        driver.cuCtxDestroy(context)
        driver.cuGraphExecDestroy(run)
    assert context not in driver.context.contexts


edges = st.integers(2, 12).flatmap(
    lambda count: st.sets(
        st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda pair: pair[0] < pair[1])
    ).map(lambda pairs: (count, sorted(pairs)))
)


def test_every_edge_of_random_graphs_is_obeyed(module):
    with memory(16) as pointer:

        @settings(max_examples=40)
        @given(edges, st.randoms(use_true_random=False))
        def check(shape, random):
            count, pairs = shape
            names = random.sample(range(count), count)  # which node is added as which
            driver.cuMemsetD32(pointer, 0, 16)
            with new_graph() as graph:
                nodes = {}
                for name in names:
                    nodes[name] = add_kernel(
                        graph, module, "stamp", c_uint64(pointer + 4 * name), c_uint64(pointer + 60)
                    )
                for a, b in pairs:
                    (one, _, _kept), (other, _, _also) = array([nodes[a]]), array([nodes[b]])
                    driver.cuGraphAddDependencies_v1(graph, one, other, 1)
                with executable(graph) as run:
                    for turn in range(2):
                        launch(run)
                        found = (c_uint32 * count)()
                        driver.cuMemcpyDtoH(addressof(found), pointer, ctypes.sizeof(found))
                        assert sorted(found) == list(range(turn * count + 1, (turn + 1) * count + 1))
                        assert all(found[a] < found[b] for a, b in pairs)

        check()
