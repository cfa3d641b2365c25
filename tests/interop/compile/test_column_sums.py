# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reductions of all rows by the back-end of torch.compile: gradients of biases and weights, sums of columns."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional

from cuda.interop.torch import backend  # noqa: E402

pytestmark = pytest.mark.needs_nvrtc


@pytest.fixture(autouse=True)
def _fresh():
    torch.manual_seed(0)
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def fused(function, dynamic=None):
    """Return a compiled function and the list of its graphs."""
    graphs = []
    return torch.compile(function, backend=backend, dynamic=dynamic, options={"report": graphs.append}), graphs


REDUCTIONS = {
    "sum": lambda x: (x * x).sum(0),
    "kept": lambda x: (x * 2 + 1).sum(0, keepdim=True),
    "amax": lambda x: (x * 3).amax(0),
    "amin": lambda x: torch.sin(x).amin(0),
    "mean": lambda x: (x * x).mean(0),
    "alone": lambda x: x.sum(0),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_of_columns(name):
    compiled, graphs = fused(REDUCTIONS[name], dynamic=False)
    x = torch.randn(31, 33)
    torch.testing.assert_close(compiled(x), REDUCTIONS[name](x), rtol=2e-5, atol=2e-5)
    assert [len(each.kernels) for each in graphs] == [1]
    assert not [each for each in graphs[0].eager if "sum" in each or "am" in each or "mul" in each]


def test_any_numbers_of_rows_and_columns():
    compiled, graphs = fused(REDUCTIONS["sum"], dynamic=True)
    for shape in ((2, 300), (1000, 5), (3000, 129), (64, 1), (1, 1)):
        x = torch.randn(shape)
        torch.testing.assert_close(compiled(x), REDUCTIONS["sum"](x), rtol=2e-5, atol=2e-4)
    assert all(len(each.kernels) == 1 for each in graphs)


def test_no_rows_and_no_columns():
    compiled, _ = fused(lambda x: (x * x).sum(0), dynamic=True)
    assert compiled(torch.ones(4, 7)).tolist() == [4.0] * 7
    assert compiled(torch.ones(0, 7)).tolist() == [0.0] * 7
    assert compiled(torch.ones(7, 0)).shape == (0,)


def test_several_axes_are_rows():
    compiled, graphs = fused(lambda x, y: (x * y).sum((0, 1, 2)))
    x, y = torch.randn(3, 4, 5, 6).transpose(0, 2), torch.randn(4, 1, 6)
    torch.testing.assert_close(compiled(x, y), (x * y).sum((0, 1, 2)), rtol=1e-5, atol=1e-5)
    assert len(graphs[0].kernels) == 1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_narrow_types_are_accumulated_in_float(dtype):
    """4096 ones: each type would stop far below that if it added them one by one."""
    compiled, _ = fused(lambda x: (x * 1).sum(0))
    assert compiled(torch.ones(4096, 3, dtype=dtype)).tolist() == [4096.0] * 3


def test_results_are_the_same_in_every_run():
    compiled, _ = fused(lambda x: (x * 1.1).sum(0))
    x = torch.randn(5000, 70)
    first = compiled(x)
    assert all(torch.equal(compiled(x), first) for _ in range(5))


def norm_of_linear(x, weight, bias, scale, shift):
    return F.gelu(F.layer_norm(F.linear(x, weight, bias), scale.shape, scale, shift))


def test_gradients_of_biases_and_weights_are_kernels():
    compiled, graphs = fused(norm_of_linear)
    shapes = [(3, 50, 20), (40, 20), (40,), (40,), (40,)]
    inputs = [torch.randn(*shape, requires_grad=True) for shape in shapes]
    results = []
    for each in (norm_of_linear, compiled):
        value = each(*inputs)
        weights = torch.cos(torch.arange(value.numel())).reshape(value.shape)
        results.append(torch.autograd.grad((value * weights).sum(), inputs))
    for found, expected in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    assert not [name for each in graphs for name in each.eager if "sum" in name]
    backward = graphs[1].kernels
    assert sorted(each.source.count("_parts[blockIdx.y") for each in backward) == [0, 1, 2]


def test_a_sum_that_rows_need_again():
    """As batch norm: the elements need the sums of their columns, so that there are two kernels around them."""

    def function(x):
        y = x * 2
        return torch.exp(y - y.sum(0) / y.shape[0]) * y

    compiled, graphs = fused(function)
    x = torch.randn(20, 30)
    torch.testing.assert_close(compiled(x), function(x))
    assert len(graphs[0].kernels) == 2


def test_sums_that_need_each_other_are_apart():
    def function(x):
        return ((x - x.sum(0)) * 2).sum(0)

    compiled, graphs = fused(function)
    x = torch.randn(6, 5)
    torch.testing.assert_close(compiled(x), function(x), rtol=1e-4, atol=1e-4)
    assert len(graphs[0].kernels) == 2


def test_elements_behind_reductions_of_rows():
    def function(x):
        return (torch.softmax(x, -1) * x).sum(0)

    compiled, _ = fused(function)
    x = torch.randn(200, 17)
    torch.testing.assert_close(compiled(x), function(x), rtol=1e-5, atol=1e-5)
