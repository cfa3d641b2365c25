# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of tensor copies: the part of the box that is in the tensor, and the box in shared memory."""

from __future__ import annotations

import ctypes

import pytest
from support.copy_cases import MAP, Tensor

from cuda.cpu import abi, driver

pytestmark = pytest.mark.cpu_only
memcheck = pytest.mark.parametrize("checked", ["memcheck"], indirect=True)

KERNEL = """.visible .entry k(.param .u64 p, .param .u32 s) {{
 .reg .b64 %d<4>; .reg .b32 %r<8>; .shared .align 8 .b64 bar; .extern .shared .align 128 .b8 room[];
 ld.param.u64 %d1, [p]; ld.param.u32 %r4, [s]; mov.u32 %r1, bar; mov.u32 %r3, room; add.u32 %r3, %r3, %r4;
 mbarrier.init.shared.b64 [%r1], 1;
 {copy}
 ret; }}"""
LOAD = (
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], [%d1, {{0, {y}}}], [%r1];"
)
STORE = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d1, {{0, {y}}}], [%r3];"
ROWS = 32  # of the tensor, of 64 bytes; there is memory for half of them
ILLEGAL = abi.CUDA_ERROR_ILLEGAL_ADDRESS


def lines(checked, copy: str, y: int, start: int = 0, written: int = 0, status=ILLEGAL) -> list[str]:
    """Copy a box of 8 rows from row y on, from or to a byte of 512 bytes of dynamic shared memory.

    The first `written` rows of the tensor are set.
    """
    handle = driver.cuCtxCreate_v2(0, 0)
    try:
        tensor, where = driver.cuMemAlloc(64 * ROWS // 2), driver.cuMemAlloc(MAP)
        driver.cuMemsetD8(tensor, 1, 64 * written)
        data = ctypes.create_string_buffer(Tensor((16, ROWS), (16, 8)).encoded(tensor), MAP)
        driver.cuMemcpyHtoD(where, ctypes.addressof(data), MAP)
        text = KERNEL.format(copy=copy.format(y=y))
        checked.launch(text, ctypes.c_uint64(where), ctypes.c_uint32(start), shared=512)
        return checked.lines(status)
    finally:
        driver.cuCtxDestroy(handle)


@memcheck
@pytest.mark.parametrize("copy", [LOAD, STORE])
@pytest.mark.parametrize("y", [0, 8, -4, ROWS, -8])
def test_boxes_within_the_allocation_or_outside_of_the_tensor(checked, copy, y):
    assert lines(checked, copy, y) == []


@memcheck
@pytest.mark.parametrize(("copy", "access"), [(LOAD, "read of 512 bytes"), (STORE, "write of 512 bytes")])
def test_a_tensor_longer_than_its_allocation(checked, copy, access):
    (found,) = lines(checked, copy, 12)
    assert found.startswith("memcheck: kernel 'k', block (0, 0, 0), thread (0, 0, 0)")
    assert access in found
    assert "the allocation of 1024 bytes" in found


@memcheck
@pytest.mark.parametrize(("copy", "access"), [(LOAD, "write of 512 bytes"), (STORE, "read of 512 bytes")])
def test_a_box_longer_than_shared_memory(checked, copy, access):
    (found,) = lines(checked, copy, 0, 128)
    assert access in found
    assert "shared memory" in found


@pytest.mark.parametrize("checked", ["initcheck"], indirect=True)
@pytest.mark.parametrize("written", [7, 8])
def test_copied_bytes_are_initialised_if_their_source_is(checked, written):
    copy = LOAD + " ld.shared.u32 %r5, [%r3+444]; ld.shared.u32 %r5, [%r3+508];"
    found = lines(checked, copy, 0, written=written, status=abi.CUDA_ERROR_LAUNCH_FAILED)
    if written == 8:
        assert found == []
    else:
        (line,) = found
        assert "read of 4 bytes" in line
        assert "of shared memory was never written" in line
