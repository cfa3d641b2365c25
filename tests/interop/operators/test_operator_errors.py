# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Wrong declarations and arguments of PyTorch operators: errors name operator, argument and expectation."""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import Tensor  # noqa: E402

from cuda.interop.torch import launch_kernel, operator  # noqa: E402

pytestmark = pytest.mark.needs_nvrtc

SOURCE = """
template <class T> __global__ void copy(const T *x, T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
"""
NAMESPACE = "open_cuda_wrong"


def copied(x, *rest):
    y = torch.empty_like(x)
    launch_kernel(1, 128, x, y, x.numel())
    return y


def declare(name, function=None, **options):
    """Declare an operator that copies its first argument."""

    def one(x: Tensor) -> Tensor:
        return copied(x)

    return operator(f"{NAMESPACE}::{name}", SOURCE, **({"kernel": "copy<{x}>"} | options))(function or one)


def two(x: Tensor, y: Tensor) -> Tensor:
    return copied(x, y)


@pytest.mark.parametrize("name", ["plain", "a::b::c", "::x", "a-b::c", ""])
def test_names_have_a_namespace(name):
    with pytest.raises(ValueError, match="must be of the form 'mylib::rms_norm'"):
        operator(name, SOURCE)


def test_wrong_declarations_name_operator_and_parameter():
    def untyped(x) -> Tensor:
        return x

    def unreturned(x: Tensor):
        return x

    def strange(x: Tensor) -> int:
        return 1

    def dictionary(x: Tensor, y: dict) -> Tensor:
        return x

    for function, message in (
        (untyped, "parameter 'x' needs a type"),
        (unreturned, "annotate what the function returns"),
        (strange, "must be Tensor, a tuple of Tensors or None"),
        (dictionary, "unsupported type"),
    ):
        with pytest.raises(TypeError, match=rf"^{NAMESPACE}::d_{function.__name__}: .*{message}"):
            declare(f"d_{function.__name__}", function)
    for options in ({"mutates": ("z",)}, {"align": {"z": 16}}, {"dtypes": {"z": (torch.float32,)}}):
        with pytest.raises(ValueError, match=r"names 'z', which is no parameter; those are x"):
            declare("d_options", **options)
    with pytest.raises(ValueError, match="contiguous is 'yes', must be one of copy, check, any"):
        declare("d_contiguous", contiguous="yes")


def test_wrong_types_of_elements():
    made = declare("types", two, dtypes={"x": (torch.float32, torch.float64), "y": "x"})
    assert made(torch.ones(3), torch.ones(3)).tolist() == [1.0] * 3
    with pytest.raises(TypeError, match=rf"^{NAMESPACE}::types: x is of int32, must be of float32 or float64"):
        made(torch.ones(3, dtype=torch.int32), torch.ones(3))
    with pytest.raises(TypeError, match=rf"^{NAMESPACE}::types: y is of float64, must be of float32, as x is"):
        made(torch.ones(3), torch.ones(3).double())


def test_what_is_no_dense_tensor():
    made, x = declare("dense", two), torch.ones(2, 3)
    for wrong, text in (
        (None, "x must be a Tensor, not NoneType"),
        (x.to_sparse(), "x is a torch.sparse_coo tensor, must be a dense one"),
        (x.to_sparse_csr(), "x is a torch.sparse_csr tensor, must be a dense one"),
        (torch.nested.nested_tensor([x, x]), "x is a nested tensor, must be a dense one"),
    ):
        y = x if wrong is not None else None
        for call in (lambda wrong=wrong, y=y: made(wrong, y), lambda wrong=wrong, y=y: made(x=wrong, y=y)):
            with pytest.raises(TypeError, match=f"^{NAMESPACE}::dense: {text}"):
                call()


def test_views_that_are_negated_or_conjugated_cannot_be_changed_in_place():
    def filled(x: list[Tensor], y: Tensor) -> None:
        launch_kernel(1, 128, y, x[0], y.numel())

    def changed(x: Tensor) -> None:
        launch_kernel(1, 128, x, x, x.numel())

    made = declare("negated", changed, mutates=("x",), contiguous="any", kernel="copy<float>")
    z = torch.tensor([1 + 2j, 3 - 4j])
    text = f"^{NAMESPACE}::negated: x is a view that is negated when it is read, so .*: pass y = x.resolve_neg()"
    for call in (lambda: made(z.conj().imag), lambda: made(x=z.conj().imag)):
        with pytest.raises(ValueError, match=text):
            call()
    with pytest.raises(ValueError, match="x is a view that is conjugated when it is read"):
        made(z.conj())
    lists = declare("negated_list", filled, mutates=("x",), contiguous="any", kernel="copy<{y}>")
    with pytest.raises(ValueError, match="negated_list: x is a view that is negated"):
        lists([z.conj().imag], torch.ones(2))
    assert torch.equal(z, torch.tensor([1 + 2j, 3 - 4j]))


