# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Assign a role to each parameter: by the rules of rules.py, or by the exceptions of overrides.toml."""

from __future__ import annotations

import dataclasses
import functools
import keyword
import re
import tomllib
from typing import Any

from codegen import apis, facts, versions
from codegen.c_types import PRIMITIVE_SIZES
from codegen.model import Array, Function, Library, Named, Param, Pointer, Primitive, Record, RecordBuffer, Role, Type
from codegen.record_rules import by_record_rule, field_type, record_struct
from codegen.rules import ARRAY_ROLES, by_rule, with_counts
from codegen.rules import kind as kind

OVERRIDES = apis.HERE / "overrides.toml"
UNIONS = apis.HERE / "unions.toml"
# Names that Python code would shadow or cannot spell; the replacements are those of NVIDIA's CUDA Python.
PYTHON_NAMES = {
    "len": "length",
    "type": "typename",
    "input": "input_",
    "from": "from_",
    "format": "pformat",
    "bytes": "numbytes",
}
SNAKE_NAMES = {"handle_indirect": "handle"}  # in the modules that use snake_case, likewise
RETURNED = {
    Role.OUT,
    Role.OUT_STRUCT,
    Role.OUT_ARRAY,
    Role.OUT_VIEW,
    Role.OUT_STRING,
    Role.OUT_VALUE,
    Role.OUT_VALUES,
    Role.INOUT,
    Role.INOUT_COUNT,
}
RECORD_KEYS = ("inputs", "outputs", "buffer", "struct")
INTERNAL = {Role.VALUE_SIZE, Role.QUERIED_COUNT, Role.LENGTH}  # set by the binding
PASSED = set(Role) - (RETURNED - {Role.INOUT, Role.INOUT_COUNT}) - INTERNAL - {Role.RECORD}
NO_ROW = apis.Api("", (), "", "")  # for the headers that tests write


Change = dict[str, Any]  # entry of overrides.toml: key -> string, boolean, list or table, as TOML has them


class RoleError(Exception):
    """An override names nothing, changes nothing, or contradicts the header."""


def libraries() -> dict[str, Library]:
    """Return the model of every bound API, with roles, by module name."""
    return {name: assign(facts.read(name)) for name in apis.APIS}


def assign(library: Library, exceptions: dict[str, Change] | None = None) -> Library:
    """Assign a role to every parameter of a library; return the library.

    Parameters
    ----------
    library : Library
        Changed in place.
    exceptions : dict, optional
        Changes by ``function.parameter``, by default those of overrides.toml.
    """
    if exceptions is None:
        exceptions = overrides_of(library)
    problems = []
    unused = dict(exceptions)
    for key, function in library.functions.items():
        params = (by_record_rule if apis.APIS.get(library.name, NO_ROW).strip else by_rule)(library, function)
        for index, param in enumerate(params):
            name = f"{function.name}.{param.name}"
            if change := unused.pop(name, None):
                params[index] = overridden(param, change)
                if params[index] == param:
                    problems.append(f"{name}: the rules say the same already, remove it")
        params = [with_field_types(library, param) for param in with_counts(params)]
        library.functions[key] = dataclasses.replace(function, params=tuple(params))
    problems += [f"{name}: no such parameter in {library.name}" for name in unused]
    if problems:
        raise RoleError(f"{OVERRIDES.name}:\n  " + "\n  ".join(problems))
    return library


def with_field_types(library: Library, param: Param) -> Param:
    """Add the types of the input fields to a record."""
    if param.role is not Role.RECORD:
        return param
    struct = record_struct(library, param)
    inputs = tuple((field, name, field_type(library, struct, field)) for field, name, _ in param.record.inputs)
    return dataclasses.replace(param, record=dataclasses.replace(param.record, inputs=inputs))


def assign_forms(library: Library) -> Library:
    """Assign roles in a library keyed by symbol; overrides for a function apply to its older versions, too."""
    exceptions = overrides_of(library)
    own = overrides_of(library, "_forms")
    for key, function in library.functions.items():
        base, _, stream = versions.split(key)
        params = by_rule(library, function)
        for index, param in enumerate(params):
            change = next(
                (
                    table[name]
                    for table, function_name in ((own, key), (exceptions, key.removesuffix(stream)), (exceptions, base))
                    if (name := f"{function_name}.{param.name}") in table
                ),
                {},
            )
            params[index] = overridden(param, change)
        library.functions[key] = dataclasses.replace(function, params=tuple(with_counts(params)))
    return library


