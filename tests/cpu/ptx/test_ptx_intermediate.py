# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Sections with the source of another language are skipped, whatever they contain."""

from __future__ import annotations

import pytest

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.intermediate import without_source
from cuda.cpu.ptx.parser import parse

HEAD = '.version 9.5\n.target sm_80\n.address_size 64\n.file 2 "kernel.tile"\n'
KERNEL = ".visible .entry k() .reqntid 32 .language 7 { ret; }\n"
SOURCES = {
    "words": "entry @k(%arg0: tile<ptr<f32>>) {\n  %0 = addf %a, %b : tile<?x128xf32>\n}",
    "braces": "}}}}}}\n{{",
    "quotes": 'print "never closed\n',
    "comments": "/* never closed\n// .source_end",
    "characters": "\u00e9\u4e2d @#`~\\\t\x01",
    "directives": ".version 1.0\n.entry k() {\n.source_begin\n x.source_end y\n.source_end_not\n>>>",
    "nothing": "",
}


def section(source: str) -> str:
    block = f'.code_block {{\n.ir_name: "tile {{ir"\n.sourceFileName: 2\n.source_begin\n{source}\n  .source_end\n}}\n'
    return f".nv_intermediate_source_section {{\n{block}{block}}}\n"


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_sources_are_skipped(source):
    text = HEAD + section(source) + KERNEL + section(source)
    module = parse(text)
    assert list(module.functions) == ["k"]
    assert module.functions["k"].line == text[: text.index(".visible")].count("\n") + 1


def test_sources_in_one_piece():
    text = HEAD + '.nv_intermediate_source_section {\n.code_block {\n.source: <<< a }\nb " }} >>>\n}\n}\n' + KERNEL
    assert parse(text).functions["k"].line == 11


def test_text_without_sections_is_the_same():
    text = HEAD + KERNEL + "// .nv_intermediate_source_section { in a comment\n"
    assert without_source(text) == text
    assert list(parse(text).functions) == ["k"]


@pytest.mark.parametrize(
    "text",
    [
        ".nv_intermediate_source_section",
        ".nv_intermediate_source_section {\n.code_block {\n}\n",
        ".nv_intermediate_source_section {\n.source_begin\n}\n}\n",
        ".nv_intermediate_source_section {\n.source: <<< }\n",
    ],
)
def test_a_section_without_end_is_refused(text):
    with pytest.raises(PtxError, match=r"line 6: the \.nv_intermediate_source_section does not end"):
        parse(HEAD + KERNEL + text)


def test_what_follows_a_section_is_read():
    with pytest.raises(PtxError, match=r"line 21: expected a directive, found 'x'"):
        parse(HEAD + section("a") + "x\n")


def test_many_sections_take_linear_time():
    assert list(parse(HEAD + section("a {") * 20_000 + KERNEL).functions) == ["k"]
