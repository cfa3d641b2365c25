# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compile a kernel on the client and run it on the workers of a Dask cluster. Needs dask[distributed]."""

import functools

import numpy as np


@functools.cache  # once per worker process
def loaded(code):
    from cuda.core import Device, ObjectCode

    device = Device()
    device.set_current()
    return device, device.create_stream(), ObjectCode.from_cubin(code).get_kernel("squares")


def sum_of_squares(code, first, count):
    """Return, computed on a worker, the sum of squares of `count` integers from `first`."""
    from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, launch

    device, stream, kernel = loaded(code)
    device.set_current()  # Dask may call this in another thread of the worker
    with LegacyPinnedMemoryResource().allocate(8, stream=stream) as buffer:
        total = np.from_dlpack(buffer).view(np.uint64)
        total[:] = 0
        launch(stream, LaunchConfig(grid=(count + 255) // 256, block=256), kernel, buffer, first, count)
        stream.sync()
        return int(total[0])


def main():
    from dask.distributed import Client, LocalCluster

    from cuda.core import Device, Program, ProgramOptions

    code = (
        Program(
            r"""
    extern "C" __global__ void squares(unsigned long long *total, unsigned long long first, unsigned count)
    {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < count)
            atomicAdd(total, (first + i) * (first + i));
    }
    """,
            "c++",
            ProgramOptions(arch=f"sm_{Device().arch}"),
        )
        .compile("cubin")
        .code
    )

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        shipped = client.scatter(code, broadcast=True)  # sent once to each worker, not with each task
        parts = [client.submit(sum_of_squares, shipped, first, 1000) for first in range(0, 10_000, 1000)]
        total = sum(client.gather(parts))
    assert total == sum(i * i for i in range(10_000)), total
    print(f"dask_squares: {len(parts)} tasks on two workers found {total}")


if __name__ == "__main__":
    main()
