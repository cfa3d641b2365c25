# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The topology between two devices: common ancestor and peer-to-peer capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.core.system import _codes
from cuda.core.system._library import nvml
from cuda.core.system.typing import GpuP2PCapsIndex, GpuP2PStatus, GpuTopologyLevel

if TYPE_CHECKING:
    from cuda.core.system._device import Device


def get_topology_common_ancestor(device1: Device, device2: Device) -> GpuTopologyLevel:
    """Return the level of the closest common ancestor of two devices in the PCI topology
    (nvmlDeviceGetTopologyCommonAncestor).

    Parameters
    ----------
    device1, device2 : Device
        Two different devices.

    Returns
    -------
    GpuTopologyLevel
        From ``"internal"`` (one board) to ``"system"``.

    Raises
    ------
    NvmlError
        If the devices are the same, or the query fails.

    Examples
    --------
    >>> first, last = system.Device(0), system.Device(system.get_num_devices() - 1)
    >>> between = system.get_topology_common_ancestor(first, last) if first != last else None
    """
    return _codes.member(GpuTopologyLevel, nvml().device_get_topology_common_ancestor(device1._handle, device2._handle))


def get_p2p_status(device1: Device, device2: Device, index: GpuP2PCapsIndex | str) -> GpuP2PStatus:
    """Return whether two devices support a peer-to-peer capability, or the reason why not (nvmlDeviceGetP2PStatus).

    Parameters
    ----------
    device1, device2 : Device
        Two different devices.
    index : GpuP2PCapsIndex or str
        The capability: ``"read"``, ``"write"``, ``"nvlink"``, ``"atomics"``, ``"pci"`` or ``"prop"``.

    Returns
    -------
    GpuP2PStatus
        ``"ok"``, or the reason.

    Raises
    ------
    NvmlError
        If the devices are the same, or the query fails.
    ValueError
        If `index` is unknown.

    Examples
    --------
    >>> first, last = system.Device(0), system.Device(system.get_num_devices() - 1)
    >>> status = system.get_p2p_status(first, last, "read") if first != last else "ok"
    """
    which = _codes.number(GpuP2PCapsIndex, index, "index")
    return _codes.member(GpuP2PStatus, nvml().device_get_p2p_status(device1._handle, device2._handle, which))
