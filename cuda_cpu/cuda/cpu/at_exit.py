# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions that run when Python exits, after the exit handlers of the program, which may still use the device."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable

# programs/forward/start.py, in programs that run.py started: its handler came before all others
START = "cuda_cpu_start"


def register(function: Callable[[], None]) -> None:
    """Call a function when Python exits, before those that were registered earlier.

    Handlers run in the order opposite to that of their registration. What a program has registered before it first
    calls the driver comes after this one, unless programs/forward/start.py was there before.
    """
    start = sys.modules.get(START)
    if start is None:
        atexit.register(function)
    else:
        start.exit_handlers.append(function)
