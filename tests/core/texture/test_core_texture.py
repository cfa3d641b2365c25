# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA arrays, textures and surfaces, and their values in kernels."""

import gc
import itertools

import numpy as np
import pytest

from cuda.bindings import driver
from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, Module, launch
from cuda.core.texture import (
    MipmappedArray,
    MipmappedArrayOptions,
    OpaqueArray,
    OpaqueArrayOptions,
    ResourceDescriptor,
    SurfaceObject,
    TextureObject,
    TextureObjectOptions,
)
from cuda.core.typing import ArrayFormatType

pytestmark = pytest.mark.needs_nvrtc
SOURCE = """
extern "C" {
__global__ void read(cudaTextureObject_t image, const float2 *at, float *out) {
    float2 p = at[threadIdx.x];
    out[threadIdx.x] = tex2D<float>(image, p.x, p.y);
}
__global__ void read_level(cudaTextureObject_t image, float level, float *out) {
    *out = tex2DLod<float>(image, 0.5f, 0.5f, level);
}
__global__ void read_bytes(cudaTextureObject_t image, int width, unsigned *out) {
    uchar4 v = tex2D<uchar4>(image, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
    out[blockIdx.x * width + threadIdx.x] = v.x + 1000 * v.w;
}
__global__ void fetch(cudaTextureObject_t line, int *out) { out[threadIdx.x] = tex1Dfetch<int>(line, threadIdx.x); }
__global__ void transpose(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    float v;
    surf2Dread(&v, from, threadIdx.x * 4, blockIdx.x);
    surf2Dwrite(v, to, blockIdx.x * 4, threadIdx.x);
}
}
"""


@pytest.fixture(scope="module")
def kernels():
    from cuda.core import Device

    Device(0).set_current()
    return Module.from_source(SOURCE)


@pytest.fixture
def image(device, stream):
    """Return a function that makes an array, or mipmapped array, of pixels."""
    made = []

    def make(pixels, format="float32", channels=1, **more):
        shape = pixels.shape[: 1 if pixels.ndim == 1 else 2][::-1]
        array = device.create_opaque_array({"shape": shape, "format": format, "num_channels": channels, **more})
        array.copy_from(pixels, stream=stream)
        made.append(array)
        return array

    yield make
    for array in made:
        array.close()


@pytest.fixture
def sampled(device, stream, kernels):
    """Return a function that fetches from a texture at coordinates."""

    def sample(resource, positions, **options):
        positions = np.asarray(positions, np.float32)
        memory = LegacyPinnedMemoryResource()
        at, out = memory.allocate(positions.nbytes, stream=stream), memory.allocate(4 * len(positions), stream=stream)
        np.frombuffer(at, np.float32)[:] = positions.ravel()
        with device.create_texture_object(resource=resource, options=options) as texture:
            launch(stream, LaunchConfig(grid=1, block=len(positions)), kernels.read, texture, at, out)
            stream.sync()
        return np.frombuffer(bytes(out), np.float32)

    return sample


