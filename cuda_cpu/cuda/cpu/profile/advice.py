# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""One sentence of advice for a line that wastes much: what happens, how often, and what to change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import NamedTuple

from cuda.cpu.profile.data import Entry, Line
from cuda.cpu.profile.results import AccessCounts

LEAST_SHARE = 0.05  # of a line's requests or executions, below which nothing is said
NAMES = {"ld": "loads", "st": "stores", "atom": "atomics", "red": "atomics"}


class Advice(NamedTuple):
    """A problem of a line, and what to change, which is the same wherever the cause is the same."""

    problem: str
    fix: str

    def __str__(self) -> str:
        return f"{self.problem}; {self.fix}" if self.fix else self.problem


Found = Iterator[tuple[int, Advice]]  # with the cost, to sort by


def advice(line: Line, block: Sequence[int]) -> list[Advice]:
    """Return the advice for a line, the most expensive problem first; an empty list if nothing stands out.

    Parameters
    ----------
    block : sequence of int
        The dimensions of the launch's blocks.
    """
    found = [each for rule in RULES for each in rule(line)]
    if not found and line.warps and line.threads < 16 * line.warps:
        found.append((line.warps, _idle(line, prod(block))))
    return [each for _, each in sorted(found, key=lambda each: -each[0])]


def advice_of(entry: Entry, lines: Iterable[Line]) -> dict[tuple[str, int], list[str]]:
    """Return the advice for the lines of a launch; what to change is said once for each cause."""
    first: dict[str, Line] = {}
    found: dict[tuple[str, int], list[str]] = {}
    for line in lines:
        for each in advice(line, entry["block"]):
            known = first.setdefault(each.fix, line) if each.fix else line
            text = str(each) if known is line else f"{each.problem}; see {known.name_in(entry)}"
            found.setdefault(line.key, []).append(text)
    return found


def _idle(line: Line, threads: int) -> Advice:
    active = f"only {line.threads / line.warps:.1f} of 32 threads of a warp are active here"
    if threads % 32:
        return Advice(active, f"choose blocks of full warps: {threads} is no multiple of 32")
    return Advice(
        f"{active}: the others are on another path since a divergent branch", "give the threads of a warp equal work"
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


def _stride(line: Line) -> str:
    return f": stride {min(line.strides)} bytes" if len(line.strides) == 1 else ""


def _sum(line: Line, space: str, is_wasted: Callable[[AccessCounts], bool]) -> tuple[str, AccessCounts]:
    """Return the kinds of accesses of a line that are wasteful, and their counts."""
    kinds, total = dict[str, None](), AccessCounts()
    for (of, kind), counts in line.accesses.items():
        if of == space and is_wasted(counts):
            kinds[NAMES[kind]] = None
            total.add(counts)
    return " and ".join(kinds), total


def _uncoalesced(line: Line) -> Found:
    kinds, counts = _sum(line, "global", lambda counts: counts.excess > LEAST_SHARE * counts.requests)
    if not kinds:
        return
    needed = -(-counts.bytes // 32)
    each, least = counts.sectors / counts.requests, needed / counts.requests
    yield (
        counts.sectors - needed,
        Advice(
            f"{_percent(counts.excess, counts.requests)} of the global {kinds} are uncoalesced ({counts.excess:,} of "
            f"{counts.requests:,} requests, {each:.1f} sectors per request where {least:.1f} would do){_stride(line)}",
            "let neighbouring threads access neighbouring addresses, or stage the data in shared memory",
        ),
    )


def _conflicts(line: Line) -> Found:
    kinds, counts = _sum(line, "shared", lambda counts: counts.conflicts > LEAST_SHARE * counts.wavefronts)
    if kinds:
        yield (
            counts.conflicts,
            Advice(
                f"bank conflicts: shared {kinds} take {counts.wavefronts / counts.requests:.1f} passes per "
                f"request{_stride(line)}",
                "pad the rows by one word, or permute the index (swizzle)",
            ),
        )


def _divergence(line: Line) -> Found:
    if line.divergent > LEAST_SHARE * line.branches:
        yield (
            line.divergent,
            Advice(
                f"{_percent(line.divergent, line.branches)} of the branches diverge",
                "let the threads of a warp take the same path, for example by a condition on threadIdx.x / 32",
            ),
        )


def _collisions(line: Line) -> Found:
    total = AccessCounts()
    for (_, kind), counts in line.accesses.items():
        if kind in ("atom", "red"):
            total.add(counts)
    if total.collisions > LEAST_SHARE * total.threads:
        yield (
            total.collisions,
            Advice(
                f"{_percent(total.collisions, total.threads)} of the atomic operations collide within their warp",
                "reduce in the warp or block first",
            ),
        )


def _spills(line: Line) -> Found:
    sectors = sum(counts.sectors for (space, _), counts in line.accesses.items() if space == "local")
    if sectors:
        text = "local memory: an array with an index that is known at run time only, or whose address is taken"
        yield sectors, Advice(text, "")


RULES: tuple[Callable[[Line], Found], ...] = (_uncoalesced, _conflicts, _divergence, _collisions, _spills)
