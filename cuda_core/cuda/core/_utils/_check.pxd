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
    # At interpreter shutdown handles are left to the driver: lazy lookup of a symbol would fail then.
    bint is_finalizing "open_cuda_is_finalizing" ()

# Whether Python runs in development mode (-X dev, PYTHONDEVMODE), which warns about unclosed objects.
cdef bint dev_mode

# Function that is called after each synchronisation, or None: it releases memory that finished work has used.
cdef object after_wait

cdef int warn_unclosed(str shown, object source) except -1
cdef int fail(cydriver.CUresult status, const char* call, str advice=*) except -1 with gil
cdef object error_of(cydriver.CUresult status, const char* call, str advice=*)


cdef inline int check(cydriver.CUresult status, const char* call) except -1 nogil:
    """Raise for a status other than success; `call` names the C function that returned it."""
    if <int>status != 0:
        return fail(status, call)
    return 0
