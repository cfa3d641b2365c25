# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ that calls the device runtime, as plain PTX and linked with NVIDIA's libcudadevrt."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import CUBIN_KIND, LIBRARY_KIND, compile_cuda, device_runtime_library, link
from support.loaded import Loaded

from cuda.cpu.ptx.error import PtxError

pytestmark = pytest.mark.needs_nvrtc
ROUNDS = """
    extern "C" __global__ void rounds(int *table, int rows) {
        unsigned long long grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid); unsigned me, threads;
        cudaCGGetRank(&me, nullptr, grid); cudaCGGetSize(&threads, nullptr, grid);
        for (int r = 1; r < rows; r++) {
            table[r * threads + me] = table[(r - 1) * threads + threads - 1 - me] + 1;
            if (cudaCGSynchronize(grid, 0)) table[0] = -1; } }
    extern "C" __global__ void alone(int *out) {
        out[0] = cudaCGSynchronize(cudaCGGetIntrinsicHandle(cudaCGScopeGrid), 0);
        out[1] = cudaCGGetIntrinsicHandle(cudaCGScopeReserved) == 0; }"""


@pytest.fixture(params=["sm_75", "sm_120", "linked"])
def loaded(request):
    if request.param != "linked":
        return Loaded(compile_cuda(ROUNDS, f"--gpu-architecture={request.param}", "-rdc=true"))
    cubin = compile_cuda(ROUNDS, "--gpu-architecture=sm_90", "-rdc=true", "-lineinfo", result="CUBIN")
    inputs = [(CUBIN_KIND, cubin), (LIBRARY_KIND, device_runtime_library())]
    return Loaded(link(inputs, "-arch=sm_90", "-lineinfo"))


@pytest.mark.needs_nvjitlink
@pytest.mark.parametrize("block", [32, (7, 5, 3)])
@pytest.mark.parametrize("grid", [1, 6, (3, 1, 2)])
def test_grid_synchronization(loaded, grid, block):
    threads = int(np.prod(grid) * np.prod(block))
    table = np.zeros((40, threads), np.int32)
    loaded.launch("rounds", grid, block, table, np.int32(40), cooperative=True)
    np.testing.assert_array_equal(table, np.tile(np.arange(40)[:, None], threads))


@pytest.mark.of_nvrtc
def test_grid_synchronization_needs_a_cooperative_launch():
    out = np.zeros(2, np.int32)
    Loaded(compile_cuda(ROUNDS, "-rdc=true")).launch("alone", 2, 32, out)
    assert out.tolist() == [1, 1]  # cudaErrorInvalidValue


def test_the_error_names_unsupported_device_runtime_functions():
    source = """extern "C" __device__ int cudaDevice();
        extern "C" __global__ void k(int *p) { *p = cudaDevice(); }"""
    with pytest.raises(PtxError, match="cudaDevice; the CPU device has no such function of the device runtime"):
        Loaded(compile_cuda(source, "-rdc=true"))
