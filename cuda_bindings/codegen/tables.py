# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the table of types and constants that `cuda.bindings._tables` reads (see there for the format)."""

from __future__ import annotations

import builtins
import re

from codegen import roles
from codegen.c_types import struct_of
from codegen.model import Library, Primitive, Struct, Type
from codegen.names import Names

# Fields of the structs that have a method for setting them together (cuda.bindings._tables).
SETS_TOGETHER = {"dsts", "srcs", "count"}


def render(library: Library) -> str:
    """Return the table of a library."""
    names = Names(library)
    rows = [f"{name} handle {code}" for name, code in names.handles.items()]
    for enum in library.enums.values():
        rows.append(f"{names.enum(enum.name)} enum {'i' if enum.signed else 'u'}4 {spell(names.members(enum))}")
    for name, members in names.macro_enums().items():
        signed = any(value < 0 for _, value in members)
        rows.append(f"{name} enum {'i' if signed else 'u'}4 {spell(members)}")
    for struct in library.structs.values():
        if struct.size:
            record = f"record {struct.size} {struct.align} {names.version(struct)}"
            layout = record if names.records else f"struct {struct.size} {struct.align}"
            rows.append(f"{names.struct(struct.name)} {layout} {own_counts(fields(names, struct))}".rstrip())
    known = {row.split()[0] for row in rows}
    for name in () if names.records else (*library.typedefs, *library.structs, *library.enums):
        meaning = names.canonical(name)
        if meaning in known and name not in known and not (name in library.enums and names.raises):
            rows.append(f"{name} alias {meaning}")
            known.add(name)
    rows += dtypes(names)
    rows += [f"{name} constant {value}" for name, value in names.constants() if name not in known]
    rows += errors(names)
    rows += unions(names)
    rows += [f"{names.api.marker} marker"] if names.api.marker else []
    for enum_name, types in selected_types(library).items():
        numbers = {member.name: member.value for member in library.enums[enum_name].members}
        for member, type_ in types.items():
            if type_ != Primitive("void"):
                rows.append(f"{names.enum(enum_name)}.{numbers[member]} value {value_code(names, type_)}")
    return "\n".join(rows)


def value_code(names: Names, type_: Type) -> str:
    """Return the code of a value's type; a bool is one in Python, while in structs it is an int."""
    return "?" if type_ == Primitive("_Bool") else names.code(type_)


def unions(names: Names) -> list[str]:
    """Return the rows that select the active members of unions."""
    values = {one.name: one.value for enum in names.library.enums.values() for one in enum.members}
    rows = []
    for name, entry in roles.unions().get(names.library.name, {}).items():
        struct, _, field = name.partition(".")
        members = []
        for member, enumerators in entry.items():
            for selected in enumerators if member not in ("tag", "prefix") else ():
                if (enumerator := entry["prefix"] + selected) not in values:
                    raise roles.RoleError(f"unions.toml: {name}, {member}: the headers have no {enumerator}")
                members.append(f"{values[enumerator]}={member}")
        rows.append(f"{struct}.{field or '*'} union {entry['tag']} {' '.join(members)}")
    return rows


def spell(members: list[tuple[str, int]]) -> str:
    return " ".join(f"{name}={value}" for name, value in members)


def dtypes(names: Names) -> list[str]:
    """Return the rows of the dtypes of records."""
    if not names.records:
        return []
    structs = [names.struct(struct.name) for struct in names.library.structs.values() if struct.size]
    return [f"{names.dtype(name)} dtype {name}" for name in structs]


def errors(names: Names) -> list[str]:
    """Return the rows of the exceptions of an API whose functions raise."""
    if not names.raises:
        return []
    base = names.error()
    detail = " pyCUresult" if "CUresult" in names.library.enums else ""
    rows = [f"{base} error {names.enum(names.api.status_enum)}{detail}"]
    if names.api.too_small:
        # One for each status: NVML_ERROR_NOT_FOUND -> NotFoundError. Python's own names get a word before them.
        for member in names.library.enums[names.api.status_enum].members:
            if member.value:
                words = member.name.removeprefix(names.api.constants).removeprefix("ERROR_").split("_")
                name = "".join(word.capitalize() for word in words) + "Error"
                own = f"{names.api.name.capitalize()}{name}" if hasattr(builtins, name) else name
                rows.append(f"{own} failure {base} {member.value}")
                rows += [f"{name} alias {own}"] if own != name else []
    return rows


def selected_types(library: Library) -> dict[str, dict[str, Type]]:
    return {enum: types for enum, types in roles.value_types().items() if enum in library.enums}


def own_counts(columns: str) -> str:
    """Return the fields of a struct, without references to counts that are fields of the enclosing struct."""
    own = {column.partition("=")[0] for column in columns.split()}
    return re.sub(r"#(\w+)", lambda match: match[0] if match[1] in own else "", columns)


def fields(names: Names, struct: Struct, base: int = 0) -> str:
    """Return the fields of a struct as name=type@offset; those of members without a name belong to the struct."""
    parts = []
    for field in struct.fields:
        if field.name is None:
            parts.append(fields(names, struct_of(names.library, field.type), base + field.offset))
        elif not field.name.startswith("_"):
            code = names.field_code(struct, field)
            if field.bit_width:
                code = f"b{code}.{field.bit_offset}.{field.bit_width}"
            parts.append(f"{names.field(field.name)}={code}@{base + field.offset}")
    return " ".join(parts)
