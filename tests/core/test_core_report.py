# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.core` reports on the environment, whatever is missing."""

import os
import subprocess
import sys


def report(**environment):
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)} | environment
    done = subprocess.run(
        [sys.executable, "-m", "cuda.core"], env=variables, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if not line.startswith("device "))


def test_report(device):
    facts = report()
    assert facts["cuda.core"] == "1.2.2"
    assert "CUDA" in facts["driver"]
    assert facts["CUDA_PYTHON_DRIVER"] == os.environ["CUDA_PYTHON_DRIVER"]
    assert {"python", "system", "numpy", "nvrtc", "nvjitlink"} <= set(facts)


def test_report_without_a_driver():
    facts = report(CUDA_PYTHON_DRIVER="/nowhere/libcuda.so.1")
    assert facts["driver"].startswith("not available: CUDA_PYTHON_DRIVER='/nowhere/libcuda.so.1' cannot be opened")
    assert facts["devices"].startswith("not available: ")
