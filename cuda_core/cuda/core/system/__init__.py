# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Devices and drivers as NVML, the management library, sees them: what is there, how busy, how warm.

Names are looked up on first use; NVML is opened at the first question.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Public name -> module that defines it.
_HOME = {
    "Device": "_device",
    "NvlinkInfo": "_pci",
    "get_driver_branch": "_system",
    "get_kernel_mode_driver_version": "_system",
    "get_num_devices": "_system",
    "get_nvml_version": "_system",
    "get_p2p_status": "_device",
    "get_process_name": "_system",
    "get_topology_common_ancestor": "_device",
    "get_user_mode_driver_version": "_system",
    "register_events": "_system",
}

__all__ = [
    "CUDA_BINDINGS_NVML_IS_COMPATIBLE",
    "AlreadyInitializedError",
    "ArgumentVersionMismatchError",
    "CorruptedInforomError",
    "DeprecatedError",
    "Device",
    "DriverNotLoadedError",
    "FreqNotSupportedError",
    "FunctionNotFoundError",
    "GpuIsLostError",
    "GpuNotFoundError",
    "InUseError",
    "InsufficientPowerError",
    "InsufficientResourcesError",
    "InsufficientSizeError",
    "InvalidArgumentError",
    "InvalidStateError",
    "IrqIssueError",
    "LibRmVersionMismatchError",
    "LibraryNotFoundError",
    "MemoryError",
    "NoDataError",
    "NoPermissionError",
    "NotFoundError",
    "NotReadyError",
    "NotSupportedError",
    "NvlinkInfo",
    "NvmlError",
    "OperatingSystemError",
    "ResetRequiredError",
    "ResetTypeNotSupportedError",
    "TimeoutError",
    "UninitializedError",
    "UnknownError",
    "VgpuEccNotSupportedError",
    "get_driver_branch",
    "get_kernel_mode_driver_version",
    "get_num_devices",
    "get_nvml_version",
    "get_p2p_status",
    "get_process_name",
    "get_topology_common_ancestor",
    "get_user_mode_driver_version",
    "register_events",
]

# The bindings of NVML are part of this package, so that they always fit.
CUDA_BINDINGS_NVML_IS_COMPATIBLE = True


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in __all__:  # NVML's exceptions
        value = getattr(importlib.import_module("cuda.bindings.nvml"), name)
    elif name in ("exceptions", "typing"):
        value = importlib.import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module 'cuda.core.system' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})


if TYPE_CHECKING:
    from ._device import Device as Device
    from ._device import get_p2p_status as get_p2p_status
    from ._device import get_topology_common_ancestor as get_topology_common_ancestor
    from ._pci import NvlinkInfo as NvlinkInfo
    from ._system import get_driver_branch as get_driver_branch
    from ._system import get_kernel_mode_driver_version as get_kernel_mode_driver_version
    from ._system import get_num_devices as get_num_devices
    from ._system import get_nvml_version as get_nvml_version
    from ._system import get_process_name as get_process_name
    from ._system import get_user_mode_driver_version as get_user_mode_driver_version
    from ._system import register_events as register_events
