# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Errors: names and descriptions of statuses, statuses of wrong calls, enumerations."""

import numpy as np
from common import outcome
from driver_kernels import begin

from cuda.bindings import driver, nvrtc

print(driver.cuCtxGetCurrent()[0])
begin()
for status in (0, 1, 2, 3, 100, 200, 201, 209, 218, 222, 400, 500, 600, 700, 719, 999):
    result = driver.CUresult(status)
    print(status, result.name, driver.cuGetErrorName(result))
print(driver.cuGetErrorString(driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY)[0])
print(outcome(driver.cuDeviceGet, 99), outcome(driver.cuDeviceGet, -1))
print(
    outcome(driver.cuModuleLoadData, b"this is not PTX")[0],
    outcome(driver.cuModuleLoadData, b".version 8.0\n.target sm_90\n.address_size 64\nbad")[0],
)
print(outcome(driver.cuMemAlloc, 0), outcome(driver.cuMemAlloc, 1 << 60))
print(outcome(driver.cuMemFree, 12345), outcome(driver.cuStreamSynchronize, driver.CUstream(0)))
print(outcome(driver.cuModuleGetFunction, driver.CUmodule(0), b"k")[0])
print(outcome(driver.cuDeviceGetAttribute, driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0))
print(
    outcome(driver.cuDeviceGetAttribute, 10, 0),
    outcome(driver.cuInit),
    outcome(driver.cuInit, "0"),
    outcome(driver.cuInit, 1),
)
print(driver.CUresult.CUDA_SUCCESS == 0, int(driver.CUresult.CUDA_ERROR_INVALID_VALUE))
program = nvrtc.nvrtcCreateProgram(b"__global__ void k() { x }", b"bad.cu", 0, None, None)[1]
print(nvrtc.nvrtcCompileProgram(program, 0, []), nvrtc.nvrtcGetErrorString(nvrtc.nvrtcResult.NVRTC_ERROR_COMPILATION))
size = nvrtc.nvrtcGetProgramLogSize(program)[1]
log = b" " * size
nvrtc.nvrtcGetProgramLog(program, log)
print(b"bad.cu(1)" in log, nvrtc.nvrtcGetPTXSize(program)[0])
print(nvrtc.nvrtcVersion()[0], isinstance(np.asarray(nvrtc.nvrtcGetSupportedArchs()[1]).tolist(), list))
