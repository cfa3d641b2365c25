# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Accesses of consecutive lanes to interleaved elements: arrays of structures, vectors, several elements per lane.

The addresses are base + stride * lane with a stride of 2 to 11 elements, or -1 to -11. What lies between the elements
of the first and of the last lane that runs is loaded by whole vectors, and shuffles pick each lane's elements: all
elements of a structure, of which several instructions may load parts, are picked from the same vectors. Lanes between
those two may not run, but memory is mapped there: two pages at most are touched, by a lane that runs each. Stores, of
converged SIMD groups, are the reverse: those of one structure are executed together, and constant masks spare elements
that are not stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.access import adjacent, affine
from cuda.cpu.emit.access.addresses import pointers, space_of
from cuda.cpu.emit.access.columns import length_of, lowest, split, weave
from cuda.cpu.emit.access.gather_scatter import segment_bits
from cuda.cpu.emit.llvm.values import ELEMENTS, Part, Value, constant, integer_of, width_of
from cuda.cpu.passes.traits import PURE
from cuda.cpu.passes.vector_accesses import base_of, interleaved_stride
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction, Operand, Register, elements_of

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

ALONE = -1  # a store that is not executed by vectors
LEAST_LANES = 8  # of a segment
SPARSEST = 4  # elements of memory per element stored; beyond that, scatters are faster


def stride_of(frame: Frame, instruction: Instruction, form: Form) -> int | None:
    """Return the stride of an access that this module can do, else None."""
    copy, settings = frame.copy, frame.module.settings
    if frame.checked or instruction.guard is not None or not settings.vector_bytes:
        return None
    has_masks = settings.native_gather or width_of(ELEMENTS[form.type]) >= 32
    masked = form.opcode == "ld" and copy.consecutive and has_masks and not settings.quick
    if not (masked or (copy.converged and copy.full)) or affine.lanes_of_segment(frame) < LEAST_LANES:
        return None
    base = base_of(instruction, form)
    return interleaved_stride(frame.graph, instruction, form) if base and frame.has_base(base.name) else None


# --- loads --------------------------------------------------------------------------------------------------


def load(frame: Frame, instruction: Instruction, form: Form, position: int) -> Value | None:
    """Return an element of a load; the elements that later loads need are picked at the first of them."""
    stride = stride_of(frame, instruction, form)
    if stride is None:
        return None
    key = id(instruction), position
    if key not in frame.block.loaded:
        element = integer_of(ELEMENTS[form.type])
        found = adjacent.reachable(frame, instruction, form, element)
        size = width_of(element) // 8
        mine = instruction.address(1).offset + position * size
        offsets = _of_structure(sorted(found), mine, abs(stride), size)
        loaded = _load(frame, instruction, form, offsets, stride, element)
        frame.block.loaded.update((found[offset], value) for offset, value in zip(offsets, loaded, strict=True))
    return frame.block.loaded[key]


def _of_structure(offsets: list[int], mine: int, stride: int, size: int) -> list[int]:
    """Return the offsets that lie in one structure with `mine`, as many as possible before it."""
    aligned = [each for each in offsets if (each - mine) % size == 0]
    first = next(each for each in aligned if mine - each + size <= stride)
    return [each for each in aligned if 0 <= each - first <= stride - size]


