# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stream capture: what is put on a stream becomes nodes of a graph.

`Stream.capture` is set while a stream captures, and `Stream.ready` then returns a `CaptureQueue`: what would be a
command of the native queue becomes a node behind those that the stream is at.
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

    def queue(self, line: streams.Stream) -> CaptureQueue:
        self.check()
        return CaptureQueue(self, line)

    def add(self, line: streams.Stream, work: Work) -> Node:
        self.check()
        node = self.graph.add(work, list(dict.fromkeys(self.at[line])))
        self.at[line] = [(node, bytes(8))]
        return node

    def make_updatable(self, line: streams.Stream, value: Any) -> None:
        """Let kernels update the launch that was captured last in the stream."""
        [(node, _)] = self.at[line]
        graph_update.make_updatable(node.work, value)

    def allocate(self, line: streams.Stream, size: int) -> int:
        self.check()
        work = graph_memory.allocation_of(self.graph, size, line.context)
        self.add(line, work)
        return work.memory.record.start

    def free(self, line: streams.Stream, pointer: int) -> None:
        self.check()
        self.add(line, graph_memory.free("cuMemFreeAsync", pointer))

    def record(self, line: streams.Stream, event: Any) -> None:
        """Remember in the event where the stream is."""
        self.check()
        event.capture = (self, list(self.at[line]))
        self.events.add(event)

    def mark(self, line: streams.Stream, event: int, *, record: bool) -> None:
        """Record an event, or wait for it, when the graph runs."""
        self.add(line, graph_work.record_event(event) if record else graph_work.wait_event(event))

    def wait(self, line: streams.Stream, event: Any) -> None:
        """Let stream `line` go on behind the event, and join the capture if it is in none."""
        self.check()
        if line.legacy:
            self.fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the legacy stream cannot be captured")
        if line.capture is not None and line.capture is not self:
            line.capture.valid = False
            self.fail(CUDA_ERROR_STREAM_CAPTURE_MERGE, "the event is of another capture than the stream's")
        line.capture = self
        self.at[line] = list(dict.fromkeys([*self.at.get(line, []), *event.capture[1]]))

    def unjoined(self) -> bool:
        """Return whether a stream of the capture has work that the origin does not wait for."""
        reached = ancestors([node for node, _ in self.at[self.origin]])
        return any(
            node not in reached for line, edges in self.at.items() if line is not self.origin for node, _ in edges
        )

    def complete(self) -> None:
        """Refuse an end that comes too early."""

    def end(self) -> None:
        capture_state.active.discard(self)
        for line in self.at:
            line.capture = None
        for event in self.events:
            if event.capture is not None and event.capture[0] is self:
                event.capture = None


def _kind(place: int) -> int:
    return CU_MEMORYTYPE_HOST if address.find(place) is None else CU_MEMORYTYPE_DEVICE


class CaptureQueue:
    """Take the commands of a native queue, and make nodes of them."""

    def __init__(self, capture: Capture, line: streams.Stream) -> None:
        self.capture = capture
        self.line = line

    def _add(self, work: Work) -> None:
        self.capture.add(self.line, work)

    def is_idle(self) -> bool:
        return False

    def launch(
        self, native: Any, grid: Any, block: Any, cluster: Any, shared: int, params: int, cooperative: bool,
        number: int, gather: bool = False,
    ) -> None:  # fmt: skip
        function = next((each for each in list(functions.values()) if native in (each.grid, each.narrow)), None)
        if function is None:
            raise CudaError(CUDA_ERROR_INVALID_HANDLE, "a captured launch: its module was unloaded meanwhile")
        if gather:
            sources, _ = graph_work.pointers(function, params, 0)
        else:
            sources = [params + each.offset for each in function.kernel.parameters]
        self._add(graph_work.kernel(function, grid, block, cluster, shared, sources, cooperative))

    def copy(self, target: int, source: int, size: int) -> None:
        self.copy_2d(target, size, source, size, size, 1)

    def copy_2d(self, target: int, target_pitch: int, source: int, source_pitch: int, width: int, height: int) -> None:
        given = graph_work.box(target, target_pitch, source, source_pitch, width, height, _kind(target), _kind(source))
        self._add(graph_work.memcpy_from("a captured copy", given, self.line.context))

    def fill(self, target: int, value: int, width: int, count: int) -> None:
        self.fill_2d(target, 0, value, width, count, 1)

    def fill_2d(self, target: int, pitch: int, value: int, width: int, columns: int, rows: int) -> None:
        given = CUDA_MEMSET_NODE_PARAMS(target, pitch, value, width, columns, rows)
        self._add(graph_work.memset_from("a captured fill", given, self.line.context))

    def call(self, function: int, user_data: int, always: bool = False) -> None:
        self._add(graph_work.host_from("cuLaunchHostFunc", CUDA_HOST_NODE_PARAMS(function, user_data)))

    def _batch(self, operation: int, member: str, place: int, value: int, flags: int) -> None:
        entry = CUstreamBatchMemOpParams(operation=operation)
        given = getattr(entry, member)
        given.operation, given.address, given.value64, given.flags = operation, place, value, flags
        batch = CUDA_BATCH_MEM_OP_NODE_PARAMS(self.line.context.handle, 1, ctypes.addressof(entry), 0)
        self._add(graph_work.batch_from("a captured operation on memory", batch))

    def write_value(self, place: int, value: int, width: int) -> None:
        operation = CU_STREAM_MEM_OP_WRITE_VALUE_32 if width == 4 else CU_STREAM_MEM_OP_WRITE_VALUE_64
        self._batch(operation, "writeValue", place, value, 0)

    def wait_value(self, place: int, value: int, width: int, condition: int) -> None:
        operation = CU_STREAM_MEM_OP_WAIT_VALUE_32 if width == 4 else CU_STREAM_MEM_OP_WAIT_VALUE_64
        self._batch(operation, "waitValue", place, value, condition)


