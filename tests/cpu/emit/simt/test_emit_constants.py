# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Constant propagation: registers written once, with a constant, are replaced where they are read."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.warps import compiled

from cuda.cpu.passes.fold_constants import fold_constants
from cuda.cpu.ptx.parser import parse
from cuda.cpu.ptx.syntax import Instruction

HEAD = ".version 8.5\n.target sm_90\n.address_size 64\n"


def sources(body: str) -> dict[str, tuple]:
    """Return opcodes and their source operands after constant propagation."""
    registers = ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>;"
    folded = fold_constants(parse(f"{HEAD}.visible .entry k() {{ {registers}\n{body} ret; }}").functions["k"].body)
    return {
        each.opcode: tuple(getattr(operand, "value", None) for operand in each.operands[1:])
        for each in folded
        if isinstance(each, Instruction)
    }


def test_constant_shuffle_distances_are_propagated():
    assert sources(
        "mov.u32 %r1, 16; mov.u32 %r2, 31; mov.u32 %r3, -1; shfl.sync.bfly.b32 %r4|%p1, %r5, %r1, %r2, %r3;"
    )["shfl"] == (None, 16, 31, -1)


def test_only_registers_written_once_unconditionally_are_constants():
    assert sources("mov.u32 %r1, 16; mov.u32 %r1, 17; add.u32 %r2, %r3, %r1;")["add"] == (None, None)
    assert sources("@%p1 mov.u32 %r1, 16; add.u32 %r2, %r3, %r1;")["add"] == (None, None)
    assert sources("mov.u32 %r1, 16; ld.global.u32 %r1, [%d1]; add.u32 %r2, %r3, %r1;")["add"] == (None, None)


def test_addresses_are_not_propagated():
    """Address operands of loads are left alone."""
    assert sources("mov.u64 %d1, 4096; ld.global.u32 %r1, [%d1];")["ld"] == (None,)


def test_constants_keep_the_bits_of_the_register():
    """A register written as one type may be read as another, with the same bits."""
    text = """
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %g<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [out]; mov.u32 %r8, %tid.x; mul.wide.u32 %d2, %r8, 48; add.u64 %d1, %d1, %d2;
    mov.b32 %r1, 1065353216; mov.b32 %r2, 0f40000000; mov.f32 %f1, 0f40400000; mov.u32 %r3, -5;
    mov.b64 %d3, 0d4010000000000000; mov.s64 %d4, -7;
    add.f32 %f2, %r1, %r2; add.f32 %f3, %f2, %f1; cvt.rn.f32.s32 %f4, %r3; xor.b32 %r4, %r2, %r1;
    add.f64 %g1, %d3, 0d3FF0000000000000; mul.lo.s64 %d5, %d4, 3; mad.lo.s32 %r5, %r8, %r3, %r3;
    mul.wide.s32 %d6, %r3, 2;
    st.global.f32 [%d1], %f3; st.global.f32 [%d1+4], %f4; st.global.u32 [%d1+8], %r4; st.global.u32 [%d1+12], %r5;
    st.global.f64 [%d1+16], %g1; st.global.u64 [%d1+24], %d5; st.global.u64 [%d1+32], %d6;
    ret;
}
"""
    out = np.zeros((32, 48), np.uint8)
    compiled(text)(out)
    lanes = np.arange(32)
    words, longs = out.view(np.int32), out.view(np.int64)
    np.testing.assert_array_equal(out.view(np.float32)[:, 0], np.full(32, 6.0))
    np.testing.assert_array_equal(out.view(np.float32)[:, 1], np.full(32, -5.0))
    np.testing.assert_array_equal(words[:, 2], np.full(32, 0x40000000 ^ 0x3F800000))
    np.testing.assert_array_equal(words[:, 3], -5 * lanes - 5)
    np.testing.assert_array_equal(out.view(np.float64)[:, 2], np.full(32, 5.0))
    np.testing.assert_array_equal(longs[:, 3], np.full(32, -21))
    np.testing.assert_array_equal(longs[:, 4], np.full(32, -10))
