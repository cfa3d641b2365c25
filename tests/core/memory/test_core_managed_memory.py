# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import pytest

from cuda.bindings import driver
from cuda.core import (
    Buffer,
    Device,
    Host,
    ManagedBuffer,
    ManagedMemoryResource,
    ManagedMemoryResourceOptions,
)
from cuda.core.typing import ManagedMemoryLocationType


@pytest.fixture
def resource(device):
    return ManagedMemoryResource()


@pytest.fixture
def buffer(resource, stream):
    with resource.allocate(1 << 12, stream=stream) as buffer:
        yield buffer


def test_attributes_of_managed_memory(resource, buffer):
    assert (resource.is_device_accessible, resource.is_host_accessible, resource.is_managed) == (True, True, True)
    assert (resource.device_id, resource.preferred_location, resource.is_ipc_enabled) == (-1, None, False)
    assert not resource.is_handle_owned
    assert type(buffer) is ManagedBuffer
    assert (buffer.is_managed, buffer.is_host_accessible, buffer.is_device_accessible) == (True, True, True)
    assert buffer.device_id == -1
    assert repr(buffer).startswith("<ManagedBuffer at 0x")
    assert repr(resource) == "<ManagedMemoryResource open of the host>"


def test_host_and_device_share_the_memory(module, stream, buffer):
    from cuda.core import LaunchConfig, launch

    view = memoryview(buffer).cast("i")
    view[:] = memoryview(bytes(buffer.size)).cast("i")
    view[3] = 41
    launch(stream, LaunchConfig(grid=4, block=256), module.add_one, buffer, 1 << 10)
    stream.sync()
    assert (view[3], view[0]) == (42, 1)


@pytest.mark.parametrize(
    ("options", "location", "device_id"),
    [
        ({}, None, -1),
        ({"preferred_location": 0}, ("device", 0), 0),
        ({"preferred_location": -1}, ("host", None), -1),
        ({"preferred_location": 0, "preferred_location_type": "device"}, ("device", 0), 0),
        ({"preferred_location_type": "host"}, ("host", None), -1),
        ({"preferred_location": 0, "preferred_location_type": "host_numa"}, ("host_numa", 0), -1),
        ({"preferred_location_type": "host_numa"}, ("host_numa", 0), -1),
    ],
)
def test_a_managed_pool_of_its_own(device, stream, options, location, device_id):
    with ManagedMemoryResource(ManagedMemoryResourceOptions(**options)) as resource:
        assert (resource.preferred_location, resource.device_id) == (location, device_id)
        assert location is None or isinstance(resource.preferred_location[0], ManagedMemoryLocationType)
        assert resource.is_handle_owned
        with resource.allocate(16, stream=stream) as buffer:
            buffer.fill(5, stream=stream)
            stream.sync()
            assert bytes(buffer) == b"\5" * 16
            assert buffer.is_managed
            assert Buffer.from_handle(buffer.handle, 16).is_managed  # as the driver reports


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preferred_location": -2}, r"^preferred_location must be at least 0 where its type is 'device', not -2$"),
        ({"preferred_location_type": "device"}, r"^preferred_location must be at least 0 .* 'device', not None$"),
        ({"preferred_location": 0, "preferred_location_type": "host"}, r"^preferred_location must be None where"),
        ({"preferred_location_type": "moon"}, r"^preferred_location_type must be one of 'device', 'host', 'host_numa'"),
        ({"preferred_location": 99}, r"^device_id is 99, but the devices are"),
    ],
)
def test_wrong_options(device, options, message):
    with pytest.raises(ValueError, match=message):
        ManagedMemoryResource(options)


def test_preferred_location_may_be_a_device(device):
    with ManagedMemoryResource(ManagedMemoryResourceOptions(preferred_location=device)) as resource:
        assert (resource.preferred_location, resource.device_id) == (("device", device.device_id), device.device_id)
    with pytest.raises(TypeError, match=r"^preferred_location must be an int or a Device, not str$"):
        ManagedMemoryResource(ManagedMemoryResourceOptions(preferred_location="0"))


@pytest.fixture
def advised(device, buffer, on_gpu):
    """Return managed memory for advice: driver 580 takes none for memory of pools."""
    if not on_gpu:
        yield buffer
        return
    _, address = driver.cuMemAllocManaged(4096, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL)
    yield ManagedBuffer.from_handle(address, 4096, owner=address)
    driver.cuMemFree(address)


def test_advice(device, advised, on_gpu):
    buffer = advised
    assert (buffer.read_mostly, buffer.preferred_location, set(buffer.accessed_by)) == (False, None, set())
    buffer.read_mostly = True
    assert buffer.read_mostly
    buffer.read_mostly = False
    assert not buffer.read_mostly
    for location in (device, Host(), Host(0)):
        buffer.preferred_location = location
        if location != Host(0) or not on_gpu:  # driver 580 keeps no node
            assert buffer.preferred_location == location
    buffer.preferred_location = None
    assert buffer.preferred_location is None
    with pytest.raises(TypeError, match=r"^preferred_location must be a Device or a Host, not int$"):
        buffer.preferred_location = 0


