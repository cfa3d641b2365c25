# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The back-end of torch.compile: values, gradients and kernels of what it fuses, beside eager PyTorch."""

import math
import tomllib
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional

from cuda.interop.torch import _fused_kernel, backend  # noqa: E402


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


def assert_same(function, *inputs, dynamic=None, **tolerance):
    """Compare values and gradients with eager; return the graphs."""
    compiled, graphs = fused(function, dynamic)
    wanted = [each for each in inputs if isinstance(each, torch.Tensor) and each.requires_grad]
    results = []
    for each in (function, compiled):
        value = each(*inputs)
        weights = torch.cos(torch.arange(value.numel(), dtype=value.dtype)).reshape(value.shape)
        results.append([value.detach(), *torch.autograd.grad((value * weights).sum(), wanted)])
    for expected, found in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, **tolerance)
    return graphs


def tensor(*shape, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype, requires_grad=True)


def kernels(graphs):
    return [len(each.kernels) for each in graphs]


def gelu_chain(x):
    return F.gelu(x) * torch.sigmoid(x) + F.gelu(x, approximate="tanh")


def rms_norm(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


def swiglu(x, gate):
    return F.silu(gate) * x


CASES = {
    "gelu": (gelu_chain, lambda d: (tensor(33, 70, dtype=d),)),
    "softmax": (lambda x: torch.softmax(x * 2, -1), lambda d: (tensor(5, 3, 45, dtype=d),)),
    "log_softmax": (lambda x: torch.log_softmax(x, -1), lambda d: (tensor(9, 130, dtype=d),)),
    "layer_norm": (
        lambda x, w, b: F.layer_norm(x, (x.shape[-1],), w, b),
        lambda d: (tensor(4, 5, 67, dtype=d), tensor(67, dtype=d), tensor(67, dtype=d)),
    ),
    "rms_norm": (rms_norm, lambda d: (tensor(6, 7, 40, dtype=d), tensor(40, dtype=d))),
    "swiglu": (swiglu, lambda d: (tensor(6, 31, dtype=d), tensor(6, 31, dtype=d))),
}
TOLERANCE = {
    torch.float32: {"rtol": 2e-5, "atol": 2e-5},
    torch.float64: {"rtol": 1e-10, "atol": 1e-12},
    torch.bfloat16: {"rtol": 4e-2, "atol": 4e-2},
    torch.float16: {"rtol": 5e-3, "atol": 1e-2},
}


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_eager(name, dtype):
    function, inputs = CASES[name]
    given = inputs(dtype)
    graphs = assert_same(function, *given, **TOLERANCE[dtype])
    has_weight = any(each.ndim == 1 for each in given)  # whose gradient is a sum of columns, a kernel apart
    assert kernels(graphs) == [1, 2 if has_weight else 1]


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy(reduction):
    target = torch.randint(0, 50, (12,))
    target[3] = -100
    graphs = assert_same(lambda x: F.cross_entropy(x, target, reduction=reduction), tensor(12, 50))
    assert "aten.gather.default" not in [name for each in graphs for name in each.eager]


ROW_REDUCTIONS = {
    "sum": lambda x: (x * x).sum(-1),
    "amax": lambda x: (x * x).amax(-1),
    "amin": lambda x: (x * x).amin(-1),
    "mean": lambda x: (x * x).mean(-1),
}
FULL_REDUCTIONS = {
    "sum": lambda x: (x * x).sum(),
    "all dimensions": lambda x: (x * x).sum((0, 1, 2)),
    "mean": lambda x: (x * x).mean(),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", ROW_REDUCTIONS)
def test_reductions_that_drop_the_last_dimension(name, dtype):
    compiled, graphs = fused(ROW_REDUCTIONS[name])
    x = torch.randn(5, 7, 100, dtype=dtype)
    torch.testing.assert_close(
        compiled(x), ROW_REDUCTIONS[name](x), rtol=2e-2 if dtype == torch.bfloat16 else 1e-5, atol=1e-5
    )
    assert kernels(graphs) == [1]
    assert set(graphs[0].eager) <= {"aten.squeeze.dim", "aten.squeeze.dims", "aten.view.default"}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", FULL_REDUCTIONS)
def test_full_reductions(name, dtype):
    """A kernel multiplies and adds rows; PyTorch adds their sums."""
    compiled, graphs = fused(FULL_REDUCTIONS[name])
    x = torch.randn(5, 7, 100, dtype=dtype)
    torch.testing.assert_close(
        compiled(x), FULL_REDUCTIONS[name](x), rtol=1e-2 if dtype == torch.bfloat16 else 1e-5, atol=1e-5
    )
    assert kernels(graphs) == [1]
    assert "aten.mul.Tensor" not in graphs[0].eager


def test_operands_are_broadcast_and_strided():
    mask = torch.ones(6, 6, dtype=torch.bool).tril()

    def function(x, bias, column):
        scores = torch.where(mask, x.transpose(-1, -2) * column + bias, -torch.inf)
        return torch.softmax(scores.contiguous(), -1)

    assert_same(function, tensor(2, 3, 6, 6), tensor(3, 1, 1), tensor(6, 1))


OF_EAGER_RESULTS = {
    "elements": lambda a, b: torch.remainder(a, b),
    "rows": lambda a, b: torch.softmax(torch.div(a, b, rounding_mode="floor") * 0.1, -1) * a,
    "columns": lambda a, b: (torch.div(a, b, rounding_mode="floor") * b).sum(0) * a.sum(0),
}


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", OF_EAGER_RESULTS)
def test_kernels_read_results_of_eager_operations_by_their_own_strides(name, dynamic):
    """Those of the fake results, which are traced, are others with dynamic sizes."""
    a, b = tensor(6, 5).detach().t().requires_grad_(), tensor(5, 6)
    graphs = assert_same(OF_EAGER_RESULTS[name], a, b, dynamic=dynamic, rtol=1e-5, atol=1e-5)
    assert "aten.div.Tensor_mode" in [each for graph in graphs for each in graph.eager]


def test_integers_casts_and_comparisons():
    def function(x, n):
        return torch.where((n > 2) & (x < 1), x.to(torch.float64) * n, n - 1).to(torch.float32)

    graphs = assert_same(function, tensor(5, 8), torch.randint(0, 5, (5, 8)))
    assert graphs[0].eager == []


def test_nan_and_infinity_pass_through():
    x = torch.tensor([[1.0, math.nan, 2.0], [math.inf, 1.0, 0.0], [-math.inf, 3.0, 1.0]])

    def function(x):
        return torch.maximum(x, x.amax(-1, keepdim=True) - 1) + torch.relu(x)

    torch.testing.assert_close(fused(function)[0](x), function(x), equal_nan=True)


@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (1, 1), (1, 300), (300, 1)])
def test_small_and_empty_shapes(shape):
    def function(x):
        return (x * 2 - x.sum(-1, keepdim=True)).exp()

    x = torch.randn(shape)
    torch.testing.assert_close(fused(function)[0](x), function(x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("correction", [0, 1, 3])
@pytest.mark.parametrize("rows", [0, 1, 2])
def test_variances_of_few_elements(rows, correction):
    def function(x):
        return torch.std_mean(x, 0, correction=correction)

    x = torch.randn(rows, 3)
    torch.testing.assert_close(fused(function)[0](x), function(x), equal_nan=True)


def test_dynamic_sizes_compile_once():
    compiled, graphs = fused(lambda x, w: torch.softmax(rms_norm(x, w), -1), dynamic=True)
    for rows, columns in ((3, 7), (50, 33), (8, 200)):
        x, w = torch.randn(rows, columns), torch.randn(columns)
        torch.testing.assert_close(compiled(x, w), torch.softmax(rms_norm(x, w), -1), rtol=2e-5, atol=2e-5)
    assert kernels(graphs) == [1]


def test_columns_beyond_the_range_of_int(monkeypatch):
    generated = []
    generate = _fused_kernel.generate
    monkeypatch.setattr(_fused_kernel, "generate", lambda *args: generated.append(args[1:]) or generate(*args))
    monkeypatch.setattr(_fused_kernel, "MOST_COLUMNS", 99)
    compiled, graphs = fused(lambda x: torch.softmax(x, -1), dynamic=True)
    for columns, type_ in ((99, "int"), (100, "long long"), (101, "long long")):
        monkeypatch.setattr(_fused_kernel, "_kernels", {})
        x = torch.randn(4, columns)
        torch.testing.assert_close(compiled(x), torch.softmax(x, -1))
        (source,) = _fused_kernel._kernels
        assert f" {type_} start = 0;" in source
    assert generated == [(), ("long long",)]
    assert kernels(graphs) == [1]


def test_the_source_has_the_lines_of_the_graph():
    compiled, graphs = fused(lambda x: torch.softmax(x, -1))
    compiled(torch.randn(4, 8))
    source = graphs[0].kernels[0].source
    assert "// float32[4, 1] aten.amax.default(" in source
    assert source.count("__shfl_xor_sync") == 2


class Block(torch.nn.Module):
    """A block of a transformer, as nanoGPT has it."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm, self.norm_2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.projection = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def attention(self, x):
        batch, length, width = x.shape
        q, k, v = (each.view(batch, length, self.heads, -1).transpose(1, 2) for each in self.qkv(x).split(width, 2))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
        mask = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1)
        return self.projection((weights @ v).transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attention(self.norm(x))
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


@pytest.mark.parametrize("dynamic", [False, True])
def test_block_of_a_transformer(dynamic):
    """Forward: norm, mask, softmax, sum and norm, gelu. Backward: the same without the mask, and sums of columns."""
    block = Block(32, 4)
    compiled, graphs = fused(block, dynamic)
    x = torch.randn(2, 10, 32)
    results = []
    for each in (block, compiled):
        block.zero_grad()
        value = each(x)
        value.square().mean().backward()
        results.append([value.detach(), *(p.grad.clone() for p in block.parameters())])
    for expected, found in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert kernels(graphs) == [5, 7]
    compiled(torch.randn(3, 12, 32))
    assert len(graphs) == (2 if dynamic else 3)  # without dynamic sizes a second forward graph


@pytest.mark.parametrize("causal", [False, True])
def test_attention_of_pytorch_has_its_gradients(causal):
    """Its operation for CPUs stays whole: taken apart, it lacks what its backward operation needs."""

    def function(q, k, v):
        return F.scaled_dot_product_attention(q * 2, k, v, is_causal=causal)

    assert_same(function, *(tensor(1, 2, 6, 8) for _ in range(3)), rtol=1e-4, atol=1e-5)


def test_what_cannot_be_fused_stays_eager():
    graphs = assert_same(lambda x: torch.cumsum(x, 0).sort(-1).values, tensor(5, 6))
    assert kernels(graphs) == [0, 0]
    assert "aten.cumsum.default" in graphs[0].eager


def test_random_numbers_are_those_of_eager():
    def function(x):
        return F.dropout(x, 0.5) + torch.rand_like(x)

    x = torch.randn(20, 20)
    torch.manual_seed(1)
    expected = function(x)
    torch.manual_seed(1)
    torch.testing.assert_close(fused(function)[0](x), expected)


def test_inputs_that_change():
    def function(x):
        x.mul_(2).add_(1)
        return x.exp()

    x, y = torch.ones(3, 4), torch.ones(3, 4)
    torch.testing.assert_close(fused(function)[0](x), function(y))
    torch.testing.assert_close(x, y)


def test_an_unknown_option_is_named():
    with pytest.raises(Exception, match="options has 'reports', must be 'report'"):
        torch.compile(lambda x: x + 1, backend=backend, options={"reports": 1})(torch.ones(2))


def test_an_error_is_of_the_fused_operations():
    compiled, graphs = fused(lambda x, y: x * y + 1)
    compiled(torch.ones(2, 2), torch.ones(2, 2))
    with pytest.raises(ValueError, match=r"^fused operations: a tensor on meta"):
        graphs[0].kernels[0](torch.ones(2, 2), torch.ones(2, 2, device="meta"))


def test_the_entry_point_is_the_back_end():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["torch_dynamo_backends"] == {"cuda_core": "cuda.interop.torch:backend"}


@pytest.mark.parametrize(("function", "atol"), [(torch.exp, 1e-44), (torch.sigmoid, 1e-38)])
def test_the_exponential_is_accurate_everywhere(function, atol):
    x = torch.linspace(-104, 88.7, 100_000)
    x[:4] = torch.tensor([math.inf, -math.inf, math.nan, 0])
    found = fused(lambda x: function(x) * 1.0)[0](x.reshape(100, -1)).flatten()
    torch.testing.assert_close(found, function(x.double()).float(), rtol=4e-7, atol=atol, equal_nan=True)
