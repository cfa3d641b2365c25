# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compare exact counts by source line, also where lines were inserted or removed between two versions."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator
from typing import NamedTuple

from cuda.perf.model import Counters, LineCounts


class LineChange(NamedTuple):
    """A line whose counts changed; `base` or `new` is None if the line is only in the other version."""

    base: LineCounts | None
    new: LineCounts | None
    counts: dict[str, tuple[int, int]]  # those that differ: before, after

    @property
    def line(self) -> LineCounts:
        """The line in the new version, or in the base if it is gone."""
        found = self.new or self.base
        assert found is not None
        return found

    @property
    def size(self) -> int:
        return sum(abs(after - before) for before, after in self.counts.values())

    @property
    def same_text(self) -> bool:
        return self.base is not None and self.new is not None and self.base.text == self.new.text


def changes(base: Counters, new: Counters) -> list[LineChange]:
    """Return the lines whose counts differ, the largest change first."""
    found = []
    for before, after in _pairs(base.lines, new.lines):
        old, now = before.counts if before else {}, after.counts if after else {}
        counts = {name: (old.get(name, 0), now.get(name, 0)) for name in dict.fromkeys([*old, *now])}
        differing = {name: pair for name, pair in counts.items() if pair[0] != pair[1]}
        if differing:
            found.append(LineChange(before, after, differing))
    return sorted(found, key=lambda each: -each.size)


def _pairs(base: list[LineCounts], new: list[LineCounts]) -> Iterator[tuple[LineCounts | None, LineCounts | None]]:
    """Yield the lines that correspond to each other: in order and with the same text, or at the same position."""
    files = dict.fromkeys((each.kernel, each.file) for each in [*base, *new])
    for file in files:
        sides = [
            sorted((each for each in lines if (each.kernel, each.file) == file), key=lambda each: each.line)
            for lines in (base, new)
        ]
        texts = [[each.text for each in side] for side in sides]
        for tag, low, high, start, end in difflib.SequenceMatcher(
            None, texts[0], texts[1], autojunk=False
        ).get_opcodes():
            if tag in ("equal", "replace"):
                yield from itertools.zip_longest(sides[0][low:high], sides[1][start:end])
            else:
                yield from ((each, None) for each in sides[0][low:high])
                yield from ((None, each) for each in sides[1][start:end])
