# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run the programs of some modules with both compilers, and all without brief code."""

from __future__ import annotations

import pytest
from support.both_compilers import compiler, run_with_both

__all__ = ["compiler", "pytest_generate_tests"]

pytest_generate_tests = run_with_both(
    "test_cuda_clusters",
    "test_cuda_curand",
    "test_cuda_groups",
    "test_cuda_half_functions",
    "test_cuda_headers",
    "test_cuda_intrinsics",
    "test_cuda_language",
    "test_cuda_launches",
    "test_cuda_math",
    "test_cuda_math_exact",
    "test_cuda_primitives",
    "test_cuda_scale_factors",
    "test_cuda_small_floats",
    "test_cuda_tiny_floats",
    "test_cuda_wmma",
)


@pytest.fixture(autouse=True)
def _usual_code(monkeypatch):
    """The tests of cuda.core and the examples run brief code."""
    monkeypatch.setattr("cuda.cpu.compile.jit.most_threads", lambda program, name: 0)
