# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads, stores and addresses in every state space; inactive lanes access no memory."""

from __future__ import annotations

import numpy as np
import pytest
from support.lanewise import TYPES, apply
from support.warps import compiled

from cuda.cpu.ptx.error import PtxError

START = """
.visible .entry k(.param .u64 data, .param .u64 out)
{
    .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .f32 %f<9>; .reg .b64 %d<30>;
    ld.param.u64 %d1, [data]; ld.param.u64 %d2, [out];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
"""


def run(body: str, data: np.ndarray, count: int = 32, before: str = "", **options: object) -> np.ndarray:
    """Run a kernel of which lane i stores %r9 to out[i]."""
    out = np.zeros(count, np.uint32)
    compiled(before + START + body + "    st.global.u32 [%d5], %r9;\n    ret;\n}\n")(data, out, **options)
    return out


@pytest.mark.parametrize("order", ["in sequence", "backwards", "scattered", "all the same"])
@pytest.mark.parametrize("type_", ["u8", "s8", "u16", "s16", "b32", "b64"])
@pytest.mark.parametrize("active", ["all", "some"])
def test_access_at_any_addresses(type_: str, order: str, active: str) -> None:
    rng = np.random.default_rng(7)
    dtype = np.dtype(TYPES[type_.replace("b", "u")])
    data = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, 32, dtype=dtype, endpoint=True)
    lanes = np.arange(32)
    index = {
        "in sequence": lanes, "backwards": lanes[::-1], "scattered": rng.permutation(32), "all the same": lanes * 0 + 3,
    }[order].astype(np.uint32)  # fmt: skip
    size, register = dtype.itemsize, "b64" if type_ == "b64" else "b32"
    text = f"""
.visible .entry k(.param .u64 data, .param .u64 index, .param .u64 out, .param .u32 limit)
{{
    .reg .pred %p<2>; .reg .{register} %v; .reg .b32 %r<9>; .reg .b64 %d<12>;
    ld.param.u64 %d1, [data]; ld.param.u64 %d2, [index]; ld.param.u64 %d3, [out]; ld.param.u32 %r5, [limit];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d4, %r1, 4; add.s64 %d5, %d2, %d4; ld.global.u32 %r2, [%d5];
    and.b32 %r3, %r1, %r5; setp.ne.u32 %p1, %r3, 0;
    @%p1 bra END;
    mul.wide.u32 %d6, %r2, {size}; add.s64 %d7, %d1, %d6; ld.global.{type_} %v, [%d7];
    mul.wide.u32 %d8, %r2, {8 if register == "b64" else 4}; add.s64 %d9, %d3, %d8; st.global.{register} [%d9], %v;
END:
    ret;
}}
"""
    out = np.zeros(32, "i8" if register == "b64" else "i4")
    compiled(text)(data, index, out, np.uint32(0 if active == "all" else 5))
    expected = np.zeros_like(out)
    runs = [lane for lane in lanes if active == "all" or not lane & 5]
    for lane in runs:
        expected[index[lane]] = data[index[lane]].astype(out.dtype)
    np.testing.assert_array_equal(out, expected)


def test_inactive_lanes_access_no_memory() -> None:
    """The addresses of inactive lanes are not mapped."""
    body = """
    setp.lt.u32 %p1, %r1, 5; mov.u32 %r9, 77;
    selp.b64 %d6, %d4, 16, %p1;
    @%p1 ld.global.u32 %r9, [%d6];
    @%p1 st.global.u8 [%d6], 9;
    @%p1 ld.global.v2.u8 {%h1, %h2}, [%d6];
"""
    data = np.arange(5, dtype=np.uint32) + 1000
    np.testing.assert_array_equal(run(body, data), [*range(1000, 1005), *[77] * 27])
    np.testing.assert_array_equal(data & 255, 9)


def test_vectors_of_registers() -> None:
    body = """
    mul.wide.u32 %d6, %r1, 16; add.s64 %d6, %d1, %d6;
    ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d6];
    ld.global.v2.u64 {%d7, %d8}, [%d6];
    ld.global.v4.u16 {%h1, _, %h3, %h4}, [%d6+8];
    st.global.v4.b32 [%d6], {%r5, %r4, 7, %r2};
    cvt.u32.u64 %r6, %d8; cvt.u32.u16 %r7, %h3; sub.u32 %r9, %r6, %r4; mad.lo.u32 %r9, %r7, 10, %r9;
"""
    data = np.arange(128, dtype=np.uint32)
    found = run(body, data)
    rows = np.arange(128).reshape(32, 4)
    np.testing.assert_array_equal(found, rows[:, 3] * 10)
    np.testing.assert_array_equal(
        data.reshape(32, 4), np.stack([rows[:, 3], rows[:, 2], np.full(32, 7), rows[:, 0]], axis=1)
    )


