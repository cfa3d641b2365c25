# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the runtime API's declarations in C++, for programs that clang compiles with the project's own headers.

Whole programs (`python -m cuda.cpu cc`) include it. It states what the model has: names, types, values. Enumerations
that the device runtime uses are in runtime_enums.h beside it.
"""

from __future__ import annotations

import re
import textwrap

from codegen.model import (
    Array,
    Constant,
    Enum,
    Field,
    Function,
    FunctionType,
    Library,
    Named,
    Pointer,
    Primitive,
    Struct,
    Type,
    Typedef,
)

FOLDER = "cuda_core/cuda/core/_program/_clang/include/open_cuda"
PATH = f"{FOLDER}/runtime_api.h"
# Enumerations of runtime_enums.h and surfaces.h.
DEVICE = (
    "cudaError_t", "cudaMemcpyKind", "cudaLimit", "cudaFuncCache", "cudaSharedMemConfig", "cudaDeviceAttr",
    "cudaSurfaceBoundaryMode", "cudaRoundMode",
)  # fmt: skip
HEADERS = (
    "driver_types.h", "device_types.h", "texture_types.h", "surface_types.h", "library_types.h", "cuda_runtime_api.h",
    "cuda_profiler_api.h",
)  # fmt: skip
# Constants that are pointers.
STREAMS = ("cudaStreamLegacy", "cudaStreamPerThread")
# Default arguments, by the synopses of the CUDA Runtime API reference: function and parameter -> value.
DEFAULTS = {
    (r"cuda(Memcpy\w*|Memset\w*|MemPrefetch)Async|cudaEventRecord(WithFlags)?|cudaLaunchKernel", "stream"): "0",
    (r"cudaMemcpy(To|From)Symbol(Async)?", "offset"): "0",
    (r"cudaMemcpyToSymbol(Async)?", "kind"): "cudaMemcpyHostToDevice",
    (r"cudaMemcpyFromSymbol(Async)?", "kind"): "cudaMemcpyDeviceToHost",
    (r"cudaLaunchKernel", "sharedMem"): "0",
    (r"cudaMallocManaged", "flags"): "cudaMemAttachGlobal",
    (r"cudaMallocArray", "height"): "0",
    (r"cudaMalloc(3D)?Array|cudaMallocMipmappedArray|cudaStreamWaitEvent|cudaEventRecordWithFlags", "flags"): "0",
    (r"cudaGraphInstantiate", "flags"): "0",
    (r"cudaStreamAttachMemAsync", "length"): "0",
    (r"cudaStreamAttachMemAsync", "flags"): "cudaMemAttachSingle",
    (r"cudaUserObjectRe(tain|lease)|cudaGraphRe(tain|lease)UserObject", "count"): "1",
    (r"cudaGraphRetainUserObject", "flags"): "0",
}
_LICENCE = "// SPDX-FileCopyrightText: 2026 Open CUDA Python developers\n// SPDX-License-Identifier: Apache-2.0\n"
_HEAD = f"// Written by `python -m codegen write` from the CUDA headers; do not edit.\n{_LICENCE}#pragma once\n"


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the header by its path."""
    return {PATH: render(libraries["runtime"])}


def render(library: Library) -> str:
    parts = [_HEAD + '#include <stddef.h>\n#include "../vector_types.h"\n#include "runtime_enums.h"\n']
    structs = {name: each for name, each in library.structs.items() if each.header in HEADERS}
    parts += [f"{keyword(each)} {name};" for name, each in structs.items() if not name.startswith("anon_")]
    parts += [
        enumeration(each) for each in library.enums.values() if each.header in HEADERS and each.name not in DEVICE
    ]
    parts += [alias(library, each) for each in library.typedefs.values() if each.header in HEADERS]
    parts += [constant(each) for each in library.constants.values() if each.header in HEADERS]
    parts += [
        definition(library, each)
        for name, each in structs.items()
        if each.fields and not name.startswith("anon_")
    ]  # fmt: skip
    parts += ['extern "C" {']
    parts += [function(library, each) for each in library.functions.values() if each.header in HEADERS]
    return "\n".join([*parts, "}"]) + "\n"


def enumeration(enum: Enum) -> str:
    members = textwrap.fill(
        ", ".join(f"{each.name} = {each.value}" for each in enum.members), 118, initial_indent="    ",
        subsequent_indent="    ", break_long_words=False,
    )  # fmt: skip
    return f"enum {enum.name} {{\n{members}\n}};"


def constant(given: Constant) -> str:
    value = f"((cudaStream_t){given.value})" if given.name in STREAMS else given.value
    return f"#define {given.name} {value}"


def alias(library: Library, typedef: Typedef) -> str:
    # A second declaration of a typedef is valid if both are the same.
    return f"typedef {declared(library, typedef.type, typedef.name)};"


def keyword(struct: Struct) -> str:
    return "union" if struct.union else "struct"


def definition(library: Library, struct: Struct) -> str:
    return f"{keyword(struct)} {struct.name} {body(library, struct, 0)};"


def body(library: Library, struct: Struct, depth: int) -> str:
    inner = "    " * (depth + 1)
    lines = [f"{inner}{member(library, each, depth + 1)};" for each in struct.fields]
    return "\n".join(["{", *lines, "    " * depth + "}"])


def member(library: Library, field: Field, depth: int) -> str:
    """Return the declaration of a field; structs without a name are defined where they are used."""
    core: Type = field.type
    lengths = ""
    while isinstance(core, Array):
        lengths += f"[{core.length}]"
        core = core.of
    if isinstance(core, Named) and core.name.startswith("anon_"):
        struct = library.structs[core.name]
        return f"{keyword(struct)} {body(library, struct, depth)} {field.name or ''}{lengths}".rstrip()
    width = f" : {field.bit_width}" if field.bit_width is not None else ""
    return declared(library, field.type, field.name or "") + width


def declared(library: Library, type_: Type, name: str) -> str:
    """Return the declaration of a name of a type, in C's syntax."""
    match type_:
        case Primitive(spelled) | Named(spelled):
            return f"{spelled} {name}".rstrip()
        case Pointer(FunctionType() as function_type):
            params = ", ".join(declared(library, each, "") for _, each in function_type.params) or "void"
            return f"{declared(library, function_type.result, '')} (*{name})({params})"
        case Pointer(Array() as array):
            return declared(library, array, f"(*{name})")
        case Pointer(Pointer() as inner, const):
            return declared(library, inner, f"*{'const ' if const else ''}{name}".rstrip())
        case Pointer(to, const):
            return f"{'const ' if const else ''}{declared(library, to, f'*{name}')}"
        case Array(of, length):
            return declared(library, of, f"{name}[{length}]")
    raise TypeError(f"{name}: {type_!r} is declared in no known way")


def function(library: Library, given: Function) -> str:
    params = ", ".join(
        declared(library, each.type, each.name) + default(given.name, each.name) for each in given.params
    )
    symbols = f"{given.symbol}, {given.per_thread or given.symbol}"
    label = f" __OPEN_CUDA_SYMBOL({symbols})" if given.per_thread or given.symbol != given.name else ""
    return f"{declared(library, given.result, '')} {given.name}({params}){label};"


def default(name: str, parameter: str) -> str:
    for (functions, wanted), value in DEFAULTS.items():
        if parameter == wanted and re.fullmatch(functions, name):
            return f" = {value}"
    return ""
