# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A context for each test, whose kernels are checked, and what the checks say at its end."""

from __future__ import annotations

import contextlib
import ctypes

import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from cuda.cpu import driver
from cuda.cpu.driver.base.error import CudaError

HEAD = ".version 9.0\n.target {target}\n.address_size 64\n"


class Checked:
    """A context whose kernels are checked. Numbers that launches take are ctypes values."""

    target = "sm_90"

    def load(self, text: str) -> int:
        image = ctypes.create_string_buffer((HEAD.format(target=self.target) + text).encode())
        return driver.cuModuleLoadData(ctypes.addressof(image))

    def launch(self, text: str, *values, name="k", grid=1, block=1, shared=0, stream=0, cluster=None) -> None:
        """Load PTX and launch its kernel."""
        function = driver.cuModuleGetFunction(self.load(text), name.encode())
        addresses = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
        grid, block = ((each, 1, 1) if isinstance(each, int) else each for each in (grid, block))
        driver.cuLaunchKernel(function, *grid, *block, shared, stream, ctypes.addressof(addresses), 0)

    def lines(self, status: int | None = None) -> list[str]:
        """Return what the checks say once all is done, which fails with `status` if there is anything."""
        try:
            driver.cuCtxSynchronize()
        except CudaError as error:
            found = error
        else:
            return []
        assert status is None or found.status == status, found
        return found.args[1].splitlines()


@pytest.fixture
def checked(request, monkeypatch, tmp_path):
    """Kernels are checked for what the parameter says."""
    monkeypatch.setenv("CUDA_CPU_CHECK", request.param)
    monkeypatch.setenv("CUDA_CPU_CACHE", str(tmp_path))
    driver.cuInit(0)
    handle = driver.cuCtxCreate_v2(0, 0)
    yield Checked()
    with contextlib.suppress(CudaError):
        driver.cuCtxSynchronize()
    driver.cuCtxDestroy(handle)
