# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
import ctypes

import kernels
import numpy as np
import pytest

from cuda.cpu import abi, driver
from cuda.cpu.compile import jit


@contextlib.contextmanager
def library(*parts: str):
    handle = driver.cuLibraryLoadData(kernels.address_of(kernels.text(*parts)), 0, 0, 0, 0, 0, 0)
    try:
        yield handle
    finally:
        driver.cuLibraryUnload(handle)


def test_kernels_of_a_library(context, refused):
    with library(kernels.STORE, kernels.SAXPY) as handle:
        assert driver.cuLibraryGetKernelCount(handle) == 2
        kernel = driver.cuLibraryGetKernel(handle, b"store")
        found = np.zeros(2, np.uint64)
        driver.cuLibraryEnumerateKernels(found.ctypes.data, 2, handle)
        assert kernel in found
        assert driver.cuKernelGetLibrary(kernel) == handle
        assert ctypes.string_at(driver.cuKernelGetName(kernel)) == b"store"
        assert driver.cuFuncGetModule(driver.cuKernelGetFunction(kernel)) == driver.cuLibraryGetModule(handle)
        with refused("NOT_FOUND", "'nothing'; there is saxpy, store"):
            driver.cuLibraryGetKernel(handle, b"nothing")
        with refused("INVALID_CONTEXT", "cuLibraryUnload"):
            driver.cuModuleUnload(driver.cuLibraryGetModule(handle))
    for call in (driver.cuKernelGetName, driver.cuKernelGetFunction, driver.cuKernelGetLibrary):
        with refused("INVALID_HANDLE"):
            call(kernel)


def test_a_library_is_loaded_without_a_context_and_used_in_several():
    with library(kernels.VARIABLES) as handle:
        kernel = driver.cuLibraryGetKernel(handle, b"follow")
        seen = []
        for _ in range(2):
            context = driver.cuCtxCreate(0, 0, 0)
            out = driver.cuMemAlloc(4)
            counter, _ = driver.cuLibraryGetGlobal(handle, b"counter")
            driver.cuMemsetD32(counter, 40 + len(seen), 1)
            kernel_params, _keep = kernels.packed(ctypes.c_uint64(out), ctypes.c_uint32(0))
            driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, kernel_params, 0)
            seen.append(kernels.read(out))
            driver.cuCtxDestroy(context)
    assert seen == [40, 41]


def test_contexts_share_managed_variables():
    """They live until the last context that uses the library is destroyed, and are then initialised again."""
    shared = ".visible .global .attribute(.managed) .u32 shared = 7; .visible .global .u32 own = 3;"
    with library(shared) as handle:
        contexts = [driver.cuCtxCreate(0, 0, 0) for _ in range(2)]
        found = []
        for context in contexts:
            driver.cuCtxSetCurrent(context)
            found.append(driver.cuLibraryGetManaged(handle, b"shared"))
        own, _ = driver.cuLibraryGetGlobal(handle, b"own")
        driver.cuCtxSetCurrent(contexts[0])
        assert found[0] == found[1]
        assert driver.cuLibraryGetGlobal(handle, b"own")[0] != own
        cell = ctypes.c_uint32.from_address(found[0][0])
        assert cell.value == 7
        cell.value = 8
        driver.cuCtxDestroy(contexts[0])
        driver.cuCtxSetCurrent(contexts[1])
        assert driver.cuLibraryGetManaged(handle, b"shared") == found[0]
        assert cell.value == 8
        driver.cuCtxDestroy(contexts[1])
        context = driver.cuCtxCreate(0, 0, 0)
        assert ctypes.c_uint32.from_address(driver.cuLibraryGetManaged(handle, b"shared")[0]).value == 7
        driver.cuCtxDestroy(context)


