# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the Python level: driver.pyx and the like, one wrapper for each function.

A wrapper converts its arguments, calls the C level and packs the results, by hand-written helpers of cuda.bindings.
"""

from __future__ import annotations

from codegen import apis, tables
from codegen.model import Library
from codegen.names import Names
from codegen.wrapper import COMPILERS, Wrapper
from codegen.write_cython import FOLDER, HEADER

IMPORTS = """\
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from cuda.bindings cimport cy{name}
from cuda.bindings._args cimport (
    as_address, as_double, as_signed, as_single, as_unsigned, callback_address, chars, memory, need, pointer, string,
)
from cuda.bindings._array cimport Array, array_data, array_in, count_of
from cuda.bindings._outputs cimport (
    Statuses, copy_back, status, status_alone, store_handle, text, text_as_str, text_storage, until_nul, viewed,
)
from cuda.bindings._parameters cimport kernel_parameters, parameters_pointer
from cuda.bindings._struct cimport (
    CType, EnumKind, HandleKind, Struct, StructKind, as_handle, as_struct, new_enum, new_handle, new_struct,
)
from cuda.bindings._values cimport Selector, pointers_to

from cuda.bindings._tables import Tables, size_of
"""
RECORD_IMPORTS = """\
from cuda.bindings._outputs cimport array_text, raise_negative
from cuda.bindings._record cimport Record, new_record, new_records, records_in
"""
FOOTER = '''

def sizeof(objType):
    """sizeof(objType)\\n--\\n\\nReturn the bytes that C needs for a value of a class of this module."""
    return size_of(objType)


def __getattr__(name):
    if name == "__all__":
        function = type(__dir__)
        return [*(key for key, value in globals().items() if type(value) is function), *TABLES.names()]
    value = globals()[name] = TABLES.attribute(name)
    return value


def __dir__():
    return sorted({*globals(), *TABLES.names()})
'''


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the Python-level modules by path."""
    return {f"{FOLDER}/{name}.pyx": module(library) for name, library in libraries.items()}


def module(library: Library) -> str:
    """Return the text of one module."""
    names = Names(library)
    wrappers = [Wrapper(library, function, names) for function in library.functions.values()]
    body = "".join(wrapper.text() for wrapper in wrappers)
    extras = apis.HERE / f"extras_{library.name}.pyx"
    body += "\n" + extras.read_text().partition("\n\n")[2] if extras.exists() else ""
    body += FOOTER
    api = apis.APIS[library.name]
    globals_: dict[str, str] = {}
    for wrapper in wrappers:
        globals_.update(wrapper.globals)
    table = tables.render(library)
    lines = [
        "# cython: binding=False",
        HEADER.rstrip(),
        f'"""Python level of {", ".join(api.headers)}."""',
        "",
        IMPORTS.format(name=library.name),
        *([RECORD_IMPORTS] if api.strip else []),
    ]
    if any(function.name in COMPILERS for function in library.functions.values()):
        lines.append("from cuda.bindings._line_info import with_line_info\n")
    lines += [
        f'TABLES = Tables(__name__, """\\\n{table}""")',
        f'cdef Statuses STATUSES = Statuses(TABLES.kind("{names.enum(api.status_enum)}"))',
        *(f"cdef {declaration}" for declaration in globals_.values()),
        "",
    ]
    # Line 1 names the command that writes the file, so the directive comes second.
    lines[0], lines[1] = lines[1].partition("\n")[0] + "\n" + lines[0], lines[1].partition("\n")[2]
    return "\n".join(lines) + "\n" + body
