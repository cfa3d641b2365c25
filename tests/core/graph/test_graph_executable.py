# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Executable graphs: options, updates from a graph and of single nodes, closing."""

import threading
import weakref

import numpy as np
import pytest
from support.scripts import run_script

from cuda.bindings import driver
from cuda.core import CUDAError, LaunchConfig, LegacyPinnedMemoryResource
from cuda.core._errors import ClosedError
from cuda.core.graph import (
    ExecutableKernelNode,
    ExecutableMemcpyNode,
    Graph,
    GraphCompleteOptions,
    GraphDefinition,
)

ONE = LaunchConfig(grid=1, block=4)


@pytest.fixture
def ints(stream):
    """Return eight ints that host and device use, and their Buffer."""
    buffer = LegacyPinnedMemoryResource().allocate(32, stream=stream)
    array = np.frombuffer(buffer, np.int32)
    array[:] = 0
    yield array, buffer
    stream.sync()


@pytest.fixture
def add_one(module):
    return module.get_kernel("add_one")


@pytest.fixture
def launched(stream):
    def run(executable):
        executable.launch(stream)
        stream.sync()

    return run


def test_a_kernel_node(ints, add_one, launched, stream):
    array, buffer = ints
    graph = GraphDefinition()
    node = graph.launch(ONE, add_one, buffer, 1)
    with graph.instantiate() as executable:
        view = executable[node]
        assert type(view) is ExecutableKernelNode
        view.update(config=LaunchConfig(grid=2, block=4), kernel=add_one, args=(buffer, 6))
        launched(executable)
        assert array.tolist() == [1] * 6 + [0, 0]
        assert view.is_enabled
        view.disable()
        assert not view.is_enabled
        launched(executable)
        assert array.sum() == 6
        view.enable()
        launched(executable)
        assert array.sum() == 12
        assert node.grid == (1, 1, 1), "the definition has not changed"
        with pytest.raises(ValueError, match="config must have no cluster"):
            view.update(config=LaunchConfig(grid=1, block=1, is_cooperative=True), kernel=add_one, args=(buffer, 1))
        with pytest.raises(TypeError, match="takes 2 arguments"):
            view.update(config=ONE, kernel=add_one, args=())


def test_copy_fill_and_call_nodes(ints, launched):
    array, buffer = ints
    graph, seen = GraphDefinition(), []
    fill = graph.memset(buffer, 0, 32)
    copy = fill.memcpy(buffer, buffer.handle + 16, 4)
    call = copy.callback(lambda: seen.append("old"))
    with graph.instantiate() as executable:
        assert type(executable[copy]) is ExecutableMemcpyNode
        executable[fill].update(dst=buffer.handle + 16, value=np.int32(3), width=2)
        executable[copy].update(dst=buffer.handle + 4, src=buffer.handle + 16, size=8)
        executable[call].update(lambda: seen.append("new"))
        launched(executable)
        assert array.tolist() == [0, 3, 3, 0, 3, 3, 0, 0]
        assert seen == ["new"]
        executable[copy].disable()
        array[:3] = 9
        launched(executable)
        assert array.tolist()[:3] == [9, 9, 9]


def test_event_and_child_nodes(ints, launched, device, add_one):
    array, buffer = ints
    inner, graph = GraphDefinition(), GraphDefinition()
    kernel = inner.launch(ONE, add_one, buffer, 1)
    child = graph.embed(inner)
    record = child.record(device.create_event())
    wait = record.wait(device.create_event())
    with graph.instantiate() as executable:
        kernel.update(args=(buffer, 3))
        executable[child].update(inner)
        other = device.create_event()
        executable[record].update(other)
        executable[wait].update(other)
        launched(executable)
        assert array.tolist()[:4] == [1, 1, 1, 0]
        assert other.is_done
        inner.empty()
        with pytest.raises(CUDAError, match="ExecChildGraphNodeSetParams"):
            executable[child].update(inner)


def test_update_from_another_graph(ints, launched, add_one, device):
    array, buffer = ints
    graph, other = GraphDefinition(), GraphDefinition()
    graph.launch(ONE, add_one, buffer, 1)
    other.launch(ONE, add_one, buffer, 4)
    with graph.instantiate() as executable:
        executable.update(other)
        launched(executable)
        assert array.tolist()[:4] == [1] * 4
        other.empty()
        with pytest.raises(CUDAError, match="source cannot replace this graph: it has other nodes or edges"):
            executable.update(other)
        launched(executable)
        assert array.tolist()[:4] == [2] * 4
        with device.create_graph_builder().begin_building() as builder:
            with pytest.raises(ValueError, match="source must be a builder that has finished, but it is building"):
                executable.update(builder)
            builder.stream.wait(builder.stream)
            from cuda.core import launch

            launch(builder, ONE, add_one, buffer, 2)
            executable.update(builder.end_building())
        launched(executable)
        assert array.tolist()[:4] == [3, 3, 2, 2]


