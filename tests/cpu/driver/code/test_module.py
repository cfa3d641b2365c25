# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes

import kernels
import numpy as np
import pytest

from cuda.cpu import abi, driver


def test_variables_have_their_values_and_addresses(context, refused):
    with kernels.loaded(kernels.VARIABLES) as module:
        counter, size = driver.cuModuleGetGlobal(module, b"counter")
        assert (kernels.read(counter), size) == (7, 4)
        limits, size = driver.cuModuleGetGlobal(module, b"limits")
        assert (kernels.read(limits, ctypes.c_uint64), size) == (0x0807060504030201, 8)
        table, _ = driver.cuModuleGetGlobal(module, b"table")
        assert [kernels.read(table + i, ctypes.c_uint64) for i in (0, 8)] == [counter, limits]
        assert driver.cuMemGetAddressRange(counter + 2) == (counter, 4)
        with refused("NOT_FOUND", "'nothing'; there is counter, limits, table"):
            driver.cuModuleGetGlobal(module, b"nothing")
        with refused("INVALID_VALUE", "name is NULL"):
            driver.cuModuleGetGlobal(module, None)


def test_variables_without_a_value_are_zero_in_used_memory(context):
    used = [driver.cuMemAlloc(4096) for _ in range(16)]
    for address in used:
        driver.cuMemsetD8(address, 0xAB, 4096)
    for address in used:
        driver.cuMemFree(address)
    variables = ".visible .global .b8 room[4000];", ".visible .global .b8 part[4000] = {1, 2};"
    with kernels.loaded(*variables) as module:
        for name, start in ((b"room", []), (b"part", [1, 2])):
            address, size = driver.cuModuleGetGlobal(module, name)
            assert list(ctypes.string_at(address, size)) == start + [0] * (4000 - len(start))


def test_kernels_follow_pointers_in_variables(context):
    out = driver.cuMemAlloc(4)
    with kernels.loaded(kernels.VARIABLES) as module:
        for which, value in ((0, 7), (1, 0x04030201)):
            kernels.run(module, "follow", ctypes.c_uint64(out), ctypes.c_uint32(which))
            assert kernels.read(out) == value
    driver.cuMemFree(out)


def test_two_modules_have_variables_of_their_own(context):
    with kernels.loaded(kernels.VARIABLES) as one, kernels.loaded(kernels.VARIABLES) as other:
        first, _ = driver.cuModuleGetGlobal(one, b"counter")
        second, _ = driver.cuModuleGetGlobal(other, b"counter")
        driver.cuMemsetD32(first, 9, 1)
        assert [kernels.read(first), kernels.read(second)] == [9, 7]


def test_functions_of_a_module(context, refused):
    with kernels.loaded(kernels.SAXPY, kernels.STORE) as module:
        assert driver.cuModuleGetFunctionCount(module) == 2
        found = np.zeros(2, np.uint64)
        driver.cuModuleEnumerateFunctions(found.ctypes.data, 2, module)
        names = {ctypes.string_at(driver.cuFuncGetName(int(handle))) for handle in found}
        assert names == {b"saxpy", b"store"}
        function = driver.cuModuleGetFunction(module, b"store")
        assert driver.cuModuleGetFunction(module, b"store") == function
        assert driver.cuFuncGetModule(function) == module
        assert driver.cuFuncIsLoaded(function) == 0
        driver.cuFuncLoad(function)
        assert driver.cuFuncIsLoaded(function) == 1
        with refused("NOT_FOUND", "'axpy'; there is saxpy, store"):
            driver.cuModuleGetFunction(module, b"axpy")
    with refused("INVALID_HANDLE", "no live function"):
        driver.cuFuncGetName(function)
    with refused("INVALID_HANDLE", "no live module"):
        driver.cuModuleUnload(module)


def test_loading_a_file(context, refused, tmp_path):
    path = tmp_path / "kernel.ptx"
    path.write_bytes(kernels.text(kernels.STORE)[:-1])
    module = driver.cuModuleLoad(bytes(path))
    driver.cuModuleGetFunction(module, b"store")
    driver.cuModuleUnload(module)
    with refused("FILE_NOT_FOUND", "nowhere"):
        driver.cuModuleLoad(bytes(tmp_path / "nowhere"))
    with refused("FILE_NOT_FOUND", "NULL"):
        driver.cuModuleLoad(None)


