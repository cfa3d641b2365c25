# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of kernels and device functions: layout, and .param variables as vectors of words.

A .param variable of a device function or of a call is not addressable in PTX. Here it is a stack slot of vectors, one
per word, which LLVM promotes to registers: a scalar is one vector of its own width, an array or a struct as many
vectors of 32-bit words as it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Shape, Value, constant, width_of
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Function, Variable


def offsets_of(parameters: Iterable[Variable]) -> tuple[dict[str, int], int]:
    """Return the offset of each kernel parameter, and the size of all."""
    offsets, end = {}, 0
    for parameter in parameters:
        start = -(-end // parameter.align) * parameter.align
        offsets[parameter.name] = start
        end = start + parameter.size
    return offsets, end


def is_scalar(variable: Variable) -> bool:
    """Return whether the variable is passed as one vector rather than as a pointer to vectors."""
    return variable.size in (1, 2, 4, 8) and not variable.dims


def words_of(variable: Variable) -> tuple[str, int]:
    """Return element type and number of the vectors that hold a variable."""
    if is_scalar(variable):
        return f"i{8 * variable.size}", 1
    return "i32", -(-variable.size // 4)


class Storage:
    """A .param variable in vectors of `element` at `pointer`."""

    def __init__(self, builder: Builder, variable: Variable, pointer: str = ""):
        self.builder = builder
        self.name = variable.name
        self.element, self.count = words_of(variable)
        self.pointer = pointer or builder.alloca(f"[{self.count} x {builder.type(self.element)}]")

    def load(self, index: int) -> Value:
        return self.builder.load(self.element, self._at(index), shape=Shape.VECTOR)

    def store(self, index: int, value: Value, lanes: Value | None) -> None:
        value = self.builder.broadcast(value)
        if lanes is not None:
            value = self.builder.select(lanes, value, self.load(index))
        self.builder.store(value, self._at(index))

    def _at(self, index: int) -> str:
        return self.builder.offset(self.pointer, index * width_of(self.element) * self.builder.width // 8)

    def _locate(self, offset: int, width: int, line: int) -> tuple[int, int, int]:
        """Return the first word, the bit in it, and the number of words of an access."""
        unit = width_of(self.element)
        first, bit = divmod(8 * offset, unit)
        count = max(1, width // unit)
        if (bit and bit + width > unit) or first + count > self.count or offset < 0:
            raise PtxError(f"access of {width // 8} bytes at offset {offset} of parameter {self.name!r}", line)
        return first, bit, count

    def read(self, offset: int, element: str, line: int) -> Value:
        """Return `element` (an integer) at a byte offset."""
        builder = self.builder
        first, bit, count = self._locate(offset, width_of(element), line)
        if count == 1:
            word = self.load(first)
            if bit:
                word = builder.binary("lshr", word, constant(bit, self.element))
            return builder.resize(word, element)

        def pieces() -> Iterator[Value]:
            for index in range(count):
                word = builder.resize(self.load(first + index), element)
                yield builder.binary("shl", word, constant(index * width_of(self.element), element)) if index else word

        return builder.fold("or", pieces())

    def write(self, offset: int, value: Value, line: int, lanes: Value | None = None) -> None:
        """Put an integer at a byte offset, for `lanes` only if given."""
        builder, width, unit = self.builder, width_of(value.element), width_of(self.element)
        first, bit, count = self._locate(offset, width, line)
        if count == 1 and width < unit:
            hole = constant(~(((1 << width) - 1) << bit), self.element)
            old = builder.binary("and", self.load(first), hole)
            new = builder.binary("shl", builder.resize(value, self.element), constant(bit, self.element))
            self.store(first, builder.binary("or", old, new), lanes)
            return
        for index in range(count):
            word = value
            if index:
                word = builder.binary("lshr", value, constant(index * unit, value.element))
            self.store(first + index, builder.resize(word, self.element), lanes)


# --- local memory -----------------------------------------------------------------------------------------


def local_layout(function: Function) -> tuple[dict[str, int], int]:
    """Return the offsets of the function's .local variables, and their size."""
    offsets, size = {}, 0
    for variable in function.variables.values():
        if variable.space == "local":
            size = -(-size // variable.align) * variable.align
            offsets[variable.name] = size
            size += variable.size
    return offsets, -(-size // 16) * 16


def local_size(function: Function) -> int:
    return local_layout(function)[1]


def local_alignment(function: Function) -> int:
    """Return the greatest alignment of the function's .local variables, at least that of every frame."""
    return max(16, *(each.align for each in function.variables.values() if each.space == "local"), 16)
