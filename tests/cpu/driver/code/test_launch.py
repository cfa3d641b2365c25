# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import ctypes

import kernels
import numpy as np
import pytest

from cuda.cpu import abi, driver


@pytest.fixture
def out(context):
    pointer = driver.cuMemAlloc(4096)
    driver.cuMemsetD8(pointer, 0, 4096)
    yield pointer
    driver.cuMemFree(pointer)


def numbers(pointer: int, count: int) -> list[int]:
    result = np.zeros(count, np.uint32)
    driver.cuMemcpyDtoH(result.ctypes.data, pointer, result.nbytes)
    return result.tolist()


def test_saxpy(context):
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    pointers = [driver.cuMemAlloc(4000) for _ in range(2)]
    for pointer, array in zip(pointers, (x, y), strict=True):
        driver.cuMemcpyHtoD(pointer, array.ctypes.data, 4000)
    with kernels.loaded(kernels.SAXPY) as module:
        arguments = (*map(ctypes.c_uint64, reversed(pointers)), ctypes.c_float(2), ctypes.c_uint32(1000))
        kernels.run(module, "saxpy", *arguments, grid=(8, 1, 1), block=(128, 1, 1))
    result = np.zeros(1000, np.float32)
    driver.cuMemcpyDtoH(result.ctypes.data, pointers[1], 4000)
    assert (result == 2 * x + y).all()
    for pointer in pointers:
        driver.cuMemFree(pointer)


def test_blocks_whose_warps_span_several_rows(out):
    """Such blocks have machine code of their own, which the function stores beside that for other shapes."""
    with kernels.loaded(kernels.STORE) as module:
        function = driver.cuModuleGetFunction(module, b"store")
        for value, block in ((7, (16, 2, 1)), (8, (32, 2, 1)), (9, (8, 1, 4)), (10, (33, 1, 1))):
            kernels.run(module, "store", ctypes.c_uint64(out), ctypes.c_uint32(value), grid=(1, 1, 1), block=block)
            assert numbers(out, 1) == [value]
            assert driver.cuFuncIsLoaded(function) == 1


MIXED = (ctypes.c_uint8(200), ctypes.c_uint16(60000), (ctypes.c_uint32 * 3)(11, 12, 13), ctypes.c_uint32(99))
EXPECTED = [200, 60000, 11, 13, 99]


def test_parameters_by_pointers(out):
    with kernels.loaded(kernels.MIXED) as module:
        kernels.run(module, "mixed", ctypes.c_uint64(out), *MIXED)
        assert numbers(out, 5) == EXPECTED


class Extra:
    """The `extra` array of a launch, for a buffer of packed parameters."""

    def __init__(self, data: bytes, *, size: int | None = None, key: int = 1) -> None:
        self.buffer = ctypes.create_string_buffer(data, len(data))
        self.size = ctypes.c_size_t(len(data) if size is None else size)
        self.array = (ctypes.c_void_p * 5)(key, ctypes.addressof(self.buffer), 2, ctypes.addressof(self.size), None)
        self.address = ctypes.addressof(self.array)


def mixed_data(out: int) -> bytes:
    data = bytearray(32)
    for offset, value in zip((0, 8, 10, 16, 28), (ctypes.c_uint64(out), *MIXED), strict=True):
        data[offset : offset + ctypes.sizeof(value)] = bytes(value)
    return bytes(data)


def test_parameters_in_a_buffer(out, refused):
    with kernels.loaded(kernels.MIXED) as module:
        function = driver.cuModuleGetFunction(module, b"mixed")
        extra = Extra(mixed_data(out))
        driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, extra.address)
        assert numbers(out, 5) == EXPECTED
        for wrong, says in (
            (Extra(mixed_data(out), size=31), "31 bytes, the parameters need 32"),
            (Extra(mixed_data(out), key=9), "unknown key 9"),
        ):
            with refused("INVALID_VALUE", says):
                driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, wrong.address)
        with refused("INVALID_VALUE", "both kernelParams and extra"):
            driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, extra.address, extra.address)


def test_missing_parameters(out, refused):
    with kernels.loaded(kernels.STORE) as module:
        function = driver.cuModuleGetFunction(module, b"store")
        with refused("INVALID_VALUE", "kernelParams is NULL"):
            driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
        nothing = (ctypes.c_void_p * 2)()
        with refused("INVALID_VALUE", "pointer to parameter 0 is NULL"):
            driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, ctypes.addressof(nothing), 0)


def test_dynamic_shared_memory_and_barriers(out):
    with kernels.loaded(kernels.SHARED) as module:
        kernels.run(module, "scan", ctypes.c_uint64(out), block=(128, 1, 1), shared=512)
        assert numbers(out, 128) == np.cumsum(np.arange(128)).tolist()


