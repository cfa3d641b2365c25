# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Advice on managed memory (cuMemAdvise), and queries of it (cuMemRangeGetAttribute)."""

from libc.stdlib cimport calloc
from libc.stdlib cimport free as c_free
from libc.string cimport memset

from cuda.bindings cimport cydriver
from cuda.core._memory._buffer cimport Buffer
from cuda.core._utils._check cimport check
from cuda.core._device._location cimport set_location

from cuda.core import Device
from cuda.core._device._host import Host
from cuda.core._device._location import location_object

cdef int CPU = -1  # CU_DEVICE_CPU; CU_DEVICE_INVALID, -2, fills up


cdef int _range(Buffer buffer, int which, void* data, size_t size) except -1:
    check(
        cydriver.cuMemRangeGetAttribute(
            data, size, <cydriver.CUmem_range_attribute>which, buffer.address(), buffer.nbytes
        ),
        b"cuMemRangeGetAttribute",
    )
    return 0


cdef int _advise(Buffer buffer, int advice, cydriver.CUmemLocation location) except -1:
    cdef cydriver.CUdeviceptr start = buffer.address()
    cdef size_t nbytes = buffer.nbytes
    if location.type == cydriver.CU_MEM_LOCATION_TYPE_INVALID:
        location.type = cydriver.CU_MEM_LOCATION_TYPE_HOST  # ignored, but driver 580 refuses the other
    with nogil:
        check(cydriver.cuMemAdvise(start, nbytes, <cydriver.CUmem_advise>advice, location), b"cuMemAdvise")
    return 0


def is_read_mostly(Buffer buffer not None) -> bool:
    """Implement `ManagedBuffer.read_mostly`."""
    cdef int value = 0
    _range(buffer, cydriver.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, &value, sizeof(value))
    return bool(value)


def advise_read_mostly(Buffer buffer not None, bint value) -> None:
    """Set or clear the advice that a buffer is mostly read."""
    cdef cydriver.CUmemLocation nowhere
    memset(&nowhere, 0, sizeof(nowhere))
    _advise(
        buffer,
        cydriver.CU_MEM_ADVISE_SET_READ_MOSTLY if value else cydriver.CU_MEM_ADVISE_UNSET_READ_MOSTLY,
        nowhere,
    )


def preferred_location(Buffer buffer not None):
    """Return the Device or Host that is a buffer's preferred location, or None."""
    cdef int kind = 0, ordinal = 0
    _range(buffer, cydriver.CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, &kind, sizeof(kind))
    _range(buffer, cydriver.CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, &ordinal, sizeof(ordinal))
    return location_object(kind, ordinal)


def advise_preferred_location(Buffer buffer not None, location) -> None:
    """Set a buffer's preferred location; None clears it."""
    cdef cydriver.CUmemLocation where
    set_location(&where, location, "preferred_location")
    _advise(
        buffer,
        cydriver.CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION
        if location is None
        else cydriver.CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
        where,
    )


def accessed_by(Buffer buffer not None) -> list:
    """Return the locations that are advised to access a buffer: devices and possibly the host."""
    devices = Device.get_all_devices()
    cdef size_t count = len(devices) + 1, i
    cdef int* ordinals = <int*>calloc(count, sizeof(int))
    if ordinals == NULL:
        raise MemoryError
    try:
        _range(buffer, cydriver.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, ordinals, count * sizeof(int))
        return [Host() if ordinals[i] == CPU else Device(ordinals[i]) for i in range(count) if ordinals[i] >= CPU]
    finally:
        c_free(ordinals)


def advise_accessed_by(Buffer buffer not None, location, bint value) -> None:
    """Set or clear the advice that a location accesses a buffer."""
    cdef cydriver.CUmemLocation where
    if isinstance(location, Host) and location != Host():
        raise ValueError(f"accessed_by takes the host as a whole, Host(), not {location!r}")
    if location is None:
        raise TypeError("accessed_by takes Devices and Host(), not None")
    set_location(&where, location, "accessed_by")
    _advise(
        buffer,
        cydriver.CU_MEM_ADVISE_SET_ACCESSED_BY if value else cydriver.CU_MEM_ADVISE_UNSET_ACCESSED_BY,
        where,
    )
