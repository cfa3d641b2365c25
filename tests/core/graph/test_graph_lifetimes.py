# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operands of graph nodes live exactly as long as a graph, a clone or an executable graph refers to them."""

import ctypes
import gc
import threading
import time
import weakref

import numpy as np
import pytest

from cuda.bindings import driver
from cuda.core import Buffer, LegacyPinnedMemoryResource, MemoryResource
from cuda.core.graph import GraphBuilder, GraphDefinition


class Function:
    def __call__(self):
        pass


class Host(MemoryResource):
    """A memory resource of host memory that counts its deallocations."""

    is_device_accessible = is_host_accessible = True
    device_id = -1

    def __init__(self):
        self.arrays, self.freed = [], 0

    def allocate(self, size, *, stream=None):
        array = np.zeros(size, np.uint8)
        self.arrays.append(array)
        (status,) = driver.cuMemHostRegister(array.ctypes.data, size, 0)
        assert status == driver.CUresult.CUDA_SUCCESS
        return Buffer.from_handle(array.ctypes.data, size, mr=self)

    def deallocate(self, ptr, size, *, stream):
        self.freed += 1
        (status,) = driver.cuMemHostUnregister(ptr)
        assert status == driver.CUresult.CUDA_SUCCESS


@pytest.fixture
def memory(device):
    return Host()


@pytest.fixture
def settle(stream, on_gpu):
    """Return a function that releases what the driver has freed, as the main thread does between instructions."""

    def settle():
        stream.sync()
        if on_gpu:
            time.sleep(0.2)  # NVIDIA's driver releases the operands of graphs in a thread of its own
        for _ in range(2):
            gc.collect()
            for _ in range(100):
                pass

    return settle


@pytest.fixture
def function():
    """Return a list with a function, and a weak reference to the function."""
    made = Function()
    return [made], weakref.ref(made)


def test_nodes_keep_the_memory_of_a_closed_buffer(device, stream, memory, settle):
    source, target = (memory.allocate(4, stream=stream) for _ in range(2))
    graph = GraphDefinition()
    node = graph.memset(source, 7, 4).memcpy(target, source, 4)
    source.close()
    target.close()
    assert (source.handle, memory.freed) == (0, 0)
    executable = graph.instantiate()
    executable.launch(stream)
    stream.sync()
    assert memory.arrays[1].tolist() == [7] * 4
    node.update(size=2)
    del graph, node
    settle()
    assert memory.freed == 0, "the executable graph copies and fills it"
    executable.close()
    settle()
    assert memory.freed == 2


def test_a_closed_buffer_as_dst_owner_keeps_its_memory(device, stream, memory, settle):
    buffer = memory.allocate(4, stream=stream)
    graph = GraphDefinition()
    node = graph.memset(buffer.handle, 7, 4, dst_owner=buffer)
    buffer.close()
    settle()
    assert memory.freed == 0
    node.destroy()
    settle()
    assert memory.freed == 1


def test_memory_is_freed_once_updates_have_replaced_it(device, stream, memory, settle):
    first, second, third = (memory.allocate(4, stream=stream) for _ in range(3))
    graph = GraphDefinition()
    node = graph.memset(first, 7, 4)
    executable = graph.instantiate()
    node.update(dst=second)
    for buffer in (first, second):
        buffer.close()
    settle()
    assert memory.freed == 0
    executable.update(graph)
    settle()
    assert memory.freed == 1
    executable[node].update(dst=third, value=1, width=4)
    third.close()
    executable[node].update(dst=memory.allocate(4, stream=stream), value=1, width=4)
    settle()
    assert memory.freed == 2, "nobody launched the executable graph with the third buffer"
    executable.close()
    settle()
    assert memory.freed == 3
    del graph, node
    settle()
    assert memory.freed == 4


def test_a_buffer_used_by_nodes_cannot_move(device, stream, memory):
    buffer = memory.allocate(4, stream=stream)
    node = GraphDefinition().memset(buffer, 7, 4)
    with pytest.raises(BufferError, match="1 arrays or nodes of graphs refer to its memory"):
        buffer._check_movable()
    node.destroy()
    buffer._check_movable()
    buffer.close()
    assert memory.freed == 1


def test_a_closed_event_is_still_recorded_and_waited_for(device, stream, on_gpu):
    event = device.create_event()
    handle = driver.CUevent(int(event.handle))
    graph = GraphDefinition()
    graph.record(event).wait(event)
    event.close()
    executable = graph.instantiate()
    executable.launch(stream)
    stream.sync()
    assert driver.cuEventQuery(handle) == (driver.CUresult.CUDA_SUCCESS,)
    del graph
    executable.close()
    gc.collect()
    if not on_gpu:  # whose driver must not be asked about what is destroyed
        assert driver.cuEventQuery(handle)[0] != driver.CUresult.CUDA_SUCCESS, "the last graph destroyed it"


def test_operands_of_a_child_graph_are_released_with_its_node(stream, settle, function):
    made, alive = function
    inner = GraphDefinition()
    inner.empty()
    graph = GraphDefinition()
    node = graph.embed(inner)
    node.child_graph.callback(made.pop())
    settle()
    assert alive() is not None
    executable = graph.instantiate()
    node.destroy()
    settle()
    assert alive() is not None, "the executable graph has a copy"
    executable.close()
    settle()
    assert alive() is None


def test_replaced_operands_of_a_child_graph_are_released(stream, settle, function):
    made, alive = function
    inner = GraphDefinition()
    inner.empty()
    graph = GraphDefinition()
    node = graph.embed(inner)
    call = node.child_graph.callback(made.pop())
    del call
    gc.collect()
    (call,) = (each for each in node.child_graph.nodes() if hasattr(each, "callback") and each.type.value == 3)
    assert call.callback is alive(), "what is known of a node outlives the objects that stand for it"
    call.update(print)
    settle()
    assert alive() is None


