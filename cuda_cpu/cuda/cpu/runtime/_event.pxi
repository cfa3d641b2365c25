# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# Events. Part of _runtime.pyx.

SHARED_EVENT_BYTES = CPU_SHARED_BYTES


cdef class Event:
    """An event; with the descriptor of a `file` of SHARED_EVENT_BYTES, shared by all processes that map the file."""

    cdef cpu_event *event
    cdef readonly bint shared
    cdef public object order  # of its latest record, see cuda/cpu/check/order.py

    def __cinit__(self, int file=-1):
        self.shared = file >= 0
        self.event = cpu_event_make(file)
        if self.event is NULL:
            raise MemoryError

    def __init__(self, int file=-1):
        check_process()

    def __dealloc__(self):
        if self.event is not NULL and cpu_process_state() != CPU_FORKED:
            cpu_event_free(self.event)

    def is_done(self):
        """Return whether the latest record has completed; True if the event was never recorded."""
        check_process()
        cdef cpu_event_record *record = cpu_event_latest(self.event)
        cdef bint done = cpu_event_record_done(record)
        cpu_event_record_release(record)
        return done

    def wait(self, double timeout):
        """Wait for the latest record; return False if it did not complete in `timeout` seconds (< 0: no limit)."""
        check_process()
        cdef cpu_event_record *record = cpu_event_latest(self.event)
        cdef int64_t deadline = deadline_of(timeout)
        cdef bint done = cpu_event_record_done(record)
        if not done:
            with nogil:
                done = cpu_event_record_wait(record, deadline)
        cpu_event_record_release(record)
        return done

    def time_ns(self):
        """Return the completion time of the latest record, in nanoseconds of CLOCK_MONOTONIC."""
        check_process()
        cdef cpu_event_record *record = cpu_event_latest(self.event)
        if record is NULL:
            raise RuntimeError("the event was never recorded")
        cdef bint done = cpu_event_record_done(record)
        cdef int64_t time = record.time if done else 0
        cpu_event_record_release(record)
        if not done:
            raise RuntimeError("the event's record is not done yet")
        return time
