# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""BC6H and BC7: compared with Pillow's decoder, and BC6H, which Pillow rounds to bytes, with blocks encoded here."""

from __future__ import annotations

import ctypes
import re

import arrays
import numpy as np
import pytest
from test_texture import CLAMP, fetched
from test_texture_blocks import linear, points

from cuda.cpu import abi, driver

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

# Bits of each field from the lowest one on, as the Khronos Data Format Specification lists them: a variable's bits from
# the highest to the lowest one, or in reverse.
FIELDS = {
    0: (
        "G2:4 B2:4 B3:4 R0:9-0 G0:9-0 B0:9-0 R1:4-0 G3:4 G2:3-0 G1:4-0 B3:0 G3:3-0 B1:4-0 B3:1 B2:3-0 "
        "R2:4-0 B3:2 R3:4-0 B3:3"
    ),
    1: (
        "G2:5 G3:4 G3:5 R0:6-0 B3:0 B3:1 B2:4 G0:6-0 B2:5 B3:2 G2:4 B0:6-0 B3:3 B3:5 B3:4 R1:5-0 G2:3-0 "
        "G1:5-0 G3:3-0 B1:5-0 B2:3-0 R2:5-0 R3:5-0"
    ),
    2: (
        "R0:9-0 G0:9-0 B0:9-0 R1:4-0 R0:10 G2:3-0 G1:3-0 G0:10 B3:0 G3:3-0 B1:3-0 B0:10 B3:1 B2:3-0 "
        "R2:4-0 B3:2 R3:4-0 B3:3"
    ),
    6: (
        "R0:9-0 G0:9-0 B0:9-0 R1:3-0 R0:10 G3:4 G2:3-0 G1:4-0 G0:10 G3:3-0 B1:3-0 B0:10 B3:1 B2:3-0 "
        "R2:3-0 B3:0 B3:2 R3:3-0 G2:4 B3:3"
    ),
    10: (
        "R0:9-0 G0:9-0 B0:9-0 R1:3-0 R0:10 B2:4 G2:3-0 G1:3-0 G0:10 B3:0 G3:3-0 B1:4-0 B0:10 B2:3-0 "
        "R2:3-0 B3:1 B3:2 R3:3-0 B3:4 B3:3"
    ),
    14: (
        "R0:8-0 B2:4 G0:8-0 G2:4 B0:8-0 B3:4 R1:4-0 G3:4 G2:3-0 G1:4-0 B3:0 G3:3-0 B1:4-0 B3:1 B2:3-0 "
        "R2:4-0 B3:2 R3:4-0 B3:3"
    ),
    18: (
        "R0:7-0 G3:4 B2:4 G0:7-0 B3:2 G2:4 B0:7-0 B3:3 B3:4 R1:5-0 G2:3-0 G1:4-0 B3:0 G3:3-0 B1:4-0 B3:1 "
        "B2:3-0 R2:5-0 R3:5-0"
    ),
    22: (
        "R0:7-0 B3:0 B2:4 G0:7-0 G2:5 G2:4 B0:7-0 G3:5 B3:4 R1:4-0 G3:4 G2:3-0 G1:5-0 G3:3-0 B1:4-0 B3:1 "
        "B2:3-0 R2:4-0 B3:2 R3:4-0 B3:3"
    ),
    26: (
        "R0:7-0 B3:1 B2:4 G0:7-0 B2:5 G2:4 B0:7-0 B3:5 B3:4 R1:4-0 G3:4 G2:3-0 G1:4-0 B3:0 G3:3-0 B1:5-0 "
        "B2:3-0 R2:4-0 B3:2 R3:4-0 B3:3"
    ),
    30: (
        "R0:5-0 G3:4 B3:0 B3:1 B2:4 G0:5-0 G2:5 B2:5 B3:2 G2:4 B0:5-0 G3:5 B3:3 B3:5 B3:4 R1:5-0 G2:3-0 "
        "G1:5-0 G3:3-0 B1:5-0 B2:3-0 R2:5-0 R3:5-0"
    ),
    3: "R0:9-0 G0:9-0 B0:9-0 R1:9-0 G1:9-0 B1:9-0",
    7: "R0:9-0 G0:9-0 B0:9-0 R1:8-0 R0:10 G1:8-0 G0:10 B1:8-0 B0:10",
    11: "R0:9-0 G0:9-0 B0:9-0 R1:7-0 R0:10-11 G1:7-0 G0:10-11 B1:7-0 B0:10-11",
    15: "R0:9-0 G0:9-0 B0:9-0 R1:3-0 R0:10-15 G1:3-0 G0:10-15 B1:3-0 B0:10-15",
}
# Whether the other endpoints are deltas of the first one; bits of endpoints, and of deltas in red, green, blue.
MODES = {
    0: (True, 10, (5, 5, 5)), 1: (True, 7, (6, 6, 6)), 2: (True, 11, (5, 4, 4)), 6: (True, 11, (4, 5, 4)),
    10: (True, 11, (4, 4, 5)), 14: (True, 9, (5, 5, 5)), 18: (True, 8, (6, 5, 5)), 22: (True, 8, (5, 6, 5)),
    26: (True, 8, (5, 5, 6)), 30: (False, 6, (6, 6, 6)), 3: (False, 10, (10, 10, 10)), 7: (True, 11, (9, 9, 9)),
    11: (True, 12, (8, 8, 8)), 15: (True, 16, (4, 4, 4)),
}  # fmt: skip
WEIGHTS = {3: (0, 9, 18, 27, 37, 46, 55, 64), 4: (0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64)}
# Partitions that halve a block along an axis: subset 1 is where this holds; element 15 is the anchor in each.
HALVES = {0: lambda x, y: x >= 2, 13: lambda x, y: y >= 2, 1: lambda x, y: x == 3, 15: lambda x, y: y == 3}


