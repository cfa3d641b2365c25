# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Loads, stores and moves of matrix fragments: wmma.load, wmma.store, ldmatrix, stmatrix, movmatrix."""

from __future__ import annotations

from cuda.cpu.emit.access.addresses import pointers, space_of
from cuda.cpu.emit.access.gather_scatter import load, store
from cuda.cpu.emit.instructions.matrix import lines
from cuda.cpu.emit.instructions.matrix.elements import PER_REGISTER, sizes
from cuda.cpu.emit.instructions.matrix.lines import BITS, layout_of
from cuda.cpu.emit.instructions.matrix.products import LANES, shuffle
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Shape, Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, elements_of


def by_lane(values: list[int], element: str) -> Value:
    return Value("<" + ", ".join(f"{element} {value}" for value in values) + ">", element, Shape.VECTOR, True)


def _at(frame: Frame, pointer: Value, offset: Value) -> Value:
    """Return a pointer plus an offset in bytes, for each lane."""
    return frame.builder.advance(pointer, offset)


# --- wmma ---------------------------------------------------------------------------------------------


def lines_of(frame: Frame, instruction: Instruction, form: Form) -> tuple[int, int, Value]:
    """Return the number of lines of a matrix in memory, their size in bytes, and the offset of line i in lane i."""
    builder = frame.builder
    part = "d" if form.modifiers[0] == "store" else str(form.part)
    rows, columns, depth = sizes(form.shape)
    height, width = {"a": (rows, depth), "b": (depth, columns)}.get(part, (rows, columns))
    count, length = (height, width) if form.layout == "row" else (width, height)
    stride = _stride(frame, instruction, length)
    index = builder.binary("mul", builder.broadcast(stride), builder.lane_numbers("i64"))
    bits = builder.binary("mul", index, constant(BITS[form.type], "i64"))
    return count, length * BITS[form.type] // 8, builder.binary("lshr", bits, constant(3, "i64"))


def _stride(frame: Frame, instruction: Instruction, length: int) -> Value:
    """Return the distance of the lines of a matrix in elements, which is their length if none is given."""
    given = instruction.operands[2:]
    return frame.builder.resize(frame.read(given[0], "u32"), "i64") if given else constant(length, "i64")


