# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from support.scripts import run_checked

from cuda.bindings import driver
from cuda.core import Buffer, CUDAError, VirtualMemoryResource, VirtualMemoryResourceOptions
from cuda.core.typing import VirtualMemoryGranularityType, VirtualMemoryHandleType


@pytest.fixture
def resource(device):
    return VirtualMemoryResource(device)


@pytest.fixture
def unit(resource):
    """Return the granularity to which sizes are rounded up."""
    with resource.allocate(1) as buffer:
        return buffer.size


def test_attributes_of_a_resource(resource, device):
    assert (resource.is_device_accessible, resource.is_host_accessible, resource.is_managed) == (True, False, False)
    assert resource.device_id == 0
    assert resource.device is device
    assert resource.config == VirtualMemoryResourceOptions()
    assert repr(resource) == "<VirtualMemoryResource of device 0>"


def test_allocate(resource, stream, unit, host):
    with resource.allocate(unit + 1, stream=stream) as buffer:
        assert buffer.size == 2 * unit
        assert buffer.memory_resource is resource
        buffer.fill(7, stream=stream)
        assert set(host(buffer, "u1")) == {7}
    for nothing in (0, -1):  # -1 is rounded up to 0, as in NVIDIA's cuda.core
        with pytest.raises(CUDAError, match=r"CUDA_ERROR_INVALID_VALUE"):
            resource.allocate(nothing)
    for size in (-(1 << 40), 1 << 64):
        with pytest.raises(OverflowError):
            resource.allocate(size)


def test_memory_is_freed(resource, stream):
    before = driver.cuMemGetInfo()[1]
    buffer = resource.allocate(8 << 20, stream=stream)
    assert driver.cuMemGetInfo()[1] < before
    buffer.close()
    assert driver.cuMemGetInfo()[1] == before
    with pytest.raises(ValueError, match=r"^ptr 0x100 is not the start of memory of this VirtualMemoryResource$"):
        resource.deallocate(0x100, 8)
    resource.deallocate(None, 0)


def test_grow(resource, stream, unit, host):
    before = driver.cuMemGetInfo()[1]
    buffer = resource.allocate(unit, stream=stream)
    buffer.fill(np.uint32(0x01020304), stream=stream)
    assert resource.modify_allocation(buffer, unit) is buffer
    assert buffer.size == unit
    for size in (2 * unit, 4 * unit + 1):
        assert resource.modify_allocation(buffer, size) is buffer
    assert buffer.size == 5 * unit
    assert set(host(Buffer.from_handle(buffer.handle, unit, owner=buffer), "u4")) == {0x01020304}
    buffer.fill(9, stream=stream)
    assert set(host(buffer, "u1")) == {9}
    buffer.close()
    assert driver.cuMemGetInfo()[1] == before


# Far from where the system maps files and libraries.
FREE_ADDRESS = 0x5000_0000_0000


@pytest.mark.cpu_only  # another driver may ignore the hint
def test_growing_in_place_or_at_a_new_address(device, stream, unit, host):
    resource = VirtualMemoryResource(device, {"addr_hint": FREE_ADDRESS})
    buffer = resource.allocate(unit, stream=stream)
    buffer.fill(3, stream=stream)
    resource.modify_allocation(buffer, 2 * unit)
    assert (buffer.handle, buffer.size) == (FREE_ADDRESS, 2 * unit)
    status, taken = driver.cuMemAddressReserve(unit, 0, FREE_ADDRESS + 2 * unit, 0)
    assert (status, int(taken)) == (0, FREE_ADDRESS + 2 * unit)
    resource.modify_allocation(buffer, 3 * unit)
    assert buffer.handle != FREE_ADDRESS
    assert set(host(buffer, "u1")[:unit]) == {3}
    buffer.close()
    driver.cuMemAddressFree(taken, unit)


@pytest.mark.cpu_only
def test_a_buffer_with_views_cannot_move(device, stream, unit):
    resource = VirtualMemoryResource(device, {"location_type": "host", "addr_hint": FREE_ADDRESS})
    buffer = resource.allocate(1, stream=stream)
    view = memoryview(buffer)
    resource.modify_allocation(buffer, 2 * unit)
    _, taken = driver.cuMemAddressReserve(unit, 0, FREE_ADDRESS + 2 * unit, 0)
    with pytest.raises(BufferError, match=r"^this Buffer cannot get another address: 1 arrays or nodes"):
        resource.modify_allocation(buffer, 3 * unit)
    assert (buffer.handle, buffer.size) == (FREE_ADDRESS, 2 * unit)
    view[0] = 1
    view.release()
    resource.modify_allocation(buffer, 3 * unit)
    assert (bytes(buffer)[0], buffer.size) == (1, 3 * unit)
    buffer.close()
    driver.cuMemAddressFree(taken, unit)


