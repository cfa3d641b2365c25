# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""GraphDefinition: nodes and their attributes, edges, updates, and the lifetime of operands."""

import ctypes
import gc
import weakref

import numpy as np
import pytest

from cuda.bindings import driver
from cuda.core import CUDAError, EventOptions, GraphMemoryResource, LaunchConfig, LegacyPinnedMemoryResource
from cuda.core.graph import (
    AllocNode,
    ChildGraphNode,
    EmptyNode,
    EventRecordNode,
    EventWaitNode,
    FreeNode,
    GraphDefinition,
    GraphNode,
    HostCallbackNode,
    KernelNode,
    MemcpyNode,
    MemsetNode,
)

ONE = LaunchConfig(grid=1, block=4)


@pytest.fixture
def ints(stream):
    """Return four ints that host and device use, and their Buffer."""
    buffer = LegacyPinnedMemoryResource().allocate(16, stream=stream)
    array = np.frombuffer(buffer, np.int32)
    array[:] = 0
    yield array, buffer
    stream.sync()
    del array


@pytest.fixture
def graph(device):
    return GraphDefinition()


@pytest.fixture
def run(stream):
    """Return a function that launches a graph once, from its definition, and waits."""

    def once(graph):
        with graph.instantiate() as executable:
            executable.launch(stream)
            stream.sync()

    return once


@pytest.fixture
def add_one(module):
    return module.get_kernel("add_one")


def settle():
    """Release what the driver has freed: the main thread does that between two bytecode instructions."""
    gc.collect()
    for _ in range(100):
        pass


def test_nodes_run_in_the_order_of_their_edges(graph, run, ints, add_one):
    array, buffer = ints
    seen = []
    filled = graph.memset(buffer, np.int32(5), 4)
    added = filled.launch(ONE, add_one, buffer, 4)
    added.callback(lambda: seen.append(array.tolist()))
    for _ in range(2):
        run(graph)
    assert seen == [[6, 6, 6, 6]] * 2
    assert len(graph.nodes()) == 3
    assert (filled, added) in graph.edges()


def test_attributes_of_nodes(graph, ints, add_one, device):
    _, buffer = ints
    config = LaunchConfig(grid=(2, 3), block=(4, 5, 6), shmem_size=128)
    kernel = graph.launch(config, add_one, buffer, 4)
    assert isinstance(kernel, KernelNode)
    assert (kernel.grid, kernel.block, kernel.shmem_size) == ((2, 3, 1), (4, 5, 6), 128)
    assert (kernel.config, kernel.kernel) == (config, add_one)
    copy = graph.memcpy(buffer.handle, buffer.handle + 8, 8)
    assert isinstance(copy, MemcpyNode)
    assert (copy.dst, copy.src, copy.size) == (buffer.handle, buffer.handle + 8, 8)
    fill = graph.memset(buffer, b"\1\2", 3, 2, pitch=8)
    assert isinstance(fill, MemsetNode)
    assert (fill.dptr, fill.value, fill.element_size) == (buffer.handle, 0x0201, 2)
    assert (fill.width, fill.height, fill.pitch) == (3, 2, 8)
    event = device.create_event()
    record, wait = graph.record(event), graph.wait(event)
    assert (type(record), type(wait)) == (EventRecordNode, EventWaitNode)
    assert record.event is wait.event is event
    call = graph.callback(settle)
    assert isinstance(call, HostCallbackNode)
    assert call.callback is settle
    kinds = {node.type for node in graph.nodes()}
    assert driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL in kinds
    assert len(kinds) == 6
    assert "KernelNode" in repr(kernel)


def test_a_captured_kernel_node_has_its_kernel(device, module, ints):
    from cuda.core import launch

    builder = device.create_graph_builder().begin_building()
    launch(builder, ONE, module.get_kernel("add_one"), ints[1], 4)
    (node,) = builder.end_building().graph_definition.nodes()
    assert "add_one" in repr(node.kernel)
    assert node.kernel.num_arguments == 2
    assert node.config == ONE


def test_cooperative_and_cluster_are_kernel_node_attributes(graph, ints, add_one):
    config = LaunchConfig(grid=2, block=4, is_cooperative=True)
    node = graph.launch(config, add_one, ints[1], 4)
    assert node.config == config
    with pytest.raises(ValueError, match="cannot be taken back"):
        node.update(config=ONE)
    with pytest.raises(ValueError, match="a node has edges instead"):
        graph.launch(LaunchConfig(grid=1, block=1, programmatic_stream_serialization=True), add_one, ints[1], 4)