def _load(
    frame: Frame, instruction: Instruction, form: Form, offsets: list[int], stride: int, element: str
) -> list[Value]:
    """Load elements at several offsets from the lanes' addresses."""
    builder, address, size = frame.builder, instruction.address(1), width_of(element) // 8
    first, count = offsets[0], affine.lanes_of_segment(frame)
    columns = [(each - first) // size for each in offsets]
    parts: list[list[Part]] = [[] for _ in offsets]
    for segment in affine.segments(frame):
        with frame.in_segment(segment):
            base = pointers(frame, Address(address.base, first + lowest(stride, count)), space_of(form)).ref
        bounds = None if frame.copy.full else _bounds(frame, segment, stride // size, columns[-1])
        found = _pick(frame, base, element, stride // size, columns, count, bounds)
        for each, part in zip(parts, found, strict=True):
            each.append(part)
    return [builder.group(builder.concatenate(each)) for each in parts]


def _bounds(frame: Frame, segment: int, step: int, column: int) -> tuple[Value, Value]:
    """Return the first element of memory to be loaded and the number of elements, negative if no lane runs."""
    builder, lanes, span = frame.builder, segment_bits(frame, segment), abs(step)
    below, above = (
        builder.resize(builder.intrinsic(name, lanes.element, lanes, "i1 false"), "i32")
        for name in ("cttz", "ctlz")  # lanes that do not run
    )
    every = constant((affine.lanes_of_segment(frame) - 1) * span + column + 1, "i32")
    number = builder.binary("sub", every, builder.binary("mul", builder.binary("add", below, above), span))
    return builder.binary("mul", below if step > 0 else above, span), number


def _pick(
    frame: Frame,
    base: str,
    element: str,
    step: int,
    columns: list[int],
    count: int,
    bounds: tuple[Value, Value] | None,
) -> list[Part]:
    """Return for each column the elements step * lane + column of memory."""
    span, length = abs(step), length_of(element, step, count, frame.module.settings.vector_bytes)
    total = (count - 1) * span + columns[-1] + 1
    needed = {(span * lane + column) // length for lane in range(count) for column in columns}
    chunks = _load_chunks(frame, base, element, length, total, needed, bounds)
    chunks += [Part("poison", element, length)] * (span * count // length - len(chunks))
    picked = split(frame.builder, chunks, step, columns)
    return [picked[column] for column in columns]


def _load_chunks(
    frame: Frame,
    base: str,
    element: str,
    length: int,
    total: int,
    needed: set[int],
    bounds: tuple[Value, Value] | None,
) -> list[Part]:
    """Load the vectors of given numbers, of so many elements in all, or those within bounds; the last one by a mask.

    Volatile, so in this order, where nothing is to be moved out of a loop: LLVM would replace some by loads of the
    single elements that a shuffle picks, in an order for which the hardware does not prefetch. That takes up to twice
    as long.
    """
    builder, size, chunks = frame.builder, width_of(element) // 8, []
    metadata = frame.program_memory
    for first in range(0, total, length):
        if first // length not in needed:
            chunks.append(Part("poison", element, length))
            continue
        pointer = builder.offset(base, first * size)
        if first + length <= total and bounds is None:
            in_order = not metadata
            chunks.append(builder.load_part(element, length, pointer, align=size, metadata=metadata, volatile=in_order))
            continue
        if bounds is None:
            mask = _constant_mask([first + lane < total for lane in range(length)])
        else:
            mask = _within(frame, element, first, length, bounds)
        chunks.append(builder.load_masked(element, length, pointer, mask))
    return chunks


def _within(frame: Frame, element: str, first: int, length: int, bounds: tuple[Value, Value]) -> Part:
    """Return which of the elements from number `first` on are within bounds: none if their number is negative."""
    builder, number = frame.builder, "i16" if element == "i8" else element
    low, count = (
        builder.shuffle(builder.join(number, [builder.resize(each, number)], length), [0] * length) for each in bounds
    )
    elements = ", ".join(f"{number} {each}" for each in range(first, first + length))
    distance = builder.binary_part("sub", Part(f"<{elements}>", number, length), low)
    return builder.compare_part("icmp ult", distance, count)


def _constant_mask(lanes: list[bool]) -> Part:
    return Part(f"<{', '.join('i1 true' if lane else 'i1 false' for lane in lanes)}>", "i1", len(lanes))


# --- stores -------------------------------------------------------------------------------------------------


def store(frame: Frame, instruction: Instruction, form: Form, stride: int) -> bool:
    """Store by vectors if that is faster; return whether it is.

    Stores to other fields of the same structures, with nothing but pure instructions between, are executed at the last.
    """
    block, key = frame.block, id(instruction)
    if key not in block.together:
        block.together.update(_group(frame, instruction, form, stride))
    if block.together[key] == ALONE:
        return False
    element = integer_of(ELEMENTS[form.type])
    for offset, source in _sources(instruction, width_of(element) // 8):
        block.deferred[offset] = frame.builder.bits(frame.read(source, form.type))
    if block.together[key] == key:
        _store(frame, instruction, form, stride, block.deferred)
        block.deferred = {}
    return True


def _sources(instruction: Instruction, size: int) -> list[tuple[int, Operand | None]]:
    """Return offset and value of each element that an instruction stores."""
    start = instruction.address(0).offset
    return [(start + size * number, each) for number, each in enumerate(elements_of(instruction.operands[1]))]


def _group(frame: Frame, instruction: Instruction, form: Form, stride: int) -> dict[int, int]:
    """Return the last store of the group for each store in it; ALONE if scatters are faster."""
    size, base = int(form.type[1:]) // 8, instruction.address(0).base
    assert isinstance(base, Register)
    members, offsets = [id(instruction)], {offset for offset, _ in _sources(instruction, size)}
    at = frame.position_of(instruction)
    for step in frame.flow.block.steps[at + 1 : at + adjacent.REACH]:
        if step.form is None:
            break
        other, kind = step.operation()
        if kind.opcode in PURE:
            if base.name in step.writes:
                break
            continue
        if (kind.opcode, kind.space) != ("st", form.space) or int(kind.type[1:]) // 8 != size:
            break
        if stride_of(frame, other, kind) is None or other.address(0).base != base:
            break
        more = {offset for offset, _ in _sources(other, size)}
        together = offsets | more
        if offsets & more or max(together) - min(together) + size > abs(stride):
            break
        if any((offset - min(together)) % size for offset in more):
            break
        offsets = together
        members.append(id(other))
    last = members[-1] if abs(stride) <= SPARSEST * size * len(offsets) else ALONE
    return dict.fromkeys(members, last)


def _store(frame: Frame, instruction: Instruction, form: Form, stride: int, values: dict[int, Value]) -> None:
    builder, address = frame.builder, instruction.address(0)
    element = integer_of(ELEMENTS[form.type])
    size, count, offsets = width_of(element) // 8, affine.lanes_of_segment(frame), sorted(values)
    vectors = {offset: builder.part(builder.broadcast(value)) for offset, value in values.items()}
    columns = {(offset - offsets[0]) // size: vectors[offset] for offset in offsets}
    for segment in affine.segments(frame):
        with frame.in_segment(segment):
            base = pointers(frame, Address(address.base, offsets[0] + lowest(stride, count)), space_of(form)).ref
        mine = {column: builder.slice_part(part, segment * count, count) for column, part in columns.items()}
        _spread(frame, base, element, stride // size, mine, count)


def _spread(frame: Frame, base: str, element: str, step: int, columns: dict[int, Part], count: int) -> None:
    """Store lane l of each column to element step * l + column."""
    builder, size = frame.builder, width_of(element) // 8
    total, length = (
        (count - 1) * abs(step) + max(columns) + 1,
        length_of(element, step, count, frame.module.settings.vector_bytes),
    )
    chunks = weave(builder, columns, step, Part("poison", element, length), count)
    for chunk, first in zip(chunks, range(0, total, length), strict=False):  # nothing is stored behind `total`
        stored = [at < total and at % abs(step) in columns for at in range(first, first + length)]
        if not any(stored):
            continue
        pointer = builder.offset(base, first * size)
        if all(stored):
            builder.store_part(chunk, pointer, align=size)
            continue
        builder.store_masked(chunk, pointer, _constant_mask(stored))
