# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
# cython: auto_pickle=False
"""Memory locations: conversion between Device or Host and CUmemLocation."""

from libc.string cimport memset

from cuda.bindings cimport cydriver

from cuda.core import Device, Host


cdef int set_location(cydriver.CUmemLocation* where, object location, str argument) except -1:
    """Write a Device or Host as a CUmemLocation; None becomes CU_MEM_LOCATION_TYPE_INVALID."""
    memset(where, 0, sizeof(cydriver.CUmemLocation))
    if location is None:
        return 0
    if isinstance(location, Device):
        where.type = cydriver.CU_MEM_LOCATION_TYPE_DEVICE
        where.id = location.device_id
    elif isinstance(location, Host):
        if location.is_numa_current:
            where.type = cydriver.CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
        elif location.numa_id is None:
            where.type = cydriver.CU_MEM_LOCATION_TYPE_HOST
        else:
            where.type = cydriver.CU_MEM_LOCATION_TYPE_HOST_NUMA
            where.id = location.numa_id
    else:
        raise TypeError(f"{argument} must be a Device or a Host, not {type(location).__name__}")
    return 0


def location_object(int kind, int ordinal):
    """Return the Device or Host for a CUmemLocation, None for no location."""
    if kind == cydriver.CU_MEM_LOCATION_TYPE_DEVICE:
        return Device(ordinal)
    if kind == cydriver.CU_MEM_LOCATION_TYPE_HOST:
        return Host()
    if kind == cydriver.CU_MEM_LOCATION_TYPE_HOST_NUMA:
        return Host(ordinal)
    if kind == cydriver.CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return Host.numa_current()
    return None
