# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which parameter is input, output, buffer, count or handle: rules here, their exceptions in overrides.toml."""

from __future__ import annotations

import dataclasses
import functools
import re
import tomllib

from codegen import apis, headers, versions
from codegen.model import (
    Array,
    Function,
    FunctionType,
    Library,
    Named,
    Param,
    Pointer,
    Primitive,
    Role,
    Type,
)

OVERRIDES = apis.HERE / "overrides.toml"
# Names that Python code would shadow or cannot spell; the replacements are those of NVIDIA's CUDA Python.
PYTHON_NAMES = {
    "len": "length",
    "type": "typename",
    "input": "input_",
    "from": "from_",
    "format": "pformat",
    "bytes": "numbytes",
}
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
PASSED = set(Role) - (RETURNED - {Role.INOUT, Role.INOUT_COUNT}) - {Role.VALUE_SIZE}
FLOATS = {"float", "double"}
COUNT_NAME = re.compile(r"(num|nb)[A-Z]\w*|count")
BYTES_NAME = re.compile(r"ByteCount|numbytes|size|len")
SINGLE_NAME = re.compile(r"ph?[A-Z]\w*|pctx|\w+[oO]ut")  # pX, phX, xOut, x_out: a pointer to one X
READS_OUT = re.compile(r"Get|Enumerate|Query|Encode")


class RoleError(Exception):
    """An override names nothing, changes nothing, or contradicts the header."""


def libraries() -> dict[str, Library]:
    """Return the model of every bound API, with roles, by module name."""
    return {name: assign(headers.read(api)) for name, api in apis.APIS.items()}


def assign(library: Library, exceptions: dict[str, dict] | None = None) -> Library:
    """Give every parameter of a library its role; return the library.

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
        params = by_rule(library, function)
        for index, param in enumerate(params):
            name = f"{function.name}.{param.name}"
            if change := unused.pop(name, None):
                params[index] = overridden(param, change)
                if params[index] == param:
                    problems.append(f"{name}: the rules say the same already, remove it")
        library.functions[key] = dataclasses.replace(function, params=tuple(with_counts(params)))
    problems += [f"{name}: no such parameter in {library.name}" for name in unused]
    if problems:
        raise RoleError(f"{OVERRIDES.name}:\n  " + "\n  ".join(problems))
    return library


def assign_forms(library: Library) -> Library:
    """Give roles to a library keyed by symbol, where an exception for a function holds for its superseded forms."""
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
    """Return the parameters that a Python caller passes, in order."""
    return [param for param in function.params if param.role in PASSED]


def returned(function: Function) -> list[Param]:
    """Return the parameters that a Python caller gets back after the status, in order."""
    return [param for param in function.params if param.role in RETURNED]


def python_name(api: apis.Api, name: str) -> str:
    """Return a parameter's name in Python.

    >>> python_name(apis.APIS["driver"], "type"), python_name(apis.APIS["nvjitlink"], "numOptions")
    ('typename', 'num_options')
    """
    return PYTHON_NAMES.get(name, name) if api.style is apis.Style.TUPLE else snake_case(name)


def python_function_name(api: apis.Api, name: str) -> str:
    """Return a function's name in Python.

    >>> python_function_name(apis.APIS["nvjitlink"], "nvJitLinkGetLinkedLTOIRSize")
    'get_linked_ltoir_size'
    """
    return name if api.style is apis.Style.TUPLE else snake_case(name.removeprefix(api.prefix))


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


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
    size = next((param.name for param in function.params if BYTES_NAME.fullmatch(param.name)), None)
    result = []
    for param in function.params:
        role, count, default = Role.IN, counts.get(param.name), None
        meaning = kind(library, param.type)
        if meaning == "function":
            role = Role.CALLBACK
        elif meaning == "pointer":
            role = pointer_role(library, function, param, count)
            if role in (Role.IN_BUFFER, Role.OUT_BUFFER, Role.OUT_STRING):
                count = size
            elif role not in ARRAY_ROLES:
                count = None
            default = "0" if role is Role.INOUT_COUNT else None
        else:
            count = None
        result.append(dataclasses.replace(param, role=role, count=count, default=default))
    return result


ARRAY_ROLES = {Role.IN_ARRAY, Role.INOUT_ARRAY, Role.OUT_ARRAY, Role.IN_VALUES, Role.OUT_VALUES, Role.OUT_VIEW}


def pointer_role(library: Library, function: Function, param: Param, count: str | None) -> Role:
    """Return the role of a pointer, by what it points to."""
    pointer = param.type
    target = kind(library, pointer.to)
    reads_out = READS_OUT.search(function.name) or param.name.endswith("_out")
    if target == "void":
        return void_role(param)
    if target == "char":
        if pointer.const:
            return Role.IN_STRING
        return Role.OUT_STRING if any(other.name == "len" for other in function.params) else Role.OUT_BUFFER
    if target == "pointer":
        return pointer_to_pointer_role(param, count)
    if target == "struct":
        if pointer.const or not reads_out:
            return Role.IN_ARRAY if count else Role.IN_STRUCT
        return Role.OUT_ARRAY if count else Role.OUT_STRUCT
    if pointer.const or (count and not reads_out):
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
    if param.type.const:
        return Role.IN_BUFFER
    return Role.OUT_BUFFER if param.name.startswith("dst") else Role.IN


def pointer_to_pointer_role(param: Param, count: str | None) -> Role:
    if param.name == "kernelParams":
        return Role.KERNEL_PARAMS
    if param.name == "extra":
        return Role.IN
    if re.fullmatch(r"\w*[oO]ptions?Values", param.name):
        return Role.IN_VALUES
    return Role.IN_ARRAY if param.type.const or count else Role.OUT


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
        and not (isinstance(param.type.to, Primitive) and param.type.to.name in ("void", "char"))
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


def overridden(param: Param, change: dict) -> Param:
    """Return the parameter with the changes that overrides.toml lists for it."""
    fields = {key: value or None for key, value in change.items() if key != "reason"}
    if "role" in fields:
        fields["role"] = Role(fields["role"])
        if fields["role"] is not Role.INOUT_COUNT:
            fields["default"] = None
        if fields["role"] not in ARRAY_ROLES:
            fields.setdefault("count", None)
    return dataclasses.replace(param, **fields)


@functools.cache
def table() -> dict:
    """Return the contents of overrides.toml."""
    with OVERRIDES.open("rb") as file:
        return tomllib.load(file)


def overrides_of(library: Library, suffix: str = "") -> dict[str, dict]:
    """Return the exceptions for one library by ``function.parameter``."""
    result: dict[str, dict] = {}
    for entry in table().get(library.name + suffix, []):
        change = {key: value for key, value in entry.items() if key != "parameters"}
        if not change.get("reason"):
            raise RoleError(f"{OVERRIDES.name}: {entry['parameters']}: give the reason")
        for name in entry["parameters"]:
            result[name] = result.get(name, {}) | change
    return result


def value_types() -> dict[str, dict[str, Type]]:
    """Return the C type of each value that an enum member selects: enum -> member -> type.

    ``Array(Primitive("char"), 1024)`` is a string in a buffer of that size; an array of length 0 fills the bytes that
    the caller's size gives; ``Primitive("void")`` stands for no value.
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
    return Primitive(text) if text in set(headers.PRIMITIVES.values()) else Named(text)
