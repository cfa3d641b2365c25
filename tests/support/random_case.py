# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A random kernel with its launch: the arguments, the results of the plain interpreter, and the comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from support.lane_threads import Grid
from support.random_frame import COUNTERS, LONG, READABLE, ROWS, SUMS, TALLIED, TALLIES, TALLY, WORDS

from cuda.cpu.ptx.program import build

if TYPE_CHECKING:
    from support.loaded import Loaded

Size = tuple[int, int, int]
BLOCKS = [(32, 1, 1), (64, 1, 1), (96, 1, 1), (128, 1, 1), (16, 4, 1), (32, 2, 1), (8, 3, 4), (4, 4, 4),
          (64, 1, 2), (1, 1, 1), (5, 1, 1), (31, 1, 1), (33, 1, 1), (7, 5, 2), (16, 3, 1), (48, 1, 1), (17, 2, 2),
          (2, 33, 1), (1, 1, 37), (31, 3, 1), (33, 2, 2), (24, 4, 1), (3, 7, 5), (40, 2, 1), (16, 2, 2), (16, 6, 1),
          (32, 4, 1), (16, 16, 1), (12, 8, 1), (32, 2, 2), (256, 1, 1), (8, 8, 1)]  # fmt: skip
EVEN = [(64, 1, 1), (128, 1, 1), (256, 1, 1), (32, 2, 1), (32, 4, 1), (32, 8, 1), (16, 4, 1), (16, 6, 1), (16, 8, 1),
        (16, 16, 1)]  # fmt: skip
GRIDS = [(1, 1, 1), (1, 1, 1), (2, 1, 1), (5, 1, 1), (2, 2, 1), (1, 2, 3)]


@dataclass
class Case:
    text: str
    grid: Size
    block: Size

    @property
    def threads(self) -> int:
        """All threads of the grid."""
        return math.prod([*self.grid, *self.block])

    def arguments(self) -> tuple:
        """Return the initial arrays and the number argument, the same each time."""
        threads = self.threads
        random = np.random.default_rng(threads)
        words = random.integers(0, 2**32, 64 * threads + READABLE, dtype=np.uint32)
        words[::3] %= 40
        long = random.integers(0, 2**32, LONG + 128, dtype=np.uint32)
        long[::2] %= 40
        sums = np.zeros(SUMS, np.uint32)
        sums[[12, 13]] = 0xFFFFFFFF  # initial value of minimum and of bitwise and
        for number, (_, type_, first) in enumerate(TALLIES):
            size = int(type_[1:]) // 8
            sums[TALLIED + TALLY * number :][:TALLY].view(f"u{size}")[:] = first & ((1 << 8 * size) - 1)
        out, rows = np.zeros(WORDS * threads, np.uint32), np.zeros(ROWS * threads, np.uint32)
        return out, words, sums, rows, np.uint32(3), long

    def interpreted(self) -> tuple:
        """Return the results of the plain interpreter."""
        arguments = self.arguments()
        Grid(build([self.text]), "k", self.grid, self.block, arguments).run()
        return _settled(arguments)

    def check(self, loaded: Loaded, expected: tuple, label: str) -> None:
        """Launch the kernel on the CPU device and compare bit for bit."""
        found = self.arguments()
        loaded.launch("k", self.grid, self.block, *found)
        for name, a, b in zip(("out", "in", "sums", "rows", "number", "long"), _settled(found), expected, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"{name}: {label}")


def _settled(arguments: tuple) -> tuple:
    """Return arguments independent of the order of threads: the last exchanged value is added to the sum."""
    sums = arguments[2]
    sums[COUNTERS + 22] = (int(sums[COUNTERS + 21]) + int(sums[COUNTERS + 22])) & 0xFFFFFFFF
    sums[COUNTERS + 21] = 0
    return arguments
