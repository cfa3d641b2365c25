# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cuda.core import LegacyPinnedMemoryResource
from cuda.core._view._view_copy import pieces
from cuda.core.utils import StridedMemoryView, args_viewable_as_strided_memory


def test_view_of_numpy():
    array = np.arange(6, dtype="f4").reshape(2, 3)
    for view in (StridedMemoryView(array), StridedMemoryView.from_array_interface(array)):
        assert view.ptr == array.ctypes.data
        assert (view.shape, view.size, view.dtype) == ((2, 3), 6, np.dtype("f4"))
        assert view.strides in (None, (3, 1))
        assert (view.device_id, view.is_device_accessible, view.readonly) == (-1, False, False)
        assert view.exporting_obj is array
        assert np.from_dlpack(view).tolist() == array.tolist()
        assert "(2, 3) of float32" in repr(view)
    assert StridedMemoryView(array.T).strides == (1, 3)
    assert StridedMemoryView.from_array_interface(array[:, ::2]).strides == (3, 2)


def test_read_only_arrays():
    array = np.arange(3)
    array.flags.writeable = False
    view = StridedMemoryView(array)
    assert view.readonly
    with pytest.raises(ValueError, match=r"^this view is read-only$"):
        view.copy_from(StridedMemoryView(np.arange(3)), None)
    with pytest.raises(BufferError, match=r"read-only, which needs DLPack 1.0 or newer"):
        view.__dlpack__()


def test_structured_arrays():
    array = np.zeros(3, "f4,i4")
    assert StridedMemoryView.from_array_interface(array).dtype == array.dtype


def test_objects_that_are_not_arrays():
    with pytest.raises(BufferError, match=r"^list has none of __dlpack__, __cuda_array_interface__ and"):
        StridedMemoryView([1, 2])
    with pytest.raises(TypeError, match=r"^obj must be an array"):
        StridedMemoryView()


class Interface:
    def __init__(self, buffer, **changes):
        self.__cuda_array_interface__ = {
            "data": (buffer.handle, False),
            "shape": (2, 3),
            "typestr": "<i2",
            "version": 3,
            **changes,
        }


def test_cuda_array_interface(device, stream):
    with device.allocate(12, stream=stream) as buffer, device.create_stream() as producer:
        handle = producer.__cuda_stream__()[1]
        for changes in ({}, {"stream": handle}, {"strides": (6, 2)}):
            view = StridedMemoryView(Interface(buffer, **changes), stream_ptr=stream.__cuda_stream__()[1])
            assert (view.ptr, view.shape, view.dtype, view.device_id) == (buffer.handle, (2, 3), np.dtype("i2"), 0)
            assert view.strides == ((3, 1) if "strides" in changes else None)
            assert view.is_device_accessible
        for changes, message in (
            ({"version": 2}, r"only version 3"),
            ({"mask": 1}, r"masked arrays"),
            ({"stream": 0}, r"stream 0 is ambiguous"),
            ({"strides": (5, 2)}, r"strides \(5, 2\) bytes are no multiples of the itemsize 2"),
        ):
            with pytest.raises(BufferError, match=message):
                StridedMemoryView(Interface(buffer, **changes), stream_ptr=-1)
        with pytest.raises(BufferError, match=r"^give stream_ptr for an array on a device"):
            StridedMemoryView(Interface(buffer))


def test_dlpack_of_a_buffer(device, stream):
    with device.allocate(12, stream=stream) as buffer:
        for given in (stream.__cuda_stream__()[1], stream.handle, -1):
            view = StridedMemoryView(buffer, stream_ptr=given)
            assert (view.ptr, view.shape, view.dtype, view.device_id) == (buffer.handle, (12,), np.dtype("i1"), 0)
        with pytest.raises(BufferError, match=r"^give stream_ptr for an array on a device"):
            StridedMemoryView(buffer)


