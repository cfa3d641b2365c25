# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reader of the sections of 64-bit little-endian ELF files (System V ABI), such as cubins."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping

from cuda.cpu.ptx.error import PtxError

MAGIC = b"\x7fELF"
HEADER_SIZE = 64
_SHT_NOBITS = 8
_SHF_COMPRESSED = 0x800
_EM_CUDA = 190
_ABI_WITH_WIDE_FLAGS = 8  # EI_ABIVERSION from which on byte 1 of e_flags is the architecture (seen in cubins)

MOST_UNPACKED = 1 << 28  # bytes of one decompressed part of an image
_MOST_BY_ZLIB = 1032  # bytes per compressed byte (RFC 1951: a match of 258 bytes takes at least two bits)
_COPIES = 16  # names with a common suffix may overlap
_SMALL = 1 << 16

Header = tuple[int, int, int, int, int]  # of a section: name offset, type, flags, file offset, size


def section_table(header: bytes) -> tuple[int, int, int]:
    """Return the offset of the section headers, their number, and the index of the one with the names.

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


def architecture(header: bytes) -> int:
    """Return the compute capability, times ten, of a cubin's machine code; 0 if the header does not say."""
    machine, flags = struct.unpack_from("<H", header, 0x12)[0], struct.unpack_from("<I", header, 0x30)[0]
    if machine != _EM_CUDA:
        return 0
    return (flags >> 8 if header[8] >= _ABI_WITH_WIDE_FLAGS else flags) & 0xFF


def file_size(header: bytes, section_headers: bytes) -> int:
    """Return the size of the file: the end of its last section, section header or program header."""
    offset, count, _ = section_table(header)
    programs, entry, number = struct.unpack_from("<Q", header, 0x20)[0], *struct.unpack_from("<HH", header, 0x36)
    found = [section_header(section_headers, 64 * index) for index in range(count)]
    ends = [at + size for _, kind, _, at, size in found if kind != _SHT_NOBITS]
    return max(HEADER_SIZE, offset + 64 * count, programs + entry * number, *ends)


def section_header(data: bytes, at: int) -> Header:
    """Return (name offset, type, flags, file offset, size) of the section header at an offset."""
    name, kind, flags, _, offset, size = struct.unpack_from("<IIQQQQ", data, at)
    return name, kind, flags, offset, size


class Sections(Mapping[str, bytes]):
    """The sections of a file by name, the last one for duplicate names. Contents are copied when they are accessed.

    Raises
    ------
    PtxError
        The file is damaged: a part of it lies outside of it, or its parts overlap so much that they would take more
        memory than `MOST_UNPACKED` or many times the file's own size.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._by_name: dict[str, Header] = {}
        self._headers: list[tuple[str, Header]] = []
        self._copied = self._unpacked = 0
        start, count, names = section_table(data)
        if start + 64 * count > len(data) or names >= max(count, 1):
            raise PtxError("the ELF image is damaged: its section headers lie outside of it")
        headers = [section_header(data, start + 64 * index) for index in range(count)]
        for _, kind, _, offset, size in headers:
            if kind != _SHT_NOBITS and offset + size > len(data):
                raise PtxError(
                    f"the ELF image is damaged: a section of {size} bytes at byte {offset} lies outside of its "
                    f"{len(data)} bytes"
                )
        if not headers:
            return
        table = self._content(headers[names])
        for header in headers:
            end = table.find(b"\0", header[0])
            if end < 0:
                raise PtxError("the ELF image is damaged: a section's name lies outside of the names")
            self._count(end - header[0])
            self._headers.append((table[header[0] : end].decode("utf-8", "replace"), header))
        self._by_name = dict(self._headers)

    def __getitem__(self, name: str) -> bytes:
        return self._content(self._by_name[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def select(self, wanted: Callable[[str], bool]) -> list[tuple[str, bytes]]:
        """Return the names and contents of some sections, in the file's order."""
        return [(name, self._content(header)) for name, header in self._headers if wanted(name)]

    def _count(self, size: int) -> None:
        """Count bytes that are copied from the file; raise an error above the limit."""
        self._copied += size
        if self._copied > _COPIES * len(self._data) + _SMALL:
            raise PtxError("the ELF image is damaged: its sections or their names overlap")

    def _content(self, header: Header) -> bytes:
        _, kind, flags, offset, size = header
        if kind == _SHT_NOBITS:
            return b""
        self._count(size)
        content = self._data[offset : offset + size]
        if not flags & _SHF_COMPRESSED:
            return content
        found = _unpack(content, MOST_UNPACKED - self._unpacked)
        self._unpacked += len(found)
        return found


def _unpack(content: bytes, most: int) -> bytes:
    """Decompress a section, which begins with its kind of compression (1: zlib) and size (Elf64_Chdr)."""
    if len(content) < 24:
        raise PtxError("the ELF image is damaged: a compressed section has no header")
    kind, _, size, _ = struct.unpack_from("<IIQQ", content)
    if kind != 1:
        raise PtxError(f"the ELF image has a section compressed in way {kind}, of which only 1 (zlib) is supported")
    if size > min(most, (len(content) - 24) * _MOST_BY_ZLIB):
        raise PtxError(
            f"the ELF image is damaged or too large: a compressed section of {len(content)} bytes is to have {size}; "
            f"at most {MOST_UNPACKED} are supported for all together"
        )
    try:
        found = zlib.decompressobj().decompress(content[24:], size + 1)
    except zlib.error as error:
        raise PtxError(f"the ELF image is damaged: a compressed section does not unpack ({error})") from None
    if len(found) != size:
        raise PtxError(f"the ELF image is damaged: a compressed section does not have the {size} bytes of its header")
    return found


def functions(sections: Mapping[str, bytes]) -> dict[str, range]:
    """Return the ranges of the functions in `.text`, for a relocatable file with one section of code."""
    names = sections[".strtab"]
    # (name, kind, other, section, value, size); kind 2 is a function
    return {
        names[entry[0] : names.index(b"\0", entry[0])].decode(): range(entry[4], entry[4] + entry[5])
        for entry in struct.iter_unpack("<IBBHQQ", sections[".symtab"])
        if entry[1] & 15 == 2
    }
