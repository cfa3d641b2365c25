# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Fuzzing: any PTX text or image gives code or a PtxError, in bounded time.

CUDA_CPU_FUZZ sets how many inputs of each kind are tried (`nox -s fuzz` tries many), CUDA_CPU_FUZZ_SEED which.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import struct
import tracemalloc
import zlib

import pytest
from support.guarded import Guarded
from test_ptx_image import elf_file

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.image import image
from cuda.cpu.ptx.program import build

COUNT = int(os.environ.get("CUDA_CPU_FUZZ", "150"))
SEED = int(os.environ.get("CUDA_CPU_FUZZ_SEED", "1"))
LONGEST = 60  # seconds for one input: only what hangs takes as long

TEXT = """
.version 8.5
.target sm_90
.address_size 64
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 4 .b8 words[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
.const .align 8 .u64 table[2] = {words, words+4};
.shared .align 16 .b8 room[256];
.func (.param .b32 d) twice(.param .b32 a)
{
    .reg .b32 %r<4>;
    ld.param.b32 %r1, [a]; add.s32 %r2, %r1, %r1; st.param.b32 [d], %r2; ret;
}
.visible .entry k(.param .u64 to, .param .align 8 .b8 block[16], .param .f32 x) .maxntid 256, 1, 1
{
    .local .align 8 .b8 depot[32]; .reg .pred %p<6>; .reg .b16 %h<4>; .reg .b32 %r<24>; .reg .f32 %f<9>;
    .reg .b64 %rd<12>; .reg .f64 %d<4>;
    ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, %tid.x; ld.param.f32 %f1, [x];
    mad.lo.s32 %r2, %r1, 4, 16; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;
    setp.lt.u32 %p1, %r1, 17; @%p1 bra LOOP; bra.uni END;
LOOP:
    fma.rn.ftz.f32 %f2, %f1, %f1, 0f3F800000; cvt.rzi.s32.f32 %r3, %f2; lop3.b32 %r4, %r3, %r2, %r1, 0x96;
    @!%p1 atom.global.add.u32 %r5, [%rd4+8], %r4; red.shared.max.s32 [room+4], %r4;
    shfl.sync.down.b32 %r6|%p2, %r4, 2, 0x1f, -1; bar.sync 0; selp.b32 %r7, %r6, 9, %p2;
    {
        .param .b32 a0; .param .b32 d0;
        st.param.b32 [a0], %r7; call.uni (d0), twice, (a0); ld.param.b32 %r8, [d0];
    }
    mov.b64 %rd5, {%r7, %r8}; mov.b32 {%h1, %h2}, %r8; st.local.v2.u32 [depot+8], {%r7, %r8};
    ld.const.u64 %rd6, [table+8]; prmt.b32 %r9, %r7, %r8, 0x5410; sub.cc.u32 %r10, %r9, 1; subc.u32 %r11, %r8, 0;
    add.rn.f64 %d1, 0d3FF0000000000000, 1.5; brx.idx %r1, targets;
targets: .branchtargets LOOP, END;
END:
    st.global.u32 [%rd4], %r11; exit;
}
.visible .entry tile(.param .u64 to)
.reqntid 128
.minnctapersm 1
.language 7
{
    .loc 1 7 3
    .loc_intermediate 2 100 10
    ret;
}
.nv_intermediate_source_section {
.code_block {
.ir_name: "tile ir"
.sourceFileName: 2
.source_begin
entry @tile(%arg0: tile<ptr<f32>>) { // }
%0 = make_token : token
.source_end
}
}
"""
TOKENS = re.findall(r"\s+|[.%$\w:]+|.", TEXT)
MORE = ["", "-1", "0", "4294967296", "99999999999999999999", "0x", "1e400", "%p1", "%r1", "%rd1", "%f1", "%h1", "_",
        "{", "}", "[", "]", ";", ",", "@", "!", "|", ".v4", ".reg", ".shared", ".entry", "k", "LOOP", '"', "/*", "//",
        "tex.2d.v4.f32.f32", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "%envreg1", ".pragma",
        ".align", "é", "\0", ".language", ".hidden", ".nv_intermediate_source_section", ".code_block",
        ".source_begin", ".source_end", "<<<", ">>>"]  # fmt: skip


