# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launch kernels from kernels: a quicksort whose kernel launches further kernels for the two halves.

The code must be relocatable and is linked with NVIDIA's device runtime library (libcudadevrt). The CPU device does not
need the library: without it, the example runs there only.
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
from cuda.pathfinder import StaticLibNotFoundError, find_static_lib

SOURCE = r"""
__device__ void sort_by_insertion(int *data, int count) {
    for (int i = 1; i < count; i++) {
        int value = data[i], slot = i;
        for (; slot > 0 && data[slot - 1] > value; slot--) data[slot] = data[slot - 1];
        data[slot] = value;
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
    // The halves are independent and may run concurrently. This kernel completes after both.
    sort<<<1, 1, 0, cudaStreamFireAndForget>>>(data, high + 1, depth - 1);
    sort<<<1, 1, 0, cudaStreamFireAndForget>>>(data + low, count - low, depth - 1);
}
"""


def device_runtime():
    try:
        return [ObjectCode.from_library(find_static_lib("cudadevrt"))]
    except StaticLibNotFoundError:
        return []


def main():
    device = Device()
    device.set_current()
    arch = f"sm_{device.arch}"
    main_part = Program(SOURCE, "c++", ProgramOptions(arch=arch, relocatable_device_code=True)).compile("cubin")
    kernel = Linker(main_part, *device_runtime(), options=LinkerOptions(arch=arch)).link("cubin").get_kernel("sort")

    numbers = np.random.default_rng(0).integers(-(10**6), 10**6, 4096, np.int32)
    with device.create_stream() as stream:
        buffer = LegacyPinnedMemoryResource().allocate(numbers.nbytes, stream=stream)
        found = np.from_dlpack(buffer).view(np.int32)
        found[:] = numbers
        launch(stream, LaunchConfig(grid=1, block=1), kernel, buffer, np.int32(numbers.size), np.int32(20))
        stream.sync()
    assert np.array_equal(found, np.sort(numbers))
    print(f"launch_from_kernels: {numbers.size} numbers sorted on {device.name} by one launch from the host")


if __name__ == "__main__":
    main()
