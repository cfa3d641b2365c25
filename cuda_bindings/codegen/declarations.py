# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conversion of libclang's declarations to the model's."""

from __future__ import annotations

import bisect
import functools
import re

from clang.cindex import AvailabilityKind, Cursor, CursorKind, StorageClass, TranslationUnit, TypeKind
from clang.cindex import Type as ClangType

from codegen import apis
from codegen.model import (
    Array,
    Enum,
    Enumerator,
    Field,
    Function,
    FunctionType,
    HeaderError,
    Library,
    Named,
    Param,
    Pointer,
    Primitive,
    Struct,
    Type,
    Typedef,
)

GROUP_MARK = re.compile(rb"[@\\](?:(?:defgroup|addtogroup)\s+(?P<name>\w+)|(?P<brace>[{}]))")
PRIMITIVES = {
    TypeKind.VOID: "void",
    TypeKind.BOOL: "_Bool",
    TypeKind.CHAR_S: "char",
    TypeKind.CHAR_U: "char",
    TypeKind.SCHAR: "signed char",
    TypeKind.UCHAR: "unsigned char",
    TypeKind.SHORT: "short",
    TypeKind.USHORT: "unsigned short",
    TypeKind.INT: "int",
    TypeKind.UINT: "unsigned int",
    TypeKind.LONG: "long",
    TypeKind.ULONG: "unsigned long",
    TypeKind.LONGLONG: "long long",
    TypeKind.ULONGLONG: "unsigned long long",
    TypeKind.FLOAT: "float",
    TypeKind.DOUBLE: "double",
}
# The model keeps the names of their types, size_t and the like, as they are.
SYSTEM_TYPES = {"stddef.h", "stdint.h", "stdlib.h"}
# Their typedefs, ssize_t and the like, are resolved: Cython has no such names.
PLAIN_TYPES = {"types.h"}
RECORDS = {CursorKind.STRUCT_DECL: False, CursorKind.UNION_DECL: True}
STATUS = re.compile(
    r"\b(?:(?:CUDA|NVRTC|NVJITLINK|NVVM|NVFATBIN)_(?:ERROR_)?[A-Z0-9_]+|cudaError[A-Z]\w+|NVML_ERROR_[A-Z_]+|CU_FILE_[A-Z_]+)\b"
)
IDENTIFIER = re.compile(rb"\w+")


def functions(api: apis.Api, unit: TranslationUnit) -> list[Cursor]:
    """Return the declarations of the API's functions, without those that a header defines itself."""
    return [
        cursor
        for cursor in unit.cursor.get_children()
        if cursor.kind == CursorKind.FUNCTION_DECL
        and cursor.storage_class != StorageClass.STATIC
        and cursor.spelling.startswith(api.prefix)
        and header_of(cursor) in api.headers
    ]


def header_of(cursor: Cursor) -> str:
    return cursor.location.file.name.rpartition("/")[2]


def written_name(cursor: Cursor) -> str:
    """Return the name as the header spells it, before macros such as ``#define cuMemAlloc cuMemAlloc_v2``."""
    return identifier_at(contents(cursor.location.file.name), cursor.location.offset)


def identifier_at(text: bytes, offset: int) -> str:
    """Return the first identifier at or after an offset."""
    match = IDENTIFIER.search(text, offset)
    return match[0].decode() if match else ""


@functools.cache
def group_spans(text: bytes) -> tuple[list[int], list[str]]:
    """Return the offsets in a header where the group of the reference changes, and the groups from there."""
    offsets, groups, open_groups, named = [0], [""], [""], ""
    for mark in GROUP_MARK.finditer(text):
        if mark["name"]:
            named = mark["name"].decode()
            continue
        if mark["brace"] == b"{":
            open_groups.append(named)
        elif len(open_groups) > 1:
            open_groups.pop()
        offsets.append(mark.end())
        groups.append(open_groups[-1])
    return offsets, groups


def group_of(cursor: Cursor) -> str:
    """Return the innermost group of the reference that encloses a declaration."""
    offsets, groups = group_spans(contents(cursor.location.file.name))
    return groups[bisect.bisect_right(offsets, cursor.location.offset) - 1]


def listed_errors(comment: str) -> tuple[str, ...]:
    """Return the status values that follow ``\\return`` in a comment, success excepted."""
    text = re.split(r"[\\@]return", comment, maxsplit=1)[1:]
    found = dict.fromkeys(STATUS.findall(re.split(r"[\\@](?:sa|note|see|brief)", text[0])[0] if text else ""))
    return tuple(name for name in found if not name.endswith("_SUCCESS"))


def comment_before(cursor: Cursor) -> str:
    """Return the last comment before a declaration if it names the function; between them may be an inline form."""
    before = contents(cursor.location.file.name)[: cursor.location.offset]
    comment = before[before.rfind(b"/**") :].partition(b"*/")[0].decode(errors="replace")
    return comment if re.search(rf"\b{cursor.spelling}\b", comment) else ""


@functools.cache
def contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


