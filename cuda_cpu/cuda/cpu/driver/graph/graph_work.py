# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Work of graph nodes: recorded commands for a native queue, and the parameters that they were made from.

Commands are made by the same code as those of a stream. It is given a `Tape`, which looks like a stream and its queue
and records the commands.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from ctypes import addressof, memmove, sizeof
from typing import Any, TypeVar

from cuda.cpu.abi import (
    CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
    CU_GRAPH_NODE_TYPE_EMPTY,
    CU_GRAPH_NODE_TYPE_EVENT_RECORD,
    CU_GRAPH_NODE_TYPE_GRAPH,
    CU_GRAPH_NODE_TYPE_HOST,
    CU_GRAPH_NODE_TYPE_KERNEL,
    CU_GRAPH_NODE_TYPE_MEMCPY,
    CU_GRAPH_NODE_TYPE_MEMSET,
    CU_GRAPH_NODE_TYPE_WAIT_EVENT,
    CU_MEMORYTYPE_ARRAY,
    CU_MEMORYTYPE_HOST,
    CUDA_BATCH_MEM_OP_NODE_PARAMS,
    CUDA_HOST_NODE_PARAMS,
    CUDA_KERNEL_NODE_PARAMS,
    CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS,
    CUstreamBatchMemOpParams,
)
from cuda.cpu.check import state
from cuda.cpu.driver.array import array as arrays
from cuda.cpu.driver.array import copy_box
from cuda.cpu.driver.base import address
from cuda.cpu.driver.base.address import Kind
from cuda.cpu.driver.base.error import invalid
from cuda.cpu.driver.code import launch
from cuda.cpu.driver.code.function import Function
from cuda.cpu.driver.code.kernel import function_of
from cuda.cpu.driver.device import context
from cuda.cpu.driver.memory import fill
from cuda.cpu.driver.stream import event as events
from cuda.cpu.driver.stream import stream_memory

KEPT_ATTRIBUTES = 19  # of kernel nodes: CUlaunchAttributeID below this


_numbers = itertools.count(1)


