# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""All of `cuda.core.system` on the CPU device: each public name has a value of the right kind or is not supported."""

from __future__ import annotations

import enum
import inspect
import os
import re

import pytest
from support.scripts import run_checked

from cuda.bindings import nvml
from cuda.core import Device, system
from cuda.core.system import _events, _fields, _info, _mig, _pci, typing
from cuda.core.system._clock import ClockInfo

pytestmark = pytest.mark.cpu_only

NO = "not supported"  # NotSupportedError
NAME = r"\w[\w .()/-]*"
BUS = r"[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:00\.0"
UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def within(low, high):
    return lambda value: type(value) is int and low <= value <= high


def either(*expected):
    """Return a check for a value that depends on the machine, not on the device."""
    return lambda value: any(is_as_expected(value, each) for each in expected)


def is_as_expected(value, expected):
    if isinstance(expected, type):
        return isinstance(value, expected)
    if callable(expected):
        return expected(value)
    if value is NO or expected is NO:
        return value is expected
    if isinstance(expected, re.Pattern):
        return isinstance(value, str) and expected.fullmatch(value) is not None
    return type(value) is type(expected) and value == expected


def list_of(kind, least=0):
    return lambda value: type(value) is list and len(value) >= least and all(isinstance(each, kind) for each in value)


def numbers_of_processors(value):
    return list_of(int, 1)(value) and max(value) < max(os.cpu_count(), max(os.sched_getaffinity(0)) + 1)


MEMORY = within(0, 1 << 60)
CLOCK = within(1, 100_000)
PERCENT = within(0, 100)
DEGREES = within(-50, 200)

# Attributes by class, with the check of each. Methods are in CALLS.
PROPERTIES = {
    system.Device: {
        "addressing_mode": typing.AddressingMode.ATS,
        "arch": typing.DeviceArch.UNKNOWN,
        "attributes": NO,
        "bar1_memory_info": _info.BAR1MemoryInfo,
        "brand": "Unknown",
        "compute_running_processes": list_of(_info.ProcessInfo, 1),
        "cooler": NO,
        "cuda_compute_capability": lambda value: value == tuple(Device(0).compute_capability),
        "current_clock_event_reasons": NO,
        "dynamic_pstates_info": _info.GpuDynamicPstatesInfo,
        "index": 0,
        "inforom": _info.InforomInfo,
        "is_auto_boosted_clocks_enabled": either(NO, (True, True), (False, False)),
        "is_c2c_enabled": NO,
        "is_display_active": False,
        "is_display_connected": False,
        "is_persistence_mode_enabled": False,
        "memory_info": _info.MemoryInfo,
        "mig": _mig.MigInfo,
        "minor_number": 0,
        "module_id": NO,
        "name": lambda value: value == Device(0).name,
        "num_fans": NO,
        "numa_node_id": either(NO, within(0, 1023)),
        "pci_bus_id": re.compile(BUS),
        "pci_info": _pci.PciInfo,
        "performance_state": NO,
        "repair_status": NO,
        "serial": NO,
        "supported_clock_event_reasons": NO,
        "supported_pstates": NO,
        "temperature": _info.Temperature,
        "utilization": _info.Utilization,
        "uuid": re.compile(f"GPU-{UUID}"),
        "uuid_without_prefix": re.compile(UUID),
    },
    _info.MemoryInfo: dict.fromkeys(("free", "total", "used"), MEMORY) | {"reserved": 0},
    _info.BAR1MemoryInfo: dict.fromkeys(("free", "total", "used"), MEMORY) | {"reserved": 0},
    _info.Utilization: {"gpu": PERCENT, "memory": 0},
    _info.ProcessInfo: {
        "pid": within(1, 1 << 30),
        "used_gpu_memory": within(0, 2**64 - 1),
        "gpu_instance_id": NO,
        "compute_instance_id": NO,
    },
    _info.GpuDynamicPstatesUtilization: {
        "is_present": True,
        "percentage": PERCENT,
        "inc_threshold": 0,
        "dec_threshold": 0,
    },
    _info.Temperature: {"margin": either(NO, DEGREES)},
    _info.InforomInfo: dict.fromkeys(
        ("bbx_flush_time", "board_part_number", "configuration_checksum", "image_version"), NO
    ),
    _mig.MigInfo: {"device_count": 0, "is_mig_device": False, "mode": NO, "parent": NO, "pending_mode": NO},
    _pci.PciInfo: {
        "base_class": 0x0B,
        "bus": 0,
        "bus_id": re.compile(BUS),
        "device": 0,
        "device_id": 0,
        "domain": 0xFFFF,
        "sub_class": 0x80,
        "subsystem_id": 0,
        "vendor_id": 0,
        **dict.fromkeys(("current_link_generation", "current_link_width", "link_generation"), NO),
        **dict.fromkeys(("max_link_generation", "max_link_width", "replay_counter"), NO),
        **dict.fromkeys(("rx_throughput", "tx_throughput"), NO),
    },
    _pci.NvlinkInfo: {"state": NO, "version": NO},
    ClockInfo: {},
    _fields.FieldValue: {
        "field_id": typing.FieldId.DEV_NVLINK_LINK_COUNT,
        "latency_usec": within(0, 60_000_000),
        "scope_id": 0,
        "timestamp": within(1_600_000_000_000_000, 1 << 62),
        "value": 0,
    },
    _fields.FieldValues: {},
    _events.DeviceEvents: {},
    _events.RegisteredSystemEvents: {},
}

