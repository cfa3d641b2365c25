# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Handle classes and enumerations."""

import copy
import ctypes
import enum
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda.bindings import driver


@given(st.integers(0, 2**64 - 1))
def test_handles_hold_any_address(value):
    stream = driver.CUstream(value)
    assert int(stream) == value
    assert bool(stream) == bool(value)
    assert ctypes.c_uint64.from_address(stream.getPtr()).value == value
    assert stream == driver.CUstream(value)
    assert hash(stream) == hash(driver.CUstream(value))
    assert stream != driver.CUevent(value)
    assert stream != value


@given(st.integers(-(2**31), 2**31 - 1))
def test_device_ordinals_are_signed(value):
    device = driver.CUdevice(value)
    assert int(device) == value
    assert ctypes.c_int.from_address(device.getPtr()).value == value
    assert int(driver.CUdevice(_ptr=device.getPtr())) == value


@pytest.mark.parametrize(("cls", "value"), [("CUstream", -1), ("CUstream", 1 << 64), ("CUdevice", 1 << 31)])
def test_handles_are_range_checked(cls, value):
    with pytest.raises(OverflowError, match=rf"{cls}\(\) takes an int from"):
        getattr(driver, cls)(value)


def test_handle_constructors_accept_handles_and_none():
    assert int(driver.CUdeviceptr(driver.CUdeviceptr(5))) == 5
    assert int(driver.CUcontext()) == int(driver.CUcontext(None)) == 0
    assert repr(driver.CUstream(255)) == "<CUstream 0xff>"
    assert repr(driver.CUdeviceptr(255)) == "<CUdeviceptr 255>"  # an integer type
    assert repr(driver.CUdevice(-2)) == "<CUdevice -2>"
    assert driver.CUdevice_v1 is driver.CUdevice
    with pytest.raises(TypeError):
        driver.CUstream("5")


def test_handles_are_neither_pickled_nor_copied():
    for make in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="CUstream is a handle of this process"):
            make(driver.CUstream(1))


def test_enumerations_are_int_enums():
    error = driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY
    assert isinstance(error, enum.IntEnum)
    assert error == 2
    assert driver.CUresult(2) is driver.CUresult["CUDA_ERROR_OUT_OF_MEMORY"] is error
    assert pickle.loads(pickle.dumps(error)) is error
    assert driver.CUresult.__module__ == "cuda.bindings.driver"
    # Two names of one value.
    attribute = driver.CUdevice_attribute
    assert (
        attribute.CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK
        is attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK
    )


def test_unknown_values_become_new_members():
    unknown = driver.CUresult(123456)
    assert unknown == 123456
    assert (unknown.name, str(unknown)) == ("CUresult_123456", "<CUresult.CUresult_123456: 123456>")
    assert unknown is driver.CUresult(123456)
    assert unknown not in list(driver.CUresult)
    assert pickle.loads(pickle.dumps(unknown)) is unknown
    with pytest.raises(ValueError, match="is not a valid CUresult"):
        driver.CUresult("CUDA_SUCCESS")


class Foreign:
    """A stream of another library, which converts by __int__ alone."""

    def __int__(self):
        return 0x7000


def test_objects_with_only_int_are_accepted_as_handles():
    assert driver.CUstream(Foreign()) == driver.CUstream(0x7000)
    params = driver.CUDA_EVENT_RECORD_NODE_PARAMS()
    params.event = Foreign()
    assert params.event == driver.CUevent(0x7000)


@pytest.mark.parametrize("value", [1.0, "1", b"1", [1]])
def test_other_objects_are_refused_as_handles(value):
    with pytest.raises(TypeError):
        driver.CUstream(value)
