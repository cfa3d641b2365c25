# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write a function that accepts host and device arrays with any strides: StridedMemoryView."""

import numpy as np

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Module, launch
from cuda.core.utils import StridedMemoryView, args_viewable_as_strided_memory

SOURCE = r"""
extern "C" __global__ void negate(float *x, long rows, long columns, long row_step, long column_step)
{
    long row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && column < columns)
        x[row * row_step + column * column_step] *= -1;
}
"""


@args_viewable_as_strided_memory((0,))
def negate(array, stream, kernel):
    """Negate a two-dimensional float32 array in place, by a kernel if the device can access it, else with NumPy."""
    view = array.view(stream_ptr=-1)
    if view.dtype != np.float32 or len(view.shape) != 2:
        raise TypeError(f"array must be two-dimensional float32, not {view.dtype} of shape {view.shape}")
    if not view.is_device_accessible:
        np.negative(view.exporting_obj, out=view.exporting_obj)
        return "NumPy"
    rows, columns = view.shape
    steps = view.strides or (columns, 1)  # None: C-contiguous
    launch(stream, LaunchConfig(grid=((columns + 15) // 16, (rows + 15) // 16), block=(16, 16)), kernel,
           view.ptr, rows, columns, *steps)  # fmt: skip
    return "a kernel"


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    kernel = Module.from_source(SOURCE).negate

    pinned = np.from_dlpack(LegacyPinnedMemoryResource().allocate(4 * 20 * 30, stream=stream)).view(np.float32)
    pinned = pinned.reshape(20, 30)
    pinned[:] = 1
    done = [negate(pinned[::2, 5:10].T, stream, kernel)]  # a transposed part of the array
    stream.sync()
    expected = np.ones((20, 30), np.float32)
    expected[::2, 5:10] = -1
    np.testing.assert_array_equal(pinned, expected)

    on_device = StridedMemoryView.from_buffer(
        device.allocate(2400, stream=stream), shape=(20, 30), dtype=np.dtype("f4")
    )
    on_device.copy_from(StridedMemoryView.from_any_interface(pinned, stream_ptr=-1), stream=stream)
    done.append(negate(on_device, stream, kernel))
    on_device.copy_to(StridedMemoryView.from_any_interface(pinned, stream_ptr=-1), stream=stream)
    stream.sync()
    np.testing.assert_array_equal(pinned, -expected)

    host = np.ones((3, 4), np.float32)
    done.append(negate(host, stream, kernel))
    assert (host == -1).all()
    print(f"strided_view: pinned, device and host memory were negated by {', '.join(done)}")


if __name__ == "__main__":
    main()
