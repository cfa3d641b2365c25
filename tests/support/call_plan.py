# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of an API's functions as plain data, from its header, for wrong_calls.py."""

from __future__ import annotations

from codegen import abi_types, apis, headers, roles
from codegen.model import Array, FunctionType, Library, Param, Pointer, Primitive, Role, Struct, Type

# Handles that are integers, by typedef.
INTEGERS = {"CUdeviceptr": "pointer", "CUtexObject": "texture", "CUsurfObject": "surface"}
INTEGERS |= {"cudaTextureObject_t": "texture", "cudaSurfaceObject_t": "surface"}
INTEGERS |= {"CUmemGenericAllocationHandle": "memory", "CUgraphConditionalHandle": "condition"}

STATUSES = ("CUresult", "cudaError_t", "nvmlReturn_t")

Leaf = tuple[str, str, int, int]  # kind, detail, offset, size
Parameter = tuple[str, str, int, list[Leaf]]  # kind, detail, size; fields of the struct behind a pointer


def plan(api: str) -> list[tuple[str, list[Parameter]]]:
    """Return the parameters of each exported function of an API that returns a status.

    Kinds are handle (detail: its type), integer (detail: its C type), count (of the elements at an address), real,
    address, function and bytes (a struct by value).
    """
    if api == "driver":
        library = roles.assign_forms(headers.read_every_version(apis.APIS[api]))
    else:
        library = roles.libraries()[api]
    return [
        (symbol, [parameter(library, each) for each in function.params])
        for symbol, function in library.functions.items()
        if getattr(function.result, "name", "") in STATUSES
    ]


def parameter(library: Library, param: Param) -> Parameter:
    given = param.type
    if isinstance(abi_types.resolve(library, given), Struct):
        return "bytes", "", abi_types.size_of(library, given), leaves(library, given, 0)
    [(kind, detail, _, size)] = leaves(library, given, 0)
    behind = []
    if kind == "address":
        target = abi_types.resolve(library, given).to
        if has_size(library, target):
            size, behind = abi_types.size_of(library, target), leaves(library, target, 0)
    if kind == "integer" and param.role in (Role.COUNT, Role.LENGTH):
        kind = "count"
    if param.role in (Role.INOUT_COUNT, Role.QUERIED_COUNT):
        behind = [("count", *leaf[1:]) for leaf in behind]
    if param.role is Role.CALLBACK:
        kind = "function"
    return kind, detail, size, behind


def has_size(library: Library, target: Type) -> bool:
    found = abi_types.resolve(library, target)
    return not isinstance(found, FunctionType) and found != Primitive("void") and getattr(found, "size", 1) > 0


def leaves(library: Library, given: Type, offset: int) -> list[Leaf]:
    """Return the numbers, handles and addresses that a type consists of."""
    if getattr(given, "name", "") in INTEGERS:
        return [("handle", INTEGERS[given.name], offset, 8)]
    match abi_types.resolve(library, given):
        case Struct(fields=fields):
            return [leaf for field in fields for leaf in leaves(library, field.type, offset + field.offset)]
        case Array(of, length):
            size = abi_types.size_of(library, of)
            return [leaf for i in range(length) for leaf in leaves(library, of, offset + i * size)]
        case Pointer(to):
            target = abi_types.resolve(library, to)
            opaque = isinstance(target, Struct) and not target.fields
            return [("handle", target.name, offset, 8) if opaque else ("address", "", offset, 8)]
        case Primitive(name):
            size = abi_types.SIZES[name]
            return [("real" if name in ("float", "double") else "integer", name, offset, size)]
    raise TypeError(given)
