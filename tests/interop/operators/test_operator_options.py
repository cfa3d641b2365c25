# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Wrong options of PyTorch operators are errors of the declaration, which name operator, option, value and remedy."""

import threading

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import Tensor  # noqa: E402

from cuda.core import ProgramOptions  # noqa: E402
from cuda.interop.torch import Kernels, launch_kernel, operator  # noqa: E402

pytestmark = pytest.mark.needs_nvrtc

SOURCE = """
template <class T> __global__ void copy(const T *x, T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
extern "C" __global__ void residue(const float *x, long long *y, int align) { *y = (long long)x % align; }
"""
NAMESPACE = "open_cuda_options"


def declare(name, function=None, source=SOURCE, **options):
    """Declare an operator that copies its first argument."""

    def one(x: Tensor, n: int = 0) -> Tensor:
        y = torch.empty_like(x)
        launch_kernel(1, 128, x, y, x.numel())
        return y

    return operator(f"{NAMESPACE}::{name}", source, **({"kernel": "copy<{x}>"} | options))(function or one)


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"dtypes": torch.float32}, TypeError, r"dtypes is torch\.float32, must be a list of types, such as \[torch.f"),
        ({"dtypes": ["float32"]}, TypeError, "dtypes has 'float32', must be a torch.dtype, such as torch.float32"),
        ({"dtypes": "float32"}, ValueError, "dtypes names 'float32', which is no parameter; those are x, n"),
        ({"dtypes": []}, ValueError, r"dtypes is \[\], must have a type, or be None for all types"),
        ({"dtypes": {"x": torch.half}}, TypeError, r"dtypes of x is torch\.float16, must be a list of types"),
        ({"dtypes": {"x": "y"}}, ValueError, "dtypes of x names 'y', which is no parameter; those are x, n"),
        ({"dtypes": {"n": [torch.half]}}, TypeError, "dtypes names 'n', which is no Tensor"),
        ({"dtypes": 5}, TypeError, "dtypes is 5, must be a list of types, or the name of a parameter"),
        ({"leading": ("z",)}, ValueError, "leading names 'z', which is no parameter; those are x, n"),
        ({"leading": "n"}, TypeError, "leading names 'n', which is no Tensor"),
        ({"leading": None}, TypeError, r"leading is None, must be names of parameters, such as \('x',\)"),
        ({"mutates": "xy"}, ValueError, "mutates names 'xy', which is no parameter; those are x, n"),
        ({"mutates": [5]}, TypeError, r"mutates is \(5,\), must be names of parameters"),
        ({"align": 3}, ValueError, "align is 3, must be a power of two, such as 16"),
        ({"align": 0}, ValueError, "align is 0, must be a power of two"),
        ({"align": {"x": -16}}, ValueError, "align of x is -16, must be a power of two"),
        ({"align": 16.0}, TypeError, r"align is 16\.0, must be a number of bytes"),
        ({"align": True}, TypeError, "align is True, must be a number of bytes"),
        ({"contiguous": {"x": "yes"}}, ValueError, "contiguous of x is 'yes', must be one of copy, check, any"),
        ({"contiguous": None}, ValueError, "contiguous is None, must be one of copy, check, any"),
        ({"autocast": "bf16"}, TypeError, r"autocast is 'bf16', must be a torch\.dtype, such as torch\.bfloat16"),
        ({"autocast": torch.int32}, ValueError, r"autocast is torch\.int32, must be of floating-point numbers"),
        ({"deterministic": "no"}, TypeError, "deterministic is 'no', must be True or False"),
        ({"options": {"fma": False}}, TypeError, r"options is {'fma': False}, must be a ProgramOptions, such as"),
        ({"source": 5}, TypeError, r"source must be a str of CUDA C\+\+, not int"),
        ({"source": Kernels(SOURCE), "options": ProgramOptions()}, ValueError, "source is a Kernels, which has opt"),
        ({"kernel": 5}, TypeError, "kernel is 5, must be the name of one kernel"),
        ({"kernel": ""}, ValueError, "kernel is '', must be the name of a kernel, such as 'scale<{x}>'"),
        ({"kernel": "copy<{x.dtype}>"}, ValueError, r"kernel 'copy<{x\.dtype}>' has {x\.dtype}, must be one of"),
        ({"function": 5}, TypeError, "the decorator is for a function, not 5"),
    ],
)  # fmt: skip
def test_wrong_options(options, kind, text):
    with pytest.raises(kind, match=f"^{NAMESPACE}::wrong: (.*, but )?{text}"):
        declare("wrong", **options)


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("st6::für", ValueError, "'st6::für', must be of the form 'mylib::rms_norm', of ASCII letters"),
        ("mylib::class", ValueError, "'mylib::class', which has a keyword of PyTorch's schemas"),
        ("aten::add", ValueError, "'aten::add', but 'aten' is for PyTorch's own operators"),
        ("mylib::a.b", ValueError, "'mylib::a.b', must be of the form"),
        (b"mylib::x", TypeError, "b'mylib::x', must be a text"),
        (declare, TypeError, "<function declare at .*, must be a text"),
    ],
)
def test_wrong_names(name, kind, text):
    with pytest.raises(kind, match=f"^name is {text}"):
        operator(name, SOURCE)


