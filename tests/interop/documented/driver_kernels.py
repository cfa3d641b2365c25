# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What programs of the driver API share: a context and kernels from source."""

from common import check

from cuda.bindings import driver, nvrtc


def begin():
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(device))))
    return device


def ptx_of(source, *options):
    program = check(nvrtc.nvrtcCreateProgram(source.encode(), b"program.cu", 0, None, None))
    check(nvrtc.nvrtcCompileProgram(program, len(options) + 1, [b"-arch=compute_90", *options]))
    text = bytearray(check(nvrtc.nvrtcGetPTXSize(program)))
    ptx = bytes(text)
    check(nvrtc.nvrtcGetPTX(program, ptx))
    check(nvrtc.nvrtcDestroyProgram(program))
    return ptx


def functions(source, *names):
    module = check(driver.cuModuleLoadData(ptx_of(source)))
    return [check(driver.cuModuleGetFunction(module, name.encode())) for name in names]
