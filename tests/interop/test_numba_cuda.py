# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""numba-cuda on the CPU device: on our packages, by the stand-ins of compat/, and on NVIDIA's own."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
PROGRAMS = {
    "numba_cuda_kernels": [
        "vector_add", "reduction", "shared_memory", "monte_carlo_pi", "universal_functions", "dynamic_shared_memory",
        "atomics", "warps", "cooperative_groups", "functions_in_cuda_cpp", "errors",
    ],
    "numba_cuda_features": [
        "laplace", "game_of_life", "sessions", "streams_and_memory", "arrays", "arithmetic", "foreign_functions",
        "threads", "a_cache_of_several_processes",
        "source_lines",
    ],
}  # fmt: skip
PEER = os.environ.get("CUDA_CPU_PEER", "")

pytestmark = pytest.mark.cpu_only


def run(*command: str) -> str:
    variables = os.environ | {"NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS": "0", "CUDA_PYTHON_DRIVER": "cpu"}
    variables["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(said: str, program: str) -> None:
    right = [line.removesuffix(" is right") for line in said.splitlines() if line.endswith(" is right")]
    assert right == PROGRAMS[program]
    assert "CPU device" in said


@pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed (see docs, Beside NVIDIA's)"
)
@pytest.mark.parametrize("program", PROGRAMS)
def test_on_our_packages(program):
    check(run(sys.executable, "-m", "cuda.cpu", "run", str(HERE / f"{program}.py")), program)


def has_numba(python: str) -> bool:
    return subprocess.run([python, "-c", "import numba_cuda"], capture_output=True).returncode == 0


@pytest.mark.skipif(
    not PEER or not has_numba(PEER), reason="set CUDA_CPU_PEER to a Python with NVIDIA's cuda-core and numba-cuda"
)
@pytest.mark.parametrize("program", PROGRAMS)
def test_on_nvidia_s_packages(program):
    check(run(sys.executable, "-m", "cuda.cpu", "run", "--python", PEER, str(HERE / f"{program}.py")), program)