def test_a_kernel_runs_in_the_context_of_its_stream(context, refused):
    """As in NVIDIA's driver; only default streams and kernel queries need a current context."""
    with library(kernels.STORE) as handle:
        kernel = driver.cuLibraryGetKernel(handle, b"store")
        stream, out = driver.cuStreamCreate(0), driver.cuMemAlloc(4)
        kernel_params, _keep = kernels.packed(ctypes.c_uint64(out), ctypes.c_uint32(7))
        driver.cuCtxSetCurrent(0)
        driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, kernel_params, 0)
        driver.cuStreamSynchronize(stream)
        with refused("INVALID_CONTEXT"):
            driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, kernel_params, 0)
        with refused("INVALID_CONTEXT"):
            driver.cuKernelGetParamInfo(kernel, 0)
        driver.cuCtxSetCurrent(context)
        assert kernels.read(out) == 7
        driver.cuMemFree(out)
        driver.cuStreamDestroy(stream)


def test_variables_of_a_library(context, refused):
    with library(kernels.VARIABLES) as handle:
        address, size = driver.cuLibraryGetGlobal(handle, b"counter")
        assert (kernels.read(address), size) == (7, 4)
        with refused("NOT_FOUND", "__managed__"):
            driver.cuLibraryGetManaged(handle, b"counter")
        with refused("NOT_FOUND", "unified"):
            driver.cuLibraryGetUnifiedFunction(handle, b"f")


def test_loading_a_file(context, refused, tmp_path):
    path = tmp_path / "kernels.ptx"
    path.write_bytes(kernels.text(kernels.STORE)[:-1])
    handle = driver.cuLibraryLoadFromFile(bytes(path), 0, 0, 0, 0, 0, 0)
    driver.cuLibraryUnload(handle)
    with refused("FILE_NOT_FOUND"):
        driver.cuLibraryLoadFromFile(b"/nowhere.ptx", 0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("option", "status"),
    [(abi.CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE, "NOT_SUPPORTED"), (99, "INVALID_VALUE")],
)
def test_library_options(refused, option, status):
    options, values = np.array([option], np.int32), np.zeros(1, np.uint64)
    image = kernels.address_of(kernels.text(kernels.STORE))
    with refused(status):
        driver.cuLibraryLoadData(image, 0, 0, 0, options.ctypes.data, values.ctypes.data, 1)
    options[0] = abi.CU_LIBRARY_BINARY_IS_PRESERVED
    driver.cuLibraryUnload(driver.cuLibraryLoadData(image, 0, 0, 0, options.ctypes.data, values.ctypes.data, 1))


