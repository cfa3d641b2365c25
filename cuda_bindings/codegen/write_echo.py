# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Model -> C source of a library that records the raw arguments of every function and fills its outputs with patterns.

It proves the bindings: whatever Python passes must arrive, and whatever C writes must come back. The macros that the
functions consist of are in tests/support/echo.h. Nothing of it is shipped; the tests render and compile it.
"""

from __future__ import annotations

import re

from codegen import apis, versions
from codegen.c_types import Declarations, declare, target
from codegen.model import Field, Function, Library, Named, Param, Pointer, Primitive, Role, Struct
from codegen.names import Names
from codegen.record_rules import asks, field_type, made_struct
from codegen.write_cython import c_text

FEW = 3  # what functions return that other functions take their counts from
RESULT = 23  # in the place of a parameter's index, for a struct that is returned by value
VIEWED = 2  # elements of arrays that the library owns

# What is done for a parameter after its raw value is recorded: p its name, n its number of elements or bytes.
ACTIONS = {
    Role.IN_STRING: "READ({k}, {p}, {p} ? strlen({p}) + 1 : 0);",
    Role.IN_STRUCT: "READ({k}, {p}, sizeof *{p});",
    Role.INOUT_STRUCT: "READ({k}, {p}, sizeof *{p}); FILL({k}, {p}, sizeof *{p});",
    Role.IN_ARRAY: "READ({k}, {p}, ({n}) * sizeof *{p});",
    Role.INOUT_ARRAY: "READ({k}, {p}, ({n}) * sizeof *{p}); FILL({k}, {p}, ({n}) * sizeof *{p});",
    Role.IN_BUFFER: "READ({k}, {p}, {n});",
    Role.IN_POINTER: "READ({k}, {p}, sizeof *{p});",
    Role.INOUT: "READ({k}, {p}, sizeof *{p}); FILL({k}, {p}, sizeof *{p});",
    Role.OUT: "FILL({k}, {p}, sizeof *{p});",
    Role.OUT_STRUCT: "FILL({k}, {p}, sizeof *{p});",
    Role.OUT_ARRAY: "FILL({k}, {p}, ({n}) * sizeof *{p});",
    Role.OUT_STRING: "FILL({k}, {p}, {n});",
    Role.OUT_BUFFER: "FILL({k}, {p}, {n});",
    Role.OUT_VIEW: "VIEW({k}, {p});",
    Role.INOUT_COUNT: "READ({k}, {p}, sizeof *{p}); if (*{p}) --*{p};",
    Role.IN_VALUE: "READ({k}, {p}, 8);",
    Role.OUT_VALUE: "FILL({k}, {p}, 8);",
    Role.IN_VALUES: "READ({k}, {p}, ({n}) * sizeof *{p});",
    Role.OUT_VALUES: "FILL_EACH({k}, {p}, {n});",
    Role.VALUE_SIZE: "READ({k}, {p}, sizeof *{p});",
    Role.RECORDS: "READ({k}, {p}, ({n}) * sizeof *{p}); FILL({k}, {p}, ({n}) * sizeof *{p});",
    # The first call has no memory to fill; it does not come here. One fewer than there is room for is filled.
    Role.ASKED_COUNT: "READ({k}, {p}, sizeof *{p}); if (*{p}) --*{p};",
    Role.KERNEL_PARAMS: "READ_EACH({k}, {p}, 2);",
}


def render(library: Library) -> str:
    """Return the C source of the echo of one API."""
    few = {match[1] for f in library.functions.values() for p in f.params if (match := counter(p))}
    parts = [
        "/* Written from the CUDA headers by codegen/write_echo.py. */",
        '#include "echo.h"',
        c_text(library),
        *(layout(library, struct) for struct in library.structs.values() if struct.size),
        *(function_text(library, function, function.name in few) for function in library.functions.values()),
        table(library),
    ]
    return "\n".join(parts) + "\n"


def counter(param: Param) -> re.Match | None:
    """Match the name of the function that tells how many elements or bytes a parameter has."""
    return re.match(r"(\w+)\(.*\)$", param.count or "")


def function_text(library: Library, function: Function, few: bool) -> str:
    """Return the definition of one exported function."""
    spell = Declarations(library).spell_c
    params = ", ".join(declare(param.type, param.name, spell) for param in function.params) or "void"
    head = declare(function.result, f"{function.symbol}({params})", spell)
    lines = [f'EXPORT {head} {{ BEGIN("{function.symbol}");']
    if function.name == "cuGetProcAddress":
        lines.append("    if (echo_look_up(symbol, pfn, cudaVersion, symbolStatus)) return 0;")
    lines += [f"    ARG({param.name});" for param in function.params]
    lines += questions(library, function)
    counts = {param.count for param in function.params if param.role is Role.OUT_VIEW}
    # Counts change while they are still needed, so they come last.
    for last in (False, True):
        for k, param in enumerate(function.params):
            if (param.role in (Role.INOUT_COUNT, Role.ASKED_COUNT, Role.OUT)) == last:
                if param.role is Role.RECORD:
                    lines += record_action(library, param, k)
                else:
                    lines += action(function, param, k, few or param.name in counts)
    api = apis.APIS[library.name]
    if function.result == Primitive("void"):
        return "\n".join([*lines, "    }"])
    if function.result == Primitive("long"):
        return "\n".join([*lines, f"    return echo_status ? -echo_status : {RESULT}; }}"])
    if function.result == Named(api.status) and api.status_field:
        return "\n".join([*lines, f"    return ({spell(Named(api.status))}){{echo_status, {RESULT}}}; }}"])
    if isinstance(target(library, function.result), Struct):
        made = declare(function.result, "made", spell)
        return "\n".join([*lines, f"    {made}; FILL({RESULT}, &made, sizeof made); return made; }}"])
    result = "echo_text" if isinstance(function.result, Pointer) else "echo_status"
    return "\n".join([*lines, f"    return {result}; }}"])


def questions(library: Library, function: Function) -> list[str]:
    """Return the statements that answer a call which asks how much there is."""
    api = apis.APIS[library.name]
    answer = f"return echo_status ? echo_status : {api.too_small};"
    lines = []
    for param in function.params:
        if param.role is Role.ASKED_COUNT and not counter(param):
            arrays = [other.name for other in function.params if other.count == param.name]
            lines.append(f"    if (!{arrays[0]}) {{ *{param.name} = {FEW}; {answer} }}")
        if param.role is Role.RECORD and asks(param):
            pointer, count, _ = param.record.fill
            place = record_place(library, param)
            lines.append(f"    if (!{place}->{pointer}) {{ {place}->{count} = {FEW}; {answer} }}")
    return lines


def record_place(library: Library, param: Param) -> str:
    """Return the pointer to the struct that a parameter of role RECORD passes."""
    return f"(({Declarations(library).spell_c(Named(made_struct(library, param).name))} *){param.name})"


def record_action(library: Library, param: Param, k: int) -> list[str]:
    """Return the statements for a record: it is read, then all of it is filled, or what its pointer points to."""
    place = record_place(library, param)
    lines = [f"    READ({k}, {place}, sizeof *{place});"]
    if not param.record.fill:
        kept = pointer_given(library, param)
        if kept:  # the elements that a given field points to
            return [*lines, f"    FILL({k}, {place}->{kept[0]}, {place}->{kept[1]} * sizeof *{place}->{kept[0]});"]
        return [*lines, f"    FILL({k}, {place}, sizeof *{place});"]
    pointer, count, used = param.record.fill
    type_ = target(library, field_type(library, made_struct(library, param), pointer))
    size = "1" if type_.to == Primitive("void") else f"sizeof *{place}->{pointer}"
    return [
        *lines,
        f"    FILL({k}, {place}->{pointer}, {place}->{count} * {size});",
        f"    {place}->{used} = {place}->{count} - 1;",
    ]


def pointer_given(library: Library, param: Param) -> tuple[str, str] | None:
    """Return the pointer field of a record that the caller gives, and the field with its number of elements."""
    struct = made_struct(library, param)
    for path, _, type_ in param.record.given:
        meaning = target(library, type_)
        if isinstance(meaning, Pointer) and isinstance(to := target(library, meaning.to), Struct) and to.size:
            return path, Names(library).counts[f"{struct.name}.{path}"]
    return None


def action(function: Function, param: Param, k: int, counts: bool) -> list[str]:
    """Return the statements for one parameter beside the record of its raw value."""
    if param.role is Role.LENGTH and isinstance(param.type, Pointer):
        return [f"    READ({k}, {param.name}, sizeof *{param.name});"]
    if param.role not in ACTIONS:
        return []
    if param.role is Role.OUT and counts:
        return [f"    if ({param.name}) *{param.name} = {VIEWED if len(function.params) > 2 else FEW};"]
    if param.role is Role.OUT and param.type.to == Pointer(Primitive("char"), const=True):
        return [f"    if ({param.name}) *{param.name} = echo_text;"]
    text = ACTIONS[param.role].format(p=param.name, k=k, n=number(function, param))
    return [f"    if ({param.name}) {{ {text} }}"]


def number(function: Function, param: Param) -> str:
    """Return the C expression for a parameter's number of elements or bytes."""
    if not param.count:
        return "0"
    if counter(param):
        return str(FEW)
    if re.fullmatch(r"[A-Z0-9_]+", param.count):
        return param.count  # a macro of the header
    by_name = {p.name: p for p in function.params}
    if param.count in by_name:
        return f"*{param.count}" if isinstance(by_name[param.count].type, Pointer) else param.count
    return "1" if "//" in param.count else param.count


