# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Linking of PTX units and layout of programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda.cpu.compile.program import load
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.layout import parameter_layout, shared_layout
from cuda.cpu.ptx.program import Program, build
from cuda.cpu.ptx.syntax import Variable

HEAD = ".version 8.5\n.target sm_90\n.address_size 64\n"


def program(*units: str) -> Program:
    return build([HEAD + unit for unit in units])


def called(name: str) -> str:
    return f"{{ call {name}; ret; }}"


# --- linking ------------------------------------------------------------------------------------------


def test_externs_are_resolved():
    linked = program(
        ".extern .func f; .extern .global .u32 v; .entry k() { .reg .b64 %a; mov.u64 %a, v; call f; ret; }",
        ".visible .func f { ret; } .visible .global .u32 v = 5;",
    )
    assert linked.callees("k") == ["f"]
    assert linked.functions["f"].body is not None
    assert linked.variables["v"].initializer.data == b"\5\0\0\0"
    assert linked.unit_of["f"].name == "<ptx>[1]"


def test_unit_local_names_do_not_clash():
    unit = (
        ".global .u32 v = {n}; .global .u64 p = v; .func f {{ .reg .b64 %a; mov.u64 %a, v+4; ret; }}"
        ".entry k{n}() {{ {{ call f; }} ret; }}"
    )
    linked = program(unit.format(n=1), unit.format(n=2))
    assert linked.callees("k1") == ["f"]
    assert linked.callees("k2") == ["f@unit2"]
    moved = linked.functions["f@unit2"].body[0].operands[1]
    assert (moved.name, moved.offset) == ("v@unit2", 4)
    assert linked.variables["v@unit2"].initializer.data[0] == 2
    assert linked.variables["p@unit2"].initializer.relocations[0].symbol == "v@unit2"
    assert linked.variables["v"].initializer.data[0] == 1


def test_a_unit_local_name_is_renamed_for_a_later_global_one():
    linked = program(".func f { ret; } .entry k() { call f; ret; }", ".visible .func f { exit; }")
    assert linked.callees("k") == ["f@unit1"]
    assert linked.functions["f"].body[0].opcode == "exit"


def test_names_declared_in_a_function_are_not_renamed():
    unit = ".global .u32 v; .entry k{n}() {{ .local .b32 v; .reg .b64 %a; mov.u64 %a, v; ret; }}"
    linked = program(unit.format(n=1), unit.format(n=2))
    assert linked.functions["k2"].body[0].operands[1].name == "v"


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [("weak", "weak", 1), ("weak", "visible", 2), ("visible", "weak", 1), ("extern", "visible", 2)],
)
def test_precedence_of_definitions(first, second, winner):
    values = [f" = {n}" if linkage != "extern" else "" for n, linkage in ((1, first), (2, second))]
    linked = program(f".{first} .global .u32 v{values[0]};", f".{second} .global .u32 v{values[1]};")
    assert linked.variables["v"].initializer.data[0] == winner


def test_the_largest_common_variable_is_used():
    linked = program(".common .global .b8 v[4];", ".common .global .b8 v[16];", ".common .global .b8 v[8];")
    assert linked.variables["v"].size == 16


def test_aliases():
    linked = program(".func f { ret; } .alias g, f; .entry k() { call g; ret; }")
    assert linked.callees("k") == ["f"]


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ((".visible .func f {ret;}", ".visible .func f {ret;}"), "f is defined twice: also in <ptx>$"),
        ((".visible .global .u32 v;", ".visible .global .u32 v;"), "v is defined twice"),
        ((".visible .global .u32 v;", ".visible .func v {ret;}"), "v is both a function and a variable"),
        ((".visible .global .u32 v;", ".visible .const .u32 v;"), "v is in .global in <ptx> and in .const here"),
        ((".extern .func f; .extern .func g; .entry k() {\ncall f;\ncall g; }",), "line 5: unresolved in k: f, g"),
        ((".entry k() { .reg .b64 %a; mov.u64 %a, nothing; }",), "unresolved in k: nothing"),
        ((".global .u64 v = nothing;",), "unresolved in the initial value of v: nothing"),
        ((".extern .func cudaDeviceThing; .entry k() { call cudaDeviceThing; }",), "no such function of the device"),
        ((".alias g, f;",), "function f is not defined"),
        ((".entry k() {\n foo.bar; }",), "line 5: instruction foo.bar is not supported by the CPU device"),
        ((".func f { foo; } .entry k() { call f; }",), "instruction foo is not supported"),
        ((), "no PTX to load"),
    ],
)
def test_errors(units, message):
    with pytest.raises(PtxError, match=message):
        program(*units)


