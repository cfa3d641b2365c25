# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""State that kernels query by the device runtime (cudaGetDevice, cudaDeviceGetAttribute) in the context they run in."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING

from cuda.cpu.abi import CUDA_VERSION
from cuda.cpu.driver.base import once
from cuda.cpu.driver.device import device as devices
from cuda.cpu.driver.device import device_attribute
from cuda.cpu.runtime import _runtime

if TYPE_CHECKING:
    from cuda.cpu.driver.device.context import Context

_tags = itertools.count(1 << 48)  # identify the texts of statuses in checks


@functools.cache
def statuses() -> list[tuple[int, str, str]]:
    """Return number, name and text of each cudaError_t."""
    from cuda.cpu import runtime_abi  # needed by few programs

    return [(value, name, text) for value, (name, text) in runtime_abi.STATUSES.items()]


def state_of(context: Context) -> _runtime.DeviceRuntime:
    """Return the context's device runtime state, made at the first use."""
    with once.lock:
        if context.device_runtime is None:
            device = context.device
            shared, _, threads, blocks = device_attribute.architecture(device.capability)
            context.device_runtime = _runtime.DeviceRuntime(
                device.ordinal, len(devices.all_devices()), CUDA_VERSION, device.attributes, context.limits,
                (shared << 10, threads, blocks, device_attribute.reserved_shared(device.capability)), statuses(),
            )  # fmt: skip
    return context.device_runtime


def allow_texts(state: _runtime.DeviceRuntime) -> None:
    """Let checked kernels read the texts of statuses."""
    start, size = state.texts
    _runtime.table_add(start, size, next(_tags), False, "the texts of cudaError_t")
