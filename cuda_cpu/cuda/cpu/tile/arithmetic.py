# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations: one emitter each, for scalars and vectors alike (Tile IR specification 13.4, chapter 9).

An emitter takes the operation and the LLVM values of its operands, and returns that of its result.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda.cpu.tile import mathematics
from cuda.cpu.tile.elements import (
    Element,
    from_memory,
    memory_type,
    register_type,
    rounded,
    size_of,
    to_float,
    to_memory,
)
from cuda.cpu.tile.error import UnsupportedTileError
from cuda.cpu.tile.llvm import Builder, V, element_of, lanes_of, mangled, vector
from cuda.cpu.tile.numbers import number
from cuda.cpu.tile.syntax import Operation
from cuda.cpu.tile.types import Pointer, Scalar, Tile

Emitter = Callable[[Builder, Operation, list[V]], V]
_NEAREST = {None, "nearest_even", "approx", "full"}


def element_type(operation: Operation) -> Element:
    """Return the type of the result's elements."""
    kind = operation.result.type
    assert isinstance(kind, Tile)
    return kind.element


def source_type(operation: Operation) -> Element:
    kind = operation.values()[0].type
    assert isinstance(kind, Tile)
    return kind.element


def unsupported(operation: Operation, message: str) -> UnsupportedTileError:
    return UnsupportedTileError(f"{message} is not supported", operation.offset, operation.name)


def _float(emit: Callable[[Builder, list[V]], V]) -> Emitter:
    """Return an emitter of a floating-point operation, with its rounding and its flush-to-zero."""

    def emitter(b: Builder, operation: Operation, values: list[V]) -> V:
        rounding = operation.attributes.get("rounding")
        if rounding not in _NEAREST:
            raise unsupported(operation, f"the rounding {rounding}")
        element = element_type(operation)
        if operation.attributes.get("flush_to_zero"):
            values = [_flushed(b, each) for each in values]
            return _flushed(b, emit(b, values))
        return rounded(b, emit(b, values), element)

    return emitter


def _flushed(b: Builder, x: V) -> V:
    """Return a float with zeros of the same sign in place of denormal numbers; other types remain."""
    if element_of(x.type) != "float":
        return x
    small = b.compare("fcmp olt", b.intrinsic("fabs", x), number(b, x.type, 2.0**-126))
    return b.select(small, b.intrinsic("copysign", number(b, x.type, 0.0), x), x)


def _binary(opcode: str) -> Emitter:
    return lambda b, operation, values: b.binary(opcode, *values)


def _signed(signed: str, unsigned: str) -> Emitter:
    """Return an emitter that depends on the attribute signedness."""

    def emitter(b: Builder, operation: Operation, values: list[V]) -> V:
        return b.binary(signed if operation.attributes["signedness"] == "signed" else unsigned, *values)

    return emitter


def _extreme(greater: str, ordered: str, unordered: str) -> Emitter:
    """Return the emitter of maxi or mini."""

    def emitter(b: Builder, operation: Operation, values: list[V]) -> V:
        signed = operation.attributes["signedness"] == "signed"
        return b.intrinsic(ordered if signed else unordered, *values)

    return emitter


def _extreme_float(name: str) -> Emitter:
    """Return the emitter of maxf or minf (IEEE 754-2019 maximum and maximumNumber)."""

    def emitter(b: Builder, operation: Operation, values: list[V]) -> V:
        ftz = operation.attributes["flush_to_zero"]
        values = [_flushed(b, each) for each in values] if ftz else values
        if operation.attributes["propagate_nan"]:
            return b.intrinsic(name, *values)
        x, y = values
        predicate = "fcmp ogt" if name == "maximum" else "fcmp olt"
        chosen = b.select(b.compare(predicate, x, y), x, y)
        # Of zeros with both signs, the bits tell which is greater.
        bits = {"half": "i16", "float": "i32", "double": "i64"}[element_of(x.type)]
        both = [b.convert("bitcast", each, bits) for each in values]
        joined = b.convert("bitcast", b.binary("and" if name == "maximum" else "or", *both), element_of(x.type))
        chosen = b.select(b.compare("fcmp oeq", x, y), joined, chosen)
        return b.select(b.compare("fcmp uno", y, y), x, chosen)

    return emitter


