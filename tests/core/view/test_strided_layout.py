# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""StridedLayout changes shapes and strides as NumPy does for views of arrays."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from cuda.core.utils import StridedLayout, StridedMemoryView

EXTENTS = st.lists(st.integers(1, 4), min_size=0, max_size=4)
MEMORY = np.arange(4096, dtype=np.int32)


@st.composite
def pairs(draw):
    """Return a view of MEMORY made by slicing and transposing, and its layout."""
    shape = draw(EXTENTS)
    array = MEMORY[: math.prod(shape)].reshape(shape)
    layout = StridedLayout.dense(shape, 4)
    order = draw(st.permutations(range(len(shape))))
    array, layout = array.transpose(order), layout.permuted(order)
    index = tuple(draw(st.builds(slice, st.integers(0, 1), st.none(), st.sampled_from([1, 2, -1]))) for _ in order)
    return array[(*index, ...)], layout[index]


def same(array, layout):
    """Return whether a layout has the elements of a view of MEMORY, in the same order."""
    assert layout.shape == array.shape
    first = MEMORY[layout.slice_offset :] if array.size else MEMORY
    seen = as_strided(first, layout.shape, layout.strides_in_bytes)
    return (seen == array).all()


@given(pairs())
def test_slices_and_permutations(pair):
    array, layout = pair
    assert same(array, layout)
    assert layout.volume == array.size
    assert layout.ndim == array.ndim
    assert layout.is_contiguous_c == array.flags.c_contiguous
    assert layout.is_contiguous_f == array.flags.f_contiguous
    assert layout.is_unique == (len(set(array.ravel().tolist())) == array.size)
    if array.size:
        assert layout.offset_bounds == (array.min(), array.max())
        assert layout.required_size_in_bytes() == 4 * (array.max() + 1)
        assert layout.is_dense == (array.max() - array.min() + 1 == array.size)
    else:
        assert layout.offset_bounds == (0, -1)
        assert layout.required_size_in_bytes() == 0
    assert same(array.squeeze(), layout.squeezed())
    assert layout.unsqueezed(0).shape == (1, *layout.shape)


@given(pairs(), st.data())
def test_reshaping_needs_a_copy_exactly_when_numpy_does(pair, data):
    array, layout = pair
    shape = data.draw(st.permutations(array.shape + (1,)))
    merged = data.draw(st.sampled_from([tuple(shape), (array.size,), (-1,), (1, array.size)]))
    try:
        view = array.reshape(merged, copy=False)
    except ValueError:
        if array.size:
            with pytest.raises(ValueError, match="would need a copy"):
                layout.reshaped(merged)
        return
    if -1 in merged and not array.size:
        return
    assert same(view, layout.reshaped(merged))


@given(pairs(), EXTENTS)
def test_broadcasting(pair, front):
    array, layout = pair
    wanted = (*front, *(3 if extent == 1 else extent for extent in array.shape))
    assert same(np.broadcast_to(array, wanted), layout.broadcast_to(wanted))


@given(pairs(), st.sampled_from([1, 2, 4, 8, 16]))
def test_other_element_sizes(pair, itemsize):
    array, layout = pair
    if not array.ndim or not array.size:
        return
    try:
        expected = array.view(f"V{itemsize}")
    except ValueError:
        with pytest.raises(ValueError, match=r"not contiguous|do not make up"):
            layout.repacked(itemsize)
        return
    try:
        found = layout.repacked(itemsize)
    except ValueError:
        return  # the start is not a multiple of the new size, which a layout does not know
    assert (found.shape, found.itemsize) == (expected.shape, itemsize)
    assert found.slice_offset_in_bytes == layout.slice_offset_in_bytes
    kept = [at for at, extent in enumerate(expected.shape) if extent != 1]
    assert [found.strides_in_bytes[at] for at in kept] == [expected.strides[at] for at in kept]


def test_dense_layouts():
    assert StridedLayout.dense((2, 3, 4), 8).strides == (12, 4, 1)
    assert StridedLayout.dense((2, 3, 4), 8, "F").strides == (1, 2, 6)
    mixed = StridedLayout.dense((2, 3, 4), 8, (1, 0, 2))
    assert (mixed.strides, mixed.stride_order) == ((4, 8, 1), (1, 0, 2))
    assert (mixed.is_contiguous_c, mixed.is_contiguous_f, mixed.is_contiguous_any) == (False, False, True)
    assert StridedLayout.dense_like(mixed[:, ::2]).strides == (4, 8, 1)
    assert StridedLayout.dense_like(mixed, "C").is_contiguous_c
    assert StridedLayout((2, 3), None, 4) == StridedLayout((2, 3), (12, 4), 4, divide_strides=True)


