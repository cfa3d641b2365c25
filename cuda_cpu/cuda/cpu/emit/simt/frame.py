# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Code generation of one function: its registers, operands, masks and variables."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cuda.cpu.emit.access import affine
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.entry import EntryBuilder
from cuda.cpu.emit.llvm.module import Module
from cuda.cpu.emit.llvm.slot import Slot
from cuda.cpu.emit.llvm.values import ELEMENTS, Shape, Value, constant, integer_of, is_float, real, width_of
from cuda.cpu.emit.simt import special_registers
from cuda.cpu.emit.simt.frame_state import BlockState, Copy, GroupState
from cuda.cpu.emit.simt.function_facts import FunctionFacts
from cuda.cpu.passes.graph import Block, Graph
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import (
    Address,
    Guard,
    Immediate,
    Instruction,
    Negated,
    Operand,
    Pair,
    Register,
    Sink,
    Symbol,
    Vector,
)
from cuda.cpu.runtime.abi import FAULTS, SERVICES, WARP

if TYPE_CHECKING:
    from cuda.cpu.emit.simt.control import Flow
    from cuda.cpu.emit.simt.parameters import Storage
    from cuda.cpu.ptx.program import Program

INVARIANT = ", !invariant.load !2"  # metadata of loads from what never changes while the kernel runs
MOST_INLINED = 32  # calls of helpers in a function
# Fields that are the same for all warps of a call, loaded once in the entry block.
OF_BLOCK = {
    "runtime", "params", "shared", "symbols", "local_stride", "shared_size", "shared_static", "worker", "grid_dim",
    "block_dim", "cluster_dim", "grid_id", "grid_workspace", "stack_limit", "warp_count", "warp_bytes",
    "cluster_shared", "graph_exec", "rows", "blocks", "last_lanes", "counters", "ranges", "sole",
    "row_pitch",
}  # fmt: skip