def _divide(b: Builder, operation: Operation, values: list[V]) -> V:
    signed = operation.attributes["signedness"] == "signed"
    rounding = operation.attributes["rounding"]
    x, y = values
    zero, one = b.constant(x.type, "0"), b.constant(x.type, "1")
    y = _divisor(b, x, y, signed)
    quotient = b.binary("sdiv" if signed else "udiv", x, y)
    if rounding in ("zero", "nearest_int_to_zero"):
        return quotient
    if rounding not in ("negative_inf", "positive_inf"):
        raise unsupported(operation, f"the rounding {rounding}")
    rest = b.binary("srem" if signed else "urem", x, y)
    inexact = b.compare("icmp ne", rest, zero)
    if signed:
        apart = b.compare("icmp slt", b.binary("xor", x, y), zero)
        if rounding == "positive_inf":
            apart = b.binary("xor", apart, b.constant(apart.type, "true"))
        inexact = b.binary("and", inexact, apart)
    elif rounding == "negative_inf":
        return quotient
    moved = b.binary("sub" if rounding == "negative_inf" else "add", quotient, one)
    return b.select(inexact, moved, quotient)


def _divisor(b: Builder, x: V, y: V, signed: bool) -> V:
    """Return a divisor without those that trap: lanes that are masked may have any."""
    wrong = b.compare("icmp eq", y, b.constant(y.type, "0"))
    if signed:
        least = b.constant(x.type, str(-(1 << int(element_of(x.type)[1:]) - 1)))
        minus = b.compare("icmp eq", y, b.constant(y.type, "-1"))
        wrong = b.binary("or", wrong, b.binary("and", b.compare("icmp eq", x, least), minus))
    return b.select(wrong, b.constant(y.type, "1"), y)


def _remainder(b: Builder, operation: Operation, values: list[V]) -> V:
    signed = operation.attributes["signedness"] == "signed"
    x, y = values
    return b.binary("srem" if signed else "urem", x, _divisor(b, x, y, signed))


def _high(b: Builder, operation: Operation, values: list[V]) -> V:
    """Return the upper half of the product of unsigned integers."""
    bits = int(element_of(values[0].type)[1:])
    wide = [b.convert("zext", each, f"i{2 * bits}") for each in values]
    product = b.binary("mul", *wide)
    return b.convert("trunc", b.binary("lshr", product, b.constant(product.type, str(bits))), f"i{bits}")


def _shift(opcode: str) -> Emitter:
    """Return the emitter of a shift; the amount is taken modulo the width, where LLVM's result would be undefined."""

    def emitter(b: Builder, operation: Operation, values: list[V]) -> V:
        x, amount = values
        bits = int(element_of(x.type)[1:])
        used = "ashr" if opcode == "shr" and operation.attributes["signedness"] == "signed" else "lshr"
        return b.binary("shl" if opcode == "shl" else used, x,
                        b.binary("and", amount, b.constant(amount.type, str(bits - 1))))  # fmt: skip

    return emitter


_FLOAT_PREDICATES = dict(zip(
    ("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"),
    ("eq", "ne", "lt", "le", "gt", "ge"), strict=True,
))  # fmt: skip


def _compare_float(b: Builder, operation: Operation, values: list[V]) -> V:
    prefix = "o" if operation.attributes["ordering"] == "ordered" else "u"
    return b.compare(f"fcmp {prefix}{_FLOAT_PREDICATES[operation.attributes['predicate']]}", *values)


def _compare_integer(b: Builder, operation: Operation, values: list[V]) -> V:
    predicate = _FLOAT_PREDICATES[operation.attributes["predicate"]]
    if predicate not in ("eq", "ne"):
        predicate = ("s" if operation.attributes["signedness"] == "signed" else "u") + predicate
    return b.compare(f"icmp {predicate}", *values)


def _function(name: str) -> Emitter:
    single, double = mathematics.FUNCTIONS[name]

    def emitter(b: Builder, operation: Operation, values: list[V]) -> V:
        element = element_type(operation)
        assert isinstance(element, Scalar)
        (x,) = values
        x = _flushed(b, x) if operation.attributes.get("flush_to_zero") else x
        if element.name == "f64":
            return b.intrinsic(name, x) if name in mathematics.LIBRARY else double(b, x)
        emit, inner = (double, "double") if single is None else (single, "float")
        return rounded(b, _narrowed(b, emit(b, to_float(b, x, element, inner)), element), element)

    return emitter


