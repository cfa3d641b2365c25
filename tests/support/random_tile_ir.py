# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Random kernels of Tile IR with the results that NumPy computes: exact ones, so that they must be equal."""

from __future__ import annotations

import random

import numpy as np
from support.tile_writer import (
    DYNAMIC,
    NAMES,
    TOKEN,
    Kernel,
    Number,
    launch,
    partition_view,
    pointer,
    store,
    tensor_view,
    tile,
)

INTEGERS, FLOATS = ("int8", "int16", "int32", "int64"), ("float16", "float32", "float64")
SHAPES = ((8,), (32,), (4, 8), (2, 32), (16, 1), (1, 16), (2, 4, 8), (64, 4))
MOST = 2048  # elements
I32 = tile("i32")


def kind(array):
    return tile(NAMES[str(array.dtype)], *array.shape)


class Program:
    """A kernel under construction: `known` has its values with what they are by NumPy."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        choose = self.random.choice
        self.inputs = [self._input(choose(INTEGERS + FLOATS)) for _ in range(3)]
        self.shapes = [choose([each for each in SHAPES if len(each) == array.ndim]) for array in self.inputs]
        names = [NAMES[str(each.dtype)] for each in self.inputs]
        self.count = self.random.randint(6, 16)
        self.kernel = Kernel(*map(pointer, names), *(pointer("i8"),) * 3, *(I32,) * sum(x.ndim for x in self.inputs))
        self.known: list = []
        sizes = iter(self.kernel.values[6:])
        for base, array, shape in zip(self.kernel.values, self.inputs, self.shapes, strict=False):
            self._load(base, array, shape, [next(sizes) for _ in array.shape])
        for _ in range(self.count):
            getattr(self, f"_{choose(STEPS)}")(*choose(self.known))
        self.results = [self.known[-1 - each] for each in range(3)]
        for base, (value, array) in zip(self.kernel.values[3:], self.results, strict=False):
            element = "i8" if array.dtype == bool else NAMES[str(array.dtype)]
            if array.dtype == bool:
                value = self.kernel.op("exti", [value], [tile("i8", *array.shape)], signedness="unsigned")
            store(self.kernel, self.kernel.op("ptr_to_ptr", [base], [pointer(element)]), value)

    def _input(self, dtype):
        """Return an array with odd sizes: most of its tiles are incomplete."""
        shape = [self.random.randint(1, 40) for _ in range(self.random.choice((1, 2, 2, 3)))]
        return self.numbers.integers(-9, 10, shape).astype(dtype)

    def _load(self, base, array, shape, sizes):
        op, element = self.kernel.op, NAMES[str(array.dtype)]
        strides = tuple(int(np.prod(array.shape[axis + 1 :])) for axis in range(array.ndim))
        view = op("make_tensor_view", [base, sizes, []], [tensor_view(element, (DYNAMIC,) * array.ndim, strides)])
        view = op("make_partition_view", [view], [partition_view(view.kind, shape, padding=0)])
        at = [self.random.randrange(-(-size // step)) for size, step in zip(array.shape, shape, strict=True)]
        index = [self.kernel.constant(np.int32(each)) for each in at]
        inside = (0,) * array.ndim
        results = [tile(element, *shape), TOKEN]
        value, _ = op("load_view_tko", [view, index], results, semantics="weak", in_bounds=inside)
        whole = np.zeros(shape, array.dtype)
        part = array[tuple(slice(a * step, (a + 1) * step) for a, step in zip(at, shape, strict=True))]
        whole[tuple(map(slice, part.shape))] = part
        self.known.append((value, whole))

    def _add(self, name, operands, result, **attributes):
        value = self.kernel.op(name, operands, [kind(result)], **attributes)
        self.known.append((value, result))

    def _other(self, array):
        """Return a value like another one: a known one, or a constant."""
        same = [each for each in self.known if each[1].shape == array.shape and each[1].dtype == array.dtype]
        if self.random.random() < 0.7:
            return self.random.choice(same)
        made = self.numbers.integers(-5, 6, array.shape).astype(array.dtype)
        made = np.full_like(made, made.flat[0]) if self.random.random() < 0.5 else made
        return self.kernel.constant(made), made

    def _binary(self, value, array):
        if array.dtype == bool:
            table = {"andi": np.logical_and, "ori": np.logical_or, "xori": np.logical_xor}
        elif array.dtype.kind == "i":
            table = {"addi": np.add, "subi": np.subtract, "muli": np.multiply, "andi": np.bitwise_and,
                     "maxi": np.maximum, "mini": np.minimum, "xori": np.bitwise_xor}  # fmt: skip
        else:
            table = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "maxf": np.fmax, "minf": np.fmin}
        name = self.random.choice(sorted(table))
        other, values = self._other(array)
        attributes = {"signedness": "signed"} if name in ("maxi", "mini") else {}
        attributes |= {"overflow": "none"} if name in ("addi", "subi", "muli") else {}
        attributes |= {"rounding": "nearest_even"} if name in ("addf", "subf", "mulf") else {}
        with np.errstate(all="ignore"):
            result = table[name](array, values)
        if not np.isnan(result.astype(np.float64)).any():  # which of several NaNs results is not specified
            self._add(name, [value, other], result, **attributes)

    def _compare(self, value, array):
        """Append a comparison and a selection by it."""
        predicates = {"equal": np.equal, "less_than": np.less, "greater_than_or_equal": np.greater_equal}
        predicate = self.random.choice(sorted(predicates))
        if array.dtype == bool:
            return
        other, values = self._other(array)
        float_ = array.dtype.kind == "f"
        attributes = {"ordering": "ordered"} if float_ else {"signedness": "signed"}
        result = predicates[predicate](array, values)
        found = self.kernel.op("cmpf" if float_ else "cmpi", [value, other], [kind(result)], predicate=predicate,
                               **attributes)  # fmt: skip
        other, values = self._other(array)
        self._add("select", [found, value, other], np.where(result, array, values))

    def _convert(self, value, array):
        if array.dtype == bool:
            return
        target = np.dtype(self.random.choice(INTEGERS + FLOATS))
        before, after = array.dtype.kind, target.kind
        limit = 100 if target.itemsize == 1 or (after == "i" and before == "f") else 1000
        wide = array.astype(float)
        if target == array.dtype or not np.isfinite(wide).all() or np.abs(wide).max() > limit:
            return
        if before == after == "i":
            wider = target.itemsize > array.dtype.itemsize
            name, attributes = ("exti", {"signedness": "signed"}) if wider else ("trunci", {"overflow": "none"})
        elif before == after:
            name, attributes = "ftof", {"rounding": "nearest_even"}
        else:
            name = "itof" if before == "i" else "ftoi"
            rounding = "nearest_even" if before == "i" else "nearest_int_to_zero"
            attributes = {"signedness": "signed", "rounding": rounding}
        self._add(name, [value], array.astype(target), **attributes)

    def _reshape(self, value, array):
        shape = self.random.choice([each for each in SHAPES if np.prod(each) == array.size] or [array.shape])
        self._add("reshape", [value], array.reshape(shape))

    def _permute(self, value, array):
        order = tuple(self.random.sample(range(array.ndim), array.ndim))
        if array.ndim > 1:
            self._add("permute", [value], array.transpose(order).copy("C"), permutation=order)

    def _broadcast(self, value, array):
        shape = [size if size > 1 else self.random.choice((1, 2, 8)) for size in array.shape]
        if np.prod(shape) <= MOST:
            self._add("broadcast", [value], np.broadcast_to(array, shape).copy("C"))

    def _cat(self, value, array):
        axis = self.random.randrange(array.ndim) if array.ndim else 0
        if 0 < array.size <= MOST // 2 and array.ndim:
            other, values = self._other(array)
            self._add("cat", [value, other], np.concatenate([array, values], axis), dim=axis)

    def _extract(self, value, array):
        parts = [self.random.choice([each for each in (1, 2, 4, 8) if size % each == 0]) for size in array.shape]
        index = [self.random.randrange(count) for count in parts]
        sizes = [size // count for size, count in zip(array.shape, parts, strict=True)]
        place = tuple(slice(at * size, (at + 1) * size) for at, size in zip(index, sizes, strict=True))
        self._add("extract", [value, [self.kernel.constant(np.int32(each)) for each in index]], array[place].copy())

    def _fold(self, value, array):
        """Append a reduction or a scan: sums of integers, or the greatest or least numbers."""
        if array.dtype == bool or not array.ndim:
            return
        axis, element = self.random.randrange(array.ndim), NAMES[str(array.dtype)]
        name = "maxf" if array.dtype.kind == "f" else self.random.choice(("addi", "maxi"))
        least = np.array(-np.inf if name == "maxf" else 0 if name == "addi" else np.iinfo(array.dtype).min, array.dtype)
        attributes = {"addi": {"overflow": "none"}, "maxi": {"signedness": "signed"}}.get(name, {})
        function = np.add if name == "addi" else np.maximum
        scan = self.random.random() < 0.4
        with np.errstate(all="ignore"):
            result = (function.accumulate if scan else function.reduce)(array, axis, array.dtype)
        kernel, scalar = self.kernel, tile(element)

        def body(x, y):
            kernel.op("yield", [[kernel.op(name, [x, y], [scalar], **attributes)]])

        bits = int.from_bytes(least.tobytes(), "little")
        more = {"reverse": False} if scan else {}
        identity = Number(element, bits)
        value = kernel.op("scan" if scan else "reduce", [[value]], [kind(np.asarray(result))],
                          [((scalar, scalar), body)], dim=axis, identities=[identity], **more)  # fmt: skip
        self.known.append((value, np.asarray(result)))

    def _multiply(self, value, array):
        """Append a product of matrices of small whole numbers, whose sums are exact."""
        if array.ndim != 2 or array.dtype not in (np.float16, np.float32, np.int8) or min(array.shape) < 4:
            return
        wide = array.astype(float)
        if not (np.abs(wide) <= 20).all() or (wide != np.rint(wide)).any():
            return
        columns = self.random.choice((4, 8, 16))
        other = self.numbers.integers(-3, 4, (array.shape[1], columns)).astype(array.dtype)
        total = self.numbers.integers(-9, 10, (len(array), columns))
        total = total.astype(np.int32 if array.dtype == np.int8 else np.float32)
        result = (wide @ other + total).astype(total.dtype)
        signs = {"signedness_lhs": "signed", "signedness_rhs": "signed"} if array.dtype == np.int8 else {}
        operands = [value, self.kernel.constant(other), self.kernel.constant(total)]
        self._add("mmai" if signs else "mmaf", operands, result, **signs)

    def run(self):
        """Return what the kernel computes, for each of `results`."""
        sizes = [np.int32(each) for array in self.inputs for each in array.shape]
        like = [array.astype(np.int8) if array.dtype == bool else array for _, array in self.results]
        out = [np.zeros(each.shape or (1,), each.dtype) for each in like]
        launch(self.kernel, *self.inputs, *out, *sizes)
        return [each.reshape(array.shape) for each, array in zip(out, like, strict=True)]


STEPS = ("binary", "binary", "binary", "compare", "convert", "reshape", "permute", "broadcast", "cat", "extract",
         "fold", "multiply")  # fmt: skip


def differences(seed: int) -> list[str]:
    """Run a program; return its results that are not those of NumPy."""
    program = Program(seed)
    found = program.run()
    bad = []
    for number, (got, (_, expected)) in enumerate(zip(found, program.results, strict=True)):
        if not np.array_equal(got, expected):
            where = tuple(int(each) for each in np.argwhere(got != expected)[0])
            bad.append(f"result {number} at {where}: {got[where]} instead of {expected[where]}")
    return bad
