# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Taichi on the CPU device: its own LLVM makes the PTX, and it opens libcuda itself."""

import pytest
from support import programs

pytestmark = [pytest.mark.cpu_only, programs.needs("taichi", "Taichi")]


def test_ten_programs():
    done = programs.run("taichi_kernels.py")
    assert programs.right(done) == [
        "fractal", "reductions", "sparse_fields", "gradients", "arrays_of_numpy", "shared_memory", "sorting",
        "structs_and_templates", "small_matrices", "bounds",
    ]  # fmt: skip
    assert done.stdout.endswith("on Arch.cuda\n")
    assert "CUDA Error" not in done.stdout + done.stderr  # its destructors still use the device when Python has ended
