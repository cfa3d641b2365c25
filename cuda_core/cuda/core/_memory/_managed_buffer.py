# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""ManagedBuffer: managed memory with advice (cuMemAdvise), prefetch and discard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import TYPE_CHECKING, Any

from cuda.core._memory import _advice, _batch
from cuda.core._memory._buffer import Buffer

if TYPE_CHECKING:
    from cuda.core._device._device import Device
    from cuda.core._device._host import Host
    from cuda.core._memory._resource import MemoryResource
    from cuda.core.typing import DevicePointerType, IsStreamType


class ManagedBuffer(Buffer):
    """An allocation of managed memory, from `ManagedMemoryResource.allocate` or `from_handle`.

    The driver migrates it to where it is used. Advice and prefetches reduce the cost.

    Thread safety: threads may share it; of several `close` calls one frees the memory. Streams and events alone
    order accesses to it.

    Examples
    --------
    >>> managed = ManagedMemoryResource().allocate(4096, stream=stream)
    >>> managed.read_mostly = True
    >>> managed.is_host_accessible, managed.is_device_accessible
    (True, True)
    """

    @classmethod
    def from_handle(
        cls,
        ptr: DevicePointerType,
        size: int,
        mr: MemoryResource | None = None,
        owner: object | None = None,
        *,
        stream: IsStreamType | None = None,
    ) -> ManagedBuffer:
        """Wrap managed memory at an address, which other code has allocated.

        Parameters
        ----------
        ptr : int or cuda.bindings.driver.CUdeviceptr
            The address.
        size : int
            Size in bytes.
        mr : MemoryResource, optional
            The resource whose `deallocate` is called when the buffer is closed.
        owner : object, optional
            The owner of the memory, kept alive as long as the buffer. Give `mr` or `owner`, not both.
        stream : Stream, optional
            The stream that orders the deallocation by `mr`; the default stream if none is given.

        Returns
        -------
        ManagedBuffer
            A buffer of this memory. Without `mr`, closing it does not free the memory.

        Raises
        ------
        ValueError
            If both `mr` and `owner` are given.
        OverflowError
            If `size` is negative or exceeds 64 bits.
        TypeError
            If `mr` is not a MemoryResource, `ptr` no address or `stream` no stream.

        Examples
        --------
        >>> managed = ManagedMemoryResource().allocate(4096, stream=stream)
        >>> half = ManagedBuffer.from_handle(managed.handle, 2048, owner=managed)
        >>> half.is_managed
        True
        """
        return Buffer._wrap_handle(cls, ptr, size, mr, owner, stream)

    @property
    def read_mostly(self) -> bool:
        """Return whether the memory is advised to be mostly read, so that the driver may replicate it; can be set."""
        return _advice.is_read_mostly(self)

    @read_mostly.setter
    def read_mostly(self, value: bool) -> None:
        _advice.advise_read_mostly(self, bool(value))

    @property
    def preferred_location(self) -> Device | Host | None:
        """Return the preferred location; can be set to a Device, a Host, or None for no preference."""
        return _advice.preferred_location(self)

    @preferred_location.setter
    def preferred_location(self, location: Device | Host | None) -> None:
        _advice.advise_preferred_location(self, location)

    @property
    def accessed_by(self) -> AccessedBy:
        """Return the set of locations that are advised to access the memory: devices and possibly the host.

        The set reflects the driver's state: adding or discarding a location changes the advice, assigning replaces it.
        """
        return AccessedBy(self)

    @accessed_by.setter
    def accessed_by(self, locations: Iterable[Device | Host]) -> None:
        wanted, now, added = set(locations), set(self.accessed_by), []
        try:
            for location in wanted - now:
                self.accessed_by.add(location)
                added.append(location)
        except BaseException:
            for location in added:
                self.accessed_by.discard(location)
            raise
        for location in now - wanted:
            self.accessed_by.discard(location)

    def prefetch(self, location: Device | Host, *, stream: IsStreamType) -> None:
        """Prefetch the memory to a location, in the order of a stream (cuMemPrefetchBatchAsync).

        Parameters
        ----------
        location : Device or Host
            The destination.
        stream : Stream
            The stream of the operation.

        Raises
        ------
        TypeError
            If `location` is neither a Device nor a Host.
        ClosedError
            If the buffer is closed.
        CUDAError
            If cuMemPrefetchBatchAsync fails.

        Examples
        --------
        >>> managed = ManagedMemoryResource().allocate(4096, stream=stream)
        >>> managed.prefetch(device, stream=stream)
        >>> managed.prefetch(Host(), stream=stream)
        """
        _batch.prefetch_batch(stream, [self], location)

    def discard(self, *, stream: IsStreamType) -> None:
        """Discard the contents, so that they need not be migrated, in the order of a stream (cuMemDiscardBatchAsync).

        Until the memory is written again, reading it returns undefined values.

        Parameters
        ----------
        stream : Stream
            The stream of the operation.

        Raises
        ------
        ClosedError
            If the buffer is closed.
        CUDAError
            If cuMemDiscardBatchAsync fails.

        Examples
        --------
        >>> managed = ManagedMemoryResource().allocate(4096, stream=stream)
        >>> managed.discard(stream=stream)
        """
        _batch.discard_batch(stream, [self])

    def discard_prefetch(self, location: Device | Host, *, stream: IsStreamType) -> None:
        """Discard the contents and prefetch the memory to a location, in the order of a stream.

        One call of cuMemDiscardAndPrefetchBatchAsync: the memory becomes resident without a copy.

        Parameters
        ----------
        location : Device or Host
            The destination.
        stream : Stream
            The stream of the operation.

        Raises
        ------
        TypeError
            If `location` is neither a Device nor a Host.
        ClosedError
            If the buffer is closed.
        CUDAError
            If cuMemDiscardAndPrefetchBatchAsync fails.

        Examples
        --------
        >>> managed = ManagedMemoryResource().allocate(4096, stream=stream)
        >>> managed.discard_prefetch(device, stream=stream)
        """
        _batch.discard_prefetch_batch(stream, [self], location)


