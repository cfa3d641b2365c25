# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_memory import memory

from cuda.cpu import abi, driver

HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4  # CUmemorytype


def test_round_trip_through_device_memory(context):
    source, target = np.arange(1000, dtype=np.uint8), np.zeros(1000, np.uint8)
    with memory(1000) as a, memory(1000) as b:
        driver.cuMemcpyHtoD(a, source.ctypes.data, 1000)
        driver.cuMemcpyDtoD(b, a, 1000)
        driver.cuMemcpyPeer(a, 0, b, context, 1000)
        driver.cuMemcpyDtoH(target.ctypes.data, a, 1000)
        assert (target == source).all()
        driver.cuMemcpy(a, target[500:].ctypes.data, 500)
        driver.cuMemcpy(target.ctypes.data, a, 500)
        assert (target[:500] == source[500:]).all()
        driver.cuMemcpy(a, 0, 0)  # nothing to do


@pytest.mark.parametrize("pinned", [False, True])
def test_async_copies_behind_a_running_kernel(spinning, pinned):
    """A pageable source may be changed once the call returns; a pinned one is read in stream order."""
    source = driver.cuMemHostAlloc(8, 0) if pinned else ctypes.addressof(kept := ctypes.create_string_buffer(8))
    result = driver.cuMemHostAlloc(8, 0)
    ctypes.memmove(source, b"original", 8)
    stream = driver.cuStreamCreate(0)
    with memory(8) as a, memory(8) as b:
        flag = spinning(stream)
        driver.cuMemcpyHtoDAsync(a, source, 8, stream)
        ctypes.memmove(source, b"changed!", 8)
        driver.cuMemcpyDtoDAsync(b, a, 8, stream)
        driver.cuMemcpyDtoHAsync(result, b, 8, stream)
        flag.raise_()
        driver.cuStreamSynchronize(stream)
        assert ctypes.string_at(result, 8) == (b"changed!" if pinned else b"original")
        driver.cuMemcpyPeerAsync(a, 0, b, 0, 8, stream)
        driver.cuMemcpyAsync(source, a, 8, stream)
        driver.cuStreamSynchronize(stream)
        assert ctypes.string_at(source, 8) == ctypes.string_at(result, 8)
    driver.cuStreamDestroy(stream)
    driver.cuMemFreeHost(result)
    if pinned:
        driver.cuMemFreeHost(source)
    else:
        del kept


def test_a_sync_copy_waits_for_its_source(spinning):
    import threading

    with memory(4) as pointer:
        flag = spinning(0)
        driver.cuMemsetD32Async(pointer, 9, 1, 0)
        timer = threading.Timer(0.05, flag.raise_)
        timer.start()
        target = ctypes.c_uint32()
        driver.cuMemcpyDtoH(ctypes.addressof(target), pointer, 4)
        assert target.value == 9
        timer.join()


@pytest.mark.parametrize("size", [64, 1 << 20])
def test_an_unmapped_host_address_fails_the_context_not_the_process(refused, size):
    nowhere = 0x8000  # Linux lets ordinary processes map nothing below 0x10000
    driver.cuCtxCreate(0, 0, 0)
    pointer = driver.cuMemAlloc(size)
    with refused("ILLEGAL_ADDRESS", "a copy: illegal memory access at 0x"):
        driver.cuMemcpyHtoD(pointer, nowhere, size)
    driver.cuCtxDestroy(driver.cuCtxGetCurrent())


