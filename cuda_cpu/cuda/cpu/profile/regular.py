# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The counts of regular requests (counters/regular.py), from what their code counts."""

from __future__ import annotations

import array
from collections import Counter
from collections.abc import Iterator
from functools import cache

from cuda.cpu.counters.layout import Accesses
from cuda.cpu.counters.regular import BANKS, EXCESS, NEAR, REQUESTS, SECTORS, STRIDED, THREADS, WARP, WORD, counters_of


def counts_of(access: Accesses, counters: array.array[int]) -> Iterator[dict[str, int]]:
    """Yield the counts of regular requests, by the names of the fields of AccessCounts."""
    assert access.regular is not None
    found = counters[access.regular : access.regular + counters_of(access.space, access.segments)]
    if access.space == "shared" and access.segments > 1:
        yield from _of_two_segments(access, found)
        return
    counts = _threads(access, found[REQUESTS], found[THREADS])
    counts |= {"strided": found[STRIDED], "strides": found[STRIDED] * abs(access.stride)}
    if access.space == "shared":
        wavefronts, conflicts = passes(access.stride, access.size, access.stride * WARP // 2)
        yield {**counts, "wavefronts": found[REQUESTS] * wavefronts, "conflicts": found[REQUESTS] * conflicts}
    else:
        yield {**counts, "sectors": found[SECTORS], "excess": found[EXCESS]}


def _of_two_segments(access: Accesses, found: array.array[int]) -> Iterator[dict[str, int]]:
    for index, requests in enumerate(found):
        if requests:
            distance = _distance(index)
            wavefronts, conflicts = passes(access.stride, access.size, distance)
            strided = requests if access.stride and distance == access.stride * WARP // 2 else 0
            yield {
                **_threads(access, requests, requests * WARP),
                "wavefronts": requests * wavefronts, "conflicts": requests * conflicts, "strided": strided,
                "strides": strided * abs(access.stride),
            }  # fmt: skip


def _threads(access: Accesses, requests: int, threads: int) -> dict[str, int]:
    return {"requests": requests, "threads": threads, "bytes": threads * access.size}


def _distance(index: int) -> int:
    """Return a distance in bytes that is counted at an index."""
    return WORD * (index - NEAR if index < 2 * NEAR else index - 2 * NEAR + NEAR * BANKS)


@cache
def passes(stride: int, size: int, distance: int) -> tuple[int, int]:
    """Return the wavefronts and conflicts of a full warp: as count_shared in runtime/counters/access.c.

    Parameters
    ----------
    stride : int
        Bytes between the addresses of neighbouring lanes in each half of the warp.
    distance : int
        Bytes from the first address of the first half to that of the second.
    """
    words = max(size // WORD, 1)
    at_once = WARP // words
    half = WARP // 2
    offsets = [lane % half * stride + lane // half * distance for lane in range(WARP)]
    wavefronts = 0
    for first in range(0, WARP, at_once):
        used = {offset // WORD + word for offset in offsets[first : first + at_once] for word in range(words)}
        wavefronts += max(Counter(word % BANKS for word in used).values())
    return wavefronts, wavefronts - words
