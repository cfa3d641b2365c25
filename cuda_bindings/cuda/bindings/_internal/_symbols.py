# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Addresses of functions in the libraries that cuda.bindings opens."""

import ctypes

from cuda.bindings._loader import library_path


def address(api: str, names: list[str]) -> int:
    """Return the address of the first of `names` that the library of `api` exports, or 0."""
    library = ctypes.CDLL(library_path(api))
    for name in names:
        if hasattr(library, name):
            return ctypes.cast(library[name], ctypes.c_void_p).value or 0
    return 0


def bare(name: str) -> str:
    """Return `name` without its leading two underscores, as callers pass it."""
    if not isinstance(name, str):
        raise TypeError(f"name must be str, not {type(name).__name__} ({name!r:.80})")
    return name.removeprefix("__")
