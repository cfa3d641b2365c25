# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Negated and constant predicate operands, special registers, and accesses without a state space."""

from __future__ import annotations

import numpy as np
import pytest
from support.lanewise import apply
from support.warps import LANES, compiled

P, Q = np.arange(32) % 2, np.arange(32) // 2 % 2


@pytest.mark.parametrize(
    ("instruction", "wanted"),
    [
        ("and.pred $d, !$a, $b", (1 - P) & Q),
        ("or.pred $d, $a, !$b", P | (1 - Q)),
        ("xor.pred $d, !$a, !$b", P ^ Q),
        ("not.pred $d, !$a", P),
        ("mov.pred $d, !$a", 1 - P),
        ("mov.pred $d, $a", P),
        ("and.pred $d, $a, 2", P),  # whatever is not zero is true
        ("and.pred $d, $a, 0", 0 * P),
    ],
)
def test_negated_predicates(instruction, wanted):
    assert apply(instruction, "pred", ("pred", P), ("pred", Q)).tolist() == wanted.tolist()


def test_selections_by_negated_and_constant_predicates():
    assert apply("selp.u32 $d, 7, 8, !$a", "u32", ("pred", P)).tolist() == (7 + P).tolist()
    assert apply("selp.u32 $d, 7, 8, 4", "u32", ("pred", P)).tolist() == [7] * LANES


def test_lop3_with_a_negated_predicate():
    found = apply("lop3.and.b32 %t1|$d, $a, $b, 0, 0xFC, !$c", "pred", ("u32", P), ("u32", 0 * P), ("pred", Q))
    assert found.tolist() == (P & (1 - Q)).tolist()


def test_an_unused_third_operand():
    found = apply("vadd.u32.u32.u32 $d, $a, $b, $c", "u32", ("u32", P), ("u32", Q), ("u32", [99]))
    assert found.tolist() == (P + Q).tolist()


@pytest.mark.cpu_only
def test_registers_set_only_by_a_driver_are_zero():
    for name in ("%envreg0", "%envreg31", "%pm0", "%pm7"):
        assert not apply(f"mov.u32 $d, {name}", "u32", ("u32", P)).any()
    assert not apply("mov.u64 $d, %pm3_64", "u64", ("u32", P)).any()


def test_numbers_of_multiprocessors_are_below_nsmid():
    found = apply("mov.u32 %t1, %smid; mov.u32 %t2, %nsmid; set.lt.u32.u32 $d, %t1, %t2", "u32", ("u32", P))
    assert found.tolist() == [2**32 - 1] * LANES


def test_cluster_indices_along_w():
    words = {"clusterid": 0, "cluster_ctaid": 0, "nclusterid": 0, "cluster_nctaid": 1}  # nclusterid as on an H200
    for name, value in words.items():
        assert apply(f"mov.u32 $d, %{name}.w", "u32", ("u32", P)).tolist() == [value] * LANES


SPACES = """
.global .u32 table[4] = {10, 20, 30, 40};
.visible .entry k(.param .u64 to)
{
    .shared .u32 room[32]; .local .u32 depot[2]; .reg .b32 %r<9>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
    st.b32 [depot+4], %r1; atom.add.u32 %r2, [room+8], 1; bar.sync 0;
    ld.b32 %r3, [depot+4]; ld.b32 %r4, [room+8]; ld.u32 %r5, table[3];
    mov.u64 %d3, table[1]; ld.global.u32 %r6, [%d3];
    add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r6; st.b32 [%d1], %r3; ret;
}
"""


def test_accesses_by_name_use_the_space_of_the_variable():
    out = np.zeros(LANES, np.uint32)
    compiled(SPACES)(out)
    assert out.tolist() == [lane + LANES + 40 + 20 for lane in range(LANES)]
