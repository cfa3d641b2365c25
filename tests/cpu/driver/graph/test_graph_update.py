# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Device-updatable kernel nodes, updated by kernels of the same and of other graphs."""

from __future__ import annotations

import ctypes
from ctypes import addressof, c_uint32, c_uint64

import graph_calls as calls
import kernels
import pytest

from cuda.cpu import abi, driver

UPDATABLE = abi.CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE
GRID, PARAM, ENABLED = 1, 2, 3  # cudaGraphKernelNodeField
INVALID = 1  # cudaErrorInvalidValue

DECLARED = """
.extern .func (.param .b32 r) cudaGraphKernelNodeSetParam(.param .b64 n, .param .b64 o, .param .b64 v, .param .b64 s);
.extern .func (.param .b32 r) cudaGraphKernelNodeSetEnabled(.param .b64 n, .param .b32 e);
.extern .func (.param .b32 r) cudaGraphKernelNodeSetGridDim(.param .b64 n, .param .align 4 .b8 g[12]);
.extern .func (.param .b32 r) cudaGraphKernelNodeUpdatesApply(.param .b64 u, .param .b64 c);
"""

# *place += 1 by each block
ADD = """
.visible .entry add(.param .u64 out_ptr, .param .u32 value)
{
 .reg .b64 %rd<2>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [out_ptr]; ld.param.u32 %r1, [value]; red.global.add.u32 [%rd1], %r1; ret;
}
"""

# Each kernel stores what its call returns.
PARAMETER = """
.visible .entry parameter(.param .u64 node, .param .u64 offset, .param .u64 value, .param .u64 size, .param .u64 result)
{
 .reg .b64 %rd<6>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [node]; ld.param.u64 %rd2, [offset]; ld.param.u64 %rd3, [value]; ld.param.u64 %rd4, [size];
 ld.param.u64 %rd5, [result];
 { .param .b64 a; st.param.b64 [a], %rd1; .param .b64 b; st.param.b64 [b], %rd2; .param .b64 c; st.param.b64 [c], %rd3;
   .param .b64 d; st.param.b64 [d], %rd4; .param .b32 q;
   call.uni (q), cudaGraphKernelNodeSetParam, (a, b, c, d); ld.param.b32 %r1, [q]; }
 st.global.u32 [%rd5], %r1; ret;
}
"""

ENABLE = """
.visible .entry enable(.param .u64 node, .param .u32 on, .param .u64 result)
{
 .reg .b64 %rd<3>; .reg .b32 %r<3>;
 ld.param.u64 %rd1, [node]; ld.param.u32 %r1, [on]; ld.param.u64 %rd2, [result];
 { .param .b64 a; st.param.b64 [a], %rd1; .param .b32 b; st.param.b32 [b], %r1; .param .b32 q;
   call.uni (q), cudaGraphKernelNodeSetEnabled, (a, b); ld.param.b32 %r2, [q]; }
 st.global.u32 [%rd2], %r2; ret;
}
"""

RESIZE = """
.visible .entry resize(.param .u64 node, .param .u32 x, .param .u32 y, .param .u32 z, .param .u64 result)
{
 .reg .b64 %rd<3>; .reg .b32 %r<5>;
 ld.param.u64 %rd1, [node]; ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y]; ld.param.u32 %r3, [z];
 ld.param.u64 %rd2, [result];
 { .param .b64 a; st.param.b64 [a], %rd1; .param .align 4 .b8 b[12]; st.param.b32 [b], %r1; st.param.b32 [b+4], %r2;
   st.param.b32 [b+8], %r3; .param .b32 q;
   call.uni (q), cudaGraphKernelNodeSetGridDim, (a, b); ld.param.b32 %r4, [q]; }
 st.global.u32 [%rd2], %r4; ret;
}
"""

APPLY = """
.visible .entry apply(.param .u64 updates, .param .u64 count, .param .u64 result)
{
 .reg .b64 %rd<4>; .reg .b32 %r<2>;
 ld.param.u64 %rd1, [updates]; ld.param.u64 %rd2, [count]; ld.param.u64 %rd3, [result];
 { .param .b64 a; st.param.b64 [a], %rd1; .param .b64 b; st.param.b64 [b], %rd2; .param .b32 q;
   call.uni (q), cudaGraphKernelNodeUpdatesApply, (a, b); ld.param.b32 %r1, [q]; }
 st.global.u32 [%rd3], %r1; ret;
}
"""


class Update(ctypes.Structure):
    """cudaGraphKernelNodeUpdate; `data` is its union."""

    _fields_ = (("node", c_uint64), ("field", c_uint32), ("data", c_uint64 * 3))


