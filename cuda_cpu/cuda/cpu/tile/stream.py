# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Primitive encodings of the binary format (Tile IR specification 13.4, section 5.1)."""

from __future__ import annotations

import itertools

from cuda.cpu.tile.error import TileError

_STEP = 10  # bytes of the largest variable-width integer


class Stream:
    """Reads a part of the bytecode from `at` to `end`; offsets in errors are those of the whole."""

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data, self.at, self.end = data, at, len(data) if end is None else end

    def fail(self, message: str) -> TileError:
        return TileError(message, self.at)

    def bytes(self, count: int) -> bytes:
        if count > self.end - self.at:
            raise self.fail(f"{count} bytes are missing: the part ends at byte {self.end}")
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self) -> int:
        if self.at >= self.end:
            raise self.fail("the part ends where a byte should follow")
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        """Return an unsigned integer: 7 bits a byte, the lowest first."""
        value = 0
        for index in range(_STEP):
            byte = self.byte()
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                if value >> 64:
                    break
                return value
        raise self.fail("an integer has more than 64 bits")

    def signed(self) -> int:
        """Return a signed integer: the sign is the lowest bit."""
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def fixed(self, count: int, width: int, signed: bool = False) -> list[int]:
        """Return little-endian integers of `width` bytes."""
        data = self.bytes(count * width)
        return [int.from_bytes(data[i : i + width], "little", signed=signed) for i in range(0, len(data), width)]

    def array(self, width: int) -> tuple[int, ...]:
        """Return an array of signed integers, whose number comes first."""
        return tuple(self.fixed(self.varint(), width, signed=True))

    def align(self, alignment: int, start: int = 0) -> None:
        """Skip padding up to a multiple of `alignment` from `start`."""
        self.bytes(-(self.at - start) % alignment)

    def item(self, items: list, what: str):
        """Return the item of a table by its index."""
        index = self.varint()
        if index >= len(items):
            raise self.fail(f"there is no {what} {index}: there are {len(items)}")
        return items[index]


def table(stream: Stream, width: int, what: str) -> list[Stream]:
    """Return the parts of a section that has a count, offsets of `width` bytes, and what they point into."""
    start = stream.at
    count = stream.varint()
    stream.align(width, start)
    at = stream.at
    offsets = stream.fixed(count, width)
    base = stream.at
    bounds = [*offsets, stream.end - base]
    for index, (low, high) in enumerate(itertools.pairwise(bounds)):
        if low > high or base + high > stream.end:
            raise TileError(f"{what} {index} begins or ends outside of its section", at + index * width)
    return [Stream(stream.data, base + low, base + high) for low, high in itertools.pairwise(bounds)]