def test_lists_without_tensors():
    def first(x: list[Tensor]) -> Tensor:
        return copied(x[0])

    with pytest.raises(ValueError, match=f"^{NAMESPACE}::none: x is an empty list, and no other argument is a t"):
        declare("none", first)([])


def test_wrong_devices():
    made = declare("devices", two)
    with pytest.raises((ValueError, NotImplementedError, RuntimeError), match=r"devices.*(meta|Meta)"):
        made(torch.ones(3), torch.ones(3, device="meta"))


def test_wrong_layouts():
    made = declare("layout", contiguous="check", align=16)
    x = torch.arange(24.0).reshape(4, 6)
    with pytest.raises(ValueError, match=r"layout: x of shape \(6, 4\) has strides \(1, 6\), must be contiguous"):
        made(x.T)
    with pytest.raises(
        ValueError, match=r"layout: x begins at 0x[0-9a-f]+, must be aligned to 16 bytes: pass a copy that is"
    ):
        made(x.flatten()[1:])
    assert torch.equal(declare("aligned", align=16)(x.flatten()[1:]), x.flatten()[1:])


def test_other_layouts_cannot_be_changed_in_place():
    def filled(x: Tensor) -> None:
        launch_kernel(1, 128, x, x, x.numel())

    made = declare("strided", filled, mutates=("x",))
    with pytest.raises(ValueError, match=r"contiguous: copy x\.contiguous\(\) back after the call, or declare contig"):
        made(torch.ones(4, 6).T)


def test_changes_in_place_have_no_gradient():
    def filled(x: Tensor, y: Tensor) -> None:
        launch_kernel(1, 128, y, x, x.numel())

    made = declare("filled", filled, mutates=("x",))
    x, y, weight = torch.zeros(3), torch.ones(3), torch.ones(3, requires_grad=True)
    for args in ((x, weight), (weight, y), (weight * 2, y)):
        with pytest.raises(RuntimeError, match=r"filled changes x, so that it has no gradient, but an argument req"):
            made(*args)
    assert x.tolist() == [0] * 3
    with torch.no_grad():
        made(weight, 2 * y)
    assert weight.tolist() == [2] * 3
    torch.compile(made, backend="aot_eager")(x, y)
    assert x.tolist() == [1] * 3
    torch.library.opcheck(made.overload, (x, y))


def test_changes_of_tensors_in_lists_are_known_to_gradients():
    def filled(x: list[Tensor], y: Tensor) -> None:
        launch_kernel(1, 128, y, x[0], y.numel())

    made = declare("filled_list", filled, mutates=("x",), kernel="copy<{y}>")
    x, weight = torch.zeros(3), torch.ones(3, requires_grad=True)
    product = x * weight
    made([x], torch.ones(3))
    assert x.tolist() == [1] * 3
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_wrong_kernels():
    with pytest.raises(ValueError, match=rf"{NAMESPACE}::nameless: launch_kernel needs the kernel's name"):
        declare("nameless", kernel=None)(torch.ones(3))
    with pytest.raises(ValueError, match=r"kernel 'copy<{z}>' has {z}, must be one of dtype, x"):
        declare("field", kernel="copy<{z}>")(torch.ones(3))
    with pytest.raises(ValueError, match=rf"{NAMESPACE}::absent: the source has no kernel 'missing'; it has 'copy'"):
        declare("absent", kernel="missing<{x}>")(torch.ones(3))
    with pytest.raises(ValueError, match=r"narrow: kernel copy<__half> needs #include <cuda_fp16\.h> in the source"):
        declare("narrow")(torch.ones(3, dtype=torch.float16))
    with pytest.raises(TypeError, match=r"kernel is \('a', 'b'\), must be the name of one kernel; launch_kernel"):
        declare("several", kernel=("a", "b"))
    with pytest.raises(RuntimeError, match="decorate one by @operator"):
        launch_kernel(1, 1)


def test_wrong_arguments_of_kernels():
    def short(x: Tensor) -> Tensor:
        launch_kernel(1, 128, x, x)
        return torch.empty_like(x)

    def inexact(x: Tensor) -> Tensor:
        launch_kernel(1, 128, x, x, 0.5)
        return torch.empty_like(x)

    def huge(x: Tensor) -> Tensor:
        launch_kernel(1, 2048, x, x, 3)
        return torch.empty_like(x)

    with pytest.raises(TypeError, match=rf"^{NAMESPACE}::short: .*takes 3 arguments, but 2 were given"):
        declare("short", short)(torch.ones(3))
    with pytest.raises(TypeError, match=rf"^{NAMESPACE}::inexact: argument 3 of .* is a float \(0.5\)"):
        declare("inexact", inexact)(torch.ones(3))
    with pytest.raises(RuntimeError, match=rf"^{NAMESPACE}::huge: kernel copy<float>: (?s:.*)2048 threads"):
        declare("huge", huge)(torch.ones(3))


