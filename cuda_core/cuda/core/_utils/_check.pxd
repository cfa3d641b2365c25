# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver

cdef extern from *:
    """
    #if PY_VERSION_HEX >= 0x030D0000
    #define open_cuda_is_finalizing Py_IsFinalizing
    #else
    #define open_cuda_is_finalizing _Py_IsFinalizing
    #endif
    """
    # Once Python ends, handles are the driver's to give back: a call could need a symbol that nobody can look up then.
    bint is_finalizing "open_cuda_is_finalizing" ()

# Whether Python runs in its development mode (-X dev, PYTHONDEVMODE), which tells of what nobody closed.
cdef bint dev_mode

# What is called after each wait, or None: memory that work has used may be let go of then.
cdef object after_wait

cdef int tell_unclosed(str what, object source) except -1
cdef int fail(cydriver.CUresult status, const char* call, str advice=*) except -1 with gil
cdef object error_of(cydriver.CUresult status, const char* call, str advice=*)


cdef inline int check(cydriver.CUresult status, const char* call) except -1 nogil:
    """Raise for a status other than success; `call` names the C function that returned it."""
    if <int>status != 0:
        return fail(status, call)
    return 0
