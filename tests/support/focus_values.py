# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Statements of short random kernels that compute one value each, from tables of all integer and float operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.random_focus import Writer

INTEGER_TYPES = [f"{kind}{width}" for width in (16, 32, 32, 64) for kind in "us"]
BITS = ["b16", "b32", "b64"]
SIGNED = ["s16", "s32", "s64"]
FULL = ["u32", "s32", "u64", "s64"]
# Operation, its types, number of operands. Operand letters: b is non-zero, n a count of bits.
OPERATIONS = [
    ("add", INTEGER_TYPES, "aa"), ("sub", INTEGER_TYPES, "aa"), ("mul.lo", INTEGER_TYPES, "aa"),
    ("mul.hi", INTEGER_TYPES, "aa"), ("mad.lo", INTEGER_TYPES, "aaa"), ("mad.hi", INTEGER_TYPES, "aaa"),
    ("sad", INTEGER_TYPES, "aaa"), ("div", INTEGER_TYPES, "ab"), ("rem", INTEGER_TYPES, "ab"),
    ("min", INTEGER_TYPES, "aa"), ("max", INTEGER_TYPES, "aa"), ("abs", SIGNED, "a"), ("neg", SIGNED, "a"),
    ("and", BITS, "aa"), ("or", BITS, "aa"), ("xor", BITS, "aa"), ("not", BITS, "a"), ("cnot", BITS, "a"),
    ("shl", BITS, "an"), ("shr", [*INTEGER_TYPES, *BITS], "an"), ("bfe", FULL, "ann"), ("bfi", BITS[1:], "aann"),
    ("bfind", FULL, "a"), ("popc", BITS[1:], "a"), ("clz", BITS[1:], "a"), ("brev", BITS[1:], "a"),
    ("mul24.lo", FULL[:2], "aa"), ("mul24.hi", FULL[:2], "aa"), ("prmt", ["b32"], "aaa"),
    ("shf.l.clamp", ["b32"], "aan"), ("shf.r.clamp", ["b32"], "aan"), ("shf.l.wrap", ["b32"], "aan"),
    ("shf.r.wrap", ["b32"], "aan"),
]  # fmt: skip
OF_32_BITS = {"bfind", "popc", "clz"}  # whatever the operand has
# Lines of several instructions; `$d` is the result, `$a` `$b` `$c` are operands, `$t` `$u` temporary registers.
LINES = [
    "lop3.b32 $d, $a, $b, $c, $i;", "lop3.b32 $d, $a, $b, $c, $i;", "slct.b32.s32 $d, $a, $b, $c;",
    "dp4a.s32.u32 $d, $a, $b, $c;", "dp4a.u32.s32 $d, $a, $b, $c;", "dp4a.s32.s32 $d, $a, $b, $c;",
    "add.cc.u32 $t, $a, $b; addc.u32 $d, $c, 0;", "sub.cc.u32 $t, $a, $b; subc.u32 $d, $c, 5;",
    "add.cc.u32 $t, $a, $b; addc.cc.u32 $u, $c, $a; addc.u32 $d, $u, $t;",
    "sub.cc.u32 $t, $a, $b; subc.cc.u32 $u, $c, $a; addc.u32 $d, $u, $t;",
    "mad.lo.cc.u32 $t, $a, $b, $c; madc.hi.u32 $d, $a, $b, 0;",
    "mov.b64 $q, {$a, $b}; mov.b64 {$t, $d}, $q;", "mul.wide.u32 $q, $a, $b; mov.b64 {$t, $d}, $q;",
    "mul.wide.s32 $q, $a, $b; mov.b64 {$t, $d}, $q;", "mul.wide.s32 $q, $a, $b; mov.b64 {$d, $t}, $q;",
    "mov.u32 $t, $i; cvt.u64.u32 $q, $t; mov.b64 {$u, $d}, $q;",
    "mov.u32 $t, $e; cvt.s64.s32 $q, $t; mov.b64 {$u, $d}, $q;",
    "mov.u32 $t, $e; setp.lt.s32 $p, $a, $t; selp.b32 $d, $b, $t, $p;",
    "mov.u32 $t, $e; shr.s32 $u, $t, 3; xor.b32 $d, $u, $a;", "mov.u32 $t, $e; max.s32 $d, $t, $a;",
    "mov.b32 $t, $e; mul.wide.s32 $q, $t, $a; mov.b64 {$u, $d}, $q;",
    "mov.b64 $q, $e; mov.b64 {$t, $d}, $q;", "mov.u32 $t, -5; @$m mov.u32 $t, 9; add.u32 $d, $t, $a;",
    "mov.u32 $t, $i; @!$m add.u32 $t, $t, $a; mul.lo.u32 $d, $t, 3;",
]  # fmt: skip
CONSTANTS = ["0", "1", "-1", "5", "-5", "0x7fffffff", "0x80000000", "0x80000001", "0xffffffff", "65536", "-32768"]


