# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Saxpy with the public API of cuda.core: test_run.py runs it with NVIDIA's own packages on our driver."""

import importlib.util

import numpy as np

from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = """
template <typename T>
__global__ void saxpy(const T a, const T *x, const T *y, T *out, size_t count)
{
    for (size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        out[i] = a * x[i] + y[i];
}
"""

device = Device()
device.set_current()
stream = device.create_stream()
options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
code = Program(SOURCE, code_type="c++", options=options).compile(
    "cubin", name_expressions=("saxpy<float>", "saxpy<double>")
)
random = np.random.default_rng(0)
pinned = LegacyPinnedMemoryResource()
for kind, name in ((np.float32, "saxpy<float>"), (np.float64, "saxpy<double>")):
    count = 50_000
    size = count * np.dtype(kind).itemsize
    host = [pinned.allocate(size) for _ in range(3)]
    x, y, result = (np.from_dlpack(each).view(kind) for each in host)
    x[:], y[:] = random.random(count), random.random(count)
    buffers = [device.allocate(size, stream=stream) for _ in range(3)]
    for buffer, source in zip(buffers[:2], host[:2], strict=True):
        buffer.copy_from(source, stream=stream)
    config = LaunchConfig(grid=64, block=256)
    launch(stream, config, code.get_kernel(name), kind(3), *buffers, np.uint64(count))
    buffers[2].copy_to(host[2], stream=stream)
    stream.sync()
    np.testing.assert_allclose(result, 3 * x + y, rtol=1e-6)
    for buffer in buffers:
        buffer.close(stream)
stream.sync()
print("saxpy is right on", device.name, "with", importlib.util.find_spec("cuda.core").origin)