def test_a_failed_growth_leaves_the_buffer_unchanged(resource, stream, unit):
    with resource.allocate(unit, stream=stream) as buffer:
        start, free = buffer.handle, driver.cuMemGetInfo()[1]
        with pytest.raises(CUDAError, match="CUDA_ERROR_OUT_OF_MEMORY"):
            resource.modify_allocation(buffer, 1 << 50)
        assert (buffer.handle, buffer.size) == (start, unit)
        assert driver.cuMemGetInfo()[1] >= free, "what was mapped for the growth is not given back"
    with pytest.raises(CUDAError, match="CUDA_ERROR_OUT_OF_MEMORY"):
        resource.allocate(1 << 50)


def test_wrong_growth(resource, device, stream):
    with resource.allocate(8) as buffer, device.allocate(8, stream=stream) as other:
        with pytest.raises(ValueError, match=r"^buf is of another memory resource$"):
            resource.modify_allocation(other, 16)
        with pytest.raises(TypeError, match=r"^buf must be a Buffer, not int$"):
            resource.modify_allocation(1, 16)
        with pytest.raises(TypeError, match=r"^size must be an int \(bytes\), not float$"):
            resource.modify_allocation(buffer, 1e9)
    with pytest.raises(ValueError, match=r"^this Buffer is closed$"):
        resource.modify_allocation(buffer, 16)


def test_host_memory(device, stream):
    if not device.properties.host_virtual_memory_management_supported:
        pytest.skip("the device maps no memory of the host")
    resource = VirtualMemoryResource(device, VirtualMemoryResourceOptions(location_type="host", handle_type=None))
    assert resource.is_host_accessible
    with resource.allocate(4, stream=stream) as buffer:
        buffer.fill(2, stream=stream)
        stream.sync()
        assert bytes(buffer)[:4] == b"\2\2\2\2"


def test_options():
    options = VirtualMemoryResourceOptions(granularity="minimum", peers=[0], handle_type=None)
    assert options.granularity is VirtualMemoryGranularityType.MINIMUM
    assert (options.peers, options.handle_type) == ((0,), None)
    assert VirtualMemoryResourceOptions().handle_type is VirtualMemoryHandleType.POSIX_FD
    for arguments, message in [
        (
            {"location_type": "moon"},
            r"^location_type must be one of 'device', .*, 'host_numa_current'",
        ),
        ({"self_access": "w"}, r"^self_access must be one of 'rw', 'r', not 'w'$"),
        ({"handle_type": "win32_kmt"}, r"^handle_type 'win32_kmt' is Windows's"),
        ({"addr_align": 3}, r"^addr_align must be a power of two, not 3$"),
    ]:
        with pytest.raises(ValueError, match=message):
            VirtualMemoryResourceOptions(**arguments)


@pytest.mark.cpu_only
def test_options_not_supported_by_the_device(device):
    with pytest.raises(RuntimeError, match=r"^device 0 does not support handle_type 'fabric' \(Device.prop"):
        VirtualMemoryResource(device, VirtualMemoryResourceOptions(handle_type="fabric"))
    with pytest.raises(RuntimeError, match=r"^device 0 does not support gpu_direct_rdma"):
        VirtualMemoryResource(device, {"gpu_direct_rdma": True})


TWO_DEVICES = """
from cuda.core import Device, VirtualMemoryResource
first, second = Device.get_all_devices()
first.set_current()
resource = VirtualMemoryResource(first, {"peers": [1], "peer_access": "r"})
buffer = resource.allocate(64)
second.set_current()
stream = second.create_stream()
with second.allocate(buffer.size, stream=stream) as copy:
    buffer.copy_to(copy, stream=stream)
    stream.sync()
buffer.close()
print("done")
"""


@pytest.mark.cpu_only
def test_peers():
    assert run_checked(TWO_DEVICES, CUDA_CPU_DEVICES="2").strip() == "done"
