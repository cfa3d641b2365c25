# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random kernels of Tile IR against NumPy; `python -m ci.random_tile_kernels` runs more, also by the assembler."""

import pytest
from support.random_tile_ir import differences

pytestmark = [pytest.mark.cpu_only, pytest.mark.usefixtures("context")]


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_kernels(first):
    assert {seed: found for seed in range(first, first + 20) if (found := differences(seed))} == {}