def layout(library: Library, struct: Struct) -> str:
    """Return assertions that C lays a struct out as the model says."""
    name = Declarations(library).tag(struct.name)
    type_ = f"{'union' if struct.union else 'struct'} {name}"
    return "\n".join(
        [
            f"CHECK(sizeof({type_}) == {struct.size} && _Alignof({type_}) == {struct.align});",
            *(f"CHECK(offsetof({type_}, {path}) == {offset});" for path, offset in places(library, struct)),
        ]
    )


def places(library: Library, struct: Struct, base: int = 0) -> list[tuple[str, int]]:
    """Return the fields of a struct, with those of its members without a name, and their offsets."""
    result = []
    for field in struct.fields:
        result += place(library, field, base)
    return result


def place(library: Library, field: Field, base: int) -> list[tuple[str, int]]:
    if field.bit_width:
        return []  # C has no offset of a bit-field
    if field.name is None:
        return places(library, library.structs[field.type.name], base + field.offset)
    return [(field.name, base + field.offset)]


def table(library: Library) -> str:
    """Return the table that cuGetProcAddress answers from: name, version, function."""
    rows = []
    for function in library.functions.values():
        name = versions.split(function.symbol)[0]
        rows.append(f'    {{"{name}", {function.version or 0}, "{function.symbol}", (void *){function.symbol}}},')
    return "\n".join(["const struct echo_entry echo_table[] = {", *rows, "    {0},", "};"])
