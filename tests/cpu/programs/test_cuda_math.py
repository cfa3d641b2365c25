# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CUDA math functions in both precisions, compared with mpmath within the maximum errors that CUDA documents.

Source of the errors: CUDA C++ Programming Guide, "Mathematical Functions", maximum errors over the full range.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
mp = pytest.importorskip("mpmath", reason="mpmath is not installed: pip install mpmath").mp

from support.compilers import compile_cuda  # noqa: E402
from support.loaded import Loaded  # noqa: E402

pytestmark = pytest.mark.needs_nvrtc
mp.dps = 60
COUNT = 64
ALL, UNIT, POSITIVE, ABOVE_ONE, BELOW_TWO, SMALL = "all", "unit", "positive", "above one", "below two", "small"
PART, BELOW_EIGHT = "part of one", "below eight"  # Bessel functions have an absolute error from 8 on

# Function: exact value, domain, maximal error in units in the last place for double and for float.
FUNCTIONS = {
    "sqrt": (mp.sqrt, POSITIVE, 0, 0),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), POSITIVE, 1, 2),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), ALL, 1, 1),
    "rcbrt": (lambda x: mp.sign(x) / mp.cbrt(abs(x)), ALL, 1, 1),
    "exp": (mp.exp, SMALL, 1, 2),
    "exp2": (lambda x: mp.mpf(2) ** x, SMALL, 1, 2),
    "exp10": (lambda x: mp.mpf(10) ** x, SMALL, 1, 2),
    "expm1": (mp.expm1, SMALL, 1, 1),
    "log": (mp.log, POSITIVE, 1, 1),
    "log2": (lambda x: mp.log(x, 2), POSITIVE, 1, 1),
    "log10": (mp.log10, POSITIVE, 1, 2),
    "log1p": (mp.log1p, POSITIVE, 1, 1),
    "sin": (mp.sin, ALL, 2, 2),
    "cos": (mp.cos, ALL, 2, 2),
    "tan": (mp.tan, ALL, 2, 4),
    "sinpi": (mp.sinpi, SMALL, 2, 1),
    "cospi": (mp.cospi, SMALL, 2, 1),
    "asin": (mp.asin, UNIT, 2, 2),
    "acos": (mp.acos, UNIT, 2, 2),
    "atan": (mp.atan, ALL, 2, 2),
    "sinh": (mp.sinh, SMALL, 2, 3),
    "cosh": (mp.cosh, SMALL, 1, 2),
    "tanh": (mp.tanh, SMALL, 1, 2),
    "asinh": (mp.asinh, ALL, 3, 3),
    "acosh": (mp.acosh, ABOVE_ONE, 3, 4),
    "atanh": (mp.atanh, UNIT, 2, 3),
    "erf": (mp.erf, SMALL, 2, 2),
    "erfc": (mp.erfc, SMALL, 5, 4),
    "erfinv": (mp.erfinv, UNIT, 5, 2),
    "erfcinv": (lambda x: mp.erfinv(1 - x), BELOW_TWO, 6, 4),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), SMALL, 4, 4),
    "normcdf": (mp.ncdf, SMALL, 5, 5),
    "normcdfinv": (lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1), PART, 8, 5),
    "lgamma": (lambda x: mp.log(mp.gamma(x)), POSITIVE, 4, 6),
    "tgamma": (mp.gamma, SMALL, 10, 5),
    "j0": (lambda x: mp.besselj(0, x), BELOW_EIGHT, 7, 9),
    "j1": (lambda x: mp.besselj(1, x), BELOW_EIGHT, 7, 9),
    "y0": (lambda x: mp.bessely(0, x), PART, 7, 9),
    "y1": (lambda x: mp.bessely(1, x), PART, 7, 9),
    "cyl_bessel_i0": (lambda x: mp.besseli(0, x), SMALL, 6, 6),
    "cyl_bessel_i1": (lambda x: mp.besseli(1, x), SMALL, 6, 6),
}
OF_TWO = {
    "pow": (lambda x, y: abs(x) ** y, 2, 4),
    "atan2": (mp.atan2, 2, 3),
    "hypot": (mp.hypot, 2, 3),
    "rhypot": (lambda x, y: 1 / mp.hypot(x, y), 1, 2),
    "fmod": (lambda x, y: mp.sign(x) * mp.fmod(abs(x), abs(y)), 0, 0),
    "remainder": (lambda x, y: x - y * mp.nint(x / y), 0, 0),
    "fdim": (lambda x, y: max(x - y, mp.mpf(0)), 0, 0),
    "norm3d": (lambda x, y: mp.sqrt(x * x + y * y + 4), 2, 3),
    "rnorm3d": (lambda x, y: 1 / mp.sqrt(x * x + y * y + 4), 1, 2),
    "norm4d": (lambda x, y: mp.sqrt(x * x + y * y + 13), 2, 3),
    "rnorm4d": (lambda x, y: 1 / mp.sqrt(x * x + y * y + 13), 1, 2),
}
MORE = {"norm3d": ", T(2)", "rnorm3d": ", T(2)", "norm4d": ", T(2), T(3)", "rnorm4d": ", T(2), T(3)"}


