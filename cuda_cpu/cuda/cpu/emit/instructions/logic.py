# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Logic, shifts and moves in registers: ISA manual 9.7.8 and 9.7.9."""

from __future__ import annotations

from collections.abc import Iterator

from cuda.cpu.emit.instructions.integer import shift
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Immediate, Instruction, Pair, elements_of


@emits("mov")
def emit_mov(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, source = instruction.operands
    if form.vec:
        values = [frame.read(each, form.type) for each in elements_of(source)]
        for target, value in zip(elements_of(destination), values, strict=True):
            if target is not None:
                frame.write(target, value)
        return
    frame.write(destination, frame.read(source, form.type))


@emits("and", "or", "xor")
def emit_logic(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, *sources = instruction.operands
    a, b = (frame.read(operand, form.type) for operand in sources)
    frame.write(destination, frame.builder.binary(form.opcode, a, b))


@emits("not")
def emit_not(frame: Frame, instruction: Instruction, form: Form) -> None:
    frame.write(instruction.operands[0], frame.builder.complement(frame.read(instruction.operands[1], form.type)))


@emits("cnot")
def emit_cnot(frame: Frame, instruction: Instruction, form: Form) -> None:
    value = frame.read(instruction.operands[1], form.type)
    zero = frame.builder.compare("icmp eq", value, constant(0, value.element))
    frame.write(instruction.operands[0], frame.builder.resize(zero, value.element))


@emits("shl", "shr")
def emit_shift(frame: Frame, instruction: Instruction, form: Form) -> None:
    destination, source, amount = instruction.operands
    opcode = "shl" if form.opcode == "shl" else "ashr" if form.type.startswith("s") else "lshr"
    frame.write(destination, shift(frame, opcode, frame.read(source, form.type), frame.read(amount, "u32")))


@emits("shf")
def emit_funnel_shift(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Shift the 64 bits b:a; the left shift gives the high half, the right one the low half."""
    builder = frame.builder
    low, high, amount = (frame.read(operand, "b32") for operand in instruction.operands[1:])
    name = "fshl" if form.dir == "l" else "fshr"
    result = builder.intrinsic(name, "i32", high, low, amount)
    if form.mode == "clamp":
        beyond = builder.compare("icmp uge", amount, constant(32, "i32"))
        result = builder.select(beyond, low if form.dir == "l" else high, result)
    frame.write(instruction.operands[0], result)


@emits("lop3")
def emit_lop3(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Compute the function of three bits that the look-up table defines."""
    builder = frame.builder
    a, b, c = (frame.read(operand, "b32") for operand in instruction.operands[1:4])
    table = instruction.operands[4]
    if not isinstance(table, Immediate):
        raise PtxError("lop3: the table must be a constant", frame.line)
    result = _table_function(frame, table.value & 0xFF, a, b, c)
    destination = instruction.operands[0]
    if isinstance(destination, Pair):
        some = builder.compare("icmp ne", result, constant(0, "i32"))
        predicate = frame.read(instruction.operands[5], "pred")
        frame.write(destination.first, result)
        frame.write(destination.second, builder.binary(str(form.boolop), some, predicate))
    else:
        frame.write(destination, result)


def _table_function(frame: Frame, table: int, a: Value, b: Value, c: Value) -> Value:
    """Apply Shannon's expansion over a, then b, then c; bit 4a + 2b + c of the table is the result."""
    builder = frame.builder

    def choose(which: Value, one: Value, zero: Value) -> Value:
        if one.ref == zero.ref:
            return one
        if (one.ref, zero.ref) == ("-1", "0"):
            return which
        if (one.ref, zero.ref) == ("0", "-1"):
            return builder.complement(which)
        kept = builder.binary("and", which, builder.binary("xor", one, zero))
        return builder.binary("xor", kept, zero)

    def expand(bits: list[int], variables: list[Value]) -> Value:
        if not variables:
            return constant(-bits[0], "i32")
        half = len(bits) // 2
        return choose(variables[0], expand(bits[half:], variables[1:]), expand(bits[:half], variables[1:]))

    return expand([table >> index & 1 for index in range(8)], [a, b, c])


@emits("prmt")
def emit_permute(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit prmt: select four of the eight bytes b:a."""
    builder = frame.builder
    a, b, selector = (frame.read(operand, "b32") for operand in instruction.operands[1:])
    high = builder.binary("shl", builder.resize(b, "i64"), constant(32, "i64"))
    both = builder.binary("or", builder.resize(a, "i64"), high)

    def bytes_() -> Iterator[Value]:
        for position in range(4):
            piece = _permuted_byte(frame, both, selector, position, form.mode)
            yield builder.binary("shl", piece, constant(8 * position, "i32")) if position else piece

    frame.write(instruction.operands[0], builder.fold("or", bytes_()))


# Byte that each mode picks for position p and selector s (low two bits).
MODES = {
    "f4e": lambda p, s: (s + p) & 7,
    "b4e": lambda p, s: (s - p) & 7,
    "rc8": lambda p, s: s,
    "ecl": lambda p, s: max(p, s),
    "ecr": lambda p, s: min(p, s),
    "rc16": lambda p, s: (p & 1) + 2 * (s & 1),
}


def _permuted_byte(frame: Frame, both: Value, selector: Value, position: int, mode: str | None) -> Value:
    builder = frame.builder

    def byte(index: Value) -> Value:
        amount = builder.resize(builder.binary("shl", index, constant(3, "i32")), "i64")
        return builder.binary("and", builder.resize(builder.binary("lshr", both, amount), "i32"), constant(255, "i32"))

    if mode is None:
        nibble = builder.binary("lshr", selector, constant(4 * position, "i32")) if position else selector
        value = byte(builder.binary("and", nibble, constant(7, "i32")))
        signs = builder.binary("sub", constant(0, "i32"), builder.binary("lshr", value, constant(7, "i32")))
        signs = builder.binary("and", signs, constant(255, "i32"))
        replicate = builder.compare("icmp ne", builder.binary("and", nibble, constant(8, "i32")), constant(0, "i32"))
        return builder.select(replicate, signs, value)
    low = builder.binary("and", selector, constant(3, "i32"))
    index = constant(MODES[mode](position, 0), "i32")
    for choice in (1, 2, 3):
        chosen = builder.compare("icmp eq", low, constant(choice, "i32"))
        index = builder.select(chosen, constant(MODES[mode](position, choice), "i32"), index)
    return byte(index)
