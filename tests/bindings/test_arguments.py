# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments that are refused before the C function is called, and the error messages."""

import ctypes
import re

import numpy as np
import pytest

from cuda.bindings import driver, nvjitlink, nvrtc
from cuda.bindings._args import CountError

HUGE = 1 << 64


def test_short_lists_are_errors_of_two_kinds():
    for kind in (ValueError, RuntimeError):  # Python's, and that of NVIDIA's bindings
        with pytest.raises(kind, match="headers has 0 elements, but numHeaders is 1"):
            nvrtc.nvrtcCreateProgram(b"", b"k.cu", 1, [], [])


# function, arguments, exception, message
REFUSED = [
    ("cuInit", (-1,), OverflowError, "cuInit: Flags must be an int from 0 to 4294967295, not -1"),
    ("cuInit", (1 << 32,), OverflowError, "cuInit: Flags must be an int from 0 to 4294967295, not 4294967296"),
    ("cuInit", ("0",), TypeError, "cuInit: Flags must be an int from 0 to 4294967295, not str ('0')"),
    ("cuInit", (0.5,), TypeError, "cuInit: Flags must be an int from 0 to 4294967295, not float (0.5)"),
    ("cuInit", (float("nan"),), TypeError, "cuInit: Flags must be an int from 0 to 4294967295, not float (nan)"),
    ("cuInit", (-1.0,), OverflowError, "cuInit: Flags must be an int from 0 to 4294967295, not -1"),
    ("cuInit", (10**5000,), OverflowError, "Flags must be an int from 0 to 4294967295, not an int of 16610 bits"),
    ("cuInit", (None,), TypeError, "cuInit: Flags must be an int from 0 to 4294967295, not NoneType (None)"),
    ("cuDeviceGet", (1 << 31,), OverflowError, "ordinal must be an int from -2147483648 to 2147483647"),
    ("cuMemAlloc", (HUGE,), OverflowError, "cuMemAlloc: bytesize must be an int from 0 to 18446744073709551615"),
    ("cuStreamQuery", ("x",), TypeError, "cuStreamQuery: hStream must be CUstream, int or None, not str ('x')"),
    ("cuStreamQuery", (1.5,), TypeError, "hStream must be CUstream, int or None, not float (1.5)"),
    ("cuStreamQuery", (-1,), OverflowError, "hStream must be an int from 0 to 18446744073709551615, not -1"),
    ("cuStreamQuery", (HUGE,), OverflowError, "hStream must be an int"),
    ("cuEventQuery", (driver.CUstream(5),), TypeError, "hEvent must be CUevent, int or None, not CUstream"),
    ("cuMemFree", (np.arange(2),), TypeError, "dptr must be an int from 0 to 18446744073709551615, not ndarray"),
    ("cuMemcpyHtoD", (0, b"abc", 4), ValueError, "cuMemcpyHtoD: srcHost has 3 bytes, but 4 are needed"),
    ("cuMemcpyDtoH", (bytearray(3), 0, 4), ValueError, "cuMemcpyDtoH: dstHost has 3 bytes, but 4 are needed"),
    (
        "cuMemcpyDtoH",
        (memoryview(b"abcd"), 0, 4),
        TypeError,
        "dstHost must be writable memory; this memoryview is",
    ),
    (
        "cuMemcpyHtoD",
        (0, np.zeros((4, 4))[:, 1], 4),
        ValueError,
        "srcHost must be contiguous memory; this ndarray",
    ),
    (
        "cuMemcpyHtoD",
        (0, "text", 4),
        TypeError,
        "srcHost must be an address (int), an object with the",
    ),
    ("cuModuleGetFunction", (0, 5), TypeError, "cuModuleGetFunction: name must be str, bytes or None, not int (5)"),
    ("cuModuleGetFunction", (0, "a\0b"), ValueError, "name must not contain a NUL character"),
    ("cuMemcpy2D", (driver.CUDA_MEMCPY3D(),), TypeError, "pCopy must be CUDA_MEMCPY2D or None, not CUDA_MEMCPY3D"),
    ("cuMemAdvise", (0, 1, 1, None), TypeError, "location must be CUmemLocation, not NoneType"),
    ("cuGraphAddEmptyNode", (0, [1], 2), CountError, "dependencies has 1 elements, but numDependencies is 2"),
    ("cuGraphAddEmptyNode", (0, "ab", 2), TypeError, "dependencies must be a list or tuple of CUgraphNode, an address"),
    ("cuGraphAddEmptyNode", (0, ["a"], 1), TypeError, "dependencies must be CUgraphNode, int or None, not str"),
    ("cuGraphGetNodes", (0, 1 << 62), MemoryError, "an array of"),
    ("cuDeviceGetName", (-1, 0), ValueError, "a length of -1 is out of range"),
    (
        "cuLaunchHostFunc",
        (0, "f", 0),
        TypeError,
        "fn must be the address of a C function (int, or a ctypes",
    ),
    ("cuMemPoolSetAttribute", (0, 4, "x"), TypeError, "cuMemPoolSetAttribute: value must be an int"),
    ("cuParamSetf", (0, 0, "x"), TypeError, "cuParamSetf: value must be a number, not str"),
    ("cuParamSetf", (0, 0, 1e39), OverflowError, "cuParamSetf: value = 1e+39 does not fit a C float"),
]


