# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVRTC and the driver API by hand: compile, load, allocate, copy, launch with arguments by address, copy back."""

import numpy as np
from common import check

from cuda.bindings import driver, nvrtc

SOURCE = """
extern "C" __global__ void saxpy(float a, float *x, float *y, float *out, size_t n)
{
    size_t tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n) out[tid] = a * x[tid] + y[tid];
}
"""
check(driver.cuInit(0))
device = check(driver.cuDeviceGet(0))
context = check(driver.cuDevicePrimaryCtxRetain(device))
check(driver.cuCtxSetCurrent(context))
major, minor = (
    check(
        driver.cuDeviceGetAttribute(
            getattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}"), device
        )
    )
    for part in ("MAJOR", "MINOR")
)
program = check(nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"saxpy.cu", 0, [], []))
options = [b"--fmad=false", f"--gpu-architecture=compute_{major}{minor}".encode()]
check(nvrtc.nvrtcCompileProgram(program, len(options), options))
size = check(nvrtc.nvrtcGetPTXSize(program))
ptx = b" " * size
check(nvrtc.nvrtcGetPTX(program, ptx))
check(nvrtc.nvrtcDestroyProgram(program))
module = check(driver.cuModuleLoadData(np.char.array(ptx)))
kernel = check(driver.cuModuleGetFunction(module, b"saxpy"))
count = 32 * 128
x, y = np.arange(count, dtype=np.float32), np.full(count, 2, np.float32)
result = np.zeros(count, np.float32)
pointers = [check(driver.cuMemAlloc(array.nbytes)) for array in (x, y, result)]
stream = check(driver.cuStreamCreate(0))
for pointer, array in zip(pointers[:2], (x, y), strict=True):
    check(driver.cuMemcpyHtoDAsync(pointer, array.ctypes.data, array.nbytes, stream))
numbers = [np.array([int(pointer)], np.uint64) for pointer in pointers]
arguments = [np.array([2], np.float32), *numbers, np.array(count, np.uint64)]
addresses = np.array([argument.ctypes.data for argument in arguments], np.uint64)
check(driver.cuLaunchKernel(kernel, 128, 1, 1, 32, 1, 1, 0, stream, addresses.ctypes.data, 0))
check(driver.cuMemcpyDtoHAsync(result.ctypes.data, pointers[2], result.nbytes, stream))
check(driver.cuStreamSynchronize(stream))
print(np.array_equal(result, 2 * x + y), result[:4])
check(driver.cuStreamDestroy(stream))
for pointer in pointers:
    check(driver.cuMemFree(pointer))
check(driver.cuModuleUnload(module))
check(driver.cuDevicePrimaryCtxRelease(device))
