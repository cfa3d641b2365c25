# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Matrix products of four warps: `wgmma`, dense and with a sparse A, ISA manual 9.7.16.

Each warp computes its 16 rows of the result by itself, eight columns at a time, as `mma` does. A descriptor of 64 bits
(9.7.16.5.1) describes a matrix in shared memory: start, two strides and how 16-byte chunks are swizzled. The product is
computed synchronously, so there is nothing to wait for.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda.cpu.emit.access.gather_scatter import load
from cuda.cpu.emit.instructions.matrix.elements import sizes
from cuda.cpu.emit.instructions.matrix.fragments import load_rows
from cuda.cpu.emit.instructions.matrix.mma import mma_layout, multiply, sparsity_of, vector_of
from cuda.cpu.emit.instructions.matrix.products import LANES, Sparsity
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Shape, Value, constant, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Immediate, Instruction, Operand, Vector, elements_of

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


def _described(frame: Frame, operand: Operand) -> Described:
    builder = frame.builder
    bits = builder.extract(frame.read(operand, "b64"), "0")  # the same in all lanes

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


def _lanes(values: list[int]) -> Value:
    return Value("<" + ", ".join(f"i32 {value}" for value in values) + ">", "i32", Shape.VECTOR, True)


def _swizzled(builder: Builder, address: Value, mask: Value) -> Value:
    """Return an offset in shared memory, whose bits 4 to 6 are xored with bits 7 to 9."""
    pattern = builder.binary("and", builder.binary("lshr", address, constant(3, "i32")), mask)
    return builder.binary("xor", address, pattern)


def _in_chunks(builder: Builder, matrix: Described, number: Value, outer: Value) -> Value:
    """Return the offset of a chunk; those that a row of the pattern does not have are at multiples of `outer`."""
    inner = builder.binary("and", number, builder.binary("sub", matrix.chunks, constant(1, "i32")))
    offset = builder.binary("shl", inner, constant(4, "i32"))
    return builder.binary("add", offset, builder.binary("mul", builder.binary("udiv", number, matrix.chunks), outer))


def _fragment(
    frame: Frame, matrix: Described, first: Value, halves: int, *, transposed: bool, blocks: int = 2
) -> list[Value]:
    """Load rows of A (two halves of eight) or columns of B (one half), with 16 bytes of k in each block.

    `first` is the number of the first half, among all of the matrix. A transposed matrix has elements of 16 bits.
    """
    builder = frame.builder
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
    load_matrix = _load_lanes if frame.module.settings.instrumentation else _load_rows
    return [
        load_matrix(frame, matrix, builder.binary("add", start, step), transposed=transposed)
        for step in steps
        for start in starts
    ]


def _load_rows(frame: Frame, matrix: Described, start: Value, *, transposed: bool) -> Value:
    """Load eight rows of 16 bytes."""
    name, vector = "described" + ".trans" * transposed, frame.builder.type("i32")
    if not frame.module.has(name):
        builder = Builder(frame.module)
        base, at, width, mask = Value("%base", "ptr"), *(Value(f"%{each}", "i32") for each in ("at", "width", "mask"))
        rows = []
        for _ in range(8):
            rows.append(builder.advance(base, _swizzled(builder, at, mask)).ref)
            at = builder.binary("add", at, width)
        builder.ret(load_rows(builder, rows, transposed=transposed))
        head = f"define internal {vector} @{name}(ptr %base, i32 %at, i32 %width, i32 %mask) #1"
        frame.module.define_function(name, head, builder)
    base = frame.warp_field("shared", "ptr")
    ref = frame.builder.call(name, vector, base, start, matrix.width, matrix.mask, mergeable=True)
    return Value(ref, "i32", Shape.VECTOR)


def _load_lanes(frame: Frame, matrix: Described, start: Value, *, transposed: bool) -> Value:
    """Load the same by an access of each lane, which is checked."""
    builder, instrumentation = frame.builder, frame.module.settings.instrumentation
    base = frame.warp_field("shared", "ptr")

    def element(type_: str, rows: list[int], offsets: list[int]) -> Value:
        address = builder.binary("add", start, builder.binary("mul", _lanes(rows), matrix.width))
        address = builder.binary("add", _swizzled(builder, address, matrix.mask), _lanes(offsets))
        pointer = instrumentation.reading(frame, builder.advance(base, address), width_of(type_) // 8)
        return builder.resize(load(frame, pointer, type_), "i32")

    quads, parts = [lane // 4 for lane in range(LANES)], [lane % 4 for lane in range(LANES)]
    if not transposed:
        return element("i32", quads, [4 * part for part in parts])
    columns = [2 * quad for quad in quads]
    low, high = (element("i16", [2 * part + half for part in parts], columns) for half in (0, 1))
    return builder.binary("or", low, builder.binary("shl", high, constant(16, "i32")))


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
    signs = [isinstance(flag, Immediate) and flag.value == -1 for flag in flags[:2]]
    transposed = [isinstance(flag, Immediate) and flag.value == 1 for flag in flags[2:]]
    if isinstance(left, Vector):  # A is in registers: only B can be transposed
        transposed = [False, *transposed]
        a = [builder.broadcast(frame.read(register, "b32")) for register in left.elements]
    else:
        warp = builder.binary("and", frame.warp_field("warp_id", "i32"), constant(3, "i32"))
        first = builder.binary("shl", warp, constant(1, "i32"))
        a = _fragment(frame, _described(frame, left), first, 2, transposed=transposed[:1] == [True])
    if signs.count(True) == 1:
        a = [builder.binary("xor", register, constant(_SIGNS[form.atype], "i32")) for register in a]
    keeps = frame.read(scale, "pred")
    c = [
        builder.broadcast(builder.select(keeps, frame.read(target, "b32"), constant(0, "i32")))
        for target in elements_of(destination)
    ]
    across = transposed[1:2] == [True]
    results = _columns(frame, form, a, _described(frame, right), c, metadata, sparsity, transposed=across)
    for target, value in zip(elements_of(destination), results, strict=True):
        frame.write(target, value)


def _columns(
    frame: Frame,
    form: Form,
    a: list[Value],
    right: Described,
    c: list[Value],
    metadata: Value | None,
    sparsity: Sparsity | None,
    *,
    transposed: bool,
) -> list[Value]:
    """Multiply, eight columns at a time."""
    _, columns, depth = sizes(form.shape)
    product = EightColumns(depth, form.dtype, form.atype, form.btype, form.satfinite, form.bitop, bool(sparsity))
    layout = mma_layout(f"m16n8k{depth}", form.atype)
    each = len(c) * 8 // columns  # registers for eight columns
    results = []
    for number in range(columns // 8):
        b = _fragment(frame, right, constant(number, "i32"), 1, transposed=transposed, blocks=4 if sparsity else 2)
        values = [a, [frame.builder.broadcast(value) for value in b], c[number * each : (number + 1) * each]]
        types = (form.atype, form.btype, form.dtype)
        results += multiply(frame, product, layout, types, values, metadata, sparsity=sparsity)
    return results
