# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""At exit: report a failed kernel if no call of the program has raised its error."""

from libc.stdint cimport uintptr_t

from cuda.bindings cimport cydriver
from cuda.core._utils._check cimport error_of

import sys
import time

from cuda.core._errors import ASYNCHRONOUS, LATER, Reported

# Unfinished work at exit is polled for this many seconds, not waited for to its end.
_PATIENCE = 0.2
_PAUSE = 1e-3


cdef cydriver.CUresult outcome(cydriver.CUcontext context) except? <cydriver.CUresult>-1:
    """Return the status of a context's work, CUDA_ERROR_NOT_READY if it still runs."""
    cdef cydriver.CUevent event = NULL
    cdef cydriver.CUresult status = cydriver.cuEventCreate(&event, cydriver.CU_EVENT_DISABLE_TIMING)
    if status != cydriver.CUDA_SUCCESS:
        return status
    try:
        status = cydriver.cuCtxRecordEvent(context, event)
        end = time.monotonic() + _PATIENCE
        while status == cydriver.CUDA_SUCCESS:
            status = cydriver.cuEventQuery(event)
            if status != cydriver.CUDA_ERROR_NOT_READY or time.monotonic() > end:
                break
            status = cydriver.CUDA_SUCCESS
            time.sleep(_PAUSE)
    except RuntimeError:  # a driver before CUDA 12.5: report only what has failed already
        status = cydriver.cuStreamQuery(NULL)
    cydriver.cuEventDestroy(event)
    return status


def report_failure(uintptr_t address) -> None:
    """Print a context's asynchronous error if no call has raised it."""
    cdef cydriver.CUcontext context = <cydriver.CUcontext>address
    cdef cydriver.CUcontext popped = NULL
    cdef cydriver.CUresult status
    if Reported.failures or cydriver.cuCtxPushCurrent(context) != cydriver.CUDA_SUCCESS:
        return
    status = outcome(context)
    if status not in (cydriver.CUDA_SUCCESS, cydriver.CUDA_ERROR_NOT_READY):
        error = error_of(status, b"cuEventQuery")
        if error.name in ASYNCHRONOUS and sys.stderr is not None:
            text = str(error).replace(f"\n{LATER}", "")
            print(
                f"cuda.core: work failed that the program has not waited for; Stream.sync() raises this: {text}",
                file=sys.stderr,
            )
    cydriver.cuCtxPopCurrent(&popped)
