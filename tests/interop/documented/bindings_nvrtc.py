# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVRTC: versions, architectures, headers given as text, name expressions, logs, errors."""

from common import check

from cuda.bindings import nvrtc

major, minor = check(nvrtc.nvrtcVersion())
print(major >= 12, minor >= 0, nvrtc.nvrtcGetErrorString(nvrtc.nvrtcResult.NVRTC_ERROR_COMPILATION))
count = check(nvrtc.nvrtcGetNumSupportedArchs())
known = check(nvrtc.nvrtcGetSupportedArchs())
print(count == len(known), 90 in known, sorted(known) == known)
SOURCE = b"""
#include "mine.h"
template <typename T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by * FACTOR; }
__constant__ int table[4];
namespace inner { __global__ void other() {} }
"""
program = check(nvrtc.nvrtcCreateProgram(SOURCE, b"names.cu", 1, [b"#define FACTOR 3"], [b"mine.h"]))
names = [b"scale<float>", b"scale<double>", b"&table", b"inner::other"]
for name in names:
    check(nvrtc.nvrtcAddNameExpression(program, name))
print(nvrtc.nvrtcGetLoweredName(program, names[0])[0].name)
check(nvrtc.nvrtcCompileProgram(program, 2, [b"--gpu-architecture=compute_90", b"--std=c++17"]))
print([check(nvrtc.nvrtcGetLoweredName(program, name)) for name in names])
print(nvrtc.nvrtcGetLoweredName(program, b"absent")[0].name)
print(nvrtc.nvrtcAddNameExpression(program, b"late")[0].name)
print(check(nvrtc.nvrtcGetProgramLogSize(program)))
print(check(nvrtc.nvrtcGetCUBINSize(program)))
print(check(nvrtc.nvrtcDestroyProgram(program)), int(program))
wrong = check(nvrtc.nvrtcCreateProgram(b'extern "C" __global__ void k() { missing(); }', b"", 0, [], []))
print(nvrtc.nvrtcCompileProgram(wrong, 1, [b"-arch=sm_90"])[0])
size = check(nvrtc.nvrtcGetProgramLogSize(wrong))
log = bytearray(size)
check(nvrtc.nvrtcGetProgramLog(wrong, log))
print(b'identifier "missing" is undefined' in log, log.endswith(b"\0"), b"default_program" in log)
print(nvrtc.nvrtcCompileProgram(wrong, 1, [b"--no-such"])[0].name, nvrtc.nvrtcGetPTXSize(wrong)[0].name)
check(nvrtc.nvrtcDestroyProgram(wrong))
print(nvrtc.nvrtcResult(5).name, int(nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_OPTION))
