# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The size of Tile IR at an address, which is all that a driver gets: found without reading beyond it."""

from __future__ import annotations

import os
import random

import pytest
from support.guarded import Guarded
from support.tileiras import bytecode, varint

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.image import image

COUNT = int(os.environ.get("CUDA_CPU_FUZZ", "150"))
SEED = int(os.environ.get("CUDA_CPU_FUZZ_SEED", "1"))
HEADER = bytecode()[:-1]


@pytest.mark.parametrize("aligned", [0, 1, 8, 4096])
@pytest.mark.parametrize("sizes", [(), (0,), (3, 200, 1), (20_000, 5)])
def test_size(sizes, aligned):
    data = bytecode(*((1 + index, b"\x80" * size) for index, size in enumerate(sizes)), aligned=aligned)
    with Guarded(data) as memory:
        assert image.image_size(memory.address) == len(data)
        assert image.image_at(memory.address) == data
    with Guarded(data + b"more") as memory:
        assert image.image_at(memory.address) == data


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (HEADER, "of which only 0 can be read"),
        (HEADER + b"\1", "of which only 0 can be read"),
        (HEADER + b"\1" + varint(100) + b"\0", "of which only 0 can be read"),
        (HEADER + b"\1" + varint(1 << 60), "a section ends at byte"),
        (HEADER + b"\1" + b"\xff" * 12, "does not end"),
        (HEADER + b"\x81" + varint(1) + varint(0), "has the alignment 0"),
        (HEADER + b"\x81" + varint(1) + varint(1 << 40), "has the alignment 1099511627776"),
        (HEADER + b"\1\0" * 200 + b"\0", "no end marker in 128 sections"),
    ],
)
def test_damaged(data, says):
    with Guarded(data) as memory, pytest.raises(PtxError, match=says):
        image.image_size(memory.address)


def test_any_bytes_have_a_size_or_are_refused():
    dice = random.Random(SEED)
    good = bytecode((2, bytes(range(96))), (4, b"\0" * 300), (1, b"abc"), aligned=8)
    sizes = 0
    for _ in range(COUNT):
        data = bytearray(good)
        for _ in range(dice.choice((1, 2, 9))):
            data[dice.randrange(8, len(data))] = dice.randrange(256)
        del data[dice.choice((len(data), dice.randrange(12, len(data)))) :]
        with Guarded(bytes(data)) as memory:
            try:
                assert image.image_size(memory.address) <= len(data)
                sizes += 1
            except PtxError:
                pass
    assert 0 < sizes < COUNT
