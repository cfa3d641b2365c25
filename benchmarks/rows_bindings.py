# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of cuda.bindings.driver to time: name, target in nanoseconds (None: no target), statement."""

import ctypes

import numpy as np

from cuda.bindings import driver

driver.cuInit(0)
stream, event, function = driver.CUstream(0x2000), driver.CUevent(0x3000), driver.CUfunction(0x6000)
pointer, device = driver.CUdeviceptr(0x70000000), driver.CUdevice(0)
memory_type = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
warp_size = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE

# Three prepared parameters: the values, and the array of their addresses.
values = np.zeros(3, np.uint64)
addresses = np.array([values.ctypes.data + 8 * index for index in range(3)], np.uint64)
prepared = addresses.ctypes.data
config = driver.CUlaunchConfig()
config.gridDimX = config.gridDimY = config.gridDimZ = 1
config.blockDimX = config.blockDimY = config.blockDimZ = 1
config.hStream = stream

_MIX = (
    (1.5, ctypes.c_float),
    (pointer, ctypes.c_void_p),
    (7, ctypes.c_int32),
    (0x70000000, ctypes.c_void_p),
    (1 << 40, ctypes.c_size_t),
    (2.5, ctypes.c_double),
    (9, ctypes.c_uint32),
    (-3, ctypes.c_int64),
)


def _tuples(count):
    chosen = (_MIX * 2)[:count]
    return tuple(value for value, _ in chosen), tuple(kind for _, kind in chosen)


one, three, eight, sixteen = (_tuples(count) for count in (1, 3, 8, 16))
_LAUNCH = "cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, {}, 0)"

cuLaunchKernel, cuLaunchKernelEx, cuMemcpyAsync = driver.cuLaunchKernel, driver.cuLaunchKernelEx, driver.cuMemcpyAsync
cuStreamQuery, cuEventRecord, cuMemAlloc = driver.cuStreamQuery, driver.cuEventRecord, driver.cuMemAlloc
cuPointerGetAttribute, cuDeviceGetAttribute = driver.cuPointerGetAttribute, driver.cuDeviceGetAttribute
cuCtxGetCurrent = driver.cuCtxGetCurrent

ROWS = [
    ("cuStreamQuery, wrapper handle", 60, "cuStreamQuery(stream)"),
    ("cuStreamQuery, int", 60, "cuStreamQuery(0x2000)"),
    ("cuEventRecord", 60, "cuEventRecord(event, stream)"),
    ("cuPointerGetAttribute", 90, "cuPointerGetAttribute(memory_type, pointer)"),
    ("cuDeviceGetAttribute", 50, "cuDeviceGetAttribute(warp_size, device)"),
    ("cuMemcpyAsync", 90, "cuMemcpyAsync(pointer, pointer, 64, stream)"),
    ("cuMemAlloc", None, "cuMemAlloc(1024)"),
    ("cuCtxGetCurrent", None, "cuCtxGetCurrent()"),
    ("cuLaunchKernel, prepared", 90, _LAUNCH.format("prepared")),
    ("cuLaunchKernel, 1 value with ctypes type", 140, _LAUNCH.format("one")),
    ("cuLaunchKernel, 3 values", 160, _LAUNCH.format("three")),
    ("cuLaunchKernel, 8 values", 220, _LAUNCH.format("eight")),
    ("cuLaunchKernel, 16 values", 300, _LAUNCH.format("sixteen")),
    ("cuLaunchKernelEx, prepared", 90, "cuLaunchKernelEx(config, function, prepared, 0)"),
]
