# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Strong (volatile, relaxed, acquire, release) vector accesses: correct elements, and no torn vectors."""

from __future__ import annotations

import numpy as np
import pytest
from support.loaded import Loaded
from support.warps import compiled

VECTORS = [("b8", 2), ("b8", 4), ("b16", 2), ("b16", 4), ("u32", 2), ("f32", 4), ("b32", 4), ("b64", 2), ("f64", 2)]


def copy(type_: str, count: int, load: str, store: str, same: bool) -> str:
    size = int(type_[1:]) // 8 * count
    register = "b16" if type_ == "b8" else type_
    elements = "{" + ", ".join(f"%v{i}" for i in range(count)) + "}"
    return f"""
.visible .entry k(.param .u64 data, .param .u64 out, .param .u32 limit)
{{
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .{register} %v<4>;
    ld.param.u64 %d1, [data]; ld.param.u64 %d2, [out]; ld.param.u32 %r2, [limit];
    mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, {size}; add.s64 %d4, %d2, %d3;
    {"" if same else "xor.b32 %r3, %r1, 5; mul.wide.u32 %d5, %r3, " + str(size) + "; add.s64 %d1, %d1, %d5;"}
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra END;
    ld.{load}.global.v{count}.{type_} {elements}, [%d1];
    st.{store}.global.v{count}.{type_} [%d4], {elements};
END:
    ret;
}}
"""


@pytest.mark.parametrize(("type_", "count"), VECTORS)
@pytest.mark.parametrize(
    ("load", "store"), [("volatile", "volatile"), ("relaxed.gpu", "relaxed.sys"), ("acquire.gpu", "release.gpu")]
)
@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("limit", [32, 19])
def test_elements_are_stored_per_lane(type_, count, load, store, same, limit):
    size = int(type_[1:]) // 8 * count
    data = np.random.default_rng(3).integers(0, 256, 32 * size, np.uint8)
    out = np.zeros_like(data)
    compiled(copy(type_, count, load, store, same))(data, out, np.uint32(limit))
    rows = data.reshape(32, size)[np.zeros(32, int) if same else np.arange(32) ^ 5]
    rows[limit:] = 0
    np.testing.assert_array_equal(out.reshape(32, size), rows)


@pytest.mark.cpu_only
@pytest.mark.parametrize(("type_", "count"), [("u32", 2), ("u64", 2), ("u32", 4)])
@pytest.mark.parametrize("lanes", [1, 2])
def test_vector_stores_are_not_torn(type_, count, lanes):
    """Block 0 keeps storing vectors of equal elements; block 1 counts vectors whose elements differ."""
    elements = [f"%v{i}" for i in range(count)]
    size = int(type_[1:]) // 8 * count
    text = f""".version 8.5\n.target sm_90\n.address_size 64
.visible .entry k(.param .u64 words, .param .u64 found, .param .u32 times)
{{
    .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .{type_} %v<4>;
    ld.param.u64 %d1, [words]; ld.param.u64 %d2, [found]; ld.param.u32 %r1, [times];
    mov.u32 %r2, %tid.x; mul.wide.u32 %d3, %r2, {size}; add.s64 %d1, %d1, %d3;
    mov.u32 %r3, %ctaid.x; setp.ne.u32 %p1, %r3, 0; mov.u32 %r4, 0;
    @%p1 bra LOOK;
PUT: cvt.u{type_[1:]}.u32 %v0, %r1;
    {"" if type_ == "u32" else "mul.lo.u64 %v0, %v0, 0x100000001;"}
    st.relaxed.gpu.global.v{count}.{type_} [%d1], {{{", ".join(["%v0"] * count)}}};
    sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0;
    @%p2 bra PUT;
    ret;
LOOK: ld.relaxed.gpu.global.v{count}.{type_} {{{", ".join(elements)}}}, [%d1];
    setp.ne.{type_} %p3, %v0, {elements[-1]};
    @%p3 add.u32 %r4, %r4, 1;
    sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0;
    @%p2 bra LOOK;
    atom.global.add.u32 %r5, [%d2], %r4;
    ret;
}}
"""
    memory = np.zeros(256, np.uint8)
    words = memory[-memory.ctypes.data % 64 :]
    found = np.zeros(1, np.uint32)
    Loaded(text.encode()).launch("k", 2, lanes, words, found, np.uint32(300_000))
    assert found[0] == 0
