# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the tables of workloads and of textbook kernels are made of: data, launches, cases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.cpu_kernels.cases import Case

Random = np.random.Generator
I = np.int32  # noqa: E741
F = np.float32
WORST = 1 / 1.5  # of C's speed


def zeros(count: int, kind: type = F) -> Callable[[Random], np.ndarray]:
    return lambda random: np.zeros(count, kind)


def floats(count: int, low: float = 0, high: float = 1) -> Callable[[Random], np.ndarray]:
    return lambda random: random.uniform(low, high, count).astype(F)


def ints(count: int, low: int, high: int, kind: type = I) -> Callable[[Random], np.ndarray]:
    return lambda random: random.integers(low, high, count).astype(kind)


def case_of(
    source: str,
    name: str,
    make: dict[str, Callable],
    launches: list[tuple],
    arguments: tuple,
    results: tuple,
    **more: object,
) -> Case:
    """Make a case of functions that create its arrays, which are called in their order."""

    def arrays(random: Random) -> dict[str, np.ndarray]:
        return {each: function(random) for each, function in make.items()}

    return Case(name, WORST, arrays, arguments, launches, results, source=source, **more)  # type: ignore[arg-type]


def threads(kernel: str, count: int, arguments: tuple, block: int = 256) -> list[tuple]:
    """Return the launch of one thread per element."""
    return [(kernel, -(-count // block), block, arguments)]
