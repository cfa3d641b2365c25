# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reserve multiprocessors for urgent work with green contexts."""

import numpy as np

from cuda.core import (
    ContextOptions,
    Device,
    LaunchConfig,
    PinnedMemoryResource,
    Program,
    ProgramOptions,
    SMResourceOptions,
    launch,
)

SOURCE = """
extern "C" __global__ void collatz(unsigned *steps, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned long long n = i + 1;
    unsigned taken = 0;
    for (; n != 1; taken++) n = n % 2 ? 3 * n + 1 : n / 2;
    steps[i] = taken;
}
"""


def main():
    device = Device()
    device.set_current()
    kernel = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile("cubin").get_kernel("collatz")

    # The smallest partition for urgent work, the rest for long-running work.
    everything = device.resources.sm
    if everything.sm_count < 2 * everything.min_partition_size:
        print(f"green_contexts: {device.name} has {everything.sm_count} multiprocessors, too few to divide")
        return
    (urgent,), rest = everything.split(SMResourceOptions(count=everything.min_partition_size))
    small = device.create_context(ContextOptions([urgent]))
    large = device.create_context(ContextOptions([rest]))
    print(f"{everything.sm_count} multiprocessors: {urgent.sm_count} for urgent work, {rest.sm_count} for the rest")

    pinned = PinnedMemoryResource()
    with small, large, small.create_stream() as quick, large.create_stream() as slow:
        big, tiny = pinned.allocate(4 << 18, stream=slow), pinned.allocate(4 << 8, stream=quick)
        launch(slow, LaunchConfig(grid=1024, block=256), kernel, big, 1 << 18)
        # This kernel does not wait for the other one, which uses other multiprocessors.
        launch(quick, LaunchConfig(grid=1, block=256), kernel, tiny, 1 << 8)
        quick.sync()
        steps = np.frombuffer(tiny, "u4")
        assert (steps[0], steps[26]) == (0, 111)
        slow.sync()
        assert (np.frombuffer(big, "u4")[:256] == steps).all()
        del steps
        big.close()
        tiny.close()
    print(f"green_contexts: two parts of {device.name} worked concurrently")


if __name__ == "__main__":
    main()
