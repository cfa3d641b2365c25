# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of device functions: scalars and structs by value, function pointers, recursion, services of the runtime."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from support.warps import Fault, Kernel, compiled

from cuda.cpu.ptx.error import PtxError

START = """
.visible .entry k(.param .u64 data)
{
    .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %d<30>;
    ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
"""
END = "    st.global.u32 [%d3], %r9;\n    ret;\n}\n"
ADD = """
.func (.param .b32 out) add(.param .b32 a, .param .b32 b) {
    .reg .b32 %r<4>; ld.param.b32 %r1, [a]; ld.param.b32 %r2, [b]; add.u32 %r3, %r1, %r2; st.param.b32 [out], %r3; ret;
}
"""
SUB = ADD.replace("add", "sub").replace("add.u32", "sub.u32")


def run(text: str) -> np.ndarray:
    data = np.zeros(32, np.uint32)
    compiled(text)(data)
    return data


def test_divergent_returns_keep_each_lanes_result() -> None:
    function = """
.func (.param .b32 out) f(.param .b32 a) {
    .reg .b32 %r<9>; .reg .pred %p<2>;
    ld.param.b32 %r1, [a]; setp.lt.u32 %p1, %r1, 10;
    @%p1 bra SMALL;
    st.param.b32 [out], 500; ret;
SMALL:
    add.u32 %r2, %r1, 1; st.param.b32 [out], %r2; ret;
}
"""
    call = "{ .param .b32 a; .param .b32 o; st.param.b32 [a], %r1; call.uni (o), f, (a); ld.param.b32 %r9, [o]; }\n"
    lanes = np.arange(32)
    np.testing.assert_array_equal(run(function + START + call + END), np.where(lanes < 10, lanes + 1, 500))


def test_parameters_in_registers() -> None:
    function = """
.func (.reg .u32 sum, .reg .b32 other) f(.reg .u32 a, .reg .b32 b) {
    .reg .pred %p<2>;
    add.u32 sum, a, b; mov.b32 other, 7; setp.gt.u32 %p1, a, 9;
    @%p1 ret;
    add.u32 sum, sum, 1000;
}
"""
    call = "mul.lo.u32 %r2, %r1, 100; call (%r3, %r4), f, (%r1, %r2); mad.lo.u32 %r9, %r4, 1000000, %r3;"
    lanes = np.arange(32)
    expected = lanes * 101 + 7000000 + np.where(lanes > 9, 0, 1000)
    np.testing.assert_array_equal(run(function + START + call + END), expected)


@pytest.mark.parametrize(("kind", "what"), [(".pred", "a predicate"), (".v2 .b32", "a vector")])
def test_register_parameters_of_unsupported_types(kind, what) -> None:
    with pytest.raises(PtxError, match=f"parameter p of f is {what}"):
        run(f".func f(.reg {kind} p) {{ ret; }}\n" + START + END)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("(f), f, (%r1)", "result .*f.* of a call must be a register or a .param variable"),
        ("(data), f, (%r1)", "result .*data.* of a call must be a register or a .param variable"),
        ("(7), f, (%r1)", "result .*7.* of a call must be a register or a .param variable"),
    ],
)
def test_invalid_call_results(call: str, message: str) -> None:
    function = ".func (.param .b32 sum) f(.param .b32 a) { .reg .b32 %r<2>; st.param.b32 [sum], 1; ret; }\n"
    with pytest.raises(PtxError, match=message):
        run(f"{function}{START}call {call};{END}")


@pytest.mark.parametrize(
    ("use", "message"),
    [("mov.u64 %d1, s", "the address of 's' cannot be taken"), ("st.local.u32 [s+8], %r1", "s is in .param")],
)
def test_parameters_of_calls_have_no_address(use: str, message: str) -> None:
    with pytest.raises(PtxError, match=message):
        run(f"{START}.param .b8 s[32]; {use};{END}")


@pytest.mark.parametrize(("align", "size"), [(4, 24), (8, 24), (16, 32), (2, 22), (1, 21)])
def test_a_parameter_whose_address_is_taken_is_a_copy_in_local_memory(align: int, size: int) -> None:
    function = f"""
.func (.param .b32 out) f(.param .align {align} .b8 s[{size}], .param .b32 i) {{
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<2>;
    ld.param.b32 %r1, [i]; mov.b64 %d1, s+1; cvt.u64.u32 %d2, %r1; add.s64 %d3, %d1, %d2;
AGAIN:
    ld.local.u8 %r2, [%d3]; add.u32 %r2, %r2, 1; st.local.u8 [%d3], %r2;
    setp.lt.u32 %p1, %r2, 40;
    @%p1 bra AGAIN;
    ld.param.u8 %r3, [s+3]; mul.lo.u32 %r3, %r3, 1000; add.u32 %r3, %r3, %r2; st.param.b32 [out], %r3; ret;
}}
"""
    stores = "".join(f"st.param.b8 [s+{byte}], {byte};" for byte in range(size))
    call = f"""
    {{ .param .align {align} .b8 s[{size}]; .param .b32 i; .param .b32 o; {stores}
    rem.u32 %r2, %r1, 20; st.param.b32 [i], %r2;
    call (o), f, (s, i); ld.param.b32 %r9, [o]; }}
"""
    index = np.arange(32) % 20
    expected = np.where(index == 2, 40, 3) * 1000 + 40
    np.testing.assert_array_equal(run(function + START + call + END), expected)


