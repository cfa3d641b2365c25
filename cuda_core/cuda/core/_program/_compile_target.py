# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The default architecture for compilations."""

from __future__ import annotations

from cuda.bindings._signals import own


def current_arch() -> str:
    """Return the architecture of the current device such as "90", "" without a device."""
    try:
        from cuda.core import Device

        return str(Device().arch)
    except own(ImportError, RuntimeError, ValueError):
        return ""


def default_arch(of_device: str | None, supported: list[int] | None = None) -> str:
    """Return the architecture to compile for if none is given.

    It is the device's, or the newest older one that the compiler supports. Without a driver it is the oldest
    that the compiler supports, since PTX for it runs on all newer ones.

    Parameters
    ----------
    of_device : str, optional
        The architecture of the device, such as "sm_90".
    supported : list of int
        The architectures that the compiler supports, such as 90.
    """
    arch = int(of_device.rpartition("_")[2]) if of_device else 0
    known = sorted(supported or [75])
    if not arch:
        return f"sm_{known[0]}"
    if supported and arch not in known:
        arch = max((number for number in known if number < arch), default=known[0])
    return f"sm_{arch}"
