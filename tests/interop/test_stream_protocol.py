# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Streams of other libraries are used through __cuda_stream__, and kept alive."""

import gc
import weakref

import pytest

from cuda.core import Stream
from cuda.core.typing import IsStreamType


class Foreign:
    def __init__(self, answer):
        self.answer = answer

    def __cuda_stream__(self):
        return self.answer


def test_both_directions(device, stream):
    assert isinstance(stream, IsStreamType)
    foreign = Foreign(stream.__cuda_stream__())
    wrapped = device.create_stream(foreign)
    assert isinstance(wrapped, Stream)
    assert wrapped == stream
    with device.allocate(8, stream=foreign) as buffer:
        buffer.fill(1, stream=foreign)
        stream.wait(foreign)
    stream.sync()


def test_the_owner_lives_as_long_as_the_wrapper(device, stream):
    foreign = Foreign(stream.__cuda_stream__())
    seen = weakref.ref(foreign)
    wrapped = device.create_stream(foreign)
    del foreign
    gc.collect()
    assert seen() is not None
    wrapped.close()
    gc.collect()
    assert seen() is None
    stream.sync()


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ((1, 1), ValueError, r"version 1 of the __cuda_stream__ protocol is unknown; 0 is known"),
        (1, TypeError, r"Foreign.__cuda_stream__ must return \(version, address\), not 1"),
        ((0, 1, 2), TypeError, r"must return \(version, address\)"),
    ],
)
def test_wrong_answers(device, answer, error, message):
    with pytest.raises(error, match=message):
        device.create_stream(Foreign(answer))
