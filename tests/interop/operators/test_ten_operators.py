# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Ten operators pass PyTorch's checks: schema, gradients, aot_eager, Inductor, dynamic shapes, vmap, export."""

import shutil

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from ten_operators import TEN  # noqa: E402

pytestmark = pytest.mark.needs_nvrtc
NAMES = pytest.mark.parametrize("name", TEN)


def prepared(name, dtype=torch.float32):
    """Return operator, function to compare with its reference, the reference, and inputs."""
    torch.manual_seed(1)
    made, part, reference, makers = TEN[name]
    return made, (lambda *args: part(made(*args))) if part else made, reference, [each(dtype) for each in makers]


def with_gradient(inputs):
    return [each for each in inputs if each.requires_grad]


@NAMES
def test_values_and_gradients_of_the_reference(name):
    _, call, reference, inputs = prepared(name)
    found, expected = call(*inputs), reference(*inputs)
    torch.testing.assert_close(found, expected)
    weights = torch.randn_like(expected)
    torch.testing.assert_close(
        torch.autograd.grad(found, with_gradient(inputs), weights),
        torch.autograd.grad(expected, with_gradient(inputs), weights),
        rtol=1e-4,
        atol=1e-5,
    )


@NAMES
def test_gradcheck(name):
    _, call, _, inputs = prepared(name, torch.float64)
    assert torch.autograd.gradcheck(call, inputs)


@NAMES
def test_opcheck(name):
    made, _, _, inputs = prepared(name)
    assert set(torch.library.opcheck(made.overload, tuple(inputs)).values()) == {"SUCCESS"}


@pytest.mark.cpu_only
@NAMES
def test_memcheck(name):
    made, _call, _, inputs = prepared(name)
    found, plain = made.checked(*inputs), made(*inputs)
    torch.testing.assert_close(found, plain)


@NAMES
def test_vmap(name):
    _, call, reference, inputs = prepared(name)
    batch = [torch.stack([each.detach()] * 3) + (0 if each.dtype == torch.int64 else 0.1) for each in inputs]
    torch.testing.assert_close(torch.vmap(call)(*batch), torch.vmap(reference)(*batch), rtol=1e-4, atol=1e-5)
    only = (0,) + (None,) * (len(inputs) - 1)
    rest = [each.detach() for each in inputs[1:]]
    torch.testing.assert_close(
        torch.vmap(call, in_dims=only)(batch[0], *rest), torch.vmap(reference, in_dims=only)(batch[0], *rest),
        rtol=1e-4, atol=1e-5,
    )  # fmt: skip


@NAMES
def test_export_with_dynamic_shapes(name):
    _, call, reference, inputs = prepared(name)
    plain = [each.detach() for each in inputs]

    class Program(torch.nn.Module):
        def forward(self, *args):
            return call(*args)

    rows = torch.export.Dim("rows", min=2)
    shared = name in ("swiglu", "mix", "cross_entropy")  # all inputs have the rows of the first
    shapes = tuple({0: rows} if index == 0 or shared else None for index in range(len(plain)))
    program = torch.export.export(Program(), tuple(plain), dynamic_shapes=(shapes,))
    assert f"open_cuda_ten.{name}" in program.graph_module.code
    more = [torch.cat([each, each]) if shape else each for each, shape in zip(plain, shapes, strict=True)]
    torch.testing.assert_close(program.module()(*more), reference(*more), rtol=1e-4, atol=1e-5)


@NAMES
@pytest.mark.parametrize("dynamic", [False, True])
def test_aot_eager(name, dynamic):
    _, call, reference, inputs = prepared(name)
    torch._dynamo.reset()  # it limits the compilations of a function, here of Operator.__call__
    compiled = torch.compile(call, backend="aot_eager", fullgraph=True, dynamic=dynamic)
    found, expected = compiled(*inputs), reference(*inputs)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(
        torch.autograd.grad(found.square().sum(), with_gradient(inputs)),
        torch.autograd.grad(expected.square().sum(), with_gradient(inputs)),
        rtol=1e-4,
        atol=1e-4,
    )


@pytest.mark.timeout(300)
@pytest.mark.skipif(shutil.which("g++") is None, reason="Inductor compiles by g++")
def test_inductor():
    """All ten in one function, since each compilation takes seconds."""
    calls, references, inputs = zip(*(prepared(name)[1:] for name in TEN), strict=True)

    def together(functions, arguments):
        return sum(function(*each).square().sum() for function, each in zip(functions, arguments, strict=True))

    compiled = torch.compile(lambda arguments: together(calls, arguments), fullgraph=True, dynamic=True)
    for _ in range(2):
        leaves = [each for given in inputs for each in with_gradient(given)]
        found, expected = compiled(inputs), together(references, inputs)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(
            torch.autograd.grad(found, leaves), torch.autograd.grad(expected, leaves), rtol=1e-3, atol=1e-4
        )
        inputs = [prepared(name)[3] for name in TEN]
