# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Bounds check of cubins, fatbins and Tile IR: a driver gets only an address, and trusts the sizes in the headers."""

from __future__ import annotations

import struct

from cuda.core._program import _tile

_ELF = b"\x7fELF"
_FATBIN = struct.pack("<I", 0xBA55ED50)
_WRAPPER = struct.pack("<I", 0x466243B1)  # {u32 magic, u32 version, const void *fatbin, const void *file}
_ELF_HEADER, _SECTION, _PROGRAM, _FATBIN_HEADER = 64, 64, 56, 16
_TILE_HEADER, _TILE_ALIGNED, _TILE_MORE = 12, 0x80, 0x80
_MOST_BITS = 64
_NOBITS = 8  # SHT_NOBITS: a section without bytes in the file


def check_image(code: bytes) -> None:
    """Raise ValueError for a cubin, fatbin or Tile IR whose headers refer to bytes outside of `code`."""
    if code[:4] == _ELF:
        _check_elf(code)
    elif code[:4] == _FATBIN:
        _check_fatbin(code)
    elif code[: len(_tile.MAGIC)] == _tile.MAGIC:
        _check_tile_ir(code)
    elif code[:4] == _WRAPPER:
        raise ValueError("module is a fatbin's wrapper, which holds a pointer: pass the bytes of the fatbin itself")


def _check_elf(code: bytes) -> None:
    _check(len(code), "ELF header", 0, _ELF_HEADER)
    programs, sections = struct.unpack_from("<QQ", code, 0x20)
    program_size, program_count, section_size, section_count = struct.unpack_from("<HHHH", code, 0x36)
    _check(len(code), "table of program headers", programs, program_size * program_count)
    _check(len(code), "table of section headers", sections, section_size * section_count)
    for index in range(section_count if section_size >= _SECTION else 0):
        kind, offset, size = struct.unpack_from("<4xI16xQQ", code, sections + index * section_size)
        if kind != _NOBITS:
            _check(len(code), f"section {index}", offset, size)
    for index in range(program_count if program_size >= _PROGRAM else 0):
        offset, size = struct.unpack_from("<8xQ16xQ", code, programs + index * program_size)
        _check(len(code), f"segment {index}", offset, size)


def _check_fatbin(code: bytes) -> None:
    _check(len(code), "fatbin header", 0, _FATBIN_HEADER)
    header, size = struct.unpack_from("<6xHQ", code)
    _check(len(code), "fatbin", 0, header + size)


def _check_tile_ir(code: bytes) -> None:
    """Check the sections (Tile IR specification 13.4, chapter 5): kind, size, alignment of some, content."""
    at = _TILE_HEADER
    try:
        while kind := code[at]:
            size, at = _tile_integer(code, at + 1)
            if kind & _TILE_ALIGNED:
                alignment, at = _tile_integer(code, at)
                at = -(-at // alignment) * alignment
            _check(len(code), f"section {kind & ~_TILE_ALIGNED}", at, size)
            at += size
    except (IndexError, ZeroDivisionError):
        raise ValueError(f"module is damaged or cut off: its {len(code)} bytes have no end marker") from None


def _tile_integer(code: bytes, at: int) -> tuple[int, int]:
    """Return a variable-width integer, and the offset after it: 7 bits a byte, the lowest first."""
    value = shift = 0
    while code[at] & _TILE_MORE:
        if shift >= _MOST_BITS:
            raise ValueError(f"module is damaged: the number at byte {at} has more than {_MOST_BITS} bits")
        value |= (code[at] & ~_TILE_MORE) << shift
        at, shift = at + 1, shift + 7
    return value | code[at] << shift, at + 1


def _check(length: int, part: str, offset: int, size: int) -> None:
    if size and offset + size > length:
        raise ValueError(
            f"module is damaged or cut off: its {part} has {size} bytes from byte {offset} on, but it has {length} in "
            "all"
        )
