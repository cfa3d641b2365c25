# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Model -> the table of types and constants that `cuda.bindings._tables` reads (its docstring has the format)."""

from __future__ import annotations

import functools
import itertools

from codegen import apis, roles
from codegen.c_types import ANONYMOUS, constants, integer, target
from codegen.model import Array, Enum, FunctionType, Library, Named, Pointer, Primitive, Struct, Type

# Integer types that have a class in the public API, but whose values are plain ints wherever they are met.
PLAIN = {"cuuint32_t", "cuuint64_t", "EGLint", "GLenum", "GLuint", "VdpFuncId", "VdpStatus"}
# Handles that C takes in the place of others: "can be cast" in the reference.
ACCEPTS = {"CUfunction": ["CUkernel"]}
# Fields that cuda.bindings._tables also sets together, by a method.
SETS_TOGETHER = {"dsts", "srcs", "count"}
# Pointer fields of structs -> field with the number of elements.
COUNTS = {
    "accessDescs": "accessDescCount",
    "attrs": "numAttrs",
    "attrsIdxs": "numAttrs",
    "dsts": "count",
    "execAffinityParams": "numExecAffinityParams",
    "extSemArray": "numExtSems",
    "gpuPairs": "gpuPairsCount",
    "opList": "numOps",
    "paramArray": "count",
    "paramsArray": "numExtSems",
    "perDeviceData": "deviceCount",
    "phGraph_out": "size",
    "sizes": "count",
    "srcs": "count",
}


def render(library: Library) -> str:
    """Return the table of a library."""
    names = Names(library)
    rows = [f"{name} handle {code}" for name, code in names.handles.items()]
    for enum in library.enums.values():
        members = " ".join(f"{name}={value}" for name, value in names.members(enum))
        rows.append(f"{names.enum(enum.name)} enum {'i' if enum.signed else 'u'}4 {members}")
    for struct in library.structs.values():
        if struct.size:
            place = f"{struct.size} {struct.align} {fields(names, struct)}"
            rows.append(f"{names.struct(struct.name)} struct {place}".rstrip())
    known = {row.split()[0] for row in rows}
    for name in (*library.typedefs, *library.structs, *library.enums):
        meaning = names.canonical(name)
        if meaning in known and name not in known and not (name in library.enums and names.raises):
            rows.append(f"{name} alias {meaning}")
            known.add(name)
    rows += [f"{name} constant {value}" for name, value in constants(library)]
    if names.raises:
        status = apis.APIS[library.name].status
        rows.append(f"{status.removesuffix('Result')}Error error {names.enum(status)}")
    for enum_name, types in selected_types(library).items():
        members = {member.name: member.value for member in library.enums[enum_name].members}
        for member, type_ in types.items():
            if type_ != Primitive("void"):
                rows.append(f"{names.enum(enum_name)}.{members[member]} value {names.code(type_)}")
    return "\n".join(rows)


def selected_types(library: Library) -> dict[str, dict[str, Type]]:
    return {enum: types for enum, types in roles.value_types().items() if enum in library.enums}


def fields(names: Names, struct: Struct, base: int = 0) -> str:
    """Return the fields of a struct as name=type@offset; those of members without a name belong to the struct."""
    parts = []
    for field in struct.fields:
        if field.name is None:
            parts.append(fields(names, names.library.structs[field.type.name], base + field.offset))
        elif not field.name.startswith("_"):
            code = names.code(field.type, field.name)
            if field.bit_width:
                code = f"b{code}.{field.bit_offset}.{field.bit_width}"
            parts.append(f"{field.name}={code}@{base + field.offset}")
    return " ".join(parts)


