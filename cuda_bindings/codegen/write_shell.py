# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Write the C functions of the CPU driver's libcuda: each symbol calls one Python function (the "shell").

How the shell calls Python is documented in cuda_cpu/cuda/cpu/entry/interpreter.h.
"""

from __future__ import annotations

from codegen import abi_types, facts, roles, status_texts, versions
from codegen.c_types import struct_of
from codegen.model import Function, Library, Named, Param, Pointer, Primitive, Role, Struct

PATH = "cuda_cpu/cuda/cpu/entry/_shell.c"
# Implemented in C (entry/lookup.c): they are called before Python is initialised, and return C pointers.
NATIVE = {
    "cuGetErrorName": "shell_error_name",
    "cuGetErrorString": "shell_error_string",
    "cuGetProcAddress": "shell_proc_address_v1",
    "cuGetProcAddress_v2": "shell_proc_address",
}
# Functions with a fast path in C, which falls back to Python: entry/fast_path.c, and of the runtime API
# runtime_api/launch.c.
FAST_PATHS = (
    "cuDeviceGetAttribute", "cuLaunchKernel", "cuLaunchKernelEx", "cuStreamSynchronize", "cuStreamQuery",
    "cudaDeviceGetAttribute", "cudaLaunchKernel", "cudaLaunchKernelExC", "cudaStreamSynchronize", "cudaStreamQuery",
)  # fmt: skip
STATUSES = (Named("CUresult"), Named("cudaError_t"))
STREAMS = (Named("CUstream"), Named("cudaStream_t"))
MAX_OUTPUTS, MAX_INPUTS = 8, 24  # as in interpreter.h
WORDS = {1: "unsigned char", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}


def files(libraries: dict[str, Library]) -> dict[str, str]:
    """Return the shell's source by its path."""
    every = roles.assign_forms(facts.read(facts.EVERY_VERSION))
    return {PATH: render(libraries["driver"], every)}


def render(public: Library, every: Library) -> str:
    """Return the C text of the shell.

    Parameters
    ----------
    public : Library
        The API as programs see it.
    every : Library
        All exported symbols, with roles.
    """
    parts = [
        "/* Written by `python -m codegen write` from the CUDA headers; do not edit. */",
        '#include "interpreter.h"',
        *value_structs(every),
        *(define(every, function, python_name(public, every, function)) for function in every.functions.values()),
        *status_table(public),
        *symbol_table(public, every),
        f"const int shell_driver_version = {public.version};",
    ]
    return "\n\n".join(parts) + "\n"


def python_name(public: Library, every: Library, function: Function) -> str:
    """Return the Python function behind a symbol.

    The current version of a function has its public name, and so has an older version with the same parameters;
    another one has its symbol, ``cuCtxCreate_v2``, and the first version ends in ``_v1``.
    """
    base, form, stream = versions.split(function.symbol)
    plain = function.symbol.removesuffix(stream)
    current = next((other for other in public.functions.values() if other.symbol == plain), public.functions.get(base))
    if current and (current.symbol == plain or same_arguments(every, function, current)):
        return current.name
    return plain if form > 1 else f"{base}_v1"


def same_arguments(library: Library, one: Function, other: Function) -> bool:
    types = [[abi_types.canonical(library, param.type) for param in function.params] for function in (one, other)]
    return types[0] == types[1]


def define(library: Library, function: Function, name: str) -> str:
    """Return the C definition of one symbol."""
    if function.result not in STATUSES:
        raise TypeError(f"{function.symbol} does not return a status")
    params = ", ".join(declare(library, param) for param in function.params) or "void"
    head = f"SHELL_EXPORT int {function.symbol}({params})"
    if function.symbol in NATIVE:
        return f"{head} {{\n    return {NATIVE[function.symbol]}({', '.join(p.name for p in function.params)});\n}}"
    outputs = [param for param in function.params if param.role in (Role.OUT, Role.OUT_VIEW)]
    inputs = [param for param in function.params if param.role not in (Role.OUT, Role.OUT_VIEW)]
    if len(outputs) > MAX_OUTPUTS or len(inputs) > MAX_INPUTS:
        raise OverflowError(f"{function.symbol} has more parameters than interpreter.h allows for")
    per_thread = versions.split(function.symbol)[2] in ("_ptsz", "_ptds")
    streams = stream_structs(library, inputs) if per_thread else {}
    letters = [output_letter(library, param) for param in outputs], [input_letter(library, param) for param in inputs]
    signature = ">".join("".join(group) for group in letters)
    arguments = ["&entry", *(param.name for param in outputs)]
    arguments += [pass_input(library, param, per_thread) for param in inputs]
    before, after = [], []
    for param in inputs:
        if param.name in streams:
            own, size_offset = param.name, ", ".join(map(str, streams[param.name]))
            before += [f"    void *{own}_given = {own};", f"    uint64_t {own}_copy[{streams[own][0] // 8}];"]
            before += [f"    {own} = shell_copy_in({own}_copy, {own}_given, {size_offset});"]
            if param.role is Role.INOUT_STRUCT:
                after += [f"    shell_copy_out({own}_given, {own}_copy, {size_offset});"]
    if name in FAST_PATHS:
        before += [f"    int fast = shell_fast_path_{name}({', '.join(arguments[1:])});"]
        before += ["    if (fast >= 0) return fast;"]
    call = f"shell_call({', '.join(arguments)})"
    body = [f'    static struct shell_entry entry = {{"{name}", "{signature}", 0}};', *before]
    body += [f"    int status = {call};", *after, "    return status;"] if after else [f"    return {call};"]
    return "\n".join([f"{head} {{", *body, "}"])


