# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Code of matrix products in registers: dense, sparse (9.7.15.6) and block-scaled (9.7.15.3).

For each element of the result and each k, the two factors are fetched from their lanes by constant shuffles. With a
sparse A, only its non-zero elements are multiplied; the metadata select the factors from B. Products of small types are
exact in a float and are added one by one. Blocks are scaled and added as doubles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from cuda.cpu.emit.instructions.matrix.elements import pack
from cuda.cpu.emit.instructions.minifloats import from_minifloat, from_power
from cuda.cpu.emit.instructions.rounding import directed
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Shape, Value, constant

LANES = 32
Source = Callable[[int, int], tuple[int, int]]  # indices of an element in its matrix -> (lane, number in its fragment)
Pair = Callable[[int], tuple[Value, Value]]  # the number of a multiplication -> its factors


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the elements of a product's matrices are.

    `a` maps (row, k), for a sparse A (row, number of the non-zero element), and `b` maps (k, column) to a (lane,
    number); `result` maps a (lane, number) to its (row, column).
    """

    depth: int  # the extent of k
    count: int  # elements of the result in each lane
    a: Source
    b: Source
    result: Callable[[int, int], tuple[int, int]]
    group: Callable[[int], int] = lambda lane: 0  # added to the lane of a source for a result in `lane`
    c: Source | None = None  # as `a`, of (row, column); None: the layout of the result


@dataclass(frozen=True, slots=True)
class Sparsity:
    """How the metadata of a row of A, four bits per chunk, give the positions of non-zero elements (9.7.15.6.1)."""

    choices: int  # groups of elements in a chunk: two of four are non-zero, or one of two (tf32)
    together: int  # elements of a group: two for types of four bits
    chunks: int  # of a row
    by_row: bool  # a lane has the metadata of one row, not 16 bits of each of two rows
    selector: int  # which lanes of each four have metadata

    def position(self, row: int, chunk: int) -> tuple[int, int]:
        """Return the lane that has the metadata of a chunk, and their first bit (figures of 9.7.15.6.2)."""
        half, group = divmod(row, 8)
        if self.by_row:
            block, chunk = divmod(chunk, 8)
            return 4 * group + 2 * (self.selector + block) + half, 4 * chunk
        block, chunk = divmod(chunk, 4)
        step = self.chunks // 4
        return 4 * group + step * self.selector + block, 16 * half + 4 * chunk


@dataclass(frozen=True, slots=True)
class Scaling:
    """Scale factors of rows of A and columns of B: a byte for each of `blocks` parts of k, the first one lowest.

    Lane 4*i + j has the word of A's row i + 8*j (j < 2), lane 4*i that of B's column i.
    """

    type_: str  # ue8m0 or ue4m3
    blocks: int


@dataclass(frozen=True, slots=True)
class Operands:
    """Elements of A, B and C, and words of metadata and of scale factors, in each lane."""

    a: list[Value]
    b: list[Value]
    c: list[Value]
    metadata: Value | None = None
    scales: tuple[Value, Value] | None = None


def shuffle(builder: Builder, value: Value, lanes: tuple[int, ...], other: Value | None = None) -> Value:
    """Return a SIMD group of the given lanes of `value`; numbers from 32 on are lanes of `other`."""
    if lanes == tuple(range(LANES)):
        return value
    return builder.permute(value, lanes, other)


class ProductForm(Protocol):
    """What a product needs to know of its instruction. The text names the product."""

    @property
    def dtype(self) -> str: ...
    @property
    def ctype(self) -> str: ...
    @property
    def rnd(self) -> str | None: ...
    @property
    def satfinite(self) -> bool: ...
    @property
    def bitop(self) -> str | None: ...


class Product:
    """Emits one product; each factor is fetched once."""

    def __init__(
        self,
        builder: Builder,
        layout: Layout,
        form: ProductForm,
        operands: Operands,
        sparsity: Sparsity | None = None,
        scaling: Scaling | None = None,
    ) -> None:
        self.builder = builder
        self.layout = layout
        self.form = form
        if form.satfinite and form.ctype == "s32":  # saturated after the sum
            operands = replace(operands, c=[builder.resize(value, "i64", signed=True) for value in operands.c])
        self.operands = operands
        self.sparsity = sparsity
        self.scaling = scaling
        self._known: dict[tuple, Value] = {}

    def registers(self) -> list[Value]:
        """Return the registers of the result."""
        return pack(self.builder, self.results(), self.form.dtype)

    def results(self) -> list[Value]:
        """Return the elements of A*B + C in each lane, summed up in the order of k."""
        layout, builder = self.layout, self.builder
        steps = layout.depth // 2 if self.sparsity else layout.depth
        found = []
        for number in range(layout.count):
            positions = [layout.result(lane, number) for lane in range(LANES)]
            pair = self._sparse(positions, self.sparsity) if self.sparsity else self._dense(positions)
            c = self.operands.c
            total = (
                c[number] if layout.c is None else self._fetch(2, c, [layout.c(*position) for position in positions])
            )
            if self.scaling:
                total = self._scaled(positions, self.scaling, pair, steps, total)
            else:
                for step in range(steps):
                    total = self._multiply_add(*pair(step), total)
            found.append(_saturate(builder, total) if self.form.satfinite and total.element == "i64" else total)
        return found

    def _fetch(self, which: int, elements: list[Value], positions: list[tuple[int, int]]) -> Value:
        """Return a SIMD group of the elements at (lane, number of its element)."""
        builder = self.builder
        found, numbers = zip(*positions, strict=True)
        lanes = tuple(lane + self.layout.group(position) for position, lane in enumerate(found))
        key = (which, numbers, lanes)
        if key not in self._known:
            parts = [(number, shuffle(builder, elements[number], lanes)) for number in sorted(set(numbers))]
            self._known[key] = parts[0][1]
            for number, part in parts[1:]:  # where the lanes' elements have different numbers
                bits = ", ".join(f"i1 {str(each == number).lower()}" for each in numbers)
                mask = Value(f"<{bits}>", "i1", Shape.VECTOR, True)
                self._known[key] = builder.select(mask, part, self._known[key])
        return self._known[key]

    def _dense(self, positions: list[tuple[int, int]]) -> Pair:
        def pair(k: int) -> tuple[Value, Value]:
            left = self._fetch(0, self.operands.a, [self.layout.a(row, k) for row, _ in positions])
            return left, self._fetch(1, self.operands.b, [self.layout.b(k, column) for _, column in positions])

        return pair

    def _sparse(self, positions: list[tuple[int, int]], sparsity: Sparsity) -> Pair:
        """Return the factors by the number of A's non-zero element; the metadata select the elements of B."""
        layout = self.layout
        kept = sparsity.choices // 2 * sparsity.together  # non-zero elements of a chunk

        def pair(step: int) -> tuple[Value, Value]:
            left = self._fetch(0, self.operands.a, [layout.a(row, step) for row, _ in positions])
            chunk, rest = divmod(step, kept)
            which, inner = divmod(rest, sparsity.together)
            first = chunk * sparsity.choices * sparsity.together + inner
            rights = [
                self._fetch(
                    1,
                    self.operands.b,
                    [layout.b(first + choice * sparsity.together, column) for _, column in positions],
                )
                for choice in range(sparsity.choices)
            ]
            # An index has two bits; for tf32 it is 0100 or 1110: the indices of the two halves of an element.
            bits = (3,) if sparsity.choices == 2 else (2 * which, 2 * which + 1)
            for bit in bits:
                high = self._metadata_bit(positions, sparsity, chunk, bit)
                rights = [
                    self.builder.select(high, odd, even) for even, odd in zip(rights[::2], rights[1::2], strict=True)
                ]
            return left, rights[0]

        return pair

    def _metadata_bit(self, positions: list[tuple[int, int]], sparsity: Sparsity, chunk: int, bit: int) -> Value:
        builder, metadata = self.builder, self.operands.metadata
        assert metadata is not None  # of a sparse A
        lanes, firsts = zip(*(sparsity.position(row, chunk) for row, _ in positions), strict=True)
        (first,) = set(firsts)  # all lanes' rows are in the same half
        key = ("bit", lanes, first + bit)
        if key not in self._known:
            word = self._fetch(3, [metadata], [(lane, 0) for lane in lanes])
            only = builder.binary("and", word, constant(1 << first + bit, "i32"))
            self._known[key] = builder.compare("icmp ne", only, constant(0, "i32"))
        return self._known[key]

    def _scaled(self, positions: list[tuple[int, int]], scaling: Scaling, pair: Pair, steps: int, c: Value) -> Value:
        """Return C plus the products of all blocks, each with its factors."""
        builder = self.builder
        total = builder.cast("fpext", c, "double")
        each = steps // scaling.blocks
        for block in range(scaling.blocks):
            part = Value("zeroinitializer", "float", Shape.VECTOR, True)
            for step in range(block * each, (block + 1) * each):
                part = self._multiply_add(*pair(step), part)
            part = builder.cast("fpext", part, "double")
            for which, lanes in (
                (0, [4 * (row % 8) + row // 8 for row, _ in positions]),
                (1, [4 * column for _, column in positions]),
            ):
                scales = [self._scale(scaling, which, number) for number in range(scaling.blocks)]
                factor = self._fetch(4 + which, scales, [(lane, block) for lane in lanes])
                part = builder.binary("fmul", part, builder.cast("fpext", factor, "double"))
            total = builder.binary("fadd", total, part)
        return builder.cast("fptrunc", total, "float")

    def _scale(self, scaling: Scaling, which: int, number: int) -> Value:
        builder, scales = self.builder, self.operands.scales
        assert scales is not None  # with scaling
        key = ("scale", which, number)
        if key not in self._known:
            shifted = builder.binary("lshr", scales[which], constant(8 * number, "i32"))
            if scaling.type_ == "ue8m0":
                self._known[key] = from_power(builder, builder.resize(shifted, "i8"))
            else:  # ue4m3 is e4m3 without a sign
                code = builder.resize(builder.binary("and", shifted, constant(0x7F, "i32")), "i8")
                self._known[key] = from_minifloat(builder, code, "e4m3")
        return self._known[key]

    def _multiply_add(self, a: Value, b: Value, c: Value) -> Value:
        builder, form = self.builder, self.form
        if c.element == "double":
            return directed(builder, "fma", form.rnd, a, b, c)
        if c.element == "float":
            return builder.intrinsic("fma", c.element, a, b, c)
        if form.bitop:
            both = builder.binary(form.bitop, a, b)
            return builder.binary("add", c, builder.intrinsic("ctpop", "i32", both))
        product = builder.binary("mul", a, b)
        return builder.binary("add", c, builder.resize(product, c.element, signed=True))


def _saturate(builder: Builder, total: Value) -> Value:
    total = builder.intrinsic("smax", "i64", total, constant(-(1 << 31), "i64"))
    total = builder.intrinsic("smin", "i64", total, constant((1 << 31) - 1, "i64"))
    return builder.resize(total, "i32")
