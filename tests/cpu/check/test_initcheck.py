# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""initcheck: reads of memory that nothing has written, in every state space; and correct look-alikes."""

from __future__ import annotations

import ctypes
from ctypes import c_uint64

import pytest

from cuda.cpu import abi, driver

pytestmark = [pytest.mark.cpu_only, pytest.mark.parametrize("checked", ["initcheck"], indirect=True)]

SIZE = 1024  # bytes of %d1, which is not written, and of %d2, which is


def kernel(body: str, declarations: str = "", functions: str = "") -> str:
    """Return a kernel with %d1, %d2: global memory, not written and written; %r1: thread; %d3: 4 * thread."""
    return f"""{functions}
.visible .entry k(.param .u64 p, .param .u64 q) {{
 .reg .b64 %d<20>; .reg .b32 %r<20>; .reg .b16 %h<9>; .reg .f32 %f<20>; .reg .pred %p<9>;
 {declarations}
 ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;
 {body}
 ret; }}"""


def found(checked, text: str, **launch) -> list[str]:
    """Return what is found in a launch with new memory, in a context that it may spoil."""
    handle = driver.cuCtxCreate_v2(0, 0)
    try:
        fresh, written = driver.cuMemAlloc(SIZE), driver.cuMemAlloc(SIZE)
        driver.cuMemsetD8(written, 0, SIZE)
        checked.launch(text, c_uint64(fresh), c_uint64(written), **launch)
        return checked.lines(abi.CUDA_ERROR_LAUNCH_FAILED)
    finally:
        driver.cuCtxDestroy(handle)


SHARED = ".shared .align 16 .b8 s[1024]; "
LOCAL = ".local .align 16 .b8 l[64]; "
INNER = """.func inner() { .reg .b32 %r<3>; .local .align 4 .b8 m[8]; FIRST
 ld.local.u32 %r1, [m+4]; st.local.u32 [m], 1; st.local.u32 [m+4], 2; ret; }"""
WMMA = "{%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}"

BULK = (
    "mbarrier.init.shared.b64 [s+512], 64; "
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [SOURCE], 64, [s+512]; "
)

# What is wrong, and what the message says after "read of".
FAULTY = {
    "global": ("ld.global.u32 %r2, [%d1];", "", "4 bytes: 0x"),
    "one byte of a word": ("st.global.u8 [%d1], 1; st.global.u16 [%d1+2], 1; ld.global.u32 %r2, [%d1];", "", "byte 1"),
    "the end of a vector": (
        "st.global.v2.u32 [%d1], {1, 2}; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d1];",
        "",
        "16 bytes: 0x",
    ),
    "generic": ("ld.u8 %h1, [%d1+1023];", "", "byte 1023 of the allocation of 1024 bytes"),
    "atomic": ("atom.global.add.u32 %r2, [%d1], 1;", "", "byte 0 of the allocation"),
    "reduction": ("red.global.add.f32 [%d1+8], 1.0;", "", "byte 8 of the allocation"),
    "volatile": ("ld.volatile.global.u32 %r2, [%d1+4];", "", "byte 4 of the allocation"),
    "malloc": (
        "{ .param .b64 a; .param .b64 b; st.param.b64 [a], 16; call (b), malloc, (a); ld.param.b64 %d4, [b]; }"
        " st.u64 [%d4], 0; ld.u64 %d5, [%d4+8];",
        "",
        "byte 8 of the allocation of 16 bytes",
    ),
    "shared": ("ld.shared.u32 %r2, [s+12];", SHARED, "byte 12 of shared memory"),
    "shared by a generic address": (
        "mov.u64 %d4, s; cvta.shared.u64 %d4, %d4; ld.u32 %r2, [%d4+4];",
        SHARED,
        "byte 4 of shared memory",
    ),
    "shared, half of it written": (
        "mov.u32 %r3, s; mad.lo.u32 %r3, %r1, 8, %r3; st.shared.u32 [%r3], %r1; bar.sync 0; ld.shared.u64 %d4, [%r3];",
        SHARED,
        "byte 4 of shared memory",
    ),
    "mbarrier": ("mbarrier.arrive.shared.b64 %d4, [s+16];", SHARED, "byte 16 of shared memory"),
    "ldmatrix": ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [s];", SHARED, "16 bytes: byte 0 of shared memory"),
    "wmma": (
        f"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {WMMA}, [%d1];",
        "",
        "32 bytes: 0x",
    ),
    "the source of a copy that is then read": (
        "cp.async.ca.shared.global [s], [%d1], 16; cp.async.wait_all; ld.shared.u32 %r2, [s+4];",
        SHARED,
        "byte 4 of shared memory",
    ),
    "the source of a bulk copy that is then read": (
        BULK.replace("SOURCE", "%d1") + "ld.shared.u32 %r2, [s+60];",
        SHARED,
        "byte 60 of shared memory",
    ),
    "the source of a bulk reduction": (
        "st.shared.v2.u64 [s], {%d3, %d3}; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2], [s], 32;",
        SHARED,
        "32 bytes: byte 16 of shared memory",
    ),
    "local": ("ld.local.u32 %r2, [l+8];", LOCAL, "byte 8 of the thread's local memory"),
    "local by a generic address": (
        "mov.u64 %d4, l; cvta.local.u64 %d4, %d4; st.u8 [%d4], 1; ld.u16 %h1, [%d4];",
        LOCAL,
        "byte 1 of the thread's local memory",
    ),
}  # fmt: skip

