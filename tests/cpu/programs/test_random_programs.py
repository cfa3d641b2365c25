# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random programs of branches, loops, arrays and calls, compared with the same program compiled as C.

CUDA_CPU_RANDOM_PROGRAMS sets how many are tried.
"""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import subprocess

import numpy as np
import pytest

pytest.importorskip("cuda.cpu.runtime._runtime", reason="the CPU device's runtime is not built")
pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")

from support.compilers import compile_cuda
from support.loaded import Loaded

pytestmark = pytest.mark.needs_nvrtc
COUNT = int(os.environ.get("CUDA_CPU_RANDOM_PROGRAMS", "3"))
COMPILER = shutil.which("gcc") or shutil.which("cc")
THREADS = 96

VALUES = ["a", "b", "c", "d", "(a ^ b)", "(c + d * 3u)", "(b >> 3)", "(a & 15u)", "(d - c)", "(unsigned)i", "m[a & 7u]"]
HEAD = "unsigned m[8], g = 0; for (int q = 0; q < 8; q++) m[q] = "


class Writer:
    """Writes the statements of one program. `g` counts iterations, so that loops end."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0
        self.in_function = False

    def value(self) -> str:
        return self.random.choice([*VALUES, f"{self.random.randrange(50)}u"])

    def condition(self) -> str:
        x, y, z = self.value(), self.value(), self.value()
        number = self.random.choice([1, 3, 7])
        forms = [
            f"{x} < {y}",
            f"({x} & {number}u) == {number // 2}u",
            f"{x} > {y} && {z} != {x}",
            f"i % {number + 1} == 0 || {x} < 9u",
        ]
        return self.random.choice(forms)

    def block(self, depth: int, looping: bool) -> str:
        return "{ " + " ".join(self.statement(depth, looping) for _ in range(self.random.randrange(1, 4))) + " }"

    def statement(self, depth: int, looping: bool) -> str:
        kinds = [self.assign, self.assign, self.store]
        if depth:
            kinds += [self.branch, self.branch, self.loop, self.loop, self.choose, self.leave, self.call]
        return self.random.choice(kinds)(depth - 1, looping)

    def assign(self, depth: int, looping: bool) -> str:
        return f"{self.random.choice('abcd')} {self.random.choice(['=', '+=', '^=', '-='])} {self.value()};"

    def store(self, depth: int, looping: bool) -> str:
        return f"m[{self.value()} & 7u] += {self.value()};"

    def branch(self, depth: int, looping: bool) -> str:
        other = f" else {self.block(depth, looping)}" if self.random.random() < 0.6 else ""
        return f"if ({self.condition()}) {self.block(depth, looping)}{other}"

    def loop(self, depth: int, looping: bool) -> str:
        body = self.block(depth, True)
        if self.random.random() < 0.4:
            return f"while ({self.condition()}) {{ if (++g > 200u) break; {body} }}"
        self.names += 1
        count = self.random.choice(["3", "(int)(a & 7u)", "i % 5", "(int)(b & 3u) + 1"])
        name = f"t{self.names}"
        return f"for (int {name} = 0; {name} < {count}; {name}++) {{ if (++g > 300u) break; {body} }}"

    def choose(self, depth: int, looping: bool) -> str:
        cases = [self.block(depth, False) for _ in range(3)]
        arms = f"case 0: {cases[0]} case 1: break; case 3: {cases[1]} break; default: {cases[2]}"
        return f"switch ({self.value()} % 5u) {{ {arms} }}"

    def leave(self, depth: int, looping: bool) -> str:
        if looping and self.random.random() < 0.7:
            return f"if ({self.condition()}) {self.random.choice(['break', 'continue'])};"
        result = f"return {self.value()};" if self.in_function else "{ o[0] = a; o[1] = b ^ g; return; }"
        return f"if ({self.condition()}) {result}"

    def call(self, depth: int, looping: bool) -> str:
        return (
            f"{self.random.choice('abcd')} += "
            + (self.value() if self.in_function else f"h({self.value()}, {self.value()}, i)")
            + ";"
        )

    def program(self) -> tuple[str, str]:
        """Return the bodies of a function h(a, b, i) and of a kernel over x, o and i."""
        self.in_function = True
        function = f"{HEAD} a * q; unsigned c = a + b, d = a ^ b; {self.block(2, False)} "
        function += "return a + b * 3u + c + d * 7u + m[3] + g;"
        self.in_function = False
        kernel = f"{HEAD} q * i; unsigned a = x[i], b = x[i + 1], c = i, d = 5; "
        kernel += " ".join(self.statement(3, False) for _ in range(5))
        return function, kernel + " o[0] = a + b * 3u; o[1] = c ^ d; o[2] = m[0] + m[1] * 3u + m[7]; o[3] = g;"


def by_the_host(function: str, kernel: str, x: np.ndarray, folder) -> np.ndarray:
    source = (
        f"static unsigned h(unsigned a, unsigned b, int i) {{ {function} }}\n"
        f"static void one(const unsigned *x, unsigned *o, int i) {{ {kernel} }}\n"
        f"void all(const unsigned *x, unsigned *y) {{ for (int i = 0; i < {THREADS}; i++) one(x, y + i * 4, i); }}\n"
    )
    (folder / "program.c").write_text(source)
    command = [
        COMPILER,
        "-O1",
        "-w",
        "-fwrapv",
        "-shared",
        "-fPIC",
        "-o",
        str(folder / "program.so"),
        str(folder / "program.c"),
    ]
    subprocess.run(command, check=True)
    result = np.zeros((THREADS, 4), np.uint32)
    ctypes.CDLL(str(folder / "program.so")).all(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(result.ctypes.data))
    return result


@pytest.mark.skipif(COMPILER is None, reason="no C compiler to compare with")
@pytest.mark.parametrize("seed", range(COUNT))
def test_random_program(seed, tmp_path):
    function, kernel = Writer(seed).program()
    x = np.random.default_rng(seed).integers(0, 60, THREADS + 1).astype(np.uint32)
    expected = by_the_host(function, kernel, x, tmp_path)
    source = (
        f"__device__ __noinline__ unsigned h(unsigned a, unsigned b, int i) {{ {function} }}\n"
        'extern "C" __global__ void k(const unsigned *x, unsigned *y) {\n'
        f"int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned *o = y + i * 4; {kernel} }}"
    )
    for arch in ("sm_75", "sm_120"):
        result = np.zeros((THREADS, 4), np.uint32)
        Loaded(compile_cuda(source, f"--gpu-architecture={arch}")).launch("k", 2, THREADS // 2, x, result)
        np.testing.assert_array_equal(result, expected, err_msg=f"{arch}\n{source}")
