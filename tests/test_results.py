# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What benchmarks/RESULTS.md says of kernels and needs no clock."""

from __future__ import annotations

import pathlib
import re

import pytest
from support.compilers import compile_cuda

from benchmarks.cpu_kernels.__main__ import path_of
from benchmarks.cpu_kernels.cases import all_cases
from cuda.cpu.compile import jit
from cuda.cpu.ptx.program import build
from cuda.cpu.runtime import _runtime

ROOT = pathlib.Path(__file__).parent.parent
KERNELS = ROOT / "benchmarks/cpu_kernels"


@pytest.mark.cpu_only
def test_kernels_run_as_the_table_says(monkeypatch):
    for name in ("CUDA_CPU_PATH", "CUDA_CPU_WIDTH"):
        monkeypatch.delenv(name, raising=False)
    source = (KERNELS / "kernels.cu").read_text()
    program = build([compile_cuda(source, "--gpu-architecture=sm_90", f"--include-path={KERNELS}").decode()])
    compiled, expected = set(), {}
    for case in all_cases():
        notes = []
        for name, _grid, block, _arguments in case.launches:
            sizes = block if isinstance(block, tuple) else (block,)
            row = _runtime.lane_run((*sizes, 1, 1)[:3])
            if (name, row) not in compiled:
                compiled.add((name, row))
                notes += jit.kernel_text(program, name, row, quick=True).notes
        expected[case.name] = path_of("\n".join(f"cuda.cpu: {note}" for note in notes))
    results = (ROOT / "benchmarks/RESULTS.md").read_text()
    (table,) = re.findall(r"^\| kernel \|.*\| path \|\n((?:\|.*\n)+)", results, re.MULTILINE)
    rows = re.findall(r"^\| (.+?) \|.*\| (.*) \|$", table, re.MULTILINE)
    assert {name: path for name, path in rows if name in expected} == expected
