# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Launch kernels written in C on the native runtime."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import types

import numpy as np
import pytest

from cuda.cpu.runtime import _runtime as runtime
from cuda.cpu.runtime import abi

ROOT = pathlib.Path(__file__).parent.parent.parent
KERNELS = ROOT / "tests/cpu/runtime/kernels.c"
INCLUDE = ROOT / "cuda_cpu/cuda/cpu/runtime"
COMPILER = shutil.which("gcc") or shutil.which("cc")
WAIT = 60.0  # seconds; only a hang takes as long

KIND = types.SimpleNamespace(**{name.upper(): value for name, value in abi.FAULTS.items()})


def compile_kernels(folder: pathlib.Path, source: pathlib.Path = KERNELS, *options: str) -> bytes:
    if COMPILER is None:
        pytest.skip("no C compiler: the kernels of these tests are written in C")
    target = folder / "kernels.o"
    flags = ["-O1", "-fPIC", "-fno-stack-protector", *options, "-I", str(INCLUDE)]
    command = [COMPILER, *flags, "-c", str(source), "-o", str(target)]
    subprocess.run(command, check=True, env=os.environ | {"LC_ALL": "C"})
    return target.read_bytes()


class Launcher:
    """Launches kernels by name on one queue; parameters are 64-bit words."""

    def __init__(self, image):
        self.image = image
        self.queue = runtime.Queue()

    def grid(self, name, *, fibers=False, words=2, shared=0, local=0, symbols=0):
        return runtime.CompiledKernel(
            self.image.address(name), name, symbols, shared, local, 8 * words, fibers, self.image
        )

    def start(self, kernel, grid_dim, block_dim, *words, cooperative=False, cluster=(1, 1, 1), grid_id=1, **options):
        shared = options.pop("shared", 0)  # dynamic
        kernel = self.grid(kernel, words=len(words), **options) if isinstance(kernel, str) else kernel
        params = np.array([int(word) % 2**64 for word in words], np.uint64)
        sizes = [size if isinstance(size, tuple) else (size, 1, 1) for size in (grid_dim, block_dim)]
        self.queue.launch(kernel, *sizes, cluster, shared, params.ctypes.data, cooperative, grid_id)

    def finish(self):
        assert self.queue.wait(WAIT)
        return self.queue.take_fault()

    def run(self, *args, **options):
        """Launch and wait; return the fault."""
        self.start(*args, **options)
        return self.finish()
