# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Accesses of consecutive lanes to elements at distances that are known at compile time, but follow no stride.

Loads read the vectors of memory that hold the elements, and shuffles pick each lane's; stores are the reverse, by
masks. `find_patterns` has the distances. Only elements of lanes that run are accessed, and what lies between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access.addresses import pointers, space_of
from cuda.cpu.emit.access.columns import merge
from cuda.cpu.emit.llvm.values import ELEMENTS, Part, Value, integer_of, width_of
from cuda.cpu.passes.vector_accesses import VECTOR, offsets_of
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction, Register

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

MASK = "i16"  # elements that CPUs with AVX-512 permute at once, for the lanes of a SIMD group


class _Vectors:
    """The vectors of memory that hold the elements, by their numbers, and the lanes that the elements belong to."""

    def __init__(self, frame: Frame, instruction: Instruction, form: Form, address: Address, offsets: tuple[int, ...]):
        self.frame = frame
        self.element = integer_of(ELEMENTS[form.type])
        self.size = width_of(self.element) // 8
        self.length = VECTOR // self.size
        self.numbers = sorted({offset // self.length for offset in offsets})
        assert isinstance(address.base, Register)
        lowest = min(frame.graph.patterns[address.base.name])
        with frame.in_segment(0):
            self.base = pointers(frame, Address(address.base, address.offset + lowest), space_of(form)).ref
        self.lane_of = {offset: lane for lane, offset in enumerate(offsets)}  # the last one of several
        self._lanes: Part | None = None

    def pointer(self, number: int) -> str:
        return self.frame.builder.offset(self.base, number * VECTOR)

    def lanes(self, number: int) -> list[int | None]:
        """Return the lane of each element of a vector, None if it belongs to none."""
        first = number * self.length
        return [self.lane_of.get(offset) for offset in range(first, first + self.length)]

    def mask(self, number: int) -> Part:
        """Return whether each element of a vector belongs to a lane that runs."""
        builder, lanes = self.frame.builder, self.lanes(number)
        if self.frame.copy.full:
            bits = ", ".join(f"i1 {str(lane is not None).lower()}" for lane in lanes)
            return Part(f"<{bits}>", "i1", self.length)
        if self._lanes is None:
            every = builder.part(builder.broadcast(self.frame.lanes_of_access()))
            self._lanes = builder.resize_part(every, MASK, signed=True)
        nothing = Part("zeroinitializer", MASK, self._lanes.lanes)
        picks = [nothing.lanes if lane is None else lane for lane in lanes]
        words = builder.shuffle(self._lanes, picks, nothing)
        return builder.compare_part("icmp ne", words, nothing._replace(lanes=self.length))


def load(frame: Frame, instruction: Instruction, form: Form) -> Value | None:
    """Return what a load loads, None if it does not suit."""
    offsets = _offsets(frame, instruction, form)
    if offsets is None or not (frame.copy.full or len(set(offsets)) == len(offsets)):
        return None  # of lanes with one element, any may run
    vectors = _Vectors(frame, instruction, form, instruction.address(1), offsets)
    builder, length, end = frame.builder, vectors.length, max(offsets) + 1
    chunks = [Part("poison", vectors.element, length)] * (vectors.numbers[-1] + 1)
    for number in vectors.numbers:
        pointer = vectors.pointer(number)
        if frame.copy.full and (number + 1) * length <= end:
            metadata = frame.program_memory
            part = builder.load_part(vectors.element, length, pointer, align=vectors.size, metadata=metadata)
        else:
            part = builder.load_masked(vectors.element, length, pointer, vectors.mask(number))
        chunks[number] = part
    lanes = range(0, frame.width, length)
    return builder.group(
        builder.concatenate([merge(builder, chunks, offsets[first : first + length], length) for first in lanes])
    )


def store(frame: Frame, instruction: Instruction, form: Form) -> bool:
    """Store by vectors, if that suits; return whether it does. Of lanes with one element, the last one's is stored."""
    offsets = _offsets(frame, instruction, form)
    if offsets is None or not (frame.copy.full or len(set(offsets)) == len(offsets)):
        return False
    builder = frame.builder
    value = builder.part(builder.broadcast(builder.bits(frame.read(instruction.operands[1], form.type))))
    vectors = _Vectors(frame, instruction, form, instruction.address(0), offsets)
    for number in vectors.numbers:
        stored = builder.shuffle(value, vectors.lanes(number))
        builder.store_masked(stored, vectors.pointer(number), vectors.mask(number))
    return True


def _offsets(frame: Frame, instruction: Instruction, form: Form) -> tuple[int, ...] | None:
    if frame.checked or instruction.guard is not None or not frame.copy.consecutive:
        return None
    return offsets_of(frame.graph, instruction, form)
