# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tests that run with NVRTC and with clang: a conftest.py imports `compiler` and names modules by `run_with_both`."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def compiler(request, monkeypatch):
    """Compile by one of the compilers; see `support.compilers.compile_cuda`."""
    if not hasattr(request, "param"):
        return None
    if request.param == "clang":
        from cuda.core._program._clang import _find

        if not _find.is_installed():
            pytest.skip("clang is not installed: pip install ziglang")
    monkeypatch.setenv("CUDA_PYTHON_COMPILER", request.param)
    return request.param


def run_with_both(*modules: str):
    """Return the hook that runs the tests of these modules with both compilers."""

    def pytest_generate_tests(metafunc):
        if metafunc.module.__name__ in modules:
            metafunc.parametrize("compiler", ["nvrtc", "clang"], indirect=True)

    return pytest_generate_tests
