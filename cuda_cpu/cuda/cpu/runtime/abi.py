# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of the native runtime's headers: struct offsets, service and fault numbers, limits, layouts of textures.

The C compiler fills the table (exec/abi_table.c), so each number is stated in one header only.
"""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.cpu.runtime import _runtime

_TABLE = _runtime.abi_table()
_TYPES = {
    "B": ctypes.c_uint8, "H": ctypes.c_uint16, "I": ctypes.c_uint32, "Q": ctypes.c_uint64, "h": ctypes.c_int16,
    "f": ctypes.c_float,
}  # fmt: skip


def number(name: str) -> int:
    """Return a constant or an enumerator: ``number("MAX_LEVELS")`` is CPU_MAX_LEVELS."""
    return _TABLE[f"CPU_{name}"][0]


def numbers(prefix: str) -> dict[str, int]:
    """Return the numbers whose names begin with a prefix: the rest of the name -> number."""
    return {name.removeprefix(prefix): value for name, (value, _, _) in _TABLE.items() if name.startswith(prefix)}


def fields(struct: str) -> list[tuple[str, Any]]:
    """Return the ctypes fields of a struct."""
    found = []
    for name, (_, code, count) in _TABLE.items():
        if name.startswith(f"{struct}."):
            element: Any = _TYPES[code]
            found.append((name.removeprefix(f"{struct}."), element if count == 1 else element * count))
    return found


WARP = numbers("warp.")  # offsets in struct cpu_warp
SERVICES = numbers("service.")  # offsets in struct cpu_runtime
DEVICE_CALLS = numbers("call.")  # enum cpu_device_call, by the function's name without cuda
FAULTS = {name.lower(): value for name, value in numbers("CPU_FAULT_").items()}  # enum cpu_fault
