# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which processes use the CPU device, and how busy the processor is: what Linux tells in /proc."""

from __future__ import annotations

import os
import time

from cuda.cpu.driver.device import read

_LIBRARY = os.path.realpath(os.path.join(os.path.dirname(os.path.dirname(__file__)), "entry", "libcuda.so.1"))
_RUNTIME = os.path.join(os.path.dirname(os.path.dirname(_LIBRARY)), "runtime", "_runtime.")
SHORTEST = 0.01  # seconds between two looks at how busy the processor is


def using_the_device() -> list[int]:
    """Return the processes that have the CPU device loaded, as far as this user may look into them."""
    return sorted(int(name) for name in os.listdir("/proc") if name.isdigit() and _has_loaded(name))


def _has_loaded(process: str) -> bool:
    maps = read(f"/proc/{process}/maps")
    return _LIBRARY in maps or _RUNTIME in maps


def name_of(process: int) -> str:
    """Return the program of a process, "" if there is no such process."""
    try:
        return os.readlink(f"/proc/{process}/exe")
    except PermissionError:
        pass
    except OSError:
        return ""
    return read(f"/proc/{process}/comm").strip()


def _times() -> tuple[int, int]:
    """Return how long the processor's cores were busy, and in all, since the system started."""
    numbers = [int(word) for word in read("/proc/stat").partition("\n")[0].split()[1:]]
    idle = sum(numbers[3:5])  # idle, waiting for input and output
    return sum(numbers[:8]) - idle, sum(numbers[:8])


class Load:
    """How busy the processor was since it was asked before."""

    def __init__(self) -> None:
        self.before = _times()

    def percent(self) -> int:
        busy, total = _times()
        if total - self.before[1] < 2:  # too short for the system's clock
            time.sleep(SHORTEST * 2)
            busy, total = _times()
        since, of = busy - self.before[0], total - self.before[1]
        self.before = busy, total
        return max(0, min(100, round(100 * since / of))) if of > 0 else 0