def test_uniform_addresses() -> None:
    body = """
    ld.global.u32 %r2, [%d1]; add.u32 %r9, %r2, %r1;
    setp.eq.u32 %p1, %r1, 13;
    @%p1 st.global.u32 [%d1+4], %r9;
    st.global.u32 [%d1+8], 42;
"""
    data = np.array([100, 0, 0], np.uint32)
    np.testing.assert_array_equal(run(body, data), 100 + np.arange(32))
    assert data.tolist() == [100, 113, 42]


def test_shared_memory_by_offset_and_by_address() -> None:
    before = ".extern .shared .align 16 .b8 dynamic[];\n.shared .align 4 .b8 static[128];\n"
    body = """
    ld.global.u32 %r2, [%d4];
    mov.u32 %r3, static; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4; st.shared.u32 [%r5], %r2;
    sub.u32 %r6, 124, %r4; cvt.u64.u32 %d6, %r6; mov.u64 %d7, static; add.s64 %d7, %d7, %d6;
    ld.shared.u32 %r7, [%d7];
    mov.u32 %r8, dynamic; add.u32 %r8, %r8, %r4; st.shared.u32 [%r8+4], %r7;
    cvta.shared.u64 %d8, %d7; ld.u32 %r10, [%d8];
    cvt.u64.u32 %d9, %r8; cvta.shared.u64 %d9, %d9;
    ld.u32 %r11, [%d9+4]; sub.u32 %r9, %r10, %r11; add.u32 %r9, %r9, %r7;
    cvta.to.shared.u64 %d10, %d9; setp.ne.u64 %p1, %d10, %d9; @!%p1 trap;
    isspacep.shared %p2, %d8; isspacep.global %p3, %d8; isspacep.global %p4, %d1; isspacep.local %p5, %d8;
    @!%p2 trap; @%p3 trap; @!%p4 trap; @%p5 trap;
"""
    data = np.arange(32, dtype=np.uint32) * 3
    np.testing.assert_array_equal(run(body, data, before=before, shared=256), data[::-1])


def test_local_memory_is_private_to_each_lane() -> None:
    body = """
    .local .align 8 .b8 room[64]; .local .align 4 .b8 other[4];
    mov.u64 %d6, room; cvta.local.u64 %d7, %d6;
    ld.global.u32 %r2, [%d4]; and.b32 %r3, %r1, 7; mul.wide.u32 %d8, %r3, 4;
    add.s64 %d9, %d6, %d8; add.s64 %d10, %d7, %d8;
    st.local.u32 [other], 1000;
    st.local.u32 [%d9], %r2; ld.u32 %r4, [%d10]; st.u32 [%d10+4], %r4; ld.local.u32 %r9, [%d9+4];
    ld.local.u32 %r5, [other]; add.u32 %r9, %r9, %r5;
    isspacep.local %p1, %d10; isspacep.global %p2, %d10; @!%p1 trap; @%p2 trap;
"""
    data = np.arange(32, dtype=np.uint32) * 5
    np.testing.assert_array_equal(run(body, data), data + 1000)


def test_global_and_constant_variables() -> None:
    before = """
.global .align 4 .u32 table[4] = {10, 20, 30, 40};
.const .align 4 .u32 factors[2] = {3, 5};
.global .align 8 .u64 pointer = table;
"""
    body = """
    ld.const.u32 %r2, [factors+4]; and.b32 %r3, %r1, 3; mul.wide.u32 %d6, %r3, 4;
    ld.global.u64 %d7, [pointer]; add.s64 %d8, %d7, %d6; ld.global.u32 %r4, [%d8]; mul.lo.u32 %r9, %r4, %r2;
    mov.u64 %d9, table; ld.u32 %r5, [%d9+8]; add.u32 %r9, %r9, %r5;
"""
    found = run(body, np.zeros(1, np.uint32), before=before)
    np.testing.assert_array_equal(found, np.array([10, 20, 30, 40] * 8) * 5 + 30)


@pytest.mark.parametrize("kind", ["volatile", "relaxed.gpu", "acquire.sys"])
def test_ordered_loads_and_stores(kind: str) -> None:
    store = kind.replace("acquire", "release")
    body = f"""
    ld.{kind}.global.u32 %r2, [%d4]; add.u32 %r9, %r2, 1; st.{store}.global.u32 [%d4], %r9;
    ld.{kind}.global.u32 %r3, [%d1]; st.{store}.global.u32 [%d1+128], %r3; fence.acq_rel.gpu; membar.sys;
"""
    data = np.arange(33, dtype=np.uint32)
    np.testing.assert_array_equal(run(body, data), np.arange(32) + 1)
    assert data.tolist() == [*range(1, 33), 1]


