# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the echo library of an API: functions that record their raw arguments and fill their outputs with patterns.

tests/bindings/test_echo.py calls every wrapper on it and compares both directions. The macros that the functions use
are in tests/support/echo.h. The library is not shipped; the tests compile it.
"""

from __future__ import annotations

import re

from codegen import apis, versions
from codegen.c_types import Declarations, declare, strip_typedefs, struct_of
from codegen.model import Field, Function, Library, Named, Param, Pointer, Primitive, Role, Struct, pointee
from codegen.names import Names
from codegen.record_rules import field_type, is_queried, record_struct
from codegen.write_cython import c_text

ECHO_COUNT = 3  # the count that functions return which are queried for one
RESULT_INDEX = 23  # index for the pattern of a struct that is returned by value
VIEW_LENGTH = 2  # length of arrays that the library owns

# Statement for a parameter, after its raw value is recorded: p is its name, k its index, n its element or byte count.
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
    # `queries` returns from the first call. The second fills one element fewer than there is room for.
    Role.QUERIED_COUNT: "READ({k}, {p}, sizeof *{p}); if (*{p}) --*{p};",
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


def counter(param: Param) -> re.Match[str] | None:
    """Match the name of the function that returns the element or byte count of a parameter."""
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
    lines += queries(library, function)
    counts = {param.count for param in function.params if param.role is Role.OUT_VIEW}
    # Counts are overwritten last, since the other statements use them.
    for last in (False, True):
        for k, param in enumerate(function.params):
            if (param.role in (Role.INOUT_COUNT, Role.QUERIED_COUNT, Role.OUT)) == last:
                if param.role is Role.RECORD:
                    lines += record_action(library, param, k)
                else:
                    lines += action(function, param, k, few or param.name in counts)
    api = apis.APIS[library.name]
    if function.result == Primitive("void"):
        return "\n".join([*lines, "    }"])
    if function.result == Primitive("long"):
        return "\n".join([*lines, f"    return echo_status ? -echo_status : {RESULT_INDEX}; }}"])
    if function.result == Named(api.status) and api.status_field:
        return "\n".join([*lines, f"    return ({spell(Named(api.status))}){{echo_status, {RESULT_INDEX}}}; }}"])
    if isinstance(strip_typedefs(library, function.result), Struct):
        made = declare(function.result, "made", spell)
        return "\n".join([*lines, f"    {made}; FILL({RESULT_INDEX}, &made, sizeof made); return made; }}"])
    result = "echo_text" if isinstance(function.result, Pointer) else "echo_status"
    return "\n".join([*lines, f"    return {result}; }}"])


def queries(library: Library, function: Function) -> list[str]:
    """Return the statements that answer a call which queries a count."""
    api = apis.APIS[library.name]
    answer = f"return echo_status ? echo_status : {api.too_small};"
    lines = []
    for param in function.params:
        if param.role is Role.QUERIED_COUNT and not counter(param):
            arrays = [other.name for other in function.params if other.count == param.name]
            lines.append(f"    if (!{arrays[0]}) {{ *{param.name} = {ECHO_COUNT}; {answer} }}")
        if param.role is Role.RECORD and param.record.buffer and is_queried(param):
            record, buffer = record_pointer(library, param), param.record.buffer
            set_capacity = f"{record}->{buffer.capacity} = {ECHO_COUNT};"
            lines.append(f"    if (!{record}->{buffer.pointer}) {{ {set_capacity} {answer} }}")
    return lines


def record_pointer(library: Library, param: Param) -> str:
    """Return the pointer to the struct that a parameter of role RECORD passes."""
    return f"(({Declarations(library).spell_c(Named(record_struct(library, param).name))} *){param.name})"


def record_action(library: Library, param: Param, k: int) -> list[str]:
    """Return the statements for a record: read it, then fill it, or what its pointer field points to."""
    record = record_pointer(library, param)
    lines = [f"    READ({k}, {record}, sizeof *{record});"]
    if not param.record.buffer:
        if array := input_array(library, param):
            pointer, count = (f"{record}->{field}" for field in array)
            return [*lines, f"    FILL({k}, {pointer}, {count} * sizeof *{pointer});"]
        return [*lines, f"    FILL({k}, {record}, sizeof *{record});"]
    pointer, count, used = param.record.buffer
    type_ = strip_typedefs(library, field_type(library, record_struct(library, param), pointer))
    size = "1" if pointee(type_) == Primitive("void") else f"sizeof *{record}->{pointer}"
    return [
        *lines,
        f"    FILL({k}, {record}->{pointer}, {record}->{count} * {size});",
        f"    {record}->{used} = {record}->{count} - 1;",
    ]


def input_array(library: Library, param: Param) -> tuple[str, str] | None:
    """Return the pointer field of a record that the caller sets, and the field with its element count."""
    struct = record_struct(library, param)
    for path, _, type_ in param.record.inputs:
        meaning = strip_typedefs(library, type_)
        if isinstance(meaning, Pointer) and isinstance(to := strip_typedefs(library, meaning.to), Struct) and to.size:
            return path, Names(library).counts[f"{struct.name}.{path}"]
    return None


def action(function: Function, param: Param, k: int, counts: bool) -> list[str]:
    """Return the statements for one parameter, after its raw value is recorded."""
    if param.role is Role.LENGTH and isinstance(param.type, Pointer):
        return [f"    READ({k}, {param.name}, sizeof *{param.name});"]
    if param.role not in ACTIONS:
        return []
    if param.role is Role.OUT and counts:
        return [f"    if ({param.name}) *{param.name} = {VIEW_LENGTH if len(function.params) > 2 else ECHO_COUNT};"]
    if param.role is Role.OUT and param.pointee == Pointer(Primitive("char"), const=True):
        return [f"    if ({param.name}) *{param.name} = echo_text;"]
    text = ACTIONS[param.role].format(p=param.name, k=k, n=number(function, param))
    return [f"    if ({param.name}) {{ {text} }}"]


def number(function: Function, param: Param) -> str:
    """Return the C expression for a parameter's number of elements or bytes."""
    if not param.count:
        return "0"
    if counter(param):
        return str(ECHO_COUNT)
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
            *(f"CHECK(offsetof({type_}, {path}) == {offset});" for path, offset in field_offsets(library, struct)),
        ]
    )


def field_offsets(library: Library, struct: Struct, base: int = 0) -> list[tuple[str, int]]:
    """Return the names and offsets of a struct's fields, those of its anonymous members included."""
    result = []
    for field in struct.fields:
        result += field_offset(library, field, base)
    return result


def field_offset(library: Library, field: Field, base: int) -> list[tuple[str, int]]:
    if field.bit_width:
        return []  # C has no offset of a bit-field
    if field.name is None:
        return field_offsets(library, struct_of(library, field.type), base + field.offset)
    return [(field.name, base + field.offset)]


def table(library: Library) -> str:
    """Return the table that cuGetProcAddress answers from: name, version, function."""
    rows = []
    for function in library.functions.values():
        name = versions.split(function.symbol)[0]
        rows.append(f'    {{"{name}", {function.version or 0}, "{function.symbol}", (void *){function.symbol}}},')
    return "\n".join(["const struct echo_entry echo_table[] = {", *rows, "    {0},", "};"])
