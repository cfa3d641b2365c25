# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Outcomes of tests on a GPU are recorded at once (ci/gpu/record.py), and results that PTX leaves open are printed."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

GPU = pathlib.Path(__file__).parents[2] / "ci/gpu"
TESTS = """
import os
import pytest

def test_passes(): pass

@pytest.mark.parametrize("number", [1, 2])
def test_fails(number): assert number == 0, "x" * 9000

@pytest.mark.skip(reason="of no use")
def test_is_skipped(): pass

def test_ends_the_process(): os._exit(3)
"""


@pytest.fixture
def record(tmp_path):
    """Return what is recorded of tests the last of which ends the process."""
    (tmp_path / "test_some.py").write_text(TESTS)
    path = tmp_path / "some.jsonl"
    environment = os.environ | {"PYTHONPATH": str(GPU), "GPU_RECORD": str(path)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "record", "-p", "no:cacheprovider", "test_some.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 3
    return path


def test_outcomes_are_there_after_a_crash(record):
    found = [json.loads(line) for line in record.read_text().splitlines()]
    assert [(each["id"].partition("::")[2], each["outcome"]) for each in found] == [
        ("test_passes", "passed"), ("test_fails[1]", "failed"), ("test_fails[2]", "failed"),
        ("test_is_skipped", "skipped"),
    ]  # fmt: skip
    assert len(found[1]["text"]) < 5000
    assert "def test_fails" in found[1]["text"]


def test_failures_are_grouped(record):
    done = subprocess.run([sys.executable, GPU / "record.py", record], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("2\n    AssertionError: xxx")
    assert done.stdout.endswith("test_some.py::test_fails[1]\n    test_some.py::test_fails[2]\n")


@pytest.mark.cpu_only
def test_what_ptx_leaves_open_is_printed():
    pytest.importorskip("llvmlite", reason="the CPU device's compiler is not installed")
    environment = os.environ | {"CUDA_PYTHON_DRIVER": "cpu"}
    done = subprocess.run([sys.executable, GPU / "observe.py"], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line for line in lines if "Error" in line or "Skipped" in line] == []
    assert f"rem.u16 by 0 {[65535] * 32}" in lines
    assert "load of a tensor: (9, 32) (8, 4) (1, 1) (0, 1) as expected" in lines
