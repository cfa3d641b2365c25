# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernel parameters as cuda.bindings packs them, seen through a struct field that takes the same forms."""

import ctypes
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda.bindings import driver


def packed(values, types, sizes):
    """Return the bytes that each parameter's address leads to."""
    node = driver.CUDA_KERNEL_NODE_PARAMS()
    node.kernelParams = (values, types)
    addresses = (ctypes.c_void_p * len(sizes)).from_address(node.kernelParams)
    return [ctypes.string_at(address, size) for address, size in zip(addresses, sizes, strict=True)]


INTEGERS = {
    ctypes.c_int8: "b",
    ctypes.c_uint8: "B",
    ctypes.c_int16: "h",
    ctypes.c_uint16: "H",
    ctypes.c_int32: "i",
    ctypes.c_uint32: "I",
    ctypes.c_int64: "q",
    ctypes.c_uint64: "Q",
    ctypes.c_size_t: "Q",
    ctypes.c_void_p: "Q",
}


@given(st.sampled_from(list(INTEGERS)), st.data())
def test_integers(ctype, data):
    code = INTEGERS[ctype]
    bits = 8 * struct.calcsize(code)
    signed = code.islower()
    value = data.draw(st.integers(-(1 << bits - 1) if signed else 0, (1 << bits - signed) - 1))
    expected = [struct.pack(code, value)]
    size = struct.calcsize(code)
    assert packed((value,), (ctype,), [size]) == expected
    if ctype is not ctypes.c_void_p:
        assert packed((ctype(value),), (ctype,), [size]) == expected
        assert packed((ctype(value),), (None,), [size]) == expected


@given(st.floats(width=32))
def test_floats(value):
    expected = [struct.pack("<f", value), struct.pack("<d", value)]
    assert packed([value, value], [ctypes.c_float, ctypes.c_double], [4, 8]) == expected


def test_negative_numbers_wrap_in_unsigned_types():
    assert packed((-1,), (ctypes.c_uint32,), [4]) == [b"\xff" * 4]


def test_handles_structs_and_booleans():
    pointer = driver.CUdeviceptr(0x1234)
    extent = driver.CUextent3D(width=1, height=2, depth=3)
    values = (pointer, pointer, extent, True, None, np.int64(-3))
    types = (None, ctypes.c_void_p, None, ctypes.c_bool, ctypes.c_void_p, ctypes.c_longlong)
    address = struct.pack("<Q", 0x1234)
    whole = struct.pack("<QQQ", 1, 2, 3)
    expected = [address, address, whole, b"\1", bytes(8), struct.pack("<q", -3)]
    assert packed(values, types, [8, 8, 24, 1, 8, 8]) == expected


def test_ctypes_structures():
    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_double)]

    assert packed((Pair(1, 2.0),), (None,), [16]) == [struct.pack("<iid", 1, 0, 2.0)]


def test_ready_arrays_of_addresses():
    value = ctypes.c_int(5)
    addresses = np.array([ctypes.addressof(value)], dtype=np.uint64)
    node = driver.CUDA_KERNEL_NODE_PARAMS()
    for form in (addresses, addresses.ctypes.data):
        node.kernelParams = form
        assert node.kernelParams == addresses.ctypes.data
    node.kernelParams = None
    assert node.kernelParams == 0


@pytest.mark.parametrize("empty", [(), ((), ()), b"", np.empty(0, np.uint64)])
def test_no_parameters(empty):
    driver.CUDA_KERNEL_NODE_PARAMS().kernelParams = empty
