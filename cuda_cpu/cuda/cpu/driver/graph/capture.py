# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stream capture: commands submitted to a stream become nodes of a graph.

`Stream.capture` is set while a stream captures, and `Stream.queue_after_waits` then returns a `CaptureQueue`: each
command becomes a node behind those that the stream is at.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any, NoReturn

from cuda.cpu.abi import (
    CU_MEMORYTYPE_DEVICE,
    CU_MEMORYTYPE_HOST,
    CU_STREAM_CAPTURE_MODE_GLOBAL,
    CU_STREAM_CAPTURE_MODE_RELAXED,
    CU_STREAM_CAPTURE_STATUS_ACTIVE,
    CU_STREAM_CAPTURE_STATUS_INVALIDATED,
    CU_STREAM_CAPTURE_STATUS_NONE,
    CU_STREAM_MEM_OP_WAIT_VALUE_32,
    CU_STREAM_MEM_OP_WAIT_VALUE_64,
    CU_STREAM_MEM_OP_WRITE_VALUE_32,
    CU_STREAM_MEM_OP_WRITE_VALUE_64,
    CUDA_BATCH_MEM_OP_NODE_PARAMS,
    CUDA_ERROR_ILLEGAL_STATE,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
    CUDA_ERROR_STREAM_CAPTURE_MERGE,
    CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
    CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
    CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
    CUDA_HOST_NODE_PARAMS,
    CUDA_MEMSET_NODE_PARAMS,
    CUstreamBatchMemOpParams,
)
from cuda.cpu.driver.base import address, capture_state
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.code.function import functions
from cuda.cpu.driver.graph import graph_memory, graph_update, graph_work
from cuda.cpu.driver.graph.graph import Graph, Node, ancestors, graphs, read_dependencies
from cuda.cpu.driver.graph.graph_work import Work
from cuda.cpu.driver.stream import stream as streams
from cuda.cpu.runtime import _runtime

_ids = itertools.count(1)

Edges = list[tuple[Node, bytes]]


class Capture:
    def __init__(self, origin: streams.Stream, mode: int, graph: Graph, before: Edges, *, own: bool) -> None:
        self.origin = origin
        self.mode = mode
        self.graph = graph
        self.own = own  # the graph was made for this capture
        self.valid = True
        self.thread = get_ident()
        self.id = next(_ids)
        self.at: dict[streams.Stream, Edges] = {origin: before}  # what comes next depends on these
        self.events: set[Any] = set()
        self.view: Any = None
        with origin.context.entering():
            if origin not in origin.context.streams:
                raise CudaError(CUDA_ERROR_INVALID_HANDLE, "the stream to be captured was destroyed meanwhile")
            origin.capture = self
            capture_state.active.add(self)
        _runtime.invalidate_fast_path()

    def check(self) -> None:
        if not self.valid:
            raise CudaError(
                CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "an illegal call ended the stream's capture; end it formally"
            )

    def fail(self, status: int, text: str) -> NoReturn:
        self.valid = False
        raise CudaError(status, f"{text}; the capture is invalid now")

    def queue(self, stream: streams.Stream) -> CaptureQueue:
        self.check()
        return CaptureQueue(self, stream)

    def add(self, stream: streams.Stream, work: Work) -> Node:
        self.check()
        node = self.graph.add(work, list(dict.fromkeys(self.at[stream])))
        self.at[stream] = [(node, bytes(8))]
        return node

    def make_updatable(self, stream: streams.Stream, value: Any) -> None:
        """Let kernels update the launch that was captured last in the stream."""
        [(node, _)] = self.at[stream]
        graph_update.make_updatable(node.work, value)

    def allocate(self, stream: streams.Stream, size: int) -> int:
        self.check()
        work = graph_memory.allocation_of(self.graph, size, stream.context)
        self.add(stream, work)
        return work.memory.record.start

    def free(self, stream: streams.Stream, pointer: int) -> None:
        self.check()
        self.add(stream, graph_memory.free("cuMemFreeAsync", pointer))

    def record(self, stream: streams.Stream, event: Any) -> None:
        """Remember in the event where the stream is."""
        self.check()
        event.capture = (self, list(self.at[stream]))
        self.events.add(event)

    def add_event_node(self, stream: streams.Stream, event: int, *, record: bool) -> None:
        """Record an event, or wait for it, when the graph runs."""
        self.add(stream, graph_work.record_event(event) if record else graph_work.wait_event(event))

    def wait(self, stream: streams.Stream, event: Any) -> None:
        """Let stream `stream` go on behind the event, and join the capture if it is in none."""
        self.check()
        if stream.legacy:
            self.fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the legacy stream cannot be captured")
        if stream.capture is not None and stream.capture is not self:
            stream.capture.valid = False
            self.fail(CUDA_ERROR_STREAM_CAPTURE_MERGE, "the event is of another capture than the stream's")
        stream.capture = self
        self.at[stream] = list(dict.fromkeys([*self.at.get(stream, []), *event.capture[1]]))

    def unjoined(self) -> bool:
        """Return whether a stream of the capture has work that the origin does not wait for."""
        reached = ancestors([node for node, _ in self.at[self.origin]])
        return any(
            node not in reached for stream, edges in self.at.items() if stream is not self.origin for node, _ in edges
        )

    def complete(self) -> None:
        """Refuse an end that comes too early."""

    def end(self) -> None:
        capture_state.active.discard(self)
        for stream in self.at:
            stream.capture = None
        for event in self.events:
            if event.capture is not None and event.capture[0] is self:
                event.capture = None