MANY = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry many() %s
{
 .reg .b32 %%r<200>;
 ret;
}
"""


def registers(image, *options):
    """Return CU_FUNC_ATTRIBUTE_NUM_REGS of a module that is loaded with CUjit_options."""
    names = (ctypes.c_int * max(len(options), 1))(*[name for name, _ in options])
    values = (ctypes.c_uint64 * max(len(options), 1))(*[value for _, value in options])
    module = driver.cuModuleLoadDataEx(image, len(options), ctypes.addressof(names), ctypes.addressof(values))
    try:
        return driver.cuFuncGetAttribute(abi.CU_FUNC_ATTRIBUTE_NUM_REGS, driver.cuModuleGetFunction(module, b"many"))
    finally:
        driver.cuModuleUnload(module)


@pytest.mark.parametrize(
    ("directives", "asked", "expected"),
    [
        ("", 0, 64),  # so that a block of 1024 threads fits
        ("", 40, 40),
        ("", 3, 16),  # registers that calls need
        (".maxnreg 24", 0, 24),
        (".maxnreg 24", 40, 24),
        (".maxntid 128", 0, 200),
        (".maxntid 128", 40, 200),
        (".maxntid 128\n.minnctapersm 8", 0, 64),
        (".maxntid 1024\n.minnctapersm 2", 40, 32),
    ],
)
def test_limits_of_registers(context, directives, asked, expected):
    """Directives take precedence over CU_JIT_MAX_REGISTERS; a linked image keeps the limit."""
    text = ctypes.create_string_buffer((MANY % directives).encode())
    options = [(abi.CU_JIT_MAX_REGISTERS, asked)] if asked else []
    assert registers(ctypes.addressof(text), *options) == expected
    names, values = (ctypes.c_int * 1)(abi.CU_JIT_MAX_REGISTERS), (ctypes.c_uint64 * 1)(asked)
    link = driver.cuLinkCreate(1, ctypes.addressof(names), ctypes.addressof(values))
    driver.cuLinkAddData(link, abi.CU_JIT_INPUT_PTX, ctypes.addressof(text), len(text), b"many", 0, 0, 0)
    image, _ = driver.cuLinkComplete(link)
    assert registers(image) == expected
    driver.cuLinkDestroy(link)


def test_attributes_of_a_kernel(context, refused):
    with library(kernels.SHARED, kernels.VARIABLES) as handle:
        kernel = driver.cuLibraryGetKernel(handle, b"scan")

        def ask(name):
            return driver.cuKernelGetAttribute(getattr(abi, f"CU_FUNC_ATTRIBUTE_{name}"), kernel, 0)

        assert ask("MAX_THREADS_PER_BLOCK") == 128
        assert ask("SHARED_SIZE_BYTES") == 0
        assert ask("CONST_SIZE_BYTES") == 8
        assert ask("LOCAL_SIZE_BYTES") == 0
        assert ask("BINARY_VERSION") == 90
        assert 0 < ask("NUM_REGS") <= 255
        assert ask("MAX_DYNAMIC_SHARED_SIZE_BYTES") == 48 << 10
        which = abi.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        driver.cuKernelSetAttribute(which, 100 << 10, kernel, 0)
        assert ask("MAX_DYNAMIC_SHARED_SIZE_BYTES") == 100 << 10
        assert driver.cuFuncGetAttribute(which, driver.cuKernelGetFunction(kernel)) == 100 << 10
        with refused("INVALID_VALUE", "must be 0 to 232448"):
            driver.cuKernelSetAttribute(which, 1 << 20, kernel, 0)
        with refused("INVALID_VALUE", "cannot be set"):
            driver.cuKernelSetAttribute(abi.CU_FUNC_ATTRIBUTE_NUM_REGS, 3, kernel, 0)
        with refused("INVALID_VALUE", "77"):
            driver.cuKernelGetAttribute(77, kernel, 0)
        with refused("INVALID_DEVICE"):
            driver.cuKernelGetAttribute(which, kernel, 5)


WITH_LOCAL_MEMORY = """
.version 8.5
.target sm_90
.address_size 64
.func f() { .local .b64 inner[4]; ret; }
.visible .entry k() { .local .b32 outer[10]; call f; ret; }
"""


def test_local_memory_is_known_without_compiling(context, monkeypatch):
    """Triton asks for it before the first launch, whose block decides how a kernel is compiled."""
    monkeypatch.setattr(jit, "compile_kernel", lambda *_: pytest.fail("compiled"))
    with library(WITH_LOCAL_MEMORY) as handle:
        kernel = driver.cuLibraryGetKernel(handle, b"k")
        assert driver.cuKernelGetAttribute(abi.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel, 0) == 48 + 32


def test_parameters_of_a_kernel(context, refused):
    with library(kernels.MIXED) as handle:
        kernel = driver.cuLibraryGetKernel(handle, b"mixed")
        assert driver.cuKernelGetParamCount(kernel) == 5
        layout = [(0, 8), (8, 1), (10, 2), (16, 12), (28, 4)]
        assert [driver.cuKernelGetParamInfo(kernel, i) for i in range(5)] == layout
        function = driver.cuKernelGetFunction(kernel)
        assert driver.cuFuncGetParamCount(function) == 5
        assert driver.cuFuncGetParamInfo(function, 3) == layout[3]
        with refused("INVALID_VALUE", "5 parameters"):
            driver.cuKernelGetParamInfo(kernel, 5)


def test_preferences_are_checked(context, refused):
    with library(kernels.STORE) as handle:
        kernel = driver.cuLibraryGetKernel(handle, b"store")
        driver.cuKernelSetCacheConfig(kernel, 2, 0)
        driver.cuFuncSetCacheConfig(kernel, 2)
        with refused("INVALID_VALUE", "CUfunc_cache"):
            driver.cuFuncSetCacheConfig(kernel, 9)
        with refused("INVALID_VALUE", "CUsharedconfig"):
            driver.cuFuncSetSharedMemConfig(kernel, 9)