@pytest.mark.cpu_only  # driver 580 copies no graph of a node
def test_a_copied_child_graph_keeps_its_operands(stream, settle, function):
    made, alive = function
    inner = GraphDefinition()
    inner.callback(made.pop())
    middle = GraphDefinition()
    node = middle.embed(inner)
    outer = GraphDefinition()
    last = outer.embed(node.child_graph)
    del inner, middle, node
    settle()
    assert alive() is not None
    executable = outer.instantiate()
    executable.launch(stream)
    executable.close()
    last.destroy()
    settle()
    assert alive() is None


def test_updating_an_executable_child_graph_keeps_the_new_operands(stream, settle):
    old, new = Function(), Function()
    alive = weakref.ref(old), weakref.ref(new)
    first, second = GraphDefinition(), GraphDefinition()
    first.callback(old)
    second.callback(new)
    graph = GraphDefinition()
    node = graph.embed(first)
    executable = graph.instantiate()
    executable[node].update(second)
    del first, second, old, new, graph, node
    settle()
    assert [each() is not None for each in alive] == [False, True]
    executable.launch(stream)
    executable.close()
    settle()
    assert alive[1]() is None


@pytest.mark.cpu_only  # driver 580 refuses host functions in bodies
@pytest.mark.parametrize("end", ["node", "graph"])
def test_operands_in_conditional_bodies(stream, settle, function, end):
    made, alive = function
    graph = GraphDefinition()
    node = graph.if_then(graph.create_condition(default_value=1))
    node.then.callback(made.pop())
    executable = graph.instantiate()
    executable.launch(stream)
    settle()
    if end == "node":
        node.destroy()
    else:
        del graph, node
    settle()
    assert alive() is not None
    executable.close()
    settle()
    assert alive() is None


def test_operands_of_child_graphs_in_conditional_bodies(stream, settle, function):
    made, alive = function
    inner = GraphDefinition()
    inner.callback(made.pop())
    graph = GraphDefinition()
    node = graph.if_then(graph.create_condition(default_value=1))
    child = node.then.embed(inner)
    child.child_graph.callback(print)
    del inner
    settle()
    assert alive() is not None
    node.destroy()
    settle()
    assert alive() is None
    assert not child.is_valid


@pytest.mark.cpu_only
def test_operands_captured_into_a_conditional_body(device, stream, settle, function):
    made, alive = function
    with device.create_graph_builder().begin_building() as builder:
        body = builder.if_then(builder.create_condition(default_value=1)).begin_building()
        body.callback(made.pop())
        body.end_building().close()
        executable = builder.end_building().complete()
    settle()
    assert alive() is not None
    executable.launch(stream)
    executable.close()
    settle()
    assert alive() is None


def test_a_failed_instantiation_releases_its_operands(stream, settle, function):
    made, alive = function
    graph = GraphDefinition()
    graph.create_condition(default_value=1)
    graph.callback(made.pop())
    with pytest.raises(RuntimeError, match="cuGraphInstantiateWithParams"):
        graph.instantiate()
    settle()
    assert alive() is not None
    del graph
    settle()
    assert alive() is None


def test_a_failed_capture_releases_its_operands(device, settle, function):
    made, alive = function
    with device.create_graph_builder().begin_building() as builder:
        builder.callback(made.pop())
        with pytest.raises(RuntimeError, match="STREAM_CAPTURE_UNSUPPORTED"):
            builder.stream.sync()
        with pytest.raises(RuntimeError, match="STREAM_CAPTURE_INVALIDATED"):
            builder.end_building()
        settle()
        assert alive() is None


def test_operands_of_a_clone_made_by_the_driver(stream, settle, function):
    made, alive = function
    graph = GraphDefinition()
    graph.callback(made.pop())
    status, clone = driver.cuGraphClone(graph.handle)
    assert status == driver.CUresult.CUDA_SUCCESS
    del graph
    settle()
    assert alive() is not None
    driver.cuGraphDestroy(clone)
    settle()
    assert alive() is None


def test_a_running_launch_keeps_operands_of_child_graphs(stream, settle, function):
    made, alive = function
    gate = threading.Event()
    inner = GraphDefinition()
    inner.callback(gate.wait)
    inner.callback(made.pop())
    graph = GraphDefinition()
    graph.embed(inner)
    executable = graph.instantiate()
    del inner, graph
    executable.launch(stream)
    closer = threading.Thread(target=executable.close)
    closer.start()
    gc.collect()
    assert alive() is not None
    gate.set()
    closer.join()
    settle()
    assert alive() is None


def test_a_buffer_deleted_during_capture_lives_with_the_graph(device, stream):
    """The source of a captured copy lives as long as the graph; deleting it does not invalidate the capture."""
    pinned = LegacyPinnedMemoryResource()
    target = pinned.allocate(4, stream=stream)
    (ctypes.c_uint8 * 4).from_address(target.handle)[:] = [0] * 4
    with device.create_graph_builder().begin_building() as builder:
        source = pinned.allocate(4, stream=builder)
        (ctypes.c_uint8 * 4).from_address(source.handle)[:] = [1, 2, 3, 4]
        target.copy_from(source, stream=builder)
        del source
        gc.collect()
        executable = builder.end_building().complete()
    executable.launch(stream)
    stream.sync()
    assert bytes(target) == bytes([1, 2, 3, 4])
    executable.close()
    assert isinstance(builder, GraphBuilder)
