# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Block-compressed textures (BC1 to BC5), compared with a reference decoder that uses exact fractions."""

from __future__ import annotations

import ctypes
from fractions import Fraction

import arrays
import numpy as np
import pytest
from test_texture import CLAMP, LINEAR, fetched

from cuda.cpu import abi, driver, runtime_abi, runtime_api

random = np.random.default_rng(5)
F = Fraction


def colours(block: bytes, opaque: bool) -> list[list[Fraction]]:
    ends = [int.from_bytes(block[i : i + 2], "little") for i in (0, 2)]
    a, b = ([F(end >> 11, 31), F(end >> 5 & 63, 63), F(end & 31, 31), F(1)] for end in ends)
    if opaque or ends[0] > ends[1]:
        table = [a, b] + [[(x * (3 - i) + y * i) / 3 for x, y in zip(a, b, strict=True)] for i in (1, 2)]
    else:
        table = [a, b, [(x + y) / 2 for x, y in zip(a, b, strict=True)], [F(0)] * 4]
    bits = int.from_bytes(block[4:8], "little")
    return [list(table[bits >> 2 * i & 3]) for i in range(16)]


def channel(block: bytes, signed: bool = False) -> list[Fraction]:
    ends = [int.from_bytes(block[i : i + 1], "little", signed=signed) for i in (0, 1)]
    a, b = (max(F(end, 127 if signed else 255), F(-1)) for end in ends)
    steps = 7 if ends[0] > ends[1] else 5
    table = [a, b] + [(a * (steps - i) + b * i) / steps for i in range(1, steps)]
    table += [F(-1 if signed else 0), F(1)] if steps == 5 else []
    bits = int.from_bytes(block[2:8], "little")
    return [table[bits >> 3 * i & 7] for i in range(16)]


def decoded(format_: str, block: bytes) -> list[list[Fraction]]:
    signed = "SNORM" in format_
    match format_[:3]:
        case "BC1":
            return colours(block, False)
        case "BC2":
            alpha = int.from_bytes(block[:8], "little")
            return [[*c[:3], F(alpha >> 4 * i & 15, 15)] for i, c in enumerate(colours(block[8:], True))]
        case "BC3":
            rows = zip(colours(block[8:], True), channel(block[:8]), strict=True)
            return [[*c[:3], a] for c, a in rows]
        case "BC4":
            return [[x, F(0), F(0), F(1)] for x in channel(block, signed)]
    rows = zip(channel(block[:8], signed), channel(block[8:], signed), strict=True)
    return [[x, y, F(0), F(1)] for x, y in rows]


def image(format_: str, blocks: np.ndarray) -> np.ndarray:
    """Return the elements of rows of blocks."""
    rows = []
    for row in blocks:
        tiles = [np.array(decoded(format_, bytes(b)), np.float64).reshape(4, 4, 4) for b in row]
        rows.append(np.concatenate(tiles, axis=1))
    return np.concatenate(rows)


def linear(value):
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


FORMATS = {
    "BC1_UNORM": (8, 4), "BC1_UNORM_SRGB": (8, 4), "BC2_UNORM": (16, 4), "BC2_UNORM_SRGB": (16, 4),
    "BC3_UNORM": (16, 4), "BC3_UNORM_SRGB": (16, 4), "BC4_UNORM": (8, 1), "BC4_SNORM": (8, 1),
    "BC5_UNORM": (16, 2), "BC5_SNORM": (16, 2),
}  # fmt: skip


def random_blocks(rows: int, columns: int, size: int) -> np.ndarray:
    blocks = random.integers(0, 256, (rows, columns, size), np.uint8)
    blocks[0, 0, :2] = blocks[0, 0, 1::-1]  # both orders of the endpoints occur
    blocks[-1, -1] = 0
    blocks[0, -1, 0] = 0x80  # the most negative endpoint
    return blocks


def points(width: int, height: int) -> np.ndarray:
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([x.ravel() + 0.5, y.ravel() + 0.5], axis=1).astype(np.float32)


def block_array(format_: str, blocks: np.ndarray, levels: int = 0) -> int:
    rows, columns, _ = blocks.shape
    given = abi.CUDA_ARRAY3D_DESCRIPTOR(Width=4 * columns, Height=4 * rows, NumChannels=FORMATS[format_][1])
    given.Format = getattr(abi, f"CU_AD_FORMAT_{format_}")
    if levels:
        return driver.cuMipmappedArrayCreate(ctypes.addressof(given), levels)
    handle = driver.cuArray3DCreate(ctypes.addressof(given))
    arrays.copy(handle, blocks, blocks[0].nbytes, rows)
    return handle


@pytest.mark.parametrize("format_", FORMATS)
def test_formats(context, format_):
    blocks = random_blocks(3, 5, FORMATS[format_][0])
    handle = block_array(format_, blocks)
    back = np.zeros_like(blocks)
    arrays.copy(back, handle, blocks[0].nbytes, 3)
    np.testing.assert_array_equal(back, blocks)
    wanted = image(format_, blocks)
    if "SRGB" in format_:
        wanted[..., :3] = linear(wanted[..., :3])
    with arrays.texture(handle, mode=CLAMP) as texture:
        found = fetched("tex2D<float4>(t, p[0], p[1])", texture, points(20, 12), type_="float4")
    np.testing.assert_allclose(found.reshape(12, 20, 4), wanted, atol=1e-6)
    driver.cuArrayDestroy(handle)


