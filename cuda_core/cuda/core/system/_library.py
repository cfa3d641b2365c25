# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Lazy initialisation of NVML."""

from __future__ import annotations

import os
import threading
from typing import Any

_lock = threading.Lock()
_initialised_in = 0  # the process that initialised NVML: a forked child must do so again


def nvml() -> Any:
    """Return `cuda.bindings.nvml`, initialised."""
    global _initialised_in
    import cuda.bindings.nvml as library

    if _initialised_in != os.getpid():
        with _lock:
            if _initialised_in != os.getpid():
                library.init_v2()
                _initialised_in = os.getpid()
    return library


def flag(value: Any) -> bool:
    """Return an nvmlEnableState_t as bool."""
    return bool(int(value))
