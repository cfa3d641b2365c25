# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that launch kernels: a quicksort whose halves are sorted by further launches, with no way back to the host.

Such code is compiled to be linked, with NVIDIA's library of the device runtime (libcudadevrt). The CPU device needs no
library, but takes one.
"""

import numpy as np

from cuda.core import (
    Device,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Linker,
    LinkerOptions,
    ObjectCode,
    Program,
    ProgramOptions,
    launch,
)
from cuda.pathfinder import find_static_lib

SOURCE = r"""
__device__ void sort_by_insertion(int *data, int count) {
    for (int i = 1; i < count; i++) {
        int value = data[i], place = i;
        for (; place > 0 && data[place - 1] > value; place--) data[place] = data[place - 1];
        data[place] = value;
    }
}

__device__ int middle_of_three(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

extern "C" __global__ void sort(int *data, int count, int depth) {
    if (count <= 32 || depth == 0) return sort_by_insertion(data, count);
    int pivot = middle_of_three(data[0], data[count / 2], data[count - 1]), low = 0, high = count - 1;
    while (low <= high) {
        while (data[low] < pivot) low++;
        while (data[high] > pivot) high--;
        if (low <= high) { int value = data[low]; data[low++] = data[high]; data[high--] = value; }
    }
    // Nothing is between the halves: each runs as soon as it may. This kernel counts as done when both are.
    sort<<<1, 1, 0, cudaStreamFireAndForget>>>(data, high + 1, depth - 1);
    sort<<<1, 1, 0, cudaStreamFireAndForget>>>(data + low, count - low, depth - 1);
}
"""


def main():
    device = Device()
    device.set_current()
    arch = f"sm_{device.arch}"
    main_part = Program(SOURCE, "c++", ProgramOptions(arch=arch, relocatable_device_code=True)).compile("cubin")
    device_runtime = ObjectCode.from_library(find_static_lib("cudadevrt"))
    kernel = Linker(main_part, device_runtime, options=LinkerOptions(arch=arch)).link("cubin").get_kernel("sort")

    numbers = np.random.default_rng(0).integers(-(10**6), 10**6, 4096, np.int32)
    with device.create_stream() as stream:
        buffer = LegacyPinnedMemoryResource().allocate(numbers.nbytes, stream=stream)
        found = np.from_dlpack(buffer).view(np.int32)
        found[:] = numbers
        launch(stream, LaunchConfig(grid=1, block=1), kernel, buffer, np.int32(numbers.size), np.int32(20))
        stream.sync()
    assert np.array_equal(found, np.sort(numbers))
    print(f"launch_from_kernels: {numbers.size} numbers were sorted on {device.name} by one launch of the host")


if __name__ == "__main__":
    main()