@contextlib.contextmanager
def in_time():
    """Fail the test if the code inside does not end in time."""

    def ring(number, frame):
        raise AssertionError(f"not done after {LONGEST} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def damaged(tokens: list[str], dice: random.Random) -> str:
    """Change, move, repeat or drop a few tokens."""
    tokens = list(tokens)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        at, other = dice.randrange(len(tokens)), dice.randrange(len(tokens))
        match dice.randrange(6):
            case 0:
                tokens[at] = dice.choice(MORE)
            case 1:
                tokens[at] = tokens[other]
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3:
                del tokens[at : at + dice.choice((1, 1, 2, 9))]
            case 4:
                tokens[at:at] = tokens[other : other + dice.choice((1, 3, 20))]
            case 5:
                word = tokens[at]
                position = dice.randrange(len(word) + 1)
                tokens[at] = word[:position] + dice.choice(("", ".", "0", "x", "\n", ":")) + word[position + 1 :]
    return "".join(tokens)


def check_text(text: str) -> bool:
    """Load and translate; return whether there was code."""
    try:
        program = build([text])
        kernels = [name for name, function in program.functions.items() if function.entry]
        for name in kernels:
            translate(program.laid_out(name), name)
    except PtxError:
        return False
    return True


def translate(program: object, name: str) -> None:
    """Make LLVM IR, which LLVM must take."""
    llvm = pytest.importorskip("llvmlite.binding")
    from cuda.cpu.emit import emit_kernel

    llvm.parse_assembly(emit_kernel(program, name).text).verify()


def test_damaged_text():
    assert check_text(TEXT)
    dice = random.Random(SEED)
    loaded = 0
    for number in range(COUNT):
        text = damaged(TOKENS, dice)
        try:
            with in_time():
                loaded += check_text(text)
        except BaseException:
            print(f"input {number} of seed {SEED}:\n{text}")
            raise
    assert 0 < loaded < COUNT  # some changes are harmless


def damaged_bytes(data: bytes, dice: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(dice.choice((1, 2, 4, 30))):
        at = dice.randrange(min(len(found), dice.choice((80, len(found)))))
        match dice.randrange(4):
            case 0:
                found[at] = dice.randrange(256)
            case 1:
                found[at : at + 8] = dice.choice((0, 1, 1 << 31, (1 << 64) - 1, len(data))).to_bytes(8, "little")
            case 2:
                del found[at : at + dice.choice((1, 8, 64, len(found)))]
            case 3:
                found[at:at] = found[: dice.choice((1, 8, 64))]
        if not found:
            break
    return bytes(found)


def cubin() -> bytes:
    """A cubin with all that its readers use: PTX, line tables, sections of kernels, a compressed section."""
    line_program = struct.pack("<HIBBbBB", 2, 17, 1, 1, -5, 14, 4) + b"\0\1\1a\0\0b.cu\0\1\0\0\0\2\4\x20\1"
    lines = struct.pack("<I", len(line_program)) + line_program
    unit = TEXT.replace("\n", "\0").encode()
    packed = struct.pack("<IIQQ", 1, 0, len(unit), 1) + zlib.compress(unit)
    names = {
        ".nv_debug_ptx_txt": unit, ".nv_debug_ptx_txt.1": packed, ".text.k": bytes(64), ".nv.constant0.k": b"",
        ".debug_line": lines, ".nv_debug_line_sass": lines, ".rel.debug_line": bytes(32),
    }  # fmt: skip
    data = bytearray(elf_file(names))
    data[struct.unpack_from("<Q", data, 0x28)[0] + 2 * 64 + 9] = 8  # SHF_COMPRESSED
    return bytes(data)


@pytest.fixture(params=["cubin", "fatbin", "fatbin-lz4"])
def good(request):
    """An image that yields PTX."""
    if request.param == "cubin":
        return cubin()
    from support.compilers import fatbin

    options = ["-compress=true", "-compress-mode=speed"] if request.param == "fatbin-lz4" else ["-compress=false"]
    return fatbin([("ptx", "90", TEXT.strip().encode())], *options)


def fields(data: bytes) -> list[tuple[int, int]]:
    """Return offset and width of each field that is an offset, a size, a count or a kind."""
    if data[:4] == b"\x7fELF":
        table, count = struct.unpack_from("<Q", data, 0x28)[0], struct.unpack_from("<H", data, 0x3C)[0]
        found = [(0x10, 2), (0x12, 2), (0x18, 8), (0x20, 8), (0x28, 8), (0x30, 4)]
        found += [(at, 2) for at in range(0x34, 0x40, 2)]
        layout = ((0, 4), (4, 4), (8, 8), (0x10, 8), (0x18, 8), (0x20, 8), (0x28, 4), (0x2C, 4), (0x30, 8), (0x38, 8))
        for index in range(count):
            found += [(table + 64 * index + at, width) for at, width in layout]
            where, size = struct.unpack_from("<QQ", data, table + 64 * index + 0x18)
            found += [(where + at, 4) for at in range(0, min(size, 24) - 3, 4)]  # headers of compressed data and tables
        return found
    found, at = [(4, 2), (6, 2), (8, 8)], 16
    layout = ((0, 2), (4, 4), (8, 8), (16, 4), (20, 4), (28, 4), (32, 4), (36, 4), (40, 8), (56, 8))
    while at + 64 <= len(data):
        found += [(at + field, width) for field, width in layout]
        header, payload = struct.unpack_from("<IQ", data, at + 4)
        at += header + payload
    return found


def misled(data: bytes, dice: random.Random) -> bytes:
    """Change a few fields to values that are barely valid or invalid, or to values of other fields."""
    found, known = bytearray(data), fields(data)
    for _ in range(dice.choice((1, 1, 2, 3))):
        at, width = dice.choice(known)
        there = int.from_bytes(found[at : at + width], "little")
        other, size = dice.choice(known)
        link = int.from_bytes(found[other : other + size], "little")
        edges = (0, 1, 2, 64, 0xFFFF, len(data), len(data) - at, 1 << 31, 1 << 40, (1 << 64) - 1)
        near = dice.choice((*edges, there, link))
        value = max(near + dice.choice((-64, -1, 0, 0, 1, 64)), 0) & ((1 << 8 * width) - 1)
        found[at : at + width] = value.to_bytes(width, "little")
    return bytes(found)


MOST = 32 << 20  # bytes that reading an image of a few kilobytes may take


def test_mutated_image_headers(good):
    """The image ends before unreadable memory; whatever its fields contain, reading it costs little time and memory."""
    dice = random.Random(SEED)
    readable = 0
    tracemalloc.start()
    try:
        for number in range(4 * COUNT):
            data = misled(good, dice)
            try:
                tracemalloc.reset_peak()
                before = tracemalloc.get_traced_memory()[0]
                with in_time(), contextlib.suppress(PtxError), Guarded(data) as memory:
                    texts = image.ptx_of(image.image_at(memory.address), capability=dice.choice((None, 90)))
                    for text in texts:
                        if isinstance(text, image.CubinText):
                            text.source(1)
                    readable += 1
                assert tracemalloc.get_traced_memory()[1] - before < MOST
            except BaseException:
                print(f"input {number} of seed {SEED}: {data!r}")
                raise
    finally:
        tracemalloc.stop()
    assert 0 < readable < 4 * COUNT


def test_damaged_images(good):
    assert "entry k" in image.ptx_of(good)[0]
    dice = random.Random(SEED)
    for number in range(4 * COUNT):
        data = damaged_bytes(good, dice)
        try:
            with in_time(), contextlib.suppress(PtxError):
                texts = image.ptx_of(data)
                assert all(isinstance(text, str) for text in texts)
        except BaseException:
            print(f"input {number} of seed {SEED}: {data!r}")
            raise
