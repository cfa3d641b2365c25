# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest


@pytest.fixture
def like_hot_kernels(monkeypatch):
    """Compile at once as tier-up does, each kernel anew."""
    monkeypatch.setenv("CUDA_CPU_LEVEL", "1")
    monkeypatch.setenv("CUDA_CPU_CACHE", "0")
