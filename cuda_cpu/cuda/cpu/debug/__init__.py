# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels for debuggers: whether they are compiled for one, by CUDA_CPU_DEBUG."""

from __future__ import annotations

import os

VARIABLE = "CUDA_CPU_DEBUG"
CORE = "CUDA_ENABLE_COREDUMP_ON_EXCEPTION"  # the name that NVIDIA's driver knows

# What cuCoredumpSetAttribute has set, by the number of the context.
ALL = 0  # those without a value of their own
enabled: dict[int, bool] = {}
files: dict[int, str] = {}


def active() -> bool:
    """Return whether kernels are compiled for a debugger, or for core dumps.

    Raises
    ------
    ValueError
        CUDA_CPU_DEBUG has another value than 0 or 1.
    """
    value = os.environ.get(VARIABLE, "")
    if value not in ("", "0", "1"):
        raise ValueError(f"{VARIABLE} is {value!r}; it must be 0 or 1")
    return value == "1" or (not value and core_is_wanted())


def core_is_wanted(context: int | None = None) -> bool:
    """Return whether a fault of a kernel writes a core dump: one of a context, or of any."""
    of_all = enabled.get(ALL, os.environ.get(CORE) == "1")
    return of_all or any(enabled.values()) if context is None else enabled.get(context, of_all)
