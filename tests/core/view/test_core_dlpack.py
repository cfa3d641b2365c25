# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import gc

import numpy as np
import pytest
from support.scripts import run_checked

from cuda.core import (
    Buffer,
    LegacyPinnedMemoryResource,
    ManagedMemoryResource,
    MemoryResource,
    PinnedMemoryResource,
    VirtualMemoryResource,
)
from cuda.core._view import _dlpack
from cuda.core.utils import StridedMemoryView


@pytest.fixture
def pinned(stream):
    with LegacyPinnedMemoryResource().allocate(8, stream=stream) as buffer:
        yield buffer


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 3)])
def test_capsule_kind_follows_the_version(pinned, version):
    capsule = pinned.__dlpack__(max_version=version)
    name = "dltensor_versioned" if version and version[0] >= 1 else "dltensor"
    assert f'"{name}"' in repr(capsule)
    tensor = _dlpack.Tensor(capsule)
    assert f'"used_{name}"' in repr(capsule)
    assert (tensor.ptr, tensor.shape, tensor.strides) == (pinned.handle, (8,), (1,))
    assert (tensor.dtype_code, tensor.device, tensor.readonly) == ((0, 8, 1), (3, 0), False)
    with pytest.raises(BufferError, match=r"its array was taken already, or it is something else"):
        _dlpack.Tensor(capsule)
    with pytest.raises(BufferError, match=r"^__dlpack__ returned no unused DLPack capsule$"):
        _dlpack.peek_pointer(capsule)


def test_objects_that_are_not_capsules():
    for wrong in (1, None, "dltensor"):
        with pytest.raises((BufferError, ValueError)):
            _dlpack.Tensor(wrong)


@pytest.mark.parametrize("consume", [True, False])
def test_memory_is_released_once(stream, consume):
    pinned = LegacyPinnedMemoryResource().allocate(8, stream=stream)
    capsule = pinned.__dlpack__(max_version=(1, 0))
    taken = _dlpack.Tensor(capsule) if consume else None
    pinned.close()
    assert pinned.memory_resource is not None  # the capsule still needs it
    del capsule, taken
    gc.collect()
    assert pinned.memory_resource is None


def test_target_device(device, stream, pinned):
    assert _dlpack.Tensor(pinned.__dlpack__(dl_device=(1, 0))).device == (1, 0)
    with pytest.raises(BufferError, match=r"^the memory is on DLPack device \(3, 0\) and is not copied to \(2, 0\)$"):
        pinned.__dlpack__(dl_device=(2, 0))
    with device.allocate(8, stream=stream) as buffer, pytest.raises(BufferError, match=r"not copied to \(1, 0\)"):
        buffer.__dlpack__(dl_device=(1, 0))


def test_copy(device, stream, pinned):
    pinned.fill(5, stream=stream)
    tensor = _dlpack.Tensor(pinned.__dlpack__(copy=True, max_version=(1, 0)))
    assert tensor.ptr != pinned.handle
    assert _dlpack.Tensor(pinned.__dlpack__(copy=False)).ptr == pinned.handle
    with device.allocate(8, stream=stream) as buffer:
        assert _dlpack.Tensor(buffer.__dlpack__(copy=True, stream=-1)).ptr != buffer.handle


def test_streams(device, stream, pinned):
    with device.allocate(8, stream=stream) as buffer, device.create_stream() as consumer:
        for number in (None, 1, 2, -1, consumer.__cuda_stream__()[1], stream.__cuda_stream__()[1]):
            assert _dlpack.Tensor(buffer.__dlpack__(stream=number)).ptr == buffer.handle
        with pytest.raises(ValueError, match=r"^stream is 0: 1 is the legacy, 2 the per-thread default stream"):
            buffer.__dlpack__(stream=0)
        with pytest.raises(TypeError, match=r"^stream must be an int or None, not str$"):
            buffer.__dlpack__(stream="1")
    with pytest.raises(BufferError, match=r"^stream is 1, but memory of the host has none: pass None$"):
        pinned.__dlpack__(stream=1)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16", "?"])
def test_dtype_round_trip(dtype):
    dtype = np.dtype(dtype)
    assert _dlpack.dtype_of(_dlpack.code_of(dtype)) == dtype


@pytest.mark.parametrize("name", list(_dlpack._NARROW))
def test_small_float_dtypes(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, name))
    assert _dlpack.dtype_of(_dlpack.code_of(dtype)) == dtype


def test_dtypes_without_a_dlpack_code():
    with pytest.raises(BufferError, match=r"^dtype datetime64\[s\] has no DLPack equivalent$"):
        _dlpack.code_of(np.dtype("M8[s]"))
    with pytest.raises(BufferError, match=r"^dtype >i4 has no DLPack equivalent$"):
        _dlpack.code_of(np.dtype(">i4"))
    for code in ((0, 4, 1), (2, 32, 4), (99, 8, 1)):
        with pytest.raises(BufferError, match=r"has no NumPy equivalent$"):
            _dlpack.dtype_of(code)


