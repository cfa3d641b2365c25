# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVML event sets: kernel faults are reported as XID errors."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections import deque

from cuda.cpu.abi import CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS
from cuda.cpu.driver.base.handle import Table
from cuda.cpu.driver.device import wait
from cuda.cpu.nvml import base
from cuda.cpu.nvml.status import INVALID_ARGUMENT, NOT_SUPPORTED, TIMEOUT, failure
from cuda.cpu.nvml.structures import EventData, SystemEventSet, SystemRegister, SystemWait

XID_CRITICAL_ERROR = 8  # nvmlEventTypeXidCriticalError, the only kind that a CPU device reports
_SYSTEM_KINDS = 3  # nvmlSystemEventTypeGpuDriverUnbind, nvmlSystemEventTypeGpuDriverBind
_NO_INSTANCE = 2**32 - 1
_MOST = 1000  # events stored until a wait; older ones are dropped
# NVIDIA's manual of XID errors: 31 is a fault of the memory management unit, 13 any other exception of a kernel.
_MEMORY_FAULT, _EXCEPTION = 31, 13
_MEMORY = (CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS)

_changed = threading.Condition()


class EventSet:
    """Events that wait to be fetched, and the devices whose events they are."""

    def __init__(self) -> None:
        self.ordinals: set[int] = set()
        self.events: deque[tuple[int, int]] = deque(maxlen=_MOST)  # device, XID
        self.is_open = True


_sets = Table("nvmlEventSet_t")
_system_sets = Table("nvmlSystemEventSet_t")


def _on_fault(ordinal: int, status: int) -> None:
    with _changed:
        for each in list(_sets.values()):
            if ordinal in each.ordinals:
                each.events.append((ordinal, _MEMORY_FAULT if status in _MEMORY else _EXCEPTION))
        _changed.notify_all()


def _find(name: str, sets: Table, handle: int) -> EventSet:
    base.check()
    if handle not in sets:
        raise failure(INVALID_ARGUMENT, f"{name}: 0x{handle:x} is not a set of events")
    return sets[handle]


def _close(found: EventSet) -> None:
    with _changed:
        found.is_open = False
        _changed.notify_all()


def _until_event(name: str, found: EventSet, milliseconds: int) -> None:
    """Wait with `_changed` held until there is an event, or raise TIMEOUT."""
    deadline = time.monotonic() + milliseconds / 1000
    while not found.events:
        left = deadline - time.monotonic()
        if not found.is_open:
            raise failure(INVALID_ARGUMENT, f"{name}: the set of events was freed during the call")
        if left <= 0:
            raise failure(TIMEOUT, f"{name}: no event within {milliseconds} ms")
        _changed.wait(min(left, threading.TIMEOUT_MAX))


def nvmlDeviceGetSupportedEventTypes(handle: int) -> int:
    base.find(handle)
    return XID_CRITICAL_ERROR


def nvmlEventSetCreate() -> int:
    base.check()
    wait.on_fault = _on_fault
    return _sets.add(EventSet())


def nvmlDeviceRegisterEvents(handle: int, kinds: int, set_: int) -> None:
    name = "nvmlDeviceRegisterEvents"
    of, found = base.find(handle), _find(name, _sets, set_)
    if kinds & ~XID_CRITICAL_ERROR:
        raise failure(NOT_SUPPORTED, f"{name}: event types 0x{kinds:x}: a CPU device has nvmlEventTypeXidCriticalError")
    if kinds:
        found.ordinals.add(of.ordinal)


def nvmlEventSetWait(set_: int, address: int, milliseconds: int) -> None:
    name = "nvmlEventSetWait"
    found = _find(name, _sets, set_)
    base.output(name, address)
    with _changed:
        _until_event(name, found, milliseconds)
        ordinal, xid = found.events.popleft()
    given = EventData.from_address(address)
    given.device, given.eventType, given.eventData = ordinal + 1, XID_CRITICAL_ERROR, xid
    given.gpuInstanceId = given.computeInstanceId = _NO_INSTANCE


def nvmlEventSetFree(set_: int) -> None:
    _close(_find("nvmlEventSetFree", _sets, set_))
    del _sets[set_]


def nvmlSystemEventSetCreate(address: int) -> None:
    base.check()
    base.versioned("nvmlSystemEventSetCreate", SystemEventSet, address).set = _system_sets.add(EventSet())


def nvmlSystemEventSetFree(address: int) -> None:
    name = "nvmlSystemEventSetFree"
    given = base.versioned(name, SystemEventSet, address)
    _close(_find(name, _system_sets, given.set))
    del _system_sets[given.set]


def nvmlSystemRegisterEvents(address: int) -> None:
    name = "nvmlSystemRegisterEvents"
    given = base.versioned(name, SystemRegister, address)
    _find(name, _system_sets, given.set)
    if given.eventTypes & ~_SYSTEM_KINDS:
        raise failure(INVALID_ARGUMENT, f"{name}: 0x{given.eventTypes:x} is not nvmlSystemEventType flags")


def nvmlSystemEventSetWait(address: int) -> None:
    """Wait until the time is over: no device of this process comes or goes."""
    name = "nvmlSystemEventSetWait"
    given = base.versioned(name, SystemWait, address)
    found = _find(name, _system_sets, given.set)
    base.output(name, given.data)
    given.numEvent = 0
    with _changed:
        _until_event(name, found, ctypes.c_uint32(given.timeoutms).value)


def _forget_after_fork() -> None:
    global _changed
    _changed = threading.Condition()
    _sets.clear()
    _system_sets.clear()


os.register_at_fork(after_in_child=_forget_after_fork)
