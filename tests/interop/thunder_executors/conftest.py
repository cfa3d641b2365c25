# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How the operator executor's kernels load."""

import pytest


@pytest.fixture
def loads(request, monkeypatch):
    """Let kernels load "elements", as they do on the CPU device, or "16 bytes", as on a GPU."""
    from cuda.interop.thunder import _source

    if request.param == "16 bytes":
        monkeypatch.delitem(_source.LOAD_BYTES, "cpu")
