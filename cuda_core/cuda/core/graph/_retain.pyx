# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Keep Python objects alive for as long as a graph, or what was instantiated from it, may use them.

The driver counts: it keeps a user object until the last graph and the last running launch that refer to it are gone. It
tells so on any thread, in a callback that must not call CUDA; letting a Buffer go does call CUDA. So what the driver
gives back is put into a list, and let go by Python's main thread soon after, or by the next call of this package.
"""

from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdlib cimport free, malloc

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

# Whether Python is about to end: then nothing is let go, and no callback runs.
cdef bint ending = False


@atexit.register
def _end():
    global ending
    ending = True


cdef Entry* hold(object obj) except NULL:
    """Return an entry that keeps `obj` alive until it is buried."""
    drain()
    cdef Entry* entry = <Entry*>malloc(sizeof(Entry))
    if entry == NULL:
        raise MemoryError
    entry.next = NULL
    entry.object = <PyObject*>obj
    Py_INCREF(obj)
    return entry


cdef object in_use(object owner):
    """Return what keeps the resource that a node refers to: also memory and events that are closed meanwhile."""
    if isinstance(owner, tuple):
        return tuple([in_use(each) for each in owner])
    if isinstance(owner, Allocation):
        return BufferUse(owner)
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
    """Let go of what the driver gave back."""
    _let_go(NULL)
    return 0


cdef void bury(void* entry) noexcept nogil:
    """Give an entry back, on any thread, with or without Python's lock."""
    if not ending:
        open_cuda_push(<void**>&(<Entry*>entry).next, entry)
        Py_AddPendingCall(_let_go, NULL)  # which may be refused: then the next drain() does it


cdef void call_entry(void* entry) noexcept nogil:
    """Call the Python function of an entry, on a thread of the driver; what it raises goes to sys.unraisablehook."""
    if not ending:
        _call(<Entry*>entry)


cdef void _call(Entry* entry) noexcept with gil:
    (<object>entry.object)()


cdef cydriver.CUuserObject retain(cydriver.CUgraph graph, Entry* entry) except? NULL:
    """Hand an entry over to a graph; if that fails, bury it and raise."""
    cdef cydriver.CUuserObject user = NULL
    cdef cydriver.CUresult status
    status = cydriver.cuUserObjectCreate(&user, entry, bury, 1, cydriver.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    if status != cydriver.CUDA_SUCCESS:
        bury(entry)
        check(status, b"cuUserObjectCreate")
    status = cydriver.cuGraphRetainUserObject(graph, user, 1, cydriver.CU_GRAPH_USER_OBJECT_MOVE)
    if status != cydriver.CUDA_SUCCESS:
        cydriver.cuUserObjectRelease(user, 1)
        check(status, b"cuGraphRetainUserObject")
    return user


cdef int release(cydriver.CUgraph graph, cydriver.CUuserObject user) except -1:
    """Take an entry back from a graph; executable graphs made from it keep theirs."""
    check(cydriver.cuGraphReleaseUserObject(graph, user, 1), b"cuGraphReleaseUserObject")
    return drain()