# Methods by class: arguments, and the check of the result.
CALLS = {
    system.Device: {
        "clear_cpu_affinity": [((), None)],
        "clear_field_values": [(([91],), NO), (([],), None)],
        "get_all_devices": [((), list_of(system.Device, 1))],
        "get_all_devices_with_cpu_affinity": [((min(os.sched_getaffinity(0)),), list_of(system.Device, 1))],
        "get_clock": [((kind,), ClockInfo) for kind in typing.ClockType],
        "get_cpu_affinity": [((), numbers_of_processors), (("socket",), numbers_of_processors)],
        "get_device_count": [((), lambda count: count == len(Device.get_all_devices()))],
        "get_fan": [((), NO)],
        "get_field_values": [(([91, (91, 0)],), _fields.FieldValues)],
        "get_memory_affinity": [((scope,), either(NO, list_of(int, 1))) for scope in typing.AffinityScope],
        "get_nvlink": [((0,), ValueError)],
        "get_nvlink_count": [((), 0)],
        "get_nvlinks": [((), [])],
        "get_supported_event_types": [((), [typing.EventType.XID_CRITICAL_ERROR])],
        "get_topology_nearest_gpus": [((level,), list) for level in typing.GpuTopologyLevel],
        "register_events": [
            (("xid_critical_error",), _events.DeviceEvents),
            (([],), _events.DeviceEvents),
            (("clock",), NO),
        ],
        "set_cpu_affinity": [((), None)],
        "to_cuda_device": [((), lambda device: device is Device(0))],
    },
    ClockInfo: {
        "get_current_mhz": [((), CLOCK), (("customer_boost_max",), either(NO, CLOCK))],
        "get_max_customer_boost_mhz": [((), either(NO, CLOCK))],
        "get_max_mhz": [((), CLOCK)],
        "get_min_max_clock_of_pstate_mhz": [((0,), either(NO, tuple)), ((5,), NO)],
        "get_offsets": [((0,), NO)],
    },
    _info.Temperature: {
        "get_sensor": [((), either(NO, DEGREES))],
        "get_threshold": [((kind,), either(NO, DEGREES)) for kind in typing.TemperatureThresholds],
        "get_thermal_settings": [
            (("all",), either(NO, _info.ThermalSettings)),
            (("gpu",), either(NO, _info.ThermalSettings)),
            (("memory",), NO),
        ],
    },
    _info.InforomInfo: {
        "get_version": [((part,), NO) for part in typing.InforomObject],
        "validate": [((), NO)],
    },
    _mig.MigInfo: {"get_all_devices": [((), [])], "get_device_by_index": [((0,), NO)]},
    _fields.FieldValues: {"get_all_values": [((), [0, 0])], "validate": [((), None)], "count": [], "index": []},
    _events.DeviceEvents: {
        "wait": [((), nvml.TimeoutError), ((1,), nvml.TimeoutError)],
        "wait_async": [],
        "close": [((), None)],
    },
    _events.RegisteredSystemEvents: {
        "wait": [((), nvml.TimeoutError), ((1, 2), nvml.TimeoutError)],
        "wait_async": [],
        "close": [((), None)],
    },
}

