# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Addresses that callers give as ints or as handles of the bindings."""

from __future__ import annotations

from typing import Any


def as_address(value: Any, expected: str) -> int:
    """Return an address as int; `expected` begins the message of the TypeError for what is none, such as text."""
    try:
        if isinstance(value, (str, bytes, bytearray)):  # which int() would parse
            raise TypeError
        return int(value)
    except (TypeError, ValueError):
        raise TypeError(f"{expected}, not {value!r:.60}") from None
