# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Memory for one value, with its type: a stack slot, or a field of a struct."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.values import Shape, Value, constant

if TYPE_CHECKING:
    from cuda.cpu.emit.llvm.builder import Builder


class Slot:
    """Memory for one value of a type: a stack slot, or a field of a struct."""

    __slots__ = ("align", "builder", "element", "pointer", "shape")

    def __init__(
        self, builder: Builder, pointer: str, element: str, shape: Shape = Shape.UNIFORM, *, align: int = 0
    ) -> None:
        self.builder = builder
        self.pointer = pointer
        self.element = element
        self.shape = shape
        self.align = align  # if it is not the type's own

    def load(self) -> Value:
        return self.builder.load(self.element, self.pointer, shape=self.shape, align=self.align)

    def store(self, value: Value | int, *, metadata: str = "") -> None:
        """Store a value of the slot's type, or a number."""
        if not isinstance(value, Value):
            value = constant(value, self.element)
        if value.element != self.element or value.shape is not self.shape:
            slot = self.builder.type(self.element, self.shape)
            raise TypeError(f"store of {self.builder.typed(value)} to a slot of type {slot}")
        self.builder.store(value, self.pointer, align=self.align, metadata=metadata)
