# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Images with wrong sizes, offsets and pointers: each is rejected at little cost, without reads out of bounds."""

from __future__ import annotations

import ctypes
import struct
import tracemalloc
import zlib

import pytest
from support.guarded import Guarded
from test_ptx_image import TEXT, UNIT, elf_file, entry, fatbin_file, nul_lines

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.image import elf, fatbin, host_memory
from cuda.cpu.ptx.image.dwarf import line_table
from cuda.cpu.ptx.image.image import image_at, image_size, ptx_of

CUBIN = elf_file({UNIT: nul_lines(TEXT), ".text.k": bytes(64)})
FATBIN = fatbin_file(entry(1, 75, TEXT.encode()))
MAXIMUM = 2**64 - 1


def changed(data: bytes, at: int, value: int, width: int = 8) -> bytes:
    return data[:at] + value.to_bytes(width, "little") + data[at + width :]


def headers_of(data: bytes) -> int:
    return struct.unpack_from("<Q", data, 0x28)[0]


class Counted:
    """Measures the peak of the memory that Python allocates inside."""

    def __enter__(self):
        tracemalloc.start()
        return self

    def __exit__(self, *_):
        self.most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


# --- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [TEXT.encode() + b"\0", CUBIN, FATBIN], ids=["text", "cubin", "fatbin"])
def test_an_image_is_read_up_to_the_last_mapped_byte(data):
    with Guarded(data) as memory:
        assert image_at(memory.address) == data.rstrip(b"\0") if data[0] == ord(".") else data
    for missing in (1, 40, len(data) - 5):
        with Guarded(data[:-missing]) as memory, pytest.raises(PtxError, match=r"can be read from memory|end in NUL"):
            image_at(memory.address)


@pytest.mark.parametrize("size", [3, 4095, 4096, 4097, 70000, (1 << 20) + 5])
def test_text_of_any_size_is_read(size):
    with Guarded(b"x" * size + b"\0") as memory:
        assert image_at(memory.address) == b"x" * size


@pytest.mark.parametrize("address", [1, 8, 4096, 1 << 46, (1 << 63) - 4096, MAXIMUM - 8, MAXIMUM])
def test_an_unmapped_pointer_is_refused(address):
    for read in (image_at, image_size):
        with pytest.raises(PtxError, match=f"0x{address:x}, of which only 0 can be read from memory$"):
            read(address)
    with pytest.raises(PtxError, match="0x"):
        ptx_of(struct.pack("<IIQQ", fatbin.WRAPPER_MAGIC, 1, address, 0))
    with pytest.raises(PtxError, match="memory ends after 0 bytes"):
        host_memory.read_text(address)


def test_memory_is_read_without_process_vm_readv(monkeypatch):
    data = bytes(range(256)) * 100

    def refuse(*_):
        ctypes.set_errno(1)  # EPERM
        return -1

    monkeypatch.setattr(host_memory._libc, "process_vm_readv", refuse)
    with Guarded(data) as memory:
        assert host_memory.read(memory.address, len(data), "it") == data
        with pytest.raises(PtxError, match="of which only 25600 can be read"):
            host_memory.read(memory.address, len(data) + 1, "it")


def test_a_wrapper_that_points_to_itself_is_refused():
    buffer = ctypes.create_string_buffer(24)
    address = ctypes.addressof(buffer)
    buffer.raw = struct.pack("<IIQQ", fatbin.WRAPPER_MAGIC, 1, address, 0)
    with pytest.raises(PtxError, match=f"^the fatbin wrapper points to 0x{address:x}, where no fatbin begins$"):
        ptx_of(image_at(address))


# --- sizes and offsets ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [MAXIMUM, 1 << 63, 1 << 40, len(CUBIN) + 1])
@pytest.mark.parametrize("field", [0x18, 0x20], ids=["offset", "size"])
@pytest.mark.parametrize("section", [1, 2, 3])
def test_a_section_outside_of_the_file_is_refused(section, field, value):
    data = changed(CUBIN, headers_of(CUBIN) + 64 * section + field, value)
    with pytest.raises(PtxError, match=r"^the ELF image is damaged: a section of .* lies outside of its"):
        ptx_of(data)
    with Guarded(data) as memory, pytest.raises(PtxError):
        image_at(memory.address)