def test_unreachable_functions_may_have_any_instruction():
    assert "k" in program(".func unused { foo; } .entry k() { ret; }").functions


def test_functions_of_the_runtime_need_no_definition():
    text = ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);"
    linked = program(text + ".entry k() { .param .b64 x; .param .b32 y; call (y), vprintf, (x, x); ret; }")
    assert list(linked.declared) == ["vprintf"]


# --- call graph ---------------------------------------------------------------------------------------


def test_call_graph():
    linked = program(
        f".func h {{ ret; }} .func g {called('h')} .func f {{ call g; call f; ret; }} .func p {{ ret; }}"
        ".global .u64 table[2] = {p, h}; .func ping; .func pong { call ping; } .func ping { call pong; }"
        f".entry k() {called('f')} .entry i() {{ .reg .b64 %a; call %a, proto; proto: .callprototype _; }}"
    )
    assert linked.reachable("k") == ["k", "f", "g", "h"]
    assert linked.recursive == {"f", "ping", "pong"}
    assert linked.address_taken == ["p", "h"]
    assert linked.callees("i") == ["p", "h"]
    assert linked.symbols == ["table", "p", "h"]
    assert linked.symbol_index["h"] == 2


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14))
def test_recursive_functions_reach_themselves(edges):
    calls = {number: sorted({callee for caller, callee in edges if caller == number}) for number in range(7)}
    text = "".join(f".func f{number};" for number in calls)
    text += "".join(f".func f{n} {{ {' '.join(f'call f{c};' for c in callees)} ret; }}" for n, callees in calls.items())
    linked = program(text)
    reached = {n: set(linked.reachable(f"f{n}")) for n in calls}
    expected = {f"f{n}" for n in calls if any(f"f{n}" in reached[callee] for callee in calls[n])}
    assert linked.recursive == expected


def test_a_large_variable_needs_no_memory_before_it_is_allocated():
    code = load([HEAD + ".global .align 16 .b8 huge[0x10000000000]; .entry k() { ret; }"])
    assert (code.variables["huge"].size, code.variables["huge"].data) == (1 << 40, b"")


# --- shared memory and parameters ---------------------------------------------------------------------


def test_shared_memory_of_a_kernel_includes_called_functions():
    linked = program(
        ".shared .align 8 .b8 big[64]; .extern .shared .align 16 .b8 dyn[];"
        ".func f { .shared .b32 mine; .reg .b32 %a; mov.u32 %a, mine; ret; }"
        ".entry a() { .reg .b32 %a; mov.u32 %a, big; call f; ret; }"
        ".entry b() { .shared .b8 mine; .reg .b32 %a; mov.u32 %a, mine; mov.u32 %a, dyn; ret; } .entry c() { ret; }"
    )
    assert linked.laid_out("a").shared == {"big": 0, "mine": 64}
    assert linked.laid_out("a").shared_static == 68
    assert linked.laid_out("b").shared == {"mine@b": 0, "dyn": 16}
    assert linked.laid_out("b").shared_static == 16
    assert linked.laid_out("c").shared_static == 0


