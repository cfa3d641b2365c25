# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Texture and surface objects, read and written by kernels that NVRTC compiles."""

from __future__ import annotations

import ctypes
import functools
import itertools

import arrays
import kernels
import numpy as np
import pytest
from support.compilers import compile_cuda, is_clang

from cuda.cpu import abi, driver, runtime_abi, runtime_api

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
random = np.random.default_rng(11)
WRAP, CLAMP, MIRROR, BORDER = range(4)
LINEAR, NORMALIZED, INTEGERS = 1, abi.CU_TRSF_NORMALIZED_COORDINATES, abi.CU_TRSF_READ_AS_INTEGER
LAYERED, CUBE, STORES = abi.CUDA_ARRAY3D_LAYERED, abi.CUDA_ARRAY3D_CUBEMAP, abi.CUDA_ARRAY3D_SURFACE_LDST


@functools.cache
def compiled(source: str, _by_clang: bool) -> bytes:
    pytest.importorskip("llvmlite")
    return compile_cuda(source, "--gpu-architecture=sm_75", "-default-device") + b"\0"


def run(source: str, *values, count: int, out: np.ndarray) -> np.ndarray:
    """Run `k(out, *values)` with `count` threads; NumPy arrays among the values are copied to the device."""
    pointers = []

    def on_device(data):
        pointers.append(driver.cuMemAlloc(max(data.nbytes, 4)))
        driver.cuMemcpyHtoD(pointers[-1], data.ctypes.data, data.nbytes)
        return ctypes.c_uint64(pointers[-1])

    arguments = [on_device(value) if isinstance(value, np.ndarray) else value for value in (out, *values)]
    module = driver.cuModuleLoadData(kernels.address_of(compiled(source, is_clang())))
    try:
        kernels.run(module, "k", *arguments, block=(count, 1, 1))
        driver.cuMemcpyDtoH(out.ctypes.data, pointers[0], out.nbytes)
    finally:
        for pointer in pointers:
            driver.cuMemFree(pointer)
        driver.cuModuleUnload(module)
    return out


def fetched(expression: str, handle: int, *inputs, type_="float", shape=()) -> np.ndarray:
    """Evaluate an expression of t (the texture), p (rows of floats) and i (the thread) for each row."""
    points = np.ascontiguousarray(inputs[0], np.float32)
    count = len(points)
    source = f"""extern "C" __global__ void k({type_} *out, unsigned long long t, const float *points) {{
        int i = threadIdx.x; const float *p = points + i * {points.shape[1]}; out[i] = {expression}; }}"""
    dtype = np.float32 if type_.startswith("float") else np.uint32
    out = np.zeros((count, 4) if type_.endswith("4") else count, dtype)
    return run(source, ctypes.c_uint64(handle), points, count=count, out=out)


# --- a model of fetching: NumPy pads the data, so that addressing is its own -------------------------------

PAD = {WRAP: "wrap", CLAMP: "edge", MIRROR: "symmetric", BORDER: "constant"}


def expected(data, points, *, linear, mode, normalized, border=0.0):
    """Return the texture's value at each point (x first)."""
    if not normalized and mode in (WRAP, MIRROR):
        mode = CLAMP
    reach = [3 * size for size in data.shape]
    fill = {"constant_values": border} if mode == BORDER else {}
    padded = np.pad(data, [(r, r) for r in reach], PAD[mode], **fill)
    results = []
    for point in points[:, ::-1].astype(np.float32):
        position = point * np.array(data.shape, np.float32) if normalized else point
        position = position - np.float32(0.5) if linear else position
        first = np.floor(position).astype(int)
        weight = np.round((position - first) * 256) / 256 if linear else np.zeros(data.ndim)
        total = 0.0
        for corner in itertools.product((0, 1) if linear else (0,), repeat=data.ndim):
            share = np.prod([w if c else 1 - w for c, w in zip(corner, weight, strict=True)])
            if share:
                total += share * padded[tuple(np.array(corner) + first + reach)]
        results.append(total)
    return np.array(results, np.float32)