PIXELS = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize("name", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32"])
def test_formats_by_dtype(device, name):
    for form in (name, np.dtype(name), getattr(np, name), ArrayFormatType(name)):
        with device.create_opaque_array(OpaqueArrayOptions((4,), form, 1)) as array:
            assert (array.format, type(array.format)) == (name, ArrayFormatType)


@pytest.mark.parametrize("form", [None, 3, "float", "<f4", np.float64, np.dtype(">f4"), np.dtype("f4,f4"), object])
def test_unsupported_formats(device, form):
    with pytest.raises(ValueError, match=r"format must be one of 'uint8', .* or the NumPy dtype of that name, not "):
        device.create_opaque_array(OpaqueArrayOptions((4,), form, 1))


@pytest.mark.parametrize(
    ("shape", "format", "channels"),
    [((5,), "uint8", 4), ((5, 3), "float16", 2), ((4, 3, 2), "int32", 1), ((3, 4), "float32", 4)],
)
def test_copies_to_and_from_arrays(device, stream, shape, format, channels):
    options = OpaqueArrayOptions(shape, format, channels)
    with device.create_opaque_array(options) as array:
        assert (array.shape, array.format, array.num_channels) == (shape, format, channels)
        assert (array.device, array.is_surface_load_store) == (device, False)
        assert array.element_bytes == channels * np.dtype(format).itemsize
        assert array.size_bytes == array.element_bytes * np.prod(shape)
        data = np.random.default_rng(1).integers(0, 255, array.size_bytes, dtype=np.uint8)
        array.copy_from(data, stream=stream)
        back = np.zeros_like(data)
        assert array.copy_to(back, stream=stream) is back
        assert (back == data).all()
        buffer = device.allocate(array.size_bytes, stream=stream)
        assert array.copy_to(buffer, stream=stream) is buffer
        with device.create_opaque_array(options) as other:
            other.copy_from(buffer, stream=stream)
            again = other.copy_to(bytearray(array.size_bytes), stream=stream)
        assert bytes(again) == data.tobytes()
        status, described = driver.cuArray3DGetDescriptor(array.handle)
        assert (status, described.Width) == (driver.CUresult.CUDA_SUCCESS, shape[0])
    assert array.is_closed
    assert array.handle == 0


def test_point_sampling(image, sampled):
    resource = ResourceDescriptor.from_opaque_array(image(PIXELS))
    positions = [(x + 0.5, y + 0.5) for y in range(3) for x in range(4)]
    assert (sampled(resource, positions) == PIXELS.ravel()).all()
    outside = [(-3, 1.5), (9, 1.5), (1.5, -5)]
    assert sampled(resource, outside).tolist() == [4, 7, 1]
    border = {"address_mode": "border", "border_color": (7.5, 0, 0, 0)}
    assert sampled(resource, outside, **border).tolist() == [7.5] * 3


def test_linear_filtering_and_repeats(image, sampled):
    resource = ResourceDescriptor.from_opaque_array(image(PIXELS))
    assert sampled(resource, [(1, 1), (2, 0.5)], filter_mode="linear").tolist() == [2.5, 1.5]
    unit = {"normalized_coords": True}
    assert sampled(resource, [(1.125, 0.5)], address_mode="wrap", **unit).tolist() == [4]
    assert sampled(resource, [(1.125, 0.5)], address_mode=("mirror", "clamp"), **unit).tolist() == [7]


def test_integers_as_floats(image, sampled):
    bytes_ = np.array([[0, 51, 255]], np.uint8)
    resource = ResourceDescriptor.from_opaque_array(image(bytes_, "uint8"))
    read = sampled(resource, [(0.5, 0.5), (1.5, 0.5), (2.5, 0.5)], read_mode="normalized_float")
    assert read == pytest.approx([0, 0.2, 1])
    mean = sampled(resource, [(2, 0.5)], read_mode="normalized_float", filter_mode="linear")
    assert mean == pytest.approx([0.6], abs=0.01)


def test_channels_of_bytes(image, device, stream, kernels):
    pixels = np.random.default_rng(2).integers(0, 255, (3, 5, 4), dtype=np.uint8)
    resource = ResourceDescriptor.from_opaque_array(image(pixels, "uint8", 4))
    out = LegacyPinnedMemoryResource().allocate(4 * 15, stream=stream)
    texture = device.create_texture_object(resource=resource)
    launch(stream, LaunchConfig(grid=3, block=5), kernels.read_bytes, texture, 5, out)
    stream.sync()
    expected = pixels[..., 0] + 1000 * pixels[..., 3].astype(int)
    assert (np.frombuffer(bytes(out), np.uint32) == expected.ravel()).all()


def test_textures_of_buffers(device, stream, kernels, sampled):
    buffer = LegacyPinnedMemoryResource().allocate(4096, stream=stream)
    np.frombuffer(buffer, np.int32)[:] = np.arange(1024)
    line = ResourceDescriptor.from_linear(buffer, format="int32", num_channels=1, size_bytes=64)
    assert (line.kind, line.size_bytes, line.source, line.format) == ("linear", 64, buffer, "int32")
    out = LegacyPinnedMemoryResource().allocate(64, stream=stream)
    texture = device.create_texture_object(resource=line)
    launch(stream, LaunchConfig(grid=1, block=16), kernels.fetch, texture, out)
    stream.sync()
    assert np.frombuffer(bytes(out), np.int32).tolist() == list(range(16))

    pitch = 512
    np.frombuffer(buffer, np.float32)[:] = np.arange(1024)
    picture = ResourceDescriptor.from_pitch2d(
        buffer, format="float32", num_channels=1, width=4, height=3, pitch_bytes=pitch
    )
    assert (picture.width, picture.height, picture.pitch_bytes) == (4, 3, pitch)
    assert sampled(picture, [(1.5, 2.5), (4, 1)], filter_mode="linear").tolist() == [257, 67]


def test_mipmap_levels(device, stream, kernels):
    options = MipmappedArrayOptions(shape=(4, 4), format="float32", num_channels=1, num_levels=3)
    with device.create_mipmapped_array(options) as pyramid:
        assert (pyramid.shape, pyramid.num_levels, pyramid.num_channels) == ((4, 4), 3, 1)
        assert (pyramid.format, pyramid.device, pyramid.is_surface_load_store) == ("float32", device, False)
        assert driver.cuMipmappedArrayGetLevel(pyramid.handle, 2)[0] == driver.CUresult.CUDA_SUCCESS
        for level in range(3):
            array = pyramid.get_level(level)
            assert array.shape == (4 >> level, 4 >> level)
            array.copy_from(np.full(array.shape, level + 1, np.float32), stream=stream)
            array.close()
        resource = ResourceDescriptor.from_mipmapped_array(pyramid)
        assert (resource.kind, resource.source) == ("mipmapped_array", pyramid)
        options = {"normalized_coords": True, "mipmap_filter_mode": "linear", "max_mipmap_level_clamp": 2.0}
        out = LegacyPinnedMemoryResource().allocate(4, stream=stream)
        with device.create_texture_object(resource=resource, options=options) as texture:
            for level, expected in ((0, 1), (0.5, 1.5), (2, 3), (5, 3)):
                launch(stream, LaunchConfig(grid=1, block=1), kernels.read_level, texture, float(level), out)
                stream.sync()
                assert np.frombuffer(bytes(out), np.float32)[0] == expected
        with pytest.raises(ValueError, match="level must be an int from 0 to 2, not 3"):
            pyramid.get_level(3)
        top = pyramid.get_level(0)
    assert top.is_closed
    with pytest.raises(ValueError, match="this OpaqueArray is closed"):
        top.copy_from(bytes(64), stream=stream)


def test_surfaces(image, device, stream, kernels):
    start = image(PIXELS, is_surface_load_store=True)
    end = image(np.zeros((4, 3), np.float32), is_surface_load_store=True)
    made = [device.create_surface_object(resource=ResourceDescriptor.from_opaque_array(each)) for each in (start, end)]
    launch(stream, LaunchConfig(grid=3, block=4), kernels.transpose, *made)
    back = end.copy_to(np.empty((4, 3), np.float32), stream=stream)
    assert (back == PIXELS.T).all()
    for surface in made:
        assert surface.handle == int(surface)
        assert surface.device == device
        surface.close()
        surface.close()
        assert surface.is_closed
        assert surface.handle == 0
    with pytest.raises(ValueError, match="this SurfaceObject is closed"):
        launch(stream, LaunchConfig(grid=1, block=1), kernels.transpose, *made)


def test_attributes_and_lifetime_of_a_texture(image, device):
    array = image(PIXELS)
    options = TextureObjectOptions(filter_mode="linear")
    texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array), options=options)
    assert texture.handle == int(texture)
    assert (texture.options, texture.resource.source, texture.device) == (options, array, device)
    assert "TextureObject" in repr(texture)
    assert "OpaqueArray (4, 3) of 1 x float32" in repr(array)
    texture.close()
    assert texture.is_closed
    assert texture.resource is None


