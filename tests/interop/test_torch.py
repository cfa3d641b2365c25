# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors and our buffers share memory, in the order of streams."""

import sys

import numpy as np
import pytest

from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, Module, launch
from cuda.core.utils import StridedMemoryView

torch = pytest.importorskip("torch", reason="torch is not installed")
pytestmark = pytest.mark.needs_nvrtc
SOURCE = 'extern "C" __global__ void twice(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }'


@pytest.fixture
def pinned(stream):
    with LegacyPinnedMemoryResource().allocate(64, stream=stream) as buffer:
        yield buffer


def test_a_tensor_in_a_pinned_buffer(stream, pinned):
    tensor = torch.frombuffer(pinned, dtype=torch.float32)
    assert tensor.data_ptr() == int(pinned.handle)
    tensor[:] = torch.arange(16)
    launch(stream, LaunchConfig(grid=1, block=16), Module.from_source(SOURCE).twice, pinned, 16)
    stream.sync()
    assert tensor.tolist() == (2 * np.arange(16)).tolist()
    del tensor


def test_the_memory_outlives_the_buffer(stream, pinned):
    tensor = torch.frombuffer(pinned, dtype=torch.int32)
    before = sys.getrefcount(pinned)
    tensor.fill_(5)
    view = tensor[4:8]
    del tensor
    assert sys.getrefcount(pinned) <= before
    assert view.tolist() == [5] * 4
    del view


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int8, torch.int64, torch.bfloat16, torch.bool])
def test_a_view_of_a_tensor(dtype):
    tensor = torch.zeros(4, 6, dtype=dtype)[:, ::2]
    view = StridedMemoryView(tensor, stream_ptr=-1)
    assert view.ptr == tensor.data_ptr()
    assert (view.shape, view.strides) == ((4, 3), (6, 2))
    assert view.dtype.itemsize == tensor.element_size()
    assert view.exporting_obj is tensor


def test_copies_between_tensors_and_the_device(device, stream):
    tensor = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    with device.allocate(48, stream=stream) as buffer:
        on_device = StridedMemoryView.from_buffer(buffer, (3, 4), dtype="f4")
        on_device.copy_from(StridedMemoryView(tensor, stream_ptr=-1), stream)
        launch(stream, LaunchConfig(grid=1, block=16), Module.from_source(SOURCE).twice, buffer, 12)
        result = torch.empty(3, 4)
        on_device.copy_to(StridedMemoryView(result, stream_ptr=-1), stream)
        stream.sync()
    assert torch.equal(result, tensor * 2)


def test_a_tensor_of_the_host_is_no_kernel_argument(stream):
    with pytest.raises(TypeError, match="host"):
        launch(stream, LaunchConfig(grid=1, block=16), Module.from_source(SOURCE).twice, torch.zeros(16), 16)


def test_a_tensor_that_needs_its_gradient_says_so():
    with pytest.raises((BufferError, RuntimeError), match=r"grad"):
        StridedMemoryView(torch.zeros(3, requires_grad=True), stream_ptr=-1)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs PyTorch with a GPU")
def test_streams_are_ordered_with_those_of_torch(stream):
    x = torch.zeros(1 << 20, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(20_000_000)  # a delayed kernel: without order the launch below would come first
        x += 1
    view = StridedMemoryView(x, stream_ptr=int(stream.handle))
    stream.wait(type("Side", (), {"__cuda_stream__": lambda self: (0, side.cuda_stream)})())
    launch(stream, LaunchConfig(grid=1, block=16), Module.from_source(SOURCE).twice, x, 16)
    stream.sync()
    assert view.ptr == x.data_ptr()
    assert x[:17].tolist() == [2.0] * 16 + [1.0]
