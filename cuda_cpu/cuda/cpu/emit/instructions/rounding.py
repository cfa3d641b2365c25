# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with PTX's directed rounding (.rz, .rm, .rp), flushing of subnormals (.ftz), conversion to integers.

AVX-512 encodes the rounding mode in the instruction (Intel's manual, volume 1, "Static Rounding Support in EVEX").
Elsewhere, and for casts, an operation becomes a helper function of the module that sets the CPU's rounding mode around
one constrained operation (LLVM Language Reference, "Constrained Floating-Point Intrinsics"). That is correct for every
width, but costs a call and serialises the operations before it.
"""

from __future__ import annotations

from cuda.cpu.emit.access import avx512
from cuda.cpu.emit.llvm.builder import Builder
from cuda.cpu.emit.llvm.values import Shape, Value, constant, is_float, real, width_of

MODES = {"rz": 0, "rn": 1, "rp": 2, "rm": 3}  # of llvm.set.rounding
SMALLEST_NORMAL = {"half": 2.0**-14, "bfloat": 2.0**-126, "float": 2.0**-126, "double": 2.0**-1022}
CASTS = ("fptrunc", "sitofp", "uitofp")
EMBEDDED = {"fadd": "add", "fsub": "sub", "fmul": "mul", "fdiv": "div", "fma": "vfmadd", "sqrt": "sqrt"}
# 8 (no exceptions) + _MM_FROUND_TO_NEG_INF, _TO_POS_INF or _TO_ZERO of Intel's intrinsics guide.
EMBEDDED_MODES = {"rm": 8 + 1, "rp": 8 + 2, "rz": 8 + 3}


def directed(builder: Builder, operation: str, rounding: str | None, *values: Value, to: str | None = None) -> Value:
    """Return `operation` of the values, rounded as PTX's modifier says.

    Parameters
    ----------
    operation : str
        fadd, fsub, fmul, fdiv, fma, sqrt, or a cast: fptrunc, sitofp, uitofp.
    rounding : str or None
        rn, rz, rm, rp; None is rn.
    to : str, optional
        The LLVM element type of a cast's result.
    """
    if rounding in (None, "rn"):
        return _nearest(builder, operation, values, to)
    values = builder.align_shapes(*values)
    element, shape = to or values[0].element, values[0].shape
    if operation in EMBEDDED and avx512.has(builder, element):
        return avx512.call(builder, EMBEDDED[operation], values, ("i32", str(EMBEDDED_MODES[rounding])))
    name = f"{operation}.{rounding}." + ".".join(
        _mangled(builder, each, shape) for each in _types(operation, values, element)
    )
    result = builder.type(element, shape)
    if not builder.module.has(name):
        _define(builder, name, operation, MODES[rounding], values, element)
    return Value(builder.call(name, result, *(builder.typed(value) for value in values)), element, shape)


def to_integer(builder: Builder, value: Value, element: str, *, signed: bool = True) -> Value:
    """Return a float or double as an integer: rounded to zero, what is out of range becomes the limit, NaN 0.

    LLVM's `fptosi.sat` of vectors becomes scalar code for x86: 60 instructions for a register instead of 11 (AVX2).
    """
    name = "fptosi" if signed else "fptoui"
    if value.uniform or not builder.module.settings.vector_bytes:
        return builder.intrinsic(f"{name}.sat", element, value, mangle=(element, value.element))
    bits = width_of(element) - signed
    low, above, zero = (real(each, value.element) for each in (-(2.0**bits) if signed else 0.0, 2.0**bits, 0.0))
    value = builder.select(builder.compare("fcmp ord", value, value), value, zero)
    value = builder.select(builder.compare("fcmp olt", value, low), low, value)
    too_large = builder.compare("fcmp oge", value, above)
    result = builder.cast(name, builder.select(too_large, zero, value), element)
    return builder.select(too_large, constant(2**bits - 1, element), result)


def _nearest(builder: Builder, operation: str, values: tuple[Value, ...], to: str | None) -> Value:
    if operation in CASTS:
        return builder.cast(operation, values[0], str(to))
    if operation in ("fma", "sqrt"):
        return builder.intrinsic(operation, values[0].element, *values)
    return builder.binary(operation, *values)


def _types(operation: str, values: tuple[Value, ...], element: str) -> tuple[str, ...]:
    return (element, values[0].element) if operation in CASTS else (element,)


def _mangled(builder: Builder, element: str, shape: Shape) -> str:
    name = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}.get(element, element)
    return name if shape is Shape.UNIFORM else f"v{builder.width}{name}"


def _define(builder: Builder, name: str, operation: str, mode: int, values: tuple[Value, ...], element: str) -> None:
    module, shape = builder.module, values[0].shape
    result = builder.type(element, shape)
    types = [builder.type_of(value) for value in values]
    mangled = ".".join(_mangled(builder, each, shape) for each in _types(operation, values, element))
    intrinsic = f"llvm.experimental.constrained.{operation}.{mangled}"
    module.declare(intrinsic, result, [*types, "metadata", "metadata"])
    module.declare("llvm.set.rounding", "void", ["i32"])
    parameters = ", ".join(f"{type_} %v{number}" for number, type_ in enumerate(types))
    assert is_float(element), f"{operation} to {element} has no rounding mode"
    metadata = 'metadata !"round.dynamic", metadata !"fpexcept.strict"'
    call = f"call {result} @{intrinsic}({parameters}, {metadata}) strictfp"
    module.define(
        name,
        f"define internal {result} @{name}({parameters}) noinline strictfp {{\n"
        f"  call void @llvm.set.rounding(i32 {mode}) strictfp\n"
        f"  %r = {call}\n"
        f"  call void @llvm.set.rounding(i32 1) strictfp\n"
        f"  ret {result} %r\n}}\n",
    )


def flush_subnormals(builder: Builder, value: Value) -> Value:
    """Return the value with subnormals replaced by zeros of the same sign (PTX's .ftz)."""
    size = builder.intrinsic("fabs", value.element, value)
    tiny = builder.compare("fcmp olt", size, real(SMALLEST_NORMAL[value.element], value.element))
    zero = builder.intrinsic("copysign", value.element, real(0.0, value.element), value)
    return builder.select(tiny, zero, value)
