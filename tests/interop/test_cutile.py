# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""cuTile Python on the CPU device: it compiles by tileiras, opens libcuda itself, and loads cubins of tile kernels."""

import re

import pytest
from support import programs

PROGRAM = programs.FOLDER / "cutile_kernels.py"

pytestmark = [
    pytest.mark.cpu_only,
    programs.needs("cuda.tile", "cuda-tile, nvidia-cuda-tileiras and cuda-core"),
]


def run(tmp_path, *arguments, options=()):
    """Run a program without cubins and machine code of earlier runs."""
    variables = {"CUDA_TILE_CACHE_DIR": str(tmp_path / "tile"), "CUDA_CPU_CACHE": str(tmp_path / "cpu")}
    return programs.run(*arguments, options=options, variables=variables)


def test_ten_programs(tmp_path):
    done = run(tmp_path, PROGRAM, options=("--capability", "8.9"))
    assert programs.right(done) == [
        "vector_add", "softmax", "matmul", "attention", "layer_norm", "transpose", "gather", "histogram",
        "cumulative_sum", "fourier",
    ]  # fmt: skip
    assert "CPU device" in done.stdout


FAULT = """
import cutile_kernels, numpy as np, cuda.tile as ct
@ct.kernel
def bad(x, out, TILE: ct.Constant[int]):
    i = ct.arange(TILE, dtype=ct.int32)
    value = ct.gather(x, i * 100_000_000, check_bounds=False)
    ct.scatter(out, i, value)
cutile_kernels.run(bad, (1,), np.zeros(64, np.float32), np.zeros(64, np.float32), 64)
"""


def test_a_fault_names_the_line_of_the_kernel(tmp_path, monkeypatch):
    (tmp_path / "fault.py").write_text(FAULT)
    monkeypatch.setenv("PYTHONPATH", str(PROGRAM.parent))
    done = run(tmp_path, tmp_path / "fault.py", options=("--check=memcheck", "--capability", "8.9"))
    assert done.returncode == 1
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in done.stderr
    assert re.search(r"device code +bad_\w+ at fault\.py:6", done.stderr)


def test_kernels_with_tensor_maps_are_refused_with_advice(tmp_path):
    """For 9.0, tileiras generates kernels whose parameters only NVIDIA's driver knows how to fill."""
    assert run(tmp_path, PROGRAM, "vector_add").returncode == 0  # has none
    done = run(tmp_path, PROGRAM, "matmul")
    assert done.returncode == 1
    assert "set CUDA_CPU_CAPABILITY=8.9" in done.stderr
    without = PROGRAM.read_text().replace("padding_mode=ZERO)", "padding_mode=ZERO, allow_tma=False)")
    (tmp_path / "without.py").write_text(without.replace("(i, j), total)", "(i, j), total, allow_tma=False)"))
    assert "matmul is right" in run(tmp_path, tmp_path / "without.py", "matmul").stdout
