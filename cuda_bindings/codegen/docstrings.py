# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Docstrings of the Python wrappers: parameters, results, status values, versions and a link to the reference.

The headers' own prose is NVIDIA's and is not copied.
"""

from __future__ import annotations

import textwrap

from codegen import apis, roles, summaries
from codegen.c_types import strip_typedefs
from codegen.model import (
    Array,
    Enum,
    Function,
    FunctionType,
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
from codegen.rules import kind

# What a caller passes; {type} is the C type that the pointer is for.
PASSED = {
    Role.IN: "{own}",
    Role.IN_STRING: "bytes, str or None",
    Role.IN_STRUCT: "{type} or None",
    Role.INOUT_STRUCT: "{type}, changed in place",
    Role.IN_ARRAY: "sequence of {type}",
    Role.INOUT_ARRAY: "sequence of {type}, changed in place",
    Role.IN_BUFFER: "buffer or address",
    Role.IN_POINTER: "{type}",
    Role.INOUT: "{type}",
    Role.OUT_BUFFER: "writable buffer or address, filled",
    Role.INOUT_COUNT: "int, the most to return",
    Role.IN_VALUE: "value of the type that {selector} selects",
    Role.IN_VALUES: "sequence of values of the types that {selector} selects",
    Role.KERNEL_PARAMS: "kernel arguments, or the address of an array of their addresses",
    Role.COUNT: "int",
    Role.CALLBACK: "address of a C function",
    Role.USER_DATA: "address or None, handed to the callback",
    Role.RECORDS: "{type}, or a list of {type}, of tuples of the leading fields or of the first field",
}
RETURNED = {
    Role.OUT: "{type}",
    Role.INOUT: "{type}",
    Role.OUT_STRUCT: "{type}",
    Role.OUT_ARRAY: "list of {type}",
    Role.OUT_VIEW: "list of {type}",
    Role.OUT_STRING: "bytes",
    Role.OUT_VALUE: "value of the type that {selector} selects",
    Role.OUT_VALUES: "list of values of the types that {selector} selects",
    Role.INOUT_COUNT: "int",
    Role.RECORD: "{type}",
    Role.RECORDS: "{type}",
}
# The direction of what is passed: "in" for all other roles. What is returned is "out" for C.
DIRECTIONS = {
    Role.INOUT_STRUCT: "in/out",
    Role.INOUT_ARRAY: "in/out",
    Role.INOUT: "in/out",
    Role.INOUT_COUNT: "in/out",
    Role.OUT_BUFFER: "out",
}
# Functions for which the header lists no status values: those that the CPU device's implementation raises.
_BATCH = ("CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_INVALID_HANDLE")
UNLISTED_ERRORS = {
    "cuMemPoolGetAccess": ("CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_INVALID_DEVICE"),
    "cuMemPrefetchBatchAsync": _BATCH,
    "cuMemDiscardBatchAsync": _BATCH,
    "cuMemDiscardAndPrefetchBatchAsync": _BATCH,
    "cuGetExportTable": ("CUDA_ERROR_NOT_SUPPORTED",),
}
# For functions that raise, whose types have Python names.
RAISING = {
    Role.IN_STRUCT: "{type}, its address or None",
    Role.OUT_STRING: "str",
    Role.USER_DATA: "buffer, address or None",
}


def render(library: Library, function: Function) -> str:
    """Return the docstring of a function's wrapper, without its signature."""
    api = apis.APIS[library.name]
    lines = [summaries.of(library.name, function.name)]
    if passed := roles.passed(function):
        lines += ["", "Parameters", "----------"]
        for param in passed:
            words = f"{describe(library, param, PASSED)}, {DIRECTIONS.get(param.role, 'in')}"
            lines.append(f"{roles.python_param(api, param)} : {words}")
    lines += ["", "Returns", "-------", *returns(library, function)]
    statuses = library.enums.get(api.status_enum)
    # The comments of some headers speak of values that are none.
    listed = function.errors or UNLISTED_ERRORS.get(function.name, ())
    if errors := [name for name in listed if statuses and name in {one.name for one in statuses.members}]:
        wrapped = textwrap.wrap(", ".join(errors), 110, initial_indent="    ", subsequent_indent="    ")
        title = "Raises" if api.style is apis.Style.RAISE else "Errors"
        raised = Names(library).error() if api.style is apis.Style.RAISE else api.status
        lines += ["", title, "-" * len(title), raised, *wrapped]
    lines += ["", "Notes", "-----", *notes(api, function)]
    return "\n".join(lines)


