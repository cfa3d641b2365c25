# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""For which architecture to compile."""

from __future__ import annotations


def current_arch() -> str:
    """Return the architecture of the current device without a point, "" where there is none."""
    try:
        from cuda.core import Device

        return str(Device().arch)
    except (ImportError, RuntimeError, ValueError):
        return ""


def default_arch(supported: list[int] | None = None) -> str:
    """Return the architecture to compile for where none is given.

    It is the current device's, or the newest one below that the compiler knows. Without a driver it is the oldest that
    the compiler knows, since PTX for it runs on all newer ones.

    Parameters
    ----------
    supported : list of int
        The architectures that the compiler knows, such as 90.
    """
    arch = int(current_arch() or 0)
    known = sorted(supported or [75])
    if not arch:
        return f"sm_{known[0]}"
    if supported and arch not in known:
        arch = max((number for number in known if number < arch), default=known[0])
    return f"sm_{arch}"
