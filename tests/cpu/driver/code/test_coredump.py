# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Settings of core dumps by the driver API: cuCoredumpGetAttribute, cuCoredumpSetAttribute."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

from cuda.cpu import debug, driver
from cuda.cpu.abi import CU_COREDUMP_ENABLE_ON_EXCEPTION as ENABLE
from cuda.cpu.abi import CU_COREDUMP_FILE as FILE
from cuda.cpu.abi import CU_COREDUMP_LIGHTWEIGHT, CU_COREDUMP_PIPE


@pytest.fixture(autouse=True)
def _settings(monkeypatch):
    monkeypatch.setattr(debug, "enabled", {})
    monkeypatch.setattr(debug, "files", {})
    monkeypatch.delenv(debug.CORE, raising=False)
    monkeypatch.delenv("CUDA_COREDUMP_FILE", raising=False)


def put(which, value, function=driver.cuCoredumpSetAttribute, size=None):
    room = ctypes.create_string_buffer(value, len(value)) if value else None
    bytes_ = ctypes.c_size_t(len(value) if size is None else size)
    function(which, ctypes.addressof(room) if room else 0, ctypes.addressof(bytes_))


def get(which, function=driver.cuCoredumpGetAttribute, size=1024):
    room, bytes_ = ctypes.create_string_buffer(max(size, 1)), ctypes.c_size_t(size)
    function(which, ctypes.addressof(room), ctypes.addressof(bytes_))
    return room.raw[: bytes_.value]


def test_names_of_files(context):
    assert get(FILE) == b"core_%t_%h_%p.cudacpu\0"
    put(FILE, b"all.%p\0", driver.cuCoredumpSetAttributeGlobal)
    assert get(FILE) == get(FILE, driver.cuCoredumpGetAttributeGlobal) == b"all.%p\0"
    put(FILE, b"own\0and more")
    assert (get(FILE), get(FILE, driver.cuCoredumpGetAttributeGlobal)) == (b"own\0", b"all.%p\0")
    bytes_ = ctypes.c_size_t(0)
    driver.cuCoredumpGetAttribute(FILE, 0, ctypes.addressof(bytes_))
    assert bytes_.value == 4


def test_a_context_has_a_setting_of_its_own(context):
    assert get(ENABLE) == get(ENABLE, driver.cuCoredumpGetAttributeGlobal) == b"\0"
    put(ENABLE, b"\1", driver.cuCoredumpSetAttributeGlobal)
    assert get(ENABLE) == b"\1"
    put(ENABLE, b"\0")
    assert (get(ENABLE), get(ENABLE, driver.cuCoredumpGetAttributeGlobal)) == (b"\0", b"\1")
    assert debug.active()
    put(ENABLE, b"\0", driver.cuCoredumpSetAttributeGlobal)
    assert not debug.active()


def test_wrong_arguments(context, refused):
    for which in (CU_COREDUMP_LIGHTWEIGHT, CU_COREDUMP_PIPE, 99):
        with refused("NOT_SUPPORTED", "the CPU device has CU_COREDUMP_ENABLE_ON_EXCEPTION and CU_COREDUMP_FILE"):
            get(which)
        with refused("NOT_SUPPORTED", f"cuCoredumpSetAttributeGlobal: attrib is {which}"):
            put(which, b"\1", driver.cuCoredumpSetAttributeGlobal)
    with refused("INVALID_VALUE", "value is NULL"):
        put(ENABLE, b"")
    with refused("INVALID_VALUE", "size is NULL"):
        driver.cuCoredumpGetAttribute(ENABLE, 1, 0)
    with refused("INVALID_VALUE", "size is 3, the value needs 22 bytes"):
        get(FILE, size=3)
    with refused("INVALID_VALUE", "size is 0, the value needs 1 byte"):
        put(ENABLE, b"\1", size=0)
    with refused("INVALID_VALUE", "more than 1023 bytes"):
        put(FILE, b"x" * 1024)


PROGRAM = r"""
import ctypes
from cuda.cpu import driver
driver.cuInit(0)
first, second = driver.cuCtxCreate_v2(0, 0), driver.cuCtxCreate_v2(0, 0)

def put(which, value):
    room, size = ctypes.create_string_buffer(value, len(value)), ctypes.c_size_t(len(value))
    driver.cuCoredumpSetAttribute(which, ctypes.addressof(room), ctypes.addressof(size))

PTX = ctypes.create_string_buffer(b'''.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) { .reg .b64 %rd; ld.param.u64 %rd, [p]; st.global.u32 [%rd], 7; ret; }
''')

def launch(address):
    function = driver.cuModuleGetFunction(driver.cuModuleLoadData(ctypes.addressof(PTX)), b"k")
    value = ctypes.c_uint64(address)
    values = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, ctypes.addressof(values), 0)
    try:
        driver.cuCtxSynchronize()
    except Exception as error:
        print(error)
    return function

launch(driver.cuMemAlloc(64))  # compiled without core dumps
put(1, b"\1")
put(5, b"of_second.%p\0")
driver.cuCtxSetCurrent(first)
launch(8)
driver.cuCtxSetCurrent(second)
launch(16)
"""


@pytest.mark.cpu_only
def test_a_fault_writes_the_file_of_its_context(tmp_path):
    pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
    environment = {name: value for name, value in os.environ.items() if "COREDUMP" not in name}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=200, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    (core,) = tmp_path.iterdir()
    assert core.name.startswith("of_second.")
    assert core.read_bytes()[:4] == b"\x7fELF"
    assert done.stdout.count("illegal memory access") == 2
    assert done.stdout.count(f"The core dump is {core.name}") == 1
