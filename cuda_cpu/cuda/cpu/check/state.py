# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Whether checks are active in this process, and what they need of the driver.

Imported by the driver, so it imports nothing but the runtime: a program without checks pays for one attribute.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from cuda.cpu import check
from cuda.cpu.runtime import _runtime


class Driver(NamedTuple):
    """What checks need of the driver."""

    synchronize: Callable[[], object]  # waits for all launches
    finish: Callable[[], None]  # waits for them when the program ends, and ends those that never end
    reload: Callable[[], None]  # lets all kernels be compiled again at their next launch
    collect: Callable[[], None]  # records the findings of completed launches
    watch: Callable[[], None]  # reports all allocations to the runtime
    is_idle: Callable[[], bool]  # whether all launches have ended
    programs: Callable[[], dict[int, Any]]  # the programs of loaded modules, by their symbols
    stream_name: Callable[[Any], str]  # of the stream of a queue
    # Of the allocation at an address: ", byte 0 of the allocation that ...", its start and size; or "" and zeros.
    memory_at: Callable[[int], tuple[str, int, int]]


active = False  # whether call stacks are recorded
driver: Driver | None = None  # None before it is imported
order: Any = None  # the order.Order of racecheck, if that is active


def begin(of: Driver) -> None:
    """Begin, if the environment asks for checks."""
    global driver
    driver = of
    try:
        wanted = check.chosen() or check.wants_leaks()
    except ValueError:
        return  # cuInit reports it
    if wanted:
        recorder().begin()


def recorder() -> Any:
    return importlib.import_module("cuda.cpu.check.recorder")  # programs without checks do not need it


def stacks() -> Any:
    return importlib.import_module("cuda.cpu.check.stacks")


def exported(tag: int, inode: int, offset: int) -> None:
    """Record where memory was allocated that other processes can map from now on."""
    if active:
        importlib.import_module("cuda.cpu.check.shares").exported(tag, inode, offset)


def imported(tag: int, inode: int, offset: int) -> None:
    """Find out where memory of another process was allocated."""
    if active:
        importlib.import_module("cuda.cpu.check.shares").imported(tag, inode, offset)


def findings_of(raw: Iterable[_runtime.Finding], kernel: str, code: Any) -> list[Any]:
    """Record and return the findings of a launch, described by the program of the kernel."""
    build = importlib.import_module("cuda.cpu.check.build")
    found = [(build.finding_of(each, kernel, code), each.grid_id) for each in raw]
    recorder().add(found)
    return [finding for finding, _ in found]


def failed() -> None:
    """Record that a launch has failed by a fault that is no finding."""
    if active:
        recorder().failed()


def leaks(memory: Iterable[Any], objects: Iterable[tuple[str, str, Iterable[int], str]]) -> None:
    """Record what still exists: allocations, and handles by kind, with what ends them and the severity."""
    build = importlib.import_module("cuda.cpu.check.build")
    found = [*build.leaked_memory(memory)]
    for kind, end, handles, severity in objects:
        found += build.leaked_objects(kind, end, handles, severity)
    recorder().add((each, 0) for each in found)


def heap_leaks() -> None:
    """Record what kernels have allocated by malloc and not freed, before the heap is emptied."""
    if active and check.wants_leaks():
        recorder().add(importlib.import_module("cuda.cpu.check.build").leaked_blocks(_runtime.take_heap_leaks()))


def forget_after_fork() -> None:
    if active:
        recorder().forget_after_fork()


def collect() -> None:
    """Record the findings of launches that have completed."""
    if driver is not None and _runtime.findings_pending():
        driver.collect()
