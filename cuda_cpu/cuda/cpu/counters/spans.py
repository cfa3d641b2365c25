# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""When the host did something for kernels: compilations, loads from the disk cache. See `cuda.cpu.profile.timeline`."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

VARIABLE = "CUDA_CPU_TIMELINE"  # files in which the timeline of the program is written at its end
FROM_START = "CUDA_CPU_FROM_START"  # "0": profiles and timelines begin with cuProfilerStart
session = bool(os.environ.get(VARIABLE))  # of the program as a whole
active = session and os.environ.get(FROM_START) != "0"


class Span(NamedTuple):
    name: str
    category: str
    thread: str
    begin: int  # nanoseconds of time.monotonic_ns
    end: int
    domain: str = ""  # of an NVTX range
    group: str = ""  # the NVTX category of the range: its name, or its number


recorded: list[Span] = []


class PoolSize(NamedTuple):
    """What a memory pool has in use, and holds, from a time on; in bytes."""

    time: int  # nanoseconds of time.monotonic_ns
    pool: int  # handle
    location: str
    used: int
    reserved: int


pool_sizes: list[PoolSize] = []


@contextlib.contextmanager
def span(name: str, category: str) -> Iterator[None]:
    """Record when the statements of a block run, if a timeline is recorded."""
    if not active:
        yield
        return
    begin = time.monotonic_ns()
    try:
        yield
    finally:
        recorded.append(Span(name, category, threading.current_thread().name, begin, time.monotonic_ns()))
