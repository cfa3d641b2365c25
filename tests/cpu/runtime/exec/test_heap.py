# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""malloc and free of device code."""

import numpy as np
import pytest
from support.warp_kernels import KIND

from cuda.cpu.runtime import _runtime as runtime


@pytest.mark.parametrize("unit", [1, 16, 100, 5000])
def test_allocations_are_apart(device, unit):
    blocks = 40
    out = np.zeros((blocks, 32), np.uint64)
    assert device.run("use_heap", blocks, 32, out.ctypes.data, unit) is None
    assert out.all()
    assert (out % 16 == 0).all()
    for addresses in out:
        order = np.argsort(addresses)
        ends = addresses[order] + unit * (order.astype(np.uint64) + 1)
        assert (ends[:-1] <= addresses[order][1:]).all()


def test_exhausted_heap_gives_null_and_recovers(device):
    out = np.zeros((1, 32), np.uint64)
    assert device.run("use_heap", 1, 32, out.ctypes.data, 1 << 20) is None
    assert out[0, 0]
    assert not out[0, 31]
    assert device.run("use_heap", 1, 32, out.ctypes.data, 64) is None
    assert out.all()


def test_free_of_a_wrong_address_is_a_fault(device):
    assert device.run("free_address", 1, 1, 0, 0) is None
    fault = device.run("free_address", 1, 1, 12345, 0)
    assert (fault.kind, fault.address) == (KIND.ILLEGAL_ADDRESS, 12345)
    assert "free()" in fault.message


def test_size_is_set_before_the_first_use(device):
    out = np.zeros((1, 32), np.uint64)
    assert device.run("use_heap", 1, 1, out.ctypes.data, 1) is None
    with pytest.raises(RuntimeError, match="heap"):
        runtime.set_heap_size(1 << 20)
