# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The smoke test of wheels passes with the packages that are installed here."""

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", reason="kernels need llvmlite")
SMOKE = pathlib.Path(__file__).parents[2] / "ci/wheels/smoke.py"

pytestmark = pytest.mark.cpu_only


def test_all_modules_can_be_imported():
    done = subprocess.run([sys.executable, "-I", SMOKE], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    assert "modules, kernels ran" in done.stdout
