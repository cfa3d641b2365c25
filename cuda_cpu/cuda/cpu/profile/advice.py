# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""One sentence of advice for a line that wastes much: what happens, how often, and what to change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

from cuda.cpu.profile.data import Line
from cuda.cpu.profile.results import AccessCounts

LEAST_SHARE = 0.05  # of a line's requests or executions, below which nothing is said
NAMES = {"ld": "loads", "st": "stores", "atom": "atomics", "red": "atomics"}


def advice(line: Line, block: Sequence[int]) -> list[str]:
    """Return the advice for a line, the most expensive problem first; an empty list if nothing stands out.

    Parameters
    ----------
    block : sequence of int
        The dimensions of the launch's blocks.
    """
    found = [each for rule in RULES for each in rule(line)]
    if not found and line.warps and line.threads < 16 * line.warps:
        found.append((line.warps, _idle(line, prod(block))))
    return [text for _, text in sorted(found, key=lambda each: -each[0])]


def _idle(line: Line, threads: int) -> str:
    active = f"only {line.threads / line.warps:.1f} of 32 threads of a warp are active here"
    if threads % 32:
        return f"{active}; choose blocks of full warps: {threads} is no multiple of 32"
    return f"{active}: the others are on another path since a divergent branch; give the threads of a warp equal work"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


def _stride(line: Line) -> str:
    return f": stride {min(line.strides)} bytes" if len(line.strides) == 1 else ""


def _uncoalesced(line: Line) -> Iterator[tuple[int, str]]:
    for (space, kind), counts in line.accesses.items():
        if space != "global" or counts.excess <= LEAST_SHARE * counts.requests:
            continue
        needed = -(-counts.bytes // 32)
        each, least = counts.sectors / counts.requests, needed / counts.requests
        yield (
            counts.sectors - needed,
            f"{_percent(counts.excess, counts.requests)} of the global {NAMES[kind]} are uncoalesced ({each:.1f} "
            f"sectors per request where {least:.1f} would do){_stride(line)}; let neighbouring threads access "
            "neighbouring addresses, or stage the data in shared memory",
        )


def _conflicts(line: Line) -> Iterator[tuple[int, str]]:
    for (space, kind), counts in line.accesses.items():
        if space == "shared" and counts.conflicts > LEAST_SHARE * counts.wavefronts:
            yield (
                counts.conflicts,
                f"bank conflicts: shared {NAMES[kind]} take {counts.wavefronts / counts.requests:.1f} passes per "
                f"request{_stride(line)}; pad the rows by one word, or permute the index (swizzle)",
            )


def _divergence(line: Line) -> Iterator[tuple[int, str]]:
    if line.divergent > LEAST_SHARE * line.branches:
        yield (
            line.divergent,
            f"{_percent(line.divergent, line.branches)} of the branches diverge; let the threads of a warp take the "
            "same path, for example by a condition on threadIdx.x / 32",
        )


def _collisions(line: Line) -> Iterator[tuple[int, str]]:
    total = AccessCounts()
    for (_, kind), counts in line.accesses.items():
        if kind in ("atom", "red"):
            total.add(counts)
    if total.collisions > LEAST_SHARE * total.threads:
        yield (
            total.collisions,
            f"{_percent(total.collisions, total.threads)} of the atomic operations collide within their warp; reduce "
            "in the warp or block first",
        )


def _spills(line: Line) -> Iterator[tuple[int, str]]:
    sectors = sum(counts.sectors for (space, _), counts in line.accesses.items() if space == "local")
    if sectors:
        yield sectors, "local memory: an array with an index that is known at run time only, or whose address is taken"


RULES: tuple[Callable[[Line], Iterator[tuple[int, str]]], ...] = (
    _uncoalesced, _conflicts, _divergence, _collisions, _spills,
)  # fmt: skip
