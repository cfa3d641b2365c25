# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Capture: base of GraphBuilder with the driver calls for stream capture."""

from cuda.bindings cimport cydriver
from cuda.core._memory._memory_pool cimport free_postponed, note_capture
from cuda.core._stream._event cimport Event
from cuda.core._utils._check cimport check, fail
from cuda.core.graph._state cimport State, capture_graph

from cuda.core._errors import ClosedError


ADVICE = {
    <int>cydriver.CUDA_ERROR_STREAM_CAPTURE_UNJOINED: "A builder that was split off has not been joined.",
    <int>cydriver.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED: "An earlier call for this builder could not be captured.",
    <int>cydriver.CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD: "Only in mode 'relaxed' may another thread end the building.",
    <int>cydriver.CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
        "This builder was split off: join it, and end the one that it was split from.",
    <int>cydriver.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
        "The legacy default stream cannot be captured: use Device.create_graph_builder.",
    <int>cydriver.CUDA_ERROR_ILLEGAL_STATE: "The stream is being captured already.",
}


cdef tuple PHASES = ("has not begun building", "is building", "has finished", "has failed", "is closed")


cdef class Capture:
    """Base of `GraphBuilder`."""

    cdef int not_closed(self) except -1:
        if self.phase == CLOSED:
            raise ClosedError("this GraphBuilder is closed")
        return 0

    cdef int need(self, Phase phase, str method) except -1:
        self.not_closed()
        if self.phase != phase:
            raise RuntimeError(f"{method} needs a builder that {PHASES[phase]}, but this one {PHASES[self.phase]}")
        return 0

    cdef int begin(self, cydriver.CUstreamCaptureMode mode) except -1:
        """Begin to capture the stream."""
        cdef cydriver.CUstream stream = self.captured.open_handle()
        cdef cydriver.CUgraph graph
        cdef cydriver.CUresult status
        if self.body:
            graph = self.state.open_handle()
            with nogil:
                check(
                    cydriver.cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, mode),
                    b"cuStreamBeginCaptureToGraph",
                )
        else:
            with nogil:
                status = cydriver.cuStreamBeginCapture(stream, mode)
            if status != cydriver.CUDA_SUCCESS:
                fail(status, b"cuStreamBeginCapture", ADVICE.get(<int>status, ""))
            # The driver owns the graph until the capture ends.
            self.state = State.wrap(capture_graph(stream), None, False)
        self.phase = BUILDING
        note_capture(self.captured)
        return 0

    cdef int end(self) except -1:
        """End the capture; if it was invalidated, there is no graph."""
        cdef cydriver.CUgraph graph = NULL
        cdef cydriver.CUresult status = cydriver.cuStreamEndCapture(self.captured.open_handle(), &graph)
        if status != cydriver.CUDA_SUCCESS:
            self.phase = FAILED
            if not self.body and not self.forked:
                self.state.gone = True
                free_postponed()
            fail(status, b"cuStreamEndCapture", ADVICE.get(<int>status, ""))
        self.phase = FINISHED
        self.state.owned = not self.body
        free_postponed()
        self.close_joined()
        return 0

    cdef int close_joined(self) except -1:
        """Close the streams of joined builders."""
        while self.joined:
            self.joined.pop().close()
        return 0

    cdef int wait_for(self, Capture other) except -1:
        """Make work captured next depend on the work that another builder of the graph has captured."""
        cdef Event event = other.captured.record()
        cdef cydriver.CUresult status = cydriver.cuStreamWaitEvent(self.captured.open_handle(), event.open_handle(), 0)
        if status == cydriver.CUDA_ERROR_STREAM_CAPTURE_MERGE:
            fail(status, b"cuStreamWaitEvent", "join takes a builder and those that were split off from it.")
        return check(status, b"cuStreamWaitEvent")

    cdef cydriver.CUgraphNode add(self, cydriver.CUgraphNodeParams* params) except NULL:
        """Add a node that depends on the work captured last, and make work captured next depend on it."""
        cdef cydriver.CUstreamCaptureStatus status
        cdef cydriver.CUgraph graph = NULL
        cdef const cydriver.CUgraphNode* before = NULL
        cdef const cydriver.CUgraphEdgeData* edges = NULL
        cdef size_t count = 0
        cdef cydriver.CUgraphNode node = NULL
        cdef cydriver.CUstream stream = self.captured.open_handle()
        check(
            cydriver.cuStreamGetCaptureInfo(stream, &status, NULL, &graph, &before, &edges, &count),
            b"cuStreamGetCaptureInfo",
        )
        if status != cydriver.CU_STREAM_CAPTURE_STATUS_ACTIVE:
            raise RuntimeError("the capture has failed already: end_building tells why")
        check(cydriver.cuGraphAddNode(&node, graph, before, edges, count, params), b"cuGraphAddNode")
        check(
            cydriver.cuStreamUpdateCaptureDependencies(
                stream, &node, NULL, 1, cydriver.CU_STREAM_SET_CAPTURE_DEPENDENCIES
            ),
            b"cuStreamUpdateCaptureDependencies",
        )
        return node
