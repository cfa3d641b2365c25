# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`DeviceArray` from arrays of other libraries, and for them: DLPack and the CUDA Array Interface."""

import gc

import numpy as np
import pytest
from array_values import FLOATS, PAIR

from cuda.core import (
    ClosedError,
    DeviceArray,
    LegacyPinnedMemoryResource,
)
from cuda.core.utils import StridedMemoryView


@pytest.fixture
def array(device):
    with device.to_device(FLOATS) as made:
        yield made


def test_from_buffer(device, stream):
    with LegacyPinnedMemoryResource().allocate(48, stream=stream) as pinned:
        array = DeviceArray.from_buffer(pinned, (3, 4), np.float32, order="F")
        assert array.strides == (4, 12)
        assert array.device is None
        assert repr(array).endswith("host memory>")
        on_host = np.asarray(array)
        on_host[:] = FLOATS[0]
        assert np.array_equal(array.to_host(), FLOATS[0])
        assert np.array(array, np.float64).dtype == np.float64
        with pytest.raises(ValueError, match="needs a copy"):
            np.asarray(array, np.float64, copy=False)
        array[1].fill(9)
        assert on_host[1].tolist() == [9] * 4
        with pytest.raises(ValueError, match=r"shape \(13,\) of float32 needs 52 bytes, but the buffer has 48"):
            DeviceArray.from_buffer(pinned, 13, np.float32)
        del on_host
    with pytest.raises(ClosedError):
        DeviceArray.from_buffer(pinned, 1, np.float32)
    with pytest.raises(TypeError, match="buffer must be a Buffer, not ndarray"):
        DeviceArray.from_buffer(FLOATS, 1, np.float32)


def by_dlpack(array):
    class Library:
        def __dlpack__(self, **options):
            return array.__dlpack__(**options)

        def __dlpack_device__(self):
            return array.__dlpack_device__()

    return Library()


def by_interface(array):
    class Library:
        __cuda_array_interface__ = property(lambda self: array.__cuda_array_interface__)

    return Library()


@pytest.mark.parametrize("protocol", [by_dlpack, by_interface])
def test_arrays_of_other_libraries(device, stream, array, protocol):
    part = array[::-1, 1:, ::2]
    for order in (None, stream):
        other = DeviceArray.from_any_interface(protocol(part), stream=order)
        assert (other.shape, other.strides, other.ptr, other.dtype) == (part.shape, part.strides, part.ptr, part.dtype)
        assert np.array_equal(other.to_host(), FLOATS[::-1, 1:, ::2])
        target = device.empty(part.shape, np.float32)
        target.copy_from(protocol(part), stream=order)
        assert np.array_equal(target.to_host(stream=order), other.to_host())
    assert np.array_equal(device.to_device(protocol(part)).to_host(), FLOATS[::-1, 1:, ::2])
    view = StridedMemoryView.from_any_interface(part, stream_ptr=-1)
    assert (view.ptr, view.shape) == (part.ptr, part.shape)
    other.close()  # only ends the use of the memory
    assert np.array_equal(array.to_host(), FLOATS)


def test_structures_by_the_cuda_array_interface(device):
    values = np.zeros(3, PAIR)
    array = DeviceArray.from_any_interface(by_interface(device.to_device(values)))
    assert (array.dtype["x"], array.dtype["n"], array.itemsize) == (PAIR["x"], PAIR["n"], PAIR.itemsize)
    assert array.to_host().tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: np.zeros(3), "in memory of the host: Device.to_device copies it"),
        (lambda: by_dlpack(np.zeros(3)), "in memory of the host: Device.to_device copies it"),
        (lambda: by_interface(3), "None|has none of|attribute"),
        (lambda: [1, 2], "list has none of __dlpack__"),
    ],
)
def test_what_is_no_array_on_a_device(device, make, message):
    with pytest.raises((BufferError, AttributeError), match=message):
        DeviceArray.from_any_interface(make())


def test_exported_memory_outlives_the_array(device, stream):
    gc.collect()
    used = device.memory_resource.attributes.used_mem_current
    array = device.to_device(FLOATS, stream=stream)
    other = DeviceArray.from_any_interface(by_dlpack(array), stream=stream)
    array.close()
    assert device.memory_resource.attributes.used_mem_current > used
    assert np.array_equal(other.to_host(), FLOATS)
    del other
    gc.collect()
    assert device.memory_resource.attributes.used_mem_current == used


def test_cuda_array_interface(device, stream, array):
    found = array.__cuda_array_interface__
    assert found == {
        "shape": (2, 3, 4), "typestr": "<f4", "data": (array.ptr, False), "strides": None, "stream": None, "version": 3,
    }  # fmt: skip
    assert array[0, ::2].__cuda_array_interface__["strides"] == (32, 4)
    assert device.empty(1, np.int8, stream=stream).__cuda_array_interface__["stream"] == int(stream.handle)
    assert device.empty(1, PAIR).__cuda_array_interface__["descr"] == PAIR.descr
    assert not hasattr(device.empty(1, "bfloat16"), "__cuda_array_interface__")
    assert device.empty(0, np.int8).__cuda_array_interface__["data"] == (0, False)


def test_dlpack_refusals(device, array):
    with pytest.raises(BufferError, match="copy=True is not supported"):
        array.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="is not copied to"):
        array.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="no DLPack equivalent"):
        device.empty(2, PAIR).__dlpack__()
    with pytest.raises(BufferError, match=r"strides \(12,\) bytes are no multiples of the itemsize 8"):
        device.empty(3, [("a", "f4"), ("b", "f8")])["b"].__dlpack__()