def _kind(pointer: int) -> int:
    return CU_MEMORYTYPE_HOST if address.find(pointer) is None else CU_MEMORYTYPE_DEVICE


class CaptureQueue:
    """Take the commands of a native queue, and make nodes of them."""

    def __init__(self, capture: Capture, stream: streams.Stream) -> None:
        self.capture = capture
        self.stream = stream

    def _add(self, work: Work) -> None:
        self.capture.add(self.stream, work)

    def is_idle(self) -> bool:
        return False

    def launch(
        self, native: Any, grid: Any, block: Any, cluster: Any, shared: int, params: int, cooperative: bool,
        number: int, gather: bool = False,
    ) -> None:  # fmt: skip
        function = next((each for each in list(functions.values()) if native in each.compiled.values()), None)
        if function is None:
            raise CudaError(CUDA_ERROR_INVALID_HANDLE, "a captured launch: its module was unloaded meanwhile")
        if gather:
            sources, _ = graph_work.pointers(function, params, 0)
        else:
            sources = [params + each.offset for each in function.kernel.parameters]
        if function.kernel.tile_block is not None:  # given is the block that runs; a node has that of the launch
            block = function.kernel.required_block
        self._add(graph_work.kernel(function, grid, block, cluster, shared, sources, cooperative))

    def copy(self, target: int, source: int, size: int) -> None:
        self.copy_2d(target, size, source, size, size, 1)

    def copy_2d(self, target: int, target_pitch: int, source: int, source_pitch: int, width: int, height: int) -> None:
        given = graph_work.box(target, target_pitch, source, source_pitch, width, height, _kind(target), _kind(source))
        self._add(graph_work.memcpy_from("a captured copy", given, self.stream.context))

    def fill(self, target: int, value: int, width: int, count: int) -> None:
        self.fill_2d(target, 0, value, width, count, 1)

    def fill_2d(self, target: int, pitch: int, value: int, width: int, columns: int, rows: int) -> None:
        given = CUDA_MEMSET_NODE_PARAMS(target, pitch, value, width, columns, rows)
        self._add(graph_work.memset_from("a captured fill", given, self.stream.context))

    def call(self, function: int, user_data: int, always: bool = False) -> None:
        self._add(graph_work.host_from("cuLaunchHostFunc", CUDA_HOST_NODE_PARAMS(function, user_data)))

    def _batch(self, operation: int, member: str, pointer: int, value: int, flags: int) -> None:
        entry = CUstreamBatchMemOpParams(operation=operation)
        given = getattr(entry, member)
        given.operation, given.address, given.value64, given.flags = operation, pointer, value, flags
        batch = CUDA_BATCH_MEM_OP_NODE_PARAMS(self.stream.context.handle, 1, ctypes.addressof(entry), 0)
        self._add(graph_work.batch_from("a captured operation on memory", batch))

    def write_value(self, pointer: int, value: int, width: int) -> None:
        operation = CU_STREAM_MEM_OP_WRITE_VALUE_32 if width == 4 else CU_STREAM_MEM_OP_WRITE_VALUE_64
        self._batch(operation, "writeValue", pointer, value, 0)

    def wait_value(self, pointer: int, value: int, width: int, condition: int) -> None:
        operation = CU_STREAM_MEM_OP_WAIT_VALUE_32 if width == 4 else CU_STREAM_MEM_OP_WAIT_VALUE_64
        self._batch(operation, "waitValue", pointer, value, condition)


MODES = range(CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED + 1)


def begin(name: str, handle: int, mode: int, make: Callable[[streams.Stream], Capture]) -> None:
    """Check the stream, and let `make` begin a capture of it."""
    stream = streams.find(handle)
    if mode not in MODES:
        raise invalid(f"{name}: {mode} is no CUstreamCaptureMode")
    if stream.legacy:
        raise CudaError(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, f"{name}: the legacy stream cannot be captured")
    if stream.capture is not None:
        raise CudaError(CUDA_ERROR_ILLEGAL_STATE, f"{name}: the stream is being captured already")
    make(stream)


def cuStreamBeginCapture(hStream: int, mode: int) -> None:
    begin("cuStreamBeginCapture", hStream, mode, lambda stream: Capture(stream, mode, Graph(), [], own=True))


def cuStreamBeginCapture_v1(hStream: int) -> None:
    cuStreamBeginCapture(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL)


