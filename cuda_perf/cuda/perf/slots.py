# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Cores and GPUs that a measurement has for itself, whatever started it: pytest-xdist, Dask, or another shell.

A slot is some cores, or a GPU. Its owner holds exclusive locks (flock) on files in the user's temporary folder, which
the system releases when the process ends, even by a crash.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

WAIT = 0.05  # seconds until busy slots are tried again


class Slot(NamedTuple):
    """What one measurement uses alone."""

    name: str
    cores: frozenset[int] = frozenset()  # none: those of the process
    gpu: str = ""  # for CUDA_VISIBLE_DEVICES


def of_cores(count: int) -> list[Slot]:
    """Return the slots of this process's cores, `count` in each.

    Raises
    ------
    ValueError
        The process has fewer cores.
    """
    cores = sorted(os.sched_getaffinity(0))
    if not 1 <= count <= len(cores):
        raise ValueError(f"{count} cores per measurement; this process has {len(cores)}")
    groups = [cores[first : first + count] for first in range(0, len(cores) - count + 1, count)]
    return [Slot(f"cores-{'-'.join(map(str, group))}", frozenset(group)) for group in groups]


def of_gpus(number: int) -> list[Slot]:
    """Return a slot per GPU that the process sees."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    names = visible.split(",") if visible else [str(each) for each in range(number)]
    return [Slot(f"gpu-{name.strip()}", gpu=name.strip()) for name in names]


@contextlib.contextmanager
def occupied(slots: Sequence[Slot]) -> Iterator[Slot]:
    """Wait for one of the slots, and run the `with` statement in it: on its cores only, as all processes it starts."""
    with contextlib.ExitStack() as stack:
        opened = [(slot, stack.enter_context(_locks(slot))) for slot in slots]
        while (slot := next((slot for slot, files in opened if _acquire(files)), None)) is None:
            time.sleep(WAIT)
        before = os.sched_getaffinity(0)
        if slot.cores:
            os.sched_setaffinity(0, slot.cores)
        try:
            yield slot
        finally:
            os.sched_setaffinity(0, before)


@contextlib.contextmanager
def _locks(slot: Slot) -> Iterator[list[int]]:
    """Open a file per core, so that slots of different sizes exclude each other, too; closing releases the locks."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"cuda-perf-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    names = [f"core-{core}" for core in sorted(slot.cores)] or [slot.name]
    files: list[int] = []
    try:
        for name in names:
            files.append(os.open(folder / name, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        yield files
    finally:
        for file in files:
            os.close(file)


def _acquire(files: list[int]) -> bool:
    """Lock all files or none; never waits."""
    for number, file in enumerate(files):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            for each in files[:number]:
                fcntl.flock(each, fcntl.LOCK_UN)
            return False
    return True
