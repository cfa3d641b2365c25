# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Accesses of consecutive lanes at distances that are known at compile time, as in columns: base + stride * lane.

Other distances are known, too, such as those of an array of blocks with padding between them (`find_patterns`).

Each lane's address is a constant away from the base of its segment, so that no vector of addresses is computed, stored
and read lane by lane. Groups of four lanes of which none runs are left out; in others, lanes that do not run access
memory of their own. Four adjacent words of a lane are accessed together, and transposed by shuffles.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuda.cpu.emit.access import affine, columns
from cuda.cpu.emit.access.addresses import pointers
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Part, Value
from cuda.cpu.passes.find_patterns import NOTHING
from cuda.cpu.passes.graph import Pattern
from cuda.cpu.passes.vector_accesses import FARTHEST_LANE, WORD, is_spread
from cuda.cpu.ptx.syntax import Address, Register

if TYPE_CHECKING:
    from cuda.cpu.emit.llvm.module import Module
    from cuda.cpu.emit.simt.frame import Frame

SPACES = {"global", "generic", "const", "shared"}
GROUP = 4  # lanes


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes' addresses: that of the first lane of each segment, and the bytes from it to each lane of a segment."""

    bases: tuple[Value, ...]
    distances: Pattern
    full: bool  # whether all lanes run

    @property
    def name(self) -> str:
        """Return a suffix for the name of a function: the bytes from lane to lane, and how many lanes have them."""
        steps = [after - before for before, after in itertools.pairwise(self.distances)]
        runs = [f"{step}x{len(list(run))}" for step, run in itertools.groupby(steps)]
        return f".by{'.'.join(runs)}{'.full' * self.full}"

    @property
    def parameters(self) -> str:
        return ", ".join(f"ptr %base{number}" for number in range(len(self.bases)))


def find(frame: Frame, address: Address, space: str) -> Lanes | None:
    """Return the lanes' addresses if their distances are known, else None."""
    base = address.base
    if not frame.graph.strided or frame.checked or not frame.copy.consecutive or not isinstance(base, Register):
        return None
    distances = _distances(frame, base.name)
    if space not in SPACES or distances is None:
        return None
    bases = []
    for segment in affine.segments(frame):
        with frame.in_segment(segment):
            bases.append(pointers(frame, address, space))
    return Lanes(tuple(bases), distances, frame.copy.full)


def _distances(frame: Frame, register: str) -> Pattern | None:
    """Return how far the lanes of a segment are from its first one, if that is known."""
    graph = frame.graph
    if is_spread(graph.patterns.get(register, NOTHING)):
        return graph.patterns[register]
    stride = frame.stride_of(register)
    if not stride or abs(stride) > FARTHEST_LANE:
        return None
    return tuple(stride * lane for lane in range(affine.lanes_of_segment(frame)))


def load(frame: Frame, lanes: Lanes, count: int) -> list[Value]:
    """Load one word or four for each lane that runs; zeros for the others."""
    builder, name = frame.builder, f"strided.load.{count}{lanes.name}"
    every = Part("", "i32", count * frame.width)
    if not frame.module.has(name):
        head = f'define internal {every.type} @"{name}"({lanes.parameters}, {builder.mask_type} %mask) #1'
        frame.module.define_function(name, head, _Helper(frame.module, lanes, count).load())
    ref = builder.call(f'"{name}"', every.type, *lanes.bases, frame.mask, how=frame.inline_attribute())
    words = every._replace(ref=ref)
    return [builder.group(builder.slice_part(words, number * frame.width, frame.width)) for number in range(count)]


def store(frame: Frame, lanes: Lanes, values: list[Value]) -> None:
    """Store one word or four for each lane that runs, in the order of the lanes."""
    builder, name = frame.builder, f"strided.store.{len(values)}{lanes.name}"
    parts = [builder.not_truncated(builder.part(builder.broadcast(value))) for value in values]
    if not frame.module.has(name):
        given = ", ".join(f"{part.type} %v{number}" for number, part in enumerate(parts))
        head = f'define internal void @"{name}"({given}, {lanes.parameters}, {builder.mask_type} %mask) #1'
        frame.module.define_function(name, head, _Helper(frame.module, lanes, len(values)).store())
    builder.call(f'"{name}"', "void", *parts, *lanes.bases, frame.mask)


class _Helper:
    """The function for accesses of `count` words of each lane."""

    def __init__(self, module: Module, lanes: Lanes, count: int):
        self.builder = Builder(module)
        self.lanes, self.count = lanes, count
        self.align = WORD * count
        self.nothing = Part("zeroinitializer", "i32", count)
        self.apart = "" if lanes.full else self.builder.alloca(self.nothing.type, self.align)

    def load(self) -> Builder:
        """Load the words of each group of lanes, and give each of them a vector."""
        builder, type_ = self.builder, f"<{GROUP * self.count} x i32>"
        if self.apart:
            builder.store_part(self.nothing, self.apart, align=self.align)
        rooms = []
        for first in range(0, builder.width, GROUP):
            room = builder.alloca(type_, 64)
            builder.store_part(Part("zeroinitializer", "i32", GROUP * self.count), room, align=64)
            with self._group(first) as pointers:
                words = [builder.load_part("i32", self.count, pointer, align=WORD) for pointer in pointers]
                builder.store_part(builder.concatenate(words), room, align=64)
            rooms.append(room)
        chunks = [builder.load_part("i32", GROUP * self.count, room, align=64) for room in rooms]
        found = columns.split(builder, chunks, self.count, list(range(self.count)))
        builder.ret(builder.concatenate([found[number] for number in range(self.count)]))
        return builder

    def store(self) -> Builder:
        """Store the words of each group of lanes, of which there is a vector each."""
        builder, length = self.builder, GROUP * self.count
        values = {number: Part(f"%v{number}", "i32", builder.width) for number in range(self.count)}
        chunks = columns.weave(builder, values, self.count, Part("poison", "i32", length), builder.width)
        for first, chunk in zip(range(0, builder.width, GROUP), chunks, strict=True):
            with self._group(first) as pointers:
                for number, pointer in enumerate(pointers):
                    words = builder.slice_part(chunk, number * self.count, self.count)
                    builder.store_part(words, pointer, align=WORD)
        builder.ret()
        return builder

    @contextlib.contextmanager
    def _group(self, first: int) -> Iterator[list[str]]:
        """Give the pointers of four lanes, for code that is executed if any of them runs."""
        builder, group = self.builder, range(first, first + GROUP)
        if self.lanes.full:
            yield [self._pointer(lane).ref for lane in group]
            return
        some, after = builder.new_label("some"), builder.new_label("after")
        builder.branch(self._none_runs(sum(1 << lane for lane in group)), after, some)
        builder.label(some)
        apart = Value(self.apart, "ptr")
        yield [builder.select(self._none_runs(1 << lane), apart, self._pointer(lane)).ref for lane in group]
        builder.jump(after)
        builder.label(after)

    def _none_runs(self, lanes: int) -> Value:
        mask = Value("%mask", self.builder.mask_type)
        return self.builder.is_zero(self.builder.binary("and", mask, self.builder.mask(lanes)))

    def _pointer(self, lane: int) -> Value:
        segment, number = divmod(lane, len(self.lanes.distances))
        return Value(self.builder.offset(f"%base{segment}", self.lanes.distances[number]), "ptr")
