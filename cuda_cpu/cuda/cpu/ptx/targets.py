# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Compatibility of PTX and machine code with compute capabilities: PTX ISA manual, 11.1.2, and CUDA's guide."""

from __future__ import annotations

import re

from cuda.cpu.ptx.error import PtxError, VersionError

CAPABILITY = r"(7\.5|8\.[0-9]|9\.0|1[0-2]\.[0-9])"  # of CUDA_CPU_CAPABILITY
CAPABILITIES = "7.5 to 12.9, such as 9.0"

_VERSION = re.compile(r"(?<![\w.])\.version\s+(\d+)\.(\d+)\b")
_TARGET = re.compile(r"(?<![\w.])\.target\s+([^/\n;]*)")
_DIGITS = 9  # digits of a version number that are read: enough to see that it is too new
_ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d{1,4})([af]?)\b")


def check(text: str, capability: int, newest: tuple[int, int]) -> None:
    """Raise unless a device runs the PTX, with a driver that supports PTX versions up to `newest`."""
    found = _VERSION.search(text)
    version = tuple(int(part.lstrip("0")[:_DIGITS] or 0) for part in found.groups()) if found else newest
    if version > newest:
        raise VersionError(
            f"the PTX is of .version {version[0]}.{version[1]}; this driver knows up to {newest[0]}.{newest[1]}: "
            "compile with a toolkit that is not newer than the driver"
        )
    reason = misfit(text, capability)
    if reason:
        raise PtxError(f"{reason}; compile for it, or set CUDA_CPU_CAPABILITY to the device's compute capability")


def runs_machine_code(made_for: int, capability: int | None) -> bool:
    """Return whether a device runs machine code for `made_for`: equal major version, minor not newer."""
    return capability is None or (made_for // 10 == capability // 10 and made_for <= capability)


def misfit(text: str, capability: int | None) -> str:
    """Return why PTX does not run on a device; "" if it does, or has no known target."""
    found = _TARGET.search(text) if capability is not None else None
    return "" if found is None or capability is None else misfit_of(found[1], capability)


def misfit_of(target: str, capability: int) -> str:
    """Return the same as `misfit` for the operand of `.target`.

    sm_90 runs on 9.0 and all later devices, sm_90a on 9.0 only, sm_100f on 10.0 and later devices of its family.
    """
    found = _ARCHITECTURE.search(target)
    if found is None:
        return ""
    number, letter = int(found[1]), found[2]
    if not letter and number <= capability:
        return ""
    if letter == "a" and number == capability:
        return ""
    if letter == "f" and runs_machine_code(number, capability):
        return ""
    devices = {
        "": f"{spell(number)} or later",
        "a": f"{spell(number)} alone",
        "f": f"{spell(number)} to {number // 10}.9",
    }
    return (
        f".target {found[0]} runs on devices of compute capability {devices[letter]}; this one has {spell(capability)}"
    )


def spell(capability: int) -> str:
    """Return a compute capability in CUDA's notation: 9.0 for 90."""
    return f"{capability // 10}.{capability % 10}"
