# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A program for test_run.py that opens the driver and NVRTC by library name, as other packages do."""

import ctypes

cuda = ctypes.CDLL("libcuda.so.1")
nvrtc = ctypes.CDLL("libnvrtc.so.13")


def check(status):
    if status:
        raise SystemExit(f"status {status}")


program, size = ctypes.c_void_p(), ctypes.c_size_t()
source = b'extern "C" __global__ void add(int *p, int a) { *p += a; }'
check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"add.cu", 0, None, None))
check(nvrtc.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"-arch=sm_90")))
check(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)))
cubin = ctypes.create_string_buffer(size.value)
check(nvrtc.nvrtcGetCUBIN(program, cubin))

context, module, function, pointer = (ctypes.c_void_p() for _ in range(4))
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuModuleLoadData(ctypes.byref(module), cubin))
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"add"))
check(cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4)))
check(cuda.cuMemsetD32_v2(pointer, 2, ctypes.c_size_t(1)))
value, result = ctypes.c_int(3), ctypes.c_int()
arguments = (ctypes.c_void_p * 2)(ctypes.addressof(pointer), ctypes.addressof(value))
check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, arguments, None))
check(cuda.cuMemcpyDtoH_v2(ctypes.byref(result), pointer, ctypes.c_size_t(4)))
print(result.value)
