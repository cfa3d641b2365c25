# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Conversion between the string enumerations of `cuda.core.system.typing` and the constants of nvml.h."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeVar

from cuda.core.system import typing as names

Kind = TypeVar("Kind", bound=StrEnum)

# Members in the order of nvml.h, where their values are consecutive from the given one.
_FIRST: dict[type[StrEnum], int] = {
    names.AddressingMode: 1,
    names.AffinityScope: 0,
    names.ClockType: 0,
    names.CoolerControl: 1,
    names.FanControlPolicy: 0,
    names.GpuP2PStatus: 0,
    names.InforomObject: 0,
    names.SystemEventType: 1,
    names.TemperatureThresholds: 0,
}
_NUMBERS: dict[type[StrEnum], tuple[int, ...]] = {
    names.ClockId: (0, 3),
    names.ClocksEventReasons: (0, *(1 << bit for bit in range(11))),
    names.CoolerTarget: (1, 2, 4, 8),
    names.EventType: (0, 1, 2, 4, 8, 16, *(1 << bit for bit in range(7, 16))),
    names.GpuP2PCapsIndex: (0, 1, 2, 3, 4, 4, 5),
    names.GpuTopologyLevel: (0, 10, 20, 30, 40, 50),
    names.ThermalController: (*range(1, 18), -1),
    names.ThermalTarget: (0, 1, 2, 4, 8, 9, 10, 11, 15),
}

# nvmlBrandType_t -> NVIDIA's name of the brand.
_BRANDS = (
    "Unknown",
    "Quadro",
    "Tesla",
    "NVS",
    "GRID",
    "GeForce",
    "Titan",
    "NVIDIA vApps",
    "NVIDIA VPC",
    "NVIDIA VCS",
    "NVIDIA VWS",
    "NVIDIA vGaming",
    "Quadro RTX",
    "NVIDIA RTX",
    "NVIDIA",
    "GeForce RTX",
    "Titan RTX",
    "NVIDIA DLA",
    "NVIDIA vGameDev",
    "NVIDIA NPU",
)


def brand(value: int) -> str:
    """Return the name of a brand."""
    return _BRANDS[value] if 0 <= value < len(_BRANDS) else _BRANDS[0]


def _table(kind: type[StrEnum]) -> dict[Any, int]:
    members = list(kind)
    numbers = _NUMBERS.get(kind) or range(_FIRST[kind], _FIRST[kind] + len(members))
    return dict(zip(members, numbers, strict=True))


def number(kind: type[StrEnum], value: Any, argument: str) -> int:
    """Return the constant for a member, given as such or as its string."""
    try:
        return _table(kind)[kind(value)]
    except ValueError:
        choices = ", ".join(repr(str(member)) for member in kind)
        raise ValueError(f"{argument} must be one of {choices}, not {value!r}") from None


def member(kind: type[Kind], value: int) -> Kind:
    """Return the member for a constant, or raise RuntimeError for an unknown one."""
    for found, known in _table(kind).items():
        if known == int(value):
            return found
    raise RuntimeError(f"the driver answers {int(value)}, which {kind.__name__} does not know")


def members(kind: type[Kind], mask: int) -> list[Kind]:
    """Return the members of a bit mask."""
    return [found for found, bit in _table(kind).items() if bit and int(mask) & bit]


def mask(kind: type[StrEnum], values: Any, argument: str) -> int:
    """Return the bit mask of one member, several or none."""
    result = 0
    for value in [values] if isinstance(values, str) else values:
        result |= number(kind, value, argument)
    return result
