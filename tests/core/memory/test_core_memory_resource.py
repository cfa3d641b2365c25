# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import pickle
import uuid

import pytest
from support.scripts import run_checked

from cuda.core import (
    Buffer,
    CUDAError,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    LegacyPinnedMemoryResource,
    ManagedMemoryResource,
    MemoryResource,
    PinnedMemoryResource,
)
from cuda.core._memory._unpooled_memory import SynchronousMemoryResource


@pytest.fixture(params=["default pool", "own pool", "pinned pool", "managed pool", "pinned", "synchronous"])
def resource(request, device):
    return {
        "default pool": lambda: DeviceMemoryResource(device),
        "own pool": lambda: DeviceMemoryResource(0, DeviceMemoryResourceOptions(max_size=1 << 26)),
        "pinned pool": PinnedMemoryResource,
        "managed pool": ManagedMemoryResource,
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
    taken = Buffer.from_handle(other.handle, 16)  # does not own the memory
    assert taken.handle == other.handle
    other.close()
    assert resource.allocate(64.0, stream=stream).size == 64
    stream.sync()


def test_allocate_nothing(resource, stream, on_gpu):
    """Pools refuse it, as cuMemAllocFromPoolAsync does; the resources that are no pools give an empty buffer."""
    if isinstance(resource, (LegacyPinnedMemoryResource, SynchronousMemoryResource)):
        empty = resource.allocate(0, stream=stream)
        assert (empty.handle, empty.size) == (0, 0)
        empty.close()
        return
    if on_gpu:  # driver 580 allocates nothing without an error
        resource.allocate(0, stream=stream).close()
        return
    with pytest.raises(CUDAError, match=r"CUDA_ERROR_INVALID_VALUE.*\nsize must be at least 1 byte, not 0") as caught:
        resource.allocate(0, stream=stream)
    assert caught.value.name == "CUDA_ERROR_INVALID_VALUE"


@pytest.mark.parametrize("size", [-1, 1 << 64, -(1 << 70)])
def test_sizes_beyond_64_bits(resource, stream, size):
    with pytest.raises(OverflowError, match=r"^size must be from 0 to 18446744073709551615 bytes, not"):
        resource.allocate(size, stream=stream)


@pytest.mark.parametrize("size", [1.5, "1", None, b"1", float("inf")])
def test_sizes_of_wrong_types(resource, stream, size):
    with pytest.raises(TypeError, match=r"^size must be an int \(bytes\), not"):
        resource.allocate(size, stream=stream)


def test_more_than_there_is(resource, stream):
    for size in (1 << 60, 1 << 63, (1 << 64) - 1):
        with pytest.raises(CUDAError, match=r"CUDA_ERROR_OUT_OF_MEMORY"):
            resource.allocate(size, stream=stream)


@pytest.mark.cpu_only  # the behaviour of a GPU's driver for memory freed twice is not documented
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
        outer.close()  # the memory is freed already, which the driver reports


@pytest.mark.parametrize(
    ("size", "error", "message"),
    [
        (-1, OverflowError, r"^size must be from 0 to \d+ bytes, not -1$"),
        (1 << 64, OverflowError, r"^size must be from 0 to "),
        (1.5, TypeError, r"^size must be an int \(bytes\), not 1\.5 \(float\)$"),
        ("8", TypeError, r"^size must be an int \(bytes\), not '8' \(str\)$"),
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


def test_attributes_of_a_device_resource(device):
    resource = DeviceMemoryResource(device)
    assert resource.device_id == 0
    assert (resource.is_device_accessible, resource.is_host_accessible, resource.is_managed) == (True, False, False)
    assert (resource.is_handle_owned, resource.is_ipc_enabled, resource.is_mapped) == (False, False, False)
    assert resource.uuid is None
    assert set(resource.peer_accessible_by) == set()
    resource.peer_accessible_by = ()
    resource.peer_accessible_by = [device]
    assert len(resource.peer_accessible_by) == 0  # the pool's own device is not a peer
    assert int(resource.handle) == int(DeviceMemoryResource(0).handle)
    assert resource.attributes.release_threshold > 0


def test_a_device_pool_of_its_own(device, stream):
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
    assert int(resource.handle) == 0
    with pytest.raises(ValueError, match=r"^this DeviceMemoryResource is closed$"):
        resource.allocate(8, stream=stream)


def test_wrong_device(device):
    with pytest.raises(ValueError, match=r"^device_id is 99, but the devices are"):
        DeviceMemoryResource(99)
    peers = DeviceMemoryResource(0).peer_accessible_by
    with pytest.raises(ValueError, match=r"^device_id is 99, but the devices are"):
        peers.add(99)
    with pytest.raises(ValueError, match=r"^device_id is 99, but the devices are"):
        DeviceMemoryResource(0).peer_accessible_by = [99]
    assert 99 not in peers
    assert "zero" not in peers


def test_attributes_of_a_pinned_resource():
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


def test_deallocate_of_a_subclass_is_called(device, stream):
    taken = []

    class Noting(DeviceMemoryResource):
        def deallocate(self, ptr, size, *, stream):
            taken.append((ptr, size))
            super().deallocate(ptr, size, stream=stream)

    buffer = Noting(device).allocate(8, stream=stream)
    expected = (buffer.handle, 8)
    buffer.close()
    assert taken == [expected]


def test_the_base_class_names_the_missing_method(stream):
    class Empty(MemoryResource):
        pass

    with pytest.raises(TypeError, match=r"^allocate of MemoryResource must be implemented by Empty$"):
        Empty().allocate(1, stream=stream)
    for name in ("is_device_accessible", "is_host_accessible", "device_id"):
        with pytest.raises(TypeError, match=rf"^{name} of MemoryResource must be implemented by Empty$"):
            getattr(Empty(), name)
    assert not Empty().is_managed


def test_pool_as_context_manager(device, stream):
    with DeviceMemoryResource(device, {"max_size": 1 << 20}) as resource:
        resource.allocate(8, stream=stream).close()
        assert f"used_mem_high={resource.attributes.used_mem_high}" in repr(resource.attributes)
        assert repr(resource) == "<DeviceMemoryResource open of device 0>"
    assert resource.is_closed
    assert repr(resource) == "<DeviceMemoryResource closed of device 0>"
    with pytest.raises(ValueError, match=r"^this DeviceMemoryResource is closed$"):
        resource.__enter__()
    with pytest.raises(RuntimeError, match=r"^this DeviceMemoryResource is made already$"):
        resource.__init__(device)


def test_a_pool_outlives_its_resource(device, stream, host):
    resource = DeviceMemoryResource(device, {"max_size": 1 << 20})
    buffer = resource.allocate(8, stream=stream)
    resource.close()
    buffer.fill(1, stream=stream)
    assert host(buffer, "u1").tolist() == [1] * 8
    buffer.close()


def test_a_resource_without_ipc_has_no_allocation_handle(device):
    resource = DeviceMemoryResource(device, {"max_size": 1 << 20})
    name = uuid.uuid4()
    for use in (lambda: resource.allocation_handle, lambda: resource.register(name)):
        with pytest.raises(RuntimeError, match=r"^this DeviceMemoryResource is not shared: make it with ipc_enabled"):
            use()
    with pytest.raises(RuntimeError, match=r"^this DeviceMemoryResource cannot be sent or copied"):
        pickle.dumps(resource)
    with pytest.raises(RuntimeError, match=rf"^memory resource {name} was not opened in this process"):
        DeviceMemoryResource.from_registry(name)
    for kind in (DeviceMemoryResource, PinnedMemoryResource):
        with pytest.raises(TypeError, match=r"^uuid must be a uuid.UUID, not str$"):
            kind.from_registry("name")
    with pytest.raises(TypeError, match=r"^alloc_handle must be an IPCAllocationHandle or an int, not str$"):
        DeviceMemoryResource.from_allocation_handle(0, "handle")


TWO_DEVICES = """
from cuda.core import Device, DeviceMemoryResource
first, second = Device.get_all_devices()
first.set_current()
stream = first.create_stream()
resource = DeviceMemoryResource(first, {"max_size": 1 << 20})
peers = resource.peer_accessible_by
assert set(peers) == set() and second not in peers
peers.add(1)
assert set(resource.peer_accessible_by) == {second} and 1 in peers and len(peers) == 1 and first not in peers
assert peers | {first} == {first, second}
peers.discard(second)
peers.discard(second)
assert second not in resource.peer_accessible_by
resource.peer_accessible_by = [second, 0]
assert repr(peers) == repr({second})
resource.peer_accessible_by = []
assert list(peers) == []
buffer = resource.allocate(64, stream=stream)
other = DeviceMemoryResource(1).allocate(64, stream=stream)
assert (buffer.device_id, other.device_id) == (0, 1)
buffer.fill(5, stream=stream)
buffer.copy_to(other, stream=stream)
stream.sync()
print("done")
"""


@pytest.mark.cpu_only
def test_peers_of_two_devices():
    assert run_checked(TWO_DEVICES, CUDA_CPU_DEVICES="2").strip() == "done"
