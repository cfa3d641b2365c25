# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Structures of nvml.h that the functions read and write."""

from __future__ import annotations

import ctypes
from ctypes import c_char, c_double, c_int, c_int64, c_uint16, c_uint32, c_uint64


class Memory(ctypes.Structure):
    _fields_ = [(name, c_uint64) for name in ("total", "free", "used")]


class Memory2(ctypes.Structure):
    _fields_ = [("version", c_uint32)] + [(name, c_uint64) for name in ("total", "reserved", "free", "used")]


class Utilization(ctypes.Structure):
    _fields_ = [("gpu", c_uint32), ("memory", c_uint32)]


class PciInfo(ctypes.Structure):
    _fields_ = [
        ("busIdLegacy", c_char * 16),
        *((name, c_uint32) for name in ("domain", "bus", "device", "pciDeviceId", "pciSubSystemId")),
        ("busId", c_char * 32),
    ]


class PciInfoExt(ctypes.Structure):
    _fields_ = [
        ("version", c_uint32),
        *((name, c_uint32) for name in ("domain", "bus", "device", "pciDeviceId", "pciSubSystemId")),
        ("baseClass", c_uint32),
        ("subClass", c_uint32),
        ("busId", c_char * 32),
    ]


class ProcessInfo1(ctypes.Structure):
    _fields_ = [("pid", c_uint32), ("usedGpuMemory", c_uint64)]


class ProcessInfo(ctypes.Structure):
    _fields_ = [*ProcessInfo1._fields_, ("gpuInstanceId", c_uint32), ("computeInstanceId", c_uint32)]


class AddressingMode(ctypes.Structure):
    _fields_ = [("version", c_uint32), ("value", c_uint32)]


class Temperature(ctypes.Structure):
    _fields_ = [("version", c_uint32), ("sensorType", c_uint32), ("temperature", c_int)]


class MarginTemperature(ctypes.Structure):
    _fields_ = [("version", c_uint32), ("marginTemperature", c_int)]


class ThermalSensor(ctypes.Structure):
    _fields_ = [(name, c_int) for name in ("controller", "defaultMinTemp", "defaultMaxTemp", "currentTemp", "target")]


class ThermalSettings(ctypes.Structure):
    _fields_ = [("count", c_uint32), ("sensor", ThermalSensor * 3)]


class PstatesUtilization(ctypes.Structure):
    _fields_ = [(name, c_uint32) for name in ("bIsPresent", "percentage", "incThreshold", "decThreshold")]


class DynamicPstates(ctypes.Structure):
    _fields_ = [("flags", c_uint32), ("utilization", PstatesUtilization * 8)]


class Value(ctypes.Union):
    _fields_ = [
        ("dVal", c_double),
        ("siVal", c_int),
        ("uiVal", c_uint32),
        ("ulVal", c_uint64),
        ("ullVal", c_uint64),
        ("sllVal", c_int64),
        ("usVal", c_uint16),
    ]


class FieldValue(ctypes.Structure):
    _fields_ = [
        ("fieldId", c_uint32),
        ("scopeId", c_uint32),
        ("timestamp", c_int64),
        ("latencyUsec", c_int64),
        ("valueType", c_int),
        ("nvmlReturn", c_int),
        ("value", Value),
    ]


class EventData(ctypes.Structure):
    _fields_ = [
        ("device", c_uint64),
        ("eventType", c_uint64),
        ("eventData", c_uint64),
        ("gpuInstanceId", c_uint32),
        ("computeInstanceId", c_uint32),
    ]


class SystemEventSet(ctypes.Structure):
    """The requests to create and to free a set of system events."""

    _fields_ = [("version", c_uint32), ("set", c_uint64)]


class SystemRegister(ctypes.Structure):
    _fields_ = [("version", c_uint32), ("eventTypes", c_uint64), ("set", c_uint64)]


class SystemWait(ctypes.Structure):
    _fields_ = [
        ("version", c_uint32),
        ("timeoutms", c_uint32),
        ("set", c_uint64),
        ("data", c_uint64),
        ("dataSize", c_uint32),
        ("numEvent", c_uint32),
    ]
