# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Contiguous elements of 8 or 16 bits of which some lanes run, for CPUs that have masked accesses of words only.

A load reads all lanes' elements at once if they lie in one page: what the other lanes' elements hold is not looked at,
and that page can be read, as an element of a lane that runs lies in it. A store must not write other lanes' elements,
which other threads may write: where the lanes that run are consecutive, pieces of a power of two bytes that may overlap
are stored, else one element after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Part, Value, constant, width_of

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.frame import Frame

PAGE = 4096  # bytes: the smallest page of a CPU
PIECES = (32, 16, 8, 4, 2, 1)  # bytes that are copied at once


def load(frame: Frame, base: str, element: str, count: int, mask: Value) -> Part:
    """Load the elements of the lanes of `mask`, of `count` bits, from `base` on; the others have any value."""
    name, vector = f"narrow.load.v{count}{element}", f"<{count} x {element}>"
    if not frame.module.has(name):
        head = f"define internal {vector} @{name}(ptr %base, i{count} %mask) #1"
        frame.module.define_function(name, head, _Helper(frame, element, count).load())
    ref = frame.builder.call(name, vector, Value(base, "ptr"), mask, how=frame.inline_attribute())
    return Part(ref, element, count)


def store(frame: Frame, base: str, value: Part, mask: Value) -> None:
    """Store the elements of the lanes of `mask`, an integer with a bit for each, from `base` on."""
    name = f"narrow.store.v{value.lanes}{value.element}"
    if not frame.module.has(name):
        head = f"define internal void @{name}({value.type} %value, ptr %base, i{value.lanes} %mask) #1"
        frame.module.define_function(name, head, _Helper(frame, value.element, value.lanes).store())
    frame.builder.call(name, "void", value, Value(base, "ptr"), mask)


class _Helper:
    """The body of a function for the lanes of %mask from %base on."""

    def __init__(self, frame: Frame, element: str, count: int) -> None:
        self.builder = Builder(frame.module)
        self.element, self.count, self.size = element, count, width_of(element) // 8
        self.base, self.mask = Value("%base", "ptr"), Value("%mask", f"i{count}")
        self.room = Value(self.builder.alloca(f"<{count} x {element}>"), "ptr")  # the lanes' elements

    def load(self) -> Builder:
        builder, nothing = self.builder, Part("zeroinitializer", self.element, self.count)
        builder.branch(builder.is_zero(self.mask), "nothing", "some")
        builder.label("nothing")
        builder.ret(nothing)
        builder.label("some")
        offset = builder.binary("and", builder.cast("ptrtoint", self.base, "i64"), PAGE - 1)
        last = constant(PAGE - self.count * self.size, "i64")  # from which all lanes' elements lie in the page
        builder.branch(builder.compare("icmp ule", offset, last), "whole", "single")
        builder.label("whole")
        builder.ret(builder.load_part(self.element, self.count, self.base.ref, align=self.size))
        builder.label("single")
        builder.store_part(nothing, self.room.ref, align=self.size)
        self._copy_each(self.base, self.room)
        builder.label("over")
        builder.ret(builder.load_part(self.element, self.count, self.room.ref, align=self.size))
        return builder

    def store(self) -> Builder:
        builder, value = self.builder, Part("%value", self.element, self.count)
        builder.branch(builder.is_zero(self.mask), "over", "some")
        builder.label("some")
        builder.branch(builder.compare("icmp eq", self.mask, -1), "whole", "part")
        builder.label("whole")
        builder.store_part(value, self.base.ref, align=self.size)
        builder.jump("over")
        builder.label("part")
        builder.store_part(value, self.room.ref, align=self.size)
        first = builder.intrinsic("cttz", self.mask.element, self.mask, "i1 true")
        run = builder.binary("lshr", self.mask, first)
        others = builder.binary("and", run, builder.binary("add", run, 1))
        builder.branch(builder.is_zero(others), "consecutive", "single")
        builder.label("consecutive")
        self._copy_run(first)
        builder.label("single")
        self._copy_each(self.room, self.base)
        builder.label("over")
        builder.ret()
        return builder

    def _copy_run(self, first: Value) -> None:
        """Copy the elements of consecutive lanes by the largest piece that they fill, from both ends."""
        builder = self.builder
        count = builder.resize(builder.intrinsic("ctpop", self.mask.element, self.mask), "i64")
        size, skipped = (builder.binary("mul", each, self.size) for each in (count, builder.resize(first, "i64")))
        source, target = builder.advance(self.room, skipped), builder.advance(self.base, skipped)
        # Twice as much as a piece is copied by the next larger one.
        for piece in (each for each in PIECES if self.size <= each < self.count * self.size):
            copy, smaller = builder.new_label("copy"), builder.new_label("smaller")
            builder.branch(builder.compare("icmp uge", size, constant(piece, "i64")), copy, smaller)
            builder.label(copy)
            far = builder.binary("sub", size, constant(piece, "i64"))
            both = constant(0, "i64"), far
            ends = [builder.load_part("i8", piece, builder.advance(source, each).ref, align=1) for each in both]
            for part, each in zip(ends, both, strict=True):
                builder.store_part(part, builder.advance(target, each).ref, align=1)
            builder.jump("over")
            builder.label(smaller)
        builder.jump("over")

    def _copy_each(self, source: Value, target: Value) -> None:
        """Copy the element of each lane, of which there are some, and go to %over."""
        builder, left = self.builder, self.builder.slot(self.mask.element)
        left.store(self.mask)
        builder.jump("lane")
        builder.label("lane")
        mask = left.load()
        lane = builder.resize(builder.intrinsic("cttz", mask.element, mask, "i1 true"), "i64")
        one = builder.load(self.element, builder.element(self.element, source.ref, lane), align=self.size)
        builder.store(one, builder.element(self.element, target.ref, lane), align=self.size)
        rest = builder.binary("and", mask, builder.binary("sub", mask, 1))
        left.store(rest)
        builder.branch(builder.is_zero(rest), "over", "lane")