class Reader:
    """Collects what the API's own headers declare in a translation unit."""

    def __init__(self, api: apis.Api, by_symbol: bool = False):
        self.api = api
        self.by_symbol = by_symbol
        self.result = Library(api.name)
        self.names: dict[str, str] = {}  # USR of an unnamed or typedef-named record or enum -> name in the model
        self.anonymous = {False: 0, True: 0}
        self.visited: set[str] = set()  # records whose definition is or is being read

    def library(self, unit: TranslationUnit) -> Library:
        cursors = [cursor for cursor in unit.cursor.get_children() if cursor.location.file]
        for cursor in cursors:
            if cursor.kind == CursorKind.TYPEDEF_DECL:
                self.name_from_typedef(cursor)
        for cursor in cursors:
            self.declaration(cursor)
        for cursor in functions(self.api, unit):
            self.function(cursor)
        return self.result

    def name_from_typedef(self, cursor: Cursor) -> None:
        """Give enums and unnamed records the name of the first typedef for them, for C code calls them by it."""
        target = cursor.underlying_typedef_type.get_canonical()
        declaration = target.get_declaration()
        direct = cursor.underlying_typedef_type.get_declaration().kind != CursorKind.TYPEDEF_DECL
        unnamed = declaration.is_anonymous() or not declaration.spelling.isidentifier()
        if direct and (target.kind == TypeKind.ENUM or (target.kind == TypeKind.RECORD and unnamed)):
            self.names.setdefault(declaration.get_usr(), cursor.spelling)

    def declaration(self, cursor: Cursor) -> None:
        if cursor.kind in RECORDS:
            self.record(cursor)
        elif cursor.kind == CursorKind.ENUM_DECL:
            self.enum(cursor)
        elif cursor.kind == CursorKind.TYPEDEF_DECL and header_of(cursor) not in SYSTEM_TYPES | PLAIN_TYPES:
            self.typedef(cursor)

    def function(self, cursor: Cursor) -> None:
        symbol = cursor.spelling
        written = written_name(cursor)
        self.result.functions[symbol if self.by_symbol else written] = Function(
            name=written,
            symbol=symbol,
            result=self.type(cursor.result_type),
            params=tuple(Param(param.spelling, self.type(param.type)) for param in cursor.get_arguments()),
            header=header_of(cursor),
            deprecated=cursor.availability == AvailabilityKind.DEPRECATED,
            group=group_of(cursor),
            errors=listed_errors(cursor.raw_comment or comment_before(cursor)),
        )

    def typedef(self, cursor: Cursor) -> None:
        target = self.type(cursor.underlying_typedef_type)
        if target != Named(cursor.spelling):
            self.result.typedefs.setdefault(cursor.spelling, Typedef(cursor.spelling, target, header_of(cursor)))

    def enum(self, cursor: Cursor) -> str:
        """Add an enum; return its name."""
        name = self.name_of(cursor)
        members = tuple(
            Enumerator(member.spelling, member.enum_value)
            for member in cursor.get_children()
            if member.kind == CursorKind.ENUM_CONSTANT_DECL
        )
        if members:
            signed = any(member.value < 0 for member in members)
            self.result.enums[name] = Enum(name, members, signed, header_of(cursor))
        return name

    def record(self, cursor: Cursor) -> str:
        """Add a struct or union and, before it, the ones defined within; return its name."""
        cursor = cursor.get_definition() or cursor
        usr = cursor.get_usr()
        if usr in self.visited:
            return self.name_of(cursor)
        header = header_of(cursor)
        union = RECORDS[cursor.kind]
        if not cursor.is_definition():
            name = self.name_of(cursor)
            self.result.structs[name] = Struct(name, (), 0, 0, union, header)
            return name
        self.visited.add(usr)
        fields = tuple(self.field(field) for field in cursor.type.get_fields())
        # Named after its fields: unnamed records are numbered in the order in which their definitions end.
        name = self.name_of(cursor)
        self.result.structs.pop(name, None)
        self.result.structs[name] = Struct(name, fields, cursor.type.get_size(), cursor.type.get_align(), union, header)
        return name

    def field(self, cursor: Cursor) -> Field:
        target = self.type(cursor.type)
        bits = cursor.get_field_offsetof()
        size = cursor.type.get_size()
        name = cursor.spelling if cursor.spelling.isidentifier() else None
        if not cursor.is_bitfield():
            return Field(name, target, bits // 8, size)
        unit = bits // (8 * size) * size
        return Field(name, target, unit, size, bits - unit * 8, cursor.get_bitfield_width())

    def name_of(self, cursor: Cursor) -> str:
        usr = cursor.get_usr()
        if usr in self.names:
            return self.names[usr]
        if not cursor.is_anonymous() and cursor.spelling.isidentifier():
            return cursor.spelling
        if cursor.kind == CursorKind.ENUM_DECL:
            return self.names.setdefault(
                usr, f"anon_enum{sum(name.startswith('anon_enum') for name in self.result.enums)}"
            )
        union = RECORDS[cursor.kind]
        name = self.names[usr] = f"anon_{'union' if union else 'struct'}{self.anonymous[union]}"
        self.anonymous[union] += 1
        return name

    def type(self, clang: ClangType) -> Type:
        kind = clang.kind
        if kind == TypeKind.ELABORATED:
            return self.type(clang.get_named_type())
        if kind in PRIMITIVES:
            return Primitive(PRIMITIVES[kind])
        if kind == TypeKind.TYPEDEF:
            declaration = clang.get_declaration()
            if header_of(declaration) in PLAIN_TYPES:
                return self.type(declaration.underlying_typedef_type)
            return Named(declaration.spelling)
        if kind == TypeKind.POINTER:
            pointee = clang.get_pointee()
            return Pointer(self.type(pointee), pointee.is_const_qualified())
        if kind == TypeKind.CONSTANTARRAY:
            return Array(self.type(clang.element_type), clang.element_count)
        if kind == TypeKind.INCOMPLETEARRAY:
            return Pointer(self.type(clang.element_type), clang.element_type.is_const_qualified())
        if kind == TypeKind.RECORD:
            return Named(self.record(clang.get_declaration()))
        if kind == TypeKind.ENUM:
            return Named(self.enum(clang.get_declaration()))
        if kind == TypeKind.FUNCTIONPROTO:
            return FunctionType(
                self.type(clang.get_result()), tuple(("", self.type(param)) for param in clang.argument_types())
            )
        raise HeaderError(f"type {clang.spelling!r} is a {kind.name}, for which model.py has no shape")
