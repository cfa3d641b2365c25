# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVVM IR that llvmlite writes, compiled by libNVVM through cuda.core."""

import pytest
from support import programs

pytestmark = [pytest.mark.cpu_only, pytest.mark.needs_nvvm]


def test_ten_programs():
    pytest.importorskip("llvmlite.ir", reason="llvmlite is not installed: pip install llvmlite")
    done = programs.run("nvvm_kernels.py", interpreter="")
    assert programs.right(done) == [
        "saxpy", "shared_memory", "loops", "atomics", "warps", "math_functions", "half_precision", "functions",
        "switches", "wide_integers",
    ]  # fmt: skip
    assert "on CPU device" in done.stdout