def _narrowed(b: Builder, value: V, element: Scalar) -> V:
    """Return a float or double in the register type of an element."""
    size = {"half": 2, "float": 4, "double": 8}
    register = register_type(element)
    if element.bits < 32 or element.name == "tf32":
        value = _odd(b, value) if element_of(value.type) == "double" else value
    smaller = size[register] < size[element_of(value.type)]
    if smaller and register == "half":
        value = b.intrinsic("arithmetic.fence", value)  # see `narrow` in emit/instructions/halves.py
    return b.convert("fptrunc" if smaller else "fpext", value, register)


def _odd(b: Builder, value: V) -> V:
    """Return a double as a float that rounds to the same half: an inexact one has an odd last bit."""
    near = b.convert("fptrunc", value, "float")
    back = b.convert("fpext", near, "double")
    bits = b.convert("bitcast", near, "i32")
    one = b.constant(bits.type, "1")
    beyond = b.compare("fcmp ogt", b.intrinsic("fabs", back), b.intrinsic("fabs", value))
    below = b.binary("sub", bits, b.convert("zext", beyond, "i32"))
    odd = b.convert("bitcast", b.binary("or", below, one), "float")
    return b.select(b.compare("fcmp one", back, value), odd, near)


def _two(name: str) -> Emitter:
    """Return the emitter of a function with two arguments, which libm computes."""

    def emitter(b: Builder, operation: Operation, values: list[V]) -> V:
        element = element_type(operation)
        assert isinstance(element, Scalar)
        inner = "double" if element.name == "f64" else "float"
        wide = [to_float(b, each, element, inner) for each in values]
        result = b.binary("frem", *wide) if name == "remf" else b.intrinsic(name, *wide)
        return rounded(b, _narrowed(b, result, element), element)

    return emitter


def _float_to_float(b: Builder, operation: Operation, values: list[V]) -> V:
    rounding, element = operation.attributes["rounding"] or "nearest_even", element_type(operation)
    assert isinstance(element, Scalar)
    if rounding not in (("zero", "positive_inf") if element.name == "f8E8M0FNU" else ("nearest_even",)):
        raise unsupported(operation, f"the rounding {rounding}")
    return rounded(b, _narrowed(b, values[0], element), element, rounding)


def _float_to_integer(b: Builder, operation: Operation, values: list[V]) -> V:
    element = element_type(operation)
    signed = operation.attributes["signedness"] == "signed"
    kind = vector(register_type(element), lanes_of(values[0].type))
    name = f"llvm.fpto{'s' if signed else 'u'}i.sat"  # others have no result for numbers that do not fit
    x = b.convert("fpext", values[0], "float") if element_of(values[0].type) == "half" else values[0]
    return b.call(f"{name}.{mangled(kind)}.{mangled(x.type)}", kind, x)


def _integer_to_float(b: Builder, operation: Operation, values: list[V]) -> V:
    element = element_type(operation)
    assert isinstance(element, Scalar)
    x, signed = values[0], operation.attributes["signedness"] == "signed"
    opcode = "sitofp" if signed else "uitofp"
    if element.bits >= 32 and element.name != "tf32":
        return b.convert(opcode, x, register_type(element))
    if int(element_of(x.type)[1:]) < 64:
        return rounded(b, _narrowed(b, b.convert(opcode, x, "double"), element), element)
    # A double does not have all 64 bits: the lower ones become one that says whether any is set.
    size = b.constant(x.type, "11")
    high = b.binary("ashr" if signed else "lshr", x, size)
    rest = b.compare("icmp ne", b.binary("and", x, b.constant(x.type, "2047")), b.constant(x.type, "0"))
    whole = b.convert(opcode, b.binary("or", high, b.convert("zext", rest, "i64")), "double")
    small = b.compare("icmp ult", b.intrinsic("abs", x, V("i1", "false")) if signed else x,
                      b.constant(x.type, str(1 << 53)))  # fmt: skip
    whole = b.binary("fmul", whole, number(b, whole.type, 2048.0))
    return rounded(b, _narrowed(b, b.select(small, b.convert(opcode, x, "double"), whole), element), element)


