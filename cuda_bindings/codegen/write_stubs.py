# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the stubs of the Python level: driver.pyi and the like.

Results are typed as of a call that succeeded; on failure those after the status are None.
"""

from __future__ import annotations

from codegen import apis, roles, summaries, tables
from codegen.c_types import strip_typedefs, struct_of
from codegen.model import (
    Array,
    Enum,
    Field,
    Function,
    Library,
    Named,
    Param,
    Pointer,
    Primitive,
    Role,
    Struct,
    Type,
    pointee,
)
from codegen.names import Names
from codegen.record_rules import field_type, record_struct
from codegen.write_cython import FOLDER, HEADER

IMPORTS = """\
from collections.abc import Sequence
from typing import Any, SupportsIndex, SupportsInt

from cuda.bindings._enum import Enumeration
from cuda.bindings._handle import Handle
from cuda.bindings._struct import Struct
from typing_extensions import Buffer
"""
RECORD_IMPORTS = """\
import numpy
from cuda.bindings._record import Record
"""
MEMORY = "Buffer | SupportsIndex | Struct | None"
ERROR = """\
class {name}(Exception):
    status: int
    def __init__(self, status: {status} | int) -> None: ..."""
CUDA_ERROR = """\
class {name}(Exception):
    status: int
    cuda_error: int | None
    def __init__(self, status: {status} | int, cuda_error: pyCUresult | int | None = ...) -> None: ..."""
PASSED = {
    Role.IN_STRING: "str | bytes | None",
    Role.IN_BUFFER: MEMORY,
    Role.OUT_BUFFER: MEMORY,
    Role.USER_DATA: MEMORY,
    Role.CALLBACK: "Any",
    Role.IN_VALUE: "Any",
    Role.IN_VALUES: "Sequence[Any] | int | None",
    Role.KERNEL_PARAMS: "Any",
}
# Signatures of the functions of extras_<name>.pyx.
EXTRAS = {
    "runtime": [
        "def getLocalRuntimeVersion() -> tuple[cudaError_t, int]: ...",
        "def make_cudaExtent(w: int, h: int, d: int) -> cudaExtent: ...",
        "def make_cudaPitchedPtr(d: Any, p: int, xsz: int, ysz: int) -> cudaPitchedPtr: ...",
        "def make_cudaPos(x: int, y: int, z: int) -> cudaPos: ...",
    ],
    "nvml": [
        "def check_status(status: Return | int) -> int: ...",
        "def check_status_size(status: Return | int) -> int: ...",
    ],
    "cudla": ["def check_status(status: Status | int) -> None: ..."],
    "cufile": ["def op_status_error(status: OpError | int) -> str: ..."],
}


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the stubs by path."""
    return {f"{FOLDER}/{name}.pyi": Stubs(library).text() for name, library in libraries.items()}


