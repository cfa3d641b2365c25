# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the headers: the values of object-like macros, computed by libclang."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from clang.cindex import Cursor, CursorKind, TranslationUnit, TypeKind, conf

from codegen.model import Constant

# Kinds of CXEvalResult (clang-c/Index.h); the Python bindings of libclang leave the evaluator out.
INTEGER, FLOAT, STRING = 1, 2, 4
LIBRARY_CALLS = {
    "clang_Cursor_Evaluate": ([Cursor], ctypes.c_void_p),
    "clang_EvalResult_getKind": ([ctypes.c_void_p], ctypes.c_int),
    "clang_EvalResult_getAsLongLong": ([ctypes.c_void_p], ctypes.c_longlong),
    "clang_EvalResult_getAsDouble": ([ctypes.c_void_p], ctypes.c_double),
    "clang_EvalResult_getAsStr": ([ctypes.c_void_p], ctypes.c_char_p),
    "clang_EvalResult_dispose": ([ctypes.c_void_p], None),
}
UNSIGNED = {TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG, TypeKind.POINTER}
PROBE, ADDRESS_PROBE = "codegen_value_of_", "codegen_address_of_"


def read(
    unit: TranslationUnit, headers: tuple[str, ...], skip: set[str], parse: Callable[[str], TranslationUnit]
) -> tuple[dict[str, Constant], dict[str, str]]:
    """Return the constants that `headers` define, and the headers of the macros that are none, by name.

    Parameters
    ----------
    unit : TranslationUnit
        The parsed headers.
    headers : tuple of str
        Names of the headers whose macros count.
    skip : set of str
        Macros that rename functions.
    parse : callable
        Parses the headers followed by the given C text.
    """
    macros: dict[str, str] = {}
    skipped: dict[str, str] = {}
    for cursor in unit.cursor.get_children():
        if cursor.kind == CursorKind.MACRO_DEFINITION and cursor.location.file:
            header = cursor.location.file.name.rpartition("/")[2]
            if header in headers and cursor.spelling not in skip:
                (macros if has_value(cursor) else skipped)[cursor.spelling] = header
    names = [name for name in macros if not name.startswith("_")]
    # __auto_type keeps the type that C gives the macro; one line each, so that a macro that is no value (a keyword, an
    # undefined name) spoils only its own line and is left out.
    # The second form is for handles such as ((CUstream)0x1), which the evaluator does not fold as pointers.
    lines = [f"static const __auto_type {PROBE}{name} = {name};" for name in names]
    lines += [f"static const unsigned long {ADDRESS_PROBE}{name} = (unsigned long)({name});" for name in names]
    values: dict[str, int | float | str] = {}
    for cursor in parse("\n".join(lines)).cursor.get_children():
        for prefix in (PROBE, ADDRESS_PROBE):
            name = cursor.spelling.removeprefix(prefix)
            if cursor.kind == CursorKind.VAR_DECL and cursor.spelling.startswith(prefix) and name not in values:
                value = evaluate(cursor)
                if value is not None:
                    values[name] = value
    found = {name: Constant(name, values[name], macros[name]) for name in names if name in values}
    return found, skipped | {name: header for name, header in macros.items() if name not in found}


def has_value(macro: Cursor) -> bool:
    """Return whether a macro takes no arguments and is not empty (an include guard, a calling convention)."""
    tokens = list(macro.get_tokens())
    if len(tokens) < 2:
        return False
    name, following = tokens[0], tokens[1]
    return not (following.spelling == "(" and following.extent.start.offset == name.extent.end.offset)


def evaluate(cursor: Cursor) -> int | float | str | None:
    """Return the value of a variable's initialiser, None if it has none that C can compute."""
    library = conf.lib
    for name, (arguments, result) in LIBRARY_CALLS.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
    outcome = library.clang_Cursor_Evaluate(cursor)
    if not outcome:
        return None
    try:
        kind = library.clang_EvalResult_getKind(outcome)
        if kind == INTEGER:
            value = library.clang_EvalResult_getAsLongLong(outcome)
            size = cursor.type.get_size()
            unsigned = cursor.type.get_canonical().kind in UNSIGNED
            return value & ((1 << 8 * size) - 1) if unsigned else value
        if kind == FLOAT:
            return library.clang_EvalResult_getAsDouble(outcome)
        if kind == STRING:
            return library.clang_EvalResult_getAsStr(outcome).decode()
        return None
    finally:
        library.clang_EvalResult_dispose(outcome)
