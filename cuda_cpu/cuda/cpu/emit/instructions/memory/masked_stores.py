# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stores to contiguous memory by some lanes, where the CPU has vectors of 32 bytes and no registers for masks.

A masked store takes AMD's CPUs five to nine times as long as one of a whole register, even if all of its lanes run or
none does. At the end of a row, and in rows that are padded, most registers of a SIMD group are of lanes that all run or
of none that do: those are stored whole or not at all, then the halves of the others. Only a half of which some lanes
run is stored under a mask, in half of the time. A function for this keeps the code of kernels with many stores small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access.affine import lanes_of_segment
from cuda.cpu.emit.access.prefetch import prefetch
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Part, Value, width_of

if TYPE_CHECKING:
    from cuda.cpu.emit.access.affine import ContiguousAccess
    from cuda.cpu.emit.simt.frame import Frame

REGISTER, HALF = 32, 16  # bytes


def is_worth_it(frame: Frame, access: ContiguousAccess, element: str) -> bool:
    """Return whether a store is one of these: under a mask, of words or long words, of a register at least."""
    settings = frame.module.settings
    suits = settings.vector_bytes == REGISTER and not settings.native_gather and not settings.quick
    size = width_of(element) // 8
    fills = size in (4, 8) and lanes_of_segment(frame) * size >= REGISTER
    return suits and fills and access.stride != 0 and not frame.copy.full


def store(frame: Frame, access: ContiguousAccess, value: Value) -> None:
    """Store the elements of the lanes that run, one for each lane, from the base of each segment on."""
    builder, module, count = frame.builder, frame.module, lanes_of_segment(frame)
    prefetch(frame, access, width_of(value.element) // 8 * count, to_write=True)
    name = f"some.store.v{count}{value.element}"
    if not module.has(name):
        inside, whole = Builder(module), Part("%value", value.element, count)
        _store_registers(inside, whole, "%base", Value("%mask", f"i{count}"))
        head = f"define internal void @{name}({whole.type} %value, ptr %base, i{count} %mask) #1"
        module.define_function(name, head, inside)
    for segment, base in enumerate(access.bases):
        first = segment * count
        mine = builder.shuffle(builder.part(value), range(first, first + count))
        builder.call(name, "void", mine, Value(base, "ptr"), _bits(builder, frame.mask, first, count))


def _store_registers(builder: Builder, whole: Part, base: str, mask: Value) -> None:
    """Emit the body of the function, which stores a register after the other."""
    size = width_of(whole.element) // 8
    length = REGISTER // size
    for first in range(0, whole.lanes, length):
        register = builder.shuffle(whole, range(first, first + length))
        _store_part(builder, register, builder.offset(base, first * size), _bits(builder, mask, first, length))
    builder.ret()


def _store_part(builder: Builder, part: Part, base: str, bits: Value) -> None:
    """Store a register, or a half of one; `bits` has a bit for each of its lanes."""
    size = width_of(part.element) // 8
    every, others, some, after = map(builder.new_label, ("every", "others", "some", "stored"))
    builder.branch(builder.compare("icmp eq", bits, -1), every, others)
    builder.label(every)
    builder.store_part(part, base, align=size)
    builder.jump(after)
    builder.label(others)
    builder.branch(builder.is_zero(bits), after, some)
    builder.label(some)
    if part.lanes * size > HALF:
        count = part.lanes // 2
        for first in (0, count):
            half = builder.shuffle(part, range(first, first + count))
            _store_part(builder, half, builder.offset(base, first * size), _bits(builder, bits, first, count))
    else:
        _store_masked(builder, part, base, bits)
    builder.jump(after)
    builder.label(after)


def _bits(builder: Builder, mask: Value, first: int, count: int) -> Value:
    """Return the bits of some lanes."""
    shifted = builder.binary("lshr", mask, first) if first else mask
    return builder.cast("trunc", shifted, f"i{count}")


def _store_masked(builder: Builder, part: Part, base: str, bits: Value) -> None:
    lanes = builder.shuffle(builder.part(builder.lanes_by_words(bits)), range(part.lanes))
    builder.store_masked(part, base, lanes)
