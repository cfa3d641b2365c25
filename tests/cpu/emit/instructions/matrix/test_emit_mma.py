# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""mma, wmma, ldmatrix, stmatrix and movmatrix."""

from __future__ import annotations

import numpy as np
import pytest
from support.fragments import TYPES, fragments, integers, quads, random, run
from support.warps import compiled

from cuda.cpu.ptx.error import PtxError

FLOATS = [("m16n8k16", "f16", "f32"), ("m16n8k8", "f16", "f16"), ("m16n8k16", "f16", "f16"), ("m16n8k8", "bf16", "f32")]
FLOATS += [("m16n8k16", "bf16", "f32"), ("m16n8k4", "tf32", "f32"), ("m16n8k8", "tf32", "f32")]
FLOATS += [("m16n8k32", "e4m3", "f32"), ("m16n8k32", "e5m2", "f32")]
FLOATS += [(shape, "f64", "f64") for shape in ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16")]
INTEGERS = [(shape, type_, "s32") for type_ in ("s8", "u8") for shape in ("m8n8k16", "m16n8k16", "m16n8k32")]
INTEGERS += [(shape, type_, "s32") for type_ in ("s4", "u4") for shape in ("m8n8k32", "m16n8k32", "m16n8k64")]
BITS = [(shape, "b1", "s32") for shape in ("m8n8k128", "m16n8k128", "m16n8k256")]


@pytest.mark.parametrize(("shape", "type_", "result"), FLOATS + INTEGERS + BITS)
def test_mma(shape, type_, result):
    rows, depth = int(shape[1:].partition("n")[0]), int(shape.partition("k")[2])
    low, high = {"u8": (0, 200), "u4": (0, 15), "s4": (-8, 7), "s8": (-128, 127), "b1": (0, 1)}.get(type_, (-3, 3))
    a, b, c = integers(low, high, rows, depth), integers(low, high, depth, 8), integers(-9, 9, rows, 8)
    word = 64 if type_ == "f64" else 32
    each = word // TYPES[type_][0]
    halves = rows // 8
    left = fragments(a, type_, lambda row, k: quads(rows, each, row, k, halves), word)
    right = fragments(b, type_, lambda k, column: quads(rows, each, column, k, 1), word)

    def position(row: int, column: int) -> tuple[int, int]:
        return 4 * (row % 8) + column // 2, 2 * (row // 8) + column % 2

    added = fragments(c, result, position, word)
    tail = ".xor.popc" if type_ == "b1" else ""
    instruction = f"mma.sync.aligned.{shape}.row.col.{result}.{type_}.{type_}.{result}{tail}"
    out = run(instruction, left, right, added, len(added), f"b{word}")
    expected = (a[:, :, None] != b[None]).sum(1) + c if type_ == "b1" else a @ b + c
    np.testing.assert_array_equal(out, fragments(expected, result, position, word))


SUMS = """
.visible .entry k(.param .u64 from, .param .u64 to)
{
    .reg .b64 %rd<3>; .reg .b32 %r<30>; .reg .pred %p1;
    ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd0, %r1, 16;
    add.u64 %rd1, %rd1, %rd0; add.u64 %rd2, %rd2, %rd0; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];
    MMA {%r6, %r7}, {%r2}, {%r3}, {%r4, %r5};
    MMA {%r8, %r9}, {%r2}, {%r3}, {%r6, %r7};
    MMA {%r10, %r11}, {%r2}, {%r3}, {%r6, %r7};
    MMA {%r12, %r13}, {%r2}, {%r3}, {%r8, %r7};
    mov.u32 %r20, 0;
AGAIN:
    MMA {%r8, %r9}, {%r2}, {%r3}, {%r8, %r9};
    MMA {%r8, %r9}, {%r2}, {%r3}, {%r8, %r9};
    add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 5; @%p1 bra AGAIN;
    MMA {%r14, %r15}, {%r3}, {%r2}, {%r8, %r9};
    st.global.v4.u32 [%rd2], {%r6, %r7, %r8, %r9}; st.global.v4.u32 [%rd2+512], {%r10, %r11, %r12, %r13};
    st.global.v2.u32 [%rd2+1024], {%r14, %r15};
    ret;
}
"""


@pytest.mark.parametrize("level", ["0", "3"])
def test_sums_of_products(level, monkeypatch):
    """A sum that is added to, one that is used twice, parts of two sums, and one that is carried around a loop."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    form = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32"
    given = random.integers(0, 2**32, (32, 4), dtype=np.uint32)
    a, b, c = given[:, :1].T.copy(), given[:, 1:2].T.copy(), given[:, 2:]
    zero = np.zeros((2, 32), np.uint32)
    product, reverse = (np.array(run(form, x, y, zero, 2, "b32"), np.uint32).T for x, y in ((a, b), (b, a)))
    out = np.zeros((3, 32, 4), np.uint32)
    compiled(SUMS.replace("MMA", form))(given, out)
    total = c + 12 * product
    np.testing.assert_array_equal(out[0], np.hstack([c + product, total]))
    mixed = np.stack([c[:, 0] + 3 * product[:, 0], c[:, 1] + 2 * product[:, 1]], 1)
    np.testing.assert_array_equal(out[1], np.hstack([c + 2 * product, mixed]))
    np.testing.assert_array_equal(out[2][:, :2], total + reverse)


@pytest.mark.parametrize("layouts", ["row.row", "row.col", "col.row", "col.col"])
@pytest.mark.parametrize(("result", "addend"), [("f32", "f32"), ("f16", "f16"), ("f32", "f16")])
def test_mma_of_quads(layouts, result, addend):
    """Four products of 8x8x4 halves; lanes 0 to 3 and 16 to 19 hold the first, and so on (section 9.7.14.5.1)."""
    a, b, c = integers(-3, 3, 4, 8, 4), integers(-3, 3, 4, 4, 8), integers(-9, 9, 4, 8, 8)

    def lane(quad, line):
        return 4 * quad + line % 4 + 16 * (line // 4)

    def whole(matrices, position, word):
        """Return the registers of four matrices, each where `position(quad, row, column)` says."""
        parts = [
            fragments(m, word, lambda row, column, q=q: position(q, row, column), 32) for q, m in enumerate(matrices)
        ]
        return np.bitwise_or.reduce(parts)

    def left(quad, row, k):
        return (lane(quad, row), k) if layouts[:3] == "row" else (4 * quad + k + 16 * (row // 4), row % 4)

    def right(quad, k, column):
        return (lane(quad, column), k) if layouts[4:] == "col" else (4 * quad + k + 16 * (column // 4), column % 4)

    def sums(type_):
        def position(quad, row, column):
            if type_ == "f16":
                return lane(quad, row), column
            where = 4 * quad + 16 * (row // 4) + row % 2 + column // 2 % 2 * 2
            return where, row // 2 % 2 * 2 + column // 4 * 4 + column % 2

        return position

    sources = whole(a, left, "f16"), whole(b, right, "f16"), whole(c, sums(addend), addend)
    expected = whole(a @ b + c, sums(result), result)
    instruction = f"mma.sync.aligned.m8n8k4.{layouts}.{result}.f16.f16.{addend}"
    np.testing.assert_array_equal(run(instruction, *sources, len(expected), "b32"), expected)


def test_halves_are_no_sums_of_quads_and_floats():
    operands = [np.zeros((count, 32), np.uint32) for count in (2, 2, 8)]
    with pytest.raises(PtxError, match=r"\.dtype must be \.f32 where \.ctype is \.f32"):
        run("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32", *operands, 4, "b32")


def test_integer_sums_wrap_or_saturate():
    a = np.full((2, 32), 0x7F7F7F7F, np.uint32)
    c = np.full((4, 32), 0x7FFFFFFF, np.uint32)
    for saturate, expected in (("", 0x7FFFFFFF + 16 * 127 * 127), (".satfinite", 0x7FFFFFFF)):
        instruction = f"mma.sync.aligned.m16n8k16.row.col{saturate}.s32.s8.s8.s32"
        assert set(run(instruction, a, a[:1], c, 4, "b32").flat) == {expected & 0xFFFFFFFF}


def test_operands_of_different_signedness():
    a, b = np.full((2, 32), 0xFFFFFFFF, np.uint32), np.full((1, 32), 0x02020202, np.uint32)
    c = np.zeros((4, 32), np.uint32)
    out = run("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", a, b, c, 4, "b32")
    assert set(out.flat) == {16 * 255 * 2}
    out = run("mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32", a, b, c, 4, "b32")
    assert set(out.flat) == {2**32 - 32}


@pytest.mark.parametrize(("rounding", "step"), [("", 0), (".rn", 0), (".rz", 0), (".rm", 0), (".rp", 1)])
@pytest.mark.parametrize("family", ["mma", "wmma"])
def test_rounding_of_doubles(family, rounding, step):
    """1 plus less than half of its last bit: only rounding towards plus infinity gives more than 1."""
    tiny = np.full((1, 32), 2.0**-28).view(np.uint64)
    ones = np.ones((2, 32)).view(np.uint64)
    a, b = tiny.copy(), tiny * 0 + np.float64(2.0**-29 * 0.75).view(np.uint64)
    shape = "m8n8k4"
    head = f"mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64{rounding}"
    if family == "wmma":
        head = f"wmma.mma.sync.aligned.row.col.{shape}{rounding}.f64.f64.f64.f64"
    out = run(head, a, b, ones, 2, "b64").view(np.float64)
    assert set(out.flat) == {1.0 if step == 0 else 1.0 + 4 * np.spacing(1.0)}


# --- wmma: only what goes through memory is seen ------------------------------------------------------------

WMMA = [("m16n16k16", "f16", "f32", 8, 8), ("m8n32k16", "f16", "f16", 8, 8), ("m32n8k16", "bf16", "f32", 8, 2)]
WMMA += [("m16n16k16", "s8", "s32", 2, 2), ("m16n16k8", "tf32", "f32", 4, 4), ("m8n8k4", "f64", "f64", 1, 1)]
WMMA += [("m8n8k32", "u4", "s32", 1, 1), ("m8n8k128", "b1", "s32", 1, 1)]
WMMA += [("m16n16k16", "u8", "s32", 2, 2), ("m8n8k32", "s4", "s32", 1, 1)]


@pytest.mark.parametrize(("shape", "type_", "result", "left", "right"), WMMA)
@pytest.mark.parametrize("by", ["row", "col"])
def test_wmma(shape, type_, result, left, right, by):
    rows, columns, depth = (int(n) for n in shape.replace("n", " ").replace("k", " ")[1:].split())
    low, high = {"u4": (0, 15), "u8": (0, 200), "b1": (0, 1)}.get(type_, (-4, 4))
    a, b, c = integers(low, high, rows, depth), integers(low, high, depth, columns), integers(-9, 9, rows, columns)
    narrow = TYPES[type_][0] < 8
    other = "col" if by == "row" or narrow else "row"
    first = "row" if narrow else by
    memory = [
        stored(matrix, kind, way) for matrix, kind, way in ((a, type_, first), (b, type_, other), (c, result, by))
    ]
    count = rows * columns * TYPES[result][0] // (32 * (64 if result == "f64" else 32))
    word = "b64" if type_ == "f64" else "b32"
    lists = {
        letter: [f"%{letter}{i}" for i in range(n)]
        for letter, n in zip("abcd", (left, right, count, count), strict=True)
    }
    vector = {letter: "{" + ", ".join(names) + "}" for letter, names in lists.items()}
    types = f"{result}.{result}" if type_ == "f16" else f"{result}.{type_}.{type_}.{result}"
    operation = ".xor.popc" if type_ == "b1" else ""
    rounding = ".rn" if type_ == "f64" else ""
    all_four = ", ".join(vector[letter] for letter in "dabc")
    text = f"""
    .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)
    {{
        .reg .b64 %rd<5>; .reg .{word} {", ".join(name for names in lists.values() for name in names)};
        ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u64 %rd4, [d];
        wmma.load.a.sync.aligned.{first}.{shape}.global.{type_} {vector["a"]}, [%rd1];
        wmma.load.b.sync.aligned.{other}.{shape}.{type_} {vector["b"]}, [%rd2], {depth if other == "col" else columns};
        wmma.load.c.sync.aligned.{by}.{shape}.global.{result} {vector["c"]}, [%rd3];
        wmma.mma{operation}.sync.aligned.{first}.{other}.{shape}{rounding}.{types} {all_four};
        wmma.store.d.sync.aligned.row.{shape}.global.{result} [%rd4], {vector["d"]}, {columns + 4};
        ret;
    }}
    """
    out = np.zeros((rows, columns + 4), f"u{TYPES[result][0] // 8}")
    compiled(text)(*memory, out)
    expected = (a[:, :, None] != b[None]).sum(1) + c if type_ == "b1" else a @ b + c
    np.testing.assert_array_equal(out[:, :columns], TYPES[result][1](expected))
    assert not out[:, columns:].any()


def stored(matrix: np.ndarray, type_: str, by: str) -> np.ndarray:
    """Return the bytes of a matrix in memory."""
    bits, encode = TYPES[type_]
    codes = encode(matrix if by == "row" else matrix.T).ravel()
    if bits >= 8:
        return codes.astype(f"u{bits // 8}")
    each = 32 // bits
    words = codes.reshape(-1, each) << (np.arange(each, dtype=np.uint64) * np.uint64(bits))
    return words.sum(1).astype(np.uint32)


# --- ldmatrix, stmatrix, movmatrix --------------------------------------------------------------------------

MOVE = """
.visible .entry k(.param .u64 in, .param .u64 out)
{{
    .shared .align 16 .b8 room[1024]; .shared .align 16 .b8 copy[1024];
    .reg .b64 %rd<9>; .reg .b32 %r<20>;
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, room; mov.u32 %r3, copy;
    mad.wide.u32 %rd3, %r1, 16, %rd1; mad.lo.u32 %r4, %r1, 16, %r2; mad.lo.u32 %r5, %r1, 16, %r3;
    ld.global.v4.u32 {{%r6, %r7, %r8, %r9}}, [%rd3]; st.shared.v4.u32 [%r4], {{%r6, %r7, %r8, %r9}};
    mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;
    st.shared.v4.u32 [%r5], {{%r10, %r11, %r12, %r13}};
    {code}
    mad.wide.u32 %rd4, %r1, 16, %rd2; st.global.v4.u32 [%rd4], {{%r10, %r11, %r12, %r13}};
    ret;
}}
"""
REGISTERS = {1: "{%r10}", 2: "{%r10, %r11}", 4: "{%r10, %r11, %r12, %r13}"}


def move(code: str) -> tuple[np.ndarray, np.ndarray]:
    """Return four 8x8 matrices [matrix, row, column] in shared memory, and registers [lane, register, half]."""
    matrices = random.integers(0, 1 << 16, (4, 8, 8)).astype(np.uint16)
    out = np.zeros((32, 4, 2), np.uint16)
    compiled(MOVE.format(code=code))(matrices, out)
    return matrices, out


def owned(matrix: np.ndarray) -> np.ndarray:
    """Return the elements of a matrix that each lane holds: [lane, half]."""
    return matrix.reshape(32, 2)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_ldmatrix(count, transposed):
    trans = ".trans" if transposed else ""
    matrices, out = move(f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {REGISTERS[count]}, [%r4];")
    for number in range(4):
        matrix = matrices[number].T if transposed else matrices[number]
        expected = owned(np.ascontiguousarray(matrix)) if number < count else 0
        np.testing.assert_array_equal(out[:, number], np.broadcast_to(expected, (32, 2)))


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_stmatrix(count, transposed):
    code = f"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {REGISTERS[4]}, [%r4];"
    code += f"stmatrix.sync.aligned.m8n8.x{count}{'.trans' if transposed else ''}.shared.b16 [%r5], {REGISTERS[count]};"
    code += "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5];"
    matrices, out = move(code)
    copies = out.reshape(4, 8, 8)
    for number in range(count):
        np.testing.assert_array_equal(copies[number], matrices[number].T if transposed else matrices[number])
    assert not copies[count:].any()


def test_movmatrix():
    code = f"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {REGISTERS[1]}, [%r4];"
    matrices, out = move(code + "movmatrix.sync.aligned.m8n8.trans.b16 %r11, %r10;")
    np.testing.assert_array_equal(out[:, 1], owned(np.ascontiguousarray(matrices[0].T)))


# --- matrices of bytes -------------------------------------------------------------------------------------


def unpacked(rows: np.ndarray, source: str) -> np.ndarray:
    """Return rows of 16 bytes as the 16 elements in each, four bits in the middle of their byte."""
    if source == "b8":
        return rows
    width = 6 if "b6" in source else 4
    bits = np.unpackbits(rows, axis=1, bitorder="little")[:, : 16 * width].reshape(len(rows), 16, width)
    values = (bits << np.arange(width, dtype=np.uint8)).sum(2).astype(np.uint8)
    return values if width == 6 else values << 2


def load_bytes(form: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows in shared memory [lane, byte], and the registers' bytes [lane, register, byte]."""
    matrices, out = move(f"ldmatrix.sync.aligned.{form} {REGISTERS[count]}, [%r4];")
    return matrices.view(np.uint8).reshape(32, 16), out.view(np.uint8).reshape(32, 4, 4)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("source", ["b6x16_p32", "b4x16_p64"])