def test_large_shared_memory_needs_the_function_attribute(out, refused):
    with kernels.loaded(kernels.SHARED) as module:
        function = driver.cuModuleGetFunction(module, b"scan")
        driver.cuFuncSetAttribute(function, abi.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200 << 10)
        kernels.run(module, "scan", ctypes.c_uint64(out), block=(4, 1, 1), shared=200 << 10)
        assert numbers(out, 4) == [0, 1, 3, 6]


def config(*attributes, **fields):
    array = (abi.CUlaunchAttribute * max(len(attributes), 1))()
    for attribute, (name, values) in zip(array, attributes, strict=False):
        attribute.id = getattr(abi, f"CU_LAUNCH_ATTRIBUTE_{name}")
        for path, value in values.items():
            target = attribute.value
            *parents, last = path.split(".")
            for parent in parents:
                target = getattr(target, parent)
            setattr(target, last, value)
    given = abi.CUlaunchConfig(gridDimX=1, gridDimY=1, gridDimZ=1, blockDimX=1, blockDimY=1, blockDimZ=1)
    given.attrs, given.numAttrs = ctypes.addressof(array), len(attributes)
    for name, value in fields.items():
        setattr(given, name, value)
    return given, array


def launch_ex(module, name, given, *values):
    kernel_params, _keep = kernels.packed(*values)
    driver.cuLaunchKernelEx(ctypes.addressof(given[0]), driver.cuModuleGetFunction(module, name), kernel_params, 0)


def test_launch_with_attributes(out, refused):
    event = driver.cuEventCreate(0)
    with kernels.loaded(kernels.STORE) as module:
        given = config(
            ("COOPERATIVE", {"cooperative": 1}),
            ("PRIORITY", {"priority": -1}),
            ("PROGRAMMATIC_STREAM_SERIALIZATION", {"programmaticStreamSerializationAllowed": 1}),
            ("LAUNCH_COMPLETION_EVENT", {"launchCompletionEvent.event": event}),
        )
        launch_ex(module, b"store", given, ctypes.c_uint64(out), ctypes.c_uint32(6))
        driver.cuEventSynchronize(event)
        assert numbers(out, 1) == [6]
        given[1][1].id = 99
        with refused("INVALID_VALUE", "attrs[1].id is 99"):
            launch_ex(module, b"store", given, ctypes.c_uint64(out), ctypes.c_uint32(6))
        with refused("INVALID_VALUE", "config is NULL"):
            driver.cuLaunchKernelEx(0, driver.cuModuleGetFunction(module, b"store"), 0, 0)
    driver.cuEventDestroy(event)


def test_clusters(out, refused):
    with kernels.loaded(kernels.STORE) as module:
        for size, grid, says in ((9, 18, "9 blocks, must have 1 to 8"), (2, 3, "no multiple"), (0, 4, "0 blocks")):
            cluster = {"clusterDim.x": size, "clusterDim.y": 1, "clusterDim.z": 1}
            with refused("INVALID_CLUSTER_SIZE", says):
                given = config(("CLUSTER_DIMENSION", cluster), gridDimX=grid)
                launch_ex(module, b"store", given, ctypes.c_uint64(out), ctypes.c_uint32(1))


RANKS = """
.visible .entry ranks(.param .u64 out) .CLUSTER
{
    .reg .b32 %r<5>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank;
    shl.b32 %r3, %r3, 8; or.b32 %r2, %r2, %r3; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
    barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%rd3], %r2; ret;
}
"""


def dimensions(x):
    return {"clusterDim.x": x, "clusterDim.y": 1, "clusterDim.z": 1}


def test_a_kernel_with_a_compiled_cluster_size(out, refused):
    with kernels.loaded(RANKS.replace(".CLUSTER", ".explicitcluster .reqnctapercluster 2")) as module:
        function = driver.cuModuleGetFunction(module, b"ranks")
        assert driver.cuFuncGetAttribute(abi.CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, function) == 2
        kernel_params, _keep = kernels.packed(ctypes.c_uint64(out))
        driver.cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, 0, kernel_params, 0)
        assert numbers(out, 4) == [0x200, 0x201] * 2
        with refused("INVALID_CLUSTER_SIZE", "compiled for (2, 1, 1)"):
            launch_ex(module, b"ranks", config(("CLUSTER_DIMENSION", dimensions(4)), gridDimX=4), ctypes.c_uint64(out))
        with refused("INVALID_CLUSTER_SIZE", "no multiple"):
            driver.cuLaunchKernel(function, 3, 1, 1, 64, 1, 1, 0, 0, kernel_params, 0)