def test_structs_by_value() -> None:
    function = """
.func (.param .align 8 .b8 out[16]) f(.param .align 8 .b8 s[24], .param .b64 x) {
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b16 %h<3>;
    ld.param.b64 %d1, [s+8]; ld.param.b8 %h1, [s+1]; ld.param.v2.b32 {%r1, %r2}, [s+16]; ld.param.b64 %d2, [x];
    cvt.u32.u16 %r3, %h1; add.u32 %r1, %r1, %r3; add.s64 %d1, %d1, %d2;
    st.param.b64 [out+8], %d1; st.param.b32 [out], %r1; st.param.b32 [out+4], %r2; ret;
}
"""
    call = """
    { .param .align 8 .b8 s[24]; .param .b64 x; .param .align 8 .b8 o[16];
    st.param.b32 [s], -1; st.param.b8 [s+1], 7; mov.u64 %d4, 1000; st.param.b64 [s+8], %d4;
    st.param.v2.b32 [s+16], {%r1, 3};
    cvt.u64.u32 %d5, %r1; st.param.b64 [x], %d5;
    call.uni (o), f, (s, x);
    ld.param.v2.b32 {%r4, %r5}, [o]; ld.param.b32 %r6, [o+8]; }
    mad.lo.u32 %r9, %r5, 100000, %r4; mad.lo.u32 %r9, %r6, 1000, %r9;
"""
    lanes = np.arange(32)
    np.testing.assert_array_equal(run(function + START + call + END), 300000 + lanes + 7 + (1000 + lanes) * 1000)


INDIRECT = """
    and.b32 %r2, %r1, 1; mul.wide.u32 %d4, %r2, 8; mov.u64 %d5, table; add.s64 %d5, %d5, %d4; ld.global.u64 %d6, [%d5];
    { .param .b32 a; .param .b32 b; .param .b32 o; st.param.b32 [a], 100; st.param.b32 [b], %r1;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
    call (o), %d6, (a, b), proto; ld.param.b32 %r9, [o]; }
"""


def test_each_lane_calls_its_own_function() -> None:
    table = ".global .align 8 .u64 table[2] = {add, sub};\n"
    lanes = np.arange(32)
    expected = np.where(lanes % 2 == 0, 100 + lanes, 100 - lanes)
    np.testing.assert_array_equal(run(ADD + SUB + table + START + INDIRECT + END), expected)


IN_REGISTERS = """
.func (.reg .u32 to, .reg .u64 more) {0}(.reg .u32 a, .reg .b32 b) {{
    {1}.u32 to, a, b; cvt.u64.u32 more, b; add.u64 more, more, {2}; ret;
}}
"""
CALL_REGISTERS = """
    and.b32 %r2, %r1, 1; mul.wide.u32 %d4, %r2, 8; mov.u64 %d5, table; add.s64 %d5, %d5, %d4; ld.global.u64 %d6, [%d5];
    proto: .callprototype (.reg .u32 _, .reg .b64 _) _ (.reg .u32 _, .reg .b32 _);
    list: .calltargets add, sub;
    call (%r4, %d7), %d6, (100, %r1), {0};
    cvt.u32.u64 %r5, %d7; mad.lo.u32 %r9, %r5, 1000, %r4;
"""


@pytest.mark.parametrize("known", ["proto", "list"])
@pytest.mark.parametrize("lanes", [32, 11])  # all lanes, and those before a branch
def test_indirect_calls_with_parameters_in_registers(known: str, lanes: int) -> None:
    functions = IN_REGISTERS.format("add", "add", 0) + IN_REGISTERS.format("sub", "sub", 7)
    table = ".global .align 8 .u64 table[2] = {add, sub};\n"
    guard = f"mov.u32 %r9, 5; setp.ge.u32 %p1, %r1, {lanes}; @%p1 bra AFTER;"
    lane = np.arange(32)
    called = np.where(lane % 2 == 0, 100 + lane + 1000 * lane, 100 - lane + 1000 * (lane + 7))
    result = run(functions + table + START + guard + CALL_REGISTERS.format(known) + "AFTER:" + END)
    np.testing.assert_array_equal(result, np.where(lane < lanes, called, 5))


def test_prototypes_with_predicate_parameters() -> None:
    with pytest.raises(PtxError, match=r"parameter _ of proto is a predicate, which is not passed in registers"):
        run(START + "proto: .callprototype _ (.reg .pred _);" + END)


def test_calling_an_invalid_function_pointer_is_a_fault() -> None:
    text = ADD + SUB + ".global .align 8 .u64 table[2] = {add, sub};\n" + START + INDIRECT + END
    kernel = Kernel(text)
    kernel.variables["table"].view(np.uint64)[1] = 12345
    with pytest.raises(Fault, match="invalid_pc"):
        kernel(np.zeros(32, np.uint32))


