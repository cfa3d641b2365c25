# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint64_t

from cuda.bindings cimport cydriver


cdef class Stream:
    cdef cydriver.CUstream native
    cdef bint owned
    cdef bint closed
    cdef int users  # calls of the driver in other threads, which have released Python's lock
    cdef bint capturable  # others know its handle, so that it may be captured; see `is_capturing`
    cdef bint doomed  # closed, to be destroyed by the last of them
    cdef int device_id
    cdef uint64_t life  # of the context, see `life_of`; 0 if unknown
    cdef object owner
    cdef object callbacks
    cdef object __weakref__

    @staticmethod
    cdef Stream wrap(cydriver.CUstream native, object owner)
    cdef cydriver.CUstream open_handle(self) except? NULL
    cdef int ordinal(self) except -1
    cdef bint is_outlived(self) except -1
    cdef int destroy(self) except -1
    cdef bint ask_capturing(self) except -1

    cdef inline bint is_capturing(self) except -1:
        """Return whether a graph is captured from the stream now; for most streams without a call of the driver."""
        return self.ask_capturing() if self.capturable else False

    cdef inline bint is_gone(self):
        """Return whether the stream was closed, or the object of which it is the stream."""
        return self.closed or (self.owner is not None and getattr(self.owner, "is_closed", False))

    cdef inline void begin_use(self) noexcept:
        """Keep another thread's `close` from destroying the stream amid a call that releases Python's lock."""
        self.users += 1

    cdef inline int end_use(self) except -1:
        self.users -= 1
        return self.destroy() if self.doomed and self.users == 0 else 0


cdef Stream as_stream(object obj, str argument)
