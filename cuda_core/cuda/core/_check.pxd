# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from cuda.bindings cimport cydriver

cdef int fail(cydriver.CUresult status, const char* call, str advice=*) except -1 with gil


cdef inline int check(cydriver.CUresult status, const char* call) except -1 nogil:
    """Raise for a status other than success; `call` names the C function that returned it."""
    if <int>status != 0:
        return fail(status, call)
    return 0
