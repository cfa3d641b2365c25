# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How kernels' tests give a GPU copies of their arrays, on either driver."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.addresses import Address, Table, arrays_of
from support.gpu_kernels import Memory

from cuda.bindings import driver

X, Y = np.arange(8, dtype=np.uint32), np.arange(3, dtype=np.uint64)


def test_addresses_are_those_of_the_copies():
    with Memory([X, Y]) as memory:
        x, y = (int(memory.translated(each)) for each in (X, Y))
        assert len({x, y, X.ctypes.data, Y.ctypes.data}) == 4
        assert (x - X.ctypes.data) % 256 == (y - Y.ctypes.data) % 256 == 0
        assert memory.translated(np.uint64(X.ctypes.data + 8)) == x + 8
        for offset in (0, 8, 4 << 31, -4 << 31, -1 << 62):
            assert memory.translated(Address(X, offset)) == (x + offset) % (1 << 64)
        found = np.zeros(2, np.uint64)
        table = memory.translated(Table([Y, X]))
        assert driver.cuMemcpyDtoH(found.ctypes.data, int(table), found.nbytes)[0] == 0
        assert found.tolist() == [y, x]


def test_numbers_are_no_addresses():
    with Memory([X]) as memory:
        for number in (np.uint64(5), 5, np.uint64((1 << 64) - 5), np.uint32(7), np.float64(3)):
            assert memory.translated(number) is number


def test_host_memory_that_is_in_no_array_is_left_out():
    with Memory([X]) as memory:
        for address in (np.uint64(Y.ctypes.data), Y.ctypes.data):
            with pytest.raises(pytest.skip.Exception, match="an address of host memory"):
                memory.translated(address)


def test_arguments_tell_their_arrays():
    for argument, arrays in (
        (X, [X]), (Address(X, 8), [X]), (Table([X, Y]), [X, Y]), (np.uint64(8), []), (X[0], []), (np.array(1), [])
    ):  # fmt: skip
        assert [id(each) for each in arrays_of(argument)] == [id(each) for each in arrays]
    assert Address(X, -8) == X.ctypes.data - 8
    assert Table([X, Y]).tolist() == [X.ctypes.data, Y.ctypes.data]
