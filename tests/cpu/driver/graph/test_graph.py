# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes

import pytest
from graph_calls import add_copy, array, empty, link, listed, memory, new_graph

from cuda.cpu import abi, driver


def edges(graph: int) -> list:
    return listed(driver.cuGraphGetEdges_v1, graph, columns=2)


def test_nodes_and_edges(context):
    with new_graph() as graph:
        a = empty(graph)
        b, c = empty(graph, a), empty(graph, a)
        d = empty(graph, b, c)
        assert listed(driver.cuGraphGetNodes, graph) == [a, b, c, d]
        assert listed(driver.cuGraphGetRootNodes, graph) == [a]
        assert edges(graph) == [(a, b), (a, c), (b, d), (c, d)]
        assert listed(driver.cuGraphNodeGetDependencies_v1, d) == [b, c]
        assert listed(driver.cuGraphNodeGetDependentNodes_v1, a) == [b, c]
        assert [driver.cuGraphNodeGetLocalId(node) for node in (a, b, c, d)] == [0, 1, 2, 3]
        assert driver.cuGraphNodeGetContainingGraph(b) == graph
        assert driver.cuGraphNodeGetType(b) == abi.CU_GRAPH_NODE_TYPE_EMPTY
        assert driver.cuGraphNodeGetToolsId(a) != driver.cuGraphNodeGetToolsId(b)
        link(graph, b, d, driver.cuGraphRemoveDependencies_v1)
        link(graph, b, c)
        assert edges(graph) == [(a, b), (a, c), (b, c), (c, d)]
        driver.cuGraphDestroyNode(c)
        assert edges(graph) == [(a, b)]
        assert listed(driver.cuGraphGetRootNodes, graph) == [a, d]


def test_surplus_entries_of_node_arrays_are_null(context):
    with new_graph() as graph:
        node = empty(graph)
        room, count = (ctypes.c_uint64 * 3)(7, 7, 7), ctypes.c_size_t(3)
        driver.cuGraphGetNodes(graph, ctypes.addressof(room), ctypes.addressof(count))
        assert (list(room), count.value) == ([node, 0, 0], 1)


def test_edge_data(context, refused):
    with new_graph() as graph:
        a, b = empty(graph), empty(graph)
        given = abi.CUgraphEdgeData(from_port=1, type=abi.CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC)
        (first, count, _kept), (then, _, _also) = array([a]), array([b])
        driver.cuGraphAddDependencies(graph, first, then, ctypes.addressof(given), count)
        [(_, _, data)] = listed(driver.cuGraphGetEdges, graph, columns=3)
        assert data.to_bytes(8, "little") == bytes(given)
        with refused("LOSSY_QUERY", "edges have data"):
            edges(graph)
        with refused("INVALID_VALUE", "no such edge"):
            driver.cuGraphRemoveDependencies(graph, first, then, 0, count)
        driver.cuGraphRemoveDependencies(graph, first, then, ctypes.addressof(given), count)
        assert edges(graph) == []
        given.type = 9
        with refused("INVALID_VALUE", "edge type 9"):
            driver.cuGraphAddDependencies(graph, first, then, ctypes.addressof(given), count)


def test_rejected_dependencies_leave_the_graph_unchanged(context, refused):
    with new_graph() as graph, new_graph() as other:
        a = empty(graph)
        b = empty(graph, a)
        foreign = empty(other)
        with refused("INVALID_VALUE", "cycle"):
            link(graph, b, a)
        with refused("INVALID_VALUE", "cycle"):
            link(graph, a, a)
        with refused("INVALID_VALUE", "already"):
            link(graph, a, b)
        with refused("INVALID_VALUE", "another graph"):
            link(graph, foreign, b)
        with refused("INVALID_VALUE", "no such edge"):
            link(graph, b, a, driver.cuGraphRemoveDependencies_v1)
        with refused("INVALID_VALUE", "twice"):
            empty(graph, a, a)
        with refused("INVALID_VALUE", "NULL"):
            driver.cuGraphAddEmptyNode(graph, 0, 1)
        c = empty(graph)
        (first, count, _kept), (then, _, _also) = array([c, b]), array([b, a])
        with refused("INVALID_VALUE", "cycle"):
            driver.cuGraphAddDependencies_v1(graph, first, then, count)
        assert edges(graph) == [(a, b)]


def test_a_clone_is_independent(context, refused):
    with new_graph() as graph:
        a = empty(graph)
        b = empty(graph, a)
        clone = driver.cuGraphClone(graph)
        clones = [driver.cuGraphNodeFindInClone(node, clone) for node in (a, b)]
        assert edges(clone) == [tuple(clones)]
        assert driver.cuGraphGetId(clone) != driver.cuGraphGetId(graph)
        driver.cuGraphDestroyNode(a)
        assert len(listed(driver.cuGraphGetNodes, clone)) == 2
        with refused("INVALID_VALUE", "no clone"):
            driver.cuGraphNodeFindInClone(clones[0], graph)
        driver.cuGraphDestroy(clone)
        with refused("INVALID_HANDLE", "no live graph node"):
            driver.cuGraphNodeGetType(clones[0])


