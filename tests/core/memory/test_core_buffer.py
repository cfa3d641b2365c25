# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import gc
import pickle

import numpy as np
import pytest
from support.scripts import run_script

from cuda.core import Buffer, LegacyPinnedMemoryResource, ManagedMemoryResource, MemoryResource
from cuda.core._errors import NotHostError
from cuda.core._memory._ipc import IPCBufferDescriptor


class Counting(MemoryResource):
    """A memory resource of host memory that records allocations and deallocations."""

    def __init__(self):
        self.memory = {}
        self.freed = []

    def allocate(self, size, *, stream):
        memory = np.zeros(size, "u1")
        self.memory[memory.ctypes.data] = memory
        return Buffer.from_handle(memory.ctypes.data, size, mr=self, stream=stream)

    def deallocate(self, ptr, size, *, stream):
        self.freed.append((ptr, size, stream))
        del self.memory[ptr]

    is_device_accessible = False
    is_host_accessible = True
    device_id = -1


def test_attributes_of_a_buffer(device, stream):
    with device.allocate(100, stream=stream) as buffer:
        assert buffer.size == 100
        assert buffer.handle % 256 == 0
        assert buffer.memory_resource is device.memory_resource
        assert buffer.owner is None
        assert (buffer.is_device_accessible, buffer.is_host_accessible, buffer.is_managed) == (True, False, False)
        assert buffer.device_id == 0
        assert not buffer.is_mapped
        assert f"{buffer.handle:#x}, 100 bytes" in repr(buffer)


def test_close(device, stream):
    buffer = device.allocate(8, stream=stream)
    buffer.close()
    buffer.close(stream)
    assert buffer.is_closed
    assert buffer.handle == 0
    assert buffer.size == 0
    assert repr(buffer) == "<Buffer closed, 8 bytes>"
    for use in (
        lambda: buffer.copy_to(stream=stream),
        lambda: buffer.copy_from(buffer, stream=stream),
        lambda: buffer.fill(0, stream=stream),
        lambda: buffer.is_host_accessible,
        lambda: buffer.set_deallocation_stream(stream),
        lambda: memoryview(buffer),
        buffer.__dlpack__,
        buffer.__dlpack_device__,
        buffer.__enter__,
    ):
        with pytest.raises(ValueError, match=r"^this Buffer is closed$"):
            use()
    with pytest.raises(RuntimeError, match=r"use Device.allocate or Buffer.from_handle"):
        Buffer()


@pytest.mark.parametrize("finish", ["close", "del", "with"])
def test_memory_is_freed_once(stream, finish):
    resource = Counting()
    buffer = resource.allocate(16, stream=stream)
    address = buffer.handle
    if finish == "close":
        buffer.close()
        buffer.close()
    elif finish == "with":
        with buffer:
            pass
    del buffer
    gc.collect()
    assert resource.freed == [(address, 16, stream)]


def test_deallocation_stream(device, stream):
    resource = Counting()
    with device.create_stream() as other:
        buffer = resource.allocate(4, stream=stream)
        buffer.set_deallocation_stream(other)
        buffer.close()
        assert resource.freed[-1][2] is other
        resource.allocate(4, stream=stream).close(other)
        assert resource.freed[-1][2] is other


def test_memory_is_freed_after_its_stream_was_closed(device):
    other = device.create_stream()
    buffer = device.allocate(1 << 20, stream=other)
    other.close()
    used = device.memory_resource.attributes.used_mem_current
    buffer.close()
    device.sync()
    assert device.memory_resource.attributes.used_mem_current <= used - (1 << 20)


