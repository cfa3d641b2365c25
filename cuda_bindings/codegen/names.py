# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Python names of the types, fields and constants of a library, and the table's type codes."""

from __future__ import annotations

import functools
import itertools
import re

from codegen import apis, roles
from codegen.c_types import ANONYMOUS, constants, integer, is_integer, strip_typedefs
from codegen.model import Array, Enum, Field, FunctionType, Library, Named, Pointer, Primitive, Struct, Type, pointee

# Integer types that have a class in the public API, but whose values are plain ints in functions and structs.
PLAIN = {"cuuint32_t", "cuuint64_t", "EGLint", "GLenum", "GLuint", "VdpFuncId", "VdpStatus"}
# Handle type -> other handle types that C accepts for it: "can be cast" in the reference.
ACCEPTS = {
    "CUfunction": ["CUkernel", "cudaKernel_t"],
    "cudaArray_const_t": ["cudaArray_t"],
    "cudaMipmappedArray_const_t": ["cudaMipmappedArray_t"],
}
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
# Fields of records with these names get an underscore, as in NVIDIA's CUDA Python.
ENDED = {"base", "data", "device", "flags", "max", "min", "size"}
FLOATS = {Primitive("float"): "f4", Primitive("double"): "f8"}
BYTES = (Primitive("char"), Primitive("unsigned char"))


# Handles that are the same objects in the driver and the runtime, although the headers use different struct tags.
SAME_OBJECTS = [
    {"CUarray", "cudaArray_t", "cudaArray_const_t"},
    {"CUmipmappedArray", "cudaMipmappedArray_t", "cudaMipmappedArray_const_t"},
    {"CUgraphicsResource", "cudaGraphicsResource_t"},
    {"CUexternalMemory", "cudaExternalMemory_t"},
    {"CUexternalSemaphore", "cudaExternalSemaphore_t"},
]


@functools.cache
def tags() -> dict[str, dict[str, set[str]]]:
    """Return the handles of the driver and the runtime by the struct that they point to, for each of the two."""
    found: dict[str, dict[str, set[str]]] = {}
    for api in ("driver", "runtime"):
        library = roles.libraries()[api]
        for name in library.typedefs:
            meaning = strip_typedefs(library, Named(name))
            struct = strip_typedefs(library, meaning.to) if isinstance(meaning, Pointer) else None
            if isinstance(struct, Struct) and not struct.size:
                found.setdefault(struct.name, {}).setdefault(api, set()).add(name)
    return found


def same_objects(library: Library, name: str) -> list[str]:
    """Return the handles of the other API that are the same object as a handle of the driver or the runtime."""
    if library.name not in ("driver", "runtime"):
        return []
    found: set[str] = set()
    for group in [set().union(*by_api.values()) for by_api in tags().values() if len(by_api) > 1] + SAME_OBJECTS:
        if name in group:
            found |= group
    own = {name, *ACCEPTS.get(name, [])}
    canonical = set().union(*(names for by_api in tags().values() for names in by_api.values()))
    return sorted(found & canonical - own)


