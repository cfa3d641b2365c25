# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The least `.version` and `.target` of instructions: "PTX ISA Notes" and "Target ISA Notes" of the manual, and ptxas.

Needs of an opcode are in its traits; needs of a modifier, whatever the opcode, are in the table below. An instruction
needs the maximum of all entries that match it; without any, it is in PTX 2.0 for sm_20.

A need is a version, "7.8"; the first target that has the instruction, "sm_90"; or one of
`LETTERS`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from cuda.cpu.ptx.rows import table

if TYPE_CHECKING:
    from cuda.cpu.ptx.form import Form

MODIFIERS = {
    "4.2": "f16/f16x2",
    "5.0": "gpu",
    "6.0": "relaxed/release/weak/acquire/acq_rel",
    "6.2": "noftz",
    "7.0": "NaN/relu/bf16/bf16x2/tf32",
    "7.2": "xorsign",
    "7.4": "L2::64B/L2::128B/L2::256B/L2::cache_hint/L1::evict_last/L1::no_allocate",
    "7.8": "cluster/shared::cluster",
    "8.0": "u16x2/s16x2",
    "8.2": "mmio",
    "8.3": "b128/param::entry/param::func",
    "8.6": "f32x2",
    "sm_53": "f16/f16x2",
    "sm_60": "gpu/noftz",
    "sm_70": (
        "relaxed/release/weak/acquire/acq_rel/b128/mmio/param::entry/param::func L1::evict_normal/"
        "L1::evict_unchanged/L1::evict_first/L1::evict_last/L1::no_allocate"
    ),
    "sm_80": "L2::cache_hint/L2::256B/NaN/relu/bf16/bf16x2/tf32",
    "sm_86": "xorsign",
    "sm_90": "cluster/shared::cluster/mbarrier::complete_tx::bytes/u16x2/s16x2",
    "sm_100": "f32x2",
}


class Target(NamedTuple):
    """The first and last number of the targets that have an instruction, and the suffixes of which one is required."""

    first: int
    last: int = 999
    letters: str = ""


# Architecture-specific targets (sm_90a) and family-specific ones (sm_100f), as needs name them.
LETTERS = {
    "sm_90a": Target(90, 90, "a"),
    "sm_90a+": Target(90, 999, "af"),
    "sm_100f": Target(100, 109, "af"),
    "sm_100a+": Target(100, 999, "af"),
    "sm_120f": Target(120, 129, "af"),
    "sm_120a": Target(120, 129, "a"),
}
Version = tuple[int, int]
# Versions and targets, each with the modifiers of the forms that need it.
Needs = tuple[list[tuple[frozenset[str], Version]], list[tuple[frozenset[str], Target]]]
FOUR_OPERANDS = ",c"  # word in needs for a fourth operand


def parsed(
    needs: Mapping[str, str],
) -> Needs:
    """Parse the needs of traits, in which a form is given as modifiers joined by dots."""
    versions: list[tuple[frozenset[str], Version]] = []
    targets: list[tuple[frozenset[str], Target]] = []
    for need, forms in needs.items():
        for form in forms.split():
            for words in product(*(part.split("/") for part in form.split(".") if part != "*")):
                if need[0].isdigit():
                    major, minor = need.split(".")
                    versions.append((frozenset(words), (int(major), int(minor))))
                else:
                    targets.append((frozenset(words), LETTERS.get(need) or Target(int(need.removeprefix("sm_")))))
    return versions, targets


@cache
def needs_of(opcode: str) -> Needs:
    """Return the needs of an opcode and its modifiers; for "*", those of modifiers in any instruction."""
    if opcode == "*":
        return parsed(MODIFIERS)
    versions, targets = parsed(table()[opcode][0].traits.needs)
    everywhere = needs_of("*")
    return everywhere[0] + versions, everywhere[1] + targets


@cache
def lacking(form: Form, operands: int, version: tuple[int, int], target: str) -> str:
    """Return a message about the `.version` or `.target` that an instruction lacks; "" if it has both."""
    words = {*form.modifiers, FOUR_OPERANDS} if operands == 4 else {*form.modifiers}
    versions, targets = needs_of(form.opcode)
    needed = max((each for key, each in versions if key <= words), default=version)
    if needed > version:
        return f"{form} needs .version {needed[0]}.{needed[1]} or later; this is .version {version[0]}.{version[1]}"
    parts = re.fullmatch(r"(?:sm|compute)_(\d+)([af]?)", target)
    if parts is None:
        return ""
    number, letter = int(parts[1]), parts[2]
    if form.opcode in ("shfl", "vote") and "sync" not in form.modifiers and version >= (6, 4) and number >= 70:
        return f"{form} needs .sync and a mask of lanes for {target}"
    for key, need in targets:
        if key <= words and not (
            need.first <= number <= need.last and (not need.letters or (letter and letter in need.letters))
        ):
            return f"{form} needs .target {_named(need)}; this is for {target}"
    return ""


def _named(need: Target) -> str:
    if not need.letters:
        return f"sm_{need.first} or later"
    exact = " or ".join(f"sm_{need.first}{letter}" for letter in need.letters if (need.first, letter) != (90, "f"))
    if need.first == need.last:
        return exact
    return f"{exact} or {'a later one with a letter' if need.last == 999 else 'of its family'}"