def _bitcast(b: Builder, operation: Operation, values: list[V]) -> V:
    source, element = source_type(operation), element_type(operation)
    if source == element:
        return values[0]
    if "i1" in (str(source), str(element)):
        raise unsupported(operation, f"{source} to {element}")
    return from_memory(b, b.convert("bitcast", to_memory(b, values[0], source), memory_type(element)), element)


def _offset(b: Builder, operation: Operation, values: list[V]) -> V:
    pointer, offset = values
    element = element_type(operation)
    assert isinstance(element, Pointer)
    wide = b.convert("sext", offset, "i64")
    return b.binary("add", pointer, b.binary("mul", wide, b.constant(wide.type, str(size_of(element.pointee)))))


def _extend(b: Builder, operation: Operation, values: list[V]) -> V:
    opcode = "sext" if operation.attributes["signedness"] == "signed" else "zext"
    return b.convert(opcode, values[0], register_type(element_type(operation)))


def _negate(b: Builder, operation: Operation, values: list[V]) -> V:
    return b.binary("sub", b.constant(values[0].type, "0"), values[0])


def _absolute(b: Builder, operation: Operation, values: list[V]) -> V:
    kind = values[0].type
    return b.select(b.compare("icmp slt", values[0], b.constant(kind, "0")), _negate(b, operation, values), values[0])


def _integer_power(b: Builder, operation: Operation, values: list[V]) -> V:
    """Emit fpowi; libm's pow is exact enough for all types but f64, of which it has the same precision."""
    element = element_type(operation)
    assert isinstance(element, Scalar)
    x = to_float(b, values[0], element, "double")
    power = b.intrinsic("pow", x, b.convert("sitofp", values[1], "double"))
    return rounded(b, _narrowed(b, power, element), element)


def _same(b: Builder, operation: Operation, values: list[V]) -> V:
    return values[0]


def _reciprocal_root(b: Builder, values: list[V]) -> V:
    x = values[0]
    return b.binary("fdiv", number(b, x.type, 1.0), b.intrinsic("sqrt", x))


EMITTERS: dict[str, Emitter] = {
    "absf": lambda b, operation, values: b.intrinsic("fabs", *values),
    "absi": _absolute,
    "addf": _float(lambda b, values: b.binary("fadd", *values)),
    "addi": _binary("add"),
    "andi": _binary("and"),
    "atan2": _two("atan2"),
    "assume": _same,
    "bitcast": _bitcast,
    "ceil": lambda b, operation, values: b.intrinsic("ceil", *values),
    "cmpf": _compare_float,
    "cmpi": _compare_integer,
    "divf": _float(lambda b, values: b.binary("fdiv", *values)),
    "divi": _divide,
    "exti": _extend,
    "floor": lambda b, operation, values: b.intrinsic("floor", *values),
    "fpowi": _integer_power,
    "fma": _float(lambda b, values: b.intrinsic("fma", *values)),
    "ftof": _float_to_float,
    "ftoi": _float_to_integer,
    "int_to_ptr": _same,
    "itof": _integer_to_float,
    "maxf": _extreme_float("maximum"),
    "maxi": _extreme("sgt", "smax", "umax"),
    "minf": _extreme_float("minimum"),
    "mini": _extreme("slt", "smin", "umin"),
    "mulf": _float(lambda b, values: b.binary("fmul", *values)),
    "mulhii": _high,
    "muli": _binary("mul"),
    "negf": lambda b, operation, values: b.emit(values[0].type, f"fneg {values[0]}"),
    "negi": _negate,
    "offset": _offset,
    "ori": _binary("or"),
    "pow": _two("pow"),
    "ptr_to_int": _same,
    "ptr_to_ptr": _same,
    "remf": _two("remf"),
    "remi": _remainder,
    "rsqrt": _float(_reciprocal_root),
    "select": lambda b, operation, values: b.select(*values),
    "shli": _shift("shl"),
    "shri": _shift("shr"),
    "sqrt": _float(lambda b, values: b.intrinsic("sqrt", *values)),
    "subf": _float(lambda b, values: b.binary("fsub", *values)),
    "subi": _binary("sub"),
    "trunci": lambda b, operation, values: b.convert("trunc", values[0], register_type(element_type(operation))),
    "xori": _binary("xor"),
    **{name: _function(name) for name in mathematics.FUNCTIONS},
}