def block_array(format_: str, blocks: np.ndarray) -> int:
    rows, columns, _ = blocks.shape
    given = abi.CUDA_ARRAY3D_DESCRIPTOR(Width=4 * columns, Height=4 * rows, NumChannels=3 if "BC6" in format_ else 4)
    given.Format = getattr(abi, f"CU_AD_FORMAT_{format_}")
    handle = driver.cuArray3DCreate(ctypes.addressof(given))
    arrays.copy(handle, blocks, blocks[0].nbytes, rows)
    return handle


def texels(format_: str, blocks: np.ndarray) -> np.ndarray:
    """Return the elements that a kernel fetches."""
    rows, columns, _ = blocks.shape
    handle = block_array(format_, blocks)
    with arrays.texture(handle, mode=CLAMP) as texture:
        found = fetched("tex2D<float4>(t, p[0], p[1])", texture, points(4 * columns, 4 * rows), type_="float4")
    driver.cuArrayDestroy(handle)
    return found.reshape(4 * rows, 4 * columns, 4)


def decoded(blocks: np.ndarray, mode: str, *options: object) -> np.ndarray:
    rows, columns, _ = blocks.shape
    return np.asarray(image.frombytes(mode, (4 * columns, 4 * rows), blocks.tobytes(), "bcn", options))


def random_blocks(seed: int, mode: int, bits: int, partition: int) -> np.ndarray:
    """Return blocks that have each number from 0 to 63 in the bits of the partition index of some modes."""
    random = np.random.default_rng(seed)
    blocks = []
    for number in range(64):
        block = int.from_bytes(random.bytes(16), "little")
        block = block >> bits << bits | mode
        block = block & ~(63 << partition) | number << partition
        blocks.append(np.frombuffer(block.to_bytes(16, "little"), np.uint8))
    return np.stack(blocks).reshape(8, 8, 16)


@pytest.mark.parametrize("mode", range(8))
@pytest.mark.parametrize("srgb", [False, True])
def test_bc7(context, mode, srgb):
    blocks = random_blocks(mode, 1 << mode, mode + 1, mode + 1)
    wanted = decoded(blocks, "RGBA", 7, "BC7") / 255
    if srgb:
        wanted[..., :3] = linear(wanted[..., :3])
    found = texels("BC7_UNORM_SRGB" if srgb else "BC7_UNORM", blocks)
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_the_reserved_mode_of_bc7_is_zero(context):
    blocks = np.full((1, 1, 16), 255, np.uint8)
    blocks[..., 0] = 0
    assert not texels("BC7_UNORM", blocks).any()


# Pillow does not sign-extend an endpoint after adding the delta, as the format's specification requires (Microsoft,
# "BC6H format", "Transform inversion for endpoint values"): it is no reference for signed endpoints stored as deltas.
@pytest.mark.parametrize(
    ("mode", "signed"), [(mode, False) for mode in MODES] + [(mode, True) for mode in MODES if not MODES[mode][0]]
)
def test_bc6h_matches_pillow(context, mode, signed):
    blocks = random_blocks(mode, mode, 2 if mode < 2 else 5, 77)
    found = texels("BC6H_SF16" if signed else "BC6H_UF16", blocks)
    wanted = decoded(blocks, "RGB", 6, "BC6HS" if signed else "BC6H")
    known = np.floor(np.clip(found[..., :3].astype(np.float64), 0, 1) * 255)
    assert np.abs(known - wanted).max() <= 1  # it rounds to bytes
    assert len(np.unique(wanted)) > 20  # not only black and white
    assert (found[..., 3] == 1).all()


@pytest.mark.parametrize("mode", [19, 23, 27, 31])
def test_reserved_modes_of_bc6h_are_black(context, mode):
    blocks = np.full((1, 1, 16), 0xE0 | mode, np.uint8)
    assert texels("BC6H_SF16", blocks).reshape(16, 4).tolist() == [[0, 0, 0, 1]] * 16


