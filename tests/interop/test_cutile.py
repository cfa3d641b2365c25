# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""cuTile Python on the CPU device, by our own compiler and by tileiras: it opens libcuda itself."""

import re

import pytest
from support import programs

PROGRAM = programs.FOLDER / "cutile_kernels.py"

pytestmark = [
    pytest.mark.cpu_only,
    programs.needs("cuda.tile", "cuda-tile, nvidia-cuda-tileiras and cuda-core"),
]


def run(tmp_path, *arguments, options=(), compiler="auto"):
    """Run a program without cubins and machine code of earlier runs."""
    tmp_path = tmp_path / compiler
    variables = {"CUDA_TILE_CACHE_DIR": str(tmp_path / "tile"), "CUDA_CPU_CACHE": str(tmp_path / "cpu")}
    return programs.run(*arguments, options=options, variables=variables | {"CUDA_CPU_TILE": compiler})


@pytest.mark.parametrize("compiler", ["own", "assembler"])
def test_ten_programs(tmp_path, compiler):
    done = run(tmp_path, PROGRAM, options=("--capability", "8.9"), compiler=compiler)
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
    assert "matmul is right" in run(tmp_path, PROGRAM, "matmul").stdout  # our compiler has no tensor maps
    assert run(tmp_path, PROGRAM, "vector_add", compiler="assembler").returncode == 0  # has none
    done = run(tmp_path, PROGRAM, "matmul", compiler="assembler")
    assert done.returncode == 1
    assert "set CUDA_CPU_CAPABILITY=8.9" in done.stderr
    without = PROGRAM.read_text().replace("padding_mode=ZERO)", "padding_mode=ZERO, allow_tma=False)")
    (tmp_path / "without.py").write_text(without.replace("(i, j), total)", "(i, j), total, allow_tma=False)"))
    assert "matmul is right" in run(tmp_path, tmp_path / "without.py", "matmul", compiler="assembler").stdout


UNSUPPORTED = """
import cutile_kernels, numpy as np, cuda.tile as ct
@ct.kernel
def shown(x, out, TILE: ct.Constant[int]):
    value = ct.load(x, (0,), (TILE,))
    ct.store(out, (0,), ct.add(value, 0, rounding_mode=ct.RoundingMode.RZ))
out = np.zeros(64, np.float32)
cutile_kernels.run(shown, (1,), np.ones(64, np.float32), out, 64)
assert (out == 1).all()
"""


def test_what_is_not_supported_goes_to_the_assembler_by_name(tmp_path, monkeypatch):
    (tmp_path / "shown.py").write_text(UNSUPPORTED)
    monkeypatch.setenv("PYTHONPATH", str(PROGRAM.parent))
    monkeypatch.setenv("CUDA_CPU_LOG", "1")
    done = run(tmp_path, tmp_path / "shown.py", options=("--capability", "8.9"))
    assert done.returncode == 0, done.stderr
    assert re.search(r"Tile IR at byte \d+: addf: .*not supported; NVIDIA's assembler compiles it", done.stderr)
    assert run(tmp_path, tmp_path / "shown.py", compiler="own").returncode == 1


PRINTED = """
import cutile_kernels, numpy as np, cuda.tile as ct
@ct.kernel
def shown(x, out, TILE: ct.Constant[int]):
    value = ct.load(x, (0,), (TILE,))
    ct.printf("%f is the sum\\n", ct.sum(value))
    ct.assert_(value > 0, "it is positive")
    ct.store(out, (0,), value)
out = np.zeros(64, np.float32)
cutile_kernels.run(shown, (1,), np.ones(64, np.float32), out, 64)
assert (out == 1).all()
"""


@pytest.mark.parametrize("compiler", ["own", "assembler"])
def test_kernels_print_and_assert(tmp_path, monkeypatch, compiler):
    (tmp_path / "shown.py").write_text(PRINTED)
    monkeypatch.setenv("PYTHONPATH", str(PROGRAM.parent))
    done = run(tmp_path, tmp_path / "shown.py", compiler=compiler, options=("--capability", "8.9"))
    assert done.returncode == 0, done.stderr
    assert "64.000000 is the sum" in done.stdout
