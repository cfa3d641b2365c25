# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Hand-made images: PTX text, ELF files, fatbins, and damaged ones."""

from __future__ import annotations

import ctypes
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda.cpu.ptx.error import NoPtxError, PtxError
from cuda.cpu.ptx.image import fatbin
from cuda.cpu.ptx.image.image import image_at, image_size, ptx_of

TEXT = ".version 8.5\n.target sm_75\n.address_size 64\n.entry k() { ret; }\n"
UNIT = ".nv_debug_ptx_txt"


def elf_file(sections: dict[str, bytes]) -> bytes:
    """Make an ELF file with these sections."""
    names = b"\0"
    positions = []
    for name in [*sections, ".shstrtab"]:
        positions.append(len(names))
        names += name.encode() + b"\0"
    contents = [*sections.values(), names]
    body, headers = b"", bytes(64)
    for position, content in zip(positions, contents, strict=True):
        headers += struct.pack("<IIQQQQIIQQ", position, 1, 0, 0, 64 + len(body), len(content), 0, 0, 1, 0)
        body += content
    count = len(contents) + 1
    head = (
        b"\x7fELF\2\1\1"
        + bytes(9)
        + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), 0, 64, 56, 0, 64, count, count - 1)
    )
    return head + body + headers


def entry(kind: int, arch: int, content: bytes, flags: int = 0, size: int = 0) -> bytes:
    packed = len(content) if flags & 0xF000 else 0
    padded = content + bytes(-len(content) % 8)
    return (
        struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(padded), packed, 0, 5, 9, arch, 0, 0, flags, 0, size)
        + padded
    )


