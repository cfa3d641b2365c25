# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix products of a warp: `mma.sync` and `wmma`, ISA manual 9.7.14.

A fragment is what a warp's registers hold of a matrix; which lane has which element is a formula. For `mma` the manual
gives it, for `wmma` it is ours to choose. A product fetches, for each element of the result and each k, the two factors
from their lanes by shuffles that are known beforehand. It is a function of its own in the module, made once for each
shape and type. Products of small types are exact in a float; they are added one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

from cuda.cpu.emit.builder import Builder
from cuda.cpu.emit.frame import Frame
from cuda.cpu.emit.minifloats import from_minifloat
from cuda.cpu.emit.registry import emits
from cuda.cpu.emit.values import Shape, Value, constant
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, Operand, Vector

LANES = 32
# Elements of each type in a register. Of single bits a word is an element: they are multiplied 32 at once.
PER_REGISTER = {"f16": 2, "bf16": 2, "tf32": 1, "f32": 1, "s32": 1, "f64": 1, "b1": 1}
PER_REGISTER |= {"s8": 4, "u8": 4, "e4m3": 4, "e5m2": 4, "s4": 8, "u4": 8}

Source = Callable[[int, int], tuple[int, int]]  # an element's place in its matrix -> (lane, number in its fragment)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the elements of a product's matrices are.

    `a` is asked for (row, k), `b` for (k, column); `result` tells the (row, column) of a (lane, number).
    """

    depth: int  # how many k
    count: int  # elements of the result in each lane
    a: Source
    b: Source
    result: Callable[[int, int], tuple[int, int]]
    group: Callable[[int], int] = lambda lane: 0  # what is added to a source's lane for a result in `lane`
    c: Source | None = None  # where C's element (row, column) is, if not where the result's is


def sizes(shape: str) -> tuple[int, int, int]:
    """Return rows, columns and depth of a shape such as m16n8k16."""
    rows, columns, depth = map(int, re.fullmatch(r"m(\d+)n(\d+)k(\d+)", shape).groups())
    return rows, columns, depth


def mma_layout(shape: str, type_: str) -> Layout:
    """Return the layout of `mma.sync` (9.7.14.5): quads of lanes share a row of A and a column of B."""
    rows, _, depth = sizes(shape)
    if type_ == "b1":
        depth //= 32
    each = PER_REGISTER[type_]
    halves = rows // 8

    def place(line: int, k: int, register: Callable[[int], int]) -> tuple[int, int]:
        block, rest = divmod(k, 4 * each)
        return 4 * (line % 8) + rest // each, register(block) * each + rest % each

    return Layout(
        depth,
        2 * halves,
        lambda row, k: place(row, k, lambda block: block * halves + row // 8),
        lambda k, column: place(column, k, lambda block: block),
        lambda lane, number: (lane // 4 + 8 * (number // 2), 2 * (lane % 4) + number % 2),
    )


def quad_layout(alayout: str, blayout: str, dtype: str, ctype: str) -> Layout:
    """Return the layout of `mma.m8n8k4` of halves: four products, each of four lanes and the four 16 beyond them."""

    def lane_of(line: int) -> int:
        return line % 4 + 16 * (line // 4)

    def by_half(row: int, column: int) -> tuple[int, int]:
        return lane_of(row), column

    def by_float(row: int, column: int) -> tuple[int, int]:
        return 16 * (row // 4) + (row & 1) + (column & 2), (row & 2) + (column & 1) + (column & 4)

    def result(lane: int, number: int) -> tuple[int, int]:
        upper = 4 * (lane // 16)
        if dtype == "f16":
            return lane % 4 + upper, number
        return (lane & 1) + (number & 2) + upper, (number & 4) + (lane & 2) + (number & 1)

    return Layout(
        4,
        8,
        (lambda row, k: (lane_of(row), k)) if alayout == "row" else (lambda row, k: (k + 16 * (row // 4), row % 4)),
        (lambda k, column: (k + 16 * (column // 4), column % 4))
        if blayout == "row"
        else (lambda k, column: (lane_of(column), k)),
        result,
        lambda lane: lane % 16 // 4 * 4,
        None if dtype == ctype else by_half if ctype == "f16" else by_float,
    )


def wmma_layout(shape: str, type_: str, counts: tuple[int, int]) -> Layout:
    """Return our layout of `wmma`: lanes go down the rows of A and along the columns of B, then on in depth.

    Parameters
    ----------
    counts : tuple
        Elements in each lane's fragment of A and of B.
    """
    rows, columns, depth = sizes(shape)
    if type_ == "b1":
        depth //= 32
    count = rows * columns // LANES
    return Layout(
        depth,
        count,
        lambda row, k: (row + rows * (k // counts[0]), k % counts[0]),
        lambda k, column: (column + columns * (k // counts[1]), k % counts[1]),
        lambda lane, number: (lane // columns * count + number, lane % columns),
    )


# --- elements of registers ------------------------------------------------------------------------------


def unpack(builder: Builder, registers: list[Value], type_: str) -> list[Value]:
    """Return the elements of a fragment as what they are computed with."""
    found = []
    for register in registers:
        for position in range(PER_REGISTER[type_]):
            found.append(_element(builder, register, type_, position))
    return found


def _element(builder: Builder, register: Value, type_: str, position: int) -> Value:
    if type_ in ("f32", "f64"):
        return builder.cast("bitcast", register, "float" if type_ == "f32" else "double")
    if type_ in ("s32", "b1"):
        return register
    if type_ == "tf32":  # the lower bits of the mantissa are ignored
        return builder.cast("bitcast", builder.binary("and", register, constant(-0x2000, "i32")), "float")
    width = 32 // PER_REGISTER[type_]
    if type_ == "bf16":
        high = builder.binary("shl", register, constant(16, "i32")) if position == 0 else register
        return builder.cast("bitcast", builder.binary("and", high, constant(-0x10000, "i32")), "float")
    shifted = builder.binary("lshr", register, constant(position * width, "i32")) if position else register
    if type_ == "f16":
        half = builder.cast("bitcast", builder.resize(shifted, "i16"), "half")
        return builder.cast("fpext", half, "float")
    if type_ in ("e4m3", "e5m2"):
        return from_minifloat(SimpleNamespace(builder=builder), builder.resize(shifted, "i8"), type_)
    left = builder.binary("shl", register, constant(32 - width * (position + 1), "i32"))
    return builder.binary("ashr" if type_[0] == "s" else "lshr", left, constant(32 - width, "i32"))


def pack(builder: Builder, elements: list[Value], type_: str) -> list[Value]:
    """Return the registers of a result."""
    if type_ != "f16":
        return [builder.bits(element) for element in elements]
    bits = []
    for element in elements:
        half = builder.cast("fptrunc", element, "half")
        bits.append(builder.resize(builder.bits(half), "i32"))
    pairs = zip(bits[::2], bits[1::2], strict=True)
    return [builder.binary("or", low, builder.binary("shl", high, constant(16, "i32"))) for low, high in pairs]


# --- products ---------------------------------------------------------------------------------------


def _product(
    builder: Builder, layout: Layout, form: Form, a: list[Value], b: list[Value], c: list[Value]
) -> list[Value]:
    """Return the elements of A*B + C in each lane, summed up in the order of k."""
    known: dict[tuple, Value] = {}

    def fetch(which: int, elements: list[Value], places: list[tuple[int, int]]) -> Value:
        found, numbers = zip(*places, strict=True)
        lanes = tuple(lane + layout.group(position) for position, lane in enumerate(found))
        key = (which, numbers, lanes)
        if key not in known:
            parts = [(number, shuffle(builder, elements[number], lanes)) for number in sorted(set(numbers))]
            known[key] = parts[0][1]
            for number, part in parts[1:]:  # where the lanes' elements have different numbers
                bits = ", ".join(f"i1 {str(each == number).lower()}" for each in numbers)
                known[key] = builder.select(Value(f"<{bits}>", "i1", Shape.VECTOR, True), part, known[key])
        return known[key]

    results = []
    for number in range(layout.count):
        places = [layout.result(lane, number) for lane in range(LANES)]
        total = c[number] if layout.c is None else fetch(2, c, [layout.c(*place) for place in places])
        for k in range(layout.depth):
            left = fetch(0, a, [layout.a(row, k) for row, _ in places])
            right = fetch(1, b, [layout.b(k, column) for _, column in places])
            total = _multiply_add(builder, form, left, right, total)
        results.append(_saturate(builder, total) if form.satfinite and total.element == "i64" else total)
    return results


def shuffle(builder: Builder, value: Value, lanes: tuple[int, ...], other: Value | None = None) -> Value:
    """Return a packet whose lanes are those of `value`, numbers from 32 on those of `other`."""
    if lanes == tuple(range(LANES)):
        return value
    order = ", ".join(f"i32 {lane}" for lane in lanes)
    packet = builder.type_of(value)
    second = "poison" if other is None else other.ref
    ref = builder.assign(f"shufflevector {packet} {value.ref}, {packet} {second}, <{LANES} x i32> <{order}>")
    return Value(ref, value.element, Shape.VECTOR)


def _multiply_add(builder: Builder, form: Form, a: Value, b: Value, c: Value) -> Value:
    if c.element in ("float", "double"):
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


def registers_of(operand: Operand) -> tuple[Operand, ...]:
    return operand.elements if isinstance(operand, Vector) else (operand,)


@emits("mma")
def emit_mma(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Multiply and add the fragments of a warp."""
    if form.shape == "m8n8k4" and form.atype == "f16":
        layout = quad_layout(form.alayout, form.blayout, form.dtype, form.ctype)
    else:
        layout = mma_layout(form.shape, form.atype)
    _emit_product(frame, instruction, form, layout)


