# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The status of each invalid launch, in Python and on the fast path in C, from one table.

The statuses are those that the driver API's documentation gives for cuLaunchKernel, cuLaunchKernelEx and
cuLaunchCooperativeKernel; each row is tried in a context that launches correctly before and after.
"""

from __future__ import annotations

import ctypes

import kernels
import pytest

import cuda.cpu
from cuda.cpu import abi, driver

LIBRARY = ctypes.CDLL(cuda.cpu.library_path())
SHARED_LIMIT = 48 << 10
OPT_IN = 100 << 10
KERNELS = {
    "plain": kernels.STORE,
    "bounded": kernels.STORE.replace("store(", "bounded(").replace("{\n", ".maxntid 64\n{\n", 1),
    "shaped": kernels.STORE.replace("store(", "shaped(").replace("{\n", ".reqntid 32, 2, 1\n{\n", 1),
    "large": kernels.STORE.replace("store(", "large("),  # its attribute allows OPT_IN bytes of dynamic shared memory
    "static": kernels.STORE.replace("store(", "static_(").replace(
        "{\n", "{\n .shared .b8 s[1024]; st.shared.u8 [s], 1;\n", 1
    ),
    "tile": kernels.STORE.replace("store(", "tile(").replace("{\n", ".reqntid 64 .language 7\n{\n", 1),
}
NAMES = {name: name.encode() for name in KERNELS} | {"plain": b"store", "static": b"static_"}
FITS = {"shaped": (32, 2, 1)}  # blocks; the other launches have one thread
# Kernel, grid, block, dynamic shared memory, status, message.
SHAPES = [
    ("plain", (0, 1, 1), (1, 1, 1), 0, "INVALID_VALUE", "grid dimension x is 0"),
    ("plain", (1, 0, 1), (1, 1, 1), 0, "INVALID_VALUE", "grid dimension y is 0"),
    ("plain", (1, 1, 0), (1, 1, 1), 0, "INVALID_VALUE", "grid dimension z is 0"),
    ("plain", (1 << 31, 1, 1), (1, 1, 1), 0, "INVALID_VALUE", "grid dimension x is 2147483648"),
    ("plain", (1, 65536, 1), (1, 1, 1), 0, "INVALID_VALUE", "grid dimension y is 65536"),
    ("plain", (1, 1, 65536), (1, 1, 1), 0, "INVALID_VALUE", "grid dimension z is 65536"),
    ("plain", (1, 1, 1), (0, 1, 1), 0, "INVALID_VALUE", "block dimension x is 0"),
    ("plain", (1, 1, 1), (1, 0, 1), 0, "INVALID_VALUE", "block dimension y is 0"),
    ("plain", (1, 1, 1), (1, 1, 0), 0, "INVALID_VALUE", "block dimension z is 0"),
    ("plain", (1, 1, 1), (1025, 1, 1), 0, "INVALID_VALUE", "block dimension x is 1025"),
    ("plain", (1, 1, 1), (1, 1025, 1), 0, "INVALID_VALUE", "block dimension y is 1025"),
    ("plain", (1, 1, 1), (1, 1, 65), 0, "INVALID_VALUE", "block dimension z is 65"),
    ("plain", (1, 1, 1), (64, 32, 1), 0, "INVALID_VALUE", "2048 threads"),
    ("plain", (1, 1, 1), (1024, 1024, 64), 0, "INVALID_VALUE", "67108864 threads"),
    ("plain", (1, 1, 1), (1 << 16, 1 << 16, 1), 0, "INVALID_VALUE", "block dimension x is 65536"),
    ("bounded", (1, 1, 1), (65, 1, 1), 0, "INVALID_VALUE", "65 threads, the kernel's launch bounds allow 64"),
    ("bounded", (1, 1, 1), (8, 8, 2), 0, "INVALID_VALUE", "128 threads, the kernel's launch bounds allow 64"),
    ("shaped", (1, 1, 1), (64, 1, 1), 0, "INVALID_VALUE", "the kernel was compiled for (32, 2, 1)"),
    ("shaped", (1, 1, 1), (32, 1, 1), 0, "INVALID_VALUE", "the kernel was compiled for (32, 2, 1)"),
    ("tile", (1, 1, 1), (64, 1, 1), 0, "INVALID_VALUE", "is a tile kernel, which needs (1, 1, 1)"),
    ("tile", (1, 1, 1), (65, 1, 1), 0, "INVALID_VALUE", "is a tile kernel, which needs (1, 1, 1)"),
    ("tile", (1, 1, 1), (1, 2, 1), 0, "INVALID_VALUE", "is a tile kernel, which needs (1, 1, 1)"),
    ("tile", (0, 1, 1), (1, 1, 1), 0, "INVALID_VALUE", "grid dimension x is 0"),
    ("plain", (1, 1, 1), (1, 1, 1), SHARED_LIMIT + 1, "INVALID_VALUE", "at most 49152 unless cuFuncSetAttribute"),
    ("static", (1, 1, 1), (1, 1, 1), SHARED_LIMIT - 1023, "INVALID_VALUE", "at most 48128 unless cuFuncSetAttribute"),
    ("large", (1, 1, 1), (1, 1, 1), OPT_IN + 1, "INVALID_VALUE", "at most 102400 unless cuFuncSetAttribute"),
]


class Case:
    """A module of all kernels, and launches of one of them by the C library."""

    def __init__(self, name: str) -> None:
        self.module = driver.cuModuleLoadData(kernels.address_of(kernels.text(*KERNELS.values())))
        self.function = driver.cuModuleGetFunction(self.module, NAMES[name])
        self.fits = FITS.get(name, (1, 1, 1))
        attribute = abi.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        driver.cuFuncSetAttribute(driver.cuModuleGetFunction(self.module, b"large"), attribute, OPT_IN)
        self.out = driver.cuMemAlloc(4)
        self.packed, self._kept = kernels.packed(ctypes.c_uint64(self.out), ctypes.c_uint32(7))

    def by_library(self, grid=(1, 1, 1), block=None, shared=0, *, ex: bool = False) -> int:
        block = block or self.fits
        function, params = ctypes.c_void_p(self.function), ctypes.c_void_p(self.packed)
        if not ex:
            return LIBRARY.cuLaunchKernel(function, *map(ctypes.c_uint, (*grid, *block, shared)), None, params, None)
        names = ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ")
        config = abi.CUlaunchConfig(**dict(zip(names, (*grid, *block), strict=True)), sharedMemBytes=shared)
        return LIBRARY.cuLaunchKernelEx(ctypes.byref(config), function, params, None)

    def works(self) -> bool:
        driver.cuMemsetD8(self.out, 0, 4)
        return self.by_library() == self.by_library(ex=True) == 0 and kernels.read(self.out) == 7

    def close(self) -> None:
        driver.cuMemFree(self.out)
        driver.cuModuleUnload(self.module)


@pytest.fixture
def case(context, request):
    made = Case(request.param)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("case", "grid", "block", "shared", "status", "says"), SHAPES, indirect=["case"], ids=lambda value: str(value)
)
def test_invalid_grid_and_block_shapes(case, refused, grid, block, shared, status, says):
    with refused(status, says):
        driver.cuLaunchKernel(case.function, *grid, *block, shared, 0, case.packed, 0)
    with refused(status, says):
        driver.cuLaunchCooperativeKernel(case.function, *grid, *block, shared, 0, case.packed)
    expected = getattr(abi, f"CUDA_ERROR_{status}")
    for _ in range(2):  # before and after the library's fast path knows this function
        assert case.by_library(grid, block, shared) == expected
        assert case.by_library(grid, block, shared, ex=True) == expected
        assert case.works()


@pytest.mark.parametrize("case", ["plain"], indirect=True)
@pytest.mark.parametrize("known", [False, True])
def test_invalid_handles_and_parameters(case, refused, known):
    """The status is the same whether or not the library uses its fast path."""
    if known:
        assert case.works()
    launch, function, packed = driver.cuLaunchKernel, case.function, case.packed
    nothing = (ctypes.c_void_p * 2)()
    rows = [
        ((0, 0, packed, 0), "INVALID_HANDLE", "the function handle is NULL"),
        ((case.out, 0, packed, 0), "INVALID_HANDLE", "no live function"),
        ((function, 77, packed, 0), "INVALID_HANDLE", "no live stream"),
        ((function, 0, 0, 0), "INVALID_VALUE", "kernelParams is NULL"),
        ((function, 0, packed, packed), "INVALID_VALUE", "both kernelParams and extra"),
        ((function, 0, ctypes.addressof(nothing), 0), "INVALID_VALUE", "pointer to parameter 0 is NULL"),
    ]
    for (handle, stream, params, extra), status, says in rows:
        with refused(status, says):
            launch(handle, 1, 1, 1, 1, 1, 1, 0, stream, params, extra)
        arguments = [ctypes.c_void_p(each) for each in (stream, params, extra)]
        result = LIBRARY.cuLaunchKernel(ctypes.c_void_p(handle), 1, 1, 1, 1, 1, 1, 0, *arguments)
        assert result == getattr(abi, f"CUDA_ERROR_{status}"), says
    with refused("INVALID_VALUE", "config is NULL"):
        driver.cuLaunchKernelEx(0, function, packed, 0)
    assert case.works()


@pytest.mark.parametrize("case", ["plain"], indirect=True)
def test_launches_in_a_wrong_context(case, refused, context):
    assert case.works()
    other = driver.cuCtxCreate(0, 0, 0)
    with refused("INVALID_HANDLE", "was loaded in context"):
        driver.cuLaunchKernel(case.function, 1, 1, 1, 1, 1, 1, 0, 0, case.packed, 0)
    assert case.by_library() == abi.CUDA_ERROR_INVALID_HANDLE
    driver.cuCtxDestroy(other)
    driver.cuCtxSetCurrent(0)
    with refused("INVALID_CONTEXT"):
        driver.cuLaunchKernel(case.function, 1, 1, 1, 1, 1, 1, 0, 0, case.packed, 0)
    assert case.by_library() == abi.CUDA_ERROR_INVALID_CONTEXT
    driver.cuCtxSetCurrent(context)
    assert case.works()


def attribute(which: str, **fields: object) -> abi.CUlaunchAttribute:
    made = abi.CUlaunchAttribute()
    made.id = getattr(abi, f"CU_LAUNCH_ATTRIBUTE_{which}")
    for name, value in fields.items():
        setattr(made.value.clusterDim if which == "CLUSTER_DIMENSION" else made.value, name, value)
    return made


CLUSTERS = [  # cluster, grid, status, message
    ((0, 1, 1), (4, 1, 1), "INVALID_CLUSTER_SIZE", "0 blocks, must have 1 to 8"),
    ((9, 1, 1), (9, 1, 1), "INVALID_CLUSTER_SIZE", "9 blocks, must have 1 to 8"),
    ((2, 2, 4), (4, 4, 4), "INVALID_CLUSTER_SIZE", "16 blocks, must have 1 to 8"),
    ((2, 1, 1), (3, 1, 1), "INVALID_CLUSTER_SIZE", "the grid (3, 1, 1) is no multiple"),
    ((1, 2, 1), (2, 1, 1), "INVALID_CLUSTER_SIZE", "the grid (2, 1, 1) is no multiple"),
    ((2, 1, 1), (0, 1, 1), "INVALID_VALUE", "grid dimension x is 0"),
]


@pytest.mark.parametrize("case", ["plain"], indirect=True)
@pytest.mark.parametrize(("cluster", "grid", "status", "says"), CLUSTERS)
def test_invalid_clusters(case, refused, cluster, grid, status, says):
    assert case.works()
    given = attribute("CLUSTER_DIMENSION", **dict(zip("xyz", cluster, strict=True)))
    names = ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ")
    config = abi.CUlaunchConfig(**dict(zip(names, (*grid, 1, 1, 1), strict=True)))
    config.attrs, config.numAttrs = ctypes.addressof(given), 1
    with refused(status, says):
        driver.cuLaunchKernelEx(ctypes.addressof(config), case.function, case.packed, 0)
    params = ctypes.c_void_p(case.packed)
    result = LIBRARY.cuLaunchKernelEx(ctypes.byref(config), ctypes.c_void_p(case.function), params, None)
    assert result == getattr(abi, f"CUDA_ERROR_{status}")
    assert case.works()


@pytest.mark.parametrize("case", ["plain"], indirect=True)
def test_invalid_cooperative_launches(case, refused):
    assert case.works()
    each = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(case.function, 1, 0)
    most = each * driver.cuDeviceGetAttribute(abi.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0)
    driver.cuLaunchCooperativeKernel(case.function, most, 1, 1, 1, 1, 1, 0, 0, case.packed)
    with refused("COOPERATIVE_LAUNCH_TOO_LARGE", f"at most {most}"):
        driver.cuLaunchCooperativeKernel(case.function, most + 1, 1, 1, 1, 1, 1, 0, 0, case.packed)
    assert case.works()


@pytest.mark.parametrize("case", ["large"], indirect=True)
def test_dynamic_shared_memory_beyond_the_kernel_attribute(case, refused):
    with refused("INVALID_VALUE", "must be 0 to"):
        driver.cuFuncSetAttribute(case.function, abi.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20)
    assert case.by_library(shared=OPT_IN) == 0
    assert case.works()
