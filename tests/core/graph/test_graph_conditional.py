# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conditional nodes (if, if-else, while, switch) whose conditions kernels set."""

import gc

import numpy as np
import pytest
from support.scripts import run_checked

from cuda.core import CUDAError, LaunchConfig, LegacyPinnedMemoryResource, Module, launch
from cuda.core.graph import (
    ConditionalNode,
    GraphCondition,
    GraphDefinition,
    IfElseNode,
    IfNode,
    SwitchNode,
    WhileNode,
)

pytestmark = pytest.mark.needs_nvrtc
ONE = LaunchConfig(grid=1, block=1)
SOURCE = """
extern "C" __device__ __cudart_builtin__ void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned);
extern "C" __global__ void set(cudaGraphConditionalHandle condition, unsigned value) {
    cudaGraphSetConditional(condition, value);
}
extern "C" __global__ void count(int *x, cudaGraphConditionalHandle condition, int most) {
    x[0] += 1;
    cudaGraphSetConditional(condition, x[0] < most);
}
extern "C" __global__ void add(int *x, int v) { x[0] += v; }
"""


@pytest.fixture(scope="module")
def kernels():
    from cuda.core import Device

    Device(0).set_current()
    return Module.from_source(SOURCE)


@pytest.fixture
def number(stream):
    """Return an int that host and device use, as an array, and its Buffer."""
    buffer = LegacyPinnedMemoryResource().allocate(4, stream=stream)
    array = np.frombuffer(buffer, np.int32)
    array[:] = 0
    yield array, buffer
    stream.sync()


@pytest.fixture
def graph(device):
    return GraphDefinition()


@pytest.fixture
def run(stream):
    def once(executable):
        executable.launch(stream)
        stream.sync()

    return once


def test_if_runs_its_body(graph, kernels, number, run):
    array, buffer = number
    condition = graph.create_condition(0)
    first = graph.launch(ONE, kernels.set, condition, 1)
    node = first.if_then(condition)
    assert isinstance(node, IfNode)
    assert (node.cond_type, node.condition, node.branches) == ("if", condition, (node.then,))
    node.then.launch(ONE, kernels.add, buffer, 3)
    with graph.instantiate() as executable:
        run(executable)
        assert array[0] == 3
        executable[first].update(config=ONE, kernel=kernels.set, args=(condition, 0))
        run(executable)
        assert array[0] == 3


@pytest.mark.parametrize(("value", "expected"), [(7, 10), (0, 100)])
def test_if_else_runs_one_body(graph, kernels, number, run, value, expected):
    array, buffer = number
    condition = graph.create_condition(value)
    node = graph.if_else(condition)
    assert isinstance(node, IfElseNode)
    assert node.branches == (node.then, node.else_)
    node.then.launch(ONE, kernels.add, buffer, 10)
    node.else_.launch(ONE, kernels.add, buffer, 100)
    with graph.instantiate() as executable:
        run(executable)
    assert array[0] == expected


def test_while_repeats_its_body(graph, kernels, number, run):
    array, buffer = number
    condition = graph.create_condition(1)
    node = graph.while_loop(condition)
    assert isinstance(node, WhileNode)
    assert (node.cond_type, node.branches) == ("while", (node.body,))
    node.body.launch(ONE, kernels.count, buffer, condition, 6)
    node.launch(ONE, kernels.add, buffer, 100)
    with graph.instantiate() as executable:
        run(executable)
        assert array[0] == 106
        run(executable)
        assert array[0] == 207, "the default holds at each launch: the body runs once"


@pytest.mark.cpu_only  # driver 580 refuses host functions in bodies
def test_callbacks_in_bodies(graph, device, kernels, number, run):
    """A callback in a loop body runs once per iteration, in order with the kernels before and after it."""
    array, buffer = number
    seen = []
    condition, never, inner = (graph.create_condition(default) for default in (1, 0, 1))
    body = graph.while_loop(condition).body
    counted = body.launch(ONE, kernels.count, buffer, condition, 3).callback(lambda: seen.append(int(array[0])))
    counted.join().if_then(inner).then.callback(lambda: seen.append("inner"))
    graph.if_then(never).then.callback(lambda: seen.append("never"))
    with graph.instantiate() as executable:
        run(executable)
    assert seen == [1, "inner", 2, "inner", 3, "inner"]


@pytest.mark.cpu_only  # driver 580 refuses host functions in bodies
def test_captured_callbacks_in_bodies(device, run):
    seen = []
    with device.create_graph_builder().begin_building() as builder:
        branches = builder.if_else(builder.create_condition(0))
        for number, branch in enumerate(branches):
            with branch.begin_building():
                branch.callback(lambda number=number: seen.append(number))
                branch.end_building()
        executable = builder.end_building().complete()
    run(executable)
    run(executable)
    assert seen == [1, 1]


def test_graph_definition_of_a_body_exists_before_building(device):
    with device.create_graph_builder().begin_building() as builder:
        body = builder.if_then(builder.create_condition(1))
        assert body.graph_definition.nodes() == set()
        body.begin_building()
        with pytest.raises(RuntimeError, match="graph_definition needs a builder that has finished"):
            body.graph_definition  # noqa: B018
        body.callback(print)
        assert len(body.end_building().graph_definition.nodes()) == 1
        builder.end_building()


