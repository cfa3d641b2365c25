# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""JAX's arrays and our buffers share memory, and CUDA kernels are functions of JAX."""

import numpy as np
import pytest
from support import programs

from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, Module, launch
from cuda.core.utils import StridedMemoryView

jax = pytest.importorskip("jax", reason="jax is not installed")
SOURCE = 'extern "C" __global__ void add(const float *x, float *y) { y[threadIdx.x] += x[threadIdx.x]; }'


def test_a_pinned_buffer_as_an_array(stream):
    with LegacyPinnedMemoryResource().allocate(64, stream=stream) as buffer:
        host = np.frombuffer(buffer, "f4")
        host[:] = np.arange(16)
        array = jax.dlpack.from_dlpack(host, copy=False)
        assert array.unsafe_buffer_pointer() == int(buffer.handle)
        assert float(array.sum()) == 120
        del host, array


@pytest.fixture
def consumer(stream, on_gpu):
    """Return the stream to take arrays on: on GPUs, JAX 0.11 takes DLPack's -1 (no synchronisation) for a stream."""
    return stream.handle if on_gpu else -1


def test_a_view_of_an_array(consumer):
    array = jax.numpy.arange(12, dtype="float32").reshape(3, 4)
    view = StridedMemoryView(array, stream_ptr=consumer)
    assert view.ptr == array.unsafe_buffer_pointer()
    assert (view.shape, view.dtype) == ((3, 4), np.float32)


@pytest.mark.needs_nvrtc
def test_an_array_is_copied_to_the_device(device, stream, consumer):
    array = jax.numpy.linspace(0, 1, 16, dtype="float32")
    with device.allocate(64, stream=stream) as x, LegacyPinnedMemoryResource().allocate(64, stream=stream) as y:
        source = StridedMemoryView(array, stream_ptr=consumer)
        StridedMemoryView.from_buffer(x, (16,), dtype="f4").copy_from(source, stream)
        total = np.frombuffer(y, "f4")
        total[:] = 1
        launch(stream, LaunchConfig(grid=1, block=16), Module.from_source(SOURCE).add, x, y)
        stream.sync()
        np.testing.assert_array_equal(total, 1 + np.asarray(array))
        del total


@pytest.mark.cpu_only
@pytest.mark.needs_nvrtc
def test_ten_programs():
    done = programs.run("jax_kernels.py", variables={"JAX_PLATFORMS": "cpu"}, interpreter="")
    assert programs.right(done) == [
        "jit", "gradients", "vmap", "scan", "while_loop", "conditions", "shared_memory", "several_results", "integers",
        "training",
    ]  # fmt: skip
    assert "on CPU device" in done.stdout
