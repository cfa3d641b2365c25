# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which code a device of some compute capability runs: PTX ISA manual, 11.1.2, and CUDA's guide on compatibility."""

from __future__ import annotations

import re

from cuda.cpu.ptx.error import PtxError, VersionError

_VERSION = re.compile(r"(?<![\w.])\.version\s+(\d+)\.(\d+)\b")
_TARGET = re.compile(r"(?<![\w.])\.target\s+([^/\n;]*)")
_DIGITS = 9  # of a part of a version that tell that it is too late, with many more to come
_ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d{1,4})([af]?)\b")


def check(text: str, capability: int, newest: tuple[int, int]) -> None:
    """Raise unless a device, by a driver that knows PTX up to a version, runs PTX."""
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
    """Return whether a device runs machine code for `made_for`: the major version is the same, the minor not later."""
    return capability is None or (made_for // 10 == capability // 10 and made_for <= capability)


def misfit(text: str, capability: int | None) -> str:
    """Return why PTX does not run on a device; "" if it does, or says nothing of a target that is known."""
    found = _TARGET.search(text) if capability is not None else None
    return "" if found is None or capability is None else misfit_of(found[1], capability)


def misfit_of(target: str, capability: int) -> str:
    """Do the same for what stands behind `.target`.

    sm_90 runs on 9.0 and whatever came later, sm_90a on 9.0 alone, sm_100f on the later ones of its family.
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
    """Return a compute capability as it is written: 9.0 for 90."""
    return f"{capability // 10}.{capability % 10}"
