# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""StridedLayout: shape, strides and item size of an array, independent of its memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def row_major(shape: Sequence[int], order: Sequence[int] | None = None) -> tuple[int, ...]:
    """Return the strides, in elements, of a dense array; `order` lists the axes by descending stride."""
    strides, step = [0] * len(shape), 1
    for axis in reversed(range(len(shape)) if order is None else order):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def _ints(values: Any, name: str) -> tuple[int, ...]:
    try:
        return tuple(value.__index__() for value in ([values] if hasattr(values, "__index__") else values))
    except (AttributeError, TypeError):
        raise TypeError(f"{name} must be a tuple of ints, not {values!r}") from None


class StridedLayout:
    """The shape, strides and item size of an array, without its memory. Layouts are immutable.

    Thread safety: immutable; threads may share it.

    Parameters
    ----------
    shape : tuple of int
        The extent of each axis.
    strides : tuple of int, optional
        The strides in elements; C order by default.
    itemsize : int
        Bytes of an element.
    divide_strides : bool
        Whether `strides` are given in bytes.

    Examples
    --------
    >>> layout = StridedLayout.dense((4, 6), itemsize=4)
    >>> layout[1:3, ::2].strides
    (6, 2)
    """

    __slots__ = ("_itemsize", "_offset", "_shape", "_strides")

    _shape: tuple[int, ...]
    _strides: tuple[int, ...]
    _itemsize: int
    _offset: int

    def __init__(
        self, shape: Sequence[int], strides: Sequence[int] | None, itemsize: int, divide_strides: bool = False
    ) -> None:
        found = _ints(shape, "shape")
        steps = row_major(found) if strides is None else _ints(strides, "strides")
        if any(extent < 0 for extent in found):
            raise ValueError(f"shape {found} has a negative extent")
        if len(steps) != len(found):
            raise ValueError(f"strides {steps} and shape {found} have different lengths")
        if not hasattr(itemsize, "__index__") or itemsize < 1:
            raise ValueError(f"itemsize must be an int of at least 1 byte, not {itemsize!r}")
        if divide_strides and strides is not None:
            if any(step % itemsize for step in steps):
                raise ValueError(f"strides {steps} bytes are no multiples of the itemsize {itemsize}")
            steps = tuple(step // itemsize for step in steps)
        self._set(found, steps, int(itemsize), 0)

    def _set(self, shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, offset: int) -> None:
        for name, value in zip(self.__slots__, (itemsize, offset, shape, strides), strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a StridedLayout does not change: its {name} cannot be set")

    def _with(self, shape: Sequence[int], strides: Sequence[int], offset: int | None = None) -> StridedLayout:
        made = type(self).__new__(type(self))
        made._set(tuple(shape), tuple(strides), self._itemsize, self._offset if offset is None else offset)
        return made

    @classmethod
    def dense(cls, shape: Sequence[int], itemsize: int, stride_order: str | Sequence[int] = "C") -> StridedLayout:
        """Create the layout of a dense array.

        Parameters
        ----------
        shape : tuple of int
            The extent of each axis.
        itemsize : int
            Bytes of an element.
        stride_order : str or tuple of int
            ``"C"``: the last axis is contiguous; ``"F"``: the first; or the axes by descending stride.

        Returns
        -------
        StridedLayout
            A layout without gaps.

        Raises
        ------
        TypeError
            If an argument is of another type.
        ValueError
            If an extent is negative, or `stride_order` does not name each axis once.

        Examples
        --------
        >>> StridedLayout.dense((3, 4), 8, "F").strides
        (1, 3)
        """
        found = _ints(shape, "shape")
        if stride_order == "C" or stride_order == "F":
            axes = tuple(range(len(found)))[:: 1 if stride_order == "C" else -1]
        else:
            axes = _ints(stride_order, "stride_order")
        if sorted(axes) != list(range(len(found))):
            raise ValueError(f"stride_order must be 'C', 'F' or all axes of {found} once, not {stride_order!r}")
        return cls(found, row_major(found, axes), itemsize)

    @classmethod
    def dense_like(cls, other: StridedLayout, stride_order: str | Sequence[int] = "K") -> StridedLayout:
        """Create a dense layout with the shape of another.

        Parameters
        ----------
        other : StridedLayout
            The layout whose shape and item size are taken.
        stride_order : str or tuple of int
            As for `dense`; ``"K"`` keeps the other's order of strides.

        Returns
        -------
        StridedLayout
            A layout without gaps.

        Raises
        ------
        TypeError, ValueError
            As `dense`.

        Examples
        --------
        >>> sliced = StridedLayout.dense((4, 8), 4)[:, ::2]
        >>> sliced.strides, StridedLayout.dense_like(sliced).strides
        ((8, 2), (4, 1))
        """
        chosen = other.stride_order if stride_order == "K" else stride_order
        return cls.dense(other.shape, other.itemsize, chosen)

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the extent of each axis."""
        return self._shape

    @property
    def strides(self) -> tuple[int, ...]:
        """Return the strides in elements."""
        return self._strides

    @property
    def strides_in_bytes(self) -> tuple[int, ...]:
        """Return the strides in bytes."""
        return tuple(step * self._itemsize for step in self._strides)

    @property
    def itemsize(self) -> int:
        """Return the size of an element in bytes."""
        return self._itemsize

    @property
    def ndim(self) -> int:
        """Return the number of axes."""
        return len(self._shape)

    @property
    def volume(self) -> int:
        """Return the number of elements."""
        return math.prod(self._shape)

    @property
    def slice_offset(self) -> int:
        """Return the offset of the first element from that of the original layout, in elements."""
        return self._offset

    @property
    def slice_offset_in_bytes(self) -> int:
        """Return the offset of the first element from that of the original layout, in bytes."""
        return self._offset * self._itemsize

    @property
    def offset_bounds(self) -> tuple[int, int]:
        """Return the lowest and highest offset of an element, in elements; (0, -1) for an empty layout."""
        if not self.volume:
            return (0, -1)
        reach = [(extent - 1) * step for extent, step in zip(self._shape, self._strides, strict=True)]
        return (
            self._offset + sum(step for step in reach if step < 0),
            self._offset + sum(step for step in reach if step > 0),
        )

    @property
    def stride_order(self) -> tuple[int, ...]:
        """Return the axes by descending stride."""
        return tuple(sorted(range(self.ndim), key=lambda axis: -abs(self._strides[axis])))

    @property
    def is_contiguous_c(self) -> bool:
        """Return whether the layout is C-contiguous."""
        return self._is_dense_along(range(self.ndim))

    @property
    def is_contiguous_f(self) -> bool:
        """Return whether the layout is Fortran-contiguous."""
        return self._is_dense_along(range(self.ndim - 1, -1, -1))

    @property
    def is_contiguous_any(self) -> bool:
        """Return whether the layout is contiguous for some order of the axes."""
        return self._is_dense_along(sorted(self.stride_order, key=lambda axis: -abs(self._strides[axis])))

    @property
    def is_dense(self) -> bool:
        """Return whether the elements fill the memory between their lowest and highest address, in any order."""
        low, high = self.offset_bounds
        return self.is_unique and high - low + 1 == self.volume

    @property
    def is_unique(self) -> bool:
        """Return whether no two elements share an address."""
        reach = 0
        for axis in reversed(self.stride_order):
            extent, step = self._shape[axis], abs(self._strides[axis])
            if extent < 2 or not self.volume:
                continue
            if step <= reach:
                return len(set(self._places())) == self.volume  # interleaved axes: rare, so enumerate the offsets
            reach += (extent - 1) * step
        return True

    def _places(self) -> list[int]:
        offsets = [self._offset]
        for extent, step in zip(self._shape, self._strides, strict=True):
            offsets = [offset + index * step for offset in offsets for index in range(extent)]
        return offsets

    def _is_dense_along(self, axes: Sequence[int]) -> bool:
        step = 1
        for axis in reversed(axes):
            if self._shape[axis] == 0:
                return True
            if self._shape[axis] != 1:
                if self._strides[axis] != step:
                    return 0 in self._shape
                step *= self._shape[axis]
        return True

    def required_size_in_bytes(self) -> int:
        """Return the size that the memory must have, in bytes from the original layout's first element.

        Returns
        -------
        int
            Bytes up to the end of the last element.

        Raises
        ------
        ValueError
            If elements lie before the beginning of the memory.

        Examples
        --------
        >>> StridedLayout((3, 4), (8, 1), 4).required_size_in_bytes()  # two rows of 8 elements, and 4 elements
        80
        """
        low, high = self.offset_bounds
        if low < 0:
            raise ValueError("the layout has elements before the beginning of its memory")
        return (high + 1) * self._itemsize

    def reshaped(self, shape: Sequence[int]) -> StridedLayout:
        """Return the layout of the same elements in another shape.

        Parameters
        ----------
        shape : sequence of int
            The new extents; one may be -1, to be inferred.

        Returns
        -------
        StridedLayout
            The layout of the same memory.

        Raises
        ------
        TypeError
            If `shape` is no sequence of ints.
        ValueError
            If the number of elements differs, or the elements are too far apart, so that a copy would be needed.

        Examples
        --------
        >>> StridedLayout.dense((3, 4), 4).reshaped((2, -1)).shape
        (2, 6)
        """
        wanted = list(_ints(shape, "shape"))
        if wanted.count(-1) > 1:
            raise ValueError(f"shape {shape} has more than one -1")
        if -1 in wanted:
            rest = math.prod(extent for extent in wanted if extent != -1)
            if not rest or self.volume % rest:
                raise ValueError(f"{self.volume} elements do not make up shape {tuple(wanted)}")
            wanted[wanted.index(-1)] = self.volume // rest
        if any(extent < 0 for extent in wanted) or math.prod(wanted) != self.volume:
            raise ValueError(f"{self.volume} elements do not make up shape {tuple(wanted)}")
        if not self.volume:
            return self._with(wanted, row_major(wanted))
        strides = _reshape([axis for axis in zip(self._shape, self._strides, strict=True) if axis[0] != 1], wanted)
        if strides is None:
            raise ValueError(f"shape {tuple(wanted)} would need a copy: the elements are too far apart")
        return self._with(wanted, strides)

    def flattened(self, start_axis: int = 0, end_axis: int = -1) -> StridedLayout:
        """Return the layout with a range of axes merged into one.

        Parameters
        ----------
        start_axis, end_axis : int
            The first and last axis of the range; all axes by default.

        Returns
        -------
        StridedLayout
            The layout of the same memory.

        Raises
        ------
        TypeError
            If an axis is no int.
        ValueError
            If the range is empty, its strides do not allow it, or there is no such axis.

        Examples
        --------
        >>> StridedLayout.dense((2, 3, 4), 4).flattened(1).shape
        (2, 12)
        """
        if not self.ndim:
            return self.reshaped((1,))
        first, last = self._axis(start_axis), self._axis(end_axis)
        if last < first:
            raise ValueError(f"end_axis {end_axis} is before start_axis {start_axis}")
        inner = math.prod(self._shape[first : last + 1])
        return self.reshaped((*self._shape[:first], inner, *self._shape[last + 1 :]))

    def permuted(self, axis_order: Sequence[int]) -> StridedLayout:
        """Return the layout with the axes in another order, as `numpy.transpose` does.

        Parameters
        ----------
        axis_order : sequence of int
            All axes, each once.

        Returns
        -------
        StridedLayout
            The layout of the same memory.

        Raises
        ------
        TypeError
            If `axis_order` is no sequence of ints.
        ValueError
            If it does not name each axis once.

        Examples
        --------
        >>> StridedLayout.dense((2, 3, 4), 4).permuted((2, 0, 1)).shape
        (4, 2, 3)
        """
        axes = tuple(self._axis(axis) for axis in _ints(axis_order, "axis_order"))
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError(f"axis_order must have all {self.ndim} axes once, not {axis_order!r}")
        return self._with([self._shape[axis] for axis in axes], [self._strides[axis] for axis in axes])

    def squeezed(self) -> StridedLayout:
        """Return the layout without the axes of extent 1.

        Returns
        -------
        StridedLayout
            The layout of the same memory.

        Examples
        --------
        >>> StridedLayout.dense((1, 3, 1, 4), 4).squeezed().shape
        (3, 4)
        """
        kept = [pair for pair in zip(self._shape, self._strides, strict=True) if pair[0] != 1]
        return self._with([pair[0] for pair in kept], [pair[1] for pair in kept])

    def unsqueezed(self, axis: int | Sequence[int]) -> StridedLayout:
        """Return the layout with axes of extent 1 added.

        Parameters
        ----------
        axis : int or sequence of int
            The positions of the added axes in the result.

        Returns
        -------
        StridedLayout
            The layout of the same memory.

        Raises
        ------
        TypeError
            If `axis` is neither an int nor a sequence of ints.
        ValueError
            If a position is out of range or given twice.

        Examples
        --------
        >>> StridedLayout.dense((3, 4), 4).unsqueezed((0, -1)).shape
        (1, 3, 4, 1)
        """
        given = _ints(axis, "axis")
        count = self.ndim + len(given)
        positions = {position + count if position < 0 else position for position in given}
        if len(positions) != len(given) or not all(0 <= position < count for position in positions):
            raise ValueError(f"axis must have different positions below {count}, not {axis!r}")
        rest = iter(zip(self._shape, self._strides, strict=True))
        pairs = [(1, 0) if position in positions else next(rest) for position in range(count)]
        return self._with([pair[0] for pair in pairs], [pair[1] for pair in pairs])

    def broadcast_to(self, shape: Sequence[int]) -> StridedLayout:
        """Return the layout broadcast to a shape: axes of extent 1 and new leading axes get stride 0.

        Parameters
        ----------
        shape : sequence of int
            The new extents.

        Returns
        -------
        StridedLayout
            The layout of the same memory.

        Raises
        ------
        TypeError
            If `shape` is no sequence of ints.
        ValueError
            If the layout cannot be broadcast to it.

        Examples
        --------
        >>> StridedLayout.dense((4,), 4).broadcast_to((3, 4)).strides
        (0, 1)
        """
        wanted = _ints(shape, "shape")
        added = len(wanted) - self.ndim
        fits = added >= 0 and all(
            mine in (1, extent) for mine, extent in zip(self._shape, wanted[max(added, 0) :], strict=added >= 0)
        )
        if not fits:
            raise ValueError(f"shape {self._shape} does not stretch to {wanted}")
        steps = [0 if mine == 1 else step for mine, step in zip(self._shape, self._strides, strict=True)]
        return self._with(wanted, [0] * added + steps)

    def repacked(self, itemsize: int, axis: int = -1) -> StridedLayout:
        """Return the layout of the same bytes as elements of another size, with the extent of one axis adapted.

        Parameters
        ----------
        itemsize : int
            Bytes of an element.
        axis : int
            The axis, which must be contiguous.

        Returns
        -------
        StridedLayout
            The layout of the same memory.

        Raises
        ------
        ValueError
            If there is no such axis, it is not contiguous, or its bytes do not make up such elements.

        Examples
        --------
        >>> StridedLayout.dense((3, 4), 4).repacked(16)
        StridedLayout(shape=(3, 1), strides=(1, 1), itemsize=16)
        """
        index = self._axis(axis)
        extent, start = self._shape[index] * self._itemsize, self._offset * self._itemsize
        whole = StridedLayout((), (), itemsize).itemsize  # validates it
        if self._strides[index] != 1 and self._shape[index] != 1:
            raise ValueError(f"axis {axis} is not contiguous: its stride is {self._strides[index]} elements")
        steps = [step * self._itemsize for step in self._strides]
        others = [step for at, step in enumerate(steps) if at != index and self._shape[at] != 1]
        if extent % whole or start % whole or any(step % whole for step in others):
            raise ValueError(f"the elements do not make up ones of {whole} bytes")
        made = self._with(
            [extent // whole if at == index else size for at, size in enumerate(self._shape)],
            [1 if at == index else step // whole for at, step in enumerate(steps)],
            start // whole,
        )
        made._set(made._shape, made._strides, whole, made._offset)
        return made

    def max_compatible_itemsize(self, max_itemsize: int = 16, axis: int = -1) -> int:
        """Return the largest item size, at most `max_itemsize` bytes, that `repacked` accepts.

        Parameters
        ----------
        max_itemsize : int
            The upper limit in bytes.
        axis : int
            The axis, which must be contiguous.

        Returns
        -------
        int
            Bytes, the item size times a power of two.

        Raises
        ------
        ValueError
            If the axis is out of range.

        Examples
        --------
        >>> StridedLayout.dense((3, 6), 4).max_compatible_itemsize()  # rows of 24 bytes
        8
        """
        self._axis(axis)  # raises if it is out of range
        best = self._itemsize
        while 2 * best <= max_itemsize:
            try:
                self.repacked(2 * best, axis)
            except ValueError:
                break
            best *= 2
        return best

    def _axis(self, axis: int) -> int:
        if not -self.ndim <= axis < self.ndim:
            raise ValueError(f"axis {axis} is not there: the layout has {self.ndim} axes")
        return axis % self.ndim

    def __getitem__(self, index: Any) -> StridedLayout:
        """Return the layout of a part, selected by ints, slices and `...` as in NumPy."""
        parts = list(index) if isinstance(index, tuple) else [index]
        given = sum(part is not Ellipsis for part in parts)
        if parts.count(Ellipsis) > 1 or given > self.ndim:
            raise IndexError(f"{index!r} has too many parts for {self.ndim} axes")
        index = next((at for at, part in enumerate(parts) if part is Ellipsis), len(parts))
        parts[index : index + 1] = [slice(None)] * (self.ndim - given)
        shape, strides, offset = [], [], self._offset
        for axis, part in enumerate(parts):
            extent, step = self._shape[axis], self._strides[axis]
            if isinstance(part, slice):
                chosen = range(extent)[part]
                offset += chosen.start * step if len(chosen) else 0
                shape.append(len(chosen))
                strides.append(chosen.step * step)
            elif hasattr(part, "__index__"):
                if not -extent <= part < extent:
                    raise IndexError(f"{part} is outside of axis {axis}, whose extent is {extent}")
                offset += part % extent * step
            else:
                raise TypeError(f"a layout is indexed by ints, slices and ..., not {type(part).__name__}")
        return self._with(shape, strides, offset)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StridedLayout):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return (self._shape, self._strides, self._itemsize, self._offset)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, self._key()

    def __repr__(self) -> str:
        at = f", slice_offset={self._offset}" if self._offset else ""
        return f"StridedLayout(shape={self._shape}, strides={self._strides}, itemsize={self._itemsize}{at})"


def _rebuilt(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, offset: int) -> StridedLayout:
    return StridedLayout(shape, strides, itemsize)._with(shape, strides, offset)


def _reshape(axes: list[tuple[int, int]], wanted: Sequence[int]) -> tuple[int, ...] | None:
    """Return the strides for another shape, None if the strides of `axes` do not allow it."""
    strides: list[int] = []
    extent = step = 1  # of the remaining part of the innermost axes
    for size in reversed(wanted):
        if size == 1:
            strides.append(step * extent if strides else 1)
            continue
        while extent % size or extent == 1:
            if not axes:
                return None
            outer, outer_step = axes.pop()
            if extent == 1:
                extent, step = outer, outer_step
            elif outer_step == step * extent:
                extent *= outer
            else:
                return None
        strides.append(step)
        step, extent = step * size, extent // size
    return tuple(reversed(strides))
