# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""NVML's numbered fields, each with a status of its own."""

from __future__ import annotations

import time
from collections.abc import Callable

from cuda.cpu.nvml import base, machine
from cuda.cpu.nvml.sensors import known
from cuda.cpu.nvml.status import INVALID_ARGUMENT, NOT_SUPPORTED, failure
from cuda.cpu.nvml.structures import FieldValue

_LAST = 310  # NVML_FI_MAX
_UNSIGNED, _UNSIGNED_LONG_LONG = 1, 3  # nvmlValueType_t


def _nothing() -> int | None:
    return 0


# NVML_FI_DEV_*: the type of the value, and what it is.
_FIELDS: dict[int, tuple[int, Callable[[], int | None]]] = {
    83: (_UNSIGNED_LONG_LONG, machine.energy_mj),  # TOTAL_ENERGY_CONSUMPTION
    91: (_UNSIGNED, _nothing),  # NVLINK_LINK_COUNT
    170: (_UNSIGNED, _nothing),  # C2C_LINK_COUNT
    184: (_UNSIGNED, _nothing),  # IS_RESETLESS_MIG_SUPPORTED
    199: (_UNSIGNED, _nothing),  # IS_MIG_MODE_INDEPENDENT_MIG_QUERY_CAPABLE
}


def nvmlDeviceGetTotalEnergyConsumption(handle: int) -> int:
    base.find(handle)
    return known("nvmlDeviceGetTotalEnergyConsumption", machine.energy_mj(), "the processor's energy")


def _fill(given: FieldValue) -> None:
    began = time.time_ns()
    kind, read = _FIELDS.get(given.fieldId, (_UNSIGNED, None))
    value = read() if read else None
    given.timestamp, given.latencyUsec = began // 1000, (time.time_ns() - began) // 1000
    given.valueType, given.value.ullVal = kind, value or 0
    if value is not None:
        given.nvmlReturn = 0
    else:
        given.nvmlReturn = NOT_SUPPORTED if 0 < given.fieldId <= _LAST else INVALID_ARGUMENT


def _values(name: str, handle: int, count: int, address: int) -> list[FieldValue]:
    base.find(handle)
    if count <= 0:
        raise failure(INVALID_ARGUMENT, f"{name}: valuesCount is {count}, must be positive")
    return list((FieldValue * count).from_address(base.output(name, address)))


def nvmlDeviceGetFieldValues(handle: int, count: int, address: int) -> None:
    """Read fields; those that are not known have NVML_ERROR_NOT_SUPPORTED as their status."""
    for given in _values("nvmlDeviceGetFieldValues", handle, count, address):
        _fill(given)


def nvmlDeviceClearFieldValues(handle: int, count: int, address: int) -> None:
    """Refuse to set fields back, each for itself and all together: none of a CPU device counts anything of its own."""
    name = "nvmlDeviceClearFieldValues"
    for given in _values(name, handle, count, address):
        given.nvmlReturn = NOT_SUPPORTED if 0 < given.fieldId <= _LAST else INVALID_ARGUMENT
    raise failure(NOT_SUPPORTED, f"{name}: no field of a CPU device can be set back")