class Stubs:
    """The stubs of one library."""

    def __init__(self, library: Library):
        self.library = library
        self.api = apis.APIS[library.name]
        self.names = Names(library)

    def text(self) -> str:
        lines = [HEADER + IMPORTS + (RECORD_IMPORTS if self.names.records else "")]
        lines += [f"class {name}(Handle): ..." for name in self.names.handles]
        for enum in self.library.enums.values():
            lines.append(f"class {self.names.enum(enum.name)}(Enumeration):")
            lines += [f"    {name} = {value}" for name, value in self.names.members(enum)]
        for name, members in self.names.macro_enums().items():
            lines.append(f"class {name}(Enumeration):")
            lines += [f"    {member} = {value}" for member, value in members]
        base = "Record" if self.names.records else "Struct"
        for struct in self.library.structs.values():
            if struct.size:
                fields = self.fields(struct)
                if {field.name for field in struct.fields} >= tables.SETS_TOGETHER:
                    fields.append("    def set_dsts_srcs(self, dsts: Sequence[Any], srcs: Sequence[Any]) -> None: ...")
                lines.append(f"class {self.names.struct(struct.name)}({base}):" + ("" if fields else " ..."))
                lines += fields
        rows = [row.split() for row in tables.render(self.library).splitlines()]
        errors = [row for row in rows if row[1] == "error"]
        lines += [(CUDA_ERROR if len(row) > 3 else ERROR).format(name=row[0], status=row[2]) for row in errors]
        lines += [f"class {row[0]}({row[2]}): ..." for row in rows if row[1] == "failure"]
        lines += [f"{row[0]} = {row[2]}" for row in rows if row[1] == "alias"]
        lines += [f"{row[0]}: numpy.dtype[numpy.void]" for row in rows if row[1] == "dtype"]
        lines += [f"{row[0]}: int" for row in rows if row[1] == "constant"]
        lines += [f"class {row[0]}: ..." for row in rows if row[1] == "marker"]
        lines += [self.function(function) for function in self.library.functions.values()]
        lines += EXTRAS.get(self.library.name, [])
        lines.append("def sizeof(objType: type[Handle] | type[Struct] | type[Enumeration]) -> int: ...")
        lines.append("def __dir__() -> list[str]: ...")
        return "\n".join(lines) + "\n"

    def fields(self, struct: Struct) -> list[str]:
        lines = []
        for field in struct.fields:
            if field.name is None:
                lines += self.fields(struct_of(self.library, field.type))
            elif not field.name.startswith("_"):
                type_ = self.field_type(field.type, field.name)
                if self.names.records:
                    type_ = self.record_field_type(struct, field)
                lines.append(f"    {self.names.field(field.name)}: {type_}")
        return lines

    def field_type(self, type_: Type, name: str) -> str:
        """Return the type of a field that is read, or Any if more types can be assigned."""
        meaning = strip_typedefs(self.library, type_)
        if isinstance(meaning, Array):
            if meaning.of in (Primitive("char"), Primitive("unsigned char")):
                return "bytes"
            return f"list[{self.value(meaning.of)}]"
        if isinstance(meaning, Pointer) and not self.names.handle(type_):
            return "Any"
        return "Any" if isinstance(meaning, Pointer) else self.value(type_)

    def record_field_type(self, struct: Struct, field: Field) -> str:
        """Return the type that a field of a record is read as; that of a record of several is an array of NumPy."""
        meaning = strip_typedefs(self.library, field.type)
        if isinstance(meaning, Array):
            if meaning.of == Primitive("char"):
                return "str"
            return self.value(meaning.of) if isinstance(strip_typedefs(self.library, meaning.of), Struct) else "Any"
        if isinstance(meaning, Pointer):
            if meaning == Pointer(Primitive("char"), const=True):
                return "str"
            to = strip_typedefs(self.library, meaning.to)
            counted = f"{struct.name}.{field.name}" in self.names.counts
            return self.value(meaning.to) if counted and isinstance(to, Struct) else "Any"
        return self.value(field.type)

    def value(self, type_: Type) -> str:
        """Return the Python type of a C value that comes back."""
        meaning = strip_typedefs(self.library, type_)
        if handle := self.names.handle(type_):
            return handle
        if isinstance(meaning, Struct):
            return self.names.struct(meaning.name)
        if isinstance(meaning, Enum):
            return self.names.enum(meaning.name)
        if meaning == Pointer(Primitive("char"), const=True):
            return "bytes"
        return "float" if meaning in (Primitive("float"), Primitive("double")) else "int"

    def given(self, type_: Type) -> str:
        """Return the Python types that are accepted for a C value."""
        meaning = strip_typedefs(self.library, type_)
        if handle := self.names.handle(type_):
            return f"{handle} | SupportsIndex | None"
        if isinstance(meaning, Struct):
            return self.names.struct(meaning.name)
        if isinstance(meaning, Enum):
            return f"{self.names.enum(meaning.name)} | int"
        if meaning in (Primitive("float"), Primitive("double")):
            return "float"
        if isinstance(meaning, Pointer) and self.names.records:
            return "SupportsIndex | SupportsInt"
        if isinstance(meaning, Array):
            return "str | bytes" if meaning.of == Primitive("char") else "Buffer"
        return MEMORY if isinstance(meaning, Pointer) and not self.names.raises else "SupportsIndex"

    def passed(self, param: Param) -> str:
        role = param.role
        if role in PASSED:
            return PASSED[role]
        if role in (Role.IN_STRUCT, Role.INOUT_STRUCT):
            address = " | SupportsInt" if self.names.records else ""
            return f"{self.value(param.pointee)}{address} | None"
        if role is Role.RECORDS:
            return f"{self.value(param.pointee)} | Sequence[Any]"
        if role in (Role.IN_ARRAY, Role.INOUT_ARRAY):
            of = "str | bytes" if self.value(param.pointee) == "bytes" else self.given(param.pointee)
            return f"Sequence[{of}] | int | None"
        if role in (Role.IN_POINTER, Role.INOUT, Role.INOUT_COUNT):
            return self.given(param.pointee) + (" | None" if param.optional else "")
        return self.given(param.type)

    def returned(self, param: Param) -> str:
        match param.role:
            case Role.OUT_VALUE:
                return "Any"
            case Role.OUT_VALUES:
                return "list[Any]"
            case Role.OUT_STRING:
                return "str" if self.names.raises else "bytes"
            case Role.RECORDS:
                return self.value(param.pointee)
            case Role.OUT_ARRAY:
                of_structs = isinstance(strip_typedefs(self.library, param.pointee), Struct)
                element = self.value(param.pointee)
                return element if self.names.records and of_structs else f"list[{element}]"
            case Role.OUT_VIEW:
                return f"list[{self.value(pointee(param.pointee))}]"
        return self.value(param.pointee)

    def results(self, param: Param) -> list[str]:
        """Return the types of the results of an output parameter."""
        if param.role is not Role.RECORD:
            return [self.returned(param)]
        struct = record_struct(self.library, param)
        if param.record.outputs is None:
            return [self.names.struct(struct.name)]
        return [self.record_result(struct, path) for path in param.record.outputs]

    def record_result(self, struct: Struct, path: str) -> str:
        type_ = field_type(self.library, struct, path)
        meaning = strip_typedefs(self.library, type_)
        if isinstance(meaning, Pointer):
            to = strip_typedefs(self.library, meaning.to)
            return self.value(meaning.to) if isinstance(to, Struct) and to.size else "Any"
        if isinstance(meaning, Array):
            return "str" if meaning.of == Primitive("char") else "bytes"
        return self.value(type_)

    def function(self, function: Function) -> str:
        params = ", ".join(
            f"{roles.python_param(self.api, param)}: {self.passed(param)}"
            + (" = ..." if param.default is not None else "")
            for param in roles.passed(function)
        )
        results = [text for param in roles.returned(function) for text in self.results(param)]
        status = self.names.enum(self.api.status)
        if function.result == Primitive("void"):
            results = []
        elif function.result != Named(self.api.status):
            text = self.names.raises and isinstance(function.result, Pointer)
            results = ["str" if text else self.value(function.result)]
        if not self.names.raises:
            result = f"tuple[{', '.join([status, *results])}]"
        else:
            result = results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]" if results else "None"
        name = roles.python_function_name(self.api, function.name)
        return f'def {name}({params}) -> {result}:\n    """{summaries.of(self.library.name, function.name)}"""'
