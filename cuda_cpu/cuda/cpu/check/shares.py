# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Where memory that other processes map was allocated: each process records it in the folder of the findings.

Shared memory is identified by the inode of its file and the offset in it. The inode may be used again once the file is
gone, so the last record counts.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict

from cuda.cpu.check import stacks
from cuda.cpu.check.finding import Frame
from cuda.cpu.check.options import from_environment
from cuda.cpu.report_files import process_name
from cuda.cpu.signals import own

SUFFIX = ".shares"


def _folder() -> str:
    options = from_environment()
    return options.records if options else ""


def exported(tag: int, inode: int, offset: int) -> None:
    """Record where memory was allocated that is to be shared."""
    folder = _folder()
    if not folder:
        return
    frames = [asdict(each) for each in stacks.allocations.find(tag)]
    record = {"inode": inode, "offset": offset, "process": f"{os.getpid()}, {process_name()}", "frames": frames}
    try:
        with open(os.path.join(folder, f"{os.getpid()}{SUFFIX}"), "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
    except own(OSError):
        return  # the report then has the stack of the import alone


def imported(tag: int, inode: int, offset: int) -> None:
    """Let the stack of mapped memory begin with that of its allocation, if the other process has recorded it."""
    folder = _folder()
    names = [name for name in os.listdir(folder) if name.endswith(SUFFIX)] if folder else []
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found = [json.loads(line) for line in file if line.endswith("\n")]
        for each in reversed(found):
            if (each["inode"], each["offset"]) == (inode, offset):
                where = f" in process {each['process']}"
                inner = [Frame(**frame) for frame in each["frames"]]
                stacks.allocations.precede(tag, tuple(Frame(f.function + where, f.file, f.line) for f in inner))
                return
