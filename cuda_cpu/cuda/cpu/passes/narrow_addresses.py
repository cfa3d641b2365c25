# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compute addresses of shared memory in 32 bits where the PTX computes them in 64.

PTX cuts an address to the width of its state space (ISA manual 6.4.1), and addresses of shared memory have 32 bits. The
lower half of a sum or a product depends only on the lower halves of its operands, so a register of 64 bits gets one of
32 bits beside it, which the accesses use. What nothing reads any more is left out.
"""

from __future__ import annotations

import dataclasses
from collections import Counter

from cuda.cpu.passes.find_registers import registers_of
from cuda.cpu.ptx.instructions import form_of
from cuda.cpu.ptx.syntax import Address, Call, Function, Immediate, Instruction, Operand, Register, Statement, Vector

NAMES = "%low."  # prefix of new registers, which no register of PTX has
LONG = ("b64", "u64", "s64")
ACCESSES = ("ld", "st", "atom", "red", "ldmatrix", "stmatrix")
SPACES = {"shared", "shared::cta"}

# By opcode and modifiers: opcode, modifiers, and which sources have 64 bits, too.
NARROW: dict[tuple[str, ...], tuple[str, tuple[str, ...], tuple[int, ...]]] = {
    **{(op, type_): (op, ("s32",), (1, 2)) for op in ("add", "sub") for type_ in ("u64", "s64")},
    **{(op, "b64"): (op, ("b32",), (1, 2)) for op in ("and", "or", "xor")},
    **{("selp", type_): ("selp", ("b32",), (1, 2)) for type_ in LONG},
    **{("mov", type_): ("mov", ("b32",), (1,)) for type_ in LONG},
    **{("mul", "lo", type_): ("mul", ("lo", "s32"), (1, 2)) for type_ in ("u64", "s64")},
    **{("mad", "lo", type_): ("mad", ("lo", "s32"), (1, 2, 3)) for type_ in ("u64", "s64")},
    **{("mul", "wide", type_): ("mul", ("lo", type_), ()) for type_ in ("u32", "s32")},
    **{("mad", "wide", type_): ("mad", ("lo", type_), (3,)) for type_ in ("u32", "s32")},
    **{("cvt", to, type_): ("mov", ("b32",), ()) for to in ("u64", "s64") for type_ in ("u32", "s32")},
    **{("cvt", to, type_): ("cvt", (f"{type_[0]}32", type_), ()) for to in ("u64", "s64") for type_ in ("u16", "s16")},
    ("shl", "b64"): ("shl", ("b32",), (1,)),
    ("not", "b64"): ("not", ("b32",), (1,)),
    ("neg", "s64"): ("neg", ("s32",), (1,)),
}


def narrow_addresses(function: Function, body: list[Statement]) -> tuple[Function, list[Statement]]:
    """Return the function and its body with addresses of shared memory in 32 bits where these can be computed."""
    bases = {base for item in body for base in _bases(item)}
    if not any(function.registers.get(name) in LONG for name in bases):
        return function, body
    sources = _sources(function, body)
    needed: set[str] = set()
    more = bases & sources.keys()
    while more:
        needed |= more
        more = {source for name in more for source in sources[name]} - needed
    if not needed:
        return function, body
    types = function.registers | {_low(name): "b32" for name in needed}
    return dataclasses.replace(function, registers=types), _narrowed(body, needed)


def _bases(item: Statement) -> list[str]:
    """Return the registers by which an instruction accesses shared memory."""
    if not isinstance(item, Instruction) or item.opcode not in ACCESSES or SPACES.isdisjoint(item.modifiers):
        return []
    bases = [each.base for each in item.operands if isinstance(each, Address)]
    return [base.name for base in bases if isinstance(base, Register)]


def _sources(function: Function, body: list[Statement]) -> dict[str, set[str]]:
    """Return the registers of 64 bits whose lower halves can be computed, and those that they are computed of."""
    found: dict[str, set[str]] = {}
    others: set[str] = set()
    for item in body:
        if not isinstance(item, Instruction | Call):
            continue
        sources = _sources_of(function, item)
        for name in _registers(item)[0]:
            if sources is None:
                others.add(name)
            else:
                found.setdefault(name, set()).update(sources)
    while lost := {name for name, names in found.items() if name in others or not names <= found.keys()}:
        for name in lost:
            del found[name]
    return found


def _registers(item: Instruction | Call) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return registers_of(item, None if isinstance(item, Call) else form_of(item))


def _sources_of(function: Function, item: Instruction | Call) -> set[str] | None:
    """Return the registers of 64 bits that the lower half of a result is computed of; None if it cannot be."""
    if isinstance(item, Call) or (item.opcode, *item.modifiers) not in NARROW:
        return None
    sources = [item.operands[index] for index in NARROW[item.opcode, *item.modifiers][2]]
    for each in sources:
        if isinstance(each, Vector) and not (len(each.elements) == 2 and isinstance(each.elements[0], Register)):
            return None
    names = {each.name for each in sources if isinstance(each, Register)}
    return names if all(function.registers.get(name) in LONG for name in names) else None


def _low(name: str) -> str:
    return NAMES + name[1:]


def _narrowed(body: list[Statement], needed: set[str]) -> list[Statement]:
    result: list[Statement] = []
    both: dict[int, tuple[str, Instruction]] = {}  # by id: instructions of which there are narrow ones, their results
    for item in body:
        if isinstance(item, Instruction) and not needed.isdisjoint(_bases(item)):
            item = dataclasses.replace(item, operands=tuple(_by_low(each, needed) for each in item.operands))
        result.append(item)
        if isinstance(item, Instruction) and (item.opcode, *item.modifiers) in NARROW:
            written = item.operands[0]
            if isinstance(written, Register) and written.name in needed:
                both[id(item)] = written.name, item
                result.append(_narrow(item))
    readers = Counter(name for item in result if isinstance(item, Instruction | Call) for name in _registers(item)[1])
    unread: set[int] = set()
    while more := {number for number, (name, _) in both.items() if number not in unread and not readers[name]}:
        unread |= more
        for number in more:
            readers.subtract(_registers(both[number][1])[1])
    return [item for item in result if id(item) not in unread]


def _by_low(operand: Operand, needed: set[str]) -> Operand:
    """Return an address by the lower half of its register."""
    if isinstance(operand, Address) and isinstance(operand.base, Register) and operand.base.name in needed:
        return dataclasses.replace(operand, base=Register(_low(operand.base.name)))
    return operand


def _narrow(item: Instruction) -> Instruction:
    """Return the instruction that computes the lower half of a result."""
    opcode, modifiers, wide = NARROW[item.opcode, *item.modifiers]
    operands = (_half(each) if index in (0, *wide) else each for index, each in enumerate(item.operands))
    return dataclasses.replace(item, opcode=opcode, modifiers=modifiers, operands=tuple(operands))


def _half(operand: Operand) -> Operand:
    match operand:
        case Register(name):
            return Register(_low(name))
        case Immediate(value):
            value &= (1 << 32) - 1
            return Immediate(value - (value >> 31 << 32))
        case Vector((Register() as low, _)):
            return low
    return operand
