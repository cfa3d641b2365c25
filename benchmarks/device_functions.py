# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time mathematical functions compiled by clang and by NVRTC, on one core of the CPU device, in one process:
python -m benchmarks.device_functions [FUNCTION ...]

A kernel applies one function to 2**20 numbers. The runs of both compilers alternate; the figures are the shortest CPU
times. `--kernels` times the kernels of benchmarks/cpu_kernels instead.
"""

from __future__ import annotations

import argparse
import functools
import math
import os
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from benchmarks.cpu_kernels.peers import HERE
from benchmarks.tables import machine

COUNT = 1 << 20
COMPILERS = ("nvrtc", "clang")
# Range of the arguments: names of functions. Those of two arguments have a second one in (-4, 4).
RANGES = {
    (-8, 8): "exp exp2 exp10 expm1 sinpi cospi sinh cosh tanh asinh atan erf erfc erfcx normcdf cbrt rcbrt "
             "cyl_bessel_i0 cyl_bessel_i1 tgamma",
    (-50, 50): "sin cos tan",
    (0.001, 50): "log log2 log10 log1p rsqrt sqrt lgamma j0 j1 y0 y1",
    (-0.999, 0.999): "asin acos atanh erfinv",
    (1, 50): "acosh",
    (0.001, 1.999): "erfcinv",
    (0.001, 0.999): "normcdfinv",
}  # fmt: skip
OF_TWO = {"pow": (0.001, 50), "atan2": (-8, 8), "hypot": (-8, 8), "fmod": (-50, 50), "remainder": (-50, 50)}
FUNCTIONS = {name: bounds for bounds, names in RANGES.items() for name in names.split()} | OF_TWO


class Bench:
    """The CPU device with one stream."""

    def __init__(self) -> None:
        from cuda.core import Device, LegacyPinnedMemoryResource

        self.device = Device()
        self.device.set_current()
        self.stream = self.device.create_stream()
        self.memory = LegacyPinnedMemoryResource()

    def array(self, low: float, high: float, dtype: Any) -> Any:
        buffer = self.memory.allocate(COUNT * np.dtype(dtype).itemsize, stream=self.stream)
        np.frombuffer(memoryview(buffer), dtype)[:] = np.random.default_rng(4).uniform(low, high, COUNT)
        return buffer

    def options(self, compiler: str, **others: Any) -> Any:
        from cuda.core import ProgramOptions

        return ProgramOptions(compiler=compiler, arch=f"sm_{self.device.arch}", **others)

    def runs(self, name: str, type_: str) -> dict[str, Callable[[], None]]:
        """Return, for each compiler, a function that launches the kernel of one function."""
        from cuda.core import LaunchConfig, Program, launch

        dtype, suffix = (np.float32, "f") if type_ == "float" else (np.float64, "")
        low, high = FUNCTIONS[name]
        buffers = [self.array(low, high, dtype), self.array(-4, 4, dtype), self.array(0, 0, dtype)]
        second = ", y[i]" if name in OF_TWO else ""
        text = f"""extern "C" __global__ void k(const {type_} *x, const {type_} *y, {type_} *out) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = {name}{suffix}(x[i]{second}); }}"""

        def run(kernel: Any) -> None:
            launch(self.stream, LaunchConfig(grid=COUNT // 256, block=256), kernel, *buffers)
            self.stream.sync()

        codes = {c: Program(text, "c++", self.options(c)).compile("ptx") for c in COMPILERS}
        return {c: functools.partial(run, code.get_kernel("k")) for c, code in codes.items()}


def shortest(runs: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float]) -> dict[str, float]:
    found = dict.fromkeys(runs, math.inf)
    for number in range(rounds + 2):
        for name, run in runs.items():
            start = clock()
            run()
            found[name] = min(found[name], clock() - start if number >= 2 else math.inf)
    return found


def functions_table(names: Iterable[str], rounds: int) -> None:
    bench, ratios = Bench(), []
    print("| function | NVRTC | clang | clang / NVRTC |\n|---|---|---|---|")
    for type_ in ("float", "double"):
        for name in names:
            took = shortest(bench.runs(name, type_), rounds, time.process_time)
            ratios.append(took["clang"] / took["nvrtc"])
            cells = [f"{took[c] * 1e9 / COUNT:.2f} ns" for c in COMPILERS]
            print(f"| `{name}{'f' * (type_ == 'float')}` | {' | '.join(cells)} | {ratios[-1]:.2f} |", flush=True)
    print(f"\nGeometric mean {statistics.geometric_mean(ratios):.2f}, {sum(r > 1.2 for r in ratios)} above 1.2.")


def kernels_table(names: list[str], rounds: int) -> None:
    from benchmarks.cpu_kernels.__main__ import Bench as Kernels
    from benchmarks.cpu_kernels.cases import all_cases
    from benchmarks.cpu_kernels.peers import source_of
    from cuda.core import Program

    own, benches, ratios = Bench(), {compiler: Kernels() for compiler in COMPILERS}, []
    print("| kernel | NVRTC | clang | clang / NVRTC |\n|---|---|---|---|")
    for case in all_cases():
        if names and not case.name.startswith(tuple(names)):
            continue
        runs: dict[str, Callable[[], object]] = {}
        for compiler, bench in benches.items():
            if case.source not in bench._sources:
                options = own.options(compiler, include_path=str(HERE), std="c++17", use_bundled_headers=True)
                program = Program(source_of(case.source, ".cu").read_text(), "c++", options)
                bench._sources[case.source] = program.compile("ptx")
            bench.allocate(case)
            runs[compiler] = functools.partial(bench.launches(case)[0], 1)
        took = shortest(runs, rounds, time.process_time)
        ratios.append(took["clang"] / took["nvrtc"])
        cells = [f"{took[c] * 1e6:.0f} µs" for c in COMPILERS]
        print(f"| {case.name} | {' | '.join(cells)} | {ratios[-1]:.2f} |", flush=True)
    print(f"\nGeometric mean {statistics.geometric_mean(ratios):.2f}.")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.device_functions", description=__doc__)
    parser.add_argument("names", nargs="*", help="functions, or beginnings of kernels' names; default: all")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--kernels", action="store_true", help="time the kernels of benchmarks/cpu_kernels")
    options = parser.parse_args()
    os.environ |= {"CUDA_PYTHON_DRIVER": "cpu", "CUDA_CPU_LEVEL": "3", "CUDA_CPU_WORKERS": "1"}
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(machine(), "\n")
    if options.kernels:
        kernels_table(options.names, options.rounds)
    else:
        functions_table(options.names or FUNCTIONS, options.rounds)


if __name__ == "__main__":
    main()