TEX = {1: "tex1D<float>(t, p[0])", 2: "tex2D<float>(t, p[0], p[1])", 3: "tex3D<float>(t, p[0], p[1], p[2])"}


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("linear", [0, 1])
def test_addressing_and_filtering(context, dimensions, linear):
    data = random.random((4, 6, 8)[3 - dimensions :]).astype(np.float32)
    with arrays.array(data) as handle:
        for mode, normalized in itertools.product(range(4), (0, NORMALIZED)):
            points = random.uniform(-1.9, 2.9, (64, dimensions)).astype(np.float32)
            points = np.round(points * 512 + 0.25) / 512  # away from the edges between elements
            points = points if normalized else points * np.float32(3)
            border = (7.5, 0, 0, 0)
            with arrays.texture(handle, mode=mode, border=border, filterMode=linear, flags=normalized) as texture:
                found = fetched(TEX[dimensions], texture, points)
            wanted = expected(data, points, linear=linear, mode=mode, normalized=normalized, border=7.5)
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5, err_msg=f"{mode} {normalized}")


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32"])
@pytest.mark.parametrize("channels", [1, 2, 4])
def test_formats(context, dtype, channels):
    kind = np.dtype(dtype)
    if kind.kind == "f":
        data = random.standard_normal((16, channels)).astype(kind)
        data[:4, 0] = [0, -0.0, np.inf, 6e-8 if dtype == "float16" else 1e-40]
    else:
        limits = np.iinfo(kind)
        data = random.integers(limits.min, limits.max, (16, channels), dtype=kind, endpoint=True)
        data[:2, 0] = limits.min, limits.max
    points = np.arange(16, dtype=np.float32)[:, None] + 0.5
    plain = data if channels > 1 else data[:, 0]
    with arrays.array(plain, channels) as handle:
        with arrays.texture(handle, flags=INTEGERS) as texture:
            type_ = "float4" if kind.kind == "f" else "uint4"
            found = fetched(f"tex1D<{type_}>(t, p[0])", texture, points, type_=type_)
            wanted = data.astype(np.float32) if kind.kind == "f" else data.astype(np.int64).astype(np.uint32)
            np.testing.assert_array_equal(found[:, :channels], wanted)
        if kind.kind != "f" and kind.itemsize < 4:
            with arrays.texture(handle) as texture:
                found = fetched("tex1D<float4>(t, p[0])", texture, points, type_="float4")
            wanted = np.maximum(data.astype(np.float32) / np.float32(np.iinfo(kind).max), -1)
            np.testing.assert_array_equal(found[:, :channels], wanted)


def test_srgb_is_converted_to_linear(context):
    data = np.arange(0, 256, 5, dtype=np.uint8)
    data = np.stack([data] * 4, axis=1)
    points = np.arange(len(data), dtype=np.float32)[:, None] + 0.5
    with arrays.array(data, 4) as handle, arrays.texture(handle, flags=abi.CU_TRSF_SRGB) as texture:
        found = fetched("tex1D<float4>(t, p[0])", texture, points, type_="float4")
    value = data[:, 0] / 255.0
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    np.testing.assert_allclose(found[:, 0], linear, rtol=1e-5)
    np.testing.assert_array_equal(found[:, 3], data[:, 3].astype(np.float32) / np.float32(255))