MODES = range(CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED + 1)


def begin(name: str, handle: int, mode: int, make: Callable[[streams.Stream], Capture]) -> None:
    """Check the stream, and let `make` begin a capture of it."""
    line = streams.find(handle)
    if mode not in MODES:
        raise invalid(f"{name}: {mode} is no CUstreamCaptureMode")
    if line.legacy:
        raise CudaError(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, f"{name}: the legacy stream cannot be captured")
    if line.capture is not None:
        raise CudaError(CUDA_ERROR_ILLEGAL_STATE, f"{name}: the stream is being captured already")
    make(line)


def cuStreamBeginCapture(hStream: int, mode: int) -> None:
    begin("cuStreamBeginCapture", hStream, mode, lambda line: Capture(line, mode, Graph(), [], own=True))


def cuStreamBeginCapture_v1(hStream: int) -> None:
    cuStreamBeginCapture(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL)


def cuStreamBeginCaptureToGraph(
    hStream: int, hGraph: int, dependencies: int, dependencyData: int, numDependencies: int, mode: int
) -> None:
    name, to = "cuStreamBeginCaptureToGraph", graphs.find(hGraph)
    before = read_dependencies(name, to, dependencies, dependencyData, numDependencies)
    begin(name, hStream, mode, lambda line: Capture(line, mode, to, before, own=False))


def cuStreamEndCapture(hStream: int) -> int:
    """End a capture and return its graph; the graph of one that failed goes."""
    line = streams.find(hStream)
    capture: Any = line.capture
    if capture is None:
        raise CudaError(CUDA_ERROR_ILLEGAL_STATE, "cuStreamEndCapture: the stream is not being captured")
    if capture.origin is not line:
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
    line = streams.find(handle)
    if line.legacy and any(
        each.origin.context is line.context and each.origin.blocking for each in list(capture_state.active)
    ):
        raise CudaError(
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, f"{name}: a stream that waits for the legacy stream is being captured"
        )
    return line


def _status(line: streams.Stream) -> int:
    if line.capture is None:
        return CU_STREAM_CAPTURE_STATUS_NONE
    return CU_STREAM_CAPTURE_STATUS_ACTIVE if line.capture.valid else CU_STREAM_CAPTURE_STATUS_INVALIDATED


def cuStreamIsCapturing(hStream: int) -> int:
    return _status(_find("cuStreamIsCapturing", hStream))


def cuStreamGetCaptureInfo(hStream: int) -> tuple[int, int, int, int, int, int]:
    """Return status, id, graph, and the nodes that what comes next depends on, in arrays valid until the next call."""
    line = _find("cuStreamGetCaptureInfo", hStream)
    status = _status(line)
    if status != CU_STREAM_CAPTURE_STATUS_ACTIVE:
        return status, 0, 0, 0, 0, 0
    capture: Any = line.capture
    edges = capture.at[line]
    handles = (ctypes.c_uint64 * max(len(edges), 1))(*[node.handle for node, _ in edges])
    data = ctypes.create_string_buffer(b"".join(edge for _, edge in edges), 8 * max(len(edges), 1))
    capture.view = (handles, data)
    return status, capture.id, capture.graph.handle, ctypes.addressof(handles), ctypes.addressof(data), len(edges)


def cuStreamGetCaptureInfo_v2(hStream: int) -> tuple[int, int, int, int, int]:
    status, number, graph, places, _, count = cuStreamGetCaptureInfo(hStream)
    return status, number, graph, places, count


def cuStreamGetCaptureInfo_v1(hStream: int) -> tuple[int, int]:
    return cuStreamGetCaptureInfo(hStream)[:2]


def cuStreamUpdateCaptureDependencies(
    hStream: int, dependencies: int, dependencyData: int, numDependencies: int, flags: int
) -> None:
    """Set what comes next in the stream behind other nodes of the capture's graph, or behind these as well."""
    name, line = "cuStreamUpdateCaptureDependencies", streams.find(hStream)
    if line.capture is None:
        raise CudaError(CUDA_ERROR_ILLEGAL_STATE, f"{name}: the stream is not being captured")
    if flags not in (0, 1):
        raise invalid(f"{name}: flags is {flags}, no CUstreamUpdateCaptureDependencies_flags")
    line.capture.check()
    given = read_dependencies(name, line.capture.graph, dependencies, dependencyData, numDependencies)
    before: Sequence[tuple[Node, bytes]] = () if flags else line.capture.at[line]
    line.capture.at[line] = list(dict.fromkeys([*before, *given]))


def cuStreamUpdateCaptureDependencies_v1(hStream: int, dependencies: int, numDependencies: int, flags: int) -> None:
    cuStreamUpdateCaptureDependencies(hStream, dependencies, 0, numDependencies, flags)


def cuThreadExchangeStreamCaptureMode(mode: int) -> None:
    """Swap the thread's mode with the one at `mode`."""
    if not mode or ctypes.c_int.from_address(mode).value not in MODES:
        raise invalid("cuThreadExchangeStreamCaptureMode: mode is NULL, or no CUstreamCaptureMode")
    given = ctypes.c_int.from_address(mode)
    given.value = capture_state.exchange(given.value)
