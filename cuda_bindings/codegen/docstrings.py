# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Docstrings of the Python wrappers, made of facts: roles, types, status values, versions and a link.

The headers' own prose is NVIDIA's and is not copied.
"""

from __future__ import annotations

import textwrap

from codegen import apis, roles
from codegen.model import Array, Function, FunctionType, Library, Named, Param, Pointer, Primitive, Role, Type

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
}


def render(library: Library, function: Function) -> str:
    """Return the docstring of a function's wrapper, without its signature."""
    api = apis.APIS[library.name]
    lines = [f"Call {function.name}."]
    if passed := roles.passed(function):
        lines += ["", "Parameters", "----------"]
        lines += [f"{roles.python_name(api, param.name)} : {describe(api, param, PASSED)}" for param in passed]
    lines += ["", "Returns", "-------", *returns(api, function)]
    if function.errors:
        wrapped = textwrap.wrap(", ".join(function.errors), 110, initial_indent="    ", subsequent_indent="    ")
        title = "Raises" if api.style is apis.Style.RAISE else "Errors"
        lines += ["", title, "-" * len(title), api.status, *wrapped]
    lines += ["", "Notes", "-----", *notes(api, function)]
    return "\n".join(lines)


def returns(api: apis.Api, function: Function) -> list[str]:
    """Return the lines that describe the result."""
    found = [f"{param.name} : {describe(api, param, RETURNED)}" for param in roles.returned(function)]
    if function.result == Named(api.status):
        status = [f"status : {api.status}"] if api.style is apis.Style.TUPLE else []
    else:
        status = [f"result : {spell(function.result)}"]
    return status + found or ["None"]


def notes(api: apis.Api, function: Function) -> list[str]:
    lines = []
    if function.version:
        lines.append(f"Needs a driver of CUDA {function.version // 1000}.{function.version % 1000 // 10} or newer.")
    if function.deprecated:
        lines.append("Deprecated.")
    return [*lines, f"C reference: {reference(api, function)}"]


def reference(api: apis.Api, function: Function) -> str:
    """Return the address of NVIDIA's reference page for a function."""
    # Doxygen names a group's page after the group, with its underscores doubled.
    return api.reference.format(name=function.name, group=function.group.replace("_", "__"))


def describe(api: apis.Api, param: Param, words: dict[Role, str]) -> str:
    target = param.type
    if isinstance(target, Pointer):
        target = target.to.to if param.role is Role.OUT_VIEW else target.to
    spelled = "bytes" if spell(target) == "const char *" else spell(target)
    selector = roles.python_name(api, param.selector) if param.selector else ""
    return words[param.role].format(type=spelled, own=spell(param.type), selector=selector)


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
