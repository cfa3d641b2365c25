# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The processor's utilisation, clocks and temperatures as NVML values; NOT_SUPPORTED if Linux does not report them."""

from __future__ import annotations

import ctypes
from typing import TypeVar

from cuda.cpu.driver.device import device_attribute
from cuda.cpu.nvml import base, machine
from cuda.cpu.nvml.status import INVALID_ARGUMENT, NOT_SUPPORTED, failure
from cuda.cpu.nvml.structures import (
    DynamicPstates,
    MarginTemperature,
    Temperature,
    ThermalSensor,
    ThermalSettings,
    Utilization,
)

Known = TypeVar("Known")

_CLOCKS = 4  # nvmlClockType_t: graphics, multiprocessors, memory, video
_CURRENT, _CUSTOMER_BOOST_MAX = 0, 3  # nvmlClockId_t
_PSTATES = 16
_CONTROLLER_OS, _TARGET_GPU, _TARGET_ALL = 13, 1, 15  # nvmlThermalController_t, nvmlThermalTarget_t
_SHUTDOWN, _SLOWDOWN = 0, 1  # nvmlTemperatureThresholds_t
_THRESHOLDS = 8


def known(name: str, value: Known | None, quantity: str) -> Known:
    """Return a value of the machine, or raise NOT_SUPPORTED."""
    if value is None:
        raise failure(NOT_SUPPORTED, f"{name}: this system does not report {quantity}")
    return value


def nvmlDeviceGetUtilizationRates(handle: int, address: int) -> None:
    """Give how busy the processor was, with whatever program, since the last call; of its memory that is not known."""
    base.find(handle)
    given = base.structure("nvmlDeviceGetUtilizationRates", Utilization, address)
    given.gpu, given.memory = base.load_percent(), 0


def nvmlDeviceGetDynamicPstatesInfo(handle: int, address: int) -> None:
    """Give how busy the processor was for the first domain, that of the GPU; the others are not present."""
    base.find(handle)
    given = base.structure("nvmlDeviceGetDynamicPstatesInfo", DynamicPstates, address)
    percent = base.load_percent()
    ctypes.memset(address, 0, ctypes.sizeof(given))
    given.utilization[0].bIsPresent, given.utilization[0].percentage = 1, percent


def _check_clock(name: str, handle: int, kind: int) -> None:
    """The processor's clock stands for those of graphics and multiprocessors."""
    base.find(handle)
    if not 0 <= kind < _CLOCKS:
        raise failure(INVALID_ARGUMENT, f"{name}: {kind} is not an nvmlClockType_t")
    if kind > 1:
        raise failure(NOT_SUPPORTED, f"{name}: a processor has no clock of type {kind}")


def nvmlDeviceGetMaxClockInfo(handle: int, kind: int) -> int:
    _check_clock("nvmlDeviceGetMaxClockInfo", handle, kind)
    return device_attribute.clock_rate_khz() // 1000


def nvmlDeviceGetClockInfo(handle: int, kind: int) -> int:
    """Return what the cores run at now, on average, in MHz; their highest clock where that is not known."""
    _check_clock("nvmlDeviceGetClockInfo", handle, kind)
    return machine.current_clock_mhz() or device_attribute.clock_rate_khz() // 1000


def nvmlDeviceGetMaxCustomerBoostClock(handle: int, kind: int) -> int:
    """Return the highest clock that the owner of the system allows."""
    name = "nvmlDeviceGetMaxCustomerBoostClock"
    _check_clock(name, handle, kind)
    return known(name, machine.clock_mhz("scaling_max_freq"), "the highest clock that is allowed")


def nvmlDeviceGetClock(handle: int, kind: int, which: int) -> int:
    _check_clock("nvmlDeviceGetClock", handle, kind)
    if which == _CURRENT:
        return nvmlDeviceGetClockInfo(handle, kind)
    if which == _CUSTOMER_BOOST_MAX:
        return nvmlDeviceGetMaxCustomerBoostClock(handle, kind)
    raise failure(NOT_SUPPORTED, f"nvmlDeviceGetClock: a processor has no clock of nvmlClockId_t {which}")


