# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run the programs of some modules with both compilers."""

from __future__ import annotations

import pytest

BY_BOTH = (
    "test_cuda_clusters",
    "test_cuda_groups",
    "test_cuda_intrinsics",
    "test_cuda_language",
    "test_cuda_math",
    "test_cuda_math_exact",
)


def pytest_generate_tests(metafunc):
    if metafunc.module.__name__ in BY_BOTH:
        metafunc.parametrize("compiler", ["nvrtc", "clang"], indirect=True)


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
