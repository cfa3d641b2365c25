# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The device headers, precompiled: one file for each combination of options that their meaning depends on.

A compilation without includes then takes less than half the time. Device headers that a program includes before
anything else are precompiled with them. The files are in a folder that only the user can write to; without such a
folder the headers are parsed each time.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess

from cuda.bindings._signals import own
from cuda.core._program._cache_folder import checked_path
from cuda.core._program._clang._find import ENVIRONMENT, build, headers

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


def prelude(command: list[str], version: str, language: list[str], parse: bool, included: list[str]) -> list[str]:
    """Return the options that include the device headers: precompiled with the options `language` unless `parse`.

    The headers `included` are precompiled with them.
    """
    source = os.path.join(headers(), "cuda_runtime.h")
    try:
        path = "" if parse else _precompiled(command, version, [*language, *_before(included)], source)
    except own(OSError, subprocess.CalledProcessError):
        path = ""
    return ["-Xclang", "-include-pch", "-Xclang", path] if path else ["-include", source]


def _before(included: list[str]) -> list[str]:
    return [option for path in included for option in ("-include", path)]


def _precompiled(command: list[str], version: str, language: list[str], source: str) -> str:
    folder = checked_path(cache_folder())
    # Precompiled headers contain the absolute paths of their sources.
    digest = hashlib.sha256("\0".join([*command, *language, source]).encode() + build(version))
    path = os.path.join(folder, f"{digest.hexdigest()[:32]}.pch")
    if not os.path.exists(path):
        part = f"{path}.{os.urandom(8).hex()}"
        # -S ends the driver's work after the compiler, which writes the precompiled header in place of the assembly.
        emit = ["-S", "-w", "-Xclang", "-emit-pch", "-Xclang", "-fno-pch-timestamp", "-o", part, source]
        try:
            subprocess.run([*command, *language, *emit], check=True, capture_output=True, cwd=folder, env=ENVIRONMENT)
            os.replace(part, path)
        finally:
            if os.path.exists(part):
                os.unlink(part)
    return path
