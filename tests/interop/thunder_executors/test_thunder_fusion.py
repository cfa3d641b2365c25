# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The fusion executor of Lightning Thunder: values, gradients and kernels beside eager PyTorch."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip(
    "cuda.interop.thunder",
    reason="Lightning Thunder, or a PyTorch that it works with, is missing",
    exc_type=ImportError,
)
import thunder  # noqa: E402
from support.transformer_blocks import TOLERANCES, block  # noqa: E402

from cuda.interop.thunder import fused_kernels, fusion_executor  # noqa: E402
from cuda.interop.torch import _fused_kernel  # noqa: E402

F = torch.nn.functional
pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.timeout(300)]


def compiled(function):
    return thunder.jit(function, executors=[fusion_executor])


def kernels(function):
    """Return the kernels of the last call, forward and backward."""
    traces = (thunder.last_traces(function), thunder.last_backward_traces(function))
    return [fused_kernels(each[-1]) if each else [] for each in traces]


def assert_same(function, fused, inputs, parameters=(), **tolerance):
    wanted = [each for each in (*inputs, *parameters) if each.requires_grad]
    results = []
    for each in (function, fused):
        value = each(*inputs)
        weights = torch.cos(torch.arange(value.numel())).reshape(value.shape).to(value.dtype)
        results.append([value.detach(), *torch.autograd.grad((value * weights).sum(), wanted)])
    for expected, found in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, **tolerance)


def tensor(*shape, dtype=torch.float32):
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, requires_grad=True)


CHAINS = {
    "gelu": lambda x: F.gelu(x) * torch.sigmoid(x) + F.gelu(x, approximate="tanh"),
    "softmax": lambda x: torch.softmax(x * 3, -1),
    "log_softmax": lambda x: torch.log_softmax(x, -1),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "rms_norm": lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6),
    "where": lambda x: torch.where(x > 0.5, x, -1.0) * torch.where(x < 0, x * x, x),
    "numbers_on_the_left": lambda x: (1.5 - x) * (2 / (x * x + 1)),
    "extrema": lambda x: torch.maximum(x, torch.tanh(x)) - x.amax(-1, keepdim=True) + x.amin(-1, keepdim=True),
    "reduced_axis_is_dropped": lambda x: torch.exp(x - x.amax(-1, keepdim=True)).sum(-1),
    "powers": lambda x: x**2 + x**3 + (x * x + 1) ** 0.5,
    "cast": lambda x: (x.double() * 2).exp().float() + x,
    "variance": lambda x: x / (x.var(-1, keepdim=True) + 1).sqrt(),
}


BACKWARD = {"extrema": 3, "reduced_axis_is_dropped": 2}  # kernels, if it is not one


@pytest.mark.parametrize("name", CHAINS)
def test_chains_are_one_kernel(name):
    fused = compiled(CHAINS[name])
    assert_same(CHAINS[name], fused, [tensor(4, 3, 37)], atol=2e-6, rtol=1e-4)
    assert [len(each) for each in kernels(fused)] == [1, BACKWARD.get(name, 1)]


def test_broadcasts_of_any_axes():
    def function(x, column, row, one):
        return torch.tanh(x * column + row) * one

    fused = compiled(function)
    assert_same(function, fused, [tensor(4, 3, 7), tensor(3, 1), tensor(7), tensor(1)], atol=1e-5, rtol=1e-5)
    assert len(kernels(fused)[0]) == 1


@pytest.mark.parametrize("strides", ["transposed", "expanded", "sliced"])
def test_inputs_of_any_strides(strides):
    x = tensor(6, 5, 10)
    given = {"transposed": x.transpose(0, 2), "expanded": x[:1].expand(4, 5, 10), "sliced": x[:, ::2, 1::3]}[strides]

    def function(x):
        return torch.softmax(x * 2 + 1, -1)

    fused = compiled(function)
    fused(x)
    assert torch.allclose(fused(given), function(given), atol=1e-6)


def test_gelu_is_the_same_kernel_for_all_sizes():
    fused = compiled(lambda x: F.gelu(x) * 1.25)
    fused(tensor(3, 5))
    count = len(_fused_kernel._kernels)
    assert torch.allclose(fused(tensor(7, 11)), F.gelu(tensor(7, 11)) * 1.25, atol=1e-6)
    assert len(_fused_kernel._kernels) == count


def test_thunder_checks_the_shapes_of_groups():
    from thunder.dev_utils.check_trace import check_trace

    fused = compiled(lambda x: (torch.softmax(x, -1), x.sum(-1)))
    fused(tensor(3, 5))
    assert kernels(fused)[0]
    check_trace(thunder.last_traces(fused)[-1])


def test_lines_of_the_trace_are_comments():
    fused = compiled(CHAINS["softmax"])
    fused(tensor(4, 8))
    trace = str(thunder.last_traces(fused)[-1])
    comments = [line.split("  // ")[1] for line in kernels(fused)[0][0].source.splitlines() if "  // " in line]
    assert comments
    assert all(each in trace for each in comments)
    assert any("prims.amax" in each for each in comments)


def test_backward_recomputes_rather_than_saves():
    fused = compiled(lambda x: F.gelu(torch.sin(x)) * 2)
    fused(tensor(4, 8))
    saved = thunder.last_traces(fused)[-1].output[1][0]
    assert [each.name for each in saved] == ["x"]


def test_other_operations_stay_of_pytorch():
    def function(x, y):
        return torch.cumsum(torch.exp(x) * 2, 0) @ y

    fused = compiled(function)
    x, y = tensor(4, 8).detach(), tensor(8, 3).detach()
    assert torch.allclose(fused(x, y), function(x, y), rtol=1e-5)
    text = str(thunder.last_traces(fused)[-1])
    assert "cuda_fusion0" in text
    assert "torch.cumsum" in text
    assert "torch.matmul" in text


def test_integers_and_no_elements():
    def function(x):
        return torch.where(x > 2, x + 1, x * 2)

    fused = compiled(function)
    for x in (torch.arange(6).reshape(2, 3), torch.zeros(0, 3), torch.tensor(3.0)):
        torch.testing.assert_close(fused(x), function(x))


# Kernels forward and backward, as docs/thunder.md states them
KERNELS = {"nanoGPT": (5, 10), "Llama": (7, 11), "BERT": (4, 11)}


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("name", KERNELS)
def test_blocks_of_transformers(name, dtype):
    made, inputs = block(name, dtype)
    fused = compiled(made)
    most = TOLERANCES[dtype]
    assert_same(made, fused, inputs, list(made.parameters()), atol=most, rtol=most)
    if dtype == torch.float32:
        assert tuple(len(each) for each in kernels(fused)) == KERNELS[name]
        assert "torch.sum(" not in str(thunder.last_backward_traces(fused)[-1])  # gradients of biases and weights
