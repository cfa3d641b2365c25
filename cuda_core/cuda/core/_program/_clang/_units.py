# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Relocatable device code (-rdc=true) of whole programs: files whose device code uses that of other files.

Each object has its PTX. The program registers all of them as one binary, in the form in which nvlink leaves what it has
linked: the runtime library links them when it loads the binary. For clang, each file has a function that registers
its kernels and variables, which it expects a linker to call.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter

# Begins the names of symbols that stand for device functions and variables, so that the linker of the host code finds
# those that are missing or defined twice, and takes what is needed out of libraries.
PREFIX = "device_code."

# C of each program: a constructor of each unit calls the first function, then all are registered. Wrappers are
# __fatBinC_Wrapper_t of fatbinary_section.h.
UNITS = """
struct wrapper { int magic, version; const void *data; const void **linked; };
extern void *realloc(void *, unsigned long);
extern void abort(void);
extern int atexit(void (*)(void));
extern void **__cudaRegisterFatBinary(void *);
extern void __cudaRegisterFatBinaryEnd(void **), __cudaUnregisterFatBinary(void **);
static struct wrapper program = {0x466243b1, 2, 0, 0};
static void (**contents)(void **), **handle;
static unsigned long units;
__attribute__((visibility("hidden"))) void open_cuda_register_unit(void (*content)(void **), struct wrapper *unit) {
    contents = realloc(contents, (units + 1) * sizeof *contents);
    program.linked = realloc(program.linked, (units + 2) * sizeof *program.linked);
    if (!contents || !program.linked) abort();
    contents[units] = content;
    program.linked[units++] = unit->data;
    program.linked[units] = 0;
}
static void unregister_units(void) { __cudaUnregisterFatBinary(handle); }
__attribute__((constructor(102))) static void register_units(void) {
    if (!units) return;
    handle = __cudaRegisterFatBinary(&program);
    for (unsigned long i = 0; i < units; i++) contents[i](handle);
    __cudaRegisterFatBinaryEnd(handle);
    atexit(unregister_units);
}
"""

_USED = re.compile(r"^\.global \.align 8 \.u64 __clang_gpu_used_external\b[^;]*;\n", re.MULTILINE)
_DECLARED = re.compile(
    r"^\.extern \.(?:func\s+(?:\([^)]*\)\s*)?([\w$]+)\s*(?:\([^)]*\)\s*)?"
    r"|(?:global|const)\b[^;]*?([\w$]+)(?:\[\d*\])*);\n",
    re.MULTILINE,
)
_UNIQUE = re.compile(r"(?<=[ \t])(?<![\w$])([\w$]+?)__static__[0-9a-f]{1,16}(?=[\[ ;])")  # without leading zeros
_FUNCTION = re.compile(r"^\.(visible|weak|extern) \.(?:func|entry)\s+(?:\([^)]*\)\s*)?([\w$]+)", re.MULTILINE)
_VARIABLE = re.compile(
    r"^\.(visible|weak|extern) \.(?:global|const)\b[^;={]*?([\w$]+)(?:\[\d*\])*(?: = .*)?;", re.MULTILINE
)
_REGISTER = re.compile(rb"\b__cudaRegisterLinkedBinary__nv_\w+")
_ALIAS = re.compile(rb"^(?:\t\.globl\t|\.set )?__fatbinwrap__nv_\w+(?: = |, )?.*\n", re.MULTILINE)


def unit_options(path: str, options: list[str]) -> list[str]:
    """Return the options that make a file relocatable, for both of its compilations.

    Names of static kernels and variables are made unique by an identifier of the file and its options.
    """
    digest = hashlib.sha256("\0".join([os.path.realpath(path), *options]).encode()).hexdigest()[:16]
    return ["-fgpu-rdc", f"-cuid={digest}", "--no-offload-new-driver"]


def unit_ptx(ptx: str) -> str:
    """Return PTX without the table of what host code uses of other files, and without declarations that are not used.

    For the table, clang declares kernels of other files as functions. A static variable with an attribute it declares
    by its first name, defines by the unique one, and uses by either.
    """
    ptx = _USED.sub("", ptx)
    unique = {match[1]: match[0] for match in _UNIQUE.finditer(ptx)}
    if unique:
        ptx = _DECLARED.sub(lambda match: "" if match[2] in unique else match[0], ptx)
        ptx = re.sub(r"[\w$]+", lambda match: unique.get(match[0], match[0]), ptx)
    words = Counter(re.findall(r"[\w$]+", ptx))
    return _DECLARED.sub(lambda match: "" if words[match[1] or match[2]] == 1 else match[0], ptx)


def unit_assembly(assembly: bytes, ptx: str) -> bytes:
    """Return the assembly of host code that registers itself as a unit, with a symbol for what its PTX defines or uses.

    Functions with C names that are not defined may be the device's own, such as `vprintf`: these have no symbol.
    """
    functions = {name: linkage for linkage, name in _FUNCTION.findall(ptx)}
    variables = {name: linkage for linkage, name in _VARIABLE.findall(ptx)}
    defined = {"visible": ".globl", "weak": ".weak"}
    lines = [
        f'\t{defined[linkage]}\t"{PREFIX}{name}"\n\t.hidden\t"{PREFIX}{name}"\n"{PREFIX}{name}":\t.quad\t0\n'
        if linkage in defined
        else f'\t.quad\t"{PREFIX}{name}"\n'
        for name, linkage in (functions | variables).items()
        if linkage in defined or name in variables or name.startswith("_Z")
    ]  # fmt: skip
    section = '\t.section\topen_cuda_symbols,"aw",@progbits\n'
    return _ALIAS.sub(b"", _REGISTER.sub(b"open_cuda_register_unit", assembly)) + (section + "".join(lines)).encode()
