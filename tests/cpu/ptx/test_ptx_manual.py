# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The instruction table has every instruction of the manual, or the reason why it is not supported, and no other."""

from __future__ import annotations

import pathlib

import pytest

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import form_of
from cuda.cpu.ptx.row import Row
from cuda.cpu.ptx.rows import table, traits_of
from cuda.cpu.ptx.syntax import Instruction

LINES = (pathlib.Path(__file__).parent / "manual_instructions.txt").read_text().splitlines()
NAMES = [line.split()[1] for line in LINES if not line.startswith("#")]
PARSED = {"call"}  # syntax of its own: syntax.Call
REFUSED = {"fabric", "tcgen05", "multimem.st.async", "multimem.red.async"}


def has_row(name: str) -> bool:
    """Return whether a supported row has all words of a name among its modifiers."""
    opcode, *words = name.split(".")
    return any(
        row.family and all(any(word in accepted for _, accepted, _, _ in row.parts) for word in words)
        for row in table().get(opcode, ())
    )


@pytest.mark.parametrize("name", sorted(set(NAMES) - PARSED - REFUSED))
def test_every_instruction_of_the_manual_has_a_row(name):
    assert has_row(name)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_unsupported_instructions_have_a_reason(name):
    opcode, *words = name.split(".")
    with pytest.raises(PtxError, match="is not supported by the CPU device: .*" + traits_of(opcode).reason.split()[0]):
        form_of(Instruction(opcode, (*words, "b32"), (), 1))


def test_the_table_has_no_other_opcodes():
    assert set(table()) <= {name.partition(".")[0] for name in NAMES}


def test_every_reason_belongs_to_an_unsupported_instruction():
    refused = {opcode for opcode, rows in table().items() if not all(row.family for row in rows)}
    opcodes = {*table(), *(name.partition(".")[0] for name in NAMES)}
    with_reason = {opcode for opcode in opcodes if traits_of(opcode).reason}
    assert with_reason == refused | {name.partition(".")[0] for name in REFUSED}


# Types whose instructions are described in the section of another type.
SAME_SECTION = {"f64": "f32", "f32x2": "f32", "bf16": "f16", "f16x2": "f16", "bf16x2": "f16"}


def section_of(row: Row) -> str:
    """Return the section of the instruction in the manual's list that has the most words of a row."""
    words = {word for _, accepted, _, _ in row.parts for word in accepted}
    words |= {SAME_SECTION[word] for word in words & SAME_SECTION.keys()}
    fitting = []
    for line in LINES:
        section, _, name = line.partition(" ")
        opcode, *rest = name.split(".")
        if opcode == row.opcode and words.issuperset(rest):
            fitting.append((len(rest), section))
    most = max(fitting)[0]
    (section,) = {section for count, section in fitting if count == most}
    return section


def test_rows_name_the_section_of_the_manual():
    rows = [row for rows in table().values() for row in rows]
    assert [(row, section_of(row)) for row in rows if row.section != section_of(row)] == []


def test_messages_name_the_section():
    with pytest.raises(PtxError, match=r"add\.s32: operands must be `d, a, b` \(PTX ISA manual, section 9\.7\.1\.1\)"):
        form_of(Instruction("add", ("s32",), (), 1))