def test_accessed_by(device, advised):
    buffer = advised
    users = buffer.accessed_by
    users.add(device)
    assert set(users) == {device}
    users.add(Host())
    assert (len(users), device in users, Host() in users) == (2, True, True)
    assert users & {device} == {device}
    assert repr(users) == repr(set(users))
    users.discard(device)
    assert set(buffer.accessed_by) == {Host()}
    buffer.accessed_by = [device]
    assert set(users) == {device}
    buffer.accessed_by = []
    assert not users
    with pytest.raises(ValueError, match=r"^accessed_by takes the host as a whole, Host\(\), not Host\(numa_id=0\)$"):
        users.add(Host(0))
    with pytest.raises(TypeError, match=r"^accessed_by must be a Device or a Host, not int$"):
        users.add(0)
    with pytest.raises(TypeError, match=r"^accessed_by takes Devices and Host\(\), not None$"):
        users.add(None)
    users.add(Host())
    for wrong in ({device, Host(0)}, {Host(0)}, [device, 3]):
        with pytest.raises((ValueError, TypeError), match=r"^accessed_by "):
            buffer.accessed_by = wrong
        assert set(users) == {Host()}, "it stays as it was"


def test_prefetch(device, stream, buffer):
    buffer.fill(1, stream=stream)
    buffer.prefetch(Host(), stream=stream)
    buffer.prefetch(device, stream=stream)
    stream.sync()
    assert set(bytes(buffer)) == {1}
    buffer.discard(stream=stream)
    buffer.discard_prefetch(device, stream=stream)
    buffer.fill(2, stream=stream)
    stream.sync()
    assert set(bytes(buffer)) == {2}
    with pytest.raises(TypeError, match=r"^locations must be a Device or a Host"):
        buffer.prefetch(None, stream=stream)


def test_from_handle(device, stream):
    _, address = driver.cuMemAllocManaged(256, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL)
    buffer = ManagedBuffer.from_handle(address, 256, owner=address)
    assert type(buffer) is ManagedBuffer
    assert (buffer.handle, buffer.size, buffer.is_managed) == (int(address), 256, True)
    buffer.read_mostly = True
    assert buffer.read_mostly
    buffer.close()
    driver.cuMemFree(address)
    with pytest.raises(ValueError, match=r"^this Buffer is closed$"):
        buffer.read_mostly  # noqa: B018


def test_advice_for_device_memory_is_rejected(device, stream):
    with device.allocate(16, stream=stream) as plain:
        wrapped = ManagedBuffer.from_handle(plain.handle, 16, owner=plain)
        with pytest.raises(RuntimeError, match=r"CUDA_ERROR_INVALID_VALUE"):
            wrapped.read_mostly = True


def test_host_locations():
    assert Host() is Host()
    assert Host(0) is Host(numa_id=0)
    assert Host(0) != Host()
    assert len({Host(), Host(0), Host(1), Host.numa_current(), Host()}) == 4
    assert (Host().numa_id, Host(1).numa_id, Host().is_numa_current) == (None, 1, False)
    assert (Host.numa_current().numa_id, Host.numa_current().is_numa_current) == (None, True)
    assert [repr(host) for host in (Host(), Host(1), Host.numa_current())] == [
        "Host()",
        "Host(numa_id=1)",
        "Host.numa_current()",
    ]
    assert Host() != Device(0)
    for host in (Host(), Host(1), Host.numa_current()):
        import pickle

        assert pickle.loads(pickle.dumps(host)) is host


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"numa_id": -1}, ValueError, r"^numa_id must be the number of a NUMA node, at least 0, not -1$"),
        ({"numa_id": "0"}, ValueError, r"^numa_id must be an int of at least 0 or None, not '0'$"),
        ({"numa_id": True}, ValueError, r"^numa_id must be an int of at least 0 or None, not True$"),
        ({"numa_id": 0, "is_numa_current": True}, ValueError, r"^give numa_id, a certain node, or is_numa_current"),
    ],
)
def test_wrong_host_locations(arguments, error, message):
    with pytest.raises(error, match=message):
        Host(**arguments)


def test_pinned_pool(device, stream):
    from cuda.core import PinnedMemoryResource, PinnedMemoryResourceOptions

    if not device.properties.host_numa_memory_pools_supported:
        pytest.skip("the driver has no pools of host memory")
    assert device.properties.host_memory_pools_supported
    resource = PinnedMemoryResource()
    assert (resource.is_device_accessible, resource.is_host_accessible, resource.is_managed) == (True, True, False)
    assert (resource.device_id, resource.numa_id, resource.is_handle_owned) == (-1, -1, False)
    with PinnedMemoryResource(PinnedMemoryResourceOptions(max_size=1 << 20, numa_id=0)) as own:
        assert (own.numa_id, own.is_handle_owned) == (0, True)
        with own.allocate(8, stream=stream) as buffer:
            buffer.fill(6, stream=stream)
            stream.sync()
            assert bytes(buffer) == b"\6" * 8
            assert (buffer.is_host_accessible, buffer.device_id) == (True, -1)
        with pytest.raises(RuntimeError, match="CUDA_ERROR_OUT_OF_MEMORY"):
            own.allocate(1 << 26, stream=stream)  # GPUs reserve units of 32 MiB
    with pytest.raises(ValueError, match=r"^numa_id must be the number of a NUMA node, at least 0, not -3$"):
        PinnedMemoryResource({"numa_id": -3})