def test_from_buffer(device, stream):
    with device.allocate(48, stream=stream) as buffer:
        view = StridedMemoryView.from_buffer(buffer, (2, 3), dtype="f8", is_readonly=True)
        assert (view.ptr, view.shape, view.strides, view.readonly) == (buffer.handle, (2, 3), None, True)
        untyped = StridedMemoryView.from_buffer(buffer, (3, 2), (1, 3), itemsize=8)
        assert (untyped.dtype, untyped.strides) == (None, (1, 3))
        assert untyped.view(dtype=np.int64).dtype == np.int64
        with pytest.raises(BufferError, match=r"has no dtype: use view"):
            untyped.__dlpack__()
        with pytest.raises(ValueError, match=r"^dtype float32 has 4 bytes, but the elements have 8$"):
            view.view(dtype="f4")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"shape": (2, 4), "dtype": "f8"},
            r"^shape \(2, 4\) with 8 bytes an element needs 64 bytes, but the buffer has",
        ),
        ({"shape": (2, 2), "strides": (4, 1), "dtype": "f8"}, None),
        ({"shape": (2, 2), "strides": (6, 1), "dtype": "f8"}, r"needs 64 bytes, but the buffer has 48$"),
        ({"shape": (2,), "strides": (-1,), "dtype": "f8"}, r"lead out of the buffer, to before its beginning"),
        ({"shape": (2,), "strides": (1, 1), "dtype": "f8"}, r"have different lengths"),
        ({"shape": (-1,), "dtype": "f8"}, r"has a negative extent"),
        ({"shape": (2,)}, r"^give dtype or itemsize$"),
        ({"shape": (2,), "dtype": "f8", "itemsize": 4}, r"^itemsize is 4, but dtype float64 has 8$"),
        ({"shape": (0, 99), "dtype": "f8"}, None),
    ],
)
def test_from_buffer_rejects_views_beyond_the_buffer(device, stream, settings, message):
    with device.allocate(48, stream=stream) as buffer:
        if message is None:
            StridedMemoryView.from_buffer(buffer, **settings)
        else:
            with pytest.raises(ValueError, match=message):
                StridedMemoryView.from_buffer(buffer, **settings)


def test_from_closed_buffer(device, stream):
    buffer = device.allocate(8, stream=stream)
    buffer.close()
    with pytest.raises(ValueError, match=r"^buffer is closed$"):
        StridedMemoryView.from_buffer(buffer, (8,), dtype="u1")
    with pytest.raises(TypeError, match=r"^buffer must be a Buffer, not bytes$"):
        StridedMemoryView.from_buffer(b"", (0,), dtype="u1")


def test_copies(device, stream):
    source = np.arange(24, dtype="i4").reshape(2, 3, 4)
    result = np.zeros((2, 4, 3), "i4")
    with device.allocate(96, stream=stream) as buffer:
        on_device = StridedMemoryView.from_buffer(buffer, (2, 3, 4), dtype="i4")
        on_device.copy_from(StridedMemoryView(source), stream)
        on_device.copy_to(StridedMemoryView(result.transpose(0, 2, 1)), stream)
        assert (result.transpose(0, 2, 1) == source).all()
        on_device.copy_to(StridedMemoryView(result.transpose(0, 2, 1)))  # the default stream
        with pytest.raises(ValueError, match=r"^the views have shapes \(2, 3, 4\) and \(24,\): they must be equal$"):
            on_device.copy_from(StridedMemoryView(source.ravel()), stream)
        with pytest.raises(ValueError, match=r"^the elements have 4 and 8 bytes: they must be equal$"):
            on_device.copy_from(StridedMemoryView(source.astype("i8")), stream)


@given(
    shape=hnp.array_shapes(max_dims=4, max_side=4, min_side=0),
    orders=st.tuples(st.permutations(range(4)), st.permutations(range(4))),
    steps=st.tuples(st.integers(1, 3), st.integers(-2, -1) | st.integers(1, 2)),
)
def test_strided_copies_split_into_pieces_cover_every_element(shape, orders, steps):
    source = np.random.default_rng(1).integers(0, 1000, 5000, dtype="i4")
    arrays = []
    for order, step, memory in zip(orders, steps, (source, np.zeros(5000, "i4")), strict=True):
        axes = [axis for axis in order if axis < len(shape)]
        strides, count = [0] * len(shape), abs(step)
        for axis in axes:
            strides[axis] = 4 * count * (1 if step > 0 else -1)
            count *= max(shape[axis], 1)
        start = 0 if step > 0 else 4000
        arrays.append(np.lib.stride_tricks.as_strided(memory[start:], shape, strides))
    views = [StridedMemoryView.from_array_interface(array) for array in arrays]
    raw = [array.__array_interface__["data"][0] for array in arrays]
    import ctypes

    for to, start, nbytes in pieces(views[1], views[0]):
        ctypes.memmove(raw[1] + to, raw[0] + start, nbytes)
    assert (arrays[1] == arrays[0]).all()


