# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""PinnedMemoryResource: pools of pinned (page-locked) host memory."""

from __future__ import annotations

import uuid as uuids
from typing import TYPE_CHECKING, Any

from cuda.core._memory._pool_options import PinnedMemoryResourceOptions
from cuda.core._memory._shared_pool import SharedPool
from cuda.core._utils._options import as_options

if TYPE_CHECKING:
    from typing import Self

    from cuda.core._memory._ipc import IPCAllocationHandle

# CUmemAllocationType and CUmemLocationType
_PINNED = 1
_HOST, _HOST_NUMA = 2, 3


class PinnedMemoryResource(SharedPool):
    """A pool of pinned host memory, which devices can access.

    Unlike `LegacyPinnedMemoryResource`, its allocations are stream-ordered.

    Thread safety: threads may allocate and free memory at the same time.

    Parameters
    ----------
    options : PinnedMemoryResourceOptions, optional
        The properties of a new pool. By default the driver's pool is used, which other code shares.

    Examples
    --------
    >>> from cuda.core import Device, PinnedMemoryResource
    >>> device = Device()
    >>> device.set_current()
    >>> stream = device.create_stream()
    >>> buffer = PinnedMemoryResource().allocate(4, stream=stream)
    >>> buffer.fill(7, stream=stream)
    >>> stream.sync()
    >>> bytes(buffer)
    b'\\x07\\x07\\x07\\x07'
    """

    __slots__ = ("_numa_id",)

    _numa_id: int

    def __init__(self, options: PinnedMemoryResourceOptions | None = None) -> None:
        if options is None:
            self._use_current(-1, _PINNED, _HOST, 0)
            self._let_devices_in()
            return
        options = as_options(PinnedMemoryResourceOptions, options, "options")
        numa_id = options.numa_id
        if numa_id is not None and numa_id < 0:
            raise ValueError(f"numa_id must be the number of a NUMA node, at least 0, not {numa_id}")
        if options.ipc_enabled and numa_id is None:
            # The driver shares host memory only of a specific NUMA node: by default that of the current device.
            from cuda.core import Device

            numa_id = max(Device().properties.host_numa_id, 0)
        location = _HOST if numa_id is None else _HOST_NUMA
        self._create_shared(options.ipc_enabled, -1, _PINNED, location, numa_id or 0, options.max_size)
        self._let_devices_in()
        if numa_id is not None:
            self._numa_id = numa_id

    @classmethod
    def _open_shared(cls, ordinal: int, handle: Any) -> Self:
        self = super()._open_shared(ordinal, handle)
        self._let_devices_in()
        return self

    def _let_devices_in(self) -> None:
        """Grant access to all devices; in a new pool of host memory none has it."""
        from cuda.core import Device

        for device in Device.get_all_devices():
            self._set_access(device.device_id, True)

    @property
    def numa_id(self) -> int:
        """Return the NUMA node of the memory, -1 if it is not on a specific one."""
        return getattr(self, "_numa_id", -1)

    @property
    def is_device_accessible(self) -> bool:
        """Return True: kernels can access the memory."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Return True: the host can access the memory."""
        return True

    @classmethod
    def from_allocation_handle(cls, alloc_handle: int | IPCAllocationHandle) -> PinnedMemoryResource:
        """Open the resource of another process (cuMemPoolImportFromShareableHandle).

        It cannot allocate; `Buffer.from_ipc_descriptor` opens that process's buffers with it.

        Parameters
        ----------
        alloc_handle : IPCAllocationHandle or int
            The other resource's `allocation_handle`, or its file descriptor, which the caller closes.

        Returns
        -------
        PinnedMemoryResource
            The same pool in this process; its `is_mapped` is true.

        Raises
        ------
        TypeError
            If `alloc_handle` is neither a handle nor an int.
        CUDAError
            If cuMemPoolImportFromShareableHandle fails.

        Examples
        --------
        >>> pool = PinnedMemoryResource(PinnedMemoryResourceOptions(ipc_enabled=True))
        >>> handle = pool.allocation_handle  # pickle it to the other process, which calls:
        >>> PinnedMemoryResource.from_allocation_handle(handle).is_mapped
        True
        """
        return cls._open_shared(-1, alloc_handle)

    @staticmethod
    def from_registry(uuid: uuids.UUID) -> PinnedMemoryResource:
        """Return the resource that was registered under a UUID in this process.

        Parameters
        ----------
        uuid : uuid.UUID
            The argument of `register`.

        Returns
        -------
        PinnedMemoryResource
            The registered resource.

        Raises
        ------
        RuntimeError
            If no resource is registered under it.

        Examples
        --------
        >>> pool = PinnedMemoryResource(PinnedMemoryResourceOptions(ipc_enabled=True))
        >>> PinnedMemoryResource.from_registry(pool.uuid) is pool
        True
        """
        from cuda.core._memory import _ipc

        return _ipc.from_registry(PinnedMemoryResource, uuid)