@pytest.fixture
def module(context):
    with kernels.loaded(DECLARED, ADD, PARAMETER, ENABLE, RESIZE, APPLY) as loaded:
        yield loaded


@pytest.fixture
def made(module):
    """A graph of one device-updatable node, which adds 5 to an int: node, device handle, pointer, executable graph."""
    with calls.new_graph() as graph, calls.memory(64) as pointer:
        node = calls.add_kernel(graph, module, "add", c_uint64(pointer), c_uint32(5))
        handle = updatable(node)
        with calls.executable(graph) as run:
            yield node, handle, pointer, run


def updatable(node: int, on: int = 1) -> int:
    value = abi.CUlaunchAttributeValue()
    value.deviceUpdatableKernelNode.deviceUpdatable = on
    driver.cuGraphKernelNodeSetAttribute(node, UPDATABLE, addressof(value))
    return value.deviceUpdatableKernelNode.devNode


def call(module: int, name: str, pointer: int, *values) -> int:
    """Run a kernel that updates a node, and return the status that its call returned."""
    kernels.run(module, name, *values, c_uint64(pointer + 252))
    return kernels.read(pointer + 252)


def added(pointer: int, run: int) -> int:
    """Return the number that a launch adds."""
    driver.cuMemsetD32(pointer, 0, 8)
    calls.launch(run)
    return kernels.read(pointer)


def test_update_of_the_grid(module, made):
    _, node, pointer, run = made
    assert added(pointer, run) == 5
    assert call(module, "resize", pointer, c_uint64(node), c_uint32(3), c_uint32(2), c_uint32(1)) == 0
    assert added(pointer, run) == added(pointer, run) == 30
    for grid in ((0, 1, 1), (1, 65536, 1), (1, 1, 0), (2**31, 1, 1)):
        assert call(module, "resize", pointer, c_uint64(node), *map(c_uint32, grid)) == INVALID
    assert added(pointer, run) == 30


def test_update_of_parameters(module, made):
    _, node, pointer, run = made
    driver.cuMemsetD32(pointer + 128, 7, 1)
    assert call(module, "parameter", pointer, c_uint64(node), *map(c_uint64, (8, pointer + 128, 4))) == 0
    assert added(pointer, run) == 7
    for offset, value, size in (
        (9, pointer, 4),
        (0, pointer, 13),
        (2**64 - 4, pointer, 8),
        (0, 0, 4),
        (0, pointer, 2**63),
    ):
        given = map(c_uint64, (offset, value, size))
        assert call(module, "parameter", pointer, c_uint64(node), *given) == INVALID
    assert added(pointer, run) == 7


def test_nodes_are_enabled_and_disabled(module, made):
    _, node, pointer, run = made
    assert call(module, "enable", pointer, c_uint64(node), c_uint32(0)) == 0
    assert added(pointer, run) == 0
    assert call(module, "enable", pointer, c_uint64(node), c_uint32(1)) == 0
    assert added(pointer, run) == 5


def test_several_updates(module, made):
    _, node, pointer, run = made
    driver.cuMemsetD32(pointer + 128, 9, 1)
    updates = (Update * 3)(Update(node, GRID), Update(node, PARAM, (pointer + 128, 8, 4)), Update(node, ENABLED, (1,)))
    (c_uint32 * 3).from_buffer(updates, Update.data.offset)[:] = (4, 1, 1)
    room = driver.cuMemAlloc(ctypes.sizeof(updates))
    driver.cuMemcpyHtoD(room, addressof(updates), ctypes.sizeof(updates))
    assert call(module, "apply", pointer, c_uint64(room), c_uint64(3)) == 0
    assert added(pointer, run) == 36
    assert call(module, "apply", pointer, c_uint64(0), c_uint64(1)) == INVALID
    updates[0].field = 0
    driver.cuMemcpyHtoD(room, addressof(updates), ctypes.sizeof(updates))
    assert call(module, "apply", pointer, c_uint64(room), c_uint64(3)) == INVALID
    driver.cuMemFree(room)


def test_a_kernel_of_the_graph_updates_the_next(module):
    with calls.new_graph() as graph, calls.memory(64) as pointer:
        driver.cuMemsetD32(pointer + 128, 11, 1)
        target = calls.add_kernel(graph, module, "add", c_uint64(pointer), c_uint32(5))
        values = map(c_uint64, (updatable(target), 8, pointer + 128, 4, pointer + 252))
        first = calls.add_kernel(graph, module, "parameter", *values)
        calls.link(graph, first, target)
        with calls.executable(graph) as run:
            driver.cuGraphUpload(run, 0)
            assert added(pointer, run) == 11


