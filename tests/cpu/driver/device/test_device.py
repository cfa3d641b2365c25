# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys

import pytest

from cuda.cpu import abi, driver
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.device import device


def in_new_process(code: str, **variables: str) -> str:
    """Run code that starts the driver anew and return what it prints."""
    start = "from cuda.cpu import driver\nfrom cuda.cpu.driver.base.error import CudaError\n"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)} | variables
    done = subprocess.run([sys.executable, "-c", start + code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_init_takes_no_flags(refused):
    with refused("INVALID_VALUE", "Flags is 1"):
        driver.cuInit(1)


def test_calls_before_init_are_refused():
    code = """
answers = []
for call in (driver.cuDeviceGetCount, driver.cuMemGetInfo, driver.cuCtxGetCurrent, lambda: driver.cuStreamCreate(0)):
    try:
        call()
    except CudaError as error:
        answers.append(error.status)
print(answers, driver.cuDriverGetVersion())
"""
    assert in_new_process(code) == f"[3, 3, 3, 3] {abi.CUDA_VERSION}"


def test_environment_sets_number_size_and_capability_of_devices():
    code = """
driver.cuInit(0)
print([(driver.cuDeviceTotalMem(i), driver.cuDeviceComputeCapability(i)) for i in range(driver.cuDeviceGetCount())])
"""
    answer = in_new_process(code, CUDA_CPU_DEVICES="2", CUDA_CPU_MEMORY="64M", CUDA_CPU_CAPABILITY="8.6")
    assert answer == str([(64 << 20, (8, 6))] * 2)


def test_no_devices():
    """As on a machine without a GPU, so that programs can test how they handle one."""
    code = """
for call in (lambda: driver.cuInit(0), driver.cuDeviceGetCount, lambda: driver.cuInit(0)):
    try:
        call()
    except CudaError as error:
        print(error.status, end=" ")
from cuda.bindings import runtime
print(runtime.cudaGetDeviceCount()[0].name, runtime.cudaMalloc(4)[0].name, runtime.cudaGetLastError()[0].name)
"""
    no_device, not_started = abi.CUDA_ERROR_NO_DEVICE, abi.CUDA_ERROR_NOT_INITIALIZED
    said = in_new_process(code, CUDA_CPU_DEVICES="0", CUDA_PYTHON_DRIVER="cpu")
    assert said == f"{no_device} {not_started} {no_device} " + " ".join(["cudaErrorNoDevice"] * 3)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("CUDA_CPU_DEVICES", "many", "0 to 64"),
        ("CUDA_CPU_MEMORY", "4X", "512M or 4G"),
        ("CUDA_CPU_MEMORY", "12", "from 1M to 8T"),
        ("CUDA_CPU_MEMORY", "9T", "from 1M to 8T"),
        ("CUDA_CPU_CAPABILITY", "3.0", "7.5 to 12.9"),
        ("CUDA_CPU_WORKERS", "many", "1 to 1024"),
        ("CUDA_CPU_WORKERS", "0", "1 to 1024"),
        ("CUDA_CPU_LEVEL", "4", "one of 0, 1, 2, 3"),
        ("CUDA_CPU_PATH", "warp", "region or fiber"),
        ("CUDA_CPU_WIDTH", "7", "a power of two up to 32"),
        ("CUDA_CPU_MOST_INSTRUCTIONS", "many", "must be a number of instructions"),
    ],
)
def test_wrong_settings_are_named(name, value, says):
    code = """
try:
    driver.cuInit(0)
except CudaError as error:
    print(error.status, error.args[1])
"""
    answer = in_new_process(code, **{name: value})
    assert answer.startswith("1 ")
    assert name in answer
    assert says in answer


def test_allocations_refused_by_the_operating_system():
    """The limit leaves Python room for what it imports meanwhile, and the device none for its address range."""
    code = """
import resource
from cuda.cpu.driver.base import host_memory
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
limit = host_memory.in_use() + host_memory.LEAST - (1 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    driver.cuMemAlloc(8)
except CudaError as error:
    print(error.status, error.args[1])
"""
    answer = in_new_process(code, CUDA_CPU_MEMORY="8T")
    assert answer.startswith("2 cannot reserve")
    assert "see ulimit -v" in answer


