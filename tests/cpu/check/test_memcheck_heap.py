# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""memcheck of the device's heap: accesses to memory of malloc() in kernels, and what they free."""

from __future__ import annotations

from ctypes import c_uint32, c_uint64

import pytest

from cuda.cpu import abi, driver

pytestmark = [pytest.mark.cpu_only, pytest.mark.parametrize("checked", ["memcheck"], indirect=True)]


def test_memory_of_the_devices_heap(checked):
    text = """.extern .func (.param .b64 r) malloc (.param .b64 size);
    .extern .func free (.param .b64 p);
    .visible .entry k(.param .u64 n, .param .u32 after) {
     .reg .b64 %d<5>; .reg .b32 %r<3>; .reg .pred %p<2>;
     ld.param.u64 %d2, [n]; ld.param.u32 %r1, [after]; setp.ne.u32 %p1, %r1, 0;
     { .param .b64 a; .param .b64 r; mov.b64 %d3, 20; st.param.b64 [a], %d3; call.uni (r), malloc, (a);
       ld.param.b64 %d1, [r]; }
     add.s64 %d2, %d1, %d2;
     @%p1 bra FREE;
     st.u32 [%d2], 1;
    FREE: { .param .b64 a; st.param.b64 [a], %d1; call.uni free, (a); }
     @%p1 st.u32 [%d2], 1;
     ret; }"""
    checked.launch(text, c_uint64(16), c_uint32(0), block=70)
    assert checked.lines() == []
    checked.launch(text, c_uint64(20), c_uint32(0))
    (line,) = checked.lines()
    assert "0 bytes after the allocation of 20 bytes" in line
    assert "malloc() in a kernel" in line


def test_freed_memory_of_the_devices_heap(checked):
    text = """.extern .func (.param .b64 r) malloc (.param .b64 size);
    .extern .func free (.param .b64 p);
    .visible .entry k() { .reg .b64 %d<5>;
     { .param .b64 a; .param .b64 r; mov.b64 %d3, 20; st.param.b64 [a], %d3; call.uni (r), malloc, (a);
       ld.param.b64 %d1, [r]; }
     { .param .b64 a; st.param.b64 [a], %d1; call.uni free, (a); }
     st.u32 [%d1], 1;
     ret; }"""
    checked.launch(text)
    (line,) = checked.lines()
    assert "made by malloc() in a kernel, which is freed" in line


@pytest.mark.parametrize(
    ("frees", "thread", "more"),
    [
        ((".", "."), 0, " (and 3 more by this instruction)"),
        (("8",), 0, " (and 3 more by this instruction)"),  # not the beginning
        (("first",), 1, " (and 2 more by this instruction)"),  # all threads free what one has allocated
        (("p",), 0, " (and 3 more by this instruction)"),  # memory of cuMemAlloc
        (("0", "0", "."), None, ""),
    ],
)
@pytest.mark.parametrize("size", [20, 100000])
def test_wrong_frees_of_the_devices_heap(checked, frees, thread, more, size):
    pointer = {".": "%d1", "8": "%d5", "first": "%d6", "p": "%d2", "0": "%d7"}
    calls = "\n".join(
        f"{{ .param .b64 a; st.param.b64 [a], {pointer[each]};\ncall.uni free, (a);\n}}" for each in frees
    )
    text = f""".extern .func (.param .b64 r) malloc (.param .b64 size);
    .extern .func free (.param .b64 p);
    .visible .entry k(.param .u64 p) {{ .reg .b64 %d<8>; .reg .b32 %r<4>;
     ld.param.u64 %d2, [p]; mov.b64 %d7, 0;
     {{ .param .b64 a; .param .b64 r; mov.b64 %d3, {size}; st.param.b64 [a], %d3; call.uni (r), malloc, (a);
       ld.param.b64 %d1, [r]; }}
     add.s64 %d5, %d1, 8; mov.b64 {{%r1, %r2}}, %d1;
     shfl.sync.idx.b32 %r1, %r1, 0, 31, -1; shfl.sync.idx.b32 %r2, %r2, 0, 31, -1; mov.b64 %d6, {{%r1, %r2}};
     {calls}
     st.global.u32 [%d2], 7;
     ret; }}"""
    pointer = driver.cuMemAlloc(64)
    checked.launch(text, c_uint64(pointer), block=4)
    lines = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    if thread is None:
        assert lines == []
        return
    (line,) = lines
    assert f"thread ({thread}, 0, 0), PTX line " in line
    assert " `call.uni free, (a);`: free() of 0x" in line
    assert line.endswith(f", which malloc() has not returned, or which is free already{more}")
