# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The data of a case, which are the same in every process."""

from __future__ import annotations

import numpy as np

from benchmarks.cpu_kernels.cases import Case


def arrays_of(case: Case) -> dict[str, np.ndarray]:
    arrays = case.arrays(np.random.default_rng(seed=4))
    reset(case, arrays)
    return arrays


def reset(case: Case, arrays: dict[str, np.ndarray]) -> None:
    """Set the result arrays to their initial values."""
    fresh = case.arrays(np.random.default_rng(seed=4))
    for name in case.results:
        arrays[name][:] = 0 if case.starts_at == "zero" else fresh[name]
