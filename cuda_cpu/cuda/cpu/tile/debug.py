# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Locations of operations (Tile IR specification 13.4, section 5.6, and chapter 10, "Debug Info")."""

from __future__ import annotations

import itertools
import os

from cuda.cpu.tile.error import TileError
from cuda.cpu.tile.stream import Stream, table
from cuda.cpu.tile.syntax import Location

UNIT, FILE, BLOCK, LOCATION, SUBPROGRAM, CALL = range(1, 7)
_RESERVED = 1  # index 0 is the unknown location
_MOST_DEPTH = 64  # of calls


def read(stream: Stream | None, strings: list[str]) -> list[list[Location | None]]:
    """Return the locations of the operations of each function, by the function's index minus one."""
    if stream is None:
        return []
    start = stream.at
    count = stream.varint()
    stream.align(4, start)
    starts = stream.fixed(count, 4)
    total = stream.varint()
    stream.align(8, start)
    indices = stream.fixed(total, 8)
    # The table's alignment counts from the section's beginning, as all of a section does.
    attributes = table(_aligned(stream, start), 4, "location")
    known = [_Attribute(part) for part in attributes]
    bounds = [*starts, total]
    if any(low > high for low, high in itertools.pairwise(bounds)):
        raise TileError("the locations of a function begin behind those of the next one", start)
    found = {0: None} | {index: _location(index, known, strings) for index in set(indices) if index}
    return [[found[each] for each in indices[low:high]] for low, high in itertools.pairwise(bounds)]


def _aligned(stream: Stream, start: int) -> Stream:
    if start % 8:
        raise TileError("the section of locations is not aligned", start)
    return stream


class _Attribute:
    """One debug attribute; only what leads to a line is read."""

    def __init__(self, part: Stream) -> None:
        self.part, self.at = part, part.at
        self.tag = part.varint()
        self.numbers: list[int] = []
        while part.at < part.end:
            self.numbers.append(part.varint())


def _location(index: int, known: list[_Attribute], strings: list[str], depth: int = 0) -> Location | None:
    """Return the innermost line of an attribute."""
    if index < _RESERVED:
        return None
    if index - _RESERVED >= len(known) or depth > _MOST_DEPTH:
        raise TileError(f"there is no location {index}: there are {len(known)}")
    found = known[index - _RESERVED]
    if found.tag == CALL and found.numbers:
        return _location(found.numbers[0], known, strings, depth + 1)
    if found.tag != LOCATION or len(found.numbers) != 4:
        return None
    scope, name, line, column = found.numbers
    if name >= len(strings):
        raise TileError(f"there is no string {name}: there are {len(strings)}", found.at)
    return Location(os.path.join(_folder(scope, known, strings), strings[name]), line, column)


def _folder(scope: int, known: list[_Attribute], strings: list[str]) -> str:
    """Return the folder of a scope's file, with a slash; "" if it has none."""
    for _ in range(_MOST_DEPTH):
        if not _RESERVED <= scope <= len(known):
            break
        attribute = known[scope - _RESERVED]
        numbers = attribute.numbers
        if attribute.tag == FILE and len(numbers) == 2 and numbers[1] < len(strings):
            return strings[numbers[1]]
        if attribute.tag not in (UNIT, BLOCK, SUBPROGRAM) or not numbers:
            break
        scope = numbers[1] if attribute.tag == BLOCK and len(numbers) > 1 else numbers[0]
    return ""
