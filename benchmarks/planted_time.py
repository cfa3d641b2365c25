# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Print the time of a launch of saxpy in microseconds, for a bisection of planted_regression by times.

    python -m benchmarks.planted_regression scratch
    PYTHONPATH=scratch python -m cuda.perf bisect --repo scratch --good HEAD~64 --batch 1 \
        --command "python benchmarks/planted_time.py"

It is the 5 % quantile of the samples of a block (`cuda.perf.statistics`), with optimised code on one worker.
"""

from __future__ import annotations

import math
import os

SOURCE = r"""
extern "C" __global__ void saxpy(const float *x, float *y, float a, int n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""
COUNT = 1 << 15


def main() -> None:
    os.environ |= {"CUDA_PYTHON_DRIVER": "cpu", "CUDA_CPU_LEVEL": "3", "CUDA_CPU_WORKERS": "1"}
    import numpy as np

    from cuda.core import Device, LaunchConfig, Module, launch
    from cuda.perf import State, benchmark, statistics
    from cuda.perf.measure import Meter
    from cuda.perf.model import Result

    @benchmark
    def saxpy(state: State) -> None:
        kernel = Module.from_source(SOURCE).saxpy
        x, y = (state.device.to_device(np.ones(COUNT, np.float32), stream=state.stream) for _ in range(2))
        config = LaunchConfig(grid=COUNT // 256, block=256)
        state.exec(lambda launched: launch(launched.stream, config, kernel, x, y, 0.0, COUNT))

    device = Device()
    device.set_current()
    state = State("saxpy", {}, device, device.create_stream())
    definition = saxpy.__dict__["__benchmark__"]
    definition.prepare(state)
    meter = Meter(definition, state, on_gpu=False)
    samples = meter.block(meter.calibrate(), 0.1, 0.02, 0, 0)
    print(1e6 * math.exp(statistics.units(Result("saxpy", samples=[samples]))[0]))


if __name__ == "__main__":
    main()