def returns(library: Library, function: Function) -> list[str]:
    """Return the lines that describe the result."""
    api = apis.APIS[library.name]
    found = []
    for param in roles.returned(function):
        fields = param.record.outputs
        if fields is None:
            found.append(f"{param.name} : {describe(library, param, RETURNED)}")
            continue
        for field in fields:
            filled = param.record.buffer and field == param.record.buffer.pointer
            type_ = field_type(library, record_struct(library, param), field)
            spelled = "bytes" if filled and type_ == Pointer(Primitive("void")) else of(library, type_)
            found.append(f"{field} : {spelled}")
    if function.result == Named(api.status):
        status = [f"status : {api.status}"] if api.style is apis.Style.TUPLE else []
    elif function.result == Primitive("void"):
        status = []
    else:
        text = api.style is apis.Style.RAISE and isinstance(function.result, Pointer)
        status = [f"result : {'str' if text else spell(function.result)}"]
    return status + found or ["None"]


def notes(api: apis.Api, function: Function) -> list[str]:
    lines = [f"Calls {function.name}."] if api.strip else []
    if function.version:
        lines.append(f"Needs a driver of CUDA {function.version // 1000}.{function.version % 1000 // 10} or newer.")
    if function.deprecated:
        lines.append("Deprecated.")
    return [*lines, f"C reference: {reference(api, function)}"]


def reference(api: apis.Api, function: Function) -> str:
    """Return the address of NVIDIA's reference page for a function."""
    if "{group}" in api.reference and not function.group:
        return api.reference.rpartition("/")[0] + "/index.html"
    # Doxygen names a group's page after the group, with its underscores doubled.
    return api.reference.format(name=function.name, group=function.group.replace("_", "__"))


def describe(library: Library, param: Param, words: dict[Role, str]) -> str:
    api = apis.APIS[library.name]
    target = param.type
    if isinstance(target, Pointer):
        target = pointee(target.to) if param.role is Role.OUT_VIEW else target.to
    if param.role is Role.RECORD:
        target = Named(record_struct(library, param).name)
    spelled = "bytes" if spell(target) == "const char *" else of(library, target)
    selector = roles.python_name(api, param.selector) if param.selector else ""
    if api.strip:
        words = words | {role: text for role, text in RAISING.items() if role in words}
        if param.role is Role.OUT_ARRAY and kind(library, target) == "struct":
            return f"{spelled} of as many as there are"
    return words[param.role].format(type=spelled, own=of(library, param.type), selector=selector)


def of(library: Library, type_: Type) -> str:
    """Return what a type is called in the documentation: the class where there are records, else the C type."""
    if apis.APIS[library.name].strip:
        names = Names(library)
        found = strip_typedefs(library, type_)
        if isinstance(found, Struct) and found.size:
            return names.struct(found.name)
        if isinstance(found, Enum):
            return names.enum(found.name)
        if isinstance(found, Array):
            return "str" if found.of == Primitive("char") else "bytes"
    return spell(type_)


def spell(target: Type) -> str:
    """Return a type as C spells it.

    >>> spell(Pointer(Primitive("char"), const=True))
    'const char *'
    """
    match target:
        case Primitive(name) | Named(name):
            return name
        case Pointer(FunctionType(result, params)):
            return f"{spell(result)} (*)({', '.join(spell(param) for _, param in params)})"
        case Pointer(to, const):
            inner = spell(to)
            if const:
                inner = f"{inner} const" if isinstance(to, Pointer) else f"const {inner}"
            return f"{inner}{'' if inner.endswith('*') else ' '}*"
        case Array(of, length):
            return f"{spell(of)}[{length}]"
        case FunctionType(result, params):
            return f"{spell(result)} ({', '.join(spell(param) for _, param in params)})"
    raise TypeError(f"not a type of the model: {target!r}")
