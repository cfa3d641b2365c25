# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The model's types in the C ABI: size, signedness, and spelling without CUDA headers."""

from __future__ import annotations

from codegen.model import Array, FunctionType, Library, Named, Pointer, Primitive, Struct, Type

# LP64, the data model of Linux on x86-64 and aarch64. `char` is signed on one and not on the other: never rely on it.
SIZES = {
    "_Bool": 1,
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "short": 2,
    "unsigned short": 2,
    "int": 4,
    "unsigned int": 4,
    "float": 4,
    "long": 8,
    "unsigned long": 8,
    "long long": 8,
    "unsigned long long": 8,
    "double": 8,
}
# Names that the headers take from the system, see include/.
SYSTEM = {
    "size_t": "unsigned long",
    "int8_t": "signed char",
    "int16_t": "short",
    "int32_t": "int",
    "int64_t": "long",
    "intptr_t": "long",
    "uint8_t": "unsigned char",
    "uint16_t": "unsigned short",
    "uint32_t": "unsigned int",
    "uint64_t": "unsigned long",
    "uintptr_t": "unsigned long",
}


def resolve(library: Library, target: Type) -> Type | Struct:
    """Return the ABI type behind typedefs: a Primitive, Pointer, Array or FunctionType, or a Struct.

    An enum is the integer that gcc and clang take for it.
    """
    while isinstance(target, Named):
        if target.name in library.enums:
            return Primitive("int" if library.enums[target.name].signed else "unsigned int")
        if target.name in library.structs:
            return library.structs[target.name]
        if target.name in SYSTEM:
            return Primitive(SYSTEM[target.name])
        if target.name not in library.typedefs:
            raise KeyError(f"{target.name} is neither a type of {library.name} nor one of {', '.join(SYSTEM)}")
        target = library.typedefs[target.name].type
    return target


def size_of(library: Library, target: Type) -> int:
    """Return the size of a type in bytes."""
    match resolve(library, target):
        case Struct(size=size) if size:
            return size
        case Primitive(name) if name in SIZES:
            return SIZES[name]
        case Pointer():
            return 8
        case Array(of, length):
            return length * size_of(library, of)
    raise TypeError(f"{target!r} has no size")


def is_signed(primitive: Primitive) -> bool:
    return not primitive.name.startswith("unsigned") and primitive.name != "_Bool"


def canonical(library: Library, target: Type) -> object:
    """Return a value that is equal for types that are the same in C."""
    match resolve(library, target):
        case Pointer(to):
            return ("*", canonical(library, to))
        case Array(of, length):
            return ("[]", canonical(library, of), length)
        case FunctionType(result, params):
            return ("()", canonical(library, result), *(canonical(library, param) for _, param in params))
        case Struct(name=name):
            return name
        case Primitive(name):
            return name
    raise TypeError(f"not a type of the model: {target!r}")
