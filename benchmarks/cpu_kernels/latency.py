# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The overhead of launches, and of the first launch of a kernel, which compiles it."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from benchmarks.cpu_kernels.modules import module_times
from benchmarks.tables import duration

if TYPE_CHECKING:
    from benchmarks.cpu_kernels.__main__ import Bench

SIZES = (100, 1000)  # instructions
LOOPED = 3  # the variant with a loop

# One process compiles three different kernels of each size with an empty cache; another process finds the entries.
# CPU time of one thread without waiting, which equals the elapsed time on an idle machine.
COMPILE = """
import sys, time
from cuda.cpu.compile import program
from cuda.cpu.compile import jit
from benchmarks.cpu_kernels.latency import kernel_of
for size in {sizes}:
    for variant in (1, 2, 3):
        code = program.load([kernel_of(size, variant)])
        start = time.process_time()
        code.compile("k", threads={threads})
        print(size, variant, time.process_time() - start, "llvmlite" in sys.modules)
"""

# One process launches two kernels for the first time and fills the cache; another process finds them. The CPU time
# includes the imports of the launches, so the kernels are passed in and not created by this module.
FIRST_LAUNCH = """
import sys, time
from cuda.core import Device, LaunchConfig, ObjectCode, launch
device = Device()
device.set_current()
stream, config = device.create_stream(), LaunchConfig(grid=1, block=32)
buffer = device.allocate(65536, stream=stream)
for text in sys.stdin.read().split("@@"):
    kernel = ObjectCode.from_ptx(text.encode()).get_kernel("k")
    stream.sync()
    before = time.process_time()
    launch(stream, config, kernel, buffer, buffer, 32)
    stream.sync()
    print(time.process_time() - before)
assert len(sys.argv) < 2 or "llvmlite" not in sys.modules, "a cached kernel needed llvmlite"
"""


