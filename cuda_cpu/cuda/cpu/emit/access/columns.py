# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Shuffles between vectors of memory and columns: element number step * lane + column of memory is lane `lane` of one.

For an even step, two columns at a time: those next to each other are the halves of larger elements, of up to 32 bits;
beyond that, all elements with even numbers, then all with odd numbers. So columns share shuffles, and fewer depend on
each other than if the elements of a column were picked from one vector after the other, as for an odd step.

With a negative step, element 0 of memory is the last lane's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.values import Part, width_of

if TYPE_CHECKING:
    from cuda.cpu.emit.llvm.builder import Builder

WORD = 32  # bits


def lowest(step: int, count: int) -> int:
    """Return how far the lowest lane's address is from that of the first lane."""
    return min(0, step * (count - 1))


def length_of(element: str, step: int, count: int, vector_bytes: int) -> int:
    """Return how many elements a vector in memory has: a divisor of all, so that none crosses the end."""
    width = width_of(element)
    longest = vector_bytes * 8 // width
    while step % 2 == 0 and width < WORD:
        width, step, count = 2 * width, step // 2, 2 * count
    return min(longest, count)


def split(builder: Builder, chunks: list[Part], step: int, columns: list[int]) -> dict[int, Part]:
    """Return the elements of each column. The vectors of memory hold `step` elements for each lane."""
    width, length = width_of(chunks[0].element), chunks[0].lanes
    if step == 1:
        return {0: builder.concatenate(chunks)}
    if step % 2:
        return {column: _pick(builder, chunks, step, column) for column in columns}
    found: dict[int, Part] = {}
    if width < WORD:
        wide = [builder.cast_part(chunk, f"i{2 * width}") for chunk in chunks]
        pairs = split(builder, wide, step // 2, sorted({column // 2 for column in columns}))
        return {column: _half(builder, pairs[column // 2], column % 2) for column in columns}
    for odd in range(2):
        mine = [column // 2 for column in columns if column % 2 == odd]
        if mine:
            picks = range(odd, 2 * length, 2)
            halves = [builder.shuffle(a, picks, b) for a, b in zip(chunks[::2], chunks[1::2], strict=True)]
            picked = split(builder, halves, step // 2, mine)
            found.update((2 * column + odd, part) for column, part in picked.items())
    return found


def _pick(builder: Builder, chunks: list[Part], step: int, column: int) -> Part:
    length = chunks[0].lanes
    count = len(chunks) * length // abs(step)
    wanted = [step * lane - lowest(step, count) + column for lane in range(count)]
    parts = [wanted[first : first + length] for first in range(0, count, length)]
    return builder.concatenate([merge(builder, chunks, part, length) for part in parts])


def _half(builder: Builder, part: Part, number: int) -> Part:
    """Return the lower (0) or upper (1) half of each element's bits."""
    width = width_of(part.element) // 2
    return builder.resize_part(builder.binary_part("lshr", part, width) if number else part, f"i{width}")


def weave(builder: Builder, columns: dict[int, Part], step: int, nothing: Part, count: int) -> list[Part]:
    """Return the vectors of memory of `count` lanes, of the size of `nothing`; without a column, any elements."""
    span, length, width = abs(step), nothing.lanes, width_of(nothing.element)
    if not columns:
        return [nothing] * (count * span // length)
    if step == 1:
        return [builder.slice_part(columns[0], first, length) for first in range(0, count, length)]
    if step % 2:
        return _weave_odd(builder, columns, step, nothing, count)
    if width < WORD:
        wide = f"i{2 * width}"
        pairs = {number: _pair(builder, columns, number, wide) for number in sorted({each // 2 for each in columns})}
        chunks = weave(builder, pairs, step // 2, Part("poison", wide, length // 2), count)
        return [builder.cast_part(chunk, nothing.element) for chunk in chunks]
    halves = []
    for odd in range(2):
        mine = {column // 2: part for column, part in columns.items() if column % 2 == odd}
        halves.append(weave(builder, mine, step // 2, nothing, count))
    found = []
    for a, b in zip(*halves, strict=True):
        for first in (0, length // 2):
            order = [lane for each in range(first, first + length // 2) for lane in (each, length + each)]
            found.append(builder.shuffle(a, order, b))
    return found


def _weave_odd(builder: Builder, columns: dict[int, Part], step: int, nothing: Part, count: int) -> list[Part]:
    span, length, found = abs(step), nothing.lanes, []
    numbers = {column: number * count for number, column in enumerate(columns)}
    sources = [
        builder.slice_part(part, first, length) for part in columns.values() for first in range(0, count, length)
    ]
    for first in range(0, span * count, length):
        wanted: list[int | None] = []
        for at in range(first, first + length):
            lane, column = divmod(at, span)
            lane = lane if step > 0 else count - 1 - lane
            wanted.append(numbers[column] + lane if column in numbers else None)
        known = any(each is not None for each in wanted)
        found.append(merge(builder, sources, wanted, length) if known else nothing)
    return found


def _pair(builder: Builder, columns: dict[int, Part], number: int, wide: str) -> Part:
    """Return two columns next to each other, either of which may be missing, as one of larger elements."""
    found = []
    for half, column in enumerate((2 * number, 2 * number + 1)):
        if column in columns:
            part = builder.resize_part(columns[column], wide)
            found.append(builder.binary_part("shl", part, width_of(wide) // 2) if half else part)
    return found[0] if len(found) == 1 else builder.binary_part("or", *found)


def merge(builder: Builder, sources: Sequence[Part], wanted: Sequence[int | None], length: int) -> Part:
    """Pick elements, numbered through all source vectors of `length` elements, by a shuffle for each two of them."""
    used = sorted({each // length for each in wanted if each is not None})
    result, have = sources[used[0]], {used[0]}
    picks: list[int | None] = [None if each is None or each // length != used[0] else each % length for each in wanted]
    for number in used[1:]:
        for lane, each in enumerate(wanted):
            if each is not None and each // length == number:
                picks[lane] = length + each % length
            elif each is not None and each // length in have and len(have) > 1:
                picks[lane] = lane
        result = builder.shuffle(result, picks, sources[number])
        have.add(number)
    return result if len(used) > 1 else builder.shuffle(result, picks)
