# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Mathematical functions of infinities, NaNs, zeros, and the largest and smallest numbers, by clang as by NVRTC."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
pytest.importorskip("ci.random_programs", reason="runs in a checkout")

from support.compilers import compile_cuda
from support.loaded import Loaded

from ci.random_programs import functions

pytestmark = pytest.mark.needs_nvrtc
DTYPES = {"float": np.float32, "double": np.float64}


def special(dtype: type) -> np.ndarray:
    """Return the arguments: with both signs, and the neighbours of some."""
    limits = np.finfo(dtype)
    usual = [
        0,
        limits.smallest_subnormal,
        limits.tiny,
        limits.eps,
        0.5,
        1,
        1.5,
        2,
        3,
        20,
        170.5,
        800,
        1e5,
        2.0**53,
        1e30,
    ]
    positive = np.array([*usual, limits.max / 2, limits.max, np.inf, np.nan], dtype)
    near = np.concatenate([np.nextafter(positive, dtype(direction)) for direction in (0, np.inf)])
    return np.concatenate([positive, -positive, near, -near]).astype(dtype)


def results(kind: str, names: list[str], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the results of functions, one row each."""
    calls = {1: "{}(a[i])", 2: "{}(a[i], b[i])"}
    body = "".join(
        f"o[{row} * n + i] = {calls[functions.INEXACT[name][1]].format(name)};" for row, name in enumerate(names)
    )
    source = f"""extern "C" __global__ void k(const {kind} *a, const {kind} *b, {kind} *o, int n) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) {{ {body} }} }}"""
    out = np.zeros((len(names), x.size), DTYPES[kind])
    loaded = Loaded(compile_cuda(source, "--gpu-architecture=sm_80"))
    loaded.launch("k", -(-x.size // 64), 64, x, y, out, np.int32(x.size))
    return out


@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("count", [1, 2])
def test_special_values(kind, count, monkeypatch):
    pytest.importorskip("cuda.core", reason="cuda.core is not installed")
    from cuda.core._program._clang import _find

    if not _find.is_installed():
        pytest.skip("clang is not installed: pip install ziglang")
    names = [name for name, (type_, number, _) in functions.INEXACT.items() if (type_, number) == (kind, count)]
    values = special(DTYPES[kind])
    pairs = np.array(list(itertools.product(values, values if count == 2 else [0])), DTYPES[kind])
    x, y = (np.ascontiguousarray(column) for column in pairs.T)
    wanted = results(kind, names, x, y)
    monkeypatch.setenv("CUDA_PYTHON_COMPILER", "clang")
    found = results(kind, names, x, y)
    wrong = []
    for name, a, b in zip(names, wanted, found, strict=True):
        bound = 2 * functions.INEXACT[name][2] + 1
        with np.errstate(all="ignore"):
            same = (a == b) | (np.isnan(a) & np.isnan(b))
            same |= np.abs(a - b) <= bound * np.spacing(np.minimum(np.abs(a), np.abs(b)))
            same &= (np.signbit(a) == np.signbit(b)) | np.isnan(a)
        wrong += [
            f"{name}({x[i]!r}, {y[i]!r}): {a[i]!r} by NVRTC, {b[i]!r} by clang" for i in np.flatnonzero(~same)[:3]
        ]
    assert not wrong, "\n".join(wrong)
