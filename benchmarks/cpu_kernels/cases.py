# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmark cases: for each kernel its data, its launches, the call of its C peer, and its results.

The data depend only on the names, so that the process with Numba creates the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass
class Case:
    """One kernel. Arguments are names of arrays, or NumPy scalars; they are the same for the device, C and Numba."""

    name: str
    target: float  # relative to the speed of C
    arrays: Callable[[np.random.Generator], dict[str, np.ndarray]]
    arguments: tuple
    launches: list[tuple]  # kernel, grid, block, arguments
    results: tuple[str, ...]  # arrays that are written
    flops: float = 0
    bytes: float = 0  # memory traffic
    function: str = ""  # name in C and Numba, if not the first word of the name
    starts_at: str = ""  # initial value of results: "zero" if sums are added to them
    tolerance: float = 1e-3
    computes: bool = False  # limited by computation: two workers should be twice as fast
    source: str = "kernels"  # of the kernels and of the C peer: a path in this folder, without its suffix
    resets: bool = False  # the results are inputs, too: they get their initial values before each run
    operations: float = 0  # on integers of 32 bits
    serial: bool = False  # the C peer has no parallel loop
    in_blocks: str = ""  # C in the kernel's order, with the arguments of the peer: a function in SOURCE_in_blocks.c

    @property
    def peer(self) -> str:
        return self.function or self.name.split(",")[0]


def _floats(**sizes: int) -> Callable:
    return lambda random: {name: random.random(size, np.float32) for name, size in sizes.items()}


def _one(kernel: str, grid: object, block: object, arguments: tuple) -> list[tuple]:
    return [(kernel, grid, block, arguments)]


def _spmv_arrays(rows: int) -> Callable:
    def make(random: np.random.Generator) -> dict[str, np.ndarray]:
        lengths = random.integers(8, 25, rows)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        count = int(starts[-1])
        return {
            "starts": starts,
            "columns": random.integers(0, rows, count).astype(np.int32),
            "values": random.random(count, np.float32),
            "x": random.random(rows, np.float32),
            "y": np.zeros(rows, np.float32),
        }

    return make


