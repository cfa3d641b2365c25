# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""tinygrad on the CPU device: with DEV=CUDA it compiles by NVRTC and opens libcuda itself."""

import pytest
from support import programs

pytestmark = [pytest.mark.cpu_only, programs.needs("tinygrad", "tinygrad")]


def test_ten_programs(tmp_path):
    done = programs.run("tinygrad_programs.py", variables={"DEV": "CUDA", "CACHEDB": str(tmp_path / "tinygrad.db")})
    assert programs.right(done) == [
        "elementwise", "reductions", "matmul", "half_precision", "softmax_and_attention", "convolution", "gradients",
        "jit", "indexing", "training",
    ]  # fmt: skip
    assert done.stdout.endswith("on CUDA\n")
