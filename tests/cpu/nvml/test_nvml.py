# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""libnvidia-ml.so.1 for CPU devices, called through ctypes."""

import ctypes
import os
import pathlib
import re
import subprocess
import threading
import uuid
from ctypes import byref, c_char_p, c_uint, c_uint64, c_void_p, create_string_buffer

import pytest
from support.other_process import OtherProcess
from support.scripts import run_checked

import cuda.cpu
from cuda.cpu import driver, nvml
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.device import device as devices
from cuda.cpu.nvml import events, machine, structures

pytestmark = pytest.mark.cpu_only

LIBRARY = pathlib.Path(nvml.__file__).with_name("libnvidia-ml.so.1")


@pytest.fixture(scope="module")
def library():
    opened = ctypes.CDLL(str(LIBRARY))
    opened.nvmlErrorString.restype = c_char_p
    return opened


@pytest.fixture
def ml(library):
    """The library, initialized."""
    assert library.nvmlInit_v2() == 0
    yield library
    assert library.nvmlShutdown() == 0


@pytest.fixture
def device(ml):
    handle = c_void_p()
    assert ml.nvmlDeviceGetHandleByIndex_v2(0, byref(handle)) == 0
    return handle


def text(call, *arguments, length=256):
    buffer = create_string_buffer(length)
    assert call(*arguments, buffer, length) == 0
    return buffer.value.decode()


def number(call, *arguments):
    value = c_uint()
    assert call(*arguments, byref(value)) == 0
    return value.value


def test_versions(ml):
    version = text(ml.nvmlSystemGetDriverVersion)
    assert re.fullmatch(r"\d+(\.\d+)*", version)  # programs read its parts as integers
    assert cuda.cpu.__version__.startswith(version)
    assert text(ml.nvmlSystemGetNVMLVersion).startswith("13.")
    assert number(ml.nvmlSystemGetCudaDriverVersion_v2) == driver.cuDriverGetVersion()


def test_identity_of_a_device(ml, device):
    driver.cuInit(0)
    assert number(ml.nvmlDeviceGetCount_v2) == driver.cuDeviceGetCount()
    assert number(ml.nvmlDeviceGetIndex, device) == number(ml.nvmlDeviceGetMinorNumber, device) == 0
    assert text(ml.nvmlDeviceGetName, device) == devices.find(0).name
    identity = text(ml.nvmlDeviceGetUUID, device)
    assert identity == f"GPU-{uuid.UUID(bytes=devices.find(0).uuid)}"
    pci = nvml.PciInfo()
    assert ml.nvmlDeviceGetPciInfo_v3(device, byref(pci)) == 0
    assert (pci.domain, pci.bus, pci.busIdLegacy) == (0xFFFF, 0, b"FFFF:00:00.0")
    for call, name in (
        (ml.nvmlDeviceGetHandleByUUID, identity.encode()),
        (ml.nvmlDeviceGetHandleByPciBusId_v2, pci.busId),
    ):
        found = c_void_p()
        assert call(name, byref(found)) == 0
        assert found.value == device.value
        assert call(b"GPU-0", byref(found)) == 6
    major, minor = c_uint(), c_uint()
    assert ml.nvmlDeviceGetCudaComputeCapability(device, byref(major), byref(minor)) == 0
    assert (major.value, minor.value) == driver.cuDeviceComputeCapability(0)


def test_memory(ml, device):
    context = driver.cuDevicePrimaryCtxRetain(0)
    driver.cuCtxPushCurrent(context)
    before, after = nvml.Memory(), nvml.Memory2(version=ctypes.sizeof(nvml.Memory2) | 2 << 24)
    assert ml.nvmlDeviceGetMemoryInfo(device, byref(before)) == 0
    pointer = driver.cuMemAlloc(1 << 20)
    assert ml.nvmlDeviceGetMemoryInfo_v2(device, byref(after)) == 0
    assert after.used - before.used == 1 << 20
    assert after.total == before.total == after.free + after.used == driver.cuDeviceTotalMem(0)
    after.version = 1
    assert ml.nvmlDeviceGetMemoryInfo_v2(device, byref(after)) == 25
    driver.cuMemFree(pointer)
    driver.cuCtxPopCurrent()
    driver.cuDevicePrimaryCtxRelease(0)


