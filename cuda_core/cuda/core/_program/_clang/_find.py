# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The clang in use: of the Python package ziglang, or of the system."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator

from cuda.bindings._signals import own
from cuda.core._errors import ClangError, compiler_error

OLDEST = 18
NEWEST = 22  # of the names clang-N that are looked for
VARIABLE = "CUDA_PYTHON_CLANG"
# Variables that change what clang does are not passed on: the command line says everything.
ENVIRONMENT = {"LC_ALL": "C.UTF-8"}
_MISSING = (
    "clang is not installed: pip install 'open-cuda-python[open]', or install clang 18 or newer (apt install "
    f"clang-19), or name one by {VARIABLE}"
)


def _candidates() -> Iterator[list[str]]:
    """Yield the commands to try, best first."""
    if path := os.environ.get(VARIABLE):
        yield [path]
        return
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        yield [os.path.join(folder, "zig"), "clang"]
    # What relative folders contain depends on the current directory.
    search = os.pathsep.join(filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep)))
    for name in [*(f"clang-{number}" for number in range(NEWEST, OLDEST - 1, -1)), "clang"]:
        if path := shutil.which(name, path=search):
            yield [path]


@functools.cache
def _version(command: tuple[str, ...], size: int, changed: int) -> str:
    """Return what a command says about its version, "" if it cannot run."""
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    except own(OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout


def _described(command: list[str]) -> str:
    if not os.path.isfile(command[0]):
        return ""
    status = os.stat(command[0])
    return _version(tuple(command), status.st_size, status.st_mtime_ns)


def major(text: str) -> int:
    """Return the first number of the version that clang says about itself, 0 if it is no clang."""
    match = re.search(r"clang version (\d+)", text)
    return int(match[1]) if match else 0


def find() -> tuple[list[str], str]:
    """Return the command of a clang that is new enough, and its version as it says itself.

    Raises
    ------
    ClangError
        There is none.
    """
    old = ""
    for command in _candidates():
        text = _described(command)
        if major(text) >= OLDEST:
            return command, text
        old = old or f"{' '.join(command)} is {text.splitlines()[0] if text else 'no working clang'}. "
    raise compiler_error(ClangError, "CLANG_NOT_FOUND", -1, "clang", f"{old}{_MISSING}")


def is_installed() -> bool:
    """Return whether a clang that is new enough is installed."""
    return any(major(_described(command)) >= OLDEST for command in _candidates())


@functools.cache
def headers() -> str:
    """Return the folder of the device headers."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")


@functools.cache
def _headers_digest() -> bytes:
    import hashlib

    digest = hashlib.sha256()
    for folder, folders, files in os.walk(headers()):
        folders.sort()
        for name in sorted(files):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(name.encode() + b"\0" + file.read())
    return digest.digest()


def build(version: str = "") -> bytes:
    """Return an identifier of the compiler (by default the one in use) and the device headers, for keys of caches."""
    return b"clang " + (version or find()[1]).encode() + _headers_digest()
