# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The peers: C in this process, Numba in a separate one, and the peak of the machine."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.cpu_kernels.cases import Case, c_argument

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
FLAGS = ["-O3", "-march=native", "-fno-fast-math", "-shared", "-fPIC"]


def source_of(source: str, suffix: str) -> pathlib.Path:
    return HERE / f"{source}{suffix}"


@functools.cache
def compiled_c(source: str = "kernels", *, openmp: bool = False) -> ctypes.CDLL:
    """Compile the C peers of a source file and return the library."""
    library = pathlib.Path(tempfile.mkdtemp(), "peers.so")
    subprocess.run(["gcc", *FLAGS, *["-fopenmp"] * openmp, "-o", library, source_of(source, ".c"), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def function_of(
    case: Case, arrays: dict[str, np.ndarray], source: str, name: str, *, openmp: bool = False
) -> Callable[[], object]:
    """Return a C function of a source file, called with the arguments of a case."""
    arguments = [
        ctypes.c_void_p(arrays[each].ctypes.data) if isinstance(each, str) else c_argument(each)
        for each in case.arguments
    ]
    return functools.partial(getattr(compiled_c(source, openmp=openmp), name), *arguments)


class Peaks(NamedTuple):
    """The highest measured rates of one core, per second."""

    flops: float
    operations: float
    bandwidth: float


def peaks(c: ctypes.CDLL) -> Peaks:
    """Measure the peaks of this core."""
    c.peak_flops.restype = ctypes.c_float
    operations, rounds = ctypes.c_int.in_dll(c, "peak_operations").value, 1 << 20
    x, y = np.ones(1 << 24, np.float32), np.ones(1 << 24, np.float32)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, y)]
    rates, bandwidth = [0.0, 0.0], 0.0
    for _ in range(7):
        for number, loop in enumerate((c.peak_flops, c.peak_integers)):
            start = time.process_time()
            loop(ctypes.c_long(rounds))
            rates[number] = max(rates[number], rounds * operations / (time.process_time() - start))
        start = time.process_time()
        c.peak_bandwidth(*pointers, ctypes.c_size_t(x.size))
        bandwidth = max(bandwidth, 12 * x.size / (time.process_time() - start))
    return Peaks(rates[0], rates[1], bandwidth)


class Numba:
    """A process that runs the loops in Numba, one at a time."""

    def __init__(self, python: str):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.cpu_kernels.numba_peers"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment,
        )  # fmt: skip
        self._folder = tempfile.TemporaryDirectory()

    def _request(self, *words: object) -> str:
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None, "a pipe, as asked for above"
        assert answers is not None, "a pipe, as asked for above"
        asked.write("\t".join(map(str, words)) + "\n")
        asked.flush()
        answer = answers.readline()
        if not answer:
            sys.exit("the process with Numba ended; its message is above")
        return answer

    def load(self, case: Case) -> dict[str, np.ndarray]:
        """Create the data of a case, run it once and return the results."""
        path = os.path.join(self._folder.name, "results.npz")
        self._request("load", case.name, path)
        with np.load(path) as results:
            return dict(results)

    def run(self, count: int, cpu_time: bool) -> float:
        return float(self._request("run", count, int(cpu_time)))

    def close(self) -> None:
        self._process.communicate()  # which closes its input
        self._folder.cleanup()
