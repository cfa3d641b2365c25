# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Two programs compiled to LTO-IR and linked to one cubin; the linker's backend and logs."""

import numpy as np
from common import begin, pinned

from cuda.core import LaunchConfig, Linker, LinkerOptions, ObjectCode, Program, ProgramOptions, launch

device, stream = begin()
arch = f"sm_{device.arch}"
options = ProgramOptions(arch=arch, link_time_optimization=True)
user = 'extern "C" __device__ float apply(float x) { return x * x + 1.0f; }'
main = """
extern "C" __device__ float apply(float x);
extern "C" __global__ void all(float *data, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] = apply(data[i]);
}
"""
parts = [Program(code, "c++", options=options).compile("ltoir") for code in (main, user)]
print([part.code_type for part in parts], all(isinstance(part, ObjectCode) for part in parts))
linker = Linker(*parts, options=LinkerOptions(arch=arch, link_time_optimization=True))
linked = linker.link("cubin")
print(Linker.which_backend(), linked.code_type, repr(linker.get_error_log()))
linker.close()
buffer, data = pinned(100, np.float32, np.arange(100))
launch(stream, LaunchConfig(grid=1, block=128), linked.get_kernel("all"), buffer, np.int32(100))
stream.sync()
print(data[:5], np.array_equal(data, np.arange(100, dtype=np.float32) ** 2 + 1))
relocatable = ProgramOptions(arch=arch, relocatable_device_code=True)
parts = [Program(code, "c++", options=relocatable).compile("ptx") for code in (main, user)]
linked = Linker(*parts, options=LinkerOptions(arch=arch)).link("cubin")
launch(stream, LaunchConfig(grid=1, block=128), linked.get_kernel("all"), buffer, np.int32(100))
stream.sync()
print(data[:4])
