# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of CUDA_CPU_CHECK and their bits (runtime/check/check.h): memcheck, racecheck, initcheck and others."""

from __future__ import annotations

import functools
import os

from cuda.cpu.runtime.abi import number, numbers

NAMES = {name.lower(): number(name) for name in ("MEMCHECK", "RACECHECK", "SYNCCHECK", "INITCHECK")}
MEMCHECK, RACECHECK, SYNCCHECK, INITCHECK = NAMES.values()
ALL = MEMCHECK | RACECHECK | SYNCCHECK  # correct kernels of CUB read unwritten memory and ignore what they read
LEAKS = "leakcheck"  # a check of the driver, not of kernels, so `all` does not include it

# Number of a state space, by the names that `space_of` returns.
SPACES = {name.lower(): value for name, value in numbers("CPU_SPACE_").items()}
READ, WRITE, UNIFORM, SIZED, VALUES, STRONG, RELEASE, COPIED, FRESH, STEP = (
    number(f"ACCESS_{name}")
    for name in ("READ", "WRITE", "UNIFORM", "SIZED", "VALUES", "STRONG", "RELEASE", "COPIED", "FRESH", "STEP")
)
ALIGNED, ALONE, SOURCES, EACH = (number(f"MEETING_{name}") for name in ("ALIGNED", "ALONE", "SOURCES", "EACH"))
# Operations on mbarriers, in the flags of an access.
MBARRIER = {name.lower(): value << number("ACCESS_MBARRIER") for name, value in numbers("CPU_MBARRIER_").items()}


def chosen() -> int:
    """Return the checks that CUDA_CPU_CHECK selects.

    Raises
    ------
    ValueError
        It contains an unknown name.
    """
    return parse(os.environ.get("CUDA_CPU_CHECK", ""))[0]


def wants_leaks() -> bool:
    return parse(os.environ.get("CUDA_CPU_CHECK", ""))[1]


@functools.cache
def parse(text: str) -> tuple[int, bool]:
    """Return the checks of kernels in a list of names, and whether it contains leakcheck."""
    checks, leaks = 0, False
    for name in filter(None, map(str.strip, text.split(","))):
        if name == "all":
            checks |= ALL
        elif name == LEAKS:
            leaks = True
        elif name in NAMES:
            checks |= NAMES[name]
        else:
            raise ValueError(f"CUDA_CPU_CHECK has {name!r}; it takes {', '.join([*NAMES, LEAKS])} and all")
    return checks, leaks
