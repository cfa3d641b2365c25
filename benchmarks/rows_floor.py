# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The calls of `rows_bindings` from a C extension that takes ints and checks nothing (floor.c), as a lower bound."""

from floor import *  # type: ignore[import-not-found] # noqa: F403 - the statements use it

stream, event, function, pointer, prepared = 0x2000, 0x3000, 0x6000, 0x70000000, 0x7FFF00001000

ROWS = [
    ("cuStreamQuery, wrapper handle", None, "cuStreamQuery(stream)"),
    ("cuStreamQuery, int", None, "cuStreamQuery(0x2000)"),
    ("cuEventRecord", None, "cuEventRecord(event, stream)"),
    ("cuPointerGetAttribute", None, "cuPointerGetAttribute(2, pointer)"),
    ("cuDeviceGetAttribute", None, "cuDeviceGetAttribute(10, 0)"),
    ("cuMemcpyAsync", None, "cuMemcpyAsync(pointer, pointer, 64, stream)"),
    ("cuLaunchKernel, prepared", None, "cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, prepared, 0)"),
    ("cuLaunchKernelEx, prepared", None, "cuLaunchKernelEx(prepared, function, prepared, 0)"),
]