def test_from_handle(device, stream):
    with device.allocate(64, stream=stream) as buffer:
        part = Buffer.from_handle(buffer.handle + 16, 8, owner=buffer)
        assert (part.handle, part.size, part.owner) == (buffer.handle + 16, 8, buffer)
        assert (part.is_device_accessible, part.is_host_accessible, part.device_id) == (True, False, 0)
        assert part.memory_resource is None
        part.close()
        assert part.owner is None
        buffer.fill(1, stream=stream)
    assert Buffer.from_handle(None, 0).handle == 0
    with pytest.raises(ValueError, match=r"^give mr, which takes the memory back, or owner, which keeps it; not both$"):
        Buffer.from_handle(0, 0, mr=device.memory_resource, owner=1)
    with pytest.raises(TypeError, match=r"^mr must be a MemoryResource, not int$"):
        Buffer.from_handle(0, 0, mr=1)


def test_host_memory_that_the_driver_does_not_know(device):
    memory = np.arange(4, dtype="u1")
    buffer = Buffer.from_handle(memory.ctypes.data, 4, owner=memory)
    assert (buffer.is_device_accessible, buffer.is_host_accessible, buffer.is_managed) == (False, True, False)
    assert (buffer.device_id, buffer.__dlpack_device__()) == (-1, (1, 0))
    assert bytes(buffer) == bytes(memory)
    assert np.from_dlpack(buffer).tolist() == [0, 1, 2, 3]


def test_equality(device, stream):
    with device.allocate(8, stream=stream) as first, device.allocate(8, stream=stream) as second:
        same = Buffer.from_handle(first.handle, 8, owner=first)
        assert first == same
        assert hash(first) == hash(same)
        assert first != second
        assert first != 8


def test_copies(device, stream, upload, host):
    data = np.arange(100, dtype="i4")
    with upload(data) as first, device.allocate(400, stream=stream) as second:
        assert first.copy_to(second, stream=stream) is second
        assert host(second, "i4").tolist() == data.tolist()
        with first.copy_to(stream=stream) as third:
            assert third.memory_resource is first.memory_resource
            assert host(third, "i4").tolist() == data.tolist()
        second.fill(0, stream=stream)
        second.copy_from(first, stream=stream)
        assert host(second, "i4").tolist() == data.tolist()


def test_wrong_copies(device, stream):
    with device.allocate(8, stream=stream) as first, device.allocate(4, stream=stream) as second:
        with pytest.raises(ValueError, match=r"^dst has 4 bytes and src 8: they must be of one size$"):
            first.copy_to(second, stream=stream)
        with pytest.raises(TypeError, match=r"^options must be CopyOptions, not object$"):
            first.copy_to(stream=stream, options=object())
        part = Buffer.from_handle(first.handle, 4)
        with pytest.raises(ValueError, match=r"^give dst: this Buffer has no memory resource"):
            part.copy_to(stream=stream)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (7, "u1", 7),
        (255, "u1", 255),
        (b"\x01\x02", "u1", [1, 2]),
        (np.float32(1.5), "f4", 1.5),
        (np.int16(-3), "i2", -3),
        (bytearray(b"abcd"), "u1", list(b"abcd")),
    ],
)
def test_fill(device, stream, host, value, dtype, expected):
    with device.allocate(64, stream=stream) as buffer:
        buffer.fill(value, stream=stream)
        found = host(buffer, dtype)
        assert found.tolist() == np.resize(expected, found.shape).tolist()


def test_wrong_fill(device, stream):
    with device.allocate(6, stream=stream) as buffer:
        with pytest.raises(OverflowError, match=r"^value must be a byte, 0 to 255, not 256"):
            buffer.fill(256, stream=stream)
        with pytest.raises(ValueError, match=r"^value must have 1, 2 or 4 bytes, not 3$"):
            buffer.fill(b"abc", stream=stream)
        with pytest.raises(ValueError, match=r"^value has 4 bytes, but the buffer's 6 are no multiple of that$"):
            buffer.fill(np.int32(1), stream=stream)
        with pytest.raises(TypeError, match=r"^value must be an int or have 1, 2 or 4 bytes, .* not float$"):
            buffer.fill(1.0, stream=stream)


