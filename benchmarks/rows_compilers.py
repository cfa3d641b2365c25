# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time launches of y = a * x + y by one compiler in this process: python rows_compilers.py NAME

Each function makes the launch in the way that its package documents, with two arrays, a float and an int (cuTile: the
size of a tile), and returns statements by title.
"""

import importlib
import json
import os
import sys
from typing import ClassVar

N, BLOCK = 4096, 256
GRID = N // BLOCK
ADDRESS = 0x70000000  # on the null driver, memory need not exist


class Array:
    """An array on the device, by the names that Triton and cuTile ask for."""

    dtype = "float32"
    __cuda_array_interface__: ClassVar = {
        "shape": (N,),
        "typestr": "<f4",
        "data": (ADDRESS, False),
        "version": 3,
        "strides": None,
    }

    def data_ptr(self):
        return ADDRESS


def cuda_core():
    from cuda.core import Device, LaunchConfig, ObjectCode, launch  # noqa: F401 - the statements use it

    device = Device(0)
    device.set_current()
    stream = device.create_stream()
    entry = ".entry mixed_5(.param .f32 a, .param .u64 x, .param .u32 n, .param .u32 m, .param .u64 y) { ret; }"
    module = ObjectCode.from_ptx(f".version 8.0\n.target sm_90\n.address_size 64\n{entry}\n".encode())
    kernel = module.get_kernel("mixed_5")  # the null driver derives its parameters from the name
    config = LaunchConfig(grid=GRID, block=BLOCK)
    x, y = (device.allocate(4 * N, stream=stream) for _ in range(2))
    step = kernel.prepare(config, stream)
    return {
        "cuda.core, `launch`": ("launch(stream, config, kernel, 2.5, x, 4096, 256, y)", locals()),
        "cuda.core, `Kernel.prepare`": ("step(2.5, x, 4096, 256, y)", {"step": step, "x": x, "y": y, "keep": module}),
    }


def triton():
    import triton
    import triton.language as tl

    @triton.jit
    def saxpy(x, y, a, n, SIZE: tl.constexpr):
        i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
        inside = i < n
        tl.store(y + i, a * tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)

    x, y = Array(), Array()
    return {"Triton": (f"saxpy[({GRID},)](x, y, 2.5, {N}, SIZE={BLOCK})", {"saxpy": saxpy, "x": x, "y": y})}


def cutile():
    import cuda.tile as ct

    @ct.kernel
    def saxpy(x, y, a: float, SIZE: ct.Constant[int]):
        i = ct.bid(0)
        ct.store(y, (i,), ct.load(x, (i,), (SIZE,)) * a + ct.load(y, (i,), (SIZE,)))

    names = {"ct": ct, "saxpy": saxpy, "x": Array(), "y": Array()}
    return {"cuTile": (f"ct.launch(0x2000, ({GRID},), saxpy, (x, y, 2.5, {BLOCK}))", names)}


def numba_mlir():
    import numpy as np
    from numba_cuda_mlir import cuda

    @cuda.jit
    def saxpy(x, y, a, n):
        i = cuda.grid(1)
        if i < n:
            y[i] += a * x[i]

    x, y = (cuda.device_array(N, np.float32) for _ in range(2))
    names = {"saxpy": saxpy, "launch": saxpy[GRID, BLOCK], "x": x, "y": y}
    return {
        "numba-cuda-mlir": (f"saxpy[{GRID}, {BLOCK}](x, y, 2.5, {N})", names),
        "numba-cuda-mlir, configured before": (f"launch(x, y, 2.5, {N})", names),
    }


ROWS = {"cuda_core": cuda_core, "triton": triton, "cutile": cutile, "numba_mlir": numba_mlir}


def main():
    nanoseconds = importlib.import_module("calls").nanoseconds  # of this folder, where it runs as a script

    os.environ |= {"NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0", "TRITON_DEFAULT_FP_FUSION": "1"}  # no warnings
    rows = ROWS[sys.argv[1]]()
    print(json.dumps({title: nanoseconds(statement, names, False) for title, (statement, names) in rows.items()}))


if __name__ == "__main__":
    main()