@pytest.mark.parametrize(
    ("argument", "kind", "text"),
    [
        (lambda x: [x, 1], TypeError, "a list that is an argument of a kernel has a value of int, must have"),
        (lambda x: [x.to("meta")], ValueError, "a tensor on meta is an argument of a kernel, the operator's are on"),
        (
            lambda x: x.to_sparse(),
            ValueError,
            "a tensor of the layout torch.sparse_coo is an argument of a kernel, must",
        ),
    ],
)
def test_tensors_that_kernels_cannot_take(argument, kind, text, on_gpu):
    def passed(x: Tensor) -> Tensor:
        y = torch.empty_like(x)
        launch_kernel(1, 128, argument(x), y, 3)
        return y

    made = declare("passed", passed)
    for call in (made,) if on_gpu else (made, made.checked):
        with pytest.raises(kind, match=f"^{NAMESPACE}::passed: {text}"):
            call(torch.ones(3))


def test_wrong_results():
    def same(x: Tensor) -> Tensor:
        return x

    def none(x: Tensor) -> Tensor:
        return None

    def one(x: Tensor) -> tuple[Tensor, Tensor]:
        return (torch.empty_like(x),)

    for function, message in (
        (same, "returns an argument, or a part of one: return a new tensor, or None with mutates"),
        (none, "returns a value of NoneType, must be a Tensor"),
        (one, "must return 2 tensors"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            declare(f"r_{function.__name__}", function)(torch.ones(3))


def test_wrong_gradients():
    made = declare("gradients", two)
    with pytest.raises(TypeError, match="its gradient takes 'dy', must be one of x, y, out, grad"):
        made.gradient(lambda dy: dy)
    with pytest.raises(ValueError, match="wrt names 'z', which is no parameter; those are x, y"):
        made.gradient(lambda grad: grad, wrt=("z",))
    made.gradient(lambda grad: grad)
    with pytest.raises(RuntimeError, match=r"returns 1 values, but there are 2 parameters to differentiate \(x, y\)"):
        made(torch.ones(3, requires_grad=True), torch.ones(3)).sum().backward()

    def changed(x: Tensor) -> None:
        launch_kernel(1, 128, x, x, 3)

    with pytest.raises(TypeError, match="changes x: an operator that changes its arguments has no gradient"):
        declare("changed", changed, mutates="x").gradient(lambda grad: grad)


def test_gradients_cannot_tell_parameters_from_outputs_of_the_same_name():
    def function(x: Tensor, grad: Tensor) -> Tensor:
        return copied(x)

    made = declare("ambiguous", function)
    with pytest.raises(TypeError, match=rf"^{NAMESPACE}::ambiguous: its gradient takes 'grad', which is a parameter"):
        made.gradient(lambda x, grad: (x, grad))
    made.gradient(lambda x: x, wrt=("x",))


def test_lists_of_several_types_have_no_name():
    def first(x: list[Tensor]) -> Tensor:
        return copied(x[0])

    made = declare("mixed", first)
    assert made([torch.ones(3), torch.ones(2)]).tolist() == [1] * 3
    with pytest.raises(
        TypeError, match=rf"^{NAMESPACE}::mixed: kernel 'copy<{{x}}>': x has elements of float32 and fl"
    ):
        made([torch.ones(3), torch.ones(3).double()])


def test_deterministic_mode_refuses_operators_that_are_not():
    made = declare("atomics", deterministic=False)
    torch.use_deterministic_algorithms(True)
    try:
        with pytest.raises(RuntimeError, match=f"{NAMESPACE}::atomics is declared as not deterministic"):
            made(torch.ones(3))
        torch.use_deterministic_algorithms(True, warn_only=True)
        with pytest.warns(UserWarning, match="atomics is declared as not deterministic"):
            assert made(torch.ones(3)).tolist() == [1.0] * 3
    finally:
        torch.use_deterministic_algorithms(False)


FAULT = """
import torch
from torch import Tensor
from cuda.interop.torch import launch_kernel, operator

SOURCE = 'extern "C" __global__ void wild(float *y) { *y = 1; __threadfence(); __trap(); }'

@operator("open_cuda_wrong::wild", SOURCE, kernel="wild")
def wild(x: Tensor) -> Tensor:
    y = torch.empty_like(x)
    launch_kernel(1, 1, y)
    return y

wild.gradient(lambda grad: grad)
x = torch.ones(3, requires_grad=True)
try:
    y = wild(x)
except RuntimeError as error:
    print(error, "y" in globals(), x.grad)
"""


@pytest.mark.cpu_only  # on a GPU, later calls fail
def test_a_kernel_that_fails_returns_nothing():
    done = subprocess.run([sys.executable, "-c", FAULT], capture_output=True, text=True, timeout=100)
    assert done.stdout.startswith("open_cuda_wrong::wild: kernel wild: CUDA_ERROR_"), done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("False None")
