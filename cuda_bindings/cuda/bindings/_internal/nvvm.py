# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Addresses of libNVVM's functions, under the name that other packages import."""

from cuda.bindings._internal import _symbols


def _inspect_function_pointer(name: str) -> int:
    """Return the address of the function `name` (such as "__nvvmVersion") of libNVVM, 0 if it has none."""
    return _symbols.address("nvvm", [_symbols.bare(name)])