def test_pred_and_succ_are_sets(graph):
    a, b, c = (graph.empty() for _ in range(3))
    joined = a.join(b, c)
    assert isinstance(joined, EmptyNode)
    assert joined.pred == {a, b, c}
    assert a.succ == {joined}
    joined.pred.discard(a)
    assert len(a.succ) == 0
    a.succ.add(b)
    a.succ.add(b)
    assert (a.succ, set(b.pred)) == ({b}, {a})
    joined.pred = {a}
    assert (joined.pred, c.succ) == ({a}, set())
    a.succ.update([c], [joined])
    assert graph.edges() == {(a, b), (a, c), (a, joined)}
    assert a.succ | {a} == {a, b, c, joined}
    a.succ.clear()
    assert graph.edges() == set()


@pytest.mark.cpu_only  # NVIDIA's driver finds cycles at instantiation
def test_a_rejected_edge_leaves_the_graph_unchanged(graph):
    a, b, c = graph.empty(), graph.empty(), graph.empty()
    a.succ.add(b)
    b.succ.add(c)
    before = graph.edges()
    with pytest.raises(CUDAError, match="makes a cycle"):
        a.pred = {c, graph.empty()}
    assert graph.edges() == before
    with pytest.raises(ValueError, match="node is of another graph"):
        a.succ.add(GraphDefinition().empty())
    with pytest.raises(TypeError, match="must be a GraphNode, not int"):
        a.succ.add(3)


def test_a_destroyed_node(graph):
    a = graph.empty()
    b = a.join()
    a.destroy()
    a.destroy()
    assert (a.is_valid, a.handle, b.is_valid) == (False, None, True)
    assert b.pred == set()
    assert graph.nodes() == {b}
    for use in (lambda: a.type, lambda: a.join(), lambda: graph.join(a), lambda: b.succ.add(a)):
        with pytest.raises(ValueError, match="destroyed"):
            use()


def test_node_identity(graph):
    node = graph.empty()
    (found,) = graph.nodes()
    assert found is node
    assert node.graph == graph
    assert node.graph is not graph
    assert {graph, node.graph} == {graph}
    assert graph != GraphDefinition()
    assert node != graph.empty()
    assert isinstance(node, GraphNode)
    assert node.handle == driver.CUgraphNode(int(node.handle))
    assert graph.handle == driver.CUgraph(int(graph.handle))


def test_a_graph_lives_as_long_as_its_nodes():
    node = GraphDefinition().empty()
    settle()
    assert node.is_valid
    assert node.graph.nodes() == {node}


def test_node_updates_apply_to_later_instantiations(graph, stream, ints, add_one):
    array, buffer = ints
    fill = graph.memset(buffer, 0, 16)
    kernel = fill.launch(ONE, add_one, buffer, 4)
    with graph.instantiate() as before:
        fill.update(value=np.int32(7), width=4)
        kernel.update(args=(buffer, 2))
        with graph.instantiate() as after:
            after.launch(stream)
            stream.sync()
            assert array.tolist() == [8, 8, 7, 7]
        before.launch(stream)
        stream.sync()
        assert array.tolist() == [1, 1, 1, 1]
    kernel.update(config=LaunchConfig(grid=1, block=1))
    assert kernel.block == (1, 1, 1)
    with pytest.raises(ValueError, match="args must be given for another kernel"):
        kernel.update(kernel=add_one.from_handle(int(graph.launch(ONE, add_one, buffer, 1).kernel.handle) + 1))
    fill.update(dst=buffer.handle + 8, width=2)
    assert (fill.dptr, fill.width, fill.element_size) == (buffer.handle + 8, 2, 4)


def test_update_of_copies_calls_and_events(graph, run, device, ints):
    array, buffer = ints
    array[:] = 1, 2, 3, 4
    seen = []
    copy = graph.memcpy(buffer, buffer.handle + 4, 4)
    call = copy.callback(lambda: seen.append("first"))
    record = call.record(device.create_event())
    copy.update(src=buffer.handle + 8)
    assert (copy.dst, copy.src, copy.size) == (buffer.handle, buffer.handle + 8, 4)
    copy.update(size=8)
    call.update(lambda: seen.append("second"))
    other = device.create_event()
    record.update(other)
    assert record.event is other
    wait = record.wait(other)
    wait.update(third := device.create_event())
    assert wait.event is third
    run(graph)
    assert (array.tolist(), seen) == ([3, 4, 3, 4], ["second"])
    assert other.is_done
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda address: None)
    call.update(function)
    assert call.callback is None


def test_a_c_callback_receives_its_user_data(graph, run):
    seen = []
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

    @kind
    def call(address):
        seen.append(ctypes.string_at(address, 4) if address and address > 4096 else address)

    data = bytearray(b"abcd")
    graph.callback(call, user_data=data).join().callback(call, user_data=7).join().callback(call)
    data[:] = b"----"
    run(graph)
    assert seen == [b"abcd", 7, None]


