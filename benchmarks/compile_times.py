# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Time compilations to PTX by clang and by NVRTC: python -m benchmarks.compile_times

The programs are the kernels of the examples, and three small ones. Each is compiled in a process of its own per
compiler, with empty caches: the first compilation, which loads the compiler or precompiles headers, and the median of
the next ones. CPU times, with those of child processes, since other work would change the others.
"""

from __future__ import annotations

import ast
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.tables import machine

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"
COMPILERS = ("nvrtc", "clang")
COUNT = 7
SMALL = {
    "saxpy": "__global__ void k(float a, const float *x, float *y, int n) {"
             " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }",
    "reduction": "__global__ void k(const float *x, float *out) { __shared__ float s[256]; int t = threadIdx.x;"
                 " s[t] = x[blockIdx.x * 256 + t]; __syncthreads();"
                 " for (int d = 128; d; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }"
                 " if (t == 0) atomicAdd(out, s[0]); }",
    "gelu": "__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
            " if (i < n) x[i] = 0.5f * x[i] * (1 + tanhf(0.79788456f * (x[i] + 0.044715f * x[i] * x[i] * x[i]))); }",
}  # fmt: skip


def programs() -> Iterator[tuple[str, str]]:
    """Yield the names and texts: of the examples, the literals that contain kernels."""
    yield from SMALL.items()
    for path in sorted(EXAMPLES.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "__global__" in node.value:
                yield f"{path.stem}, line {node.lineno}", node.value


def spent() -> float:
    """Return the CPU time of this process and of its children in milliseconds."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return 1000 * sum(each.ru_utime + each.ru_stime for each in used)


def compile_here(text: str, compiler: str) -> None:
    """Compile a program several times, and print the times."""
    from cuda.core import Program, ProgramOptions

    options = ProgramOptions(compiler=compiler, arch="sm_80", std="c++17")
    for _ in range(COUNT):
        before = spent()
        Program(text, "c++", options).compile("ptx")
        print(spent() - before)


def times(text: str, compiler: str) -> tuple[float, float] | None:
    """Return the time of the first compilation of a process, and the median of the next ones; None if it fails."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"XDG_CACHE_HOME": cache, "CUDA_PYTHON_DRIVER": "cpu"}
        command = [sys.executable, "-m", "benchmarks.compile_times", compiler]
        done = subprocess.run(command, input=text, capture_output=True, text=True, env=environment)
    if done.returncode:
        return None
    found = [float(line) for line in done.stdout.split()]
    return found[0], statistics.median(found[2:])


def main() -> None:
    if len(sys.argv) == 2:
        return compile_here(sys.stdin.read(), sys.argv[1])
    print(
        machine(),
        "\n\n| program | NVRTC, first | clang, first | NVRTC, median | clang, median |\n|---|---|---|---|---|",
    )
    firsts, medians = [], []
    for name, text in programs():
        nvrtc, clang = (times(text, compiler) for compiler in COMPILERS)
        if nvrtc and clang:
            firsts.append(clang[0] / nvrtc[0])
            medians.append(clang[1] / nvrtc[1])
            cells = (nvrtc[0], clang[0], nvrtc[1], clang[1])
            print(f"| {name} | {' | '.join(f'{cell:.0f} ms' for cell in cells)} |", flush=True)
    for kind, ratios in (("first", firsts), ("median", medians)):
        above = sum(ratio > 1 for ratio in ratios)
        print(f"\n{kind}: geometric mean {statistics.geometric_mean(ratios):.2f}, {above} of {len(ratios)} above 1.")
    return None


if __name__ == "__main__":
    main()
