# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""numba-cuda-mlir, the successor of numba-cuda, on NVIDIA's packages and the CPU device."""

import pytest
from support import programs

pytestmark = [pytest.mark.cpu_only, programs.needs("numba_cuda_mlir.cuda", "numba-cuda-mlir[cu13]")]


def test_ten_programs():
    done = programs.run("numba_mlir_kernels.py")
    assert programs.right(done) == [
        "vector_add", "device_arrays_and_streams", "shared_memory", "reduction", "atomics", "warps", "device_functions",
        "game_of_life", "dynamic_shared_memory", "strided_arrays",
    ]  # fmt: skip
    assert "CPU device" in done.stdout
