# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Calls of element-wise functions: operands are checked and converted as NumPy does, then one kernel runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cuda.core import LaunchConfig
from cuda.interop._kernels import Kernels
from cuda.interop.arrays import _execute
from cuda.interop.arrays._plan import ArrayIndex
from cuda.interop.numpy._layout import Layout, layout_of
from cuda.interop.numpy._loops import Loop
from cuda.interop.numpy._source import flat_name, strided_name

_Array = np.ndarray[Any, Any]
_THREADS = 256
_ROWS = 65535  # the most blocks along y


class Operands(NamedTuple):
    """The operands of a call, of the loop's types."""

    inputs: list[_Array]
    outputs: list[_Array]
    mask: _Array | None
    shape: tuple[int, ...]


class Step(NamedTuple):
    """A launch: the kernel, its arguments, in which a `ArrayIndex` stands for an array, and the array of the layout."""

    kernel: str
    config: LaunchConfig
    arguments: list[Any]
    layout: _Array | None


def shape_of(name: str, inputs: Sequence[_Array], mask: _Array | None, outputs: Sequence[_Array | None]) -> Any:
    """Return the shape of a call: what inputs and mask broadcast to, and the outputs that are given have."""
    arrays = inputs if mask is None else [*inputs, mask]
    given = [each for each in outputs if each is not None]
    shapes = [each.shape for each in arrays]
    if shapes.count(shapes[0]) < len(shapes) or given:
        try:
            shape = _broadcast(shapes)
        except ValueError:
            raise ValueError(f"{name}: operands do not broadcast: shapes {' '.join(map(str, shapes))}") from None
    else:
        shape = shapes[0]
    for each in given:
        try:
            fits = _broadcast([shape, each.shape]) == each.shape == given[0].shape
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"{name}: out has shape {each.shape}, must have {shape}, to which the operands broadcast")
    return given[0].shape if given else shape


def _broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return what shapes broadcast to, of any number of axes; that of NumPy is for 32."""
    axes = max(map(len, shapes))
    found = [1] * axes
    for shape in shapes:
        for axis, extent in enumerate(shape, axes - len(shape)):
            if extent != 1 and found[axis] != extent:
                if found[axis] != 1:
                    raise ValueError
                found[axis] = extent
    return tuple(found)


def converted(name: str, label: str, array: _Array, dtype: np.dtype[Any]) -> _Array:
    """Return an input of a loop's type that a kernel can read."""
    if array.dtype != dtype or not array.dtype.isnative:
        return array.astype(dtype)
    if not array.flags.aligned or any(stride % array.itemsize for stride in array.strides):
        return array.copy(order="K")
    return array


def new_output(shape: tuple[int, ...], dtype: np.dtype[Any], inputs: Sequence[_Array]) -> _Array:
    """Return an output, whose axes have the inputs' order in memory, as NumPy does it."""
    if all(each.flags.c_contiguous for each in inputs):
        return np.empty(shape, dtype)
    flags: Any = ["zerosize_ok"]
    modes: Any = [*(["readonly"] for _ in inputs), ["writeonly", "allocate"]]
    types = [*(each.dtype for each in inputs), dtype]
    operands: Any = [*inputs, None]
    with np.nditer(operands, flags, modes, types, itershape=shape or None) as iterator:
        return iterator.operands[-1]


def target(output: _Array, dtype: np.dtype[Any]) -> _Array:
    """Return the array that a kernel writes for an output: itself, or one to copy from."""
    usable = output.dtype == dtype and output.dtype.isnative and output.flags.aligned
    if usable and not any(stride % output.itemsize for stride in output.strides):
        return output
    return np.empty(output.shape, dtype)


def apart(array: _Array, outputs: Sequence[_Array]) -> _Array:
    """Return an input, or a copy of it if an output overlaps it other than element by element."""
    for each in outputs:
        if np.may_share_memory(array, each):
            same = array.__array_interface__["data"] == each.__array_interface__["data"]
            if not (same and array.strides == each.strides and array.shape == each.shape):
                return array.copy(order="K")
    return array


def compute(name: str, kernels: Kernels, loop: Loop, operands: Operands) -> Step:
    """Launch the kernel of a loop for operands, which have elements; wait for it, and return what was launched."""
    inputs, outputs, mask, shape = operands
    arrays = [*inputs, *outputs] if mask is None else [*inputs, *outputs, mask]
    with _execute.queue() as queue:
        if not queue.in_place:  # what is copied must be dense
            arrays = [each if _is_dense(each) else each.copy(order="K") for each in arrays]
        step = _step(loop, layout_of(shape, arrays, len(inputs)), len(inputs) + len(outputs), mask is not None)
        _carry_out(name, kernels, step, arrays, range(len(inputs), len(inputs) + len(outputs)), queue)
    for output, result in zip(outputs, arrays[len(inputs) :], strict=False):
        if result is not output:
            output[...] = result
    return step


def repeat(name: str, kernels: Kernels, step: Step, inputs: Sequence[_Array], outputs: Sequence[_Array]) -> None:
    """Launch a kernel again, for other arrays with the same layout; see `layout_key`."""
    written = range(len(inputs), len(inputs) + len(outputs))
    with _execute.queue() as queue:
        _carry_out(name, kernels, step, [*inputs, *outputs], written, queue)


def layout_key(inputs: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the types and shapes of contiguous arrays, None if there are other inputs."""
    key: list[Any] = []
    for each in inputs:
        if type(each) is not np.ndarray or not (each.flags.carray and each.ndim and each.size):
            return None
        key += each.dtype, each.shape
    return tuple(key)


def _step(loop: Loop, layout: Layout, operands: int, masked: bool) -> Step:
    extents, strides = layout
    single = sum((each[-1] == 0) << k for k, each in enumerate(strides))
    indices = [*map(ArrayIndex, range(operands)), ArrayIndex(operands) if masked else None]
    blocks = -(-extents[-1] // _THREADS)
    if layout.is_flat:
        config = LaunchConfig(grid=blocks, block=_THREADS)
        return Step(flat_name(loop, single, masked), config, [*indices, extents[0]], None)
    unit = sum((each[-1] == 1) << k for k, each in enumerate(strides))
    rows = math.prod(extents[:-1])
    config = LaunchConfig(grid=(blocks, min(rows, _ROWS)), block=_THREADS)
    passed = [*indices, ArrayIndex(operands + masked), len(extents), rows]
    return Step(strided_name(loop, single, unit, masked), config, passed, np.array([extents, *strides], np.int64))


def _carry_out(
    name: str, kernels: Kernels, step: Step, arrays: list[_Array], written: Sequence[int], queue: _execute.Queue
) -> None:
    if step.layout is not None:
        arrays = [*arrays, step.layout]
    kernel = _execute.kernel_of(name, kernels, step.kernel, queue.ordinal)
    _execute.run(name, queue, [(step.kernel, kernel, step.config, step.arguments)], arrays, written)


def _is_dense(array: _Array) -> bool:
    return array.flags.c_contiguous or array.flags.f_contiguous
