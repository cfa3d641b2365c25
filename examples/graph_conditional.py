# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Repeat a graph's body until the result converges, without the host: relax the temperature of a wire."""

import numpy as np

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Module, launch

SOURCE = r"""
extern "C" __device__ __cudart_builtin__ void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned);

extern "C" __global__ void relax(const float *from, float *to, unsigned *largest, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= 0 || i >= count - 1)
        return;
    to[i] = 0.5f * (from[i - 1] + from[i + 1]);
    atomicMax(largest, __float_as_uint(fabsf(to[i] - from[i])));
}

extern "C" __global__ void decide(unsigned *largest, int *rounds, cudaGraphConditionalHandle go_on, float enough)
{
    cudaGraphSetConditional(go_on, __uint_as_float(*largest) > enough);
    *largest = 0;
    *rounds += 1;
}
"""


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    module = Module.from_source(SOURCE)
    memory, count = LegacyPinnedMemoryResource(), 64
    first, second, largest, rounds = (memory.allocate(size, stream=stream) for size in (4 * count, 4 * count, 4, 4))
    for buffer in (first, second, largest, rounds):
        buffer.fill(0, stream=stream)
    stream.sync()
    wire = np.from_dlpack(first).view(np.float32)
    for buffer in (first, second):
        np.from_dlpack(buffer).view(np.float32)[-1] = 100  # degrees at the right end

    builder = device.create_graph_builder().begin_building()
    go_on = builder.create_condition(default_value=1)
    body = builder.while_loop(go_on).begin_building()
    config, one = LaunchConfig(grid=2, block=32), LaunchConfig(grid=1, block=1)
    launch(body, config, module.relax, first, second, largest, count)
    launch(body, config, module.relax, second, first, largest, count)
    launch(body, one, module.decide, largest, rounds, go_on, 1e-3)
    body.end_building()
    graph = builder.end_building().complete()

    graph.launch(stream)
    stream.sync()

    straight = np.linspace(0, 100, count)
    assert np.abs(wire - straight).max() < 1, wire
    done = np.from_dlpack(rounds).view(np.int32)[0]
    print(f"graph_conditional: {done} rounds on {device.name} in one launch; the temperature is linear")


if __name__ == "__main__":
    main()
