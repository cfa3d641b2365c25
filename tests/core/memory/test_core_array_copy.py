# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Copies between Buffers and arrays."""

import array
import gc
import sys
import weakref

import numpy as np
import pytest

from cuda.core import Buffer, LegacyPinnedMemoryResource
from cuda.core._memory import _array_copy
from cuda.core.utils import StridedMemoryView

FLOATS = np.arange(16, dtype=np.float32)


class ByDLPack:
    """An array that only supports DLPack, like those of other libraries."""

    def __init__(self, of):
        self.of = of

    def __dlpack__(self, **options):
        return self.of.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()


class WithAddress:
    """A Buffer's memory with __cuda_array_interface__."""

    def __init__(self, buffer):
        self.__cuda_array_interface__ = {
            "version": 3, "shape": (16,), "typestr": "<f4", "data": (buffer.handle, False), "stream": None,
        }  # fmt: skip


@pytest.fixture
def pinned_resource():
    return LegacyPinnedMemoryResource()


@pytest.fixture
def buffer(device, stream):
    with device.allocate(64, stream=stream) as made:
        made.fill(0, stream=stream)
        yield made


KINDS = {
    "ndarray": np.array,
    "matrix": lambda values: np.array(values).reshape(4, 4),
    "bytearray": lambda values: bytearray(values.tobytes()),
    "array": lambda values: array.array("f", values),
    "memoryview": lambda values: memoryview(np.array(values)),
    "dlpack": lambda values: ByDLPack(np.array(values)),
    "view": lambda values: StridedMemoryView(np.array(values)),
    "structured": lambda values: np.array(values).view("f4,f4"),
    "datetime64": lambda values: np.array(values).view("M8[s]"),
}


def read(obj):
    obj = getattr(obj, "of", obj)
    if isinstance(obj, StridedMemoryView):
        obj = np.asarray(obj)
    return np.frombuffer(obj.view("u1") if isinstance(obj, np.ndarray) else obj, np.float32)


@pytest.mark.parametrize("kind", KINDS)
def test_host_arrays(buffer, stream, kind):
    buffer.copy_from(KINDS[kind](FLOATS), stream=stream)
    target = KINDS[kind](FLOATS * 0)
    assert buffer.copy_to(target, stream=stream) is target
    stream.sync()
    assert (read(target) == FLOATS).all()


@pytest.mark.parametrize("kind", [ByDLPack, WithAddress])
def test_device_arrays(buffer, device, stream, kind):
    with device.allocate(64, stream=stream) as other:
        other.copy_from(FLOATS, stream=stream)
        buffer.copy_from(kind(other), stream=stream)
        result = np.zeros(16, np.float32)
        buffer.copy_to(result, stream=stream)
        stream.sync()
    assert (result == FLOATS).all()


def test_read_only_and_empty_sources(buffer, device, stream):
    buffer.copy_from(FLOATS.tobytes(), stream=stream)
    frozen = FLOATS.copy()
    frozen.flags.writeable = False
    buffer.copy_from(frozen, stream=stream)
    with Buffer.from_handle(0, 0) as nothing:
        nothing.copy_from(np.zeros(0), stream=stream)
        nothing.copy_from(b"", stream=stream)


def test_an_async_copy_keeps_its_array_alive(buffer, pinned_resource, stream, device):
    class Kept(np.ndarray):
        pass

    gate, source = pinned_resource.allocate(4), pinned_resource.allocate(64)
    np.frombuffer(source, np.float32)[:] = FLOATS
    held = np.frombuffer(gate, np.uint32)
    held[0] = 0
    from cuda.bindings import driver

    driver.cuStreamWaitValue32(stream.handle, gate.handle, 1, 0)  # later work in the stream waits for the host
    view = np.frombuffer(source, np.float32).view(Kept)
    alive = weakref.ref(view)
    buffer.copy_from(view, stream=stream)
    del view
    gc.collect()
    _array_copy.release()
    assert alive() is not None
    held[0] = 1
    stream.sync()
    gc.collect()
    assert alive() is None
    assert not _array_copy._held


def test_a_graph_keeps_the_arrays_of_its_copies_alive(buffer, device, stream):
    builder = device.create_graph_builder().begin_building()
    values = FLOATS.copy()
    count = sys.getrefcount(values)
    buffer.copy_from(values, stream=builder)
    assert sys.getrefcount(values) > count
    graph = builder.end_building().complete()
    del values
    gc.collect()
    graph.launch(stream)
    result = np.zeros(16, np.float32)
    buffer.copy_to(result, stream=stream)
    stream.sync()
    assert (result == FLOATS).all()


