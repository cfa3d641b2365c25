# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of memory that instructions reach by descriptors and multicast objects: wgmma and multimem."""

from __future__ import annotations

import contextlib
import ctypes

import pytest

from cuda.cpu import abi, driver

pytestmark = pytest.mark.cpu_only

A_BYTES, B_BYTES = 64 * 16 * 2, 8 * 16 * 2  # 64 rows of 16 f16; 8 columns
WGMMA = """.visible .entry k(.param .u32 fill) {
 .reg .b64 %d<4>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .pred %p<2>; .extern .shared .align 128 .b8 room[];
 mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, room; add.u32 %r3, %r3, %r2; mov.u32 %r4, 0;
 ld.param.u32 %r5, [fill]; setp.ge.u32 %p1, %r2, %r5; @%p1 bra FILLED;
 st.shared.v4.b32 [%r3], {%r4, %r4, %r4, %r4};
FILLED:
 bar.sync 0;
 mov.b64 %d1, DESCRIPTOR_A; mov.b64 %d2, DESCRIPTOR_B; setp.eq.u32 %p1, %r4, 1;
 wgmma.fence.sync.aligned;
 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, %p1, 1, 1, 0, 0;
 wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
 ret; }"""


def descriptor(start: int) -> str:
    """Return a matrix without swizzling whose blocks of 8 rows and 16 bytes follow each other along k."""
    return str(start >> 4 | 128 >> 4 << 16 | 256 >> 4 << 32)


def multiply(checked, monkeypatch, shared: int, fill: int, b: int = A_BYTES) -> list[str]:
    """Multiply matrices in shared memory, of which the first `fill` bytes are written."""
    monkeypatch.setattr(checked, "target", "sm_90a")
    text = WGMMA.replace("DESCRIPTOR_A", descriptor(0)).replace("DESCRIPTOR_B", descriptor(b))
    checked.launch(text, ctypes.c_uint32(fill), block=128, shared=shared)
    return checked.lines()


@pytest.mark.parametrize("checked", ["all"], indirect=True)
def test_wgmma_within_shared_memory(checked, monkeypatch):
    """128 threads write 2,048 bytes, so that B is the beginning of A."""
    assert multiply(checked, monkeypatch, A_BYTES, A_BYTES, 0) == []


@pytest.mark.parametrize("checked", ["memcheck"], indirect=True)
@pytest.mark.parametrize("missing", [16, 256])
def test_wgmma_past_the_end_of_shared_memory(checked, monkeypatch, missing):
    assert multiply(checked, monkeypatch, A_BYTES + B_BYTES, 0) == []
    found = multiply(checked, monkeypatch, A_BYTES + B_BYTES - missing, 0)
    assert found
    assert found[0].startswith("memcheck: kernel 'k'")
    assert "wgmma.mma_async" in found[0]
    assert "shared memory" in found[0]


@pytest.mark.parametrize("checked", ["initcheck"], indirect=True)
def test_wgmma_of_a_matrix_that_was_not_written(checked, monkeypatch):
    assert multiply(checked, monkeypatch, A_BYTES, A_BYTES, 0) == []
    found = multiply(checked, monkeypatch, A_BYTES, A_BYTES - 16, 0)
    assert found
    assert found[0].startswith("initcheck: kernel 'k'")
    assert "wgmma.mma_async" in found[0]


PAGE = 2 << 20
MULTIMEM = """.visible .entry k(.param .u64 p) {{
 .reg .b64 %d<4>; .reg .b32 %r<6>; .shared .align 16 .b8 room[64]; ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;
 {code}
 ret; }}"""
STORE = "mad.wide.u32 %d1, %r1, 4, %d1; multimem.st.global.u32 [%d1], %r1;"
LOAD = "mad.wide.u32 %d1, %r1, 4, %d1; multimem.ld_reduce.global.add.u32 %r2, [%d1];"
REDUCE = "mad.wide.u32 %d1, %r1, 4, %d1; multimem.red.global.add.u32 [%d1], %r1;"


@contextlib.contextmanager
def multicast_memory():
    """Return the address of a multicast object of one page, to which memory is bound; nothing is mapped behind it."""
    number = ctypes.addressof
    place = abi.CUmulticastObjectProp(numDevices=1, size=PAGE)
    given = abi.CUmemAllocationProp(type=abi.CU_MEM_ALLOCATION_TYPE_PINNED)
    access = abi.CUmemAccessDesc(flags=abi.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    given.location.type = access.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    handle, memory = driver.cuMulticastCreate(number(place)), driver.cuMemCreate(PAGE, number(given), 0)
    start = driver.cuMemAddressReserve(2 * PAGE, 0, 0, 0)
    driver.cuMulticastAddDevice(handle, 0)
    driver.cuMulticastBindMem(handle, 0, memory, 0, PAGE, 0)
    driver.cuMemMap(start, PAGE, 0, handle, 0)
    driver.cuMemSetAccess(start, PAGE, number(access), 1)
    try:
        yield start
    finally:
        driver.cuMemUnmap(start, PAGE)
        driver.cuMemAddressFree(start, 2 * PAGE)
        driver.cuMemRelease(memory)
        driver.cuMemRelease(handle)


@pytest.mark.parametrize("checked", ["memcheck"], indirect=True)
@pytest.mark.parametrize(("code", "access"), [(STORE, "write"), (LOAD, "read"), (REDUCE, "write")])
def test_multimem_past_the_end_of_the_object(checked, code, access):
    with multicast_memory() as start:
        text = MULTIMEM.format(code=code)
        checked.launch(text, ctypes.c_uint64(start + PAGE - 128), block=32)
        assert checked.lines() == []
        checked.launch(text, ctypes.c_uint64(start + PAGE - 124), block=32)
        found = checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
        assert found
        assert found[0].startswith("memcheck: kernel 'k', block (0, 0, 0), thread (31, 0, 0)")
        assert "multimem" in found[0]
        assert f"{access} of 4 bytes" in found[0]