class Function:
    def __call__(self):
        pass


def settle():
    for _ in range(100):
        pass


def test_operands_set_by_updates_live_until_the_last_launch_ends(stream, device):
    gate = threading.Event()
    graph = GraphDefinition()
    node = graph.callback(gate.wait)
    call = node.join().callback(Function())
    executable = graph.instantiate()
    function = Function()
    gone = weakref.ref(function)
    executable[call].update(function)
    del function
    settle()
    assert gone() is not None
    executable.launch(stream)
    executable.update(graph)
    executable[call].update(Function())
    settle()
    assert gone() is not None, "a launch that runs needs it"
    gate.set()
    stream.sync()
    settle()
    assert gone() is None
    executable.close()


def test_closing_during_a_launch(stream):
    gate, seen = threading.Event(), []
    graph = GraphDefinition()
    call = graph.callback(gate.wait).join().callback(Function())
    executable = graph.instantiate()
    executable[call].update(lambda: seen.append(1))
    executable.launch(stream)
    threading.Timer(0.05, gate.set).start()
    executable.close()
    executable.close()
    stream.sync()
    assert seen == [1]
    assert executable.is_closed
    assert int(executable.handle) == 0


def test_a_closed_graph_is_rejected(stream, ints):
    graph = GraphDefinition()
    node = graph.memset(ints[1], 0, 1)
    executable = graph.instantiate()
    assert executable.handle == driver.CUgraphExec(int(executable.handle))
    view = executable[node]
    executable.close()
    for use in (
        lambda: executable.launch(stream),
        lambda: executable.upload(stream),
        lambda: executable.update(graph),
        lambda: executable[node],
        view.disable,
    ):
        with pytest.raises(ClosedError, match="this Graph is closed"):
            use()


def test_options(stream, ints, launched):
    graph = GraphDefinition()
    graph.memset(ints[1], 1, 32)
    options = GraphCompleteOptions(auto_free_on_launch=True, upload_stream=stream, use_node_priority=True)
    for chosen in (options, {"upload_stream": stream}, None):
        with graph.instantiate(chosen) as executable:
            executable.upload(stream)
            launched(executable)
    assert set(ints[0].tolist()) == {0x01010101}
    with pytest.raises(TypeError, match="options must be GraphCompleteOptions"):
        graph.instantiate(3)


@pytest.mark.cpu_only
def test_device_launchable_graph(stream, ints, launched):
    graph = GraphDefinition()
    graph.memset(ints[1], 1, 4)
    with graph.instantiate({"device_launch": True}) as executable:
        launched(executable)
        assert ints[0][0] == 0x01010101


def test_invalid_nodes_are_rejected(ints):
    graph, other = GraphDefinition(), GraphDefinition()
    node, foreign = graph.empty(), other.memset(ints[1], 0, 1)
    with graph.instantiate() as executable:
        with pytest.raises(TypeError, match=r"an? EmptyNode has no parameters"):
            executable[node]
        with pytest.raises(TypeError, match="node must be a GraphNode, not int"):
            executable[3]
        with pytest.raises(CUDAError, match="must be of the definition that this graph was made from"):
            executable[foreign].update(dst=ints[1], value=0, width=1)
    with pytest.raises(RuntimeError, match="a Graph is not made directly"):
        Graph()
    with pytest.raises(RuntimeError, match=r"an? ExecutableKernelNode is not made directly"):
        ExecutableKernelNode()


def test_launch_on_a_stream_of_another_library(ints, stream, launched):
    class Foreign:
        def __cuda_stream__(self):
            return stream.__cuda_stream__()

    graph = GraphDefinition()
    graph.memset(ints[1], 1, 1)
    with graph.instantiate() as executable:
        executable.launch(Foreign())
        stream.sync()
        assert ints[0][0] == 1
        with pytest.raises(TypeError, match="stream must be a Stream"):
            executable.launch(3)


@pytest.mark.parametrize("error", ["SystemExit", "KeyboardInterrupt", "KeyError"])
def test_an_exception_of_a_callback_is_ignored_and_shown_once(error):
    done = run_script(f"""
        from cuda.core import Device
        from cuda.core.graph import GraphDefinition

        def fail():
            raise {error}("from a callback")

        device = Device()
        device.set_current()
        stream = device.create_stream()
        graph = GraphDefinition()
        graph.callback(fail)
        builder = device.create_graph_builder().begin_building()
        builder.callback(fail)
        for executable in (graph.instantiate(), builder.end_building().complete()):
            executable.launch(stream)
            stream.sync()
        print("goes on")
    """)
    assert (done.returncode, done.stdout) == (0, "goes on\n"), done.stderr
    assert done.stderr.count(f"{error}: ") == done.stderr.count("Exception ignored in") == 2, done.stderr