def test_arrays_cannot_be_copied_on_a_captured_stream(buffer, device):
    with device.create_stream() as line:
        builder = line.create_graph_builder().begin_building()
        with pytest.raises(ValueError, match=r"^src is an array and the stream is captured, .* give the GraphBuilder"):
            buffer.copy_from(FLOATS, stream=line)
        builder.end_building().close()


def read_only():
    frozen = FLOATS.copy()
    frozen.flags.writeable = False
    return frozen


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda: np.arange(16),
            ValueError,
            r"src has 128 bytes \(int64, shape \(16,\)\) and dst, a Buffer, 64",
        ),
        (
            lambda: FLOATS.reshape(4, 4).T,
            ValueError,
            r"src of shape \(4, 4\) has strides \(4, 16\) \(bytes\): give an ar",
        ),
        (lambda: memoryview(np.zeros(32, "f4"))[::2], ValueError, r"src of shape \(16,\) has strides \(8,\)"),
        (
            lambda: StridedMemoryView(np.zeros(32, "f4")[::2]),
            ValueError,
            r"src of shape \(16,\) has strides \(2,\) \(elements\): give an array in C order",
        ),
        (lambda: np.array([None] * 8), TypeError, r"src has dtype object, Python objects"),
        (lambda: [1.0] * 16, TypeError, r"src must be a Buffer or an array .*, not list; numpy\.asarray\(src, dtype\)"),
        (lambda: None, TypeError, r"src must be a Buffer or an array .*, not NoneType$"),
        (lambda: "text", TypeError, r"src must be a Buffer or an array .*, not str$"),
    ],
)
def test_wrong_sources(buffer, stream, make, kind, message):
    with pytest.raises(kind, match=f"^{message}"):
        buffer.copy_from(make(), stream=stream)


@pytest.mark.parametrize("make", [read_only, lambda: bytes(64), lambda: StridedMemoryView(read_only())])
def test_read_only_targets(buffer, stream, make):
    with pytest.raises(ValueError, match=r"^dst is a read-only \w+: give an array that can be written$"):
        buffer.copy_to(make(), stream=stream)


def test_closed_buffers(device, stream):
    closed = device.allocate(64, stream=stream)
    closed.close()
    with pytest.raises(ValueError, match=r"^this Buffer is closed$"):
        closed.copy_from(FLOATS, stream=stream)


def test_views_copy_from_and_to_arrays(buffer, stream):
    view = StridedMemoryView.from_buffer(buffer, (4, 4), dtype=np.dtype(np.float32))
    source = FLOATS.reshape(4, 4)
    view.copy_from(source.T, stream)
    target = np.zeros((4, 4), np.float32)
    view.copy_to(target, stream)
    assert (target == source.T).all()
    with pytest.raises(
        TypeError, match=r"^other must be .* not Buffer; StridedMemoryView.from_buffer makes one of it$"
    ):
        view.copy_from(buffer, stream)
    with pytest.raises(TypeError, match=r"^other must be a StridedMemoryView or an array, not list"):
        view.copy_from([1], stream)
    with pytest.raises(ValueError, match=r"^other is a read-only array$"):
        view.copy_to(np.broadcast_to(np.float32(0), (4, 4)), stream)


def test_numpy_cannot_view_device_memory(buffer, stream):
    view = StridedMemoryView.from_buffer(buffer, (16,), dtype=np.dtype(np.float32))
    with pytest.raises(
        TypeError, match=r"^this Buffer is memory of the device, .* buffer.copy_to\(array, stream=stream\)"
    ):
        np.asarray(buffer)
    with pytest.raises(
        TypeError, match=r"^this view is of memory of the device, .* view.copy_to\(array, stream=stream\)"
    ):
        np.array(view)
    with pytest.raises(TypeError, match=r"does not support ufuncs|unsupported operand"):
        np.ones(3) + buffer
    assert (np.ones(3) == buffer) is False
    buffer.close()
    with pytest.raises(ValueError, match=r"^this Buffer is closed$"):
        np.asarray(buffer)


def test_numpy_views_host_accessible_memory(pinned_resource, stream):
    with pinned_resource.allocate(64) as pinned:
        np.asarray(pinned)[:] = 1
        assert np.asarray(pinned).sum() == 64
    view = StridedMemoryView(FLOATS)
    assert np.asarray(view).base is not None
    assert np.asarray(view, np.int32).tolist() == list(range(16))
    assert np.array(view, copy=True).tolist() == FLOATS.tolist()
