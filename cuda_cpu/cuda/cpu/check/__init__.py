# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Checks of CUDA_CPU_CHECK and their bits (runtime/check/check.h): memcheck, racecheck, initcheck and others."""

from __future__ import annotations

import functools
import importlib
import os
import re
from typing import Any

from cuda.cpu.runtime.abi import number, numbers

NAMES = {name.lower(): number(name) for name in ("MEMCHECK", "RACECHECK", "SYNCCHECK", "INITCHECK")}
MEMCHECK, RACECHECK, SYNCCHECK, INITCHECK = NAMES.values()
ALL = MEMCHECK | RACECHECK | SYNCCHECK  # correct kernels of CUB read unwritten memory and ignore what they read
LEAKS = "leakcheck"  # a check of the driver, not of kernels, so `all` does not include it
KNOWN = [*NAMES, LEAKS, "all"]

# Number of a state space, by the names that `space_of` returns.
SPACES = {name.lower(): value for name, value in numbers("CPU_SPACE_").items()}
READ, WRITE, STRONG, RELEASE, ATOMIC, VOLATILE, BLOCK_SCOPE = (
    number(f"ACCESS_{name}") for name in ("READ", "WRITE", "STRONG", "RELEASE", "ATOMIC", "VOLATILE", "BLOCK_SCOPE")
)
UNIFORM, ROW, BASES, SIZED, VALUES, COPIED, ASYNC, FRESH, VARIABLE, STEP = (
    number(f"ACCESS_{name}")
    for name in ("UNIFORM", "ROW", "BASES", "SIZED", "VALUES", "COPIED", "ASYNC", "FRESH", "VARIABLE", "STEP")
)
FREE = number("ACCESS_FREE")
ORDERS = {name.lower(): value for name, value in numbers("CPU_ORDER_").items()}
ALIGNED, ALONE, SOURCES, EACH, FULL = (
    number(f"MEETING_{name}") for name in ("ALIGNED", "ALONE", "SOURCES", "EACH", "FULL")
)
# Operations on mbarriers, in the flags of an access.
MBARRIER = {name.lower(): value << number("ACCESS_MBARRIER") for name, value in numbers("CPU_MBARRIER_").items()}


# Names for programs, and the modules that define them, which the driver does not need.
_EXPORTS = {"Check": "checker", "Finding": "finding", "Frame": "finding", "findings": "recorder"}

_override: int | None = None  # checks that a program has asked for
_kernels = re.compile("")


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_EXPORTS[name]}"), name)


def select(checks: int | None) -> None:
    """Use these checks for kernels that are compiled from now on; None: those of CUDA_CPU_CHECK."""
    global _override
    _override = checks


def select_kernels(pattern: str) -> None:
    """Check only kernels whose names contain a match."""
    global _kernels
    _kernels = re.compile(pattern)


def is_selected(kernel: str) -> bool:
    return _kernels.search(kernel) is not None


def of_kernel(name: str) -> int:
    """Return the checks for a kernel. initcheck needs the writes of all kernels."""
    checks = chosen()
    return checks if not checks or is_selected(name) else checks & INITCHECK


def chosen() -> int:
    """Return the checks that CUDA_CPU_CHECK or the program selects.

    Raises
    ------
    ValueError
        It contains an unknown name, or initcheck although the whole program is profiled.
    """
    if _override is not None:
        return _override
    checks = parse(os.environ.get("CUDA_CPU_CHECK", ""))[0]
    if checks & INITCHECK and os.environ.get("CUDA_CPU_PROFILE") == "1":
        raise ValueError(
            "CUDA_CPU_CHECK has initcheck, which does not see what kernels write that CUDA_CPU_PROFILE profiles; "
            "set one of them"
        )
    return checks


def wants_leaks() -> bool:
    return parse(os.environ.get("CUDA_CPU_CHECK", ""))[1]


@functools.cache
def parse(text: str, where: str = "CUDA_CPU_CHECK has") -> tuple[int, bool]:
    """Return the checks of kernels in a list of names, and whether it contains leakcheck.

    Raises
    ------
    ValueError
        It contains an unknown name; the message begins with `where`.
    """
    checks, leaks = 0, False
    for name in filter(None, map(str.strip, text.split(","))):
        if name == "all":
            checks |= ALL
        elif name == LEAKS:
            leaks = True
        elif name in NAMES:
            checks |= NAMES[name]
        else:
            import difflib  # not at every start

            near = difflib.get_close_matches(name, KNOWN, 1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise ValueError(f"{where} {name!r}; {hint}it takes {', '.join(KNOWN[:-1])} and all")
    return checks, leaks


def demand(text: str, where: str) -> tuple[int, bool]:
    """Do the same for a list that must name a check."""
    checks, leaks = parse(text, where)
    if not checks and not leaks:
        raise ValueError(f"{where} {text!r}, which names no check; it takes {', '.join(KNOWN[:-1])} and all")
    return checks, leaks


def pattern_of(value: object, name: str = "kernels") -> re.Pattern[str]:
    """Return the regular expression for names of kernels that an argument or option has, which `name` names.

    Raises
    ------
    TypeError, ValueError
        It is none.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, must be a regular expression for names of kernels, as a string")
    try:
        return re.compile(value)
    except re.error as error:
        raise ValueError(f"{name} is {value!r}, which is no regular expression: {error}") from None
