# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays go to the device and come back by NumPy's own protocols."""

import numpy as np
import pytest

from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, Module, launch
from cuda.core.utils import StridedMemoryView

pytestmark = pytest.mark.needs_nvrtc
SOURCE = 'extern "C" __global__ void twice(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }'


@pytest.fixture
def pinned(stream):
    with LegacyPinnedMemoryResource().allocate(64, stream=stream) as buffer:
        yield buffer


@pytest.mark.parametrize("copy", [None, False, True])
def test_round_trip_through_dlpack(device, stream, pinned, copy):
    array = np.from_dlpack(pinned, copy=copy).view("f4")
    array[:] = np.arange(16)
    with device.allocate(64, stream=stream) as buffer:
        StridedMemoryView.from_buffer(buffer, (16,), dtype="f4").copy_from(StridedMemoryView(array), stream)
        launch(stream, LaunchConfig(grid=1, block=16), Module.from_source(SOURCE).twice, buffer, 16)
        StridedMemoryView.from_buffer(buffer, (16,), dtype="f4").copy_to(StridedMemoryView(array), stream)
    assert array.tolist() == (2 * np.arange(16)).tolist()
    shared = np.shares_memory(array, np.from_dlpack(pinned))
    assert shared is (copy is not True)
    del array


def test_a_kernel_works_on_memory_of_the_host(stream, pinned):
    array = np.frombuffer(pinned, "f4")
    array[:] = 3
    launch(stream, LaunchConfig(grid=1, block=16), Module.from_source(SOURCE).twice, pinned, 8)
    stream.sync()
    assert array.tolist() == [6] * 8 + [3] * 8
    del array


def test_asarray_shares_the_memory(pinned):
    array = np.asarray(memoryview(pinned))
    array[:] = 7
    assert bytes(pinned) == b"\7" * 64
    del array


def test_numpy_refuses_device_memory(device, stream):
    with device.allocate(8, stream=stream) as buffer, pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(buffer)
