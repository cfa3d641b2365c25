# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Debugging information entries in the sections of PTX, written here by hand by the DWARF standard."""

import pytest

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.image.debug_entries import entries_of, leb, register_of

ABBREVIATIONS = """
.b8 1  // a unit with children: name
.b8 17,1,3,8,0,0
.b8 2  // a function with children: beginning (an address), name (in .debug_str)
.b8 46,1,17,1,3,14,0,0
.b8 3  // a variable: name, type (in the unit), location (a block)
.b8 52,0,3,8,73,19,2,10,0,0
.b8 4  // a base type: size
.b8 36,0,11,11,0,0
.b8 0
"""
INFO = """
.b32 61
.b8 2,0
.b32 .debug_abbrev
.b8 8
.b8 1
.b8 97,46,99,117,0
.b8 2
.b64 $L__func_begin0
.b32 $L__name+1
.b8 3
.b8 118,0
.b32 63
.b8 11,3
.b64 __local_depot0
.b8 35,12
.b8 3
.b8 119,0
.b32 63
.b8 5,144,177,228,149,1
.b8 0
.b8 4
.b8 4
"""


def ptx(info=INFO, abbreviations=ABBREVIATIONS):
    strings = "$L__name:\n.b8 120,102,0\n"
    sections = {".debug_abbrev": abbreviations, ".debug_info": info, ".debug_str": strings}
    return "\n".join(f"\t.section\t{name}\n\t{{\n{text}\n\t}}" for name, text in sections.items())


def test_entries_are_read():
    (unit,) = entries_of(ptx())
    assert (unit.tag, unit.text("name")) == ("unit", "a.cu")
    function, base = unit.children
    assert (function.text("name"), function.text("low")) == ("f", "$L__func_begin0")
    first, second = function.children
    assert (base.tag, base.number("size"), first.type, second.type) == ("base", 4, base, base)
    assert first.attributes["location"].names == {1: "__local_depot0"}
    assert first.attributes["location"].data[9:] == bytes([35, 12])
    assert register_of(leb(second.attributes["location"].data, 1)[0]) == "%r1"


def test_ptx_without_them_has_none():
    assert entries_of(".version 8.5\n.target sm_90\n.address_size 64\n") == []
    assert entries_of(ptx("", "")) == []


@pytest.mark.parametrize(
    ("info", "abbreviations", "said"),
    [
        (INFO.replace(".b8 2,0", ".b8 9,0"), ABBREVIATIONS, "version 9"),
        (INFO.replace(".b8 4\n.b8 4", ".b8 77\n.b8 4"), ABBREVIATIONS, "77"),
        (INFO, ABBREVIATIONS.removesuffix(".b8 0\n"), "index out of range"),
        (INFO.partition(",117,0")[0], ABBREVIATIONS, "damaged"),
    ],
)
def test_damaged_sections_are_rejected(info, abbreviations, said):
    with pytest.raises(PtxError, match=said):
        entries_of(ptx(info, abbreviations))


def test_signed_numbers_of_variable_length():
    assert leb(bytes([0xE5, 0x8E, 0x26]), 0) == (624485, 3)
    assert leb(bytes([0xC0, 0xBB, 0x78]), 0, signed=True) == (-123456, 3)
