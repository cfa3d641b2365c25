# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compile matrix products with Triton, for triton_matmuls.py: python triton_kernels.py FOLDER

Writes a file of PTX and one of facts for each kernel.
"""

import json
import pathlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

SHAPES = ((64, 64, 32, 4), (128, 128, 32, 4), (128, 128, 64, 8), (128, 256, 64, 8), (128, 128, 128, 4))
SHARED = 232448  # bytes that a block of an H200 can have


@triton.jit
def pointers(a, b, c, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    steps = tl.arange(0, DEPTH)
    left = a + rows[:, None] * k + steps[None, :]
    right = b + steps[:, None] * n + columns[None, :]
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for _ in range(0, k, DEPTH):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += DEPTH
        right += DEPTH * n
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def descriptors(a, b, c, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [n, k], [k, 1], [ROWS, DEPTH])
    right = tl.make_tensor_descriptor(b, [k, n], [n, 1], [DEPTH, COLUMNS])
    out = tl.make_tensor_descriptor(c, [n, n], [n, 1], [ROWS, COLUMNS])
    row, column = tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, k, DEPTH):
        total = tl.dot(left.load([row, start]), right.load([start, column]), total)
    out.store([row, column], total.to(c.dtype.element_ty))


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    for function, arch in ((pointers, 80), (pointers, 90), (descriptors, 90)):
        for dtype in ("fp16", "bf16", "fp32"):
            for shape in SHAPES:
                write(folder, function, arch, dtype, shape)


def write(folder: pathlib.Path, function, arch: int, dtype: str, shape: tuple[int, int, int, int]) -> None:
    """Compile a kernel for square matrices; `shape`: of a tile, and the number of warps."""
    *tile, warps = shape
    constants = dict(zip(("ROWS", "COLUMNS", "DEPTH"), tile, strict=True))
    signature = dict.fromkeys("abc", f"*{dtype}") | dict.fromkeys("nk", "i32") | dict.fromkeys(constants, "constexpr")
    divisible = {(number,): [["tt.divisibility", 16]] for number in range(5)}
    source = ASTSource(fn=function, signature=signature, constexprs=constants, attrs=divisible)
    made = triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": warps, "num_stages": 3})
    facts = made.metadata
    if facts.shared > SHARED:
        return
    scratch = getattr(facts, "global_scratch_size", 0)
    ptx = made.asm["ptx"]
    name = f"{function.__name__}, sm_{arch}, {dtype}, {' x '.join(map(str, tile))}"
    stem = folder / f"{arch}.{function.__name__}.{dtype}.{'x'.join(map(str, shape))}"
    stem.with_name(stem.name + ".ptx").write_text(ptx)
    record = {
        "title": name, "entry": facts.name, "threads": 32 * warps, "shared": facts.shared, "tile": tile,
        "dtype": dtype, "scratch": scratch, "lines": len(ptx.splitlines()),
    }  # fmt: skip
    stem.with_name(stem.name + ".json").write_text(json.dumps(record))


if __name__ == "__main__":
    main()