def test_a_contiguous_copy_is_a_single_piece():
    one, two = StridedMemoryView(np.zeros((4, 5, 6))), StridedMemoryView(np.zeros((4, 5, 6)))
    assert list(pieces(one, two)) == [(0, 0, 960)]
    transposed = StridedMemoryView(np.zeros((6, 5, 4)).T)
    assert list(pieces(transposed, transposed)) == [(0, 0, 960)]
    assert len(list(pieces(one, StridedMemoryView(np.zeros((4, 5, 12))[:, :, ::2])))) == 120


def test_args_viewable_as_strided_memory_decorator(device, stream):
    @args_viewable_as_strided_memory((1,))
    def function(scale, array, *, extra):
        """Say it."""
        view = array.view(-1)
        return scale, view.shape, extra, array.dtype

    assert function.__doc__ == "Say it."
    assert function(2, np.zeros((3, 4)), extra=1) == (2, (3, 4), 1, np.dtype("f8"))


def test_pinned_memory_is_host_and_device_accessible(stream):
    with LegacyPinnedMemoryResource().allocate(8, stream=stream) as pinned:
        view = StridedMemoryView(pinned)
        assert view.is_device_accessible
        array = np.from_dlpack(view)
        array[:] = 3
        assert bytes(pinned) == b"\3" * 8
        del array, view


def test_numpy_arrays_are_read_through_array_struct():
    """From the second one on, NumPy arrays are read through __array_struct__; values match __array_interface__."""
    StridedMemoryView.from_array_interface(np.zeros(1))
    fixed = np.arange(3)
    fixed.flags.writeable = False
    for array in (
        fixed,
        np.arange(24, dtype=">i4").reshape(2, 3, 4),
        np.arange(24.0).reshape(4, 6)[::2, ::-3],
        np.zeros((0, 3)),
        np.array(5.0),
        np.zeros(3, "f4,i4"),
    ):
        interface = array.__array_interface__
        view = StridedMemoryView.from_array_interface(array)
        strides = interface["strides"]
        assert (view.ptr, view.readonly) == interface["data"]
        assert (view.shape, view.dtype) == (array.shape, array.dtype)
        assert view.strides == (strides and tuple(step // array.itemsize for step in strides))
        assert (view.device_id, view.is_device_accessible, view.exporting_obj is array) == (-1, False, True)
    uneven = np.zeros(4, [("a", "i2"), ("b", "i4")])["b"]
    with pytest.raises(BufferError, match=r"^strides \(6,\) bytes are no multiples of the itemsize 4$"):
        StridedMemoryView.from_array_interface(uneven)


class Old:
    """A producer older than DLPack 1.0."""

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self):
        return np.arange(3, dtype="i2").__dlpack__()


def test_old_dlpack_producers_after_new_ones():
    for _ in range(2):
        assert StridedMemoryView.from_dlpack(Old()).dtype == np.dtype("i2")
        assert StridedMemoryView.from_dlpack(np.zeros(2, "c8")).dtype == np.dtype("c8")
    with pytest.raises(BufferError):
        StridedMemoryView.from_dlpack(np.zeros(2, ">i4"))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("cut", [slice(None), slice(None, None, 2), slice(0, 1), slice(0, 0)])
def test_layout_as_numpy_sees_it(order, cut):
    array = np.zeros((4, 5), np.int16, order)[cut]
    layout = StridedMemoryView.from_dlpack(array, stream_ptr=-1)._layout
    assert layout.is_contiguous_c == array.flags.c_contiguous
    assert layout.is_contiguous_f == array.flags.f_contiguous
    if array.size:
        free = [extent == 1 for extent in array.shape]
        assert [a for a, any_ in zip(layout.strides_in_bytes, free, strict=True) if not any_] == [
            a for a, any_ in zip(array.strides, free, strict=True) if not any_
        ]
