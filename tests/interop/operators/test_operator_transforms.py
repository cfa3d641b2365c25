# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operators under the transforms of torch.func, and how their calls are recorded for gradients."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import Tensor  # noqa: E402
from torch.autograd import forward_ad  # noqa: E402
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap  # noqa: E402

from cuda.interop.torch import launch_kernel, operator  # noqa: E402

pytestmark = pytest.mark.needs_nvrtc

SOURCE = r"""
template <class T> __global__ void product(const T *x, const T *y, T *z, double factor, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = factor * x[i] * (y ? y[i] : (T)1);
}
template <class T> __global__ void total(const T *const *parts, int count, T *sum)
{
    sum[threadIdx.x] = 0;
    for (int i = 0; i < count; i++)
        sum[threadIdx.x] += parts[i][threadIdx.x];
}
"""


@operator("open_cuda_func::product", SOURCE, kernel="product<{x}>", leading=("x", "y"))
def product(x: Tensor, y: Tensor | None = None, factor: float = 1.0) -> Tensor:
    z = torch.empty_like(x)
    launch_kernel((x.numel() + 127) // 128, 128, x, y, z, factor, x.numel())
    return z


@product.gradient
def product_gradient(x, y, factor, grad):
    return product(grad, y, factor), None if y is None else product(grad, x, factor)


@operator("open_cuda_func::total", SOURCE, kernel="total<{parts}>")
def total(scale: Tensor, parts: list[Tensor], unused: list[Tensor]) -> Tensor:
    result = torch.empty_like(parts[0])
    launch_kernel(1, result.numel(), parts, len(parts), result)
    return result


@total.gradient(wrt=("parts",))
def total_gradient(parts, grad):
    return [grad * (1 + index) for index, _ in enumerate(parts)]


def cube(x):
    return product(product(x, x), x).sum()


def numbers(*shape):
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=torch.float64)


def test_grad_of_a_function():
    x = numbers(5)
    for _ in range(2):
        torch.testing.assert_close(grad(cube)(x), 3 * x**2)
    assert not x.requires_grad


def test_gradients_of_gradients():
    x = torch.tensor(1.5, dtype=torch.float64)
    torch.testing.assert_close(grad(grad(cube))(x), 6 * x)
    torch.testing.assert_close(grad(grad(grad(cube)))(x), torch.full_like(x, 6))
    torch.testing.assert_close(jacrev(jacrev(cube))(numbers(4)), torch.diag(6 * numbers(4)))


def test_vjp_and_jacrev():
    x, y, weights = numbers(4), numbers(4) + 1, numbers(4) + 2
    value, pull = vjp(lambda x, y: product(x, y, 3.0), x, y)
    torch.testing.assert_close(value, 3 * x * y)
    for found, expected in zip(pull(weights), (3 * y * weights, 3 * x * weights), strict=True):
        torch.testing.assert_close(found, expected)
    torch.testing.assert_close(jacrev(product)(x, y), torch.diag(y))


def test_gradients_of_each_sample():
    x, y = numbers(6, 3), numbers(3)
    found = vmap(grad(lambda x, y: product(x, y).square().sum()), in_dims=(0, None))(x, y)
    torch.testing.assert_close(found, 2 * x * y**2)


@pytest.mark.parametrize("leading", [(), ("x",)])
def test_vmap_refuses_operators_that_change_arguments(leading):
    @operator("open_cuda_func::change", SOURCE, kernel="product<{x}>", mutates=("x",), leading=leading)
    def change(x: Tensor) -> None:
        launch_kernel(1, 128, x, None, x, 2.0, x.numel())

    x = torch.ones(4, 3)
    with pytest.raises(NotImplementedError, match=r"^open_cuda_func::change changes x, which torch.vmap does not supp"):
        vmap(lambda x: (change(x), x * 1)[1])(x)
    assert torch.equal(x, torch.ones(4, 3))


def test_vmap_of_an_empty_batch():
    @operator("open_cuda_func::split", SOURCE, kernel="product<{x}>")
    def split(x: Tensor) -> tuple[Tensor, Tensor]:
        y = torch.empty_like(x)
        launch_kernel(1, 128, x, None, y, 2.0, x.numel())
        return y, x.new_zeros(2)

    assert [each.shape for each in vmap(split, in_dims=1)(numbers(3, 0))] == [(0, 3), (0, 2)]
    assert vmap(total, in_dims=(None, [0, None], None))(numbers(1), [numbers(0, 5), numbers(5)], []).shape == (0, 5)