@pytest.mark.parametrize("value", [MAXIMUM, 1 << 40, 8])
def test_a_table_of_sections_outside_of_the_file_is_refused(value):
    data = changed(CUBIN, 0x28, value)
    with pytest.raises(PtxError, match="damaged"):
        ptx_of(data)
    with Guarded(data) as memory, pytest.raises(PtxError, match="bytes"):
        ptx_of(image_at(memory.address))


@pytest.mark.parametrize("value", [MAXIMUM, 1 << 40, 1 << 33, 4096])
def test_a_fatbin_longer_than_memory_is_refused(value):
    data = changed(FATBIN, 8, value)
    with pytest.raises(PtxError, match="shorter than its header gives"):
        ptx_of(data)
    with Guarded(data) as memory, Counted() as taken, pytest.raises(PtxError, match=r"can be read|are supported"):
        image_at(memory.address)
    assert taken.most < 16 << 20


# --- compression ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("flag", "ratio"), [(0x2000, 255), (0x8000, 1 << 16)], ids=["lz4", "zstd"])
def test_a_declared_size_is_checked_before_it_is_allocated(flag, ratio):
    for size in (ratio * 9, 1 << 40, MAXIMUM):
        with Counted() as taken, pytest.raises(PtxError, match=r"cannot be|are supported"):
            ptx_of(fatbin_file(entry(1, 75, b"12345678", flag, size)))
        assert taken.most < 1 << 20


def test_a_long_lz4_match_is_copied_at_once():
    """100 KB of input decompress to some 25 MB."""
    data = b"\x1fx\x01\x00" + b"\xff" * 100_000 + b"\x00"
    size = 1 + 4 + 15 + 255 * 100_000
    found = fatbin.lz4_block(data, size)
    assert len(found) == size
    assert found.count(b"x") == size
    with Counted() as taken, pytest.raises(PtxError, match="bad LZ4 data"):
        fatbin.lz4_block(data, 1000)
    assert taken.most < 1 << 20


def test_lz4_literals_do_not_exceed_the_size():
    data = b"\xf0" + b"\xff" * 100_000 + b"\0" + bytes(1 << 24)
    with Counted() as taken, pytest.raises(PtxError, match="bad LZ4 data"):
        fatbin.lz4_block(data, 10)
    assert taken.most < 1 << 20


def zstd_packed(data: bytes) -> bytes:
    try:
        library = ctypes.CDLL("libzstd.so.1")
    except OSError:
        pytest.skip("libzstd.so.1 is not installed")
    library.ZSTD_compress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(len(data) + 1000)
    size = library.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
    return room.raw[:size]


def test_a_zstd_frame_does_not_exceed_the_size():
    text = TEXT.encode()
    packed = zstd_packed(text)
    assert ptx_of(fatbin_file(entry(1, 75, packed, 0x8000, len(text)))) == [TEXT]
    for size in (1, len(text) - 1, len(text) + 1):
        with pytest.raises(PtxError, match=rf"zstd frame does not have the {size} bytes of its header$"):
            ptx_of(fatbin_file(entry(1, 75, packed, 0x8000, size)))
    large = fatbin_file(entry(1, 75, zstd_packed(bytes(1 << 24)), 0x8000, 100))
    with Counted() as taken, pytest.raises(PtxError, match="does not have"):
        ptx_of(large)
    assert taken.most < 4 << 20


def compressed(content: bytes, size: int | None = None, way: int = 1) -> bytes:
    """Make a cubin whose unit is a compressed section."""
    packed = struct.pack("<IIQQ", way, 0, len(content) if size is None else size, 1) + zlib.compress(content)
    data = elf_file({UNIT: packed})
    return changed(data, headers_of(data) + 64 + 8, 0x800)