def test_a_callback_that_fails_is_reported(graph, run, monkeypatch):
    told = []
    monkeypatch.setattr("sys.unraisablehook", lambda report: told.append(report.exc_value))
    graph.callback(lambda: 1 // 0)
    run(graph)
    assert isinstance(told[0], ZeroDivisionError)


def test_child_graph(graph, run, ints, add_one):
    array, buffer = ints
    inner = GraphDefinition()
    inner.launch(ONE, add_one, buffer, 4)
    node = graph.embed(inner)
    assert isinstance(node, ChildGraphNode)
    inner.launch(ONE, add_one, buffer, 4)
    run(graph)
    assert array.tolist() == [1, 1, 1, 1]
    child = node.child_graph
    assert (child.is_valid, len(child.nodes())) == (True, 1)
    assert child != inner
    assert node.child_graph == child
    node.update(inner)
    assert not child.is_valid
    with pytest.raises(ValueError, match="this graph is gone"):
        child.nodes()
    run(graph)
    assert array.tolist() == [3, 3, 3, 3]
    node.destroy()
    assert graph.nodes() == set()


def test_allocations(graph, run, device, ints, module):
    array, buffer = ints
    made = graph.allocate(16, device=device)
    assert isinstance(made, AllocNode)
    assert made.dptr
    assert (made.bytesize, made.device_id, made.memory_type, made.peer_access) == (16, 0, "device", ())
    filled = made.memset(made.dptr, 9, 16)
    back = filled.memcpy(buffer, made.dptr, 16)
    freed = back.deallocate(made.dptr)
    assert isinstance(freed, FreeNode)
    assert freed.dptr == made.dptr
    for _ in range(2):
        array[:] = 0
        run(graph)
        assert array.tolist() == [0x09090909] * 4
        # A graph with allocations is instantiated once at a time.
    with pytest.raises(ValueError, match="is not a valid GraphMemoryType"):
        graph.allocate(16, memory_type="disk")


@pytest.mark.parametrize("kind", ["host", "managed"])
def test_host_accessible_allocations(graph, run, kind, on_gpu):
    if on_gpu and kind == "managed":
        pytest.skip("with driver 580, the host cannot read it while the graph runs")
    try:
        made = graph.allocate(16, memory_type=kind)
    except CUDAError as error:
        if not on_gpu or error.name != "CUDA_ERROR_NOT_SUPPORTED":
            raise
        pytest.skip(f"the driver has no {kind} memory for graphs")
    assert made.memory_type == kind
    seen = []
    filled = made.memset(made.dptr, 5, 16)
    called = filled.callback(lambda: seen.append(ctypes.string_at(made.dptr, 16)))
    called.deallocate(made.dptr)
    run(graph)
    assert seen == [bytes([5] * 16)]


@pytest.mark.cpu_only  # counts bytes, NVIDIA's driver units of 32 MiB
def test_graph_memory_attributes(graph, device, stream):
    attributes = GraphMemoryResource(device).attributes
    used = attributes.used_mem_current
    made = graph.allocate(1 << 20)
    executable = graph.instantiate({"auto_free_on_launch": True})
    for _ in range(2):
        executable.launch(stream)
        stream.sync()
        assert attributes.used_mem_current == used + (1 << 20)
    driver.cuMemFreeAsync(made.dptr, stream.handle)
    executable.close()
    stream.sync()
    assert attributes.used_mem_current == used


def test_operands_live_as_long_as_the_graph(graph, stream, device, add_one):
    class Function:
        def __call__(self):
            pass

    function, owner = Function(), Function()
    buffer = device.allocate(64, stream=stream)
    gone = [weakref.ref(function), weakref.ref(owner), weakref.ref(buffer)]
    call = graph.callback(function)
    filled = graph.memset(buffer.handle, 0, 64, dst_owner=owner)
    filled.launch(ONE, add_one, buffer, 4)
    del function, owner, buffer, filled
    settle()
    assert all(ref() is not None for ref in gone)
    executable = graph.instantiate()
    call.update(settle)
    settle()
    assert gone[0]() is not None, "the executable graph needs it"
    del call, graph
    executable.launch(stream)
    stream.sync()
    executable.close()


def test_operands_are_released_with_the_graph(device, stream, add_one):
    graph = GraphDefinition()
    owner = Owner()
    gone = weakref.ref(owner)
    graph.memset(device.allocate(64, stream=stream), 0, 64, dst_owner=owner)
    executable = graph.instantiate()
    del owner, graph
    settle()
    assert gone() is not None
    executable.close()
    settle()
    assert gone() is None


def test_operands_replaced_by_an_update_are_released(graph, device, stream):
    owner = Owner()
    gone = weakref.ref(owner)
    buffer = device.allocate(64, stream=stream)
    node = graph.memset(buffer.handle, 0, 64, dst_owner=owner)
    del owner
    node.update(value=1)
    node.update(value=2)
    settle()
    assert gone() is not None
    node.update(dst=buffer)
    settle()
    assert gone() is None


class Owner:
    pass


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda g, b, k: g.launch(None, k, b, 4), TypeError, "config must be a LaunchConfig, not NoneType"),
        (lambda g, b, k: g.launch(ONE, None), TypeError, "kernel must be a Kernel"),
        (lambda g, b, k: g.launch(ONE, k, b), TypeError, "takes 2 arguments, but 1 was given"),
        (lambda g, b, k: g.memcpy(b, b, 17), ValueError, "dst is a Buffer of 16 bytes, but 17 are used"),
        (lambda g, b, k: g.memcpy(b, b, 0), ValueError, "size must be at least 1 byte"),
        (lambda g, b, k: g.memcpy(b, "x", 4), TypeError, "src must be a Buffer, a DeviceArray or an address, not str"),
        (lambda g, b, k: g.memset(b, 256, 1), OverflowError, "0 to 255, not 256"),
        (lambda g, b, k: g.memset(b, 0, 0), ValueError, "width must be at least 1, not 0"),
        (lambda g, b, k: g.memset(b, 0, 1.0), TypeError, "width must be an int, not float"),
        (lambda g, b, k: g.memset(b, 0, 4, 2, pitch=3), ValueError, "pitch is 3 bytes, but a row of 4 elements has 4"),
        (lambda g, b, k: g.memset(b, 0, 4, 4, pitch=5), ValueError, "of 16 bytes, but 19 are used"),
        (lambda g, b, k: g.callback(3), TypeError, "fn must be callable"),
        (lambda g, b, k: g.callback(print, user_data=b"x"), ValueError, "user_data is for a ctypes function"),
        (lambda g, b, k: g.record(b), TypeError, "event must be an Event, not Buffer"),
        (lambda g, b, k: g.embed(b), TypeError, "child must be a GraphDefinition, not Buffer"),
        (lambda g, b, k: g.join(b), TypeError, "must be a GraphNode, not Buffer"),
        (lambda g, b, k: g.join(GraphDefinition().empty()), ValueError, "the node is of another graph"),
        (lambda g, b, k: g.deallocate(b.handle), CUDAError, "CUDA_ERROR_INVALID_VALUE.*cuGraphAddMemFreeNode"),
        (lambda g, b, k: g.if_then(3), TypeError, "condition must be a GraphCondition, not int"),
        (lambda g, b, k: g.switch(None, 0), ValueError, "count must be at least 1, not 0"),
        (lambda g, b, k: g.switch(None, -1), OverflowError, "count must be from 0 to 4294967295, not -1"),
        (lambda g, b, k: g.memset(b, 0, -1), OverflowError, "width must be from 1 to"),
        (lambda g, b, k: g.memset(b, 0, 4, height=-1), OverflowError, "height must be from 1 to"),
        (lambda g, b, k: g.deallocate("x"), TypeError, "ptr must be an address"),
        (lambda g, b, k: g.create_condition(-1), OverflowError, "default_value must be from 0"),
        (lambda g, b, k: GraphNode(), RuntimeError, "a GraphNode is not made directly"),
    ],
)
def test_invalid_arguments_add_no_node(graph, ints, add_one, use, error, message):
    with pytest.raises(error, match=message):
        use(graph, ints[1], add_one)
    assert graph.nodes() == set()