def test_filtering_interpolates_decoded_texels(context):
    blocks = random_blocks(1, 2, 8)
    handle = block_array("BC4_UNORM", blocks)
    with arrays.texture(handle, filterMode=LINEAR) as texture:
        found = fetched("tex2D<float>(t, p[0], p[1])", texture, np.array([[x, 2.0] for x in range(1, 8)]))
    wanted = image("BC4_UNORM", blocks)[..., 0]
    means = [wanted[1:3, x - 1 : x + 1].mean() for x in range(1, 8)]
    np.testing.assert_allclose(found, means, atol=1e-6)
    driver.cuArrayDestroy(handle)


def test_mipmap_levels(context):
    made = block_array("BC1_UNORM", np.zeros((2, 4, 8), np.uint8), levels=5)
    shapes = [(2, 4), (1, 2), (1, 1), (1, 1), (1, 1)]
    contents = [random_blocks(rows, columns, 8) for rows, columns in shapes]
    for level, blocks in enumerate(contents):
        arrays.copy(driver.cuMipmappedArrayGetLevel(made, level), blocks, blocks[0].nbytes, len(blocks))
    with arrays.texture(arrays.resource(mipmapped=made), maxMipmapLevelClamp=9, flags=2) as texture:
        for level, blocks in enumerate(contents):
            width, height = 16 >> level, max(8 >> level, 1)
            position = np.array([[0.5 / width, 0.5 / height]])
            found = fetched(f"tex2DLod<float4>(t, p[0], p[1], {level})", texture, position, type_="float4")
            np.testing.assert_allclose(found[0], image("BC1_UNORM", blocks)[0, 0], atol=1e-6)
    driver.cuMipmappedArrayDestroy(made)


@pytest.mark.parametrize(("view", "format_"), [("UNSIGNED_BC1", "BC1_UNORM"), ("SIGNED_BC5", "BC5_SNORM")])
def test_views_of_integers(context, refused, view, format_):
    """A resource view of an integer array: each element holds one compressed block."""
    size, channels = FORMATS[format_][0], FORMATS[format_][0] // 4
    blocks = random_blocks(2, 3, size)
    data = blocks.view(np.uint32).reshape(2, 3, channels)
    with arrays.array(data, channels) as handle:
        given = abi.CUDA_RESOURCE_VIEW_DESC(format=getattr(abi, f"CU_RES_VIEW_FORMAT_{view}"), width=12, height=8)
        with arrays.texture(handle, given) as texture:
            found = fetched("tex2D<float4>(t, p[0], p[1])", texture, points(12, 8), type_="float4")
        np.testing.assert_allclose(found.reshape(8, 12, 4), image(format_, blocks), atol=1e-6)
        given.width = 3
        with refused("INVALID_VALUE", "a view of 3 x 8, the array has 12 x 8"):
            arrays.texture(handle, given).__enter__()
        given.format = abi.CU_RES_VIEW_FORMAT_UNSIGNED_BC7 + 1
        with refused("INVALID_VALUE", "no CUresourceViewFormat"):
            arrays.texture(handle, given).__enter__()
    with arrays.array(np.zeros((2, 3, channels), np.float32), channels) as handle:
        given = abi.CUDA_RESOURCE_VIEW_DESC(format=getattr(abi, f"CU_RES_VIEW_FORMAT_{view}"), width=12, height=8)
        with refused("INVALID_VALUE", "32-bit unsigned integers"):
            arrays.texture(handle, given).__enter__()


@pytest.mark.parametrize(
    ("changes", "status", "says"),
    [
        ({"NumChannels": 1}, "INVALID_VALUE", "the format has 4"),
        ({"Width": 6}, "INVALID_VALUE", "blocks of 4 x 4"),
        ({"Height": 0}, "INVALID_VALUE", "blocks of 4 x 4"),
        ({"Flags": abi.CUDA_ARRAY3D_SURFACE_LDST}, "NOT_SUPPORTED", "neither surfaces nor sparse"),
    ],
)
def test_invalid_arrays(context, refused, changes, status, says):
    given = abi.CUDA_ARRAY3D_DESCRIPTOR(Width=8, Height=8, NumChannels=4, Format=abi.CU_AD_FORMAT_BC3_UNORM)
    for field, value in changes.items():
        setattr(given, field, value)
    with refused(status, says):
        driver.cuArray3DCreate(ctypes.addressof(given))


@pytest.mark.parametrize(
    ("kind", "bits"),
    [
        ("Unsigned{}2SRGB", (8, 8, 8, 8)), ("Unsigned{}6H", (16, 16, 16, 0)), ("Signed{}6H", (16, 16, 16, 0)),
        ("Unsigned{}7", (8, 8, 8, 8)), ("Unsigned{}7SRGB", (8, 8, 8, 8)),
    ],
)  # fmt: skip
def test_with_the_runtime_api(context, kind, bits):
    kind = getattr(runtime_abi, "cudaChannelFormatKind" + kind.format("BlockCompressed"))
    given = runtime_abi.cudaChannelFormatDesc(*bits, kind)
    made = runtime_api.cudaMallocArray(ctypes.addressof(given), 8, 4, 0)
    found = runtime_abi.cudaChannelFormatDesc()
    runtime_api.cudaGetChannelDesc(ctypes.addressof(found), made)
    assert bytes(found) == bytes(given)
    data = random.integers(0, 256, 32, np.uint8)
    runtime_api.cudaMemcpy2DToArray(made, 0, 0, data.ctypes.data, 32, 32, 1, 1)
    back = np.zeros_like(data)
    runtime_api.cudaMemcpy2DFromArray(back.ctypes.data, 32, made, 0, 0, 32, 1, 2)
    np.testing.assert_array_equal(back, data)
    runtime_api.cudaFreeArray(made)
