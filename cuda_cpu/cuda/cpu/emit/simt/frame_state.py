# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""State of the block, the copy and the SIMD group that a frame emits code for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cuda.cpu.emit.access.adjacent_stores import Group
    from cuda.cpu.emit.access.clamped import Clamped
    from cuda.cpu.emit.access.indexed import Indexed
    from cuda.cpu.emit.llvm.values import Value


Known = tuple["Value", "Value"]  # whether a predicate holds in all lanes, and in none


@dataclass(frozen=True, slots=True)
class Copy:
    """Which copy of a block is emitted; by default the one for any lanes."""

    consecutive: bool = False  # for warps with consecutive lanes
    full: bool = False  # for SIMD groups of which all lanes run
    converged: bool = False  # for converged SIMD groups, see converged.py
    in_loop: bool = False  # a copy for converged SIMD groups, in a loop


@dataclass(slots=True)
class BlockState:
    """What is known in the current block."""

    mask: Value  # lanes that run
    preserved: int = 0  # registers that waiting lanes still need
    waiting: bool = False  # other lanes may wait elsewhere
    values: dict[str, Value] = field(default_factory=dict)  # registers
    bases: dict[tuple[str, int], Value] = field(default_factory=dict)  # of affine registers, see affine.py
    known: dict[str, Known] = field(default_factory=dict)  # predicates: all lanes', no lane's
    loaded: dict[tuple[int, int], Value] = field(default_factory=dict)  # by later instructions, see adjacent.py
    together: dict[int, int] = field(default_factory=dict)  # stores: the last one of their group, see interleaved.py
    deferred: dict[int, Value] = field(default_factory=dict)  # values of such a group by their offsets
    merged: dict[int, Group | None] = field(default_factory=dict)  # stores, see adjacent_stores.py
    clamped: dict[str, Clamped] = field(default_factory=dict)  # registers with conditions, see clamped.py
    indexed: dict[str, Indexed] = field(default_factory=dict)  # vectors of a base and an index, see indexed.py
    sums: dict[tuple[str, ...], str] = field(default_factory=dict)  # registers of a matrix -> their memory, see mma.py
    prefetched: list[tuple[str, int]] = field(default_factory=list)  # addresses: base and offset

    def copied(self) -> BlockState:
        """Return a copy that may be changed without effect on this one."""
        names = ("values", "bases", "known", "loaded", "together", "deferred", "merged", "clamped", "indexed")
        copies = {name: getattr(self, name).copy() for name in names}
        return replace(self, prefetched=self.prefetched.copy(), **copies)


@dataclass(slots=True)
class GroupState:
    """The SIMD group that runs."""

    warp: str = "%warp"
    first_lane: Value | None = None  # in its warp, i32; None: 0
    thread_starts: dict[tuple[str, int], Value] = field(default_factory=dict)  # %tid of each segment's first lane