def _addresses(frame: Frame, instruction: Instruction, form: Form, part: str, count: int, step: int) -> list[Value]:
    """Return the addresses of every `step`-th element of a fragment."""
    builder = frame.builder
    base = pointers(frame, instruction.address(0 if part == "d" else 1), space_of(form))
    locate, line = layout_of(form, part, count)
    stride = _stride(frame, instruction, line)
    bits = BITS[form.type]
    found = []
    for number in range(0, count, step):
        numbers, positions = zip(*(locate(lane, number) for lane in range(LANES)), strict=True)
        index = builder.binary("mul", builder.broadcast(stride), by_lane(list(numbers), "i64"))
        index = builder.binary("add", index, by_lane(list(positions), "i64"))
        if bits < 8:
            offset = builder.binary("lshr", index, constant({4: 1, 1: 3}[bits], "i64"))
        else:
            offset = builder.binary("mul", index, constant(bits // 8, "i64"))
        found.append(_at(frame, base, offset))
    return found


def load_fragment(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Load a matrix for `wmma.mma`."""
    builder = frame.builder
    targets = elements_of(instruction.operands[0])
    bits = BITS[form.type]
    base, line = pointers(frame, instruction.address(1), space_of(form)), layout_of(form, str(form.part), 1)[1]
    whole = lines.load(frame, form, base, _stride(frame, instruction, line), len(targets))
    if whole is not None:
        for target, value in zip(targets, whole, strict=True):
            frame.write(target, value)
        return
    if bits < 8:
        each = 32 // bits
        addresses = _addresses(frame, instruction, form, str(form.part), len(targets) * each, each)
        for target, pointer in zip(targets, addresses, strict=True):
            frame.write(target, load(frame, pointer, "i32"))
        return
    each = PER_REGISTER[form.type]
    addresses = _addresses(frame, instruction, form, str(form.part), len(targets) * each, 1)
    elements = [load(frame, pointer, f"i{bits}") for pointer in addresses]
    for number, target in enumerate(targets):
        parts = elements[number * each : (number + 1) * each]
        value = parts[0] if each == 1 else builder.resize(parts[0], "i32")
        for position, part in enumerate(parts[1:], 1):
            shifted = builder.binary("shl", builder.resize(part, "i32"), constant(position * bits, "i32"))
            value = builder.binary("or", value, shifted)
        frame.write(target, value)


def store_fragment(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Store the result of `wmma.mma`."""
    builder = frame.builder
    sources = elements_of(instruction.operands[1])
    bits, each = BITS[form.type], PER_REGISTER[form.type]
    words = [builder.broadcast(frame.read(source, "b64" if bits == 64 else "b32")) for source in sources]
    base, line = pointers(frame, instruction.address(0), space_of(form)), layout_of(form, "d", 1)[1]
    if lines.store(frame, form, base, _stride(frame, instruction, line), words):
        return
    addresses = _addresses(frame, instruction, form, "d", len(sources) * each, 1)
    for number, value in enumerate(words):
        for position in range(each):
            part = builder.binary("lshr", value, constant(position * bits, "i32")) if position else value
            store(frame, addresses[number * each + position], builder.resize(part, f"i{bits}"))


# --- ldmatrix, stmatrix: 8x8 matrices of 16 bits --------------------------------------------------


def _parts(frame: Frame, pointer: Value, matrix: int, *, transposed: bool) -> list[Value]:
    """Return the addresses of a lane's two elements of a matrix; lane 8*matrix + i has the address of row i."""
    builder = frame.builder
    found = []
    for position in (0, 1):
        rows = [2 * (lane % 4) + position if transposed else lane // 4 for lane in range(LANES)]
        columns = [lane // 4 if transposed else 2 * (lane % 4) + position for lane in range(LANES)]
        start = shuffle(builder, builder.broadcast(pointer), tuple(8 * matrix + row for row in rows))
        found.append(_at(frame, start, by_lane([2 * column for column in columns], "i64")))
    return found


def _load_rows(frame: Frame, pointer: Value, matrix: int, *, transposed: bool) -> Value:
    """Load a matrix by its rows of 16 bytes, for SIMD groups of which all lanes run."""
    name, vector = f"rows.{matrix}{'.trans' * transposed}", frame.builder.type("i32")
    if not frame.module.has(name):
        builder = Builder(frame.module)
        pointers_ = Value("%p", "ptr", Shape.VECTOR)
        rows = [builder.extract(pointers_, str(8 * matrix + row)).ref for row in range(8)]
        builder.ret(load_rows(builder, rows, transposed=transposed))
        head = f"define internal {vector} @{name}({builder.type('ptr')} %p) #1"
        frame.module.define_function(name, head, builder)
    ref = frame.builder.call(name, vector, pointer, how=frame.inline_attribute())
    return Value(ref, "i32", Shape.VECTOR)


def load_rows(builder: Builder, rows: list[str], *, transposed: bool) -> Value:
    """Load an 8x8 matrix of 16 bits, or 8x4 of 32, from the addresses of its rows: a word of 32 bits for each lane."""
    parts = [builder.load_part("i32", 4, row, align=4) for row in rows]
    while len(parts) > 1:
        both = range(2 * parts[0].lanes)
        parts = [builder.shuffle(a, both, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    if not transposed:
        return builder.group(parts[0])
    elements = [8 * (2 * (lane % 4) + half) + lane // 4 for lane in range(LANES) for half in (0, 1)]
    return builder.group(builder.cast_part(builder.shuffle(builder.cast_part(parts[0], "i16"), elements), "i32"))


@emits("ldmatrix")
def emit_ldmatrix(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Load one, two or four matrices."""
    if form.shape != "m8n8":
        _load_bytes(frame, instruction, form)
        return
    builder = frame.builder
    destination, pointer = instruction.operands[0], pointers(frame, instruction.address(1), "shared")
    whole = frame.copy.full and not pointer.uniform and not frame.module.settings.instrumentation
    loaded = []
    for matrix in range(int(form.num[1:])):
        if whole:
            loaded.append(_load_rows(frame, pointer, matrix, transposed=form.trans))
            continue
        low, high = _parts(frame, pointer, matrix, transposed=form.trans)
        if form.trans:
            halves = [builder.resize(load(frame, part, "i16"), "i32") for part in (low, high)]
            loaded.append(builder.binary("or", halves[0], builder.binary("shl", halves[1], constant(16, "i32"))))
        else:
            loaded.append(load(frame, low, "i32"))
    for target, value in zip(elements_of(destination), loaded, strict=True):
        frame.write(target, value)


@emits("stmatrix")
def emit_stmatrix(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Store one, two or four matrices."""
    if form.shape != "m8n8":
        _store_bytes(frame, instruction, form)
        return
    builder = frame.builder
    pointer, source = pointers(frame, instruction.address(0), "shared"), instruction.operands[1]
    for matrix, register in enumerate(elements_of(source)):
        value = builder.broadcast(frame.read(register, "b32"))
        low, high = _parts(frame, pointer, matrix, transposed=form.trans)
        store(frame, low, builder.resize(value, "i16"))
        store(frame, high, builder.resize(builder.binary("lshr", value, constant(16, "i32")), "i16"))


# --- matrices of bytes, or of six or four bits that become bytes (sm_100a) --------------------------------


def _elements_at(frame: Frame, pointer: Value, rows: list[int], columns: list[int], packing: str | None) -> Value:
    """Load an element for each lane as a byte (i32); lane i has the address of row i, of 16 bytes.

    Floats of four bits are placed in the middle of their byte, as `mma` takes them (9.7.15.5.14).
    """
    builder = frame.builder
    bits = {"b6x16_p32": 6, "b4x16_p64": 4, None: 8}.get(packing, 8)
    start = shuffle(builder, builder.broadcast(pointer), tuple(rows))
    at = _at(frame, start, by_lane([column * bits // 8 for column in columns], "i64"))
    word = builder.resize(load(frame, at, "i8"), "i32")
    if bits == 6:  # may continue in the next byte, which exists: padding follows
        following = builder.resize(load(frame, _at(frame, at, constant(1, "i64")), "i8"), "i32")
        word = builder.binary("or", word, builder.binary("shl", following, constant(8, "i32")))
    shifts = [column * bits % 8 for column in columns]
    if any(shifts):
        word = builder.binary("lshr", word, by_lane(shifts, "i32"))
    if bits < 8:
        word = builder.binary("and", word, constant((1 << bits) - 1, "i32"))
    return builder.binary("shl", word, constant(2, "i32")) if bits == 4 else word


def _load_bytes(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Load matrices of 8 rows, or transposed ones of 16 rows; a lane gets four adjacent elements per register."""
    builder = frame.builder
    destination, pointer = instruction.operands[0], pointers(frame, instruction.address(1), "shared")
    targets = elements_of(destination)
    lanes = range(LANES)
    for number, target in enumerate(targets):
        parts = []
        for position in range(4):
            if form.shape == "m16n16":
                matrix, half = divmod(number, 2)
                rows = [16 * matrix + 4 * (lane % 4) + position for lane in lanes]
                columns = [lane // 4 + 8 * half for lane in lanes]
            else:
                rows = [8 * number + lane // 4 for lane in lanes]
                columns = [4 * (lane % 4) + position for lane in lanes]
            parts.append(_elements_at(frame, pointer, rows, columns, form.source))
        value = parts[0]
        for position, part in enumerate(parts[1:], 1):
            value = builder.binary("or", value, builder.binary("shl", part, constant(8 * position, "i32")))
        frame.write(target, value)


def _store_bytes(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Store matrices of 16 rows and 8 columns, column-major; lane 8*matrix + i has the address of column i."""
    builder = frame.builder
    source = instruction.operands[1]
    pointer = builder.broadcast(pointers(frame, instruction.address(0), "shared"))
    for matrix, register in enumerate(elements_of(source)):
        value = builder.broadcast(frame.read(register, "b32"))
        for position in range(4):
            columns = tuple(8 * matrix + 2 * (lane % 4) + position % 2 for lane in range(LANES))
            rows = [lane // 4 + 8 * (position // 2) for lane in range(LANES)]
            at = _at(frame, shuffle(builder, pointer, columns), by_lane(rows, "i64"))
            part = builder.binary("lshr", value, constant(8 * position, "i32")) if position else value
            store(frame, at, builder.resize(part, "i8"))


@emits("movmatrix")
def emit_movmatrix(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Transpose a matrix in registers."""
    builder = frame.builder
    value = builder.broadcast(frame.read(instruction.operands[1], "b32"))
    low = builder.binary("and", value, constant(0xFFFF, "i32"))
    high = builder.binary("lshr", value, constant(16, "i32"))
    halves = []
    for position in (0, 1):  # element (row 2t + position, column g) of the source, for lane 4g + t
        sources = [(4 * (2 * (lane % 4) + position) + lane // 8, lane // 4 % 2) for lane in range(LANES)]
        halves.append(shuffle(builder, low, tuple(lane + LANES * odd for lane, odd in sources), high))
    frame.write(
        instruction.operands[0], builder.binary("or", halves[0], builder.binary("shl", halves[1], constant(16, "i32")))
    )
