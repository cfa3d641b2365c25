# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compute y = a*x + y in device memory, with one kernel template for two element types."""

import numpy as np

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = r"""
template <typename T>
__global__ void saxpy(T a, const T *x, T *y, size_t count)
{
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
        y[i] = a * x[i] + y[i];
}
"""


def to_device(array, device, stream):
    """Copy a NumPy array into a new device buffer, through pinned memory."""
    staging = LegacyPinnedMemoryResource().allocate(array.nbytes, stream=stream)
    np.from_dlpack(staging).view(array.dtype)[:] = array
    buffer = device.allocate(array.nbytes, stream=stream)
    buffer.copy_from(staging, stream=stream)
    stream.sync()
    return buffer


def to_host(buffer, dtype, stream):
    """Copy a device buffer into a new NumPy array."""
    staging = LegacyPinnedMemoryResource().allocate(buffer.size, stream=stream)
    buffer.copy_to(staging, stream=stream)
    stream.sync()
    return np.from_dlpack(staging).view(dtype)


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
    names = {np.float32: "saxpy<float>", np.float64: "saxpy<double>"}
    module = Program(SOURCE, code_type="c++", options=options).compile("cubin", name_expressions=tuple(names.values()))

    count = 1_000_000
    random = np.random.default_rng(seed=1)
    for dtype, name in names.items():
        a, x, y = dtype(2.5), random.random(count).astype(dtype), random.random(count).astype(dtype)
        x_device, y_device = to_device(x, device, stream), to_device(y, device, stream)
        config = LaunchConfig(grid=1024, block=256)
        launch(stream, config, module.get_kernel(name), a, x_device, y_device, np.uint64(count))
        np.testing.assert_allclose(to_host(y_device, dtype, stream), a * x + y, rtol=4 * np.finfo(dtype).eps)
        print(f"{name}: {count} elements on {device.name} match NumPy")


if __name__ == "__main__":
    main()
