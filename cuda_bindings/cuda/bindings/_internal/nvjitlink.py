# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Addresses of nvJitLink's functions, under the name that other packages import."""

from cuda.bindings import nvjitlink
from cuda.bindings._internal import _symbols


def _inspect_function_pointer(name: str) -> int:
    """Return the address of the function `name` (such as "__nvJitLinkVersion") of nvJitLink, 0 if it has none."""
    name = _symbols.bare(name)
    found = _symbols.address("nvjitlink", [name])
    if found or name == "nvJitLinkVersion":
        return found
    # All but nvJitLinkVersion are exported with the library's version in their names (nvJitLink.h).
    major, minor = nvjitlink.version()
    return _symbols.address("nvjitlink", [f"__{name}_{major}_{minor}"])