def test_recursion_with_local_memory() -> None:
    text = """
.func (.param .b32 out) fib(.param .b32 n) {
    .local .align 4 .b8 room[8]; .reg .b32 %r<9>; .reg .pred %p<2>; .reg .b64 %d<3>;
    ld.param.b32 %r1, [n]; mov.u64 %d1, room; st.local.u32 [%d1+4], %r1;
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra DONE;
    add.u32 %r2, %r1, -1; add.u32 %r3, %r1, -2;
    { .param .b32 a; .param .b32 o; st.param.b32 [a], %r2; call (o), fib, (a); ld.param.b32 %r4, [o]; }
    { .param .b32 a; .param .b32 o; st.param.b32 [a], %r3; call (o), fib, (a); ld.param.b32 %r5, [o]; }
    add.u32 %r6, %r4, %r5; ld.local.u32 %r7, [%d1+4]; setp.ne.u32 %p1, %r7, %r1; @%p1 trap;
    st.param.b32 [out], %r6; ret;
DONE:
    st.param.b32 [out], %r1; ret;
}
"""
    call = """
    rem.u32 %r2, %r1, 11;
    { .param .b32 a; .param .b32 o; st.param.b32 [a], %r2; call (o), fib, (a); ld.param.b32 %r9, [o]; }
"""
    fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55]
    np.testing.assert_array_equal(run(text + START + call + END), [fibonacci[lane % 11] for lane in range(32)])
    assert compiled(text + START + call + END).local_bytes == 16
    with pytest.raises(Fault, match="stack"):
        compiled(text + START + call + END)(np.zeros(32, np.uint32), local=64)


def test_mutually_recursive_functions_with_guarded_calls() -> None:
    call = """
    setp.gt.u32 %p1, %r1, 20;
    { .param .b32 a; .param .b32 b; .param .b32 o; st.param.b32 [a], 1; st.param.b32 [b], %r1;
    @%p1 call (o), add, (a, b); ld.param.b32 %r2, [o]; }
    selp.b32 %r9, %r2, 5, %p1;
"""
    lanes = np.arange(32)
    np.testing.assert_array_equal(run(ADD + START + call + END), np.where(lanes > 20, lanes + 1, 5))


def array(address: int, type_: type) -> list[int]:
    return list((type_ * 32).from_address(address))


def test_services_receive_the_calling_lanes() -> None:
    text = """
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 p) malloc(.param .b64 size);
.extern .func free(.param .b64 p);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
""" + START + """
    setp.gt.u32 %p1, %r1, 2; mov.u32 %r9, 0;
    @%p1 bra END;
    cvt.u64.u32 %d4, %r1; add.u32 %r3, %r1, 40;
    { .param .b64 f; .param .b64 a; .param .b32 o; st.param.b64 [f], %d1; st.param.b64 [a], %d4;
    call.uni (o), vprintf, (f, a); ld.param.b32 %r9, [o]; }
    { .param .b64 s; .param .b64 o; st.param.b64 [s], %d4; call.uni (o), malloc, (s); ld.param.b64 %d5, [o]; }
    { .param .b64 p; st.param.b64 [p], %d5; call.uni free, (p); }
    { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
    st.param.b64 [m], 1; st.param.b64 [f], 2; st.param.b32 [l], %r3; st.param.b64 [n], 3; st.param.b64 [s], 1;
    call.uni __assertfail, (m, f, l, n, s); }
END:
""" + END  # fmt: skip
    seen: dict[str, object] = {}

    def vprintf(warp: int, lanes: int, formats: int, arguments: int, result: int) -> None:
        seen["vprintf"] = (lanes, array(arguments, ctypes.c_uint64)[:3])
        ctypes.memmove(result, (ctypes.c_int32 * 3)(7, 8, 9), 12)

    def malloc(warp: int, lanes: int, sizes: int, result: int) -> None:
        seen["malloc"] = (lanes, array(sizes, ctypes.c_uint64)[:3])
        ctypes.memmove(result, (ctypes.c_uint64 * 3)(70, 80, 90), 24)

    def free(warp: int, lanes: int, pointers: int) -> None:
        seen["free"] = (lanes, array(pointers, ctypes.c_uint64)[:3])

    def assert_fail(warp: int, lanes: int, message: int, file: int, line: int, function: int) -> None:
        seen["assert_fail"] = (lanes, array(line, ctypes.c_uint32)[:3])

    data = np.zeros(32, np.uint32)
    compiled(text)(data, services={"vprintf": vprintf, "malloc": malloc, "free": free, "assert_fail": assert_fail})
    assert seen == {
        "vprintf": (7, [0, 1, 2]),
        "malloc": (7, [0, 1, 2]),
        "free": (7, [70, 80, 90]),
        "assert_fail": (7, [40, 41, 42]),
    }
    assert data.tolist() == [7, 8, 9] + [0] * 29
