# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Test arguments for any function of the code generator's model: Python values, expected bytes in C, results."""

from __future__ import annotations

import ctypes
import re
import struct

from support.echo import pattern

from codegen import apis, roles
from codegen.c_types import integer, strip_typedefs
from codegen.model import Array, Enum, Named, Param, Pointer, Primitive, Role, Struct
from codegen.names import Names
from codegen.record_rules import field_type, is_queried, record_struct
from codegen.write_echo import ECHO_COUNT, RESULT_INDEX, VIEW_LENGTH, counter, field_offsets
from cuda.bindings._handle import Handle
from cuda.bindings._record import Record
from cuda.bindings._struct import Struct as StructBase

COUNT = 4  # elements or bytes of every argument with a count


class Mismatch(Exception):
    """An argument or a result was not passed correctly."""


def distinct(k: int, size: int) -> bytes:
    """Return the bytes of a distinctive argument: the sign bit is set, all bytes differ."""
    return bytes((0x93 + 11 * k + 37 * j) & 0xFF | (0x80 if j == size - 1 else 0) for j in range(size))


def plain(value):
    """Return a result as plain data, to be compared with decoded bytes."""
    if isinstance(value, Record):
        return ctypes.string_at(value.getPtr(), type(value)._kind_.size * len(value))
    if isinstance(value, StructBase):
        return ctypes.string_at(value.getPtr(), type(value)._kind_.size)
    if isinstance(value, Handle):
        return int(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


class Cases:
    """Arguments and results of one function."""

    def __init__(self, library, module, echo, function):
        self.library, self.module, self.echo, self.function = library, module, echo, function
        self.api = apis.APIS[library.name]
        self.names = Names(library)
        self.call = getattr(module, roles.python_function_name(self.api, function.name))
        self.keep = []
        counts = " ".join(param.count or "" for param in function.params)
        self.counting = set(re.findall(r"\w+", counts))

    # Inputs

    def scalar(self, type_, k, as_object, value=None):
        """Return a Python argument and the bytes that C must see."""
        meaning = strip_typedefs(self.library, type_)
        if isinstance(meaning, Enum):
            member = meaning.members[-1].value
            cls = self.cls(type_)
            return (cls(member) if as_object and cls else member), struct.pack("<q", member)[:4]
        if isinstance(meaning, Primitive) and meaning.name in ("float", "double"):
            number = -1.5 - k
            return number, struct.pack("<f" if meaning.name == "float" else "<d", number)
        if meaning == Primitive("_Bool"):
            return bool(k % 2), bytes([k % 2])
        size, signed = (8, False) if isinstance(meaning, Pointer) else integer(self.library, meaning)
        raw = distinct(k, size) if value is None else value.to_bytes(size, "little")
        number = int.from_bytes(raw, "little", signed=signed)
        cls = self.cls(type_)
        wrapped = cls is not None and issubclass(cls, Handle) and as_object
        return (cls(number) if wrapped else number), raw

    def cls(self, type_):
        """Return the module's class for a C type, or None."""
        meaning = strip_typedefs(self.library, type_)
        name = meaning.name if isinstance(meaning, Enum) else getattr(type_, "name", None)
        if self.names.records:
            spell = {Struct: self.names.struct, Enum: self.names.enum}.get(type(meaning))
            name = spell(meaning.name) if spell else None
        elif name and self.api.style is apis.Style.RAISE:
            name = name.removeprefix(self.api.prefix)
        return getattr(self.module, name, None) if name else None

    def struct(self, type_, k):
        """Return a struct object filled with distinctive bytes, and these."""
        made = self.cls(type_)()
        raw = distinct(k, strip_typedefs(self.library, type_).size)
        ctypes.memmove(made.getPtr(), raw, len(raw))
        return made, raw

    def element(self, type_, k, as_object):
        meaning = strip_typedefs(self.library, type_)
        if isinstance(meaning, Struct):
            return self.struct(type_, k)
        return self.scalar(type_, k, as_object)

    def argument(self, param: Param, k: int, as_object: bool, members: dict):
        """Return a Python argument, its expected bytes in C, and those that it points to; None allows any bytes."""
        type_, role = param.type, param.role
        if param.name in members:
            raw = members[param.name].value
            if role is Role.IN_ARRAY:
                return [raw] * COUNT, None, struct.pack("<i", raw) * COUNT
            return raw, struct.pack("<i", raw), None
        if role in (Role.IN, Role.COUNT, Role.USER_DATA):
            return self.plain_argument(param, k, as_object)
        if role is Role.CALLBACK:
            if as_object:
                made = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: None)
                self.keep.append(made)
                return made, ctypes.cast(made, ctypes.c_void_p).value.to_bytes(8, "little"), None
            return *self.scalar(Pointer(Primitive("void")), k, False), None
        if role is Role.IN_STRING:
            text = f"text {k} é"
            return (text if as_object else text.encode()), None, text.encode() + b"\0"
        if role in (Role.IN_STRUCT, Role.INOUT_STRUCT):
            made, raw = self.struct(type_.to, k)
            return made, made.getPtr().to_bytes(8, "little"), raw
        if role in (Role.IN_ARRAY, Role.INOUT_ARRAY):
            return self.array(param, k, as_object)
        if role in (Role.IN_BUFFER, Role.OUT_BUFFER):
            return self.buffer_argument(param, k)
        if role is Role.RECORDS:
            made = self.cls(type_.to)(COUNT)
            raw = distinct(k, strip_typedefs(self.library, type_.to).size * COUNT)
            ctypes.memmove(made.ptr, raw, len(raw))
            return made, made.ptr.to_bytes(8, "little"), raw
        if role in (Role.IN_POINTER, Role.INOUT):
            value, raw = self.scalar(type_.to, k, as_object)
            return value, None, raw
        if role is Role.INOUT_COUNT:
            value, raw = self.scalar(type_.to, k, False, COUNT)
            return value, None, raw
        if role is Role.IN_VALUE:
            value, raw = self.value(members[param.selector], k)
            return value, None, raw.ljust(8, b"\0")[:8]
        if role is Role.IN_VALUES:
            return [7 + i for i in range(COUNT)], None, b"".join(struct.pack("<q", 7 + i) for i in range(COUNT))
        if role is Role.KERNEL_PARAMS:
            values = (-5, 2.5), (ctypes.c_int, ctypes.c_float)
            return values, None, struct.pack("<if", -5, 2.5)
        raise Mismatch(f"{param.name}: nothing is known of the role {role}")

    def plain_argument(self, param: Param, k: int, as_object: bool):
        """Return the same for an argument passed by value: a number, a handle, a struct, an address."""
        meaning = strip_typedefs(self.library, param.type)
        if isinstance(meaning, Struct):
            return *self.struct(param.type, k), None
        if param.name in self.counting and not isinstance(meaning, Pointer):
            return *self.scalar(param.type, k, as_object, COUNT), None
        if isinstance(meaning, Pointer) and as_object and self.cls(param.type) is None and not self.raises():
            memory = ctypes.create_string_buffer(8)
            return memory, ctypes.addressof(memory).to_bytes(8, "little"), None
        return *self.scalar(param.type, k, as_object), None

    def buffer_argument(self, param: Param, k: int):
        """Return the same for a buffer of the caller; its contents are compared if it is an input."""
        reads = param.role is Role.IN_BUFFER
        data = bytearray(distinct(k, self.room(param)) if reads else self.room(param))
        address = ctypes.addressof((ctypes.c_char * len(data)).from_buffer(data))
        seen = (bytes(data) if param.count else b"") if reads else None
        return data, address.to_bytes(8, "little"), seen

    def room(self, param):
        """Return the size of a buffer in bytes, whose count is a number or a multiple of a parameter."""
        match = re.fullmatch(r"(\w+) \* (\d+)", param.count or "")
        if match:
            return COUNT * int(match[2])
        return int(param.count) if param.count and param.count.isdigit() else COUNT

    def given(self, param, k, as_object):
        """Return the arguments for the fields of a record, and their expected bytes in C, by offset."""
        struct = record_struct(self.library, param)
        arguments, seen = [], {}
        if version := self.names.version(struct):
            seen[0] = version.to_bytes(4, "little")
        for number, (path, _, type_) in enumerate(param.record.inputs):
            offset = self.offset(struct, path)
            meaning = strip_typedefs(self.library, type_)
            if isinstance(meaning, Array):
                raw = b"text" if meaning.of == Primitive("char") else distinct(k + number, meaning.length)
                python = raw.decode() if as_object and meaning.of == Primitive("char") else raw
            elif self.to_struct(meaning):
                python = self.cls(meaning.to)(COUNT)
                raw = python.ptr.to_bytes(8, "little")
            elif param.record.buffer and path == param.record.buffer.capacity:
                python, raw = self.scalar(type_, k + number, as_object, COUNT)
            else:
                python, raw = self.scalar(type_, k + number, as_object)
            arguments.append(python)
            seen[offset] = raw
        return arguments, seen

    def to_struct(self, meaning):
        """Return the struct that a pointer points to, or None if it is not a struct with fields."""
        to = strip_typedefs(self.library, meaning.to) if isinstance(meaning, Pointer) else None
        return to if isinstance(to, Struct) and to.size else None

    def offset(self, struct, path):
        """Return the offset of a field by its path."""
        first, _, rest = path.partition(".")
        base = dict(field_offsets(self.library, struct))[first]
        return (
            base + self.offset(strip_typedefs(self.library, field_type(self.library, struct, first)), rest)
            if rest
            else base
        )

    def record_results(self, param, k, arguments):
        """Return the expected Python result for a record, in the form of `plain`."""
        struct = record_struct(self.library, param)
        size = struct.size
        if param.record.buffer:
            return [self.filled(param, struct, k)]
        if param.record.outputs is None:
            return [pattern(k, size)]
        return [self.field_result(struct, path, k, arguments) for path in param.record.outputs]

    def field_result(self, struct, path, k, arguments):
        type_ = field_type(self.library, struct, path)
        meaning = strip_typedefs(self.library, type_)
        offset = self.offset(struct, path)
        if to := self.to_struct(meaning):
            return pattern(k, to.size * COUNT)  # filled in place
        if isinstance(meaning, Array):
            data = pattern(k, offset + meaning.length)[offset:]
            return data.decode(errors="replace") if meaning.of == Primitive("char") else data
        return self.decoded(type_, pattern(k, offset + self.size(type_))[offset:])

    def filled(self, param, struct, k):
        """Return the expected elements of a record's array: one fewer than its capacity."""
        number = (ECHO_COUNT if is_queried(param) else COUNT) - 1
        to = strip_typedefs(self.library, field_type(self.library, struct, param.record.buffer.pointer)).to
        meaning = strip_typedefs(self.library, to)
        if meaning in (Primitive("void"), Primitive("unsigned char")):
            return pattern(k, number)
        size = self.size(to)
        data = pattern(k, size * number)
        if isinstance(meaning, Struct):
            return data
        return [self.decoded(to, data[i * size : (i + 1) * size]) for i in range(number)]

    def array(self, param, k, as_object):
        of = param.type.to
        if isinstance(strip_typedefs(self.library, of), Pointer) and self.cls(of) is None:
            if of == Pointer(Primitive("char"), const=True):
                return [f"s{i}" for i in range(COUNT)], None, None
            values = [int.from_bytes(distinct(k + i, 8), "little") for i in range(COUNT)]
            return values, None, b"".join(value.to_bytes(8, "little") for value in values)
        if param.name == "dataSizes":
            return [8] * COUNT, None, struct.pack("<Q", 8) * COUNT
        pairs = [self.element(of, k + i, as_object) for i in range(COUNT)]
        number = (
            1 if "//" in param.count else COUNT - int(param.count.rpartition("- ")[2]) if "-" in param.count else COUNT
        )
        return [value for value, _ in pairs], None, b"".join(raw for _, raw in pairs[:number])

    def value(self, member, k):
        type_ = member.type
        if isinstance(type_, Array):
            text = f"path {k}"
            return text, text.encode()
        if isinstance(strip_typedefs(self.library, type_), Struct):
            return self.struct(type_, k)
        return self.scalar(type_, k, True)

    # Outputs

    def result(self, param: Param, k: int, members: dict):
        """Return the expected Python result for an output, in the form of `plain`."""
        if param.role is Role.INOUT_COUNT:
            return COUNT - 1
        if param.role is Role.OUT_VALUE:
            return self.valued(members[param.selector], k, COUNT)
        if param.role is Role.OUT_VALUES:
            return [self.valued(members[param.selector], k + i, 8) for i in range(COUNT)]
        if param.role is Role.RECORDS:
            return pattern(k, self.size(param.type.to) * COUNT)
        counting = self.by_name(param.count)
        if counting and counting.role is Role.QUERIED_COUNT:
            return self.queried(param, counting, k)
        if param.role is Role.OUT_STRING and self.raises():
            length = self.length(counting.count if counting and counting.role is Role.LENGTH else param.count)
            return pattern(k, length).decode(errors="replace")
        if param.role is Role.OUT_STRING:
            return pattern(k, 8 if param.count == "8" else COUNT)
        if param.role in (Role.OUT_ARRAY, Role.OUT_VIEW):
            of = param.type.to.to if param.role is Role.OUT_VIEW else param.type.to
            size = self.size(of)
            number = (
                VIEW_LENGTH
                if param.role is Role.OUT_VIEW
                else ECHO_COUNT
                if counter(param)
                else self.length(param.count)
            )
            data = pattern(k, size * number)
            if self.by_name(param.count) and self.by_name(param.count).role is Role.INOUT_COUNT:
                number = COUNT - 1
            return [self.decoded(of, data[i * size : (i + 1) * size]) for i in range(number)]
        if any(p.count == param.name and p.role is Role.OUT_VIEW for p in self.function.params):
            return VIEW_LENGTH
        if param.type.to == Pointer(Primitive("char"), const=True):
            return b"echo"
        if counts_for_others(self.library, self.function):
            return ECHO_COUNT
        if param.type.to == Primitive("_Bool"):
            return True
        return self.decoded(param.type.to, pattern(k, self.size(param.type.to)))

    def queried(self, param, counting, k):
        """Return the expected result where a first call queries the number: one element fewer than that."""
        number = ECHO_COUNT - 1
        meaning = strip_typedefs(self.library, param.type.to)
        size = self.size(param.type.to)
        data = pattern(k, size * ECHO_COUNT)
        if isinstance(meaning, Struct):
            return data[: size * number]
        if meaning == Primitive("char"):
            return data.decode(errors="replace")
        return [self.decoded(param.type.to, data[i * size : (i + 1) * size]) for i in range(number)]

    def length(self, count):
        """Return a length given in overrides.toml as a number or a header's macro; COUNT for a parameter."""
        if count in self.library.constants:
            return self.library.constants[count].value
        return int(count) if count and count.isdigit() and self.names.records else COUNT

    def returned_value(self):
        """Return the expected result of a function without a status: text or a number of bytes."""
        if isinstance(self.function.result, Pointer):
            return ["echo" if self.raises() else b"echo"]
        if self.function.result == Named("int32_t"):  # a status that is a result
            return [0]
        return [RESULT_INDEX] if self.function.result == Primitive("long") else []

    def has_status(self):
        return self.function.result == Named(self.api.status)

    def valued(self, member, k, given):
        """Return the value of 8 bytes; an array has as many elements as fit the caller's bytes."""
        data = pattern(k, 8)
        if member.type == Array(Primitive("char"), 1024):
            return data
        if member.type == Primitive("_Bool"):
            return data[0] != 0
        if isinstance(member.type, Array):
            size = self.size(member.type.of)
            return [self.decoded(member.type.of, data[i : i + size]) for i in range(0, given, size)]
        return self.decoded(member.type, data.ljust(self.size(member.type), b"\0")[: self.size(member.type)])

    def size(self, type_):
        meaning = strip_typedefs(self.library, type_)
        if isinstance(meaning, Struct):
            return meaning.size
        if isinstance(meaning, Enum):
            return 4
        if isinstance(meaning, Pointer):
            return 8
        return {"float": 4, "double": 8}.get(meaning.name) or integer(self.library, meaning)[0]

    def decoded(self, type_, data):
        meaning = strip_typedefs(self.library, type_)
        if isinstance(meaning, Struct):
            return data
        if isinstance(meaning, Enum):
            return int.from_bytes(data, "little", signed=meaning.signed)
        if isinstance(meaning, Primitive) and meaning.name in ("float", "double"):
            return struct.unpack("<f" if meaning.name == "float" else "<d", data)[0]
        signed = not isinstance(meaning, Pointer) and integer(self.library, meaning)[1]
        return int.from_bytes(data, "little", signed=signed)

    def by_name(self, name):
        return next((param for param in self.function.params if param.name == name), None)

    def raises(self):
        return self.api.style is apis.Style.RAISE


class Member:
    """A member of an enumeration that selects a type, and that type."""

    def __init__(self, value, type_):
        self.value, self.type = value, type_


def counts_for_others(library, function):
    return any(
        (match := counter(param)) and match[1] == function.name
        for f in library.functions.values()
        for param in f.params
    )