def test_buffer_protocol_shares_the_memory(stream):
    with LegacyPinnedMemoryResource().allocate(4, stream=stream) as buffer:
        view = memoryview(buffer)
        view[:] = b"abcd"
        assert bytes(buffer.__buffer__(0)) == b"abcd"
        assert not view.readonly
        view.release()


def test_subclasses_support_the_buffer_protocol(stream):
    """From Python 3.12 on, memoryview calls __buffer__ of a Python subclass, which must not view the object itself."""
    buffer = ManagedMemoryResource().allocate(4, stream=stream)
    view, other = memoryview(buffer), buffer.__buffer__(0)
    view[:] = b"abcd"
    assert bytes(other) == b"abcd"
    buffer.close()
    view.release()
    assert bytes(other) == b"abcd", "a view keeps the memory"
    other.release()


def test_device_memory_is_no_host_buffer(device, stream):
    with (
        device.allocate(4, stream=stream) as buffer,
        pytest.raises(NotHostError, match=r"^this is device memory: copy it to a buffer that the host can read$"),
    ):
        memoryview(buffer)
    assert issubclass(NotHostError, BufferError)
    assert issubclass(NotHostError, TypeError)  # as NVIDIA's cuda.core raises


def test_wrong_handles_and_sizes():
    for handle in ("x", "123", [], 1.5j):
        with pytest.raises(TypeError, match=r"^ptr must be an address as int, a CUdeviceptr or None, not"):
            Buffer.from_handle(handle, 4)
    with pytest.raises(OverflowError, match=r"^size must be from 0 to 9223372036854775807 bytes, not"):
        Buffer.from_handle(5, 1 << 63)
    assert Buffer.from_handle(5, 4.0).size == 4


def test_views_keep_the_memory_alive(stream):
    resource = Counting()
    buffer = resource.allocate(4, stream=stream)
    view = memoryview(buffer)
    array = np.from_dlpack(buffer)
    buffer.close()
    assert buffer.is_closed
    view[0] = 9
    view.release()
    assert (array[0], resource.freed) == (9, [])
    del array
    gc.collect()
    assert [size for _, size, _ in resource.freed] == [4]


def test_a_buffer_without_ipc_has_no_descriptor(device, stream):
    with device.allocate(4, stream=stream) as buffer:
        with pytest.raises(RuntimeError, match=r"^this Buffer is not shared: its memory resource must be made"):
            buffer.ipc_descriptor  # noqa: B018
        with pytest.raises(TypeError, match=r"^ipc_descriptor must be an IPCBufferDescriptor, not NoneType$"):
            Buffer.from_ipc_descriptor(device.memory_resource, None, stream=stream)
        with pytest.raises(RuntimeError, match=r"^this Buffer cannot be sent or copied: its memory resource"):
            pickle.dumps(buffer)
        descriptor = IPCBufferDescriptor(bytes(64), 4)
        with pytest.raises(RuntimeError, match=r"^this DeviceMemoryResource is not another process's pool"):
            Buffer.from_ipc_descriptor(device.memory_resource, descriptor, stream=stream)
        with pytest.raises(TypeError, match=r"^mr must be a DeviceMemoryResource or PinnedMemoryResource, not int$"):
            Buffer.from_ipc_descriptor(1, descriptor, stream=stream)


def test_an_exception_of_deallocate_is_ignored_when_a_buffer_is_collected():
    done = run_script("""
        import ctypes
        from cuda.core import Buffer, MemoryResource

        class Failing(MemoryResource):
            memory = ctypes.create_string_buffer(8)
            is_device_accessible, is_host_accessible, device_id = False, True, -1

            def allocate(self, size, *, stream=None):
                return Buffer.from_handle(ctypes.addressof(self.memory), size, self)

            def deallocate(self, ptr, size, *, stream=None):
                raise SystemExit(3)

        buffer = Failing().allocate(8)
        del buffer
        print("goes on")
    """)
    assert (done.returncode, done.stdout) == (0, "goes on\n"), done.stderr
    assert done.stderr.count("SystemExit: 3") == done.stderr.count("Exception ignored in") == 1, done.stderr
