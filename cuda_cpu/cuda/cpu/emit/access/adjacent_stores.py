# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Stores of several instructions to adjacent words in each lane's memory, merged into one at the last of them.

Between them may be loads, as in `row[0] -= x * top[0]; row[1] -= x * top[1];`. Where such a load may read what was
stored before, the machine code compares the addresses at the first store. If they overlap in some lane, each store is
executed in its place, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cuda.cpu.emit.access import adjacent, interleaved, reorder
from cuda.cpu.emit.access.addresses import offset_in_space, pointers, space_of
from cuda.cpu.emit.access.gather_scatter import scatter
from cuda.cpu.emit.llvm.values import ELEMENTS, Value, constant, integer_of
from cuda.cpu.passes.traits import PURE
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Address, Instruction, Register, Vector

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame
    from cuda.cpu.passes.graph import Step

WORD = 4  # bytes


@dataclass(slots=True)
class Group:
    """Stores that are merged; their offsets are counted from the same base register."""

    members: dict[int, int]  # offsets by the instructions' identities, in order
    loads: dict[Register, reorder.Span]  # what loads between them read, by their base registers
    values: dict[int, Value] = field(default_factory=dict)  # by offset
    overlaps: Value | None = None  # whether a lane loads what it has stored

    @property
    def last(self) -> int:
        return list(self.members)[-1]

    @property
    def pending(self) -> bool:
        """Return whether there are values that have not been stored yet."""
        return 0 < len(self.values) < len(self.members)


def store(frame: Frame, instruction: Instruction, form: Form) -> bool:
    """Store a word for each lane that runs, here or at a later instruction; return False if it is in no group."""
    key, merged = id(instruction), frame.block.merged
    if key not in merged:
        group = _find(frame, instruction, form)
        merged.update(dict.fromkeys(group.members if group else (key,), group))
        if group and group.loads:
            group.overlaps = _overlaps(frame, instruction, form, group)
    group = merged[key]
    if group is None:
        return False
    builder, address = frame.builder, instruction.address(0)
    value = group.values[address.offset] = builder.bits(frame.read(instruction.operands[1], form.type))
    if key == group.last:
        values = [group.values[offset] for offset in sorted(group.values)]
        adjacent.store_at(frame, Address(address.base, min(group.values)), space_of(form), values)
    elif group.overlaps is not None:
        given = pointers(frame, address, space_of(form)), builder.broadcast(value)
        here, after = builder.new_label("here"), builder.new_label("after")
        builder.branch(group.overlaps, here, after, likely=False)
        builder.label(here)
        scatter(frame, *given)
        builder.jump(after)
        builder.label(after)
    return True


def _overlaps(frame: Frame, instruction: Instruction, form: Form, group: Group) -> Value:
    """Return whether a lane that runs loads from the bytes that it stores."""
    builder, element = frame.builder, "i32" if space_of(form) == "shared" else "i64"
    size, found = WORD * len(group.members), builder.mask(0)
    first = offset_in_space(frame, instruction.address(0).base, min(group.members.values()))
    for base, span in group.loads.items():
        loaded = builder.resize(offset_in_space(frame, base, span[0]), element)
        distance = builder.binary("sub", builder.resize(first, element), loaded)
        distance = builder.binary("add", distance, constant(size - 1, element))
        near = builder.compare("icmp ult", distance, constant(size - 1 + span[1] - span[0], element))
        found = builder.binary("or", found, builder.lane_bits(near))
    return builder.complement(builder.is_zero(builder.binary("and", found, frame.mask)))


# --- the search for stores -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Search:
    """What is known of the instructions behind a store."""

    base: Register
    form: Form
    spans: list[reorder.Span]  # of stores, from the base
    keys: dict[int, int]  # stores that may be merged, by offset
    loads: dict[Register, reorder.Span] = field(default_factory=dict)  # see Group
    written: set[str] = field(default_factory=set)  # registers

    def goes_on(self, frame: Frame, step: Step) -> bool:
        """Return whether stores before an instruction may be executed behind it; note what it accesses."""
        instruction, form = step.operation()
        loads, stores = reorder.is_weak_load(form), reorder.is_weak_store(form)
        if form.opcode in PURE or ((loads or stores) and reorder.are_apart(form, self.form)):
            return True
        if not (loads or stores) or form.space != self.form.space:
            return False
        span, base = reorder.span_of(instruction, form), instruction.address(1 if loads else 0).base
        if base == self.base:
            if not reorder.may_pass(frame, self.base.name, span, self.spans):
                return False
            if stores:
                self.spans.append(span)
                if _is_word(instruction, form) and id(instruction) not in frame.block.merged:
                    self.keys[span[0]] = id(instruction)
            return True
        if stores or not isinstance(base, Register) or base.name in self.written:
            return False
        known = self.loads.get(base, span)
        self.loads[base] = min(span[0], known[0]), max(span[1], known[1])
        return frame.graph.is_uniform(base.name) or frame.stride_of(base.name) == 0

    def group(self, count: int) -> Group | None:
        """Return the first store and others to so many adjacent words; None if they have not been found."""
        first = self.spans[0][0]
        for start in range(first - WORD * (count - 1), first + 1, WORD):
            offsets = range(start, start + WORD * count, WORD)
            if all(offset in self.keys for offset in offsets):
                return Group({key: offset for offset, key in self.keys.items() if offset in offsets}, dict(self.loads))
        return None


def _find(frame: Frame, instruction: Instruction, form: Form) -> Group | None:
    """Return the stores to be merged with one: of four words or of two; None if there are none."""
    base, found = instruction.address(0).base, None
    if not _is_possible(frame, instruction, form) or not isinstance(base, Register):
        return None
    span = reorder.span_of(instruction, form)
    search = _Search(base, form, [span], {span[0]: id(instruction)})
    at = frame.position_of(instruction)
    for step in frame.flow.block.steps[at + 1 : at + adjacent.REACH]:
        if step.form is None or not search.goes_on(frame, step):
            break
        found = search.group(4) or found or search.group(2)
        search.written.update(step.writes)
        if base.name in search.written or (found and len(found.members) == 4):
            break
    return found


def _is_possible(frame: Frame, instruction: Instruction, form: Form) -> bool:
    simple = frame.module.settings.instrumentation is None and adjacent.is_possible(frame)
    suits = reorder.is_weak_store(form) and form.space in adjacent.SPACES and _is_word(instruction, form)
    return simple and suits and interleaved.stride_of(frame, instruction, form) is None


def _is_word(store: Instruction, form: Form) -> bool:
    return not isinstance(store.operands[1], Vector) and integer_of(ELEMENTS[form.type]) == "i32"