# The same accesses of memory that was written.
CORRECT = {
    "global": ("st.global.u32 [%d1], 1; ld.global.u32 %r2, [%d1];", ""),
    "host's memset": ("add.s64 %d4, %d2, %d3; ld.global.u32 %r2, [%d4];", ""),
    "byte by byte": (
        "st.global.u8 [%d1], 1; st.global.u8 [%d1+1], 1; st.global.u16 [%d1+2], 1; ld.global.u32 %r2, [%d1];",
        "",
    ),
    "vector": ("st.global.v4.u32 [%d1], {1, 2, 3, 4}; ld.global.v2.u64 {%d4, %d5}, [%d1];", ""),
    "exchange": ("st.global.u32 [%d1], 0; atom.global.exch.b32 %r2, [%d1], 5; ld.global.u32 %r3, [%d1];", ""),
    "only written": ("add.s64 %d4, %d1, %d3; st.global.u32 [%d4], %r1;", ""),
    "shared": (
        "mov.u32 %r3, s; mad.lo.u32 %r3, %r1, 4, %r3; st.shared.u32 [%r3], %r1; bar.sync 0; ld.shared.u32 %r2, [%r3];",
        SHARED,
    ),
    "bulk copy": (BULK.replace("SOURCE", "%d2") + "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [s+48];", SHARED),
    "bulk reduction": (
        "st.shared.v2.u64 [s], {1, 1}; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2], [s], 16;",
        SHARED,
    ),
    "mbarrier": ("mbarrier.init.shared.b64 [s], 64; mbarrier.arrive.shared.b64 %d4, [s];", SHARED),
    "stmatrix": (
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [s], {%r1, %r1, %r1, %r1};"
        " ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [s];",
        SHARED,
    ),
    "wmma": (
        f"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {WMMA}, [%d2];"
        " wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [s], {%r2, %r3, %r4, %r5};"
        " ld.shared.u32 %r2, [s+508];",
        SHARED,
    ),
    "copy": ("cp.async.ca.shared.global [s], [%d2], 16; cp.async.wait_all; ld.shared.u32 %r2, [s+12];", SHARED),
    "copy that fills with zeros": (
        "cp.async.cg.shared.global [s], [%d1], 16, 0; cp.async.wait_all; ld.shared.u64 %d4, [s+8];",
        SHARED,
    ),
    "copy of what nothing reads": ("cp.async.ca.shared.global [s], [%d1], 16; cp.async.wait_all;", SHARED),
    "local": ("st.local.u32 [l+8], 5; ld.local.u32 %r2, [l+8];", LOCAL),
    "parameter by its address": ("ld.param.u64 %d4, [p]; ld.param.u32 %r2, [q+4];", ""),
    "constant and global variables": (
        "ld.const.u32 %r2, [c]; ld.global.u32 %r3, [g+4]; ld.global.u32 %r3, [z];",
        "",
    ),
}

VARIABLES = """.const .align 4 .u32 c = 5; .global .align 4 .u32 g[2] = {1}; .global .u32 z;
.extern .func (.param .b64 r) malloc (.param .b64 s);"""


@pytest.mark.parametrize("case", FAULTY)
def test_reported(checked, case):
    body, declarations, said = FAULTY[case]
    lines = found(checked, kernel(body, declarations, VARIABLES), block=32)
    assert len(lines) == 1
    assert lines[0].startswith("initcheck: kernel 'k', block (0, 0, 0), thread (0, 0, 0), PTX line")
    assert f"read of {said}" in lines[0] or said in lines[0]
    assert "was never written" in lines[0]


@pytest.mark.parametrize("case", CORRECT)
def test_not_reported(checked, case):
    body, declarations = CORRECT[case]
    assert found(checked, kernel(body, declarations, VARIABLES), block=32) == []


def test_the_message_names_the_byte_and_the_allocation(checked):
    size, start = 400, driver.cuMemAlloc(400)
    driver.cuMemsetD8(start, 0, size - 1)
    checked.launch(kernel("add.s64 %d4, %d1, %d3; ld.global.u32 %r2, [%d4];"), c_uint64(start), c_uint64(0), block=100)
    (line,) = checked.lines(abi.CUDA_ERROR_LAUNCH_FAILED)
    assert "thread (99, 0, 0)" in line
    assert line.endswith(
        f"read of 4 bytes: 0x{start + 399:x}, byte 399 of the allocation of 400 bytes at 0x{start:x} made by "
        "cuMemAlloc was never written"
    )


