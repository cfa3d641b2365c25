# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Formatting of figures."""

from __future__ import annotations

import datetime
import os
import pathlib
import platform


def duration(seconds: float) -> str:
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def machine() -> str:
    """Return a sentence with the date and the machine."""
    models = [line for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    model = models[0].partition(":")[2].strip() if models else platform.machine()
    cores, python = len(os.sched_getaffinity(0)), platform.python_version()
    return f"{datetime.date.today()}, {model}, {cores} cores, Python {python}, {platform.system()}."
