# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tensor maps: validation of options, and the descriptors that the driver encodes."""

import numpy as np
import pytest

from cuda.core import (
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Module,
    TensorMapDataType,
    TensorMapDescriptor,
    TensorMapDescriptorOptions,
    TensorMapInterleave,
    TensorMapOOBFill,
    TensorMapSwizzle,
    launch,
)
from cuda.core._launch._tensor_map_options import data_type_of
from cuda.core.graph import GraphDefinition
from cuda.core.utils import StridedMemoryView


@pytest.fixture
def view(device, stream):
    """Return a function that views a Buffer of 64 KiB of the device."""
    buffer = device.allocate(1 << 16, stream=stream)

    def make(shape=(16, 32), dtype="float32", strides=None):
        return StridedMemoryView.from_buffer(buffer, shape, strides, dtype=np.dtype(dtype))

    return make


@pytest.mark.parametrize(
    ("shape", "more", "options", "error", "message"),
    [
        ((), {}, {}, ValueError, "arrays of 1 to 5 axes, but the view has 0"),
        ((1,) * 6, {}, {}, ValueError, "arrays of 1 to 5 axes, but the view has 6"),
        ((16, 32), {}, {"box_dim": None}, TypeError, "box_dim must be given"),
        ((16, 32), {}, {"box_dim": 8}, TypeError, "box_dim must be a tuple of ints, not 8"),
        ((16, 32), {}, {"box_dim": (8,)}, ValueError, "box_dim has 1 extents, but the view has 2 axes"),
        ((16, 32), {}, {"box_dim": (8, 257)}, ValueError, "each must be from 1 to 256"),
        ((16, 32), {}, {"element_strides": (1, 9)}, ValueError, "element_strides is .*, but each must be from 1 to 8"),
        ((16, 32), {}, {"box_dim": (8, 3)}, ValueError, "makes lines of 12 bytes, which must be a multiple of 16"),
        ((16, 32), {"strides": (1, 16)}, {}, ValueError, "last axis must be contiguous, but its stride is 16 elements"),
        ((16, 31), {}, {}, ValueError, "the stride of axis 0 is 124 bytes, but must be a multiple of 16"),
        ((16, 32), {"dtype": "complex64"}, {}, TypeError, "tensor copies have no elements of type complex64"),
        ((16, 32), {}, {"data_type": np.float16}, ValueError, "data_type FLOAT16 has 2 bytes, but the view's elements"),
        (
            (16, 32),
            {},
            {"interleave": TensorMapInterleave.INTERLEAVE_16B},
            ValueError,
            "interleave INTERLEAVE_16B is for arrays of 3 to 5 axes",
        ),
        (
            (16, 32),
            {},
            {"swizzle": TensorMapSwizzle.SWIZZLE_32B, "box_dim": (8, 16)},
            ValueError,
            "swizzle SWIZZLE_32B permutes at most 32",
        ),
        (
            (4, 16, 32),
            {},
            {"interleave": TensorMapInterleave.INTERLEAVE_32B},
            ValueError,
            "interleave INTERLEAVE_32B needs swizzle SWIZZLE_32B",
        ),
        (
            (16, 32),
            {"dtype": "int32"},
            {"oob_fill": TensorMapOOBFill.NAN_REQUEST_ZERO_FMA},
            ValueError,
            "NAN_REQUEST_ZERO_FMA is for floating-point numbers",
        ),
        ((16, 32), {}, {"swizzle": 99}, TypeError, r"swizzle must be a TensorMapSwizzle, not 99 \(int\)"),
    ],
)
def test_invalid_options_are_refused(view, shape, more, options, error, message):
    options = {"box_dim": (4,) * len(shape), **options}
    with pytest.raises(error, match=message):
        view(shape, **more).as_tensor_map(**options)


