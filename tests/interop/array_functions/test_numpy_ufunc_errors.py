# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Universal functions from CUDA C++: what they refuse, arguments that override them, pickles."""

import pickle

import numpy as np
import pytest

from cuda.interop.numpy import OperatorError, Ufunc, ufunc

pytestmark = pytest.mark.needs_nvrtc


@ufunc("x + y", ["ff->f", "dd->d"])
def add(x, y):
    """Sum."""


X = np.arange(3.0)


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: add(X), TypeError, "add takes 2 to 3 arguments, but 1 are given"),
        (lambda: add(X, X, X, X), TypeError, "add takes 2 to 3 arguments, but 4"),
        (lambda: add(X, X, X, out=X), TypeError, "add: out is given twice"),
        (lambda: add(X, X, axis=0), TypeError, "add: unknown keyword 'axis', must be one of out, where,"),
        (lambda: add(X, np.ones(4)), ValueError, r"add: operands do not broadcast: shapes \(3,\) \(4,\)"),
        (lambda: add(X, X, out=np.ones(4)), ValueError, r"add: out has shape \(4,\), must have \(3,\)"),
        (lambda: add(X, X, out=np.ones(1)), ValueError, r"add: out has shape \(1,\), must have \(3,\)"),
        (lambda: add(X, X, out=[1, 2, 3]), TypeError, "add: out is of list, must be a numpy.ndarray"),
        (lambda: add(X, X, out=(X, X)), ValueError, "add: out has 2 arrays, must have 1"),
        (lambda: add(X, X, out=np.broadcast_to(X, (2, 3))), ValueError, "add: out is read-only"),
        (lambda: add(X, X, out=np.ones(3, int)), TypeError, "add: float64 cannot be cast to out's int64 with casting"),
        (lambda: add(X, X, casting="any"), ValueError, "add: casting is 'any', must be one of no, equiv, safe"),
        (lambda: add(X, X, order="B"), ValueError, "add: order is 'B', must be K, C, F or A"),
        (lambda: add(X, X, where=[1, 0, 1]), TypeError, "add: where has elements of int64, must be of bool"),
        (lambda: add(X, X + 1j), TypeError, r"add: no loop for inputs of float64, complex128 .* it has ff->f, dd->d"),
        (lambda: add(X, np.array(["a", "b", "c"])), TypeError, "add: no loop for inputs of float64, <U1"),
        (lambda: add(np.array(["a"]), 1.0), TypeError, "add: no loop for inputs of <U1, float64"),
        (lambda: add(1, np.array(["2026-01-01"], "M8[D]")), TypeError, "add: no loop for inputs of int64, datetime64"),
        (lambda: add(np.zeros(2, [("a", "f4")]), 1.0), TypeError, "add: no loop for inputs of "),
        (lambda: add(X, X, dtype="nope"), TypeError, "add: dtype is 'nope', must be a type of elements"),
        (lambda: add(X, X, signature=5), TypeError, "add: signature 5 must be a text or a tuple of types, with 2 inp"),
        (lambda: add(X, np.array([None] * 3)), TypeError, "add: no loop for inputs of float64, object"),
        (lambda: add(X, X, signature="f->f"), ValueError, "add: signature 'f->f' must have 2 inputs and 1 outputs"),
        (lambda: add(X, np.ma.array(X)), TypeError, "add: an input is a masked array, whose mask would be lost"),
        (lambda: add.reduce(X), NotImplementedError, r"add\.reduce is not supported: write a kernel"),
        (lambda: add.accumulate(X), NotImplementedError, r"add\.accumulate is not supported"),
        (lambda: add.reduceat(X, [0]), NotImplementedError, r"add\.reduceat is not supported"),
        (lambda: add.at(X, [0], 1), NotImplementedError, r"add\.at is not supported"),
    ],
)
def test_bad_calls(call, kind, text):
    before = X.copy()
    with pytest.raises(kind, match=text):
        call()
    np.testing.assert_array_equal(X, before)


def test_an_unsafe_cast_of_the_output_may_be_asked_for():
    out = np.zeros(3, int)
    add(X, 0.5, out=out, casting="unsafe")
    assert out.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("types", "kind", "text"),
    [
        ([], ValueError, "f: types is empty, must have a signature such as ff->f"),
        ("ff->f", TypeError, "f: types is 'ff->f', must be a list such as"),
        (["f->f"], ValueError, "f: signature 'f->f' must have 2 inputs and 1 outputs, as 'ff->f' has"),
        (["fff"], ValueError, "f: signature 'fff' must have"),
        (["fO->f"], TypeError, "f: signature 'fO->f': object has no equivalent in CUDA C"),
        (["f:->f"], TypeError, "f: signature 'f:->f'"),
        (5, TypeError, r"f: types is 5, must be a list such as \['ff->ff?'\]"),
        ([None], TypeError, "f: signature None must be a text or a tuple of types, with 2 inputs"),
    ],
)
def test_bad_tables(types, kind, text):
    with pytest.raises(kind, match=text):

        @ufunc("x + y", types)
        def f(x, y): ...


