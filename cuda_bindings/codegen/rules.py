# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rules for the roles of parameters, by their types and names."""

from __future__ import annotations

import dataclasses
import re

from codegen.model import Array, Function, FunctionType, Library, Named, Param, Pointer, Primitive, Role, Type

FLOATS = {"float", "double"}
COUNT_NAME = re.compile(r"(num|nb|pNum)[A-Z]\w*|count")
BYTES_NAME = re.compile(r"ByteCount|numbytes|size|len")
# pX, phX, xOut, x_out: a pointer to one X, but for the runtime's arrays of nodes
SINGLE_NAME = re.compile(r"(?!pDepend|pRootNodes)ph?[A-Z]\w*|pctx|\w+[oO]ut")
CODE_NAME = re.compile(r"func|symbol(Ptr)?|entryFuncAddr")  # a kernel or variable, by its address or handle
READS_OUT = re.compile(r"Get|Enumerate|Query|Encode")
ARRAY_ROLES = {Role.IN_ARRAY, Role.INOUT_ARRAY, Role.OUT_ARRAY, Role.IN_VALUES, Role.OUT_VALUES, Role.OUT_VIEW}


def kind(library: Library, target: Type) -> str:
    """Return what a type is: void, char, integer, float, enum, handle, struct, pointer, array or function."""
    match target:
        case Primitive("void"):
            return "void"
        case Primitive("char"):
            return "char"
        case Primitive(name):
            return "float" if name in FLOATS else "integer"
        case Pointer(to):
            return "function" if kind(library, to) == "function" else "pointer"
        case Array():
            return "array"
        case FunctionType():
            return "function"
        case Named(name) if name in library.enums:
            return "enum"
        case Named(name) if name in library.structs:
            return "struct"
        case Named(name) if name in library.typedefs:
            meaning = kind(library, library.typedefs[name].type)
            return "handle" if meaning == "pointer" else meaning
        case Named():
            return "integer"  # size_t, uint64_t: the only names that the headers take from the system
    raise TypeError(f"not a type of the model: {target!r}")


def by_rule(library: Library, function: Function) -> list[Param]:
    """Return the parameters with the roles that their types and names suggest."""
    counts = element_counts(library, function)
    size = next((param.name for param in function.params if BYTES_NAME.fullmatch(param.name)), "")
    result = []
    for param in function.params:
        role, count, default = Role.IN, counts.get(param.name, ""), None
        meaning = kind(library, param.type)
        if meaning == "function":
            role = Role.CALLBACK
        elif meaning == "pointer":
            role = pointer_role(library, function, param, count)
            if role in (Role.IN_BUFFER, Role.OUT_BUFFER, Role.OUT_STRING):
                count = size
            elif role not in ARRAY_ROLES:
                count = ""
            default = "0" if role is Role.INOUT_COUNT else None
        else:
            count = ""
        result.append(dataclasses.replace(param, role=role, count=count, default=default))
    return result


def pointer_role(library: Library, function: Function, param: Param, count: str) -> Role:
    """Return the role of a pointer, by what it points to."""
    target = kind(library, param.pointee)
    reads_out = READS_OUT.search(function.name) or param.name.endswith("_out")
    if target == "void":
        return void_role(param)
    if target == "char":
        if param.const:
            return Role.IN_STRING
        return Role.OUT_STRING if any(other.name == "len" for other in function.params) else Role.OUT_BUFFER
    if target == "pointer":
        return pointer_to_pointer_role(param, count)
    if target == "struct":
        if param.const or not reads_out:
            return Role.IN_ARRAY if count else Role.IN_STRUCT
        return Role.OUT_ARRAY if count else Role.OUT_STRUCT
    if param.const or (count and not reads_out):
        return Role.IN_ARRAY
    if count:
        return Role.OUT_ARRAY
    # size_t *numNodes after CUgraphNode *nodes: how many there are.
    if any(name == param.name for name in element_counts(library, function).values()):
        return Role.INOUT_COUNT
    return Role.OUT


def void_role(param: Param) -> Role:
    if param.name in ("userData", "payload"):
        return Role.USER_DATA
    if CODE_NAME.fullmatch(param.name):
        return Role.IN
    if param.const:
        return Role.IN_BUFFER
    return Role.OUT_BUFFER if param.name.startswith("dst") else Role.IN


def pointer_to_pointer_role(param: Param, count: str) -> Role:
    if param.name in ("kernelParams", "args"):
        return Role.KERNEL_PARAMS
    if param.name == "extra":
        return Role.IN
    if re.fullmatch(r"\w*[oO]ptions?Values", param.name):
        return Role.IN_VALUES
    return Role.IN_ARRAY if param.const or count else Role.OUT


def element_counts(library: Library, function: Function) -> dict[str, str]:
    """Return the number that goes with each array: the next count after a row of pointers, or else the one before it.

    ``dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs`` has two rows with their counts after them;
    ``numOptions, options, optionValues, stateOut`` one with its count before it.
    """
    params = function.params
    arrays = [
        kind(library, param.type) == "pointer"
        and not COUNT_NAME.fullmatch(param.name)
        and not SINGLE_NAME.fullmatch(param.name)
        and not (isinstance(param.pointee, Primitive) and param.pointee.name in ("void", "char"))
        for param in params
    ]
    result: dict[str, str] = {}
    for index, param in enumerate(params):
        if not COUNT_NAME.fullmatch(param.name):
            continue
        pointer = isinstance(param.type, Pointer)
        before, after = index - 1, index + 1
        while before >= 0 and arrays[before]:
            result[params[before].name] = param.name
            before -= 1
        if before == index - 1 and not pointer:
            while after < len(params) and arrays[after]:
                result.setdefault(params[after].name, param.name)
                after += 1
    return result


def with_counts(params: list[Param]) -> list[Param]:
    """Mark the parameters that count others."""
    counts = {param.count for param in params if param.count}
    return [
        dataclasses.replace(param, role=Role.COUNT) if param.role is Role.IN and param.name in counts else param
        for param in params
    ]