def test_layout_attributes_and_operations():
    layout = StridedLayout.dense((4, 6), 4)
    part = layout[1:3, ::2]
    assert (part.strides, part.slice_offset, part.slice_offset_in_bytes) == ((6, 2), 6, 24)
    assert layout[..., 1].shape == (4,)
    assert layout[-1, -1].slice_offset == 23
    assert layout.flattened().shape == (24,)
    assert StridedLayout.dense((2, 3, 4), 1).flattened(1).shape == (2, 12)
    assert layout.max_compatible_itemsize() == 8
    assert StridedLayout.dense((4, 8), 2).max_compatible_itemsize(32) == 16
    assert not layout.broadcast_to((5, 4, 6)).is_unique
    assert len({part, layout[1:3, ::2], layout}) == 2
    assert pickle.loads(pickle.dumps(part)) == copy.deepcopy(part) == part
    assert repr(part) == "StridedLayout(shape=(2, 3), strides=(6, 2), itemsize=4, slice_offset=6)"
    interleaved = StridedLayout((2, 2), (3, 2), 1)
    assert (interleaved.is_unique, interleaved.is_dense) == (True, False)
    assert layout.unsqueezed((0, -1)).shape == (1, 4, 6, 1)


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda: StridedLayout((2, -1), None, 4), ValueError, "has a negative extent"),
        (lambda: StridedLayout((2,), (1, 1), 4), ValueError, "have different lengths"),
        (lambda: StridedLayout((2,), None, 0), ValueError, "itemsize must be an int of at least 1 byte"),
        (lambda: StridedLayout("ab", None, 4), TypeError, "shape must be a tuple of ints, not 'ab'"),
        (lambda: StridedLayout((2,), (6,), 4, True), ValueError, "no multiples of the itemsize 4"),
        (lambda: StridedLayout.dense((2, 2), 4, (0, 0)), ValueError, "stride_order must be"),
        (lambda: LAYOUT.reshaped((5, 5)), ValueError, "24 elements do not make up shape"),
        (lambda: LAYOUT.reshaped((-1, -1)), ValueError, "more than one -1"),
        (lambda: LAYOUT.reshaped((-1, 5)), ValueError, "24 elements do not make up shape"),
        (lambda: LAYOUT.permuted((0, 0)), ValueError, "must have all 2 axes once"),
        (lambda: LAYOUT.permuted((0, 5)), ValueError, "axis 5 is not there"),
        (lambda: LAYOUT.flattened(1, 0), ValueError, "end_axis 0 is before start_axis 1"),
        (lambda: LAYOUT.unsqueezed((0, 0)), ValueError, "axis must have different positions below 4"),
        (lambda: LAYOUT.broadcast_to((4, 5)), ValueError, r"shape \(4, 6\) does not stretch to \(4, 5\)"),
        (lambda: LAYOUT.broadcast_to((6,)), ValueError, "does not stretch"),
        (lambda: LAYOUT[4], IndexError, "4 is outside of axis 0"),
        (lambda: LAYOUT[0, 0, 0], IndexError, "too many parts for 2 axes"),
        (lambda: LAYOUT["a"], TypeError, "indexed by ints, slices"),
        (
            lambda: (
                LAYOUT[:, ::-1][:, 3:].required_size_in_bytes() and LAYOUT._with((2,), (-1,)).required_size_in_bytes()
            ),
            ValueError,
            "before the beginning",
        ),
        (lambda: setattr(LAYOUT, "shape", ()), AttributeError, "does not change"),
    ],
)
def test_wrong_use(use, error, message):
    with pytest.raises(error, match=message):
        use()


LAYOUT = StridedLayout.dense((4, 6), 4)


def test_view_accepts_a_layout():
    array = np.arange(24, dtype=np.int32).reshape(4, 6)
    view = StridedMemoryView.from_array_interface(array)
    assert view.layout == LAYOUT
    part = view.view(view.layout[1:3, ::-2])
    assert (part.shape, part.strides) == ((2, 3), (6, -2))
    assert (np.from_dlpack(part) == array[1:3, ::-2]).all()
    assert (np.from_dlpack(part.view(part.layout[1])) == array[2, ::-2]).all()
    pairs_ = view.view(view.layout.repacked(8), dtype=np.int64)
    assert (np.from_dlpack(pairs_) == array.view(np.int64)).all()
    untyped = view.view(view.layout.repacked(8))
    assert untyped.dtype is None
    assert untyped.view(dtype=np.complex64).dtype == np.complex64
    again = view.view(StridedLayout.dense((6, 4), 4))
    assert (np.from_dlpack(again) == array.reshape(6, 4)).all()


def test_a_view_refuses_a_layout_beyond_its_memory():
    view = StridedMemoryView.from_array_interface(np.arange(24, dtype=np.int32).reshape(4, 6)[1:])
    with pytest.raises(ValueError, match="lead out of the view's memory"):
        view.view(StridedLayout.dense((4, 6), 4))
    with pytest.raises(ValueError, match="lead out of the view's memory"):
        view.view(StridedLayout((2,), (-1,), 4))
    with pytest.raises(TypeError, match="layout must be a StridedLayout, not int"):
        view.view(3)
    with pytest.raises(ValueError, match="dtype int64 has 8 bytes, but the elements of the layout have 4"):
        view.view(view.layout, dtype=np.int64)
