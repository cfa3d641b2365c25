# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The parts of a wrapper that only the APIs with records have: structs made of arguments, and two calls for one."""

from __future__ import annotations

from codegen.c_types import target
from codegen.expressions import Expressions
from codegen.model import Array, Enum, Named, Param, Pointer, Primitive, Role, Struct, Type
from codegen.record_rules import asks, field_type, made_struct

# Between asking for a number and filling there may be more to fill: a new process, say.
TRIES = 8


class RecordWrapper(Expressions):
    """A method for each role, as in `wrapper.Wrapper`."""

    asking: list[str]  # after a call that asks: memory for what the next one fills

    def record(self, param: Param) -> None:
        """Let C see a struct with the given fields, and return fields of it."""
        struct = made_struct(self.library, param)
        name, holder = f"c_{param.name}", f"h_{param.name}"
        kind = self.kind(self.names.struct(struct.name))
        spelled = self.c(Pointer(Named(struct.name)))
        for _, python, type_ in param.record.given:
            if self.is_number(type_):
                converted = self.scalar(type_, python, f'b"{self.name}: {python}"')
                self.convert.append(f"cdef {self.c(type_, f'g_{python}')} = {converted}")
        self.locate += [
            f"cdef Record {holder} = new_record({kind}, {self.names.version(struct)}u)",
            f"cdef {spelled}{name} = <{spelled}>{holder}.memory",
        ]
        for path, python, type_ in param.record.given:
            if self.is_number(type_):
                self.locate.append(f"{name}.{path} = g_{python}")
            else:
                self.locate.append(f"{holder}.{self.attribute(path)} = {python}")
        self.arguments.append(f"<{self.c(param.type)}>{name}")
        if param.record.fill:
            self.fill(param, struct)
        if param.record.gives is None:
            self.results.append(holder)
        else:
            self.results += [self.given_back(param, path) for path in param.record.gives]

    def attribute(self, path: str) -> str:
        return ".".join(self.names.field(part) for part in path.split("."))

    def is_number(self, type_: Type) -> bool:
        meaning = target(self.library, type_)
        return isinstance(meaning, Enum) or not isinstance(meaning, Struct | Array | Pointer) or self.is_opaque(meaning)

    def is_opaque(self, meaning: Type) -> bool:
        """Tell whether a type is a handle: a pointer to what only the library knows."""
        if not isinstance(meaning, Pointer):
            return False
        to = target(self.library, meaning.to)
        return isinstance(to, Struct) and not to.size

    def given_back(self, param: Param, path: str) -> str:
        """Return the expression for a field that a function returns."""
        holder = f"h_{param.name}"
        if param.record.fill and path == param.record.fill[0]:
            used = f"c_{param.name}.{param.record.fill[2]}"
            return f"{holder}_{path}[:{used}]" if self.fills_records(param) else f"bytes({holder}_{path})[:{used}]"
        struct = made_struct(self.library, param)
        type_ = field_type(self.library, struct, path)
        if self.is_number(type_):
            return self.value(type_, f"c_{param.name}.{path}")
        meaning = target(self.library, type_)
        if isinstance(meaning, Array) and meaning.of == Primitive("unsigned char"):
            return f"bytes({holder}.{self.attribute(path)})"
        return f"{holder}.{self.attribute(path)}"

    def fills_records(self, param: Param) -> bool:
        struct = made_struct(self.library, param)
        element = target(self.library, target(self.library, field_type(self.library, struct, param.record.fill[0])).to)
        return isinstance(element, Struct)

    def fill(self, param: Param, struct: Struct) -> None:
        """Let a pointer of a struct point to as many elements as another field says, or a first call tells."""
        field, count, _ = param.record.fill
        element = target(self.library, target(self.library, field_type(self.library, struct, field)).to)
        number, place = f"c_{param.name}.{count}", f"h_{param.name}_{field}"
        if isinstance(element, Struct):
            room = f"new_records({self.kind(self.names.struct(element.name))}, {number})"
        elif element in (Primitive("void"), Primitive("char"), Primitive("unsigned char")):
            room = f"bytearray({number})"
        else:
            room = f"[0] * {number}"
        lines = [f"{place} = {room}", f"h_{param.name}.{self.attribute(field)} = {place}"]
        if not asks(param):
            self.locate += lines
        else:
            if room.startswith("bytearray"):
                self.locate.append(f"{place} = b''")
            self.asking.append(f"if {number}:")
            self.asking += [f"    {line}" for line in lines]

    def records(self, param: Param) -> None:
        kind = self.kind(self.names.struct(target(self.library, param.type.to).name))
        made = f"records_in({self.python(param)}, {kind}, {self.where(param)})"
        self.convert.append(f"cdef Record h_{param.name} = {made}")
        self.place(param, f"h_{param.name}.memory")
        if param.record.gives is None:
            self.results.append(f"h_{param.name}")

    def length(self, param: Param) -> None:
        """Pass a number that the binding chooses; by pointer where C says how much it used."""
        by_pointer = isinstance(param.type, Pointer)
        type_ = param.type.to if by_pointer else param.type
        records = [p for p in self.function.params if p.role is Role.RECORDS and p.count == param.name]
        number = f"h_{records[0].name}.elements" if records else self.number(param.count)
        (self.locate if records else self.convert).append(
            f"cdef {self.c(type_, f'c_{param.name}')} = <{self.c(type_)}>{number}"
        )
        self.arguments.append(f"&c_{param.name}" if by_pointer else f"c_{param.name}")

    def asked_count(self, param: Param) -> None:
        type_ = param.type.to
        self.convert.append(f"cdef {self.c(type_, f'c_{param.name}')} = 0")
        self.arguments.append(f"&c_{param.name}")
        if self.called(param):
            self.declare_called(param)
            self.locate += [f"outcome = {self.called(param)}", f"if outcome != {self.too_small()}:"]
            self.locate += [f"    {line}" for line in self.failure()]
            self.locate.append(f"c_{param.name} = n_{param.name}")

    def asked_array(self, param: Param, counter: Param) -> None:
        """Take an output that as many elements as a first call tells fit."""
        name, number = f"h_{param.name}", f"c_{counter.name}"
        element = target(self.library, param.type.to)
        lines = self.asking
        if isinstance(element, Struct):
            kind = self.kind(self.names.struct(element.name))
            self.locate.insert(0, f"cdef Record {name} = new_records({kind}, 0)")
            lines.append(f"{name} = new_records({kind}, {number})")
            self.results.append(f"{name}[:{number}]")
        elif element == Primitive("char"):
            self.locate.insert(0, f"cdef Array {name} = Array({self.ctype(Primitive('unsigned char'))}, 0)")
            lines.append(f"{name} = Array({self.ctype(Primitive('unsigned char'))}, {number})")
            self.results.append(f"array_text({name})")
        else:
            self.locate.insert(0, f"cdef Array {name} = Array({self.ctype(param.type.to)}, 0)")
            lines.append(f"{name} = Array({self.ctype(param.type.to)}, {number})")
            self.results.append(f"{name}.take({number})")
        memory = f"{name}.memory" if isinstance(element, Struct) else f"{name}.out()"
        spelled = self.c(param.type)
        self.locate.insert(1, f"cdef {spelled} c_{param.name} = NULL")
        lines.append(f"c_{param.name} = <{spelled}>{memory}")
        self.arguments.append(f"c_{param.name}")

    def call_twice(self, call: str) -> list[str]:
        """Return the statements of a call that first asks for numbers, then fills."""
        status = self.too_small()
        empty = " or ".join(self.numbers_asked())
        return [
            "with nogil:",
            f"    outcome = {call}",
            f"for attempt in range({TRIES}):",
            f"    if outcome != 0 and outcome != {status} or not ({empty}):",
            "        break",
            *(f"    {line}" for line in self.asking),
            "    with nogil:",
            f"        outcome = {call}",
            f"    if outcome != {status}:",
            "        break",
        ]

    def too_small(self) -> int:
        """Return the status by which C answers a question for a number."""
        statuses = self.library.enums[self.api.status_enum].members
        return next(member.value for member in statuses if member.name == self.api.too_small)

    def numbers_asked(self) -> list[str]:
        """Return the C numbers that a first call tells."""
        found = []
        for param in self.function.params:
            if param.role is Role.ASKED_COUNT and not self.called(param):
                found.append(f"c_{param.name}")
            if param.role is Role.RECORD and asks(param):
                found.append(f"c_{param.name}.{param.record.fill[1]}")
        return found
