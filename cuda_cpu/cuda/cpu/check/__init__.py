# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Which checks kernels are compiled with, and the numbers that machine code and runtime exchange.

Runtime/check/check.h.
"""

from __future__ import annotations

import functools
import os

# enum cpu_check
MEMCHECK, RACECHECK, SYNCCHECK = 1, 2, 4
NAMES = {"memcheck": MEMCHECK, "racecheck": RACECHECK, "synccheck": SYNCCHECK}
LEAKS = "leakcheck"  # asks the driver, not the kernels, so `all` has it not

# enum cpu_space, by what `emit.memory.space_of` calls them
SPACES = {"generic": 0, "global": 1, "shared": 2, "local": 3, "cluster": 4, "param": 5, "const": 6}
# CPU_ACCESS_...
READ, WRITE, UNIFORM, SIZED, VALUES, STRONG, RELEASE = 0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000
STEP = 16
# CPU_MEETING_...
ALIGNED, ALONE = 0x100, 0x200


def chosen() -> int:
    """Return the checks that CUDA_CPU_CHECK asks for.

    Raises
    ------
    ValueError
        It has a name that is none.
    """
    return parse(os.environ.get("CUDA_CPU_CHECK", ""))[0]


def wants_leaks() -> bool:
    return parse(os.environ.get("CUDA_CPU_CHECK", ""))[1]


@functools.cache
def parse(text: str) -> tuple[int, bool]:
    """Return the checks of kernels that a list of names asks for, and whether leaks are to be told."""
    checks, leaks = 0, False
    for name in filter(None, map(str.strip, text.split(","))):
        if name == "all":
            checks |= sum(NAMES.values())
        elif name == LEAKS:
            leaks = True
        elif name in NAMES:
            checks |= NAMES[name]
        else:
            raise ValueError(f"CUDA_CPU_CHECK has {name!r}; it takes {', '.join([*NAMES, LEAKS])} and all")
    return checks, leaks