@pytest.mark.parametrize(("value", "expected"), [(0, 1), (2, 3), (3, 0)])
def test_switch_runs_the_selected_body(graph, kernels, number, run, value, expected):
    array, buffer = number
    node = graph.switch(graph.create_condition(value), 3)
    assert isinstance(node, SwitchNode)
    assert node.cond_type == "switch"
    for index, branch in enumerate(node.branches):
        branch.launch(ONE, kernels.add, buffer, index + 1)
    with graph.instantiate() as executable:
        run(executable)
    assert array[0] == expected


def test_nested_conditional_nodes(graph, kernels, number, run):
    array, buffer = number
    outer, inner = graph.create_condition(1), graph.create_condition(1)
    body = graph.while_loop(outer).body
    body.if_then(inner).then.launch(ONE, kernels.count, buffer, outer, 3)
    with graph.instantiate() as executable:
        run(executable)
    assert array[0] == 3


def test_conditional_nodes_are_recovered_with_their_bodies(graph, kernels, number):
    for make, kind in ((graph.if_then, IfNode), (graph.if_else, IfElseNode), (graph.while_loop, WhileNode)):
        node = make(graph.create_condition())
        handle, branches = int(node.handle), node.branches
        del node
        gc.collect()
        (found,) = (node for node in graph.nodes() if int(node.handle) == handle)
        assert type(found) is kind
        assert found.branches == branches
    assert isinstance(found, ConditionalNode)


def test_bodies_are_destroyed_with_their_node(graph):
    node = graph.if_then(graph.create_condition(0))
    body = node.then
    inner = body.empty()
    node.destroy()
    assert not body.is_valid
    assert not inner.is_valid
    with pytest.raises(ValueError, match="this graph is gone"):
        body.empty()


def test_captured_if_else(device, stream, kernels, number, run):
    array, buffer = number
    builder = device.create_graph_builder().begin_building()
    condition = builder.create_condition(0)
    launch(builder, ONE, kernels.set, condition, 1)
    then, other = builder.if_else(condition)
    assert not then.is_building
    for branch, value in ((then, 5), (other, 50)):
        launch(branch.begin_building(), ONE, kernels.add, buffer, value)
        branch.end_building().close()
    launch(builder, ONE, kernels.add, buffer, 1000)
    graph = builder.end_building().complete()
    assert {type(node).__name__ for node in builder.graph_definition.nodes()} == {"KernelNode", "IfElseNode"}
    assert len(builder.graph_definition.edges()) == 2
    builder.close()
    run(graph)
    assert array[0] == 1005


def test_captured_while_and_switch(device, kernels, number, run):
    array, buffer = number
    builder = device.create_graph_builder().begin_building()
    condition, choice = builder.create_condition(1), builder.create_condition(1)
    body = builder.while_loop(condition).begin_building()
    launch(body, ONE, kernels.count, buffer, condition, 4)
    body.end_building()
    branches = builder.switch(choice, 2)
    for index, branch in enumerate(branches):
        with branch.begin_building():
            launch(branch, ONE, kernels.add, buffer, 10 * (index + 1))
            branch.end_building()
    graph = builder.end_building().complete()
    builder.close()
    run(graph)
    assert array[0] == 24


def test_captured_nested_if(device, kernels, number, run):
    array, buffer = number
    builder = device.create_graph_builder().begin_building()
    outer, inner = builder.create_condition(1), builder.create_condition(1)
    branch = builder.if_then(outer).begin_building()
    deeper = branch.if_then(inner).begin_building()
    launch(deeper, ONE, kernels.add, buffer, 2)
    deeper.end_building()
    branch.end_building()
    run(builder.end_building().complete())
    assert array[0] == 2


@pytest.mark.cpu_only
def test_conditions_of_a_device_that_is_not_current():
    text = """
        import numpy as np
        from cuda.core import Device, LegacyPinnedMemoryResource
        one = Device(1)
        one.set_current()
        Device(0).set_current()
        stream = one.create_stream()
        buffer = LegacyPinnedMemoryResource().allocate(2, stream=stream)
        buffer.fill(0, stream=stream)
        builder = one.create_graph_builder().begin_building()
        then, other = builder.if_else(builder.create_condition(1))
        buffer.fill(3, stream=then.begin_building())
        then.end_building()
        buffer.fill(5, stream=other.begin_building())
        other.end_building()
        builder.end_building().complete().launch(stream)
        stream.sync()
        print(Device().device_id, bytes(buffer))
    """
    assert run_checked(text, CUDA_CPU_DEVICES="2").strip() == r"0 b'\x03\x03'"


def test_condition_handles(graph):
    condition, other = graph.create_condition(1), graph.create_condition()
    assert condition != other
    assert len({condition, other, condition}) == 2
    assert condition.handle == int(condition)
    assert "GraphCondition" in repr(condition)
    with pytest.raises(RuntimeError, match="a GraphCondition is not made directly"):
        GraphCondition()


def test_a_condition_without_a_node_is_refused(graph):
    graph.create_condition(1)
    graph.empty()
    with pytest.raises(CUDAError, match="A condition is not used by any node of the graph"):
        graph.instantiate()
