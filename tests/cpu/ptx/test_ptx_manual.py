# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The instruction table has every instruction of the manual, or a reason why one is not there, and no other."""

from __future__ import annotations

import pathlib

import pytest

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import REASONS, form_of, table
from cuda.cpu.ptx.syntax import Instruction

LINES = (pathlib.Path(__file__).parent / "manual_instructions.txt").read_text().splitlines()
NAMES = [line.split()[1] for line in LINES if not line.startswith("#")]
PARSED = {"call"}  # syntax of its own: syntax.Call
REFUSED = {"fabric", "tcgen05", "multimem.st.async", "multimem.red.async"}


def has_row(name: str) -> bool:
    """Tell whether a row that is there has all words of a name among its modifiers."""
    opcode, *words = name.split(".")
    return any(
        row.family and all(any(word in accepted for _, accepted, _, _ in row.parts) for word in words)
        for row in table().get(opcode, ())
    )


@pytest.mark.parametrize("name", sorted(set(NAMES) - PARSED - REFUSED))
def test_the_manual_s_instructions_are_there(name):
    assert has_row(name)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_refused_has_a_reason(name):
    opcode, *words = name.split(".")
    with pytest.raises(PtxError, match="is not supported by the CPU device: .*" + REASONS[opcode].split()[0]):
        form_of(Instruction(opcode, (*words, "b32"), (), 1))


def test_the_table_has_no_other_opcodes():
    assert set(table()) <= {name.partition(".")[0] for name in NAMES}


def test_no_reason_is_for_nothing():
    refused = {opcode for opcode, rows in table().items() if not all(row.family for row in rows)}
    assert set(REASONS) == refused | {name.partition(".")[0] for name in REFUSED}
