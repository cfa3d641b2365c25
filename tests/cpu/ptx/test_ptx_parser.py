# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The parser on text written by hand: every construct once, errors with their lines, and round trips."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ptx_printer import module_text, operand_text

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.lexer import tokens_of
from cuda.cpu.ptx.parser import parse
from cuda.cpu.ptx.syntax import (
    Address,
    BranchTargets,
    Call,
    CallTargets,
    Guard,
    Immediate,
    Instruction,
    Label,
    Module,
    Negated,
    Pair,
    Prototype,
    Register,
    Relocation,
    Selected,
    Symbol,
    Vector,
)

HEAD = ".version 8.5\n.target sm_90\n.address_size 64\n"
REGISTERS = ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .b16 %h<9>;"


def parsed(text: str) -> Module:
    return parse(HEAD + text)


def body_of(text: str):
    return parsed(f".entry k(.param .u64 a, .param .u32 b) {{ {REGISTERS} {text} }}").functions["k"]


def one(text: str) -> Instruction:
    (statement,) = body_of(text).body
    return statement


def operands_of(text: str):
    return one(text).operands


def test_tokens_have_line_numbers():
    tokens, lines = tokens_of("/* a\n b */ mov.u32 %r1, 0f3F800000; // x\n\n\t@!p bra $L_1; {1, -2}")
    assert tokens == [
        "mov.u32",
        "%r1",
        ",",
        "0f3F800000",
        ";",
        "@",
        "!",
        "p",
        "bra",
        "$L_1",
        ";",
        "{1, -2}",
        "",
        "",
        "",
    ]
    assert lines == [2] * 5 + [4] * 10


def test_header():
    module = parse(".version 9.5\n.target sm_100a, debug\n.address_size 64\n")
    assert (module.version, module.target, module.address_size) == ((9, 5), "sm_100a", 64)


@pytest.mark.parametrize(
    ("text", "operand"),
    [
        ("%r2", Register("%r2")),
        ("%tid.x", Register("%tid.x")),
        ("17", Immediate(17)),
        ("-4", Immediate(-4)),
        ("0x1FU", Immediate(31)),
        ("0b101", Immediate(5)),
        ("017", Immediate(15)),
        ("(1 << 4) + 2*3", Immediate(22)),
        ("7 / 2 % 2", Immediate(1)),
        ("-7 / 2", Immediate(-3)),
        ("1 ? 5 : 6", Immediate(5)),
        ("~0", Immediate((1 << 64) - 1)),
        ("0xFFFFFFFFFFFFFFFF * 3", Immediate(2**64 - 3)),
        ("!3 || 2 && 1", Immediate(1)),
        ("(.u64) -1", Immediate(2**64 - 1)),
        ("WARP_SZ", Immediate(32)),
        ("-WARP_SZ", Immediate(-32)),
        ("0fBF800000", Immediate(0xBF800000, "f32")),
        ("-0f3F800000", Immediate(0xBF800000, "f32")),
        ("0d3FF0000000000000", Immediate(0x3FF0000000000000, "f64")),
        ("1.5", Immediate(0x3FF8000000000000, "f64")),
        ("-2e0", Immediate(0xC000000000000000, "f64")),
        ("a", Symbol("a")),
        ("table+8", Symbol("table", 8)),
        ("table-8", Symbol("table", -8)),
        ("{%h1, %h2}", Vector((Register("%h1"), Register("%h2")))),
        ("{%r1, _}", Vector((Register("%r1"), None))),
        ("{1, -2}", Vector((Immediate(1), Immediate(-2)))),
    ],
)
def test_operands(text, operand):
    assert operands_of(f"mov.b32 %r1, {text};")[1] == operand


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[%rd1]", Address(Register("%rd1"))),
        ("[%rd1+4]", Address(Register("%rd1"), 4)),
        ("[%rd1+-4]", Address(Register("%rd1"), -4)),
        ("[%rd1-8]", Address(Register("%rd1"), -8)),
        ("[a]", Address(Symbol("a"))),
        ("[table+16]", Address(Symbol("table"), 16)),
        ("[64]", Address(None, 64)),
        ("[%rd1, {%r1, %r2}]", Address(Register("%rd1"), 0, (Vector((Register("%r1"), Register("%r2"))),))),
    ],
)
def test_addresses(text, address):
    assert operands_of(f"ld.b32 %r1, {text};")[1] == address


