# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels that call functions, and the functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.random_focus import Writer

FUNCTIONS = """\
.func (.reg .u32 r) plus(.reg .u32 a, .reg .b32 b) { add.u32 r, a, b; ret; }
.func (.reg .u32 r) minus(.reg .u32 a, .reg .b32 b) { sub.u32 r, a, b; xor.b32 r, r, 77; ret; }
.func (.reg .u32 r) early(.reg .u32 a, .reg .b32 b) {
    .reg .pred %p1; mul.lo.u32 r, a, 3; setp.gt.u32 %p1, a, b; @%p1 ret; add.u32 r, r, b; ret; }
.func (.reg .u32 r) rounds(.reg .u32 a, .reg .b32 b) {
    .reg .pred %p1; .reg .b32 %n; and.b32 %n, b, 7; mov.u32 r, a;
MORE: setp.eq.u32 %p1, %n, 0; @%p1 ret; mad.lo.u32 r, r, 5, %n; sub.u32 %n, %n, 1; bra MORE; }
.func (.param .b32 r, .param .b32 s) both(.param .b32 a, .param .align 8 .b8 more[16]) {
    .reg .b32 %r<6>; .local .align 8 .b8 own[24];
    ld.param.b32 %r1, [a]; ld.param.v2.b32 {%r2, %r3}, [more+8]; ld.param.b32 %r4, [more]; ld.param.u8 %r5, [more+5];
    st.local.u32 [own+20], %r2; sub.u32 %r3, %r3, %r4; add.u32 %r1, %r1, %r5; ld.local.u32 %r2, [own+20];
    xor.b32 %r2, %r2, %r1; st.param.b32 [r], %r2; st.param.b32 [s], %r3; ret; }
.func (.param .align 8 .b8 back[12]) parts(.param .align 8 .b8 given[24], .param .b64 wide) {
    .reg .b32 %r<9>; .reg .b64 %q<5>; .reg .b16 %h<3>;
    ld.param.u64 %q1, [given+8]; ld.param.s8 %r1, [given+3]; ld.param.u16 %h1, [given+6]; ld.param.u64 %q2, [wide];
    add.s64 %q3, %q1, %q2; cvt.u32.u64 %r2, %q3; cvt.u32.u16 %r3, %h1; add.u32 %r1, %r1, %r3;
    ld.param.u8 %r4, [given+17]; shr.u64 %q4, %q3, 32; cvt.u32.u64 %r5, %q4; xor.b32 %r4, %r4, %r5;
    st.param.b32 [back], %r1; st.param.b32 [back+4], %r2; st.param.b32 [back+8], %r4; ret; }
.func (.param .b32 r) deep(.param .b32 a, .param .b32 n) {
    .local .align 1 .b8 few[5]; .local .align 8 .b8 kept[16]; .reg .b32 %r<9>; .reg .pred %p1;
    ld.param.u32 %r1, [a]; ld.param.u32 %r2, [n]; and.b32 %r2, %r2, 3;
    st.local.v2.u32 [kept+8], {%r1, %r2}; st.local.u8 [few+4], %r1; setp.eq.u32 %p1, %r2, 0; @%p1 bra LAST;
    sub.u32 %r3, %r2, 1; mad.lo.u32 %r4, %r1, 3, %r2;
    { .param .b32 x; st.param.b32 [x], %r4; .param .b32 y; st.param.b32 [y], %r3; .param .b32 z;
      call (z), deep, (x, y); ld.param.b32 %r5, [z]; }
    ld.local.u32 %r6, [kept+8]; ld.local.u32 %r7, [kept+12]; mad.lo.u32 %r5, %r6, %r7, %r5; ld.local.u8 %r8, [few+4];
    add.u32 %r5, %r5, %r8; st.param.b32 [r], %r5; ret;
LAST: st.param.b32 [r], %r1; ret; }
.func (.reg .u32 r) raise(.reg .u32 a, .reg .u64 at) {
    ld.u32 r, [at]; add.u32 r, r, a; st.u32 [at], r; ret; }
.func (.reg .u32 r) lower(.reg .u32 a, .reg .u64 at) {
    ld.u32 r, [at]; mul.lo.u32 r, r, 3; st.u32 [at], r; sub.u32 r, r, a; ret; }
.global .align 8 .u64 table[4] = {plus, minus, early, rounds};
.global .align 8 .u64 changing[2] = {raise, lower};
"""