def test_bad_declarations():
    with pytest.raises(TypeError, match=r"parameter y=1 must be a plain one"):
        ufunc("x", ["ff->f"])(lambda x, y=1: 0)
    with pytest.raises(TypeError, match=r"has no parameters"):
        ufunc("1", ["->f"])(lambda: 0)
    with pytest.raises(ValueError, match=r"outputs is \['x'\], must be new names"):
        ufunc("x = 1;", ["f->f"], outputs=("x",))(lambda x: 0)
    with pytest.raises(TypeError, match="the decorator is for a function, not 5"):
        ufunc("x", ["f->f"])(5)
    for options, kind, text in (
        ({"body": lambda x: x}, TypeError, r"body must be a str of CUDA C\+\+, not function"),
        ({"body": " "}, ValueError, "body is ' ', must be an expression of CUDA C"),
        ({"source": None}, TypeError, r"source must be a str of CUDA C\+\+, not NoneType"),
        ({"outputs": 5}, TypeError, r"outputs is 5, must be names of outputs, such as \['low', 'high'\]"),
        ({"outputs": [None]}, TypeError, r"outputs is \[None\], must be names of outputs"),
        ({"options": {"fma": False}}, TypeError, r"options is {'fma': False}, must be a ProgramOptions"),
    ):
        with pytest.raises(kind, match=f"^<lambda>: {text}"):
            ufunc(**({"body": "x", "types": ["f->f"]} | options))(lambda x: 0)


@pytest.mark.parametrize(
    ("inputs", "outputs", "text"),
    [
        ("x, x_t", None, "parameter 'x_t' needs another name: in CUDA C.., it is the type of 'x'"),
        ("x, result", None, "parameter 'result' needs another name: in CUDA C.., it is the output"),
        ("x, result_t", None, "parameter 'result_t' needs another name: in CUDA C.., it is the type of 'result'"),
        ("x, float", None, "parameter 'float' needs another name: in CUDA C.., it is a keyword"),
        ("x, wchar", None, "parameter 'wchar' needs another name: in CUDA C.., it is a keyword"),
        ("x, größe", None, "parameter 'größe' needs another name, of ASCII letters"),
        ("x, y", ["x_t"], "output 'x_t' needs another name: in CUDA C.., it is the type of 'x'"),
        ("x, y", ["a b"], "output 'a b' needs another name, of ASCII letters"),
        ("x, y", ["while"], "output 'while' needs another name: in CUDA C.., it is a keyword"),
    ],
)
def test_names_that_mean_something_else_in_cuda(inputs, outputs, text):
    function = eval(f"lambda {inputs}: 0")
    with pytest.raises(ValueError, match=f"^<lambda>: {text}"):
        ufunc("x", ["ff->f"], outputs=outputs)(function)


def test_names_of_generated_code_may_be_used():
    @ufunc("out0 = in0 + element * mask + i + result;", ["fffff->f"], outputs="out0")
    def f(in0, element, mask, i, result): ...

    assert f(*np.arange(5, dtype="f4")) == 9


def test_an_expression_may_end_in_a_comment():
    @ufunc("2 * x  // twice", ["f->f"])
    def twice(x): ...

    assert twice(np.float32(3)) == 6


def test_an_expression_that_does_not_compile():
    @ufunc("x + undeclared", ["f->f"])
    def broken(x): ...

    text = (
        r'(?s)^broken: kernel elementwise::flat<float, .*(identifier "undeclared" is undefined|undeclared identifier)'
    )
    with pytest.raises(OperatorError, match=text):
        broken(np.ones(3, "f4"))
    with pytest.raises(OperatorError, match=r"^broken: kernel elementwise::flat<float, "):
        broken.compile()


class Logged:
    """Takes calls of universal functions, like the arrays of other libraries."""

    def __init__(self, value):
        self.value = value

    def __array_ufunc__(self, function, method, *inputs, **keywords):
        plain = [each.value if isinstance(each, Logged) else each for each in inputs]
        if "out" in keywords:
            keywords["out"] = tuple(each.value if isinstance(each, Logged) else each for each in keywords["out"])
        return type(self)(getattr(function, method)(*plain, **keywords))


class Nested(Logged):
    """A subclass is asked first."""


class Reluctant:
    def __array_ufunc__(self, function, method, *inputs, **keywords):
        return NotImplemented


class Refusing:
    __array_ufunc__ = None


def test_arguments_override_the_call():
    found = add(X, Logged(X))
    assert type(found) is Logged
    np.testing.assert_array_equal(found.value, X + X)
    assert type(add(Logged(X), Nested(X))) is Nested
    out = np.zeros(3)
    assert add(X, 1, out=Logged(out)).value is out
    with pytest.raises(TypeError, match="add: operands of Reluctant return NotImplemented"):
        add(X, Reluctant())
    with pytest.raises(TypeError, match="add: operand Refusing does not support universal functions"):
        add(X, Refusing())


def test_arrays_of_dask():
    dask = pytest.importorskip("dask.array", reason="dask is not installed")
    found = add(dask.from_array(np.arange(10.0), chunks=4), 1)
    assert isinstance(found, dask.Array)
    np.testing.assert_array_equal(found.compute(scheduler="synchronous"), np.arange(10.0) + 1)


def test_pickles_contain_the_compiled_code():
    add(X, X)
    data = pickle.dumps(add)
    assert pickle.loads(data) is add  # of a module

    def local():
        @ufunc("x * y", ["dd->d"])
        def product(x, y):
            """Product."""

        return product

    product = local()
    product(X, X)
    assert len(product.kernels.compiled) == 1
    copy = pickle.loads(pickle.dumps(product))  # although it is of no module
    assert isinstance(copy, Ufunc)
    assert copy.kernels.compiled == product.kernels.compiled
    assert (copy.__name__, copy.__doc__, copy.types) == ("product", "Product.", ["dd->d"])
    np.testing.assert_array_equal(copy(X, X), X * X)


def test_compile_ahead():
    @ufunc("x / 2", ["f->f", "d->d"])
    def half(x): ...

    names = half.compile()
    assert sorted(name for name, _ in half.kernels.compiled) == sorted(names)
    assert len(names) == 2
    assert half(np.ones(2)).tolist() == [0.5, 0.5]
    assert len(half.kernels.compiled) == 2  # nothing else was compiled