def test_parameters_that_cannot_be_passed():
    def keyword(x: Tensor, *, n: int = 3) -> Tensor: ...
    def many(*x: Tensor) -> Tensor: ...
    def foreign(x: Tensor, größe: int) -> Tensor: ...
    def misspelled(x: "Tensro") -> Tensor: ...  # noqa: F821

    for function, kind, text in (
        (keyword, TypeError, "parameter 'n' is for keywords only"),
        (many, TypeError, "parameter .*x.* stands for any number of arguments: name each"),
        (foreign, ValueError, "give the parameters names of ASCII letters"),
        (misspelled, TypeError, "an annotation has no meaning: name 'Tensro' is not defined"),
    ):
        with pytest.raises(kind, match=f"^{NAMESPACE}::parameters: .*{text}"):
            declare("parameters", function)


def test_a_name_may_be_a_text_and_the_type_that_of_a_later_parameter():
    def second(x: Tensor, value: Tensor) -> Tensor:
        y = torch.empty_like(x)
        launch_kernel(1, 128, value, y, x.numel())
        return y

    made = declare("second", second, leading="value", dtypes={"x": "value"})
    assert made(torch.zeros(3), torch.ones(3)).tolist() == [1] * 3
    with pytest.raises(TypeError, match=r"second: x is of float64, must be of float32, as value is"):
        made(torch.zeros(3).double(), torch.ones(3))


def test_copies_are_aligned_more_than_memory_is():
    def residue(x: Tensor) -> Tensor:
        y = x.new_empty((), dtype=torch.int64)
        launch_kernel(1, 1, x, y, 4096)
        return y

    made = declare("residue", residue, kernel="residue", align=4096)
    memory = torch.arange(4096, dtype=torch.float32)
    assert [made(memory[start : start + 9]).item() for start in range(0, 2048, 64)] == [0] * 32
    assert made(memory[:0]).item() == 0


@pytest.mark.parametrize(
    ("function", "wrt", "kind", "text"),
    [
        (lambda grad: grad, "xn", ValueError, "wrt names 'xn', which is no parameter; those are x, n"),
        (lambda grad: grad, ("n",), TypeError, "wrt names 'n', which is no Tensor"),
        (lambda grad: grad, (), ValueError, r"wrt is \(\), must name each parameter that has a gradient once"),
        (lambda grad: grad, ("x", "x"), ValueError, r"wrt is \('x', 'x'\), must name"),
        (5, None, TypeError, "its gradient is 5, must be a function or an operator"),
    ],
)
def test_wrong_options_of_gradients(function, wrt, kind, text):
    with pytest.raises(kind, match=f"^{NAMESPACE}::gradient: {text}"):
        declare("gradient").gradient(function, wrt=wrt)


def test_threads_may_declare_the_same_operator():
    failed = []

    def work():
        try:
            for _ in range(10):
                declare("threads")
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed
    assert declare("threads")(torch.ones(3)).tolist() == [1] * 3
