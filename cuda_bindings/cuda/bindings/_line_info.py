# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compiler options for the CPU device: -lineinfo, with which NVRTC and nvJitLink include PTX in their cubins.

The CPU device compiles that PTX.
"""

from cuda.bindings import _loader

SUFFICIENT = (b"-lineinfo", b"--generate-line-info", b"-G", b"--device-debug")


def with_line_info(options, count):
    """Return options, and their number, with -lineinfo if the CPU device will run the result."""
    if not _loader.will_use_cpu():
        return options, count
    if not (options is None or isinstance(options, (list, tuple))):
        return options, count  # the address of an array of the caller
    given = list(options or ())[:count]
    if len(given) != count or any(isinstance(o, (str, bytes)) and _spelled(o) in SUFFICIENT for o in given):
        return options, count  # the wrapper reports a wrong count
    return [*given, b"-lineinfo"], count + 1


def _spelled(option):
    option = option.encode() if isinstance(option, str) else option
    return option.strip()
