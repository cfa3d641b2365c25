# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Largest errors of the single-precision device functions: `python -m ci.sweep_float_functions [FUNCTION ...]`.

Each function is evaluated by the CPU device for every 257th float, 16.7 million in all, and compared with SciPy's in
double precision. Errors are in units in the last place of the correctly rounded result, the largest of each function
beside CUDA's documented bound. The exit status is 1 if one is above it. A function takes some seconds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

STRIDE = 257
SOURCE = """extern "C" __global__ void k(const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = %s; }"""


def _sinpi(x: Any) -> Any:
    """Return the sine of pi x, for which |x| is reduced exactly to at most 1 / 2."""
    a = np.fmod(x, 2)
    a = a - 2 * np.trunc(a)
    return np.sin(np.pi * np.where(abs(a) > 0.5, np.copysign(1, a) - a, a))


Function = Callable[..., Any]

# Name: the exact function, CUDA's bound (C++ Programming Guide, "Mathematical Functions"), and where it holds.
FUNCTIONS: dict[str, tuple[Function, int, Function | None]] = {
    "rsqrt": (lambda x: 1 / np.sqrt(x), 2, None),
    "cbrt": (np.cbrt, 1, None),
    "rcbrt": (lambda x: 1 / np.cbrt(x), 1, None),
    "exp": (np.exp, 2, None),
    "exp2": (np.exp2, 2, None),
    "exp10": (special.exp10, 2, None),
    "expm1": (np.expm1, 1, None),
    "log": (np.log, 1, None),
    "log2": (np.log2, 1, None),
    "log10": (np.log10, 2, None),
    "log1p": (np.log1p, 1, None),
    "sin": (np.sin, 2, None),
    "cos": (np.cos, 2, None),
    "tan": (np.tan, 4, None),
    "sinpi": (_sinpi, 1, None),
    "cospi": (lambda x: _sinpi(0.5 - (lambda a: np.minimum(a, 2 - a))(abs(np.fmod(x, 2)))), 1, None),
    "asin": (np.arcsin, 2, None),
    "acos": (np.arccos, 2, None),
    "atan": (np.arctan, 2, None),
    "sinh": (np.sinh, 3, None),
    "cosh": (np.cosh, 2, None),
    "tanh": (np.tanh, 2, None),
    "asinh": (np.arcsinh, 3, None),
    "acosh": (np.arccosh, 4, None),
    "atanh": (np.arctanh, 3, None),
    "erf": (special.erf, 2, None),
    "erfc": (special.erfc, 4, None),
    "erfinv": (special.erfinv, 2, None),
    "erfcinv": (special.erfcinv, 4, None),
    "erfcx": (special.erfcx, 4, None),
    "normcdf": (special.ndtr, 5, None),
    "normcdfinv": (special.ndtri, 5, None),
    "lgamma": (special.gammaln, 6, lambda x: (x > -2.264) | (x < -10.001)),
    "tgamma": (special.gamma, 5, None),
    "cyl_bessel_i0": (special.i0, 6, None),
    "cyl_bessel_i1": (special.i1, 6, None),
    "j0": (special.j0, 9, lambda x: abs(x) < 8),
    "j1": (special.j1, 9, lambda x: abs(x) < 8),
    "y0": (special.y0, 9, lambda x: (x > 0) & (x < 3)),
    "y1": (special.y1, 9, lambda x: (x > 0) & (x < 4)),
    "pow": (np.power, 4, None),
    "atan2": (np.arctan2, 3, None),
    "hypot": (np.hypot, 3, None),
    "rhypot": (lambda x, y: 1 / np.hypot(x, y), 2, None),
}
OF_TWO = ("pow", "atan2", "hypot", "rhypot")


class Device:
    """The CPU device, and arguments for all functions."""

    def __init__(self, compiler: str) -> None:
        from cuda.core import Device as CoreDevice
        from cuda.core import LegacyPinnedMemoryResource

        self.device, self.compiler = CoreDevice(), compiler
        self.device.set_current()
        self.stream = self.device.create_stream()
        bits = np.arange(0, 1 << 32, STRIDE, dtype=np.uint64).astype(np.uint32)
        memory = LegacyPinnedMemoryResource()
        self.buffers = [memory.allocate(bits.nbytes, stream=self.stream) for _ in range(3)]
        self.x, self.y, self.out = (np.frombuffer(memoryview(buffer), np.float32) for buffer in self.buffers)
        self.x[:] = bits.view(np.float32)
        self.y[:] = np.random.default_rng(5).permutation(self.x)

    def evaluate(self, name: str) -> Any:
        from cuda.core import LaunchConfig, Program, ProgramOptions, launch

        text = SOURCE % f"{name}f(x[i]{', y[i]' if name in OF_TWO else ''})"
        code = Program(text, "c++", ProgramOptions(compiler=self.compiler)).compile("ptx")
        config = LaunchConfig(grid=-(-self.x.size // 256), block=256)
        launch(self.stream, config, code.get_kernel("k"), *self.buffers, self.x.size)
        self.stream.sync()
        return self.out


def largest_error(device: Device, name: str) -> tuple[float, str, str]:
    """Return the largest error of a function, its argument, and a note on special values that differ."""
    exact, _, where = FUNCTIONS[name]
    x = device.x
    if name in OF_TWO:
        device.y[:] = np.random.default_rng(5).uniform(-30, 30, x.size) if name == "pow" else device.y
    with np.errstate(all="ignore"):
        arguments = [x.astype(np.float64)] + [device.y.astype(np.float64)] * (name in OF_TWO)
    with np.errstate(all="ignore"):
        wanted = exact(*arguments)
        nearest = wanted.astype(np.float32)
        found = device.evaluate(name)
        valid = where(arguments[0]) if where else np.ones(x.shape, bool)
        strange = valid & ((np.isnan(found) != np.isnan(nearest)) | (np.isinf(found) & (abs(wanted) < 3.4028e38)))
        units = abs(found.astype(np.float64) - nearest) / np.spacing(abs(nearest)).astype(np.float64)
        error = np.where(valid & np.isfinite(nearest) & np.isfinite(found), units, 0)
    worst = int(np.argmax(error))
    note = f"; {strange.sum()} special values differ, {float(x[strange][0])!r}" if strange.any() else ""
    argument = f"{x[worst]!r}" + (f", {device.y[worst]!r}" if name in OF_TWO else "")
    return float(error[worst]), argument, note


def main(names: list[str]) -> int:
    os.environ["CUDA_PYTHON_DRIVER"] = "cpu"
    device, failed = Device(os.environ.get("CUDA_PYTHON_COMPILER", "clang")), 0
    for name in names or FUNCTIONS:
        error, argument, note = largest_error(device, name)
        bound = FUNCTIONS[name][1]
        failed += error > bound or bool(note)
        state = "ABOVE" if error > bound else "within"
        print(f"{name}f: {error:.0f} at {argument}, {state} {bound}{note}", flush=True)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
