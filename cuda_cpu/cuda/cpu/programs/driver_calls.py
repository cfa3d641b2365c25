# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of the driver's C interface, for the adapters of other packages."""

from __future__ import annotations

import ctypes
from typing import Any

library = ctypes.CDLL("libcuda.so.1")


class DriverError(RuntimeError):
    """A call of the driver failed."""


def call(name: str, *arguments: Any) -> None:
    """Call a function of the driver.

    Raises
    ------
    DriverError
        The function does not return CUDA_SUCCESS.
    """
    status = getattr(library, name)(*arguments)
    if status:
        text = ctypes.c_char_p()
        library.cuGetErrorName(status, ctypes.byref(text))
        raise DriverError(f"{name} returned {(text.value or b'an unknown status').decode()}")


def returned(kind: Any, name: str, *arguments: Any) -> Any:
    """Call a function whose first parameter is an output, and return that."""
    result = kind()
    call(name, ctypes.byref(result), *arguments)
    return result.value