def several(writer: Writer, statement: Callable[[Writer], str]) -> str:
    """Return some statements, for all lanes or some of them."""
    return writer.some(" ".join(statement(writer) for _ in range(writer.random.randrange(2, 6))))


def integers(writer: Writer) -> str:
    """Compute integers, each by one or a few dependent instructions."""
    return several(writer, _integer)


def _integer(writer: Writer) -> str:
    if writer.chance(0.25):
        return _line(writer)
    if writer.chance(0.1):
        return _video(writer)
    if writer.chance(0.1):
        result = writer.new()
        return f"mov.u32 {result}, {writer.special()}; {writer.store(result)}"
    opcode, types, letters = writer.random.choice(OPERATIONS)
    type_ = writer.random.choice(types)
    width = int(type_[1:])
    text, operands = "", []
    for letter in letters:
        lines, operand = _count(writer, opcode) if letter == "n" else operand_of(writer, width, nonzero=letter == "b")
        text, operands = text + lines, [*operands, operand]
    result = writer.new(REGISTERS[32 if opcode in OF_32_BITS else width])
    return f"{text} {opcode}.{type_} {result}, {', '.join(operands)}; {store_any(writer, result)}"


REGISTERS = {16: "h", 32: "r", 64: "q"}


def operand_of(writer: Writer, width: int, *, nonzero: bool = False) -> tuple[str, str]:
    """Return lines that compute an operand of `width` bits, and the operand."""
    if not nonzero and writer.chance(0.15):
        return "", writer.random.choice(CONSTANTS)
    if width == 32:
        text, result = "", writer.source()
    elif width == 16:
        result = writer.new("h")
        text = f"cvt.u16.u32 {result}, {writer.source()};"
    else:
        result = writer.new("q")
        text = writer.choice(
            f"mov.b64 {result}, {{{writer.source()}, {writer.source()}}};",
            f"mov.b64 {result}, {{{writer.source()}, {writer.source()}}};",
            f"cvt.u64.u32 {result}, {writer.source()};", f"cvt.s64.s32 {result}, {writer.source()};",
        )  # fmt: skip
    if nonzero:
        odd = writer.new(REGISTERS[width])
        return f"{text} or.b{width} {odd}, {result}, {writer.choice('1', '2', '64')};", odd
    return text, result


def _count(writer: Writer, opcode: str) -> tuple[str, str]:
    """Return a count of bits (shift distance, field position or length): per lane, constant, or below 512."""
    if writer.chance(0.7):
        great = [] if opcode.startswith("bf") else ["-1", "256"]  # counts that are invalid for fields
        return "", writer.choice("%lane", "%k", "31", "32", "0", "1", "16", "33", "63", "64", "%a1", "%a0", *great)
    result = writer.new()
    return f"and.b32 {result}, {writer.source()}, 511;", result


def store_any(writer: Writer, register: str) -> str:
    """Store a register of any type."""
    kind = {"r": "u32", "q": "u64", "h": "u16", "f": "f32", "d": "f64"}[register[1]]
    return writer.store(register, kind)


def _line(writer: Writer) -> str:
    line, result, predicate = writer.random.choice(LINES), writer.new(), ""
    for letter in "abc":
        line = line.replace(f"${letter}", writer.source())
    if "$m" in line:
        name = writer.new("p")
        predicate, line = writer.condition(name), line.replace("$m", name)
    for letter, kind in (("t", "r"), ("u", "r"), ("q", "q"), ("p", "p")):
        line = line.replace(f"${letter}", writer.new(kind))
    line = line.replace("$i", str(writer.random.randrange(256))).replace("$e", writer.random.choice(CONSTANTS))
    return f"{predicate} {line.replace('$d', result)} {writer.store(result)}"


# --- floats -------------------------------------------------------------------------------------------------

# The manual does not define the bits of NaN results, except for operations in EXACT.
ARITHMETIC = [("add", 2), ("sub", 2), ("mul", 2), ("fma.rn", 3), ("div.rn", 2), ("sqrt.rn", 1)]
DIRECTED = ["add", "sub", "mul", "fma"]
PACKED = [("add", 2), ("sub", 2), ("mul", 2), ("fma.rn", 3)]
VIDEO = ["vadd", "vsub", "vabsdiff", "vmin", "vmax"]
EXACT = [("min", 2), ("max", 2), ("copysign", 2), ("min", 2), ("max", 2)]
APPROXIMATE = ["sin", "cos", "lg2", "ex2"]  # of infinities and zeros, see lane_more.py


def floats(writer: Writer) -> str:
    """Compute floats."""
    return several(writer, _float)


