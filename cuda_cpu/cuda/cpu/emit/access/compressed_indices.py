# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stores of words under a mask by 32-bit indices from one base, with AVX-512.

As for stream compaction by addresses (`compressed.py`), lanes that run and store one word after the other are
compressed. To find out, their indices are compressed, too, and compared: that is half as many registers as addresses.
All other words are stored by a mask if they are contiguous from the first lane's on, else by scatters, and those of a
few lanes one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cuda.cpu.emit.access.compressed import INTRINSICS, LANES, PREDICATES, REGISTER
from cuda.cpu.emit.access.gather_scatter import FEW, SCATTERED
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Part, Value, constant, width_of

if TYPE_CHECKING:
    from cuda.cpu.emit.access.indexed import Indexed
    from cuda.cpu.emit.llvm.module import Module
    from cuda.cpu.emit.simt.frame import Frame

WORD = 4  # bytes


def store(frame: Frame, base: Value, address: Indexed, value: Value) -> None:
    """Store a word for each lane that runs; the scale of the indices divides the size of a word."""
    builder, module, width = frame.builder, frame.module, frame.width
    index = builder.resize(address.index, "i32", signed=address.signed)
    signed = address.signed or width_of(address.index.element) < width_of(index.element)
    name = f"scatter.i32.{'signed' if signed else 'unsigned'}.by{address.scale}"
    if not module.has(name):
        given = f"<{width} x i32> %v, ptr %base, <{width} x i32> %index, {builder.mask_type} %mask"
        helper = _Helper(module, signed=signed, scale=address.scale)
        module.define_function(name, f"define internal void @{name}({given}) #1", helper.store())
    builder.call(name, "void", builder.broadcast(value), base, index, frame.mask)


class _Register(NamedTuple):
    """The lanes of a register: which of them run, how many, and how many of those before it."""

    first: int
    runs: Part
    number: Value
    before: Value

    def of(self, builder: Builder, vector: Part) -> Part:
        return builder.slice_part(vector, self.first, LANES)


