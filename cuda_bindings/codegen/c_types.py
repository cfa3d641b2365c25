# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""C and Cython declarations of the model's types, and the types behind typedefs."""

from __future__ import annotations

import re
from collections.abc import Callable

from codegen.model import Array, Enum, FunctionType, Library, Named, Pointer, Primitive, Struct, Type

FIXED = {"size_t": (8, False)} | {f"{u}int{8 * n}_t": (n, not u) for n in (1, 2, 4, 8) for u in ("u", "")}
PRIMITIVE_SIZES = {
    "_Bool": (1, False),
    "char": (1, True),
    "signed char": (1, True),
    "unsigned char": (1, False),
    "short": (2, True),
    "unsigned short": (2, False),
    "int": (4, True),
    "unsigned int": (4, False),
    "long": (8, True),
    "unsigned long": (8, False),
    "long long": (8, True),
    "unsigned long long": (8, False),
}
# Types that several APIs define, and the macro that guards them: NVIDIA's own, or one of ours.
SHARED = {"CUuuid_st": "CU_UUID_HAS_BEEN_DEFINED", "CUresult": "CUDA_BINDINGS_CURESULT"}
ANONYMOUS = re.compile(r"anon_(struct|union)\d+")
Spell = Callable[[Primitive | Named | None], str]  # the name of a type; None is an empty list of parameters


def strip_typedefs(library: Library, type_: Type) -> Type | Struct | Enum:
    """Return the type behind all typedefs: a struct or enum of the model, or a type without a name."""
    while isinstance(type_, Named):
        if type_.name in library.typedefs:
            type_ = library.typedefs[type_.name].type
        elif type_.name in library.structs:
            return library.structs[type_.name]
        elif type_.name in library.enums:
            return library.enums[type_.name]
        else:
            return type_
    return type_


def is_opaque_pointer(library: Library, type_: Type) -> bool:
    """Return whether a type is a pointer to a struct without fields, behind any typedefs: a handle."""
    meaning = strip_typedefs(library, type_)
    if not isinstance(meaning, Pointer):
        return False
    to = strip_typedefs(library, meaning.to)
    return isinstance(to, Struct) and not to.size


def struct_of(library: Library, type_: Type) -> Struct:
    """Return the struct or union that a type stands for; TypeError if it is none."""
    found = strip_typedefs(library, type_)
    if not isinstance(found, Struct):
        raise TypeError(f"not a struct: {type_!r}")
    return found


def enum_of(library: Library, type_: Type) -> Enum:
    """Return the enumeration that a type stands for; TypeError if it is none."""
    found = strip_typedefs(library, type_)
    if not isinstance(found, Enum):
        raise TypeError(f"not an enumeration: {type_!r}")
    return found


def is_integer(library: Library, type_: Type) -> bool:
    found = strip_typedefs(library, type_)
    return isinstance(found, Named) or (isinstance(found, Primitive) and found.name in PRIMITIVE_SIZES)


def integer(library: Library, type_: Type) -> tuple[int, bool]:
    """Return size and signedness of an integer type."""
    found = strip_typedefs(library, type_)
    if isinstance(found, Named):
        return FIXED[found.name]
    if not isinstance(found, Primitive):
        raise TypeError(f"not an integer type: {type_!r}")
    return PRIMITIVE_SIZES[found.name]


def declare(type_: Type, name: str, spell: Spell, suffix: str = "") -> str:
    """Return the declaration of `name` with a type; `spell` gives the text of a named type."""
    if isinstance(type_, Pointer):
        inner = f"*{name}"
        if isinstance(type_.to, FunctionType | Array):
            inner = f"({inner})"
        if type_.const and isinstance(type_.to, Pointer):
            return declare(type_.to, f"const {inner}", spell, suffix)
        return ("const " if type_.const else "") + declare(type_.to, inner, spell, suffix)
    if isinstance(type_, Array):
        return declare(type_.of, f"{name}[{type_.length}]", spell, suffix)
    if isinstance(type_, FunctionType):
        params = ", ".join(declare(param, "", spell).strip() for _, param in type_.params) or spell(None)
        return declare(type_.result, f"{name}({params}){suffix}", spell)
    return f"{spell(type_)} {name}".rstrip()


