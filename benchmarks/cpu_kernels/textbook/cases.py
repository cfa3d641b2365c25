# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The table of textbook kernels: data, launches and the call of the C peer of each.

The kernels have the algorithms of textbooks, benchmark suites, samples and libraries of neural networks, and none was
written with the CPU device in mind. The peers are what one writes in C for the same results.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.cpu_kernels.case_parts import F, I, Random, case_of, floats, ints, threads, zeros
from benchmarks.cpu_kernels.cases import Case

D = np.float64
U = np.uint32
B = np.uint8
ANY = 1 << 32  # of an integer without a sign: below this


def _given(array: np.ndarray) -> Callable[[Random], np.ndarray]:
    """Return a function that creates an array which is known already."""
    return lambda random: array.reshape(-1)


def _uniform(count: int, low: float, high: float) -> Callable[[Random], np.ndarray]:
    return lambda random: random.uniform(low, high, count)


def _sorted(count: int) -> Callable[[Random], np.ndarray]:
    return lambda random: np.sort(random.integers(0, 1 << 30, count)).astype(I)


def _random() -> Random:
    return np.random.default_rng(seed=7)


def images() -> list[Case]:
    """Filters, histogram equalisation, transforms, a fractal."""
    size = I(1024), I(512)
    pixels, small, side = 1 << 19, 256 * 192, 512
    fractal = I(256), I(192), F(-2.2), F(-1.2), F(0.0125), I(200)
    strength = F(0.1), F(8)

    def case(*words: object, **more: object) -> Case:
        return case_of("textbook/images", *words, **more)  # type: ignore[arg-type]

    return [
        case("median3", {"x": ints(pixels, 0, 256, B), "y": zeros(pixels, B)},
             [("median3", (32, 64), (32, 8), ("x", "y", *size))], ("x", "y", *size), ("y",), bytes=2 * pixels,
             tolerance=0),
        case("bilateral", {"x": floats(small), "y": zeros(small)},
             [("bilateral", (16, 12), (16, 16), ("x", "y", *fractal[:2], *strength))],
             ("x", "y", *fractal[:2], *strength), ("y",)),
        case("equalise", {"x": lambda r: np.clip(r.normal(90, 25, 2 * pixels), 0, 255).astype(B),
                          "y": zeros(2 * pixels, B), "bins": zeros(256, U), "table": zeros(256, B)},
             [("equalise_clear", 1, 256, ("bins",)),
              ("equalise_count", 64, 256, ("x", "bins", I(2 * pixels))),
              ("equalise_table", 1, 256, ("bins", "table", I(2 * pixels))),
              ("equalise_apply", 64, 256, ("x", "table", "y", I(2 * pixels)))],
             ("x", "y", I(2 * pixels)), ("y",), bytes=6 * pixels, tolerance=0),
        case("dct8", {"x": floats(side * side), "y": zeros(side * side)},
             [("dct8", (side // 32, side // 16), (8, 4, 2), ("x", "y", I(side)))], ("x", "y", I(side), I(side)), ("y",),
             bytes=8 * side * side),
        case("haar", {"x": floats(side * 512), "y": zeros(side * 512)}, [("haar", side, 256, ("x", "y"))],
             ("x", "y", I(side)), ("y",), bytes=8 * side * 512),
        case("mandelbrot", {"y": zeros(small, np.uint16)}, [("mandelbrot", (16, 12), (16, 16), ("y", *fractal))],
             ("y", *fractal), ("y",), tolerance=-1),
    ]  # fmt: skip


def linear() -> list[Case]:
    """Products of dense, sparse and integer matrices, tridiagonal systems."""
    n, rows, values, length, systems = 256, 4000, 30000, 128, 1024
    ends = np.sort(_random().integers(0, rows * 16, rows - 1))
    starts = np.concatenate([[0], ends, [rows * 16]]).astype(I)
    bands = {band: floats(length * systems, low, low + 1) for band, low in (("a", 0), ("b", 4), ("c", 0), ("d", 0))}
    tridiagonal = ("a", "b", "c", "d", "scaled", "x", I(length), I(systems))

    def case(*words: object, **more: object) -> Case:
        return case_of("textbook/linear", *words, **more)  # type: ignore[arg-type]

    return [
        case("sgemm_tile", {"a": floats(n * n), "b": floats(n * n), "c": zeros(n * n)},
             [("sgemm_tile", (n // 64, n // 64), (16, 16), ("a", "b", "c", I(n)))], ("a", "b", "c", I(n)), ("c",),
             flops=2 * n**3),
        case("spmm", {"starts": _given(starts), "columns": ints(rows * 16, 0, rows), "values": floats(rows * 16),
                      "b": floats(rows * 32), "c": zeros(rows * 32)},
             [("spmm", rows // 8, (32, 8), ("starts", "columns", "values", "b", "c", I(rows)))],
             ("starts", "columns", "values", "b", "c", I(rows)), ("c",), flops=2 * 16 * 32 * rows),
        case("sddmm", {"rows": lambda r: np.sort(r.integers(0, 1000, values)).astype(I),
                       "columns": ints(values, 0, 1000), "a": floats(64 * 1000), "b": floats(64 * 1000),
                       "values": zeros(values)},
             threads("sddmm", 8 * values, ("rows", "columns", "a", "b", "values", I(values))),
             ("rows", "columns", "a", "b", "values", I(values)), ("values",), flops=2 * 64 * values),
        case("dp4a", {"a": ints(512 * 2048, -128, 128, np.int8), "x": ints(2048, -128, 128, np.int8),
                      "y": zeros(512, I)},
             threads("dp4a", 32 * 512, ("a", "x", "y", I(512), I(2048 // 16))), ("a", "x", "y", I(512), I(2048)),
             ("y",), bytes=512 * 2048, tolerance=0),
        case("thomas", {**bands, "scaled": zeros(length * systems), "x": zeros(length * systems)},
             threads("thomas", systems, tridiagonal, 128), tridiagonal, ("x",), bytes=36 * length * systems),
    ]  # fmt: skip


def learning() -> list[Case]:
    """Layers of neural networks and their layouts, nearest neighbours."""
    rows, heads, queries, scale, layer, pixels = 512, 2, 256, F(32**-0.5), 16 * 56 * 56, 28 * 28
    windows, pooled = (I(56), I(56), I(3), I(1)), 32 * pixels
    pool = (I(56), I(56), I(28), I(28))
    points = _random().random((1024, 16), F)
    head = heads * queries * 32

    def case(*words: object, **more: object) -> Case:
        return case_of("textbook/learning", *words, **more)  # type: ignore[arg-type]

    def normal(count: int, width: float, mean: float = 0) -> Callable[[Random], np.ndarray]:
        return lambda random: random.normal(mean, width, count).astype(F)

    return [
        case("softmax", {"x": normal(256 * 512, 3), "y": zeros(256 * 512)},
             [("softmax", 256, 128, ("x", "y", I(512)))], ("x", "y", I(256), I(512)), ("y",), bytes=8 * 256 * 512),
        case("layernorm", {"x": normal(rows * 768, 1, 1), "gamma": floats(768), "beta": floats(768),
                           "y": zeros(rows * 768)},
             threads("layernorm", 32 * rows, ("x", "gamma", "beta", "y", I(rows), I(768 // 4)), 128),
             ("x", "gamma", "beta", "y", I(rows), I(768)), ("y",), bytes=8 * rows * 768),
        case("attention", {"q": normal(head, 1), "k": normal(head, 1.3), "v": normal(head, 0.7), "y": zeros(head)},
             [("attention", (queries // 64, heads), 64, ("q", "k", "v", "y", I(queries), scale))],
             ("q", "k", "v", "y", I(heads), I(queries), scale), ("y",), flops=4 * heads * queries**2 * 32),
        case("im2col", {"x": floats(layer), "y": zeros(9 * layer)},
             threads("im2col", layer, (I(layer), "x", *windows, "y")), (I(16), "x", *windows, "y"), ("y",),
             bytes=40 * layer, tolerance=0),
        case("maxpool", {"x": floats(4 * pooled), "y": zeros(pooled), "indices": zeros(pooled, I)},
             threads("maxpool", pooled, ("x", "y", "indices", I(pooled), *pool)), ("x", "y", "indices", I(32), *pool),
             ("y", "indices"), bytes=24 * pooled, tolerance=0),
        case("nchw_nhwc", {"x": floats(4 * 96 * pixels), "y": zeros(4 * 96 * pixels)},
             [("nchw_nhwc", (-(-pixels // 32), 96 // 32, 4), (32, 8), ("x", "y", I(96), I(pixels)))],
             ("x", "y", I(4), I(96), I(pixels)), ("y",), bytes=8 * 4 * 96 * pixels, tolerance=0),
        case("knn", {"queries": floats(16 * 512), "points": _given(points), "transposed": _given(points.T.copy()),
                     "nearest": zeros(4 * 512, I)},
             threads("knn", 512, ("queries", "points", "nearest", I(512), I(1024)), 128),
             ("queries", "transposed", "nearest", I(512), I(1024)), ("nearest",), flops=3 * 16 * 512 * 1024,
             tolerance=-1),
    ]  # fmt: skip


def sorting_and_graphs() -> list[Case]:
    """Merging, selection, and what follows the edges of graphs."""
    one, other, rows, columns = 150000, 100000, 256, 1024
    nodes, edges, rounds, many = 10000, 80000, 24, 50000
    pairs = np.sort(_random().integers(0, 3000, (40000, 2)), 1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0).astype(I)
    starts = np.searchsorted(pairs[:, 0], np.arange(3001)).astype(I)
    relax = ("bellman_ford_relax", -(-edges // 256), 256, ("sources", "targets", "lengths", "distances", I(edges)))

    def case(*words: object, **more: object) -> Case:
        return case_of("textbook/sorting_and_graphs", *words, tolerance=0, **more)  # type: ignore[arg-type]

    return [
        case("merge_path", {"a": _sorted(one), "b": _sorted(other), "y": zeros(one + other, I)},
             threads("merge_path", -(-(one + other) // 8), ("a", I(one), "b", I(other), "y"), 128),
             ("a", I(one), "b", I(other), "y"), ("y",), bytes=8 * (one + other)),
        case("topk", {"x": lambda r: r.permutation(rows * columns).astype(F), "values": zeros(8 * rows),
                      "indices": zeros(8 * rows, I)},
             threads("topk", 32 * rows, ("x", "values", "indices", I(rows), I(columns)), 128),
             ("x", "values", "indices", I(rows), I(columns)), ("values", "indices"), bytes=4 * rows * columns),
        case("bellman_ford", {"sources": ints(edges, 0, nodes), "targets": ints(edges, 0, nodes),
                              "lengths": ints(edges, 1, 20), "distances": zeros(nodes, I)},
             [*threads("bellman_ford_start", nodes, ("distances", I(nodes))), *[relax] * rounds],
             ("sources", "targets", "lengths", "distances", I(nodes), I(edges), I(rounds)), ("distances",),
             bytes=12 * edges * rounds),
        case("components", {"sources": ints(2 * many, 0, many), "targets": ints(2 * many, 0, many),
                            "parents": zeros(many, I)},
             [*threads("components_start", many, ("parents", I(many))),
              *threads("components_hook", 2 * many, ("sources", "targets", "parents", I(2 * many))),
              *threads("components_flatten", many, ("parents", I(many)))],
             ("sources", "targets", "parents", I(many), I(2 * many)), ("parents",)),
        case("triangles", {"starts": _given(starts), "sources": _given(pairs[:, 0].copy()),
                           "targets": _given(pairs[:, 1].copy()), "total": zeros(1, np.uint64)},
             [("triangles_clear", 1, 1, ("total",)),
              *threads("triangles", len(pairs), ("starts", "targets", "sources", I(len(pairs)), "total"), 128)],
             ("starts", "targets", I(3000), "total"), ("total",)),
    ]  # fmt: skip


def _box() -> np.ndarray:
    """Return the substitution of AES: inverses in the field of 256 elements, then an affine map."""
    box: np.ndarray = np.full(256, 0x63, B)
    p = q = 1
    while True:
        p ^= p << 1 & 255 ^ 0x1B * (p >> 7)  # times 3
        for shift in (1, 2, 4):
            q ^= q << shift & 255
        q ^= 9 * (q >> 7)  # divided by 3
        affine = 0x63 ^ q
        for k in range(1, 5):
            affine ^= (q << k | q >> (8 - k)) & 255
        box[p] = affine
        if p == 1:
            return box


def _aes_tables(random: Random) -> np.ndarray:
    """Return the four tables that substitute a byte and multiply it by a column of the matrix of AES."""
    box = _box().astype(U)
    twice = box << U(1) & U(255) ^ (box >> U(7)) * U(0x1B)
    table = twice | box << U(8) | box << U(16) | (twice ^ box) << U(24)
    turned = [table << U(8 * k) | table >> U(32 - 8 * k) for k in (1, 2, 3)]
    return np.concatenate([table, *turned])


def sequences() -> list[Case]:
    """Dynamic programming, scans, text, codes, hashes and ciphers."""
    columns, steps, side, texts, long, blocks, messages = 40000, 20, 512, 1024, 1 << 20, 512, 8192
    width = side // 16
    penalty = (I(side + 1), I(10))
    letters = _random().integers(32, 127, long).astype(B)
    letters[_random().random(long) < 1 / 40] = ord("\n")
    lines = int(np.count_nonzero(letters == ord("\n")))
    text = np.frombuffer(("naïve café, größer, 日本語 😀 plain text " * 30000).encode(), B)[:long].copy()
    lengths = np.clip(_random().geometric(0.2, 256) + 2, 3, 20)
    codes = _random().integers(0, 1 << lengths)

    def case(*words: object, **more: object) -> Case:
        return case_of("textbook/sequences", *words, tolerance=0, **more)  # type: ignore[arg-type]

    def diagonals(random: Random) -> np.ndarray:
        scores = np.zeros((side + 1, side + 1), I)
        scores[0] = scores[:, 0] = -10 * np.arange(side + 1)
        return scores.reshape(-1)

    def diagonal(number: int, lower: int) -> tuple:
        return "needle", number, 16, ("similar", "scores", *penalty, I(number), I(width), I(lower))

    return [
        case("pathfinder", {"wall": ints(columns * steps, 0, 10), "x": ints(columns, 0, 10),
                            "between": zeros(columns, I), "y": zeros(columns, I)},
             [("pathfinder", -(-columns // (256 - 2 * steps)), 256, (I(steps), "wall", "x", "y", I(columns)))],
             ("wall", "x", "between", "y", I(columns), I(steps)), ("y",), bytes=4 * columns * steps),
        case("needle", {"similar": ints((side + 1) ** 2, -4, 12), "scores": diagonals},
             [*(diagonal(number, 0) for number in range(1, width + 1)),
              *(diagonal(number, 1) for number in range(width - 1, 0, -1))],
             ("similar", "scores", *penalty), ("scores",), operations=5 * side**2),
        case("smith_waterman", {"query": ints(48, 0, 4, np.int8), "texts": ints(64 * texts, 0, 4, np.int8),
                                "scores": zeros(texts, I)},
             threads("smith_waterman", texts, ("query", "texts", "scores", I(texts), I(64)), 64),
             ("query", "texts", "scores", I(texts), I(64)), ("scores",), operations=8 * 48 * 64 * texts),
        case("blelloch", {"x": ints(512 * blocks, 0, 100), "y": zeros(512 * blocks, I), "sums": zeros(blocks, I)},
             [("blelloch", blocks, 256, ("x", "y", "sums"))], ("x", "y", "sums", I(blocks)), ("y", "sums"),
             bytes=8 * 512 * blocks),
        case("csv_lines", {"text": _given(letters), "counts": zeros(long // 256, I), "y": zeros(lines, I)},
             [*threads("csv_count", long, ("text", I(long), "counts")),
              ("csv_scan", 1, 1024, ("counts", I(long // 256))),
              *threads("csv_positions", long, ("text", I(long), "counts", "y"))],
             ("text", I(long), "y"), ("y",), bytes=long),
        case("utf8", {"text": _given(text), "result": zeros(2, U)},
             [("utf8_clear", 1, 2, ("result",)), ("utf8", 64, 256, ("text", I(long // 4), "result"))],
             ("text", I(long), "result"), ("result",), bytes=long),
        case("bitpack", {"x": ints(256 * blocks, 0, 256, B), "codes": _given(codes.astype(U)),
                         "lengths": _given(lengths.astype(B)), "y": zeros(256 * blocks, U), "bits": zeros(blocks, I)},
             [("bitpack", blocks, 256, ("x", "codes", "lengths", "y", "bits"))],
             ("x", "codes", "lengths", "y", "bits", I(blocks)), ("y", "bits"), bytes=5 * 256 * blocks),
        case("sha1", {"messages": ints(16 * messages, 0, ANY, U), "y": zeros(5 * messages, U)},
             threads("sha1", messages, ("messages", "y", I(messages)), 128), ("messages", "y", I(messages)), ("y",),
             operations=80 * 12 * messages),
        case("aes", {"x": ints(4 * messages, 0, ANY, U), "y": zeros(4 * messages, U), "tables": _aes_tables,
                     "keys": ints(44, 0, ANY, U), "box": lambda random: _box()},
             [("aes", 16, 256, ("x", "y", "tables", "keys", "box", I(messages)))],
             ("x", "y", "tables", "keys", "box", I(messages)), ("y",), bytes=32 * messages),
    ]  # fmt: skip


def simulation() -> list[Case]:
    """Heat, diffusion, fluids, spins, options."""
    side, image, cells, sites, options = 512, 384, 256 * 128, 512 * 256, 40000
    heat = (I(side), I(side), F(0.05), F(0.3), F(0.25), F(0.02))
    parts, size = ("north", "south", "west", "east", "coefficients", "image"), (I(image), I(image))
    lattice, chances, market = (I(256), I(128), F(1.2)), (F(0.17), F(0.03)), (D(0.02), D(0.3), I(options))
    contract = ("prices", "strikes", "years", "calls", "puts", *market)
    tiles = -(-side // 12)

    def case(*words: object, **more: object) -> Case:
        return case_of("textbook/simulation", *words, **more)  # type: ignore[arg-type]

    def spins(random: Random) -> np.ndarray:
        return random.choice([-1, 1], sites).astype(np.int8)

    return [
        case("hotspot", {"power": floats(side * side), "x": floats(side * side, 320, 340),
                         "between": zeros(side * side), "y": zeros(side * side)},
             [("hotspot", (tiles, tiles), (16, 16), ("power", "x", "y", *heat))], ("power", "x", "between", "y", *heat),
             ("y",), bytes=12 * side * side, tolerance=1e-5),
        case("srad", {**dict.fromkeys(parts[:5], zeros(image * image)),
                      "image": lambda random: np.exp(random.random(image * image, F)), "y": zeros(image * image)},
             [("srad_coefficients", (image // 16, image // 16), (16, 16), (*parts, *size, F(0.05))),
              ("srad_update", (image // 16, image // 16), (16, 16), (*parts, "y", *size, F(0.5)))],
             (*parts, "y", *size, F(0.05), F(0.5)), ("coefficients", "y"), bytes=48 * image * image),
        case("lbm", {"x": floats(9 * cells, 0.3, 0.4), "y": zeros(9 * cells)},
             [("lbm", (4, 32), (64, 4), ("x", "y", *lattice))], ("x", "y", *lattice), ("y",), bytes=72 * cells),
        case("ising", {"black": spins, "white": spins, "seeds": ints(sites, 0, ANY, U)},
             [*threads("ising", sites, ("black", "white", "seeds", I(512), I(256), I(1), *chances), 128),
              *threads("ising", sites, ("white", "black", "seeds", I(512), I(256), I(0), *chances), 128)],
             ("black", "white", "seeds", I(512), I(256), *chances), ("black", "white", "seeds"), bytes=12 * sites,
             tolerance=0, resets=True),
        case("black_scholes", {"prices": _uniform(options, 5, 30), "strikes": _uniform(options, 1, 100),
                               "years": _uniform(options, 0.25, 10), "calls": zeros(options, D),
                               "puts": zeros(options, D)},
             threads("black_scholes", options, contract, 128), contract, ("calls", "puts"), bytes=40 * options,
             tolerance=1e-9),
    ]  # fmt: skip


def textbook() -> list[Case]:
    """Return the cases in the order of the table."""
    return [*images(), *linear(), *learning(), *sorting_and_graphs(), *sequences(), *simulation()]
