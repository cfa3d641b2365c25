# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Exceptions that programs catch by a class: of the bindings' compilers, of options, files and buffers."""

from common import begin

from cuda.bindings import driver, nvjitlink, nvrtc, nvvm
from cuda.core import Linker, LinkerOptions, ObjectCode, Program, ProgramOptions
from cuda.core._utils.cuda_utils import CUDAError, NVRTCError

device, stream = begin()
PTX = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }\n"
SOURCE = 'extern "C" __global__ void f(int *x) { x[0] = 1; }'
CALLER = 'extern "C" __device__ int g(); extern "C" __global__ void f(int *x) { x[0] = g(); }'
relocatable = ProgramOptions(relocatable_device_code=True)
code = Program(SOURCE, "c++").compile("cubin")
linker = LinkerOptions(arch=f"sm_{device.arch}")
handle = nvrtc.nvrtcCreateProgram(b"", b"f.cu", 0, [], [])[1]


def options(**fields):
    return ProgramOptions(arch="sm_80", **fields)


CALLS = [
    (nvjitlink.nvJitLinkError, lambda: Program("garbage", "ptx")),
    (nvjitlink.nvJitLinkError, lambda: Program(PTX.replace("ret", "nothing"), "ptx")),
    (nvjitlink.nvJitLinkError, lambda: Program(PTX.replace("sm_80", "sm_100"), "ptx")),
    (nvjitlink.nvJitLinkError, lambda: Linker(ObjectCode.from_object("missing.o"), options=linker)),
    (nvjitlink.nvJitLinkError, lambda: Linker(ObjectCode.from_cubin(b"garbage"), options=linker)),
    (nvjitlink.nvJitLinkError, lambda: Linker(Program(SOURCE, "c++").compile("ltoir"), options=linker).link("cubin")),
    (nvjitlink.nvJitLinkError, lambda: Linker(Program(CALLER, "c++", relocatable).compile("ptx")).link("cubin")),
    (nvvm.nvvmError, lambda: Program("garbage", "nvvm")),
    (NVRTCError, lambda: Program("garbage", "c++").compile("ptx")),
    (CUDAError, lambda: Program("garbage", "c++").compile("ptx")),
    (CUDAError, lambda: ObjectCode.from_cubin("missing.cubin").get_kernel("f")),
    (CUDAError, lambda: ObjectCode.from_ptx(b"garbage").get_kernel("f")),
    (CUDAError, lambda: Program(SOURCE, "c++").compile("ltoir").get_kernel("f")),
    (CUDAError, lambda: code.get_kernel("missing")),
    (CUDAError, lambda: options(std="c++17").as_bytes("nvvm")),
    (CUDAError, lambda: device.allocate(0, stream=stream)),
    (TypeError, lambda: ObjectCode.from_ptx(3).get_kernel("f")),
    (TypeError, lambda: Program(SOURCE.encode(), "c++")),
    (TypeError, lambda: Program(PTX.encode(), "ptx")),
    (TypeError, lambda: memoryview(device.allocate(64, stream=stream))),
    (ValueError, lambda: Program(PTX, "ptx", ProgramOptions(extra_sources=[("a", "b")]))),
    (RuntimeError, lambda: options(define_macro=3).as_bytes("nvrtc")),
    (RuntimeError, lambda: options(define_macro=("N", 3)).as_bytes("nvrtc")),
    (RuntimeError, lambda: options(define_macro={"N": 3}).as_bytes("nvrtc")),
    (RuntimeError, lambda: options(define_macro=[["A", "1"]]).as_bytes("nvrtc")),
    (RuntimeError, lambda: nvrtc.nvrtcCreateProgram(b"", b"f.cu", 1, [], [])),
    (RuntimeError, lambda: nvrtc.nvrtcCompileProgram(handle, 1, [])),
    (RuntimeError, lambda: driver.cuGraphAddEmptyNode(driver.cuGraphCreate(0)[1], [], 1)),
    (RuntimeError, lambda: driver.cuLinkCreate(1, [], [])),
]

for number, (kind, call) in enumerate(CALLS):
    try:
        call()
        print(number, "nothing")
    except kind:
        print(number, kind.__name__)
    except Exception as error:
        print(number, "another", type(error).__name__)
print(stream.wait(None))