@pytest.mark.parametrize(("first", "count"), [("", 2), ("st.local.u32 [m+4], 0;", 0)])
def test_each_call_of_a_function_has_new_local_memory(checked, first, count):
    lines = found(checked, kernel("call inner, (); call inner, ();", "", INNER.replace("FIRST", first)), block=1)
    assert [("(and 1 more" in line, "byte 4 of the thread's local memory" in line) for line in lines] == [
        (True, True)
    ] * (count // 2)


def test_each_block_has_new_shared_memory(checked):
    body = "setp.ne.u32 %p1, %r2, 0; mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 0;"
    body += " @!%p1 st.shared.u32 [s], 1; @%p1 ld.shared.u32 %r3, [s];"
    (line,) = found(checked, kernel(body.partition(";")[2], SHARED), grid=2)
    assert "block (1, 0, 0)" in line
    assert "byte 0 of shared memory" in line


def test_dynamic_shared_memory(checked):
    text = ".extern .shared .align 4 .b8 d[];" + kernel("ld.shared.u32 %r2, [d+60];")
    (line,) = found(checked, text, shared=64)
    assert "byte 60 of shared memory" in line


# --- memory that the host or another command has written ------------------------------------------------


READ = kernel("add.s64 %d4, %d1, %d3; ld.global.u32 %r2, [%d4];")


def read(checked, start: int, words: int, stream: int = 0) -> list[str]:
    checked.launch(READ, c_uint64(start), c_uint64(0), block=words, stream=stream)
    return checked.lines(abi.CUDA_ERROR_LAUNCH_FAILED)


WRITERS = {
    "cuMemcpyHtoD": lambda p: driver.cuMemcpyHtoD(p, ctypes.addressof((ctypes.c_char * 256)()), 256),
    "cuMemsetD32": lambda p: driver.cuMemsetD32(p, 1, 64),
    "cuMemsetD2D8": lambda p: driver.cuMemsetD2D8(p, 64, 0, 64, 4),
    "cuStreamWriteValue32": lambda p: [driver.cuStreamWriteValue32(0, p + 4 * i, i, 0) for i in range(64)],
}


@pytest.mark.parametrize("writer", WRITERS)
def test_writes_of_the_host(checked, writer):
    start = driver.cuMemAlloc(256)
    WRITERS[writer](start)
    assert read(checked, start, 64) == []


def test_a_write_of_part_of_the_rows(checked):
    start = driver.cuMemAlloc(256)
    driver.cuMemsetD2D8(start, 64, 0, 60, 4)
    (line,) = read(checked, start, 64)
    assert "thread (15, 0, 0)" in line
    assert "and 3 more" in line


def test_copies_carry_the_state(checked):
    """Neither end of a copy is reported, but a read of what was not written is, with the byte."""
    first, second = driver.cuMemAlloc(256), driver.cuMemAlloc(300)
    driver.cuMemsetD8(first, 0, 101)
    driver.cuMemsetD8(second, 0, 300)
    driver.cuMemcpyDtoD(second + 16, first, 256)
    back = (ctypes.c_char * 256)()
    driver.cuMemcpyDtoH(ctypes.addressof(back), first, 256)
    (line,) = read(checked, second, 75)
    assert "thread (29, 0, 0)" in line
    assert "byte 117 of the allocation of 300 bytes" in line
    assert "and 38 more" in line


def test_memory_of_a_pool_is_not_written_when_it_is_allocated_again(checked):
    stream = driver.cuStreamCreate(0)
    for _ in range(3):
        start = driver.cuMemAllocAsync(256, stream)
        driver.cuMemsetD8Async(start, 0, 256, stream)
        checked.launch(READ, c_uint64(start), c_uint64(0), block=64, stream=stream)
        driver.cuMemFreeAsync(start, stream)
    start = driver.cuMemAllocAsync(256, stream)
    (line,) = read(checked, start, 64, stream)
    assert "made by cuMemAllocAsync" in line


@pytest.mark.parametrize("allocate", ["cuMemHostAlloc", "cuMemAllocManaged"])
def test_memory_that_the_host_can_write(checked, allocate):
    start = getattr(driver, allocate)(256, 0 if "Host" in allocate else 1)
    assert read(checked, start, 64) == []


def test_large_memory(checked):
    """Ranges of many pages, and the edges between pages that are written and pages that are not."""
    size = 1 << 20
    start = driver.cuMemAlloc(size)
    driver.cuMemsetD8(start + 100, 0, 5 * 65536)
    assert read(checked, start + 100, 1024) == []
    assert read(checked, start + 100 + 5 * 65536 - 4096, 1024) == []
    (line,) = read(checked, start + 104 + 5 * 65536 - 4096, 1024)
    assert "thread (1023, 0, 0)" in line


def test_memory_is_written_once_it_is_something_else(checked):
    """Memory of a checked allocation may later be used for others, such as pinned memory or another block's."""
    for _ in range(3):
        start = driver.cuMemAlloc(1 << 18)
        driver.cuMemFree(start)
        start = driver.cuMemAllocManaged(1 << 18, 1)
        assert read(checked, start, 1024) == []
        driver.cuMemFree(start)