def test_guards_pairs_and_negated_predicates():
    plain, negated = body_of("@%p1 add.s32 %r1, %r2, 1; @!%p2 ret;").body
    assert plain.guard == Guard("%p1")
    assert negated.guard == Guard("%p2", True)
    setp = one("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;")
    assert setp.operands[0] == Pair(Register("%p1"), Register("%p2"))
    assert setp.operands[3] == Negated(Register("%p3"))
    assert operands_of("elect.sync _|%p1, -1;")[0] == Pair(None, Register("%p1"))


def test_modifiers_may_be_separated_by_spaces():
    assert one("add .ftz .f32 %f1, %f2, %f3;").modifiers == ("ftz", "f32")
    assert one("ld.global.L2::128B.b32 %r1, [%rd1];").modifiers == ("global", "L2::128B", "b32")


def test_calls():
    text = (
        ".param .b32 x; .param .b32 y; call.uni (y), f, (x); call g; @%p1 call (y), %rd1, (x), proto; call h, (x, x);"
        "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]) .noreturn;"
        "those: .calltargets f, g; call (y), %rd1, (x), those;"
    )
    body = body_of(text).body
    calls = [statement for statement in body if isinstance(statement, Call)]
    assert [str(call.target.name) for call in calls] == ["f", "g", "%rd1", "h", "%rd1"]
    assert calls[0].uniform
    assert not calls[1].uniform
    assert calls[2].guard == Guard("%p1")
    assert [call.prototype for call in calls] == [None, None, "proto", None, "those"]
    assert calls[3].arguments == (Symbol("x"), Symbol("x"))
    (prototype,) = [statement for statement in body if isinstance(statement, Prototype)]
    assert [variable.size for variable in (*prototype.results, *prototype.parameters)] == [4, 4, 16]
    assert CallTargets("those", ("f", "g"), 4) in body


def test_branch_targets():
    body = body_of("ts: .branchtargets L1, L2; brx.idx %r1, ts; L1: ret; L2: ret;").body
    assert body[0] == BranchTargets("ts", ("L1", "L2"), 4)


def test_nested_scopes_have_their_own_names():
    function = body_of(
        "{ .reg .b32 t; mov.b32 t, 1; { .reg .b64 t; mov.b64 t, 2; } mov.b32 %r1, t; }"
        "{ .reg .b32 t<2>; .param .b32 q; mov.b32 t1, 3; st.param.b32 [q], t1; } mov.b64 %rd1, t;"
    )
    names = [instruction.operands[0].name for instruction in function.body if instruction.opcode == "mov"]
    assert names == ["t@1", "t@2", "%r1", "t1@3", "%rd1"]
    assert function.body[2].operands[1] == Register("t@1")
    assert function.body[-1].operands[1] == Symbol("t")  # outside of the scopes it is no register
    assert function.registers["t@2"] == "b64"
    assert function.variables["q@3"].size == 4


def test_labels_are_local_to_their_scope():
    body = body_of("W: bra W; { bra D; W: bra W; D: } { W: bra W; { bra W; } } bra W;").body
    targets = [(s.name if isinstance(s, Label) else s.operands[0].name) for s in body]
    assert targets == ["W", "W", "D@1", "W@1", "W@1", "D@1", "W@2", "W@2", "W@2", "W"]


def test_vector_registers_expand_to_components():
    function = body_of(".reg .v4 .f32 v; ld.v4.f32 v, [%rd1]; mov.f32 %f1, v.y; mov.f32 %f1, v.a;")
    assert function.body[0].operands[0] == Vector(tuple(Register(f"v.{axis}") for axis in "xyzw"))
    assert [s.operands[1] for s in function.body[1:]] == [Register("v.y"), Register("v.w")]


