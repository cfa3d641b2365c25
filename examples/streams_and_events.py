# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run work in two streams, order them by an event, and measure the time of the work."""

import numpy as np

from cuda.core import Device, EventOptions, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = r"""
extern "C" __global__ void logistic(float *x, unsigned count, int rounds)   // iterates the logistic map
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        for (int round = 0; round < rounds; ++round)
            x[i] = 2.5f * x[i] * (1.0f - x[i]);
}
extern "C" __global__ void add(const float *x, float *y, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] += x[i];
}
"""


def main():
    device = Device()
    device.set_current()
    first, second = device.create_stream(), device.create_stream()
    module = Program(SOURCE, code_type="c++", options=ProgramOptions(arch=f"sm_{device.arch}")).compile("cubin")
    logistic, add = module.get_kernel("logistic"), module.get_kernel("add")

    count = 100_000
    memory = LegacyPinnedMemoryResource()
    buffers = [memory.allocate(4 * count, stream=first) for _ in range(2)]
    x, y = (np.from_dlpack(buffer).view(np.float32) for buffer in buffers)
    x[:], y[:] = 0.1, 0.2

    config = LaunchConfig(grid=(count + 255) // 256, block=256)
    timed = EventOptions(timing_enabled=True)
    start = first.record(options=timed)
    launch(first, config, logistic, buffers[0], np.uint32(count), np.int32(200))
    launch(second, config, logistic, buffers[1], np.uint32(count), np.int32(200))
    second_done = second.record()
    first.wait(second_done)  # the device waits, not the host
    launch(first, config, add, buffers[1], buffers[0], np.uint32(count))
    end = first.record(options=timed)
    end.sync()

    np.testing.assert_allclose(x, 0.6 + 0.6, rtol=1e-5)  # both converge to 1 - 1/2.5
    np.testing.assert_allclose(y, 0.6, rtol=1e-5)
    print(f"streams_and_events: {end - start:.3f} ms on {device.name}, results as expected")


if __name__ == "__main__":
    main()
