# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Calls and branches that do not match their targets are rejected at load, as by ptxas 13.0."""

from __future__ import annotations

import pytest

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.program import build

UNIT = """.version 9.0
.target sm_90a
.address_size 64
.func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 s[16])
{{ .reg .b32 %x; ld.param.b32 %x, [a]; st.param.b32 [r], %x; ret; }}
.func g() {{ ret; }}
.func (.reg .u32 r) h(.reg .u32 a) {{ mov.u32 r, a; ret; }}
.visible .entry k(.param .u64 kp) {{
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b16 %h;
    .param .b32 a0; .param .align 8 .b8 s0[16]; .param .b32 r0; .param .b64 w0; .param .align 8 .b8 t0[8];
    PF: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);
    QG: .calltargets g;
    QB: .calltargets g, f;
    QK: .calltargets k;
    T: .branchtargets L;
    {text}
    L: ret;
}}
"""


@pytest.mark.parametrize(
    "text",
    [
        "call (r0), f, (a0, s0);",
        "call (%r1), f, (%r2, s0);",
        "call (r0), f, (1, s0);",
        "call g; call.uni g;",
        "call (%r1), h, (%r2); call (_), h, (5);",
        "mov.u64 %d1, f; call (r0), %d1, (a0, s0), PF;",
        "mov.u64 %d1, g; call %d1, QG;",
        "brx.idx %r1, T;",
        "bra L;",
    ],
)
def test_valid_calls(text):
    build([UNIT.format(text=text)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("call f, (a0, s0);", "call of f with 0 results; it has 1"),
        ("call (r0), f, (a0);", "call of f with 1 parameters; it has 2"),
        ("call (r0), f;", "call of f with 0 parameters; it has 2"),
        ("call (r0), g;", "call of g with 1 results; it has 0"),
        ("call g, (a0);", "call of g with 1 parameters; it has 0"),
        ("call (w0), f, (a0, s0);", "call of f with result 1 of 8 bytes; it has one of 4"),
        ("call (r0), f, (w0, s0);", "call of f with parameter 1 of 8 bytes; it has one of 4"),
        ("call (r0), f, (a0, t0);", "call of f with parameter 2 of 8 bytes; it has one of 16"),
        ("call (%d1), h, (%r2);", "call of h with result 1 of 8 bytes"),
        ("call (%r1), h, (%h);", "call of h with parameter 1 of 2 bytes"),
        ("call k, (w0);", "call of k, which is a kernel"),
        ("mov.u64 %d1, f; call %d1, (a0, s0), PF;", "call of PF with 0 results; it has 1"),
        ("mov.u64 %d1, f; call (r0), %d1, (w0, s0), PF;", "call of PF with parameter 1 of 8 bytes"),
        ("mov.u64 %d1, g; call %d1, QB;", "call of f with 0 results; it has 1"),
        ("mov.u64 %d1, g; call %d1, (kp), QK;", "call of k, which is a kernel"),
        ("mov.u64 %d1, g; call %d1;", "needs the label of a .callprototype or of .calltargets, not none"),
        ("mov.u64 %d1, g; call %d1, L;", "needs the label of a .callprototype or of .calltargets, not L"),
        ("brx.idx %r1, L;", "brx.idx: L is no label of .branchtargets"),
        ("U: .branchtargets g; brx.idx %r1, U;", "brx: g is no label of k"),
        ("bra g;", "must be a label"),
        ("bra a0;", "bra: a0 is no label of k"),
    ],
)
def test_invalid_calls(text, message):
    with pytest.raises(PtxError, match=message) as caught:
        build([UNIT.format(text=text)])
    assert caught.value.line == 16
