# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""memcheck: accesses that are wrong, which of them are reported and how, and that right ones are not."""

from __future__ import annotations

import ctypes
import re
from ctypes import c_uint32, c_uint64

import numpy as np
import pytest

from cuda.cpu import abi, check, driver
from cuda.cpu.compile import jit
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.device import device, device_attribute
from cuda.cpu.ptx.program import build

pytestmark = [pytest.mark.cpu_only, pytest.mark.parametrize("checked", ["memcheck"], indirect=True)]

# p[tid] += 1
COUNT = """.visible .entry k(.param .u64 p) {
 .reg .b64 %d<9>; .reg .b32 %r<9>;
 ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
 .loc 1 7 3
 ld.global.u32 %r2, [%d3];
 add.u32 %r2, %r2, 1;
 st.global.u32 [%d3], %r2;
 ret; }
.file 1 "count.cu"
"""


def one(instruction: str, declarations: str = "") -> str:
    """Return a kernel whose thread 0 does something with the address %d1, `p`, and %r1, `n`."""
    return f""".visible .entry k(.param .u64 p, .param .u32 n) {{
 .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .b128 %q<3>; .reg .f32 %f<9>; {declarations}
 ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; cvt.u64.u32 %d2, %r1;
 {instruction}
 ret; }}"""


def test_an_overrun_by_one_element_names_everything(checked):
    pointer = driver.cuMemAlloc(400)
    driver.cuMemsetD32(pointer, 0, 100)
    checked.launch(COUNT, c_uint64(pointer), block=(101, 1, 1))
    read, write = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    assert read == (
        "memcheck: kernel 'k', block (0, 0, 0), thread (100, 0, 0), PTX line 8 `ld.global.u32 %r2, [%d3];` (count.cu "
        f"line 7): read of 4 bytes at 0x{pointer + 400:x}, 0 bytes after the allocation of 400 bytes at 0x{pointer:x} "
        "made by cuMemAlloc"
    )
    assert "PTX line 10 `st.global.u32 [%d3], %r2;` (count.cu line 7): write of 4 bytes" in write


# p[n + tid] = 1; by %d5: p or, if tid is not less than 99, q
AHEAD = """.visible .entry k(.param .u64 p, .param .u64 q, .param .u64 n) {{
 .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .pred %c;
 ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.param.u64 %d3, [n]; mov.u32 %r1, %tid.x; setp.lt.u32 %c, %r1, 99;
 cvt.u64.u32 %d4, %r1; add.s64 %d4, %d4, %d3; shl.b64 %d4, %d4, 2; {select}
 add.s64 %d6, %d5, %d4; mov.u32 %r2, 1; st.global.u32 [%d6], %r2;
 ret; }}"""
ONE_POINTER, TWO_POINTERS = "mov.b64 %d5, %d1;", "selp.b64 %d5, %d1, %d2, %c;"
FROM_MEMORY = "ld.global.u64 %d7, [%d2]; add.s64 %d5, %d7, %d1;"


