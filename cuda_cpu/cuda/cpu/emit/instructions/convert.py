# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conversions: ISA manual 9.7.9.22 (cvt) and 9.7.9.23 (cvt.pack)."""

from __future__ import annotations

from cuda.cpu.emit.instructions.floating import canonical, saturate
from cuda.cpu.emit.instructions.halves import SMALL, narrow, round_to_odd, widen
from cuda.cpu.emit.instructions.minifloats import (
    from_fixed,
    from_minifloat,
    from_power,
    to_fixed,
    to_minifloat,
    to_power,
)
from cuda.cpu.emit.instructions.rounding import directed, flush_subnormals, to_integer
from cuda.cpu.emit.instructions.stochastic import random_bits, round_stochastically
from cuda.cpu.emit.llvm.registry import emits
from cuda.cpu.emit.llvm.values import ELEMENTS, Value, constant, integer_of, real, width_of
from cuda.cpu.emit.simt.frame import Frame
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.instructions import Form
from cuda.cpu.ptx.syntax import Instruction, Operand, Register, elements_of

FLOATS = {"f16", "bf16", "f32", "f64"}
WHOLE = {"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "tf32": 3.4011621342146535e38}
PACKED = {f"{part}x2": part for part in ("f16", "bf16", "e4m3", "e5m2", "e2m1", "e2m3", "e3m2", "ue8m0", "s2f6")}
PACKED |= {f"{part}x4": part for part in ("e4m3", "e5m2", "e2m1", "e2m3", "e3m2")}


@emits("cvt")
def emit_convert(frame: Frame, instruction: Instruction, form: Form) -> None:
    if "pack" in form.modifiers:
        _pack_integers(frame, instruction, form)
        return
    destination, *sources = instruction.operands
    dtype, type_ = form.dtype, form.type
    if dtype in PACKED:
        frame.write(destination, _pack_floats(frame, form, sources))
        return
    value = frame.read(sources[0], type_)
    if type_ in FLOATS:
        result = _from_float(frame, form, value)
    elif dtype in FLOATS:
        result = _float_of_integer(frame, form, value)
    else:
        result = _integer_of_integer(frame, form, value)
    if isinstance(destination, Register):
        result = frame.builder.resize(
            frame.builder.bits(result), frame.element_of(destination.name), signed=dtype.startswith("s")
        )
    frame.write(destination, result)


# --- integers -----------------------------------------------------------------------------------------


def _limits(type_: str) -> tuple[int, int]:
    width = int(type_[1:])
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if type_[0] == "s" else (0, (1 << width) - 1)


def _clamp(frame: Frame, value: Value, type_: str, low: int, high: int) -> Value:
    """Clamp an integer of a PTX type to a range; bounds that the type cannot exceed emit no code."""
    builder = frame.builder
    kind = "s" if type_[0] == "s" else "u"
    least, most = _limits(type_)
    if low > least:
        value = builder.intrinsic(kind + "max", value.element, value, constant(low, value.element))
    if high < most:
        value = builder.intrinsic(kind + "min", value.element, value, constant(high, value.element))
    return value


def _integer_of_integer(frame: Frame, form: Form, value: Value) -> Value:
    if form.sat:
        value = _clamp(frame, value, form.type, *_limits(form.dtype))
    return frame.builder.resize(value, ELEMENTS[form.dtype], signed=form.type.startswith("s"))


def _pack_integers(frame: Frame, instruction: Instruction, form: Form) -> None:
    """Emit cvt.pack: saturate `a` and `b` into the low bits, `b` lowest, with `c` shifted left above them."""
    builder = frame.builder
    destination, a, b, *rest = instruction.operands
    kind, width = form.dtype[0], int(form.dtype[1:])
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if kind == "s" else (0, (1 << width) - 1)
    parts = []
    for operand in (a, b):
        value = _clamp(frame, frame.read(operand, "s32"), "s32", low, high)
        parts.append(builder.binary("and", value, constant((1 << width) - 1, "i32")))
    result = builder.binary("or", builder.binary("shl", parts[0], constant(width, "i32")), parts[1])
    if rest:
        above = builder.binary("shl", frame.read(rest[0], "b32"), constant(2 * width, "i32"))
        result = builder.binary("or", above, result)
    frame.write(destination, result)


def _float_of_integer(frame: Frame, form: Form, value: Value) -> Value:
    builder, dtype = frame.builder, form.dtype
    operation = "sitofp" if form.type.startswith("s") else "uitofp"
    if dtype in ("f32", "f64"):
        if width_of(value.element) < 64 and form.rnd != "rn":
            # LLVM's sequence for unsigned vectors is correct to nearest only; a double represents 32 bits exactly.
            value, operation = builder.cast(operation, value, "double"), "fptrunc"
        result = value
        if dtype == "f32" or operation != "fptrunc":
            result = directed(frame.builder, operation, form.rnd, value, to=ELEMENTS[dtype])
        return saturate(frame, result) if form.sat else result
    # A double represents 32 bits exactly; 64 bits are rounded to odd.
    exact = directed(frame.builder, operation, "rz" if width_of(value.element) == 64 else None, value, to="double")
    if width_of(value.element) == 64:
        back = to_integer(builder, exact, "i64", signed=operation == "sitofp")
        sticky = builder.resize(builder.compare("icmp ne", back, value), "i64")
        exact = builder.cast("bitcast", builder.binary("or", builder.bits(exact), sticky), "double")
    return _to_small(frame, form, round_to_odd(frame, exact), dtype)


# --- floats -------------------------------------------------------------------------------------------


def _from_float(frame: Frame, form: Form, value: Value) -> Value:
    """Convert a float to a float, to an integer, or to an integral float."""
    builder, dtype, type_ = frame.builder, form.dtype, form.type
    if form.ftz and type_ == "f32":
        value = flush_subnormals(frame.builder, value)
    if type_ in SMALL:
        value = widen(frame, value, type_)
    if form.irnd:
        value = builder.intrinsic(WHOLE[form.irnd], value.element, value)
    if dtype not in FLOATS and dtype != "tf32":
        # Out of range clamps. NaN becomes 0, or just the highest bit if either type has 64 bits (section 9.7.9.22).
        element = ELEMENTS[dtype]
        result = to_integer(builder, value, element, signed=dtype.startswith("s"))
        if type_ != "f64" and dtype not in ("s64", "u64"):
            return result
        highest = constant(1 << width_of(element) - 1, element)
        return builder.select(builder.compare("fcmp uno", value, value), highest, result)
    if dtype in SMALL or dtype == "tf32":
        return _to_small(frame, form, round_to_odd(frame, value) if value.element == "double" else value, dtype)
    if dtype == "f64":
        value = builder.cast("fpext", value, "double")
    elif value.element == "double":
        value = directed(frame.builder, "fptrunc", form.rnd, value, to="float")
    if form.ftz and dtype == "f32":
        value = flush_subnormals(frame.builder, value)
    return saturate(frame, value) if form.sat else value


def _to_small(frame: Frame, form: Form, value: Value, dtype: str) -> Value:
    """Round a float to f16, bf16 or tf32, with .sat, .satfinite and .relu."""
    builder = frame.builder
    if getattr(form, "relu", False):
        value = builder.select(builder.compare("fcmp olt", value, real(0.0, "float")), real(0.0, "float"), value)
        value = canonical(frame, value)
    if getattr(form, "sat", False):
        value = saturate(frame, value)
    if getattr(form, "satfinite", False):
        value = _limit(frame, value, LARGEST[dtype])
    if dtype == "tf32":
        return _to_tf32(frame, value, "rna" if form.rna else form.rnd)
    if form.rnd in ("rm", "rp"):
        return _round_sideways(frame, value, dtype, form.rnd)
    return narrow(frame, value, dtype, toward_zero=form.rnd == "rz")


def _limit(frame: Frame, value: Value, largest: float) -> Value:
    builder = frame.builder
    size = builder.intrinsic("fabs", "float", value)
    most = builder.intrinsic("copysign", "float", real(largest, "float"), value)
    return builder.select(builder.compare("fcmp ogt", size, real(largest, "float")), most, value)


def _round_sideways(frame: Frame, value: Value, dtype: str, mode: str) -> Value:
    """Round towards plus or minus infinity: truncate, then step away from zero if that was the wrong direction."""
    builder = frame.builder
    short = narrow(frame, value, dtype, toward_zero=True)
    back = widen(frame, short, dtype)
    lost = builder.compare("fcmp ogt" if mode == "rp" else "fcmp olt", value, back)
    bits = builder.bits(short)
    # A truncated value that is still too small (for rp) is positive, or an exact negative zero.
    step = builder.resize(lost, integer_of(short.element))
    return (
        builder.cast("bitcast", builder.binary("add", bits, step), ELEMENTS[dtype])
        if dtype == "f16"
        else (builder.binary("add", bits, step))
    )


def _to_tf32(frame: Frame, value: Value, mode: str) -> Value:
    """Keep 10 bits of the mantissa; the lower 13 become zero."""
    builder = frame.builder
    bits = builder.bits(value)
    if mode == "rna":
        rounded = builder.binary("add", bits, constant(0x1000, "i32"))
    elif mode == "rn":
        odd = builder.binary("and", builder.binary("lshr", bits, constant(13, "i32")), constant(1, "i32"))
        rounded = builder.binary("add", builder.binary("add", bits, constant(0xFFF, "i32")), odd)
    else:
        rounded = bits
    rounded = builder.binary("and", rounded, constant(~0x1FFF, "i32"))
    nan = builder.compare("fcmp uno", value, value)
    return builder.select(nan, constant(0x7FFFFFFF, "i32"), rounded)


def _pack_floats(frame: Frame, form: Form, sources: list[Operand]) -> Value:
    """Convert two or four numbers and pack them; the first operand becomes the highest part."""
    builder, part = frame.builder, PACKED[form.dtype]
    scales = random = None
    if form.rs:
        *sources, random = sources
    elif form.scaled_n2_ue8m0:
        *sources, packed = sources
        scales = [from_power(frame.builder, each) for each in _halves(frame, frame.read(packed, "ue8m0x2"))]
    values = [frame.read(source, form.type) for source in (elements_of(sources[0]) if len(sources) == 1 else sources)]
    if len(values) == 1:
        values = _unpacked(frame, values[0], form.type)
    if random is not None:
        bits = random_bits(frame, frame.read(random, "b32"), part, len(values))
        values = [round_stochastically(frame, *pair, part) for pair in zip(values, bits, strict=True)]
    if scales and part == "s2f6":  # divided as doubles: that is exact
        values = [_scaled(frame, "fdiv", *pair) for pair in zip(values, scales, strict=True)]
    elif scales:
        values = [builder.binary("fmul", *pair) for pair in zip(values, scales, strict=True)]
    whole = ELEMENTS[form.dtype]
    width = width_of(whole) // len(values)
    result = builder.resize(_packed_part(frame, form, values[0], part), whole)
    for value in values[1:]:
        piece = builder.resize(_packed_part(frame, form, value, part), whole)
        result = builder.binary("or", builder.binary("shl", result, constant(width, whole)), piece)
    return result


def _scaled(frame: Frame, operation: str, value: Value, scale: Value) -> Value:
    builder = frame.builder
    return builder.binary(operation, builder.cast("fpext", value, "double"), builder.cast("fpext", scale, "double"))


def _packed_part(frame: Frame, form: Form, value: Value, part: str) -> Value:
    """Convert one number to an element of a packed type."""
    builder = frame.builder
    if part in ("f16", "bf16"):
        return builder.bits(_to_small(frame, form, value, part))
    if part == "ue8m0":
        return to_power(frame.builder, value, up=form.rnd == "rp", finite=form.satfinite)
    if form.relu:
        zero = real(0.0, value.element)
        value = builder.select(builder.compare("fcmp olt", value, zero), zero, value)
    return to_fixed(frame.builder, value) if part == "s2f6" else to_minifloat(frame.builder, value, part)


def _halves(frame: Frame, value: Value) -> list[Value]:
    """Return the high and the low half of a packed value."""
    builder = frame.builder
    width = width_of(value.element) // 2
    parts = [builder.binary("lshr", value, constant(width, value.element)), value]
    return [builder.resize(each, f"i{width}") for each in parts]


def _unpacked(frame: Frame, value: Value, type_: str) -> list[Value]:
    """Return the high and the low part of a packed value as floats."""
    builder, part = frame.builder, PACKED.get(type_)
    if part is None:
        raise PtxError(f"cvt from .{type_} to two numbers", frame.line)
    if part == "e2m1":  # the upper bits are ignored
        parts = [builder.binary("lshr", value, constant(4, value.element)), value]
        return [from_minifloat(frame.builder, each, part) for each in parts]
    parts = _halves(frame, value)
    if part == "f16":
        return [widen(frame, builder.cast("bitcast", each, "half"), part) for each in parts]
    if part == "bf16":
        return [widen(frame, each, part) for each in parts]
    if part == "ue8m0":
        return [from_power(frame.builder, each) for each in parts]
    if part == "s2f6":
        return [from_fixed(frame.builder, each) for each in parts]
    return [from_minifloat(frame.builder, each, part) for each in parts]
