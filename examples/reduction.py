# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Sum an array: warp shuffles, dynamic shared memory, then one atomic addition per block."""

import numpy as np

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
extern "C" __global__ void sum(const int *values, unsigned long long *total, unsigned count)
{
    extern __shared__ long long of_warp[];
    long long mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        mine += values[i];
    for (int distance = 16; distance; distance /= 2)
        mine += __shfl_down_sync(~0u, mine, distance);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
            mine += of_warp[warp];
        atomicAdd(total, (unsigned long long)mine);
    }
}
"""


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    program = Program(SOURCE, code_type="c++", options=ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = program.compile("cubin").get_kernel("sum")

    count, block = 1_000_003, 256
    values = np.random.default_rng(seed=3).integers(-(2**31), 2**31, count).astype(np.int32)
    values_device = device.to_device(values, stream=stream)
    total_device = device.zeros(1, np.int64, stream=stream)

    config = LaunchConfig(grid=64, block=block, shmem_size=8 * block // 32)
    launch(stream, config, kernel, values_device, total_device, count)
    total = total_device.to_host(stream=stream)[0]

    assert total == values.sum(dtype=np.int64), (total, values.sum(dtype=np.int64))
    print(f"reduction: the sum of {count} integers on {device.name} is {total}, equal to NumPy's")


if __name__ == "__main__":
    main()