def test_struct_parameters() -> None:
    text = """
.visible .entry k(.param .align 8 .b8 s[24], .param .u64 out)
{
    .reg .b16 %h<2>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f64 %f<3>;
    ld.param.u64 %d1, [out]; ld.param.u8 %h1, [s+3]; ld.param.f64 %f1, [s+8]; ld.param.u32 %r1, [s+16];
    mov.b64 %d2, s; ld.param.u32 %r2, [%d2+20];
    st.global.u8 [%d1], %h1; st.global.f64 [%d1+8], %f1; st.global.u32 [%d1+16], %r1; st.global.u32 [%d1+20], %r2;
    ret;
}
"""
    offsets = [3, 8, 16, 20]
    layout = np.dtype({"names": [*"abcd"], "formats": ["u1", "f8", "u4", "u4"], "offsets": offsets, "itemsize": 24})
    value = np.array((200, 2.5, 7, 9), layout)
    out = np.zeros(24, np.uint8)
    compiled(text)(value, out)
    assert (out[0], out[8:16].view("f8")[0], *out[16:].view("u4").tolist()) == (200, 2.5, 7, 9)


def test_parameters_at_addresses_of_32_bits() -> None:
    """Parameter addresses truncated to 32 bits, also converted to generic; lanes read different offsets."""
    text = """
.visible .entry k(.param .align 4 .b8 s[128], .param .u64 out)
{
    .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
    mov.b32 %r2, s; shl.b32 %r3, %r1, 2; sub.u32 %r3, 124, %r3; add.u32 %r4, %r2, %r3; ld.param.u32 %r5, [%r4];
    cvt.u64.u32 %d4, %r4; cvta.param.u64 %d5, %d4; ld.u32 %r6, [%d5];
    mov.b64 %d6, s; cvta.param.u64 %d7, %d6; ld.u32 %r7, [%d7+4];
    mad.lo.u32 %r5, %r6, 1000, %r5; mad.lo.u32 %r5, %r7, 1000000, %r5; st.global.u32 [%d3], %r5; ret;
}
"""
    out = np.zeros(32, np.uint32)
    compiled(text)(np.array([tuple(range(32))], np.dtype([(f"f{i}", "u4") for i in range(32)]))[0], out)
    np.testing.assert_array_equal(out, np.arange(32)[::-1] * 1001 + 1000000)


def test_moves_pack_and_unpack() -> None:
    assert (
        apply("{.reg .b16 %x<2>; mov.b32 {%x0, %x1}, $a; mov.b32 $d, {%x1, %x0};}", "u32", ("u32", [0x12345678]))[0]
        == 0x56781234
    )
    found = apply(
        "{.reg .b32 %x<2>; mov.b64 {_, %x1}, $a; mov.b64 $d, {%x1, 5};}", "u64", ("u64", [0x1122334455667788])
    )
    assert found[0] == 5 << 32 | 0x11223344


@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("mov.b64 %d6, {%r1, %r2, %r3}", r"operand 2 \(a\) must be of type \.b64"),
        ("mov.b64 {%r1, %r2, %r3}, %d6", r"operand 1 \(d\) must be a register of type \.b64"),
        ("mov.b16 %h1, {%h2, %h3, %h4, %h5}", r"operand 2 \(a\) must be of type \.b16"),
        ("mov.v2.b32 %d6, {%r1, %r2}", r"operand 1 \(d\) must be a vector of 2 elements"),
        ("mov.v2.b32 {%r3, %r4}, {%r1, %r2, %r3, %r4}", r"operand 2 \(a\) must be a vector of 2 elements"),
        ("mov.b64 {%r1, %r2}, {%h1, %h2, %h3, %h4}", r"to vectors need \.v2 or \.v4"),
        ("mov.b64 {%r1, %r2, %r3}, {%r4, %r5, %r6}", r"operand 1 \(d\) must be a register of type \.b64"),
    ],
)
def test_invalid_moves(move: str, message: str) -> None:
    with pytest.raises(PtxError, match=message):
        run(f"    {move};\n", np.zeros(32, np.uint32))


def test_special_registers(on_gpu: bool) -> None:
    names = [
        "tid.x",
        "tid.y",
        "tid.z",
        "ntid.x",
        "ntid.y",
        "ctaid.x",
        "nctaid.x",
        "laneid",
        "warpid",
        "nwarpid",
        "lanemask_lt",
    ]
    stores = "".join(
        f"    mov.u32 %r9, %{name}; st.global.u32 [%d6+{128 * 4 * index}], %r9;\n" for index, name in enumerate(names)
    )
    body = """
    mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %d6, %r4, 4; add.s64 %d6, %d2, %d6;
"""
    text = START + body + stores + "ret;\n}\n"
    out = np.zeros((len(names), 128), np.uint32)
    compiled(text)(np.zeros(1, np.uint32), out, threads=(24, 3))
    thread = np.arange(72)
    columns = [thread % 24, thread // 24, 0 * thread, 0 * thread + 24, 0 * thread + 3, 0 * thread, 0 * thread + 1]
    columns += [thread % 32, thread // 32, 0 * thread + 3, (1 << thread % 32) - 1]
    for name, row, expected in zip(names, out, columns, strict=True):
        if not (on_gpu and name in ("warpid", "nwarpid")):  # of a multiprocessor's warps, whose numbers are left open
            np.testing.assert_array_equal(row[:72], expected, err_msg=name)