def test_layers(context):
    rows, planes = random.random((3, 8)).astype(np.float32), random.random((5, 4, 8)).astype(np.float32)
    points = np.array([(x + 0.5, y + 0.5, n) for n in range(-1, 7) for x, y in ((0, 0), (7, 3), (3, 2))], np.float32)
    layer = np.clip(points[:, 2], None, 4).astype(int)
    layer[points[:, 2] < 0] = 4  # a layer is an unsigned number
    with arrays.array(planes, flags=LAYERED) as handle, arrays.texture(handle) as texture:
        found = fetched("tex2DLayered<float>(t, p[0], p[1], (int)p[2])", texture, points)
        np.testing.assert_array_equal(found, planes[layer, points[:, 1].astype(int), points[:, 0].astype(int)])
    with arrays.array(rows, flags=LAYERED, height=False) as handle, arrays.texture(handle) as texture:
        found = fetched("tex1DLayered<float>(t, p[0], (int)p[2])", texture, points)
        np.testing.assert_array_equal(found, rows[np.minimum(layer, 2), points[:, 0].astype(int)])


FACES = [  # the programming guide's table: main axis, s and t
    (lambda s, t: (1, -t, -s)), (lambda s, t: (-1, -t, s)), (lambda s, t: (s, 1, t)), (lambda s, t: (s, -1, -t)),
    (lambda s, t: (s, -t, 1)), (lambda s, t: (-s, -t, -1)),
]  # fmt: skip


def test_cubemaps(context):
    data = random.random((12, 4, 4)).astype(np.float32)
    texels = [(face, x, y) for face in range(6) for x in range(4) for y in range(4)]
    scale = 2.5
    points = np.array([FACES[f]((2 * x + 1) / 4 - 1, (2 * y + 1) / 4 - 1) for f, x, y in texels], np.float32) * scale
    with arrays.array(data[:6], flags=CUBE) as handle:
        for filter_mode in (0, LINEAR):
            with arrays.texture(handle, flags=NORMALIZED, filterMode=filter_mode) as texture:
                found = fetched("texCubemap<float>(t, p[0], p[1], p[2])", texture, points)
            np.testing.assert_allclose(found, [data[f, y, x] for f, x, y in texels], rtol=1e-6)
    with arrays.array(data, flags=CUBE | LAYERED) as handle, arrays.texture(handle, flags=NORMALIZED) as texture:
        found = fetched("texCubemapLayered<float>(t, p[0], p[1], p[2], 1)", texture, points)
        np.testing.assert_array_equal(found, [data[6 + f, y, x] for f, x, y in texels])


def test_seamless_cubemaps(context):
    """On the edge between +x and +z, at the height of a row, both faces contribute one half."""
    data = np.zeros((6, 2, 2), np.float32)
    data[0], data[4] = 1, 3
    points = np.array([(1, 0.5, 1)], np.float32)
    for flags, value in ((NORMALIZED, 1), (NORMALIZED | abi.CU_TRSF_SEAMLESS_CUBEMAP, 2)):
        with (
            arrays.array(data, flags=CUBE) as handle,
            arrays.texture(handle, flags=flags, filterMode=LINEAR) as texture,
        ):
            assert fetched("texCubemap<float>(t, p[0], p[1], p[2])", texture, points)[0] == value