def test_a_kernel_that_requires_a_cluster_size_at_launch(out, refused):
    with kernels.loaded(RANKS.replace(".CLUSTER", ".explicitcluster")) as module:
        function = driver.cuModuleGetFunction(module, b"ranks")
        assert driver.cuFuncGetAttribute(abi.CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, function) == 1
        launch_ex(module, b"ranks", config(("CLUSTER_DIMENSION", dimensions(3)), gridDimX=3), ctypes.c_uint64(out))
        assert numbers(out, 3) == [0x300, 0x301, 0x302]
        kernel_params, _keep = kernels.packed(ctypes.c_uint64(out))
        with refused("INVALID_CLUSTER_SIZE", "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION"):
            driver.cuLaunchKernel(function, 3, 1, 1, 64, 1, 1, 0, 0, kernel_params, 0)
        given = config(("CLUSTER_DIMENSION", dimensions(16)), gridDimX=16, blockDimX=32)
        pointer = ctypes.addressof(given[0])
        with refused("INVALID_CLUSTER_SIZE", "1 to 8"):
            driver.cuOccupancyMaxActiveClusters(function, pointer)
        driver.cuFuncSetAttribute(function, abi.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)
        assert driver.cuOccupancyMaxPotentialClusterSize(function, pointer) == 16
        assert driver.cuOccupancyMaxActiveClusters(function, pointer) >= 1
        launch_ex(module, b"ranks", given, ctypes.c_uint64(out))
        assert numbers(out, 16) == [0x1000 + rank for rank in range(16)]


def test_cooperative_launches_fit_the_device(out, refused):
    with kernels.loaded(kernels.STORE) as module:
        function = driver.cuModuleGetFunction(module, b"store")
        kernel_params, _keep = kernels.packed(ctypes.c_uint64(out), ctypes.c_uint32(3))
        driver.cuLaunchCooperativeKernel(function, 2, 1, 1, 32, 1, 1, 0, 0, kernel_params)
        assert numbers(out, 1) == [3]
        most = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 32, 0)
        cores = driver.cuDeviceGetAttribute(abi.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0)
        with refused("COOPERATIVE_LAUNCH_TOO_LARGE", f"at most {most * cores}"):
            driver.cuLaunchCooperativeKernel(function, most * cores + 1, 1, 1, 32, 1, 1, 0, 0, kernel_params)


def test_occupancy(context, refused):
    with kernels.loaded(kernels.STORE, kernels.SHARED) as module:
        store, scan = (driver.cuModuleGetFunction(module, name) for name in (b"store", b"scan"))
        blocks = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor
        assert [blocks(store, size, 0) for size in (1024, 512, 100, 32)] == [2, 4, 16, 32]
        assert blocks(store, 32, 48 << 10) == 4
        assert blocks(scan, 256, 0) == 0
        cores = driver.cuDeviceGetAttribute(abi.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0)
        assert driver.cuOccupancyMaxPotentialBlockSize(store, 0, 0, 0) == (2 * cores, 1024)
        assert driver.cuOccupancyMaxPotentialBlockSizeWithFlags(scan, 0, 0, 0, 0) == (16 * cores, 128)
        needs = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(lambda threads: threads * 1024)
        callback = ctypes.cast(needs, ctypes.c_void_p).value
        grid, size = driver.cuOccupancyMaxPotentialBlockSize(store, callback, 0, 0)
        assert (grid, size) == (6 * cores, 32), "above 48 KiB, an attribute has to be set"
        assert driver.cuOccupancyMaxPotentialBlockSize(store, 0, (48 << 10) + 1, 0) == (0, 0)
        assert blocks(store, 32, (48 << 10) + 1) == 0
        assert driver.cuOccupancyAvailableDynamicSMemPerBlock(store, 1, 128) == 48 << 10
        given = config(sharedMemBytes=(48 << 10) + 1)
        assert driver.cuOccupancyMaxPotentialClusterSize(store, ctypes.addressof(given[0])) == 0
        assert driver.cuOccupancyMaxActiveClusters(store, ctypes.addressof(given[0])) == 0
        driver.cuFuncSetAttribute(store, abi.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 << 10)
        assert driver.cuOccupancyAvailableDynamicSMemPerBlock(store, 1, 128) == 227 << 10
        assert driver.cuOccupancyMaxActiveClusters(store, ctypes.addressof(given[0])) >= 1
        grid, size = driver.cuOccupancyMaxPotentialBlockSize(store, ctypes.cast(needs, ctypes.c_void_p).value, 0, 0)
        assert (grid, size) == (cores, 224)  # one block of 224 KiB and 1 reserved, in 228
        room = driver.cuOccupancyAvailableDynamicSMemPerBlock(store, 2, 128)
        assert blocks(store, 128, room) == 2 > blocks(store, 128, room + 128)
        given = config()
        assert driver.cuOccupancyMaxPotentialClusterSize(store, ctypes.addressof(given[0])) == 8
        assert driver.cuOccupancyMaxActiveClusters(store, ctypes.addressof(given[0])) == 32 * cores
        with refused("INVALID_VALUE", "blockSize is 0"):
            blocks(store, 0, 0)
        with refused("INVALID_VALUE", "do not fit"):
            driver.cuOccupancyAvailableDynamicSMemPerBlock(store, 99, 128)