class Names:
    """Python names of one library's types, and their codes in the table."""

    def __init__(self, library: Library):
        self.library = library
        self.api = apis.APIS[library.name]
        self.raises = self.api.style is apis.Style.RAISE
        self.records = bool(self.api.strip)
        self.renamed = roles.table().get("names", {}).get(library.name, {})
        self.counts = roles.table().get("counts", {}).get(library.name, {})
        self.handles: dict[str, str] = {}
        for name in () if self.records else library.typedefs:
            if code := self.handle_code(name):
                self.handles[name] = code

    def handle_code(self, name: str) -> str:
        """Return how the table describes a handle type, "" for a typedef that is none."""
        meaning = strip_typedefs(self.library, Named(name))
        if self.canonical(name) != name or isinstance(meaning, Struct | Enum | Array):
            return ""
        if roles.kind(self.library, Named(name)) == "function":
            return "callback"
        if isinstance(meaning, Pointer):
            return " ".join(["pointer", *ACCEPTS.get(name, []), *same_objects(self.library, name)])
        if not is_integer(self.library, meaning):
            return ""
        size, signed = integer(self.library, meaning)
        return f"{'i' if signed else 'u'}{size}"

    @functools.lru_cache(None)  # noqa: B019 (one object per library)
    def canonical(self, name: str) -> str:
        """Return the name of the Python class of a C type."""
        found = strip_typedefs(self.library, Named(name))
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
        if self.records:
            # nvmlMemory_v2_t is its own name: Memory_v2; nvmlPciInfo_st is called nvmlPciInfo_t: PciInfo.
            same = [name for name in typedefs if name.rpartition("_")[0] == tag.rpartition("_")[0]]
            return self.stripped(tag if tag.endswith("_t") else (same or typedefs or [tag])[0])
        return min([name for name in typedefs if tag.startswith(name)] or typedefs or [tag], key=len)

    @functools.lru_cache(None)  # noqa: B019
    def typedefs_of(self) -> dict[str, list[str]]:
        result: dict[str, list[str]] = {}
        for name in self.library.typedefs:
            found = strip_typedefs(self.library, Named(name))
            if isinstance(found, Struct):
                result.setdefault(found.name, []).append(name)
        return result

    def stripped(self, name: str) -> str:
        """Return a name without what the API's row leaves out."""
        return self.renamed.get(name) or re.sub(self.api.strip, "", name)

    def enum(self, name: str) -> str:
        if self.records:
            return self.stripped(name)
        return name.removeprefix(self.api.prefix) if self.raises else name

    def members(self, enum: Enum) -> list[tuple[str, int]]:
        """Return names and values of an enumeration, without their common prefix in an API that drops prefixes.

        Of an API with records they have also the names that only lack the API's own prefix: UNKNOWN, BRAND_UNKNOWN.
        Enumerators in camelCase have both forms: ERROR_OS, ErrorOs.
        """
        if not self.raises or enum.header in self.api.as_needed:
            return [(member.name, member.value) for member in enum.members]
        words = [member.name.split("_") for member in enum.members]
        columns = list(zip(*words, strict=False))[: None if len(words) > 1 else -1]
        same = itertools.takewhile(lambda column: len(set(column)) == 1, columns)
        prefix = "".join(f"{column[0]}_" for column in same)
        if not self.records:
            return [(member.name.removeprefix(prefix), member.value) for member in enum.members]
        found: dict[str, int] = {}
        for member in enum.members:
            renamed = self.renamed.get(member.name)
            short = member.name.removeprefix(prefix)
            own = member.name.removeprefix(self.api.prefix) if member.name.startswith(self.api.prefix) else ""
            upper = roles.snake_case(own).upper()  # cudlaErrorOs -> ERROR_OS
            for name in (renamed, upper, own or short, own or member.name.removeprefix(self.api.constants)):
                if name and name.isidentifier():
                    found.setdefault(name, member.value)
        return list(found.items())

    def macro_enums(self) -> dict[str, list[tuple[str, int]]]:
        """Return the enumerations that the header has as macros only: name -> members.

        ``[enums.<api>]`` of overrides.toml has them as patterns; the group is the member's name.
        """
        result = {}
        for name, pattern in roles.table().get("enums", {}).get(self.library.name, {}).items():
            members = []
            enumerators = [(one.name, one.value) for enum in self.library.enums.values() for one in enum.members]
            for constant, value in [*constants(self.library), *enumerators]:
                if match := re.fullmatch(pattern, constant):
                    found = match[match.lastindex or 0]
                    member = found if found.isupper() else roles.snake_case(found).upper()
                    members.append((self.renamed.get(constant, member), value))
            result[name] = members
        return result

    def constants(self) -> list[tuple[str, int]]:
        """Return the constants that the module has by itself."""
        patterns = roles.table().get("enums", {}).get(self.library.name, {}).values()
        versions = {name.removesuffix("_t") for name in (*self.library.structs, *self.library.typedefs)}
        return [
            (short, value)
            for name, value in constants(self.library)
            if not self.records or (name not in versions and not any(re.fullmatch(p, name) for p in patterns))
            if (short := name.removeprefix(self.api.constants)).isidentifier()
        ]

    def version(self, struct: Struct) -> int:
        """Return what the field ``version`` of a struct must hold, 0 if it has none.

        nvml.h has a macro for it, named like the struct: its size and the number of its form.
        """
        if not any(field.name == "version" for field in struct.fields):
            return 0
        for name in (struct.name, *self.typedefs_of().get(struct.name, [])):
            constant = self.library.constants.get(re.sub("_(t|st)$", "", name))
            if constant and int(constant.value) & 0xFFFFFF == struct.size:
                return int(constant.value)
        return 0

    def field(self, name: str) -> str:
        """Return the name of a field."""
        if not self.records:
            return name
        return self.renamed.get(name) or roles.snake_case(name) + ("_" if name in ENDED else "")

    def handle(self, type_: Type) -> str:
        """Return the handle class of a type, "" for a type whose values are other objects."""
        name = self.canonical(type_.name) if isinstance(type_, Named) else ""
        return name if not self.raises and name in self.handles and name not in PLAIN else ""

    def dtype(self, name: str) -> str:
        """Return the name of a record's dtype."""
        return self.renamed.get(f"{name}_dtype") or f"{roles.snake_case(name)}_dtype"

    def error(self) -> str:
        """Return the name of the exception for a failed call."""
        return self.api.error or self.api.status.removesuffix("Result") + "Error"

    def field_code(self, struct: Struct, field: Field) -> str:
        """Return the table's code of a field's type."""
        count = self.counts.get(f"{struct.name}.{field.name}")
        code = self.code(field.type, field.name)
        if count and isinstance(strip_typedefs(self.library, field.type), Pointer):
            return f"&{self.code(pointee(strip_typedefs(self.library, field.type)))}#{self.field(count)}"
        return f"{code}#{self.field(count)}" if count else code

    def code(self, type_: Type, field: str | None = None) -> str:
        """Return the table's code of a type."""
        if handle := self.handle(type_):
            return f"={handle}"
        meaning = strip_typedefs(self.library, type_)
        if isinstance(meaning, Struct):
            return f"={self.struct(meaning.name)}"
        if isinstance(meaning, Enum):
            return f"={self.enum(meaning.name)}"
        if isinstance(meaning, Array):
            if self.records:
                return self.record_array_code(meaning)
            if meaning.of in BYTES:
                return f"{'s' if field == 'name' else 'c'}{meaning.length}"
            return f"{meaning.length}*{self.code(meaning.of)}"
        if isinstance(meaning, Pointer):
            return self.pointer_code(meaning, field)
        if meaning in FLOATS:
            return FLOATS[meaning]
        size, signed = integer(self.library, meaning)
        return f"{'i' if signed else 'u'}{size}"

    def pointer_code(self, pointer: Pointer, field: str | None) -> str:
        if field == "kernelParams":
            return "k"
        if pointer == Pointer(Primitive("char"), const=True):
            return "y" if self.records else "z"
        if self.records:
            return "p"
        if isinstance(pointer.to, Pointer | FunctionType | Primitive) or field is None:
            return "p"
        count = COUNTS.get(field)
        if count or isinstance(strip_typedefs(self.library, pointer.to), Struct):
            return f"@{self.code(pointer.to)}" + (f"#{count}" if count else "")
        return "p"

    def record_array_code(self, array: Array) -> str:
        """Return the code of an array in a record: text, or a view of the memory."""
        if array.of == Primitive("char"):
            return f"t{array.length}"
        of = strip_typedefs(self.library, array.of)
        return f"{array.length}{'*' if isinstance(of, Array | Pointer) else '^'}{self.code(array.of)}"
