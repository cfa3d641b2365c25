# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""SharedPool: the base of the memory pools that other processes can open."""

from __future__ import annotations

import uuid as uuids
from typing import TYPE_CHECKING, Any

from cuda.core._memory._memory_pool import MemoryPool

if TYPE_CHECKING:
    from typing import Self

    from cuda.core._memory._ipc import IPCAllocationHandle


class SharedPool(MemoryPool):
    """Base of DeviceMemoryResource and PinnedMemoryResource, which can be created with ``ipc_enabled=True``."""

    __slots__ = ()

    def _create_shared(
        self, ipc_enabled: bool, ordinal: int, allocation: int, location_type: int, location_id: int, max_size: int
    ) -> None:
        """Create a pool, shareable if the options say so."""
        if not ipc_enabled:
            self._create(ordinal, allocation, location_type, location_id, max_size)
            return
        from cuda.core._memory import _ipc

        _ipc.let_multiprocessing_send(type(self))
        sharing = _ipc.Sharing(uuids.uuid4())
        self._create(ordinal, allocation, location_type, location_id, max_size, sharing)
        assert sharing.uuid is not None
        self.register(sharing.uuid)

    @classmethod
    def _open_shared(cls, ordinal: int, handle: Any) -> Self:
        """Open another process's pool by its handle or file descriptor."""
        from cuda.core._memory import _ipc

        if isinstance(handle, bool) or not isinstance(handle, (int, _ipc.IPCAllocationHandle)):
            raise TypeError(f"alloc_handle must be an IPCAllocationHandle or an int, not {type(handle).__name__}")
        _ipc.let_multiprocessing_send(cls)
        self = cls.__new__(cls)
        self._open(ordinal, int(handle), _ipc.Sharing(None, int(handle)))
        return self

    @property
    def allocation_handle(self) -> IPCAllocationHandle:
        """Return the handle that opens this resource in another process: pickle it to a child process.

        Raises RuntimeError if the resource was not created with ``ipc_enabled=True``.
        """
        self.attributes  # noqa: B018 - raises if the resource is closed
        if self._sharing is None:
            raise RuntimeError(f"this {type(self).__name__} is not shared: make it with ipc_enabled=True")
        return self._sharing.handle_of(self)

    def register(self, uuid: uuids.UUID) -> Self:
        """Register the resource under the UUID of the other process's, so that its buffers can be unpickled here.

        Parameters
        ----------
        uuid : uuid.UUID
            The `uuid` of the resource in the other process.

        Returns
        -------
        DeviceMemoryResource or PinnedMemoryResource
            The resource registered under it: this one, or an earlier one.

        Raises
        ------
        TypeError
            If `uuid` is not a UUID.
        ValueError
            If the resource has another UUID already.

        Examples
        --------
        >>> pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True))
        >>> pool.register(pool.uuid) is pool
        True
        """
        from cuda.core._memory import _ipc

        return _ipc.register(self, uuid)