def test_levels_of_detail(context):
    descriptor = arrays.describe((16, 16), "float32")
    made = driver.cuMipmappedArrayCreate(ctypes.addressof(descriptor), 5)
    for number in range(5):
        size = 16 >> number
        level = np.full((size, size), 100.0 * number, np.float32)
        arrays.copy(driver.cuMipmappedArrayGetLevel(made, number), level, 4 * size, size)
    given = arrays.resource(mipmapped=made)
    points = np.array([(0.4, 0.6, lod) for lod in (-3, 0, 0.25, 1.4, 1.75, 3.5, 9)], np.float32)
    lod, grad = "tex2DLod<float>(t, p[0], p[1], p[2])", "tex2DGrad<float>(t, p[0], p[1], {0}, {1})"
    step = "make_float2(exp2f(p[2]) / 16, 0)"
    common = {"flags": NORMALIZED, "maxMipmapLevelClamp": 99}
    with arrays.texture(given, mipmapFilterMode=LINEAR, **common) as texture:
        smooth = [0, 0, 25, 140.234375, 175, 350, 400]
        np.testing.assert_allclose(fetched(lod, texture, points), smooth, atol=0.4)
        found = fetched(grad.format(step, "make_float2(0, 0)"), texture, points)
        np.testing.assert_allclose(found, smooth, atol=0.4)
        assert fetched("tex2D<float>(t, p[0], p[1])", texture, points).tolist() == [0] * 7
    with arrays.texture(given, **common) as texture:
        assert fetched(lod, texture, points).tolist() == [0, 0, 0, 100, 200, 400, 400]
    limits = {"minMipmapLevelClamp": 1, "maxMipmapLevelClamp": 3, "mipmapLevelBias": 0.5, "flags": NORMALIZED}
    with arrays.texture(given, **limits) as texture:
        assert fetched(lod, texture, points).tolist() == [100, 100, 100, 200, 200, 300, 300]
    view = abi.CUDA_RESOURCE_VIEW_DESC(width=16, height=16, firstMipmapLevel=2, lastMipmapLevel=3)
    with arrays.texture(given, view, **common) as texture:
        assert fetched(lod, texture, points).tolist() == [200, 200, 200, 300, 300, 300, 300]
    driver.cuMipmappedArrayDestroy(made)


def test_gathering(context):
    data = random.random((5, 6, 4)).astype(np.float32)
    points = np.array([(2.0, 3.0), (0.2, 0.1), (5.9, 4.8)], np.float32)
    with arrays.array(data, 4) as handle, arrays.texture(handle) as texture:
        for channel in range(4):
            found = fetched(f"tex2Dgather<float4>(t, p[0], p[1], {channel})", texture, points, type_="float4")
            for (x, y), four in zip(points, found, strict=True):
                left, top = int(np.floor(x - 0.5)), int(np.floor(y - 0.5))
                corners = [(left, top + 1), (left + 1, top + 1), (left + 1, top), (left, top)]
                wanted = [data[np.clip(j, 0, 4), np.clip(i, 0, 5), channel] for i, j in corners]
                np.testing.assert_array_equal(four, wanted)


