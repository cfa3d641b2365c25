# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the runtime API: loaded as a library, launched by each launch function, queried for attributes."""

import ctypes

import numpy as np
import pytest

from cuda.bindings import runtime
from cuda.bindings.runtime import cudaError_t as Error

ADD = b"""
.version 8.0
.target sm_90
.address_size 64
.visible .global .u32 total;
.visible .entry add(.param .u64 out_ptr, .param .u32 value)
{
 .reg .b64 %rd<4>; .reg .b32 %r<4>;
 ld.param.u64 %rd1, [out_ptr]; ld.param.u32 %r1, [value]; mov.u32 %r2, %ctaid.x; add.u32 %r3, %r1, %r2;
 mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r3; ret;
}
\0"""


@pytest.fixture
def library(ok):
    made = ok(runtime.cudaLibraryLoadData(ADD, [], [], 0, [], [], 0))
    yield made
    ok(runtime.cudaLibraryUnload(made))


@pytest.fixture
def kernel(ok, library):
    return ok(runtime.cudaLibraryGetKernel(library, "add"))


@pytest.fixture
def pointer(ok):
    start = ok(runtime.cudaMalloc(64))
    yield start
    ok(runtime.cudaFree(start))


def dim3(x):
    made = runtime.dim3()
    made.x, made.y, made.z = x, 1, 1
    return made


def numbers(ok, pointer):
    back = np.zeros(16, np.uint32)
    ok(runtime.cudaMemcpy(back, pointer, 64, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost))
    return back.tolist()


def arguments(pointer, value):
    return (pointer, value), (ctypes.c_void_p, ctypes.c_uint)


@pytest.mark.parametrize("function", ["cudaLaunchKernel", "cudaLaunchCooperativeKernel"])
def test_launch(ok, kernel, pointer, function):
    ok(runtime.cudaMemset(pointer, 0, 64))
    ok(getattr(runtime, function)(kernel, dim3(2), dim3(1), arguments(pointer, 5), 0, 0))
    assert numbers(ok, pointer)[:3] == [5, 6, 0]


def test_launch_with_a_configuration(ok, kernel, pointer):
    config = runtime.cudaLaunchConfig_t()
    config.gridDim, config.blockDim = dim3(16), dim3(32)
    stream = config.stream = ok(runtime.cudaStreamCreate())
    ok(runtime.cudaLaunchKernelExC(config, kernel, arguments(pointer, 100)))
    ok(runtime.cudaStreamSynchronize(stream))
    assert numbers(ok, pointer) == list(range(100, 116))
    ok(runtime.cudaStreamDestroy(stream))


def test_wrong_launches_are_refused(kernel, pointer):
    launch = runtime.cudaLaunchKernel(kernel, dim3(0), dim3(1), arguments(pointer, 5), 0, 0)
    assert launch == (Error.cudaErrorInvalidConfiguration,)
    launch = runtime.cudaLaunchKernel(0x1234, dim3(1), dim3(1), arguments(pointer, 5), 0, 0)
    assert launch == (Error.cudaErrorInvalidDeviceFunction,)


def test_attributes_of_a_kernel(ok, kernel, library):
    attributes = ok(runtime.cudaFuncGetAttributes(kernel))
    assert (attributes.maxThreadsPerBlock, attributes.ptxVersion) == (1024, 90)
    ok(
        runtime.cudaFuncSetAttribute(
            kernel, runtime.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize, 4096
        )
    )
    assert ok(runtime.cudaFuncGetAttributes(kernel)).maxDynamicSharedSizeBytes == 4096
    assert ok(runtime.cudaFuncGetName(kernel)) == b"add"
    assert ok(runtime.cudaFuncGetParamCount(kernel)) == 2
    assert ok(runtime.cudaFuncGetParamInfo(kernel, 1)) == (8, 4)
    assert ok(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor(kernel, 1024, 0)) >= 1
    assert ok(runtime.cudaLibraryGetKernelCount(library)) == 1
    assert [int(found) for found in ok(runtime.cudaLibraryEnumerateKernels(1, library))] == [int(kernel)]
    address, size = ok(runtime.cudaLibraryGetGlobal(library, "total"))
    assert (address != 0, size) == (True, 4)


def test_host_functions_run_in_stream_order(ok):
    seen = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    stream = ok(runtime.cudaStreamCreate())
    ok(runtime.cudaLaunchHostFunc(stream, function, 7))
    ok(runtime.cudaStreamSynchronize(stream))
    assert seen == [7]
    ok(runtime.cudaStreamDestroy(stream))
