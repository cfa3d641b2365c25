# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Batched decompression: Deflate data of zlib, LZ4 and Snappy data of the encoders below."""

from __future__ import annotations

import contextlib
import ctypes
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda.cpu import abi, driver

DEFLATE = abi.CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE
SNAPPY = abi.CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY
LZ4 = abi.CU_MEM_DECOMPRESS_ALGORITHM_LZ4
ROOM = 1 << 20


def deflate(data: bytes, level: int = 9, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> bytes:
    made = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
    return made.compress(data) + made.flush()


def matches(data: bytes, least: int, farthest: int) -> list[tuple[bytes, int, int]]:
    """Cut data into plain bytes, each followed by a repetition (distance, length); the last has none."""
    parts, seen, at, plain = [], {}, 0, 0
    while at + least <= len(data):
        before = seen.get(data[at : at + least])
        seen[data[at : at + least]] = at
        if before is None or at - before > farthest:
            at += 1
            continue
        length = least
        while at + length < len(data) - 12 and data[before + length] == data[at + length]:
            length += 1
        parts.append((data[plain:at], at - before, length))
        at += length
        plain = at
    return [*parts, (data[plain:], 0, 0)]


def lz4(data: bytes) -> bytes:
    def more(length: int) -> bytes:
        return b"" if length < 15 else b"\xff" * ((length - 15) // 255) + bytes([(length - 15) % 255])

    made = bytearray()
    for plain, distance, length in matches(data, 4, 65535):
        again = length - 4 if distance else 0
        made += bytes([min(len(plain), 15) << 4 | min(again, 15)]) + more(len(plain)) + plain
        if distance:
            made += distance.to_bytes(2, "little") + more(again)
    return bytes(made)


def snappy(data: bytes, far: int = 2) -> bytes:
    made, size = bytearray(), len(data)
    while size > 127:
        made.append(size & 127 | 128)
        size >>= 7
    made.append(size)
    for plain, distance, length in matches(data, 4, 65535):
        for start in range(0, len(plain), 70000):
            part = plain[start : start + 70000]
            count = len(part) - 1
            if count < 60:
                made.append(count << 2)
            else:
                width = (count.bit_length() + 7) // 8
                made += bytes([(59 + width) << 2]) + count.to_bytes(width, "little")
            made += part
        while length:
            step = min(length, 64)
            if 4 <= step <= 11 and distance < 2048:
                made += bytes([distance >> 8 << 5 | (step - 4) << 2 | 1, distance & 255])
            else:
                made += bytes([(step - 1) << 2 | (2 if far == 2 else 3)]) + distance.to_bytes(far, "little")
            length -= step
    return bytes(made)


class Batch:
    """A batch of decompressions in device memory."""

    def __init__(self, *given: tuple[int, bytes], room: int = ROOM):
        self.addresses = [driver.cuMemAlloc(size) for _, data in given for size in (max(len(data), 1), room, 4)]
        self.room = room
        self.params = (abi.CUmemDecompressParams * len(given))()
        for i, (algorithm, data) in enumerate(given):
            source, target, written = self.addresses[3 * i : 3 * i + 3]
            ctypes.memmove(source, data, len(data))
            driver.cuMemsetD8(target, 0xAA, room)
            each = self.params[i]
            each.src, each.srcNumBytes, each.dst, each.dstActBytes, each.algo = (
                source, len(data), target, written, algorithm,
            )  # fmt: skip

    def run(self) -> list[bytes]:
        driver.cuMemBatchDecompressAsync(ctypes.addressof(self.params), len(self.params), 0, 0)
        driver.cuCtxSynchronize()
        found = []
        for each in self.params:
            written = ctypes.c_uint32.from_address(each.dstActBytes).value
            assert written <= self.room
            if written < self.room:
                assert ctypes.string_at(each.dst + written, 1) == b"\xaa"  # nothing behind it
            found.append(ctypes.string_at(each.dst, written))
        return found

    def close(self) -> None:
        for pointer in self.addresses:
            driver.cuMemFree(pointer)


def run(*given, **options) -> list[bytes]:
    batch = Batch(*given, **options)
    try:
        return batch.run()
    finally:
        batch.close()


random = np.random.default_rng(9)
TEXTS = {
    "one byte": b"x",
    "zeros": bytes(200000),
    "words": b" ".join(random.choice([b"stream", b"event", b"graph", b"block"]) for _ in range(20000)),
    "noise": random.integers(0, 256, 100000, np.uint8).tobytes(),
    "steps": bytes(range(256)) * 300,
}


@pytest.mark.parametrize("text", TEXTS)
def test_each_algorithm(context, text):
    data = TEXTS[text]
    ways = [deflate(data, level) for level in (0, 1, 6, 9)] + [
        deflate(data, 9, zlib.Z_FIXED),
        deflate(data, 9, zlib.Z_RLE),
    ]
    ways = [(DEFLATE, each) for each in ways] + [(LZ4, lz4(data)), (SNAPPY, snappy(data)), (SNAPPY, snappy(data, 4))]
    assert run(*ways) == [data] * len(ways)


@contextlib.contextmanager
def in_context():
    """The primary context for one example of hypothesis, which may abort an example while it draws."""
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0))
    try:
        yield
    finally:
        driver.cuCtxSetCurrent(0)
        driver.cuDevicePrimaryCtxRelease(0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.binary(min_size=1, max_size=40), st.integers(1, 40)), min_size=1, max_size=20))