def nvmlDeviceGetMinMaxClockOfPState(handle: int, kind: int, pstate: int) -> tuple[int, int]:
    """Return the range of the processor's clock, all of which is state 0."""
    name = "nvmlDeviceGetMinMaxClockOfPState"
    _check_clock(name, handle, kind)
    if not 0 <= pstate < _PSTATES:
        raise failure(INVALID_ARGUMENT, f"{name}: {pstate} is not an nvmlPstates_t")
    if pstate:
        raise failure(NOT_SUPPORTED, f"{name}: a processor has no performance state {pstate}")
    low = known(name, machine.clock_mhz("cpuinfo_min_freq"), "the processor's lowest clock")
    return low, device_attribute.clock_rate_khz() // 1000


def nvmlDeviceGetAutoBoostedClocksEnabled(handle: int) -> tuple[int, int]:
    """Return whether the cores may run above their nominal clock, now and by default (as they do now)."""
    base.find(handle)
    boosts = known("nvmlDeviceGetAutoBoostedClocksEnabled", machine.may_boost(), "whether the processor boosts")
    return int(boosts), int(boosts)


def _heat(name: str) -> machine.Heat:
    return known(name, machine.heat(), "the processor's temperature")


def _check_sensor(name: str, sensor: int) -> None:
    if sensor:  # NVML_TEMPERATURE_GPU is the only nvmlTemperatureSensors_t
        raise failure(INVALID_ARGUMENT, f"{name}: {sensor} is not an nvmlTemperatureSensors_t")


def nvmlDeviceGetTemperature(handle: int, sensor: int) -> int:
    base.find(handle)
    _check_sensor("nvmlDeviceGetTemperature", sensor)
    return _heat("nvmlDeviceGetTemperature").now


def nvmlDeviceGetTemperatureV(handle: int, address: int) -> None:
    name = "nvmlDeviceGetTemperatureV"
    base.find(handle)
    given = base.versioned(name, Temperature, address)
    _check_sensor(name, given.sensorType)
    given.temperature = _heat(name).now


def nvmlDeviceGetTemperatureThreshold(handle: int, kind: int) -> int:
    name = "nvmlDeviceGetTemperatureThreshold"
    base.find(handle)
    if not 0 <= kind < _THRESHOLDS:
        raise failure(INVALID_ARGUMENT, f"{name}: {kind} is not an nvmlTemperatureThresholds_t")
    limits = {_SHUTDOWN: _heat(name).shutdown, _SLOWDOWN: _heat(name).slowdown}
    return known(name, limits.get(kind), f"a temperature for threshold {kind}")


def nvmlDeviceGetMarginTemperature(handle: int, address: int) -> None:
    """Give how much warmer the processor may get before it slows down."""
    name = "nvmlDeviceGetMarginTemperature"
    base.find(handle)
    given = base.versioned(name, MarginTemperature, address)
    heat = _heat(name)
    limit = heat.slowdown if heat.slowdown is not None else heat.shutdown
    given.marginTemperature = known(name, limit, "at which temperature the processor slows down") - heat.now


def nvmlDeviceGetThermalSettings(handle: int, target: int, address: int) -> None:
    """Give the processor's temperature for the target GPU, and for all of them."""
    name = "nvmlDeviceGetThermalSettings"
    base.find(handle)
    given = base.structure(name, ThermalSettings, address)
    if target not in (_TARGET_GPU, _TARGET_ALL):
        raise failure(NOT_SUPPORTED, f"{name}: a processor has no sensor of nvmlThermalTarget_t {target}")
    heat = _heat(name)
    limit = next((each for each in (heat.slowdown, heat.shutdown) if each is not None), 0)
    ctypes.memset(address, 0, ctypes.sizeof(given))
    given.count, given.sensor[0] = 1, ThermalSensor(_CONTROLLER_OS, 0, limit, heat.now, _TARGET_GPU)