def _float(writer: Writer) -> str:
    random = writer.random
    choice = random.random()
    if choice < 0.2:
        return _approximate(writer)
    if choice < 0.3:
        return _approximate_quotient(writer)
    if choice < 0.45:
        return _directed(writer)
    if choice < 0.6:
        return _packed(writer)
    type_ = random.choice(["f32", "f32", "f64"])
    opcode, count = random.choice(ARITHMETIC + EXACT)
    text, operands = "", []
    for _ in range(count):
        lines, operand = float_of(writer, type_)
        text, operands = text + lines, [*operands, operand]
    result = writer.new("f" if type_ == "f32" else "d")
    text += f" {opcode}.{type_} {result}, {', '.join(operands)};"
    if (opcode, count) not in EXACT:
        text += without_nan(writer, result, type_)
    return f"{text} {store_any(writer, result)}"


def _directed(writer: Writer) -> str:
    """Round in a direction what is neither zero nor exact: the operands are from 1 to 2 and from 2^-30 on."""
    type_, opcode = writer.choice("f32", "f64"), writer.random.choice(DIRECTED)
    result, text, operands = writer.new("f" if type_ == "f32" else "d"), "", []
    for exponent in (0x3F800000, 0x30800000, 0x3F800000)[: 2 + (opcode == "fma")]:
        word, operand = writer.new(), writer.new("f" if type_ == "f32" else "d")
        if type_ == "f64":
            exponent = 0x3FF00000 if exponent == 0x3F800000 else 0x3C800000
        text += f" and.b32 {word}, {writer.source()}, {0x800FFFFF:#x}; or.b32 {word}, {word}, {exponent | 5:#x};"
        both = f"{{{writer.source()}, {word}}}" if type_ == "f64" else word
        text += f" mov.b{type_[1:]} {operand}, {both};"
        operands.append(operand)
    rounding = writer.choice("rz", "rm", "rp")
    return f"{text} {opcode}.{rounding}.{type_} {result}, {', '.join(operands)}; {store_any(writer, result)}"


def _packed(writer: Writer) -> str:
    """Compute pairs of numbers between -2 and 2."""
    type_, result, text, operands = writer.choice("f16x2", "bf16x2"), writer.new(), "", []
    opcode, count = writer.random.choice(PACKED)
    for _ in range(count):
        operands.append(writer.new())
        text += f" and.b32 {operands[-1]}, {writer.source()}, 0xbfffbfff;"
    return f"{text} {opcode}.{type_} {result}, {', '.join(operands)}; {writer.store(result)}"


def _video(writer: Writer) -> str:
    result, a, b = writer.new(), writer.source(), writer.source()
    types = [writer.choice("u32", "s32") for _ in range(3)]
    if writer.chance(0.3):
        name = f"vset.{types[0]}.{types[1]}.{writer.random.choice(SIMPLE)}"
    else:
        name = f"{writer.random.choice(VIDEO)}.{'.'.join(types)}{writer.choice('', '.sat')}"
    return f"{name} {result}, {a}, {b}; {writer.store(result)}"


def float_of(writer: Writer, type_: str) -> tuple[str, str]:
    """Return lines that compute a float of random bits, and its register."""
    result, a, b = writer.new("f" if type_ == "f32" else "d"), writer.source(), writer.source()
    return (f"mov.b32 {result}, {a};" if type_ == "f32" else f"mov.b64 {result}, {{{a}, {b}}};"), result


def without_nan(writer: Writer, register: str, type_: str) -> str:
    """Return lines that replace NaN by a number."""
    predicate = writer.new("p")
    five = "0f40A00000" if type_ == "f32" else "0d4014000000000000"
    test = f"setp.num.{type_} {predicate}, {register}, {register};"
    return f" {test} selp.{type_} {register}, {register}, {five}, {predicate};"


def _approximate(writer: Writer) -> str:
    """Compute an approximate function of an infinity or a zero, for which the manual specifies the result."""
    word, low, high, number, result = writer.new(), writer.new(), writer.new("p"), writer.new("f"), writer.new("f")
    text = (
        f"and.b32 {low}, {writer.source()}, 1; shl.b32 {low}, {low}, 31; setp.gt.s32 {high}, {writer.source()}, 40;"
        f" selp.b32 {word}, 0x7f800000, 0, {high}; or.b32 {word}, {word}, {low}; mov.b32 {number}, {word};"
        f" {writer.random.choice(APPROXIMATE)}.approx.f32 {result}, {number};"
    )
    return f"{text} {without_nan(writer, result, 'f32')} {store_any(writer, result)}"


