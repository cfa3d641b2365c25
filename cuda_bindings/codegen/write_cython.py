# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the C level: cydriver.pxd, cydriver.pyx and the like, which other Cython code can cimport.

The .pxd contains all declarations, so that compiling needs no CUDA header. A function looks up its symbol at its first
call.
"""

from __future__ import annotations

import keyword

from codegen import apis, versions
from codegen.c_types import Declarations, constants, declare
from codegen.model import Function, FunctionType, Library, Named, Pointer, Primitive

FOLDER = "cuda_bindings/cuda/bindings"
HEADER = (
    "# Written by `python -m codegen write`: do not edit\n"
    "# SPDX-FileCopyrightText: 2026 Open CUDA Python developers\n"
    "# SPDX-License-Identifier: Apache-2.0\n"
)


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the C-level modules by path."""
    result = {}
    for name, library in libraries.items():
        result[f"{FOLDER}/cy{name}.pxd"] = pxd(library)
        result[f"{FOLDER}/cy{name}.pyx"] = pyx(library)
    return result


def identifier(name: str) -> str:
    """Return a parameter's name in Cython."""
    reserved = keyword.iskeyword(name) or name in ("signed", "unsigned", "cdef", "struct", "by", "include")
    return f"{name}_" if reserved else name


def c_text(library: Library) -> str:
    """Return C declarations of the library's types and constants."""
    lines = ["#include <stddef.h>", "#include <stdint.h>", *Declarations(library).c]
    for name, value in constants(library):
        suffix = "ull" if value > 0x7FFFFFFFFFFFFFFF else "ll" if abs(value) > 0x7FFFFFFF else ""
        lines.append(f"#define {name} ({value}{suffix})")
    return "\n".join(lines)


def signature(function: Function) -> str:
    """Return result, name and parameters in Cython."""
    spell = Declarations.spell_cython
    params = ", ".join(declare(param.type, identifier(param.name), spell) for param in function.params)
    return declare(function.result, f"{function.name}({params})", spell)


def raised(api: apis.Api, function: Function) -> str:
    """Return the exception clause of a function."""
    if isinstance(function.result, Pointer):
        return "except? NULL"
    if function.result == Primitive("long"):
        return "except? -1"
    return f"except? {api.raised}" if function.result == Named(api.status) and api.raised else "except *"


def pxd(library: Library) -> str:
    api = apis.APIS[library.name]
    declarations = Declarations(library)
    c = c_text(library).replace("\\", "\\\\")
    lines = [
        HEADER + f'"""C level of cuda.bindings.{library.name}: types, constants and functions.',
        "",
        f"Compile with -DCUDA_BINDINGS_USE_HEADERS what also includes {api.headers[0]} itself.",
        '"""',
        "",
        "from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t",
        "",
        "cdef extern from *:",
        '    """',
        # For C code that includes NVIDIA's header, too, perhaps after this text.
        "    #ifdef CUDA_BINDINGS_USE_HEADERS",
        f"    #include <{api.headers[0]}>",
        "    #endif",
        f"    #ifndef {api.guard}",
        *(f"    {line}" for line in c.splitlines()),
        "    #endif",
        '    """',
        *(f"    {line}" for line in declarations.cython),
        "",
    ]
    # With a cast, for the header has some as pointers (CU_STREAM_LEGACY).
    if small := [name for name, value in constants(library) if abs(value) <= 0x7FFFFFFF]:
        lines += ["    enum:", *(f'        {name} "((int)(size_t)({name}))"' for name in small), ""]
    large = [name for name, value in constants(library) if name not in small]
    lines += [f'    const unsigned long long {name} "((unsigned long long)({name}))"' for name in large]
    lines += [f"cdef {signature(f)} {raised(api, f)} nogil" for f in library.functions.values()]
    return "\n".join(lines) + "\n"


def pyx(library: Library) -> str:
    functions = list(library.functions.values())
    table = "\n".join(row(library, function) for function in functions)
    lines = [
        HEADER + f'"""C level of cuda.bindings.{library.name}."""',
        "",
        "from cuda.bindings cimport _loader",
        "",
        f"cdef void* found_symbols[{len(functions)}]  # a name that no parameter has",
        "# Name and version to ask for, exported symbol, symbol for the per-thread default stream.",
        f'cdef str TABLE = """\\\n{table}"""',
        "",
        "",
        "cdef int resolve(int index) except -1 with gil:",
        '    """Look the symbol of a function up."""',
        '    name, version, symbol, per_thread = TABLE.split("\\n")[index].split(" ")',
        f'    found_symbols[index] = _loader.resolve("{library.name}", name, symbol, int(version), per_thread)',
        "    return 0",
        "",
    ]
    for index, function in enumerate(functions):
        lines += body(apis.APIS[library.name], function, index)
    return "\n".join(lines)


def row(library: Library, function: Function) -> str:
    # cuGetProcAddress takes the name without its version suffix: cuCtxGetDevice for cuCtxGetDevice_v2.
    name = versions.split(function.symbol)[0] if apis.APIS[library.name].versions else function.name
    return f"{name} {function.version or 0} {function.symbol} {function.per_thread or ''}"


def body(api: apis.Api, function: Function, index: int) -> list[str]:
    """Return the definition of one function."""
    pointer = FunctionType(function.result, tuple((p.name, p.type) for p in function.params))
    cast = declare(Pointer(pointer), "", Declarations.spell_cython, " noexcept nogil")
    arguments = ", ".join(identifier(param.name) for param in function.params)
    result = "" if function.result == Primitive("void") else "return "
    return [
        "",
        f"cdef {signature(function)} {raised(api, function)} nogil:",
        f"    if found_symbols[{index}] == NULL:",
        f"        resolve({index})",
        f"    {result}(<{cast}>found_symbols[{index}])({arguments})",
        "",
    ]