def test_a_compressed_section_must_have_its_declared_size():
    assert ptx_of(compressed(nul_lines(TEXT))) == [TEXT]
    for size in (0, 5, len(TEXT) + 1):
        with pytest.raises(PtxError, match=f"does not have the {size} bytes of its header$"):
            ptx_of(compressed(nul_lines(TEXT), size))
    with pytest.raises(PtxError, match=r"compressed in way 2, of which only 1 \(zlib\)"):
        ptx_of(compressed(b"x", way=2))
    for data in (compressed(bytes(1 << 20), elf.MOST_UNPACKED + 1), compressed(b"x", MAXIMUM), compressed(b"x", 10**6)):
        with Counted() as taken, pytest.raises(PtxError, match="damaged or too large"):
            ptx_of(data)
        assert taken.most < 4 << 20


def test_compressed_sections_share_one_size_limit(monkeypatch):
    monkeypatch.setattr(elf, "MOST_UNPACKED", 10_000)
    packed = struct.pack("<IIQQ", 1, 0, 6000, 1) + zlib.compress(bytes(6000))
    data = elf_file({f"{UNIT}.{number}": packed for number in range(2)})
    for number in (1, 2):
        data = changed(data, headers_of(data) + 64 * number + 8, 0x800)
    with pytest.raises(PtxError, match="at most 10000 are supported for all together"):
        ptx_of(data)


# --- work that grows with the file's size alone -----------------------------------------------------------------------


def overlapping(count: int, content: bytes, names: bytes, name: int) -> bytes:
    """Make a cubin of `count` sections with the same content, and the name that begins at byte `name` of `names`."""
    head = b"\x7fELF\2\1\1" + bytes(9)
    body = content + names
    headers = struct.pack("<IIQQQQIIQQ", 0, 1, 0, 0, 64 + len(content), len(names), 0, 0, 1, 0)
    headers += struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, 64, len(content), 0, 0, 1, 0) * count
    rest = struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), 0, 64, 56, 0, 64, count + 1, 0)
    return head + rest + body + headers


def test_overlapping_sections_count_against_the_limit():
    text = (nul_lines(TEXT) * 15_000)[: 1 << 20]
    data = overlapping(4000, text, b"\0" + UNIT.encode() + b"\0", 1)
    with Counted() as taken, pytest.raises(PtxError, match=r"its sections or their names overlap$"):
        ptx_of(data)
    assert taken.most < 160 << 20  # the text is copied as well when it is decoded


def test_overlapping_names_count_against_the_limit():
    data = overlapping(16000, b"", b"\0" + b"n" * (1 << 18) + b"\0", 1)
    with Counted() as taken, pytest.raises(PtxError, match=r"its sections or their names overlap$"):
        ptx_of(data)
    assert taken.most < 160 << 20
    with pytest.raises(PtxError, match="a section's name lies outside of the names"):
        ptx_of(overlapping(4, b"", b"\0abc", 1))


def test_kernel_names_are_searched_once():
    """5,000 kernels in a text of 1/8 MB."""
    names = [f"k{number}" for number in range(5_000)]
    text = TEXT + "".join(f".entry {name}() {{ ret; }}\n" for name in names)
    data = elf_file({UNIT: nul_lines(text), **{f".nv.constant0.{name}": b"" for name in names}})
    assert ptx_of(data) == [text]
    lacking = elf_file({UNIT: nul_lines(TEXT), **{f".nv.constant0.{name}": b"" for name in names}})
    with pytest.raises(PtxError, match=r"no PTX of k0, k1, k2, k3, k4, k5, k6, k7, k8, k9: ") as caught:
        ptx_of(lacking)
    assert len(str(caught.value)) < 1000


def test_line_programs_do_not_read_beyond_their_end():
    """An empty line program whose list of files would be the rest of the table, again and again."""
    small = struct.pack("<IHIBBbBB", 0, 2, 0, 1, 1, 0, 1, 1)
    with pytest.raises(PtxError, match="is damaged at byte"):
        list(line_table({".debug_line": small + bytes([1]) * (1 << 20)}, ".debug_line"))
    program = struct.pack("<HIBBbBB", 2, 10, 1, 1, 0, 1, 4) + b"\0\1\1\0\0\2" + b"\xff" * (1 << 16)
    table = struct.pack("<I", len(program)) + program
    with pytest.raises(PtxError, match="a number has more than 64 bits"):
        list(line_table({".debug_line": table}, ".debug_line"))
