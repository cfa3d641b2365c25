# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import pytest

from cuda.core import (
    Buffer,
    CUDAError,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    LegacyPinnedMemoryResource,
    MemoryResource,
)
from cuda.core._memory_resource import SynchronousMemoryResource


@pytest.fixture(params=["default pool", "own pool", "pinned", "synchronous"])
def resource(request, device):
    return {
        "default pool": lambda: DeviceMemoryResource(device),
        "own pool": lambda: DeviceMemoryResource(0, DeviceMemoryResourceOptions(max_size=1 << 26)),
        "pinned": LegacyPinnedMemoryResource,
        "synchronous": lambda: SynchronousMemoryResource(device),
    }[request.param]()


def test_allocate_and_deallocate(resource, stream):
    buffer = resource.allocate(1000, stream=stream)
    assert buffer.size == 1000
    assert buffer.memory_resource is resource
    buffer.fill(1, stream=stream)
    buffer.close()
    other = resource.allocate(16, stream=stream)
    taken = Buffer.from_handle(other.handle, 16)  # what close() would give back is given back by hand
    assert taken.handle == other.handle
    empty = resource.allocate(0, stream=stream)
    assert (empty.handle, empty.size) == (0, 0)
    empty.close()
    other.close()
    stream.sync()


@pytest.mark.cpu_only  # what a GPU's driver does with memory that is freed twice is not documented
def test_deallocate_twice(resource, stream):
    class Keeping(MemoryResource):
        def deallocate(self, ptr, size, *, stream):
            resource.deallocate(ptr, size, stream=stream)

    inner = resource.allocate(16, stream=stream)
    outer = Buffer.from_handle(inner.handle, 16, mr=Keeping(), stream=stream)
    inner_memory = Buffer.from_handle(inner.handle, 16, owner=inner)
    assert inner_memory.handle == outer.handle
    inner.close()
    stream.sync()
    with pytest.raises(CUDAError):
        outer.close()  # the memory is gone already, and the driver says so


@pytest.mark.parametrize(
    ("size", "error", "message"),
    [
        (-1, ValueError, r"^size must be from 0 to \d+ bytes, not -1$"),
        (1 << 64, ValueError, r"^size must be from 0 to "),
        (1.5, TypeError, r"^size must be an int \(bytes\), not float$"),
        ("8", TypeError, r"^size must be an int \(bytes\), not str$"),
    ],
)
def test_wrong_size(resource, stream, size, error, message):
    with pytest.raises(error, match=message):
        resource.allocate(size, stream=stream)


def test_out_of_memory(resource, stream):
    with pytest.raises(CUDAError, match=r"CUDA_ERROR_OUT_OF_MEMORY.*\n?.*Asked for 1125899906842624 bytes") as caught:
        resource.allocate(1 << 50, stream=stream)
    assert caught.value.name == "CUDA_ERROR_OUT_OF_MEMORY"
    resource.allocate(1 << 10, stream=stream).close()


def test_device_allocation_needs_a_stream(device):
    with pytest.raises(TypeError, match=r"stream"):
        device.memory_resource.allocate(8)
    with pytest.raises(TypeError, match=r"^stream must be a Stream or an object with __cuda_stream__, not NoneType"):
        device.memory_resource.allocate(8, stream=None)


def test_facts_of_device_memory(device):
    resource = DeviceMemoryResource(device)
    assert resource.device_id == 0
    assert (resource.is_device_accessible, resource.is_host_accessible, resource.is_managed) == (True, False, False)
    assert (resource.is_handle_owned, resource.is_ipc_enabled, resource.is_mapped) == (False, False, False)
    assert resource.uuid is None
    assert resource.peer_accessible_by == ()
    resource.peer_accessible_by = ()
    resource.peer_accessible_by = [device]
    assert int(resource.handle) == int(DeviceMemoryResource(0).handle)
    assert resource.attributes.release_threshold > 0


def test_own_pool(device, stream):
    resource = DeviceMemoryResource(device, {"max_size": 1 << 26})
    assert resource.is_handle_owned
    buffer = resource.allocate(1 << 20, stream=stream)
    attributes = resource.attributes
    assert attributes.used_mem_current >= 1 << 20
    assert attributes.used_mem_high >= attributes.used_mem_current
    assert attributes.reserved_mem_high >= attributes.reserved_mem_current >= attributes.used_mem_current
    assert isinstance(attributes.reuse_allow_opportunistic, bool)
    buffer.close()
    stream.sync()
    assert resource.attributes.used_mem_current == 0
    resource.close()
    resource.close()
    assert resource.is_closed
    assert resource.handle is None
    with pytest.raises(ValueError, match=r"^this DeviceMemoryResource is closed$"):
        resource.allocate(8, stream=stream)


def test_wrong_device(device):
    with pytest.raises(ValueError, match=r"^device_id is 99, but the devices are"):
        DeviceMemoryResource(99)
    with pytest.raises(ValueError, match=r"^device_id is 99, but the devices are"):
        DeviceMemoryResource(0).peer_accessible_by = [99]


def test_facts_of_pinned_memory():
    resource = LegacyPinnedMemoryResource()
    assert (resource.is_device_accessible, resource.is_host_accessible, resource.is_managed) == (True, True, False)
    with pytest.raises(RuntimeError, match=r"^host memory belongs to no device$"):
        resource.device_id  # noqa: B018


def test_pinned_memory_waits_for_its_stream(module, device, stream):
    from cuda.core import LaunchConfig, launch

    with LegacyPinnedMemoryResource().allocate(4 << 10, stream=stream) as pinned:
        pinned.fill(0, stream=stream)
        launch(stream, LaunchConfig(grid=4, block=256), module.add_one, pinned, 1 << 10)
    assert stream.is_done


def test_a_subclass_takes_its_memory_back(device, stream):
    taken = []

    class Noting(DeviceMemoryResource):
        def deallocate(self, ptr, size, *, stream):
            taken.append((ptr, size))
            super().deallocate(ptr, size, stream=stream)

    buffer = Noting(device).allocate(8, stream=stream)
    expected = (buffer.handle, 8)
    buffer.close()
    assert taken == [expected]


def test_the_base_says_what_to_define(stream):
    class Empty(MemoryResource):
        pass

    with pytest.raises(NotImplementedError, match=r"^Empty does not define allocate\(size, \*, stream\)$"):
        Empty().allocate(1, stream=stream)
    for name in ("is_device_accessible", "is_host_accessible", "device_id"):
        with pytest.raises(NotImplementedError, match=rf"^Empty does not define {name}$"):
            getattr(Empty(), name)
    assert not Empty().is_managed


@pytest.mark.parametrize(
    "use",
    [
        lambda resource: resource.allocation_handle,
        lambda resource: resource.register(None),
        lambda resource: DeviceMemoryResource.from_registry(None),
        lambda resource: DeviceMemoryResource.from_allocation_handle(0, None),
        lambda resource: DeviceMemoryResource(0, DeviceMemoryResourceOptions(ipc_enabled=True)),
    ],
)
def test_sharing_between_processes_is_not_there_yet(device, use):
    with pytest.raises(NotImplementedError, match=r"is not in this version of cuda.core: memory is not shared"):
        use(DeviceMemoryResource(device))