def test_random_texts(parts):
    data = b"".join(part * times for part, times in parts)
    with in_context():
        assert run((DEFLATE, deflate(data)), (LZ4, lz4(data)), (SNAPPY, snappy(data)), room=1 << 16) == [data] * 3


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([DEFLATE, LZ4, SNAPPY]), st.data())
def test_damaged_data_ends_where_it_is_wrong(algorithm, data):
    whole = bytearray({DEFLATE: deflate, LZ4: lz4, SNAPPY: snappy}[algorithm](TEXTS["words"][:2000]))
    for _ in range(data.draw(st.integers(1, 5))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(1, len(whole)))
    with in_context():
        (found,) = run((algorithm, bytes(whole[:cut])), room=4096)
    assert len(found) <= 4096


@pytest.mark.parametrize(("algorithm", "encode"), [(DEFLATE, deflate), (LZ4, lz4), (SNAPPY, snappy)])
def test_output_is_truncated_to_the_buffer(context, algorithm, encode):
    (found,) = run((algorithm, encode(TEXTS["words"])), room=1024)
    assert TEXTS["words"].startswith(found)
    assert 512 < len(found) <= 1024


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("algo", 0, "algo is 0"),
        ("algo", 3, "algo is 3"),
        ("srcNumBytes", 0, "srcNumBytes is 0"),
        ("srcNumBytes", 1 << 40, "srcNumBytes is"),
        ("src", 0, r"paramsArray[1].src is 0x0"),
        ("dst", 4096, "dst is 0x1000"),
        ("dstActBytes", 0, "dstActBytes is 0x0"),
    ],
)
def test_wrong_requests(context, refused, field, value, says):
    batch = Batch((DEFLATE, deflate(b"abc")), (LZ4, lz4(b"abc")))
    setattr(batch.params[1], field, value)
    with refused("INVALID_VALUE", says):
        batch.run()
    batch.close()
    with refused("INVALID_VALUE", "count is 0"):
        driver.cuMemBatchDecompressAsync(ctypes.addressof(batch.params), 0, 0, 0)


def test_decompression_cannot_be_captured(context, refused):
    batch, stream = Batch((DEFLATE, deflate(b"abc"))), driver.cuStreamCreate(0)
    driver.cuStreamBeginCapture(stream, 0)
    with refused("STREAM_CAPTURE_UNSUPPORTED"):
        driver.cuMemBatchDecompressAsync(ctypes.addressof(batch.params), 1, 0, stream)
    with refused("STREAM_CAPTURE_INVALIDATED"):
        driver.cuStreamEndCapture(stream)
    driver.cuStreamDestroy(stream)
    batch.close()
