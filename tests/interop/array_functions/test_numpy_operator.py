# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Operators of NumPy arrays: what the function describes happens; bad arguments, kernels that fail, pickles."""

import collections
import subprocess
import sys
import threading

import numpy as np
import pytest

from cuda.core import Device
from cuda.interop.arrays import _execute
from cuda.interop.numpy import empty, empty_like, launch_kernel, operator, zeros, zeros_like

pytestmark = pytest.mark.needs_nvrtc
SOURCE = r"""
template <class T> __global__ void scale(const T *x, T *y, double factor, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = factor * x[i];
}
template <class T> __global__ void sums(const T *x, const T *weight, T *total, T *least, int columns)
{
    T sum = 0, low = x[blockIdx.x * columns];
    for (int k = 0; k < columns; k++) {
        T value = x[blockIdx.x * columns + k] * (weight ? weight[k] : T(1));
        sum += value, low = value < low ? value : low;
    }
    total[blockIdx.x] = sum, least[blockIdx.x] = low;
}
__global__ void histogram(const int *x, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[x[i]], 1);
}
__global__ void failing(int *x) { *(volatile int *)nullptr = *x; }
"""


@operator(SOURCE, kernel="scale<{x}>", dtypes=(np.float32, np.float64))
def scale(x: np.ndarray, factor: float = 2.0) -> np.ndarray:
    """Scale an array."""
    y = empty_like(x)
    launch_kernel((x.size + 127) // 128, 128, x, y, factor, x.size)
    return y


@operator(SOURCE, kernel="sums<{x}>", dtypes={"weight": "x"})
def sums(x: np.ndarray, weight: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = x.shape
    total, least = empty(rows, x.dtype), empty((rows,), x.dtype)
    launch_kernel(rows, 1, x, weight, total, least, columns)
    return total, least


@operator(SOURCE, kernel="histogram")
def histogram(x: np.ndarray, bins: int) -> np.ndarray:
    found = zeros(bins, x.dtype)
    launch_kernel((len(x) + 63) // 64, 64, x, found, len(x))
    return found


@operator(SOURCE, kernel="scale<{x}>", mutates="x")
def scale_in_place(x: np.ndarray, factor: float) -> None:
    launch_kernel((x.size + 127) // 128, 128, x, x, factor, x.size)


@pytest.fixture(params=["in place", "copies"])
def way(request, monkeypatch, on_gpu):
    """Arrays are used in place, or copied to the device and back."""
    if request.param == "copies":
        monkeypatch.setattr(_execute, "works_in_place", lambda device: False)
        monkeypatch.setattr(_execute, "_idle", collections.defaultdict(list))
    elif on_gpu:
        pytest.skip("whether a GPU works in place depends on the machine")


def test_values(way):
    x = np.random.default_rng(1).random((7, 30))
    np.testing.assert_array_equal(scale(x), 2 * x, strict=True)
    np.testing.assert_array_equal(scale(x.T, factor=3), 3 * x.T, strict=True)
    np.testing.assert_array_equal(scale(x.astype(">f8")), 2 * x, strict=True)
    np.testing.assert_array_equal(scale([1.5, 2.5]), [3.0, 5.0], strict=True)
    np.testing.assert_array_equal(scale(np.empty((0, 3))), np.empty((0, 3)), strict=True)
    np.testing.assert_array_equal(scale(np.float32(2)), np.array(4, "f4"), strict=True)
    assert scale.__doc__ == "Scale an array."


def test_several_outputs_and_an_argument_that_may_be_absent(way):
    x, weight = np.random.default_rng(2).random((5, 9)), np.arange(9.0)
    for given, expected in ((None, x), (weight, x * weight)):
        total, least = sums(x, given)
        np.testing.assert_allclose(total, expected.sum(1))
        np.testing.assert_array_equal(least, np.minimum(expected.min(1), x[:, 0]))


def test_outputs_of_zeros_at_each_call(way):
    x = np.array([1, 3, 3, 0], "i4")
    for _ in range(3):
        assert histogram(x, 5).tolist() == [1, 1, 0, 2, 0]
    out = np.full(5, 9, "i4")
    assert histogram(x, 5, out=out) is out
    assert out.tolist() == [1, 1, 0, 2, 0]


def test_workspace(way):
    @operator(SOURCE, kernel="scale<{x}>")
    def twice_scaled(x: np.ndarray) -> np.ndarray:
        between, y = zeros_like(x), empty_like(x)
        launch_kernel(1, 128, x, between, 3.0, x.size)
        launch_kernel(1, 128, between, y, 5.0, x.size)
        return y

    assert twice_scaled(np.arange(3.0)).tolist() == [0, 15, 30]


def test_changed_arguments(way):
    x = np.arange(5.0)
    assert scale_in_place(x, 3.0) is None
    assert x.tolist() == [0, 3, 6, 9, 12]
    with pytest.raises(ValueError, match=r"scale_in_place: x has strides \(16,\) and elements of float64"):
        scale_in_place(x[::2], 3.0)
    with pytest.raises(TypeError, match=r"scale_in_place: x must be a numpy.ndarray, since .*, not list"):
        scale_in_place([1.0], 3.0)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="scale_in_place: x is read-only"):
        scale_in_place(x, 3.0)


def test_out(way):
    x, table = np.arange(6.0), np.full((6, 2), -1.0)
    scale(x, 2.0, out=table[:, 0])
    np.testing.assert_array_equal(table, np.stack([2 * x, np.full(6, -1.0)], 1))
    found = scale(x, 2.0, out=x)
    assert found is x
    assert x.tolist() == [0, 2, 4, 6, 8, 10]
    scale(x[:-1], 1.0, out=x[1:])  # overlapping
    assert x.tolist() == [0, 0, 2, 4, 6, 8]
    kept = np.empty(2)
    total, least = sums(np.ones((2, 3)), out=(None, kept))
    assert least is kept
    assert (total.tolist(), kept.tolist()) == ([3, 3], [1, 1])


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: scale(np.arange(3)), TypeError, "scale: x is of int64, must be of float32 or float64"),
        (lambda: scale(None), TypeError, "scale: x is None, must be an array"),
        (lambda: scale(np.array([None])), TypeError, "scale: x has elements of object, which kernels cannot use"),
        (lambda: scale(np.ma.ones(2)), TypeError, "scale: x is a masked array, whose mask would be lost: pass x.data"),
        (lambda: scale_in_place(np.ma.ones(2), 3.0), TypeError, "scale_in_place: x is a masked array"),
        (lambda: scale(np.ones(2), out=np.ma.ones(2)), TypeError, "scale: out is of MaskedArray, must be a"),
        (lambda: scale(), TypeError, "scale: missing a required argument: 'x'; its parameters are x, "),
        (lambda: scale(np.ones(2), [1]), TypeError, r"scale: \w+ is \[1\], must be a number or a text"),
        (lambda: scale.compile(np.ones(2), arch=90), ValueError, "scale: arch is 90, must be a text such as '90'"),
        (lambda: scale(np.ones(2), out=np.ones(3)), ValueError, r"scale: out has shape \(3,\) and elements of float64"),
        (lambda: scale(np.ones(2), out=np.ones(2, "f4")), ValueError, r"must have \(2,\) and float64"),
        (lambda: scale(np.ones(2), out=[1]), TypeError, "scale: out is of list, must be a numpy.ndarray"),
        (lambda: scale(np.ones(2), out=(None, None)), ValueError, "scale: out has 2 arrays, must have 1"),
        (lambda: sums(np.ones((2, 3)), np.ones(3, "f4")), TypeError, "weight is of float32, must be of float64"),
        (lambda: scale(np.ones(2), "much"), TypeError, "scale: "),
    ],
)  # fmt: skip
def test_bad_calls(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def bad(function, **options):
    return lambda: operator(SOURCE, **{"kernel": "scale<{x}>"} | options)(function)


def no_type(x) -> np.ndarray: ...
def no_result(x: np.ndarray): ...
def a_list(x: list[np.ndarray]) -> np.ndarray: ...
def named_out(out: np.ndarray) -> np.ndarray: ...
def number(x: np.ndarray) -> int: ...
def many(*x: np.ndarray) -> np.ndarray: ...
def keyword(x: np.ndarray, *, n: int = 0) -> np.ndarray: ...


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (bad(no_type), TypeError, r"no_type: parameter 'x' needs a type: ndarray, list\[ndarray\], int"),
        (bad(no_result), TypeError, "no_result: annotate what the function returns: ndarray, "),
        (bad(a_list), TypeError, "a_list: parameter 'x' is a list of arrays, which is not supported"),
        (bad(named_out), TypeError, "named_out: parameter 'out' needs another name"),
        (bad(number), TypeError, "number: the function returns <class 'int'>, must be ndarray"),
        (bad(scale._function, mutates=("z",)), ValueError, "scale: mutates names 'z', which is no parameter"),
        (bad(scale._function, mutates="xy"), ValueError, "scale: mutates names 'xy', which is no parameter; those are"),
        (
            bad(scale._function, mutates=5),
            TypeError,
            r"scale: mutates is 5, must be names of parameters, such as \('x'",
        ),
        (
            bad(scale._function, dtypes=np.float32),
            TypeError,
            "scale: dtypes is <class 'numpy.float32'>, must be a list",
        ),
        (bad(scale._function, dtypes="float32"), TypeError, r"dtypes is 'float32', must .*, such as \['float32'\]"),
        (bad(scale._function, dtypes={"x": ["f5"]}), TypeError, "scale: dtypes of x has 'f5', must be a type of elem"),
        (bad(scale._function, dtypes=[None]), TypeError, "scale: dtypes has None, must be a type of elements"),
        (bad(scale._function, kernel="scale<{z}>"), ValueError, "scale: kernel 'scale<{z}>' has {z}, must be one of"),
        (bad(scale._function, options={}), TypeError, "scale: options is {}, must be a ProgramOptions"),
        (bad(17), TypeError, "operator: the decorator is for a function, not 17"),
        (bad(many), TypeError, "many: parameter .* stands for any number of arguments"),
        (bad(keyword), TypeError, "keyword: parameter 'n' is for keywords only"),
        (lambda: operator(17)(scale._function), TypeError, r"scale: source must be a str of CUDA C\+\+, not int"),
        (lambda: operator(scale._function), TypeError, "scale: the decorator needs a source: write @operator"),
    ],
)
def test_bad_declarations(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


def described(body, returns=np.ndarray, **options):
    """Return the call of an operator whose function does something wrong."""

    def function(x: np.ndarray) -> np.ndarray:
        return body(x)

    function.__annotations__["return"] = returns
    return lambda: operator(SOURCE, **{"kernel": "scale<{x}>"} | options)(function)(np.ones(3))


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (described(lambda x: x), ValueError, "function: the function returns an argument, or a part of one"),
        (described(lambda x: np.ones(3)), TypeError, "function: the function returns a value of ndarray, must"),
        (described(lambda x: None), TypeError, "the function returns a value of NoneType"),
        (described(lambda x: empty_like(x), tuple[np.ndarray, np.ndarray]), TypeError, "must return 2 arrays"),
        (described(lambda x: (y := empty_like(x), y), tuple[np.ndarray, np.ndarray]), ValueError, "same array twice"),
        (described(lambda x: empty_like(x) if x else None), TypeError, "it cannot look at them"),
        (described(lambda x: empty(-1, x.dtype)), ValueError, r"shape is \(-1,\), must have no negative extent"),
        (described(lambda x: empty(1.5, x.dtype)), TypeError, "shape is 1.5, must be an int or a tuple of ints"),
        (described(lambda x: empty(3, object)), TypeError, "dtype is object, which kernels cannot write"),
        (described(lambda x: empty(3, None)), TypeError, "dtype is None, must be a type of elements"),
        (described(lambda x: empty(3, "f5")), TypeError, "dtype is 'f5', must be a type of elements"),
        (described(lambda x: empty_like(5)), TypeError, "array is 5, must be an array, with shape and dtype"),
        (described(lambda x: x[0]), TypeError, "it cannot look at them"),
        (described(lambda x: list(x)), TypeError, "it cannot look at them"),
        (described(lambda x: [launch_kernel(1, 1, x), empty_like(x)][1], kernel=None), ValueError, "the kernel's name"),
        (described(lambda x: [launch_kernel(1, 0, x), empty_like(x)][1]), ValueError, "function: .*block"),
        (described(lambda x: [launch_kernel(1, 1, x), empty_like(x)][1]), TypeError, "function: .*argument"),
        (described(lambda x: [launch_kernel(1, 1, x, kernel="no{z}"), empty_like(x)][1]), ValueError, r"has \{z\}"),
    ],
)  # fmt: skip
def test_functions_that_describe_wrongly(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_a_kernel_that_fails():
    """In a process of its own: its context is lost."""
    code = f"""
import numpy as np
from cuda.interop.numpy import OperatorError, empty_like, launch_kernel, operator
@operator({SOURCE!r}, kernel="failing")
def fails(x: np.ndarray) -> np.ndarray:
    launch_kernel(1, 1, x)
    return empty_like(x)
try:
    fails(np.ones(3, "i4"))
except OperatorError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.stdout.startswith("fails: kernel failing: CUDA_ERROR_ILLEGAL_ADDRESS"), done.stderr


@operator(SOURCE, kernel="scale<{x}>")
def on_the_current_device(x: np.ndarray) -> np.ndarray:
    y = empty_like(x)
    launch_kernel(1, 128, x, y, 2.0, x.size)
    return y


def test_threads():
    """Each thread has streams of its own."""
    results = {}

    def work(k):
        Device(0).set_current()
        results[k] = [scale(np.full(1000, k, float), float(j))[0] for j in range(20)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert results == {k: [float(k * j) for j in range(20)] for k in range(4)}


def test_compile_ahead():
    @operator(SOURCE, kernel="scale<{x}>")
    def fresh(x: np.ndarray) -> np.ndarray:
        y = empty_like(x)
        launch_kernel(1, 128, x, y, 2.0, x.size)
        return y

    assert fresh.compile(np.ones(3, "f4")) == ["scale<float>"]
    assert fresh.compile(np.ones(3, "f4"), arch="80") == ["scale<float>"]
    assert ("scale<float>", "80") in fresh.kernels.compiled


def test_pickles():
    cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")
    scale(np.ones(2))
    assert cloudpickle.loads(cloudpickle.dumps(scale)) is scale

    @operator(SOURCE, kernel="scale<{x}>", options=None)
    def local(x: np.ndarray) -> np.ndarray:
        y = empty_like(x)
        launch_kernel(1, 128, x, y, 7.0, x.size)
        return y

    local(np.ones(2))
    copy = cloudpickle.loads(cloudpickle.dumps(local))
    assert copy is not local
    assert set(copy.kernels.compiled) >= set(local.kernels.compiled) != set()
    assert copy(np.ones(2)).tolist() == [7, 7]