def test_gradient_of_a_batch():
    x, y = numbers(6, 3), numbers(3)
    found = grad(lambda y: vmap(product, in_dims=(0, None))(x, y).square().sum())(y)
    torch.testing.assert_close(found, (2 * x**2 * y).sum(0))


def test_what_a_transformed_function_closes_over_gets_its_gradient():
    x, y = numbers(4).requires_grad_(), numbers(4)
    slopes = grad(lambda y: product(product(x, y), y).sum())(y)  # 2 x y
    slopes.sum().backward()
    torch.testing.assert_close(x.grad, 2 * y)


def test_a_compiled_function_may_be_transformed():
    x = numbers(5)
    compiled = torch.compile(grad(cube), backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), 3 * x**2)


@pytest.mark.parametrize("transform", [jacfwd, hessian, lambda f: lambda x: jvp(f, (x,), (x,))])
def test_forward_mode_is_refused(transform):
    with pytest.raises(NotImplementedError, match="open_cuda_func::product has no derivative in forward mode, but its"):
        transform(cube)(numbers(4))


def test_tangents_are_refused_and_other_calls_are_not():
    x, y = numbers(4), numbers(4)
    product(x, y)
    with forward_ad.dual_level():
        torch.testing.assert_close(product(x, y), x * y)
        with pytest.raises(NotImplementedError, match="its argument y has a tangent: use reverse mode"):
            product(x, forward_ad.make_dual(y, x))
        with pytest.raises(NotImplementedError, match="its argument parts has a tangent"):
            total(x, [x, forward_ad.make_dual(y, x)], [])
    torch.testing.assert_close(jvp(lambda x: product(y, y) * x, (x,), (x,))[1], x * y * y)


def test_gradients_of_lists():
    parts = [numbers(3).requires_grad_(), numbers(3), numbers(3).requires_grad_()]
    others = [numbers(3).requires_grad_()]
    weights = numbers(3)
    (total(weights, parts, others) * weights).sum().backward()
    assert [each.grad is None for each in (*parts, *others)] == [False, True, False, True]
    torch.testing.assert_close(parts[2].grad, 3 * weights)
    torch.testing.assert_close(grad(lambda x: total(x, [x, x], []).sum())(weights), torch.full_like(weights, 3))


def test_a_wrong_number_of_gradients_of_a_list_is_named():
    @operator("open_cuda_func::too_few", SOURCE, kernel="total<{parts}>")
    def too_few(parts: list[Tensor]) -> Tensor:
        result = torch.empty_like(parts[0])
        launch_kernel(1, result.numel(), parts, len(parts), result)
        return result

    too_few.gradient(lambda grad: ([grad],))
    with pytest.raises(RuntimeError, match="its gradient returns 1 gradients of parts, must be 2"):
        too_few([numbers(3).requires_grad_(), numbers(3)]).sum().backward()


@pytest.mark.cpu_only  # plans are for tensors on the CPU
def test_recorded_calls_have_plans(monkeypatch):
    """A call whose gradient is recorded neither runs the function again nor goes through the dispatcher."""
    x, y = numbers(7).requires_grad_(), numbers(7).requires_grad_()
    product(x, y)
    monkeypatch.setattr(product, "_function", None)
    monkeypatch.setattr(product, "_compute", None)
    z = product(x, y, 1.0)
    assert z.grad_fn.name() == "productBackward"
    monkeypatch.undo()
    z.sum().backward()
    torch.testing.assert_close(x.grad, y.detach())


def test_only_what_requires_a_gradient_has_one():
    x, y = numbers(4), numbers(4).requires_grad_()
    for given in ((x, y), (y, None)):
        for _ in range(2):
            y.grad = None
            product(*given).sum().backward()
            torch.testing.assert_close(y.grad, x if given[0] is x else torch.ones_like(x))
    assert x.grad is None


def test_saved_tensors_have_hooks():
    packed = []
    x, y = numbers(4).requires_grad_(), numbers(4)
    with torch.autograd.graph.saved_tensors_hooks(lambda each: packed.append(each) or each, lambda each: each):
        product(x, y).sum().backward()
    assert len(packed) == 2
    z = product(x, y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
