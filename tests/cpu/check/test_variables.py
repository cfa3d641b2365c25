# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""memcheck of neighbouring variables in shared and local memory: which one an address belongs to."""

from __future__ import annotations

from ctypes import c_uint32

import pytest

from cuda.cpu import abi, driver
from cuda.cpu.check.variables import source_name

pytestmark = pytest.mark.cpu_only
each = pytest.mark.parametrize("checked", ["memcheck", "all"], indirect=True)

# %r1: the offset that the launch passes.
KERNEL = """
.extern .shared .align 16 .b8 more[];
.func touch(.param .b64 p)
{{
 .reg .b64 %d<3>;
 ld.param.b64 %d1, [p]; st.u32 [%d1], 1;
 ret;
}}
.visible .entry k(.param .u32 n) {{
 .reg .b32 %r<20>; .reg .pred %p<9>; .reg .b64 %d<20>; .reg .b64 %SP, %SPL;
 .shared .align 4 .b8 _ZZ1kE4tile[64]; .shared .align 4 .b8 next[64]; .local .align 16 .b8 __local_depot0[64];
 .local .align 4 .b8 own[16]; .local .align 4 .b8 after[16];
 ld.param.u32 %r1, [n]; cvt.u64.u32 %d1, %r1;
 mov.u32 %r2, _ZZ1kE4tile; add.s32 %r3, %r2, %r1; mov.u32 %r9, next; st.shared.u32 [%r9], %r1;
 mov.u64 %SPL, __local_depot0; cvta.local.u64 %SP, %SPL; add.u64 %d2, %SPL, 0; add.u64 %d3, %SP, 32;
 add.s64 %d4, %d2, %d1; add.s64 %d5, %d3, %d1;
 mov.u64 %d6, own; add.s64 %d7, %d6, %d1; mov.u64 %d8, after; st.local.u32 [%d8], %r1;
 {body}
 ret;
}}"""

CASES = [  # what accesses the array, its name and its size
    ("st.shared.u32 [%r3], %r1;", "`tile`", 64),
    ("ld.shared.u32 %r4, [%r3];", "`tile`", 64),
    ("red.shared.add.u32 [%r3], 1;", "`tile`", 64),
    ("cvt.u64.u32 %d9, %r3; cvta.shared.u64 %d9, %d9; st.u32 [%d9], %r1;", "`tile`", 64),
    ("mov.u32 %r5, 0;\nL: add.s32 %r2, %r2, 4; add.s32 %r5, %r5, 4; setp.le.u32 %p1, %r5, %r1; @%p1 bra L;\n"
     " st.shared.u32 [%r2+-4], %r1;", "`tile`", 64),
    ("mad.lo.s32 %r5, %r1, 1, %r2; st.shared.u32 [%r5], %r1;", "`tile`", 64),
    ("mov.u32 %r5, more; add.s32 %r5, %r5, %r1; st.shared.u32 [%r5], %r1;", "`more`", 32),
    ("st.local.u32 [%d7], %r1;", "`own`", 16),
    ("st.local.u32 [%d4], %r1;", "a local array", 32),
    ("st.u32 [%d5], %r1;", "a local array", 32),
]  # fmt: skip


def launch(checked, body: str, offset: int) -> list[str]:
    handle = driver.cuCtxCreate_v2(0, 0)
    try:
        checked.launch(KERNEL.format(body=body), c_uint32(offset & 0xFFFFFFFF), shared=32)
        return checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    finally:
        driver.cuCtxDestroy(handle)


@each
@pytest.mark.parametrize(("access", "name", "size"), CASES)
def test_an_array_ends_where_the_next_one_begins(checked, access, name, size):
    assert launch(checked, access, 0) == []
    assert launch(checked, access, size - 4) == []
    (line,) = launch(checked, access, size)
    if name != "`more`":  # beyond it is nothing
        assert f"of 4 bytes at byte {size} of {name}, which has {size}" in line


@each
def test_an_array_begins_where_the_one_before_ends(checked):
    (line,) = launch(checked, "sub.s32 %r5, %r9, %r1; ld.shared.u32 %r6, [%r5];", 4)
    assert "read of 4 bytes at byte -4 of `next`, which has 64" in line


UNKNOWN = [  # the address may be in several variables, or the function does not tell
    "setp.eq.u32 %p1, %r1, 64; selp.b32 %r5, %r2, %r9, %p1; st.shared.u32 [%r5+60], %r1;",
    "cvt.u64.u32 %d9, %r3; cvta.shared.u64 %d9, %d9; .param .b64 q; st.param.b64 [q], %d9; call touch, (q);",
    "add.s32 %r5, %r9, %r1; sub.s32 %r5, %r5, %r2; add.s32 %r5, %r2, %r5; st.shared.u32 [%r5+-64], %r1;",
    "mov.u32 %r5, next;\n @%p1 mov.u32 %r5, 4;\n st.shared.u32 [%r5], %r1;",
]


@each
@pytest.mark.parametrize("body", UNKNOWN)
def test_addresses_that_may_be_in_several_variables(checked, body):
    assert launch(checked, body, 64) == []


@pytest.mark.parametrize(
    ("name", "source"),
    [("_ZZ3sumPfE4tile", "tile"), ("_ZZ3sumPfE4tile_0", "tile"), ("room", "room"), ("_ZZN3foo3barEvE3E4x", "E4x"),
     ("__local_depot3", ""), ("_ZN1a4roomE", "_ZN1a4roomE")],
)  # fmt: skip
def test_names_of_variables(name, source):
    assert source_name(name) == source