def test_a_forked_child_has_no_device():
    code = """
import os, sys
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(0)
child = os.fork()
if not child:
    statuses = []
    for call in (lambda: driver.cuInit(0), driver.cuDeviceGetCount, driver.cuCtxSynchronize):
        try:
            call()
        except CudaError as error:
            statuses.append(error.status)
    os._exit(0 if statuses == [3, 3, 3] else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert in_new_process(code) == "0"


def test_name_contains_processor_and_cores():
    buffer = ctypes.create_string_buffer(256)
    driver.cuDeviceGetName(ctypes.addressof(buffer), 256, 0)
    assert buffer.value.startswith(b"CPU device (")
    assert b"core" in buffer.value
    driver.cuDeviceGetName(ctypes.addressof(buffer), 4, 0)
    assert buffer.value == b"CPU"


@pytest.mark.parametrize(("address", "size"), [(0, 10), (1 << 20, 0)], ids=["null", "no room"])
def test_name_needs_a_nonempty_buffer(refused, address, size):
    with refused("INVALID_VALUE", "buffer"):
        driver.cuDeviceGetName(address, size, 0)


@pytest.mark.parametrize("ordinal", [-1, 1, 99])
def test_unknown_device(refused, ordinal):
    for call in (driver.cuDeviceGet, driver.cuDeviceTotalMem, lambda o: driver.cuDeviceGetAttribute(1, o)):
        with refused("INVALID_DEVICE", f"device {ordinal}"):
            call(ordinal)


def test_uuid_is_stable_and_unique_per_device():
    buffer = ctypes.create_string_buffer(16)
    driver.cuDeviceGetUuid(ctypes.addressof(buffer), 0)
    assert buffer.raw == device.machine_uuid(0) != device.machine_uuid(1)
    assert buffer.raw[6] >> 4 == 8


def test_luid():
    buffer = ctypes.create_string_buffer(8)
    assert driver.cuDeviceGetLuid(ctypes.addressof(buffer), 0) == 1
    assert buffer.raw != bytes(8)


def test_every_attribute_has_a_value():
    names = [name for name in dir(abi) if name.startswith("CU_DEVICE_ATTRIBUTE_")]
    numbers = {getattr(abi, name) for name in names or device.find(0).attributes} - {abi.CU_DEVICE_ATTRIBUTE_MAX}
    assert len(numbers) > 100
    answers = {number: driver.cuDeviceGetAttribute(number, 0) for number in range(1, abi.CU_DEVICE_ATTRIBUTE_MAX)}
    assert answers[abi.CU_DEVICE_ATTRIBUTE_WARP_SIZE] == 32
    assert answers[abi.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] == device.find(0).cores
    assert (
        answers[abi.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR],
        answers[abi.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR],
    ) == driver.cuDeviceComputeCapability(0)
    assert all(-1 <= value < 2**31 for value in answers.values())


@pytest.mark.parametrize("number", [0, -1, 100000])
def test_unknown_attribute(refused, number):
    with refused("INVALID_VALUE", str(number)):
        driver.cuDeviceGetAttribute(number, 0)


def test_properties_agree_with_attributes():
    properties = abi.CUdevprop()
    driver.cuDeviceGetProperties(ctypes.addressof(properties), 0)
    assert properties.maxThreadsPerBlock == 1024
    assert list(properties.maxThreadsDim) == [1024, 1024, 64]
    assert properties.SIMDWidth == 32


def test_pci_bus_id_round_trip(refused):
    buffer = ctypes.create_string_buffer(20)
    driver.cuDeviceGetPCIBusId(ctypes.addressof(buffer), 20, 0)
    assert driver.cuDeviceGetByPCIBusId(buffer.value) == 0
    with refused("INVALID_DEVICE"):
        driver.cuDeviceGetByPCIBusId(b"0000:00:00.0")
    with refused("INVALID_VALUE"):
        driver.cuDeviceGetByPCIBusId(b"nonsense")
    with refused("INVALID_VALUE"):
        driver.cuDeviceGetByPCIBusId(None)


def test_peer_access_between_devices():
    code = """
driver.cuInit(0)
print([driver.cuDeviceCanAccessPeer(0, other) for other in (0, 1)], driver.cuDeviceGetP2PAttribute(2, 0, 1))
"""
    assert in_new_process(code, CUDA_CPU_DEVICES="2") == "[0, 1] 1"


@pytest.mark.parametrize(
    ("text", "size"), [("1M", 1 << 20), ("1.5GiB", 3 << 29), ("2gb", 2 << 30), ("1048576", 1 << 20), ("3T", 3 << 40)]
)
def test_sizes(text, size):
    assert device.parse_size("X", text) == size


def test_error_messages_are_per_thread():
    with pytest.raises(CudaError):
        driver.cuDeviceGet(7)
    assert "device 7" in driver.error.last_error_message()
    code = """
import threading, json
driver.cuInit(0)
def fail(n, out):
    try: driver.cuDeviceGet(n)
    except CudaError: out.append(driver.error.last_error_message().split(' of')[0])
out = []
threads = [threading.Thread(target=fail, args=(n, out)) for n in (5, 6)]
[t.start() for t in threads]; [t.join() for t in threads]
print(json.dumps([sorted(out), driver.error.last_error_message()]))
"""
    assert json.loads(in_new_process(code)) == [["device 5", "device 6"], ""]


def test_atomic_operations(refused):
    driver.cuInit(0)
    operations = (ctypes.c_uint * 2)(abi.CU_ATOMIC_OPERATION_INTEGER_ADD, abi.CU_ATOMIC_OPERATION_FLOAT_MIN)
    found = (ctypes.c_uint * 2)(9, 9)
    driver.cuDeviceGetHostAtomicCapabilities(ctypes.addressof(found), ctypes.addressof(operations), 2, 0)
    assert found[0] & abi.CU_ATOMIC_CAPABILITY_SCALAR_64
    assert found[1] == 0
    operations[0] = 99
    with refused("INVALID_VALUE", "99 is no CUatomicOperation"):
        driver.cuDeviceGetHostAtomicCapabilities(ctypes.addressof(found), ctypes.addressof(operations), 2, 0)
    with refused("INVALID_DEVICE", "same device"):
        driver.cuDeviceGetP2PAtomicCapabilities(ctypes.addressof(found), ctypes.addressof(operations), 2, 0, 0)


def test_async_notifications(refused):
    driver.cuInit(0)
    handle = driver.cuDeviceRegisterAsyncNotification(0, 1234, 0)
    driver.cuDeviceUnregisterAsyncNotification(0, handle)
    with refused("INVALID_VALUE", "was not registered"):
        driver.cuDeviceUnregisterAsyncNotification(0, handle)
    with refused("INVALID_VALUE", "callbackFunc is NULL"):
        driver.cuDeviceRegisterAsyncNotification(0, 0, 0)