def passed(function: Function) -> list[Param]:
    """Return the parameters that a Python caller passes, in order.

    A record has its input fields instead.
    """
    found = []
    for param in function.params:
        if param.role is Role.RECORD:
            found += [Param(name, type_, python=name) for _, name, type_ in param.record.inputs]
        elif param.role in PASSED:
            found.append(param)
    return found


def returned(function: Function) -> list[Param]:
    """Return the parameters that are results in Python, after the status, in order."""
    return [
        param
        for param in function.params
        if param.role in RETURNED or (param.role in (Role.RECORD, Role.RECORDS) and param.record.outputs != ())
    ]


def python_param(api: apis.Api, param: Param) -> str:
    """Return a parameter's name in Python, which an override may set."""
    return param.python or python_name(api, param.name)


def python_name(api: apis.Api, name: str) -> str:
    """Return a parameter's name in Python.

    >>> python_name(apis.APIS["driver"], "type"), python_name(apis.APIS["nvjitlink"], "numOptions")
    ('typename', 'num_options')
    """
    if api.style is apis.Style.TUPLE:
        name = PYTHON_NAMES.get(name, name)
    else:
        name = SNAKE_NAMES.get(snake_case(name), snake_case(name))
    return f"{name}_" if keyword.iskeyword(name) else name


def python_function_name(api: apis.Api, name: str) -> str:
    """Return a function's name in Python.

    >>> python_function_name(apis.APIS["nvjitlink"], "nvJitLinkGetLinkedLTOIRSize")
    'get_linked_ltoir_size'
    """
    if api.style is apis.Style.TUPLE:
        return name
    renamed = table().get("names", {}).get(api.name, {})
    return renamed.get(name) or snake_case(name.removeprefix(api.prefix))


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def overridden(param: Param, change: Change) -> Param:
    """Return the parameter with the changes that overrides.toml lists for it."""
    fields: dict[str, Any] = {key: value for key, value in change.items() if key not in (*RECORD_KEYS, "reason")}
    if any(key in change for key in RECORD_KEYS):
        fields["record"] = Record(
            inputs=tuple((field, name, Primitive("void")) for field, name in change.get("inputs", {}).items()),
            outputs=tuple(change["outputs"]) if "outputs" in change else None,
            buffer=RecordBuffer(*change["buffer"]) if "buffer" in change else None,
            struct=change.get("struct", ""),
        )
    if "type" in fields:
        fields["type"] = parse_type(fields["type"])
    if "default" in fields:
        fields["default"] = fields["default"] or None
    if "role" in fields:
        fields["role"] = Role(fields["role"])
        if fields["role"] is not Role.INOUT_COUNT:
            fields["default"] = None
        if fields["role"] not in {*ARRAY_ROLES, Role.LENGTH}:
            fields.setdefault("count", "")
    return dataclasses.replace(param, **fields)


@functools.cache
def table() -> dict[str, Any]:
    """Return the contents of overrides.toml."""
    with OVERRIDES.open("rb") as file:
        return tomllib.load(file)


@functools.cache
def unions() -> dict[str, Any]:
    """Return the contents of unions.toml."""
    with UNIONS.open("rb") as file:
        return tomllib.load(file)


def overrides_of(library: Library, suffix: str = "") -> dict[str, Change]:
    """Return the exceptions for one library by ``function.parameter``."""
    result: dict[str, Change] = {}
    for entry in table().get(library.name + suffix, []):
        change = {key: value for key, value in entry.items() if key != "parameters"}
        if not change.get("reason"):
            raise RoleError(f"{OVERRIDES.name}: {entry['parameters']}: the reason is missing")
        for name in entry["parameters"]:
            result[name] = result.get(name, {}) | change
    return result


def value_types() -> dict[str, dict[str, Type]]:
    """Return the C type of each value that an enum member selects: enum -> member -> type.

    ``Array(Primitive("char"), 1024)`` is a string in a buffer of that size; an array of length 0 fills the bytes that
    the caller's size gives; ``Primitive("void")`` means no value.
    """
    return {
        enum: {member: parse_type(text) for member, text in members.items()}
        for enum, members in table()["values"].items()
    }


def parse_type(text: str) -> Type:
    """Return the type that a short C spelling means.

    >>> parse_type("char[1024]")
    Array(of=Primitive(name='char'), length=1024)
    """
    if text.endswith("]"):
        of, _, length = text[:-1].partition("[")
        return Array(parse_type(of), int(length or 0))
    if text.endswith("*"):
        target = text[:-1].strip()
        const = target.startswith("const ") and not target.endswith("*")
        return Pointer(parse_type(target.removeprefix("const ") if const else target), const)
    return Primitive(text) if text in {*PRIMITIVE_SIZES, "void", "float", "double"} else Named(text)