def test_processes(ml, device):
    with OtherProcess() as other:
        other.run("from cuda.cpu import driver; driver.cuInit(0)")
        count = c_uint(0)
        assert ml.nvmlDeviceGetComputeRunningProcesses_v3(device, byref(count), None) == 7
        assert count.value >= 2
        count.value += 8
        found = (nvml.ProcessInfo * count.value)()
        assert ml.nvmlDeviceGetComputeRunningProcesses_v3(device, byref(count), found) == 0
        rows = {each.pid: each for each in found[: count.value]}
        assert {os.getpid(), other.process.pid} <= set(rows)
        assert rows[other.process.pid].usedGpuMemory == 2**64 - 1
        older = (nvml.ProcessInfo1 * (count.value + 8))()
        count.value += 8
        assert ml.nvmlDeviceGetComputeRunningProcesses(device, byref(count), older) == 0
        assert other.process.pid in {each.pid for each in older[: count.value]}
    assert ml.nvmlDeviceGetGraphicsRunningProcesses_v3(device, byref(c_uint(0)), None) == 0
    assert "python" in text(ml.nvmlSystemGetProcessName, os.getpid())
    assert ml.nvmlSystemGetProcessName(2**31 - 1, create_string_buffer(9), 9) == 6


def test_utilization_and_clocks(ml, device):
    load = nvml.Utilization()
    assert ml.nvmlDeviceGetUtilizationRates(device, byref(load)) == 0
    assert 0 <= load.gpu <= 100
    assert number(ml.nvmlDeviceGetMaxClockInfo, device, 1) > 0
    assert number(ml.nvmlDeviceGetClockInfo, device, 0) > 0
    assert ml.nvmlDeviceGetClockInfo(device, 2, byref(c_uint())) == 3
    cores = (c_uint64 * 16)()
    assert ml.nvmlDeviceGetCpuAffinity(device, 16, cores) == 0
    assert {i for i in range(1024) if cores[i // 64] >> i % 64 & 1} == os.sched_getaffinity(0)


def test_two_devices():
    said = run_checked(
        f"""
        import ctypes
        ml = ctypes.CDLL({str(LIBRARY)!r})
        one, other, value = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint(9)
        print(ml.nvmlInit_v2(), ml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(one)),
              ml.nvmlDeviceGetHandleByIndex_v2(1, ctypes.byref(other)))
        print(ml.nvmlDeviceGetP2PStatus(one, other, 0, ctypes.byref(value)), value.value,
              ml.nvmlDeviceGetP2PStatus(one, one, 0, ctypes.byref(value)))
        print(ml.nvmlDeviceOnSameBoard(one, other, ctypes.byref(value)), value.value)
        """,
        CUDA_CPU_DEVICES="2",
    )
    assert said.split() == ["0", "0", "0", "0", "0", "2", "0", "1"]


def test_no_devices():
    said = run_checked(
        f"""
        import ctypes
        ml = ctypes.CDLL({str(LIBRARY)!r})
        count, one = ctypes.c_uint(9), ctypes.c_void_p()
        print(ml.nvmlInit_v2(), ml.nvmlDeviceGetCount_v2(ctypes.byref(count)), count.value,
              ml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(one)))
        """,
        CUDA_CPU_DEVICES="0",
    )
    assert said.split() == ["0", "0", "0", "2"]


@pytest.fixture
def uninitialized(library):
    """The library, uninitialized although other tests of this process may have initialized it."""
    begun = 0
    while library.nvmlShutdown() == 0:
        begun += 1
    yield library
    for _ in range(begun):
        library.nvmlInit_v2()


def test_wrong_calls(uninitialized):
    library, value = uninitialized, c_uint()
    assert library.nvmlDeviceGetCount_v2(byref(value)) == 1
    assert library.nvmlShutdown() == 1
    assert library.nvmlInit_v2() == library.nvmlInitWithFlags(0) == 0
    assert library.nvmlInitWithFlags(64) == 2
    assert library.nvmlShutdown() == 0
    assert library.nvmlDeviceGetCount_v2(byref(value)) == 0
    assert library.nvmlDeviceGetCount_v2(None) == 2
    handle = c_void_p()
    assert library.nvmlDeviceGetHandleByIndex_v2(99, byref(handle)) == 2
    assert library.nvmlDeviceGetIndex(c_void_p(77), byref(value)) == 2
    assert library.nvmlDeviceGetMemoryInfo(c_void_p(1), None) == 2
    assert library.nvmlDeviceGetName(c_void_p(1), create_string_buffer(2), 2) == 7
    assert library.nvmlShutdown() == 0


def test_functions_not_supported_by_a_cpu(ml, device):
    assert ml.nvmlDeviceGetFanSpeed(device, byref(c_uint())) == 3
    assert ml.nvmlDeviceGetNvLinkState(device, 0, byref(c_uint())) == 3
    assert b"not supported" in ml.nvmlErrorString(3)
    assert ml.nvmlErrorString(0) == b"no error"
    assert ml.nvmlErrorString(12345) == b"unknown error"


def test_every_function_of_the_header_is_exported():
    facts = pytest.importorskip("codegen.facts")
    listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    exported = set(re.findall(r"\b(nvml\w+)$", listed, re.MULTILINE))
    assert exported == facts.nvml_functions() | {"nvmlErrorString"}


@pytest.fixture
def tree(monkeypatch, tmp_path, ml):
    """Return a function that writes files of /proc and /sys for NVML to read."""
    monkeypatch.setattr(machine, "ROOT", str(tmp_path))

    def write(**files):
        for path, text in files.items():
            file = tmp_path / path.replace("__", "/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{text}\n")

    return write


def answer(call, *arguments):
    """Return the status of a refused call, else what it returned."""
    try:
        return call(1, *arguments)
    except CudaError as error:
        return -(error.status - 10000)


HWMON = {
    "sys__class__hwmon__hwmon0__name": "nvme",
    "sys__class__hwmon__hwmon0__temp1_input": "99000",
    "sys__class__hwmon__hwmon1__name": "coretemp",
    "sys__class__hwmon__hwmon1__temp2_label": "Core 0",
    "sys__class__hwmon__hwmon1__temp2_input": "61000",
    "sys__class__hwmon__hwmon1__temp1_label": "Package id 0",
    "sys__class__hwmon__hwmon1__temp1_input": "54600",
    "sys__class__hwmon__hwmon1__temp1_max": "84000",
    "sys__class__hwmon__hwmon1__temp1_crit": "100000",
}
ZONES = {
    "sys__class__thermal__cooling_device0__type": "Processor",
    "sys__class__thermal__thermal_zone0__type": "acpitz",
    "sys__class__thermal__thermal_zone0__temp": "99000",
    "sys__class__thermal__thermal_zone1__type": "cpu-thermal",
    "sys__class__thermal__thermal_zone1__temp": "41500",
    "sys__class__thermal__thermal_zone1__trip_point_0_type": "passive",
    "sys__class__thermal__thermal_zone1__trip_point_0_temp": "75000",
    "sys__class__thermal__thermal_zone1__trip_point_1_type": "critical",
    "sys__class__thermal__thermal_zone1__trip_point_1_temp": "95000",
}


@pytest.mark.parametrize(
    ("files", "now", "slowdown", "shutdown"), [(HWMON, 55, 84, 100), (ZONES, 42, 75, 95), ({}, -3, -3, -3)]
)
def test_temperatures(tree, files, now, slowdown, shutdown):
    tree(**files)
    assert answer(nvml.nvmlDeviceGetTemperature, 0) == now
    found = [answer(nvml.nvmlDeviceGetTemperatureThreshold, kind) for kind in range(8)]
    assert found == [shutdown, slowdown] + [-3] * 6
    asked = structures.Temperature(ctypes.sizeof(structures.Temperature) | 1 << 24, 0)
    margin = structures.MarginTemperature(ctypes.sizeof(structures.MarginTemperature) | 1 << 24)
    settings = structures.ThermalSettings()
    calls = [
        (nvml.nvmlDeviceGetTemperatureV, ctypes.addressof(asked)),
        (nvml.nvmlDeviceGetMarginTemperature, ctypes.addressof(margin)),
        (nvml.nvmlDeviceGetThermalSettings, 15, ctypes.addressof(settings)),
    ]
    assert [answer(*call) for call in calls] == [None if files else -3] * 3
    if files:
        sensor = settings.sensor[0]
        assert (asked.temperature, margin.marginTemperature, settings.count) == (now, slowdown - now, 1)
        assert (sensor.controller, sensor.target, sensor.currentTemp, sensor.defaultMaxTemp) == (13, 1, now, slowdown)
    assert answer(nvml.nvmlDeviceGetTemperature, 1) == answer(nvml.nvmlDeviceGetTemperatureThreshold, 8) == -2
    assert answer(nvml.nvmlDeviceGetThermalSettings, 2, ctypes.addressof(settings)) == -3
    asked.version = 1
    assert answer(nvml.nvmlDeviceGetTemperatureV, ctypes.addressof(asked)) == -25


def test_clocks_of_cpufreq(tree):
    assert answer(nvml.nvmlDeviceGetClock, 0, 3) == answer(nvml.nvmlDeviceGetMinMaxClockOfPState, 0, 0) == -3
    assert answer(nvml.nvmlDeviceGetAutoBoostedClocksEnabled) == -3
    cpufreq = "sys__devices__system__cpu__cpu0__cpufreq__"
    rates = {"scaling_cur_freq": 2100000, "scaling_max_freq": 3000000, "cpuinfo_min_freq": 800000}
    tree(**{cpufreq + name: rate for name, rate in rates.items()}, sys__devices__system__cpu__cpufreq__boost="1")
    assert answer(nvml.nvmlDeviceGetClock, 0, 0) == answer(nvml.nvmlDeviceGetClockInfo, 1) == 2100
    assert answer(nvml.nvmlDeviceGetClock, 1, 3) == answer(nvml.nvmlDeviceGetMaxCustomerBoostClock, 1) == 3000
    assert answer(nvml.nvmlDeviceGetMinMaxClockOfPState, 0, 0)[0] == 800
    assert answer(nvml.nvmlDeviceGetMinMaxClockOfPState, 0, 3) == answer(nvml.nvmlDeviceGetClock, 0, 2) == -3
    assert answer(nvml.nvmlDeviceGetMinMaxClockOfPState, 0, 16) == answer(nvml.nvmlDeviceGetClock, 4, 0) == -2
    assert answer(nvml.nvmlDeviceGetAutoBoostedClocksEnabled) == (1, 1)
    tree(proc__cpuinfo="cpu MHz\t\t: 2000.4\nflags\t: x\ncpu MHz\t\t: 3000.4")
    assert answer(nvml.nvmlDeviceGetClockInfo, 0) == 2500


def test_numa_nodes_and_energy(tree):
    nodes = (c_uint64 * 2)()
    tree(proc__self__status="Name:\tx\nMems_allowed_list:\t1,64-65", sys__devices__system__node__online="0-64")
    assert answer(nvml.nvmlDeviceGetMemoryAffinity, 2, ctypes.addressof(nodes), 0) is None
    assert list(nodes) == [2, 1]
    assert answer(nvml.nvmlDeviceGetNumaNodeId) == -3  # two nodes
    assert answer(nvml.nvmlDeviceGetMemoryAffinity, 1, ctypes.addressof(nodes), 2) == -2
    assert answer(nvml.nvmlDeviceGetMemoryAffinity, 0, ctypes.addressof(nodes), 0) == -2
    tree(sys__devices__system__node__online="1")
    assert answer(nvml.nvmlDeviceGetNumaNodeId) == 1
    tree(**{f"sys__class__powercap__intel-rapl:{i}__energy_uj": 1_500_000 for i in range(2)})
    assert answer(nvml.nvmlDeviceGetTotalEnergyConsumption) == 3000


def test_fields(ml, device):
    fields = (structures.FieldValue * 3)(*(structures.FieldValue(number) for number in (91, 1, 5000)))
    assert ml.nvmlDeviceGetFieldValues(device, 3, fields) == 0
    assert [(each.nvmlReturn, each.value.ullVal) for each in fields] == [(0, 0), (3, 0), (2, 0)]
    assert ml.nvmlDeviceClearFieldValues(device, 3, fields) == 3
    assert [each.nvmlReturn for each in fields] == [3, 3, 2]
    assert ml.nvmlDeviceGetFieldValues(device, 0, fields) == ml.nvmlDeviceGetFieldValues(device, 1, None) == 2


def test_event_sets(ml, device):
    kinds, one = c_uint64(), c_uint64()
    assert ml.nvmlDeviceGetSupportedEventTypes(device, byref(kinds)) == 0
    assert ml.nvmlEventSetCreate(byref(one)) == 0
    assert ml.nvmlDeviceRegisterEvents(device, kinds, one) == 0
    assert ml.nvmlDeviceRegisterEvents(device, c_uint64(16), one) == 3
    found = structures.EventData()
    assert ml.nvmlEventSetWait_v2(one, byref(found), 0) == 10
    events._on_fault(0, 716)  # CUDA_ERROR_MISALIGNED_ADDRESS
    events._on_fault(0, 718)  # CUDA_ERROR_INVALID_PC
    events._on_fault(1, 700)  # another device
    numbers = []
    while ml.nvmlEventSetWait_v2(one, byref(found), 5) == 0:
        numbers.append(found.eventData)
        assert (found.device, found.eventType) == (device.value, 8)
    assert numbers == [31, 13]
    assert ml.nvmlEventSetWait_v2(one, None, 0) == 2
    assert ml.nvmlEventSetFree(one) == 0
    assert ml.nvmlEventSetFree(one) == ml.nvmlEventSetWait_v2(one, byref(found), 0) == 2


def test_an_event_set_freed_while_a_thread_waits(ml, device):
    one, statuses = c_uint64(), []
    assert ml.nvmlEventSetCreate(byref(one)) == 0
    thread = threading.Thread(
        target=lambda: statuses.append(ml.nvmlEventSetWait_v2(one, byref(structures.EventData()), 2**32 - 1))
    )
    thread.start()
    assert ml.nvmlEventSetFree(one) == 0
    thread.join(30)
    assert statuses == [2]


def test_wrong_system_events(ml):
    made = structures.SystemEventSet(ctypes.sizeof(structures.SystemEventSet) | 1 << 24)
    assert ml.nvmlSystemEventSetCreate(byref(made)) == 0
    register = structures.SystemRegister(ctypes.sizeof(structures.SystemRegister) | 1 << 24, 8, made.set)
    assert ml.nvmlSystemRegisterEvents(byref(register)) == 2
    wait = structures.SystemWait(ctypes.sizeof(structures.SystemWait) | 1 << 24, 0, made.set, 0, 1)
    assert ml.nvmlSystemEventSetWait(byref(wait)) == 2
    assert ml.nvmlSystemEventSetFree(byref(made)) == 0
    assert ml.nvmlSystemEventSetFree(byref(made)) == 2
    made.version = 0
    assert ml.nvmlSystemEventSetCreate(byref(made)) == 25
