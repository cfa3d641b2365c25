# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""tinygrad on the CPU device: with DEV=CUDA it compiles by NVRTC and opens libcuda itself."""

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("tinygrad_programs.py")
PEER = os.environ.get("CUDA_CPU_PEER", "")

pytestmark = pytest.mark.cpu_only


def has_tinygrad(python: str) -> bool:
    return subprocess.run([python, "-c", "import tinygrad"], capture_output=True).returncode == 0


@pytest.mark.skipif(not PEER or not has_tinygrad(PEER), reason="set CUDA_CPU_PEER to a Python with tinygrad")
def test_ten_programs(tmp_path):
    command = [sys.executable, "-m", "cuda.cpu", "run", "--python", PEER, str(PROGRAM)]
    variables = os.environ | {"DEV": "CUDA", "CACHEDB": str(tmp_path / "tinygrad.db")}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    right = [line.removesuffix(" is right") for line in done.stdout.splitlines() if line.endswith(" is right")]
    assert right == [
        "elementwise", "reductions", "matmul", "half_precision", "softmax_and_attention", "convolution", "gradients",
        "jit", "indexing", "training",
    ]  # fmt: skip
    assert done.stdout.endswith("on CUDA\n")
