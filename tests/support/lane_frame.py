# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run one thread of a PTX function, instruction by instruction: a generator that yields where it has to wait."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import numpy as np
from support.lane_more import MORE, carry, compare_pairs, convert_pair, has_carry
from support.lane_values import FLOATS, PAIRS, bits_of, compare, compute, convert, cut, real, signed, width_of

from cuda.cpu.ptx.instructions import Form, form_of
from cuda.cpu.ptx.syntax import (
    Address,
    BranchTargets,
    Call,
    Function,
    Immediate,
    Instruction,
    Label,
    Negated,
    Operand,
    Pair,
    Register,
    Sink,
    Symbol,
    Variable,
    Vector,
)

if TYPE_CHECKING:
    from support.lane_threads import Thread

SHARED, LOCAL = 1 << 60, 1 << 61  # generic addresses of these windows
MOST_STEPS = 100_000  # of one thread; more is taken for an endless loop
PLAIN = {"add", "sub", "mul", "mad", "fma", "div", "rem", "sad", "abs", "neg", "min", "max", "and", "or", "xor", "not",
         "cnot", "shl", "shr", "shf", "lop3", "popc", "clz", "brev", "bfe", "bfi", "prmt", "sqrt", "bfind"}  # fmt: skip
COMBINE = {None: lambda x, y: x, "and": lambda x, y: x and y, "or": lambda x, y: x or y,
           "xor": lambda x, y: x != y}  # fmt: skip
COLLECTIVE = {"shfl", "vote", "match", "redux"}

Wait = tuple  # what a thread yields: (kind, instruction, values ...)


class Exit(Exception):
    """The thread ends from within a call."""


def run_function(thread: Thread, function: Function, registers: dict, params: dict) -> Generator[Wait, object, None]:
    try:
        yield from _run(thread, function, registers, params)
    except Exit:
        return


def _run(thread: Thread, function: Function, registers: dict, params: dict) -> Generator[Wait, object, None]:
    grid, body = thread.block.grid, function.body
    labels = grid.labels.get(function.name)
    if labels is None:
        labels = grid.labels[function.name] = {s.name: i for i, s in enumerate(body) if isinstance(s, Label)}
        labels |= {s.name: [labels[one] for one in s.labels] for s in body if isinstance(s, BranchTargets)}
    params |= {v.name: bytearray(v.size) for v in function.variables.values() if v.space == "param"}
    frame = Frame(thread, function, registers, params)
    at = 0
    while at < len(body):
        statement = body[at]
        at += 1
        if not isinstance(statement, (Instruction, Call)):
            continue
        thread.steps += 1
        assert thread.steps < MOST_STEPS, "an endless loop"
        guard = statement.guard
        if guard is not None and bool(registers[guard.register]) == guard.negated:
            continue
        if isinstance(statement, Call):
            yield from frame.call(statement)
            continue
        opcode, operands = statement.opcode, statement.operands
        if opcode in ("ret", "exit"):
            if opcode == "exit":
                raise Exit
            return
        if opcode == "bra":
            at = labels[operands[0].name]
        elif opcode == "brx":
            at = labels[operands[1].name][frame.read(operands[0], "u32")]
        elif opcode in ("bar", "barrier"):
            yield from frame.synchronise(statement)
        elif opcode in COLLECTIVE:
            yield from frame.collect(statement)
        else:
            execute = grid.plans.get(id(statement))
            if execute is None:
                execute = grid.plans[id(statement)] = plan(statement, form_of(statement), function)
            execute(frame)


# --- what is found out about an instruction once ------------------------------------------------------------


def plan(instruction: Instruction, form: Form, function: Function) -> Callable[[Frame], None]:
    """Return a function that executes an instruction on the frame of a call."""
    opcode, operands = form.opcode, instruction.operands
    if has_carry(form):
        return lambda frame: carry(frame, form, *operands)
    if opcode in MORE:
        more = MORE[opcode]
        return lambda frame: more(frame, form, *operands)
    if opcode in PLAIN:
        return _plan_plain(form, operands, function)
    name = "do_" + opcode
    return lambda frame: getattr(frame, name)(form, *operands)


def _plan_plain(form: Form, operands: tuple[Operand, ...], function: Function) -> Callable[[Frame], None]:
    opcode, to = form.opcode, operands[0]
    types = [form.type] * (len(operands) - 1)
    if opcode in ("shl", "shr", "bfe"):
        types[1:] = ["u32"] * (len(types) - 1)
    elif opcode == "bfi":
        types[2:] = ["u32", "u32"]
    elif opcode == "mad" and form.mode == "wide":
        types[2] = f"{form.type[0]}{2 * width_of(form.type)}"
    read = [_reader(operand, type_, function) for operand, type_ in zip(operands[1:], types, strict=True)]
    return lambda frame: frame.write(to, compute(form, form.type, *[each(frame) for each in read]))


