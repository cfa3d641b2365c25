# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs that are built by capturing."""

import threading
import time
import weakref

import numpy as np
import pytest
from support.scripts import run_checked

from cuda.core import (
    LEGACY_DEFAULT_STREAM,
    ClosedError,
    CUDAError,
    GraphMemoryResource,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    launch,
)
from cuda.core.graph import GraphBuilder, GraphDefinition, HostCallbackNode, KernelNode

ONE = LaunchConfig(grid=1, block=4)


def soon(condition):
    """Wait for objects that the driver releases in a thread of its own; return whether they were released."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    return condition()


@pytest.fixture
def ints(stream):
    """Return four ints that host and device use, and their Buffer."""
    buffer = LegacyPinnedMemoryResource().allocate(16, stream=stream)
    array = np.frombuffer(buffer, np.int32)
    array[:] = 0
    yield array, buffer
    stream.sync()


@pytest.fixture
def builder(device):
    builder = device.create_graph_builder()
    yield builder
    builder.close()


@pytest.fixture
def add_one(module):
    return module.get_kernel("add_one")


def test_captured_work_runs_at_launch(builder, stream, ints, add_one):
    array, buffer = ints
    assert builder.begin_building() is builder
    assert builder.is_building
    launch(builder, ONE, add_one, buffer, 4)
    launch(builder, ONE, add_one, buffer, 2)
    assert builder.end_building() is builder
    assert not builder.is_building
    assert array.tolist() == [0] * 4
    graph = builder.complete()
    for times in (1, 2):
        graph.launch(stream)
        stream.sync()
        assert array.tolist() == [2 * times, 2 * times, times, times]
    assert {type(node) for node in builder.graph_definition.nodes()} == {KernelNode}
    assert len(builder.graph_definition.edges()) == 1


def test_copies_and_fills_are_captured(builder, stream, ints, device):
    array, buffer = ints
    other = device.allocate(16, stream=stream)
    stream.sync()
    builder.begin_building()
    other.fill(3, stream=builder)
    other.copy_to(buffer, stream=builder)
    builder.end_building().complete().launch(stream)
    stream.sync()
    assert array.tolist() == [0x03030303] * 4


def test_a_builder_captures_its_stream(stream, ints, add_one):
    builder = stream.create_graph_builder().begin_building("thread_local")
    assert builder.stream is stream
    assert builder.__cuda_stream__() == stream.__cuda_stream__()
    launch(stream, ONE, add_one, ints[1], 4)
    graph = builder.end_building().complete()
    builder.close()
    assert not stream.is_closed
    graph.launch(stream)
    stream.sync()
    assert ints[0].tolist() == [1] * 4


def test_closing_a_builder_closes_its_own_stream(device):
    builder = device.create_graph_builder()
    stream = builder.stream
    builder.close()
    builder.close()
    assert stream.is_closed
    assert builder.is_closed
    for use in (
        builder.begin_building,
        builder.end_building,
        builder.complete,
        builder.__cuda_stream__,
        lambda: builder.is_building,
        lambda: builder.stream,
        lambda: builder.graph_definition,
        lambda: device.create_graph_builder().begin_building().embed(builder),
    ):
        with pytest.raises(ClosedError, match="this GraphBuilder is closed"):
            use()


def test_split_and_join(builder, stream, ints, add_one):
    array, buffer = ints
    builder.begin_building()
    launch(builder, ONE, add_one, buffer, 1)
    first, second, third = builder.split(3)
    assert first is builder
    assert [each.is_join_required for each in (first, second, third)] == [False, True, True]
    launch(second, ONE, add_one, buffer, 4)
    launch(third, ONE, add_one, buffer, 2)
    assert GraphBuilder.join(second, third) is second
    assert third.is_closed
    assert GraphBuilder.join(second, builder) is builder
    launch(builder, ONE, add_one, buffer, 1)
    builder.end_building().complete().launch(stream)
    stream.sync()
    assert array.tolist() == [4, 2, 1, 1]
    assert len(builder.graph_definition.edges()) == 5, "the last one waits for the first, its own place before, too"


def test_a_split_builder_must_be_joined(builder, ints, add_one):
    branch = builder.begin_building().split(2)[1]
    launch(branch, ONE, add_one, ints[1], 1)
    with pytest.raises(CUDAError, match="A builder that was split off has not been joined"):
        builder.end_building()
    assert not builder.is_building
    with pytest.raises(RuntimeError, match="complete needs a builder that has finished, but this one has failed"):
        builder.complete()
    branch.close()


def test_a_split_builder_cannot_be_ended(builder):
    branch = builder.begin_building().split(2)[1]
    with pytest.raises(CUDAError, match=r"CAPTURE_UNMATCHED.*\n.*This builder was split off: join it"):
        branch.end_building()
    with pytest.raises(RuntimeError, match="could not be captured: its graph is lost"):
        builder.is_building  # noqa: B018
    with pytest.raises(CUDAError, match="CAPTURE_INVALIDATED"):
        builder.end_building()


def test_builders_of_other_graphs_cannot_be_joined(builder, device):
    builder.begin_building()
    with device.create_graph_builder().begin_building() as other:
        with pytest.raises(CUDAError, match=r"CAPTURE_MERGE.*\n.*join takes a builder and those that were split off"):
            GraphBuilder.join(builder, other)
        for broken in (builder, other):
            with pytest.raises(CUDAError, match="CAPTURE_INVALIDATED"):
                broken.end_building()


def test_callbacks(builder, stream):
    seen = []
    function = Function(seen)
    gone = weakref.ref(function)
    builder.begin_building().callback(function)
    builder.callback(lambda: seen.append(2))
    del function
    graph = builder.end_building().complete()
    assert {type(node) for node in builder.graph_definition.nodes()} == {HostCallbackNode}
    builder.close()
    for _ in range(2):
        graph.launch(stream)
    stream.sync()
    assert seen == [1, 2, 1, 2]
    assert gone() is not None
    graph.close()
    assert soon(lambda: gone() is None)


class Function:
    def __init__(self, seen):
        self.seen = seen

    def __call__(self):
        self.seen.append(1)


def test_a_captured_kernel_stays_loaded(builder, stream, ints):
    from cuda.core import Module

    source = 'extern "C" __global__ void put(int *x) { x[threadIdx.x] = 8; }'
    launch(builder.begin_building(), ONE, Module.from_source(source).get_kernel("put"), ints[1])
    graph = builder.end_building().complete()
    graph.launch(stream)
    stream.sync()
    assert ints[0].tolist() == [8] * 4


def test_captured_buffers_stay_alive(builder, device, stream, ints, add_one):
    array, buffer = ints
    first, second, third = (device.allocate(16, stream=stream) for _ in range(3))
    gone = [weakref.ref(each) for each in (first, second, third)]
    builder.begin_building()
    first.fill(0, stream=builder)
    launch(builder, ONE, add_one, first, 4)
    first.copy_to(second, stream=builder)
    second.copy_to(third, stream=builder)
    prepared = add_one.prepare(ONE, builder)
    prepared(third, 2)
    third.copy_to(buffer, stream=builder)
    del first, second, third
    graph = builder.end_building().complete()
    del prepared
    builder.close()
    device.allocate(16, stream=stream).fill(9, stream=stream)  # these would reuse the memory if it had been freed
    graph.launch(stream)
    stream.sync()
    assert array.tolist() == [2, 2, 1, 1]
    assert all(ref() is not None for ref in gone)
    graph.close()
    assert soon(lambda: all(ref() is None for ref in gone))


def test_embed_adds_a_child_graph(builder, device, stream, ints, add_one):
    array, buffer = ints
    definition = GraphDefinition()
    definition.launch(ONE, add_one, buffer, 4)
    builder.begin_building()
    builder.embed(definition)
    with device.create_graph_builder() as other:
        launch(other.begin_building(), ONE, add_one, buffer, 1)
        with pytest.raises(ValueError, match="child must be a builder that has finished, but it is building: call"):
            builder.embed(other)
        builder.embed(other.end_building())
    builder.end_building().complete().launch(stream)
    stream.sync()
    assert array.tolist() == [2, 1, 1, 1]


def test_a_launch_of_a_graph_is_not_captured(builder, ints, add_one):
    definition = GraphDefinition()
    definition.launch(ONE, add_one, ints[1], 4)
    executable = definition.instantiate()
    builder.begin_building()
    with pytest.raises(TypeError, match=r"stream must be a Stream, not a GraphBuilder: GraphBuilder\.embed adds"):
        executable.launch(builder)
    with pytest.raises(CUDAError, match="CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"):
        executable.launch(builder.stream)
    with pytest.raises(CUDAError, match="CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"):
        builder.end_building()


def test_allocations_within_a_captured_graph(builder, device, stream, ints, add_one):
    array, buffer = ints
    resource = GraphMemoryResource(device)
    assert resource is GraphMemoryResource(0)
    assert (resource.device_id, resource.is_device_accessible, resource.is_host_accessible) == (0, True, False)
    assert not resource.is_managed
    with pytest.raises(RuntimeError, match="stream is not being captured"):
        resource.allocate(16, stream=stream)
    builder.begin_building()
    scratch = resource.allocate(16, stream=builder)
    scratch.fill(1, stream=builder)
    launch(builder, ONE, add_one, scratch, 4)
    scratch.copy_to(buffer, stream=builder)
    scratch.close(builder)
    graph = builder.end_building().complete()
    for _ in range(2):
        array[:] = 0
        graph.launch(stream)
        stream.sync()
        assert array.tolist() == [0x01010102] * 4
    attributes = resource.attributes
    assert attributes.used_mem_high >= 16
    assert attributes.reserved_mem_current >= 16
    attributes.used_mem_high = 0
    assert attributes.used_mem_high == attributes.used_mem_current
    with pytest.raises(AttributeError, match="can only be reset to 0"):
        attributes.reserved_mem_high = 5
    resource.trim()
    resource.close()


def test_an_unsupported_call_invalidates_the_capture(builder, stream):
    builder.begin_building("global")
    with pytest.raises(CUDAError, match="STREAM_CAPTURE"):
        builder.stream.sync()
    with pytest.raises(RuntimeError, match="could not be captured: its graph is lost"):
        builder.is_building  # noqa: B018
    with pytest.raises(CUDAError, match="could not be captured"):
        builder.end_building()
    assert not builder.is_building


def test_closing_or_deleting_a_builder_ends_its_capture(device, stream):
    builder = stream.create_graph_builder().begin_building()
    builder.close()
    stream.sync()
    builder = stream.create_graph_builder().begin_building()
    del builder
    stream.sync()


def test_another_thread_may_end_a_relaxed_capture(builder, ints, add_one):
    launch(builder.begin_building(), ONE, add_one, ints[1], 4)
    thread = threading.Thread(target=builder.end_building)
    thread.start()
    thread.join()
    builder.complete().close()


def test_invalid_use_is_rejected(builder, device):
    with pytest.raises(NotImplementedError, match="a GraphBuilder is not made directly"):
        GraphBuilder()
    with pytest.raises(CUDAError, match="The legacy default stream cannot be captured: use Device"):
        LEGACY_DEFAULT_STREAM.create_graph_builder().begin_building()
    for mode in (1, b"relaxed"):
        with pytest.raises(TypeError, match="mode must be 'relaxed', 'thread_local' or 'global', not a"):
            builder.begin_building(mode)
    with pytest.raises(ValueError, match="not None"):
        builder.begin_building(None)
    with pytest.raises(ValueError, match="mode must be 'relaxed', 'thread_local' or 'global', not 'loose'"):
        builder.begin_building("loose")
    for use in (
        builder.end_building,
        lambda: builder.split(2),
        lambda: builder.callback(print),
        lambda: builder.create_condition(),
    ):
        with pytest.raises(RuntimeError, match="needs a builder that is building, but this one has not begun building"):
            use()
    with pytest.raises(RuntimeError, match="needs a builder that has finished"):
        builder.complete()
    with pytest.raises(ValueError, match="embed needs a builder that is building, but this one has not begun"):
        builder.embed(GraphDefinition())
    builder.begin_building()
    with pytest.raises(CUDAError, match="The stream is being captured already"):
        builder.stream.create_graph_builder().begin_building()
    for count, kind in ((1, ValueError), ("2", TypeError), (2.5, TypeError)):
        with pytest.raises(kind, match="count must be"):
            builder.split(count)
    with pytest.raises(RuntimeError, match="has not begun building, but this one is building"):
        builder.begin_building()
    for builders, kind, message in (
        ((), ValueError, "at least 2"),
        ((builder,), ValueError, "at least 2"),
        ((builder, 3), TypeError, "only graph builders"),
        ((builder, builder), ValueError, "only once"),
        ((builder, device.create_graph_builder()), RuntimeError, "is building, but this one has not begun"),
    ):
        with pytest.raises(kind, match=message):
            GraphBuilder.join(*builders)


def test_graph_definition_needs_a_finished_builder(builder, ints, add_one):
    with pytest.raises(RuntimeError, match="graph_definition needs a builder that has finished, but this one has not"):
        builder.graph_definition  # noqa: B018
    builder.begin_building()
    with pytest.raises(RuntimeError, match="graph_definition needs a builder that has finished, but this one is build"):
        builder.graph_definition  # noqa: B018
    launch(builder, ONE, add_one, ints[1], 4)
    definition = builder.end_building().graph_definition
    assert builder.graph_definition == definition
    builder.close()
    assert len(definition.nodes()) == 1


def test_debug_dot_print_of_a_captured_graph(builder, ints, add_one, tmp_path):
    launch(builder.begin_building(), ONE, add_one, ints[1], 4)
    with pytest.raises(RuntimeError, match="has finished"):
        builder.debug_dot_print(str(tmp_path / "x.dot"))
    builder.end_building().debug_dot_print(str(tmp_path / "x.dot"), {"verbose": True})
    assert "add_one" in (tmp_path / "x.dot").read_text()


def test_threads_build_and_launch_their_own_graphs():
    text = """
        import threading
        from cuda.core import Device, LegacyPinnedMemoryResource
        from cuda.core.graph import GraphDefinition
        wrong = []
        def work(number):
            device = Device(0); device.set_current()
            for turn in range(10):
                stream, seen = device.create_stream(), []
                buffer = LegacyPinnedMemoryResource().allocate(64, stream=stream)
                definition = GraphDefinition()
                node = definition.memset(buffer, number, 64)
                node.callback(lambda: seen.append(bytes(buffer)))
                builder = device.create_graph_builder().begin_building("thread_local")
                builder.embed(definition)
                builder.callback(lambda: seen.append(turn))
                graph = builder.end_building().complete()
                if turn % 2:
                    del definition, node
                    builder.close()
                graph.launch(stream)
                stream.sync()
                if seen != [bytes([number] * 64), turn]:
                    wrong.append(seen)
                if turn % 3:
                    graph.close()
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(wrong)
    """
    assert run_checked(text, PYTHONDEVMODE="1").strip() == "[]"


def test_python_exits_with_graphs_in_use():
    text = """
        from cuda.core import Device
        from cuda.core.graph import GraphDefinition
        device = Device(); device.set_current(); stream = device.create_stream()
        graph = GraphDefinition()
        graph.callback(lambda: None)
        executable = graph.instantiate()
        executable.launch(stream)
        builder = device.create_graph_builder().begin_building()
        builder.callback(lambda: None)
        print("end")
    """
    assert run_checked(text).strip() == "end"
