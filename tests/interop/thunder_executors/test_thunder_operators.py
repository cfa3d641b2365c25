# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The operator executor of Lightning Thunder: values and gradients beside eager PyTorch in double precision."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip(
    "cuda.interop.thunder",
    reason="Lightning Thunder, or a PyTorch that it works with, is missing",
    exc_type=ImportError,
)
import thunder  # noqa: E402
from transformer_blocks import block  # noqa: E402

from cuda.interop.thunder import fused_kernels, fusion_executor, operator_executor  # noqa: E402

F = torch.nn.functional
pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.timeout(300)]
TOLERANCES = {torch.float64: 1e-10, torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}
TARGET = torch.tensor([3, 0, -100, 7, 2, 9])

# Name -> the operation of x, weight and bias, and how many of these it has
OPERATIONS = {
    "softmax": (lambda x: torch.softmax(x, -1), 1),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, w.shape, w, b), 3),
    "layer_norm_without_weight": (lambda x: F.layer_norm(x, x.shape[-1:]), 1),
    "rms_norm": (lambda x, w: F.rms_norm(x, w.shape, w, 1e-5), 2),
    "gelu": (F.gelu, 1),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), 1),
    "cross_entropy": (lambda x: F.cross_entropy(x, TARGET), 1),
    "cross_entropy_sum": (lambda x: F.cross_entropy(x, TARGET, reduction="sum"), 1),
    "cross_entropy_none": (lambda x: F.cross_entropy(x, TARGET, reduction="none"), 1),
}


def values(function, inputs):
    """Return the value and the gradients of a function, weighted by cosines."""
    value = function(*inputs)
    weights = torch.cos(torch.arange(value.numel())).reshape(value.shape).to(value.dtype)
    return [value.detach(), *torch.autograd.grad((value * weights).sum(), inputs)]


def inputs_of(name, columns, dtype):
    torch.manual_seed(columns)
    shapes = [(6, columns), (columns,), (columns,)][: OPERATIONS[name][1]]
    return [torch.randn(*shape, dtype=dtype, requires_grad=True) for shape in shapes]


def calls(function):
    """Return the calls of kernels in the traces, forward and backward."""
    traces = (thunder.last_traces(function)[-1], thunder.last_backward_traces(function)[-1])
    return [[line.sym.name for line in each.bound_symbols if "cuda_" in line.sym.name] for each in traces]


# 37 columns have loads of one element, 64 of 16 bytes
@pytest.mark.parametrize(
    ("dtype", "columns"),
    [(torch.float64, 37), (torch.float32, 37), (torch.float32, 64), (torch.float16, 64), (torch.bfloat16, 64)],
    ids=str,
)
@pytest.mark.parametrize("name", OPERATIONS)
def test_values_and_gradients(name, dtype, columns):
    operation = OPERATIONS[name][0]
    compiled = thunder.jit(operation, executors=[operator_executor])
    inputs = inputs_of(name, columns, dtype)
    wide = [each.detach().double().requires_grad_() for each in inputs]
    found = values(compiled, inputs)
    most = TOLERANCES[dtype]
    for part, expected in zip(found, values(operation, wide), strict=True):
        assert part.dtype == dtype
        torch.testing.assert_close(part.double(), expected, atol=most, rtol=most)
    assert [len(each) for each in calls(compiled)] == [1, 1]


def test_rows_that_are_not_aligned():
    compiled = thunder.jit(lambda x: torch.softmax(x, -1), executors=[operator_executor])
    memory = torch.randn(6 * 64 + 1)
    for x in (memory[1:].view(6, 64), memory[:-1].view(64, 6).T):
        torch.testing.assert_close(compiled(x), torch.softmax(x, -1))


@pytest.mark.parametrize("name", ["softmax", "layer_norm", "cross_entropy"])
def test_many_rows(name):
    operation = OPERATIONS[name][0]
    torch.manual_seed(0)
    target = torch.randint(0, 20, (5000,))
    function = (lambda x: F.cross_entropy(x, target)) if name == "cross_entropy" else operation
    inputs = [torch.randn(5000, 20, requires_grad=True), *inputs_of(name, 20, torch.float32)[1:]]
    found = values(thunder.jit(function, executors=[operator_executor]), inputs)
    for part, expected in zip(found, values(function, inputs), strict=True):
        torch.testing.assert_close(part, expected, atol=1e-4, rtol=1e-4)


def test_what_it_does_not_have_stays_of_pytorch():
    functions = [
        lambda x: torch.softmax(x, 0),
        lambda x: F.layer_norm(x, x.shape),
        lambda x: F.cross_entropy(x, TARGET, weight=torch.arange(12.0)),
    ]
    for function in functions:
        compiled = thunder.jit(function, executors=[operator_executor])
        x = torch.randn(6, 12, requires_grad=True)
        for part, expected in zip(values(compiled, [x]), values(function, [x]), strict=True):
            torch.testing.assert_close(part, expected, atol=1e-5, rtol=1e-5)
        assert calls(compiled) == [[], []]


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal, dtype):
    def function(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=0.3)

    compiled = thunder.jit(function, executors=[operator_executor])
    torch.manual_seed(0)
    inputs = [torch.randn(2, 3, n, d, dtype=dtype, requires_grad=True) for n, d in ((9, 8), (13, 8), (13, 6))]
    wide = [each.detach().double().requires_grad_() for each in inputs]
    most = TOLERANCES[dtype]
    for part, expected in zip(values(compiled, inputs), values(function, wide), strict=True):
        torch.testing.assert_close(part.double(), expected, atol=most, rtol=most)
    assert calls(compiled) == [["cuda_attention"], ["cuda_attention_backward"]]


def test_attention_with_a_mask_has_the_kernels_of_softmax():
    mask = torch.eye(6)
    compiled = thunder.jit(
        lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=mask), executors=[operator_executor]
    )
    x = torch.randn(1, 2, 6, 8, requires_grad=True)
    torch.testing.assert_close(compiled(x), F.scaled_dot_product_attention(x, x, x, attn_mask=mask))
    assert calls(compiled) == [["cuda_softmax"], ["cuda_softmax_backward"]]


def test_attention_of_views_of_more_keys_than_threads():
    def function(x):
        q, k, v = (each.unflatten(-1, (2, 8)).transpose(1, 2) for each in x.chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    compiled = thunder.jit(function, executors=[operator_executor])
    torch.manual_seed(0)
    x = torch.randn(2, 150, 48, requires_grad=True)
    for part, expected in zip(values(compiled, [x]), values(function, [x]), strict=True):
        torch.testing.assert_close(part, expected, atol=1e-5, rtol=1e-5)


# Calls of operators and fused kernels, forward and backward, as docs/thunder.md states them
CALLS = {"nanoGPT": ((4, 0), (4, 5)), "Llama": ((3, 3), (3, 5)), "BERT": ((4, 1), (4, 7))}


@pytest.mark.parametrize("name", CALLS)
def test_blocks_of_transformers_with_both(name):
    made, inputs = block(name)
    compiled = thunder.jit(made, executors=[operator_executor, fusion_executor])
    wanted = [inputs[0], *made.parameters()]
    results = []
    for each in (made, compiled):
        value = each(*inputs)
        results.append([value.detach(), *torch.autograd.grad((value * value.detach().cos()).sum(), wanted)])
    for expected, found in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    traces = (thunder.last_traces(compiled)[-1], thunder.last_backward_traces(compiled)[-1])
    operators = [sum("fusion" not in call for call in each) for each in calls(compiled)]
    fused = [len(fused_kernels(each)) for each in traces]
    assert tuple(zip(operators, fused, strict=True)) == CALLS[name]
