# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Inter-process sharing of memory resources, buffers and events."""

import gc
import multiprocessing
import os
import pickle
import uuid

import pytest
from support import ipc_workers, open_files
from support.scripts import run_checked

from cuda.core import (
    Buffer,
    CUDAError,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    Event,
    EventOptions,
    PinnedMemoryResource,
    PinnedMemoryResourceOptions,
)
from cuda.core._memory._ipc import IPCBufferDescriptor
from cuda.core._stream._event_ipc import IPCEventDescriptor

KINDS = {
    "device": lambda: DeviceMemoryResource(0, DeviceMemoryResourceOptions(ipc_enabled=True)),
    "pinned": lambda: PinnedMemoryResource(PinnedMemoryResourceOptions(ipc_enabled=True)),
}


class Other:
    """Another process, which runs functions of `support.ipc_workers`."""

    def __init__(self, method):
        context = multiprocessing.get_context(method)
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=ipc_workers.serve, args=(end,))
        self.process.start()
        end.close()

    def __getattr__(self, name):
        def ask(*arguments):
            self.pipe.send((name, *arguments))
            assert self.pipe.poll(60), f"{name}: no answer"
            return self.pipe.recv()

        return ask

    def end(self):
        self.pipe.send(("end",))
        self.process.join(60)
        assert self.process.exitcode == 0


@pytest.fixture(scope="module", params=["spawn", "forkserver"])
def other(request):
    other = Other(request.param)
    yield other
    other.end()


@pytest.fixture(params=KINDS)
def resource(request, device):
    with KINDS[request.param]() as resource:
        yield resource


@pytest.fixture
def buffer(resource, stream):
    with resource.allocate(64, stream=stream) as buffer:
        buffer.fill(1, stream=stream)
        stream.sync()
        yield buffer


@pytest.fixture
def read(stream):
    return lambda buffer: ipc_workers.read({}, stream, buffer)


def test_attributes_of_a_shared_resource(resource, buffer):
    assert resource.is_ipc_enabled
    assert isinstance(resource.uuid, uuid.UUID)
    assert not resource.is_mapped
    assert type(resource).from_registry(resource.uuid) is resource
    assert resource.register(resource.uuid) is resource
    handle = resource.allocation_handle
    assert resource.allocation_handle is handle
    assert int(handle) == handle.handle
    assert handle.uuid == resource.uuid
    os.fstat(handle.handle)
    assert not buffer.is_mapped
    descriptor = buffer.ipc_descriptor
    assert descriptor.size == 64
    assert pickle.loads(pickle.dumps(descriptor)) == descriptor
    assert len({descriptor, pickle.loads(pickle.dumps(descriptor))}) == 1
    assert repr(descriptor) == "<IPCBufferDescriptor of 64 bytes>"
    with pytest.raises(ValueError, match=rf"is known by {resource.uuid} already"):
        resource.register(uuid.uuid4())


def test_send_a_buffer(other, buffer, read):
    assert other.read(buffer) == b"\1" * 64
    assert other.write(buffer, 7) == ("Buffer", True, 64, True)
    assert read(buffer) == b"\7" * 64


def test_send_the_resource_then_pickled_buffers(other, resource, stream, read):
    other.keep("resource", resource)
    assert other.resource_facts("resource") == (True, True, resource.uuid, True)
    for value in (2, 3):
        with resource.allocate(32, stream=stream) as buffer:
            buffer.fill(value, stream=stream)
            stream.sync()
            data = pickle.dumps(buffer)
            assert len(data) < 1000
            assert other.read_pickled(data) == bytes([value]) * 32
            assert other.write_twice(data)
            assert read(buffer) == b"\11" * 32
    assert "only that process can allocate from it" in other.allocate("resource")
    name = resource.uuid
    assert other.drop("resource") == "closed"
    with resource.allocate(32, stream=stream) as buffer:
        assert f"memory resource {name} was not opened in this process" in other.read_pickled(pickle.dumps(buffer))


def test_buffer_descriptors(other, resource, buffer, read):
    other.keep("resource", resource)
    assert other.open_descriptor("resource", buffer.ipc_descriptor, 5) is True
    assert read(buffer) == b"\5" * 64
    assert "an allocation's has 64" in other.open_descriptor("resource", IPCBufferDescriptor(b"abc", 64), 0)
    assert other.describe(buffer) == buffer.ipc_descriptor
    other.drop("resource")


