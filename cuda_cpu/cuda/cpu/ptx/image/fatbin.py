# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fatbin containers: code for several architectures in one image.

NVIDIA does not document the format; the layout here is what nvFatbin writes, whose output
tests/cpu/ptx/test_ptx_compilers.py reads.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from cuda.cpu.ptx.error import NoPtxError, PtxError
from cuda.cpu.ptx.image.elf import MOST_UNPACKED
from cuda.cpu.signals import own

WRAPPER_MAGIC = 0x466243B1  # struct {u32 magic, u32 version, const void *fatbin, const void *file}
WRAPPER_SIZE = 24
MAGIC = 0xBA55ED50
HEADER = struct.Struct("<IHHQ")  # magic, version, header size, size of all that follows
# kind, version, header size, payload size, compressed size, options, PTX minor, PTX major, arch, name, name size,
# flags, unknown, unpacked size
_ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
PTX, ELF, LTO = 1, 2, 8
KINDS = {PTX: "PTX", ELF: "machine code", LTO: "LTO-IR"}
_LZ4, _ZSTD, _OTHER = 0x2000, 0x8000, 0x1000
_MOST_BY_LZ4 = 255  # bytes per compressed byte
_MOST_BY_ZSTD = 1 << 16  # bytes per compressed byte: a block of zstd has at most 2**17 bytes, and takes at least 4


@dataclass(frozen=True, slots=True)
class Entry:
    """One image in a fatbin: `kind` 1 is PTX and 2 a cubin; `arch` is 90 for sm_90. `data` unpacks it."""

    kind: int
    arch: int
    content: bytes
    flags: int = 0
    size: int = 0

    @property
    def data(self) -> bytes:
        return _unpacked(self.content, self.flags, self.size)


def fatbin_size(header: bytes) -> int:
    """Return the size in bytes of a fatbin from its first 16 bytes."""
    _, _, header_size, size = HEADER.unpack_from(header)
    return header_size + size


def entries(data: bytes) -> list[Entry]:
    """Return the images of a fatbin that are PTX or cubins.

    Raises
    ------
    PtxError
        The fatbin is damaged.
    """
    return [
        Entry(kind, arch, data[start:end], flags, size)
        for kind, arch, start, end, flags, size in _places(data)
        if kind in (PTX, ELF)
    ]


def contents(data: bytes) -> str:
    """Describe a fatbin for messages: the kinds and architectures of its images."""
    names = [f"{KINDS.get(kind, f'code of kind {kind}')} for sm_{arch}" for kind, arch, *_ in _places(data)]
    return ", ".join(names) or "nothing"


def _places(data: bytes) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Yield kind, arch, begin, end, flags and unpacked size of each image."""
    if len(data) < HEADER.size or fatbin_size(data) > len(data):
        raise PtxError("the fatbin image is damaged: it is shorter than its header gives")
    at, end = HEADER.unpack_from(data)[2], fatbin_size(data)
    while at + _ENTRY.size <= end:
        kind, _, header, payload, packed, _, _, _, arch, _, _, flags, _, size = _ENTRY.unpack_from(data, at)
        if header < _ENTRY.size or at + header + payload > end or packed > payload:
            raise PtxError("the fatbin image is damaged: an entry lies outside of it")
        yield kind, arch, at + header, at + header + (packed or payload), flags, size
        at += header + payload


def _unpacked(content: bytes, flags: int, size: int) -> bytes:
    """Decompress an entry.

    Raises
    ------
    PtxError
        It is damaged, too large, or compressed in a way that needs a package that is not installed.
    """
    way = next((way for way in (_LZ4, _ZSTD, _OTHER) if flags & way), 0)
    if not way:
        return content
    if way == _OTHER:
        raise NoPtxError(
            "the fatbin image is compressed in a way that is not supported; rebuild it without compression"
        )
    if size > MOST_UNPACKED:
        raise PtxError(f"the fatbin image is to unpack to {size} bytes; at most {MOST_UNPACKED} are supported")
    if size > len(content) * (_MOST_BY_LZ4 if way == _LZ4 else _MOST_BY_ZSTD):
        raise PtxError(f"the fatbin image is damaged: {len(content)} compressed bytes cannot be {size}")
    return lz4_block(content, size) if way == _LZ4 else _zstd(content, size)


def _zstd(content: bytes, size: int) -> bytes:
    """Decompress a frame of zstd (RFC 8878) by Python 3.14's module, its backport, or the system's library."""
    try:
        from compression import zstd
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            return _zstd_of_system(content, size)
    try:
        found = zstd.ZstdDecompressor().decompress(content, size + 1)
    except zstd.ZstdError as error:
        raise PtxError(f"the fatbin image is damaged: {error}") from None
    if len(found) != size:
        raise PtxError(f"the fatbin image is damaged: its zstd frame does not have the {size} bytes of its header")
    return found


def _zstd_of_system(content: bytes, size: int) -> bytes:
    import ctypes

    try:
        library = ctypes.CDLL("libzstd.so.1")
    except own(OSError):
        raise NoPtxError(
            "the fatbin image is compressed by zstd: pip install backports.zstd, or install libzstd.so.1, or rebuild "
            "the fatbin with -compress-mode=speed"
        ) from None
    library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    library.ZSTD_decompress.restype = ctypes.c_size_t
    unpacked = ctypes.create_string_buffer(size)
    if library.ZSTD_decompress(unpacked, size, content, len(content)) != size:  # error codes are not sizes
        raise PtxError(f"the fatbin image is damaged: its zstd frame does not have the {size} bytes of its header")
    return unpacked.raw


def lz4_block(data: bytes, size: int) -> bytes:
    """Decompress an LZ4 block to `size` bytes (LZ4 block format description, by Yann Collet).

    Raises
    ------
    PtxError
        The block is damaged.
    """
    out = bytearray()
    at = 0
    try:
        while at < len(data):
            token = data[at]
            literals, at = _lz4_length(data, at + 1, token >> 4)
            if len(out) + literals > size:
                raise IndexError
            out += data[at : at + literals]
            at += literals
            if at >= len(data):
                break
            distance = data[at] | data[at + 1] << 8
            length, at = _lz4_length(data, at + 2, token & 15)
            length += 4
            if not 0 < distance <= len(out) or len(out) + length > size:
                raise IndexError
            pattern = out[len(out) - distance :][:length]
            out += (pattern * -(-length // len(pattern)))[:length]  # source and copy may overlap: then it repeats
    except IndexError:
        raise PtxError("the fatbin image is damaged: bad LZ4 data") from None
    if len(out) != size:
        raise PtxError(f"the fatbin image is damaged: LZ4 data give {len(out)} bytes instead of {size}")
    return bytes(out)


def _lz4_length(data: bytes, at: int, length: int) -> tuple[int, int]:
    """Return a length whose first four bits are known, and the offset after it."""
    if length == 15:
        while data[at] == 255:
            length += 255
            at += 1
        length += data[at]
        at += 1
    return length, at