def test_extern_shared_memory_with_a_size_is_static():
    """As in ptxas, which ignores `.extern` there with a warning; without a size it is dynamic shared memory."""
    sized = ".extern .shared .align 8 .b8 a[256]; .extern .shared .align 16 .b8 b[1000]; .extern .shared .b8 c[];"
    uses = ".entry k() { .reg .b32 %a; mov.u32 %a, a; mov.u32 %a, b; mov.u32 %a, c; ret; }"
    linked = program(sized + uses)
    assert linked.laid_out("k").shared == {"a": 0, "b": 256, "c": 1264}
    assert linked.laid_out("k").shared_static == 1264
    other = ".visible .entry other() { .reg .b32 %a; mov.u32 %a, a; ret; }"
    for words, size in (".visible", 512), (".extern", 320), (".visible", 16):
        linked = program(sized + uses, f"{words} .shared .align 8 .b8 a[{size}]; {other}")
        assert linked.laid_out("other").shared_static == (size if words == ".visible" else max(size, 256))


def test_indirectly_called_functions_have_one_shared_layout():
    linked = program(
        ".func f { .shared .b64 s; .reg .b32 %a; mov.u32 %a, s; ret; } .global .u64 table = f;"
        ".entry a() { .shared .b8 x[4]; .reg .b64 %a; .reg .b32 %b; mov.u32 %b, x; call %a, p; p: .callprototype _; }"
        ".entry b() { .reg .b64 %a; call %a, p; p: .callprototype _; }"
    )
    assert linked.laid_out("a").shared == {"s": 0, "x": 8}
    assert linked.laid_out("b").shared == {"s": 0}


_variables = st.lists(
    st.builds(
        lambda number, size, power: Variable(f"v{number}", "shared", "b8", size, 1 << power),
        st.integers(0, 10**6),
        st.integers(1, 100),
        st.integers(0, 7),
    ),
    max_size=8,
    unique_by=lambda variable: variable.name,
)


@given(_variables)
def test_layouts_are_aligned_and_do_not_overlap(variables):
    shared = shared_layout(variables)
    parameters, size = parameter_layout(variables)
    positions = (
        [(shared.offsets[v.name], v) for v in variables],
        [(p.offset, v) for p, v in zip(parameters, variables, strict=True)],
    )
    for placed, end in zip(positions, (shared.size, size), strict=True):
        free = 0
        for offset, variable in placed:
            assert offset >= free
            assert offset % variable.align == 0
            free = offset + variable.size
        assert free == end


# --- what the driver sees -----------------------------------------------------------------------------


def test_attributes_of_loaded_code():
    unit = (
        ".visible .const .align 16 .b8 c[8] = {1, 2}; .global .attribute(.managed) .u64 g = c+4;"
        ".entry k(.param .u32 a, .param .align 16 .b8 s[20], .param .u8 z) .reqntid 8, 4"
        "{ .reg .b64 %rd<4>; .reg .b32 %r<3>; .reg .pred %p<9>; .shared .b32 t; mov.u32 %r1, t; ret; }"
        ".entry m() .maxntid 96, 2, 1 { ret; }"
    )
    code = load([HEAD + unit], capability=86)
    kernel = code.kernels["k"]
    assert [(p.offset, p.size) for p in kernel.parameters] == [(0, 4), (16, 20), (36, 1)]
    assert (kernel.parameter_bytes, kernel.shared_bytes, kernel.registers) == (37, 4, 11)
    assert (kernel.required_block, kernel.max_threads) == ((8, 4, 1), 32)
    assert (kernel.ptx_version, kernel.binary_version, kernel.line) == (90, 86, 4)
    assert code.kernels["m"].max_threads == 192
    assert (code.variables["c"].data, code.variables["c"].size) == (b"\1\2", 8)
    assert (code.variables["c"].visible, code.variables["g"].visible) == (True, False)
    assert code.variables["g"].managed
    assert code.variables["g"].relocations == ((0, 8, "c", 4, 0),)
    assert code.symbols == ["c", "g"]
    assert code.ptx == [HEAD + unit]


def test_programs_have_different_keys():
    texts = [[HEAD], [HEAD, HEAD], [HEAD + "\n"]]
    keys = {build(units).key for units in texts} | {build([HEAD], capability=75).key}
    assert len(keys) == 4
    assert build([HEAD]).key in keys
