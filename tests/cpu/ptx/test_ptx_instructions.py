# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The instruction table: forms, operands, and rejected instructions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.form import KEYWORDS, Form
from cuda.cpu.ptx.instructions import check, form_of
from cuda.cpu.ptx.row import VALUES, Row
from cuda.cpu.ptx.rows import table
from cuda.cpu.ptx.syntax import Address, Instruction, Negated, Pair, Register, Vector

R = Register("%r1")
OPERANDS = {"a": Address(R), "n": Negated(R), "p": Pair(R, R), "v": Vector((R, R)), "x": R}


def instruction(word: str, operands: str = "xxx", line: int = 7) -> Instruction:
    """Make an instruction; each letter of `operands` is an operand: x plain, a address, n negated, p pair, v vector."""
    opcode, *modifiers = word.split(".")
    return Instruction(opcode, tuple(modifiers), tuple(OPERANDS[letter] for letter in operands), line)


ROWS = [row for rows in table().values() for row in rows]


@pytest.mark.parametrize(
    ("word", "operands", "values"),
    [
        ("add.s32", "xxx", {"family": "arithmetic", "type": "s32", "sat": False, "rnd": None}),
        ("add.sat.s32", "xxx", {"type": "s32", "sat": True}),
        ("add.rz.ftz.f32", "xxx", {"rnd": "rz", "ftz": True, "type": "f32"}),
        ("mad.wide.u32", "xxxx", {"mode": "wide", "type": "u32"}),
        ("setp.lt.and.ftz.f32", "pxxn", {"cmp": "lt", "boolop": "and", "ftz": True, "type": "f32"}),
        ("setp.eq.s32", "xxx", {"cmp": "eq", "boolop": None}),
        ("cvt.rni.ftz.s32.f32", "xx", {"irnd": "rni", "ftz": True, "dtype": "s32", "type": "f32"}),
        ("cvt.rn.bf16x2.f32", "xxx", {"rnd": "rn", "dtype": "bf16x2"}),
        ("ld.global.nc.L1::no_allocate.L2::128B.v4.f32", "va", {"nc": True, "vec": "v4", "prefetch": "L2::128B"}),
        ("ld.acquire.gpu.u32", "xa", {"sem": "acquire", "scope": "gpu", "space": None}),
        ("ld.volatile.shared::cta.b8", "xa", {"sem": "volatile", "space": "shared::cta"}),
        ("st.param.v2.b64", "av", {"space": "param", "vec": "v2"}),
        ("atom.global.add.noftz.f16x2", "xax", {"op": "add", "noftz": True, "type": "f16x2"}),
        ("atom.acq_rel.cta.shared.cas.b64", "xaxx", {"op": "cas", "sem": "acq_rel", "scope": "cta"}),
        ("red.global.add.v4.f32", "av", {"vec": "v4"}),
        ("shfl.sync.bfly.b32", "pxxxx", {"mode": "bfly"}),
        ("bar.red.popc.u32", "xxn", {"red": True, "op": "popc", "type": "u32"}),
        ("bar.red.and.pred", "xxxn", {"op": "and"}),
        ("mov.b64", "xv", {"type": "b64"}),
        ("ret", "", {"uni": False}),
    ],
)
def test_modifiers_become_attributes(word, operands, values):
    form = form_of(instruction(word, operands))
    assert {name: getattr(form, name) for name in values} == values


def test_modifiers_except_types_may_be_in_any_order():
    form = form_of(instruction("atom.add.release.gpu.global.u32", "xax"))
    assert (form.op, form.sem, form.scope, form.space) == ("add", "release", "gpu", "global")
    assert form_of(instruction("add.f32.ftz")).ftz
    to_float = form_of(instruction("cvt.f32.rn.s32", "xx"))
    assert (to_float.dtype, to_float.type) == ("f32", "s32")


def test_equal_instructions_share_a_form():
    assert form_of(instruction("add.s32")) is form_of(instruction("add.s32", line=99))


@pytest.mark.parametrize(
    ("word", "operands", "message"),
    [
        ("add.s32", "xx", "add.s32: operands must be `d, a, b`"),
        ("add.s32", "xxxx", "operands must be"),
        ("add.s32", "xax", "operands must be"),
        ("add.s32", "xnx", "operands must be"),
        ("add.s32", "vxx", "operands must be"),
        ("ld.global.b32", "xx", "operands must be"),
        ("add.s33", "xxx", r"instruction add.s33 is not supported by the CPU device; known forms are: add"),
        ("add", "xxx", "instruction add is not supported"),
        ("add.s32.s32", "xxx", "add.s32.s32 is not supported"),
        ("frobnicate.b32", "xxx", "instruction frobnicate.b32 is not supported by the CPU device$"),
    ],
)
def test_instructions_not_in_the_table_are_refused(word, operands, message):
    with pytest.raises(PtxError, match=message) as caught:
        form_of(instruction(word, operands))
    assert caught.value.line == 7


def test_the_error_names_an_instruction_without_an_emitter():
    wanted = instruction("tex.2dms.v4.f32.s32", "va")
    assert form_of(wanted).geometry == "2dms"
    with pytest.raises(PtxError, match=r"instruction tex\.2dms\.v4\.f32\.s32 is not supported yet by the CPU device"):
        check(wanted)


def test_misspelt_attributes_are_errors():
    with pytest.raises(AttributeError):
        _ = form_of(instruction("add.s32")).rounding


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.syntax.partition(" ")[0])
def test_rows_are_well_formed(row):
    assert re.fullmatch(r"9\.7(\.\d+)+", row.section)
    assert row.family == row.family.lower()
    modifiers = row.syntax.partition(" ")[0][len(row.opcode) :]
    assert re.fullmatch(r"(\.[\w:]+|\{\.[\w:]+\})*", modifiers)
    names = re.findall(r"\.([\w:]+)", modifiers)
    assert set(row.values) <= set(names), "values of a name that the syntax has not got"
    assert len(set(names)) == len(names)


@given(st.data())
def test_every_spelling_of_a_row_matches_it(data):
    row: Row = data.draw(st.sampled_from(ROWS))
    modifiers = []
    for optional, name in re.findall(r"(\{?)\.([\w:]+)", row.syntax.partition(" ")[0][len(row.opcode) :]):
        if optional and data.draw(st.booleans()):
            continue
        words = row.values.get(name, VALUES.get(name))
        modifiers.append(data.draw(st.sampled_from(words.split())) if words is not None else name)
    assert row.match(tuple(modifiers)) is not None


def test_forms_have_an_attribute_for_each_name_of_the_table():
    """Type checkers need them, and forms have the attributes of other opcodes' rows as well."""
    words = {name: "str" if listed else "bool" for row in ROWS for name, _, _, listed in row.parts}
    declared = {name: kind.removesuffix(" | None") for name, kind in (Form.__annotations__ | KEYWORDS).items()}
    assert words == declared
    assert form_of(instruction("add.s32", "xxx")).sem is None
    assert form_of(instruction("add.s32", "xxx")).relu is False