class Declarations:
    """C and Cython declarations of a library's types, each after those that it needs."""

    def __init__(self, library: Library):
        self.library = library
        self.c: list[str] = []
        self.cython: list[str] = []
        self.done: set[str] = set()
        for table in (library.enums, library.structs, library.typedefs):
            for name in table:
                self.need(name)

    def spell_c(self, type_: Primitive | Named | None) -> str:
        """Return the name of a type in C; None is an empty list of parameters."""
        if type_ is None:
            return "void"
        if type_.name in self.library.structs:
            struct = self.library.structs[type_.name]
            return f"{'union' if struct.union else 'struct'} {self.tag(type_.name)}"
        return type_.name

    def tag(self, name: str) -> str:
        """Return the tag of a struct in C, where unnamed ones of several APIs must not clash."""
        return f"cuda_bindings_{self.library.name}_{name}" if ANONYMOUS.fullmatch(name) else name

    @staticmethod
    def spell_cython(type_: Primitive | Named | None) -> str:
        if type_ is None:
            return ""
        return {"_Bool": "bint"}.get(type_.name, type_.name)

    def need(self, name: str) -> None:
        """Declare a named type, once."""
        if name in self.done:
            return
        self.done.add(name)
        if name in self.library.enums:
            self.enum(self.library.enums[name])
        elif name in self.library.structs:
            self.struct(self.library.structs[name])
        elif name in self.library.typedefs:
            self.typedef(name)

    def need_for(self, type_: Type, by_value: bool = True) -> None:
        """Declare what a type is made of; structs behind pointers need no definition."""
        if isinstance(type_, Pointer):
            self.need_for(type_.to, False)
        elif isinstance(type_, Array):
            self.need_for(type_.of, by_value)
        elif isinstance(type_, FunctionType):
            for part in (type_.result, *(param for _, param in type_.params)):
                self.need_for(part, False)
        elif isinstance(type_, Named) and (by_value or type_.name not in self.library.structs):
            self.need(type_.name)

    def enum(self, enum: Enum) -> None:
        values = ", ".join(f"{member.name} = {member.value}" for member in enum.members)
        text = f"typedef enum {{ {values} }} {enum.name};"
        guard = SHARED.get(enum.name)
        self.c += [f"#ifndef {guard}", f"#define {guard}", text, "#endif"] if guard else [text]
        self.cython.append(f"ctypedef enum {enum.name}:")
        self.cython += [f"    {member.name}" for member in enum.members]

    def struct(self, struct: Struct) -> None:
        keyword = "union" if struct.union else "struct"
        tag = self.tag(struct.name)
        if not struct.size:
            self.c.append(f"{keyword} {tag};")
            self.cython += [f"cdef {keyword} {struct.name}:", "    pass"]
            return
        for field in struct.fields:
            self.need_for(field.type)
        text = f"{keyword} {tag} {{ {self.members(struct)} }} __attribute__((aligned({struct.align})));"
        guard = SHARED.get(tag)
        self.c += [f"#ifndef {guard}", f"#define {guard}", text, "#endif"] if guard else [text]
        in_c = "" if tag == struct.name else f' "{keyword} {tag}"'
        self.cython.append(f"cdef {keyword} {struct.name}{in_c}:")
        self.cython += self.cython_members(struct) or ["    pass"]

    def members(self, struct: Struct) -> str:
        """Return the members of a struct in C; anonymous ones are written out."""
        parts = []
        for field in struct.fields:
            if field.name is None:
                inner = struct_of(self.library, field.type)
                parts.append(f"{'union' if inner.union else 'struct'} {{ {self.members(inner)} }};")
            else:
                bits = f" : {field.bit_width}" if field.bit_width else ""
                parts.append(declare(field.type, field.name, self.spell_c) + bits + ";")
        return " ".join(parts)

    def cython_members(self, struct: Struct) -> list[str]:
        lines = []
        for field in struct.fields:
            if field.name is None:
                lines += self.cython_members(struct_of(self.library, field.type))
            else:
                lines.append("    " + declare(field.type, field.name, self.spell_cython))
        return lines

    def typedef(self, name: str) -> None:
        type_ = self.library.typedefs[name].type
        # Cython wants the struct declared before its typedef; C does not mind.
        self.need_for(type_, by_value=not isinstance(type_, Pointer | FunctionType))
        if isinstance(type_, Pointer) and isinstance(type_.to, Named):
            self.need(type_.to.name)
        self.c.append(f"typedef {declare(type_, name, self.spell_c)};")
        self.cython.append(f"ctypedef {declare(type_, name, self.spell_cython)}")


def constants(library: Library) -> list[tuple[str, int]]:
    """Return the integer constants that are no enumerators."""
    enumerators = {member.name for enum in library.enums.values() for member in enum.members}
    return [
        (constant.name, constant.value)
        for constant in library.constants.values()
        if isinstance(constant.value, int) and constant.name not in enumerators
    ]