def test_wrong_graphs_and_nodes(context, refused):
    with refused("INVALID_VALUE", "flags is 1"):
        driver.cuGraphCreate(1)
    for call in (driver.cuGraphDestroy, driver.cuGraphClone, driver.cuGraphGetId):
        with refused("INVALID_HANDLE", "NULL"):
            call(0)
    for call in (driver.cuGraphNodeGetType, driver.cuGraphDestroyNode, driver.cuGraphNodeGetContainingGraph):
        with refused("INVALID_HANDLE", "no live graph node"):
            call(64)
    with new_graph() as graph, refused("INVALID_VALUE", "number is NULL"):
        driver.cuGraphGetNodes(graph, 0, 0)


def test_debug_dot_print(context, refused, tmp_path):
    path = tmp_path / "graph.dot"
    with new_graph() as graph, new_graph() as inner, memory(2) as pointer:
        add_copy(inner, pointer, pointer + 4, 4)
        a = empty(graph)
        nodes, count, _kept = array([a])
        driver.cuGraphAddChildGraphNode(graph, nodes, count, inner)
        driver.cuGraphDebugDotPrint(graph, str(path).encode(), abi.CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE)
        text = path.read_text()
        assert text.startswith("digraph")
        assert " -> " in text
        assert "WidthInBytes: 4" in text
        assert text.count("{") == text.count("}") == 2
        with refused("INVALID_VALUE", "No such file"):
            driver.cuGraphDebugDotPrint(graph, str(tmp_path / "none" / "x").encode(), 0)
        with refused("INVALID_VALUE", "NULL"):
            driver.cuGraphDebugDotPrint(graph, None, 0)


@pytest.fixture
def destroyed():
    """The list of arguments that user objects' destructors were called with, and the address of the destructor."""
    seen: list[int] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    return seen, ctypes.cast(function, ctypes.c_void_p).value, function


def test_user_objects_live_as_long_as_graphs(context, destroyed, refused):
    seen, destroy, _kept = destroyed
    graph = driver.cuGraphCreate(0)
    thing = driver.cuUserObjectCreate(5, destroy, 1, abi.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    driver.cuUserObjectRetain(thing, 2)
    driver.cuUserObjectRelease(thing, 2)
    driver.cuGraphRetainUserObject(graph, thing, 1, abi.CU_GRAPH_USER_OBJECT_MOVE)
    driver.cuGraphRetainUserObject(graph, thing, 3, 0)
    driver.cuGraphReleaseUserObject(graph, thing, 3)
    with refused("INVALID_VALUE", "count is 2"):
        driver.cuGraphReleaseUserObject(graph, thing, 2)
    executable = driver.cuGraphInstantiate(graph, 0)
    driver.cuGraphDestroy(graph)
    assert seen == []
    driver.cuGraphExecDestroy(executable)
    assert seen == [5]
    with refused("INVALID_HANDLE"):
        driver.cuUserObjectRetain(thing, 1)


def test_user_objects_are_released_with_their_child_graph(context, destroyed):
    """CUDA programming guide, "CUDA User Objects": they belong to the child graph, not to its parent."""
    seen, destroy, _kept = destroyed
    with new_graph() as graph, new_graph() as inner:
        node = driver.cuGraphAddChildGraphNode(graph, 0, 0, inner)
        body = driver.cuGraphChildGraphNodeGetGraph(node)
        thing = driver.cuUserObjectCreate(5, destroy, 1, abi.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        driver.cuGraphRetainUserObject(body, thing, 1, abi.CU_GRAPH_USER_OBJECT_MOVE)
        made = driver.cuGraphInstantiate(graph, 0)
        driver.cuGraphDestroyNode(node)
        assert seen == []
        driver.cuGraphExecDestroy(made)
        assert seen == [5]


def test_an_update_copies_user_objects(context, destroyed):
    seen, destroy, _kept = destroyed
    graphs = [driver.cuGraphCreate(0) for _ in range(2)]
    for number, graph in enumerate(graphs):
        thing = driver.cuUserObjectCreate(number, destroy, 1, abi.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        driver.cuGraphRetainUserObject(graph, thing, 1, abi.CU_GRAPH_USER_OBJECT_MOVE)
    executable = driver.cuGraphInstantiate(graphs[0], 0)
    driver.cuGraphDestroy(graphs[0])
    info = abi.CUgraphExecUpdateResultInfo()
    driver.cuGraphExecUpdate(executable, graphs[1], ctypes.addressof(info))
    driver.cuGraphDestroy(graphs[1])
    assert seen == [None], "number 0, which is NULL"
    driver.cuGraphExecDestroy(executable)
    assert seen == [None, 1]


def test_wrong_user_objects(context, destroyed, refused):
    _, destroy, _kept = destroyed
    for arguments in ((5, destroy, 0, 1), (5, destroy, 1, 0), (5, 0, 1, 1)):
        with refused("INVALID_VALUE", "cuUserObjectCreate"):
            driver.cuUserObjectCreate(*arguments)
    thing = driver.cuUserObjectCreate(5, destroy, 1, 1)
    with refused("INVALID_VALUE", "count is 2"):
        driver.cuUserObjectRelease(thing, 2)
    with new_graph() as graph, refused("INVALID_VALUE", "flags is 4"):
        driver.cuGraphRetainUserObject(graph, thing, 1, 4)
    driver.cuUserObjectRelease(thing, 1)