def encoded(mode: int, ends: dict[str, int], partition: int, indices: list[int]) -> bytes:
    """Return a block with endpoints as stored, given by their names."""
    bits = [mode >> i & 1 for i in range(2 if mode < 2 else 5)]
    for name, high, low in re.findall(r"(\w\d):(\d+)(?:-(\d+))?", FIELDS[mode]):
        first, last = int(low or high), int(high)
        order = range(first, last + 1) if first <= last else range(first, last - 1, -1)
        bits += [ends[name] >> i & 1 for i in order]
    width = 4 if mode in (3, 7, 11, 15) else 3
    if width == 3:
        bits += [partition >> i & 1 for i in range(5)]
    for i, index in enumerate(indices):
        anchor = i == 0 or (width == 3 and i == 15)
        bits += [index >> bit & 1 for bit in range(width - anchor)]
    assert len(bits) == 128
    return sum(bit << i for i, bit in enumerate(bits)).to_bytes(16, "little")


def widened(value: int, bits: int, signed: bool) -> int:
    """Return an endpoint unquantized to 16 bits."""
    if signed:
        value -= (value >> (bits - 1)) << bits
        if bits >= 16:
            return value
        size = abs(value)
        size = 0 if not size else 0x7FFF if size >= (1 << (bits - 1)) - 1 else ((size << 15) + 0x4000) >> (bits - 1)
        return -size if value < 0 else size
    if bits >= 15 or not value:
        return value
    return 0xFFFF if value == (1 << bits) - 1 else ((value << 15) + 0x4000) >> (bits - 1)


def half(value: int, signed: bool) -> np.float16:
    if signed:
        pattern = (-value * 31 >> 5) | 0x8000 if value < 0 else value * 31 >> 5
    else:
        pattern = value * 31 >> 6
    return np.uint16(pattern).view(np.float16)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("signed", [False, True])
def test_bc6h_bit_for_bit(context, mode, signed):
    random = np.random.default_rng(100 + mode)
    differs, bits, others = MODES[mode]
    count, width = (2, 4) if mode in (3, 7, 11, 15) else (4, 3)
    wanted, blocks = [], []
    for number in range(40):
        ends, values = {}, {}
        extremes = number < 4  # all ones, all zeros, and the like
        for c, other in zip("RGB", others, strict=True):
            for end in range(count):
                size = other if end and differs else bits
                ends[f"{c}{end}"] = (
                    (0, (1 << size) - 1, 1 << (size - 1), (1 << (size - 1)) - 1)[number]
                    if extremes
                    else (int(random.integers(0, 1 << size)))
                )
            for end in range(count):
                value = ends[f"{c}{end}"]
                if end and differs:
                    value -= value >> (other - 1) << other
                    value = (ends[f"{c}0"] + value) & (1 << bits) - 1
                values[c, end] = widened(value, bits, signed)
        partition = list(HALVES)[number % 4] if count == 4 else 0
        indices = [int(i) for i in random.integers(0, 1 << width, 16)]
        indices[0] >>= 1
        if count == 4:
            indices[15] >>= 1
        blocks.append(np.frombuffer(encoded(mode, ends, partition, indices), np.uint8))
        for i, index in enumerate(indices):
            first = 2 if count == 4 and HALVES[partition](i % 4, i // 4) else 0
            weight = WEIGHTS[width][index]
            for c in "RGB":
                value = ((64 - weight) * values[c, first] + weight * values[c, first + 1] + 32) >> 6
                wanted.append(half(value, signed))
    found = texels("BC6H_SF16" if signed else "BC6H_UF16", np.stack(blocks)[None])
    found = found[..., :3].reshape(4, 40, 4, 3).transpose(1, 0, 2, 3).ravel()
    np.testing.assert_array_equal(found, np.array(wanted).astype(np.float32))


@pytest.mark.parametrize(
    ("view", "format_"), [("UNSIGNED_BC6H", "BC6H_UF16"), ("SIGNED_BC6H", "BC6H_SF16"), ("UNSIGNED_BC7", "BC7_UNORM")]
)
def test_views_of_integers(context, view, format_):
    blocks = np.random.default_rng(1).integers(0, 256, (2, 3, 16), np.uint8)
    wanted = texels(format_, blocks)
    with arrays.array(blocks.view(np.uint32).reshape(2, 3, 4), 4) as handle:
        given = abi.CUDA_RESOURCE_VIEW_DESC(format=getattr(abi, f"CU_RES_VIEW_FORMAT_{view}"), width=12, height=8)
        with arrays.texture(handle, given) as texture:
            found = fetched("tex2D<float4>(t, p[0], p[1])", texture, points(12, 8), type_="float4")
    np.testing.assert_array_equal(found.reshape(8, 12, 4), wanted)
