# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of whole matrices by their lines: wmma.load and wmma.store of SIMD groups of which all lanes run.

All lanes give the same address and the same stride (ISA manual 9.7.15.4.3), so one lane's are used. A line is a row of
a row-major matrix and a column of a column-major one. Where lanes have consecutive elements of a line, these are a
vector in memory; else each lane's elements of a register are loaded as one word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cuda.cpu.emit.access.lanes import element_at
from cuda.cpu.emit.instructions.matrix.elements import PER_REGISTER, sizes
from cuda.cpu.emit.instructions.matrix.products import LANES
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Shape, Value, constant

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.ptx.instructions import Form

# Bits of an element in memory; elements of less than a byte are packed in words of 32 bits.
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
SHORTEST = 4  # consecutive elements that are accessed as a vector
Location = tuple[int, int]  # number of a line, and an offset in it in bytes


def layout_of(form: Form, part: str, count: int) -> tuple[Callable[[int, int], tuple[int, int]], int]:
    """Return the function from (lane, number of the element) to (line, position in it), and the length of a line."""
    rows, columns, depth = sizes(form.shape)

    def locate(lane: int, number: int) -> tuple[int, int]:
        if part == "a":
            row, column = lane % rows, lane // rows * count % depth + number
        elif part == "b":
            row, column = lane // columns * count % depth + number, lane % columns
        else:
            row, column = lane // columns * count + number, lane % columns
        return (row, column) if form.layout == "row" else (column, row)

    height, width = {"a": (rows, depth), "b": (depth, columns)}.get(part, (rows, columns))
    return locate, width if form.layout == "row" else height


def load(frame: Frame, form: Form, base: Value, stride: Value, registers: int) -> list[Value] | None:
    """Return the registers of a fragment; None if single elements are to be loaded. The stride is one of elements."""
    if not _is_possible(frame, form):
        return None
    builder, name = frame.builder, f"{form}.{registers}"
    element = "i64" if form.type == "f64" else "i32"
    if not frame.module.has(name):
        helper = _Helper(frame, form, str(form.part), registers)
        head = f'define internal void @"{name}"(ptr %base, i64 %stride, ptr %room) #1'
        frame.module.define_function(name, head, helper.load())
    room = builder.alloca(f"[{registers} x {builder.type(element)}]", 64)
    builder.call(f'"{name}"', "void", _of_one(frame, base), _of_one(frame, stride), Value(room, "ptr"))
    slots = [builder.offset(room, number * _size_of(element)) for number in range(registers)]
    return [builder.load(element, slot, shape=Shape.VECTOR, align=64) for slot in slots]


def store(frame: Frame, form: Form, base: Value, stride: Value, values: list[Value]) -> bool:
    """Store the registers of a fragment; return False if single elements are to be stored."""
    if not _is_possible(frame, form):
        return False
    helper, name = _Helper(frame, form, "d", len(values)), f"{form}.{len(values)}"
    if helper.run < SHORTEST:
        return False
    if not frame.module.has(name):
        given = ", ".join(f"{frame.builder.type_of(value)} %v{number}" for number, value in enumerate(values))
        head = f'define internal void @"{name}"(ptr %base, i64 %stride, {given}) #1'
        frame.module.define_function(name, head, helper.store())
    frame.builder.call(f'"{name}"', "void", _of_one(frame, base), _of_one(frame, stride), *values)
    return True


def _is_possible(frame: Frame, form: Form) -> bool:
    return (
        frame.copy.full and frame.width == LANES and not frame.module.settings.instrumentation and BITS[form.type] > 4
    )


def _of_one(frame: Frame, value: Value) -> Value:
    return element_at(frame, value, "0")


def _size_of(element: str) -> int:
    return LANES * int(element[1:]) // 8


class _Helper:
    """The body of a function that accesses a matrix at %base, whose lines are %stride elements apart."""

    def __init__(self, frame: Frame, form: Form, part: str, registers: int) -> None:
        self.builder = Builder(frame.module)
        self.bits, self.each, self.registers = BITS[form.type], PER_REGISTER[form.type], registers
        locate, _ = layout_of(form, part, registers * self.each)
        size = self.bits // 8
        found = [[locate(lane, number) for lane in range(LANES)] for number in range(registers * self.each)]
        self.locations: list[list[Location]] = [[(line, position * size) for line, position in each] for each in found]
        self.run = min(_run_of(locations, size) for locations in self.locations)
        self._lines: dict[int, Value] = {}

    def load(self) -> Builder:
        builder, element = self.builder, "i64" if self.bits == 64 else "i32"
        for number in range(self.registers):
            elements = self.locations[number * self.each : (number + 1) * self.each]
            slot = builder.offset("%room", number * _size_of(element))
            builder.store(self._register(elements, element), slot, align=64)
        builder.ret()
        return builder

    def _register(self, elements: list[list[Location]], word: str) -> Value:
        """Return a register: each lane's elements at some locations."""
        builder, size, first = self.builder, self.bits // 8, elements[0]
        following = [[(line, offset + size * number) for line, offset in first] for number in range(self.each)]
        if elements == following and self.run < SHORTEST:
            return self._load(first, word)
        value = builder.resize(self._load(first, f"i{self.bits}"), word)
        for number, locations in enumerate(elements[1:], 1):
            part = builder.resize(self._load(locations, f"i{self.bits}"), word)
            value = builder.binary("or", value, builder.binary("shl", part, constant(number * self.bits, word)))
        return value

    def _load(self, locations: list[Location], element: str) -> Value:
        """Load an element for each lane; what lanes have in common is loaded once."""
        builder, count, size = self.builder, LANES, int(element[1:]) // 8
        while count > 1 and locations[: count // 2] == locations[count // 2 : count]:
            count //= 2
        run, align = min(_run_of(locations, size), count), self.bits // 8
        if run < SHORTEST:
            loads = (builder.load(element, self._pointer(location), align=align) for location in locations[:count])
            parts = [builder.join(element, loads, count)]
        else:
            firsts = locations[:count:run]
            parts = [builder.load_part(element, run, self._pointer(location), align=align) for location in firsts]
        while len(parts) > 1:
            both = range(2 * parts[0].lanes)
            parts = [builder.shuffle(a, both, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        return builder.group(builder.shuffle(parts[0], [lane % count for lane in range(LANES)]))

    def store(self) -> Builder:
        builder, word = self.builder, "i64" if self.bits == 64 else "i32"
        for number, locations in enumerate(self.locations):
            register, position = divmod(number, self.each)
            value = Value(f"%v{register}", word, Shape.VECTOR)
            value = builder.binary("lshr", value, constant(position * self.bits, word)) if position else value
            part = builder.part(builder.resize(value, f"i{self.bits}"))
            for first in range(0, LANES, self.run):
                mine = builder.shuffle(part, range(first, first + self.run))
                builder.store_part(mine, self._pointer(locations[first]), align=self.bits // 8)
        builder.ret()
        return builder

    def _pointer(self, location: Location) -> str:
        builder, (line, offset) = self.builder, location
        if line not in self._lines:
            size = constant(line * self.bits // 8, "i64")
            distance = builder.binary("mul", Value("%stride", "i64"), size)
            self._lines[line] = builder.advance(Value("%base", "ptr"), distance)
        return builder.offset(self._lines[line].ref, offset)


def _run_of(locations: list[Location], size: int) -> int:
    """Return how many lanes have consecutive elements: a power of two that divides the number of lanes."""
    run = LANES
    while any(
        locations[first + lane] != (locations[first][0], locations[first][1] + lane * size)
        for first in range(0, LANES, run)
        for lane in range(run)
    ):
        run //= 2
    return run
