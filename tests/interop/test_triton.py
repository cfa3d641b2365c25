# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PTX that Triton makes (it needs no GPU for that) runs on the CPU device. Skipped where Triton is not installed."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
triton = pytest.importorskip("triton", reason="Triton is not installed: pip install triton")

import triton.language as tl  # noqa: E402
from support.loaded import Loaded  # noqa: E402

pytestmark = pytest.mark.cpu_only
random = np.random.default_rng(3)


@triton.jit
def saxpy(x, y, n, a, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, a * tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def softmax(x, y, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    value = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    value = tl.exp(value - tl.max(value, axis=0))
    tl.store(y + row * n + i, value / tl.sum(value, axis=0), mask=i < n)


@triton.jit
def matmul(a, b, c, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    steps = tl.arange(0, DEPTH)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, k, DEPTH):
        left = tl.load(a + rows[:, None] * k + (start + steps)[None, :])
        right = tl.load(b + (start + steps)[:, None] * n + columns[None, :])
        total += tl.dot(left, right)
    tl.store(c + rows[:, None] * n + columns[None, :], total)


def launch(kernel, arch: int, types: dict[str, str], constants: dict[str, int], grid: tuple[int, ...], *args) -> str:
    """Compile a kernel for an architecture, launch it, and return its PTX."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature = types | dict.fromkeys(constants, "constexpr")
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    made = triton.compile(source, target=GPUTarget("cuda", arch, 32))
    text = made.asm["ptx"]
    loaded = Loaded(text.encode())
    name = made.metadata.name
    scratch = [np.uint64(0)] * (len(loaded.code.kernels[name].parameters) - len(args))  # Triton's own, unused here
    loaded.launch(name, grid, 32 * made.metadata.num_warps, *args, *scratch, shared=made.metadata.shared)
    return text


@pytest.mark.parametrize("arch", [80, 90])
def test_saxpy(arch):
    x, y = random.standard_normal(1000).astype(np.float32), random.standard_normal(1024).astype(np.float32)
    expected = y.copy()
    expected[:1000] += np.float32(2.5) * x
    types = {"x": "*fp32", "y": "*fp32", "n": "i32", "a": "fp32"}
    launch(saxpy, arch, types, {"BLOCK": 256}, (4, 1, 1), x, y, np.int32(1000), np.float32(2.5))
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


def test_softmax():
    x = random.standard_normal((5, 100)).astype(np.float32)
    y = np.zeros_like(x)
    launch(softmax, 90, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 128}, (5, 1, 1), x, y, np.int32(100))
    exact = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(y, exact / exact.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize(("arch", "size", "word"), [(80, 32, "mma.sync"), (90, 64, "wgmma.mma_async")])
@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_dot(arch, size, word, dtype):
    a, b = (random.integers(-3, 4, shape).astype(np.float32) for shape in ((2 * size, 96), (96, 2 * size)))
    c = np.zeros((2 * size, 2 * size), np.float32)
    types = {"a": f"*{dtype}", "b": f"*{dtype}", "c": "*fp32", "n": "i32", "k": "i32"}
    narrow = np.float16 if dtype == "fp16" else np.float32
    constants = {"ROWS": size, "COLUMNS": size, "DEPTH": 32}
    args = (a.astype(narrow), b.astype(narrow), c, np.int32(2 * size), np.int32(96))
    text = launch(matmul, arch, types, constants, (2, 2, 1), *args)
    assert word in text
    np.testing.assert_array_equal(c, a @ b)
