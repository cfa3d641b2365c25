# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Sections of a 64-bit little-endian ELF file (System V ABI), which a cubin is."""

from __future__ import annotations

import struct
import zlib

from cuda.cpu.ptx.error import PtxError

MAGIC = b"\x7fELF"
HEADER_SIZE = 64
_SHT_NOBITS = 8
_SHF_COMPRESSED = 0x800


def section_table(header: bytes) -> tuple[int, int, int]:
    """Return where the section headers begin, how many there are, and which one holds the names.

    Parameters
    ----------
    header : bytes
        The first 64 bytes of the file.
    """
    if len(header) < HEADER_SIZE or header[:4] != MAGIC or header[4] != 2 or header[5] != 1:
        raise PtxError("the image is no 64-bit little-endian ELF file")
    offset = struct.unpack_from("<Q", header, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", header, 0x3A)
    if size != 64:
        raise PtxError(f"the ELF image's section headers have {size} bytes; they must have 64")
    return offset, count, names


def file_size(header: bytes, section_headers: bytes) -> int:
    """Return where the last part of the file ends: sections, section headers or program headers."""
    offset, count, _ = section_table(header)
    programs, entry, number = struct.unpack_from("<Q", header, 0x20)[0], *struct.unpack_from("<HH", header, 0x36)
    found = [section_header(section_headers, 64 * index) for index in range(count)]
    ends = [at + size for _, kind, _, at, size in found if kind != _SHT_NOBITS]
    return max(HEADER_SIZE, offset + 64 * count, programs + entry * number, *ends)


def section_header(data: bytes, at: int) -> tuple[int, int, int, int, int]:
    """Return (name offset, type, flags, file offset, size) of the section header at an offset."""
    name, kind, flags, _, offset, size = struct.unpack_from("<IIQQQQ", data, at)
    return name, kind, flags, offset, size


def sections(data: bytes) -> list[tuple[str, bytes]]:
    """Return the names and contents of all sections, in the file's order.

    Raises
    ------
    PtxError
        The file is damaged: a part of it lies outside of it.
    """
    start, count, names = section_table(data)
    if start + 64 * count > len(data) or names >= max(count, 1):
        raise PtxError("the ELF image is damaged: its section headers lie outside of it")
    headers = [section_header(data, start + 64 * index) for index in range(count)]
    if not headers:
        return []
    table = _content(data, headers[names])
    found = []
    for header in headers:
        name = table[header[0] : table.find(b"\0", header[0])].decode("utf-8", "replace")
        found.append((name, _content(data, header)))
    return found


def functions(sections: dict[str, bytes]) -> dict[str, range]:
    """Return where the functions of a relocatable file with one section of code are in `.text`."""
    names = sections[".strtab"]
    # (name, kind, other, section, value, size); kind 2 is a function
    return {
        names[entry[0] : names.index(b"\0", entry[0])].decode(): range(entry[4], entry[4] + entry[5])
        for entry in struct.iter_unpack("<IBBHQQ", sections[".symtab"])
        if entry[1] & 15 == 2
    }


def _content(data: bytes, header: tuple[int, int, int, int, int]) -> bytes:
    _, kind, flags, offset, size = header
    if kind == _SHT_NOBITS:
        return b""
    if offset + size > len(data):
        raise PtxError("the ELF image is damaged: a section lies outside of it")
    content = data[offset : offset + size]
    if not flags & _SHF_COMPRESSED:
        return content
    try:
        return zlib.decompress(content[24:])
    except zlib.error as error:
        raise PtxError(f"the ELF image is damaged: a compressed section does not unpack ({error})") from None
