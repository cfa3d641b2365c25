# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""memcheck of tensor copies: the part of the box that is in the tensor, and the box in shared memory."""

from __future__ import annotations

import ctypes

import pytest
from support.copy_cases import MAP, Tensor

from cuda.cpu import abi, driver

pytestmark = [pytest.mark.cpu_only, pytest.mark.parametrize("checked", ["memcheck"], indirect=True)]

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


def lines(checked, copy: str, y: int, start: int = 0) -> list[str]:
    """Copy a box of 8 rows from row y on, from or to a byte of 512 bytes of dynamic shared memory."""
    handle = driver.cuCtxCreate_v2(0, 0)
    try:
        tensor, where = driver.cuMemAlloc(64 * ROWS // 2), driver.cuMemAlloc(MAP)
        data = ctypes.create_string_buffer(Tensor((16, ROWS), (16, 8)).encoded(tensor), MAP)
        driver.cuMemcpyHtoD(where, ctypes.addressof(data), MAP)
        text = KERNEL.format(copy=copy.format(y=y))
        checked.launch(text, ctypes.c_uint64(where), ctypes.c_uint32(start), shared=512)
        return checked.lines(abi.CUDA_ERROR_ILLEGAL_ADDRESS)
    finally:
        driver.cuCtxDestroy(handle)


@pytest.mark.parametrize("copy", [LOAD, STORE])
@pytest.mark.parametrize("y", [0, 8, -4, ROWS, -8])
def test_boxes_within_the_allocation_or_outside_of_the_tensor(checked, copy, y):
    assert lines(checked, copy, y) == []


@pytest.mark.parametrize(("copy", "access"), [(LOAD, "read of 512 bytes"), (STORE, "write of 512 bytes")])
def test_a_tensor_longer_than_its_allocation(checked, copy, access):
    (found,) = lines(checked, copy, 12)
    assert found.startswith("memcheck: kernel 'k', block (0, 0, 0), thread (0, 0, 0)")
    assert access in found
    assert "the allocation of 1024 bytes" in found


@pytest.mark.parametrize(("copy", "access"), [(LOAD, "write of 512 bytes"), (STORE, "read of 512 bytes")])
def test_a_box_longer_than_shared_memory(checked, copy, access):
    (found,) = lines(checked, copy, 0, 128)
    assert access in found
    assert "shared memory" in found
