# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The table of workloads: data, launches and the call of the C peer of each; the target is 1 / 1.5 of C's speed.

Some have a second function in C, which keeps the kernel's blocks, shared memory and barriers. The three times show
whether the kernel's order of steps is what makes it slower than the peer, or the code that we generate for it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.cpu_kernels.case_parts import F, I, Random, case_of, floats, ints, threads, zeros
from benchmarks.cpu_kernels.cases import Case

# The workloads with a second function in C, which keeps the kernel's order: those above 1.5 times C, except pagerank,
# bfs, scatter_add and hash_count. Their peers have the kernels' order: a loop over the threads, without blocks.
IN_BLOCKS = (
    "matmul12", "lu16", "conv5x5", "jacobi",
    "spmv_warp", "radix_pass", "bitonic", "cub_sort", "cub_scan", "compact",
    "sieve", "levenshtein", "knapsack", "floyd", "life",
)  # fmt: skip


def _case(source: str, name: str, *given: object, **more: object) -> Case:
    more.update(in_blocks=f"{name}_in_blocks" if name in IN_BLOCKS else "")
    return case_of(f"workloads/{source}", name, *given, **more)  # type: ignore[arg-type]


def _positive(count: int, side: int) -> Callable[[Random], np.ndarray]:
    """Make symmetric matrices that are dominated by their diagonals."""

    def make(random: Random) -> np.ndarray:
        found = random.random((count, side, side), F)
        found += found.transpose(0, 2, 1).copy()
        found[:, np.arange(side), np.arange(side)] += 2 * side
        return found.reshape(-1)

    return make


def _roots(random: Random) -> np.ndarray:
    angles = -2 * np.pi * np.arange(256) / 512
    return np.stack([np.cos(angles), np.sin(angles)], 1).astype(F).reshape(-1)


