# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""DeviceProperties: one attribute for each CUdevice_attribute of cuda.h."""

from __future__ import annotations

import functools
from typing import Any

from cuda.core._errors import not_pickled
from cuda.core._utils._options import similar

_PREFIX = "CU_DEVICE_ATTRIBUTE_"

# Attributes that are bool: those whose names say so, and these.
_FLAGS = frozenset(
    [
        "can_flush_remote_writes",
        "can_map_host_memory",
        "can_tex2d_gather",
        "can_use_64_bit_stream_mem_ops",
        "can_use_host_pointer_for_registered_mem",
        "can_use_stream_mem_ops",
        "can_use_stream_wait_value_nor",
        "cluster_launch",
        "concurrent_kernels",
        "concurrent_managed_access",
        "cooperative_launch",
        "cooperative_multi_device_launch",
        "direct_managed_mem_access_from_host",
        "ecc_enabled",
        "gpu_overlap",
        "integrated",
        "kernel_exec_timeout",
        "managed_memory",
        "mps_enabled",
        "multi_gpu_board",
        "pageable_memory_access",
        "pageable_memory_access_uses_host_page_tables",
        "tcc_driver",
        "unified_addressing",
        "unified_function_pointers",
    ]
)


@functools.cache
def attribute_numbers() -> dict[str, int]:
    """Return the CUdevice_attribute values by lower-case name without the prefix CU_DEVICE_ATTRIBUTE_."""
    from cuda.bindings.driver import CUdevice_attribute

    members = CUdevice_attribute.__members__.items()
    return {name[len(_PREFIX) :].lower(): int(value) for name, value in members if name != f"{_PREFIX}MAX"}


class DeviceProperties:
    """The properties of a device, as attributes such as ``max_threads_per_block``.

    The names are those of the C API's CUdevice_attribute in lower case; ``dir()`` lists them. Each is queried from the
    driver once. Flags are bool, all others int.

    Thread safety: threads may share it.
    """

    _device: Any

    def __init__(self, device: Any) -> None:
        self.__dict__["_device"] = device

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name!r} of DeviceProperties cannot be set: it is what the driver tells")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name!r} of DeviceProperties cannot be deleted: it is what the driver tells")

    def __reduce__(self) -> Any:
        raise not_pickled(self)

    def __getattr__(self, name: str) -> int:
        number = None if name.startswith("_") else attribute_numbers().get(name)
        if number is None:
            raise _unknown(name)
        value = self._device._attribute(number)
        if name in _FLAGS or name.endswith("_supported"):
            value = bool(value)
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *attribute_numbers()})

    def __repr__(self) -> str:
        return f"<DeviceProperties of device {int(self._device)}>"


def _unknown(name: str) -> AttributeError:
    meant = "" if name.startswith("_") else similar(name, attribute_numbers())
    advice = f"did you mean {meant!r}?" if meant else "dir() lists what it tells"
    return AttributeError(f"the driver tells no {name!r} of a device; {advice}", name=name, obj=None)
