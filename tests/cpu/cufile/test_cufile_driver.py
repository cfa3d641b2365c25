# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The cuFile driver: opening, properties, parameters, and functions without support."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess

import pytest
from cufile_calls import refused

from cuda.bindings import cufile

pytestmark = pytest.mark.skipif(
    os.environ.get("CUDA_PYTHON_DRIVER") == "nvidia", reason="tests of the CPU device's own library"
)


def test_driver(memory, path, register):
    handle = register(path)
    cufile.driver_open()
    assert cufile.use_count() == 2
    cufile.driver_close()
    assert cufile.read(handle, memory, 1, 0, 0) == 1
    cufile.driver_close()
    assert cufile.use_count() == 0
    with refused("DRIVER_NOT_INITIALIZED"):
        cufile.driver_close()
    with refused("DRIVER_NOT_INITIALIZED"):
        cufile.read(handle, memory, 1, 0, 0)
    again = register(path)  # opens it, too
    assert cufile.use_count() == 1
    with refused("HANDLE_NOT_REGISTERED"):
        cufile.read(handle, memory, 1, 0, 0) if handle != again else cufile.read(1, memory, 1, 0, 0)
    assert cufile.get_version() == 1200
    assert "range" in cufile.op_status_error(5014)


def test_properties():
    found = cufile.DrvProps()
    cufile.driver_get_properties(found.ptr)
    assert found.nvfs.major_version == 0
    assert found.nvfs.dcontrolflags & 1 << cufile.DriverControlFlags.ALLOW_COMPAT_MODE
    assert found.fflags == 1 << cufile.FeatureFlags.BATCH_IO_SUPPORTED | 1 << cufile.FeatureFlags.STREAMS_SUPPORTED
    before = found.nvfs.poll_thresh_size, found.max_device_cache_size, found.max_device_pinned_mem_size
    cufile.driver_set_poll_mode(1, 16)
    cufile.driver_set_max_direct_io_size(1024)
    cufile.driver_set_max_cache_size(2048)
    cufile.driver_set_max_pinned_mem_size(4096)
    cufile.driver_get_properties(found.ptr)
    assert (found.nvfs.poll_thresh_size, found.nvfs.max_direct_io_size) == (16, 1024)
    assert (found.max_device_cache_size, found.max_device_pinned_mem_size) == (2048, 4096)
    assert found.nvfs.dcontrolflags & 1
    with refused("INVALID_VALUE"):
        cufile.driver_set_max_cache_size(3)
    with refused("DRIVER_UNSUPPORTED_LIMIT"):
        cufile.driver_set_max_direct_io_size(1 << 20)
    cufile.driver_set_poll_mode(0, before[0])
    cufile.driver_set_max_direct_io_size(16384)
    cufile.driver_set_max_cache_size(before[1])
    cufile.driver_set_max_pinned_mem_size(before[2])
    cufile.driver_close()
    with refused("DRIVER_NOT_INITIALIZED"):
        cufile.driver_get_properties(found.ptr)
    with refused("DRIVER_NOT_INITIALIZED"):
        cufile.driver_set_max_cache_size(4)


def test_parameters(path, register):
    size, truth, text = cufile.SizeTConfigParameter, cufile.BoolConfigParameter, cufile.StringConfigParameter
    with refused("DRIVER_ALREADY_OPEN"):
        cufile.set_parameter_size_t(size.PROPERTIES_IO_BATCHSIZE, 2)
    cufile.driver_close()
    for each in size:
        least, most = cufile.get_parameter_min_max_value(each)
        value = cufile.get_parameter_size_t(each)
        assert least <= value <= most
        cufile.set_parameter_size_t(each, most)
        assert cufile.get_parameter_size_t(each) == most
        with refused("INVALID_VALUE"):
            cufile.set_parameter_size_t(each, most + 1)
        cufile.set_parameter_size_t(each, value)
    for each in truth:
        value = cufile.get_parameter_bool(each)
        cufile.set_parameter_bool(each, not value)
        assert cufile.get_parameter_bool(each) == (not value)
        cufile.set_parameter_bool(each, value)
    for each in text:
        value = cufile.get_parameter_string(each, 1024)
        cufile.set_parameter_string(each, "something")
        assert cufile.get_parameter_string(each, 1024).rstrip("\0") == "something"
        with refused("INVALID_VALUE"):
            cufile.get_parameter_string(each, 5)
        cufile.set_parameter_string(each, value)
    with refused("INVALID_VALUE"):
        cufile.get_parameter_size_t(12345)
    sizes, counts = (ctypes.c_size_t * 4)(), (ctypes.c_size_t * 4)()
    addresses = ctypes.addressof(sizes), ctypes.addressof(counts)
    for get, set_ in (
        (cufile.get_parameter_posix_pool_slab_array, cufile.set_parameter_posix_pool_slab_array),
        (cufile.get_parameter_gpu_bounce_buffer_slab_array, cufile.set_parameter_gpu_bounce_buffer_slab_array),
    ):
        set_([8, 64], [3, 4], 2)
        get(*addresses, 4)
        assert (list(sizes), list(counts)) == ([8, 64, 0, 0], [3, 4, 0, 0])
        with refused("INVALID_VALUE"):
            set_([3], [1], 1)
        with refused("INVALID_VALUE"):
            get(*addresses, 1)
    cufile.set_parameter_bool(truth.PROPERTIES_ALLOW_SYSTEM_MEMORY, False)
    with refused("CUDA_MEMORY_TYPE_INVALID"):
        cufile.read(register(path), bytearray(4), 4, 0, 0)
    cufile.driver_close()
    cufile.set_parameter_bool(truth.PROPERTIES_ALLOW_SYSTEM_MEMORY, True)


def test_functions_that_need_hardware_are_not_supported(tmp_path):
    with refused("PLATFORM_NOT_SUPPORTED"):
        cufile.export_pcie_topology(str(tmp_path / "topology"))
    with refused("PLATFORM_NOT_SUPPORTED"):
        cufile.get_bar_size_in_kb(0)
    with refused("DEVICE_NOT_FOUND"):
        cufile.get_bar_size_in_kb(99)
    assert int(cufile.driver_get_p2p_flags(cufile.DriverStatusFlags.NVME_SUPPORTED)) == 0
    with refused("PLATFORM_NOT_SUPPORTED"):
        cufile.driver_set_p2p_flags(cufile.DriverStatusFlags.NVME_SUPPORTED, 1)


def test_every_function_of_the_header_is_exported():
    from cuda.bindings import cycufile

    folder = os.path.dirname(__import__("cuda.cpu").cpu.__file__)
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", f"{folder}/cufile/libcufile_cpu.so.0"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    exported = set(re.findall(r"\bT (\w+)", listed))
    wanted = {name for name in cycufile.__pyx_capi__ if name.startswith("cuFile")} - {"cuFileGetErrorString"}
    assert wanted
    assert wanted <= exported
    assert all(name.startswith("cuFile") for name in exported)
