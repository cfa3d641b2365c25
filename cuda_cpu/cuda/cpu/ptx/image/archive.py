# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Static libraries: the members of an archive (ar, System V format), and the selection of those that are linked."""

from __future__ import annotations

from collections.abc import Iterable

from cuda.cpu.ptx.error import PtxError
from cuda.cpu.ptx.parser import parse

MAGIC = b"!<arch>\n"
_HEADER = 60
_TABLES = (b"/", b"//", b"/SYM64/")  # members with symbols and with long names


def members(data: bytes) -> list[bytes]:
    """Return the content of each member.

    Raises
    ------
    PtxError
        The data is not an archive, or is damaged.
    """
    if data[: len(MAGIC)] != MAGIC:
        raise PtxError(f"the library is no archive: it begins with {data[:8].hex(' ')}")
    found, at = [], len(MAGIC)
    while at < len(data):
        header = data[at : at + _HEADER]
        size = header[48:58].strip()
        at += _HEADER
        if header[58:] != b"`\n" or not size.isdigit() or at + int(size) > len(data):
            raise PtxError(f"the library is damaged: the member at byte {at - _HEADER} has a wrong header")
        if header[:16].strip() not in _TABLES:
            found.append(data[at : at + int(size)])
        at += int(size) + int(size) % 2
    return found


def needed(units: list[str], libraries: Iterable[list[str]]) -> list[str]:
    """Return the units of those members that define undefined names of others, in the order in which they are found."""
    defined, missing = _names(units)
    waiting = [(member, *_names(member)) for member in libraries]
    added: list[str] = []
    while chosen := next((each for each in waiting if each[1] & (missing - defined)), None):
        waiting.remove(chosen)
        added += chosen[0]
        defined |= chosen[1]
        missing |= chosen[2]
    return added


def _names(units: list[str]) -> tuple[set[str], set[str]]:
    """Return the global names that units define, and those that they declare."""
    defined: set[str] = set()
    declared: set[str] = set()
    for module in map(parse, units):
        for function in module.functions.values():
            (declared if function.body is None else defined).add(function.name)
        for variable in module.variables.values():
            (declared if variable.linkage == "extern" else defined).add(variable.name)
        defined.update(module.aliases)
    return defined, declared