def test_a_resource_outlives_its_imports(other, resource, stream, read):
    buffer = resource.allocate(16, stream=stream)
    other.keep("buffer", buffer)
    assert "Buffer" in other.keep("again", buffer)
    assert other.drop("again") == "closed"
    assert other.write(buffer, 4)[1]
    assert other.drop("buffer") == "closed"
    assert read(buffer) == b"\4" * 16
    buffer.close()


def test_closed_resource_is_not_sent(resource, buffer):
    handle = resource.allocation_handle
    resource.close()
    assert handle.handle == -1
    with pytest.raises(ValueError, match=r"^this IPCAllocationHandle is closed$"):
        int(handle)
    for use in (lambda: resource.allocation_handle, lambda: pickle.dumps(resource)):
        with pytest.raises(ValueError, match=r"MemoryResource is closed$"):
            use()


def test_plain_pickle_sends_no_descriptor(resource, buffer):
    with pytest.raises(TypeError, match=r"^an IPCAllocationHandle is a file descriptor, which pickle cannot send"):
        pickle.dumps(resource.allocation_handle)
    assert pickle.loads(pickle.dumps(resource)) is resource  # by its name
    with pytest.raises(RuntimeError, match=r"is not another process's pool"):
        pickle.loads(pickle.dumps(buffer))


def test_wrong_descriptors(device, resource, stream):
    with pytest.raises((CUDAError, OSError)):
        type(resource).from_allocation_handle(*([0] if resource.device_id == 0 else []), 12345)
    if isinstance(resource, DeviceMemoryResource):
        with pytest.raises(TypeError, match=r" is a DeviceMemoryResource, not a PinnedMemoryResource$"):
            PinnedMemoryResource.from_registry(resource.uuid)


def test_file_descriptors_are_closed(device):
    gc.collect()
    before = open_files.count()
    for make in KINDS.values():
        for _ in range(3):
            resource = make()
            assert resource.allocation_handle.handle >= 0
            resource.close()
            resource = make()
            assert resource.allocation_handle.handle >= 0
            del resource
    gc.collect()
    assert open_files.count() == before


def test_the_registry_forgets_closed_resources(device):
    resource = KINDS["device"]()
    name = resource.uuid
    del resource
    gc.collect()
    with pytest.raises(RuntimeError, match=rf"^memory resource {name} was not opened in this process"):
        DeviceMemoryResource.from_registry(name)


def test_ipc_events(other, device, stream):
    event = stream.record(options=EventOptions(ipc_enabled=True, blocking_sync=True))
    assert event.is_ipc_enabled
    assert other.record(event) == (True, False, True, 0)
    event.sync()
    stream.record(event)
    stream.wait(event)
    event.sync()
    assert other.is_done() is True
    descriptor = event.ipc_descriptor
    assert pickle.loads(pickle.dumps(descriptor)) == descriptor
    assert device.uuid in repr(descriptor)
    event.close()
    with pytest.raises(ValueError, match=r"^this Event is closed$"):
        event.ipc_descriptor  # noqa: B018


def test_buffers_are_forwarded_to_a_third_process(other, resource, buffer, read):
    """A process that has imported a resource and a buffer sends both to another process."""
    name, facts = other.forward(resource, buffer, 11)
    assert type(resource).__name__ in name
    assert facts == ("Buffer", True, 64, True)
    assert read(buffer) == b"\x0b" * 64
    os.fstat(int(resource.allocation_handle))


def test_wrong_event_descriptors(device):
    with pytest.raises(ValueError, match=r"^ipc_descriptor has 3 bytes, but an event's has 64$"):
        Event.from_ipc_descriptor(IPCEventDescriptor(b"abc", device.uuid, False))
    with pytest.raises(RuntimeError, match=r"^the event belongs to device nobody, which this process does not see$"):
        Event.from_ipc_descriptor(IPCEventDescriptor(bytes(64), "nobody", False))
    with pytest.raises(CUDAError):
        Event.from_ipc_descriptor(IPCEventDescriptor(bytes(64), device.uuid, False))
    own = device.default_stream.record(options=EventOptions(ipc_enabled=True))
    with pytest.raises(CUDAError) as caught:
        Event.from_ipc_descriptor(own.ipc_descriptor)
    assert "no current device" not in str(caught.value)


FORK = """
import multiprocessing, warnings
from cuda.core import Device, DeviceMemoryResource
from support import ipc_workers
Device(0).set_current()
resource = DeviceMemoryResource(0, {"ipc_enabled": True})
context = multiprocessing.get_context("fork")
here, there = context.Pipe()
process = context.Process(target=ipc_workers.forked, args=(there,))
process.start()
print(here.recv())
process.join()
"""


