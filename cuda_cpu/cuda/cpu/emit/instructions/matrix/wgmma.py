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
from cuda.cpu.emit.instructions.matrix.mma import mma_layout, multiply, sparsity_of, vector_of
from cuda.cpu.emit.instructions.matrix.products import LANES, Sparsity
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
    """A matrix in shared memory; values are i32. The swizzle pattern repeats after rows of `chunks` times 16 bytes."""

    start: Value
    leading: Value
    stride: Value
    chunks: Value
    swizzled: Value  # whether chunks are swizzled (i1)


def _described(frame: Frame, operand: Operand) -> Described:
    builder = frame.builder
    bits = frame.read(operand, "b64")

    def field(first: int, width: int) -> Value:
        value = builder.binary("lshr", bits, constant(first, "i64")) if first else bits
        return builder.resize(builder.binary("and", value, constant((1 << width) - 1, "i64")), "i32")

    def in_bytes(first: int) -> Value:
        return builder.binary("shl", field(first, 14), constant(4, "i32"))

    mode = field(62, 2)  # 0 none, 1: 128 bytes, 2: 64, 3: 32
    swizzled = builder.compare("icmp ne", mode, constant(0, "i32"))
    chunks = builder.binary("lshr", constant(16, "i32"), mode)
    chunks = builder.select(swizzled, chunks, constant(1, "i32"))
    return Described(in_bytes(0), in_bytes(16), in_bytes(32), chunks, swizzled)


def _lanes(values: list[int]) -> Value:
    return Value("<" + ", ".join(f"i32 {value}" for value in values) + ">", "i32", Shape.VECTOR, True)


def _pointers(frame: Frame, matrix: Described, offset: Value) -> Value:
    """Return the addresses of start + offset, swizzled: bits 4 to 6 are xored with bits 7 to 9."""
    builder = frame.builder
    address = builder.binary("add", matrix.start, offset)
    mask = builder.binary("shl", builder.binary("sub", matrix.chunks, constant(1, "i32")), constant(4, "i32"))
    pattern = builder.binary("and", builder.binary("lshr", address, constant(3, "i32")), mask)
    address = builder.binary("xor", address, pattern)
    base = frame.warp_field("shared", "ptr")
    return builder.advance(base, builder.broadcast(address))


def _load(frame: Frame, pointer: Value, element: str) -> Value:
    instrumentation = frame.module.settings.instrumentation
    if instrumentation is not None:
        pointer = instrumentation.reading(frame, pointer, width_of(element) // 8)
    return load(frame, pointer, element)


def _by_depth(frame: Frame, matrix: Described, line: Value, chunk: int, byte: Value) -> Value:
    """Return the offset of a byte of a chunk in a line (row of A, column of B) of a matrix stored along k."""
    builder = frame.builder
    width = builder.binary("shl", matrix.chunks, constant(4, "i32"))
    offset = builder.binary("mul", builder.binary("and", line, constant(7, "i32")), width)
    group = builder.binary("lshr", line, constant(3, "i32"))
    offset = builder.binary("add", offset, builder.binary("mul", group, matrix.stride))
    # If a row of the pattern has fewer chunks than k, the next ones are at the leading-dimension offset.
    number = constant(chunk, "i32")
    inner = builder.binary("and", number, builder.binary("sub", matrix.chunks, constant(1, "i32")))
    outer = builder.binary("udiv", number, matrix.chunks)
    offset = builder.binary("add", offset, builder.binary("shl", inner, constant(4, "i32")))
    offset = builder.binary("add", offset, builder.binary("mul", outer, matrix.leading))
    return builder.binary("add", offset, byte)


def _across_depth(frame: Frame, matrix: Described, line: Value, k: Value) -> Value:
    """Return the offset of an element of 16 bits in a transposed matrix."""
    builder = frame.builder
    across = builder.select(matrix.swizzled, matrix.leading, matrix.stride)
    along = builder.select(matrix.swizzled, matrix.stride, matrix.leading)
    chunk = builder.binary("lshr", line, constant(3, "i32"))
    inner = builder.binary("and", chunk, builder.binary("sub", matrix.chunks, constant(1, "i32")))
    outer = builder.binary("udiv", chunk, matrix.chunks)
    width = builder.binary("shl", matrix.chunks, constant(4, "i32"))
    terms = [
        builder.binary("shl", builder.binary("and", line, constant(7, "i32")), constant(1, "i32")),
        builder.binary("shl", inner, constant(4, "i32")),
        builder.binary("mul", outer, across),
        builder.binary("mul", builder.binary("and", k, constant(7, "i32")), width),
        builder.binary("mul", builder.binary("lshr", k, constant(3, "i32")), along),
    ]
    total = terms[0]
    for term in terms[1:]:
        total = builder.binary("add", total, term)
    return total


def _fragment(
    frame: Frame, matrix: Described, first: Value, halves: int, *, transposed: bool, blocks: int = 2
) -> list[Value]:
    """Load 16 rows of A (two halves) or 8 columns of B (one) from `first` on, with 16 bytes of k in each block."""
    builder = frame.builder
    registers = []
    for block in range(blocks):
        for half in range(halves):
            line = builder.binary("add", first, _lanes([lane // 4 + 8 * half for lane in range(LANES)]))
            if not transposed:
                offset = _by_depth(frame, matrix, line, block, _lanes([4 * (lane % 4) for lane in range(LANES)]))
                registers.append(_load(frame, _pointers(frame, matrix, offset), "i32"))
                continue
            parts = []
            for position in (0, 1):
                k = _lanes([8 * block + 2 * (lane % 4) + position for lane in range(LANES)])
                offset = _pointers(frame, matrix, _across_depth(frame, matrix, line, k))
                parts.append(builder.resize(_load(frame, offset, "i16"), "i32"))
            registers.append(builder.binary("or", parts[0], builder.binary("shl", parts[1], constant(16, "i32"))))
    return registers


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
        first = builder.binary("shl", warp, constant(4, "i32"))
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
        start = constant(8 * number, "i32")
        b = _fragment(frame, right, start, 1, transposed=transposed, blocks=4 if sparsity else 2)
        values = [a, [frame.builder.broadcast(value) for value in b], c[number * each : (number + 1) * each]]
        types = (form.atype, form.btype, form.dtype)
        results += multiply(frame, product, layout, types, values, metadata, sparsity=sparsity)
    return results
