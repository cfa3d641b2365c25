# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A live handle of each kind for wrong_calls.py: the driver's, in the primary context that the runtime API uses."""

from __future__ import annotations

import contextlib

import live_handles

from cuda.cpu import driver, runtime_api

SAME = {
    "cudaArray": "CUarray_st",
    "cudaMipmappedArray": "CUmipmappedArray_st",
    "CUexternalMemory_st": "CUextMemory_st",
    "cudaExecutionContext_st": "CUgreenCtx_st",
}


@contextlib.contextmanager
def fresh():
    runtime_api.cudaSetDevice(0)
    runtime_api.cudaFree(0)
    with live_handles.made_in(driver.cuCtxGetCurrent()) as made:
        yield made | {name: made[of] for name, of in SAME.items()}
    runtime_api.cudaSetDevice(0)
    runtime_api.cudaDeviceReset()
