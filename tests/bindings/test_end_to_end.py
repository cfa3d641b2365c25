# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program by cuda.bindings alone: compile, load, copy, launch, read back, on the driver of the test session."""

import ctypes
import threading
import time

import numpy as np
import pytest

from cuda.bindings import driver, nvrtc

SOURCE = """
extern "C" __global__ void saxpy(float a, const float *x, const float *y, float *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a * x[i] + y[i];
}
"""
N = 1000


def check(result):
    """Return the values of a call, after a look at its status."""
    assert result[0] == 0, result
    return result[1] if len(result) == 2 else result[1:]


@pytest.fixture
def context():
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    context = check(driver.cuDevicePrimaryCtxRetain(device))
    check(driver.cuCtxPushCurrent(context))
    yield context
    check(driver.cuCtxPopCurrent())
    check(driver.cuDevicePrimaryCtxRelease(device))


def cubin():
    """Compile the kernel for the device."""
    major, minor = check(driver.cuDeviceComputeCapability(check(driver.cuCtxGetDevice())))
    program = check(nvrtc.nvrtcCreateProgram(SOURCE, "saxpy.cu", 0, None, None))
    check(nvrtc.nvrtcCompileProgram(program, 1, [f"-arch=sm_{major}{minor}"]))
    code = bytearray(check(nvrtc.nvrtcGetCUBINSize(program)))
    check(nvrtc.nvrtcGetCUBIN(program, code))
    check(nvrtc.nvrtcDestroyProgram(program))
    return code


@pytest.mark.needs_nvrtc
def test_saxpy(context):
    module = check(driver.cuModuleLoadData(cubin()))
    kernel = check(driver.cuModuleGetFunction(module, "saxpy"))
    stream = check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    x, y, out = (np.random.default_rng(i).random(N, dtype=np.float32) for i in range(3))
    dx, dy, dout = (check(driver.cuMemAlloc(x.nbytes)) for _ in range(3))
    check(driver.cuMemcpyHtoDAsync(dx, x, x.nbytes, stream))
    check(driver.cuMemcpyHtoDAsync(dy, y.ctypes.data, y.nbytes, stream))
    types = (ctypes.c_float, None, None, ctypes.c_void_p, ctypes.c_size_t)
    arguments = ((2.5, dx, dy, dout, N), types)
    check(driver.cuLaunchKernel(kernel, (N + 127) // 128, 1, 1, 128, 1, 1, 0, stream, arguments, 0))
    check(driver.cuMemcpyDtoHAsync(out, dout, out.nbytes, stream))
    check(driver.cuStreamSynchronize(stream))
    assert driver.cuStreamQuery(stream) == (driver.CUresult.CUDA_SUCCESS,)
    np.testing.assert_allclose(out, np.float32(2.5) * x + y, rtol=1e-6)
    kind = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    assert check(driver.cuPointerGetAttribute(kind, dx)) == driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    for pointer in (dx, dy, dout):
        check(driver.cuMemFree(pointer))
    check(driver.cuStreamDestroy(stream))
    check(driver.cuModuleUnload(module))


def test_host_functions_run_while_the_stream_is_polled(context):
    """The callback needs the interpreter that the polling thread uses, so neither may hold it for good."""
    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def note(data):
        seen.append((data, threading.get_ident() != main))

    main = threading.get_ident()
    stream = check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    check(driver.cuLaunchHostFunc(stream, note, 77))
    deadline = time.monotonic() + 30
    while driver.cuStreamQuery(stream)[0] == driver.CUresult.CUDA_ERROR_NOT_READY:
        assert time.monotonic() < deadline
    check(driver.cuLaunchHostFunc(stream, note, 78))
    check(driver.cuStreamSynchronize(stream))
    assert seen == [(77, True), (78, True)]
    check(driver.cuStreamDestroy(stream))


def test_failures_are_statuses(context):
    assert driver.cuModuleLoad("/no/such/file.cubin") == (driver.CUresult.CUDA_ERROR_FILE_NOT_FOUND, None)
    status, name = driver.cuGetErrorName(driver.CUresult.CUDA_ERROR_FILE_NOT_FOUND)
    assert (status, name) == (driver.CUresult.CUDA_SUCCESS, b"CUDA_ERROR_FILE_NOT_FOUND")
    assert driver.cuDeviceGet(-1) == (driver.CUresult.CUDA_ERROR_INVALID_DEVICE, None)
