# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PeerAccess: a memory pool's peer access, as a set that reads and writes the driver's state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cuda.core._device._device import Device
    from cuda.core._memory._memory_pool import MemoryPool


class PeerAccess(MutableSet):
    """The peer devices that can access a memory pool, as a set of Device that reflects the driver's state.

    Ordinals are accepted, too. The pool's own device is never in the set.

    Thread safety: threads may share it; each access asks the driver.
    """

    __slots__ = ("_resource",)

    def __init__(self, resource: MemoryPool) -> None:
        self._resource = resource

    @classmethod
    def _from_iterable(cls, devices: Iterable[Any]) -> Any:
        return set(devices)  # `&` and `|` return a plain set, unconnected to the pool

    def _ordinal(self, device: Any) -> int:
        from cuda.core import Device

        return Device(device).device_id

    def __contains__(self, device: object) -> bool:
        try:
            ordinal = self._ordinal(device)
        except (TypeError, ValueError):
            return False
        return ordinal != self._resource.device_id and self._resource._can_access(ordinal)

    def __iter__(self) -> Iterator[Device]:
        from cuda.core import Device

        return iter([device for device in Device.get_all_devices() if device in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, device: Any) -> None:
        """Add a device: grant it access to the pool (cuMemPoolSetAccess).

        Parameters
        ----------
        device : Device or int
            The device, or its ordinal. The pool's own device always has access.

        Raises
        ------
        ValueError
            If there is no such device, or it cannot access the memory of the pool's device.
        ClosedError
            If the pool is closed.

        Examples
        --------
        >>> pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 24))
        >>> for peer in Device.get_all_devices():
        ...     pool.peer_accessible_by.add(peer)
        >>> len(pool.peer_accessible_by) == len(Device.get_all_devices()) - 1
        True
        """
        from cuda.core import Device

        ordinal = self._ordinal(device)
        own = self._resource.device_id
        if ordinal == own:
            return
        if not Device(ordinal).can_access_peer(own):
            raise ValueError(f"device {ordinal} cannot access the memory of device {own}: they are not peers")
        self._resource._set_access(ordinal, True)

    def discard(self, device: Any) -> None:
        """Remove a device: revoke its access to the pool (cuMemPoolSetAccess). A device without access is ignored.

        Parameters
        ----------
        device : Device or int
            The device, or its ordinal.

        Raises
        ------
        ValueError
            If there is no such device.
        ClosedError
            If the pool is closed.

        Examples
        --------
        >>> pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 24))
        >>> for peer in Device.get_all_devices():
        ...     pool.peer_accessible_by.discard(peer)
        >>> len(pool.peer_accessible_by)
        0
        """
        ordinal = self._ordinal(device)
        if ordinal != self._resource.device_id and self._resource._can_access(ordinal):
            self._resource._set_access(ordinal, False)

    def replace(self, devices: Iterable[Any]) -> None:
        """Set the devices with access: grant it to these and revoke that of all others; assigning the property does the
        same.

        Parameters
        ----------
        devices : iterable of Device or int
            The devices, or their ordinals.

        Raises
        ------
        ValueError
            If there is no such device, or it cannot access the memory of the pool's device.
        ClosedError
            If the pool is closed.

        Examples
        --------
        >>> pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 24))
        >>> pool.peer_accessible_by.replace(Device.get_all_devices())
        >>> pool.peer_accessible_by = []
        >>> len(pool.peer_accessible_by)
        0
        """
        wanted = {self._ordinal(device) for device in devices}
        for device in self:
            if device.device_id not in wanted:
                self.discard(device)
        for ordinal in wanted:
            self.add(ordinal)

    def __repr__(self) -> str:
        return repr(set(self))
