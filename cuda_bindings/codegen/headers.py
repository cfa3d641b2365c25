# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Read C headers into the model: libclang, with minimal system headers of our own; any diagnostic is an error."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from collections.abc import Mapping

from clang.cindex import CursorKind, Index, TranslationUnit

from codegen import apis, constants, versions
from codegen.c_types import is_opaque_pointer
from codegen.declarations import Reader, contents, functions, written_name
from codegen.model import Array, Enum, FunctionType, HeaderError, Library, Named, Pointer, Struct, Type, Typedef

SYSTEM_HEADERS = apis.HERE / "include"
Folders = tuple[pathlib.Path, ...]
Declared = Struct | Typedef | Enum


def read(api: apis.Api, include: Folders = ()) -> Library:
    """Return the model of one API: its public functions, types and constants.

    Parameters
    ----------
    api : Api
        Row of `apis.APIS`.
    include : tuple of path, optional
        Folders of the headers, by default `apis.include_path`.
    """
    headers = api.prelude + api.headers
    unit = parse(headers, api.defines, include)
    library = Reader(api).library(unit)

    def parse_more(text: str) -> TranslationUnit:
        return parse_source(includes(headers) + text, api.defines, include)

    keep_needed(api, library)
    name_handles(library)
    library.constants, library.skipped = constants.read(unit, api.headers, set(library.functions), parse_more)
    add_aliases(unit, library)
    if api.version_macro:
        library.version = int(library.constants[api.version_macro].value)
    return with_per_thread_variants(api, with_versions(api, library, include), include)


def read_every_version(api: apis.Api, include: Folders = ()) -> Library:
    """Return the functions of one API keyed by exported symbol, with older versions and per-thread variants."""
    unit = parse(api.prelude + api.headers, (*api.defines, api.every_version_define), include)
    return with_versions(api, Reader(api, by_symbol=True).library(unit), include)


def nvml_functions() -> set[str]:
    """Return the functions that nvml.h declares, its macros for older names aside."""
    for folder in apis.include_path():
        if (folder / "nvml.h").is_file():
            text = (folder / "nvml.h").read_text()
            return set(re.findall(r"nvmlReturn_t\s+DECLDIR\s+(nvml\w+)\s*\(", text))
    raise HeaderError("nvml.h is in none of the include folders: install the package nvidia-nvml-dev")


def parse(headers: tuple[str, ...], defines: tuple[str, ...] = (), include: Folders = ()) -> TranslationUnit:
    """Return the translation unit that includes `headers`; raise HeaderError at any diagnostic."""
    unit = parse_source(includes(headers), defines, include)
    if problems := [str(problem) for problem in unit.diagnostics]:
        folders = [str(folder) for folder in (include or apis.include_path())]
        raise HeaderError(
            "the headers do not parse cleanly:\n  "
            + "\n  ".join(problems[:20])
            + f"\nsearched: {', '.join(folders) or 'no folder; install the nvidia-* header wheels or set CUDA_HOME'}"
            + f"\nsystem headers are those of {SYSTEM_HEADERS}: add there what a new release includes"
        )
    return unit


def includes(headers: tuple[str, ...]) -> str:
    """Return the C text that includes `headers`."""
    return "".join(f"#include <{header}>\n" for header in headers)


def parse_source(source: str, defines: tuple[str, ...], include: Folders = ()) -> TranslationUnit:
    """Return the translation unit of C text, with its diagnostics unread."""
    contents.cache_clear()
    folders = [SYSTEM_HEADERS, *(include or apis.include_path())]
    return Index.create().parse(
        "codegen.c",
        args=[
            "-std=gnu11",
            "-nostdinc",
            "-Wall",
            "--target=x86_64-linux-gnu",
            *(f"-D{name}" for name in defines),
            *(f"-I{folder}" for folder in folders),
        ],
        unsaved_files=[("codegen.c", source)],
        options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | TranslationUnit.PARSE_SKIP_FUNCTION_BODIES,
    )


