# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conversion of kernel parameters, tested by a struct field that accepts the same types."""

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


def test_arrays_of_addresses():
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


@pytest.mark.parametrize("count", [23, 24, 25, 100])
def test_many_parameters(count):
    expected = [struct.pack("<q", -index) for index in range(count)]
    assert packed(list(range(0, -count, -1)), [ctypes.c_int64] * count, [8] * count) == expected


def test_temporary_ctypes_types():
    """Types are remembered by address: a new one at an old one's address is another one."""
    for number in range(300):
        base = (ctypes.c_int8, ctypes.c_int32, ctypes.c_double)[number % 3]
        kind = type(f"Kind{number}", (base,), {})
        assert packed((1,), (kind,), [ctypes.sizeof(base)]) == [bytes(base(1))]


@pytest.mark.parametrize(
    ("value", "kind", "error", "message"),
    [
        (128, ctypes.c_bool, None, ""),
        (1 << 31, ctypes.c_int32, None, ""),  # as unsigned, in C's way
        (1 << 32, ctypes.c_int32, OverflowError, r"\[0\] = 4294967296 does not fit c_int"),
        (-(1 << 31) - 1, ctypes.c_uint32, OverflowError, r"\[0\] = -2147483649 does not fit c_uint"),
        (1 << 64, ctypes.c_void_p, OverflowError, r"\[0\] = 18446744073709551616 does not fit c_void_p"),
        ((1 << 64) - 1, ctypes.c_void_p, None, ""),
        (1.5, ctypes.c_int32, TypeError, r"\[0\] must be an int for c_int, not float"),
        ("1", ctypes.c_float, TypeError, r"\[0\] must be a number, not str"),
        (1, int, TypeError, r"\[0\]: the type must be None or a simple ctypes type"),
        ("ab", ctypes.c_wchar, TypeError, r"\[0\] must be an int for c_wchar, not str"),
    ],
)
def test_ranges_of_ctypes_types(value, kind, error, message):
    for _ in range(2):  # the second time the type is known
        if error is None:
            packed((value,), (kind,), [1])
        else:
            with pytest.raises(error, match=message):
                packed((value,), (kind,), [1])


def test_attributes_of_8_bytes_and_less(device):
    """Values whose type an attribute selects: a bool, an int that an enumeration names, an address."""
    attribute = driver.CUpointer_attribute
    status, pointer = driver.cuMemAlloc(64)
    assert status == 0
    kind = driver.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer)[1]
    assert type(kind) is int
    assert kind == driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    for name, value in (("IS_MANAGED", False), ("MAPPED", True), ("SYNC_MEMOPS", False)):
        member = getattr(attribute, f"CU_POINTER_ATTRIBUTE_{name}")
        assert driver.cuPointerGetAttribute(member, pointer)[1] is value
        assert driver.cuPointerGetAttributes(1, [member], pointer)[1][0] is value
    member = attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
    for set_to, value in ((True, True), (0, False), (256, True)):  # any number but 0 is true
        assert driver.cuPointerSetAttribute(set_to, member, pointer) == (0,)
        assert driver.cuPointerGetAttribute(member, pointer)[1] is value
    with pytest.raises(TypeError, match=r"cuPointerSetAttribute: value must be an int"):
        driver.cuPointerSetAttribute("1", member, pointer)
    start = driver.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, pointer)[1]
    assert int(start) == int(pointer)
    with pytest.raises(OverflowError, match=r"cuPointerGetAttribute: attribute must be an int"):
        driver.cuPointerGetAttribute(1 << 40, pointer)
    assert driver.cuPointerGetAttribute(99, pointer)[0] != 0
    driver.cuMemFree(pointer)
