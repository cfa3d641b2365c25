# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The CUDA version that introduced each exported symbol, from the typedefs ``PFN_<function>_v<version>``.

The headers number the versions of a function in two ways: symbols ``cuMemAlloc``, ``cuMemAlloc_v2`` and typedefs
``PFN_cuMemAlloc_v2000``, ``PFN_cuMemAlloc_v3020``. Sorted, they correspond.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

SYMBOL = re.compile(r"(?P<base>\w+?)(?:_v(?P<form>\d+))?(?P<stream>_ptds|_ptsz)?")
TYPEDEF = re.compile(r"PFN_(?P<base>\w+?)_v(?P<version>\d+)(?P<stream>_ptds|_ptsz)?")


class VersionError(Exception):
    """The typedefs do not list every version of a function."""


def split(symbol: str) -> tuple[str, int, str]:
    """Return the function, the number of its version and the stream suffix of a symbol.

    >>> split("cuMemcpyHtoD_v2_ptds")
    ('cuMemcpyHtoD', 2, '_ptds')
    """
    match = SYMBOL.fullmatch(symbol)
    if match is None:
        raise VersionError(f"not a symbol: {symbol}")
    return match["base"], int(match["form"] or 1), match["stream"] or ""


def introduced(symbols: Iterable[str], typedefs: Iterable[str]) -> dict[str, int]:
    """Return the CUDA version of each symbol, as 1000 * major + 10 * minor."""
    forms: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    dates: dict[tuple[str, str], list[int]] = defaultdict(list)
    for symbol in symbols:
        base, form, stream = split(symbol)
        forms[base, stream].append((form, symbol))
    for typedef in typedefs:
        match = TYPEDEF.fullmatch(typedef)
        if match is None:
            raise VersionError(f"not a typedef of a function with a version: {typedef}")
        dates[match["base"], match["stream"] or ""].append(int(match["version"]))
    result: dict[str, int] = {}
    for family, members in forms.items():
        if len(members) != len(dates[family]):
            names = [symbol for _, symbol in sorted(members)]
            raise VersionError(
                f"{family[0]}{family[1]}: the header declares {', '.join(names)}, but the header of typedefs "
                f"(cudaTypedefs.h) has PFN_{family[0]}_v<version> for the versions {sorted(dates[family]) or 'none'}"
            )
        result.update(zip((symbol for _, symbol in sorted(members)), sorted(dates[family]), strict=True))
    return result
