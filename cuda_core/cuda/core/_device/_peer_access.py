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
        """Give a device access to the pool."""
        from cuda.core import Device

        ordinal = self._ordinal(device)
        own = self._resource.device_id
        if ordinal == own:
            return
        if not Device(ordinal).can_access_peer(own):
            raise ValueError(f"device {ordinal} cannot access the memory of device {own}: they are not peers")
        self._resource._set_access(ordinal, True)

    def discard(self, device: Any) -> None:
        """Revoke a device's access to the pool."""
        ordinal = self._ordinal(device)
        if ordinal != self._resource.device_id and self._resource._can_access(ordinal):
            self._resource._set_access(ordinal, False)

    def replace(self, devices: Iterable[Any]) -> None:
        """Give access to these devices and revoke that of all others."""
        wanted = {self._ordinal(device) for device in devices}
        for device in self:
            if device.device_id not in wanted:
                self.discard(device)
        for ordinal in wanted:
            self.add(ordinal)

    def __repr__(self) -> str:
        return repr(set(self))
