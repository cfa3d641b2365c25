# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays, textures and surfaces of the runtime API, and a kernel that fetches from a texture."""

import ctypes

import numpy as np
import pytest

from cuda.bindings import runtime
from cuda.bindings.runtime import cudaError_t as Error
from cuda.bindings.runtime import cudaMemcpyKind as Kind

FETCH = b"""
.version 8.0
.target sm_90
.address_size 64
.visible .entry fetch(.param .u64 out_ptr, .param .u64 texture)
{
 .reg .b64 %rd<5>; .reg .b32 %r<4>; .reg .f32 %f<8>;
 ld.param.u64 %rd1, [out_ptr]; ld.param.u64 %rd2, [texture]; mov.u32 %r1, %tid.x;
 cvt.rn.f32.u32 %f1, %r1; add.f32 %f2, %f1, 0f3F800000; mov.f32 %f3, 0f3F000000;
 tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd2, {%f2, %f3}];
 mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; st.global.f32 [%rd4], %f4; ret;
}
\0"""


def floats(channels=1):
    bits = [32] * channels + [0] * (4 - channels)
    return ok_value(runtime.cudaCreateChannelDesc(*bits, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat))


def ok_value(result):
    assert result[0] == 0, result
    return result[1]


def extent(*size):
    made = runtime.cudaExtent()
    made.width, made.height, made.depth = size
    return made


@pytest.fixture
def picture(ok):
    """An array of 4 rows of 8 floats, and its content."""
    data = np.arange(32, dtype=np.float32).reshape(4, 8)
    handle = ok(runtime.cudaMallocArray(floats(), 8, 4, 0))
    ok(runtime.cudaMemcpy2DToArray(handle, 0, 0, data, 32, 32, 4, Kind.cudaMemcpyHostToDevice))
    yield handle, data
    ok(runtime.cudaFreeArray(handle))


def test_array_copies_in_2d(ok, picture):
    handle, data = picture
    stream = ok(runtime.cudaStreamCreate())
    other = ok(runtime.cudaMallocArray(floats(), 8, 4, 0))
    zero = np.zeros_like(data)
    ok(runtime.cudaMemcpy2DToArrayAsync(other, 0, 0, zero, 32, 32, 4, Kind.cudaMemcpyHostToDevice, stream))
    ok(runtime.cudaStreamSynchronize(stream))
    inside = Kind.cudaMemcpyDeviceToDevice
    ok(runtime.cudaMemcpy2DArrayToArray(other, 4, 1, handle, 8, 2, 12, 2, inside))
    back = np.zeros((2, 8), np.float32)
    ok(runtime.cudaMemcpy2DFromArray(back, 32, other, 0, 1, 32, 2, Kind.cudaMemcpyDeviceToHost))
    expected = np.zeros_like(back)
    expected[:, 1:4] = data[2:4, 2:5]
    np.testing.assert_array_equal(back, expected)
    ok(runtime.cudaMemcpyFromArray(back, handle, 16, 1, 48, Kind.cudaMemcpyDeviceToHost))
    assert back.ravel()[:12].tolist() == list(range(12, 24))
    ok(runtime.cudaFreeArray(other))
    ok(runtime.cudaStreamDestroy(stream))


def test_array_copies_in_3d_count_elements(ok):
    data, back = np.arange(48, dtype=np.float32).reshape(2, 3, 8), np.zeros((2, 3, 8), np.float32)
    handle = ok(runtime.cudaMalloc3DArray(floats(2), extent(4, 3, 2), 0))
    given = runtime.cudaMemcpy3DParms()
    given.srcPtr = runtime.make_cudaPitchedPtr(data.ctypes.data, 32, 32, 3)
    given.dstArray, given.extent, given.kind = handle, extent(4, 3, 2), Kind.cudaMemcpyHostToDevice
    ok(runtime.cudaMemcpy3D(given))
    given = runtime.cudaMemcpy3DParms()
    given.srcArray, given.extent, given.kind = handle, extent(2, 2, 2), Kind.cudaMemcpyDeviceToHost
    given.srcPos = runtime.make_cudaPos(1, 1, 0)
    given.dstPtr = runtime.make_cudaPitchedPtr(back.ctypes.data, 32, 32, 3)
    ok(runtime.cudaMemcpy3D(given))
    expected = np.zeros_like(back)
    expected[:, :2, :4] = data[:, 1:, 2:6]
    np.testing.assert_array_equal(back, expected)
    desc, size, flags = ok(runtime.cudaArrayGetInfo(handle))
    assert ((desc.x, desc.y, desc.z), (size.width, size.height, size.depth), flags) == ((32, 32, 0), (4, 3, 2), 0)
    ok(runtime.cudaFreeArray(handle))