def cuStreamBeginCaptureToGraph(
    hStream: int, hGraph: int, dependencies: int, dependencyData: int, numDependencies: int, mode: int
) -> None:
    name, to = "cuStreamBeginCaptureToGraph", graphs.find(hGraph)
    before = read_dependencies(name, to, dependencies, dependencyData, numDependencies)
    begin(name, hStream, mode, lambda stream: Capture(stream, mode, to, before, own=False))


def cuStreamEndCapture(hStream: int) -> int:
    """End a capture and return its graph; the graph of one that failed goes."""
    stream = streams.find(hStream)
    capture: Any = stream.capture
    if capture is None:
        raise CudaError(CUDA_ERROR_ILLEGAL_STATE, "cuStreamEndCapture: the stream is not being captured")
    if capture.origin is not stream:
        capture.fail(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "cuStreamEndCapture: the capture began in another stream")
    if capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED and capture.thread != get_ident():
        raise CudaError(
            CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "cuStreamEndCapture: the capture began in another thread"
        )
    capture.end()
    try:
        capture.check()
        if capture.unjoined():
            capture.fail(
                CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                "cuStreamEndCapture: a stream that joined has work which the first one does not wait for",
            )
        capture.complete()
    except CudaError:
        if capture.own:
            capture.graph.close()
        raise
    return capture.graph.handle


def _find(name: str, handle: int) -> streams.Stream:
    stream = streams.find(handle)
    if stream.legacy and any(
        each.origin.context is stream.context and each.origin.blocking for each in list(capture_state.active)
    ):
        raise CudaError(
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, f"{name}: a stream that waits for the legacy stream is being captured"
        )
    return stream


def _status(stream: streams.Stream) -> int:
    if stream.capture is None:
        return CU_STREAM_CAPTURE_STATUS_NONE
    return CU_STREAM_CAPTURE_STATUS_ACTIVE if stream.capture.valid else CU_STREAM_CAPTURE_STATUS_INVALIDATED


def cuStreamIsCapturing(hStream: int) -> int:
    return _status(_find("cuStreamIsCapturing", hStream))


def cuStreamGetCaptureInfo(hStream: int) -> tuple[int, int, int, int, int, int]:
    """Return status, id, graph, and the nodes that what comes next depends on, in arrays valid until the next call."""
    stream = _find("cuStreamGetCaptureInfo", hStream)
    status = _status(stream)
    if status != CU_STREAM_CAPTURE_STATUS_ACTIVE:
        return status, 0, 0, 0, 0, 0
    capture: Any = stream.capture
    edges = capture.at[stream]
    handles = (ctypes.c_uint64 * max(len(edges), 1))(*[node.handle for node, _ in edges])
    data = ctypes.create_string_buffer(b"".join(edge for _, edge in edges), 8 * max(len(edges), 1))
    capture.view = (handles, data)
    return status, capture.id, capture.graph.handle, ctypes.addressof(handles), ctypes.addressof(data), len(edges)


def cuStreamGetCaptureInfo_v2(hStream: int) -> tuple[int, int, int, int, int]:
    status, number, graph, dependencies, _, count = cuStreamGetCaptureInfo(hStream)
    return status, number, graph, dependencies, count


def cuStreamGetCaptureInfo_v1(hStream: int) -> tuple[int, int]:
    return cuStreamGetCaptureInfo(hStream)[:2]


def cuStreamUpdateCaptureDependencies(
    hStream: int, dependencies: int, dependencyData: int, numDependencies: int, flags: int
) -> None:
    """Set what comes next in the stream behind other nodes of the capture's graph, or behind these as well."""
    name, stream = "cuStreamUpdateCaptureDependencies", streams.find(hStream)
    if stream.capture is None:
        raise CudaError(CUDA_ERROR_ILLEGAL_STATE, f"{name}: the stream is not being captured")
    if flags not in (0, 1):
        raise invalid(f"{name}: flags is {flags}, no CUstreamUpdateCaptureDependencies_flags")
    stream.capture.check()
    given = read_dependencies(name, stream.capture.graph, dependencies, dependencyData, numDependencies)
    before: Sequence[tuple[Node, bytes]] = () if flags else stream.capture.at[stream]
    stream.capture.at[stream] = list(dict.fromkeys([*before, *given]))


def cuStreamUpdateCaptureDependencies_v1(hStream: int, dependencies: int, numDependencies: int, flags: int) -> None:
    cuStreamUpdateCaptureDependencies(hStream, dependencies, 0, numDependencies, flags)


def cuThreadExchangeStreamCaptureMode(mode: int) -> None:
    """Swap the thread's mode with the one at `mode`."""
    if not mode or ctypes.c_int.from_address(mode).value not in MODES:
        raise invalid("cuThreadExchangeStreamCaptureMode: mode is NULL, or no CUstreamCaptureMode")
    given = ctypes.c_int.from_address(mode)
    given.value = capture_state.exchange(given.value)