def test_linear_and_pitched_memory(context, refused):
    pointer, pitch = driver.cuMemAllocPitch(40, 6, 4)
    data = random.random((6, pitch // 4)).astype(np.float32)
    driver.cuMemcpyHtoD(pointer, data.ctypes.data, data.nbytes)
    given = abi.CUDA_RESOURCE_DESC(resType=abi.CU_RESOURCE_TYPE_LINEAR)
    given.res.linear.devPtr, given.res.linear.sizeInBytes = pointer, 80
    given.res.linear.format, given.res.linear.numChannels = 0x20, 1
    points = np.array([[-1], [0], [19], [20]], np.float32)
    with arrays.texture(given) as texture:
        found = fetched("tex1Dfetch<float>(t, (int)p[0])", texture, points)
        assert found.tolist() == [0, data[0, 0], data[0, 19], 0]
    given = abi.CUDA_RESOURCE_DESC(resType=abi.CU_RESOURCE_TYPE_PITCH2D)
    flat = given.res.pitch2D
    flat.devPtr, flat.format, flat.numChannels, flat.pitchInBytes = pointer, 0x20, 1, pitch
    flat.width, flat.height = 10, 6
    points = np.array([(3.25, 4.75), (30, 2), (-5, 5.5)], np.float32)
    with arrays.texture(given, filterMode=LINEAR) as texture:
        found = fetched(TEX[2], texture, points)
        wanted = expected(data[:, :10], np.clip(points, -4, 20), linear=1, mode=CLAMP, normalized=0)
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    for field, value, says in (("pitchInBytes", pitch + 4, "a multiple of 32"), ("height", 0, "height is 0"),
                               ("devPtr", pointer + 16, "no multiple of 256"), ("height", 7, "past the end"),
                               ("format", 5, "format 5")):  # fmt: skip
        kept = getattr(flat, field)
        setattr(flat, field, value)
        with refused("INVALID_VALUE", says), arrays.texture(given):
            pass
        setattr(flat, field, kept)
    driver.cuMemFree(pointer)


def test_resource_views_reinterpret_the_format(context, refused):
    data = random.integers(0, 2**32, (2, 8), dtype=np.uint32)
    points = np.arange(8, dtype=np.float32)[:, None] + 0.5
    with arrays.array(data, flags=LAYERED, height=False) as handle:
        view = abi.CUDA_RESOURCE_VIEW_DESC(width=8, firstLayer=1, lastLayer=1)
        view.format = abi.CU_RES_VIEW_FORMAT_UINT_4X8
        given = arrays.resource(handle)
        with arrays.texture(given, view, flags=INTEGERS) as texture:
            found = fetched("tex1DLayered<uint4>(t, p[0], 0)", texture, points, type_="uint4")
            np.testing.assert_array_equal(found, data[1].view(np.uint8).reshape(8, 4))
            kept = abi.CUDA_RESOURCE_VIEW_DESC()
            driver.cuTexObjectGetResourceViewDesc(ctypes.addressof(kept), texture)
            assert (kept.format, kept.firstLayer) == (view.format, 1)
        for field, value, status, says in (
            ("format", abi.CU_RES_VIEW_FORMAT_UINT_2X8, "INVALID_VALUE", "2 bytes, those of the array 4"),
            ("format", abi.CU_RES_VIEW_FORMAT_UNSIGNED_BC6H, "INVALID_VALUE", "16 bytes, those of the array 4"),
            ("lastLayer", 2, "INVALID_VALUE", "layers 1 to 2"),
            ("width", 4, "INVALID_VALUE", "a view of 4 x 0"),
            ("lastMipmapLevel", 1, "INVALID_VALUE", "levels 0 to 1"),
        ):
            before = getattr(view, field)
            setattr(view, field, value)
            with refused(status, says), arrays.texture(given, view):
                pass
            setattr(view, field, before)


def test_descriptors_of_a_texture_object(context, refused):
    with arrays.array(np.zeros((4, 4), np.float32)) as handle:
        with arrays.texture(handle, filterMode=LINEAR, flags=NORMALIZED) as texture:
            resource, settings = abi.CUDA_RESOURCE_DESC(), abi.CUDA_TEXTURE_DESC()
            driver.cuTexObjectGetResourceDesc(ctypes.addressof(resource), texture)
            driver.cuTexObjectGetTextureDesc(ctypes.addressof(settings), texture)
            assert (resource.res.array.hArray, settings.filterMode, settings.flags) == (handle, LINEAR, NORMALIZED)
            view = abi.CUDA_RESOURCE_VIEW_DESC()
            with refused("INVALID_VALUE", "without a view"):
                driver.cuTexObjectGetResourceViewDesc(ctypes.addressof(view), texture)
        with refused("INVALID_HANDLE", "no live texture"):
            driver.cuTexObjectDestroy(texture)
        for fields, says in (
            ({"mode": 4}, "addressMode[0] is 4"),
            ({"filterMode": 2}, "filterMode is 2"),
            ({"flags": 1 << 9}, "flags of the texture"),
            ({"flags": abi.CU_TRSF_SRGB}, "unsigned elements of 8 bits"),
        ):
            with refused("INVALID_VALUE", says), arrays.texture(handle, **fields):
                pass
        with refused("INVALID_VALUE", "without CUDA_ARRAY3D_SURFACE_LDST"), arrays.surface(handle):
            pass
    with refused("INVALID_HANDLE", "array"), arrays.texture(handle):
        pass
    with (
        arrays.array(np.zeros(4, np.uint8)) as handle,
        refused("INVALID_VALUE", "cannot be filtered"),
        arrays.texture(handle, filterMode=1, flags=INTEGERS),
    ):
        pass


def test_queries(context):
    source = """extern "C" __global__ void k(unsigned *o, unsigned long long t, unsigned long long s) {
        #define Q(n, which, of) asm("txq." which ".b32 %0, [%1];" : "=r"(o[n]) : "l"(of));
        #define S(n, which) asm("suq." which ".b32 %0, [%1];" : "=r"(o[n]) : "l"(s));
        Q(0, "width", t) Q(1, "height", t) Q(2, "depth", t) Q(3, "channel_data_type", t) Q(4, "channel_order", t)
        Q(5, "normalized_coords", t) S(6, "width") S(7, "array_size") S(8, "channel_data_type")
        #define P(n, which, of) asm("{ .reg .pred p; istypep." which " p, %1; selp.u32 %0, 1, 0, p; }" \
            : "=r"(o[n]) : "l"(of));
        P(9, "texref", t) P(10, "surfref", t) P(11, "surfref", s) P(12, "texref", s) P(13, "samplerref", t)
        asm("txq.level.width.b32 %0, [%1], 0;" : "=r"(o[14]) : "l"(t));
        S(15, "memory_layout") }"""
    with (
        arrays.array(np.zeros((3, 5, 7, 2), np.float16), 2) as handle,
        arrays.array(np.zeros((4, 6), np.uint8), flags=LAYERED | STORES, height=False) as other,
        arrays.texture(handle, flags=NORMALIZED) as texture,
        arrays.surface(other) as surface,
    ):
        values = (ctypes.c_uint64(texture), ctypes.c_uint64(surface))
        found = run(source, *values, count=1, out=np.full(16, 9, np.uint32))
    assert found.tolist() == [7, 5, 3, 0x10DD, 0x10B2, 1, 6, 4, 0x10DA, 1, 0, 1, 0, 0, 7, 0]


def content(handle, like):
    back = np.zeros_like(like)
    layers, rows, width = (1,) * (3 - like.ndim) + like.shape
    arrays.copy(back, handle, width * like.itemsize, rows, layers)
    return back


def test_surfaces(context):
    source = """extern "C" __global__ void k(float *out, unsigned long long one, unsigned long long two,
            unsigned long long three, unsigned long long layers) { int i = threadIdx.x;
        float a = surf1Dread<float>(one, 4 * i), b = surf2Dread<float>(two, 4 * (i % 4), i / 4);
        float c = surf3Dread<float>(three, 4 * (i % 2), i / 2 % 2, i / 4);
        float d = surf2DLayeredread<float>(layers, 4 * (i % 2), i / 2 % 2, i / 4);
        out[i] = a + 10 * b + 100 * c + 1000 * d;
        surf1Dwrite<float>(a + 1, one, 4 * i); surf2Dwrite<float>(b + 2, two, 4 * (i % 4), i / 4);
        surf3Dwrite<float>(c + 3, three, 4 * (i % 2), i / 2 % 2, i / 4);
        surf2DLayeredwrite<float>(d + 4, layers, 4 * (i % 2), i / 2 % 2, i / 4); }"""
    data = [random.integers(0, 9, shape).astype(np.float32) for shape in ((8,), (2, 4), (2, 2, 2), (2, 2, 2))]
    with (
        arrays.array(data[0], flags=STORES) as one,
        arrays.array(data[1], flags=STORES) as two,
        arrays.array(data[2], flags=STORES) as three,
        arrays.array(data[3], flags=STORES | LAYERED) as layers,
    ):
        handles = (one, two, three, layers)
        given = [arrays.resource(handle) for handle in handles]
        objects = [driver.cuSurfObjectCreate(ctypes.addressof(each)) for each in given]
        found = run(source, *map(ctypes.c_uint64, objects), count=8, out=np.zeros(8, np.float32))
        for number, (handle, before) in enumerate(zip(handles, data, strict=True), 1):
            np.testing.assert_array_equal(content(handle, before), before + number)
        for made in objects:
            driver.cuSurfObjectDestroy(made)
    flat = [each.reshape(8) for each in data]
    np.testing.assert_array_equal(found, flat[0] + 10 * flat[1] + 100 * flat[2] + 1000 * flat[3])


def test_surface_element_sizes_and_boundary_modes(context):
    """Vectors and small elements; out of bounds, clamp mode uses the edge, zero mode reads zero and drops the store."""
    source = """extern "C" __global__ void k(unsigned *o, unsigned long long s) {
        uchar4 v = surf2Dread<uchar4>(s, 4, 1); o[0] = v.x | v.y << 8 | v.z << 16 | v.w << 24;
        o[1] = surf2Dread<short>(s, 2, 0); long long w = surf2Dread<long long>(s, 8, 2); o[2] = w; o[3] = w >> 32;
        o[4] = surf2Dread<unsigned>(s, 400, -1, cudaBoundaryModeClamp);
        o[5] = surf2Dread<unsigned>(s, -4, 0, cudaBoundaryModeZero);
        surf2Dwrite<unsigned>(7u, s, 16, 0, cudaBoundaryModeZero);
        surf2Dwrite<unsigned>(9u, s, -4, 99, cudaBoundaryModeClamp);
        surf2Dwrite<uchar2>(make_uchar2(1, 2), s, 6, 0); }"""
    data = random.integers(0, 2**32, (3, 4), dtype=np.uint32)
    with arrays.array(data, flags=STORES) as handle, arrays.surface(handle) as surface:
        found = run(source, ctypes.c_uint64(surface), count=1, out=np.zeros(6, np.uint32))
        after = content(handle, data)
    halves = data.view(np.int16)
    wanted = [data[1, 1], np.uint32(int(halves[0, 1]) & 0xFFFFFFFF), data[2, 2], data[2, 3], data[0, 3], 0]
    assert found.tolist() == wanted
    data[2, 0] = 9
    data.view(np.uint8)[0, 6:8] = 1, 2
    np.testing.assert_array_equal(after, data)


def test_formatted_stores_and_reductions(context):
    source = """extern "C" __global__ void k(unsigned *o, unsigned long long bytes, unsigned long long words) {
        int i = threadIdx.x;
        asm volatile("sust.p.1d.v2.b32.trap [%0, {%1}], {%2, %3};" :: "l"(bytes), "r"(i), "r"(i * 200), "r"(~i));
        asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" :: "l"(words), "r"(0), "r"(i));
        asm volatile("sured.b.max.1d.s32.trap [%0, {%1}], %2;" :: "l"(words), "r"(4), "r"(i - 100));
        asm volatile("sured.p.or.1d.b32.trap [%0, {%1}], %2;" :: "l"(words), "r"(2), "r"(1 << i));
        asm volatile("sured.b.min.1d.u64.trap [%0, {%1}], %2;" :: "l"(words), "r"(16), "l"(7ull << 33 | i)); }"""
    words = np.array([5, -200, 0, 0, -1, -1], np.int32)
    with (
        arrays.array(np.zeros((8, 2), np.int8), 2, flags=STORES) as bytes_,
        arrays.array(words, flags=STORES) as sums,
        arrays.surface(bytes_) as first,
        arrays.surface(sums) as second,
    ):
        run(source, ctypes.c_uint64(first), ctypes.c_uint64(second), count=8, out=np.zeros(1, np.uint32))
        stored = content(bytes_, np.zeros(16, np.int8)).reshape(8, 2)
        found = content(sums, words)
    np.testing.assert_array_equal(stored, [(min(i * 200, 127), ~i) for i in range(8)])
    assert found.tolist() == [5 + 28, -93, 255, 0, 0, 14]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("o[0] = surf1Dread<unsigned>(s, 64);", "access outside of a surface"),
        ("o[0] = tex1D<float>(s, 0.f);", "no texture object"),
        ("o[0] = surf1Dread<unsigned>(t, 0);", "no surface object"),
        ("o[0] = tex1D<float>(0, 0.f);", "illegal memory access at 0x0"),
    ],
)
def test_invalid_accesses_are_faults(call, says):
    """Runs in a context of its own, because the fault makes the context unusable."""
    source = f'extern "C" __global__ void k(unsigned *o, unsigned long long t, unsigned long long s) {{ {call} }}'
    made = driver.cuCtxCreate_v2(0, 0)
    try:
        descriptor = arrays.describe((16,), "float32", flags=STORES)
        handle = driver.cuArray3DCreate(ctypes.addressof(descriptor))
        given, settings = arrays.resource(handle), abi.CUDA_TEXTURE_DESC()
        surface = driver.cuSurfObjectCreate(ctypes.addressof(given))
        texture = driver.cuTexObjectCreate(ctypes.addressof(given), ctypes.addressof(settings), 0)
        module = driver.cuModuleLoadData(kernels.address_of(compiled(source, is_clang())))
        out = ctypes.c_uint64(driver.cuMemAlloc(64))
        kernels.run(module, "k", out, ctypes.c_uint64(texture), ctypes.c_uint64(surface))
        with pytest.raises(driver.error.CudaError, match=says):
            driver.cuCtxSynchronize()
        driver.cuSurfObjectDestroy(surface)
        driver.cuTexObjectDestroy(texture)
    finally:
        driver.cuCtxDestroy(made)


