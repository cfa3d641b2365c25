# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Programs of the public interface as its documentation shows it print the same with NVIDIA's packages and with ours.

Both run on the CPU device. Those of cuda.bindings use no `runtime`: NVIDIA's has its libcudart inside, which asks for
NVIDIA's own driver.
"""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent / "documented"
PROGRAMS = sorted(path.name for path in FOLDER.glob("*_*.py") if path.name != "driver_kernels.py")
PEER = os.environ.get("CUDA_CPU_PEER")

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvrtc, pytest.mark.needs_nvjitlink, pytest.mark.needs_nvvm]


def printed(*command):
    path = os.pathsep.join(path for path in sys.path if path)
    variables = os.environ | {"PYTHONPATH": path, "CUDA_CPU_DEVICES": "2", "CUDA_PYTHON_DRIVER": "cpu"}
    done = subprocess.run([sys.executable, *command], env=variables, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_forty():
    assert len(PROGRAMS) >= 40


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_print_the_same(name):
    program = str(FOLDER / name)
    ours = printed(program)
    assert ours
    if PEER is None:
        pytest.skip("ours ran; to compare, set CUDA_CPU_PEER to a Python with NVIDIA's cuda-core and cuda-bindings")
    assert ours == printed("-m", "cuda.cpu", "run", "--python", PEER, program)
