# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Print what a device does where PTX leaves results open, to compare a GPU with the CPU device.

CUDA_PYTHON_DRIVER=nvidia python ci/gpu/observe.py > gpu.txt
CUDA_PYTHON_DRIVER=cpu python ci/gpu/observe.py > cpu.txt
"""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests/cpu/driver/array"), str(ROOT / "tests"), str(ROOT)]

COUNTS = [0, 1, 31, 32, 63, 64, 65, 127, 128, 255, 256, 257, 300, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 255,
          2**32 - 1]  # fmt: skip
WORD = 0x8123456789ABCDEF
TINY = [2.0**-power for power in range(115, 147)]
VECTORS = ["tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"]
NUMBERS = ["warpid", "nwarpid", "nsmid", "total_smem_size", "dynamic_smem_size", "reserved_smem_offset_cap"]
# Shape, box and steps of tensors, and where loads begin, the innermost dimension last in shapes and first in others.
TENSORS = [
    *(((9, 32), (8, 4), (1, 1), (x, y)) for x in (0, 1, 3, 4, -1, -4, 99, 100) for y in (1, -1)),
    *(((40, 128), (100, 25), (1, 1), start) for start in ((0, 0), (4, 1), (1, 0))),
    *(((60, 128), (100, 50), (1, 2), start) for start in ((0, 0), (4, 1))),
    *(((7, 8, 16), (16, 3, 4), (1, 2, 1), start) for start in ((0, 0, 0), (4, 1, 1))),
    *(((2, 3, 3, 4, 16), (16, 2, 2, 3, 2), (step, 1, 1, 2, 1), (0,) * 5) for step in (1, 2)),
]


def observe_values() -> None:
    from support.lanewise import apply

    def show(name: str, *arguments: object) -> None:
        try:
            print(name, apply(*arguments).tolist(), flush=True)
        except BaseException as error:  # pytest's skips are none of Exception
            print(name, type(error).__name__, str(error).splitlines()[:1], flush=True)

    for type_ in ("u16", "s16", "u32", "s32", "u64", "s64"):
        for opcode in ("div", "rem"):
            show(f"{opcode}.{type_} by 0", f"{opcode}.{type_} $d, $a, $b", type_, (type_, [0, 1, 7, 100]), (type_, [0]))
    for length in (0, 8, 64, 256, 264, 65544, 2**32 - 1):
        for type_ in ("u32", "s32", "u64", "s64"):
            value, bits = WORD & (1 << int(type_[1:])) - 1, int(type_[1:])
            value -= (value >> bits - 1 << bits) * (type_[0] == "s")
            counts = ("u32", COUNTS), ("u32", [length])
            show(f"bfe.{type_} of {length}", f"bfe.{type_} $d, $a, $b, $c", type_, (type_, [value]), *counts)
            if type_[0] == "u":
                operands = (type_, [value]), (type_, [0x5555AAAA]), *counts
                show(f"bfi.b{bits} of {length}", f"bfi.b{bits} $d, $a, $b, $c, $e", type_, *operands)
    for name in ("sin", "cos", "tanh", "ex2", "lg2", "rcp", "rsqrt", "sqrt"):
        show(f"{name} of 2^-115 to 2^-146", f"{name}.approx.f32 $d, $a", "f32", ("f32", TINY))
    for name in [*(f"{vector}.w" for vector in VECTORS), *NUMBERS]:
        show(f"%{name}", f"mov.u32 $d, %{name}", "u32", ("u32", [1]))


def observe_tensor(shape: list[int], box: list[int], steps: list[int], start: list[int]) -> None:
    from test_tensor_map import boxed, encoded, load

    data = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    wanted = boxed(data, start, box, steps)
    found = load(encoded(data, box, steps=steps), start, wanted.size, np.float32)
    print("as expected" if np.array_equal(found, wanted.ravel()) else "other elements", flush=True)


def in_own_process(tensor: tuple) -> str:
    """Return what a load does: a fault ends the process."""
    command = [sys.executable, __file__, json.dumps(tensor)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return (done.stdout or done.stderr).strip().splitlines()[-1]


def main() -> None:
    if os.environ.get("CUDA_PYTHON_DRIVER") == "nvidia":
        ctypes.CDLL("libcuda.so.1")  # before the CPU device's library, which has the same name
    if len(sys.argv) > 1:
        observe_tensor(*json.loads(sys.argv[1]))
        return
    observe_values()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for tensor, said in zip(TENSORS, pool.map(in_own_process, TENSORS), strict=True):
            print("load of a tensor:", *tensor, said, flush=True)


if __name__ == "__main__":
    main()
