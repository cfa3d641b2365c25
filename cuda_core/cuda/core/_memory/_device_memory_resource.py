# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Pools of device memory."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cuda.core._memory._pool_options import DeviceMemoryResourceOptions
from cuda.core._memory._shared_pool import SharedPool
from cuda.core._utils._options import as_options

if TYPE_CHECKING:
    from cuda.core._device._device import Device
    from cuda.core._device._peer_access import PeerAccess
    from cuda.core._memory._ipc import IPCAllocationHandle

# CUmemAllocationType and CUmemLocationType
_PINNED = 1
_DEVICE = 1


class DeviceMemoryResource(SharedPool):
    """A pool of device memory.

    Buffers are allocated from it, and go back to it, in the order of a stream.

    Thread safety: threads may allocate and free memory at the same time.

    Parameters
    ----------
    device_id : Device or int
        The device whose memory is allocated.
    options : DeviceMemoryResourceOptions, optional
        The properties of a new pool. By default the device's current pool is used, which other code shares.

    Examples
    --------
    >>> from cuda.core import Device, DeviceMemoryResource, DeviceMemoryResourceOptions
    >>> device = Device()
    >>> device.set_current()
    >>> stream = device.create_stream()
    >>> resource = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 24))
    >>> buffer = resource.allocate(1 << 20, stream=stream)
    >>> resource.attributes.used_mem_current
    1048576
    >>> buffer.close()
    """

    __slots__ = ()

    def __init__(self, device_id: Device | int, options: DeviceMemoryResourceOptions | None = None) -> None:
        from cuda.core import Device

        ordinal = Device(device_id).device_id
        if options is None:
            self._use_current(ordinal, _PINNED, _DEVICE, ordinal)
            return
        options = as_options(DeviceMemoryResourceOptions, options, "options")
        self._create_shared(options.ipc_enabled, ordinal, _PINNED, _DEVICE, ordinal, options.max_size)

    @property
    def is_device_accessible(self) -> bool:
        """Return True: kernels can access the memory."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Return False: the host cannot access the memory."""
        return False

    @property
    def peer_accessible_by(self) -> PeerAccess:
        """Return the set of peer devices that can access this pool's memory.

        The set reflects the driver's state: adding a device grants access, discarding one revokes it, and assigning
        devices or ordinals replaces the set.
        """
        from cuda.core._device._peer_access import PeerAccess

        self.attributes  # noqa: B018 - raises if the resource is closed
        return PeerAccess(self)

    @peer_accessible_by.setter
    def peer_accessible_by(self, devices: Iterable[Device | int]) -> None:
        self.peer_accessible_by.replace(devices)

    @classmethod
    def from_allocation_handle(
        cls, device_id: Device | int, alloc_handle: int | IPCAllocationHandle
    ) -> DeviceMemoryResource:
        """Open the resource of another process (cuMemPoolImportFromShareableHandle).

        It cannot allocate; `Buffer.from_ipc_descriptor` opens that process's buffers with it.

        Parameters
        ----------
        device_id : Device or int
            The device of the memory.
        alloc_handle : IPCAllocationHandle or int
            The other resource's `allocation_handle`, or its file descriptor, which the caller closes.

        Returns
        -------
        DeviceMemoryResource
            The same pool in this process; its `is_mapped` is true.

        Raises
        ------
        TypeError
            If `alloc_handle` is neither a handle nor an int.
        CUDAError
            If cuMemPoolImportFromShareableHandle fails.

        Examples
        --------
        >>> pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True))
        >>> handle = pool.allocation_handle  # pickle it to the other process, which calls:
        >>> DeviceMemoryResource.from_allocation_handle(device, handle).is_mapped
        True
        """
        return cls._open_shared(int(device_id), alloc_handle)

    @staticmethod
    def from_registry(uuid: uuids.UUID) -> DeviceMemoryResource:
        """Return the resource that was registered under a UUID in this process.

        Parameters
        ----------
        uuid : uuid.UUID
            The argument of `register`.

        Returns
        -------
        DeviceMemoryResource
            The registered resource.

        Raises
        ------
        RuntimeError
            If no resource is registered under it.

        Examples
        --------
        >>> pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True))
        >>> DeviceMemoryResource.from_registry(pool.uuid) is pool
        True
        """
        from cuda.core._memory import _ipc

        return _ipc.from_registry(DeviceMemoryResource, uuid)
