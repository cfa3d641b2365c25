# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Rules for the roles of parameters in the APIs whose structs are records: nvml, cufile and cudla.

A first call of their functions returns the size of the result; fields of their structs are inputs and outputs.
"""

from __future__ import annotations

import dataclasses
import re

from codegen.c_types import struct_of
from codegen.model import Function, Library, Named, Param, Pointer, Primitive, Role, Struct, Type
from codegen.rules import kind

READS = re.compile(r"Get|Query|Wait|Read(?!y)")
COUNT_NAME = re.compile(r"(.*[cC])?ount")
LENGTH_NAME = re.compile(r"length|size|bufferSize")
# An array by its name: infos, deviceArray, sessionInfo; not averageFps.
ARRAY_NAME = re.compile(r"(?!.*Fps)(.*s|.*Array|.*Entries|sessionInfo|utilization)")
SET_NAME = re.compile(r"\w+SetSize")


def by_record_rule(library: Library, function: Function) -> list[Param]:
    """Return the parameters with the roles that their types and names suggest."""
    params = list(function.params)
    result = [plain(library, function, param) for param in params]
    for index, param in enumerate(params):
        before, after = result[index - 1] if index else None, params[index + 1 :]
        if kind(library, param.type) == "pointer" and not param.const:
            pointee = kind(library, param.pointee)
            if pointee == "char" and after and LENGTH_NAME.fullmatch(after[0].name):
                queried = isinstance(after[0].type, Pointer)
                result[index] = dataclasses.replace(param, role=Role.OUT_STRING, count=after[0].name)
                result[index + 1] = dataclasses.replace(after[0], role=Role.QUERIED_COUNT if queried else Role.LENGTH)
                params[index + 1] = dataclasses.replace(after[0], name="")  # done
            elif pointee == "integer" and COUNT_NAME.fullmatch(param.name):
                found = counted(library, function, index)
                for array in found:
                    result[array] = dataclasses.replace(params[array], role=Role.OUT_ARRAY, count=param.name)
                if found:
                    result[index] = dataclasses.replace(param, role=Role.QUERIED_COUNT)
            elif before and SET_NAME.fullmatch(before.name):
                result[index] = dataclasses.replace(param, role=Role.OUT_ARRAY, count=before.name)
                result[index - 1] = dataclasses.replace(before, role=Role.COUNT)
    return result


def counted(library: Library, function: Function, index: int) -> list[int]:
    """Return the indices of the arrays that a count belongs to: those that follow it, or else the one before it."""
    params = function.params

    def is_array(position: int) -> bool:
        param = params[position]
        return (
            kind(library, param.type) == "pointer"
            and not param.const
            and param.pointee != Primitive("char")
            and bool(ARRAY_NAME.fullmatch(param.name))
        )

    found = []
    for position in range(index + 1, len(params)):
        if not is_array(position):
            break
        found.append(position)
    return found or ([index - 1] if index and is_array(index - 1) else [])


def plain(library: Library, function: Function, param: Param) -> Param:
    """Return the parameter with the role that follows from its own type and name."""
    role = Role.IN
    if kind(library, param.type) == "pointer":
        pointee = kind(library, param.pointee)
        reads = READS.search(function.name)
        if pointee == "char" and param.const:
            role = Role.IN_STRING
        elif pointee == "void":
            role = Role.USER_DATA
        elif pointee == "struct":
            role = Role.OUT_STRUCT if reads and not param.const else Role.IN_STRUCT
        elif pointee == "char":
            role = Role.OUT_STRING
        else:
            role = Role.OUT
    return dataclasses.replace(param, role=role)


def field_type(library: Library, struct: Struct, path: str) -> Type:
    """Return the type of a field by its C path, such as ``value.str``."""
    first, _, rest = path.partition(".")
    found = next((field.type for field in struct.fields if field.name == first), None)
    if found is None:
        inner = [struct_of(library, field.type) for field in struct.fields if field.name is None]
        for part in inner:
            try:
                return field_type(library, part, path)
            except KeyError:
                continue
        raise KeyError(f"{struct.name} has no field {first}")
    return field_type(library, struct_of(library, found), rest) if rest else found


def record_struct(library: Library, param: Param) -> Struct:
    """Return the struct that a parameter of role RECORD passes."""
    return struct_of(library, Named(param.record.struct) if param.record.struct else param.pointee)


def is_queried(param: Param) -> bool:
    """Return whether a first call returns the size of a record's buffer; else the caller passes it."""
    buffer = param.record.buffer
    return buffer is not None and all(path != buffer.capacity for path, _, _ in param.record.inputs)
