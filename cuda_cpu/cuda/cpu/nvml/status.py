# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statuses of NVML (nvmlReturn_t, nvml.h)."""

from __future__ import annotations

from cuda.cpu.driver.base.error import CudaError

UNINITIALIZED = 1
INVALID_ARGUMENT = 2
NOT_SUPPORTED = 3
NOT_FOUND = 6
INSUFFICIENT_SIZE = 7
TIMEOUT = 10
OPERATING_SYSTEM = 17
ARGUMENT_VERSION_MISMATCH = 25

_OWN = 10000  # see nvml.c


def failure(status: int, message: str) -> CudaError:
    """Return the error to raise for a nvmlReturn_t; the driver's log has no entry for it."""
    return CudaError(_OWN + status, message, expected=True)
