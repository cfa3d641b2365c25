# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Link a library's kernel with a user's function that it calls, with link-time optimisation."""

import numpy as np

from cuda.core import (
    Device,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Linker,
    LinkerOptions,
    Program,
    ProgramOptions,
    launch,
)

LIBRARY = r"""
extern "C" __device__ double integrand(double x);   // the user's function
extern "C" __global__ void integrate(double from, double to, double *sums, unsigned steps)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    double width = (to - from) / steps, sum = 0;
    for (unsigned step = thread; step < steps; step += threads)
        sum += integrand(from + (step + 0.5) * width);
    sums[thread] = sum * width;
}
"""


def integrate(function, lower, upper, steps=100_000):
    """Return the integral of a C++ expression in x, by the midpoint rule."""
    device = Device()
    device.set_current()
    options = ProgramOptions(arch=f"sm_{device.arch}", link_time_optimization=True)
    user = f'extern "C" __device__ double integrand(double x) {{ return {function}; }}'
    parts = [Program(source, "c++", options).compile("ltoir") for source in (LIBRARY, user)]
    code = Linker(*parts, options=LinkerOptions(arch=f"sm_{device.arch}", link_time_optimization=True)).link("cubin")

    blocks, threads = 4, 64
    with device.create_stream() as stream:
        buffer = LegacyPinnedMemoryResource().allocate(8 * blocks * threads, stream=stream)
        sums = np.from_dlpack(buffer).view(np.float64)
        config = LaunchConfig(grid=blocks, block=threads)
        launch(stream, config, code.get_kernel("integrate"), lower, upper, buffer, steps)
        stream.sync()
    return sums.sum()


def main():
    for function, lower, upper, expected in [("sin(x)", 0.0, np.pi, 2.0), ("x * x", 0.0, 3.0, 9.0)]:
        found = integrate(function, lower, upper)
        assert abs(found - expected) < 1e-8, (function, found)
        print(f"lto_link: the integral of {function} from {lower:g} to {upper:g} is {found:.6f}")


if __name__ == "__main__":
    main()
