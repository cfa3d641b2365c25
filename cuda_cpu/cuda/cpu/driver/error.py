# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A failed driver call: its CUresult, and one sentence that says what was wrong."""

from __future__ import annotations

import os
import sys
import threading

from cuda.cpu.abi import CUDA_ERROR_INVALID_VALUE

_thread = threading.local()


class CudaError(Exception):
    """End a driver call with `status` (a CUresult other than CUDA_SUCCESS)."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(status, message)
        self.status = status
        _thread.message = message
        if message and "CUDA_CPU_LOG" in os.environ:
            print(f"cuda.cpu: error {status}: {message}", file=sys.stderr)


def invalid(message: str) -> CudaError:
    """Return a CUDA_ERROR_INVALID_VALUE to raise."""
    return CudaError(CUDA_ERROR_INVALID_VALUE, message)


def last_error_message() -> str:
    """Return what the last failed driver call of this thread said, "" if it said nothing beyond its status."""
    return getattr(_thread, "message", "")
