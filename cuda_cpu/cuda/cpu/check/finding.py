# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What checks find: one record for all errors of one kind of one instruction in one launch."""

from __future__ import annotations

import itertools
from dataclasses import asdict, dataclass, field
from typing import Any

SEVERITIES = ("info", "warning", "error")  # from the least

Dim = tuple[int, int, int]


@dataclass(frozen=True)
class Frame:
    """A line of a call stack. `line` is 0 and `file` "" if they are not known.

    `text` is the source line, of programs that are strings in Python; otherwise "".
    """

    function: str
    file: str
    line: int
    text: str = ""

    def __str__(self) -> str:
        where = f" at {self.file}:{self.line}" if self.file else ""
        return f"{self.function}{where}" + (f": {self.text}" if self.text else "")


Stack = tuple[Frame, ...]  # the innermost call first


@dataclass
class Finding:
    """Errors of one kind of one instruction in one launch, or a leak.

    Attributes
    ----------
    checker : str
        "memcheck", "racecheck", "synccheck", "initcheck" or "leakcheck".
    kind : str
        What is wrong, such as "outside" or "read_after_write"; the guide "Check kernels" lists them.
    severity : str
        "error", "warning" or "info".
    message : str
        The whole text, in one line.
    kernel : str
        The kernel's name in PTX, "" for leaks.
    launch : int
        Number of the launch among those of this process, from 1; 0 if it is not known.
    block, thread : tuple of int
        Of the first error in the order of blocks and threads.
    count : int
        Number of errors of this kind by this instruction in the launch.
    address, size : int
        What was accessed, in bytes; for synccheck and leakcheck see `message`.
    instruction : str
        The PTX instruction.
    device_stack : tuple of Frame
        Where the instruction is in the source, through inlined functions, the innermost first. Needs `lineinfo`.
    other_stack : tuple of Frame
        The same for the earlier access of a race.
    launch_stack, allocation_stack, free_stack : tuple of Frame
        Python's call stacks when the kernel was launched, and when the memory was allocated and freed.
    other_launch_stack : tuple of Frame
        Python's call stack of the other call, in a race between two operations of streams.
    allocation_address, allocation_size : int
        Where the allocation begins that `message` names, and its bytes; 0 where it names none.
    stream, other_stream : str
        The streams of the two, "" in other findings.
    process : int
        Number of the process.
    process_name : str
        Its command, and its name by multiprocessing; "" for the process that the program began with.
    suppressed_by : int
        Line of the rule in the suppressions file; 0: it is reported.
    """

    checker: str
    kind: str
    severity: str
    message: str
    kernel: str = ""
    launch: int = 0
    block: Dim = (0, 0, 0)
    thread: Dim = (0, 0, 0)
    count: int = 1
    address: int = 0
    size: int = 0
    instruction: str = ""
    device_stack: Stack = ()
    other_stack: Stack = ()
    launch_stack: Stack = ()
    allocation_stack: Stack = ()
    free_stack: Stack = ()
    other_launch_stack: Stack = ()
    allocation_address: int = 0
    allocation_size: int = 0
    stream: str = ""
    other_stream: str = ""
    process: int = 0
    process_name: str = ""
    suppressed_by: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return "\n".join([f"{self.checker}: {self.message}", *stack_lines(self)])


STACKS = {
    "device_stack": "device code",
    "other_stack": "the other access",
    "launch_stack": "launched by",
    "other_launch_stack": "the other call",
    "allocation_stack": "allocated by",
    "free_stack": "freed by",
}


def stack_lines(finding: Finding) -> list[str]:
    """Return the stacks of a finding as indented lines."""
    lines = []
    for name, title in STACKS.items():
        frames: Stack = getattr(finding, name)
        lines += [f"    {title if not number else '':16} {frame}" for number, frame in enumerate(frames)]
    if finding.process_name:
        lines.append(f"    {'in process':16} {finding.process}: {finding.process_name}")
    return lines


def to_dict(finding: Finding) -> dict[str, Any]:
    data = asdict(finding)
    for frame in itertools.chain(*(data[name] for name in STACKS)):
        if not frame["text"]:
            del frame["text"]  # most have none
    return data


def from_dict(found: dict[str, Any]) -> Finding:
    """Return a finding from JSON, in which tuples are lists."""
    values = {**found, "block": tuple(found["block"]), "thread": tuple(found["thread"])}
    for name in STACKS:
        values[name] = tuple(Frame(**frame) for frame in found[name])
    return Finding(**values)