def test_invalid_source_or_destination(context, refused):
    host = ctypes.create_string_buffer(64)
    address = ctypes.addressof(host)
    with memory(32) as pointer:
        with refused("INVALID_VALUE", "32 bytes past the end"):
            driver.cuMemcpyHtoD(pointer, address, 64)
        with refused("INVALID_VALUE", "destination"):
            driver.cuMemcpyHtoD(address, pointer, 8)
        with refused("INVALID_VALUE", "the source"):
            driver.cuMemcpyDtoH(address, address, 8)
        with refused("INVALID_VALUE", "NULL"):
            driver.cuMemcpyDtoH(0, pointer, 8)
        with refused("INVALID_HANDLE"):
            driver.cuMemcpyHtoDAsync(pointer, address, 8, 12345)
    with refused("INVALID_VALUE", "nothing is allocated"):
        driver.cuMemcpy(address, pointer, 8)
    with refused("INVALID_CONTEXT"):
        driver.cuMemcpyPeer(pointer, 12345, pointer, 0, 8)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_copies_in_2d_and_3d_match_numpy(context, data):
    """cuMemcpy2D and cuMemcpy3D copy the box that NumPy's slicing selects."""
    flat = data.draw(st.booleans())
    width, height, depth = (data.draw(st.integers(1, 6)) for _ in range(3))
    depth = 1 if flat else depth
    offsets = [[data.draw(st.integers(0, 3)) for _ in range(3)] for _ in range(2)]
    shapes = [((0 if flat else z) + depth, y + height, x + width + data.draw(st.integers(0, 3))) for x, y, z in offsets]
    source = np.random.default_rng(0).integers(0, 256, shapes[0], np.uint8)
    target = np.zeros(shapes[1], np.uint8)
    given = (abi.CUDA_MEMCPY2D if flat else abi.CUDA_MEMCPY3D)()
    with memory(source.size) as pointer:
        driver.cuMemcpyHtoD(pointer, source.ctypes.data, source.size)
        given.srcMemoryType, given.srcDevice = DEVICE, pointer
        given.dstMemoryType, given.dstHost = HOST, target.ctypes.data
        for end, (x, y, z), shape in zip(("src", "dst"), offsets, shapes, strict=True):
            setattr(given, f"{end}XInBytes", x)
            setattr(given, f"{end}Y", y)
            setattr(given, f"{end}Pitch", shape[2])
            if not flat:
                setattr(given, f"{end}Z", z)
                setattr(given, f"{end}Height", shape[1])
        given.WidthInBytes, given.Height = width, height
        if not flat:
            given.Depth = depth
        (driver.cuMemcpy2D if flat else driver.cuMemcpy3D)(ctypes.addressof(given))
    expected = np.zeros(shapes[1], np.uint8)
    boxes = [
        (slice(0, 1) if flat else slice(z, z + depth), slice(y, y + height), slice(x, x + width)) for x, y, z in offsets
    ]
    expected[boxes[1]] = source[boxes[0]]
    assert (target == expected).all()


def box(**fields):
    given = abi.CUDA_MEMCPY2D(srcMemoryType=DEVICE, dstMemoryType=DEVICE, WidthInBytes=8, Height=2)
    for name, value in fields.items():
        setattr(given, name, value)
    return given


def test_async_3d_and_peer_copies(context):
    with memory(16) as a, memory(16) as b:
        driver.cuMemsetD8(a, 7, 16)
        given = box(srcDevice=a, dstDevice=b)
        driver.cuMemcpy2DAsync(ctypes.addressof(given), 0)
        driver.cuMemcpy2DUnaligned(ctypes.addressof(given))
        peer = abi.CUDA_MEMCPY3D_PEER(srcMemoryType=UNIFIED, dstMemoryType=UNIFIED, srcDevice=b, dstDevice=a,
                                      WidthInBytes=16, Height=1, Depth=1)  # fmt: skip
        driver.cuMemcpy3DPeer(ctypes.addressof(peer))
        driver.cuMemcpy3DPeerAsync(ctypes.addressof(peer), 0)
        driver.cuCtxSynchronize()
        result = ctypes.create_string_buffer(16)
        driver.cuMemcpyDtoH(ctypes.addressof(result), a, 16)
        assert result.raw == b"\7" * 16


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"srcMemoryType": ARRAY}, "INVALID_HANDLE", "the array handle is NULL"),
        ({"dstMemoryType": 9}, "INVALID_VALUE", "dstMemoryType is 9"),
        ({"srcPitch": 4}, "INVALID_VALUE", "srcPitch 4"),
        ({"srcDevice": 0}, "INVALID_VALUE", "src is NULL"),
        ({"Height": 3}, "INVALID_VALUE", "8 bytes past the end"),
    ],
)
def test_invalid_3d_copies(context, refused, fields, status, says):
    with memory(16) as a, memory(16) as b:
        given = box(**{"srcDevice": a, "dstDevice": b, **fields})
        with refused(status, says):
            driver.cuMemcpy2D(ctypes.addressof(given))
    with refused("INVALID_VALUE", "pCopy is NULL"):
        driver.cuMemcpy2D(0)


def test_batches(context, refused):
    stream = driver.cuStreamCreate(0)
    source = np.arange(8, dtype=np.uint8)
    with memory(8) as pointer:
        targets = np.array([pointer, pointer + 4], np.uint64)
        sources = np.array([source.ctypes.data + 4, source.ctypes.data], np.uint64)
        sizes, first = np.array([4, 4], np.uint64), np.array([0], np.uint64)
        attributes = abi.CUmemcpyAttributes(srcAccessOrder=abi.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM)
        arrays = (targets.ctypes.data, sources.ctypes.data, sizes.ctypes.data)
        driver.cuMemcpyBatchAsync(*arrays, 2, ctypes.addressof(attributes), first.ctypes.data, 1, stream)
        driver.cuStreamSynchronize(stream)
        result = np.zeros(8, np.uint8)
        driver.cuMemcpyWithAttributesAsync(result.ctypes.data, pointer, 8, ctypes.addressof(attributes), stream)
        assert result.tolist() == [4, 5, 6, 7, 0, 1, 2, 3]
        with refused("INVALID_VALUE", "legacy"):
            driver.cuMemcpyBatchAsync(*arrays, 2, ctypes.addressof(attributes), first.ctypes.data, 1, 0)
        attributes.srcAccessOrder = 9
        with refused("INVALID_VALUE", "srcAccessOrder is 9"):
            driver.cuMemcpyBatchAsync(*arrays, 2, ctypes.addressof(attributes), first.ctypes.data, 1, stream)
    driver.cuStreamDestroy(stream)