@pytest.mark.parametrize(("function", "arguments", "error", "message"), REFUSED)
def test_wrong_arguments_are_refused(function, arguments, error, message):
    with pytest.raises(error, match=re.escape(message)):
        getattr(driver, function)(*arguments)


def launch(parameters):
    return driver.cuLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ((1, 2, 3), TypeError, "kernelParams must be (values, types), two tuples of the same length, not a tuple of 3"),
        (((1, 2), (ctypes.c_int,)), TypeError, "kernelParams has 2 values, but 1 types"),
        (((1.5,), (ctypes.c_int,)), TypeError, "kernelParams[0] must be an int for c_int, not float (1.5)"),
        (((1 << 32,), (ctypes.c_int,)), OverflowError, "kernelParams[0] = 4294967296 does not fit c_int"),
        ((("x",), (ctypes.c_float,)), TypeError, "kernelParams[0] must be a number, not str ('x')"),
        (((1,), (int,)), TypeError, "kernelParams[0]: the type must be None or a simple ctypes type"),
        (((1,), (None,)), TypeError, "kernelParams[0] has type None, so it must have getPtr() or be a ctypes object"),
        ("x", TypeError, "kernelParams must be an address (int)"),
        (b"abc", ValueError, "kernelParams must be an array of addresses; 3 bytes are no multiple of 8"),
    ],
)
def test_refused_kernel_parameters(parameters, error, message):
    with pytest.raises(error, match=re.escape(f"cuLaunchKernel: {message}")):
        launch(parameters)


def test_wrong_number_of_arguments():
    with pytest.raises(TypeError, match="cuMemAlloc"):
        driver.cuMemAlloc()
    with pytest.raises(TypeError, match="hStreams"):
        driver.cuStreamQuery(hStreams=0)


@pytest.mark.needs_nvrtc
def test_outputs_may_be_new_bytes_objects_of_sufficient_size():
    status, program = nvrtc.nvrtcCreateProgram("__global__ void k() {}", b"k.cu", 0, [], [])
    assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS
    assert nvrtc.nvrtcCompileProgram(program, 1, ["-arch=sm_90"]) == (nvrtc.nvrtcResult.NVRTC_SUCCESS,)
    _, size = nvrtc.nvrtcGetPTXSize(program)
    ptx = b" " * size
    nvrtc.nvrtcGetPTX(program, ptx)
    assert b".entry _Z1kv" in ptx
    with pytest.raises(ValueError, match=f"nvrtcGetPTX: ptx has 3 bytes, but {size} are needed"):
        nvrtc.nvrtcGetPTX(program, bytearray(3))
    # A log of one byte goes aside, for that bytes object is everybody's.
    _, size = nvrtc.nvrtcGetProgramLogSize(program)
    nvrtc.nvrtcGetProgramLog(program, b" " * size)
    assert (size, b" ") == (1, bytes([32]))
    assert nvrtc.nvrtcDestroyProgram(program) == (nvrtc.nvrtcResult.NVRTC_SUCCESS,)
    assert int(program) == 0  # what uses it now is refused; the address may belong to another program
    assert nvrtc.nvrtcGetPTXSize(program)[0] == nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_PROGRAM


@pytest.mark.needs_nvjitlink
def test_nvjitlink_raises():
    with pytest.raises(nvjitlink.nvJitLinkError, match=r"ERROR_UNSUPPORTED_ARCH \(17\)") as caught:
        nvjitlink.create(1, ["-arch=sm_9999"])
    assert nvjitlink.Result(caught.value.status).name.startswith("ERROR_")
    with pytest.raises(CountError, match="create: options has 0 elements, but num_options is 1"):
        nvjitlink.create(1, [])


@pytest.mark.needs_nvjitlink
def test_a_smaller_size_takes_the_first_bytes():
    """NVIDIA's bindings raise a ValueError for that: see docs/coming_from/nvidia.md."""
    ptx = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n\0"
    link = nvjitlink.create(1, ["-arch=sm_80"])
    try:
        nvjitlink.add_data(link, nvjitlink.InputType.PTX, ptx + b"no PTX", len(ptx), "k.ptx")
        nvjitlink.complete(link)
        assert nvjitlink.get_linked_cubin_size(link) > 0
        with pytest.raises(ValueError, match=f"add_data: data has {len(ptx)} bytes, but {len(ptx) + 1} are needed"):
            nvjitlink.add_data(link, nvjitlink.InputType.PTX, ptx, len(ptx) + 1, "k.ptx")
    finally:
        nvjitlink.destroy(link)
