# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The deprecated launch API: cuFuncSetBlockShape, cuParamSet* and cuLaunchGrid."""

import ctypes

import kernels
import pytest
from graph_calls import memory

from cuda.cpu import driver


@pytest.fixture
def saxpy(context):
    with kernels.loaded(kernels.SAXPY, kernels.SHARED) as module:
        yield driver.cuModuleGetFunction(module, b"saxpy"), driver.cuModuleGetFunction(module, b"scan")


def test_parameters_by_cuParamSet(saxpy):
    function, _ = saxpy
    with memory(200) as array:
        driver.cuMemsetD32(array, 0x3F800000, 200)  # 1.0
        driver.cuFuncSetBlockShape(function, 10, 1, 1)
        driver.cuParamSetSize(function, 24)
        for offset, pointer in ((0, array), (8, array + 400)):
            value = ctypes.c_uint64(pointer)
            driver.cuParamSetv(function, offset, ctypes.addressof(value), 8)
        driver.cuParamSetf(function, 16, 2.5)
        driver.cuParamSeti(function, 20, 30)
        driver.cuLaunchGrid(function, 3, 1)
        driver.cuLaunch(function)
        driver.cuLaunchGridAsync(function, 2, 1, 0)
        driver.cuStreamSynchronize(0)
        found = (ctypes.c_float * 31)()
        driver.cuMemcpyDtoH(ctypes.addressof(found), array, 124)
        assert list(found) == [8.5] * 10 + [6.0] * 10 + [3.5] * 10 + [1.0]


def test_dynamic_shared_memory(saxpy):
    _, scan = saxpy
    with memory(128) as pointer:
        driver.cuFuncSetBlockShape(scan, 128, 1, 1)
        driver.cuFuncSetSharedSize(scan, 512)
        driver.cuParamSetSize(scan, 8)
        driver.cuParamSeti(scan, 0, pointer & 0xFFFFFFFF)
        driver.cuParamSeti(scan, 4, pointer >> 32)
        driver.cuLaunch(scan)
        assert kernels.read(pointer + 4 * 127) == sum(range(128))


def test_invalid_settings(saxpy, refused):
    function, scan = saxpy
    for call, says in (
        (lambda: driver.cuFuncSetBlockShape(scan, 129, 1, 1), "1 to 128 threads"),
        (lambda: driver.cuFuncSetBlockShape(function, 0, 1, 1), "must be 1 to"),
        (lambda: driver.cuFuncSetSharedSize(function, 1 << 20), "at most 49152 are possible"),
        (lambda: driver.cuParamSetSize(function, 25), "the parameters have 24"),
        (lambda: driver.cuParamSeti(function, 21, 1), "4 bytes at offset 21"),
        (lambda: driver.cuParamSeti(function, -1, 1), "at offset -1"),
        (lambda: driver.cuParamSetv(function, 0, 0, 4), "ptr is NULL"),
        (lambda: driver.cuParamSetv(function, 0, 1, 1 << 30), "numbytes is 1073741824"),
        (lambda: driver.cuLaunch(function), "cuParamSetSize gave 0 bytes, the parameters need 24"),
    ):
        with refused("INVALID_VALUE", says):
            call()
    driver.cuParamSetSize(function, 24)
    with refused("INVALID_VALUE", "grid dimension x is 0"):
        driver.cuLaunchGrid(function, 0, 1)
    with refused("INVALID_HANDLE"):
        driver.cuLaunch(5)
