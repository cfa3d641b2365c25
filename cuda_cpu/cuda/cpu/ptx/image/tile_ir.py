# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Sizes of Tile IR bytecode: a header and sections (Tile IR specification 13.4, chapter 5, "Binary Format")."""

from __future__ import annotations

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.image import host_memory

MAGIC = b"\x7fTileIR\0"
_HEADER = 12  # magic, major and minor version, 16-bit tag
_MOST_SECTIONS = 128  # an identifier has 7 bits
_MOST_ALIGNMENT = 1 << 16
_END, _ALIGNED = 0, 0x80
_STEP = 10  # bytes of the largest variable-width integer


def image_at(address: int) -> bytes | None:
    """Return a copy of the bytecode at a host address, None if there is none: a short PTX text need not be longer."""
    if not address or _byte(address, 0) != MAGIC[0] or host_memory.read(address, len(MAGIC), "the image") != MAGIC:
        return None
    return host_memory.read(address, size_at(address), "the Tile IR")


def size_at(address: int) -> int:
    """Return the size in bytes of the bytecode at a host address.

    Raises
    ------
    PtxError
        It has no end marker, or a section that does not fit.
    """
    at = _HEADER
    for _ in range(_MOST_SECTIONS):
        kind = _byte(address, at)
        at += 1
        if kind == _END:
            return at
        size, at = _integer(address, at)
        if kind & _ALIGNED:
            alignment, at = _integer(address, at)
            if not 0 < alignment <= _MOST_ALIGNMENT:
                raise PtxError(f"the Tile IR is damaged: a section at byte {at} has the alignment {alignment}")
            at = -(-at // alignment) * alignment
        at += size
        if at > host_memory.MOST:
            raise PtxError(f"the Tile IR is damaged: a section ends at byte {at}")
    raise PtxError(f"the Tile IR is damaged: it has no end marker in {_MOST_SECTIONS} sections")


def _byte(address: int, at: int) -> int:
    return host_memory.read(address + at, 1, "the Tile IR")[0]


def _integer(address: int, at: int) -> tuple[int, int]:
    """Return the variable-width integer at an offset, and the offset after it: 7 bits a byte, the lowest first."""
    value = 0
    for index in range(_STEP):
        byte = _byte(address, at + index)
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, at + index + 1
    raise PtxError(f"the Tile IR is damaged: the number at byte {at} does not end")
