# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`Operator.checked` finds functions that contradict what their kernels write, and kernels that leave their tensors."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import Tensor  # noqa: E402

from cuda.interop.torch import OperatorError, launch_kernel, operator  # noqa: E402

pytestmark = [pytest.mark.needs_nvrtc, pytest.mark.cpu_only]  # checked calls take tensors on the CPU

SOURCE = r"""
template <class T> __global__ void copy(const T *x, T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
extern "C" __global__ void sums(const float *const *parts, int count, int n, float *y)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        for (int k = 0; k < count; k++)
            y[i] += parts[k][i];
}
"""


def declare(name, function, **options):
    return operator(f"open_cuda_checked::{name}", SOURCE, **({"kernel": "copy<{x}>"} | options))(function)


def complete(x: Tensor) -> Tensor:
    y = torch.empty_like(x)
    launch_kernel((x.numel() + 63) // 64, 64, x, y, x.numel())
    return y


def small(x: Tensor) -> Tensor:
    y = x.new_empty(x.numel() - 1)
    launch_kernel((x.numel() + 63) // 64, 64, x, y, x.numel())
    return y


def large(x: Tensor) -> tuple[Tensor, Tensor]:
    y, z = torch.empty_like(x), x.new_empty(2, x.numel())
    launch_kernel((x.numel() + 63) // 64, 64, x, y, x.numel())
    launch_kernel((x.numel() + 63) // 64, 64, x, z, x.numel())
    return y, z


def beyond(x: Tensor) -> Tensor:
    y = x.new_empty(x.numel() + 1)
    launch_kernel((x.numel() + 64) // 64, 64, x, y, x.numel() + 1)
    return y


def total(parts: list[Tensor]) -> Tensor:
    y = torch.zeros_like(parts[0])
    launch_kernel(1, 32, parts, len(parts), y.numel(), y)
    return y


def test_changes_of_other_arguments_are_found():
    def swapped(x: Tensor, y: Tensor) -> Tensor:
        launch_kernel(1, 64, y, x, x.numel())
        return torch.zeros_like(x)

    made, x = declare("swapped", swapped), torch.zeros(10)
    with pytest.raises(OperatorError, match=r"open_cuda_checked::swapped: a kernel changes x, which mutates=\.\.\."):
        made.checked(x, torch.ones(10))
    assert x.tolist() == [0] * 10


@pytest.mark.parametrize("dtype", [torch.float32, torch.uint8, torch.float64])
def test_correct_operators_return_their_outputs(dtype):
    x = torch.arange(200).to(dtype)  # among the bytes are those of the patterns
    made = declare(f"complete_{str(dtype)[6:]}", complete)
    assert torch.equal(made.checked(x), x)
    assert torch.equal(made.checked(x[::3]), x[::3])
    assert made.checked(x[:0]).shape == (0,)


def test_outputs_that_are_too_small():
    made = declare("small", small)
    label = r"argument 2 of the kernel \(float32, shape \[69\]\)$"
    with pytest.raises(OperatorError, match=rf"^open_cuda_checked::small: .*write of 4 bytes .* 0 bytes .*{label}"):
        made.checked(torch.ones(70))


def test_outputs_that_are_not_written_completely():
    made = declare("large", large)
    with pytest.raises(OperatorError, match=r"no kernel writes 70 of the 140 elements of output 1; .* \[1, 0\]"):
        made.checked(torch.ones(70))


def test_inputs_that_are_read_beyond_their_end():
    x = torch.ones(100)
    made = declare("beyond", beyond)
    label = r"argument 1 of the kernel \(x, float32, shape \[70\]\)"
    with pytest.raises(OperatorError, match=rf"^open_cuda_checked::beyond: .*read of 4 bytes.* {label}"):
        made.checked(x[:70])  # the memory behind it belongs to the same tensor


def test_lists_and_zeros():
    parts = [torch.full((40,), float(index)) for index in range(4)]
    assert declare("total", total, kernel="sums").checked(parts).tolist() == [6.0] * 40


def test_lists_whose_tensors_are_too_small():
    parts = [torch.ones(40), torch.ones(39)]
    label = r"item 1 of argument 1 of the kernel \(parts, float32, shape \[39\]\)"
    with pytest.raises(OperatorError, match=rf"read of 4 bytes.* {label}"):
        declare("short", total, kernel="sums").checked(parts)


def test_arguments_are_changed_once():
    def accumulate(x: Tensor, y: Tensor) -> None:
        launch_kernel(1, 32, [x], 1, x.numel(), y)

    x, y = torch.ones(10), torch.full((10,), 5.0)
    declare("accumulate", accumulate, kernel="sums", mutates="y").checked(x, y)
    assert y.tolist() == [6.0] * 10


def test_only_tensors_of_the_cpu():
    made = declare("meta", complete)
    with pytest.raises(ValueError, match="checked calls take tensors on the CPU, not on meta"):
        made.checked(torch.ones(3, device="meta"))


def test_outputs_are_checked_as_in_calls():
    def missing(x: Tensor) -> tuple[Tensor, Tensor]:
        return (complete(x),)

    def part(x: Tensor) -> Tensor:
        return x[1:]

    def first(parts: list[Tensor]) -> Tensor:
        return parts[0]

    def twice(x: Tensor) -> tuple[Tensor, Tensor]:
        return (complete(x),) * 2

    for function, argument, kind, text in (
        (missing, torch.ones(3), TypeError, "the function returns .*, must return 2 tensors"),
        (part, torch.ones(3), ValueError, "the function returns an argument, or a part of one"),
        (first, [torch.ones(3)], ValueError, "the function returns an argument, or a part of one"),
        (twice, torch.ones(3), ValueError, "the function returns the same tensor twice"),
    ):
        made = declare(function.__name__, function, kernel="copy<float>")
        for call in (made.checked, made.compile, made):
            with pytest.raises(kind, match=f"^open_cuda_checked::{function.__name__}: {text}"):
                call(argument)


def test_errors_before_a_launch_name_the_operator():
    def inexact(x: Tensor) -> Tensor:
        y = torch.empty_like(x)
        launch_kernel(1, 32, x, y, 0.5)
        return y

    with pytest.raises(TypeError, match=r"^open_cuda_checked::inexact: argument 3 of .* is a float"):
        declare("inexact", inexact).checked(torch.ones(3))
    made = declare("absent", complete, kernel="absent<{x}>", dtypes=[torch.float32])
    for call in (made.checked, made.compile):
        with pytest.raises(ValueError, match=r"^open_cuda_checked::absent: the source has no kernel 'absent'"):
            call(torch.ones(3))
        with pytest.raises(TypeError, match=r"^open_cuda_checked::absent: missing a required argument: 'x'; its param"):
            call()
        with pytest.raises(TypeError, match=r"^open_cuda_checked::absent: x is of float64, must be of float32"):
            call(torch.ones(3).double())
    for arch in (90, "sm_90", ""):
        with pytest.raises(ValueError, match=f"^open_cuda_checked::complete: arch is {arch!r}, must be a text such as"):
            declare("complete", complete).compile(torch.ones(3), arch=arch)
    broken = operator("open_cuda_checked::broken", SOURCE + "#error wrong\n", kernel="copy<{x}>")(complete)
    for call in (broken.checked, broken.compile):
        with pytest.raises(OperatorError, match=r"^open_cuda_checked::broken: kernel copy<float>: "):
            call(torch.ones(3))


def test_complex_numbers_need_a_header():
    made = declare("complex", complete)
    with pytest.raises(ValueError, match=r"kernel copy<cuda::std::complex<float>> needs #include <cuda/std/complex>"):
        made(torch.ones(3, dtype=torch.complex64))


def test_checked_calls_need_a_tensor():
    def filled(n: int) -> Tensor:
        return torch.zeros(n)

    with pytest.raises(ValueError, match=r"^open_cuda_checked::filled: no argument is a tensor"):
        declare("filled", filled, kernel="copy<float>").checked(3)
