# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time matrix products that Triton compiles, on one core: python -m benchmarks.triton_matmuls --python PYTHON

PYTHON is an interpreter with Triton. The peer is NumPy's product of float32 matrices (OpenBLAS with one thread) in the
same process. Results are compared first. "First launch" is the CPU time to compile the kernel and to run it once, which
uses quick code; the times of products are those of the code of hot kernels.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from benchmarks.tables import duration, machine

ONE = {"CUDA_CPU_WORKERS": "1", "OPENBLAS_NUM_THREADS": "1", "CUDA_CPU_CACHE": "0", "CUDA_PYTHON_DRIVER": "cpu"}
TOLERANCE = {"fp16": 2e-3, "bf16": 2e-2, "fp32": 3e-3}  # of the largest element; fp32 is multiplied as tf32


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", help="an interpreter with Triton")
    parser.add_argument("--size", type=int, default=512, help="rows of the square matrices; default 512")
    parser.add_argument("--only", default="", help="only kernels with this text in their names")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each product; default 0.5")
    parser.add_argument("--folder", type=pathlib.Path, help=argparse.SUPPRESS)  # with the kernels, in the process below
    options = parser.parse_args()
    if options.folder:
        measure(options)
        return
    if not options.python:
        parser.error("--python is missing: an interpreter with Triton")
    with tempfile.TemporaryDirectory() as name:
        script = pathlib.Path(__file__).with_name("triton_kernels.py")
        triton = os.environ | {"TRITON_CACHE_DIR": f"{name}/cache", "TRITON_DEFAULT_FP_FUSION": "1"}
        subprocess.run([options.python, str(script), name], env=triton, check=True)
        own = [sys.executable, "-m", "benchmarks.triton_matmuls", *sys.argv[1:], "--folder", name]
        subprocess.run(own, env=os.environ | ONE, check=True)


def measure(options: argparse.Namespace) -> None:
    """Print the table of the kernels in a folder."""
    import numpy as np

    size, random = options.size, np.random.default_rng(1)
    a, b = (random.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    kernels = [json.loads(file.read_text()) | {"file": file} for file in sorted(options.folder.glob("*.json"))]
    kernels = [kernel for kernel in kernels if options.only in kernel["title"]]
    peer = shortest(lambda: a @ b, options.seconds)
    speed = 2 * size**3 / peer / 1e9
    print(f"{machine()}\n\nMatrices of {size} x {size}; NumPy takes {duration(peer)} ({speed:.0f} GFLOP/s).\n")
    print(
        "| kernel | lines of PTX | first launch | hot code | NumPy's time / ours |\n|---|---|---|---|---|", flush=True
    )
    for kernel in kernels:
        run = Product(kernel, a, b)
        first = run.first_launch()
        os.environ["CUDA_CPU_LEVEL"] = "3"
        hot = run.launches()
        run.check(hot)
        ours = shortest(hot, options.seconds)
        del os.environ["CUDA_CPU_LEVEL"]
        peer = shortest(lambda: a @ b, options.seconds / 5)
        print(
            f"| {kernel['title']} | {kernel['lines']} | {duration(first)} | {duration(ours)} | {peer / ours:.2f} |",
            flush=True,
        )


class Product:
    """A kernel with its operands in the device's memory."""

    def __init__(self, kernel: dict, a, b):
        import ml_dtypes
        import numpy as np

        from cuda.core import Device, LegacyPinnedMemoryResource

        types = {"fp16": np.float16, "bf16": ml_dtypes.bfloat16, "fp32": np.float32}
        device = Device()
        device.set_current()
        self.kernel, self.size = kernel, len(a)
        self.stream = device.create_stream()
        self.memory = LegacyPinnedMemoryResource()
        self.buffers, self.arrays = [], []
        for values in (a, b, np.zeros_like(a)):
            array = values.astype(types[kernel["dtype"]])
            self.buffers.append(self.memory.allocate(array.nbytes, stream=self.stream))
            memory = np.frombuffer(memoryview(self.buffers[-1]), array.dtype, array.size)
            self.arrays.append(memory.reshape(array.shape))
            self.arrays[-1][...] = array

    def first_launch(self) -> float:
        """Return the CPU time, in seconds, to compile and launch the kernel for the first time."""
        started = time.process_time()
        self.launches()()
        return time.process_time() - started

    def launches(self) -> Callable[[], None]:
        """Return a function that launches the kernel, compiled as the environment says, and waits."""
        from cuda.core import LaunchConfig, ObjectCode, launch

        kernel = self.kernel
        rows, columns, _ = kernel["tile"]
        code = ObjectCode.from_ptx(kernel["file"].with_suffix(".ptx").read_bytes()).get_kernel(kernel["entry"])
        code.attributes[0].max_dynamic_shared_size_bytes = kernel["shared"]
        grid = (self.size // rows, self.size // columns)
        scratch = self.memory.allocate(max(128, kernel["scratch"] * grid[0] * grid[1]), stream=self.stream)
        arguments = [*self.buffers, self.size, self.size, scratch]
        arguments += [0] * (len(code.arguments_info) - len(arguments))  # Triton's own, which these kernels do not use
        config = LaunchConfig(grid=grid, block=kernel["threads"], shmem_size=kernel["shared"])

        def run() -> None:
            launch(self.stream, config, code, *arguments)
            self.stream.sync()

        return run

    def check(self, run: Callable[[], None]) -> None:
        """Exit unless the product is right."""
        import numpy as np

        a, b, c = self.arrays
        c[...] = 0
        run()
        wanted = a.astype(np.float32) @ b.astype(np.float32)
        worst = np.abs(c.astype(np.float32) - wanted).max() / np.abs(wanted).max()
        if not worst <= TOLERANCE[self.kernel["dtype"]]:
            sys.exit(f"{self.kernel['title']}: wrong by {worst:.1e} of the largest element")


def shortest(run: Callable[[], object], seconds: float) -> float:
    """Return the least CPU time, in seconds, of the process for one run."""
    best, end = float("inf"), time.monotonic() + seconds
    while best == float("inf") or time.monotonic() < end:
        started = time.process_time()
        run()
        best = min(best, time.process_time() - started)
    return best


if __name__ == "__main__":
    main()