def fatbin_file(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def address_of(data: bytes) -> tuple[int, object]:
    buffer = ctypes.create_string_buffer(data, len(data) + 16)
    return ctypes.addressof(buffer), buffer


# --- text ---------------------------------------------------------------------------------------------


def test_text_with_and_without_a_terminating_nul():
    assert ptx_of(TEXT.encode()) == ptx_of(TEXT.encode() + b"\0rest") == [TEXT]


@pytest.mark.parametrize("data", [b"", b"hello", b"\0", b"\xba\xad" * 9])
def test_unknown_formats_are_refused(data):
    with pytest.raises(PtxError, match="no PTX, cubin, fatbin or Tile IR"):
        ptx_of(data)


# --- cubins -------------------------------------------------------------------------------------------


def nul_lines(text: str) -> bytes:
    return text.replace("\n", "\0").encode()


def test_every_unit_of_a_cubin_is_found():
    other = TEXT.replace("k()", "j()")
    assert ptx_of(elf_file({UNIT: nul_lines(TEXT)})) == [TEXT]
    sections = {UNIT + ".12": nul_lines(TEXT), ".text.k": b"1", UNIT + ".7": nul_lines(other), ".nv.merc" + UNIT: b"x"}
    assert ptx_of(elf_file(sections)) == [TEXT, other]


def test_a_cubin_without_ptx_is_refused_with_advice():
    with pytest.raises(PtxError, match="no PTX, which the CPU device needs: compile and link with -lineinfo"):
        ptx_of(elf_file({".text.k": b"code"}))


def test_a_cubin_with_ptx_of_some_units_only_names_the_others():
    data = elf_file(
        {UNIT: nul_lines(TEXT), ".nv.constant0.k": b"1", ".nv.constant0.ent": b"2", ".text.__cuda_sm20_div": b"3"}
    )
    with pytest.raises(PtxError, match=r"no PTX of ent: compile and link with -lineinfo.* for every unit"):
        ptx_of(data)


@given(st.data())
def test_damaged_elf_files_are_refused(data):
    whole = elf_file({UNIT: nul_lines(TEXT), ".text.k": b"1"})
    cut = data.draw(st.integers(4, len(whole) - 1))
    with pytest.raises(PtxError):
        ptx_of(whole[:cut])
    position, value = data.draw(st.integers(16, len(whole) - 1)), data.draw(st.integers(0, 255))
    changed = whole[:position] + bytes([value]) + whole[position + 1 :]
    try:
        ptx_of(changed)
    except PtxError as error:
        assert str(error)  # noqa: PT017 - a changed byte may as well do no harm


# --- fatbins ------------------------------------------------------------------------------------------


def named(arch: object) -> bytes:
    return TEXT.replace("sm_75", f"sm_{arch}").encode()


@pytest.mark.parametrize(("capability", "best"), [(75, 75), (86, 75), (90, 90), (120, 90), (None, 90)])
def test_the_best_ptx_for_the_device_is_selected(capability, best):
    data = fatbin_file(entry(2, 90, elf_file({".text.k": b"1"})), entry(1, 75, named(75)), entry(1, 90, named(90)))
    assert ptx_of(data, capability=capability) == [named(best).decode()]


@pytest.mark.parametrize(
    ("capability", "best"), [(80, 80), (86, 81), (89, 89), (90, 90), (100, 90), (103, 103), (120, 90)]
)
def test_a_cubin_of_the_family_is_preferred_to_ptx(capability, best):
    """A cubin runs on devices of its major version that are as new or newer; one without PTX is skipped."""
    cubins = [entry(2, arch, elf_file({UNIT: nul_lines(named(arch).decode())})) for arch in (81, 89, 103)]
    lacking = entry(2, 86, elf_file({".text.k": b"1"}))
    texts = [entry(1, arch, named(arch)) for arch in (80, 90)]
    assert ptx_of(fatbin_file(*texts, *cubins, lacking), capability=capability) == [named(best).decode()]


def test_incompatible_ptx_is_not_selected():
    texts = [entry(1, arch, named(target)) for arch, target in ((100, "100"), (90, "90a"), (90, "90"), (80, "80"))]
    data = fatbin_file(*texts)
    assert [ptx_of(data, capability=each) for each in (80, 90, 120)] == [
        [named(each).decode()] for each in ("80", "90a", "100")
    ]
    assert ptx_of(fatbin_file(*texts[1:]), capability=100) == [named("90").decode()]
    with pytest.raises(NoPtxError, match=r"has nothing for compute capability 7\.5, but PTX for sm_100, "):
        ptx_of(data, capability=75)


def test_a_cubin_is_selected_if_the_fatbin_has_no_ptx():
    cubin = elf_file({UNIT: nul_lines(TEXT)})
    assert ptx_of(fatbin_file(entry(2, 75, elf_file({".text.k": b"1"})), entry(2, 90, cubin))) == [TEXT]
    assert ptx_of(fatbin_file(entry(2, 80, cubin), entry(2, 86, cubin)), capability=89) == [TEXT]
    machine = entry(2, 90, elf_file({".text.k": b"1"}))
    with pytest.raises(PtxError, match="has no PTX, which the CPU device needs, but machine code for sm_90: "):
        ptx_of(fatbin_file(machine))
    with pytest.raises(
        PtxError, match=r"machine code for sm_90, LTO-IR for sm_90, code of kind 7 for sm_90: .*=compute"
    ):
        ptx_of(fatbin_file(machine, entry(8, 90, b"lto"), entry(7, 90, b"?")))
    with pytest.raises(
        PtxError, match=r"^the fatbin has nothing for compute capability 8.9, but machine code for sm_90$"
    ):
        ptx_of(fatbin_file(entry(2, 90, cubin)), capability=89)
    with pytest.raises(PtxError, match=r"^the fatbin has nothing for compute capability 10.0, but machine code"):
        ptx_of(fatbin_file(entry(2, 90, cubin)), capability=100)
    with pytest.raises(PtxError, match="but nothing: "):
        ptx_of(fatbin_file())


def test_a_wrapper_is_followed():
    address, keep = address_of(fatbin_file(entry(1, 75, named(75))))
    wrapper = struct.pack("<IIQQ", 0x466243B1, 1, address, 0)
    assert ptx_of(wrapper) == [named(75).decode()]
    assert keep
    with pytest.raises(PtxError, match="null pointer"):
        ptx_of(struct.pack("<IIQQ", 0x466243B1, 1, 0, 0))


def test_unknown_compression_is_refused():
    with pytest.raises(PtxError, match="rebuild it without compression"):
        ptx_of(fatbin_file(entry(1, 75, b"x", flags=0x1000)))


def lz4_pack(data: bytes) -> bytes:
    """Pack as an LZ4 block, greedily, looking back for the longest match."""

    def length_bytes(length: int) -> bytes:
        if length < 15:
            return b""
        return b"\xff" * ((length - 15) // 255) + bytes([(length - 15) % 255])

    out, at, literals = bytearray(), 0, bytearray()
    while at < len(data):
        best, distance = 0, 0
        for start in range(max(0, at - 64), at):
            length = 0
            while at + length < len(data) - 5 and data[start + length] == data[at + length]:
                length += 1
            if length > best:
                best, distance = length, at - start
        if best < 4:
            literals.append(data[at])
            at += 1
            continue
        out.append(min(len(literals), 15) << 4 | min(best - 4, 15))
        out += length_bytes(len(literals)) + literals + distance.to_bytes(2, "little") + length_bytes(best - 4)
        literals.clear()
        at += best
    out.append(min(len(literals), 15) << 4)
    return bytes(out + length_bytes(len(literals)) + literals)


@given(
    st.binary(max_size=60) | st.tuples(st.binary(min_size=1, max_size=8), st.integers(1, 90)).map(lambda p: p[0] * p[1])
)
def test_lz4_blocks_are_unpacked(data):
    assert fatbin.lz4_block(lz4_pack(data), len(data)) == data


@given(st.binary(max_size=40), st.integers(0, 60))
def test_damaged_lz4_blocks_are_refused(data, size):
    try:
        assert len(fatbin.lz4_block(data, size)) == size
    except PtxError as error:
        assert "damaged" in str(error)  # noqa: PT017 - some bytes are a block by chance


@given(st.data())
def test_damaged_fatbins_are_refused(data):
    whole = fatbin_file(entry(1, 75, lz4_pack(named(75)), 0x2000, len(named(75))))
    with pytest.raises(PtxError):
        ptx_of(whole[: data.draw(st.integers(4, len(whole) - 1))])
    position, value = data.draw(st.integers(16, len(whole) - 1)), data.draw(st.integers(0, 255))
    try:
        ptx_of(whole[:position] + bytes([value]) + whole[position + 1 :])
    except PtxError as error:
        assert str(error)  # noqa: PT017 - a changed byte may as well do no harm


# --- raw addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data", [TEXT.encode(), elf_file({UNIT: nul_lines(TEXT)}), fatbin_file(entry(1, 75, named(75)))]
)
def test_size_of_an_image_at_an_address(data):
    address, keep = address_of(data)
    assert image_size(address) == len(data)
    assert image_at(address) == data
    assert keep