def test_locations():
    text = (
        '.file 1 "x.cu"\n.entry k() { .loc 1 5 3\n ret; .loc 1 7 1, function_name $I+4, inlined_at 1 9 2\n exit; }'
        '.file 2 "y.cu", 5, 6'
    )
    first, second = parsed(text).functions["k"].body
    assert (first.source.file, first.source.line, first.source.column) == ("x.cu", 5, 3)
    assert (second.source.line, second.line) == (7, 7)


def test_sections_and_pragmas_are_skipped():
    module = parsed('.section .debug_info { .b8 1, 2 { } }\n.pragma "nounroll";\n.entry k() { .pragma "x"; ret; }')
    assert len(module.functions["k"].body) == 1


def test_functions():
    module = parsed(
        ".extern .func (.param .b32 r) ext (.param .b64 a, .param .b8 rest[]);\n"
        ".func (.param .b32 r) f (.param .align 16 .b8 s[40]) .noreturn ;\n"
        ".visible .func (.param .b32 r) f (.param .align 16 .b8 s[40]) { ret; }\n"
        ".func (.reg .u32 out) old (.reg .u32 in) { mov.u32 out, in; ret; }\n"
        ".weak .entry k(.param .u64 .ptr .global .align 8 p, .param .u64 .ptr q) .maxntid 64, 2 .minnctapersm 2\n"
        ".reqnctapercluster 2 .maxnreg 40 .explicitcluster { ret; }\n.alias g, f;"
    )
    functions = module.functions
    assert functions["ext"].body is None
    assert functions["ext"].linkage == "extern"
    assert functions["f"].body is not None
    assert functions["f"].parameters[0].size == 40
    load, move, *_ = functions["old"].body
    assert load.operands == (Register("in"), Address(Symbol("in")))
    assert move.operands == (Register("out"), Register("in"))
    assert functions["k"].directives == {
        "maxntid": (64, 2, 1),
        "minnctapersm": 2,
        "reqnctapercluster": (2, 1, 1),
        "maxnreg": 40,
        "explicitcluster": True,
    }
    first, second = functions["k"].parameters
    assert first.attributes == {"ptr": "global", "ptr_align": 8}
    assert (first.align, second.attributes) == (8, {"ptr": "generic"})
    assert module.aliases == {"g": "f"}


@pytest.mark.parametrize(
    ("text", "data"),
    [
        (".global .u32 v = 7", b"\7\0\0\0"),
        (".global .b8 v[4] = {1, 2}", b"\1\2\0\0"),
        (".global .b8 v[] = {1, 255, 0}", b"\1\xff\0"),
        (".global .s16 v[2] = {-1, 2}", b"\xff\xff\2\0"),
        (".global .u8 v[2][2] = {{1}, {2, 3}}", b"\1\0\2\3"),
        (".global .u8 v[2][2] = {1, 2, 3, 4}", b"\1\2\3\4"),
        (".global .u8 v[][2] = {{1, 2}, {3}}", b"\1\2\3\0"),
        (".global .u8 v[][3] = {1, 2, 3, 4}", b"\1\2\3\4\0\0"),
        (".global .f32 v[3] = {0f3F800000, 1.0, 2}", struct.pack("<3f", 1, 1, 2)),
        (".const .f64 v = 0f40000000", struct.pack("<d", 2)),
        (".global .v2 .u16 v[2] = {{1, 2}, {3, 4}}", struct.pack("<4H", 1, 2, 3, 4)),
        (".global .b64 v = 1 << 40", (1 << 40).to_bytes(8, "little")),
        (".global .u64 v[2] = {0xFFFFFFFFFFFFFFFF, (1 + 2)}", b"\xff" * 8 + b"\3" + bytes(7)),
    ],
)
def test_initial_values(text, data):
    variable = parsed(text + ";").variables["v"]
    assert variable.size == len(data)
    assert variable.initializer.data.ljust(len(data), b"\0") == data


