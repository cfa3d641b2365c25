# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Active stream captures, and the calls that they prohibit: those that are not stream-ordered.

Such a call (an allocation, a free, a wait) may belong to what is captured and would not be in the graph. It is refused,
and ends the captures that it concerns, by the mode of the calling thread and the modes the captures were begun with.
"""

from __future__ import annotations

import threading
from threading import get_ident
from typing import Any

from cuda.cpu.abi import (
    CU_STREAM_CAPTURE_MODE_GLOBAL,
    CU_STREAM_CAPTURE_MODE_RELAXED,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
)
from cuda.cpu.driver.base.error import CudaError

active: set[Any] = set()  # Capture objects, of all threads
mode = threading.local()


def exchange(new: int) -> int:
    """Set the calling thread's mode and return what it was."""
    old = getattr(mode, "value", CU_STREAM_CAPTURE_MODE_GLOBAL)
    mode.value = new
    return old


def refuse(name: str, captures: list[Any]) -> None:
    """Raise, if there are `captures`, that call `name` cannot be made during them; they are invalid from now on."""
    for capture in captures:
        capture.valid = False
    if captures:
        raise CudaError(
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            f"{name} is not possible during a stream capture, which is invalid now; "
            "cuThreadExchangeStreamCaptureMode can allow what is no part of the capture",
        )


def check_safe(name: str) -> None:
    """Refuse call `name` where a capture may be meant to hold it."""
    if not active:
        return
    here = getattr(mode, "value", CU_STREAM_CAPTURE_MODE_GLOBAL)
    if here == CU_STREAM_CAPTURE_MODE_RELAXED:
        return
    refuse(
        name,
        [
            capture
            for capture in list(active)
            if (capture.thread == get_ident() and capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED)
            or (here == capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL)
        ],
    )


def check_none_in(name: str, context: Any) -> None:
    """Refuse call `name`, which waits for all streams of a context, while one of them captures."""
    refuse(name, [capture for capture in list(active) if capture.origin.context is context])


def forget_after_fork() -> None:
    active.clear()
