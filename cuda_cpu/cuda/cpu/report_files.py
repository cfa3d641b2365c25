# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write reports to files, and name the process that a report is about."""

from __future__ import annotations

import os
import shlex
import sys

from cuda.cpu.counters.state import PROCESS
from cuda.cpu.signals import own

MOST_COMMAND = 100  # characters
WRITTEN, FAILED = "written", "failed"  # what has become of a report, see `note`
UNWRITTEN = 2  # exit status if a report could not be written


def replace(path: str, content: str) -> None:
    """Write a file as a whole, or leave what was there. Pipes and devices are written to.

    Raises
    ------
    OSError
        It cannot be written.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def note(folder: str, outcome: str) -> None:
    """Tell the command that runs the program what has become of a report, by a file in its folder ("": no command)."""
    if not folder:
        return
    try:
        with open(os.path.join(folder, outcome), "a"):
            pass
    except own(OSError) as error:
        print(f"cuda.cpu: the command cannot be told in {folder}: {error.strerror}", file=sys.stderr)


def outcome(folder: str, status: int) -> int:
    """Return the exit status of a command whose program has ended; say so if there is no report of any process."""
    found = os.listdir(folder)
    if not found:
        print(
            "cuda.cpu: there is no report: the program has not used the device, or has not ended by Python's usual way "
            "but by os._exit or a signal",
            file=sys.stderr,
        )
    return status or (UNWRITTEN if FAILED in found else 0)


def of_process(path: str, process: str) -> str:
    """Return the name of a report of another process of the program: with its number before the suffix."""
    stem, suffix = os.path.splitext(path)
    return f"{stem}.{process}{suffix}" if path else ""


def folder_problem(path: str) -> str:
    """Return why no file can be written at a path, "" if one can."""
    folder = os.path.dirname(os.path.abspath(path))
    return "" if os.access(folder, os.W_OK) else f"{folder} is no folder in which files can be written"


def note_first() -> None:
    """Let this be the process that the program began with, unless another one is."""
    os.environ.setdefault(PROCESS, str(os.getpid()))


def is_first() -> bool:
    """Return whether this is the process that the program began with."""
    process = str(os.getpid())
    return os.environ.get(PROCESS, process) == process


def process_name() -> str:
    """Return the command of this process, behind its name if multiprocessing started it."""
    arguments = list(getattr(sys, "argv", []))
    if not arguments or arguments[0] in ("", "-c"):
        arguments = sys.orig_argv[1:]
    command = " ".join(shlex.join(arguments).split())
    command = command if len(command) <= MOST_COMMAND else f"{command[:MOST_COMMAND]}..."
    processes = sys.modules.get("multiprocessing.process")
    name = processes.current_process().name if processes else "MainProcess"
    return command if name == "MainProcess" else f"{name} of {command}"