KINDS = {
    "device": (lambda device: device.memory_resource, 2, (True, False, False), 0, 0),
    "pinned pool": (lambda device: PinnedMemoryResource(), 3, (True, True, False), -1, 0),
    "pinned": (lambda device: LegacyPinnedMemoryResource(), 3, (True, True, False), None, 0),
    "managed": (lambda device: ManagedMemoryResource(), 13, (True, True, True), -1, 0),
    "managed of a device": (
        lambda device: ManagedMemoryResource({"preferred_location": 0}), 13, (True, True, True), 0, 0,
    ),
    "virtual": (lambda device: VirtualMemoryResource(device), 2, (True, False, False), 0, 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_dlpack_device_of_each_kind_of_memory(device, stream, kind):
    make, code, access, ordinal, wrapped_ordinal = KINDS[kind]
    with make(device).allocate(64, stream=stream) as buffer:
        assert buffer.__dlpack_device__() == (code, 0)
        assert (buffer.is_device_accessible, buffer.is_host_accessible, buffer.is_managed) == access
        if ordinal is None:
            with pytest.raises(RuntimeError, match="belongs to no device"):
                buffer.device_id  # noqa: B018
        else:
            assert buffer.device_id == ordinal
        part = Buffer.from_handle(buffer.handle, 64, owner=buffer)
        assert part.__dlpack_device__() == (code, 0)
        assert (part.is_device_accessible, part.is_host_accessible, part.is_managed) == access
        assert part.device_id == wrapped_ordinal
        assert part.owner is buffer
        part.close()
    for closed in (buffer, part):
        for name in ("is_device_accessible", "is_host_accessible", "is_managed", "device_id"):
            with pytest.raises(RuntimeError, match=r"^this Buffer is closed$"):
                getattr(closed, name)
        with pytest.raises(RuntimeError, match=r"^this Buffer is closed$"):
            closed.__dlpack_device__()
        assert (closed.handle, closed.size, closed.memory_resource, closed.owner) == (0, 0, None, None)


@pytest.mark.cpu_only
def test_devices_of_managed_memory_beside_another_device():
    text = """
        from cuda.core import *
        Device(1).set_current()
        resource = ManagedMemoryResource({"preferred_location": 1})
        buffer = resource.allocate(64, stream=Device(1).default_stream)
        print(buffer.device_id, buffer.__dlpack_device__())
    """
    assert run_checked(text, CUDA_CPU_DEVICES="2").split("\n")[0] == "1 (13, 0)"


@pytest.mark.parametrize("on_device", [True, False])
@pytest.mark.parametrize("on_host", [True, False])
@pytest.mark.parametrize("managed", [True, False])
def test_device_of_memory_of_user_defined_resources(device, stream, on_device, on_host, managed):
    """The attributes of the resource decide; managed memory is managed whatever they are."""

    class Own(MemoryResource):
        is_device_accessible, is_host_accessible, is_managed, device_id = on_device, on_host, managed, 7

        def deallocate(self, ptr, size, *, stream):
            pass

    expected = {(True, False): (2, 7), (False, True): (1, 0)}
    for resource in (ManagedMemoryResource(), LegacyPinnedMemoryResource()):
        really = managed or resource.is_managed
        with resource.allocate(64, stream=stream) as memory, Buffer.from_handle(memory.handle, 64, mr=Own()) as buffer:
            assert buffer.is_managed is really
            if not on_device and not on_host:
                with pytest.raises(BufferError, match="neither devices nor the host can use"):
                    buffer.__dlpack_device__()
            else:
                shared = (13 if really else 3, 0)
                assert buffer.__dlpack_device__() == expected.get((on_device, on_host), shared)


def test_a_type_is_asked_once_for_the_exchange_api():
    """Looking up what is missing takes as long as creating the view."""
    asked = []

    class Asked(type):
        def __getattr__(cls, name):
            asked.append(name)
            raise AttributeError(name)

    class Array(np.ndarray, metaclass=Asked):
        pass

    array = np.zeros(4, np.float32).view(Array)
    for _ in range(3):
        assert StridedMemoryView.from_dlpack(array, -1).shape == (4,)
    assert asked.count("__dlpack_c_exchange_api__") <= 1  # none if another type is known to have it


def test_subclasses_of_numpy_arrays_are_asked_for_their_device():
    class OnDevice(np.ndarray):
        def __dlpack_device__(self):
            return 4, 0  # OpenCL

    StridedMemoryView.from_dlpack(np.zeros(4), -1)
    with pytest.raises(BufferError, match=r"DLPack device \(4, 0\)"):
        StridedMemoryView.from_dlpack(np.zeros(4).view(OnDevice), -1)
