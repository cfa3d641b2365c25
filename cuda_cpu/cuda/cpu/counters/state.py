# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Whether kernels are profiled, and the completed launches of those that were.

Imported by the driver, so it imports nothing but the runtime: a program without profiles pays for one attribute.
"""

from __future__ import annotations

import importlib
import itertools
import os
import re
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from cuda.cpu.counters.spans import FROM_START
from cuda.cpu.runtime import _runtime

if TYPE_CHECKING:
    from cuda.cpu.counters.layout import Layout

VARIABLE = "CUDA_CPU_PROFILE"  # "1": profile all kernels from the start
OPTIONS = "CUDA_CPU_PROFILE_OPTIONS"  # JSON, see profile/session.py
PROCESS = "CUDA_CPU_PROFILE_PROCESS"  # number of the process that the program began with


class Driver(NamedTuple):
    """What the profiler needs of the driver."""

    synchronize: Callable[[], object]  # waits for all launches
    reload: Callable[[], None]  # lets all kernels be compiled again at their next launch


session = os.environ.get(VARIABLE) == "1"  # of the program as a whole
active = session and os.environ.get(FROM_START) != "0"
driver: Driver | None = None  # None before it is imported
forked = False  # a fork of a process that used the device, which reports what both have recorded
_kernels = re.compile("")  # which are profiled, by name
_lock = threading.Lock()
_tokens = itertools.count(1)
_layouts: dict[int, Layout] = {}
_launches: list[tuple[Layout, _runtime.LaunchCounts]] = []


def begin() -> None:
    """Begin a program that is profiled as a whole, with the options that the environment has.

    The reports of this process have the names given; those of its children get the numbers of their processes.
    """
    global _kernels
    import json  # not at each import of the driver

    os.environ.setdefault(PROCESS, str(os.getpid()))
    _kernels = re.compile(json.loads(os.environ.get(OPTIONS) or "{}").get("kernel", ""))


def report() -> None:
    """Write the reports of a profiled program at its end."""
    if forked:
        return
    importlib.import_module("cuda.cpu.profile.session").finish()  # not imported: it is above the driver


def report_timeline() -> None:
    """Write the timeline of a program at its end."""
    if forked:
        return
    importlib.import_module("cuda.cpu.profile.timeline").finish()


def wait() -> None:
    """Wait for all launches."""
    if driver is not None:
        driver.synchronize()


def applies_to(name: str) -> bool:
    """Return whether launches of a kernel are to be counted now."""
    return active and _kernels.search(name) is not None


def switch(on: bool, kernels: re.Pattern[str] = re.compile("")) -> None:
    """Profile the kernels whose names contain a match, or none, from the next launch on."""
    global active, _kernels
    active, _kernels = on, kernels
    if driver is not None:
        driver.reload()
    _runtime.invalidate_fast_path()


def kernels() -> re.Pattern[str]:
    """Return the pattern of the names of the kernels that are profiled."""
    return _kernels


def register(layout: Layout) -> int:
    """Return a token by which the launches of a profiled kernel are known."""
    token = next(_tokens)
    _layouts[token] = layout
    return token


def completed() -> list[tuple[Layout, _runtime.LaunchCounts]]:
    """Wait for all launches; return those of profiled kernels since the start, in the order of their beginnings."""
    wait()
    with _lock:
        _launches.extend((_layouts[each.token], each) for each in _runtime.take_profiles())
        return sorted(_launches, key=lambda each: each[1].order)


def forget(launches: Iterable[tuple[Layout, _runtime.LaunchCounts]]) -> None:
    """Drop completed launches."""
    dropped = {id(counts) for _, counts in launches}
    with _lock:
        _launches[:] = [each for each in _launches if id(each[1]) not in dropped]
