# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Parser of declarations of variables and parameters: PTX ISA manual, chapters 5 and 4.5 (constants)."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from math import prod

from cuda.cpu.ptx.constants import integers, is_number, number, packed
from cuda.cpu.ptx.cursor import Cursor
from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.syntax import Immediate, Initializer, Relocation, Variable

_LARGEST = 1 << 32  # bytes of a variable with an initial value
_LARGEST_VECTOR = 16  # bytes
MOST_ALIGNMENT = 4096  # bytes: CPU_MOST_ALIGNMENT in runtime/exec/worker.h
_HIDDEN = (
    "a `.hidden` parameter is a tensor map that NVIDIA's driver passes to tile kernels, in an undocumented way; "
    "compile for a device below 9.0, whose tile kernels have none: set CUDA_CPU_CAPABILITY=8.9; or load the Tile IR"
)
_INITIALIZED = ("global", "const")  # spaces in which variables may have an initial value

SPACES = frozenset(("global", "const", "shared", "local", "param", "reg", "tex", "sampler", "surf"))

# Bytes of a value of each type, section 5.2. An opaque object (section 5.3) is a 64-bit handle.
TYPE_BYTES = {
    **{letter + str(bits): bits // 8 for letter in "bus" for bits in (8, 16, 32, 64)},
    **{"b128": 16, "f16": 2, "bf16": 2, "f16x2": 4, "bf16x2": 4, "tf32": 4, "f32": 4, "f64": 8, "pred": 1},
    **{"e4m3": 1, "e5m2": 1, "texref": 8, "samplerref": 8, "surfref": 8},
}


def is_declaration(token: str) -> bool:
    """Return whether a token is a state space, with which declarations begin."""
    return token[:1] == "." and token[1:].partition("::")[0] in SPACES


def declaration(cursor: Cursor, linkage: str = "") -> list[tuple[Variable, int]]:
    """Take a declaration up to its semicolon, and return its variables, each with the N of `name<N>` or -1."""
    declared = []
    prefix = _prefix(cursor)
    while cursor.token != ";":
        declared.append(_variable(cursor, prefix, linkage))
        if not cursor.accept(","):
            break
    cursor.expect(";")
    return declared


def parameters(cursor: Cursor) -> tuple[Variable, ...]:
    """Take a parenthesised list of parameters."""
    cursor.expect("(")
    found: list[Variable] = []
    while not cursor.accept(")"):
        if found:
            cursor.expect(",")
        if cursor.token == ".hidden":
            raise cursor.error(_HIDDEN)
        if not is_declaration(cursor.token):
            raise cursor.unexpected("a parameter")
        found.append(_variable(cursor, _prefix(cursor), "")[0])
        _check_parameter(cursor, found)
    return tuple(found)


def check_registers(name: str, parameters: Iterable[Variable], line: int) -> None:
    """Refuse register parameters of a function or prototype whose type cannot be passed in registers."""
    for each in parameters:
        if each.space == "reg" and (each.type == "pred" or each.vector > 1):
            parameter = f"parameter {each.name} of {name} is a {'vector' if each.vector > 1 else 'predicate'}"
            raise PtxError(f"{parameter}, which is not passed in registers", line)


def _check_parameter(cursor: Cursor, parameters: list[Variable]) -> None:
    """Refuse the last parameter if its state space or name is not allowed."""
    last = parameters[-1]
    if last.space not in ("param", "reg"):
        raise cursor.error(f"parameter {last.name} is in .{last.space}; it must be in .param or .reg")
    if last.space == "param" and last.vector > 1:
        raise cursor.error(f"parameter {last.name} is a vector; it must be an array of bytes")
    if last.name != "_" and any(each.name == last.name for each in parameters[:-1]):
        raise cursor.error(f"there are two parameters {last.name}")


def _prefix(cursor: Cursor) -> tuple[str, str, int, int, dict[str, object]]:
    """Take `.space .align n .v4 .type` and return (space, type, align, vector, attributes)."""
    space = cursor.take()[1:].partition("::")[0]
    kind, align, vector = "", 0, 1
    attributes: dict[str, object] = {}
    while cursor.token.startswith("."):
        word = cursor.take()[1:]
        if word == "align":
            align = cursor.integer()
            if align <= 0 or align & align - 1:
                raise cursor.error(f".align {align} is no power of two")
            if align > MOST_ALIGNMENT:
                raise cursor.error(f".align {align} is not supported by the CPU device; at most {MOST_ALIGNMENT} is")
        elif word in ("v2", "v4"):
            vector = int(word[1])
        elif word == "attribute":
            attributes.update(attribute(cursor))
        elif word == "ptr":
            attributes["ptr"] = cursor.take()[1:] if cursor.token[1:] in SPACES else "generic"
            if cursor.accept(".align"):
                attributes["ptr_align"] = cursor.integer()
        elif word in TYPE_BYTES:
            kind = word
        else:
            cursor.at -= 1
            raise cursor.unexpected("a type")
    if space == "tex" or kind in ("texref", "samplerref", "surfref"):
        kind = kind or "u64"
    if not kind:
        raise cursor.unexpected("a type")
    if TYPE_BYTES[kind] * vector > _LARGEST_VECTOR:
        raise cursor.error(f"a vector of {vector} .{kind} has more than 128 bits")
    if kind == "pred" and (space != "reg" or vector > 1):
        raise cursor.error("predicates are in registers, each by itself")
    return space, kind, align, vector, attributes


def attribute(cursor: Cursor) -> dict[str, object]:
    """Take the `(.managed, .unified(a, b))` of an attribute directive."""
    found: dict[str, object] = {}
    cursor.expect("(")
    while not cursor.accept(")"):
        if not cursor.token:
            raise cursor.unexpected("')'")
        name = cursor.take().lstrip(".")
        found[name] = True
        if cursor.accept("("):
            values = [cursor.integer()]
            while cursor.accept(","):
                values.append(cursor.integer())
            cursor.expect(")")
            found[name] = tuple(values)
        cursor.accept(",")
    return found


def _variable(cursor: Cursor, prefix: tuple[str, str, int, int, dict], linkage: str) -> tuple[Variable, int]:
    space, kind, align, vector, attributes = prefix
    line = cursor.line
    name = cursor.name()
    count = -1
    if cursor.accept("<"):
        count = cursor.integer_before(">")
    dims = []
    while cursor.accept("["):
        dims.append(0 if cursor.token == "]" else cursor.integer())
        cursor.expect("]")
    if any(size < 0 for size in dims):
        raise cursor.error(f"array {name} has a negative dimension", line)
    if 0 in dims[1:]:
        raise cursor.error(f"array {name} has no size in a dimension behind the first", line)
    element = TYPE_BYTES[kind]
    initializer = None
    if dims and space == "reg":
        raise cursor.error(f"register {name} is declared as an array", line)
    if cursor.accept("="):
        if space not in _INITIALIZED or linkage == "extern":
            raise cursor.error(f"{linkage or '.' + space} variable {name} has an initial value".lstrip(), line)
        initializer, end = _initializer(cursor, kind, (*dims, vector) if vector > 1 else tuple(dims), name, line)
        if dims and dims[0] == 0:
            dims[0] = -(-end // (element * vector * prod(dims[1:])))
    if 0 in dims and linkage != "extern" and space != "param":
        raise cursor.error(f"array {name} has no size", line)
    size = element * vector * prod(dims)
    align = align or element * vector
    variable = Variable(name, space, kind, size, align, vector, tuple(dims), linkage, initializer, attributes, line)
    return variable, count


def _initializer(cursor: Cursor, kind: str, dims: tuple[int, ...], name: str, line: int) -> tuple[Initializer, int]:
    """Take a variable's initial value; also return its size, which includes trailing zeros that are not stored."""
    if kind in ("texref", "samplerref", "surfref"):
        raise cursor.error(f"variable {name}: initial values of {kind} are not supported by the CPU device", line)
    data = bytearray()
    relocations: list[Relocation] = []
    limit = TYPE_BYTES[kind] * prod(dims)
    if limit > _LARGEST:
        raise cursor.error(f"variable {name} has an initial value and {limit} bytes; at most {_LARGEST} can have", line)
    end = _fill(cursor, data, relocations, kind, dims, 0)
    if limit and end > limit:
        raise cursor.error(f"variable {name} has {limit} bytes and its initial value {end}", line)
    return Initializer(bytes(data), tuple(relocations)), end


def _fill(cursor: Cursor, data: bytearray, relocations: list, kind: str, dims: tuple[int, ...], at: int) -> int:
    """Take a value or a nested list of them, put it at `at`, and return where it ends."""
    width = TYPE_BYTES[kind]
    token = cursor.token
    if token[:1] == "{" and len(token) > 1:
        cursor.at += 1
        packed = _packed(integers(token), kind)
        _put(data, at, packed)
        return at + len(packed)
    if not cursor.accept("{"):
        return _scalar(cursor, data, relocations, kind, at)
    stride = width * prod(dims[1:])
    while not cursor.accept("}"):
        nested = cursor.token[:1] == "{"
        end = _fill(cursor, data, relocations, kind, dims[1:], at)
        at = at + stride if nested else end
        if not cursor.accept(","):
            cursor.expect("}")
            break
    return at


def _packed(values: list[int], kind: str) -> bytes:
    width = TYPE_BYTES[kind]
    if width == 1 and min(values) >= 0 and max(values) < 256:  # nearly always: NVRTC writes arrays as bytes
        return bytes(values)
    return b"".join(_bits(Immediate(value), kind).to_bytes(width, "little") for value in values)


def _scalar(cursor: Cursor, data: bytearray, relocations: list, kind: str, at: int) -> int:
    """Take a number, an address, or a byte of an address: `7`, `generic(x)+4`, `0xFF00(x)`."""
    width = TYPE_BYTES[kind]
    token, following = cursor.token, cursor.tokens[cursor.at + 1]
    if token[:1].isdigit() and following == "(":
        mask = number(cursor.take()).value
        shift = (mask & -mask).bit_length() - 1
        if mask != 0xFF << max(shift, 0) or shift % 8:
            raise cursor.error(f"mask {token} of an address must be 0xFF, 0xFF00, ...")
        cursor.expect("(")
        symbol, addend = _address(cursor)
        cursor.expect(")")
        relocations.append(Relocation(at, 1, symbol, addend, shift))
        _put(data, at, bytes(width))
    elif is_number(token) or token in ("-", "+", "~", "!", "(", "WARP_SZ"):
        _put(data, at, _bits(cursor.constant(), kind).to_bytes(width, "little"))
    else:
        if kind[0] not in "bus" or width < 4:
            raise cursor.error(f"an address does not fit into a variable of type .{kind}")
        symbol, addend = _address(cursor)
        relocations.append(Relocation(at, width, symbol, addend))
        _put(data, at, bytes(width))
    return at + width


def _address(cursor: Cursor) -> tuple[str, int]:
    if cursor.token == "generic" and cursor.tokens[cursor.at + 1] == "(":
        cursor.at += 2
        symbol = cursor.name()
        cursor.expect(")")
    else:
        symbol = cursor.name()
    addend = cursor.integer() if cursor.token in ("+", "-") else 0
    return symbol, addend


def _put(data: bytearray, at: int, value: bytes) -> None:
    if len(data) < at:
        data.extend(bytes(at - len(data)))
    data[at : at + len(value)] = value


def _bits(value: Immediate, kind: str) -> int:
    """Return a constant's bits in a variable of type `kind`."""
    if kind in ("f32", "f64") and value.kind != kind:
        if value.kind == "int":
            real = float(value.value)
        else:
            code = "<I" if value.kind == "f32" else "<Q"
            real = struct.unpack("<f" if value.kind == "f32" else "<d", struct.pack(code, value.value))[0]
        return int.from_bytes(packed("<f" if kind == "f32" else "<d", real), "little")
    return value.value & (1 << 8 * TYPE_BYTES[kind]) - 1
