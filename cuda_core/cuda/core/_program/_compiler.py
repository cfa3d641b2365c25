# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The choice between the compilers of CUDA C++: NVRTC and clang."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from cuda.bindings._signals import own

VARIABLE = "CUDA_PYTHON_COMPILER"
_NAMES = ("auto", "nvrtc", "clang")


def is_clang(compiler: Any) -> bool:
    """Return whether clang compiles, for the value of the option `compiler`.

    Raises
    ------
    ValueError
        If the option or the environment variable is none of the compilers' names.
    """
    source = "compiler"
    if compiler is None:
        source, compiler = VARIABLE, os.environ.get(VARIABLE) or "auto"
    if compiler not in _NAMES:
        raise ValueError(f"{source} must be {', '.join(map(repr, _NAMES[:-1]))} or {_NAMES[-1]!r}, not {compiler!r}")
    if compiler == "auto" and not _has_nvrtc():
        from cuda.core._program._clang._find import is_installed

        return is_installed()  # without either, the message about NVRTC says what to install
    return bool(compiler == "clang")


@contextlib.contextmanager
def naming_both(compiler: Any) -> Iterator[None]:
    """Let the error of a missing NVRTC name clang, too, where either would do."""
    from cuda.bindings._loader import LibraryNotFound

    try:
        yield
    except LibraryNotFound as error:
        if "nvrtc" in (compiler, os.environ.get(VARIABLE)):
            raise
        message = f"{error}, or clang, which compiles CUDA C++ as well, by pip install 'open-cuda-python[open]'"
        raise LibraryNotFound(message) from None


def _has_nvrtc() -> bool:
    from cuda.bindings import _loader

    try:
        _loader.library_path("nvrtc")
    except own(ImportError, OSError, RuntimeError):
        return False
    return True
