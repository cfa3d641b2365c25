# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Bindings of the native runtime: memory, machine code, queues, events, graphs, checks.

One extension, whose parts (.pxi) are included by subject.
"""

cimport cython
from libc.errno cimport errno
from libc.stdint cimport INT64_MAX
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset, strerror

import os
import sys

from cuda.cpu import at_exit

ABI = CPU_KERNEL_ABI


cdef int check_process() except -1:
    if cpu_process_state() == CPU_FORKED:
        raise RuntimeError("the CPU device cannot be used in a forked child: its threads stayed in the parent")
    return 0


cdef int64_t deadline_of(double timeout) noexcept:
    if timeout < 0 or timeout > 1e9:
        return INT64_MAX
    return cpu_now() + <int64_t>(timeout * 1e9)


include "_memory.pxi"
include "_kernel.pxi"
include "_event.pxi"
include "_queue.pxi"
include "_graph.pxi"
include "_check.pxi"
include "_operation.pxi"
include "_counters.pxi"
include "_snapshot.pxi"
include "_timeline.pxi"
include "_fast_path.pxi"
include "_process.pxi"

cpu_process_begin()
at_exit.register(shutdown)
