# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The operator executor of Lightning Thunder: values and gradients beside eager PyTorch in double precision."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip(
    "cuda.interop.thunder",
    reason="Lightning Thunder, or a PyTorch that it works with, is missing",
    exc_type=ImportError,
)
import thunder  # noqa: E402
from executor_results import assert_as_in_double, calls, values  # noqa: E402
from support.transformer_blocks import TOLERANCES as BLOCK_TOLERANCES  # noqa: E402
from support.transformer_blocks import block  # noqa: E402

from cuda.interop.thunder import OperatorPatterns, fused_kernels, fusion_executor, operator_executor  # noqa: E402

F = torch.nn.functional
pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.timeout(300)]
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


def inputs_of(name, columns, dtype):
    torch.manual_seed(columns)
    shapes = [(6, columns), (columns,), (columns,)][: OPERATIONS[name][1]]
    return [torch.randn(*shape, dtype=dtype, requires_grad=True) for shape in shapes]


@pytest.mark.parametrize(
    ("loads", "dtype", "columns"),
    [
        ("elements", torch.float64, 37), ("elements", torch.float32, 64), ("elements", torch.float16, 70),
        ("16 bytes", torch.float32, 64), ("16 bytes", torch.float16, 64), ("16 bytes", torch.bfloat16, 328),
    ],
    ids=str, indirect=["loads"],
)  # fmt: skip
@pytest.mark.parametrize("name", OPERATIONS)
def test_values_and_gradients(name, loads, dtype, columns):
    operation = OPERATIONS[name][0]
    compiled = thunder.jit(operation, executors=[operator_executor])
    inputs = inputs_of(name, columns, dtype)
    assert_as_in_double(compiled, operation, inputs)
    assert [len(each) for each in calls(compiled)] == [1, 1]


@pytest.mark.parametrize("loads", ["16 bytes"], indirect=True)
def test_rows_that_are_not_aligned(loads):
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


# Calls of operators and fused kernels, forward and backward, as docs/thunder.md states them
CALLS = {
    "nanoGPT": ((4, 0), (4, 5)),
    "Llama": ((6, 0), (6, 1)),
    "Llama, shared keys": ((6, 0), (6, 0)),
    "BERT": ((4, 1), (4, 7)),
    "BERT, one attention": ((4, 0), (4, 5)),
}


@pytest.mark.parametrize("dtype", BLOCK_TOLERANCES, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_blocks_of_transformers_with_both(name, dtype):
    made, inputs = block(name, dtype)
    executors = [operator_executor, fusion_executor]
    compiled = thunder.jit(made, executors=executors, transforms=[OperatorPatterns()])
    wanted = [inputs[0], *made.parameters()]
    results = []
    for each in (made, compiled):
        value = each(*inputs)
        results.append([value.detach(), *torch.autograd.grad((value * value.detach().cos()).sum(), wanted)])
    most = BLOCK_TOLERANCES[dtype]
    for expected, found in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, atol=most, rtol=most)
    traces = (thunder.last_traces(compiled)[-1], thunder.last_backward_traces(compiled)[-1])
    operators = [sum("fusion" not in call for call in each) for each in calls(compiled)]
    fused = [len(fused_kernels(each)) for each in traces]
    if dtype == torch.float32:
        assert tuple(zip(operators, fused, strict=True)) == CALLS[name]


@pytest.mark.parametrize("executor", [operator_executor, fusion_executor], ids=lambda each: each.name)
def test_gelu_is_accurate_everywhere(executor):
    x = torch.linspace(-8, 8, 100_000)
    x[:5] = torch.tensor([math.inf, math.nan, 1e30, -1e30, 0.0])
    found = thunder.jit(torch.nn.functional.gelu, executors=[executor])(x)
    expected = torch.nn.functional.gelu(x.double()).float()
    torch.testing.assert_close(found, expected, rtol=4e-7, atol=1e-6, equal_nan=True)