FUNCTIONS = {
    "get_driver_branch": [((), NO)],
    "get_kernel_mode_driver_version": [((), lambda version: len(version) >= 1 and all(map(within(0, 9999), version)))],
    "get_num_devices": [((), lambda count: count == len(Device.get_all_devices()))],
    "get_nvml_version": [((), lambda version: version[:1] == (13,))],
    "get_process_name": [((os.getpid(),), re.compile(".*python.*")), ((2**31 - 1,), nvml.NotFoundError)],
    "get_user_mode_driver_version": [((), lambda version: version >= (13, 0))],
    "register_events": [
        ((kinds,), _events.RegisteredSystemEvents) for kinds in (["bind", "unbind"], "bind", "unbind", [])
    ],
}


def result_of(call, *arguments):
    try:
        found = call(*arguments)
        return list(found) if inspect.isgenerator(found) else found
    except system.NotSupportedError:
        return NO
    except (system.NvmlError, ValueError) as error:
        return error


@pytest.fixture
def objects():
    """Return an object of each class."""
    device = system.Device(0)
    fields = device.get_field_values([91, 91])
    return {
        type(each): each
        for each in (
            device,
            device.memory_info,
            device.bar1_memory_info,
            device.utilization,
            device.compute_running_processes[0],
            device.dynamic_pstates_info[0],
            device.temperature,
            device.inforom,
            device.mig,
            device.pci_info,
            _pci.NvlinkInfo(device, 0),
            device.get_clock("sm"),
            fields,
            fields[0],
            device.register_events("xid_critical_error"),
            system.register_events("bind"),
        )
    }


@pytest.mark.parametrize("kind", PROPERTIES, ids=lambda kind: kind.__name__)
def test_every_attribute(objects, kind):
    public = {name: inspect.getattr_static(kind, name) for name in dir(kind) if not name.startswith("_")}
    listed = PROPERTIES[kind] | dict.fromkeys(CALLS.get(kind, {}))
    assert sorted(public) == sorted(listed)
    there = objects[kind]
    for name, expected in PROPERTIES[kind].items():
        found = result_of(lambda name=name: getattr(there, name))
        assert is_as_expected(found, expected), (name, found)
    for name, calls in CALLS.get(kind, {}).items():
        for arguments, expected in calls:
            found = result_of(getattr(there, name), *arguments)
            assert is_as_expected(found, expected), (name, arguments, found)
    assert kind.__name__ in repr(there) or kind is system.Device


def test_every_function():
    ways = {"get_p2p_status", "get_topology_common_ancestor"}  # with two devices, below
    functions = {name for name in system.__all__ if inspect.isfunction(getattr(system, name))}
    assert functions == set(FUNCTIONS) | ways
    for name, calls in FUNCTIONS.items():
        for arguments, expected in calls:
            found = result_of(getattr(system, name), *arguments)
            assert is_as_expected(found, expected), (name, arguments, found)


def test_every_enumeration_value_is_known():
    """NVML accepts every enumeration member that a method takes."""
    device = system.Device(0)
    for kind in vars(typing).values():
        if isinstance(kind, type) and issubclass(kind, enum.StrEnum) and kind is not enum.StrEnum:
            assert all(str(member) == member.value for member in kind)
    for number in range(1, 311):
        (value,) = device.get_field_values([number])
        assert result_of(lambda value=value: value.value) in (0, NO) or number == 83  # the energy
    (unknown,) = device.get_field_values([311])
    assert unknown.field_id == 311
    assert isinstance(result_of(lambda: unknown.value), system.InvalidArgumentError)


def test_read_only_settings():
    device = system.Device(0)
    changes = [(device, "is_persistence_mode_enabled"), (device.mig, "mode")]
    for owner, name in changes:
        with pytest.raises(system.NotSupportedError):
            setattr(owner, name, True)


def test_two_devices():
    said = run_checked(
        """
        from cuda.core import system
        from cuda.core.system.typing import GpuP2PCapsIndex, GpuTopologyLevel

        first, second = system.Device.get_all_devices()
        print(system.get_topology_common_ancestor(first, second))
        print(*(system.get_p2p_status(first, second, index).name for index in list(GpuP2PCapsIndex)[:-1]))
        for arguments in ((first, second, "unknown"), (first, first, "read")):
            try:
                system.get_p2p_status(*arguments)
            except system.InvalidArgumentError:
                print("invalid")
        print(all([second] == list(first.get_topology_nearest_gpus(level)) for level in GpuTopologyLevel))
        print([first, second] == list(system.Device.get_all_devices_with_cpu_affinity(first.get_cpu_affinity()[0])))
        """,
        CUDA_CPU_DEVICES="2",
    )
    ok = "OK OK NOT_SUPPORTED OK OK OK"
    assert said.splitlines() == ["internal", ok, "invalid", "invalid", "True", "True"]