def dense(part: int) -> list[Case]:
    """Small matrices, transforms, arrays of structures, images, stencils, small floats."""
    few, many, side, cube = 4096 // part, (1 << 18) // part, 1024, 96
    image = {"x": ints(side * side, 0, 256, np.uint8), "y": zeros(side * side, np.uint8)}

    def case(*given: object, **more: object) -> Case:
        return _case("dense", *given, **more)  # type: ignore[arg-type]

    def tiles(n: int) -> Case:
        make = {"a": floats(few * n * n), "b": floats(few * n * n), "c": zeros(few * n * n)}
        launch = [(f"matmul{n}", few, (n, n), ("a", "b", "c"))]
        return case(f"matmul{n}", make, launch, ("a", "b", "c", I(few)), ("c",), flops=2 * few * n**3)

    return [
        tiles(12),
        tiles(8),
        case("lu16", {"a": _positive(few, 16)}, [("lu16", few // 4, (16, 4), ("a",))], ("a", I(few)), ("a",),
             flops=few * 2 * 16**3 / 3, resets=True),
        case("cholesky8", {"a": _positive(few * 2, 8), "l": zeros(few * 128)},
             threads("cholesky8", few * 2, ("a", "l", I(few * 2)), 128), ("a", "l", I(few * 2)), ("l",),
             bytes=few * 1024),
        case("fft512", {"x": floats(512 * 1024), "y": zeros(512 * 1024), "roots": _roots},
             [("fft512", 512 // part, 256, ("x", "y", "roots"))], ("x", "y", "roots", I(512 // part)), ("y",),
             flops=512 // part * 9 * 256 * 10),
        case("transform4", {"x": floats(4 * many), "y": zeros(4 * many)},
             threads("transform4", many, ("x", "y", I(many))), ("x", "y", I(many)), ("y",), bytes=32 * many),
        case("particles", {"all": floats(6 * many)}, threads("particles", many, ("all", F(1e-3), I(many))),
             ("all", F(1e-3), I(many)), ("all",), bytes=48 * many),
        case("complex_multiply", {"a": floats(2 * many), "b": floats(2 * many), "c": zeros(2 * many)},
             threads("complex_multiply", many, ("a", "b", "c", I(many))), ("a", "b", "c", I(many)), ("c",),
             bytes=24 * many),
        case("wmma", {"a": lambda r: r.random(1 << 16, F).astype(np.float16),
                      "b": lambda r: r.random(1 << 16, F).astype(np.float16), "c": zeros(1 << 16)},
             [("wmma", (4, 16), 128, ("a", "b", "c", I(256)))], ("a", "b", "c", I(256)), ("c",), flops=2 * 256**3),
        case("half_axpy", {"x": lambda r: r.random(2 * many, F).astype(np.float16),
                           "y": lambda r: r.random(2 * many, F).astype(np.float16)},
             threads("half_axpy", many, (F(1e-3), "x", "y", I(2 * many))), (F(1e-3), "x", "y", I(2 * many)), ("y",),
             bytes=12 * many, tolerance=2e-3),
        case("kmeans", {"points": floats(4 * many), "centres": floats(64), "nearest": zeros(many, I)},
             threads("kmeans", many, ("points", "centres", "nearest", I(many))),
             ("points", "centres", "nearest", I(many)), ("nearest",), flops=many * 16 * 12, tolerance=-1),
        case("conv5x5", {"x": floats(side * side), "y": zeros(side * side)},
             [("conv5x5", (side // 16, side // 16), (16, 16), ("x", "y", I(side)))], ("x", "y", I(side)), ("y",),
             flops=50 * side * side),
        case("stencil27", {"x": floats(cube**3), "y": zeros(cube**3)},
             [("stencil27", (cube // 32, cube // 8, cube), (32, 8), ("x", "y", I(cube)))], ("x", "y", I(cube)), ("y",),
             flops=30 * cube**3, bytes=8 * cube**3),
        case("jacobi", {"x": floats(side * side), "y": zeros(side * side)},
             [("jacobi", (side // 32, side // 8), (32, 8), ("x", "y", I(side)))], ("x", "y", I(side)), ("y",),
             bytes=8 * side * side),
        case("sobel", image, [("sobel", (side // 256, side), 256, ("x", "y", I(side)))], ("x", "y", I(side)), ("y",),
             bytes=2 * side * side, tolerance=0),
        case("rgba_gray", {"x": ints(4 * many, 0, 256, np.uint8), "y": zeros(many, np.uint8)},
             threads("rgba_gray", many, ("x", "y", I(many))), ("x", "y", I(many)), ("y",), bytes=5 * many,
             tolerance=0),
        case("bilinear", {"image": floats(side * side), "points": floats(2 * many), "y": zeros(many)},
             threads("bilinear", many, ("image", "points", "y", I(side), I(many))),
             ("image", "points", "y", I(side), I(many)), ("y",), bytes=28 * many),
    ]  # fmt: skip


def _starts(nodes: int, low: int, high: int) -> np.ndarray:
    lengths = np.random.default_rng(seed=7).integers(low, high, nodes)
    return np.concatenate([[0], np.cumsum(lengths)]).astype(I)


def irregular(part: int) -> list[Case]:
    """Graphs, sparse matrices, atomics and hashing, sorting, scans."""
    n, many, nodes = (1 << 16) // part, (1 << 18) // part, (1 << 12) // part

    def case(*given: object, **more: object) -> Case:
        return _case("irregular", *given, **more)  # type: ignore[arg-type]

    def graph(nodes: int, low: int, high: int) -> tuple[dict[str, Callable], int]:
        starts = _starts(nodes, low, high)
        edges = int(starts[-1])
        return {"starts": lambda r: starts, "targets": ints(edges, 0, nodes)}, edges

    edges, count = graph(n, 4, 13)
    rows, values = graph(nodes, 20, 140)
    tiles = many // 1024
    return [
        case("pagerank", {**edges, "ranks": floats(n), "next": zeros(n)},
             threads("pagerank", n, ("starts", "targets", "ranks", "next", I(n))),
             ("starts", "targets", "ranks", "next", I(n)), ("next",), bytes=12 * count, starts_at="zero"),
        case("bfs", {**edges, "distance": ints(n, -1, 4), "next": zeros(n, I)},
             threads("bfs", n, ("starts", "targets", "distance", "next", I(3), I(n))),
             ("starts", "targets", "distance", "next", I(3), I(n)), ("next",), bytes=8 * n + 8 * count / 5,
             tolerance=0),
        case("spmv_warp", {**rows, "values": floats(values), "x": floats(nodes), "y": zeros(nodes)},
             threads("spmv_warp", 32 * nodes, ("starts", "targets", "values", "x", "y", I(nodes))),
             ("starts", "targets", "values", "x", "y", I(nodes)), ("y",), flops=2 * values, bytes=12 * values),
        case("spmv_ell", {"columns": ints(16 * n, 0, n), "values": floats(16 * n), "x": floats(n), "y": zeros(n)},
             threads("spmv_ell", n, ("columns", "values", "x", "y", I(n), I(16))),
             ("columns", "values", "x", "y", I(n), I(16)), ("y",), bytes=12 * 16 * n),
        case("gather", {"at": ints(many, 0, many), "x": floats(many), "y": zeros(many)},
             threads("gather", many, ("at", "x", "y", I(many))), ("at", "x", "y", I(many)), ("y",), bytes=12 * many),
        case("scatter_add", {"at": ints(many, 0, 4096), "x": floats(many), "sums": zeros(4096)},
             threads("scatter_add", many, ("at", "x", "sums", I(many))), ("at", "x", "sums", I(many)), ("sums",),
             bytes=8 * many, starts_at="zero"),
        case("hash_count", {"keys": ints(n, 1, n // 2, np.uint32), "table": zeros(n, np.uint32),
                            "counts": zeros(n, np.uint32), "found": zeros(n, np.uint32)},
             [("hash_clear", n // 256, 256, ("table", "counts")),
              *threads("hash_insert", n, ("keys", "table", "counts", I(n), I(n))),
              *threads("hash_find", n, ("keys", "table", "counts", "found", I(n), I(n)))],
             ("keys", "table", "counts", "found", I(n), I(n)), ("found",), bytes=36 * n, tolerance=0, serial=True),
        case("binary_search", {"sorted": lambda r: np.sort(r.integers(0, 1 << 20, n)).astype(I),
                               "wanted": ints(n, 0, 1 << 20), "positions": zeros(n, I)},
             threads("binary_search", n, ("sorted", "wanted", "positions", I(n), I(n))),
             ("sorted", "wanted", "positions", I(n), I(n)), ("positions",), operations=3 * 17 * n, tolerance=0),
        case("radix_pass", {"keys": ints(many, 0, 1 << 31, np.uint32), "sorted": zeros(many, np.uint32),
                            "counts": zeros(16 * tiles, I)},
             [("radix_count", tiles, 256, ("keys", "counts", I(8))),
              ("radix_offsets", 1, 256, ("counts", I(16 * tiles))),
              ("radix_scatter", tiles, 32, ("keys", "sorted", "counts", I(8)))],
             ("keys", "sorted", I(8), I(many)), ("sorted",), bytes=12 * many, tolerance=0, serial=True),
        case("bitonic", {"data": ints(n, 0, 1 << 30)}, [("bitonic", n // 512, 256, ("data",))],
             ("data", I(n // 512)), ("data",), operations=45 * n, tolerance=0, resets=True),
        case("cub_sort", {"x": ints(n, 0, 1 << 31, np.uint32), "y": zeros(n, np.uint32)},
             [("cub_sort", n // 1024, 128, ("x", "y"))], ("x", "y", I(n // 1024)), ("y",), bytes=8 * n, tolerance=0),
        case("cub_scan", {"x": ints(many, 0, 1000), "y": zeros(many, I), "totals": zeros(many // 512, I)},
             [("cub_scan", many // 512, 128, ("x", "y", "totals"))], ("x", "y", "totals", I(many // 512)),
             ("y", "totals"), bytes=8 * many, tolerance=0),
        case("compact", {"x": ints(many, 0, 1000), "y": zeros(many, I), "lengths": zeros(many // 256, I)},
             [("compact", many // 256, 256, ("x", "y", "lengths"))], ("x", "y", "lengths", I(many // 256)),
             ("y", "lengths"), bytes=8 * many, tolerance=0),
        case("group_sums", {"x": floats(many), "y": zeros(many // 16)}, threads("group_sums", many, ("x", "y")),
             ("x", "y", I(many)), ("y",), bytes=4 * many),
    ]  # fmt: skip


def _primes(random: Random) -> np.ndarray:
    return np.array([p for p in range(2, 1024) if all(p % q for q in range(2, int(p**0.5) + 1))], I)


def _crc_table(random: Random) -> np.ndarray:
    table: np.ndarray = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = table >> 1 ^ np.where(table & 1, np.uint32(0xEDB88320), np.uint32(0))
    return table


def integers(part: int) -> list[Case]:
    """Strings and bits, cryptography, dynamic programming, Monte Carlo methods."""
    n, many, side = (1 << 16) // part, (1 << 18) // part, 1024
    few, segments = 256 // part, 64 // part

    def case(*given: object, **more: object) -> Case:
        return _case("integers", *given, **more)  # type: ignore[arg-type]

    def graphs(random: Random) -> np.ndarray:
        found = random.integers(1, 1000, (few, 32, 32)).astype(I)
        found[:, np.arange(32), np.arange(32)] = 0
        return found.reshape(-1)

    primes = _primes(np.random.default_rng())
    seeds = ints(n, 1, 1 << 31, np.uint32)
    option = (F(1.01), F(1 / 1.01), F(0.51), F(100))
    return [
        case("sieve", {"primes": _primes, "flags": zeros(segments << 14, np.uint8)},
             [("sieve", segments, 256, ("primes", I(primes.size), "flags"))],
             ("primes", I(primes.size), "flags", I(segments)), ("flags",),
             operations=float(np.sum((segments << 14) / primes)), tolerance=0),
        case("chacha20", {"key": ints(8, 0, 1 << 31, np.uint32), "x": ints(16 * n, 0, 1 << 31, np.uint32),
                          "y": zeros(16 * n, np.uint32)},
             threads("chacha20", n, ("key", "x", "y", I(n)), 128), ("key", "x", "y", I(n)), ("y",), bytes=128 * n,
             tolerance=0),
        case("crc32", {"x": ints(64 * n, 0, 256, np.uint8), "table": _crc_table, "sums": zeros(n, np.uint32)},
             threads("crc32", n, ("x", "table", "sums", I(n))), ("x", "table", "sums", I(n)), ("sums",),
             bytes=64 * n, tolerance=0),
        case("hamming", {"x": ints(4 * many, 0, 1 << 62, np.uint64), "pattern": ints(4, 0, 1 << 62, np.uint64),
                         "y": zeros(many, I)},
             threads("hamming", many, ("x", "pattern", "y", I(many))), ("x", "pattern", "y", I(many)), ("y",),
             bytes=36 * many, tolerance=0),
        case("find_text", {"text": ints(many + 8, 97, 101, np.uint8),
                           "wanted": lambda r: np.frombuffer(b"abcadcba", np.uint8),
                           "found": zeros(many, np.uint8)},
             threads("find_text", many, ("text", "wanted", I(8), "found", I(many))),
             ("text", "wanted", I(8), "found", I(many)), ("found",), bytes=2 * many, tolerance=0),
        case("base64", {"x": ints(3 * many, 0, 256, np.uint8), "y": zeros(4 * many, np.uint8)},
             threads("base64", many, ("x", "y", I(many))), ("x", "y", I(many)), ("y",), bytes=7 * many, tolerance=0),
        case("levenshtein", {"words": ints(256 * few, 97, 101, np.uint8), "y": zeros(few, I)},
             [("levenshtein", few, 128, ("words", "y"))], ("words", "y", I(few)), ("y",),
             operations=6 * few * 128**2,
             tolerance=0),
        case("knapsack", {"x": ints(many, 0, 1000), "y": zeros(many, I)},
             threads("knapsack", many, ("x", "y", I(777), I(500), I(many))), ("x", "y", I(777), I(500), I(many)),
             ("y",), bytes=12 * many, tolerance=0),
        case("floyd", {"all": graphs}, [("floyd", few, (32, 32), ("all", I(32 * few)))], ("all", I(32 * few)),
             ("all",), operations=2 * few * 32**3, tolerance=0),
        case("pi", {"seeds": seeds, "inside": zeros(n, I)}, threads("pi", n, ("seeds", "inside", I(64), I(n))),
             ("seeds", "inside", I(64), I(n)), ("inside",), operations=22 * 64 * n, tolerance=-1),
        case("asian_option", {"seeds": seeds, "payoffs": zeros(n)},
             threads("asian_option", n, ("seeds", "payoffs", I(64), I(n))), ("seeds", "payoffs", I(64), I(n)),
             ("payoffs",), operations=15 * 64 * n),
        case("binomial", {"prices": floats(1024, 80, 120), "values": zeros(1024)},
             [("binomial", 1024, 128, ("prices", "values", *option))], ("prices", "values", *option, I(1024)),
             ("values",), flops=1024 * 3 * 64 * 128, tolerance=1e-2),
        case("life", {"x": ints(side * side, 0, 2, np.uint8), "y": zeros(side * side, np.uint8)},
             [("life", (side // 256, side), 256, ("x", "y", I(side)))], ("x", "y", I(side)), ("y",),
             bytes=2 * side * side, tolerance=0),
        case("power_mod", {"x": ints(n, 1, 2147483629, np.uint32), "y": zeros(n, np.uint32)},
             threads("power_mod", n, ("x", "y", I(65537), I(2147483629), I(n))),
             ("x", "y", I(65537), I(2147483629), I(n)), ("y",), operations=20 * 8 * n, tolerance=0),
    ]  # fmt: skip


def workloads(part: int = 1) -> list[Case]:
    """Return the workloads with a part of the data, of 16 parts for example; images, wmma and binomial with all."""
    return [*dense(part), *irregular(part), *integers(part)]
