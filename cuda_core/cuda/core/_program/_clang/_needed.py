# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The device headers that a program needs: those that declare something that it names.

Parsing all of them takes ten times as long as compiling a small kernel, and reading them precompiled longer than
parsing the few that such a kernel needs.
"""

from __future__ import annotations

import collections
import functools
import re
from collections.abc import Iterable

from cuda.core._program._clang._header_names import DECLARED

COMMON = "open_cuda/common.h"
# What programs may use without naming it: operators, lists in braces.
ALWAYS = ("vector_functions.h", "open_cuda/variables.h", "open_cuda/runtime.h", "open_cuda/standard.h")
# Programs whose names are not all in their text, or whose launches call functions of the headers.
_UNCLEAR = re.compile(rb"##|%:|<<<|include|import")
_NAME = re.compile(r"[A-Za-z_]\w*")


@functools.cache
def _headers_of() -> dict[str, list[str]]:
    """Return the headers that declare a name, for each name."""
    found = collections.defaultdict(list)
    for header, (_, _, names) in DECLARED.items():
        for name in names.split():
            found[name].append(header)
    return found


def needed_headers(text: bytes) -> list[str] | None:
    """Return the headers that a program needs, in the order of cuda_runtime.h, or None for all."""
    if _UNCLEAR.search(text):
        return None
    table = _headers_of()
    used = set(_NAME.findall(re.sub(rb"\\\r?\n", b"", text).decode("latin-1")))
    return list(_with_included({*ALWAYS, *(header for name in used & table.keys() for header in table[name])}))


@functools.cache
def _common() -> dict[str, None]:
    return _with_included({COMMON})


def are_common(headers: list[str]) -> bool:
    """Return whether open_cuda/common.h includes these headers."""
    return _common().keys() >= set(headers)


def size_of(headers: Iterable[str]) -> int:
    """Return the size of preprocessed headers in units of 10,000 characters, 4 ms."""
    return sum(DECLARED[header][0] for header in headers)


def _with_included(headers: set[str]) -> dict[str, None]:
    """Return headers and what they include, in the order of cuda_runtime.h."""
    waiting = list(headers)
    while waiting:
        new = set(DECLARED[waiting.pop()][1].split()) - headers
        headers |= new
        waiting += new
    return dict.fromkeys(header for header in DECLARED if header in headers)
