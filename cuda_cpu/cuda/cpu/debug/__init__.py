# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels for debuggers: whether they are compiled for one, by CUDA_CPU_DEBUG."""

from __future__ import annotations

import os

VARIABLE = "CUDA_CPU_DEBUG"


def active() -> bool:
    """Return whether kernels are compiled for a debugger.

    Raises
    ------
    ValueError
        CUDA_CPU_DEBUG has another value than 0 or 1.
    """
    value = os.environ.get(VARIABLE, "")
    if value not in ("", "0", "1"):
        raise ValueError(f"{VARIABLE} is {value!r}; it must be 0 or 1")
    return value == "1"