def test_trailing_zeros_of_initial_values_are_not_stored():
    variable = parsed(".global .b8 v[4294967296] = {1, 2};").variables["v"]
    assert (variable.size, variable.initializer.data) == (1 << 32, b"\1\2")


def test_addresses_in_initial_values():
    text = ".global .u64 v[4] = {f, generic(w)+8, w-4, 0}; .global .u8 m[3] = {0xFF(w), 0xFF00(w+1), 9};"
    variables = parsed(text).variables
    assert variables["v"].initializer.relocations == (
        Relocation(0, 8, "f"),
        Relocation(8, 8, "w", 8),
        Relocation(16, 8, "w", -4),
    )
    assert variables["m"].initializer.relocations == (Relocation(0, 1, "w", 0, 0), Relocation(1, 1, "w", 1, 8))
    assert variables["m"].initializer.data == b"\0\0\x09"


def test_variables():
    text = (
        ".visible .global .align 16 .v4 .f32 v[3]; .extern .shared .align 16 .b8 dyn[]; .global .u32 a, b = 2;"
        ".global .attribute(.managed, .unified(1, 2)) .u32 m; .common .global .f64 c; .shared .b64 s[2][3];"
    )
    variables = parsed(text).variables
    assert (variables["v"].size, variables["v"].align, variables["v"].linkage) == (48, 16, "visible")
    assert (variables["dyn"].size, variables["dyn"].dims) == (0, (0,))
    assert (variables["a"].initializer, variables["b"].initializer.data[0]) == (None, 2)
    assert variables["m"].attributes == {"managed": True, "unified": (1, 2)}
    assert (variables["s"].size, variables["s"].align) == (48, 8)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 0, "'.version'"),
        (".version x\n.target sm_90", 1, "a version such as 9.0"),
        (".version 8.0\n", 2, "no .target"),
        (HEAD.replace("64", "32"), 3, "must be 64"),
        (HEAD + "nonsense", 4, "a directive"),
        (HEAD + ".global .u33 x;", 4, "a type"),
        (HEAD + ".global .u32 x[2] = {1,\n2,\n3};", 4, "8 bytes and its initial value 12"),
        (HEAD + ".global .u32 x[][0] = {1};", 4, "no size in a dimension behind the first"),
        (HEAD + ".global .u32 x[2][0] = {1};", 4, "no size in a dimension behind the first"),
        (HEAD + ".global .u32 x;\n.global .u32 x;", 5, "x is defined twice"),
        (HEAD + ".func f() {ret;}\n\n.func f() {ret;}", 6, "f is defined twice"),
        (HEAD + ".entry k()\n{\n add.s32 %r1, 1, 2; }", 6, "%r1 is not declared"),
        (HEAD + ".entry k()\n{ .reg .b32 %r1;\n @!%r1 ret; }", 6, "expected a predicate register after @"),
        (HEAD + ".entry k() {\n .reg .b32 a; .reg .b32 a; }", 5, "a is declared twice"),
        (HEAD + ".entry k() {\n mov.b32 5 6; }", 5, "expected an operand|expected ','"),
        (HEAD + ".entry k() {\n mov.b32 x, ; }", 5, "expected an operand"),
        (HEAD + ".entry k() {\n ret", 5, "expected an operand"),
        (HEAD + ".entry k() {\n ret;", 5, "expected an instruction"),
        (HEAD + ".entry k() {\n { ret;", 5, "never closed"),
        (HEAD + ".entry k() {\n @5 ret; }", 5, "a name"),
        (HEAD + ".entry k() {\n .strange 5; }", 5, ".strange"),
        (HEAD + ".entry k() .strange { }", 4, ".strange"),
        (HEAD + ".entry k() { ret; }\n#", 5, "'#'"),
        (HEAD + ".global .u32 x = 1 / 0;", 4, "division by zero"),
        (HEAD + ".global .u32 x = 1.0 << 9;", 4, "operator << has an operand of a wrong type"),
        (HEAD + ".global .b8 x[1] = {0xFE(y)};", 4, "0xFF"),
        (HEAD + ".section .debug { .b8 1", 4, "end of a section"),
        (HEAD + ".entry k() { .reg .v2 .b32 v; mov.b32 v.z, 1; }", 4, "no component .z"),
        (HEAD + ".entry k() { .reg .b32 %r<9999999999>; }", 4, "declares more than"),
        (HEAD + ".entry k() " + "{" * 5000 + "}" * 5000, 4, "nested deeper than 100"),
        (HEAD + ".global .b8 x[1 << 60] = {1};", 4, "at most 4294967296"),
        (HEAD + ".global .u32 x = " + "(" * 5000, 0, "nested too deeply"),
        (HEAD + ".global .u32 x = " + "{" * 5000, 0, "nested too deeply"),
    ],
)
def test_errors_name_the_line(text, line, message):
    with pytest.raises(PtxError, match=message) as caught:
        parse(text, "unit.ptx")
    if line:
        assert caught.value.line == line
        assert f"unit.ptx, line {line}: " in str(caught.value)


