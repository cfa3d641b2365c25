# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""A live handle of each kind in a context of its own, for wrong_calls.py."""

from __future__ import annotations

import contextlib
import ctypes
import functools
from ctypes import addressof

import arrays
import kernels

from cuda.cpu import abi, driver
from cuda.cpu.driver.array import external_memory
from cuda.cpu.driver.base import shared_file
from cuda.cpu.driver.base.error import CudaError
from cuda.cpu.driver.device import green_context
from cuda.cpu.driver.memory import pool, virtual_memory

NOTHING = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
IMAGE = kernels.text(kernels.STORE)


def _library() -> int:
    return driver.cuLibraryLoadData(kernels.address_of(IMAGE), 0, 0, 0, 0, 0, 0)


def _array() -> int:
    given = arrays.describe((4, 4), "float32", 1, abi.CUDA_ARRAY3D_SURFACE_LDST)
    return driver.cuArray3DCreate(addressof(given))


def _mipmapped() -> int:
    given = arrays.describe((4, 4), "float32")
    return driver.cuMipmappedArrayCreate(addressof(given), 2)


def _texture() -> int:
    given, settings = arrays.resource(_array()), abi.CUDA_TEXTURE_DESC()
    return driver.cuTexObjectCreate(addressof(given), addressof(settings), 0)


def _surface() -> int:
    given = arrays.resource(_array())
    return driver.cuSurfObjectCreate(addressof(given))


def _memory() -> int:
    given = abi.CUmemAllocationProp(type=abi.CU_MEM_ALLOCATION_TYPE_PINNED)
    given.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    return driver.cuMemCreate(2 << 20, addressof(given), 0)


def _external() -> int:
    given = abi.CUDA_EXTERNAL_MEMORY_HANDLE_DESC(type=abi.CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, size=4096)
    given.handle.fd = shared_file.make("wrong", 4096)
    return driver.cuImportExternalMemory(addressof(given))


def _pool() -> int:
    given = abi.CUmemPoolProps(allocType=abi.CU_MEM_ALLOCATION_TYPE_PINNED)
    given.location.type = abi.CU_MEM_LOCATION_TYPE_DEVICE
    return driver.cuMemPoolCreate(addressof(given))


def _descriptor() -> int:
    given = (abi.CUdevResource * 1)()
    driver.cuDeviceGetDevResource(0, addressof(given), abi.CU_DEV_RESOURCE_TYPE_SM)
    return driver.cuDevResourceGenerateDesc(addressof(given), 1)


MAKERS = {
    "CUstream_st": lambda of: driver.cuStreamCreate(0),
    "CUevent_st": lambda of: driver.cuEventCreate(0),
    "pointer": lambda of: driver.cuMemAlloc(4096),
    "CUgraph_st": lambda of: driver.cuGraphCreate(0),
    "CUgraphNode_st": lambda of: driver.cuGraphAddEmptyNode(of("CUgraph_st"), 0, 0),
    "CUgraphExec_st": lambda of: driver.cuGraphInstantiate(of("CUgraph_st"), 0),
    "condition": lambda of: driver.cuGraphConditionalHandleCreate(of("CUgraph_st"), of("CUctx_st"), 0, 0),
    "CUarray_st": lambda of: _array(),
    "CUmipmappedArray_st": lambda of: _mipmapped(),
    "texture": lambda of: _texture(),
    "surface": lambda of: _surface(),
    "CUmod_st": lambda of: driver.cuModuleLoadData(kernels.address_of(IMAGE)),
    "CUfunc_st": lambda of: driver.cuModuleGetFunction(of("CUmod_st"), b"store"),
    "CUlib_st": lambda of: _library(),
    "CUkern_st": lambda of: driver.cuLibraryGetKernel(of("CUlib_st"), b"store"),
    "memory": lambda of: _memory(),
    "CUextMemory_st": lambda of: _external(),
    "CUmemPoolHandle_st": lambda of: _pool(),
    "CUgreenCtx_st": lambda of: driver.cuGreenCtxCreate(of("CUdevResourceDesc_st"), 0, 1),
    "CUdevResourceDesc_st": lambda of: _descriptor(),
    "CUlinkState_st": lambda of: driver.cuLinkCreate(0, 0, 0),
    "CUuserObject_st": lambda of: driver.cuUserObjectCreate(0, ctypes.cast(NOTHING, ctypes.c_void_p).value, 1, 1),
}


@contextlib.contextmanager
def fresh():
    """Create a context and yield functions that create handles in it; destroy everything at the end."""
    driver.cuInit(0)
    context = driver.cuCtxCreate(0, 0, 0)
    with made_in(context) as made:
        yield made
    for handle in [context, *driver.context.contexts]:
        with contextlib.suppress(CudaError):
            driver.cuCtxDestroy(handle)
    driver.context.stack().clear()


@contextlib.contextmanager
def made_in(context: int):
    """Yield functions that create a handle, each at most once; then release what outlives the context."""
    made: dict[str, int] = {"CUctx_st": context}

    def of(kind: str) -> int:
        if kind not in made:
            driver.cuCtxSetCurrent(context)
            made[kind] = MAKERS[kind](of)
        return made[kind]

    yield {kind: functools.partial(of, kind) for kind in (*MAKERS, "CUctx_st")}
    for table, end in (
        (green_context.greens, driver.cuGreenCtxDestroy),
        (virtual_memory.memories, driver.cuMemRelease),
        (external_memory.memories, driver.cuDestroyExternalMemory),
        (pool.pools, driver.cuMemPoolDestroy),
    ):
        for handle in list(table):
            with contextlib.suppress(CudaError):
                end(handle)
