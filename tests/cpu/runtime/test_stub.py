# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The stub of the native runtime's bindings has the module's names and signatures."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]
# What Cython adds; the signature of __cinit__ is not visible.
CYTHON = (
    "_cython__ is not present in stub",
    ".__test__ is not present in stub",
    "write stubs for __new__ instead of __init__.",
)


def test_stub_matches_the_module():
    pytest.importorskip("mypy")
    options = ["--concise", "--ignore-disjoint-bases", "--mypy-config-file", str(ROOT / "pyproject.toml")]
    command = [sys.executable, "-m", "mypy.stubtest", *options, "cuda.cpu.runtime._runtime"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.endswith(CYTHON)] == [], done.stderr
    assert lines  # it did compare