class Names:
    """What the types of a library are called in Python."""

    def __init__(self, library: Library):
        self.library = library
        self.raises = apis.APIS[library.name].style is apis.Style.RAISE
        self.handles: dict[str, str] = {}
        for name in library.typedefs:
            if code := self.handle_code(name):
                self.handles[name] = code

    def handle_code(self, name: str) -> str:
        """Return how the table describes a handle type, "" for a typedef that is none."""
        meaning = target(self.library, Named(name))
        if self.canonical(name) != name or isinstance(meaning, Struct | Enum):
            return ""
        if roles.kind(self.library, Named(name)) == "function":
            return "callback"
        if isinstance(meaning, Pointer):
            return " ".join(["pointer", *ACCEPTS.get(name, [])])
        size, signed = integer(self.library, meaning)
        return f"{'i' if signed else 'u'}{size}"

    @functools.lru_cache(None)  # noqa: B019 (one object a library)
    def canonical(self, name: str) -> str:
        """Return the name of the Python class that stands for a C type's name."""
        found = target(self.library, Named(name))
        if isinstance(found, Struct) and found.size:
            return self.struct(found.name)
        if isinstance(found, Enum):
            return self.enum(found.name)
        # CUdeviceptr is CUdeviceptr_v2 in the header: the shorter name is the public one.
        shorter = [other for other, typedef in self.library.typedefs.items() if typedef.type == Named(name)]
        return next((other for other in shorter if name.startswith(f"{other}_v")), name)

    def struct(self, tag: str) -> str:
        """Return a struct's public name: the shortest typedef that its tag starts with."""
        if ANONYMOUS.fullmatch(tag):
            return tag
        typedefs = self.typedefs_of().get(tag, [])
        return min([name for name in typedefs if tag.startswith(name)] or typedefs or [tag], key=len)

    @functools.lru_cache(None)  # noqa: B019
    def typedefs_of(self) -> dict[str, list[str]]:
        result: dict[str, list[str]] = {}
        for name in self.library.typedefs:
            found = target(self.library, Named(name))
            if isinstance(found, Struct):
                result.setdefault(found.name, []).append(name)
        return result

    def enum(self, name: str) -> str:
        return name.removeprefix(apis.APIS[self.library.name].prefix) if self.raises else name

    def members(self, enum: Enum) -> list[tuple[str, int]]:
        """Return names and values of an enumeration, without their common prefix in an API that drops prefixes."""
        prefix = ""
        if self.raises:
            words = [member.name.split("_") for member in enum.members]
            same = itertools.takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False))
            prefix = "".join(f"{column[0]}_" for column in same)
        return [(member.name.removeprefix(prefix), member.value) for member in enum.members]

    def is_handle(self, type_: Type) -> bool:
        """Tell whether values of a type are objects of a handle class."""
        name = isinstance(type_, Named) and self.canonical(type_.name)
        return not self.raises and name in self.handles and name not in PLAIN

    def code(self, type_: Type, field: str | None = None) -> str:
        """Return the table's code of a type."""
        if self.is_handle(type_):
            return f"={self.canonical(type_.name)}"
        meaning = target(self.library, type_)
        if isinstance(meaning, Struct):
            return f"={self.struct(meaning.name)}"
        if isinstance(meaning, Enum):
            return f"={self.enum(meaning.name)}"
        if isinstance(meaning, Array):
            if meaning.of in (Primitive("char"), Primitive("unsigned char")):
                return f"{'s' if field == 'name' else 'c'}{meaning.length}"
            return f"{meaning.length}*{self.code(meaning.of)}"
        if isinstance(meaning, Pointer):
            return self.pointer_code(meaning, field)
        if meaning in (Primitive("float"), Primitive("double")):
            return "f4" if meaning.name == "float" else "f8"
        size, signed = integer(self.library, meaning)
        return f"{'i' if signed else 'u'}{size}"

    def pointer_code(self, pointer: Pointer, field: str | None) -> str:
        if field == "kernelParams":
            return "k"
        if pointer == Pointer(Primitive("char"), const=True):
            return "z"
        if isinstance(pointer.to, Pointer | FunctionType | Primitive) or field is None:
            return "p"
        count = COUNTS.get(field)
        if count or isinstance(target(self.library, pointer.to), Struct):
            return f"@{self.code(pointer.to)}" + (f"#{count}" if count else "")
        return "p"
