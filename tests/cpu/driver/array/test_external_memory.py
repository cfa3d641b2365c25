# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""External memory, imported from a file descriptor."""

import ctypes
import mmap
import os
from ctypes import addressof

import arrays
import graph_calls as calls
import kernels
import numpy as np
import pytest

from cuda.cpu import abi, driver, runtime_abi, runtime_api

SIZE = 1 << 16
FD = abi.CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD


@pytest.fixture
def shared():
    """A file of memory as another program makes it, and its pages."""
    descriptor = os.memfd_create("another program's")
    os.ftruncate(descriptor, SIZE)
    with mmap.mmap(descriptor, SIZE) as pages:
        yield os.dup(descriptor), pages
    os.close(descriptor)


def described(descriptor: int, size: int = SIZE, kind: int = FD, flags: int = 0):
    given = abi.CUDA_EXTERNAL_MEMORY_HANDLE_DESC(type=kind, size=size, flags=flags)
    given.handle.fd = descriptor
    return given


def imported(descriptor: int) -> int:
    given = described(descriptor)
    return driver.cuImportExternalMemory(addressof(given))


def buffer(handle: int, offset: int, size: int, flags: int = 0) -> int:
    given = abi.CUDA_EXTERNAL_MEMORY_BUFFER_DESC(offset=offset, size=size, flags=flags)
    return driver.cuExternalMemoryGetMappedBuffer(handle, addressof(given))


def test_kernels_and_copies_access_imported_memory(context, shared):
    descriptor, pages = shared
    handle = imported(descriptor)
    whole, part = buffer(handle, 0, SIZE), buffer(handle, 4100, 8)
    driver.cuDestroyExternalMemory(handle)
    with pytest.raises(OSError):  # the driver owns the descriptor now
        os.fstat(descriptor)
    with kernels.loaded(kernels.STORE) as module:
        kernels.run(module, "store", ctypes.c_uint64(part), ctypes.c_uint32(0x01020304))
        driver.cuMemsetD8(whole, 7, 16)
        driver.cuCtxSynchronize()
    assert pages[:17] == b"\x07" * 16 + b"\0"
    assert pages[4100:4104] == bytes((4, 3, 2, 1))
    pages[100] = 55
    assert kernels.read(whole + 100, ctypes.c_uint8) == 55
    assert driver.cuMemGetAddressRange(whole + 5) == (whole, SIZE)
    driver.cuMemFree(whole)
    driver.cuMemFreeAsync(part, 0)
    driver.cuStreamSynchronize(0)


def test_importing_memory_exported_by_the_device(context):
    """Memory of cuMemCreate can be exported and imported as external memory."""
    given = abi.CUmemAllocationProp(type=abi.CU_MEM_ALLOCATION_TYPE_PINNED, requestedHandleTypes=1)
    given.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    memory, descriptor = driver.cuMemCreate(2 << 20, addressof(given), 0), ctypes.c_int()
    driver.cuMemExportToShareableHandle(addressof(descriptor), memory, 1, 0)
    handle = imported(descriptor.value)
    one, other = buffer(handle, 0, 64), buffer(handle, 0, 64)
    driver.cuMemsetD32(one, 9, 16)
    assert kernels.read(other + 60) == 9
    for pointer in (one, other):
        driver.cuMemFree(pointer)
    driver.cuDestroyExternalMemory(handle)
    driver.cuMemRelease(memory)


@pytest.mark.parametrize("api", ["driver", "runtime"])
def test_mipmapped_arrays(context, shared, api):
    descriptor, pages = shared
    handle = imported(descriptor)
    if api == "driver":
        given = abi.CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC(offset=1024, numLevels=2)
        given.arrayDesc = arrays.describe((16, 32), "float32")
        made = driver.cuExternalMemoryGetMappedMipmappedArray(handle, addressof(given))
    else:
        given = runtime_abi.cudaExternalMemoryMipmappedArrayDesc(offset=1024, numLevels=2)
        given.formatDesc = runtime_abi.cudaChannelFormatDesc(32, 0, 0, 0, runtime_abi.cudaChannelFormatKindFloat)
        given.extent = runtime_abi.cudaExtent(32, 16, 0)
        made = runtime_api.cudaExternalMemoryGetMappedMipmappedArray(handle, addressof(given))
    data = np.arange(16 * 32, dtype=np.float32).reshape(16, 32)
    arrays.copy(driver.cuMipmappedArrayGetLevel(made, 0), data, 128, 16)
    smaller = np.full((8, 16), 3, np.float32)
    arrays.copy(driver.cuMipmappedArrayGetLevel(made, 1), smaller, 64, 8)
    assert pages[1024 : 1024 + data.nbytes] == data.tobytes()
    assert pages[1024 + data.nbytes :][: smaller.nbytes] == smaller.tobytes()
    driver.cuMipmappedArrayDestroy(made)
    driver.cuDestroyExternalMemory(handle)


def test_a_graph_memset_on_imported_memory(context, shared):
    descriptor, pages = shared
    handle = imported(descriptor)
    pointer = buffer(handle, 0, 4096)
    with calls.new_graph() as graph:
        calls.add_fill(graph, pointer, 5, 2)
        with calls.executable(graph) as run:
            calls.launch(run)
    assert pages[:8] == bytes((5, 0, 0, 0)) * 2
    driver.cuMemFree(pointer)
    driver.cuDestroyExternalMemory(handle)


def test_wrong_memory(context, shared, refused):
    descriptor, _ = shared
    for given, status, says in (
        (described(descriptor, kind=2), "NOT_SUPPORTED", "handles of type 2"),
        (described(descriptor, flags=4), "INVALID_VALUE", "flags is 4"),
        (described(descriptor, size=0), "INVALID_VALUE", "size is 0"),
        (described(descriptor, size=SIZE + 1), "INVALID_VALUE", "has 65536 bytes"),
        (described(-1), "INVALID_VALUE", "fd -1"),
    ):
        with refused(status, says):
            driver.cuImportExternalMemory(addressof(given))
    handle = imported(descriptor)
    for arguments, says in (
        ((0, 0), "0 bytes from offset 0"),
        ((SIZE - 8, 16), "the memory has 65536"),
        ((2**64 - 8, 16), "the memory has"),
        ((0, 16, 1), "flags is 1"),
    ):
        with refused("INVALID_VALUE", says):
            buffer(handle, *arguments)
    given = abi.CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC(offset=100, numLevels=2)
    given.arrayDesc = arrays.describe((16, 32), "float32")
    with refused("INVALID_VALUE", "offset is 100"):
        driver.cuExternalMemoryGetMappedMipmappedArray(handle, addressof(given))
    driver.cuDestroyExternalMemory(handle)
    with refused("INVALID_HANDLE", "external memory"):
        driver.cuDestroyExternalMemory(handle)
