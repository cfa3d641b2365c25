# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The fast path of operators: calls that were seen before run without the function, and give the same results."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import Tensor  # noqa: E402

from cuda.interop.torch import launch_kernel, operator  # noqa: E402

pytestmark = pytest.mark.needs_nvrtc

SOURCE = r"""
template <class T> __global__ void mix(const T *x, const T *y, T *z, double a, int negate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = (negate ? -1 : 1) * (a * x[i] + (y ? y[i] : 0) + (copysign(1., a) < 0 ? 100 : 0));
}
"""
calls = []


@operator("open_cuda_plans::mix", SOURCE, kernel="mix<{x}>", leading=("x", "y"))
def mix(x: Tensor, y: Tensor | None, a: float = 1.0, negate: bool = False) -> tuple[Tensor, Tensor]:
    calls.append(tuple(x.shape))
    work, z, copy = torch.empty_like(x), torch.empty_like(x), x.new_empty(x.numel(), dtype=x.dtype)
    blocks = (x.numel() + 63) // 64
    launch_kernel(blocks, 64, x, y, work, a, negate, x.numel())
    launch_kernel(blocks, 64, work, None, z, 1.0, False, x.numel())
    launch_kernel(blocks, 64, z, None, copy, 1.0, False, x.numel())
    return z, copy


@mix.gradient
def mix_gradient(grad_0, grad_1, a, negate):
    grad = (grad_0 + grad_1.reshape(grad_0.shape)) * (-1 if negate else 1)
    return a * grad, grad


@pytest.mark.cpu_only  # plans are for tensors on the CPU
def test_the_function_runs_once_for_each_kind_of_call():
    calls.clear()
    for _ in range(3):
        for size in (11, 12):
            x, y = torch.randn(size), torch.randn(size)
            for a, negate in ((2.0, False), (3.0, False), (2.0, True)):
                z, copy = mix(x, y, a, negate)
                torch.testing.assert_close(z, (a * x + y) * (-1 if negate else 1))
                assert torch.equal(z, copy)
                assert z.data_ptr() != copy.data_ptr()
    assert sorted(calls) == [(11,)] * 3 + [(12,)] * 3


def test_what_a_call_depends_on():
    x = torch.arange(6.0)
    for given in (x, x.double(), x.int(), x.reshape(2, 3), x.reshape(3, 2)):
        for _ in range(2):
            z, copy = mix(given, None)
            assert (z.dtype, z.shape, copy.shape) == (given.dtype, given.shape, (6,))
            assert torch.equal(z, given)
    for _ in range(2):
        assert mix(x, None, 0.0)[0].tolist() == [0.0] * 6
        assert mix(x, None, -0.0)[0].tolist() == [100.0] * 6


def test_layouts_that_are_copied_have_no_plan():
    x = torch.arange(12.0).reshape(3, 4)
    for _ in range(3):
        assert torch.equal(mix(x.T, None)[0], x.T)
        assert torch.equal(mix(x[:, 1:3], None)[0], x[:, 1:3])
        assert mix(x[:0], None)[0].shape == (0, 4)


def test_zero_tensors_have_no_memory():
    for x in (
        torch.ones(5),
        torch.ones(5),
        torch._efficientzerotensor((5,), device=torch.ones(5).device),
        torch.ones(5),
    ):
        assert torch.equal(mix(x, None, 2.0)[0], 2 * x + 0)


def test_other_values_of_the_same_kind():
    for value in range(5):
        x = torch.full((9,), float(value))
        assert mix(x, x)[0].tolist() == [2.0 * value] * 9


def test_parameters_of_modules(on_gpu):
    calls.clear()
    x, y = torch.ones(13), torch.nn.Parameter(torch.full((13,), 4.0))
    for _ in range(3):
        assert mix(x, y)[0].tolist() == [5.0] * 13
        with torch.no_grad():
            assert mix(x, y)[0].tolist() == [5.0] * 13
    assert on_gpu or calls == [(13,)]  # plans are for tensors on the CPU


def test_gradients_are_recorded():
    x, y = (torch.randn(7, requires_grad=True) for _ in range(2))
    for _ in range(3):
        z, _ = mix(x, y, 3.0)
        assert z.requires_grad
        assert [each.tolist() for each in torch.autograd.grad(z.sum(), (x, y))] == [[3.0] * 7, [1.0] * 7]
        with torch.no_grad():
            assert not mix(x, y, 3.0)[0].requires_grad
    with torch.inference_mode():
        assert mix(x, y, 3.0)[0].is_inference()


def test_what_has_to_see_a_call_sees_it():
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = torch.randn(8)
    for _ in range(2):
        mix(x, x)
    with Mode():
        mix(x, x)
    assert "open_cuda_plans.mix.default" in seen
    assert torch.equal(torch.vmap(lambda each: mix(each, each)[0])(x.reshape(2, 4)), 2 * x.reshape(2, 4))
    with torch.profiler.profile() as profile:
        mix(x, x)
    assert any("open_cuda_plans::mix" in event.name for event in profile.events())


def test_changed_arguments_are_noticed_by_autograd():
    @operator("open_cuda_plans::overwrite", SOURCE, kernel="mix<{x}>", mutates="x")
    def overwrite(x: Tensor) -> None:
        launch_kernel(1, 64, x, None, x, 2.0, False, x.numel())

    x, weight = torch.ones(5), torch.ones(5, requires_grad=True)
    product = x * weight  # it needs x for the gradient
    version = x._version
    overwrite(x)
    assert x.tolist() == [2.0] * 5
    assert x._version > version
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()
