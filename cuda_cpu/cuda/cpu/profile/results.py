# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The counts of a launch, per instruction and per line."""

from __future__ import annotations

import array
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from math import prod
from typing import TYPE_CHECKING, Any

from cuda.cpu.counters.layout import Counted, Layout, Source
from cuda.cpu.profile.regular import counts_of
from cuda.cpu.python_lines import find_line
from cuda.cpu.runtime.abi import FAULTS, number, numbers

if TYPE_CHECKING:
    from cuda.cpu.ptx.form import Form
    from cuda.cpu.runtime._runtime import LaunchCounts

COUNTS = numbers("CPU_COUNT_")
GROUPS = {"global": number("GROUP_GLOBAL"), "shared": number("GROUP_SHARED"), "local": number("GROUP_LOCAL")}
GROUP_OF = {"cluster": "shared", "const": "const"}  # spaces whose counters have another name
FAULT_NAMES = {value: name for name, value in FAULTS.items()}


@dataclass(slots=True)
class AccessCounts:
    """Accesses of an instruction to one state space.

    A request is the execution of a memory instruction by one warp; a sector is an aligned range of 32 bytes.
    """

    requests: int = 0
    threads: int = 0  # accesses by threads
    bytes: int = 0
    sectors: int = 0  # of global, constant and local memory
    wavefronts: int = 0  # passes over the banks of shared memory
    conflicts: int = 0  # wavefronts more than without bank conflicts
    excess: int = 0  # requests with more sectors than their bytes would fill
    strided: int = 0  # requests whose threads have addresses at a constant distance
    strides: int = 0  # sum of these distances in bytes
    collisions: int = 0  # threads whose address another thread of the request has (atomic operations)

    def add(self, other: AccessCounts) -> None:
        for name in _FIELDS:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def stride(self) -> int | None:
        """The distance in bytes between the addresses of neighbouring threads, if all requests have the same one."""
        same = self.strided and self.strided == self.requests and self.strides % self.strided == 0
        return self.strides // self.strided if same else None


_FIELDS = [each.name for each in fields(AccessCounts)]


@dataclass(slots=True)
class InstructionCounts:
    """How often an instruction of PTX was executed in a launch."""

    function: str
    line: int  # in the PTX text, from 1
    text: str
    opcode: str
    source: Source | None  # the line that it was compiled from, with -lineinfo
    form: Form | None
    source_text: str = ""  # the line, of programs that are strings in Python
    warps: int = 0  # executions by warps
    threads: int = 0  # executions by threads
    active: int = 0  # executions by threads whose guard holds
    divergent: int = 0  # of a branch: executions after which the threads of a warp take different paths
    branches: bool = False
    accesses: dict[tuple[str, str], AccessCounts] = field(default_factory=dict)  # (space, kind)


class LaunchResults:
    """The counts of a launch; see `LaunchProfile`."""

    def __init__(self, number: int, layout: Layout, counts: LaunchCounts):
        self.number = number
        self.kernel = layout.kernel
        self.grid, self.block, self.cluster = counts.grid, counts.block, counts.cluster
        self.shared_bytes = int(counts.shared_bytes)
        self.fault = FAULT_NAMES.get(counts.fault, str(counts.fault)) if counts.fault else ""
        self._layout, self._counters = layout, counts.counters

    @functools.cached_property
    def instructions(self) -> list[InstructionCounts]:
        """All instructions of the kernel and of the functions that it calls, in the order of the text."""
        return list(_instructions(self._layout, array.array("Q", self._counters)))

    @property
    def identity(self) -> tuple[Any, ...]:
        """What determines everything else but the number, to compare launches without looking at instructions."""
        return id(self._layout), self.grid, self.block, self.cluster, self.shared_bytes, self.fault, self._counters

    @property
    def blocks(self) -> int:
        return prod(self.grid)

    @property
    def threads(self) -> int:
        return self.blocks * prod(self.block)

    @property
    def warps(self) -> int:
        return self.blocks * -(-prod(self.block) // 32)

    @functools.cached_property
    def totals(self) -> dict[tuple[str, str], AccessCounts]:
        """The accesses of all instructions by space and kind."""
        found: dict[tuple[str, str], AccessCounts] = {}
        for each in self.instructions:
            for key, counts in each.accesses.items():
                found.setdefault(key, AccessCounts()).add(counts)
        return found

    def lines(self) -> dict[Source, list[InstructionCounts]]:
        """Return the instructions by the line of the source, where it is known, else of the PTX (file "PTX")."""
        found: dict[Source, list[InstructionCounts]] = {}
        for each in self.instructions:
            found.setdefault(each.source or Source("PTX", each.line), []).append(each)
        return found


def _instructions(layout: Layout, counters: array.array[int]) -> Iterator[InstructionCounts]:
    texts = {function: text.splitlines() for function, text in layout.texts.items()}
    order = {function: number for number, function in enumerate(layout.texts)}
    find = functools.cache(find_line)
    for row in sorted(layout.instructions, key=lambda each: (order[each.function], each.line)):
        lines = texts[row.function]
        text = " ".join(lines[row.line - 1].split()) if 0 < row.line <= len(lines) else row.opcode
        source, source_text = row.source, ""
        if source is not None:
            file, line, source_text = find(*source, row.function)
            source = Source(file, line)
        found = InstructionCounts(row.function, row.line, text, row.opcode, source, row.form, source_text)
        outer = row.block if row.around is None else row.around
        found.warps, found.threads = counters[outer], counters[outer + 1]
        found.active = counters[row.block + 1] if row.guard is None else counters[row.guard]
        found.divergent = 0 if row.divergent is None else counters[row.divergent]
        found.branches = row.branches
        found.accesses = _accesses(row, counters)
        yield found


def _accesses(row: Counted, counters: array.array[int]) -> dict[tuple[str, str], AccessCounts]:
    found: dict[tuple[str, str], AccessCounts] = {}
    for access in row.accesses:
        groups = GROUPS if access.space == "generic" else {GROUP_OF.get(access.space, access.space): 0}
        for space, group in groups.items():
            first = access.counter + group * number("COUNTS")
            counts = AccessCounts(**{name.lower(): counters[first + index] for name, index in COUNTS.items()})
            if access.regular is not None:
                for regular in counts_of(access, counters):
                    counts.add(AccessCounts(**regular))
            if counts.requests or access.space != "generic":
                found.setdefault((space, access.kind), AccessCounts()).add(counts)
    return found
