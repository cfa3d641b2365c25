# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Programs that Triton's own driver launches, without PyTorch, which it would ask for the GPU.

Its launcher, linked with our libcuda, loads the cubins of Triton's ptxas, which it makes with -lineinfo.
"""

import pytest
from support import programs

PROGRAMS = {
    "triton_kernels.py": ["elementwise", "matrices", "tensor_copies", "collectives", "atomics", "fused_attention"],
    "triton_tutorials.py": [
        "layer_norm", "dropout", "grouped_matrices", "persistent_matrices", "block_scaled_matrices",
    ],
}  # fmt: skip

pytestmark = [
    pytest.mark.cpu_only,
    pytest.mark.timeout(600),
    programs.needs("triton, ml_dtypes", "triton and ml_dtypes"),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program, tmp_path):
    done = programs.run(program, variables={"TRITON_CACHE_DIR": str(tmp_path)}, timeout=600)
    assert programs.right(done) == PROGRAMS[program]
    assert "CPU device" in done.stdout
