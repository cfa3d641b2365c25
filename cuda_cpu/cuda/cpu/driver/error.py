# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A failed driver call: its CUresult, and one sentence that says what was wrong."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable

from cuda.cpu.abi import (
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_INVALID_VALUE,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
    CUDA_ERROR_NO_BINARY_FOR_GPU,
)
from cuda.cpu.ending import START

_thread = threading.local()

# The latest messages of all threads, which log.py hands out, and who wants to be told of each.
messages: deque[str] = deque(maxlen=100)
listeners: dict[int, Callable[[str], None]] = {}
# Why a program of others cannot run here, which the status alone does not tell: said once, where run.py started it.
TOLD = (CUDA_ERROR_INVALID_PTX, CUDA_ERROR_JIT_COMPILER_NOT_FOUND, CUDA_ERROR_NO_BINARY_FOR_GPU)
_told: set[str] = set()
written = 0  # messages so far, those that have been pushed out of the deque included


class CudaError(Exception):
    """End a driver call with `status` (a CUresult other than CUDA_SUCCESS)."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(status, message)
        self.status = status
        _thread.message = message
        if message:
            _note(f"error {status}: {message}", aloud=status in TOLD and START in sys.modules)


def _note(text: str, *, aloud: bool) -> None:
    global written
    messages.append(text)
    written += 1
    if "CUDA_CPU_LOG" in os.environ or (aloud and text not in _told):
        print(f"cuda.cpu: {text}", file=sys.stderr)
        _told.add(text)
    for listener in list(listeners.values()):
        listener(text)


def invalid(message: str) -> CudaError:
    """Return a CUDA_ERROR_INVALID_VALUE to raise."""
    return CudaError(CUDA_ERROR_INVALID_VALUE, message)


def last_error_message() -> str:
    """Return what the last failed driver call of this thread said, "" if it said nothing beyond its status."""
    return getattr(_thread, "message", "")
