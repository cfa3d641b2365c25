# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Types that arguments and fields accept by conversion, as in NVIDIA's package."""

import ctypes
import enum
import fractions

import numpy as np
import pytest

from cuda.bindings import driver, runtime


class Five:
    """What converts by __int__ alone, as handles of other libraries do."""

    def __int__(self):
        return 5

    def __repr__(self):  # in the test's name, which is the same in all processes of pytest-xdist
        return "Five()"


class Number(enum.IntEnum):
    FIVE = 5


FIVES = [5, 5.0, np.float64(5.0), np.int8(5), np.array(5), Five(), Number.FIVE, fractions.Fraction(5), np.uint64(5)]


@pytest.mark.parametrize("five", FIVES, ids=repr)
def test_numbers_without_a_fraction_are_ints(five):
    assert driver.CUextent3D(width=five).width == 5  # size_t
    assert driver.CUdevprop(clockRate=five).clockRate == 5  # int
    assert driver.cuGetErrorName(five) == driver.cuGetErrorName(driver.CUresult(5))  # an enumeration
    assert driver.CUDA_ARRAY_DESCRIPTOR(Format=five).Format == 5
    assert int(runtime.make_cudaExtent(five, 1, 1).width) == 5


def test_bools_are_ints():
    assert driver.CUextent3D(width=np.bool_(True)).width == driver.CUextent3D(width=True).width == 1


@pytest.mark.parametrize(
    "wrong", [5.5, np.float64(0.5), float("inf"), "5", b"5", [5], 5j, fractions.Fraction(1, 2), None]
)
def test_fractions_are_refused(wrong):
    with pytest.raises(TypeError, match=r"CUextent3D\.width must be an int from 0 to"):
        driver.CUextent3D(width=wrong)


@pytest.mark.parametrize("kind", [list, tuple, bytes, bytearray, memoryview])
def test_byte_arrays_accept_lists_of_ints(kind):
    made = driver.CUmemFabricHandle(data=kind(range(64)) if kind is not memoryview else memoryview(bytes(range(64))))
    assert made.data == bytes(range(64))
    assert runtime.cudaMemFabricHandle_t is not None
    with pytest.raises(ValueError, match=r"CUuuid\.bytes must be bytes of length 16, not 3"):
        driver.CUuuid(bytes=[1, 2, 3])
    with pytest.raises(OverflowError, match=r"CUuuid\.bytes must be an int from -128 to 255, not 256"):
        driver.CUuuid(bytes=[256] * 16)
    assert driver.CUuuid(bytes=[-1] * 16).bytes == b"\xff" * 16


def parameter(value, kind):
    """Return the bytes of a kernel's parameter."""
    params = driver.CUDA_KERNEL_NODE_PARAMS(kernelParams=((value,), (kind,)))
    address = ctypes.cast(params.kernelParams, ctypes.POINTER(ctypes.c_void_p))[0]
    return ctypes.string_at(address, 4)


def test_characters_and_enumerations_are_kernel_parameters():
    assert parameter("\u20ac", ctypes.c_wchar) == (0x20AC).to_bytes(4, "little")
    assert parameter(ctypes.c_wchar("a"), ctypes.c_wchar) == (97).to_bytes(4, "little")
    assert parameter(driver.CUresult.CUDA_ERROR_INVALID_VALUE, None) == (1).to_bytes(4, "little")
    assert parameter(Number.FIVE, ctypes.c_int) == (5).to_bytes(4, "little")


def test_text_may_end_in_several_nuls():
    padded = b"cuInit" + bytes(10)
    assert driver.cuGetProcAddress(padded, 13000, 0)[0] == driver.cuGetProcAddress(b"cuInit", 13000, 0)[0]
    with pytest.raises(ValueError, match="must not contain a NUL character"):
        driver.cuGetProcAddress(b"cu\0Init\0", 13000, 0)


SAME = {
    "CUstream": "cudaStream_t",
    "CUevent": "cudaEvent_t",
    "CUgraph": "cudaGraph_t",
    "CUgraphNode": "cudaGraphNode_t",
    "CUgraphExec": "cudaGraphExec_t",
    "CUmemoryPool": "cudaMemPool_t",
    "CUuserObject": "cudaUserObject_t",
    "CUlibrary": "cudaLibrary_t",
    "CUkernel": "cudaKernel_t",
    "CUfunction": "cudaFunction_t",
    "CUarray": "cudaArray_t",
    "CUmipmappedArray": "cudaMipmappedArray_t",
    "CUexternalMemory": "cudaExternalMemory_t",
    "CUexternalSemaphore": "cudaExternalSemaphore_t",
    "CUgraphicsResource": "cudaGraphicsResource_t",
    "CUdevResourceDesc": "cudaDevResourceDesc_t",
}


@pytest.mark.parametrize(("theirs", "ours"), SAME.items())
def test_handles_of_the_driver_and_the_runtime_are_the_same_objects(theirs, ours):
    assert ours in getattr(driver, theirs)._kind_.accepts
    assert theirs in getattr(runtime, ours)._kind_.accepts
    assert "CUcontext" not in getattr(runtime, ours)._kind_.accepts


@pytest.fixture
def context():
    """The primary context of device 0, which both APIs use."""
    assert driver.cuInit(0) == (0,)
    _, made = driver.cuDevicePrimaryCtxRetain(0)
    driver.cuCtxPushCurrent(made)
    yield made
    driver.cuCtxPopCurrent()
    driver.cuDevicePrimaryCtxRelease(0)


def ok(result):
    status, *values = result
    assert status == 0, status
    return values[0] if values else None


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize(
    ("make", "use"),
    [
        (lambda: driver.cuStreamCreate(0), runtime.cudaStreamDestroy),
        (lambda: driver.cuEventCreate(0), runtime.cudaEventDestroy),
        (lambda: driver.cuGraphCreate(0), runtime.cudaGraphDestroy),
        (lambda: driver.cuGraphInstantiate(ok(driver.cuGraphCreate(0)), 0), runtime.cudaGraphExecDestroy),
        (lambda: driver.cuGraphAddEmptyNode(ok(driver.cuGraphCreate(0)), None, 0), runtime.cudaGraphDestroyNode),
        (lambda: driver.cuDeviceGetDefaultMemPool(0), lambda pool: runtime.cudaMemPoolTrimTo(pool, 0)),
        (runtime.cudaStreamCreate, driver.cuStreamDestroy),
        (runtime.cudaEventCreate, driver.cuEventDestroy),
        (lambda: runtime.cudaGraphCreate(0), driver.cuGraphDestroy),
        (lambda: runtime.cudaGraphInstantiate(ok(runtime.cudaGraphCreate(0)), 0), driver.cuGraphExecDestroy),
        (lambda: runtime.cudaGraphAddEmptyNode(ok(runtime.cudaGraphCreate(0)), None, 0), driver.cuGraphDestroyNode),
        (lambda: runtime.cudaDeviceGetDefaultMemPool(0), lambda pool: driver.cuMemPoolTrimTo(pool, 0)),
    ],
)
def test_driver_and_runtime_accept_handles_of_each_other(make, use):
    ok(use(ok(make())))


def test_another_kind_of_handle_is_refused():
    """NVIDIA's package takes any handle for any other, and the driver then reads foreign memory."""
    with pytest.raises(TypeError, match="stream must be cudaStream_t, int or None, not CUevent"):
        runtime.cudaStreamDestroy(driver.CUevent(5))
