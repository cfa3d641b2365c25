# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Add two vectors: the smallest complete program. The CPU and the device can both access pinned memory."""

import numpy as np

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

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
    memory = LegacyPinnedMemoryResource()
    buffers = [memory.allocate(count * 4, stream=stream) for _ in range(3)]
    stream.sync()
    a, b, total = (np.from_dlpack(buffer).view(np.float32) for buffer in buffers)
    a[:] = np.arange(count)
    b[:] = 0.5

    config = LaunchConfig(grid=(count + 255) // 256, block=256)
    launch(stream, config, kernel, *buffers, np.uint32(count))
    stream.sync()

    np.testing.assert_array_equal(total, a + b)
    print(f"vector_add: {count} sums on {device.name} equal NumPy's; the last is {total[-1]}")


if __name__ == "__main__":
    main()