class Tape:
    """Stand in for a stream and its queue, and note the commands."""

    capture = None

    def __init__(self, owner: context.Context) -> None:
        self.context = owner
        self.commands: list[tuple[str, tuple[Any, ...]]] = []

    def queue_after_waits(self) -> Tape:
        return self

    def is_idle(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Callable[..., None]:
        def note(*arguments: Any) -> None:
            self.commands.append((name, arguments))

        return note


_Work = TypeVar("_Work", bound="Work")


class Work:
    """What a node does; never changed, but replaced by another one."""

    def __init__(self, kind: int, params: Any = None, commands: Any = (), owner: Any = None, keep: Any = None) -> None:
        self.kind = kind
        self.params = params  # the structure that a caller gets: its pointers are to `keep`
        self.commands = list(commands)
        self.context = owner
        self.keep = keep
        self.attributes: dict[int, bytes] = {}
        self.number = next(_numbers)
        if state.active:
            state.stacks().nodes.note(self.number)
        self.mapping: Any = None  # whose memory a copy or a fill works on
        self.device_node = 0  # through which kernels update the launch, see graph_update.py

    def run(self, stream: Any, queue: Any) -> None:
        for name, arguments in self.commands:
            getattr(queue, name)(*arguments)

    def graphs(self) -> list[Any]:
        """Return the graphs that belong to the node."""
        return []

    def snapshot(self, node: Any) -> Work:
        """Return the work for the copy `node` of its node; the same, unless graphs belong to it."""
        return self


class KernelWork(Work):
    """Launch a kernel."""

    def __init__(
        self, function: Function, cluster: launch.Dim, cooperative: bool, params: Any, commands: Any, keep: Any
    ) -> None:
        super().__init__(CU_GRAPH_NODE_TYPE_KERNEL, params, commands, function.context, keep)
        self.function = function
        self.cluster = cluster
        self.cooperative = cooperative


def expect(work: Work, kind: type[_Work]) -> _Work:
    """Return work that must be of a class, as its node's kind says."""
    assert isinstance(work, kind)
    return work


def view(name: str, structure: Any, ptr: int) -> Any:
    """Return the structure at an address that a caller gave."""
    if not ptr:
        raise invalid(f"{name}: the parameters are NULL")
    return structure.from_address(ptr)


def kernel_of(name: str, given: Any) -> Function:
    """Return the function of a CUDA_KERNEL_NODE_PARAMS."""
    if given.func:
        return function_of(given.func)
    kernel = getattr(given, "kern", 0)
    if not kernel:
        raise invalid(f"{name}: func and kern are NULL")
    owner = context.find(given.ctx or 0)
    found = launch.kernel_in(kernel, owner)
    if found is None:
        raise invalid(f"{name}: kern 0x{kernel:x} is no kernel of a library")
    return found


def pointers(function: Function, kernel_params: int, extra: int) -> tuple[list[int], Any]:
    """Return the address of each parameter, and what must live meanwhile."""
    parameters = function.kernel.parameters
    if extra or not kernel_params:
        buffer = launch.parameters(function, kernel_params, extra)
        return [addressof(buffer) + each.offset for each in parameters], buffer
    return list((ctypes.c_uint64 * len(parameters)).from_address(kernel_params)), None


def kernel(
    function: Function, grid: Any, block: Any, cluster: Any, shared: int, sources: list[int], cooperative: bool
) -> KernelWork:
    """Check a launch, and copy its parameters."""
    buffer = function.buffer()
    kernel_params = (ctypes.c_uint64 * max(len(sources), 1))()
    for i, (source, each) in enumerate(zip(sources, function.kernel.parameters, strict=True)):
        kernel_params[i] = addressof(buffer) + each.offset
        memmove(kernel_params[i], source, each.size)
    tape = Tape(function.context)
    params_ptr = addressof(kernel_params) if sources else 0
    launch.submit(function, grid, block, cluster, shared, tape, params_ptr, 0, cooperative)
    params = CUDA_KERNEL_NODE_PARAMS(function.handle, *grid, *block, shared, params_ptr, 0, 0, function.context.handle)
    return KernelWork(function, cluster, cooperative, params, tape.commands, (buffer, kernel_params))


def kernel_from(name: str, given: Any) -> KernelWork:
    function = kernel_of(name, given)
    grid = (given.gridDimX, given.gridDimY, given.gridDimZ)
    block = (given.blockDimX, given.blockDimY, given.blockDimZ)
    sources, _kept_alive = pointers(function, given.kernelParams or 0, given.extra or 0)
    return kernel(function, grid, block, function.cluster, given.sharedMemBytes, sources, False)


def copied(given: Any) -> Any:
    """Return a copy of a structure."""
    return type(given).from_buffer_copy(given)


def memcpy_from(name: str, given: Any, owner: context.Context) -> Work:
    tape = Tape(owner)
    copy_box.queue_box(name, given, tape)
    work = Work(CU_GRAPH_NODE_TYPE_MEMCPY, copied(given), tape.commands, owner)
    work.mapping = [_side(given, end) for end in ("src", "dst")]
    return work


def _side(given: Any, end: str) -> tuple[Any, Any]:
    """Return the kind of memory at one end of a copy, and its context."""
    kind = getattr(given, f"{end}MemoryType")
    if kind == CU_MEMORYTYPE_ARRAY:
        return kind, arrays.find(getattr(given, f"{end}Array")).record.context
    return mapping_of(getattr(given, f"{end}Host" if kind == CU_MEMORYTYPE_HOST else f"{end}Device") or 0)


def mapping_of(pointer: int) -> tuple[Any, Any]:
    """Return the kind of the memory at an address, and its context; host memory is everybody's."""
    record = address.find(pointer)
    if record is None or record.kind in (Kind.HOST, Kind.REGISTERED):
        return Kind.HOST, None
    return record.kind, record.context


def memset_from(name: str, given: Any, owner: context.Context) -> Work:
    if given.elementSize not in (1, 2, 4):
        raise invalid(f"{name}: elementSize is {given.elementSize}, must be 1, 2 or 4")
    if not (given.width and given.height):
        raise invalid(f"{name}: width is {given.width}, height {given.height}, must be at least 1")
    tape = Tape(owner)
    fill.queue_fill_2d(name, given.dst, given.pitch, given.value, given.elementSize, given.width, given.height, tape)
    params = CUDA_MEMSET_NODE_PARAMS(given.dst, given.pitch, given.value, given.elementSize, given.width, given.height)
    work = Work(CU_GRAPH_NODE_TYPE_MEMSET, params, tape.commands, owner)
    work.mapping = mapping_of(given.dst)
    return work


def host_from(name: str, given: Any) -> Work:
    if not given.fn:
        raise invalid(f"{name}: fn is NULL")
    params = CUDA_HOST_NODE_PARAMS(given.fn, given.userData)
    return Work(CU_GRAPH_NODE_TYPE_HOST, params, [("call", (given.fn, given.userData or 0))])


def batch_from(name: str, given: Any) -> Work:
    """Make the work of waits for values and writes of values; the operations are copied."""
    owner = context.find(given.ctx or 0)
    count, operations = given.count, given.paramArray or 0
    tape = Tape(owner)
    stream_memory.queue_batch(name, tape, count, operations, given.flags)
    copies = (CUstreamBatchMemOpParams * max(count, 1))()
    if count:
        memmove(copies, operations, count * sizeof(CUstreamBatchMemOpParams))
    params = CUDA_BATCH_MEM_OP_NODE_PARAMS(owner.handle, count, addressof(copies), given.flags)
    return Work(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, params, tape.commands, owner, copies)


def empty() -> Work:
    return Work(CU_GRAPH_NODE_TYPE_EMPTY)


class EventWork(Work):
    """Record an event or wait for it."""

    def __init__(self, kind: int, handle: int) -> None:
        self.event = events.find(handle)
        command = "record" if kind == CU_GRAPH_NODE_TYPE_EVENT_RECORD else "wait_event"
        super().__init__(kind, None, [(command, (self.event.native,))], self.event.context)

    def run(self, stream: Any, queue: Any) -> None:
        if self.kind == CU_GRAPH_NODE_TYPE_EVENT_RECORD:
            self.event.recorded, self.event.capture = True, None
        super().run(stream, queue)


def record_event(handle: int) -> Work:
    return EventWork(CU_GRAPH_NODE_TYPE_EVENT_RECORD, handle)


def wait_event(handle: int) -> Work:
    return EventWork(CU_GRAPH_NODE_TYPE_WAIT_EVENT, handle)


class ChildWork(Work):
    """Run another graph, which belongs to this node."""

    def __init__(self, graph: Any) -> None:
        super().__init__(CU_GRAPH_NODE_TYPE_GRAPH)
        self.graph = graph

    def graphs(self) -> list[Any]:
        return [self.graph]

    def snapshot(self, node: Any) -> ChildWork:
        return ChildWork(self.graph.snapshot(node))


def linear_copy(target: int, source: int, size: int, target_kind: int, source_kind: int) -> Any:
    """Return the CUDA_MEMCPY3D of a copy of `size` bytes."""
    return box(target, size, source, size, size, 1, target_kind, source_kind)


def box(
    target: int, target_pitch: int, source: int, source_pitch: int, width: int, height: int,
    target_kind: int, source_kind: int,
) -> Any:  # fmt: skip
    given = CUDA_MEMCPY3D(WidthInBytes=width, Height=height, Depth=1)
    for end, pointer, pitch, kind in (
        ("src", source, source_pitch, source_kind),
        ("dst", target, target_pitch, target_kind),
    ):
        setattr(given, f"{end}MemoryType", kind)
        setattr(given, f"{end}Host" if kind == 1 else f"{end}Device", pointer)  # CU_MEMORYTYPE_HOST
        setattr(given, f"{end}Pitch", pitch)
        setattr(given, f"{end}Height", height)
    return given
