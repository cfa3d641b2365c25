# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""libnvidia-ml.so.1 for CPU devices, called as any program calls it."""

import ctypes
import os
import pathlib
import re
import subprocess
import uuid
from ctypes import byref, c_char_p, c_uint, c_uint64, c_void_p, create_string_buffer

import pytest
from support.other_process import OtherProcess
from support.scripts import run_checked

import cuda.cpu
from cuda.cpu import driver, nvml

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
    assert text(ml.nvmlSystemGetDriverVersion) == cuda.cpu.__version__
    assert text(ml.nvmlSystemGetNVMLVersion).startswith("13.")
    assert number(ml.nvmlSystemGetCudaDriverVersion_v2) == driver.cuDriverGetVersion()


def test_which_device_it_is(ml, device):
    driver.cuInit(0)
    assert number(ml.nvmlDeviceGetCount_v2) == driver.cuDeviceGetCount()
    assert number(ml.nvmlDeviceGetIndex, device) == number(ml.nvmlDeviceGetMinorNumber, device) == 0
    assert text(ml.nvmlDeviceGetName, device) == driver.device.find(0).name
    identity = text(ml.nvmlDeviceGetUUID, device)
    assert identity == f"GPU-{uuid.UUID(bytes=driver.device.find(0).uuid)}"
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


def test_load_and_clocks(ml, device):
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
    """The library, not initialized whoever has used it in this process."""
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


def test_what_a_processor_has_not(ml, device):
    assert ml.nvmlDeviceGetFanSpeed(device, byref(c_uint())) == 3
    assert ml.nvmlDeviceGetNvLinkState(device, 0, byref(c_uint())) == 3
    assert b"not supported" in ml.nvmlErrorString(3)
    assert ml.nvmlErrorString(0) == b"no error"
    assert ml.nvmlErrorString(12345) == b"unknown error"


def test_every_function_of_the_header_is_there():
    apis = pytest.importorskip("codegen.write_nvml")
    listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    exported = set(re.findall(r"\b(nvml\w+)$", listed, re.MULTILINE))
    assert exported == apis.names(apis.header()) | {"nvmlErrorString"}
