# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run tests with texture and surface functions with both compilers."""

from __future__ import annotations

from support.both_compilers import compiler, run_with_both

__all__ = ["compiler", "pytest_generate_tests"]

pytest_generate_tests = run_with_both("test_texture", "test_texture_blocks", "test_texture_bptc")
