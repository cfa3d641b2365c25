# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Copies between DeviceArrays and arrays of the host with any strides: values, ordering, and boxes."""

import array as stdlib_array
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.scripts import run_checked

from cuda.core import Device
from cuda.core._array._boxes import boxes
from cuda.core.utils import StridedMemoryView

FLOATS = np.arange(24, dtype=np.float32).reshape(4, 6)


@st.composite
def strided(draw, shape=None):
    """Return an array whose strides are those of a transposed and sliced one."""
    shape = shape or draw(hnp.array_shapes(max_dims=4, max_side=4))
    steps = draw(st.tuples(*[st.sampled_from((1, 2, 3, -1, -2)) for _ in shape]))
    order = draw(st.permutations(range(len(shape))))
    whole = [shape[axis] * abs(steps[axis]) for axis in order]
    values = np.arange(np.prod(whole), dtype=np.int16).reshape(whole).transpose(np.argsort(order))
    return values[tuple(slice(None, None, step) for step in steps)]


@st.composite
def two_strided(draw):
    first = draw(strided())
    return first, draw(strided(first.shape))


@given(two_strided())
def test_boxes_copy_each_element_once(pair):
    to, start = pair
    to, expected = np.zeros_like(to.base.base if to.base.base is not None else to.base), start.copy()
    view = np.ndarray(pair[0].shape, np.int16, to, _offset(pair[0]), pair[0].strides)
    written = to.reshape(-1).view(np.uint8)
    memory = _root(start).reshape(-1).view(np.uint8)
    count = 0
    for box in boxes(view.shape, view.strides, start.strides, 2):
        for plane in range(box.depth):
            for row in range(box.height):
                at = _offset(pair[0]) + box.to + row * box.to_pitch + plane * box.to_plane
                source = _offset(start) + box.start + row * box.start_pitch + plane * box.start_plane
                written[at : at + box.width] = memory[source : source + box.width]
                count += box.width
    assert count == expected.nbytes
    assert np.array_equal(view, expected)


def _root(values):
    while values.base is not None:
        values = values.base
    return values


def _offset(values):
    return values.ctypes.data - _root(values).ctypes.data


@pytest.mark.parametrize(
    ("to", "start", "count"),
    [
        (FLOATS, FLOATS, 1),
        (FLOATS[::-1], FLOATS[::-1], 1),
        (FLOATS[:, 1:4], FLOATS[:, :3], 1),
        (FLOATS[:, ::2], FLOATS[:, 1::2], 1),  # one axis: its strides continue
        (np.zeros((4, 5, 6))[1:, 1:, 1:], np.zeros((3, 4, 5)), 1),  # planes of rows
        (np.zeros((4, 6), order="F"), np.zeros((4, 6)), 6),  # a transposition copies columns
        (FLOATS[0], FLOATS[0, ::-1], 6),
        (FLOATS[:0], FLOATS[:0], 0),
        (np.zeros(()), np.zeros(()), 1),
    ],
)
def test_number_of_boxes(to, start, count):
    assert len(list(boxes(to.shape, to.strides, start.strides, to.itemsize))) == count


@given(two_strided())
def test_copies_between_all_strides(pair):
    device = Device(0)
    device.set_current()
    target, source = pair
    to = device.to_device(_root(target).copy())
    to = _same_view(to, target)
    start = _same_view(device.to_device(_root(source)), source)
    assert np.array_equal(start.to_host(), source)
    to.copy_from(source)
    assert np.array_equal(to.to_host(), source)
    to.fill(-1)
    assert (to.to_host() == -1).all()
    to.copy_from(start)
    assert np.array_equal(to.to_host(), source)
    on_host = _root(target).copy()
    view = np.ndarray(target.shape, target.dtype, on_host, _offset(target), target.strides)
    start.copy_to(view)
    assert np.array_equal(view, source)


def _same_view(array, like):
    """Return the part of a device array that `like` is of its NumPy counterpart."""
    from cuda.core._array._device_array import make_array

    return make_array(array.buffer, _offset(like), like.shape, like.strides, like.dtype)


@pytest.fixture
def array(device):
    with device.to_device(FLOATS) as made:
        yield made


def test_elements_between_are_not_touched(device, array):
    array[1:3, ::2].copy_from(np.full((2, 3), -1, np.float32))
    expected = FLOATS.copy()
    expected[1:3, ::2] = -1
    assert np.array_equal(array.to_host(), expected)


SOURCES = {
    "bytearray": lambda values: (bytearray(values.tobytes()), np.uint8),
    "array": lambda values: (stdlib_array.array("f", values.ravel()), np.float32),
    "memoryview with a step": lambda values: (memoryview(values.ravel())[::2], np.float32),
    "read-only": lambda values: (np.broadcast_to(values, (3, *values.shape)), np.float32),
    "Fortran": lambda values: (np.asfortranarray(values), np.float32),
    "reversed": lambda values: (values[::-1, ::-1], np.float32),
    "scalar": lambda values: (np.float32(3), np.float32),
    "view": lambda values: (StridedMemoryView.from_any_interface(values.T, -1), np.float32),
}


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("ordered", [False, True])
def test_sources_on_the_host(device, stream, kind, ordered):
    source, dtype = SOURCES[kind](FLOATS)
    order = stream if ordered else None
    expected = FLOATS.T if kind == "view" else np.asarray(source)
    array = device.to_device(source, stream=order)
    assert array.dtype == dtype
    assert np.array_equal(array.to_host(stream=order), expected)
    array.fill(0, stream=order)
    array.copy_from(source, stream=order)
    assert np.array_equal(array.to_host(stream=order), expected)


