# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Products of matrices (Tile IR specification 13.4, section 9.8: mmaf, mmai, mmaf_scaled).

Both factors are packed into buffers of the type in which products are summed. A micro-kernel then computes a block of
the result, whose sums stay in registers, from rows of one factor and columns of the other.
"""

from __future__ import annotations

from cuda.cpu.tile.elements import literal, memory_type, register_type, rounded, size_of
from cuda.cpu.tile.llvm import Builder, Index, V, element_of, vector
from cuda.cpu.tile.lowering import Lowering, reads, shape_of
from cuda.cpu.tile.nodes import Broadcast, Buffer, Constant, Loop, Node
from cuda.cpu.tile.syntax import Operation
from cuda.cpu.tile.types import BY_NAME, Scalar, Tile

_ROWS, _VECTORS = 8, 2  # of the block of a micro-kernel: 16 of 32 registers
_NARROW = 4  # rows, where there are 16 registers
_CHUNK = 64  # products that are summed before the accumulator is added: rounding errors of long sums become smaller


class Converted(Node):
    """A factor in the type of the sums."""

    def __init__(self, source: Node, element: Scalar, signed: bool) -> None:
        self.sources, self.element, self.shape, self.signed = (source,), element, source.shape, signed

    def at(self, loop: Loop, index, lanes: int, axis: int) -> V:
        value = loop.at(self.sources[0], index, lanes, axis)
        source = element_of(value.type)
        target = register_type(self.element)
        if source == target:
            return value
        if source[0] == "i":
            return loop.builder.convert("sext" if self.signed else "zext", value, target)
        return loop.builder.convert("fpext", value, target)


class Scaled(Node):
    """A factor of mmaf_scaled: `block` elements along the axis `along` have one scale."""

    def __init__(self, source: Node, scales: Node, along: int, block: int) -> None:
        self.sources, self.along, self.block = (source, scales), along, block
        self.element, self.shape = BY_NAME["f32"], source.shape

    def at(self, loop: Loop, index, lanes: int, axis: int) -> V:
        b, (source, scales) = loop.builder, self.sources
        inner = list(index)
        if len(scales.shape) < len(self.shape):  # one block
            del inner[self.along]
        else:
            inner[self.along] = b.binary("udiv", b.index(index[self.along]), V("i64", str(self.block)))
        once = axis == self.along
        scale = loop.at(scales, inner, 1 if once else lanes, axis - (not once and len(inner) < len(index) and axis > 0))
        value = loop.at(source, index, lanes, axis)
        return b.binary("fmul", value, b.splat(scale, lanes) if once else scale)

    def moves(self) -> bool:
        return True


def _scaled(low: Lowering, operation: Operation, name: str, node: Node, sums: Scalar) -> Buffer:
    """Return a factor of mmaf_scaled, multiplied by its scales; a vector never has elements of two blocks."""
    kind, scales = operation.operands[name].type, operation.operands[f"{name}_scale"]
    assert isinstance(kind, Tile)
    assert isinstance(scales.type, Tile)
    dim = len(kind.shape) - (1 if name == "lhs" else 2)
    block = kind.shape[dim] // scales.type.shape[dim]
    along = sum(size != 1 for size in kind.shape[:dim])
    source = Converted(node, sums, signed=True)
    factors = low.materialise(low.node(scales)) if shape_of(scales) else low.node(scales)
    if kind.shape[dim] == 1 or not shape_of(scales):
        product: Node = Product(source, Broadcast(factors, source.shape, tuple(range(len(factors.shape)))))
    else:
        product = Scaled(source, factors, along, block)
    result = low.buffer(sums, product.shape)
    axis = max(len(product.shape) - 1, 0)
    lanes = low.lanes(product.shape[axis], [product]) if product.shape else 1

    def store(loop: Loop, index: tuple[Index, ...], lanes: int, axis: int) -> None:
        result.put(low.b, loop.at(product, index, lanes, axis), index, axis)

    low.nest(product.shape, [product], store, axis=axis, lanes=min(lanes, block) if axis == along else lanes)
    return result


class Product(Node):
    """The product of two nodes with one shape."""

    def __init__(self, lhs: Node, rhs: Node) -> None:
        self.sources, self.element, self.shape = (lhs, rhs), BY_NAME["f32"], lhs.shape

    def at(self, loop: Loop, index, lanes: int, axis: int) -> V:
        lhs, rhs = (loop.at(each, index, lanes, axis) for each in self.sources)
        return loop.builder.binary("fmul", lhs, rhs)


def multiply(low: Lowering, operation: Operation) -> None:
    """Emit mmaf or mmai."""
    acc_value = operation.operands["acc"]
    kind = acc_value.type
    assert isinstance(kind, Tile)
    assert isinstance(kind.element, Scalar)
    sums = kind.element if kind.element.name in ("f64", "i32") else BY_NAME["f32"]
    factors = []
    for name, sizes in (("lhs", (-2, -1)), ("rhs", (-2, -1))):
        value = operation.operands[name]
        signed = operation.attributes.get(f"signedness_{name}") != "unsigned"
        node = low.node(value)
        if str(node.element) == "f64" and sums.name != "f64":
            from cuda.cpu.tile.arithmetic import unsupported

            raise unsupported(operation, "f64 with sums of another type")
        if operation.name == "mmaf_scaled":
            node = _scaled(low, operation, name, node, sums)
        elif memory_type(node.element) != memory_type(sums) or not isinstance(node, Buffer):
            node = low.materialise(Converted(node, sums, signed))
        factors.append((node, _sizes(value.type, sizes)))
    (a, (batches, m, k)), (b, (_, _, n)) = factors
    result, zero = _accumulator(low, operation, sums)
    product = _Product(low, a, b, result, m, n, k, sums, zero)
    step = size_of(sums)

    def batch(index: Index) -> None:
        product.emit([low.b.multiply(index, size * step) for size in (m * k, k * n, m * n)])

    low.b.loop(batches, batch)
    if sums != kind.element:
        result = low.materialise(_Rounded(result, kind.element))
    low.keep(operation.result, result)


def _sizes(kind: object, axes: tuple[int, int]) -> tuple[int, int, int]:
    """Return batches, rows and columns of a tile."""
    assert isinstance(kind, Tile)
    shape = kind.shape if len(kind.shape) == 3 else (1, *kind.shape)
    return shape[0], shape[1], shape[2]


class _Rounded(Node):
    """Sums in the type of the result."""

    def __init__(self, source: Buffer, element: Scalar) -> None:
        self.sources, self.element, self.shape = (source,), element, source.shape

    def at(self, loop: Loop, index, lanes: int, axis: int) -> V:
        value = loop.at(self.sources[0], index, lanes, axis)
        return rounded(loop.builder, loop.builder.convert("fptrunc", value, register_type(self.element)), self.element)


def _accumulator(low: Lowering, operation: Operation, sums: Scalar) -> tuple[Buffer, bool]:
    """Return the buffer of the result with the accumulator in it, and whether that is zero and not written.

    The accumulator's own buffer is used if nothing else needs it.
    """
    value = operation.operands["acc"]
    node = low.node(value)
    if isinstance(node, Constant) and not node.bits:
        return low.buffer(sums, node.shape), True
    if memory_type(node.element) == memory_type(sums):
        if isinstance(node, Buffer) and low.owned(node):
            return node, False
        like = (node.shape, memory_type(sums))
        free = [buffer for buffer, moved in reads(node) if not moved and low.owned(buffer)
                and (buffer.shape, memory_type(buffer.element)) == like]  # fmt: skip
        if free and low.single_use(value) and [buffer for buffer, _ in reads(node)].count(free[0]) == 1:
            return low.materialise(node, into=free[0]), False
    return low.materialise(Converted(node, sums, signed=True), into=low.buffer(sums, node.shape)), False


class _Product:
    """C += A B with A of m rows and k columns, B of k rows and n columns, all row by row."""

    def __init__(self, low: Lowering, a: Buffer, b: Buffer, c: Buffer, m: int, n: int, k: int, sums: Scalar,
                 zero: bool) -> None:  # fmt: skip
        self.low, self.builder, self.a, self.b, self.c = low, low.b, a, b, c
        self.m, self.n, self.k, self.zero = m, n, k, zero
        self.element, self.size, self.sums = register_type(sums), size_of(sums), sums
        self.lanes = min(n, low.width * 4 // self.size)
        self.rows = min(m, _ROWS if low.width >= 16 else _NARROW)
        self.vectors = min(n // self.lanes, _VECTORS)

    def emit(self, offsets: list[Index]) -> None:
        b = self.builder
        bases = [b.at(each.pointer, offset) for each, offset in zip((self.a, self.b, self.c), offsets, strict=True)]

        def columns(j: Index) -> None:
            b.loop(self.m, lambda i: self._block(bases, i, j), self.rows)

        b.loop(self.n, columns, self.lanes * self.vectors)

    def _block(self, bases: list[V], i: Index, j: Index) -> None:
        """Emit the micro-kernel for rows from i and columns from j."""
        b, size, kind = self.builder, self.size, vector(self.element, self.lanes)
        a, right, c = bases
        first = b.at(a, b.multiply(i, self.k * size))
        column = b.at(right, b.multiply(j, size))
        target = b.at(c, b.multiply(b.add(b.multiply(i, self.n), j), size))
        sums = [(row, each, b.slot(kind)) for row in range(self.rows) for each in range(self.vectors)]

        def chunk(start: Index, first: bool) -> None:
            for _, _, slot in sums:
                b.put(slot, literal(b, self.sums, 0, self.lanes))
            b.loop(min(self.k, _CHUNK), lambda p: step(b.add(p, start)))
            for row, each, slot in sums:
                place = b.at(target, (row * self.n + each * self.lanes) * size)
                total = b.get(slot, kind)
                if not first or not self.zero:
                    total = b.binary("add" if self.element[0] == "i" else "fadd", b.load(kind, place, size), total)
                b.store(total, place, size)

        def step(p: Index) -> None:
            line = b.at(column, b.multiply(p, self.n * size))
            loaded = [b.load(kind, b.at(line, each * self.lanes * size), size) for each in range(self.vectors)]
            for row in range(self.rows):
                address = b.at(first, b.multiply(b.add(p, row * self.k), size))
                factor = b.splat(b.load(self.element, address, size), self.lanes)
                for each in range(self.vectors):
                    slot = sums[row * self.vectors + each][2]
                    b.put(slot, _fused(b, factor, loaded[each], b.get(slot, kind)))

        chunk(0, first=True)
        if self.k > _CHUNK:
            b.loop(self.k - _CHUNK, lambda p: chunk(b.add(p, _CHUNK), first=False), _CHUNK)


def _fused(b: Builder, x: V, y: V, z: V) -> V:
    if element_of(x.type)[0] == "i":
        return b.binary("add", b.binary("mul", x, y), z)
    return b.intrinsic("fma", x, y, z)
