# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from libc.stdint cimport uint64_t

from cuda.bindings cimport cydriver


cdef class Stream:
    cdef cydriver.CUstream native
    cdef bint owned
    cdef bint closed
    cdef int users  # number of driver calls in progress that have released the GIL
    cdef bint capturable  # whether the handle was handed out, so that other code may capture it; see `is_capturing`
    cdef bint doomed  # closed while in use: the last user destroys it
    cdef int device_id
    cdef uint64_t context_id  # id of the context, see `primary_id`; 0 if unknown
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
        """Return whether the stream is being captured; for most streams without a driver call."""
        return self.ask_capturing() if self.capturable else False

    cdef inline bint is_gone(self):
        """Return whether the stream, or the object that owns it, was closed."""
        return self.closed or (self.owner is not None and getattr(self.owner, "is_closed", False))

    cdef inline void begin_use(self) noexcept:
        """Prevent `close` in another thread from destroying the stream during a call that releases the GIL."""
        self.users += 1

    cdef inline int end_use(self) except -1:
        self.users -= 1
        return self.destroy() if self.doomed and self.users == 0 else 0


cdef Stream as_stream(object obj, str argument)