def test_affinity_of_threads():
    said = run_checked(
        """
        import os, threading
        from cuda.core import system

        device = system.Device(0)
        near = device.get_cpu_affinity()
        def narrow():
            os.sched_setaffinity(0, near[:1])
            device.set_cpu_affinity()
            print(os.sched_getaffinity(0) == set(near))
            os.sched_setaffinity(0, near[:1])
            device.clear_cpu_affinity()
            print(os.sched_getaffinity(0) >= set(near))
        thread = threading.Thread(target=narrow)
        thread.start()
        thread.join()
        print(device.get_cpu_affinity() == near, os.sched_getaffinity(0) == set(near))
        """
    )
    assert said.split() == ["True"] * 4


FAULT = """
import asyncio, time
from cuda.core import CUDAError, Device, LaunchConfig, Program, launch, system

PTX = '''
.version 8.0
.target sm_75
.address_size 64
.visible .entry bad(.param .u64 p) {
  .reg .u64 %a; .reg .u32 %v;
  ld.param.u64 %a, [p];
  st.global.u32 [%a], 1;
  ret;
}'''

device = Device(0)
device.set_current()
kernel = Program(PTX, "ptx").compile("cubin").get_kernel("bad")
seen = device.to_system_device()

def fail():
    launch(device.default_stream, LaunchConfig(grid=1, block=1), kernel, 16)
    try:
        device.sync()
    except CUDAError:
        pass
"""


def test_a_kernel_fault_raises_an_event():
    said = run_checked(
        FAULT
        + """
with seen.register_events("xid_critical_error") as events, seen.register_events([]) as deaf:
    fail()
    event = events.wait(1000)
    print(event.event_type, event.event_data, event.device == seen)
    for each in (events, deaf):
        try:
            each.wait(0)
        except system.TimeoutError:
            print("nothing more")
"""
    )
    assert said.splitlines() == ["xid_critical_error 31 True", "nothing more", "nothing more"]


def test_async_waits_for_events():
    """A waiting task does not block the event loop, and a cancelled one consumes no event."""
    said = run_checked(
        FAULT
        + """
async def main():
    with seen.register_events("xid_critical_error") as events, system.register_events("bind") as quiet:
        for wait in (events.wait_async(20), quiet.wait_async(timeout_ms=0, buffer_size=2)):
            try:
                await wait
            except system.TimeoutError:
                print("timeout")
        cancelled = asyncio.ensure_future(events.wait_async())
        waiting = asyncio.ensure_future(quiet.wait_async())
        turns = 0
        for _ in range(20):
            await asyncio.sleep(0.001)
            turns += 1
        cancelled.cancel()
        await asyncio.sleep(0)
        fail()
        event = await events
        print(turns, event.event_data, cancelled.cancelled(), waiting.done())
        waiting.cancel()

asyncio.run(main())
"""
    )
    assert said.splitlines() == ["timeout", "timeout", "20 31 True False"]


def test_without_proc_and_sys(tmp_path):
    """Values that come from /proc and /sys are not supported without them; nothing else fails."""
    said = run_checked(
        f"""
        import os
        from cuda.cpu.nvml import machine
        machine.ROOT = {str(tmp_path)!r}
        from cuda.core import system
        device = system.Device(0)
        print([process.pid for process in device.compute_running_processes] == [os.getpid()])
        print("python" in system.get_process_name(os.getpid()))
        print(device.get_clock("sm").get_current_mhz() > 0, len(device.get_cpu_affinity()) > 0)
        device.clear_cpu_affinity()
        print(list(system.Device.get_all_devices_with_cpu_affinity(device.get_cpu_affinity()[0])) == [device])
        for use in (
            lambda: device.utilization,
            lambda: device.dynamic_pstates_info,
            lambda: device.numa_node_id,
            lambda: device.get_memory_affinity(),
            lambda: device.is_auto_boosted_clocks_enabled,
            lambda: device.temperature.get_sensor(),
            lambda: device.temperature.margin,
            lambda: device.get_field_values([83])[0].value,
        ):
            try:
                print("value", use())
            except system.NotSupportedError:
                print("not supported")
        """
    )
    assert said.splitlines() == ["True", "True", "True True", "True"] + ["not supported"] * 8
