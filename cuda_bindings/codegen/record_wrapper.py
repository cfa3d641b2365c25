# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Wrappers of the APIs with records: structs filled from arguments, and a first call that queries counts."""

from __future__ import annotations

from codegen.c_types import is_opaque_pointer, strip_typedefs, struct_of
from codegen.expressions import Expressions
from codegen.model import Array, Enum, Named, Param, Pointer, Primitive, Role, Struct, Type, pointee
from codegen.record_rules import field_type, is_queried, record_struct

# The number may grow between the query and the call that fills (a new process, say): how often to try again.
TRIES = 8


class RecordWrapper(Expressions):
    """A method for each role, as in `wrapper.Wrapper`."""

    allocations: list[str]  # statements after a query of counts: memory for the outputs of the next call

    def record(self, param: Param) -> None:
        """Pass a struct whose fields are set from arguments, and return fields of it."""
        struct = record_struct(self.library, param)
        name, holder = f"c_{param.name}", f"h_{param.name}"
        kind = self.kind(self.names.struct(struct.name))
        spelled = self.c(Pointer(Named(struct.name)))
        for _, python, type_ in param.record.inputs:
            if self.is_number(type_):
                converted = self.scalar(type_, python, f'b"{self.name}: {python}"')
                self.conversions.append(f"cdef {self.c(type_, f'g_{python}')} = {converted}")
        self.pointers += [
            f"cdef Record {holder} = new_record({kind}, {self.names.version(struct)}u)",
            f"cdef {spelled}{name} = <{spelled}>{holder}.memory",
        ]
        for path, python, type_ in param.record.inputs:
            if self.is_number(type_):
                self.pointers.append(f"{name}.{path} = g_{python}")
            else:
                self.pointers.append(f"{holder}.{self.attribute(path)} = {python}")
        self.arguments.append(f"<{self.c(param.type)}>{name}")
        if param.record.buffer:
            self.allocate_buffer(param, struct, param.record.buffer.pointer, param.record.buffer.capacity)
        if param.record.outputs is None:
            self.results.append(holder)
        else:
            self.results += [self.output_field(param, path) for path in param.record.outputs]

    def attribute(self, path: str) -> str:
        return ".".join(self.names.field(part) for part in path.split("."))

    def is_number(self, type_: Type) -> bool:
        meaning = strip_typedefs(self.library, type_)
        number = isinstance(meaning, Enum) or not isinstance(meaning, Struct | Array | Pointer)
        return number or is_opaque_pointer(self.library, type_)

    def output_field(self, param: Param, path: str) -> str:
        """Return the expression for a field that a function returns."""
        holder = f"h_{param.name}"
        struct = record_struct(self.library, param)
        buffer = param.record.buffer
        if buffer and path == buffer.pointer:
            used = f"c_{param.name}.{buffer.used}"
            of_structs = isinstance(self.element(struct, buffer.pointer), Struct)
            return f"{holder}_{path}[:{used}]" if of_structs else f"bytes({holder}_{path})[:{used}]"
        type_ = field_type(self.library, struct, path)
        if self.is_number(type_):
            return self.value(type_, f"c_{param.name}.{path}")
        meaning = strip_typedefs(self.library, type_)
        if isinstance(meaning, Array) and meaning.of == Primitive("unsigned char"):
            return f"bytes({holder}.{self.attribute(path)})"
        return f"{holder}.{self.attribute(path)}"

    def element(self, struct: Struct, path: str) -> Type | Struct | Enum:
        """Return the type that a pointer field points to."""
        pointer = strip_typedefs(self.library, field_type(self.library, struct, path))
        return strip_typedefs(self.library, pointee(pointer))

    def allocate_buffer(self, param: Param, struct: Struct, field: str, count: str) -> None:
        """Point a field to as many elements as another field, or a first call, says."""
        element = self.element(struct, field)
        number, buffer = f"c_{param.name}.{count}", f"h_{param.name}_{field}"
        if isinstance(element, Struct):
            storage = f"new_records({self.kind(self.names.struct(element.name))}, {number})"
        elif element in (Primitive("void"), Primitive("char"), Primitive("unsigned char")):
            storage = f"bytearray({number})"
        else:
            storage = f"[0] * {number}"
        lines = [f"{buffer} = {storage}", f"h_{param.name}.{self.attribute(field)} = {buffer}"]
        if not is_queried(param):
            self.pointers += lines
        else:
            if storage.startswith("bytearray"):
                self.pointers.append(f"{buffer} = b''")
            self.allocations.append(f"if {number}:")
            self.allocations += [f"    {line}" for line in lines]

    def records(self, param: Param) -> None:
        kind = self.kind(self.names.struct(struct_of(self.library, param.pointee).name))
        made = f"records_in({self.python(param)}, {kind}, {self.label(param)})"
        self.conversions.append(f"cdef Record h_{param.name} = {made}")
        self.declare_c(param, f"h_{param.name}.memory")
        if param.record.outputs is None:
            self.results.append(f"h_{param.name}")

    def length(self, param: Param) -> None:
        """Pass a size that the binding chooses; by pointer where C returns how much it used."""
        by_pointer = isinstance(param.type, Pointer)
        type_ = param.pointee if by_pointer else param.type
        records = [p for p in self.function.params if p.role is Role.RECORDS and p.count == param.name]
        number = f"h_{records[0].name}.elements" if records else self.number(param.count)
        (self.pointers if records else self.conversions).append(
            f"cdef {self.c(type_, f'c_{param.name}')} = <{self.c(type_)}>{number}"
        )
        self.arguments.append(f"&c_{param.name}" if by_pointer else f"c_{param.name}")

    def queried_count(self, param: Param) -> None:
        type_ = param.pointee
        self.conversions.append(f"cdef {self.c(type_, f'c_{param.name}')} = 0")
        self.arguments.append(f"&c_{param.name}")
        if self.count_call(param):
            self.declare_count_call(param)
            self.pointers += [f"outcome = {self.count_call(param)}", f"if outcome != {self.too_small()}:"]
            self.pointers += [f"    {line}" for line in self.failure()]
            self.pointers.append(f"c_{param.name} = n_{param.name}")

    def queried_array(self, param: Param, counter: Param) -> None:
        """Return an output with as many elements as a first call says."""
        name, number = f"h_{param.name}", f"c_{counter.name}"
        element = strip_typedefs(self.library, param.pointee)
        lines = self.allocations
        if isinstance(element, Struct):
            kind = self.kind(self.names.struct(element.name))
            self.pointers.insert(0, f"cdef Record {name} = new_records({kind}, 0)")
            lines.append(f"{name} = new_records({kind}, {number})")
            self.results.append(f"{name}[:{number}]")
        elif element == Primitive("char"):
            self.pointers.insert(0, f"cdef Array {name} = Array({self.ctype(Primitive('unsigned char'))}, 0)")
            lines.append(f"{name} = Array({self.ctype(Primitive('unsigned char'))}, {number})")
            self.results.append(f"array_text({name})")
        else:
            self.pointers.insert(0, f"cdef Array {name} = Array({self.ctype(param.pointee)}, 0)")
            lines.append(f"{name} = Array({self.ctype(param.pointee)}, {number})")
            self.results.append(f"{name}.to_list({number})")
        memory = f"{name}.memory" if isinstance(element, Struct) else f"{name}.out_ptr()"
        spelled = self.c(param.type)
        self.pointers.insert(1, f"cdef {spelled} c_{param.name} = NULL")
        lines.append(f"c_{param.name} = <{spelled}>{memory}")
        self.arguments.append(f"c_{param.name}")

    def call_twice(self, call: str) -> list[str]:
        """Return the statements of a call that queries counts, and of one that fills the outputs."""
        status = self.too_small()
        empty = " or ".join(self.queried_counts())
        return [
            "with nogil:",
            f"    outcome = {call}",
            f"for attempt in range({TRIES}):",
            f"    if outcome != 0 and outcome != {status} or not ({empty}):",
            "        break",
            *(f"    {line}" for line in self.allocations),
            "    with nogil:",
            f"        outcome = {call}",
            f"    if outcome != {status}:",
            "        break",
        ]

    def too_small(self) -> int:
        """Return the status of a call that queries counts."""
        statuses = self.library.enums[self.api.status_enum].members
        return next(member.value for member in statuses if member.name == self.api.too_small)

    def queried_counts(self) -> list[str]:
        """Return the C expressions of the counts that a first call returns."""
        found = []
        for param in self.function.params:
            if param.role is Role.QUERIED_COUNT and not self.count_call(param):
                found.append(f"c_{param.name}")
            if param.role is Role.RECORD and param.record.buffer and is_queried(param):
                found.append(f"c_{param.name}.{param.record.buffer.capacity}")
        return found
