# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Data of the file that tests transfer, and what they expect."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from cuda.bindings import cufile

DATA = np.random.default_rng(8).integers(0, 256, 1 << 20, np.uint8).tobytes()


def refused(name):
    return pytest.raises(cufile.cuFileError, match=f"^{name} ")


def content(memory, size=None):
    return ctypes.string_at(memory, len(DATA) if size is None else size)