def declare(library: Library, param: Param) -> str:
    """Return a parameter's declaration in types of the C ABI."""
    match abi_types.resolve(library, param.type):
        case Primitive(name):
            return f"{name} {param.name}"
        case Pointer(Primitive("char"), True):
            return f"const char *{param.name}"
        case Pointer():
            return f"void *{param.name}"
        case Struct() as struct:
            return f"{value_struct(struct)} {param.name}"
    raise TypeError(f"parameter {param.name}: {param.type!r} is passed in no known way")


def output_letter(library: Library, param: Param) -> str:
    target = abi_types.resolve(library, param.pointee)
    letter = {"float": "f", "double": "d"}.get(getattr(target, "name", "")) or str(
        abi_types.size_of(library, param.pointee)
    )
    if letter not in tuple("1248fd"):
        raise TypeError(f"output {param.name} is no scalar: {param.type!r}")
    return f"?{letter}" if param.optional else letter


def input_letter(library: Library, param: Param) -> str:
    match abi_types.resolve(library, param.type):
        case Struct():
            return "v"
        case Primitive("float" | "double"):
            return "d"
        case Primitive() as primitive:
            return "i" if abi_types.is_signed(primitive) else "u"
    return "s" if param.role is Role.IN_STRING else "u"


def pass_input(library: Library, param: Param, per_thread: bool) -> str:
    """Return the argument of shell_call for one input."""
    if per_thread and param.type in STREAMS:
        return f"shell_per_thread((uint64_t){param.name})"
    casts = {"i": "(int64_t)", "u": "(uint64_t)", "d": "(double)", "s": ""}
    letter = input_letter(library, param)
    return f"&{param.name}, sizeof {param.name}" if letter == "v" else f"{casts[letter]}{param.name}"


def stream_structs(library: Library, inputs: list[Param]) -> dict[str, tuple[int, int]]:
    """Return size and offset of the stream for each parameter that is a struct with a stream in it."""
    found = {}
    for param in inputs:
        if param.role in (Role.IN_STRUCT, Role.INOUT_STRUCT):
            struct = struct_of(library, param.pointee)
            for field in struct.fields:
                if field.type in STREAMS:
                    found[param.name] = struct.size, field.offset
    return found


def value_struct(struct: Struct) -> str:
    return f"struct value_{struct.size}_{struct.align}"


def value_structs(library: Library) -> list[str]:
    """Return definitions of the structs passed by value: the header's size and alignment, in integer registers."""
    found = {}
    for function in library.functions.values():
        for param in function.params:
            struct = abi_types.resolve(library, param.type)
            if isinstance(struct, Struct):
                if struct.size <= 16 and has_float(library, struct):
                    raise TypeError(f"{function.symbol}: {struct.name} goes in floating-point registers")
                word = WORDS[struct.align]
                found[value_struct(struct)] = (
                    f"{value_struct(struct)} {{ {word} words[{struct.size // struct.align}]; }};"
                )
    return [found[name] for name in sorted(found)]


def has_float(library: Library, struct: Struct) -> bool:
    for field in struct.fields:
        target = abi_types.resolve(library, field.type)
        if isinstance(target, Struct) and has_float(library, target):
            return True
        if getattr(target, "name", "") in ("float", "double"):
            return True
    return False


def status_table(library: Library) -> list[str]:
    rows = ",\n".join(
        f'    {{{member.value}, "{member.name}", "{status_texts.TEXTS.get(member.value) or words(member.name)}"}}'
        for member in library.enums["CUresult"].members
    )
    return [
        f"const struct shell_status shell_statuses[] = {{\n{rows}\n}};",
        "const size_t shell_status_count = sizeof shell_statuses / sizeof *shell_statuses;",
    ]


def words(status: str) -> str:
    """Return a status as words.

    >>> words("CUDA_ERROR_STREAM_DETACHED")
    'stream detached'
    """
    return status.removeprefix("CUDA_ERROR_").replace("_", " ").lower()


def symbol_table(public: Library, library: Library) -> list[str]:
    rows = []
    for symbol, function in library.functions.items():
        base, _, stream = versions.split(symbol)
        rows.append((base, function.version, int(bool(stream)), symbol))
    for function in public.functions.values():
        base, _, _ = versions.split(function.symbol)
        if not function.name.startswith(base):
            # Another function took over the name (cuGraphInstantiate is cuGraphInstantiateWithFlags now); that breaks
            # the ABI, so it came with the next major version.
            rows.append((function.name, -(-function.version // 1000) * 1000, 0, function.symbol))
    text = ",\n".join(f'    {{"{base}", {version}, {own}, {symbol}}}' for base, version, own, symbol in sorted(rows))
    return [
        f"const struct shell_symbol shell_symbols[] = {{\n{text}\n}};",
        "const size_t shell_symbol_count = sizeof shell_symbols / sizeof *shell_symbols;",
    ]