@emits("wmma")
def emit_wmma(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Multiply and add, or load or store a fragment."""
    if form.modifiers[0] != "mma":
        from cuda.cpu.emit.fragments import load_fragment, store_fragment

        (load_fragment if form.modifiers[0] == "load" else store_fragment)(frame, instruction, form)
        return
    type_ = form.atype or "f16"
    counts = tuple(len(registers_of(operand)) * PER_REGISTER[type_] for operand in instruction.operands[1:3])
    _emit_product(frame, instruction, form, wmma_layout(form.shape, type_, counts))


def _emit_product(frame: Frame, instruction: Instruction, form: Form, layout: Layout) -> None:
    destination, *sources = instruction.operands
    types = (form.atype or "f16", form.btype or "f16", form.ctype)
    values = [
        [frame.builder.broadcast(frame.read(register, word_of(type_))) for register in registers_of(operand)]
        for operand, type_ in zip(sources, types, strict=True)
    ]
    for target, value in zip(registers_of(destination), multiply(frame, form, layout, types, values), strict=True):
        frame.write(target, value)


def word_of(type_: str) -> str:
    """Return the type of the registers that hold a fragment."""
    return "b64" if type_ == "f64" else "b32"


def multiply(
    frame: Frame, form: Form, layout: Layout, types: tuple[str, ...], values: list[list[Value]]
) -> list[Value]:
    """Call the product of a form and return the registers of its result.

    Parameters
    ----------
    form : Form
        Its text names the product; of its modifiers dtype, ctype, satfinite and bitop count.
    types : tuple of str
        Of A, B and C.
    values : list
        The registers of A, B and C, as packets.
    """
    builder = frame.builder
    name = f"{form}.{len(values[0])}.{len(values[1])}"
    if not frame.module.has(name):
        frame.module.define(name, _function(frame, name, form, layout, types, values))
    element = "i64" if form.dtype == "f64" else "i32"
    count = layout.count // PER_REGISTER[form.dtype]
    packet = builder.type(element)
    room = builder.alloca(f"[{count} x {packet}]", 64)
    arguments = [builder.typed(value) for group in values for value in group]
    builder.line(f'call void @"{name}"(ptr {room}, {", ".join(arguments)})')
    size = LANES * int(element[1:]) // 8
    places = [builder.offset(room, number * size) for number in range(count)]
    return [builder.load(element, place, shape=Shape.VECTOR, align=64) for place in places]


def _function(
    frame: Frame, name: str, form: Form, layout: Layout, types: tuple[str, ...], values: list[list[Value]]
) -> str:
    """Return the text of a function `void(ptr result, registers of A, B and C)`."""
    builder = Builder(frame.module)
    arguments: list[list[Value]] = []
    head = ["ptr %to"]
    for letter, group in zip("abc", values, strict=True):
        arguments.append(
            [Value(f"%{letter}{number}", value.element, Shape.VECTOR) for number, value in enumerate(group)]
        )
        head += [builder.typed(argument) for argument in arguments[-1]]
    a, b, c = (unpack(builder, group, type_) for group, type_ in zip(arguments, types, strict=True))
    if form.satfinite and form.ctype == "s32":
        c = [builder.resize(value, "i64", signed=True) for value in c]
    results = pack(builder, _product(builder, layout, form, a, b, c), form.dtype)
    at = 0
    for result in results:
        builder.store(result, builder.offset("%to", at), align=64)
        at += LANES * int(result.element[1:]) // 8
    body = "\n".join(["entry:", *builder.allocas, *builder.lines, "  ret void"])
    return f'define internal void @"{name}"({", ".join(head)}) #1 {{\n{body}\n}}\n'
