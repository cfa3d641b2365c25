# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The area that each function has on the stack, in which debug information finds everything by constant offsets.

First the words of `HEADER`, then the registers. A register has one element per lane, or one for all. Variables of a
thread are those of the lane whose number is in the word "lane": a debugger selects a lane by writing it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

ALIGNMENT = 64
# The words, 8 bytes each: the selected lane; the lanes that run (a mask); the local memory of this call in lane 0, and
# the distance to that of the next lane; addresses.
WORDS = ("lane", "lanes", "local", "stride", "params", "shared", "symbols", "warp", "registers")
HEADER = {name: 8 * number for number, name in enumerate(WORDS)}
START = 128  # of the registers


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a register is: `lanes` elements of `size` bytes."""

    offset: int
    size: int
    lanes: int


@dataclass(slots=True)
class Area:
    """The area of one function."""

    size: int = START
    registers: dict[str, Stored] = field(default_factory=dict)

    def take(self, size: int) -> int:
        """Return the offset of so many more bytes."""
        offset, self.size = self.size, self.size + -(-size // ALIGNMENT) * ALIGNMENT
        return offset
