# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix products of four warps: `wgmma`, dense and with a sparse A, ISA manual 9.7.16.

Each warp computes its 16 rows of the result by itself, eight columns at a time, as `mma` does. A descriptor of 64 bits
(9.7.16.5.1) describes a matrix in shared memory: start, two strides and how 16-byte chunks are swizzled. The product is
computed synchronously, so there is nothing to wait for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cuda.cpu.emit.access.gather_scatter import load
from cuda.cpu.emit.instructions.matrix.elements import sizes, unpack
from cuda.cpu.emit.instructions.matrix.fragments import by_lane, load_rows
from cuda.cpu.emit.instructions.matrix.mma import mma_layout, multiply, sparsity_of, vector_of
from cuda.cpu.emit.instructions.matrix.products import LANES, Layout, Operands, Product, Sparsity
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Shape, Value, constant, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Immediate, Instruction, Operand, Vector, elements_of

_ARGUMENTS = {"room": "ptr", "shared": "ptr", "bits": "i64", "keep": "i1"}
_SIGNS = {"f16": -0x7FFF8000, "bf16": -0x7FFF8000, "tf32": -0x80000000, "e4m3": -0x7F7F7F80, "e5m2": -0x7F7F7F80}


@dataclass(frozen=True, slots=True)
class EightColumns:
    """The `mma` by which a warp computes eight columns: passed to `mma.multiply` as its form."""

    depth: int
    dtype: str
    atype: str
    btype: str
    satfinite: bool
    bitop: str | None
    sparse: bool

    @property
    def rnd(self) -> None:
        return None

    @property
    def ctype(self) -> str:
        return self.dtype

    def __str__(self) -> str:
        words = (
            "wgmma.sp" if self.sparse else "wgmma",
            f"k{self.depth}",
            self.dtype,
            self.atype,
            self.btype,
            self.bitop or "sum",
        )
        return ".".join(words) + (".satfinite" if self.satfinite else "")


@dataclass(frozen=True, slots=True)
class Described:
    """A matrix in shared memory; values are i32, of the warp. The swizzle pattern has rows of `width` bytes."""

    start: Value
    leading: Value
    stride: Value
    chunks: Value  # of 16 bytes, in a row of the pattern
    width: Value
    mask: Value  # of the bits that are swizzled
    swizzled: Value  # whether they are (i1)


def _described(builder: Builder, bits: Value) -> Described:
    """Return what a descriptor says."""

    def field(first: int, width: int) -> Value:
        value = builder.binary("lshr", bits, constant(first, "i64")) if first else bits
        return builder.resize(builder.binary("and", value, constant((1 << width) - 1, "i64")), "i32")

    def in_bytes(first: int) -> Value:
        return builder.binary("shl", field(first, 14), constant(4, "i32"))

    mode = field(62, 2)  # 0 none, 1: 128 bytes, 2: 64, 3: 32
    swizzled = builder.compare("icmp ne", mode, constant(0, "i32"))
    chunks = builder.binary("lshr", constant(16, "i32"), mode)
    chunks = builder.select(swizzled, chunks, constant(1, "i32"))
    width = builder.binary("shl", chunks, constant(4, "i32"))
    mask = builder.binary("sub", width, constant(16, "i32"))
    return Described(in_bytes(0), in_bytes(16), in_bytes(32), chunks, width, mask, swizzled)


def _swizzled(builder: Builder, address: Value, mask: Value) -> Value:
    """Return an offset in shared memory, whose bits 4 to 6 are xored with bits 7 to 9."""
    pattern = builder.binary("and", builder.binary("lshr", address, constant(3, "i32")), mask)
    return builder.binary("xor", address, pattern)


def _in_chunks(builder: Builder, matrix: Described, number: Value, outer: Value) -> Value:
    """Return the offset of a chunk; those that a row of the pattern does not have are at multiples of `outer`."""
    inner = builder.binary("and", number, builder.binary("sub", matrix.chunks, constant(1, "i32")))
    offset = builder.binary("shl", inner, constant(4, "i32"))
    return builder.binary("add", offset, builder.binary("mul", builder.binary("udiv", number, matrix.chunks), outer))


# A matrix of eight rows of 16 bytes, and where it begins -> a word for each lane.
Load = Callable[[Described, Value], Value]


def _fragment(
    builder: Builder, matrix: Described, first: Value, halves: int, load: Load, *, transposed: bool, blocks: int = 2
) -> list[Value]:
    """Load rows of A (two halves of eight) or columns of B (one half), with 16 bytes of k in each block.

    `first` is the number of the first half, among all of the matrix. A transposed matrix has elements of 16 bits.
    """
    numbers = [builder.binary("add", first, constant(half, "i32")) if half else first for half in range(halves)]
    if transposed:  # rows of 16 bytes go along the lines, eight of them along k
        across = builder.select(matrix.swizzled, matrix.leading, matrix.stride)
        along = builder.select(matrix.swizzled, matrix.stride, matrix.leading)
        starts = [_in_chunks(builder, matrix, number, across) for number in numbers]
        steps = [builder.binary("mul", constant(block, "i32"), along) for block in range(blocks)]
    else:
        starts = [builder.binary("mul", number, matrix.stride) for number in numbers]
        steps = [_in_chunks(builder, matrix, constant(block, "i32"), matrix.leading) for block in range(blocks)]
    starts = [builder.binary("add", matrix.start, start) for start in starts]
    return [load(matrix, builder.binary("add", start, step)) for step in steps for start in starts]


