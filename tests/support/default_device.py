# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Tensors where the kernels run: on the GPU with --driver=nvidia, else on the CPU."""

import pytest


@pytest.fixture(autouse=True)
def _default_device(on_gpu):
    if not on_gpu:
        yield
        return
    import torch

    torch.set_default_device("cuda")
    yield
    torch.set_default_device(None)
