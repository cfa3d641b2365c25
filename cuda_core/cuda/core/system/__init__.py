# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""System management by NVML: devices, drivers, utilisation, clocks, temperatures, topology and events.

Names are looked up on first use; NVML is initialised at the first query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.core._utils._lazy import lazy_names, no_attribute

# Public name -> module that defines it.
_MODULES = {
    "Device": "_device",
    "NvlinkInfo": "_pci",
    "get_driver_branch": "_system",
    "get_kernel_mode_driver_version": "_system",
    "get_num_devices": "_system",
    "get_nvml_version": "_system",
    "get_p2p_status": "_topology",
    "get_process_name": "_system",
    "get_topology_common_ancestor": "_topology",
    "get_user_mode_driver_version": "_system",
    "register_events": "_system",
}

# The NVML bindings are part of this package, so that their version always fits.
CUDA_BINDINGS_NVML_IS_COMPATIBLE = True
_defined_here, _ = lazy_names(globals(), _MODULES, ("exceptions", "typing"))


def __getattr__(name: str) -> Any:
    if name != "__all__" and not name.endswith("Error"):
        return _defined_here(name)
    from cuda.core.system import exceptions  # imports NVML's bindings

    if name in exceptions.__all__:
        value = getattr(exceptions, name)
    elif name == "__all__":
        value = sorted([*_MODULES, *exceptions.__all__, "CUDA_BINDINGS_NVML_IS_COMPATIBLE"])
    else:
        raise no_attribute("module 'cuda.core.system'", name, [*_MODULES, *exceptions.__all__])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    special = (name for name in globals() if name.startswith("__"))
    return sorted({*special, *__getattr__("__all__"), "exceptions", "typing"})


if TYPE_CHECKING:
    from ._device import Device as Device
    from ._pci import NvlinkInfo as NvlinkInfo
    from ._system import get_driver_branch as get_driver_branch
    from ._system import get_kernel_mode_driver_version as get_kernel_mode_driver_version
    from ._system import get_num_devices as get_num_devices
    from ._system import get_nvml_version as get_nvml_version
    from ._system import get_process_name as get_process_name
    from ._system import get_user_mode_driver_version as get_user_mode_driver_version
    from ._system import register_events as register_events
    from ._topology import get_p2p_status as get_p2p_status
    from ._topology import get_topology_common_ancestor as get_topology_common_ancestor
    from .exceptions import *  # noqa: F403