def test_a_kernel_fetches_from_a_texture(ok, picture):
    handle, data = picture
    resource, settings = runtime.cudaResourceDesc(), runtime.cudaTextureDesc()
    resource.resType, resource.res.array.array = runtime.cudaResourceType.cudaResourceTypeArray, handle
    settings.filterMode = runtime.cudaTextureFilterMode.cudaFilterModeLinear
    settings.addressMode = [runtime.cudaTextureAddressMode.cudaAddressModeClamp] * 3
    texture = ok(runtime.cudaCreateTextureObject(resource, settings, None))
    library = ok(runtime.cudaLibraryLoadData(FETCH, [], [], 0, [], [], 0))
    kernel = ok(runtime.cudaLibraryGetKernel(library, "fetch"))
    pointer = ok(runtime.cudaMalloc(32))
    grid, block = runtime.dim3(), runtime.dim3()
    grid.x = grid.y = grid.z = block.y = block.z = 1
    block.x = 8
    values = (int(pointer), int(texture)), (ctypes.c_void_p, ctypes.c_uint64)
    ok(runtime.cudaLaunchKernel(kernel, grid, block, values, 0, 0))
    back = np.zeros(8, np.float32)
    ok(runtime.cudaMemcpy(back, pointer, 32, Kind.cudaMemcpyDeviceToHost))
    np.testing.assert_array_equal(back, np.minimum(data[0] + 0.5, 7))
    kept = ok(runtime.cudaGetTextureObjectTextureDesc(texture))
    assert (kept.filterMode, list(kept.addressMode), kept.readMode) == (1, [1, 1, 1], 0)
    assert int(ok(runtime.cudaGetTextureObjectResourceDesc(texture)).res.array.array) == int(handle)
    ok(runtime.cudaFree(pointer))
    ok(runtime.cudaLibraryUnload(library))
    ok(runtime.cudaDestroyTextureObject(texture))
    assert runtime.cudaDestroyTextureObject(texture) == (Error.cudaErrorInvalidResourceHandle,)


def test_memory_as_a_texture(ok):
    start, pitch = ok(runtime.cudaMallocPitch(64, 4))
    resource = runtime.cudaResourceDesc()
    resource.resType = runtime.cudaResourceType.cudaResourceTypePitch2D
    part = resource.res.pitch2D
    part.devPtr, part.desc, part.width, part.height, part.pitchInBytes = start, floats(), 16, 4, pitch
    texture = ok(runtime.cudaCreateTextureObject(resource, runtime.cudaTextureDesc(), None))
    kept = ok(runtime.cudaGetTextureObjectResourceDesc(texture)).res.pitch2D
    assert (int(kept.devPtr), kept.desc.x, kept.width, kept.pitchInBytes) == (int(start), 32, 16, pitch)
    ok(runtime.cudaDestroyTextureObject(texture))
    ok(runtime.cudaFree(start))


def test_surfaces_and_levels(ok):
    stores = 2  # cudaArraySurfaceLoadStore
    made = ok(runtime.cudaMallocMipmappedArray(floats(), extent(8, 8, 0), 3, stores))
    level = ok(runtime.cudaGetMipmappedArrayLevel(made, 2))
    size, flags = ok(runtime.cudaArrayGetInfo(level))[1:]
    assert (size.width, size.height, flags) == (2, 2, stores)
    resource = runtime.cudaResourceDesc()
    resource.resType, resource.res.array.array = runtime.cudaResourceType.cudaResourceTypeArray, level
    surface = ok(runtime.cudaCreateSurfaceObject(resource))
    assert int(ok(runtime.cudaGetSurfaceObjectResourceDesc(surface)).res.array.array) == int(level)
    ok(runtime.cudaDestroySurfaceObject(surface))
    ok(runtime.cudaFreeMipmappedArray(made))


def test_invalid_arrays_and_textures(ok):
    bad = ok(runtime.cudaCreateChannelDesc(32, 16, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat))
    assert runtime.cudaMallocArray(bad, 8, 4, 0)[0] == Error.cudaErrorInvalidChannelDescriptor
    kind = runtime.cudaChannelFormatKind.cudaChannelFormatKindUnsigned
    for bits, read, filtered, status in (
        (8, 0, 1, Error.cudaErrorInvalidFilterSetting),
        (32, 1, 0, Error.cudaErrorInvalidNormSetting),
        (8, 1, 1, 0),
    ):
        handle = ok(runtime.cudaMallocArray(ok(runtime.cudaCreateChannelDesc(bits, 0, 0, 0, kind)), 8, 4, 0))
        resource, settings = runtime.cudaResourceDesc(), runtime.cudaTextureDesc()
        resource.resType, resource.res.array.array = runtime.cudaResourceType.cudaResourceTypeArray, handle
        settings.readMode, settings.filterMode = read, filtered
        result = runtime.cudaCreateTextureObject(resource, settings, None)
        assert result[0] == status
        if not status:
            ok(runtime.cudaDestroyTextureObject(result[1]))
        ok(runtime.cudaFreeArray(handle))
