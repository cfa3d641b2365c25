# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Addresses as kernel arguments which tell the arrays that they are of: a GPU gets copies of these."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


class Address(np.uint64):
    """An array's address plus an offset in bytes, which may lie outside of the array."""

    def __new__(cls, array: np.ndarray, offset: int = 0) -> Address:
        made = super().__new__(cls, (array.ctypes.data + offset) % (1 << 64))
        made.array, made.offset = array, offset
        return made


class Table(np.ndarray):
    """An array of the addresses of arrays, for kernels that get pointers to pointers."""

    def __new__(cls, arrays: Iterable[np.ndarray]) -> Table:
        arrays = list(arrays)
        made = np.array([array.ctypes.data for array in arrays], np.uint64).view(cls)
        made.arrays = arrays
        return made


def arrays_of(argument: object) -> list[np.ndarray]:
    """Return the arrays that a kernel reaches by an argument."""
    if isinstance(argument, Table):
        return argument.arrays
    if isinstance(argument, Address):
        return [argument.array]
    return [argument] if isinstance(argument, np.ndarray) and argument.ndim else []
