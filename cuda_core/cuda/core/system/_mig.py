# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""MigInfo: Multi-Instance GPU (MIG) mode and MIG devices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cuda.core.system._info import _NvmlQueries
from cuda.core.system._library import flag, nvml

if TYPE_CHECKING:
    from cuda.core.system._device import Device


class MigInfo(_NvmlQueries):
    """The state of MIG (Multi-Instance GPU) on a device.

    Thread safety: threads may share it; each access asks NVML.
    """

    __slots__ = ()

    @property
    def is_mig_device(self) -> bool:
        """Return whether this is a MIG device rather than a whole GPU."""
        return flag(nvml().device_is_mig_device_handle(self._handle))

    @property
    def mode(self) -> bool:
        """Return whether MIG mode is enabled; can be set, which may require a reset to take effect."""
        return flag(nvml().device_get_mig_mode(self._handle)[0])

    @mode.setter
    def mode(self, enabled: bool) -> None:
        nvml().device_set_mig_mode(self._handle, int(bool(enabled)))

    @property
    def pending_mode(self) -> bool:
        """Return whether MIG mode will be enabled after the next reset."""
        return flag(nvml().device_get_mig_mode(self._handle)[1])

    @property
    def device_count(self) -> int:
        """Return the maximum number of MIG devices."""
        return int(nvml().device_get_max_mig_device_count(self._handle))

    @property
    def parent(self) -> Device:
        """Return the GPU that this MIG device is part of."""
        return type(self._device)._of(nvml().device_get_device_handle_from_mig_device_handle(self._handle))

    def get_device_by_index(self, index: int) -> Device:
        """Return a MIG device by its index (nvmlDeviceGetMigDeviceHandleByIndex).

        Parameters
        ----------
        index : int
            The index, below `device_count`.

        Returns
        -------
        Device
            The MIG device.

        Raises
        ------
        NvmlError
            If there is no such MIG device.

        Examples
        --------
        >>> system.Device(0).mig.get_device_by_index(0).mig.is_mig_device  # doctest: +SKIP
        True
        """
        return type(self._device)._of(nvml().device_get_mig_device_handle_by_index(self._handle, index))

    def get_all_devices(self) -> Iterator[Device]:
        """Yield the existing MIG devices.

        Yields
        ------
        Device
            The MIG devices of the GPU.

        Raises
        ------
        NvmlError
            If the device does not support MIG.

        Examples
        --------
        >>> [part.uuid for part in system.Device(0).mig.get_all_devices()]  # doctest: +SKIP
        ['MIG-...', 'MIG-...']
        """
        library = nvml()
        for index in range(self.device_count):
            try:
                part = self.get_device_by_index(index)
            except library.NotFoundError:
                continue
            yield part
