# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Universal functions from CUDA C++ compute what NumPy's do: broadcasting, types, layouts, out, where."""

import collections

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cuda.core import ProgramOptions
from cuda.interop.arrays import _execute
from cuda.interop.numpy import ufunc

pytestmark = pytest.mark.needs_nvrtc


@ufunc("x + y", ["bb->b", "ii->i", "ll->l", "ff->f", "dd->d"])
def add(x, y):
    """Sum."""


@ufunc("x - y * z", ["fff->f", "ddd->d"], options=ProgramOptions(fma=False))
def minus_product(x, y, z):
    """A difference with a product."""


@ufunc("quotient = floor(x / y); rest = x - y * quotient;", ["dd->dd"], outputs=("quotient", "rest"))
def divided(x, y):
    """Quotient and rest."""


@pytest.fixture(params=["in place", "copies"])
def way(request, monkeypatch, on_gpu):
    """Arrays are used in place, or copied to the device and back, as on a GPU without access to pageable memory."""
    if request.param == "copies":
        monkeypatch.setattr(_execute, "works_in_place", lambda device: False)
        monkeypatch.setattr(_execute, "_idle", collections.defaultdict(list))
    elif on_gpu:
        pytest.skip("whether a GPU works in place depends on the machine")


@pytest.mark.parametrize(
    ("a", "b"),
    [((), ()), ((5,), ()), ((300,), (300,)), ((4, 1), (3,)), ((2, 3, 70), (3, 1)), ((0, 3), (3,)), ((1, 0), (4, 1)),
     ((1000, 3), (3,)), ((3, 100), (1, 100))],
)  # fmt: skip
def test_broadcasting(way, a, b):
    x, y = np.random.default_rng(1).random(a), np.random.default_rng(2).random(b)
    found = add(x, y)
    np.testing.assert_array_equal(found, x + y, strict=True)
    assert type(found) is type(x + y)


def test_more_rows_than_blocks():
    x, y = np.random.default_rng(7).random((66_000, 65), "f4"), np.random.default_rng(8).random((66_000, 1), "f4")
    np.testing.assert_array_equal(add(x[:, :64], y), x[:, :64] + y)


def test_repeated_calls_use_the_arrays_given(way):
    """Later calls with the same types and shapes repeat the launch, for arrays that begin and are laid out alike."""
    for k in range(3):
        x, y = np.full((3, 70), float(k)), np.arange(70.0) + k
        np.testing.assert_array_equal(add(x, y), x + y, strict=True)
        np.testing.assert_array_equal(add(x[::-1], y), x + y, strict=True)
        np.testing.assert_array_equal(add(np.asfortranarray(x), y), x + y, strict=True)
        np.testing.assert_array_equal(add(x.astype(">f8"), y), x + y, strict=True)
        assert add(x, y) is not add(x, y)
    assert add(np.ones(3), np.ones(3)).dtype == np.float64
    assert add(np.ones(3, "i2"), np.ones(3, "i2")).dtype == np.int32
    assert add(np.ones(3, "i2"), np.ones(3, "i2")).dtype == np.int32


LAYOUTS = {
    "transposed": lambda x: x.T,
    "every second": lambda x: x[::2, ::2],
    "backwards": lambda x: x[::-1, ::-1],
    "one backwards": lambda x: x[:, ::-1],
    "a column": lambda x: x[:, 3:4],
    "Fortran": np.asfortranarray,
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
    "unaligned": lambda x: np.frombuffer(b"-" + x.tobytes(), x.dtype, offset=1).reshape(x.shape),
    "field": lambda x: np.stack([x, x], -1).view([("a", "f8"), ("b", "f8")])["b"][..., 0],
    "odd field": lambda x: _field(x),
    "other bytes": lambda x: x.astype(">f8"),
    "axes swapped": lambda x: np.stack([x, 2 * x]).transpose(2, 0, 1),
}


def _field(x):
    table = np.zeros(x.shape, [("a", "u1"), ("b", "f8")])
    table["b"] = x
    return table["b"]


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_of_inputs(way, name):
    x = LAYOUTS[name](np.random.default_rng(3).random((70, 90)))
    y = np.random.default_rng(4).random(x.shape)
    np.testing.assert_array_equal(add(x, y), x.astype("f8") + y, strict=True)
    found, expected = add(x, x), np.add(x.astype("f8", order="K"), x)
    np.testing.assert_array_equal(found, expected, strict=True)
    if name in ("transposed", "Fortran", "axes swapped"):
        assert found.strides == expected.strides


