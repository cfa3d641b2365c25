# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix products of a warp: `mma.sync`, `mma.sp.sync` and `wmma`, ISA manual 9.7.15.

A fragment is a matrix distributed over the registers of a warp; its layout, which lane has which element, is a formula.
The manual defines it for `mma` and leaves it to the implementation for `wmma`. A product is a helper function of the
module, defined once for each shape and type.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.emit.instructions.matrix.elements import PER_REGISTER, sizes, unpack, word_of
from cuda.cpu.emit.instructions.matrix.fragments import load_fragment, store_fragment
from cuda.cpu.emit.instructions.matrix.products import (
    LANES,
    Layout,
    Operands,
    Product,
    ProductForm,
    Scaling,
    Sparsity,
    shuffle,
)
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Shape, Value, constant, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Immediate, Instruction, Operand, elements_of

BLOCKS = {"kind::mxf8f6f4": 1, "kind::mxf4": 2}  # blocks of scaling without `.scale_vec`


def mma_layout(shape: str, type_: str) -> Layout:
    """Return the layout of `mma.sync` (9.7.15.5): quads of lanes share a row of A and a column of B."""
    rows, _, depth = sizes(shape)
    if type_ == "b1":
        depth //= 32
    each = PER_REGISTER[type_]
    halves = rows // 8

    def fragment(line: int, k: int, register: Callable[[int], int]) -> tuple[int, int]:
        block, rest = divmod(k, 4 * each)
        return 4 * (line % 8) + rest // each, register(block) * each + rest % each

    return Layout(
        depth,
        2 * halves,
        lambda row, k: fragment(row, k, lambda block: block * halves + row // 8),
        lambda k, column: fragment(column, k, lambda block: block),
        lambda lane, number: (lane // 4 + 8 * (number // 2), 2 * (lane % 4) + number % 2),
    )


def quad_layout(alayout: str, blayout: str, dtype: str, ctype: str) -> Layout:
    """Return the layout of `mma.m8n8k4` of halves: four products, each by lanes 4i to 4i + 3 and those 16 higher."""

    def lane_of(line: int) -> int:
        return line % 4 + 16 * (line // 4)

    def by_half(row: int, column: int) -> tuple[int, int]:
        return lane_of(row), column

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
        None if dtype == ctype else by_half,
    )


def wmma_layout(shape: str, type_: str, counts: tuple[int, int]) -> Layout:
    """Return our layout of `wmma`: consecutive lanes have consecutive rows of A and columns of B, then go on along k.

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


# --- instructions -----------------------------------------------------------------------------------


def types_of(form: Form) -> tuple[str, str, str]:
    """Return the types of A, B and C by which their registers are packed."""
    types = form.atype or "f16", form.btype or "f16", form.ctype
    if form.kind in ("kind::mxf4", "kind::mxf4nvf4"):
        return "e2m1x8", "e2m1x8", form.ctype
    return types


@emits("mma")
def emit_mma(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Multiply and add the fragments of a warp."""
    types = types_of(form)
    if form.shape == "m8n8k4" and form.atype == "f16":
        if (form.dtype, form.ctype) == ("f16", "f32"):
            raise PtxError(f"{form}: .dtype must be .f32 where .ctype is .f32", frame.line)
        layout = quad_layout(form.alayout, form.blayout, form.dtype, form.ctype)
    else:
        layout = mma_layout(form.shape, types[0])
    rest = list(instruction.operands[4:])
    metadata = sparsity = None
    if form.sparse:
        word, selector, *rest = rest
        metadata = vector_of(frame, word)
        sparsity = sparsity_of(frame, form, layout.depth, types[0], selector)
    scales = scaling = None
    if form.block_scale:
        scaling = Scaling(str(form.stype), int(form.scale_vec[-2]) if form.scale_vec else BLOCKS[form.kind])
        data_a, selectors_a, data_b, selectors_b = rest
        scales = _scales_of_a(frame, data_a, selectors_a), _scales_of_b(frame, data_b, selectors_b)
    values = fragments_of(frame, instruction.operands[1:4], types)
    results = multiply(frame, form, layout, types, values, metadata, scales, sparsity=sparsity, scaling=scaling)
    _write(frame, instruction.operands[0], results)


@emits("wmma")
def emit_wmma(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Multiply and add, or load or store a fragment."""
    if form.modifiers[0] != "mma":
        (load_fragment if form.modifiers[0] == "load" else store_fragment)(frame, instruction, form)
        return
    types = form.atype or "f16", form.btype or "f16", form.ctype
    a, b = (len(elements_of(operand)) * PER_REGISTER[types[0]] for operand in instruction.operands[1:3])
    values = fragments_of(frame, instruction.operands[1:4], types)
    results = multiply(frame, form, wmma_layout(form.shape, types[0], (a, b)), types, values)
    _write(frame, instruction.operands[0], results)


def _write(frame: Frame, destination: Operand, results: list[Value]) -> None:
    for target, value in zip(elements_of(destination), results, strict=True):
        frame.write(target, value)


def vector_of(frame: Frame, operand: Operand | None) -> Value:
    """Return an operand of 32 bits as a SIMD group."""
    return frame.builder.broadcast(frame.read(operand, "b32"))


def fragments_of(frame: Frame, operands: tuple[Operand, ...], types: tuple[str, ...]) -> list[list[Value]]:
    """Return the registers of A, B and C."""
    return [
        [frame.builder.broadcast(frame.read(register, word_of(type_))) for register in elements_of(operand)]
        for operand, type_ in zip(operands, types, strict=True)
    ]


def sparsity_of(frame: Frame, form: Form, depth: int, type_: str, selector: Operand) -> Sparsity:
    """Return how to read the metadata of a sparse A.

    Raises
    ------
    PtxError
        The selector is not a constant, or is out of range.
    """
    together = 2 if PER_REGISTER[type_] == 8 else 1
    choices = 2 if type_ == "tf32" else 4
    chunks = depth // (choices * together)
    by_row = PER_REGISTER[type_] >= 4
    # Four lanes have 128 bits; the metadata of two rows need 8 bits per chunk.
    count = 16 // chunks
    if not isinstance(selector, Immediate) or not 0 <= selector.value < count:
        wanted = "0" if count == 1 else f"a constant from 0 to {count - 1}"
        raise PtxError(f"{form}: the sparsity selector must be {wanted}", frame.line)
    return Sparsity(choices, together, chunks, by_row, selector.value)


def _scales_of_a(frame: Frame, data: Operand, selectors: Operand) -> Value:
    """Return the scale factors of A's rows in the layout of `Scaling`: two lanes of each four have them (9.7.15.3)."""
    builder = frame.builder
    byte, thread = (frame.read(selector, "u16") for selector in elements_of(selectors))
    words = vector_of(frame, *elements_of(data))
    upper = shuffle(builder, words, tuple(lane | 2 for lane in range(LANES)))
    words = builder.select(builder.compare("icmp eq", thread, constant(1, "i16")), upper, words)
    return _from_byte(frame, words, byte)


def _scales_of_b(frame: Frame, data: Operand, selectors: Operand) -> Value:
    """Return the scale factors of B's columns in the layout of `Scaling`: one lane of each four has them."""
    builder = frame.builder
    byte, thread = (frame.read(selector, "u16") for selector in elements_of(selectors))
    words = chosen = vector_of(frame, *elements_of(data))
    for number in range(1, 4):
        other = shuffle(builder, words, tuple(lane // 4 * 4 + number for lane in range(LANES)))
        chosen = builder.select(builder.compare("icmp eq", thread, constant(number, "i16")), other, chosen)
    return _from_byte(frame, chosen, byte)


def _from_byte(frame: Frame, words: Value, byte: Value) -> Value:
    builder = frame.builder
    bits = builder.resize(
        builder.binary("shl", builder.binary("and", byte, constant(3, "i16")), constant(3, "i16")), "i32"
    )
    return builder.binary("lshr", words, bits)


# --- functions of the module ------------------------------------------------------------------------


def multiply(
    frame: Frame,
    form: ProductForm,
    layout: Layout,
    types: tuple[str, ...],
    values: list[list[Value]],
    metadata: Value | None = None,
    scales: tuple[Value, Value] | None = None,
    *,
    sparsity: Sparsity | None = None,
    scaling: Scaling | None = None,
) -> list[Value]:
    """Call the product of a form and return the registers of its result.

    The product adds to C in memory, if the result has its type. In the order of instructions, a sum stays in its
    memory from one product to the next.

    Parameters
    ----------
    form : Form
        Its text names the product; of its modifiers dtype, ctype, rnd, satfinite and bitop are used.
    types : tuple of str
        Of A, B and C.
    values : list
        The registers of A, B and C, as SIMD groups.
    metadata, scales : Value
        A word per lane: the metadata of a sparse A, the scale factors of blocks.
    """
    builder = frame.builder
    name = f"{form}.{len(values[0])}.{len(values[1])}" + (f".{sparsity.selector}" if sparsity else "")
    words = [] if metadata is None else [metadata]
    words += scales or ()
    adds = form.dtype == form.ctype and layout.c is None
    if not frame.module.has(name):
        groups = [*values, words]
        frame.module.define(name, _function(frame, name, form, layout, types, groups, sparsity, scaling, adds))
    element = "i64" if form.dtype == "f64" else "i32"
    count = layout.count // PER_REGISTER[form.dtype]
    *factors, c = values
    memory = frame.block.sums.pop(_names(c), "") if adds else ""
    if not memory:
        memory = builder.alloca(f"[{count} x {builder.type(element)}]", 64)
        if adds:
            _store(builder, c, memory)
    arguments = [value for group in (*(factors if adds else values), words) for value in group]
    builder.call(f'"{name}"', "void", Value(memory, "ptr"), *arguments, mergeable=True)
    results = _load(builder, element, count, memory)
    if adds:
        frame.block.sums[_names(results)] = memory
    return results


def _store(builder: Builder, registers: list[Value], pointer: str) -> None:
    at = 0
    for register in registers:
        builder.store(register, builder.offset(pointer, at), align=64)
        at += LANES * width_of(register.element) // 8


def _load(builder: Builder, element: str, count: int, pointer: str) -> list[Value]:
    size = LANES * width_of(element) // 8
    slots = [builder.offset(pointer, number * size) for number in range(count)]
    return [builder.load(element, slot, shape=Shape.VECTOR, align=64) for slot in slots]


def _names(registers: list[Value]) -> tuple[str, ...]:
    return tuple(value.ref for value in registers)


def _function(
    frame: Frame,
    name: str,
    form: ProductForm,
    layout: Layout,
    types: tuple[str, ...],
    values: list[list[Value]],
    sparsity: Sparsity | None,
    scaling: Scaling | None,
    adds: bool,
) -> str:
    """Return the text of a function `void(ptr result, registers of A, B and C, words)`.

    If it `adds`, C is in the memory of the result.
    """
    builder = Builder(frame.module)
    arguments: list[list[Value]] = []
    head = ["ptr %to"]
    for letter, group in zip("abcw", values, strict=True):
        if letter == "c" and adds:
            arguments.append(_load(builder, group[0].element, len(group), "%to"))
            continue
        arguments.append(
            [Value(f"%{letter}{number}", value.element, Shape.VECTOR) for number, value in enumerate(group)]
        )
        head += [builder.typed(argument) for argument in arguments[-1]]
    a, b, c = (unpack(builder, group, type_) for group, type_ in zip(arguments[:3], types, strict=True))
    words = arguments[3]
    operands = Operands(a, b, c, words[0] if sparsity else None, (words[-2], words[-1]) if scaling else None)
    _store(builder, Product(builder, layout, form, operands, sparsity, scaling).registers(), "%to")
    body = "\n".join(["entry:", *builder.allocas, *builder.lines, "  ret void"])
    return f'define internal void @"{name}"({", ".join(head)}) #1 {{\n{body}\n}}\n'
