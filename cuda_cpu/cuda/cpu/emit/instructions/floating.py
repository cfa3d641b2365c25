# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Floating-point arithmetic on SIMD groups: ISA manual 9.7.3. No contraction; every operation rounds once."""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.emit.instructions.rounding import directed, flush_subnormals
from cuda.cpu.emit.llvm.values import Value, constant, integer_of, real, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.instructions import Form

# --- modifiers of the result -------------------------------------------------------------------------


def saturate(frame: Frame, value: Value) -> Value:
    """Clamp to [0, 1]; NaN becomes +0 (.sat)."""
    builder, element = frame.builder, value.element
    above = builder.compare("fcmp ogt", value, real(0.0, element))
    value = builder.select(above, value, real(0.0, element))
    return builder.select(builder.compare("fcmp olt", value, real(1.0, element)), value, real(1.0, element))


def relu(frame: Frame, value: Value) -> Value:
    """Replace negative values by 0 and NaN by the canonical NaN (.relu)."""
    builder, element = frame.builder, value.element
    negative = builder.compare("fcmp olt", value, real(0.0, element))
    value = builder.select(negative, real(0.0, element), value)
    return canonical(frame, value)


def canonical(frame: Frame, value: Value) -> Value:
    """Replace NaNs by PTX's canonical NaN: all bits set but the sign."""
    builder, width = frame.builder, width_of(value.element)
    nan = builder.cast("bitcast", constant((1 << (width - 1)) - 1, integer_of(value.element)), value.element)
    return builder.select(builder.compare("fcmp uno", value, value), nan, value)


def finish(frame: Frame, form: Form, value: Value) -> Value:
    """Apply .ftz, .sat and .relu to a result."""
    if getattr(form, "ftz", False) and value.element == "float":
        value = flush_subnormals(frame.builder, value)
    if getattr(form, "sat", False):
        value = saturate(frame, value)
    if getattr(form, "relu", False):
        value = relu(frame, value)
    return value


# --- operations ---------------------------------------------------------------------------------------


def _operation(opcode: str) -> Callable[..., Value]:
    def operate(frame: Frame, form: Form, *values: Value) -> Value:
        return directed(frame.builder, opcode, getattr(form, "rnd", None), *values)

    return operate


add = _operation("fadd")
subtract = _operation("fsub")
multiply = _operation("fmul")
_divide = _operation("fdiv")
multiply_add = _operation("fma")


def divide(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    """Return a / b; .approx multiplies by the reciprocal of b, which is zero for b above 2^126 (manual, 9.7.3.8)."""
    result = _divide(frame, form, a, b)
    if "approx" not in form.modifiers:
        return result
    builder = frame.builder
    large = builder.compare("fcmp ogt", builder.intrinsic("fabs", b.element, b), real(2.0**126, b.element))
    zero = builder.intrinsic("copysign", b.element, real(0.0, b.element), b)
    return builder.select(large, builder.binary("fmul", a, zero), result)


def negate(frame: Frame, form: Form, a: Value) -> Value:
    builder = frame.builder
    return builder.unary("fneg", a)


def absolute(frame: Frame, form: Form, a: Value) -> Value:
    return frame.builder.intrinsic("fabs", a.element, a)


def copy_sign(frame: Frame, form: Form, a: Value, b: Value) -> Value:
    """Return `b` with the sign of `a`."""
    return frame.builder.intrinsic("copysign", a.element, b, a)


def _extremum_of_numbers(frame: Frame, name: str, a: Value, b: Value) -> Value:
    """Return the extremum of those operands that are numbers."""
    builder = frame.builder
    if frame.module.settings.number_extrema:
        return builder.intrinsic(f"{name}num", a.element, a, b)
    numbers = [
        builder.select(builder.compare("fcmp uno", value, value), other, value) for value, other in ((a, b), (b, a))
    ]
    return builder.intrinsic(name, a.element, *numbers)


def _extremum(name: str) -> Callable[..., Value]:
    def pick(frame: Frame, form: Form, *args: Value) -> Value:
        """-0 is less than +0; a NaN operand is ignored without .NaN; two NaNs give the canonical NaN."""
        builder, values = frame.builder, list(args)
        signs = values
        if getattr(form, "abs", False):
            values = [absolute(frame, form, value) for value in values]
        result = values[0]
        for value in values[1:]:
            if getattr(form, "NaN", False):
                result = builder.intrinsic(name, value.element, result, value)
            else:
                result = _extremum_of_numbers(frame, name, result, value)
        result = canonical(frame, result)
        if getattr(form, "xorsign", False):
            integer, width = integer_of(result.element), width_of(result.element)
            sign = builder.binary("xor", builder.bits(signs[0]), builder.bits(signs[1]))
            sign = builder.binary("and", sign, constant(1 << (width - 1), integer))
            magnitude = builder.binary("and", builder.bits(result), constant((1 << (width - 1)) - 1, integer))
            result = builder.cast("bitcast", builder.binary("or", magnitude, sign), result.element)
        return result

    return pick


minimum = _extremum("minimum")
maximum = _extremum("maximum")


def has_property(frame: Frame, form: Form, a: Value) -> Value:
    """Return whether a number is of the class that testp names."""
    classes = {
        "finite": 0x1F8,
        "infinite": 0x204,
        "number": 0x3FC,
        "notanumber": 0x3,
        "normal": 0x168,  # zeros are normal numbers, says the manual
        "subnormal": 0x90,
    }
    return frame.builder.intrinsic("is.fpclass", "i1", a, f"i32 {classes[form.op]}", mangle=(a.element,))
