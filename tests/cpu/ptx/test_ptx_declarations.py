# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Declarations, labels and directives: accepted and rejected as by ptxas."""

from __future__ import annotations

import pytest

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.program import build
from cuda.cpu.ptx.syntax import Address, Symbol

HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"


def load(text: str, body: str = ""):
    return build([f"{HEAD}{text}\n.func g() {{ ret; }}\n.visible .entry k() {{ {body}\nret; }}\n"])


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ('#line 1 "x.cu"\n', ""),
        ('# 1 "x.cu"\n.global .u32 a;', ".reg .b32 %r;\n# 7\nmov.b32 %r, 1;"),
        (".global .u32 a[2][2] = {{1, 2}, {3, 4}};", ""),
        (".global .v4 .f32 a = {1.0, .5, -2.5e3, 1.0/4.0};", ""),
        (".global .u32 b; .global .u64 a[2] = {b, generic(b)+4};", ""),
        (".func (.reg .b32 r) f (.reg .b32 a) { mov.b32 r, a; ret; }", ""),
        (".func f (.param .b32 a) .noreturn { trap; }", ""),
        (".entry e () .reqntid 32 .reqnctapercluster 2 .blocksareclusters { ret; }", ""),
        (".entry e () .reqntid 32 .language 7 { ret; } .func f () .language 0 { ret; }", ""),
        ("", ".global .u32 g; .reg .b32 %r; ld.global.u32 %r, [g];"),  # g is also a function
        ("", "%L: bra %L;"),
        ("", "bra %M; %M: ret;"),
        ("", ".reg .b32 ;"),
        ("", "L: { L: bra L; } bra L;"),
        ("", ".loc 1 2 3\n.loc_intermediate 2 100 10\nret;"),
    ],
)
def test_valid_declarations(text, body):
    load(text, body)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".global .align 3 .b8 a[4];", "no power of two"),
        (".global .align 0 .b8 a[4];", "no power of two"),
        (".global .v4 .f64 a;", "more than 128 bits"),
        (".global .v8 .f32 a;", "expected a type"),
        (".global .pred a;", "predicates are in registers"),
        (".shared .u32 a = 1;", "has an initial value"),
        (".extern .global .u32 a = 1;", "has an initial value"),
        (".shared .b8 a[];", "array a has no size"),
        (".local .u32 a;", "is outside of a function"),
        (".reg .b32 a;", "is outside of a function"),
        (".global .u32 b; .global .u16 a = b;", "does not fit"),
        (".global .u32 b; .global .f64 a = b;", "does not fit"),
        (".func f (.shared .b32 a) { ret; }", "must be in .param or .reg"),
        (".func f (.param .v4 .f32 a) { ret; }", "must be an array of bytes"),
        (".entry f (.param .b32 p, .param .b32 p) { ret; }", "two parameters p"),
        (".entry f (.reg .b32 p) { ret; }", "a parameter in a register"),
        (".entry f () .noreturn { ret; }", "directive .noreturn of a kernel"),
        (".func f () .maxntid 32 { ret; }", "directive .maxntid of a function"),
        (".entry f () .maxntid { ret; }", "expected an integer"),
        (".entry f () .language { ret; }", "expected an integer"),
        (".entry f (.hidden .param .b8 p[128]) { ret; }", "set CUDA_CPU_CAPABILITY=8.9"),
    ],
)
def test_invalid_declarations(text, message):
    with pytest.raises(PtxError, match=message):
        load(text)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("L: ret; L: ret;", "label L is declared twice"),
        (".reg .b32 L; L: ret;", "label L is declared twice"),
        ("call _, (1);", "expected a function, or a register"),
        (".reg .f32 %f; call %f;", "expected a function, or a register"),
        ("@%tid.x ret;", "expected a predicate register after @"),
        (".reg .b32 r[4];", "declared as an array"),
        (".reg .b32 r = 4;", "has an initial value"),
        (".reg .b32 %r; mov.b32 %r, %s;", "register %s is not declared"),
        (".reg .b32 %r; mov.b32 %r, %r[2];", "expected ',' or ';' after an operand"),
        (".reg .b32 r; mov.b32 r, r[2];", "what is no variable"),
    ],
)
def test_invalid_declarations_in_bodies(body, message):
    with pytest.raises(PtxError, match=message):
        load("", body)


def test_array_indices_count_elements():
    """Section 6.4.2: mov takes the address of an element, other instructions access the element."""
    body = ".reg .b64 %d; .reg .b32 %r; mov.u64 %d, a[3]; ld.global.u32 %r, a[2]; ld.global.b32 %r, b[1];"
    program = load(".global .u32 a[8]; .global .v2 .b16 b[8];", body)
    operands = [statement.operands[1] for statement in program.functions["k"].body[:3]]
    assert operands == [Symbol("a", 12), Address(Symbol("a"), 8), Address(Symbol("b"), 4)]