def test_copies_in_a_graph(device, stream):
    first, second = (device.create_opaque_array(OpaqueArrayOptions((4, 3), "float32", 1)) for _ in range(2))
    memory = LegacyPinnedMemoryResource()
    start, end = (memory.allocate(48, stream=stream) for _ in range(2))
    with device.create_graph_builder().begin_building() as builder:
        first.copy_from(start, stream=builder)
        first.copy_to(end, stream=builder)
        graph = builder.end_building().complete()
    np.frombuffer(start, np.float32)[:] = PIXELS.ravel()
    graph.launch(stream)
    stream.sync()
    assert (np.frombuffer(bytes(end), np.float32) == PIXELS.ravel()).all()
    second.close()


def test_arrays_can_be_closed_in_any_order(device, stream):
    for order in itertools.permutations(range(3)):
        pyramid = device.create_mipmapped_array(MipmappedArrayOptions((8, 8), "float32", 1, 2))
        level = pyramid.get_level(1)
        texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(level))
        things = [pyramid, level, texture]
        for position in order:
            things[position].close()
        del pyramid, level, texture, things
        gc.collect()
    stream.sync()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (None, TypeError, "options must be OpaqueArrayOptions"),
        ({"shape": (), "format": "uint8", "num_channels": 1}, ValueError, "shape must have 1 to 3 extents"),
        ({"shape": (4, 0), "format": "uint8", "num_channels": 1}, ValueError, "extents of at least 1"),
        ({"shape": 4, "format": "uint8", "num_channels": 1}, TypeError, "shape must be a tuple of 1 to 3 ints, not 4"),
        ({"shape": (4,), "format": "float64", "num_channels": 1}, ValueError, "format must be one of .* not 'float64'"),
        ({"shape": (4,), "format": "uint8", "num_channels": 3}, ValueError, "num_channels must be 1, 2 or 4, not 3"),
    ],
)
def test_wrong_arrays(device, options, error, message):
    with pytest.raises(error, match=message):
        device.create_opaque_array(options)