def test_parameters_set_by_the_host(module, made):
    node, handle, pointer, run = made
    assert call(module, "resize", pointer, c_uint64(handle), c_uint32(2), c_uint32(1), c_uint32(1)) == 0
    given, _kept = calls.kernel_params(module, "add", c_uint64(pointer), c_uint32(3))
    driver.cuGraphExecKernelNodeSetParams(run, node, addressof(given))
    assert added(pointer, run) == 3
    assert call(module, "resize", pointer, c_uint64(handle), c_uint32(2), c_uint32(1), c_uint32(1)) == 0
    assert added(pointer, run) == 6


def test_device_updates_survive_host_updates_of_other_nodes(module):
    with calls.new_graph() as graph, calls.memory(64) as pointer:
        node = calls.add_kernel(graph, module, "add", c_uint64(pointer), c_uint32(5))
        other = calls.add_fill(graph, pointer + 64, 1, 1, [node])
        handle = updatable(node)
        with calls.executable(graph) as run:
            assert call(module, "resize", pointer, c_uint64(handle), c_uint32(2), c_uint32(1), c_uint32(1)) == 0
            fill = abi.CUDA_MEMSET_NODE_PARAMS(pointer + 64, 0, 2, 4, 1, 1)
            driver.cuGraphExecMemsetNodeSetParams(run, other, addressof(fill), 0)
            assert added(pointer, run) == 10
            assert kernels.read(pointer + 64) == 2


def test_a_captured_launch_of_a_device_updatable_node(module, refused):
    stream = driver.cuStreamCreate(abi.CU_STREAM_NON_BLOCKING)
    function = driver.cuModuleGetFunction(module, b"add")
    with calls.memory(64) as pointer:
        kernel_params, _kept = kernels.packed(c_uint64(pointer), c_uint32(5))
        attributes = (abi.CUlaunchAttribute * 1)()
        attributes[0].id = UPDATABLE
        attributes[0].value.deviceUpdatableKernelNode.deviceUpdatable = 1
        config = abi.CUlaunchConfig(1, 1, 1, 1, 1, 1, 0, stream, addressof(attributes), 1)
        with refused("INVALID_VALUE", "only launches that are captured"):
            driver.cuLaunchKernelEx(addressof(config), function, kernel_params, 0)
        driver.cuStreamBeginCapture(stream, abi.CU_STREAM_CAPTURE_MODE_RELAXED)
        driver.cuLaunchKernelEx(addressof(config), function, kernel_params, 0)
        graph = driver.cuStreamEndCapture(stream)
        node = attributes[0].value.deviceUpdatableKernelNode.devNode
        with calls.executable(graph) as run:
            assert call(module, "resize", pointer, c_uint64(node), c_uint32(2), c_uint32(1), c_uint32(1)) == 0
            assert added(pointer, run) == 10
        driver.cuGraphDestroy(graph)
    driver.cuStreamDestroy(stream)


def test_restrictions_of_device_updatable_nodes(module, made, refused):
    node, handle, _, run = made
    assert updatable(node) == handle
    value = abi.CUlaunchAttributeValue()
    driver.cuGraphKernelNodeGetAttribute(node, UPDATABLE, addressof(value))
    given = value.deviceUpdatableKernelNode
    assert (given.deviceUpdatable, given.devNode) == (1, handle)
    with refused("INVALID_VALUE", "stays so"):
        updatable(node, 0)
    with refused("INVALID_VALUE", "deviceUpdatable is 2"):
        updatable(node, 2)
    graph = driver.cuGraphNodeGetContainingGraph(node)
    result = abi.CUgraphExecUpdateResultInfo()
    for wrong in (
        lambda: driver.cuGraphInstantiate(graph, 0),
        lambda: driver.cuGraphClone(graph),
        lambda: driver.cuGraphDestroyNode(node),
        lambda: driver.cuGraphExecUpdate(run, graph, addressof(result)),
        lambda: driver.cuGraphKernelNodeCopyAttributes(node, node),
    ):
        with refused("NOT_SUPPORTED"):
            wrong()


def test_invalid_node_handles(module, context):
    """The node has never been instantiated, its executable graph is destroyed, or the number is another address."""
    with calls.new_graph() as graph, calls.memory(64) as pointer:
        handle = updatable(calls.add_kernel(graph, module, "add", c_uint64(pointer), c_uint32(5)))
        grid = [c_uint32(1)] * 3
        assert call(module, "resize", pointer, c_uint64(handle), *grid) == INVALID
        with calls.executable(graph):
            assert call(module, "resize", pointer, c_uint64(handle), *grid) == 0
        assert call(module, "resize", pointer, c_uint64(handle), *grid) == INVALID
        for wrong in (0, pointer, handle + 1):
            assert call(module, "resize", pointer, c_uint64(wrong), *grid) == INVALID
        with calls.executable(graph) as run:
            assert added(pointer, run) == 5