class Frame:
    """What emitters work with: `builder` writes instructions, the frame resolves registers and operands.

    `block`, `copy` and `group` hold what changes while the function is emitted. Other modules change them by its
    methods alone. `facts` holds what does not change.
    """

    flow: Flow  # set by `begin_function`

    def __init__(self, module: Module, program: Program, graph: Graph):
        self.module = module
        self.graph = graph
        self.facts = FunctionFacts(program, graph, quick=module.settings.quick)
        self.builder = Builder(module)
        self.entry = EntryBuilder(self.builder)  # writes to the entry block, each instruction once
        self.width = module.width
        self.block = BlockState(self.builder.mask(0))
        self.copy = Copy()
        self.group = GroupState()
        self.slots: dict[str, Slot] = {}  # of registers that live across blocks
        self.base_slots: dict[tuple[str, int], Slot] = {}  # of the bases of affine registers, see affine.py
        self._one_lane = False  # operands mean the values of one of the lanes that run
        self.segment: int | None = None  # operands mean the bases of this segment of the SIMD group
        self._positions: tuple[Block | None, dict[int, int]] = (None, {})  # of the block's steps
        self.consecutive_slot: Slot | None = (
            None  # flag that bases are valid, see affine.py; None if no register is affine
        )
        self.checked: dict[tuple[Address, str], Value] = {}  # addresses that checks have returned
        self.check_buffers: dict[int, str] = {}  # slots for arguments and results of checks
        self.line = 0
        self.guard: Value | None = None
        self.variables: dict[str, Storage] = {}  # .param variables, other than a kernel's own
        self.block_index_slots: list[Slot] = []  # slots of %ctaid, where one call runs many blocks
        self.dead = Slot(self.builder, "%dead", self.builder.mask_type)  # lanes that have exited in calls
        self.local_base: Value | None = None  # where this call's local memory begins; None: at 0
        self.local_before: Value | None = None  # where the caller's ends: less, if the function's has to be aligned
        instrumentation = module.settings.instrumentation
        self._keeper = instrumentation if instrumentation is not None and instrumentation.keeps_registers else None
        self._lanes: Value | None = None
        self._accessing: Value | None = None  # the same for masked accesses
        self._may_grow = MOST_INLINED

    # --- blocks -----------------------------------------------------------------------------------

    def begin_block(self, number: int, mask: Value, *, alone: bool = False, lanes: Value | None = None) -> None:
        """Begin a block for the lanes of `mask`; `alone`: no other lanes wait. `lanes`: the mask as predicates."""
        preserved = 0 if alone else self.graph.preserved[number]
        waiting = not alone and self.graph.pending[number] != 0
        self.block = BlockState(mask, preserved=preserved, waiting=waiting)
        self._lanes = self._accessing = lanes

    def continue_block(self, number: int) -> None:
        """Begin a block that follows the current one and no other: what is known of registers stays known."""
        before = self.block
        self.begin_block(number, before.mask, alone=True)
        for name in ("values", "bases", "known", "clamped", "indexed", "sums"):
            setattr(self.block, name, getattr(before, name))

    @contextlib.contextmanager
    def emitting(self, copy: Copy) -> Iterator[None]:
        """Emit a copy of blocks for some SIMD groups only."""
        before, self.copy = self.copy, copy
        yield
        self.copy = before

    @contextlib.contextmanager
    def in_segment(self, segment: int | None) -> Iterator[None]:
        """Let operands mean the bases of a segment of the SIMD group, or all lanes' values (None)."""
        before, self.segment = self.segment, segment
        yield
        self.segment = before

    @contextlib.contextmanager
    def guarded(self, guard: Guard | None) -> Iterator[None]:
        """Write registers only in lanes whose guard holds."""
        self.guard = None if guard is None else self.guard_value(guard)
        yield
        self.guard = None

    @contextlib.contextmanager
    def for_one_lane(self, one: bool) -> Iterator[None]:
        """Let operands mean the values of one of the lanes that run, if the lanes agree on the result."""
        before, self._one_lane = self._one_lane, one
        yield
        self._one_lane = before

    @contextlib.contextmanager
    def restoring_registers(self) -> Iterator[None]:
        """Forget what is found out of registers in code that does not dominate what follows."""
        values, bases = dict(self.block.values), dict(self.block.bases)
        yield
        self.block.values, self.block.bases = values, bases

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Emit a branch: forget everything that is found out in it."""
        before, self.block = self.block, self.block.copied()
        lanes = self._lanes, self._accessing
        yield
        self.block = before
        self._lanes, self._accessing = lanes

    def at_line(self, line: int | None) -> None:
        """Set the PTX line for errors and faults; None: the current one."""
        self.line = line or self.line

    def begin_function(self, flow: Flow) -> None:
        """Begin the function, whose blocks `flow` ends."""
        self.flow = flow
        if self.graph.strides:
            self.consecutive_slot = self.builder.slot("i1")

    def reserve_dead(self) -> None:
        """Reserve a slot for the lanes that exit in calls: a kernel's own; functions are passed its address."""
        self.dead = self.builder.slot(self.builder.mask_type)

    def reserve_block_indices(self) -> None:
        """Reserve slots for %ctaid, which one call advances from block to block."""
        self.block_index_slots = [self.builder.slot("i32") for _ in range(3)]

    def set_local_memory(self, before: Value, base: Value) -> None:
        """Set where the caller's local memory ends, and where this call's begins: at a multiple of its alignment."""
        self.local_before, self.local_base = before, base

    def position_of(self, instruction: Instruction) -> int:
        """Return the index of an instruction in the current block."""
        block, known = self._positions
        if block is not self.flow.block:
            block = self.flow.block
            known = {id(step.instruction): number for number, step in enumerate(block.steps)}
            self._positions = (block, known)
        return known[id(instruction)]

    def set_warp(self, warp: str) -> None:
        """Set the warp that runs."""
        self.group.warp = warp

    def set_first_lane(self, lane: Value) -> None:
        """Set the first lane of the SIMD group in its warp (i32)."""
        self.group.first_lane = lane

    def set_thread_starts(self, starts: dict[tuple[str, int], Value]) -> None:
        """Set %tid of each segment's first lane, by special register and segment."""
        self.group.thread_starts = starts

    @property
    def mask(self) -> Value:
        """The lanes that run the current block."""
        return self.block.mask

    @property
    def program_memory(self) -> str:
        """TBAA metadata for loads that LLVM may hoist out of the loop for uniform tiles."""
        return "" if self.flow.tile_exits is None else ", !tbaa !6"

    def inline_attribute(self) -> str:
        """Return the attribute of a call that LLVM should inline: in loops, as long as the function stays small.

        Around a call, all vectors of a loop are spilled.
        """
        number = self.flow.block.number
        if self.module.settings.quick or not self._may_grow or not any(a <= number <= b for a, b in self.graph.loops):
            return ""
        self._may_grow -= 1
        return "alwaysinline"

    def set_mask(self, mask: Value) -> None:
        self.block.mask = mask
        self._lanes = self._accessing = None

    def set_consecutive(self, value: Value | int) -> None:
        """Set the flag that the lanes of each segment are consecutive, if there is one."""
        if self.consecutive_slot is not None:
            self.consecutive_slot.store(value)

    def is_consecutive(self) -> Value:
        """Return the flag that the lanes of each segment are consecutive, of a function with affine registers."""
        assert self.consecutive_slot is not None
        return self.consecutive_slot.load()

    def lanes(self) -> Value:
        """Return the lanes that run, as one predicate per lane."""
        if self._lanes is None:
            self._lanes = self.builder.lanes_of(self.block.mask)
        return self._lanes

    def lanes_of_access(self) -> Value:
        """Return the lanes that run, as one predicate per lane, for a masked access to memory."""
        if self._accessing is None:
            self._accessing = self.builder.lanes_by_words(self.block.mask)
        return self._accessing

    # --- registers --------------------------------------------------------------------------------

    def element_of(self, register: str) -> str:
        """Return the integer type that holds a register."""
        if register == "%cc":
            return "i1"
        declared = self.facts.function.registers.get(register)
        if declared is None:
            raise PtxError(f"register {register!r} is not declared", self.line)
        return integer_of(ELEMENTS[declared])

    def has_base(self, register: str) -> bool:
        """Return whether a vector register has a base in this copy of the block."""
        return self.graph.has_base(register) and (self.copy.converged or register not in self.graph.converged_only)

    def stride_of(self, register: str) -> int | None:
        """Return the stride of a vector register in this copy of the block, None if it has none."""
        return self.graph.strides.get(register) if self.has_base(register) else None

    def slot(self, register: str) -> Slot:
        slot = self.slots.get(register)
        if slot is None:
            shape = Shape.UNIFORM if self.graph.is_uniform(register) else Shape.VECTOR
            element, keeper = self.element_of(register), self._keeper
            slot = keeper.register_slot(self, register, element, shape) if keeper else self.builder.slot(element, shape)
            self.slots[register] = slot
        return slot

    def get(self, register: str) -> Value:
        """Return a register's value, an integer."""
        if self.segment is not None:
            return affine.get_base(self, register)
        if self._one_lane and not self.graph.is_uniform(register):
            return affine.of_one_lane(self, register)
        value = self.block.values.get(register)
        if value is None:
            if register in affine.LANE_INDEX and self.graph.is_uniform(register):
                return affine.get_base(self, register)
            if register not in self.facts.function.registers and register != "%cc":
                value = special_registers.read(self, register)
                if register in special_registers.CHANGING:
                    return value
            elif self.copy.converged and self.has_base(register):
                value = affine.vector_of(self, register)
            else:
                value = self.slot(register).load()
            self.block.values[register] = value
        return value

    def set(self, register: str, value: Value) -> None:
        """Write a register for the lanes that run (and whose guard holds)."""
        builder = self.builder
        value = builder.resize(builder.bits(value), self.element_of(register))
        if self.segment is not None:
            affine.set_base(self, register, value)
            return
        if self.guard is not None:
            value = builder.select(self.guard, value, self._old(register))
        if self.graph.is_uniform(register):
            assert value.uniform, f"{self.facts.function.name}: line {self.line}: {register} was found uniform"
        else:
            value = builder.broadcast(value)
        if self._keeper is not None or self.facts.crosses(register):
            if self._preserves(register):
                value = builder.select(self.lanes(), value, self._old(register))
            self.slot(register).store(value)
        self.block.values[register] = value

    def _old(self, register: str) -> Value:
        """Return the value that a register has before it is written, of all lanes."""
        with self.for_one_lane(False):
            return self.get(register)

    def _preserves(self, register: str) -> bool:
        """Return whether lanes that do not run still need their values of a register."""
        if self._keeper is not None:
            return not self.graph.is_uniform(register)
        return bool(self.block.preserved >> self.graph.register_bits[register] & 1)

    # --- operands ---------------------------------------------------------------------------------

    def read(self, operand: Operand | None, type_: str) -> Value:
        """Return a source operand as PTX type `type_` (floats as LLVM floats, everything else as integers)."""
        element = ELEMENTS[type_]
        match operand:
            case Register(name):
                value = self.builder.resize(self.get(name), integer_of(element))
                return self.builder.cast("bitcast", value, element) if is_float(element) else value
            case Immediate(bits, kind):
                return self._immediate(bits, kind, element)
            case Negated(register):
                return self.builder.complement(self.get(register.name))
            case Symbol(name, offset):
                return self.builder.resize(self.address_of(name, offset), integer_of(element))
            case Vector(elements):
                return self._pack(elements, element)
        raise PtxError(f"operand {operand!r} cannot be read as .{type_}", self.line)

    def _immediate(self, bits: int, kind: str, element: str) -> Value:
        if not is_float(element):
            return constant(bool(bits) if element == "i1" else bits, element)
        if kind == "int":
            return real(float(bits), element)
        have, want = (32 if kind == "f32" else 64), width_of(element)
        if have == want:
            return self.builder.cast("bitcast", constant(bits, integer_of(element)), element)
        from struct import pack, unpack

        number = unpack("<f", pack("<I", bits))[0] if have == 32 else unpack("<d", pack("<Q", bits))[0]
        return real(number, element)

    def _pack(self, elements: tuple[Operand | None, ...], element: str) -> Value:
        """Join registers to a wider one, the first lowest: `mov.b32 %r, {%rs1, %rs2}`."""
        part = self.part_of(element, elements)
        builder = self.builder

        def pieces() -> Iterator[Value]:
            for position, each in enumerate(elements):
                piece = builder.resize(self.read(each, "b" + part[1:]), element)
                if position:
                    piece = builder.binary("shl", piece, constant(position * width_of(part), element))
                yield piece

        return builder.fold("or", pieces())

    def part_of(self, element: str, parts: tuple[Operand | None, ...]) -> str:
        """Return the type of so many equal parts of a type."""
        width = width_of(element)
        if width not in [len(parts) * part for part in (8, 16, 32, 64)]:
            raise PtxError(f"{width} bits cannot be split into {len(parts)} parts", self.line)
        return f"i{width // len(parts)}"

    def write(self, operand: Operand | None, value: Value) -> None:
        """Write a destination operand. A float is stored as its bits; a wider register is zero-extended."""
        match operand:
            case Register(name):
                self.set(name, value)
            case None | Sink():
                pass
            case Pair(first, _):
                self.write(first, value)
            case Vector(elements):
                value = self.builder.bits(value)
                part = self.part_of(value.element, elements)
                for position, each in enumerate(elements):
                    shifted = value
                    if position:
                        shifted = self.builder.binary("lshr", value, constant(position * width_of(part), value.element))
                    self.write(each, self.builder.resize(shifted, part))
            case _:
                raise PtxError(f"operand {operand!r} cannot be written", self.line)

    def guard_value(self, guard: Guard) -> Value:
        value = self.get(guard.register)
        return self.builder.complement(value) if guard.negated else value

    # --- the warp, the runtime, symbols -----------------------------------------------------------

    def warp_pointer(self, field: str, extra: int = 0) -> str:
        return self.builder.offset(self.group.warp, WARP[field] + extra)

    def warp_slot(self, field: str, element: str, extra: int = 0) -> Slot:
        """Return a field of the warp that may change."""
        align = 4 if element == "i32" else 8
        return Slot(self.builder, self.warp_pointer(field, extra), element, align=align)

    def fixed_load(self, pointer: str, offset: int, element: str, align: int) -> Value:
        """Load what never changes while the kernel runs, in the entry block."""
        return self.entry.load(element, self.entry.offset(pointer, offset), align=align, metadata=INVARIANT)

    def warp_field(self, field: str, element: str, extra: int = 0, *, shape: Shape = Shape.UNIFORM) -> Value:
        """Load a field of the warp that never changes while the kernel runs."""
        align = 4 if element == "i32" else 8
        if field in OF_BLOCK:
            return self.fixed_load("%warp", WARP[field] + extra, element, align)
        if field == "block_idx":
            if self.block_index_slots:
                return self.block_index_slots[extra // 4].load()
            # Not invariant: the kernel that calls this function goes on to other blocks.
            return self.entry.load(element, self.entry.offset("%warp", WARP[field] + extra), align=align)
        pointer = self.warp_pointer(field, extra)
        return self.builder.load(element, pointer, shape=shape, align=align, metadata=INVARIANT)

    def lane_field(self, field: str, extra: int, shape: Shape) -> Value:
        """Load 32-bit elements of a field with one for each lane of the warp, from the SIMD group's first lane on."""
        pointer = self.warp_pointer(field, extra)
        if self.group.first_lane is not None:
            pointer = self.builder.element("i32", pointer, self.group.first_lane)
        return self.builder.load("i32", pointer, shape=shape, align=4, metadata=INVARIANT)

    def service(self, name: str, *args: Value) -> None:
        """Call a function of the runtime that returns nothing."""
        self._call_service(name, "void", args)

    def query(self, name: str, element: str, *args: Value) -> Value:
        """Return the result of a function of the runtime."""
        found = self._call_service(name, element, args)
        assert found is not None
        return found

    def _call_service(self, name: str, result: str, args: tuple[Value, ...]) -> Value | None:
        entry = self.builder.offset(self.warp_field("runtime", "ptr").ref, SERVICES[name])
        function = self.builder.load("ptr", entry, align=8, metadata=INVARIANT)
        return self.builder.call_pointer(function, result, Value(self.group.warp, "ptr"), *args)

    def fault(self, kind: str) -> None:
        self.service("fault", constant(FAULTS[kind], "i32"), constant(self.line, "i32"), constant(0, "i64"))

    def fault_if(self, condition: Value, kind: str) -> None:
        """End the launch if the condition holds."""
        builder = self.builder
        bad, good = builder.new_label("bad"), builder.new_label("good")
        builder.branch(condition, bad, good, likely=False)
        builder.label(bad)
        self.fault(kind)
        builder.unreachable()
        builder.label(good)

    def address_of(self, name: str, offset: int = 0) -> Value:
        """Return the address of a variable in its own state space, or of a function (i64)."""
        if name in self.facts.local_offsets:
            start = constant(self.facts.local_offsets[name] + offset, "i64")
            return start if self.local_base is None else self.builder.binary("add", self.local_base, start)
        if name in self.facts.program.shared:
            return constant(self.facts.program.shared[name] + offset, "i64")
        if name in self.facts.parameter_offsets and name not in self.variables:  # not those of calls
            base = self.builder.cast("ptrtoint", self.warp_field("params", "ptr"), "i64")
            return self.builder.binary("add", base, constant(self.facts.parameter_offsets[name] + offset, "i64"))
        index = self.facts.program.symbol_index.get(name)
        if index is None:
            raise PtxError(f"the address of {name!r} cannot be taken", self.line)
        table = self.warp_field("symbols", "ptr").ref
        base = self.fixed_load(table, 8 * index, "i64", 8)
        return base if offset == 0 else self.builder.binary("add", base, constant(offset, "i64"))
