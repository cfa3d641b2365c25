# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write cuda.cpu.abi: cuda.h's structs as ctypes classes, created lazily, and its constants."""

from __future__ import annotations

from codegen import abi_types, facts
from codegen.model import Array, Library, Pointer, Primitive, Struct, Type

PATH = "cuda_cpu/cuda/cpu/abi.py"
CTYPES = {
    "_Bool": "c_bool",
    "char": "c_char",
    "signed char": "c_int8",
    "unsigned char": "c_uint8",
    "short": "c_int16",
    "unsigned short": "c_uint16",
    "int": "c_int32",
    "unsigned int": "c_uint32",
    "long": "c_int64",
    "unsigned long": "c_uint64",
    "long long": "c_int64",
    "unsigned long long": "c_uint64",
    "float": "c_float",
    "double": "c_double",
}
Code = str | tuple["Code", int]  # name of a ctypes class or struct, or (element, length)
Row = tuple[int, tuple[tuple[str | Code | int, ...], ...]]  # union?, ((field, type, bits of a bit-field), ...)
ADDRESS = "c_uint64"  # handles and pointers: plain ints, never None
HEAD = '''# Written by `python -m codegen write` from the CUDA headers; do not edit.
"""The ABI of libcuda: structs as ctypes classes, made on first use, enum members and constants as ints."""

import ctypes

'''
TAIL = '''

def __getattr__(name):
    """Make the class of a struct or union at its first use."""
    target = ALIASES.get(name, name)
    if target not in STRUCTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if target != name:
        made = globals().get(target) or __getattr__(target)
    else:
        union, fields = STRUCTS[name]
        made = type(ctypes.Structure)(name, (ctypes.Structure,), {}) if not union else type(ctypes.Union)(
            name, (ctypes.Union,), {}
        )
        made._anonymous_ = [field[0] for field in fields if field[0].startswith("_anonymous")]
        made._fields_ = [(field[0], _ctype(field[1]), *field[2:]) for field in fields]
    globals()[name] = made
    return made


def _ctype(code):
    if isinstance(code, tuple):
        return _ctype(code[0]) * code[1]
    return getattr(ctypes, code, None) or globals().get(code) or __getattr__(code)
'''


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the module's source by its path."""
    driver = libraries["driver"]
    every = facts.read(facts.EVERY_VERSION)
    structs = every.structs | driver.structs
    typedefs = every.typedefs | driver.typedefs
    return {PATH: render(Library("driver", {}, structs, driver.enums, typedefs, driver.constants))}


def render(library: Library) -> str:
    """Return the module's text."""
    structs = {name: struct for name, struct in library.structs.items() if struct.fields}
    aliases = {}
    for name in library.typedefs:
        target = abi_types.resolve(library, library.typedefs[name].type)
        if isinstance(target, Struct) and target.name in structs and name != target.name:
            aliases[name] = target.name
    members = [member for enum in library.enums.values() for member in enum.members]
    numbers: dict[str, int | float | str] = {member.name: member.value for member in members}
    numbers |= {name: constant.value for name, constant in library.constants.items()}
    lines = [f"{name} = {value!r}" for name, value in numbers.items()]
    lines += ["", "# name: (is a union, ((field, type, bits if a bit-field), ...)); a tuple is an array"]
    lines += ["STRUCTS = {", *(f"    {name!r}: {row(library, struct)!r}," for name, struct in structs.items()), "}"]
    lines += ["ALIASES = {", *(f"    {name!r}: {target!r}," for name, target in aliases.items()), "}"]
    return HEAD + "\n".join(lines) + "\n" + TAIL


def row(library: Library, struct: Struct) -> Row:
    fields = []
    for index, field in enumerate(struct.fields):
        entry = (field.name or f"_anonymous{index}", code(library, field.type))
        fields.append((*entry, field.bit_width) if field.bit_width is not None else entry)
    return (int(struct.union), tuple(fields))


def code(library: Library, target: Type) -> Code:
    """Return a field's type: the name of a ctypes class or struct, or (element, length)."""
    match abi_types.resolve(library, target):
        case Primitive(name):
            return CTYPES[name]
        case Struct(name=name):
            return name
        case Array(of, length):
            return (code(library, of), length)
        case Pointer():
            return ADDRESS
    raise TypeError(f"no ctypes class for {target!r}")
