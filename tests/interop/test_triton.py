# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Triton, which needs no GPU to compile: its PTX launched by cuda.core."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

triton = pytest.importorskip("triton", reason="Triton is not installed: pip install triton")

import triton.language as tl  # noqa: E402

from cuda.core import LaunchConfig, LegacyPinnedMemoryResource, ObjectCode  # noqa: E402
from cuda.core import launch as launch_kernel  # noqa: E402

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


def launch(stream, kernel, arch, types, constants, grid, *args):
    """Compile a kernel for an architecture, launch it with NumPy arrays, write them back, and return its PTX."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature = types | dict.fromkeys(constants, "constexpr")
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    made = triton.compile(source, target=GPUTarget("cuda", arch, 32))
    function = ObjectCode.from_ptx(made.asm["ptx"].encode()).get_kernel(made.metadata.name)
    resource, buffers, passed = LegacyPinnedMemoryResource(), [], []
    for value in args:
        if isinstance(value, np.ndarray):
            buffers.append((value, resource.allocate(value.nbytes, stream=stream)))
            np.from_dlpack(buffers[-1][1]).view(value.dtype).reshape(value.shape)[...] = value
        passed.append(buffers[-1][1] if isinstance(value, np.ndarray) else value)
    scratch = [None] * (len(function.arguments_info) - len(args))  # Triton's own, not used by these kernels
    config = LaunchConfig(grid=grid, block=32 * made.metadata.num_warps, shmem_size=made.metadata.shared)
    launch_kernel(stream, config, function, *passed, *scratch)
    stream.sync()
    for value, buffer in buffers:
        value[...] = np.from_dlpack(buffer).view(value.dtype).reshape(value.shape)
        buffer.close()
    return made.asm["ptx"]


@pytest.mark.parametrize("arch", [80, 90])
def test_saxpy(stream, arch):
    x, y = random.standard_normal(1000).astype(np.float32), random.standard_normal(1024).astype(np.float32)
    expected = y.copy()
    expected[:1000] += np.float32(2.5) * x
    types = {"x": "*fp32", "y": "*fp32", "n": "i32", "a": "fp32"}
    launch(stream, saxpy, arch, types, {"BLOCK": 256}, 4, x, y, 1000, 2.5)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


def test_softmax(stream):
    x = random.standard_normal((5, 100)).astype(np.float32)
    y = np.zeros_like(x)
    launch(stream, softmax, 90, {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 128}, 5, x, y, 100)
    exact = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(y, exact / exact.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize(("arch", "size", "word"), [(80, 32, "mma.sync"), (90, 64, "wgmma.mma_async")])
@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_dot(stream, arch, size, word, dtype):
    a, b = (random.integers(-3, 4, shape).astype(np.float32) for shape in ((2 * size, 96), (96, 2 * size)))
    c = np.zeros((2 * size, 2 * size), np.float32)
    types = {"a": f"*{dtype}", "b": f"*{dtype}", "c": "*fp32", "n": "i32", "k": "i32"}
    narrow = np.float16 if dtype == "fp16" else np.float32
    constants = {"ROWS": size, "COLUMNS": size, "DEPTH": 32}
    args = (a.astype(narrow), b.astype(narrow), c, 2 * size, 96)
    text = launch(stream, matmul, arch, types, constants, (2, 2), *args)
    assert word in text
    np.testing.assert_array_equal(c, a @ b)


def test_the_example_of_the_documentation(tmp_path):
    page = (pathlib.Path(__file__).parents[2] / "docs/compilers.md").read_text()
    (tmp_path / "page.py").write_text(page.partition("```python norun\n")[2].partition("```")[0])
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "page.py"]
    done = subprocess.run(command, env=variables, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines() == ["[3. 3. 3.]"], done.stderr
