# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Add two vectors: the smallest complete program. It copies arrays to the device, and the result back."""

import numpy as np

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
extern "C" __global__ void vector_add(const float *a, const float *b, float *sum, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        sum[i] = a[i] + b[i];
}
"""


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    program = Program(SOURCE, code_type="c++", options=ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = program.compile("cubin").get_kernel("vector_add")

    count = 50_000
    a, b = np.arange(count, dtype=np.float32), np.full(count, 0.5, np.float32)
    a_device, b_device = device.to_device(a, stream=stream), device.to_device(b, stream=stream)
    total_device = device.empty(count, np.float32, stream=stream)

    config = LaunchConfig(grid=(count + 255) // 256, block=256)
    launch(stream, config, kernel, a_device, b_device, total_device, count)
    total = total_device.to_host(stream=stream)

    np.testing.assert_array_equal(total, a + b)
    print(f"vector_add: {count} sums on {device.name} equal NumPy's; the last is {total[-1]}")


if __name__ == "__main__":
    main()