def _row_loader(builder: Builder, base: Value, *, transposed: bool) -> Load:
    """Return what loads eight rows of 16 bytes."""

    def load_matrix(matrix: Described, start: Value) -> Value:
        rows = []
        for _ in range(8):
            rows.append(builder.advance(base, _swizzled(builder, start, matrix.mask)).ref)
            start = builder.binary("add", start, matrix.width)
        return load_rows(builder, rows, transposed=transposed)

    return load_matrix


def _lane_loader(frame: Frame, *, transposed: bool) -> Load:
    """Return what loads the same by an access of each lane, which is checked."""
    builder, instrumentation = frame.builder, frame.module.settings.instrumentation
    assert instrumentation is not None
    base = frame.warp_field("shared", "ptr")
    quads, parts = [lane // 4 for lane in range(LANES)], [lane % 4 for lane in range(LANES)]

    def element(matrix: Described, start: Value, type_: str, rows: list[int], offsets: list[int]) -> Value:
        address = builder.binary("add", start, builder.binary("mul", by_lane(rows, "i32"), matrix.width))
        address = builder.binary("add", _swizzled(builder, address, matrix.mask), by_lane(offsets, "i32"))
        pointer = instrumentation.reading(frame, builder.advance(base, address), width_of(type_) // 8)
        return builder.resize(load(frame, pointer, type_), "i32")

    def load_matrix(matrix: Described, start: Value) -> Value:
        if not transposed:
            return element(matrix, start, "i32", quads, [4 * part for part in parts])
        columns = [2 * quad for quad in quads]
        low, high = (element(matrix, start, "i16", [2 * part + half for part in parts], columns) for half in (0, 1))
        return builder.binary("or", low, builder.binary("shl", high, constant(16, "i32")))

    return load_matrix


@emits("wgmma")
def emit_wgmma(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Add a product to the destination; fences, commits and waits emit nothing."""
    if form.modifiers[0] != "mma_async":
        return
    builder = frame.builder
    destination, left, right, *rest = instruction.operands
    metadata = sparsity = None
    if form.sparse:
        word, selector, *rest = rest
        metadata = vector_of(frame, word)
        sparsity = sparsity_of(frame, form, sizes(form.shape)[2], form.atype, selector)
    scale, *flags = rest
    negative = [isinstance(flag, Immediate) and flag.value == -1 for flag in flags[:2]].count(True) == 1
    transposed = [isinstance(flag, Immediate) and flag.value == 1 for flag in flags[2:]]
    in_registers = isinstance(left, Vector)
    of_a, of_b = [False, *transposed, False][:2] if in_registers else [*transposed, False, False][:2]
    product = Columns(form, in_registers, negative, of_a, of_b, sparsity)
    if in_registers:
        a = [builder.broadcast(frame.read(register, "b32")) for register in elements_of(left)]
    else:
        warp = builder.binary("and", frame.warp_field("warp_id", "i32"), constant(3, "i32"))
        a = [_of_warp(frame, left, "b64"), builder.binary("shl", warp, constant(1, "i32"))]
    c = [builder.broadcast(frame.read(target, "b32")) for target in elements_of(destination)]
    keep, bits = _of_warp(frame, scale, "pred"), _of_warp(frame, right, "b64")
    multiply_columns = _multiply if frame.module.settings.instrumentation is None else _multiply_checked
    results = multiply_columns(frame, product, a, bits, c, keep, metadata)
    for target, value in zip(elements_of(destination), results, strict=True):
        frame.write(target, value)


def _of_warp(frame: Frame, operand: Operand, type_: str) -> Value:
    """Return an operand that is the same in all lanes."""
    return frame.builder.extract(frame.read(operand, type_), "0")


@dataclass(frozen=True, slots=True)
class Columns:
    """A product of which a warp computes eight columns after the other."""

    form: Form
    in_registers: bool  # A; otherwise in shared memory
    negative: bool
    transposed_a: bool
    transposed_b: bool
    sparsity: Sparsity | None

    def __str__(self) -> str:
        words = [f"{self.eight}.n{8 * self.count}", "registers" if self.in_registers else "memory"]
        words += [word for word in ("negative", "transposed_a", "transposed_b") if getattr(self, word)]
        return ".".join(words) + (f".{self.sparsity.selector}" if self.sparsity else "")

    @property
    def eight(self) -> EightColumns:
        form = self.form
        depth, sparse = sizes(form.shape)[2], self.sparsity is not None
        return EightColumns(depth, form.dtype, form.atype, form.btype, form.satfinite, form.bitop, sparse)

    @property
    def layout(self) -> Layout:
        return mma_layout(f"m16n8k{sizes(self.form.shape)[2]}", self.form.atype)

    @property
    def count(self) -> int:
        """How many times eight columns there are."""
        return sizes(self.form.shape)[1] // 8

    @property
    def types(self) -> tuple[str, str, str]:
        return self.form.atype, self.form.btype, self.form.dtype

    def left(self, builder: Builder, a: list[Value], load_matrix: Load) -> list[Value]:
        """Return the registers of A; `a` are these, or its descriptor and the number of its first eight rows."""
        if not self.in_registers:
            bits, first = a
            a = _fragment(builder, _described(builder, bits), first, 2, load_matrix, transposed=self.transposed_a)
        if self.negative:
            a = [builder.binary("xor", register, constant(_SIGNS[self.form.atype], "i32")) for register in a]
        return a

    def right(self, builder: Builder, matrix: Described, number: Value, load_matrix: Load) -> list[Value]:
        """Return the registers of B for some eight columns."""
        blocks = 4 if self.sparsity else 2
        return _fragment(builder, matrix, number, 1, load_matrix, transposed=self.transposed_b, blocks=blocks)


def _multiply_checked(
    frame: Frame, product: Columns, a: list[Value], bits: Value, c: list[Value], keep: Value, metadata: Value | None
) -> list[Value]:
    """Multiply and return the registers of the result; what is read of B is checked."""
    builder = frame.builder
    a = product.left(builder, a, _lane_loader(frame, transposed=product.transposed_a))
    load_matrix, right = _lane_loader(frame, transposed=product.transposed_b), _described(builder, bits)
    c = [builder.select(keep, value, builder.broadcast(constant(0, "i32"))) for value in c]
    each = len(c) // product.count
    results = []
    for number in range(product.count):
        b = product.right(builder, right, constant(number, "i32"), load_matrix)
        values = [a, b, c[number * each : (number + 1) * each]]
        results += multiply(
            frame, product.eight, product.layout, product.types, values, metadata, sparsity=product.sparsity
        )
    return results


def _multiply(
    frame: Frame, product: Columns, a: list[Value], bits: Value, c: list[Value], keep: Value, metadata: Value | None
) -> list[Value]:
    """Multiply in a function of the module and return the registers of the result."""
    builder, name = frame.builder, str(product)
    if not frame.module.has(name):
        _define(frame, product, a, len(c))
    size = 4 * LANES
    room = builder.alloca(f"[{len(c)} x {builder.type('i32')}]", 64)
    slots = [builder.offset(room, number * size) for number in range(len(c))]
    for value, slot in zip(c, slots, strict=True):
        builder.store(value, slot, align=64)
    words = [] if metadata is None else [metadata]
    shared = frame.warp_field("shared", "ptr")
    builder.call(f'"{name}"', "void", Value(room, "ptr"), shared, bits, keep, *a, *words)
    return [builder.load("i32", slot, shape=Shape.VECTOR, align=64) for slot in slots]


def _define(frame: Frame, product: Columns, given: list[Value], results: int) -> None:
    """Define `void(ptr C and result, ptr shared memory, i64 descriptor of B, i1 keep, A as given, metadata)`."""
    builder = Builder(frame.module)
    room, shared, bits, keep = (Value(f"%{each}", each_type) for each, each_type in _ARGUMENTS.items())
    a = [Value(f"%a{number}", value.element, value.shape) for number, value in enumerate(given)]
    words = [Value("%metadata", "i32", Shape.VECTOR)] if product.sparsity else []
    head = ", ".join(builder.typed(argument) for argument in (room, shared, bits, keep, *a, *words))
    of_a, of_b, of_c = product.types
    factors = unpack(
        builder, product.left(builder, a, _row_loader(builder, shared, transposed=product.transposed_a)), of_a
    )
    right, load_matrix = _described(builder, bits), _row_loader(builder, shared, transposed=product.transposed_b)
    each, size = results // product.count, 4 * LANES
    at = builder.slot("i32")
    at.store(0)
    builder.jump("columns")
    builder.label("columns")
    number = at.load()
    b = product.right(builder, right, number, load_matrix)
    start = builder.element(f"[{each * size} x i8]", room.ref, number)
    slots = [builder.offset(start, position * size) for position in range(each)]
    c = [builder.load("i32", slot, shape=Shape.VECTOR, align=64) for slot in slots]
    c = [builder.select(keep, value, builder.broadcast(constant(0, "i32"))) for value in c]
    operands = Operands(factors, unpack(builder, b, of_b), unpack(builder, c, of_c), words[0] if words else None)
    found = Product(builder, product.layout, product.eight, operands, product.sparsity).registers()
    for value, slot in zip(found, slots, strict=True):
        builder.store(value, slot, align=64)
    number = builder.binary("add", number, constant(1, "i32"))
    at.store(number)
    builder.branch(builder.compare("icmp ult", number, constant(product.count, "i32")), "columns", "over")
    builder.label("over")
    builder.ret()
    frame.module.define_function(str(product), f'define internal void @"{product}"({head}) #1', builder)