class Logs:
    """The info and error log buffers of cuModuleLoadDataEx."""

    def __init__(self, size: int = 4096) -> None:
        self.error, self.info = ctypes.create_string_buffer(b"?" * (size - 1)), ctypes.create_string_buffer(size)
        self.options = np.array(
            [abi.CU_JIT_ERROR_LOG_BUFFER, abi.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, abi.CU_JIT_INFO_LOG_BUFFER,
             abi.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, abi.CU_JIT_WALL_TIME, abi.CU_JIT_OPTIMIZATION_LEVEL], np.int32
        )  # fmt: skip
        self.values = np.array([ctypes.addressof(self.error), size, ctypes.addressof(self.info), size, 0, 4], np.uint64)
        self.arguments = (len(self.options), self.options.ctypes.data, self.values.ctypes.data)


def test_bad_ptx_is_explained_in_the_error_log(context, refused):
    logs = Logs()
    image = kernels.address_of(kernels.text(".visible .entry k() { frobnicate.u32 %r1; }"))
    with refused("INVALID_PTX", "frobnicate"):
        driver.cuModuleLoadDataEx(image, *logs.arguments)
    assert b"line 4" in logs.error.value
    assert b"frobnicate" in logs.error.value
    assert logs.values[1] == len(logs.error.value) + 1
    assert logs.info.value == b""


def test_a_log_is_truncated_to_its_buffer(context, refused):
    logs = Logs(8)
    image = kernels.address_of(kernels.text("this is not PTX"))
    with refused("INVALID_PTX"):
        driver.cuModuleLoadDataEx(image, *logs.arguments)
    assert len(logs.error.value) == 7


def test_a_good_module_leaves_the_error_log_empty(context):
    logs = Logs()
    module = driver.cuModuleLoadDataEx(kernels.address_of(kernels.text(kernels.STORE)), *logs.arguments)
    assert logs.error.value == b""
    assert ctypes.c_float.from_buffer(logs.values, 32).value > 0
    driver.cuModuleUnload(module)


def test_unsupported_images(context, refused):
    with refused("INVALID_IMAGE", "no PTX, cubin, fatbin or Tile IR"):
        driver.cuModuleLoadData(kernels.address_of(b"nonsense\0"))
    with refused("INVALID_IMAGE", "null pointer"):
        driver.cuModuleLoadData(0)


@pytest.mark.needs_nvrtc
def test_a_cubin_needs_ptx(context, refused):
    """A cubin made with -lineinfo runs; one made without it is rejected with advice."""
    from support.nvrtc_cubin import compile_cubin

    source = b'extern "C" __global__ void k(int *p) { *p = 5; }'
    out = driver.cuMemAlloc(4)
    module = driver.cuModuleLoadData(kernels.address_of(compile_cubin(source, b"-lineinfo")))
    kernels.run(module, "k", ctypes.c_uint64(out))
    assert kernels.read(out) == 5
    driver.cuModuleUnload(module)
    driver.cuMemFree(out)
    with refused("NO_BINARY_FOR_GPU", "-lineinfo"):
        driver.cuModuleLoadData(kernels.address_of(compile_cubin(source)))


def test_wrong_options(context, refused):
    image = kernels.address_of(kernels.text(kernels.STORE))
    options, values = np.array([999], np.int32), np.zeros(1, np.uint64)
    with refused("INVALID_VALUE", "999 is no CUjit_option"):
        driver.cuModuleLoadDataEx(image, 1, options.ctypes.data, values.ctypes.data)
    with refused("INVALID_VALUE", "NULL"):
        driver.cuModuleLoadDataEx(image, 1, 0, 0)
    options[0] = abi.CU_JIT_GLOBAL_SYMBOL_COUNT
    with refused("NOT_SUPPORTED"):
        driver.cuModuleLoadDataEx(image, 1, options.ctypes.data, values.ctypes.data)


def test_loading_is_lazy(context):
    assert driver.cuModuleGetLoadingMode() == 2  # CU_MODULE_LAZY_LOADING


def test_a_too_large_variable_frees_the_other_variables(context, refused):
    sizes = {"small": 64, "huge": 1 << 40}
    variables = [f".visible .global .align 4 .b8 {name}[{size}];\n" for name, size in sizes.items()]
    with refused("OUT_OF_MEMORY", "variable huge"):
        driver.cuModuleLoadData(kernels.address_of(kernels.text(*variables)))


def test_variables_are_aligned(context):
    names = {f"v{align}_{space}": align for align in (4, 256, 1024, 4096) for space in ("global", "const")}
    declared = [f".{name.split('_')[1]} .align {align} .b8 {name}[12];\n" for name, align in names.items()]
    with kernels.loaded(*declared) as module:
        for name, align in names.items():
            address, size = driver.cuModuleGetGlobal(module, name.encode())
            assert (address % align, size) == (0, 12), name
