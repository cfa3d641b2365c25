# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""The driver's callback for its log: it writes each message into a pipe, and so needs neither Python nor a lock.

The driver calls it in the middle of its own functions, in any thread, whoever holds the GIL.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from posix.unistd cimport write

from cuda.bindings cimport cydriver
from cuda.core._check cimport check
from cuda.core._context cimport initialise

cdef extern from *:
    """
    #include <errno.h>
    static int open_cuda_errno(void) { return errno; }
    static void open_cuda_set_errno(int value) { errno = value; }
    """
    int get_errno "open_cuda_errno" () noexcept nogil
    void set_errno "open_cuda_set_errno" (int value) noexcept nogil

cdef enum:
    RECORD = 4096  # PIPE_BUF: a record of at most that many bytes is written as a whole, or not at all
    HEAD = 8  # level and length, 32 bits each


cdef struct Target:
    int descriptor
    unsigned long long lost


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
    if write(target.descriptor, record, HEAD + length) < 0:  # full, for nobody reads so quickly
        target.lost += 1
    set_errno(before)


cdef class LogPipe:
    """A registered callback that writes into a descriptor, which must not block."""

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
        """Return how many messages found the pipe full."""
        return self.target.lost

    def unregister(self) -> None:
        """Let the driver forget the callback. A second time does nothing."""
        cdef cydriver.CUlogsCallbackHandle handle = self.handle
        self.handle = NULL
        if handle != NULL:
            with nogil:
                check(cydriver.cuLogsUnregisterCallback(handle), b"cuLogsUnregisterCallback")

    def __dealloc__(self):
        # While the driver may still call back, what it is given stays.
        if self.handle == NULL:
            free(self.target)
