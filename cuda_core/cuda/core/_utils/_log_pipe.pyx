# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""The driver's log callback: it writes each message into a pipe, and so needs neither the GIL nor another lock.

The driver calls it from within its own functions, on any thread, with or without the GIL.
"""

from libc.stdlib cimport calloc
from libc.string cimport memcpy
from posix.unistd cimport write

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport check
from cuda.core._device._context cimport initialise

cdef extern from *:
    """
    #include <errno.h>
    #include <sched.h>
    static int open_cuda_errno(void) { return errno; }
    static void open_cuda_set_errno(int value) { errno = value; }
    static int open_cuda_add(int *counter, int value) { return __atomic_add_fetch(counter, value, __ATOMIC_SEQ_CST); }
    static void open_cuda_put(int *counter, int value) { __atomic_store_n(counter, value, __ATOMIC_SEQ_CST); }
    static int open_cuda_take(int *counter) { return __atomic_load_n(counter, __ATOMIC_SEQ_CST); }
    """
    int sched_yield() noexcept nogil
    int atomic_add "open_cuda_add" (int* counter, int value) noexcept nogil
    void atomic_put "open_cuda_put" (int* counter, int value) noexcept nogil
    int atomic_take "open_cuda_take" (int* counter) noexcept nogil
    int get_errno "open_cuda_errno" () noexcept nogil
    void set_errno "open_cuda_set_errno" (int value) noexcept nogil

cdef enum:
    RECORD = 4096  # PIPE_BUF: a write of at most that many bytes is atomic
    HEAD = 8  # level and length, 32 bits each


cdef struct Target:
    int descriptor  # -1 once unregistered
    int inside  # number of running callbacks
    int lost


cdef void _on_message(void* data, cydriver.CUlogLevel level, char* message, size_t length) noexcept nogil:
    cdef char record[RECORD]
    cdef unsigned int head[2]
    cdef Target* target = <Target*>data
    cdef int before = get_errno()
    if length > RECORD - HEAD:
        length = RECORD - HEAD
    head[0], head[1] = <unsigned int>level, <unsigned int>length
    memcpy(record, head, HEAD)
    memcpy(record + HEAD, message, length)
    atomic_add(&target.inside, 1)
    cdef int descriptor = atomic_take(&target.descriptor)
    if descriptor >= 0 and write(descriptor, record, HEAD + length) < 0:  # the pipe is full
        atomic_add(&target.lost, 1)
    atomic_add(&target.inside, -1)
    set_errno(before)


cdef class LogPipe:
    """A registered log callback that writes into a non-blocking descriptor."""

    cdef Target* target
    cdef cydriver.CUlogsCallbackHandle handle

    def __cinit__(self, int descriptor):
        initialise()
        self.target = <Target*>calloc(1, sizeof(Target))
        if self.target == NULL:
            raise MemoryError
        self.target.descriptor = descriptor
        with nogil:
            check(cydriver.cuLogsRegisterCallback(_on_message, self.target, &self.handle), b"cuLogsRegisterCallback")

    @property
    def lost(self) -> int:
        """Return the number of messages dropped because the pipe was full."""
        return atomic_take(&self.target.lost)

    def unregister(self) -> None:
        """Unregister the callback and wait for running ones. A second call does nothing."""
        cdef cydriver.CUlogsCallbackHandle handle = self.handle
        self.handle = NULL
        if handle != NULL:
            with nogil:
                atomic_put(&self.target.descriptor, -1)
                check(cydriver.cuLogsUnregisterCallback(handle), b"cuLogsUnregisterCallback")
                while atomic_take(&self.target.inside):
                    sched_yield()

    # The target is not freed: a thread of the driver may be about to call back with its address.