def call(writer: Writer) -> str:
    """Call directly or through a pointer, with parameters in registers, in memory, in structs."""
    form = writer.random.choice([_indirect, _indirect, _changing, _direct, _both, _parts, _deep])
    return writer.some(form(writer))


def _direct(writer: Writer) -> str:
    result, name = writer.new(), writer.choice("plus", "minus", "early", "rounds")
    return f"call ({result}), {name}, ({writer.operand()}, {writer.source()}); {writer.store(result)}"


def _indirect(writer: Writer) -> str:
    """Call a function of the table, or one that each lane chooses."""
    index, address, function = writer.new(), writer.new("q"), writer.new("q")
    result, name = writer.new(), writer.label()
    return (
        f"and.b32 {index}, {writer.choice('%lane', '%k', '%a0', '%a1')}, 3; mul.wide.u32 {address}, {index}, 8;"
        f" mov.u64 {function}, table; add.s64 {address}, {address}, {function}; ld.global.u64 {function}, [{address}];"
        f" {name}: .callprototype (.reg .u32 _) _ (.reg .u32 _, .reg .b32 _);"
        f" call ({result}), {function}, ({writer.source()}, {writer.source()}), {name}; {writer.store(result)}"
    )


def _changing(writer: Writer) -> str:
    """Call one of two functions that change the word at a pointer."""
    index, address, function, pointer = writer.new(), writer.new("q"), writer.new("q"), writer.new("q")
    result, name, at = writer.new(), writer.label(), writer.take(4)
    return (
        f"and.b32 {index}, {writer.choice('%lane', '%k', '%a0', '%a1')}, 1; mul.wide.u32 {address}, {index}, 8;"
        f" mov.u64 {function}, changing; add.s64 {address}, {address}, {function};"
        f" ld.global.u64 {function}, [{address}];"
        f" add.s64 {pointer}, %out, {at}; st.global.u32 [%out+{at}], {writer.source()};"
        f" {name}: .callprototype (.reg .u32 _) _ (.reg .u32 _, .reg .u64 _);"
        f" call ({result}), {function}, ({writer.source()}, {pointer}), {name}; {writer.store(result)}"
    )


def _both(writer: Writer) -> str:
    result, other, a, b = writer.new(), writer.new(), writer.source(), writer.source()
    return (
        f"{{ .param .b32 a; .param .align 8 .b8 m[16]; .param .b32 r; .param .b32 s; st.param.b32 [a], {a};"
        f" st.param.b32 [m], {b}; st.param.b32 [m+4], {a}; st.param.v2.b32 [m+8], {{{b}, {a}}};"
        f" call (r, s), both, (a, m); ld.param.b32 {result}, [r]; ld.param.b32 {other}, [s]; }}"
        f" {writer.store(result)} {writer.store(other)}"
    )


def _parts(writer: Writer) -> str:
    """Pass and return structs with fields of several sizes."""
    results, wide, narrow = [writer.new() for _ in range(3)], writer.new("q"), writer.new("h")
    loads = "".join(f" ld.param.b32 {each}, [b+{4 * number}];" for number, each in enumerate(results))
    stores = " ".join(writer.store(each) for each in results)
    return (
        f"mov.b64 {wide}, {{{writer.source()}, {writer.source()}}}; cvt.u16.u32 {narrow}, {writer.source()};"
        f" {{ .param .align 8 .b8 g[24]; .param .b64 w; .param .align 8 .b8 b[12]; st.param.u32 [g], {writer.source()};"
        f" st.param.u32 [g+4], {writer.source()}; st.param.u8 [g+3], {writer.source()}; st.param.u16 [g+6], {narrow};"
        f" st.param.u64 [g+8], {wide}; st.param.u32 [g+16], {writer.source()}; st.param.u64 [w], {wide};"
        f" call (b), parts, (g, w);{loads} }} {stores}"
    )


def _deep(writer: Writer) -> str:
    """Call a function that calls itself up to three times, with variables of its own in each call."""
    result = writer.new()
    return (
        f"{{ .param .b32 a; .param .b32 n; .param .b32 r; st.param.b32 [a], {writer.source()};"
        f" st.param.b32 [n], {writer.source()}; call (r), deep, (a, n); ld.param.b32 {result}, [r]; }}"
        f" {writer.store(result)}"
    )
