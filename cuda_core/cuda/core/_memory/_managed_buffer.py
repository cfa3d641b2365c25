# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Buffers of managed memory, with advice to the driver on where they are used."""

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
    """A piece of managed memory, from `ManagedMemoryResource.allocate` or `from_handle`.

    The driver moves it to where it is used. Advice, and moves ahead of use, make that cheaper.

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
        """Wrap managed memory at an address.

        Parameters
        ----------
        ptr : int or cuda.bindings.driver.CUdeviceptr
            The address.
        size : int
            Bytes.
        mr : MemoryResource, optional
            The resource that takes the memory back when the buffer is closed.
        owner : object, optional
            What owns the memory; it is kept alive as long as the buffer. Give `mr` or `owner`, not both.
        stream : Stream, optional
            The stream in whose order `mr` takes the memory back; the default stream if none is given.

        Returns
        -------
        ManagedBuffer
        """
        return Buffer._wrap_handle(cls, ptr, size, mr, owner, stream)

    @property
    def read_mostly(self) -> bool:
        """Return whether the memory is advised to be read far more often than written, so that copies of it pay."""
        return _advice.is_read_mostly(self)

    @read_mostly.setter
    def read_mostly(self, value: bool) -> None:
        _advice.advise_read_mostly(self, bool(value))

    @property
    def preferred_location(self) -> Device | Host | None:
        """Return where the memory is preferably kept; set it to a Device, a Host, or None for nowhere in particular."""
        return _advice.preferred_location(self)

    @preferred_location.setter
    def preferred_location(self, location: Device | Host | None) -> None:
        _advice.advise_preferred_location(self, location)

    @property
    def accessed_by(self) -> AccessedBy:
        """Return the set of devices (and the host) that are advised to have the memory mapped.

        It is the driver's own state: adding or discarding a location advises it, and assigning locations replaces all.
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
        """Move the memory to where it will be used, in the order of a stream.

        Parameters
        ----------
        location : Device or Host
            Where to.
        stream : Stream
            The stream that does it.
        """
        _batch.prefetch_batch(stream, [self], location)

    def discard(self, *, stream: IsStreamType) -> None:
        """Give up the contents, so that they need not be moved, in the order of a stream.

        Parameters
        ----------
        stream : Stream
            The stream that does it.
        """
        _batch.discard_batch(stream, [self])

    def discard_prefetch(self, location: Device | Host, *, stream: IsStreamType) -> None:
        """Give up the contents and move the memory, in the order of a stream.

        Parameters
        ----------
        location : Device or Host
            Where to.
        stream : Stream
            The stream that does it.
        """
        _batch.discard_prefetch_batch(stream, [self], location)


class AccessedBy(MutableSet):
    """The locations that are advised to have a managed buffer mapped, as a set of the driver's state."""

    def __init__(self, buffer: ManagedBuffer) -> None:
        self._buffer = buffer

    @classmethod
    def _from_iterable(cls, locations: Iterable[Any]) -> Any:
        return set(locations)  # what `&` and `|` return is no longer the buffer's

    def __contains__(self, location: object) -> bool:
        return location in _advice.accessed_by(self._buffer)

    def __iter__(self) -> Iterator[Device | Host]:
        return iter(_advice.accessed_by(self._buffer))

    def __len__(self) -> int:
        return len(_advice.accessed_by(self._buffer))

    def add(self, location: Device | Host) -> None:
        """Advise that a location will use the memory."""
        _advice.advise_accessed_by(self._buffer, location, True)

    def discard(self, location: Device | Host) -> None:
        """Take the advice back."""
        _advice.advise_accessed_by(self._buffer, location, False)

    def __repr__(self) -> str:
        return repr(set(self))
