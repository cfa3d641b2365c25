# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Element-wise expressions by `cuda.interop.numpy.ufunc` on the CPU device, beside NumPy and numexpr.

NumPy computes them as it is usual (an array for each operation), and in blocks that stay in the cache, with out=.
numexpr takes part if it is installed. `python -m benchmarks.numpy_functions`. Candidates take turns; each time is the
best of 200 rounds, or of 15 with large arrays.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from cuda.interop.numpy import ufunc

try:
    import numexpr
except ImportError:
    numexpr = None

ROUNDS, ROUNDS_OF_LARGE, BLOCK = 200, 15, 16384
Array = np.ndarray[Any, Any]


@ufunc("x * x + y * y - 2 * x * y + 1", ["ff->f", "dd->d"])
def polynomial(x, y):
    """Limited by memory."""


@ufunc("exp(-x * x) * sin(y) + sqrt(x * x + y * y)", ["dd->d"])
def functions(x, y):
    """Limited by functions."""


@ufunc("x > 0 ? x : slope * x", ["ff->f", "dd->d"])
def leaky(x, slope):
    """A condition, with a row that is broadcast."""


def numpy_polynomial(x: Array, y: Array) -> Array:
    return x * x + y * y - 2 * x * y + 1


def numpy_functions(x: Array, y: Array) -> Array:
    return np.exp(-x * x) * np.sin(y) + np.sqrt(x * x + y * y)


def numpy_leaky(x: Array, slope: Array) -> Array:
    return np.where(x > 0, x, slope * x)


def in_blocks(function: Callable[[Array, Array], Array], x: Array, y: Array) -> Array:
    """Return what a function of NumPy returns, computed in blocks of rows that stay in the cache."""
    shape = np.broadcast_shapes(x.shape, y.shape)
    out = np.empty(shape, x.dtype)
    rows = max(1, BLOCK * shape[0] // out.size)
    for k in range(0, shape[0], rows):
        out[k : k + rows] = function(x[k : k + rows], y[k : k + rows] if len(y) == shape[0] else y)
    return out


def best(candidates: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the best time of each candidate, which take turns."""
    times = dict.fromkeys(candidates, float("inf"))
    for call in candidates.values():
        call()
    for _ in range(rounds):
        for name, call in candidates.items():
            begin = time.perf_counter()
            call()
            times[name] = min(times[name], time.perf_counter() - begin)
    return times


def compare(title: str, ours: Any, plain: Any, expression: str, x: Array, y: Array) -> None:
    """Print the times of one expression and their ratios to NumPy's, after a check of the results."""
    expected = plain(x, y)
    np.testing.assert_allclose(ours(x, y), expected, rtol=1e-4, atol=1e-5)
    candidates = {
        "NumPy": lambda: plain(x, y),
        "NumPy, blocks": lambda: in_blocks(plain, x, y),
        "ufunc": lambda: ours(x, y),
    }
    if numexpr is not None:
        names = {"x": x, "y": y}
        np.testing.assert_allclose(numexpr.evaluate(expression, names), expected, rtol=1e-4, atol=1e-5)
        candidates["numexpr"] = lambda: numexpr.evaluate(expression, names)
    found = best(candidates, ROUNDS if expected.size <= 10_000 else ROUNDS_OF_LARGE)
    texts = [f"{name} {1e3 * each:.4f} ms ({each / found['NumPy']:.2f})" for name, each in found.items()]
    print(f"{title}, {x.shape} {x.dtype}: {', '.join(texts)}")


def main() -> None:
    """Print all comparisons."""
    random = np.random.default_rng(1)
    if numexpr is not None:
        print(f"numexpr {numexpr.__version__} with {numexpr.nthreads} threads")
    polynomial_text, leaky_text = "x * x + y * y - 2 * x * y + 1", "where(x > 0, x, y * x)"
    functions_text = "exp(-x * x) * sin(y) + sqrt(x * x + y * y)"
    for count in (100, 10_000, 4_000_000):
        x, y = random.standard_normal(count), random.standard_normal(count)
        single, other = x.astype("f4"), y.astype("f4")
        compare("polynomial", polynomial, numpy_polynomial, polynomial_text, single, other)
        compare("functions", functions, numpy_functions, functions_text, x, y)
    x, y = random.standard_normal((2000, 1000)).astype("f4"), random.random(1000).astype("f4")
    compare("leaky, a row is broadcast", leaky, numpy_leaky, leaky_text, x, y)


if __name__ == "__main__":
    main()