def _approximate_quotient(writer: Writer) -> str:
    """Divide by a power of two, small or from 2^126 on, of either sign."""
    word, sign, large, divisor, result = writer.new(), writer.new(), writer.new("p"), writer.new("f"), writer.new("f")
    powers = writer.random.choice(["0x7f000000, 0x40000000", "0x7e800000, 0x7f000000", "0x3f000000, 0x7f400000"])
    text = (
        f"setp.gt.u32 {large}, {writer.source()}, 40; selp.b32 {word}, {powers}, {large};"
        f" and.b32 {sign}, {writer.source()}, 0x80000000; or.b32 {word}, {word}, {sign}; mov.b32 {divisor}, {word};"
        f" div.approx.f32 {result}, {writer.choice('0f40400000', '0fC0A00000', '0f3F800000')}, {divisor};"
    )
    return f"{text} {without_nan(writer, result, 'f32')} {store_any(writer, result)}"


# --- comparisons and conversions ----------------------------------------------------------------------------

SIMPLE = ["eq", "ne", "lt", "le", "gt", "ge"]
UNSIGNED = ["lo", "ls", "hi", "hs"]
UNORDERED = ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]


def comparisons(writer: Writer) -> str:
    """Compare integers or floats, in all forms of setp and set."""
    return several(writer, _comparison)


def _comparison(writer: Writer) -> str:
    random, result, first, second = writer.random, writer.new(), writer.new("p"), writer.new("p")
    type_ = random.choice([*INTEGER_TYPES, "f32", "f32", "f64"])
    names = SIMPLE + (UNORDERED if type_[0] == "f" else UNSIGNED if type_[0] == "u" else [])
    cmp = random.choice(names)
    (lines, a), (more, b) = [
        float_of(writer, type_) if type_[0] == "f" else operand_of(writer, int(type_[1:])) for _ in range(2)
    ]
    text, form = lines + more, random.randrange(5)
    if not a.startswith("%"):
        a = b if b.startswith("%") else "0"
    if form == 0 and type_ in ("f32", "u32", "s32"):
        by = float_of(writer, "f32") if type_ == "f32" else ("", writer.source())
        kind = "f32" if type_ == "f32" else "s32"
        return f"{by[0]} slct.b32.{kind} {result}, {writer.source()}, 9, {by[1]}; {writer.store(result)}"
    if form == 1 and type_ in ("f32", "u32", "s32"):
        return f"{text} set.{cmp}.u32.{type_} {result}, {a}, {b}; {writer.store(result)}"
    if form == 2:
        text += f" setp.{cmp}.{type_} {first}|{second}, {a}, {b}; selp.b32 {result}, 1, 2, {second};"
        return f"{text} {writer.store(result)} selp.b32 {result}, 3, 4, {first}; {writer.store(result)}"
    if form == 3:
        combined = f"{cmp}.{writer.choice('and', 'or', 'xor')}.{type_}"
        text = f"{writer.condition(second)} {text} setp.{combined} {first}, {a}, {b},"
        text += f" {'!' * writer.chance(0.5)}{second};"
    else:
        text += f" setp.{cmp}.{type_} {first}, {a}, {b};"
    return f"{text} selp.b32 {result}, 1, %lane, {first}; {writer.store(result)}"


def conversions(writer: Writer) -> str:
    """Convert between integers of all widths, with saturation, and to and from floats, with all rounding modes."""
    return several(writer, _conversion)


def _conversion(writer: Writer) -> str:
    random, form = writer.random, writer.random.randrange(4)
    if form == 0:  # a float to an integer
        type_, to = random.choice(["f32", "f32", "f64"]), random.choice(["s32", "u32", "s64", "u64"])
        lines, source = float_of(writer, type_)
        result = writer.new(REGISTERS[int(to[1:])])
        text = f"{lines} cvt.{random.choice(['rni', 'rzi', 'rmi', 'rpi'])}.{to}.{type_} {result}, {source};"
    elif form == 1:  # an integer to a float
        type_, to = random.choice(FULL), random.choice(["f32", "f64"])
        lines, source = operand_of(writer, int(type_[1:]), nonzero=True)
        result = writer.new("f" if to == "f32" else "d")
        text = f"{lines} cvt.rn.{to}.{type_} {result}, {source};"
    elif form == 2:  # within a register of 32 bits
        result = writer.new()
        kind = random.choice(["s32.s8", "u32.u8", "s32.s16", "u32.u16", "s32.u8", "u32.s16", "sat.u8.s32", "sat.s8.s32",
                              "sat.s16.s32", "sat.u16.u32", "sat.u16.s32", "sat.s8.u32", "sat.s32.u32"])  # fmt: skip
        text = f"cvt.{kind} {result}, {writer.source()};"
    else:
        to, from_ = random.choice(INTEGER_TYPES), random.choice(INTEGER_TYPES)
        lines, source = operand_of(writer, int(from_[1:]), nonzero=True)
        result = writer.new(REGISTERS[int(to[1:])])
        text = f"{lines} cvt{random.choice(['', '.sat'])}.{to}.{from_} {result}, {source};"
    return f"{text} {store_any(writer, result)}"