def _saxpy(count: int) -> Case:
    arguments = (np.float32(2), "x", "y", np.uint64(count))
    name = f"saxpy, 2^{count.bit_length() - 1}"
    launches = _one("saxpy", -(-count // 256), 256, arguments)
    return Case(name, 1.0, _floats(x=count, y=count), arguments, launches, ("y",), 2 * count, 12 * count)


def _sum(name: str, count: int, sources: tuple[str, ...]) -> Case:
    arguments = (*sources, "total", np.uint64(count))
    arrays = _floats(total=1, **dict.fromkeys(sources, count))
    launches, flops, moved = _one(name, 256, 256, arguments), len(sources) * count, 4 * len(sources) * count
    return Case(name, 1.0, arrays, arguments, launches, ("total",), starts_at="zero", flops=flops, bytes=moved)


def _matmul(n: int) -> Case:
    arguments = ("a", "b", "c", np.int32(n))
    launches = _one("matmul", (n // 16, n // 16), (16, 16), arguments)
    arrays = _floats(a=n * n, b=n * n, c=n * n)
    return Case(f"matmul, {n}", 1.2, arrays, arguments, launches, ("c",), 2 * n**3, computes=True)


def _histogram(kind: str, count: int) -> Case:
    def arrays(random: np.random.Generator) -> dict[str, np.ndarray]:
        return {"data": random.integers(0, 256, count, dtype=np.uint8), "bins": np.zeros(256, np.uint32)}

    arguments, name = ("data", "bins", np.int32(count)), f"histogram_{kind}"
    return Case(name, 1.0, arrays, arguments, _one(name, 64, 256, arguments), ("bins",), starts_at="zero", tolerance=0)


def _scan(count: int) -> Case:
    def arrays(random: np.random.Generator) -> dict[str, np.ndarray]:
        return {"x": random.integers(0, 100, count).astype(np.int32), "y": np.zeros(count, np.int32),
                "totals": np.zeros(count // 1024, np.int32)}  # fmt: skip

    blocks = count // 1024
    launches = [
        ("scan_parts", blocks, 1024, ("x", "y", "totals")),
        ("scan_totals", 1, 1024, ("totals", np.int32(blocks))),
        ("scan_add", blocks, 1024, ("y", "totals")),
    ]
    arguments = ("x", "y", np.int32(count))
    return Case("scan", 1.0, arrays, arguments, launches, ("y",), bytes=8 * count, tolerance=0)


def all_cases(scale: int = 1) -> list[Case]:
    """Return the cases in the order of the table. A larger scale reduces the work of the longest ones."""
    n3, cube, side, rows, columns = 1 << 24, 192, 2048, 4096 // scale**2, 1024
    fractal, most, bodies, options, messages, sparse = 768, 200, 4096 // scale, 1 << 19, 1 << 16, 1 << 17
    return [
        _saxpy(1 << 24),
        _saxpy(1 << 13),
        Case("stencil3", 1.0, _floats(x=n3, y=n3), ("x", "y", np.int32(n3)),
             _one("stencil3", n3 // 256, 256, ("x", "y", np.int32(n3))), ("y",), 5 * n3, 8 * n3),
        Case("stencil7", 1.0, _floats(x=cube**3, y=cube**3), ("x", "y", np.int32(cube)),
             _one("stencil7", (cube // 64, cube // 4, cube), (64, 4), ("x", "y", np.int32(cube))), ("y",),
             7 * cube**3, 8 * cube**3),
        _sum("dot", 1 << 24, ("x", "y")),
        _sum("reduction", 1 << 24, ("x",)),
        Case("transpose", 1.0, _floats(x=side**2, y=side**2), ("x", "y", np.int32(side)),
             _one("transpose", (side // 32, side // 32), (32, 8), ("x", "y", np.int32(side))), ("y",),
             bytes=8 * side**2),
        Case("softmax", 1.0, _floats(x=rows * columns, y=rows * columns), ("x", "y", np.int32(columns), np.int32(rows)),
             _one("softmax", rows, 256, ("x", "y", np.int32(columns))), ("y",), bytes=8 * rows * columns,
             computes=True),
        _matmul(512 // scale),
        _matmul(1024 // scale),
        Case("mandelbrot", 1.0, lambda random: {"rounds": np.zeros(fractal**2, np.int32)},
             ("rounds", np.int32(fractal), np.int32(most)),
             _one("mandelbrot", (fractal // 32, fractal // 8), (32, 8), ("rounds", np.int32(fractal), np.int32(most))),
             ("rounds",), computes=True, tolerance=-1),
        Case("nbody", 1.0, _floats(bodies=4 * bodies, ax=bodies, ay=bodies, az=bodies),
             ("bodies", "ax", "ay", "az", np.int32(bodies)),
             _one("nbody", bodies // 256, 256, ("bodies", "ax", "ay", "az", np.int32(bodies))), ("ax", "ay", "az"),
             20 * bodies**2, computes=True),
        Case("blackscholes", 1.0,
             lambda random: {"price": random.uniform(5, 30, options).astype(np.float32),
                             "strike": random.uniform(1, 100, options).astype(np.float32),
                             "years": random.uniform(0.25, 10, options).astype(np.float32),
                             "call": np.zeros(options, np.float32), "put": np.zeros(options, np.float32)},
             ("price", "strike", "years", "call", "put", np.int32(options)),
             _one("blackscholes", options // 256, 256, ("price", "strike", "years", "call", "put", np.int32(options))),
             ("call", "put"), computes=True),
        Case("sha256", 1.0,
             lambda random: {"messages": random.integers(0, 1 << 32, 16 * messages, dtype=np.uint32),
                             "digests": np.zeros(8 * messages, np.uint32)},
             ("messages", "digests", np.int32(messages)),
             _one("sha256", messages // 128, 128, ("messages", "digests", np.int32(messages))), ("digests",),
             computes=True, tolerance=0),
        _histogram("global", 1 << 20),
        _histogram("shared", 1 << 22),
        _scan(1 << 22),
        Case("spmv", 1.0, _spmv_arrays(sparse), ("starts", "columns", "values", "x", "y", np.int32(sparse)),
             _one("spmv", sparse // 256, 256, ("starts", "columns", "values", "x", "y", np.int32(sparse))), ("y",),
             2 * 16 * sparse, 8 * 16 * sparse),
    ]  # fmt: skip


def check_equal(case: Case, found: np.ndarray, expected: np.ndarray, label: str) -> None:
    """Compare results. The iterations of a Mandelbrot point may differ by one, because of rounding."""
    if case.tolerance < 0:
        apart = np.count_nonzero(found != expected) / found.size
        assert apart < 0.02, f"{label}: {apart:.1%} of the results differ"
    elif case.tolerance == 0:
        np.testing.assert_array_equal(found, expected, err_msg=label)
    else:
        np.testing.assert_allclose(found, expected, rtol=case.tolerance, atol=2e-4, err_msg=label)


def c_argument(argument: object) -> object:
    """Return a NumPy scalar as a ctypes value."""
    value = np.asarray(argument)
    return np.ctypeslib.as_ctypes_type(value.dtype)(value.item())
