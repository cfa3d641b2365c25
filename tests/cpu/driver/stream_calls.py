# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Streams for the driver's tests, destroyed at the end of each test."""

from __future__ import annotations

import contextlib

from cuda.cpu import abi, driver
from cuda.cpu.driver.base.error import CudaError


@contextlib.contextmanager
def streams(*flags: int):
    made = [driver.cuStreamCreate(each) for each in flags]
    try:
        yield made
    finally:
        for each in made:
            driver.cuStreamDestroy(each)


def is_busy(stream: int) -> bool:
    try:
        driver.cuStreamQuery(stream)
    except CudaError as error:
        if error.status == abi.CUDA_ERROR_NOT_READY:
            return True
        raise
    return False