def test_an_access_that_lands_in_another_allocation(checked):
    first, second = driver.cuMemAlloc(4096), driver.cuMemAlloc(4096)
    distance = second - first
    text = AHEAD.format(select=ONE_POINTER)
    for pointer in (first, second):  # the instruction's last right access was in the other allocation
        checked.launch(text, c_uint64(pointer), c_uint64(0), c_uint64(0), block=(32, 1, 1))
        assert driver.cuCtxSynchronize() is None
    checked.launch(text, c_uint64(first), c_uint64(0), c_uint64(distance // 4 % 2**64), block=(32, 1, 1))
    (line,) = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    how = f"{distance - 4096} bytes after" if distance > 0 else f"{-distance} bytes before"
    assert f"write of 4 bytes at 0x{second:x}, {how} the allocation of 4096 bytes at 0x{first:x}" in line
    assert line.endswith("(and 31 more by this instruction)")


@pytest.mark.parametrize("select", [TWO_POINTERS, FROM_MEMORY])
def test_an_allocation_that_another_parameter_may_point_to(checked, select):
    first, second = driver.cuMemAlloc(4096), driver.cuMemAlloc(4096)
    driver.cuMemsetD32(second, 0, 1024)
    number = (second - first) // 4 % 2**64
    checked.launch(AHEAD.format(select=select), c_uint64(first), c_uint64(second), c_uint64(number), block=(32, 1, 1))
    assert driver.cuCtxSynchronize() is None


def test_a_pointer_to_no_allocation_may_be_used_with_any_offset(checked):
    pointer = driver.cuMemAlloc(4096)
    checked.launch(AHEAD.format(select=ONE_POINTER), c_uint64(0), c_uint64(0), c_uint64(pointer // 4), block=(32, 1, 1))
    assert driver.cuCtxSynchronize() is None


def test_mapped_memory_that_follows_other_mapped_memory(checked):
    page, number = 2 << 20, ctypes.addressof
    given = abi.CUmemAllocationProp(type=abi.CU_MEM_ALLOCATION_TYPE_PINNED)
    access = abi.CUmemAccessDesc(flags=abi.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    given.location.type = access.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    start = driver.cuMemAddressReserve(2 * page, 0, 0, 0)
    handles = [driver.cuMemCreate(page, number(given), 0) for _ in range(2)]
    for i, handle in enumerate(handles):
        driver.cuMemMap(start + i * page, page, 0, handle, 0)
    driver.cuMemSetAccess(start, 2 * page, number(access), 1)
    try:
        text = AHEAD.format(select=ONE_POINTER)
        checked.launch(text, c_uint64(start), c_uint64(0), c_uint64(page // 4 - 16), block=(32, 1, 1))
        assert driver.cuCtxSynchronize() is None
    finally:
        driver.cuMemUnmap(start, 2 * page)
        driver.cuMemAddressFree(start, 2 * page)
        for handle in handles:
            driver.cuMemRelease(handle)


@pytest.mark.parametrize("level", [None, "1"])  # the quick code of users, and optimised code
def test_a_right_kernel_is_not_reported(checked, level, monkeypatch):
    if level:
        monkeypatch.setenv("CUDA_CPU_LEVEL", level)
    pointer = driver.cuMemAlloc(400)
    driver.cuMemsetD32(pointer, 5, 100)
    guarded = COUNT.replace("%r<9>;", "%r<9>; .reg .pred %p;")
    guarded = guarded.replace(" .loc", " setp.ge.u32 %p, %r1, 100; @%p ret;\n .loc")
    checked.launch(guarded, c_uint64(pointer), block=(128, 1, 1))
    assert checked.lines() == []
    result = (c_uint32 * 100)()
    driver.cuMemcpyDtoH(ctypes.addressof(result), pointer, 400)
    assert list(result) == [6] * 100


def test_the_launch_runs_on_and_changes_nothing_else(checked):
    pointer = driver.cuMemHostAlloc(4096, 0)
    ctypes.memset(pointer, 0, 4096)
    kept = (c_uint32 * 1024).from_address(pointer)
    inner = driver.cuMemAlloc(64)
    text = COUNT.replace("st.global.u32 [%d3], %r2;", "red.global.add.u32 [%d3], 1;")  # blocks run side by side
    checked.launch(text, c_uint64(pointer + 4096 - 128), grid=3, block=64)
    lines = checked.lines()
    assert [re.search(r"and (\d+) more", line)[1] for line in lines] == ["95", "95"]
    assert list(kept[-32:]) == [3] * 32
    assert "block (0, 0, 0), thread (32, 0, 0)" in lines[0]
    assert "made by cuMemHostAlloc" in lines[0]
    assert inner


def test_threads_have_three_coordinates(checked):
    pointer = driver.cuMemAlloc(256)
    text = COUNT.replace("mov.u32 %r1, %tid.x", "mov.u32 %r1, %tid.z; mul.lo.u32 %r1, %r1, 64")
    checked.launch(text, c_uint64(pointer), grid=(1, 2, 1), block=(2, 3, 2))
    assert "block (0, 0, 0), thread (0, 0, 1)" in checked.lines()[0]


# --- what is wrong ------------------------------------------------------------------------------------


def test_use_after_free(checked):
    pointer = driver.cuMemAlloc(4096)
    driver.cuMemFree(pointer)
    checked.launch(one("ld.global.u32 %r2, [%d1+8];"), c_uint64(pointer), c_uint32(0))
    (line,) = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    assert f"in the allocation of 4096 bytes at 0x{pointer:x} made by cuMemAlloc, which is freed" in line


def test_use_after_a_free_in_the_streams_order(checked):
    stream = driver.cuStreamCreate(0)
    pointer = driver.cuMemAllocAsync(256, stream)
    checked.launch(COUNT, c_uint64(pointer), block=64, stream=stream)
    driver.cuMemFreeAsync(pointer, stream)
    assert checked.lines() == []
    checked.launch(COUNT, c_uint64(pointer), block=64, stream=stream)
    assert "made by cuMemAllocAsync, which is freed" in checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)[0]


def test_kernels_before_a_free_in_their_stream_may_still_use_the_memory(checked):
    """Also where the pool hands it out anew at once."""
    stream = driver.cuStreamCreate(0)
    for _ in range(5):
        pointer = driver.cuMemAllocAsync(1000, stream)
        driver.cuMemsetD8Async(pointer, 0, 1000, stream)
        checked.launch(COUNT, c_uint64(pointer), block=250, stream=stream)
        driver.cuMemFreeAsync(pointer, stream)
    assert checked.lines() == []


@pytest.mark.parametrize(
    ("instruction", "offset", "size"),
    [
        ("ld.global.u32 %r2, [%d1];", 2, 4),
        ("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d1];", 8, 16),
        ("st.global.v2.f32 [%d1], {%f1, %f2};", 4, 8),
        ("atom.global.add.u64 %d3, [%d1], %d2;", 4, 8),
        ("red.global.add.f32 [%d1], %f1;", 1, 4),
        ("ld.global.u16 %r2, [%d1];", 1, 2),
    ],
)
def test_misaligned(checked, instruction, offset, size):
    pointer = driver.cuMemAlloc(256)
    checked.launch(one(instruction.replace("%r2, [", "%h1, [") if "u16" in instruction else instruction,
                       ".reg .b16 %h<2>;"), c_uint64(pointer + offset), c_uint32(0))  # fmt: skip
    (line,) = checked.lines(abi.CUDA_ERROR_MISALIGNED_ADDRESS)
    assert f"of {size} bytes at 0x{pointer + offset:x}, which is no multiple of that" in line


def test_a_vector_that_runs_past_the_end(checked):
    pointer = driver.cuMemAlloc(72)
    checked.launch(one("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d1];"), c_uint64(pointer + 64), c_uint32(0))
    (line,) = checked.lines()
    assert f"read of 16 bytes at 0x{pointer + 64:x}, 8 of them after the end of the allocation of 72 bytes" in line


def test_a_null_pointer(checked):
    checked.launch(one("st.global.u32 [%d1+16], %r1;"), c_uint64(0), c_uint32(0))
    (line,) = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    assert line.endswith("write of 4 bytes at 0x10, a null pointer")


def test_memory_of_the_host_alone(checked):
    data = ctypes.c_int.in_dll(ctypes.pythonapi, "Py_OptimizeFlag")  # where nothing was ever allocated and freed
    before = data.value
    checked.launch(one("st.global.u32 [%d1], %r1;"), c_uint64(ctypes.addressof(data)), c_uint32(7))
    (line,) = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    assert "which is memory of the host alone" in line or "bytes after" in line
    assert data.value == before


def test_registered_memory_may_be_used(checked):
    data = np.zeros(64, np.uint32)
    driver.cuMemHostRegister(data.ctypes.data, data.nbytes, 0)
    checked.launch(one("st.global.u32 [%d1], %r1;"), c_uint64(data.ctypes.data), c_uint32(7))
    assert checked.lines() == []
    driver.cuMemHostUnregister(data.ctypes.data)
    assert data[0] == 7


SHARED = ".shared .align 16 .b8 room[64];"


@pytest.mark.parametrize("dynamic", [0, 64])
@pytest.mark.parametrize(
    "access",
    [
        "st.shared.u32 [%r1], %r1;",
        "cvta.shared.u64 %d3, %d2; ld.u32 %r2, [%d3];",
        "atom.shared.add.u32 %r2, [%r1], 1;",
        "atom.shared::cluster.add.u32 %r2, [%r1], 1;",
    ],
)
def test_shared_memory_ends_where_the_block_has_no_more(checked, access, dynamic):
    text = one(f"mov.u32 %r7, room; {access}", SHARED)
    checked.launch(text, c_uint64(0), c_uint32(60 + dynamic), shared=dynamic)
    assert checked.lines() == []
    checked.launch(text, c_uint64(0), c_uint32(64 + dynamic), shared=dynamic)
    (line,) = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    assert f"of 4 bytes at byte {64 + dynamic} of the block's shared memory, which has {64 + dynamic}" in line


@pytest.mark.parametrize("access", ["st.local.u32 [%r3], %r1;", "cvta.local.u64 %d3, %d2; ld.u32 %r2, [%d3];"])
def test_local_memory_ends_with_the_frame(checked, access):
    text = one(f"mov.u32 %r3, stack; add.u32 %r3, %r3, %r1; cvt.u64.u32 %d2, %r3; {access}",
               ".local .align 4 .b8 stack[32];")  # fmt: skip
    checked.launch(text, c_uint64(0), c_uint32(28), block=40)
    assert checked.lines() == []
    checked.launch(text, c_uint64(0), c_uint32(32), block=40)
    (line,) = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    assert "of 4 bytes at byte 32 of the thread's local memory, which has 32 (and 39 more" in line


def test_a_generic_address_may_be_a_parameters(checked):
    text = """.visible .entry k(.param .align 8 .b8 s[16], .param .u32 n) {
     .reg .b64 %d<5>; .reg .b32 %r<3>;
     mov.b64 %d1, s; cvta.param.u64 %d1, %d1; ld.param.u32 %r1, [n]; cvt.u64.u32 %d2, %r1; add.u64 %d1, %d1, %d2;
     ld.u64 %d3, [%d1]; ret; }"""
    checked.launch(text, (c_uint64 * 2)(), c_uint32(8))
    assert checked.lines() == []
    checked.launch(text, (c_uint64 * 2)(), c_uint32(24))
    (line,) = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    assert "0x" in line


# --- kinds of accesses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "verb", "size"),
    [
        ("ld.global.u8 %r2, [%d1];", "read", 1),
        ("ld.global.nc.v2.f64 {%g1, %g2}, [%d1];", "read", 16),
        ("ld.acquire.gpu.u32 %r2, [%d1];", "read", 4),
        ("ld.relaxed.gpu.v2.u64 {%d3, %d4}, [%d1];", "read", 16),
        ("st.volatile.global.u32 [%d1], %r1;", "write", 4),
        ("st.global.v4.f32 [%d1], {%f1, %f2, %f3, %f4};", "write", 16),
        ("atom.global.cas.b32 %r2, [%d1], %r1, %r1;", "update", 4),
        ("atom.global.exch.b64 %d3, [%d1], %d2;", "update", 8),
        ("red.global.add.noftz.f16x2 [%d1], %r1;", "update", 4),
        ("mov.u32 %r3, room; cp.async.ca.shared.global [%r3], [%d1], 8;", "read", 8),
        ("mov.u32 %r3, room; mbarrier.init.shared.b64 [%r3], 1;"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+16], [%d1], 32, [%r3];", "read", 32),
        ("mov.u32 %r3, room; cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r3], 16;", "write", 16),
    ],
)  # fmt: skip
def test_every_kind_of_access_is_checked(checked, text, verb, size):
    pointer = driver.cuMemAlloc(512)
    text = one(text, ".reg .f64 %g<3>;" + SHARED)
    checked.launch(text, c_uint64(pointer + 512 - -(-size // 4) * 4), c_uint32(0))
    if size > 2:
        driver.cuMemAlloc(4096)
    assert checked.lines() == []
    checked.launch(text, c_uint64(pointer + 512), c_uint32(0))
    (line,) = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    assert f"{verb} of {size} bytes at 0x{pointer + 512:x}, 0 bytes after the allocation of 512 bytes" in line


@pytest.mark.parametrize(
    ("skipped", "found"),
    [
        ("0, %r1", "read of 8 bytes at 0x{0:x}, 4 of them after the end of the allocation of 500 bytes"),
        ("%r1, 4", "read of 4 bytes at 0x{1:x}, 4 bytes after the allocation of 500 bytes"),
    ],
)
def test_bytes_that_a_copy_ignores_are_not_checked(checked, skipped, found):
    pointer = driver.cuMemAlloc(500) + 496
    copy = (
        "mov.u32 %r3, room; mbarrier.init.shared.b64 [%r3], 1; cp.async.bulk.shared::cta.global"
        f".mbarrier::complete_tx::bytes.ignore_oob [%r3+16], [%d1], 16, {skipped}, [%r3];"
    )
    checked.launch(one(copy, SHARED), c_uint64(pointer), c_uint32(12))
    assert checked.lines() == []
    checked.launch(one(copy, SHARED), c_uint64(pointer), c_uint32(8))
    (line,) = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    assert found.format(pointer, pointer + 8) in line


def test_rows_of_matrices(checked):
    text = one("mov.u32 %r7, room; mov.u32 %r2, %laneid; mad.lo.u32 %r2, %r2, 16, %r1;"
               "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3, %r4}, [%r2];",
               ".shared .align 16 .b8 room[256];")  # fmt: skip
    checked.launch(text, c_uint64(0), c_uint32(0), block=32)
    assert checked.lines() == []
    checked.launch(text, c_uint64(0), c_uint32(16), block=32)
    (line,) = checked.lines()
    assert "thread (15, 0, 0)" in line
    assert "read of 16 bytes at byte 256 of the block's shared memory" in line


def test_variables_have_names(checked):
    text = ".visible .global .align 4 .b8 table[40];" + one(
        "mov.u64 %d3, table; add.u64 %d3, %d3, %d2; ld.global.u32 %r2, [%d3];"
    )
    checked.launch(text, c_uint64(0), c_uint32(36))
    assert checked.lines() == []
    checked.launch(text, c_uint64(0), c_uint32(40))
    assert "0 bytes after the allocation of 40 bytes" in (line := checked.lines()[0])
    assert "made by variable table" in line


def test_kernels_of_one_name_in_two_modules(checked):
    pointer = driver.cuMemAlloc(4)
    checked.launch("\n\n\n" + one("add.u32 %r1, %r1, 1;"), c_uint64(pointer), c_uint32(0))
    checked.launch(one("st.global.u32 [%d1+8], %r1;"), c_uint64(pointer), c_uint32(0))
    assert "PTX line 7 `st.global.u32 [%d1+8], %r1;`" in checked.lines()[0]


def test_functions_are_checked_too(checked):
    text = """.func (.reg .b32 %v) get(.reg .b64 %a)
    {
     ld.u32 %v, [%a];
     ret;
    }
    """ + one("call (%r2), get, (%d1);")
    pointer = driver.cuMemAlloc(4)
    checked.launch(text, c_uint64(pointer), c_uint32(0))
    assert checked.lines() == []
    checked.launch(text, c_uint64(pointer + 4), c_uint32(0))
    assert "PTX line 6 `ld.u32 %v, [%a];`: read of 4 bytes" in checked.lines()[0]


def test_a_fault_of_another_kind_comes_last(checked):
    checked.launch(one("st.global.u32 [%d1], %r1; trap;"), c_uint64(4), c_uint32(0))
    first, last = checked.lines(abi.CUDA_ERROR_LAUNCH_FAILED)
    assert "a null pointer" in first
    assert last.endswith("trap")


def test_it_is_printed(checked, capfd):
    checked.launch(one("st.global.u32 [%d1], %r1;"), c_uint64(4), c_uint32(0))
    (line,) = checked.lines()
    assert capfd.readouterr().err == f"cuda.cpu {line}\n"


# --- settings -----------------------------------------------------------------------------------------


def test_code_without_checks_is_the_same(checked, monkeypatch):
    """Nothing of the checks is in code that was not asked for them."""
    del checked
    program = build([".version 8.5\n.target sm_90\n.address_size 64\n" + COUNT])
    monkeypatch.setenv("CUDA_CPU_CHECK", "")
    plain = jit.compile_kernel(program.laid_out("k"), "k")
    assert plain.checks == 0
    assert "160" not in re.findall(r"getelementptr i8, ptr %\S+, i64 (\d+)", jit.emit(program, "k")[0])
    assert "160" in re.findall(r"getelementptr i8, ptr %\S+, i64 (\d+)", jit.emit(program, "k", checks=1)[0])
    monkeypatch.setenv("CUDA_CPU_CHECK", "memcheck")
    assert jit.compile_kernel(program.laid_out("k"), "k").key != plain.key


def test_names_of_checks(checked):
    del checked
    assert check.parse("") == (0, False)
    assert check.parse(" memcheck, leakcheck") == (check.MEMCHECK, True)
    assert check.parse("all") == (check.MEMCHECK | check.RACECHECK | check.SYNCCHECK, False)
    with pytest.raises(
        ValueError,
        match=r"has 'memchek'; did you mean memcheck\? it takes memcheck, .*leakcheck and all",
    ):
        check.parse("memchek")


def test_freeing_twice_is_an_error_of_the_call(checked):
    del checked
    pointer = driver.cuMemAlloc(16)
    driver.cuMemFree(pointer)
    with pytest.raises(CudaError, match="is not the start of a live allocation"):
        driver.cuMemFree(pointer)


def test_pageable_memory_is_out_of_reach(checked):
    del checked
    values = device_attribute.values(device.find(0))
    assert values[abi.CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS] == 0
