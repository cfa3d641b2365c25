# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Accessors of instructions' operands, which check their kind."""

from __future__ import annotations

import pytest

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Address, Immediate, Instruction, Register, Vector, elements_of

A, B = Register("%r1"), Register("%r2")
LOAD = Instruction("ld", ("v2", "b32"), (Vector((A, None)), Address(B, 8), Immediate(-3)), line=7)


def test_operands_are_returned_by_kind() -> None:
    assert LOAD.address(1) == Address(B, 8)
    assert LOAD.immediate(2) == -3


def test_elements_of_a_vector_or_the_operand_itself() -> None:
    assert LOAD.elements(0) == (A, None)
    assert LOAD.elements(1) == (Address(B, 8),)
    assert elements_of(A) == (A,)
    assert elements_of(None) == (None,)


@pytest.mark.parametrize(
    ("kind", "index", "message"),
    [
        ("address", 0, "ld: operand 1 must be an address, not Vector"),
        ("immediate", 1, "ld: operand 2 must be an immediate, not Address"),
        ("address", 2, "ld: operand 3 must be an address, not Immediate"),
    ],
)
def test_another_kind_raises_an_error_with_the_line(kind: str, index: int, message: str) -> None:
    with pytest.raises(PtxError, match=message) as raised:
        getattr(LOAD, kind)(index)
    assert raised.value.line == 7
