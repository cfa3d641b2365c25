# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compile a kernel on one MPI rank, run it on all, reduce: `mpiexec -n 4 python mpi_sum.py`. Needs mpi4py and MPI."""

import numpy as np
from mpi4py import MPI

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = r"""
extern "C" __global__ void add_squares(double *sums, unsigned first, unsigned step, unsigned end)
{
    unsigned lane = threadIdx.x;
    double sum = 0;
    for (unsigned i = first + lane * step; i < end; i += blockDim.x * step)
        sum += (double)i * i;
    sums[lane] = sum;
}
"""


def main():
    ranks = MPI.COMM_WORLD
    device = Device(ranks.rank % len(Device.get_all_devices()))
    device.set_current()
    code = None
    if ranks.rank == 0:
        code = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile("cubin")
    kernel = ranks.bcast(code).get_kernel("add_squares")  # an ObjectCode can be pickled

    lanes, end = 64, 10_000
    with device.create_stream() as stream:
        buffer = LegacyPinnedMemoryResource().allocate(8 * lanes, stream=stream)
        sums = np.from_dlpack(buffer).view(np.float64)
        launch(stream, LaunchConfig(grid=1, block=lanes), kernel, buffer, ranks.rank, ranks.size, end)
        stream.sync()

    total = np.empty_like(sums)
    ranks.Allreduce(sums, total)  # directly from pinned memory
    expected = (end - 1) * end * (2 * end - 1) // 6
    assert total.sum() == expected, (total.sum(), expected)
    if ranks.rank == 0:
        print(f"mpi_sum: {ranks.size} ranks on {device.name} found {int(total.sum())}")


if __name__ == "__main__":
    main()
