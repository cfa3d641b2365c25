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


@pytest.mark.parametrize("times", [1, 2])  # the second view of a type uses DLPack's C exchange API
def test_tensors_that_cannot_be_viewed_raise_every_time(times):
    for _ in range(times):
        StridedMemoryView(torch.zeros(3), stream_ptr=-1)
        for wrong in (torch.zeros(3, requires_grad=True), torch.zeros(3, dtype=torch.complex64).conj()):
            with pytest.raises((BufferError, RuntimeError)):
                StridedMemoryView(wrong, stream_ptr=-1)
        for wrong in (torch.zeros(3, device="meta"), torch.zeros(3).to_sparse()):
            with pytest.raises(Exception, match=r"(?i)meta|sparse|strided|layout|device"):
                StridedMemoryView(wrong, stream_ptr=-1)


EVERY_TYPE = [
    "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32",
    "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float8_e8m0fnu", "float4_e2m1fn_x2",
]  # fmt: skip


@pytest.mark.parametrize("name", EVERY_TYPE)
def test_views_of_every_type_become_the_same_tensors(name):
    dtype = getattr(torch, name, None)
    if dtype is None:
        pytest.skip(f"this PyTorch has no {name}")
    whole = torch.zeros(64 * 4 * 6, dtype=torch.uint8).view(dtype)[:24].reshape(4, 6)
    for tensor in (whole, whole[:, ::2], whole.T, whole[1:1], whole[2, 3]):
        view = StridedMemoryView(tensor, stream_ptr=-1)
        assert view.dtype.itemsize == tensor.element_size()
        back = torch.from_dlpack(view)
        assert (back.dtype, back.shape, back.data_ptr()) == (dtype, tensor.shape, tensor.data_ptr())
        assert tensor.numel() == 0 or back.stride() == tensor.stride()


def test_pinned_and_managed_memory_as_tensors(stream, pinned):
    from cuda.core import ManagedMemoryResource
    from cuda.interop.torch import from_dlpack

    with ManagedMemoryResource().allocate(64, stream=stream) as managed:
        stream.sync()
        for buffer in (pinned, managed):
            tensor = from_dlpack(buffer)
            assert (tensor.data_ptr(), tensor.dtype, tensor.shape) == (int(buffer.handle), torch.int8, (64,))
            typed = StridedMemoryView.from_buffer(buffer, (4, 4), dtype=np.dtype("f4"))
            assert from_dlpack(typed).dtype == torch.float32
        del tensor, typed
    assert torch.equal(from_dlpack(np.arange(3)), torch.arange(3))
    with pytest.raises(TypeError, match="must have __dlpack__"):
        from_dlpack([1, 2])


def test_tensors_of_the_host_are_kernel_arguments_by_request(device, stream):
    if not device.properties.pageable_memory_access:
        pytest.skip("the device cannot access memory of the host")
    x, kernel = torch.arange(16.0), Module.from_source(SOURCE).twice
    config = LaunchConfig(grid=1, block=16, host_arrays=True)
    launch(stream, config, kernel, x, 16)
    launch(stream, config, kernel, x[8:], 8)
    stream.sync()
    assert x.tolist() == [2.0 * i if i < 8 else 4.0 * i for i in range(16)]
    with pytest.raises(TypeError, match=r"requires grad: pass its .detach\(\)"):
        launch(stream, config, kernel, torch.zeros(16, requires_grad=True), 16)
    with pytest.raises(TypeError, match=r"to be conjugated: pass its .resolve_conj\(\)"):
        launch(stream, config, kernel, torch.zeros(16, dtype=torch.complex64).conj(), 16)


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
