# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The gate on the code generator: what it makes of ten kernels of the benchmarks, compared with a committed file.

An intended change needs a new file: python tests/perf/test_perf_code_gate.py
"""

import pathlib
import sys

import pytest

from cuda.perf import __main__ as command
from cuda.perf import files

pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc]

KERNELS = ("saxpy", "stencil3", "stencil7", "reduction", "dot", "transpose", "softmax", "matmul", "spmv", "scan_parts")
BASELINE = pathlib.Path(__file__).with_name("code_counts.jsonl")
SOURCE = pathlib.Path(__file__).parents[2] / "benchmarks/cpu_kernels/kernels.cu"


def count(path):
    chosen = [option for kernel in KERNELS for option in ("--kernel", kernel)]
    return command.main(["code", str(SOURCE), *chosen, "--reproducible", "--json", str(path)])


def test_the_code_of_ten_kernels_is_that_of_the_committed_file(tmp_path, capsys):
    pytest.importorskip("scipy", reason="the extra `perf` is not installed")
    assert count(tmp_path / "new.jsonl") == 0
    compilers = [files.read(path).environment.compiler for path in (BASELINE, tmp_path / "new.jsonl")]
    if compilers[0] != compilers[1]:
        pytest.skip(f"the file has counts of {compilers[0]}; this is {compilers[1]}, which compiles to other PTX")
    code = command.main(["compare", str(BASELINE), str(tmp_path / "new.jsonl"), "--counters-only"])
    assert code == 0, capsys.readouterr().out
    assert (tmp_path / "new.jsonl").read_text() == BASELINE.read_text()


if __name__ == "__main__":
    sys.exit(count(BASELINE))
