# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit what a debugger needs of a kernel: all registers in memory, and the state of its warp (area.py)."""

from __future__ import annotations

from collections.abc import Iterator

from cuda.cpu.debug.area import HEADER, START, Area, Stored
from cuda.cpu.debug.symbols import Symbols
from cuda.cpu.debug.types import Types
from cuda.cpu.debug.variables import Variables
from cuda.cpu.emit.llvm.module import DebugLocation
from cuda.cpu.emit.llvm.slot import Slot
from cuda.cpu.emit.llvm.values import Shape, Value, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.instrumentation import Instrumentation
from cuda.cpu.passes.graph import Block, Step
from cuda.cpu.ptx.program import Program
from cuda.cpu.ptx.syntax import Call, Function, Instruction

AREA = "%debug"


class Debug(Instrumentation):
    """Keeps the state of a kernel in memory; `areas` then tells where, by the name of the function."""

    keeps_registers = True

    def __init__(self, program: Program, kernel: str) -> None:
        self.areas: dict[str, Area] = {}
        self.symbols = Symbols(program, kernel)
        self._types = Types(self.symbols.info)
        self._predicates: dict[tuple[str, str], Slot] = {}  # bytes beside the bits, by function and register

    def entered(self, frame: Frame) -> None:
        function, builder = frame.facts.function, frame.builder
        self.areas[function.name] = Area()
        lanes = Value("%lanes", builder.mask_type)
        if function.entry:
            lanes = frame.warp_field("lanes", "i32")
        for name in function.registers:
            frame.slot(name)
        local = builder.cast("ptrtoint", frame.warp_field("local", "ptr"), "i64")
        if frame.local_base is not None:
            local = builder.binary("add", local, frame.local_base)
        first = builder.intrinsic("cttz", builder.mask_type, lanes, "i1 true", mangle=(builder.mask_type,))
        words = {
            "lane": builder.resize(first, "i64"),
            "lanes": builder.resize(lanes, "i64"),
            "local": local,
            "stride": frame.warp_field("local_stride", "i64"),
            "warp": builder.cast("ptrtoint", Value(frame.group.warp, "ptr"), "i64"),
            "registers": builder.cast("ptrtoint", Value(builder.offset(AREA, START), "ptr"), "i64"),
        }
        for name in ("params", "shared", "symbols"):
            words[name] = builder.cast("ptrtoint", frame.warp_field(name, "ptr"), "i64")
        for name, value in words.items():
            self._store(frame, HEADER[name], value)

    def register_slot(self, frame: Frame, register: str, element: str, shape: Shape) -> Slot:
        area = self.areas[frame.facts.function.name]
        lanes = 1 if shape is Shape.UNIFORM else frame.width
        size = max(width_of(element) // 8, 1)
        offset = area.take(size * lanes)
        if element == "i1" and lanes > 1:
            self._predicates[frame.facts.function.name, register] = frame.builder.part_slot(AREA, offset, "i8", shape)
            area.registers[register] = Stored(offset, size, lanes)
            offset = area.take(lanes // 8)
        else:
            area.registers[register] = Stored(offset, size, lanes)
        return frame.builder.part_slot(AREA, offset, element, shape)

    def begin(self, frame: Frame, block: Block) -> None:
        # At the location of the code before: a breakpoint at the block's first line stops behind this.
        self._store(frame, HEADER["lanes"], frame.builder.resize(frame.mask, "i64"))
        if block.steps:
            self._at(frame, block.steps[0].instruction)
        else:
            self._at_end(frame, block)

    def before(self, frame: Frame, step: Step) -> None:
        frame.block.values.clear()  # the debugger may have changed them

    def after(self, frame: Frame, step: Step) -> None:
        for name in step.writes:
            slot = self._predicates.get((frame.facts.function.name, name))
            if slot is not None:
                slot.store(frame.builder.cast("zext", frame.get(name), "i8"))

    def ending(self, frame: Frame, block: Block) -> None:
        frame.block.values.clear()
        self._at_end(frame, block)

    def finish(self, frame: Frame) -> None:
        area = self.areas[frame.facts.function.name]
        frame.builder.reserve(AREA, area.size)
        for record in Variables(self.symbols, self._types, frame.facts, area).records(AREA):
            frame.builder.record(record)

    def _at(self, frame: Frame, statement: Instruction | Call) -> None:
        frame.builder.at(DebugLocation(frame.facts.function.name, statement.line, statement.source))

    def _at_end(self, frame: Frame, block: Block) -> None:
        """Let the code that follows be at the line of the branch or return that ends a block, if there is one."""
        for statement in _statements(frame.facts.function):
            if statement.line == block.end.line:
                self._at(frame, statement)
                return

    def _store(self, frame: Frame, offset: int, value: Value) -> None:
        frame.builder.store(value, frame.builder.offset(AREA, offset), align=8)


def _statements(function: Function) -> Iterator[Instruction | Call]:
    return (each for each in function.body or () if isinstance(each, (Instruction, Call)))