def test_a_closed_operand_is_rejected(graph, device, stream, add_one):
    buffer, event = device.allocate(16, stream=stream), device.create_event()
    buffer.close()
    event.close()
    for use in (
        lambda: graph.launch(ONE, add_one, buffer, 4),
        lambda: graph.memset(buffer, 0, 1),
        lambda: graph.record(event),
    ):
        with pytest.raises(ValueError, match="closed"):
            use()
    assert graph.nodes() == set()


def test_debug_dot_print(graph, tmp_path, ints):
    graph.memset(ints[1], 3, 16).join()
    path = tmp_path / "graph.dot"
    graph.debug_dot_print(str(path))
    plain = path.read_text()
    assert plain.startswith("digraph")
    assert "->" in plain
    graph.debug_dot_print(path, {"memset_node_params": True})
    assert "elementSize" in path.read_text()
    assert "elementSize" not in plain
    with pytest.raises(TypeError, match="options must be GraphDebugPrintOptions"):
        graph.debug_dot_print(str(path), 3)
    with pytest.raises(ValueError, match=r"^path must not contain a NUL character: '.*x00b'$"):
        graph.debug_dot_print("a\0b")


def test_timing_events_in_a_graph(graph, stream, device):
    start, end = (device.create_event(EventOptions(timing_enabled=True)) for _ in range(2))
    graph.record(start).record(end)
    with graph.instantiate() as executable:
        executable.launch(stream)
        end.sync()
        assert end - start >= 0