class AccessedBy(MutableSet):
    """The locations that are advised to access a managed buffer, as a set that reflects the driver's state.

    Thread safety: threads may share it; each access asks the driver.
    """

    def __init__(self, buffer: ManagedBuffer) -> None:
        self._buffer = buffer

    @classmethod
    def _from_iterable(cls, locations: Iterable[Any]) -> Any:
        return set(locations)  # `&` and `|` return a plain set, unconnected to the buffer

    def __contains__(self, location: object) -> bool:
        return location in _advice.accessed_by(self._buffer)

    def __iter__(self) -> Iterator[Device | Host]:
        return iter(_advice.accessed_by(self._buffer))

    def __len__(self) -> int:
        return len(_advice.accessed_by(self._buffer))

    def add(self, location: Device | Host) -> None:
        """Add a location: advise that it accesses the memory (cuMemAdvise).

        Parameters
        ----------
        location : Device or Host
            The location.

        Raises
        ------
        TypeError
            If `location` is neither a Device nor a Host.
        CUDAError
            If cuMemAdvise fails.

        Examples
        --------
        >>> managed = ManagedMemoryResource().allocate(4096, stream=stream)
        >>> managed.accessed_by.add(device)
        >>> managed.accessed_by == {device}
        True
        """
        _advice.advise_accessed_by(self._buffer, location, True)

    def discard(self, location: Device | Host) -> None:
        """Remove a location: clear the advice for it (cuMemAdvise).

        Parameters
        ----------
        location : Device or Host
            The location.

        Raises
        ------
        TypeError
            If `location` is neither a Device nor a Host.
        CUDAError
            If cuMemAdvise fails.

        Examples
        --------
        >>> managed = ManagedMemoryResource().allocate(4096, stream=stream)
        >>> managed.accessed_by = {device, Host()}
        >>> managed.accessed_by.discard(device)
        >>> managed.accessed_by == {Host()}
        True
        """
        _advice.advise_accessed_by(self._buffer, location, False)

    def __repr__(self) -> str:
        return repr(set(self))
