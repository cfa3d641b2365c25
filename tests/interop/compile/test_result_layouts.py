# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The back-end of torch.compile: results have the strides of eager mode, whatever those of the operands are."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional

from cuda.interop.torch import backend  # noqa: E402


@pytest.fixture(autouse=True)
def _fresh():
    torch.manual_seed(0)
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def values(*shape):
    return torch.rand(*shape) * 0.8 + 0.1


OPERANDS = {
    "transposed": lambda: (values(6, 4).T, values(4, 6)),
    "second transposed": lambda: (values(4, 6), values(6, 4).T),
    "permuted": lambda: (values(2, 3, 4).permute(2, 0, 1), values(4, 2, 1)),
    "row": lambda: (values(6), values(6, 4).T),
    "channels last": lambda: (values(2, 3, 4, 5).contiguous(memory_format=torch.channels_last), values(2, 3, 4, 5)),
    "every second": lambda: (values(4, 12)[:, ::2], values(6, 4).T),
    "expanded": lambda: (values(4, 1).expand(4, 6), values(6, 4).T),
    "empty": lambda: (values(0, 4).T, values(4, 0)),
}
FUNCTIONS = {
    "xlogy": torch.xlogy,
    "xlog1py": torch.special.xlog1py,
    "heaviside": torch.heaviside,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    "swiglu": lambda x, y: F.silu(x) * y,
    "logsigmoid": lambda x, y: F.logsigmoid(x),
}


def strides(tensor):
    """Return the strides that matter: of axes with several elements, if there are any elements."""
    return [each for each, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1 and tensor.numel()]


def assert_same(function, *operands, dynamic):
    expected, found = function(*operands), torch.compile(function, backend=backend, dynamic=dynamic)(*operands)
    torch.testing.assert_close(found, expected)
    assert strides(found) == strides(expected)


@pytest.mark.parametrize("operands", OPERANDS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_strides_are_those_of_eager(function, operands):
    assert_same(FUNCTIONS[function], *OPERANDS[operands](), dynamic=False)


@pytest.mark.parametrize("function", ["xlogy", "logsigmoid", "logaddexp"])
def test_strides_for_any_sizes(function):
    for operands in ("transposed", "permuted", "row"):
        torch._dynamo.reset()
        assert_same(FUNCTIONS[function], *OPERANDS[operands](), dynamic=True)


def test_losses():
    def loss(x, y):
        return F.binary_cross_entropy(x, y, reduction="none")

    for operands in ("transposed", "second transposed"):
        torch._dynamo.reset()
        assert_same(loss, *OPERANDS[operands](), dynamic=False)
    assert_same(F.binary_cross_entropy, *OPERANDS["transposed"](), dynamic=False)


@pytest.mark.parametrize("name", ["huber_loss", "smooth_l1_loss", "mse_loss", "l1_loss", "hinge_embedding_loss"])
def test_losses_of_operands_that_are_broadcast(name):
    def loss(x, y):
        return getattr(F, name)(x, y, reduction="none")

    for operands in ("row", "expanded", "permuted"):
        torch._dynamo.reset()
        assert_same(loss, *OPERANDS[operands](), dynamic=False)


def test_gradients_of_a_loss_of_a_broadcast_row():
    operands = [each.detach().requires_grad_() for each in OPERANDS["row"]()]
    for reduction in ("none", "mean"):
        results = [
            torch.autograd.grad(call(*operands, reduction=reduction).sum(), operands)
            for call in (F.huber_loss, torch.compile(F.huber_loss, backend=backend))
        ]
        torch.testing.assert_close(results[1], results[0])


@pytest.mark.parametrize("function", ["xlogy", "logsigmoid", "logaddexp"])
def test_gradients(function):
    operands = [each.requires_grad_() for each in OPERANDS["transposed"]()]
    used = operands[: 1 if function == "logsigmoid" else 2]
    results = []
    for call in (FUNCTIONS[function], torch.compile(FUNCTIONS[function], backend=backend)):
        results.append(torch.autograd.grad(call(*operands).square().sum(), used))
    torch.testing.assert_close(results[1], results[0])