def argument(domain: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return arguments in a domain: x of all magnitudes, y of normal magnitude."""
    u = np.abs(y) % 1
    dtype = x.dtype.type
    found = {ALL: x, POSITIVE: np.abs(x), SMALL: y * dtype(3), UNIT: np.sign(x) * u, ABOVE_ONE: dtype(1) + np.abs(y),
             BELOW_TWO: np.maximum(u * 2, dtype(1e-6)), PART: np.maximum(u, dtype(1e-6)),
             BELOW_EIGHT: np.clip(y * dtype(3), -7.9, 7.9)}  # fmt: skip
    return found[domain].astype(x.dtype)


def source(names: list[str], type_: str) -> str:
    suffix, lines = "f" if type_ == "float" else "", []
    for i, name in enumerate(names):
        first = f"{'fabs' if name == 'pow' else ''}(a[{i} * n + t])"
        more = f", b[t]{MORE.get(name, '')}" if name in OF_TWO else ""
        lines.append(f"out[{i} * n + t] = {name}{suffix}({first}{more});")
    head = 'extern "C" __global__ void k(const T *a, const T *b, T *out, int n) { int t = threadIdx.x;'
    return f"typedef {type_} T;\n{head}\n" + "\n".join(lines) + "}"


EVERY = FUNCTIONS | OF_TWO
PARTS = [list(EVERY)[first : first + 13] for first in range(0, len(EVERY), 13)]


@pytest.mark.parametrize("names", PARTS, ids=lambda names: names[0])
@pytest.mark.parametrize(("arch", "dtype"), [("sm_75", np.float64), ("sm_100", np.float32)])
def test_documented_errors(arch, dtype, names):
    random = np.random.default_rng(4)
    x = (random.standard_normal(COUNT) * 10.0 ** random.uniform(-9, 9, COUNT)).astype(dtype)
    y = random.standard_normal(COUNT).astype(dtype)
    domains = [SMALL if name in OF_TWO else FUNCTIONS[name][1] for name in names]
    given = np.array([argument(domain, x, random.standard_normal(COUNT).astype(dtype)) for domain in domains])
    out = np.zeros_like(given)
    text = source(names, "double" if dtype == np.float64 else "float")
    loaded = Loaded(compile_cuda(text, f"--gpu-architecture={arch}"))
    loaded.launch("k", 1, COUNT, given, y, out, np.int32(COUNT))
    wrong = []
    for row, name in enumerate(names):
        exact, *_, double, single = EVERY[name]
        most = double if dtype == np.float64 else single
        for column in range(COUNT):
            arguments = [mp.mpf(float(given[row, column]))] + [mp.mpf(float(y[column]))] * (name in OF_TWO)
            wanted, found = exact(*arguments), out[row, column]
            nearest = dtype(float(wanted))
            error = float(abs(mp.mpf(float(found)) - wanted) / mp.mpf(float(np.spacing(np.abs(nearest)))))
            if found != nearest and not error <= (most + 0.5 if most else 0):  # units of the exact value's rounding
                wrong.append((name, error, most, *map(float, arguments), float(found), float(wanted)))
    assert not wrong


# Intrinsic: exact value, expression of t in (0, 1) for the argument, absolute error, or units in the last place.
# Source: CUDA C++ Programming Guide, "Intrinsic Functions", errors of functions that --use_fast_math puts in.
FAST = {
    "__sinf": (mp.sin, lambda t: 6.28 * t - 3.14, 2**-21.41, None),
    "__cosf": (mp.cos, lambda t: 6.28 * t - 3.14, 2**-21.19, None),
    "__expf": (mp.exp, lambda t: 60 * t - 30, None, lambda x: 2 + abs(1.173 * x) // 1),
    "__exp10f": (lambda x: mp.mpf(10) ** x, lambda t: 20 * t - 10, None, lambda x: 2 + abs(2.95 * x) // 1),
    "__logf": (mp.log, lambda t: 0.5 + 1.5 * t, 2**-21.41, None),
    "__log2f": (lambda x: mp.log(x, 2), lambda t: 0.5 + 1.5 * t, 2**-22, None),
    "__log10f": (mp.log10, lambda t: 0.5 + 1.5 * t, 2**-24, None),
    "__logf ": (mp.log, lambda t: 2 + 1e6 * t, None, lambda x: 3),
    "__log2f ": (lambda x: mp.log(x, 2), lambda t: 2 + 1e6 * t, None, lambda x: 2),
    "__log10f ": (mp.log10, lambda t: 2 + 1e6 * t, None, lambda x: 3),
    "1.0f /": (lambda x: 1 / x, lambda t: 0.01 + 1e3 * t, None, lambda x: 2),
    "sqrtf": (mp.sqrt, lambda t: 1e9 * t, None, lambda x: 3),
    "sinf": (mp.sin, lambda t: 6.28 * t - 3.14, 2**-21.41, None),
    "__fdividef(3.0f, ": (lambda x: 3 / x, lambda t: 1e-9 + 1e3 * t, None, lambda x: 2),
    "1e-39f *": (lambda x: mp.mpf(0), lambda t: t, 0, None),  # numbers below the normal ones are zero
    "__tanhf": (mp.tanh, lambda t: 10 * t - 5, 2**-11, None),
}


def test_intrinsics_and_fast_math():
    lines = [f"o[{i} * n + t] = {name.strip()}(x[{i} * n + t]{')' * name.count('(')});" for i, name in enumerate(FAST)]
    head = 'extern "C" __global__ void k(const float *x, float *o, int n) { int t = threadIdx.x;\n'
    loaded = Loaded(compile_cuda(head + "\n".join(lines) + "}", "--gpu-architecture=sm_90", "--use_fast_math"))
    t = np.random.default_rng(3).uniform(1e-6, 1, COUNT)
    x = np.array([place(t) for _, place, _, _ in FAST.values()], np.float32)
    out = np.ones_like(x)
    loaded.launch("k", 1, COUNT, x, out, np.int32(COUNT))
    wrong = []
    for (name, (exact, _, absolute, units)), given, found in zip(FAST.items(), x, out, strict=True):
        for argument_, value in zip(given.tolist(), found.tolist(), strict=True):
            wanted = exact(mp.mpf(argument_))
            error = abs(mp.mpf(value) - wanted)
            most = absolute if units is None else float(np.spacing(np.float32(abs(wanted)))) * (units(argument_) + 0.5)
            if error > most:
                wrong.append((name, argument_, value, float(wanted)))
    assert not wrong
