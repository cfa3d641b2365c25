# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How programs get the device headers: those that they need are parsed, or those common to most or all are precompiled.

There are precompiled files for each combination of options that the meaning of the headers depends on. Device headers
that a program includes before anything else are precompiled with all. The files are in a folder that only the user can
write to; without such a folder the headers are parsed each time.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator

from cuda.bindings._signals import own
from cuda.core._program._cache_folder import checked_path
from cuda.core._program._clang._find import ENVIRONMENT, build, headers
from cuda.core._program._clang._needed import COMMON, are_common, size_of

RUNTIME = "cuda_runtime.h"  # all that every program sees
FEW = 3  # of size_of: in this time clang reads what is precompiled
_parsed: set[str] = set()  # paths of precompiled headers that a program of this process would have used
_COMMENTS = rb"\s*(?:(?://[^\n]*|/\*.*?\*/)\s*)*"
_INCLUDE = re.compile(_COMMENTS + rb"#[ \t]*include[ \t]*<([\w.]+)>[ \t\r]*(?=\n|//|/\*|$)", re.DOTALL)


def cache_folder() -> str:
    """Return the folder of precompiled headers, whether it exists or not."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "open-cuda-python", "clang-headers")


def leading_headers(source: bytes) -> list[str]:
    """Return the paths of the device headers that a program includes by angle brackets, up to the first other text."""
    found: list[str] = []
    position = 0
    while match := _INCLUDE.match(source, position):
        path = os.path.join(headers(), match[1].decode())
        if not os.path.isfile(path):
            break
        if path not in found:
            found.append(path)
        position = match.end()
    return found


def including(paths: list[str]) -> list[str]:
    """Return the options that include files before a program."""
    return [option for path in paths for option in ("-include", path)]


def preludes(
    compiler: list[str], version: str, needed: list[str] | None, macros: list[str], work: str
) -> Iterator[list[str]]:
    """Yield the options that include device headers and define `macros`: at first, perhaps, not of all headers.

    Those `needed` are parsed if they are few, or if they are not precompiled for the options `compiler` and the process
    compiles the first program that would use that. Then come common or all headers, precompiled. `work` is a folder for
    files.
    """
    if needed is not None:
        name = COMMON if are_common(needed) else RUNTIME
        path = _path(compiler, version, name)
        size = size_of(needed)
        if size <= FEW or not (os.path.exists(path) or path in _parsed):
            if size > FEW:
                _parsed.add(path)
            yield parsing(needed, macros, work)
        elif name == COMMON:
            yield _reading(compiler, version, name, macros, work)
    yield _reading(compiler, version, RUNTIME, macros, work)


def _reading(compiler: list[str], version: str, name: str, macros: list[str], work: str) -> list[str]:
    """Return the options that read a precompiled header, which is precompiled if necessary, or parse it."""
    path = _path(compiler, version, name)
    try:
        if path and not os.path.exists(path):
            _precompile(path, compiler, name)
    except own(OSError, subprocess.CalledProcessError):
        path = ""
    return ["-Xclang", "-include-pch", "-Xclang", path, *macros] if path else parsing([name], macros, work)


def parsing(names: list[str], macros: list[str], work: str) -> list[str]:
    """Return the options that parse device headers. The names of macros are not replaced in these."""
    path = os.path.join(work, "prelude.h")
    lines = ["#pragma clang system_header\n", *(f'#include "{os.path.join(headers(), name)}"\n' for name in names)]
    lines += [f"#define {name} {value if equals else 1}\n" for name, equals, value in map(_split, macros)]
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(lines)
    return ["-include", path]


def _split(macro: str) -> tuple[str, str, str]:
    """Return the name of the macro of an option -D, "=" if it has a value, and the value: its first line, as clang."""
    return macro.removeprefix("-D").split("\n")[0].partition("=")


def _path(compiler: list[str], version: str, name: str) -> str:
    """Return the path of a precompiled header, whether it exists or not; "" without a folder for it."""
    try:
        folder = checked_path(cache_folder())
    except own(OSError):
        return ""
    # Precompiled headers contain the absolute paths of their sources.
    digest = hashlib.sha256("\0".join([*compiler, headers(), name]).encode() + build(version))
    return os.path.join(folder, f"{digest.hexdigest()[:32]}.pch")


def _precompile(path: str, compiler: list[str], name: str) -> None:
    part, source = f"{path}.{os.urandom(8).hex()}", os.path.join(headers(), name)
    # -S ends the driver's work after the compiler, which writes the precompiled header instead of the assembly.
    emit = ["-S", "-w", "-Xclang", "-emit-pch", "-Xclang", "-fno-pch-timestamp", "-o", part, source]
    try:
        subprocess.run([*compiler, *emit], check=True, capture_output=True, cwd=os.path.dirname(path), env=ENVIRONMENT)
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.unlink(part)