def test_wrong_memory_and_options(view, device, stream):
    host = StridedMemoryView.from_array_interface(np.zeros((16, 32), np.float32))
    with pytest.raises(ValueError, match="the array is in memory of the host"):
        host.as_tensor_map((4, 4))
    whole = device.allocate(4096, stream=stream)
    from cuda.core import Buffer

    part = Buffer.from_handle(whole.handle + 4, 2048, owner=whole)
    with pytest.raises(ValueError, match="must be a multiple of 16 bytes"):
        StridedMemoryView.from_buffer(part, (16, 32), dtype=np.dtype("f4")).as_tensor_map((4, 4))
    with pytest.raises(TypeError, match="give options or box_dim, not both"):
        view().as_tensor_map((4, 4), options=TensorMapDescriptorOptions((4, 4)))
    with pytest.raises(TypeError, match="options must be TensorMapDescriptorOptions"):
        view().as_tensor_map(options=3)
    with pytest.raises(RuntimeError, match="a TensorMapDescriptor is not made directly"):
        TensorMapDescriptor()


def test_element_types():
    names = [
        "bool",
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
        "float16",
        "float32",
        "float64",
    ]
    for name in names:
        dtype = np.dtype(name)
        found = data_type_of(None, dtype, dtype.itemsize)
        assert data_type_of(found, None, dtype.itemsize) is found
        assert data_type_of(name, None, dtype.itemsize) is found
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert data_type_of(None, np.dtype(ml_dtypes.bfloat16), 2) is TensorMapDataType.BFLOAT16
    assert data_type_of(None, np.dtype(ml_dtypes.float8_e4m3fn), 1) is TensorMapDataType.UINT8
    with pytest.raises(ValueError, match="the view has no dtype"):
        data_type_of(None, None, 4)


def test_options():
    options = TensorMapDescriptorOptions(box_dim=(1, 2))
    assert options == TensorMapDescriptorOptions((1, 2), None, None, TensorMapInterleave.NONE, TensorMapSwizzle.NONE)
    assert options.oob_fill is TensorMapOOBFill.NONE


@pytest.fixture
def tensor_map(view, device):
    if device.compute_capability < (9, 0):
        pytest.skip("tensor copies need compute capability 9.0")
    return view().as_tensor_map((8, 16), swizzle=TensorMapSwizzle.SWIZZLE_64B)


def test_a_tiled_map(tensor_map, view, device):
    assert tensor_map.device == device
    assert len(bytes(tensor_map)) == 128
    assert any(bytes(tensor_map))
    assert "TensorMapDescriptor" in repr(tensor_map)


def test_replace_address(tensor_map, view, device, stream):
    before = bytes(tensor_map)
    tensor_map.replace_address(view())
    assert bytes(tensor_map) == before
    other = device.allocate(1 << 12, stream=stream)
    tensor_map.replace_address(StridedMemoryView.from_buffer(other, (16, 32), dtype=np.dtype("f4")))
    assert bytes(tensor_map) != before
    with pytest.raises(ValueError, match="in memory of the host"):
        tensor_map.replace_address(np.zeros((16, 32), np.float32))


@pytest.mark.needs_nvrtc
def test_kernels_and_graph_nodes_accept_a_tensor_map(tensor_map, device, stream):
    source = """
    struct alignas(64) Map { unsigned long long words[16]; };
    extern "C" __global__ void words(unsigned long long *out, const __grid_constant__ Map map) {
        out[threadIdx.x] = map.words[threadIdx.x];
    }
    """
    kernel = Module.from_source(source).words
    config = LaunchConfig(grid=1, block=16)
    out = LegacyPinnedMemoryResource().allocate(128, stream=stream)
    launch(stream, config, kernel, out, tensor_map)
    stream.sync()
    assert bytes(out) == bytes(tensor_map)
    out.fill(0, stream=stream)
    graph = GraphDefinition()
    graph.launch(config, kernel, out, tensor_map)
    graph.instantiate().launch(stream)
    stream.sync()
    assert bytes(out) == bytes(tensor_map)
    with pytest.raises(TypeError, match=r"TensorMapDescriptor of 128 bytes, but the parameter is .* 8 bytes"):
        launch(stream, config, kernel, tensor_map, tensor_map)
