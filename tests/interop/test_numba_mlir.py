# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""numba-cuda-mlir, the successor of numba-cuda, on NVIDIA's packages and the CPU device."""

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("numba_mlir_kernels.py")
PEER = os.environ.get("CUDA_CPU_PEER", "")

pytestmark = pytest.mark.cpu_only


def has_numba_mlir(python: str) -> bool:
    return subprocess.run([python, "-c", "import numba_cuda_mlir.cuda"], capture_output=True).returncode == 0


@pytest.mark.skipif(
    not PEER or not has_numba_mlir(PEER), reason="set CUDA_CPU_PEER to a Python with numba-cuda-mlir[cu13]"
)
def test_ten_programs():
    command = [sys.executable, "-m", "cuda.cpu", "run", "--python", PEER, str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    right = [line.removesuffix(" is right") for line in done.stdout.splitlines() if line.endswith(" is right")]
    assert right == [
        "vector_add", "device_arrays_and_streams", "shared_memory", "reduction", "atomics", "warps", "device_functions",
        "game_of_life", "dynamic_shared_memory", "strided_arrays",
    ]  # fmt: skip
    assert "CPU device" in done.stdout
