# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions that take any array: views of arrays, without copies, on host and device."""

import numpy as np
from common import begin, compiled, outcome, pinned

from cuda.core import LaunchConfig, launch
from cuda.core.utils import StridedMemoryView, args_viewable_as_strided_memory

device, stream = begin()


@args_viewable_as_strided_memory((0,))
def total(array, stream=None):
    view = array.view(-1 if stream is None else stream.handle)
    print(
        type(view).__name__,
        view.shape,
        view.strides,
        view.dtype,
        view.is_device_accessible,
        view.readonly,
        view.device_id,
    )
    return view


host = np.arange(12, dtype=np.int16).reshape(3, 4)
view = total(host)
print(view.ptr == host.ctypes.data, view.exporting_obj is host)
total(host[:, ::2])
total(host.T)
(kernel,) = compiled(
    'extern "C" __global__ void square(int *x, size_t n) { for (size_t i = threadIdx.x; i < n; i += 32) x[i] *= x[i]; }',
    "square",
)
buffer, data = pinned(10, np.int32, np.arange(10))
of_device = StridedMemoryView.from_any_interface(buffer, stream_ptr=stream.handle)
print(of_device.shape, of_device.dtype, of_device.is_device_accessible, of_device.strides)
launch(stream, LaunchConfig(grid=1, block=32), kernel, of_device.ptr, np.uint64(10))
stream.sync()
print(data)
print(outcome(StridedMemoryView.from_any_interface, object(), stream_ptr=-1))
print(outcome(StridedMemoryView.from_dlpack, host, stream_ptr=-1).shape)
print(StridedMemoryView.from_buffer(device.allocate(40, stream=stream), (5, 2), dtype=np.dtype(np.int32)).shape)