def test_buffers_have_the_shape_of_the_array(device, stream, array):
    with device.allocate(96, stream=stream) as buffer, device.allocate(95, stream=stream) as small:
        array.T.copy_to(buffer, stream=stream)
        other = device.empty((6, 4), np.float32)
        other.copy_from(buffer, stream=stream)
        assert np.array_equal(other.to_host(stream=stream), FLOATS.T)
        with pytest.raises(ValueError, match="src is a Buffer of 95 bytes, but the array has 96"):
            array.copy_from(small)
        host = np.empty((4, 6), np.float32)
        buffer.copy_from(array, stream=stream)
        buffer.copy_to(host, stream=stream)
        stream.sync()
        assert np.array_equal(host, FLOATS)


@pytest.mark.parametrize(
    ("other", "error", "message"),
    [
        (np.zeros((6, 4), np.float32), ValueError, r"src has shape \(6, 4\), but the array \(4, 6\)"),
        (np.zeros((4, 6)), TypeError, "src has dtype float64, but the array float32: elements are not converted"),
        (np.zeros((4, 6), ">f4"), TypeError, "src.dtype >f4 is byte-swapped"),
        (np.zeros((4, 6), object), TypeError, "src.dtype object holds Python objects"),
        ("text", TypeError, "src must be a Buffer or an array"),
        (None, TypeError, "src must be a Buffer or an array"),
        ([1.0], TypeError, "not list; numpy.asarray"),
    ],
)
def test_wrong_sources(array, other, error, message):
    with pytest.raises(error, match=message):
        array.copy_from(other)
    assert np.array_equal(array.to_host(), FLOATS)


def test_wrong_destinations(array):
    read_only = np.zeros((4, 6), np.float32)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="dst is a read-only ndarray: give an array that can be written"):
        array.copy_to(read_only)
    with pytest.raises(ValueError, match="dst is a read-only bytes"):
        array.copy_to(bytes(96))
    with pytest.raises(TypeError, match="dst must be a Buffer or an array"):
        array.copy_to(3)
    for wrong in (3, "stream"):
        with pytest.raises(TypeError, match="stream must be a Stream"):
            array.to_host(stream=wrong)
    with pytest.raises((TypeError, ValueError, OverflowError)):
        array.fill("text")


def test_fill(device, stream):
    for dtype, value in (("f8", 1.5), ("c16", 1 - 2j), ("i8", -1), ("u1", 255), ("?", True), ("f2", 0.25)):
        array = device.empty((3, 4), dtype)
        for order in (None, stream):
            array.fill(0, stream=order)
            array[1:, ::2].fill(value, stream=order)
            assert (array[1:, ::2].to_host(stream=order) == value).all()
            assert not array[0].to_host().any()
            array.fill(value, stream=order)
            assert (array.to_host(stream=order) == value).all()
    with pytest.raises(OverflowError):
        device.full(3, 300, np.uint8)
    for wrong in (None, "3", b"3", [1, 2], np.arange(3)):
        with pytest.raises(TypeError, match="value must be a scalar of float32, not "):
            device.full(3, wrong, np.float32)
    assert device.full(2, (1, 2), [("a", "i4"), ("b", "f8")]).to_host()["b"].tolist() == [2, 2]


def test_the_order_of_a_stream(device, stream):
    """Copies with a stream return at once; the array of the host is kept until its copy is done."""
    array, go_on = device.zeros(4, np.int32), threading.Event()
    stream.add_callback(go_on.wait)
    with device.create_stream() as other:
        pinned_free = np.arange(4, dtype=np.int32)
        array.fill(9, stream=other)
        other.sync()
        stream.wait(other.record())
        timer = threading.Timer(0.1, go_on.set)
        timer.start()
        array.copy_from(pinned_free, stream=stream)
        del pinned_free
        assert array.to_host(stream=stream).tolist() == [0, 1, 2, 3]
        timer.join()


def test_a_captured_stream_needs_the_builder(device, stream, array):
    host = np.zeros((4, 6), np.float32)
    builder = stream.create_graph_builder().begin_building()
    try:
        with pytest.raises(ValueError, match="give the GraphBuilder as stream"):
            array.copy_to(host, stream=stream)
        with pytest.raises(ValueError, match="stream is captured"):
            array.to_host(stream=builder)
        array[::2, 1:].copy_to(host[::2, 1:], stream=builder)
        graph = builder.end_building().complete()
    finally:
        builder.close()
    graph.launch(stream)
    stream.sync()
    assert np.array_equal(host[::2, 1:], FLOATS[::2, 1:])
    assert not host[1].any()


@pytest.mark.cpu_only
def test_between_devices():
    text = """
        import numpy as np
        from cuda.core import Device

        values = np.arange(24, dtype=np.float32).reshape(4, 6)
        for device in reversed(Device.get_all_devices()):
            device.set_current()
        array = Device(0).to_device(values)
        Device(1).set_current()
        other = Device(1).to_device(array[:, ::2])
        Device(0).set_current()
        other.copy_to(array[:, 1::2])
        assert np.array_equal(other.to_host(), values[:, ::2])
        assert np.array_equal(array.to_host(), values[:, [0, 0, 2, 2, 4, 4]])
        print(array.device.device_id, other.device.device_id)
    """
    assert run_checked(text, CUDA_CPU_DEVICES="2", CUDA_PYTHON_DRIVER="cpu").split() == ["0", "1"]
