# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Types of static `__shared__` variables, from their declarations in the source: NVRTC writes no entries for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import NamedTuple

from cuda.cpu.signals import own

# C++ type -> bytes and encoding
TYPES = {
    "float": (4, "float"), "double": (8, "float"), "bool": (1, "boolean"), "char": (1, "signed_char"),
    "signed char": (1, "signed_char"), "unsigned char": (1, "unsigned_char"), "short": (2, "signed"),
    "unsigned short": (2, "unsigned"), "int": (4, "signed"), "unsigned": (4, "unsigned"),
    "unsigned int": (4, "unsigned"), "long": (8, "signed"), "unsigned long": (8, "unsigned"),
    "long long": (8, "signed"), "unsigned long long": (8, "unsigned"), "size_t": (8, "unsigned"),
    "int8_t": (1, "signed_char"), "uint8_t": (1, "unsigned_char"), "int16_t": (2, "signed"),
    "uint16_t": (2, "unsigned"), "int32_t": (4, "signed"), "uint32_t": (4, "unsigned"), "int64_t": (8, "signed"),
    "uint64_t": (8, "unsigned"), "__half": (2, "float"), "half": (2, "float"),
}  # fmt: skip
_WORDS = re.compile(r"\b(?:const|volatile|static)\b|\b(?:alignas|__align__)\s*\([^)]*\)|\bstd::")  # not of the type


class Declared(NamedTuple):
    """A type of C++, and the dimensions of the array, none for a single value."""

    type: str
    dimensions: list[int]


def declared(path: str, line: int, name: str, size: int, size_of: Callable[[str], int]) -> Declared | None:
    """Return how a shared variable of `size` bytes is declared, behind a line of a source file rather than before it.

    None if it is not found, or its type or dimensions are not known. `size_of` returns the bytes of a type of the
    program, 0 if there is none.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except own(OSError):
        return None
    start = sum(map(len, text.splitlines(keepends=True)[: max(line - 1, 0)]))
    pattern = re.compile(rf"__shared__\s+([\w\s:()]+?)\s*\b{re.escape(name)}\b\s*((?:\[[^\]]*\]\s*)*)[;,={{]")
    for match in (*pattern.finditer(text, start), *pattern.finditer(text, 0, start)):
        kind = " ".join(_WORDS.sub(" ", match[1]).split())
        kind = kind if kind in TYPES else kind.removesuffix(" int")  # long long int
        each = TYPES[kind][0] if kind in TYPES else size_of(kind)
        if each:
            found = _dimensions(re.findall(r"\[([^\]]*)\]", match[2]), size, each)
            if found is not None:
                return Declared(kind, found)
    return None


def _dimensions(texts: list[str], size: int, of_each: int) -> list[int] | None:
    """Return the dimensions of an array; one that is no number (a template argument) follows from the size."""
    known = [int(text, 0) if re.fullmatch(r"\s*(0[xX][0-9a-fA-F]+|[1-9]\d*)\s*", text) else 0 for text in texts]
    unknown = known.count(0)
    whole = prod(each for each in known if each) * of_each
    if unknown > 1 and size % of_each == 0:
        return [size // of_each]  # as a whole
    if unknown == 1 and size % whole == 0:
        return [each or size // whole for each in known]
    return known if not unknown and whole == size else None
