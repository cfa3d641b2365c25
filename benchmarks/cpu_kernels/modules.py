# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Large modules: the time of loading them, and of compiling one kernel of many at its launch."""

from __future__ import annotations

import os
import tempfile
import time

COUNT = 2000  # number of unused variables, and of unused functions

CUB = """
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
extern "C" __global__ void sort_scan(unsigned *keys, int *sums) {
  using Sort = cub::BlockRadixSort<unsigned, 128, 8>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ union { Sort::TempStorage sort; Scan::TempStorage scan; } s;
  unsigned k[8]; int v[8];
  keys += blockIdx.x * 1024 + threadIdx.x * 8;
  for (int i = 0; i < 8; i++) k[i] = keys[i];
  Sort(s.sort).Sort(k); __syncthreads();
  for (int i = 0; i < 8; i++) { v[i] = k[i] & 7; keys[i] = k[i]; }
  Scan(s.scan).InclusiveSum(v, v);
  if (threadIdx.x == 127) sums[blockIdx.x] = v[7];
}
extern "C" __global__ void sort_long(unsigned *keys) {
  using Sort = cub::BlockRadixSort<unsigned, 256, 15>;
  __shared__ Sort::TempStorage s; unsigned k[15];
  for (int i = 0; i < 15; i++) k[i] = keys[threadIdx.x * 15 + i];
  Sort(s).Sort(k);
  for (int i = 0; i < 15; i++) keys[threadIdx.x * 15 + i] = k[i];
}
"""


def wide() -> str:
    """Return PTX of one small kernel, with many variables and functions that it does not use."""
    variables = "".join(
        f".visible .global .align 4 .b8 g{i}[{4 * (i % 7 + 1)}] = {{1, 2, 3, 4}};\n" for i in range(COUNT)
    )
    functions = "".join(
        f".visible .func (.param .b32 r) f{i}(.param .b32 a) {{ .reg .b32 %r<6>; .reg .pred %p<2>; "
        f"ld.param.u32 %r1, [a]; mul.lo.s32 %r2, %r1, {i + 3}; add.s32 %r3, %r2, %r1; setp.gt.s32 %p1, %r3, 7; "
        "@%p1 bra L; xor.b32 %r3, %r3, %r2; L: st.param.b32 [r], %r3; ret; }\n"
        for i in range(COUNT)
    )
    kernel = (
        ".visible .entry k(.param .u64 p) { .reg .b64 %d<3>; .reg .b32 %r<3>; ld.param.u64 %d1, [p]; "
        "ld.global.u32 %r1, [g5]; st.global.u32 [%d1], %r1; ret; }\n"
    )
    return ".version 8.5\n.target sm_90\n.address_size 64\n" + variables + functions + kernel


def cub() -> list[str]:
    """Return the PTX of two kernels that sort with CUB."""
    from cuda.core import Device, Program, ProgramOptions
    from cuda.cpu.ptx.image.image import ptx_of

    options = ProgramOptions(arch=f"sm_{Device().arch}", std="c++17", use_bundled_headers=True)
    code = Program(CUB, "c++", options).compile("cubin").code
    assert isinstance(code, bytes)
    return ptx_of(code)


def module_times() -> dict[str, tuple[float, float | None]]:
    """Return seconds of CPU time to load each module, and to compile one kernel of it."""
    from cuda.cpu.compile import program

    found: dict[str, tuple[float, float | None]] = {}
    before = {name: os.environ.pop(name, None) for name in ("CUDA_CPU_CACHE", "CUDA_CPU_LEVEL")}
    with tempfile.TemporaryDirectory() as os.environ["CUDA_CPU_CACHE"]:
        first = program.load([wide()]).compile
        assert first is not None
        first("k")  # import what compiling needs
        cases = (
            (f"{COUNT:,} unused variables and {COUNT:,} unused functions", [wide() + "\n"], "k"),
            ("two kernels that sort by CUB", cub(), "sort_scan"),
        )
        for name, units, kernel in cases:
            size = sum(map(len, units)) // 1000
            start = time.process_time()
            code = program.load(units)
            found[f"load {name}, {size} KB of PTX, CPU time"] = (time.process_time() - start, None)
            start = time.process_time()
            assert code.compile is not None
            code.compile(kernel)
            found[f"compile one kernel of these, {kernel}, CPU time"] = (time.process_time() - start, None)
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    return found
