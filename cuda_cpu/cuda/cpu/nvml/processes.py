# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Processes that use the CPU device, and processor utilisation, from /proc."""

from __future__ import annotations

import os
import sys
import time

from cuda.cpu.nvml import machine
from cuda.cpu.nvml.machine import names, read
from cuda.cpu.signals import own

_LIBRARY = os.path.realpath(os.path.join(os.path.dirname(os.path.dirname(__file__)), "entry", "libcuda.so.1"))
_RUNTIME = os.path.join(os.path.dirname(os.path.dirname(_LIBRARY)), "runtime", "_runtime.")
SHORTEST = 0.01  # seconds between two looks at how busy the processor is


def using_the_device() -> list[int]:
    """Return the processes that have the CPU device loaded, as far as this user may look into them, and this one."""
    found = {int(name) for name in names("/proc") if name.isdigit() and _has_loaded(name)}
    return sorted(found | {os.getpid()})


def _has_loaded(process: str) -> bool:
    maps = read(f"/proc/{process}/maps")
    return _LIBRARY in maps or _RUNTIME in maps


def name_of(process: int) -> str:
    """Return the program of a process, "" if there is no such process."""
    if process == os.getpid() and not names("/proc"):
        return sys.executable
    try:
        return os.readlink(f"{machine.ROOT}/proc/{process}/exe")
    except own(PermissionError):
        pass
    except own(OSError):
        return ""
    return read(f"/proc/{process}/comm")


def _times() -> tuple[int, int] | None:
    """Return how long the processor's cores were busy, and in all, since the system started, if /proc reports it."""
    numbers = [int(word) for word in read("/proc/stat").partition("\n")[0].split()[1:]]
    if len(numbers) < 5:
        return None
    idle = sum(numbers[3:5])  # idle, waiting for input and output
    return sum(numbers[:8]) - idle, sum(numbers[:8])


class Load:
    """Processor utilisation since the previous query."""

    def __init__(self) -> None:
        self.before = _times()

    def percent(self) -> int | None:
        """Return the share in percent, None if it is not known."""
        before, now = self.before, _times()
        if before is None or now is None:
            self.before = now
            return None
        if now[1] - before[1] < 2:  # too short for the system's clock
            time.sleep(SHORTEST * 2)
            now = _times() or now
        busy, total = now[0] - before[0], now[1] - before[1]
        self.before = now
        return max(0, min(100, round(100 * busy / total))) if total > 0 else 0
