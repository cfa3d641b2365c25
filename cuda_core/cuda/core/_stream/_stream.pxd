# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
cimport cython
from libc.stdint cimport uint64_t

from cuda.bindings cimport cydriver
from cuda.bindings._atomic cimport atomic_add, atomic_load


cdef class Stream:
    cdef cydriver.CUstream native
    cdef bint owned
    cdef int closed
    cdef int users  # number of driver calls in progress; changed atomically, as are `closed` and `doomed`
    cdef bint capturable  # whether the handle was handed out, so that other code may capture it; see `is_capturing`
    cdef int doomed  # closed while in use: the last user destroys it
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

    cdef inline object current_owner(self):
        with cython.critical_section(self):
            return self.owner

    cdef inline object take_owner(self):
        with cython.critical_section(self):
            owner, self.owner = self.owner, None
            return owner

    cdef inline int set_callbacks(self, object made) except -1:
        with cython.critical_section(self):
            if self.callbacks is None:
                self.callbacks = made
        return 0

    cdef inline bint is_gone(self):
        """Return whether the stream, or the object that owns it, was closed."""
        return self.closed or (self.owner is not None and getattr(self.current_owner(), "is_closed", False))

    cdef inline bint try_use(self) except -1:
        """Prevent `close` in another thread from destroying the stream until `end_use`; False if it is closed."""
        atomic_add(&self.users, 1)
        if atomic_load(&self.closed):
            self.end_use()
            return False
        return True

    cdef inline int begin_use(self) except -1:
        """Like `try_use`; raises ClosedError if the stream is closed."""
        if not self.try_use():
            self.open_handle()  # raises
        return 0

    cdef inline int end_use(self) except -1:
        return self.destroy() if atomic_add(&self.users, -1) == 0 and atomic_load(&self.doomed) else 0


cdef Stream as_stream(object obj, str argument)