def test_fork_warns():
    from support.scripts import run_script

    done = run_script(FORK)
    assert done.returncode == 0, done.stderr
    assert "CUDA_ERROR_NOT_INITIALIZED" in done.stdout
    assert "this process was made by fork from one that shares CUDA memory or events" in done.stderr
    assert "get_context('spawn')" in done.stderr


TWO_DEVICES = """
from cuda.core import Buffer, Device, DeviceMemoryResource
from support import ipc_workers
import multiprocessing
if __name__ == "__main__":
    device = Device(1)
    device.set_current()
    stream = device.create_stream()
    resource = DeviceMemoryResource(1, {"ipc_enabled": True})
    buffer = resource.allocate(8, stream=stream)
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=ipc_workers.serve, args=(there,))
    process.start()
    here.send(("write", buffer, 3))
    print(here.recv())
    here.send(("end",))
    process.join()
    print(set(ipc_workers.read({}, stream, buffer)))
"""


@pytest.mark.cpu_only
def test_a_resource_of_the_second_device():
    said = run_checked(TWO_DEVICES, CUDA_CPU_DEVICES="2").splitlines()
    assert said == ["('Buffer', True, 8, True)", "{3}"]


def test_a_buffer_outlives_the_importing_process(device, stream, buffer, read):
    other = Other("spawn")
    assert other.write(buffer, 6)[1]
    other.keep("buffer", buffer)
    other.end()
    assert read(buffer) == b"\6" * 64
    assert isinstance(buffer, Buffer)


@pytest.mark.cpu_only
def test_what_a_killed_process_has_shared(device, stream, read):
    """What is mapped stays readable, and its events are done. Nothing more can be opened."""
    other = Other("spawn")
    first, second, descriptor = other.export()
    buffer, event = pickle.loads(first), Event.from_ipc_descriptor(descriptor)
    other.process.kill()
    other.process.join(60)
    stream.wait(event)
    stream.sync()
    assert event.is_done
    assert read(buffer) == b"\3" * 32
    with pytest.raises(OSError, match=r"Connection refused|No such file"):
        pickle.loads(second)
    with pytest.raises(CUDAError, match=rf"what process {other.process.pid} exported is gone") as raised:
        Event.from_ipc_descriptor(descriptor)
    assert raised.value.name == "CUDA_ERROR_MAP_FAILED"


@pytest.fixture(scope="module")
def pool():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield pool


def raised(call, *arguments):
    with pytest.raises(Exception) as caught:
        call(*arguments)
    return caught.value


def from_child(pool, function, *arguments):
    return raised(pool.apply_async(function, arguments).get, 60)


@pytest.mark.cpu_only  # driver 580 opens descriptors of events that are closed
def test_errors_of_a_child_about_descriptors_reach_the_parent(pool, device, stream, resource):
    """With the type, the message and the attributes that they have in the child."""
    stale = stream.record(options=EventOptions(ipc_enabled=True))
    descriptor = stale.ipc_descriptor
    assert pool.apply(ipc_workers.open_event, (descriptor,)) is None
    stale.close()
    error = from_child(pool, ipc_workers.open_event, descriptor)
    assert (type(error), error.name, error.call) == (CUDAError, "CUDA_ERROR_MAP_FAILED", "cuIpcOpenEventHandle")
    bad = IPCEventDescriptor(bytes(64), device.uuid, False)
    error, here = from_child(pool, ipc_workers.open_event, bad), raised(ipc_workers.open_event, bad)
    assert (type(error), str(error), vars(error)) == (type(here), str(here), vars(here))
    assert (error.status, error.call) == (400, "cuIpcOpenEventHandle")
    error = from_child(pool, ipc_workers.open_event, "nothing")
    assert (type(error), str(error)) == (TypeError, "ipc_descriptor must be an IPCEventDescriptor, not str")
    error = from_child(pool, ipc_workers.open_buffer, resource, IPCBufferDescriptor(bytes(64), 64))
    assert (type(error), error.status, error.call) == (CUDAError, 400, "cuMemPoolImportPointer")
    error = from_child(pool, ipc_workers.open_buffer, resource, IPCBufferDescriptor(b"abc", 64))
    assert (type(error), str(error)) == (ValueError, "ipc_descriptor has 3 bytes, but an allocation's has 64")


@pytest.mark.needs_nvrtc
def test_a_compiler_error_of_a_child_reaches_the_parent_with_its_log(pool):
    error, here = from_child(pool, ipc_workers.compile_wrong_source), raised(ipc_workers.compile_wrong_source)
    assert (type(error), str(error), vars(error)) == (type(here), str(here), vars(here))
    assert "error" in error.log
