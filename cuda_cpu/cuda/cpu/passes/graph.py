# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The control-flow graph of one PTX function, with the results of the passes, which `emit` reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Call, Function, Guard, Instruction, Operand, Register

if TYPE_CHECKING:
    from cuda.cpu.passes.find_regions import Region

WARP, BLOCK = 1, 2  # kinds of barriers
Pattern = tuple[int, ...]  # a number for each lane
RETURN = -1  # a branch target: the lanes leave the function at once


@dataclass(slots=True)
class Step:
    """An instruction or call with the registers that it writes and reads (its guard's among the latter)."""

    instruction: Instruction | Call
    form: Form | None  # None for calls
    writes: tuple[str, ...]
    reads: tuple[str, ...]

    def operation(self) -> tuple[Instruction, Form]:
        """Return the instruction and the form of a step that is no call."""
        if self.form is None or not isinstance(self.instruction, Instruction):
            raise TypeError(f"the call at line {self.instruction.line} has no form")
        return self.instruction, self.form


@dataclass(slots=True)
class End:
    """How a block ends. `targets` are block numbers or RETURN: of a branch, taken and not taken."""

    kind: str  # jump, branch, switch, return or exit
    targets: tuple[int, ...] = ()
    condition: Guard | None = None
    index: Operand | None = None
    line: int = 0
    skips: bool = False  # the branch around a guarded instruction, see split_guards.py

    @property
    def guard(self) -> Guard:
        """The condition of a branch."""
        assert self.condition is not None, f"a {self.kind} has no condition"
        return self.condition

    @property
    def reads(self) -> tuple[str, ...]:
        names = (self.condition.register,) if self.condition else ()
        return names + ((self.index.name,) if isinstance(self.index, Register) else ())


@dataclass(slots=True)
class Block:
    number: int
    steps: list[Step]
    end: End
    barrier: int = 0  # WARP or BLOCK: holds one barrier instruction, for a warp or a block, and nothing else
    leaves: bool = False  # its last step is a call in which lanes may exit
    calls_barrier: bool = False  # holds a call in which lanes wait at a barrier of the block, and nothing else

    @property
    def waits(self) -> bool:
        """Return whether lanes wait for the thread block here; other lanes of their warp should arrive first."""
        return self.barrier == BLOCK or self.calls_barrier


@dataclass(slots=True)
class Graph:
    """Sets are ints: a register is bit `register_bits[name]`, block i is bit i."""

    function: Function
    blocks: list[Block]
    register_bits: dict[str, int] = field(default_factory=dict)
    loops: list[tuple[int, int]] = field(default_factory=list)  # first block (the header) and last one
    live_in: list[int] = field(default_factory=list)  # registers, per block
    pending: list[int] = field(default_factory=list)  # blocks at which other lanes may wait, per block
    preserved: list[int] = field(default_factory=list)  # registers that those lanes still need, per block
    divergent: int = 0  # blocks that lanes reach after they may have diverged
    vectors: set[str] = field(default_factory=set)  # registers that may hold a value for each lane
    whole_rows: bool = False  # the code only runs blocks whose rows along x are whole warps
    agreed: set[int] = field(default_factory=set)  # steps (by id) with one result for operands that differ
    strides: dict[str, int] = field(default_factory=dict)  # of vector registers with base + stride * lane
    strided: bool = False  # words at known distances are accessed by one base for all lanes
    converged_only: set[str] = field(default_factory=set)  # of these, those whose bases other SIMD groups do not have
    patterns: dict[str, Pattern] = field(default_factory=dict)  # others: distances from the first lane, their base
    shifted: set[str] = field(
        default_factory=set
    )  # vectors whose base is computed in their block, for registers derived from them
    spins: set[int] = field(default_factory=set)  # headers of loops that may wait for other threads
    general: bool = False  # blocks run in any order, chosen at run time
    reason: str = ""  # why
    regions: list[Region] = field(default_factory=list)  # of a kernel whose code runs all warps of a block; else empty

    def has_base(self, register: str) -> bool:
        """Return whether a vector register is a base and something known at compile time for each lane."""
        return register in self.strides or register in self.patterns

    def is_uniform(self, register: str) -> bool:
        """Return whether a register holds one value for all lanes."""
        return register not in self.vectors

    def is_divergent(self, end: End) -> bool:
        """Return whether lanes may diverge at this end of a block."""
        return len(set(end.targets)) > 1 and not all(map(self.is_uniform, end.reads))
