# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launch PTX under a profile."""

from __future__ import annotations

import ctypes

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from cuda.cpu import driver

BYTES = 1 << 20


class Launcher:
    """Launches kernels with one parameter, a pointer to zeroed global memory."""

    def __init__(self):
        self.memory = driver.cuMemAlloc(BYTES)
        driver.cuMemsetD8(self.memory, 0, BYTES)
        self.modules = []

    def function(self, text, name="k"):
        image = ctypes.create_string_buffer(text.encode())
        self.modules.append(driver.cuModuleLoadData(ctypes.addressof(image)))
        return driver.cuModuleGetFunction(self.modules[-1], name.encode())

    def launch(self, function, grid=1, block=32, stream=0):
        value = ctypes.c_uint64(self.memory)
        values = (ctypes.c_void_p * 1)(ctypes.addressof(value))
        x, y = (block, 1) if isinstance(block, int) else block
        driver.cuLaunchKernel(function, grid, 1, 1, x, y, 1, 0, stream, ctypes.addressof(values), 0)


@pytest.fixture
def launcher():
    driver.cuInit(0)
    handle = driver.cuCtxCreate_v2(0, 0)
    yield Launcher()
    driver.cuCtxDestroy(handle)