def kernel_of(size: int, variant: int = 1) -> str:
    """Return PTX of a kernel with about `size` instructions: arithmetic, memory, one branch per 25 instructions.

    Variant 3 executes most of them in a loop.
    """
    lines = [
        ".version 8.5\n.target sm_90\n.address_size 64",
        ".visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n) {",
        ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .pred %p<3>;",
        "ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; ld.param.u32 %r1, [n];",
        f"mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.s32 %r2, %r3, {variant + 255}, %r2;",
        "setp.ge.u32 %p1, %r2, %r1; @%p1 bra END; mul.wide.u32 %d3, %r2, 4;",
        "add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;",
        "ld.global.f32 %f1, [%d4]; mov.f32 %f2, 0f3F800000; mov.u32 %r4, 1;",
        "mov.u32 %r7, 0; AGAIN:",
    ]
    group = [
        "fma.rn.f32 %f2, %f2, %f1, %f1;", "add.f32 %f3, %f2, %f1;", "mul.f32 %f4, %f3, %f2;", "add.s32 %r4, %r4, %r2;",
        "xor.b32 %r5, %r4, %r3;", "shl.b32 %r6, %r5, 2;", "and.b32 %r6, %r6, 1020;", "cvt.u64.u32 %d6, %r6;",
        "add.s64 %d6, %d1, %d6;", "ld.global.f32 %f5, [%d6];", "max.f32 %f2, %f5, %f4;", "cvt.rn.f32.s32 %f6, %r5;",
        "sub.f32 %f2, %f2, %f6;", "setp.gt.f32 %p2, %f2, %f1;", "selp.f32 %f1, %f2, %f1, %p2;",
        "ld.global.f32 %f7, [%d4+4];",
        "add.f32 %f2, %f2, %f7;", "mad.lo.s32 %r4, %r4, 3, %r5;", "shr.u32 %r5, %r4, 7;", "add.s32 %r4, %r5, %r4;",
        "st.global.f32 [%d5], %f2;", "setp.lt.s32 %p2, %r4, 9;", "@%p2 bra L{0};", "add.f32 %f2, %f2, 0f3F800000;",
        "L{0}: mul.f32 %f1, %f1, %f2;",
    ]  # fmt: skip
    lines += [" ".join(group).format(number) for number in range(size // len(group))]
    if variant == LOOPED:
        lines.append("add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, %r1; @%p2 bra AGAIN;")
    return "\n".join([*lines, "st.global.f32 [%d5], %f1;", "END: ret;\n}"])


def launch_times(bench: Bench) -> dict[str, tuple[float, float]]:
    """Return the median times of an empty launch with synchronisation, and of dependent launches."""
    from cuda.core import LaunchConfig, launch

    stream, empty, increment = (
        bench.stream,
        bench.code("kernels").get_kernel("empty"),
        bench.code("kernels").get_kernel("increment"),
    )
    one, buffer = LaunchConfig(grid=1, block=1), bench.device.allocate(4, stream=stream)

    def once() -> float:
        start = time.perf_counter()
        launch(stream, one, empty)
        stream.sync()
        return time.perf_counter() - start

    def thousand() -> float:
        start = time.perf_counter()
        for _ in range(1000):
            launch(stream, one, increment, buffer)
        stream.sync()
        return time.perf_counter() - start

    once()
    thousand()
    empty_median = statistics.median(once() for _ in range(2000))
    found = {"empty kernel, launch to end of sync": (empty_median, 15e-6)}
    found["1,000 dependent launches of one thread"] = (statistics.median(thousand() for _ in range(20)), 10e-3)
    buffer.close()
    return found


def compile_times() -> dict[str, tuple[float, float | None]]:
    """Return seconds of CPU time to translate and compile, and to load from the disk cache in a new process."""
    found: dict[str, tuple[float, float | None]] = {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        runs = _compile(folder), _compile(folder), _compile(other, threads=32)
    for (size, variant, seconds, _), (_, _, cached, imported), (*_, brief, _) in zip(*runs, strict=True):
        first, small = variant == 1, size == SIZES[0]
        if first and small:
            found["first compilation in a process, with llvmlite's import, CPU time"] = seconds, None
            found["first kernel from the disk cache in a process, CPU time"] = cached, 3e-3
        if not first:
            kernel = f"{size} instructions{' in a loop' * (variant == LOOPED)}, CPU time"
            found[f"translate and compile {kernel}"] = seconds, 0.06 if small else 0.4
            found[f"the same for a launch of 32 threads, {kernel}"] = brief, 0.02 if small else 0.15
            assert not imported, "a cached kernel needed llvmlite"
            found[f"the same from the disk cache, {kernel}"] = cached, 3e-3
    return found


def _compile(folder: str, threads: int | None = None) -> list[tuple[int, int, float, bool]]:
    """Compile kernels in a process with this disk cache; return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "CUDA_CPU_LEVEL"}
    command = [sys.executable, "-c", COMPILE.format(sizes=SIZES, threads=threads)]
    run = subprocess.run(
        command, env=environment | {"CUDA_CPU_CACHE": folder}, capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in run.stdout.splitlines()]
    return [(int(size), int(variant), float(time), llvm == "True") for size, variant, time, llvm in rows]


def first_launch_times() -> dict[str, tuple[float, float | None]]:
    """Return seconds of CPU time of first launches from the disk cache, including imports."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "CUDA_CPU_LEVEL"}
        environment |= {"CUDA_CPU_CACHE": folder, "CUDA_PYTHON_DRIVER": "cpu"}
        kernels = "@@".join(kernel_of(SIZES[0], variant) for variant in (1, 2))
        for arguments in ([], ["cached"], ["cached"]):
            command = [sys.executable, "-c", FIRST_LAUNCH, *arguments]
            run = subprocess.run(command, env=environment, input=kernels, capture_output=True, text=True, check=True)
            output = run.stdout
    first, second = map(float, output.split())
    return {
        "first launch in a process, from the disk cache, CPU time": (first, 3e-3),
        "first launch of a further kernel, from the disk cache, CPU time": (second, 3e-3),
    }


def latency_table(bench: Bench) -> None:
    print("\n| measurement | result | target |\n|---|---|---|")
    for name, (seconds, target) in (
        launch_times(bench) | compile_times() | first_launch_times() | module_times()
    ).items():
        print(f"| {name} | {duration(seconds)} | {duration(target) if target else ''} |", flush=True)
