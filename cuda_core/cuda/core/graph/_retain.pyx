# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Lifetime of Python objects that graphs use, managed by the driver's user objects (CUuserObject).

The driver counts references: a user object lives until no graph and no running launch refers to it. Its destructor
callback may run on any thread and must not call CUDA, but releasing a Buffer does. Therefore the callback only adds
the entry to a list, which Python's main thread empties soon after, or else the next call of this package.
"""

from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdlib cimport free, malloc

from cuda.core._array._device_array cimport DeviceArray
from cuda.core._memory._allocation cimport Allocation, BufferUse
from cuda.core._utils._check cimport check
from cuda.core._stream._event cimport Event, EventUse

import atexit

cdef extern from *:
    """
    static void *open_cuda_graves;
    static void open_cuda_push(void **next, void *entry) {
        void *first = __atomic_load_n(&open_cuda_graves, __ATOMIC_RELAXED);
        do *next = first; while (!__atomic_compare_exchange_n(
            &open_cuda_graves, &first, entry, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    }
    static void *open_cuda_take(void) { return __atomic_exchange_n(&open_cuda_graves, NULL, __ATOMIC_ACQUIRE); }
    """
    void open_cuda_push(void** next, void* entry) nogil
    void* open_cuda_take() nogil

cdef extern from "Python.h":
    int Py_AddPendingCall(int (*function)(void*) noexcept, void* argument) nogil

# Whether the interpreter is shutting down: then nothing is released, and no callback runs.
cdef bint ending = False


@atexit.register
def _end():
    global ending
    ending = True


cdef Entry* hold(object obj) except NULL:
    """Return an entry that keeps `obj` alive until `discard` is called with it."""
    drain()
    cdef Entry* entry = <Entry*>malloc(sizeof(Entry))
    if entry == NULL:
        raise MemoryError
    entry.next = NULL
    entry.object = <PyObject*>obj
    Py_INCREF(obj)
    return entry


cdef object in_use(object owner):
    """Return an object that keeps a node's resource alive, even if the Buffer or Event is closed meanwhile."""
    if isinstance(owner, tuple):
        return tuple([in_use(each) for each in owner])
    if isinstance(owner, Allocation):
        return BufferUse(owner)
    if isinstance(owner, DeviceArray):
        return BufferUse((<DeviceArray>owner).memory)
    return EventUse(owner) if isinstance(owner, Event) else owner


cdef int _let_go(void* unused) noexcept:
    cdef Entry* entry = <Entry*>open_cuda_take()
    cdef Entry* after
    while entry != NULL:
        after = entry.next
        Py_DECREF(<object>entry.object)
        free(entry)
        entry = after
    return 0


cdef int drain() except -1:
    """Release the entries that are no longer used."""
    _let_go(NULL)
    return 0


cdef void discard(void* entry) noexcept nogil:
    """Put an entry on the list of unused ones, on any thread, with or without the GIL."""
    if not ending:
        open_cuda_push(<void**>&(<Entry*>entry).next, entry)
        Py_AddPendingCall(_let_go, NULL)  # may fail if its queue is full: then the next drain() releases the entry


cdef void call_entry(void* entry) noexcept nogil:
    """Call the Python function of an entry on a thread of the driver; exceptions go to sys.unraisablehook."""
    if not ending:
        _call(<Entry*>entry)


cdef void _call(Entry* entry) noexcept with gil:
    (<object>entry.object)()


cdef cydriver.CUuserObject retain(cydriver.CUgraph graph, Entry* entry) except? NULL:
    """Move an entry into a user object of a graph; if that fails, discard it and raise."""
    cdef cydriver.CUuserObject user = NULL
    cdef cydriver.CUresult status
    status = cydriver.cuUserObjectCreate(&user, entry, discard, 1, cydriver.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    if status != cydriver.CUDA_SUCCESS:
        discard(entry)
        check(status, b"cuUserObjectCreate")
    status = cydriver.cuGraphRetainUserObject(graph, user, 1, cydriver.CU_GRAPH_USER_OBJECT_MOVE)
    if status != cydriver.CUDA_SUCCESS:
        cydriver.cuUserObjectRelease(user, 1)
        check(status, b"cuGraphRetainUserObject")
    return user


cdef int release(cydriver.CUgraph graph, cydriver.CUuserObject user) except -1:
    """Release a graph's reference to a user object; graphs instantiated from it keep theirs."""
    check(cydriver.cuGraphReleaseUserObject(graph, user, 1), b"cuGraphReleaseUserObject")
    return drain()
