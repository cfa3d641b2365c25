# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Invalid arguments for every function of the driver, the runtime API and NVML: each returns an error, none crashes.

For each function: all zeros, all ones, handles that are garbage or of another kind, structures of garbage, and
each argument wrong by itself. A failure inside of the Python half (CUDA_ERROR_UNKNOWN) counts as a crash, and so does
an accepted garbage handle. Addresses are NULL or of real memory: an unmapped one cannot be detected.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

import cuda.cpu
from cuda.cpu import nvml, runtime_api

pytest.importorskip("clang")

from support import call_plan

pytestmark = pytest.mark.cpu_only

TESTS = pathlib.Path(__file__).parents[2]
APIS = {
    "driver": (cuda.cpu.library_path(), "live_handles", 10_000),
    "runtime": (pathlib.Path(runtime_api.__file__).with_name("libcudart_cpu.so.13"), "live_runtime", 5_000),
    "nvml": (pathlib.Path(nvml.__file__).with_name("libnvidia-ml.so.1"), "live_devices", 5_000),
}


@pytest.mark.parametrize("api", APIS)
def test_wrong_arguments(api, tmp_path):
    library, live, least = APIS[api]
    folders = [str(TESTS / each) for each in (".", "cpu/nvml", "cpu/driver", "cpu/runtime_api")]
    folders += [path for path in sys.path if path]
    settings = os.environ | {
        "PYTHONPATH": os.pathsep.join(folders),
        "CUDA_CPU_MEMORY": "256M",
        "CUDA_CPU_DEVICES": "2",
    }
    done = subprocess.run(
        [sys.executable, TESTS / "support/wrong_calls.py", library, live],
        input=json.dumps(call_plan.plan(api)),
        capture_output=True, text=True, errors="replace", env=settings, cwd=tmp_path, timeout=300,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"the last call was {lines[-1:]}:\n{done.stderr[-3000:]}"
    assert [line for line in lines if line.startswith("!")] == []
    assert int(lines[-1].removeprefix("= ")) > least