def test_an_error_shows_the_line():
    with pytest.raises(PtxError) as caught:
        parse(HEAD + ".entry k() {\n   mov.b32 %what, 1; // why\n}")
    assert str(caught.value).endswith("register %what is not declared\n    mov.b32 %what, 1; // why")


@given(st.text(max_size=60) | st.text(alphabet='{}[]().,;:@!%$_=+-<>rx109 \n"/*', max_size=80))
@settings(max_examples=150)
def test_any_text_parses_or_is_refused(text):
    for wrapped in (HEAD + text, HEAD + ".entry k() {" + text + "}", HEAD + ".global .u32 x[2] = " + text):
        with contextlib.suppress(PtxError):
            parse(wrapped)


_registers = st.sampled_from(["%r1", "%r2", "%rd3", "%f4", "%p1", "named"]).map(Register)
_simple = (
    _registers
    | st.integers(-(2**31), 2**32 - 1).map(Immediate)
    | st.integers(0, 2**32 - 1).map(lambda bits: Immediate(bits, "f32"))
    | st.integers(0, 2**64 - 1).map(lambda bits: Immediate(bits, "f64"))
    | st.builds(Symbol, st.sampled_from(["table", "$str", "_Z1f"]), st.integers(-64, 64))
)
_addresses = st.builds(Address, _registers | st.just(Symbol("table")) | st.none(), st.integers(-4096, 4096))
_operands = (
    _simple
    | _addresses
    | st.lists(_simple | st.none(), min_size=2, max_size=4).map(lambda items: Vector(tuple(items)))
    | st.builds(Pair, _registers, _registers | st.none())
    | st.just(Negated(Register("%p1")))
    | st.sampled_from([Selected(Register("%r1"), "b3"), Selected(Register("%r1"), "h10", negated=True)])
)
_words = st.text(alphabet="abcdefgh", min_size=1, max_size=6).filter(lambda word: word != "call")
_instructions = st.builds(
    Instruction,
    _words,
    st.lists(_words | st.just("L2::128B") | st.just("2d"), max_size=4).map(tuple),
    st.lists(_operands, min_size=1, max_size=4).map(tuple),
    st.just(0),
    st.none() | st.builds(Guard, st.just("%p1"), st.booleans()),
)


@given(st.lists(_instructions, max_size=6))
@settings(max_examples=150)
def test_instructions_survive_a_round_trip(instructions):
    module = parsed(f".entry k() {{ {REGISTERS} .reg .b32 named; }}")
    module.functions["k"].body = instructions
    again = parse(module_text(module))
    assert module_text(again) == module_text(module)
    for old, new in zip(instructions, again.functions["k"].body, strict=True):
        assert (old.opcode, old.modifiers, old.operands, old.guard) == (
            new.opcode,
            new.modifiers,
            new.operands,
            new.guard,
        )


@given(_operands)
def test_operands_survive_a_round_trip(operand):
    function = body_of(f".reg .b32 named; x.y {operand_text(operand)};")
    assert function.body[0].operands == (operand,)
