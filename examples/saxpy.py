# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compute y = a*x + y in device memory, with one kernel template for two element types."""

import numpy as np

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
template <typename T>
__global__ void saxpy(T a, const T *x, T *y, size_t count)
{
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
        y[i] = a * x[i] + y[i];
}
"""


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
        x_device, y_device = device.to_device(x, stream=stream), device.to_device(y, stream=stream)
        config = LaunchConfig(grid=1024, block=256)
        launch(stream, config, module.get_kernel(name), a, x_device, y_device, count)
        np.testing.assert_allclose(y_device.to_host(stream=stream), a * x + y, rtol=4 * np.finfo(dtype).eps)
        print(f"{name}: {count} elements on {device.name} match NumPy")


if __name__ == "__main__":
    main()