def keep_needed(api: apis.Api, library: Library) -> None:
    """Remove the types of `api.as_needed` that no other declaration uses."""
    tables: tuple[Mapping[str, Declared], ...] = (library.structs, library.typedefs, library.enums)
    spare = {name: table[name] for table in tables for name in list(table) if table[name].header in api.as_needed}
    if not spare:
        return
    wanted = [type_ for f in library.functions.values() for type_ in (f.result, *(param.type for param in f.params))]
    for table in tables[:2]:
        wanted += [type_ for item in table.values() if item.name not in spare for type_ in parts(item)]
    while wanted:
        for name in names_in(wanted.pop()):
            if item := spare.pop(name, None):
                wanted += parts(item)
    for name in spare:
        library.structs.pop(name, None)
        library.typedefs.pop(name, None)
        library.enums.pop(name, None)


def parts(item: Declared) -> list[Type]:
    """Return the types that the declaration of a struct, typedef or enum uses."""
    if isinstance(item, Typedef):
        return [item.type]
    return [field.type for field in item.fields] if isinstance(item, Struct) else []


def names_in(type_: Type) -> list[str]:
    match type_:
        case Named(name):
            return [name]
        case Pointer(to):
            return names_in(to)
        case Array(of):
            return names_in(of)
        case FunctionType(result, params):
            return [name for part in (result, *(param for _, param in params)) for name in names_in(part)]
    return []


def name_handles(library: Library) -> None:
    """Replace ``struct cudaGraphicsResource **`` by ``cudaGraphicsResource_t *``: the typedef has a Python class."""
    handles = {
        typedef.type: name
        for name, typedef in library.typedefs.items()
        if isinstance(typedef.type, Pointer) and is_opaque_pointer(library, typedef.type)
    }
    for key, function in library.functions.items():
        params = tuple(
            dataclasses.replace(param, type=Pointer(Named(handles[param.pointee]), param.type.const))
            if isinstance(param.type, Pointer) and param.pointee in handles
            else param
            for param in function.params
        )
        library.functions[key] = dataclasses.replace(function, params=params)


def add_aliases(unit: TranslationUnit, library: Library) -> None:
    """Add typedefs for macros that rename types: ``#define cudaStreamAttrID cudaLaunchAttributeID``."""
    for cursor in unit.cursor.get_children():
        if cursor.kind == CursorKind.MACRO_DEFINITION and cursor.spelling in library.skipped:
            tokens = [token.spelling for token in cursor.get_tokens()]
            if len(tokens) == 2 and tokens[1] in {**library.structs, **library.enums, **library.typedefs}:
                header = library.skipped.pop(cursor.spelling)
                library.typedefs[cursor.spelling] = Typedef(cursor.spelling, Named(tokens[1]), header)


def with_versions(api: apis.Api, library: Library, include: Folders) -> Library:
    """Add to each function the version that introduced its symbol."""
    if api.versions:
        headers = api.prelude + api.headers + api.versions
        unit = parse(headers, (*api.defines, api.every_version_define), include)
        typedefs = [cursor.spelling for cursor in unit.cursor.get_children() if cursor.kind == CursorKind.TYPEDEF_DECL]
        introduced = versions.introduced(
            [cursor.spelling for cursor in functions(api, unit)], [name for name in typedefs if name.startswith("PFN_")]
        )
        for key, function in library.functions.items():
            library.functions[key] = dataclasses.replace(function, version=introduced[function.symbol])
    return library


def with_per_thread_variants(api: apis.Api, library: Library, include: Folders) -> Library:
    """Add to each public function its variant for the per-thread default stream."""
    if api.per_thread_define:
        unit = parse(api.prelude + api.headers, (*api.defines, api.per_thread_define), include)
        for cursor in functions(api, unit):
            function = library.functions[written_name(cursor)]
            if cursor.spelling != function.symbol:
                library.functions[function.name] = dataclasses.replace(function, per_thread=cursor.spelling)
    return library
