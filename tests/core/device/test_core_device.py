# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import gc
import pickle
import re
import threading
import weakref

import numpy as np
import pytest
from support.scripts import run_checked

from cuda.core import CUDAError, Device, DeviceMemoryResource, LegacyPinnedMemoryResource, VirtualMemoryResource


def test_a_device_is_a_singleton(device):
    assert Device(0) is Device(0)
    assert Device(device) is device
    assert Device() is device
    assert pickle.loads(pickle.dumps(device)) is device
    assert (int(device), device.device_id) == (0, 0)
    assert {device: 1}[Device(0)] == 1
    assert device != 0


def test_all_devices(device):
    devices = Device.get_all_devices()
    assert devices[0] is device
    assert [int(each) for each in devices] == list(range(len(devices)))


@pytest.mark.parametrize("wrong", [-1, 10_000])
def test_no_such_device(wrong):
    with pytest.raises(ValueError, match=rf"^device_id is {wrong}, but the devices are 0 to \d+$"):
        Device(wrong)


@pytest.mark.parametrize("wrong", ["0", 0.5, [0]])
def test_wrong_device_id(wrong):
    with pytest.raises(TypeError, match=r"^device_id must be an int, a Device or None, not "):
        Device(wrong)


def test_device_attributes(device):
    major, minor = device.compute_capability
    assert device.compute_capability.major == major >= 5
    assert pickle.loads(pickle.dumps(device.compute_capability)) == (major, minor)
    assert device.arch == f"{major}{minor}"
    assert device.name
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", device.uuid)
    assert re.fullmatch(r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d", device.pci_bus_id)
    assert device.name in repr(device)


def test_properties(device):
    properties = device.properties
    assert properties is device.properties
    assert properties.warp_size == 32
    assert properties.max_threads_per_block >= 512
    assert properties.unified_addressing is True
    assert (properties.compute_capability_major, properties.compute_capability_minor) == device.compute_capability
    with pytest.raises(AttributeError, match=r"the driver tells no 'warp_sice' of a device"):
        properties.warp_sice  # noqa: B018


@pytest.mark.cpu_only
def test_every_property_has_a_value(device):
    names = [name for name in dir(device.properties) if not name.startswith("_")]
    assert len(names) > 100
    assert all(isinstance(getattr(device.properties, name), int) for name in names)


def test_current_device_is_of_the_thread(device):
    seen = []

    def work():
        from cuda.bindings import driver

        seen.append(int(driver.cuCtxGetCurrent()[1]))
        Device(0).set_current()
        seen.append(int(driver.cuCtxGetCurrent()[1]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [0, int(device.context.handle)]


def in_thread(work):
    """Return what `work` returns, or the exception that it raises, in another thread."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        return future.exception() or future.result()


USES = {
    "allocate": lambda device: device.allocate(8, stream=device.default_stream),
    "context": lambda device: device.context,
    "create_event": lambda device: device.create_event(),
    "create_graph_builder": lambda device: device.create_graph_builder(),
    "create_mipmapped_array": lambda device: device.create_mipmapped_array(None),
    "create_opaque_array": lambda device: device.create_opaque_array(None),
    "create_stream": lambda device: device.create_stream(),
    "create_stream of another": lambda device: device.create_stream(device.default_stream),
    "create_surface_object": lambda device: device.create_surface_object(resource=None),
    "create_texture_object": lambda device: device.create_texture_object(resource=None),
    "sync": lambda device: device.sync(),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_device_is_used_after_set_current(use):
    with pytest.raises(
        CUDAError, match=r"^Device 0 is not yet initialized, .* Call Device\(0\)\.set_current\("
    ) as info:
        use(Device(0))
    assert info.value.name == "CUDA_ERROR_INVALID_CONTEXT"
    assert info.value.status == 201


def test_a_context_of_another_library_does_not_initialize_a_device(device):
    from cuda.bindings import driver

    def work():
        driver.cuCtxSetCurrent(driver.CUcontext(int(context.handle)))
        assert Device().device_id == 0
        Device().default_stream.sync()
        DeviceMemoryResource(0).allocate(8, stream=Device().default_stream).close()
        Device().create_stream()

    context = device.context
    assert "not yet initialized" in str(in_thread(work))


def test_attributes_do_not_need_set_current():
    device = Device(0)
    assert all((device.name, device.uuid, device.arch, device.pci_bus_id))
    assert device.properties.warp_size == 32
    assert device.resources.sm.sm_count > 0
    assert device.memory_resource.attributes.used_mem_current >= 0
    assert device.default_stream.handle is not None


def test_each_thread_has_its_own_device_object(device):
    def work():
        other = Device(0)
        assert other is Device(0) is Device() is not device
        assert other == device
        assert hash(other) == hash(device)
        assert other.memory_resource is not device.memory_resource
        with pytest.raises(CUDAError, match="not yet initialized"):
            other.create_stream()
        other.set_current()
        other.create_stream().close()
        return "done"

    device.memory_resource = LegacyPinnedMemoryResource()
    try:
        assert in_thread(work) == "done"
        assert Device(0) is device
    finally:
        device.memory_resource = DeviceMemoryResource(0)


def test_device_objects_of_ended_threads_are_freed(device):
    found = [in_thread(lambda: weakref.ref(Device(0))) for _ in range(3)]
    gc.collect()
    assert [reference() for reference in found] == [None] * 3
    assert Device(0) is device


OF_THREADS = {
    "allocate": lambda device, stream: device.allocate(8, stream=device.default_stream),
    "create_event": lambda device, stream: device.create_event(),
    "create_graph_builder": lambda device, stream: device.create_graph_builder(),
    "create_stream": lambda device, stream: device.create_stream(),
    "default stream: context": lambda device, stream: device.default_stream.context,
    "default stream: device": lambda device, stream: device.default_stream.device,
    "default stream: record": lambda device, stream: device.default_stream.record(),
    "default stream: resources": lambda device, stream: device.default_stream.resources,
    "default stream: sync": lambda device, stream: device.default_stream.sync(),
    "pinned memory": lambda device, stream: LegacyPinnedMemoryResource().allocate(8),
    "record": lambda device, stream: stream.record(),
    "set_current of a context": lambda device, stream: device.set_current(stream.context),
    "sync": lambda device, stream: device.sync(),
    "virtual memory": lambda device, stream: VirtualMemoryResource(device).allocate(8, stream=stream),
    "wait for a stream": lambda device, stream: stream.wait(stream),
}


@pytest.mark.parametrize("use", OF_THREADS.values(), ids=OF_THREADS)
def test_a_thread_needs_a_current_device(device, stream, use):
    """Calls that need the current context fail in a thread without one, although another thread has set the device."""
    error = in_thread(lambda: use(device, stream))
    assert isinstance(error, CUDAError)
    assert error.name == "CUDA_ERROR_INVALID_CONTEXT"
    assert "This thread has no current device: call Device" in str(error)


def test_streams_work_in_threads_without_a_current_device(device, stream):
    def work():
        with device.allocate(8, stream=stream) as buffer:
            buffer.fill(1, stream=stream)
        stream.record(event)
        stream.wait(event)
        stream.sync()
        event.sync()
        return stream.device.device_id, stream.context == device.context, event.is_done

    event = device.create_event()
    assert in_thread(work) == (0, True, True)


def test_set_current_returns_the_previous_context(device):
    context = device.context
    assert device.set_current() is None
    before = device.set_current(context)
    assert before == context
    assert hash(before) == hash(context)
    assert int(before.handle) == int(context.handle)
    with pytest.raises(TypeError, match=r"^ctx must be a Context or None, not int$"):
        device.set_current(1)


def test_context(device):
    from cuda.bindings import driver

    context = device.context
    assert context.device is device
    assert not context.is_green
    assert "device 0" in repr(context)
    context.create_stream().close()
    with pytest.raises(RuntimeError, match=r"^this Context is current in this thread"):
        context.close()
    driver.cuCtxSetCurrent(0)
    context.close()
    context.close()
    device.set_current()
    assert context.is_closed
    assert context.handle is None
    with pytest.raises(ValueError, match=r"^ctx is closed$"):
        device.set_current(context)
    with pytest.raises(ValueError, match=r"^this Context is closed$"):
        context.create_stream()
    with pytest.raises(RuntimeError, match=r"use Device.context"):
        type(context)()
    assert not device.context.is_closed


def test_a_device_can_access_itself(device):
    assert device.can_access_peer(device) is True
    assert device.can_access_peer(0) is True


def test_sync_waits(device, stream):
    with device.allocate(1 << 20, stream=stream) as buffer:
        buffer.fill(1, stream=stream)
        device.sync()
        assert stream.is_done


def test_memory_resource_can_be_replaced(device, stream):
    before = device.memory_resource
    pinned = LegacyPinnedMemoryResource()
    try:
        device.memory_resource = pinned
        with device.allocate(8, stream=stream) as buffer:
            assert buffer.memory_resource is pinned
        with pytest.raises(TypeError, match=r"^memory_resource must be a MemoryResource, not NoneType$"):
            device.memory_resource = None
        assert device.memory_resource is pinned
    finally:
        device.memory_resource = before


@pytest.mark.parametrize("value", ["0", "1"])
def test_default_stream_follows_the_environment(value):
    text = "from cuda.core import Device; print(Device(0).default_stream.__cuda_stream__())"
    expected = {"0": "(0, 1)", "1": "(0, 2)"}[value]
    assert run_checked(text, CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM=value).strip() == expected


@pytest.mark.cpu_only
def test_a_missing_driver_is_reported():
    text = """
        from cuda.core import Device
        try:
            Device(0)
        except RuntimeError as error:
            print(error)
    """
    said = run_checked(text, CUDA_PYTHON_DRIVER="/nowhere/libcuda.so.1")
    assert said.startswith("CUDA_PYTHON_DRIVER='/nowhere/libcuda.so.1' cannot be opened: ")


def test_every_form_of_device_id():
    """`Device(...)` has a fast path for known devices; other arguments take the general path."""
    first = Device(0)
    assert Device(0) is Device() is Device(device_id=0) is Device(first) is Device(np.int64(0)) is Device(None) is first
    for wrong in (-1, 10**6, 300):
        with pytest.raises(ValueError, match=rf"^device_id is {wrong}, but"):
            Device(wrong)
    with pytest.raises(TypeError, match=r"device_id must be an int, a Device or None"):
        Device("0")
    with pytest.raises(OverflowError, match=r"^device_id must be below 2147483648, not 1099511627776$"):
        Device(1 << 40)
    assert Device(0.0) is Device(0)
    with pytest.raises(TypeError):
        Device(0, 1)
    with pytest.raises(TypeError):
        Device(ordinal=0)


def test_subclasses_are_constructed_normally():
    class Named(Device):
        def __new__(cls, name):
            return super().__new__(cls, 0)

    assert Named("any") is Device(0)


SECOND_DEVICE = """
import pytest
from cuda.bindings import driver
from cuda.core import Device, StreamOptions
from cuda.core._memory._unpooled_memory import SynchronousMemoryResource

def current():
    context = driver.cuCtxGetCurrent()[1]
    return int(context), int(driver.cuCtxGetDevice()[1])

first, second = Device(0), Device(1)
first.set_current()
second.set_current()
before = current()
assert before[1] == 1

stream, event = first.create_stream(), first.create_event()
assert current() == before
assert first.sync() is None and current() == before
with pytest.raises(ValueError, match="priority is 99"):
    first.create_stream(options=StreamOptions(priority=99))
assert current() == before
memory = SynchronousMemoryResource(0)
memory.allocate(64).close()
assert current() == before
with pytest.raises(Exception, match="Asked for"):
    memory.allocate(1 << 60)
assert current() == before
assert int(driver.cuCtxPopCurrent()[1]) == before[0]
assert int(driver.cuCtxGetCurrent()[1]) == 0  # it was the only one on the stack
print("restored")
"""


@pytest.mark.cpu_only
def test_calls_for_another_device_restore_the_current_one():
    """Whether they return or raise: the context that they push is popped."""
    assert run_checked(SECOND_DEVICE, CUDA_CPU_DEVICES="2").strip() == "restored"