def test_wrong_levels(device):
    for levels in (0, 4, "2"):
        with pytest.raises(ValueError, match="num_levels must be an int from 1 to 3"):
            device.create_mipmapped_array(MipmappedArrayOptions((4, 4), "uint8", 1, levels))


def test_wrong_copies(device, stream):
    with device.create_opaque_array(OpaqueArrayOptions((4,), "uint8", 1)) as array:
        for data, error, message in (
            (bytes(5), ValueError, "src has 5 bytes, but the array 4"),
            (3, TypeError, "src must be a Buffer or bytes-like, not int"),
            (np.zeros(8, np.uint8)[::2], ValueError, r"src of shape \(4,\) has strides \(2,\) .* in C order"),
            (np.zeros((2, 2), np.uint8, order="F"), ValueError, r"src of shape \(2, 2\) has strides \(1, 2\) "),
        ):
            with pytest.raises(error, match=message):
                array.copy_from(data, stream=stream)
        with pytest.raises(TypeError, match="dst must be a Buffer or writable bytes-like, not bytes"):
            array.copy_to(bytes(4), stream=stream)
        with pytest.raises(ValueError, match=r"dst of shape \(2, 2\) has strides \(1, 2\) .* in C order"):
            array.copy_to(np.zeros((2, 2), np.uint8, order="F"), stream=stream)
        closed = device.allocate(4, stream=stream)
        closed.close()
        with pytest.raises(ValueError, match="src is a closed Buffer"):
            array.copy_from(closed, stream=stream)


