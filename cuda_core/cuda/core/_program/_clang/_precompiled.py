# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The device headers, precompiled: one file for each combination of options that their meaning depends on.

A compilation without includes then takes less than half the time. The files are in a folder that only the user can
write to; without such a folder the headers are parsed each time.
"""

from __future__ import annotations

import hashlib
import os
import subprocess

from cuda.bindings._signals import own
from cuda.core._program._cache_folder import checked_path
from cuda.core._program._clang._find import ENVIRONMENT, build, headers


def prelude(command: list[str], version: str, language: list[str], parse: bool) -> list[str]:
    """Return the options that include the device headers: precompiled with the options `language` unless `parse`."""
    source = os.path.join(headers(), "cuda_runtime.h")
    try:
        path = "" if parse else _precompiled(command, version, language, source)
    except own(OSError, subprocess.CalledProcessError):
        path = ""
    return ["-Xclang", "-include-pch", "-Xclang", path] if path else ["-include", source]


def _precompiled(command: list[str], version: str, language: list[str], source: str) -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = checked_path(os.path.join(base, "open-cuda-python", "clang-headers"))
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