@pytest.mark.parametrize("order", ["K", "C", "F", "A"])
def test_order_of_new_outputs(order):
    x = np.asfortranarray(np.ones((3, 4)))
    assert add(x, x, order=order).strides == np.add(x, x, order=order).strides
    assert add(x, 1, order=order).strides == np.add(x, 1, order=order).strides


NUMBERS = [
    np.int8(3), np.array([1, 2], "i1"), np.array([1, 2], "i4"), np.arange(2), np.ones(2, "f2"), np.ones(2, "f4"),
    np.float32(2), np.ones(2), np.array([True, False]), 2, 2.5, True,
]  # fmt: skip


@pytest.mark.parametrize("x", NUMBERS, ids=repr)
@pytest.mark.parametrize("y", NUMBERS, ids=repr)
def test_types_follow_numpy(x, y):
    """As np.hypot with loops for float and double would: numbers of Python do not widen arrays."""

    @ufunc("hypot(x, y)", ["ff->f", "dd->d"])
    def length(x, y): ...

    expected = np.hypot(x, y, dtype="f4" if np.hypot(x, y).dtype == np.float16 else None)
    np.testing.assert_allclose(length(x, y), expected, rtol=1e-6, strict=True)


def test_a_number_that_does_not_fit():
    with pytest.raises(OverflowError):
        add(np.ones(2, "i1"), 1000)
    assert add(np.ones(2, "i1"), 100).dtype == np.int8


def test_dtype_and_signature_choose_the_loop():
    x = np.arange(3, dtype="i4")
    assert add(x, x).dtype == np.int32
    assert add(x, x, dtype="f8").dtype == np.float64
    assert add(x, x, signature="ff->f", casting="unsafe").dtype == np.float32
    assert add(x, x, signature=("f4", "f4", "f4")).dtype == np.float32  # same kind
    with pytest.raises(
        TypeError, match="add: no loop for inputs of int32, int32 and signature ff->f with casting 'safe'"
    ):
        add(x, x, signature="ff->f", casting="safe")
    with pytest.raises(TypeError, match="dtype and signature are both given"):
        add(x, x, signature="ff->f", dtype="f4")


def test_out(way):
    x, out = np.arange(12.0).reshape(3, 4), np.zeros((3, 4))
    assert add(x, 1, out=out) is out
    np.testing.assert_array_equal(out, x + 1)
    assert add(x, 2, out) is out
    assert add(x, 3, out=(out,)) is out
    np.testing.assert_array_equal(out, x + 3)
    wide = np.zeros((2, 3, 4))
    add(x, 1, out=wide)
    np.testing.assert_array_equal(wide, np.stack([x + 1, x + 1]))
    table = np.full((6, 8), -1.0)
    add(x, 1, out=table[::2, ::2])
    np.testing.assert_array_equal(table[::2, ::2], x + 1)
    assert (table[1::2] == -1).all()
    single = np.zeros((3, 4), "f4")
    add(x, 1, out=single)  # double to float is of the same kind
    np.testing.assert_array_equal(single, x + 1)
    swapped = np.zeros((3, 4), ">f8")
    add(x, 1, out=swapped)
    np.testing.assert_array_equal(swapped, x + 1)
    point = np.zeros(())
    assert add(1.0, 2.0, out=point) is point
    assert point == 3


def test_out_may_overlap_the_inputs(way):
    for target, source in (
        (np.s_[1:], np.s_[:-1]),
        (np.s_[:-1], np.s_[1:]),
        (np.s_[::-1], np.s_[:]),
        (np.s_[:], np.s_[:]),
    ):
        found, expected = np.arange(1000.0), np.arange(1000.0)
        add(found[source], 1, out=found[target])
        np.add(expected[source], 1, out=expected[target])
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(4, 90), (90,), (1,), ()])
def test_where(way, shape):
    x = np.random.default_rng(5).random((4, 90))
    mask = np.random.default_rng(6).random(shape) < 0.5
    out, expected = np.full((4, 90), -1.0), np.full((4, 90), -1.0)
    add(x, 1, out=out, where=mask)
    np.add(x, 1, out=expected, where=mask)
    np.testing.assert_array_equal(out, expected)
    narrow = np.full((4, 90), -1, "f4")
    add(x, 1, out=narrow, where=mask)
    np.testing.assert_array_equal(narrow, expected.astype("f4"))
    full = np.broadcast_to(mask, x.shape).T
    np.testing.assert_array_equal(add(x.T, 1, where=full)[full], (x + 1).T[full])