@pytest.mark.parametrize(
    ("format", "options", "message"),
    [
        ("int32", {"filter_mode": "linear"}, "int32 needs read_mode 'normalized_float'"),
        ("int32", {"read_mode": "normalized_float"}, "is for integers of 8 or 16 bits, not for int32"),
        ("float32", {"address_mode": "wrap"}, "address_mode 'wrap' needs normalized_coords=True"),
        ("float32", {"address_mode": ("clamp",) * 4}, "a tuple of 1 to 3, not of 4"),
        ("float32", {"address_mode": "repeat"}, "'repeat' is not a valid AddressModeType"),
        ("float32", {"srgb": True}, "srgb is for elements of uint8"),
        ("float32", {"max_anisotropy": 17}, "max_anisotropy must be from 0 to 16, not 17"),
        ("float32", {"border_color": (1,)}, r"border_color must be a tuple of 4 numbers, not \(1,\)"),
        ("float32", {"border_color": (1,) * 5}, "border_color must be a tuple of 4 numbers, not"),
        ("float32", {"border_color": ("red",) * 4}, "border_color must be a tuple of 4 numbers, not"),
        ("float32", {"border_color": 1.0}, "border_color must be a tuple of 4 numbers, not 1.0"),
    ],
)
def test_wrong_textures(device, format, options, message):
    array = device.create_opaque_array(OpaqueArrayOptions((4, 4), format, 1))
    with pytest.raises(ValueError, match=message):
        device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array), options=options)


def test_wrong_resources(device, stream):
    buffer = LegacyPinnedMemoryResource().allocate(64, stream=stream)
    kind = {"format": "uint8", "num_channels": 1}
    for use, error, message in (
        (
            lambda: ResourceDescriptor.from_linear(buffer, **kind, size_bytes=65),
            ValueError,
            "from 1 to the buffer's 64",
        ),
        (lambda: ResourceDescriptor.from_linear(b"", **kind), TypeError, "buffer must be a Buffer, not bytes"),
        (
            lambda: ResourceDescriptor.from_pitch2d(buffer, **kind, width=9, height=2, pitch_bytes=8),
            ValueError,
            "pitch_bytes is 8, but a line of 9 elements has 9 bytes",
        ),
        (
            lambda: ResourceDescriptor.from_pitch2d(buffer, **kind, width=8, height=9, pitch_bytes=8),
            ValueError,
            "need 72 bytes, but buffer has 64",
        ),
        (
            lambda: ResourceDescriptor.from_pitch2d(buffer, **kind, width=0, height=9, pitch_bytes=8),
            ValueError,
            "1, not 0",
        ),
        (lambda: ResourceDescriptor.from_opaque_array(buffer), TypeError, "array must be a OpaqueArray, not Buffer"),
        (ResourceDescriptor, RuntimeError, "a ResourceDescriptor is not made directly"),
        (lambda: device.create_texture_object(resource=buffer), TypeError, "resource must be a ResourceDescriptor"),
    ):
        with pytest.raises(error, match=message):
            use()
    line = ResourceDescriptor.from_linear(buffer, **kind)
    with pytest.raises(ValueError, match="read by index"):
        device.create_texture_object(resource=line, options={"normalized_coords": True})
    array = device.create_opaque_array(OpaqueArrayOptions((4, 4), "float32", 1))
    plain = ResourceDescriptor.from_opaque_array(array)
    for resource in (plain, line):
        with pytest.raises(ValueError, match="is_surface_load_store=True"):
            device.create_surface_object(resource=resource)
    array.close()
    with pytest.raises(ValueError, match="the resource's OpaqueArray is closed"):
        device.create_texture_object(resource=plain)
    with pytest.raises(ValueError, match="array is closed"):
        ResourceDescriptor.from_opaque_array(array)


@pytest.mark.parametrize("kind", [OpaqueArray, MipmappedArray, TextureObject, SurfaceObject])
def test_classes_cannot_be_instantiated_directly(kind):
    with pytest.raises(RuntimeError, match=f"a {kind.__name__} is not made directly"):
        kind()
