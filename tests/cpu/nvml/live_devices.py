# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVML handles of CPU devices, for support/wrong_calls.py."""

from __future__ import annotations

import contextlib

from cuda.cpu import nvml
from cuda.cpu.nvml import base


@contextlib.contextmanager
def fresh():
    nvml.nvmlInit()
    yield {"nvmlDevice_st": lambda: nvml.nvmlDeviceGetHandleByIndex(0)}
    while base._initialized:
        nvml.nvmlShutdown()
