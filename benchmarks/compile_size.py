# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""CPU time of a kernel's compilation by its size and by step: python -m benchmarks.compile_size

The kernels are generated: arithmetic with branches, and a long block of matrix products as Triton and cuTile emit them.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise

from benchmarks.cpu_kernels.latency import kernel_of
from cuda.cpu.compile import jit
from cuda.cpu.ptx.program import build

SIZES = (100, 1000, 5000, 20_000)
COLUMNS = ("PTX", "LLVM IR", "LLVM's parser", "passes", "machine code")


def products(size: int) -> str:
    """Return PTX of a kernel with about `size` instructions: `ldmatrix`, `mma.sync` on 8 accumulators, addresses."""
    lines = [
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {",
        ".reg .b32 %r<99>; .reg .b64 %d<9>; .reg .f32 %f<99>; .shared .align 128 .b8 tile[16384];",
        "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, tile; add.s32 %r4, %r3, %r2;",
        *(f"mov.f32 %f{number}, 0f00000000;" for number in range(32)),
    ]
    for number in range(size // 4):
        sums = ", ".join(f"%f{number % 8 * 4 + part}" for part in range(4))
        lines += [
            f"xor.b32 %r5, %r4, {number % 64 * 16};",
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r5];",
            f"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{%r14, %r15}}, [%r5+{number % 8 * 512}];",
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
            f" {{{sums}}}, {{%r10, %r11, %r12, %r13}}, {{%r14, %r15}}, {{{sums}}};",
        ]
    lines += ["mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;"]
    lines += [f"st.global.f32 [%d3+{128 * number}], %f{number};" for number in range(32)]
    return "\n".join([*lines, "ret; }"])


def steps(text: str, level: int) -> list[float]:
    """Compile a kernel at a level; return the seconds of CPU time of each step."""
    llvm, machine, times = jit._llvm(), jit._target_machine(level), [time.process_time()]
    program = build([text])
    times.append(time.process_time())
    ir = jit.kernel_text(program, "k", quick=level == jit.QUICK).text
    times.append(time.process_time())
    module = llvm.parse_assembly(ir)
    module.verify()
    times.append(time.process_time())
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    if level == jit.QUICK:
        jit._tidy(module, machine)
    else:
        jit._optimise(module, machine, level)
    times.append(time.process_time())
    jit._choose_scheduler(ir, level)
    machine.emit_object(module)
    times.append(time.process_time())
    return [after - before for before, after in pairwise(times)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--levels", type=int, nargs="+", default=(jit.QUICK, jit.BEST), choices=range(4))
    options = parser.parse_args()
    print(f"| kernel | level | instructions | {' | '.join(COLUMNS)} | together |")
    print("|---" * (len(COLUMNS) + 4) + "|")
    for name, kernel in (("arithmetic", kernel_of), ("matrix products", products)):
        steps(kernel(100), 0)  # imports
        for level in options.levels:
            for size in options.sizes:
                times = steps(kernel(size), level)
                row = " | ".join(f"{1e3 * each:.1f}" for each in (*times, sum(times)))
                print(f"| {name} | {level} | {size} | {row} |", flush=True)


if __name__ == "__main__":
    main()