def test_texture_references_are_refused_at_load(context, refused):
    text = kernels.HEAD + (
        ".global .texref old; .visible .entry k() { .reg .f32 %f<5>; "
        "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [old, {%f1}]; ret; }"
    )
    with refused("INVALID_PTX", "use texture objects"):
        driver.cuModuleLoadData(kernels.address_of(text.encode() + b"\0"))


def test_channels_of_10_and_2_bits(context, refused):
    words = random.integers(0, 2**32, (4, 8), dtype=np.uint32)
    words[0, :2] = 0, 2**32 - 1
    given = abi.CUDA_ARRAY3D_DESCRIPTOR(Width=8, Height=4, NumChannels=4, Format=abi.CU_AD_FORMAT_UNORM_INT_101010_2)
    handle = driver.cuArray3DCreate(ctypes.addressof(given))
    arrays.copy(handle, words, 32, 4)
    y, x = np.mgrid[0:4, 0:8]
    points = np.stack([x.ravel(), y.ravel()], axis=1).astype(np.float32) + 0.5
    with arrays.texture(handle, mode=CLAMP) as texture:
        found = fetched("tex2D<float4>(t, p[0], p[1])", texture, points, type_="float4")
    wanted = [(words.ravel() >> shift & most) / most for shift, most in ((0, 1023), (10, 1023), (20, 1023), (30, 3))]
    np.testing.assert_allclose(found, np.stack(wanted, axis=1), atol=1e-7)
    driver.cuArrayDestroy(handle)
    for field, value, status, says in (
        ("NumChannels", 2, "INVALID_VALUE", "the format has 4"),
        ("Flags", abi.CUDA_ARRAY3D_SURFACE_LDST, "NOT_SUPPORTED", "channels of one size"),
    ):
        before = getattr(given, field)
        setattr(given, field, value)
        with refused(status, says):
            driver.cuArray3DCreate(ctypes.addressof(given))
        setattr(given, field, before)


def test_channels_of_10_and_2_bits_in_the_runtime_api(context):
    kind = runtime_abi.cudaChannelFormatKindUnsignedNormalized1010102
    given, found = runtime_abi.cudaChannelFormatDesc(10, 10, 10, 2, kind), runtime_abi.cudaChannelFormatDesc()
    made = runtime_api.cudaMallocArray(ctypes.addressof(given), 8, 4, 0)
    runtime_api.cudaGetChannelDesc(ctypes.addressof(found), made)
    assert bytes(found) == bytes(given)
    runtime_api.cudaFreeArray(made)
