# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the declarations of runtime API and driver API in C++, for programs that clang compiles with our own headers.

Whole programs (`python -m cuda.cpu cc`) include them. They state what the model has: names, types, values. Enumerations
that the device runtime uses are in runtime_enums.h beside them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

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
DRIVER_PATH = f"{FOLDER}/driver_api.h"
TYPEDEFS_PATH = "cuda_core/cuda/core/_program/_clang/include/cudaTypedefs.h"
# Enumerations of runtime_enums.h and surfaces.h.
DEVICE = (
    "cudaError_t", "cudaMemcpyKind", "cudaLimit", "cudaFuncCache", "cudaSharedMemConfig", "cudaDeviceAttr",
    "cudaSurfaceBoundaryMode", "cudaRoundMode",
)  # fmt: skip
HEADERS = (
    "driver_types.h", "device_types.h", "texture_types.h", "surface_types.h", "library_types.h", "cuda_runtime_api.h",
    "cuda_profiler_api.h",
)  # fmt: skip
DRIVER_HEADERS = ("cuda.h", "cudaProfiler.h")
TAGS = {"CUresult": "cudaError_enum"}  # of enumerations of the driver API whose tag is not NAME_enum
ALIGNED = {"CUtensorMap_st": 64}  # CUDA Driver API reference, cuTensorMapEncodeTiled: aligned to 64 bytes
# Constants that are pointers.
POINTERS = {
    "cudaStreamLegacy": "cudaStream_t", "cudaStreamPerThread": "cudaStream_t",
    "CU_STREAM_LEGACY": "CUstream", "CU_STREAM_PER_THREAD": "CUstream",
    **dict.fromkeys((f"CU_LAUNCH_PARAM_{each}" for each in ("END", "BUFFER_POINTER", "BUFFER_SIZE")), "void *"),
}  # fmt: skip
# Constants that are values of an enumeration.
ENUMERATED = {
    r"cuda(Stream|KernelNode)Attribute[A-Z]\w+": "cudaLaunchAttributeID",
    r"CU_(STREAM|KERNEL_NODE)_ATTRIBUTE_\w+": "CUlaunchAttributeID",
}
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
    (r"cudaGraphInstantiate|cudaGraphConditionalHandleCreate(_v2)?", "flags"): "0",
    (r"cudaGraphConditionalHandleCreate(_v2)?", "defaultLaunchValue"): "0",
    (r"cudaStreamAttachMemAsync", "length"): "0",
    (r"cudaStreamAttachMemAsync", "flags"): "cudaMemAttachSingle",
    (r"cudaUserObjectRe(tain|lease)|cudaGraphRe(tain|lease)UserObject", "count"): "1",
    (r"cudaGraphRetainUserObject", "flags"): "0",
}
_LICENCE = "// SPDX-FileCopyrightText: 2026 Open CUDA Python developers\n// SPDX-License-Identifier: Apache-2.0\n"
_HEAD = f"// Written by `python -m codegen write` from the CUDA headers; do not edit.\n{_LICENCE}#pragma once\n"


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the headers by their paths."""
    runtime, driver = libraries["runtime"], libraries["driver"]
    shared = [each.name for each in runtime.structs.values() if each.header in HEADERS]
    before = '#include <stddef.h>\n#include "../vector_types.h"\n#include "runtime_enums.h"\n'
    return {
        PATH: render(runtime, HEADERS, DEVICE, before),
        DRIVER_PATH: render(driver, DRIVER_HEADERS, shared, '#include <stdint.h>\n'),
        TYPEDEFS_PATH: typedefs(driver),
    }


def typedefs(driver: Library) -> str:
    """Return the header with the types of pointers to functions of the driver API: of each, and of its version."""
    lines = [_HEAD + '#include "cuda.h"']
    for each in driver.functions.values():
        if each.header in DRIVER_HEADERS and each.version:
            lines.append(f"typedef decltype(&{each.name}) PFN_{each.name}_v{each.version};")
            lines.append(f"typedef PFN_{each.name}_v{each.version} PFN_{each.name};")
    return "\n".join(lines) + "\n"


def render(library: Library, headers: Sequence[str], elsewhere: Sequence[str], before: str) -> str:
    """Return a header with the declarations that a library has of `headers`, without those that are `elsewhere`."""
    parts = [_HEAD + before]
    structs = {
        name: each for name, each in library.structs.items() if each.header in headers and name not in elsewhere
    }
    parts += [f"{keyword(each)} {name};" for name, each in structs.items() if not name.startswith("anon_")]
    parts += [
        enumeration(each) for each in library.enums.values() if each.header in headers and each.name not in elsewhere
    ]
    parts += [alias(library, each) for each in library.typedefs.values() if each.header in headers]
    parts += [constant(each) for each in library.constants.values() if each.header in headers]
    parts += [definition(library, each) for each in ordered(library, structs)]
    parts += ['extern "C" {']
    parts += [function(library, each) for each in library.functions.values() if each.header in headers]
    return "\n".join([*parts, "}"]) + "\n"


def ordered(library: Library, structs: dict[str, Struct]) -> list[Struct]:
    """Return the structs that have fields, each behind those that are fields of it."""
    found: dict[str, Struct] = {}

    def take(struct: Struct) -> None:
        for field in struct.fields:
            core: Type = field.type
            while isinstance(core, Array):
                core = core.of
            while isinstance(core, Named) and core.name in library.typedefs:
                core = library.typedefs[core.name].type
            name = core.name.removeprefix("struct ").removeprefix("union ") if isinstance(core, Named) else ""
            if name in library.structs and name not in found:
                take(library.structs[name])
        if struct.fields and struct.name in structs and not struct.name.startswith("anon_"):
            found.setdefault(struct.name, struct)

    for each in structs.values():
        take(each)
    return list(found.values())


def enumeration(enum: Enum) -> str:
    members = textwrap.fill(
        ", ".join(f"{each.name} = {each.value}" for each in enum.members), 118, initial_indent="    ",
        subsequent_indent="    ", break_long_words=False,
    )  # fmt: skip
    tag = TAGS.get(enum.name, f"{enum.name}_enum")
    other = f" typedef {enum.name} {tag};" if enum.name.startswith("CU") else ""  # of the driver API
    return f"enum {enum.name} {{\n{members}\n}};{other}"


def constant(given: Constant) -> str:
    enum = next((each for names, each in ENUMERATED.items() if re.fullmatch(names, given.name)), None)
    type_ = POINTERS.get(given.name, enum)
    value = f"(({type_}){given.value})" if type_ else given.value
    return f"#define {given.name} {value}"


def alias(library: Library, typedef: Typedef) -> str:
    # A second declaration of a typedef is valid if both are the same.
    return f"typedef {declared(library, typedef.type, typedef.name)};"


def keyword(struct: Struct) -> str:
    return "union" if struct.union else "struct"


def definition(library: Library, struct: Struct) -> str:
    aligned = f"alignas({ALIGNED[struct.name]}) " if struct.name in ALIGNED else ""
    return f"{keyword(struct)} {aligned}{struct.name} {body(library, struct, 0)};"


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
