# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What each counter of a profiled kernel counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from cuda.cpu.ptx.form import Form


class Source(NamedTuple):
    """A line of the source text from which a compiler made an instruction (.loc)."""

    file: str
    line: int


@dataclass(slots=True)
class Accesses:
    """Counters of the accesses of an instruction: `counter` is the first of a group (runtime/counters/counters.h)."""

    counter: int
    space: str  # generic: three groups, by the spaces of the addresses
    kind: str  # ld, st, atom or red; with a prefix: tma_, multimem_; wgmma
    size: int = 0  # bytes of each thread's access
    stride: int = 0
    segments: int = 1
    regular: int | None = None  # first counter of the requests that are not in the group, see regular.py


@dataclass(slots=True)
class Counted:
    """An instruction of PTX.

    The counters `block` and `block + 1` count the executions of its basic block by warps and by threads. A guarded
    instruction with effects has a block of its own, for the threads whose guard holds; `around` is then the block that
    contains it. The threads whose guard holds in other guarded instructions have a counter of their own, `guard`.
    """

    function: str
    line: int
    opcode: str
    form: Form | None  # None for calls
    source: Source | None
    block: int
    around: int | None = None
    guard: int | None = None
    divergent: int | None = None  # executions after which the lanes of a warp take different paths
    branches: bool = False
    accesses: list[Accesses] = field(default_factory=list)

    @property
    def modifiers(self) -> tuple[str, ...]:
        return self.form.modifiers if self.form else ()


@dataclass(slots=True)
class Layout:
    """The counters of a kernel, and the functions that it calls."""

    kernel: str
    texts: dict[str, str] = field(default_factory=dict)  # function -> PTX of its unit
    counters: int = 0
    instructions: list[Counted] = field(default_factory=list)

    def reserve(self, count: int) -> int:
        """Return the first of so many new counters."""
        first = self.counters
        self.counters += count
        return first