class _Helper:
    """The function for indices of one scale."""

    def __init__(self, module: Module, *, signed: bool, scale: int):
        self.builder = Builder(module)
        self.signed, self.scale, self.step = signed, scale, WORD // scale
        width = self.builder.width
        self.mask = Value("%mask", self.builder.mask_type)
        self.value, self.index = Part("%v", "i32", width), Part("%index", "i32", width)
        self.lanes = self.builder.part(self.builder.lanes_of(self.mask))
        module.declare(INTRINSICS["compress"], REGISTER, [REGISTER, REGISTER, PREDICATES])

    def store(self) -> Builder:
        builder = self.builder
        over = builder.new_label("over")
        self._store_few(over)
        self._store_compressed()
        self._store_contiguous()
        self._scatter()
        builder.jump(over)
        builder.label(over)
        builder.ret()
        return builder

    def _store_compressed(self) -> None:
        """Store and return if the words follow each other."""
        builder, zero = self.builder, constant(0, "i16")
        registers, before = [], constant(0, "i32")
        for first in range(0, builder.width, LANES):
            runs = builder.slice_part(self.lanes, first, LANES)
            number = builder.resize(builder.intrinsic("ctpop", "i16", self._bits(runs)), "i32")
            registers.append(_Register(first, runs, number, before))
            before = builder.binary("add", before, number)
        indices = [self._compressed(self.index, each) for each in registers]
        start = builder.element_of(indices[-1], 0)
        for each, near in zip(registers[-2::-1], indices[-2::-1], strict=True):
            none = builder.compare("icmp eq", self._bits(each.runs), zero)
            start = builder.select(none, start, builder.element_of(near, 0))
        wrong = zero
        for each, near in zip(registers, indices, strict=True):
            differ = builder.compare_part("icmp ne", near, self._following(start, each))
            wrong = builder.binary("or", wrong, self._bits(builder.binary_part("and", differ, self._filled(each))))
        follow = builder.binary("and", builder.is_zero(wrong), self._fits(start))
        compress, scattered = builder.new_label("compress"), builder.new_label("scattered")
        builder.branch(follow, compress, scattered)
        builder.label(compress)
        lowest = self._pointer(start)
        for each in registers:
            pointer = builder.element("i32", lowest, each.before)
            builder.store_masked(self._compressed(self.value, each), pointer, self._filled(each))
        builder.ret()
        builder.label(scattered)

    def _bits(self, predicates: Part) -> Value:
        return self.builder.scalar(self.builder.cast_part(predicates, f"i{predicates.lanes}"))

    def _compressed(self, vector: Part, register: _Register) -> Part:
        """Return the elements of lanes that run, and zeros behind them."""
        zeros = Part("zeroinitializer", "i32", LANES)
        given = register.of(self.builder, vector), zeros, register.runs
        return self.builder.call_part(INTRINSICS["compress"], "i32", LANES, *given)

    def _filled(self, register: _Register) -> Part:
        """Return predicates of as many elements as lanes of the register run."""
        builder = self.builder
        ones = builder.binary("shl", constant(1, "i32"), register.number)
        bits = builder.resize(builder.binary("sub", ones, 1), "i16")
        return builder.cast_part(builder.scalar_part(bits), "i1")

    def _following(self, start: Value, register: _Register) -> Part:
        """Return the indices of words that follow each other, for a register."""
        first = self.builder.binary("add", start, self.builder.binary("mul", register.before, self.step))
        return self._upwards(first, LANES)

    def _upwards(self, first: Value, count: int) -> Part:
        builder = self.builder
        firsts = builder.shuffle(builder.join("i32", [first], count), [0] * count)
        return builder.binary_part("add", firsts, self._steps(count))

    def _steps(self, count: int) -> Part:
        return Part(f"<{', '.join(f'i32 {self.step * lane}' for lane in range(count))}>", "i32", count)

    def _fits(self, first: Value) -> Value:
        """Return whether no index of as many words as there are lanes wraps around."""
        kind, limit = ("sle", 1 << 31) if self.signed else ("ule", 1 << 32)
        most = limit - 1 - self.step * (self.builder.width - 1)
        return self.builder.compare(f"icmp {kind}", first, constant(most, "i32"))

    def _pointer(self, index: Value) -> str:
        return self.builder.element(f"[{self.scale} x i8]", "%base", self._wide(index))

    def _wide(self, index: Value) -> Value:
        return self.builder.resize(index, "i64", signed=self.signed)

    def _store_few(self, over: str) -> None:
        """Store the words of a few lanes one by one, and go on at `over`."""
        builder = self.builder
        single, loop, many = map(builder.new_label, ("single", "loop", "many"))
        number = builder.intrinsic("ctpop", builder.mask_type, self.mask)
        copies = [builder.alloca(part.type, 64) for part in (self.index, self.value)]
        left = builder.slot(builder.mask_type)
        builder.branch(builder.compare("icmp ule", number, FEW), single, many)
        builder.label(single)
        for copy, part in zip(copies, (self.index, self.value), strict=True):
            builder.store_part(part, copy, align=64)
        left.store(self.mask)
        builder.branch(builder.is_zero(self.mask), over, loop)
        builder.label(loop)
        lanes = left.load()
        lane = builder.resize(builder.intrinsic("cttz", builder.mask_type, lanes, "i1 true"), "i64")
        index, word = (builder.load("i32", builder.element("i32", copy, lane)) for copy in copies)
        builder.store(word, self._pointer(index), align=WORD)
        rest = builder.binary("and", lanes, builder.binary("sub", lanes, 1))
        left.store(rest)
        builder.branch(builder.is_zero(rest), over, loop)
        builder.label(many)

    def _store_contiguous(self) -> None:
        """Store and return if lane n that runs stores to the n-th word."""
        builder = self.builder
        first = builder.element_of(self.index, 0)
        differ = builder.compare_part("icmp ne", self.index, self._upwards(first, builder.width))
        apart = builder.binary("and", self._bits(differ), self.mask)
        vector, others = builder.new_label("vector"), builder.new_label("others")
        builder.branch(builder.binary("and", builder.is_zero(apart), self._fits(first)), vector, others)
        builder.label(vector)
        builder.store_masked(self.value, self._pointer(first), self.lanes)
        builder.ret()
        builder.label(others)

    def _scatter(self) -> None:
        """Scatter the words of a few lanes at a time, if any of these run."""
        builder = self.builder
        for first in range(0, builder.width, SCATTERED):
            lanes = range(first, first + SCATTERED)
            some, after = builder.new_label("some"), builder.new_label("after")
            among = builder.binary("and", self.mask, builder.mask(sum(1 << lane for lane in lanes)))
            builder.branch(builder.is_zero(among), after, some)
            builder.label(some)
            value, index, runs = (builder.shuffle(part, lanes) for part in (self.value, self.index, self.lanes))
            wide = builder.resize_part(index, "i64", signed=self.signed)
            builder.scatter_part(value, "%base", self.scale, wide, runs)
            builder.jump(after)
            builder.label(after)
