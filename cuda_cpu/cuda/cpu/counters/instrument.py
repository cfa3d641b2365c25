# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emit counters: of the executions of each basic block, of guards, of divergent branches, and of memory accesses.

Profiled kernels run one warp after the other (on fibers, if they wait for each other), with the mask of its active
lanes, so counts do not depend on the path, level or workers. Lanes that diverge reconverge at the first block, in the
order of passes/order_blocks.py, that they all reach.
"""

from __future__ import annotations

from dataclasses import replace

from cuda.cpu.check import COPIED, READ, SIZED, SPACES, UNIFORM, WRITE
from cuda.cpu.check.accesses import ACCESSES, Access
from cuda.cpu.check.instrument import NULL
from cuda.cpu.counters.groups import groups_of
from cuda.cpu.counters.layout import Accesses, Counted, Layout, Source
from cuda.cpu.counters.plain import COPIES, PlainAccess, plain_access
from cuda.cpu.counters.regular import (
    EXCESS,
    REQUESTS,
    SECTORS,
    STRIDED,
    THREADS,
    WARP,
    RegularRequest,
    can_be_regular,
    counters_of,
    stride_of,
)
from cuda.cpu.emit.access.addresses import advanced, pointers
from cuda.cpu.emit.llvm.values import Shape, Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.emit.simt.instrumentation import Instrumentation
from cuda.cpu.passes.graph import Block, End, Graph, Step
from cuda.cpu.passes.split_blocks import ENDS
from cuda.cpu.ptx.program import Program
from cuda.cpu.ptx.syntax import Call, Instruction, Location
from cuda.cpu.runtime.abi import number

COUNTS, GROUPS = number("COUNTS"), number("GROUPS")
UPDATE = READ | WRITE
BRANCHES = ("bra", "brx")


class Counters(Instrumentation):
    """Adds the counters of a profiled kernel; `layout` then tells what each one counts."""

    keeps_returns = True
    keeps_addresses = True
    needs_fibers = False

    def __init__(self, program: Program, kernel: str):
        self.layout = Layout(kernel, {name: program.unit_of[name].text for name in program.reachable(kernel)})
        self._program = program
        self._blocks: dict[tuple[str, int], int] = {}  # (function, block) -> counter
        self._strides: dict[str, dict[str, int]] = {}  # of affine registers, by function
        self._rows: dict[int, Counted] = {}  # id of a step -> its instruction
        self._ends: dict[int, Counted] = {}  # id of a block's end -> its instruction

    def analysed(self, graph: Graph) -> None:
        self._strides[graph.function.name] = dict(graph.strides)

    def begin(self, frame: Frame, block: Block) -> None:
        """Emit the counters of a block; its mask is that of the lanes that run it."""
        known = (frame.facts.function.name, block.number) in self._blocks
        counter = self._counter_of(frame, block)
        self._count_lanes(frame, counter, frame.mask)
        self._groups = groups_of(block)
        self._followers = {id(step) for group in self._groups.values() for step in group[1:]}
        if known:  # another copy of it, see emit/function.py
            return
        for step in block.steps:
            self._rows[id(step)] = self._add(frame, step.instruction, step, counter)
        if block.end.line and not block.end.skips:
            self._add_end(frame, block.end, counter)

    def before(self, frame: Frame, step: Step) -> None:
        """Emit the counters of an instruction's guard and accesses."""
        row, instruction, form = self._rows[id(step)], step.instruction, step.form
        assert isinstance(instruction, Instruction)
        assert form is not None
        if frame.guard is not None:
            lanes = frame.builder.binary("and", frame.builder.lane_bits(frame.guard), frame.mask)
            row.guard = self.layout.reserve(1) if row.guard is None else row.guard
            self._add_number(frame, row.guard, _count(frame, lanes))
        self._row = row
        plain = plain_access(instruction, form)
        if plain is not None:
            self._count_executions(frame, row, plain)
        if id(step) in self._followers:
            return
        group = [self._rows[id(each)] for each in self._groups.get(id(step), (step,))]
        find = ACCESSES.get(instruction.opcode)
        for access in find(frame, instruction, form) if find else ():
            if "bulk" not in form.modifiers or isinstance(access.size, Value):  # not of mbarriers and tensor maps
                self._count_access(frame, group, access)

    def copied(self, frame: Frame, what: int, operands: Value) -> None:
        """Emit the counters of a tensor copy, multicast or access to multicast memory."""
        kinds = COPIES.get(what & 15)
        if kinds is None:
            return
        counter = self.layout.reserve(2 * COUNTS)
        for space, kind, first in zip(("global", "shared"), kinds, (counter, counter + COUNTS), strict=True):
            if kind:
                self._row.accesses.append(Accesses(first, space, kind))
        frame.service("profile_bulk", frame.mask, constant(counter, "i32"), constant(what, "i32"), operands)

    def branch(self, frame: Frame, end: End, lanes: dict[int, Value]) -> None:
        """Emit the counter of executions of a branch after which the lanes of a warp differ."""
        if end.skips or not self._ends[id(end)].branches:  # a guarded exit or return is no branch
            return
        builder = frame.builder
        row = self._ends[id(end)]
        row.divergent = self.layout.reserve(1) if row.divergent is None else row.divergent
        some = None  # whether lanes go to several targets: to more than one with a lane
        for mask in lanes.values():
            has = builder.cast("zext", builder.compare("icmp ne", mask, 0), "i64")
            some = has if some is None else builder.binary("add", some, has)
        assert some is not None
        several = builder.cast("zext", builder.compare("icmp ugt", some, constant(1, "i64")), "i64")
        self._add_number(frame, row.divergent, several)

    def joined(self, frame: Frame, block: Block, lanes: Value) -> None:
        """Emit the counters of a block whose barrier some lanes have reached, while others run one like it."""
        self._count_lanes(frame, self._counter_of(frame, block), lanes)

    def finish(self, frame: Frame) -> None:
        """Complete the rows of a function, all of whose blocks are emitted."""
        name = frame.facts.function.name
        for block in frame.graph.blocks:
            if block.end.skips:
                guarded = frame.graph.blocks[block.end.targets[1]]
                self._rows[id(guarded.steps[0])].around = self._blocks[name, block.number]

    def _counter_of(self, frame: Frame, block: Block) -> int:
        key = frame.facts.function.name, block.number
        if key not in self._blocks:
            self._blocks[key] = self.layout.reserve(2)
        return self._blocks[key]

    def _add(self, frame: Frame, instruction: Instruction | Call, step: Step | None, counter: int) -> Counted:
        row = Counted(
            frame.facts.function.name, instruction.line, instruction.opcode, step.form if step else None,
            self._source(frame, instruction.line, instruction.source), counter,
        )  # fmt: skip
        self.layout.instructions.append(row)
        return row

    def _add_end(self, frame: Frame, end: End, counter: int) -> None:
        statements = [
            each
            for each in frame.facts.function.body or ()
            if isinstance(each, Instruction) and each.line == end.line and each.opcode in ENDS
        ]
        statement = next((each for each in statements if each.guard == end.condition), statements[0])
        row = Counted(
            frame.facts.function.name, end.line, statement.opcode, None,
            self._source(frame, end.line, statement.source), counter, branches=statement.opcode in BRANCHES,
        )  # fmt: skip
        self.layout.instructions.append(row)
        self._ends[id(end)] = row

    def _source(self, frame: Frame, line: int, location: Location | None) -> Source | None:
        text = self._program.unit_of[frame.facts.function.name].text
        if location is None and hasattr(text, "source"):
            location = text.source(line)
        return Source(location.file, location.line) if location else None

    # --- code ---------------------------------------------------------------------------------------

    def _pointer(self, frame: Frame, counter: int) -> str:
        return frame.builder.offset(frame.warp_field("counters", "ptr").ref, counter * 8)

    def _add_number(self, frame: Frame, counter: int, amount: Value, index: Value | None = None) -> None:
        """Add to a counter, or to the one at an index (i64) among those that begin there."""
        pointer = self._pointer(frame, counter)
        if index is not None and not index.literal:
            pointer = frame.builder.element("i64", pointer, index)
        total = frame.builder.binary("add", frame.builder.load("i64", pointer, align=8), amount)
        frame.builder.store(total, pointer, align=8)

    def _count_lanes(self, frame: Frame, counter: int, lanes: Value) -> None:
        """Count an execution by a warp, unless no lane takes part, and the lanes."""
        builder = frame.builder
        some = builder.compare("icmp ne", lanes, 0)
        self._add_number(frame, counter, builder.cast("zext", some, "i64"))
        self._add_number(frame, counter + 1, _count(frame, lanes))

    def _count_access(self, frame: Frame, rows: list[Counted], access: Access) -> None:
        """Count the access of an instruction, whose counts the other ones share."""
        builder = frame.builder
        pointer = pointers(frame, access.address, access.space)
        if access.skipped is not None:
            pointer = advanced(frame, pointer, access.skipped)
        groups = GROUPS if access.space == "generic" else 1
        counter = self.layout.reserve(COUNTS * groups)
        copied = COPIED if "bulk" in rows[0].modifiers else 0  # each thread's copy is a request
        access = access._replace(kind=access.kind & ~COPIED | copied)
        segments = WARP // frame.module.lane_run
        stride = stride_of(self._strides[frame.facts.function.name], access, pointer, segments)
        request = RegularRequest(frame, access, pointer, stride) if can_be_regular(access) else None
        counts = Accesses(counter, access.space, _kind_of(rows[0], access))
        if request is not None:
            counts.size, counts.stride, counts.segments = request.size, request.stride, request.segments
            counts.regular = self.layout.reserve(counters_of(access.space, counts.segments))
        for row in rows:
            row.accesses.append(replace(counts, kind=_kind_of(row, access)))
        if request is None:
            self._count_lane_by_lane(frame, access, pointer, counter)
            return
        test = request.test()
        if test is None:
            self._count_regular(frame, request, counts)
            return
        regular, other, after = (builder.new_label(stem) for stem in ("regular", "irregular", "counted"))
        builder.branch(test, regular, other, likely=True)
        builder.label(regular)
        self._count_regular(frame, request, counts)
        builder.jump(after)
        builder.label(other)
        self._count_lane_by_lane(frame, access, pointer, counter)
        builder.jump(after)
        builder.label(after)

    def _count_regular(self, frame: Frame, request: RegularRequest, counts: Accesses) -> None:
        assert counts.regular is not None
        first, one = counts.regular, constant(1, "i64")
        if request.space == "shared" and request.segments > 1:
            self._add_number(frame, first, one, request.distance())
            return
        threads = request.threads()
        self._add_number(frame, first + REQUESTS, one)
        self._add_number(frame, first + THREADS, threads)
        if request.stride:
            self._add_number(frame, first + STRIDED, request.is_strided(threads))
        if request.space != "shared":
            sectors = request.sectors(threads)
            self._add_number(frame, first + SECTORS, sectors)
            self._add_number(frame, first + EXCESS, request.has_excess(sectors, threads))

    def _count_executions(self, frame: Frame, row: Counted, access: PlainAccess) -> None:
        """Count requests, threads and bytes."""
        builder, lanes = frame.builder, frame.mask
        if frame.guard is not None:
            lanes = builder.binary("and", builder.lane_bits(frame.guard), lanes)
        counter = self.layout.reserve(COUNTS)
        row.accesses.append(Accesses(counter, access.space, access.kind))
        self._count_lanes(frame, counter + number("COUNT_REQUESTS"), lanes)
        bytes_ = builder.binary("mul", _count(frame, lanes), constant(access.size, "i64"))
        self._add_number(frame, counter + number("COUNT_BYTES"), bytes_)

    def _count_lane_by_lane(self, frame: Frame, access: Access, pointer: Value, counter: int) -> None:
        builder = frame.builder
        flags, size, sizes = SPACES[access.space] | access.kind, access.size, NULL
        flags |= UNIFORM if pointer.uniform else 0
        if isinstance(size, Value):
            sizes, flags, size = _buffer(frame, 1, size), flags | SIZED, 0
        addresses = _buffer(frame, 0, builder.cast("ptrtoint", pointer, "i64"))
        lanes = frame.mask
        if access.lanes != -1:
            lanes = builder.binary("and", lanes, access.lanes)
        what = (constant(each, "i32") for each in (counter, flags, size))
        frame.service("profile_access", lanes, *what, addresses, sizes)


def _kind_of(row: Counted, access: Access) -> str:
    if row.opcode in ("ld", "ldu", "st"):
        return "st" if row.opcode == "st" else "ld"
    kind = {READ: "ld", WRITE: "st"}.get(access.kind & UPDATE, "red" if row.opcode == "red" else "atom")
    if row.opcode != "cp" or "bulk" not in row.modifiers:
        return kind
    return "tma_red" if "reduce" in row.modifiers and kind != "ld" else f"tma_{kind}"


def _count(frame: Frame, lanes: Value) -> Value:
    """Return the number of lanes in a mask."""
    builder = frame.builder
    return builder.resize(builder.intrinsic("ctpop", builder.mask_type, lanes), "i64")


def _buffer(frame: Frame, number: int, value: Value) -> Value:
    """Store one 64-bit integer per lane for the runtime, in one of the function's buffers."""
    builder = frame.builder
    if number not in frame.check_buffers:
        frame.check_buffers[number] = builder.alloca(builder.type("i64", Shape.VECTOR), 64)
    builder.store(builder.broadcast(builder.resize(builder.bits(value), "i64")), frame.check_buffers[number], align=64)
    return Value(frame.check_buffers[number], "ptr")
