# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Print the values of `cuda.core.system`, to compare this package with NVIDIA's on the same NVML."""

from __future__ import annotations

import inspect
import os

from cuda.core import system
from cuda.core.system import typing

# Values that differ between calls or in form only.
_CHANGING = ("percentage", "gpu", "free", "used", "timestamp", "pid", "latency_usec", "get_current_mhz")


def show(name, call):
    """Print the value of a call if it is plain data, else its type, or the type of the exception."""
    try:
        found = call()
        if inspect.isgenerator(found) or hasattr(found, "__next__"):
            found = list(found)
    except Exception as error:
        print(name, "raises", type(error).__name__)
        return None
    plain = isinstance(found, (bool, int, str, tuple)) and name.rpartition(".")[2] not in _CHANGING
    size = f" of {len(found)}" if hasattr(found, "__len__") and not plain else ""
    print(name, repr(str(found)) if plain else type(found).__name__ + size)
    return found


def walk(name, thing):
    """Print all properties of an object."""
    for member in dir(type(thing)):
        if not member.startswith("_") and not callable(inspect.getattr_static(type(thing), member)):
            show(f"{name}.{member}", lambda member=member: getattr(thing, member))


def each(name, call, kind):
    for member in kind:
        show(f"{name} {member}", lambda member=member: call(member))


def main():
    first, second = system.Device(index=0), system.Device(index=1)
    for name in ("get_driver_branch", "get_kernel_mode_driver_version", "get_num_devices", "get_nvml_version"):
        show(name, getattr(system, name))
    show("no process", lambda: system.get_process_name(2**31 - 1))
    show("process", lambda: bool(system.get_process_name(os.getpid())))
    show("ancestor", lambda: system.get_topology_common_ancestor(first, second))
    each("p2p", lambda index: system.get_p2p_status(first, second, index), typing.GpuP2PCapsIndex)
    each("system events", lambda kind: system.register_events(kind).wait(0), typing.SystemEventType)
    walk("device", first)
    each("near", first.get_topology_nearest_gpus, typing.GpuTopologyLevel)
    each("processors", lambda scope: tuple(first.get_cpu_affinity(scope)), typing.AffinityScope)
    each("nodes", lambda scope: tuple(first.get_memory_affinity(scope)), typing.AffinityScope)
    each("events", lambda kind: first.register_events(kind).wait(0), typing.EventType)
    each("thresholds", first.temperature.get_threshold, typing.TemperatureThresholds)
    each("settings", first.temperature.get_thermal_settings, typing.ThermalTarget)
    each("inforom", first.inforom.get_version, typing.InforomObject)
    for kind in typing.ClockType:
        clock = first.get_clock(kind)
        each(f"clock {kind}", clock.get_current_mhz, typing.ClockId)
        for name in ("get_max_mhz", "get_max_customer_boost_mhz"):
            show(f"clock {kind} {name}", getattr(clock, name))
        show(f"clock {kind} range", lambda clock=clock: clock.get_min_max_clock_of_pstate_mhz(0))
        show(f"clock {kind} offsets", lambda clock=clock: clock.get_offsets(0))
    for name in ("pci_info", "memory_info", "utilization", "mig", "inforom", "temperature"):
        walk(name, getattr(first, name))
    walk("process", next(process for process in first.compute_running_processes if process.pid == os.getpid()))
    walk("part", first.dynamic_pstates_info[0])
    calls = {
        "sensor": first.temperature.get_sensor,
        "fan": first.get_fan,
        "links": first.get_nvlinks,
        "link": lambda: first.get_nvlink(0),
        "event types": first.get_supported_event_types,
        "no fields": lambda: first.get_field_values([]),
        "fields": lambda: tuple(first.get_field_values([91, 170]).get_all_values()),
        "clear fields": lambda: first.clear_field_values([91]),
        "affinity": first.set_cpu_affinity,
        "no affinity": first.clear_cpu_affinity,
        "parts": first.mig.get_all_devices,
        "part": lambda: first.mig.get_device_by_index(0),
        "validate": first.inforom.validate,
        "all near": lambda: system.Device.get_all_devices_with_cpu_affinity(first.get_cpu_affinity()[0]),
        "no such processor": lambda: list(system.Device.get_all_devices_with_cpu_affinity(99999)),
        "no such index": lambda: system.Device(index=9),
        "no such uuid": lambda: system.Device(uuid="GPU-x"),
        "no such bus": lambda: system.Device(pci_bus_id="x"),
        "no device": system.Device,
    }
    for name, call in calls.items():
        show(name, call)


if __name__ == "__main__":
    main()