def test_several_outputs(way):
    x = np.linspace(-5, 5, 60).reshape(6, 10)
    quotient, rest = divided(x, 3)
    np.testing.assert_array_equal(quotient, np.floor(x / 3))
    np.testing.assert_allclose(rest, x - 3 * np.floor(x / 3), atol=1e-15)
    kept = np.empty((6, 10))
    a, b = divided(x, 3, out=(None, kept))
    assert b is kept
    np.testing.assert_array_equal(a, quotient)
    np.testing.assert_array_equal(kept, rest)
    assert (divided.nin, divided.nout, divided.nargs, divided.types) == (2, 2, 4, ["dd->dd"])


def test_a_device_function_and_a_template():
    source = """
    template <class T> __device__ T clamped(T x, T low, T high) { return x < low ? low : x > high ? high : x; }
    """

    @ufunc("clamped(x, x_t(low), x_t(high))", ["lll->l", "ddd->d"], source=source)
    def clamp(x, low, high): ...

    np.testing.assert_array_equal(clamp(np.arange(6), 1, 4), np.clip(np.arange(6), 1, 4), strict=True)
    np.testing.assert_array_equal(clamp(np.arange(6.0), 1.5, 4), np.clip(np.arange(6.0), 1.5, 4), strict=True)


@pytest.mark.needs_recent_nvrtc
def test_half_and_complex_include_their_headers():
    @ufunc("x * y", ["ee->e", "FF->F"])
    def product(x, y): ...

    x = np.array([1, 2, 3.5], "f2")
    np.testing.assert_array_equal(product(x, x), x * x, strict=True)
    z = np.array([1 + 2j, -3j], "F")
    np.testing.assert_allclose(product(z, z), z * z)


@pytest.mark.needs_recent_nvrtc
def test_types_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    bfloat16 = np.dtype(ml_dtypes.bfloat16)

    @ufunc("x + x", [(bfloat16, bfloat16)])
    def double(x): ...

    x = np.array([1, 2.5], bfloat16)
    np.testing.assert_array_equal(double(x), x + x, strict=True)


def test_outer_and_names_in_expressions():
    np.testing.assert_array_equal(add.outer([1, 2], [[3.0], [4.0]]), np.add.outer([1, 2], [[3.0], [4.0]]), strict=True)

    @ufunc("count + i + n + mask", ["dddd->d"])
    def names(count, i, n, mask):
        """Inputs may have any names."""

    assert names(1, 2, 3, 4) == 10
    assert names.__doc__ == "Inputs may have any names."


@pytest.mark.parametrize("axes", [33, 40, 64])
def test_as_many_axes_as_numpy_has(axes):
    shape = [1] * axes
    shape[::16] = [2] * len(shape[::16])
    x = np.arange(np.prod(shape), dtype="f4").reshape(shape)
    for one, y in ((x, 2.0), (x.T, np.float32(2)), (x, x[0]), (x.T, x)):
        found = minus_product(one, y, np.float32(3))
        expected = one - y * 3
        np.testing.assert_array_equal(found, expected)
        long = np.array(expected.shape) > 1
        assert found.shape == expected.shape
        np.testing.assert_array_equal(np.array(found.strides)[long], np.array(expected.strides)[long])
    with pytest.raises(ValueError, match="operands do not broadcast"):
        minus_product(x, np.ones([3, *shape[1:]], "f4"), 1)


SHAPES = arrays.mutually_broadcastable_shapes(num_shapes=3, max_dims=4, max_side=6)


@settings(max_examples=60)
@given(SHAPES, st.data())
def test_any_operands(shapes, data):
    """Equal to NumPy to the last bit, for all shapes, strides and masks."""
    operands = []
    for k, shape in enumerate(shapes.input_shapes):
        steps = [data.draw(st.sampled_from([1, 2, -1, -2])) for _ in shape]
        base = (
            np.random.default_rng(k)
            .random([extent * 2 for extent in shape])
            .astype(data.draw(st.sampled_from(["f4", "f8"])))
        )
        view = base[tuple(slice(None, None, step) for step in steps)][tuple(slice(extent) for extent in shape)]
        operands.append(view)
    if data.draw(st.booleans()):
        operands = [each.T for each in operands]
        try:
            np.broadcast_shapes(*(each.shape for each in operands))
        except ValueError:
            operands = [each.T for each in operands]
    x, y, z = operands
    found, expected = minus_product(x, y, z), x - y * z
    if any(each.dtype == np.float64 for each in operands):
        expected = x.astype("f8") - y.astype("f8") * z.astype("f8")
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