@pytest.mark.parametrize(("bits", "kind"), [(8, np.uint8), (16, np.uint16), (32, np.uint32)])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_memset(context, bits, kind, asynchronous):
    value = 0xFEDCBA98 & ((1 << bits) - 1)
    result = np.zeros(12, kind)
    end, tail = ("Async", (0,)) if asynchronous else ("", ())
    with memory(result.nbytes) as pointer:
        getattr(driver, f"cuMemsetD{bits}{end}")(pointer, 0, 12, *tail)
        getattr(driver, f"cuMemsetD{bits}{end}")(pointer + result.itemsize, value, 3, *tail)
        getattr(driver, f"cuMemsetD2D{bits}{end}")(
            pointer + 4 * result.itemsize, 4 * result.itemsize, value, 2, 2, *tail
        )
        driver.cuMemcpyDtoH(result.ctypes.data, pointer, result.nbytes)
    assert (result == np.array([0, value, value, value, value, value, 0, 0, value, value, 0, 0], kind)).all()


def test_invalid_memsets(context, refused):
    with memory(16) as pointer:
        with refused("INVALID_VALUE", "aligned to 4"):
            driver.cuMemsetD32(pointer + 2, 0, 1)
        with refused("INVALID_VALUE", "past the end"):
            driver.cuMemsetD8(pointer, 0, 17)
        with refused("INVALID_VALUE", "dstPitch 2"):
            driver.cuMemsetD2D8(pointer, 2, 0, 4, 2)
        driver.cuMemsetD8(0, 0, 0)  # nothing to do


def batch_entry(target: int, source: int, width: int, height: int, pitch: int = 0):
    entry = abi.CUDA_MEMCPY3D_BATCH_OP(srcAccessOrder=1)
    entry.extent.width, entry.extent.height, entry.extent.depth = width, height, 1
    for end, pointer in ((entry.src, source), (entry.dst, target)):
        end.type = abi.CU_MEMCPY_OPERAND_TYPE_POINTER
        end.op.ptr.ptr, end.op.ptr.rowLength = pointer, pitch
    return entry


def test_batched_3d_copies(context, refused):
    stream, pointer = driver.cuStreamCreate(0), driver.cuMemAlloc(64)
    driver.cuMemsetD8(pointer, 0, 64)
    driver.cuMemsetD8(pointer, 5, 16)
    entries = (abi.CUDA_MEMCPY3D_BATCH_OP * 2)(
        batch_entry(pointer + 32, pointer, 4, 2, 8), batch_entry(pointer + 48, pointer, 8, 1)
    )
    assert driver.cuMemcpy3DBatchAsync_v1(1, ctypes.addressof(entries), 0, stream) == 2**64 - 1  # no index of a failure
    driver.cuMemcpy3DWithAttributesAsync(ctypes.addressof(entries), 0, stream)
    driver.cuMemcpy3DBatchAsync(2, ctypes.addressof(entries), 0, stream)
    driver.cuStreamSynchronize(stream)
    data = (ctypes.c_uint8 * 32)()
    driver.cuMemcpyDtoH(ctypes.addressof(data), pointer + 32, 32)
    assert list(data) == ([5] * 4 + [0] * 4) * 2 + [5] * 8 + [0] * 8
    with refused("INVALID_VALUE", "legacy"):
        driver.cuMemcpy3DBatchAsync(2, ctypes.addressof(entries), 0, 0)
    with refused("INVALID_VALUE", "no operations"):
        driver.cuMemcpy3DBatchAsync(0, ctypes.addressof(entries), 0, stream)
    entries[0].extent.width = 1
    entries[1].extent.width = 80
    with refused("INVALID_VALUE", "past the end"):
        driver.cuMemcpy3DBatchAsync(2, ctypes.addressof(entries), 0, stream)
    for kind, status in ((abi.CU_MEMCPY_OPERAND_TYPE_ARRAY, "INVALID_HANDLE"), (7, "INVALID_VALUE")):
        entries[0].src.type = kind
        with refused(status):
            driver.cuMemcpy3DBatchAsync(1, ctypes.addressof(entries), 0, stream)
    driver.cuMemFree(pointer)
    driver.cuStreamDestroy(stream)