def test_ldmatrix_of_6_and_4_bit_elements(source, count):
    rows, out = load_bytes(f"m8n16.x{count}.shared.b8x16.{source}", count)
    wanted = unpacked(rows, source)
    for number in range(count):
        np.testing.assert_array_equal(out[:, number].reshape(8, 16), wanted[8 * number : 8 * number + 8])


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("source", ["b8", "b6x16_p32", "b4x16_p64"])
def test_transposed_ldmatrix_of_bytes(source, count):
    """Lane 4*i + j receives rows 4*j to 4*j + 3 of column i, and of column i + 8 in the next register."""
    type_ = "b8" if source == "b8" else f"b8x16.{source}"
    rows, out = load_bytes(f"m16n16.x{count}.trans.shared.{type_}", 2 * count)
    wanted = unpacked(rows, source)
    for number in range(count):
        columns = wanted[16 * number : 16 * number + 16].T
        np.testing.assert_array_equal(out[:, 2 * number].reshape(8, 16), columns[:8])
        np.testing.assert_array_equal(out[:, 2 * number + 1].reshape(8, 16), columns[8:])


@pytest.mark.parametrize("count", [1, 2, 4])
def test_transposed_stmatrix_of_bytes(count):
    """Lane 4*i + j holds columns 2*j and 2*j + 1 of row i, then those of row i + 8."""
    code = "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r4];"
    code += f"stmatrix.sync.aligned.m16n8.x{count}.trans.shared.b8 [%r5], {REGISTERS[count]};"
    code += "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5];"
    matrices, out = move(code)
    registers = matrices.view(np.uint8).reshape(32, 4, 4)
    stored = out.view(np.uint8).reshape(4, 8, 16)  # [matrix, column, row]
    for number in range(count):
        parts = registers[:, number].reshape(8, 4, 2, 2)  # [row, pair of columns, half, column of the pair]
        wanted = parts.transpose(1, 3, 2, 0).reshape(8, 16)
        np.testing.assert_array_equal(stored[number], wanted)
    assert not stored[count:].any()
