# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PCI Express and NVLink: ids, links and throughput."""

from __future__ import annotations

from cuda.core.system._info import _NvmlQueries
from cuda.core.system._library import flag, nvml


class PciInfo(_NvmlQueries):
    """A device's PCI ids, and its PCI Express link.

    Thread safety: threads may share it; each access asks NVML.
    """

    __slots__ = ()

    def _info(self):
        return nvml().device_get_pci_info_v3(self._handle)

    def _class(self):
        return nvml().device_get_pci_info_ext(self._handle)

    @property
    def domain(self) -> int:
        """Return the PCI domain."""
        return int(self._info().domain)

    @property
    def bus(self) -> int:
        """Return the PCI bus number."""
        return int(self._info().bus)

    @property
    def device(self) -> int:
        """Return the device number on the bus."""
        return int(self._info().device_)

    @property
    def bus_id(self) -> str:
        """Return the PCI bus id as ``domain:bus:device.function``."""
        return self._info().bus_id

    @property
    def vendor_id(self) -> int:
        """Return the PCI vendor id."""
        return int(self._info().pci_device_id) & 0xFFFF

    @property
    def device_id(self) -> int:
        """Return the PCI device id of the product."""
        return int(self._info().pci_device_id) >> 16

    @property
    def subsystem_id(self) -> int:
        """Return the PCI subsystem id: board vendor and product."""
        return int(self._info().pci_sub_system_id)

    @property
    def base_class(self) -> int:
        """Return the PCI base class."""
        return int(self._class().base_class)

    @property
    def sub_class(self) -> int:
        """Return the PCI sub-class."""
        return int(self._class().sub_class)

    @property
    def current_link_generation(self) -> int:
        """Return the current PCI Express generation of the link."""
        return int(nvml().device_get_curr_pcie_link_generation(self._handle))

    @property
    def max_link_generation(self) -> int:
        """Return the maximum generation that both device and system support."""
        return int(nvml().device_get_max_pcie_link_generation(self._handle))

    @property
    def link_generation(self) -> int:
        """Return the maximum generation that the device supports."""
        return int(nvml().device_get_gpu_max_pcie_link_generation(self._handle))

    @property
    def current_link_width(self) -> int:
        """Return the number of PCI Express lanes in use."""
        return int(nvml().device_get_curr_pcie_link_width(self._handle))

    @property
    def max_link_width(self) -> int:
        """Return the number of PCI Express lanes that device and slot support."""
        return int(nvml().device_get_max_pcie_link_width(self._handle))

    @property
    def tx_throughput(self) -> int:
        """Return the transmit throughput of the device, in KB/s over the last 20 ms."""
        library = nvml()
        counter = library.PcieUtilCounter.PCIE_UTIL_TX_BYTES
        return int(library.device_get_pcie_throughput(self._handle, counter))

    @property
    def rx_throughput(self) -> int:
        """Return the receive throughput of the device, in KB/s over the last 20 ms."""
        library = nvml()
        counter = library.PcieUtilCounter.PCIE_UTIL_RX_BYTES
        return int(library.device_get_pcie_throughput(self._handle, counter))

    @property
    def replay_counter(self) -> int:
        """Return the number of PCI Express replays."""
        return int(nvml().device_get_pcie_replay_counter(self._handle))


class _NvlinkInfo(_NvmlQueries):
    """One of a device's NVLinks."""

    __slots__ = ("_link",)

    def __init__(self, device, link: int) -> None:
        super().__init__(device)
        self._link = link


class NvlinkInfo(_NvlinkInfo):
    """One of a device's NVLinks, from `Device.get_nvlink` or `Device.get_nvlinks`.

    Thread safety: threads may share it; each access asks NVML.

    Parameters
    ----------
    device : Device
        The device.
    link : int
        The index of the link.

    Examples
    --------
    >>> active = [link.state for link in system.Device(0).get_nvlinks()]
    """

    __slots__ = ()

    @property
    def state(self) -> bool:
        """Return whether the link is active."""
        return flag(nvml().device_get_nvlink_state(self._handle, self._link))

    @property
    def version(self) -> tuple[int, int]:
        """Return the link's version as (major, minor)."""
        library = nvml()
        value = library.NvlinkVersion(library.device_get_nvlink_version(self._handle, self._link))
        numbers = [int(part) for part in value.name.split("_") if part.isdigit()]
        if len(numbers) != 2:
            raise RuntimeError(f"the driver tells no version of NVLink {self._link}: {value.name}")
        return numbers[0], numbers[1]
