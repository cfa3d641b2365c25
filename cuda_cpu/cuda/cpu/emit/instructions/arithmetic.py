# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Emitters of arithmetic instructions: a table of the functions that compute each opcode, by kind of type."""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.emit.instructions import floating, halves, integer, multiword
from cuda.cpu.emit.instructions.rounding import flush_subnormals
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import ELEMENTS, Value, constant
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction

# Opcode: the functions for integers and for floats (None: no such form), and the types of the operands after the
# first where they differ from the form's.
Compute = Callable[..., Value]  # of frame, form and the operands' values
OPERATIONS: dict[str, tuple[Compute | None, Compute | None, tuple[str, ...]]] = {
    "add": (integer.add, floating.add, ()),
    "sub": (integer.subtract, floating.subtract, ()),
    "mul": (integer.multiply, floating.multiply, ()),
    "mad": (integer.multiply_add, floating.multiply_add, ()),
    "clmad": (integer.carryless_multiply_add, None, ()),
    "fma": (None, floating.multiply_add, ()),
    "mul24": (integer.multiply_24, None, ()),
    "mad24": (integer.multiply_add_24, None, ()),
    "sad": (integer.absolute_difference, None, ()),
    "div": (integer.divide, floating.divide, ()),
    "rem": (integer.remainder, None, ()),
    "abs": (integer.absolute, floating.absolute, ()),
    "neg": (integer.negate, floating.negate, ()),
    "min": (integer.minimum, floating.minimum, ()),
    "max": (integer.maximum, floating.maximum, ()),
    "popc": (integer.population, None, ()),
    "clz": (integer.leading_zeros, None, ()),
    "bfind": (integer.find_bit, None, ()),
    "brev": (integer.reverse, None, ()),
    "fns": (integer.nth_set_bit, None, ("b32", "s32")),
    "bfe": (integer.extract_field, None, ("u32", "u32")),
    "bfi": (integer.insert_field, None, ("", "u32", "u32")),
    "szext": (integer.sign_extend_field, None, ("u32",)),
    "bmsk": (integer.bit_mask, None, ()),
    "copysign": (None, floating.copy_sign, ()),
    "testp": (None, floating.has_property, ()),
}
CARRYING: dict[str, Compute] = {  # with .cc
    "add": multiword.add_with_carry,
    "sub": multiword.subtract_with_borrow,
    "mad": lambda frame, form, a, b, c: multiword.add_with_carry(frame, form, integer.multiply(frame, form, a, b), c),
}
FLOATS = {"f16", "bf16", "f32", "f64", "f16x2", "bf16x2", "f32x2"}


def _emit(frame: Frame, instruction: Instruction, form: Form) -> None:
    others = OPERATIONS[form.opcode][2]
    type_ = form.type
    types = [type_, *(each or type_ for each in others)]
    types += [type_] * (len(instruction.operands) - 1 - len(types))
    if getattr(form, "mode", None) == "wide" and form.opcode == "mad":
        types[2] = type_[0] + str(2 * int(type_[1:]))
    narrow = getattr(form, "atype", None) or getattr(form, "abtype", None)
    if narrow:  # mixed precision: the factors (of add: the first summand) have 16 bits
        types[: 2 if form.opcode == "fma" else 1] = [narrow] * (2 if form.opcode == "fma" else 1)
    values = [frame.read(operand, each) for operand, each in zip(instruction.operands[1:], types, strict=False)]
    if narrow:
        values = [halves.widen(frame, v, t) if t == narrow else v for v, t in zip(values, types, strict=False)]
    compute = _function_of(form)
    part = halves.PARTS.get(type_)
    if part is None:
        result = _compute(frame, form, compute, type_, *values)
    else:
        result = halves.map_parts(frame, part, lambda *each: _compute(frame, form, compute, part, *each), *values)
    frame.write(instruction.operands[0], result)


def _function_of(form: Form) -> Compute:
    on_integers, on_floats, _ = OPERATIONS[form.opcode]
    if getattr(form, "cc", False):
        on_integers = CARRYING[form.opcode]
    found = on_floats if form.type in FLOATS else on_integers
    assert found is not None, f"{form} is in no row"
    return found


def _compute(frame: Frame, form: Form, compute: Compute, type_: str, *values: Value) -> Value:
    """Compute the result for a scalar type, or for one part of a packed type."""
    if type_ not in FLOATS:
        return compute(frame, form, *values)
    ftz = getattr(form, "ftz", False)
    if type_ not in halves.SMALL:
        if ftz and type_ == "f32":
            values = tuple(
                flush_subnormals(frame.builder, value) if value.element == "float" else value for value in values
            )
        return floating.finish(frame, form, compute(frame, form, *values))
    if ftz and type_ == "f16":
        values = tuple(flush_subnormals(frame.builder, value) for value in values)
    wide = [halves.widen(frame, value, type_) for value in values]
    if compute is floating.multiply_add:
        result = halves.fused(frame, type_, *wide)
    else:
        result = compute(frame, form, *wide)
    if getattr(form, "sat", False):
        result = floating.saturate(frame, result)
    if getattr(form, "relu", False):
        result = floating.relu(frame, result)
    result = halves.narrow(frame, result, type_)
    if getattr(form, "oob", False):
        result = _zero_if_outside(frame, result, values[:2])
    return flush_subnormals(frame.builder, result) if ftz and ELEMENTS[type_] == "half" else result


# The NaN that tensor copies write for 16-bit elements outside of the tensor, see runtime/texture/tensor.c.
OUTSIDE = 0x7FF7
MAGNITUDE = 0x7FFF  # mask: an H100 accepts either sign


def _zero_if_outside(frame: Frame, result: Value, factors: tuple[Value, ...]) -> Value:
    """Replace the result by zero where a factor is the NaN of elements outside of a tensor (fma.oob)."""
    builder = frame.builder
    for factor in factors:
        size = builder.binary("and", builder.bits(factor), constant(MAGNITUDE, "i16"))
        outside = builder.compare("icmp eq", size, constant(OUTSIDE, "i16"))
        zero = builder.cast("bitcast", constant(0, "i16"), result.element)
        result = builder.select(outside, zero, result)
    return result


for _opcode in OPERATIONS:
    emits(_opcode)(_emit)
