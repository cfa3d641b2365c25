# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Code of mathematical functions compiled by clang: what kernels of one function consist of."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("scipy", reason="scipy is not installed")

from ci.sweep_float_functions import FUNCTIONS, OF_TWO
from cuda.core import Program, ProgramOptions
from cuda.core._program._clang import _find

if not _find.is_installed():
    pytest.skip("clang is not installed: pip install ziglang", allow_module_level=True)

# With branches for rare or separate ranges of arguments; all others are straight code.
BRANCHES = {"sin", "cos", "tan", "erfinv", "erfcinv", "normcdfinv", "lgamma", "tgamma", "cyl_bessel_i0",
            "cyl_bessel_i1", "j0", "j1", "y0", "y1"}  # fmt: skip


def ptx_of(expression: str) -> str:
    text = f"__global__ void k(const float *x, const float *y, float *out) {{ *out = {expression}; }}"
    options = ProgramOptions(compiler="clang", arch="sm_80")
    return Program(text, "c++", options).compile("ptx").code.decode()


def test_float_functions_do_not_compute_in_double_precision():
    for first in range(0, len(FUNCTIONS), 12):
        calls = [f"{name}f(*x{', *y' if name in OF_TWO else ''})" for name in sorted(FUNCTIONS)[first : first + 12]]
        assert ".f64" not in ptx_of(" + ".join(calls)), calls
    assert ".f64" in ptx_of("jnf(3, *x)")


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - BRANCHES))
def test_special_cases_are_selected(name):
    ptx = ptx_of(f"{name}f(*x{', *y' if name in OF_TWO else ''})")
    assert not re.search(r"\bbra\b", ptx)