def _reader(operand: Operand, type_: str, function: Function) -> Callable[[Frame], int]:
    """Return a function that reads an operand; declared registers and numbers are looked up in advance."""
    mask = (1 << width_of(type_)) - 1
    if isinstance(operand, Register) and operand.name in function.registers:
        name = operand.name
        return lambda frame: frame.registers[name] & mask  # a KeyError: it is read before it is written
    if isinstance(operand, Immediate) and operand.kind == "int":
        value = operand.value & mask
        return lambda frame: value
    return lambda frame: frame.read(operand, type_)


class Frame:
    """The registers and parameters of a call, and the execution of its instructions."""

    def __init__(self, thread: Thread, function: Function, registers: dict, params: dict):
        self.thread, self.function, self.registers, self.params = thread, function, registers, params
        self.carry = 0
        self.local_offsets = {}
        for variable in function.variables.values():
            if variable.space == "local":
                start = -(-thread.local_top // variable.align) * variable.align
                self.local_offsets[variable.name] = start
                thread.local_top = start + variable.size

    # --- operands ---------------------------------------------------------------------------------

    def read(self, operand: Operand, type_: str) -> int:
        width = width_of(type_)
        if isinstance(operand, Register):
            value = self.registers.get(operand.name)
            if value is None:
                assert operand.name not in self.function.registers, f"{operand.name} is read before it is written"
                value = self.thread.special(operand.name)
            return cut(value, width)
        if isinstance(operand, Negated):
            return 1 - self.registers[operand.operand.name]
        if isinstance(operand, Immediate):
            if type_ == "f32" and operand.kind == "f64":
                return bits_of(np.float32(real(operand.value, "f64")), "f32")
            return cut(operand.value, width)
        return cut(self.address_of(operand), width)

    def address_of(self, symbol: Symbol) -> int:
        grid = self.thread.block.grid
        offsets = next(p for p in (self.local_offsets, grid.program.shared, grid.symbols) if symbol.name in p)
        return offsets[symbol.name] + symbol.offset

    def write(self, operand: Operand | None, value: int) -> None:
        if isinstance(operand, Register):
            self.registers[operand.name] = cut(int(value), width_of(self.function.registers[operand.name]))
        else:
            assert operand is None or isinstance(operand, Sink), operand

    # --- instructions -----------------------------------------------------------------------------

    def do_mov(self, form: Form, to: Operand, source: Operand) -> None:
        if isinstance(source, Vector):
            part = width_of(form.type) // len(source.elements)
            values = [self.read(element, f"b{part}") << i * part for i, element in enumerate(source.elements)]
            self.write(to, sum(values))
        elif isinstance(to, Vector):
            part = width_of(form.type) // len(to.elements)
            for i, element in enumerate(to.elements):
                self.write(element, cut(self.read(source, form.type) >> i * part, part))
        else:
            self.write(to, self.read(source, form.type))

    def do_setp(self, form: Form, to: Operand, a: Operand, b: Operand, c: Operand | None = None) -> None:
        if form.type in PAIRS:
            return compare_pairs(self, form, to, a, b)
        first, second = (to.first, to.second) if isinstance(to, Pair) else (to, None)
        found = compare(form.cmp, form.type, self.read(a, form.type), self.read(b, form.type))
        combine = COMBINE[form.boolop]
        other = bool(self.read(c, "pred")) if c is not None else False
        self.write(first, int(combine(found, other)))
        self.write(second, int(combine(not found, other)))
        return None

    def do_selp(self, form: Form, to: Operand, a: Operand, b: Operand, c: Operand) -> None:
        self.write(to, self.read(a if self.read(c, "pred") else b, form.type))

    def do_cvt(self, form: Form, to: Operand, a: Operand, *lower: Operand) -> None:
        if lower:
            return convert_pair(self, form, to, a, *lower)
        value, width = convert(form, self.read(a, form.type)), width_of(form.dtype)
        self.write(to, signed(value, width) if form.dtype[0] == "s" else value)  # the register may be wider
        return None

    def do_cvta(self, form: Form, to: Operand, a: Operand) -> None:
        offset = {"shared": SHARED, "local": LOCAL}.get(form.space, 0)
        self.write(to, self.read(a, form.type) + (-offset if form.to else offset))

    # --- memory -----------------------------------------------------------------------------------

    def do_isspacep(self, form: Form, to: Operand, a: Operand) -> None:
        address = self.read(a, "u64")
        self.write(to, int(form.space == ("global" if address < SHARED else "shared" if address < LOCAL else "local")))

    def bytes_at(self, form: Form, address: Address, size: int) -> memoryview:
        base, space = address.base, form.space or "generic"
        if isinstance(base, Symbol) and base.name in self.params:
            start = base.offset + address.offset
            return memoryview(self.params[base.name])[start : start + size]
        where = self.read(base, "u32" if isinstance(base, Symbol) else self.function.registers[base.name])
        return self.thread.bytes_at(space.partition("::")[0], where + address.offset, size)

    def do_ld(self, form: Form, to: Operand, address: Address) -> None:
        elements = to.elements if isinstance(to, Vector) else (to,)
        size = width_of(form.type) // 8
        data = self.bytes_at(form, address, size * len(elements))
        for i, element in enumerate(elements):
            value = int.from_bytes(data[i * size : i * size + size], "little")
            self.write(element, signed(value, 8 * size) if form.type[0] == "s" else value)

    def do_st(self, form: Form, address: Address, source: Operand) -> None:
        elements = source.elements if isinstance(source, Vector) else (source,)
        size = width_of(form.type) // 8
        data = self.bytes_at(form, address, size * len(elements))
        for i, element in enumerate(elements):
            data[i * size : i * size + size] = self.read(element, form.type).to_bytes(size, "little")

    def do_red(self, form: Form, address: Address, *sources: Operand) -> None:
        self.do_atom(form, None, address, *sources)

    def do_atom(self, form: Form, to: Operand | None, address: Address, *sources: Operand) -> None:
        size = width_of(form.type) // 8
        data = self.bytes_at(form, address, size)
        old = int.from_bytes(data, "little")
        a, *more = (self.read(source, form.type) for source in sources)
        if form.op == "cas":
            new = more[0] if old == a else old
        elif form.op == "exch":
            new = a
        elif form.op == "inc":
            new = 0 if old >= a else old + 1
        elif form.op == "dec":
            new = a if old == 0 or old > a else old - 1
        elif form.type in FLOATS:
            with np.errstate(all="ignore"):
                new = bits_of(real(old, form.type) + real(a, form.type), form.type)
        else:
            signs = form.type[0] == "s"
            x, y = (signed(v, 8 * size) if signs else v for v in (old, a))
            new = {"add": x + y, "and": x & y, "or": x | y, "xor": x ^ y, "min": min(x, y), "max": max(x, y)}[form.op]
        data[:] = cut(new, 8 * size).to_bytes(size, "little")
        self.write(to, old)

    def do_membar(self, form: Form) -> None:
        """Do nothing: threads run one at a time, so memory is ordered."""

    do_fence = do_membar

    def do_activemask(self, form: Form, to: Operand) -> None:
        """Write the own lane only: the manual leaves undefined which other lanes are active."""
        self.write(to, 1 << self.thread.lane)

    # --- waiting ----------------------------------------------------------------------------------

    def synchronise(self, instruction: Instruction) -> Generator[Wait, object, None]:
        mode, operands = instruction.modifiers, list(instruction.operands)
        if "warp" in mode:
            yield ("warp", instruction, 0, self.read(operands[0], "u32"))
            return
        to = operands.pop(0) if "red" in mode else None
        predicate = operands.pop() if "red" in mode else None
        number = self.read(operands[0], "u32")
        threads = self.read(operands[1], "u32") if len(operands) > 1 else 0
        if "arrive" in mode:
            self.thread.block.arrived.append((number, threads))
            return
        holds = None if predicate is None else self.read(predicate, "pred")
        self.write(to, (yield ("barrier", instruction, number, threads, holds)) or 0)

    def collect(self, instruction: Instruction) -> Generator[Wait, object, None]:
        to, *sources = instruction.operands
        types = ["pred" if instruction.opcode == "vote" else instruction.modifiers[-1], "u32", "u32", "u32"]
        values = [self.read(s, t) for s, t in zip(sources[:-1], types, strict=False)] + [self.read(sources[-1], "u32")]
        assert values[-1] >> self.thread.lane & 1, "a lane that is not in its member mask"
        answer = yield ("warp", instruction, *values)
        first, second = answer if isinstance(answer, tuple) else (answer, None)
        if isinstance(to, Pair):
            self.write(to.second, second)
            to = to.first
        self.write(to, first)

    def call(self, call: Call) -> Generator[Wait, object, None]:
        grid, thread = self.thread.block.grid, self.thread
        name = call.target.name
        if isinstance(call.target, Register):
            name = grid.function_at[self.read(call.target, "u64")]
        callee, top = grid.program.functions[name], thread.local_top
        params = {p.name: self._passed(p, a) for p, a in zip(callee.parameters, call.arguments, strict=True)}
        results = [(p, a) for p, a in zip(callee.results, call.results, strict=True)]
        params |= {p.name: bytearray(p.size) if isinstance(a, Register) else self.params[a.name] for p, a in results}
        yield from _run(thread, callee, {}, params)
        thread.local_top = top
        for parameter, operand in results:
            if isinstance(operand, Register):
                self.write(operand, int.from_bytes(params[parameter.name], "little"))

    def _passed(self, parameter: Variable, operand: Operand) -> bytearray:
        """Return an argument of a call: a variable, or the bytes of a register or a number."""
        if isinstance(operand, Symbol):
            return self.params[operand.name]
        return bytearray(self.read(operand, f"b{8 * parameter.size}").to_bytes(parameter.size, "little"))
