# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of nanoGPT, Llama and BERT through the back-end of torch.compile, beside eager PyTorch."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from support.transformer_blocks import block  # noqa: E402

from cuda.interop.torch import backend  # noqa: E402

# Kernels forward and backward; BERT's attention is products and a softmax
KERNELS = {
    "nanoGPT": (3, 7),
    "Llama": (3, 4),
    "Llama, shared keys": (3, 4),
    "BERT": (4, 8),
    "BERT, one attention": (3, 7),
}


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.mark.parametrize("name", KERNELS)
def test_values_gradients_and_kernels(name, on_gpu):
    made, inputs = block(name)
    graphs = []
    compiled = torch.compile(made, backend=backend, fullgraph=True, options={"report": graphs.append})
    wanted = [inputs[0], *made.parameters()]
    results = []
    for each in (made, compiled):
        value = each(*inputs)
        weights = torch.cos(torch.arange(value.numel())).reshape(value.shape)
        results.append([value.detach(), *torch.autograd.grad((value * weights).sum(), wanted)])
    for expected, found in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, atol=2e-5, rtol=2e-5)
    if not on_gpu:  # there, PyTorch's attention is other operations
        assert tuple(len(each.kernels) for each in graphs) == KERNELS[name]
