# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Taichi on the CPU device: its own LLVM makes the PTX, and it opens libcuda itself."""

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("taichi_kernels.py")
PEER = os.environ.get("CUDA_CPU_PEER", "")

pytestmark = pytest.mark.cpu_only


def has_taichi(python: str) -> bool:
    return subprocess.run([python, "-c", "import taichi"], capture_output=True).returncode == 0


@pytest.mark.skipif(not PEER or not has_taichi(PEER), reason="set CUDA_CPU_PEER to a Python with Taichi")
def test_taichi_s_cuda_backend():
    command = [sys.executable, "-m", "cuda.cpu", "run", "--python", PEER, str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    right = [line.removesuffix(" is right") for line in done.stdout.splitlines() if line.endswith(" is right")]
    programs = ["fractal", "reductions", "sparse_fields", "gradients", "arrays_of_numpy", "shared_memory", "sorting"]
    assert right == [*programs, "bounds"]
    assert done.stdout.endswith("on Arch.cuda\n")
    assert "CUDA Error" not in done.stdout + done.stderr  # its destructors still use the device when Python has ended
