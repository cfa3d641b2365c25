# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Inter-process sharing of memory: handles, descriptors, the registry of resources, and pickling.

A resource is sent as a file descriptor, for which multiprocessing or a Unix socket is needed. Its buffers are then
sent as plain data: the name (UUID) of the resource and 64 bytes from the driver.
"""

from __future__ import annotations

import os
import threading
import uuid as uuids
import weakref
from typing import TYPE_CHECKING, Any

from cuda.core._errors import ClosedError, not_pickled
from cuda.core._utils._fork import warn_forked_children

if TYPE_CHECKING:
    from cuda.core._memory._buffer import Buffer
    from cuda.core._memory._memory_pool import MemoryPool

_lock = threading.RLock()
_closing = threading.RLock()  # of the threads that close one descriptor, one does
_registry: weakref.WeakValueDictionary[uuids.UUID, Any] = weakref.WeakValueDictionary()


class IPCAllocationHandle:
    """A file descriptor that opens a memory resource in another process.

    It is closed when the object is garbage-collected. multiprocessing sends the receiver a duplicate of the descriptor.

    Thread safety: threads may share it; of several `close` calls one closes the file descriptor.
    """

    def __init__(self, handle: int, uuid: uuids.UUID | None) -> None:
        self._handle: int | None = handle
        self._uuid = uuid
        _support_multiprocessing()

    @property
    def handle(self) -> int:
        """Return the file descriptor; -1 once closed."""
        return -1 if self._handle is None else self._handle

    @property
    def uuid(self) -> uuids.UUID | None:
        """Return the UUID of the memory resource."""
        return self._uuid

    def close(self) -> None:
        """Close the file descriptor. Closing twice does nothing.

        Examples
        --------
        >>> pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True))
        >>> handle = pool.allocation_handle
        >>> handle.close()
        >>> handle.handle
        -1
        """
        with _closing:
            handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def __int__(self) -> int:
        if self._handle is None:
            raise ClosedError("this IPCAllocationHandle is closed")
        return self._handle

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def __reduce__(self):
        raise TypeError(
            "an IPCAllocationHandle is a file descriptor, which pickle cannot send: pass it to a process, a queue or a "
            "pipe of multiprocessing"
        )

    def __repr__(self) -> str:
        return f"<IPCAllocationHandle {'closed' if self._handle is None else self._handle} of {self._uuid}>"


class IPCBufferDescriptor:
    """A descriptor with which another process that has opened the memory resource can open a buffer.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ("__weakref__", "payload", "size")

    def __init__(self, payload: bytes, size: int) -> None:
        self.payload = payload
        self.size = size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IPCBufferDescriptor):
            return NotImplemented
        return (self.payload, self.size) == (other.payload, other.size)

    def __hash__(self) -> int:
        return hash((self.payload, self.size))

    def __reduce__(self):
        return IPCBufferDescriptor, (self.payload, self.size)

    def __repr__(self) -> str:
        return f"<IPCBufferDescriptor of {self.size} bytes>"


class Sharing:
    """The state of a shared memory resource: its UUID, and the handle that opens it."""

    def __init__(self, uuid: uuids.UUID | None, descriptor: int | None = None) -> None:
        self.uuid = uuid
        # For a pool of another process it is the handle that opened it here, which a third process can use, too.
        self.handle = None if descriptor is None else IPCAllocationHandle(os.dup(descriptor), uuid)
        _support_multiprocessing()

    def handle_of(self, resource: MemoryPool) -> IPCAllocationHandle:
        """Return the handle that opens the resource, created at the first call."""
        with _lock:
            if self.uuid is None:
                raise RuntimeError(
                    f"this {type(resource).__name__} is another process's pool without a name: register() it first, "
                    "by the uuid of the other process's resource"
                )
            if self.handle is None:
                self.handle = IPCAllocationHandle(resource._export_pool(), self.uuid)
            self.handle._uuid = self.uuid
            return self.handle

    def reduce_resource(self, resource: MemoryPool) -> tuple:
        """Return the reduction for plain pickle: the UUID, for a process that has opened the resource."""
        return from_registry, (type(resource), self.uuid)

    def close(self) -> None:
        if self.handle is not None:
            self.handle.close()


def register(resource: MemoryPool, uuid: uuids.UUID) -> Any:
    """Implement `DeviceMemoryResource.register`."""
    if not isinstance(uuid, uuids.UUID):
        raise TypeError(f"uuid must be a uuid.UUID, not {type(uuid).__name__}")
    sharing = resource._sharing
    if sharing is None:
        raise RuntimeError(f"this {type(resource).__name__} is not shared: make it with ipc_enabled=True")
    with _lock:
        found = _registry.get(uuid)
        if found is not None and not found.is_closed:
            return found
        if sharing.uuid is not None and sharing.uuid != uuid:
            raise ValueError(f"this {type(resource).__name__} is known by {sharing.uuid} already, not by {uuid}")
        sharing.uuid = uuid
        _registry[uuid] = resource
        return resource


def from_registry(kind: type, uuid: uuids.UUID) -> Any:
    """Implement `DeviceMemoryResource.from_registry`."""
    if not isinstance(uuid, uuids.UUID):
        raise TypeError(f"uuid must be a uuid.UUID, not {type(uuid).__name__}")
    found = _registry.get(uuid)
    if found is None or found.is_closed:
        raise RuntimeError(
            f"memory resource {uuid} was not opened in this process: send the resource itself by multiprocessing first"
        )
    if not isinstance(found, kind):
        raise TypeError(f"memory resource {uuid} is a {type(found).__name__}, not a {kind.__name__}")
    return found


def describe_buffer(buffer: Buffer) -> IPCBufferDescriptor:
    """Implement `Buffer.ipc_descriptor`."""
    resource: Any = buffer.memory_resource
    if not getattr(resource, "is_ipc_enabled", False):
        raise RuntimeError("this Buffer is not shared: its memory resource must be made with ipc_enabled=True")
    if buffer.is_mapped:
        return IPCBufferDescriptor(resource._payload_of(buffer.handle), buffer.size)
    return IPCBufferDescriptor(resource._export_pointer(buffer.handle), buffer.size)


def open_buffer(mr: Any, descriptor: IPCBufferDescriptor, stream: Any) -> Buffer:
    """Implement `Buffer.from_ipc_descriptor`."""
    if not isinstance(descriptor, IPCBufferDescriptor):
        raise TypeError(f"ipc_descriptor must be an IPCBufferDescriptor, not {type(descriptor).__name__}")
    if not hasattr(mr, "_import_buffer"):
        raise TypeError(f"mr must be a DeviceMemoryResource or PinnedMemoryResource, not {type(mr).__name__}")
    return mr._import_buffer(descriptor.payload, descriptor.size, stream)


def reduce_buffer(buffer: Buffer) -> tuple:
    """Return the reduction of a buffer for plain pickle: its descriptor and the UUID of its resource."""
    resource: Any = buffer.memory_resource
    if not getattr(resource, "is_ipc_enabled", False):
        raise RuntimeError(
            "this Buffer cannot be sent or copied: its memory resource was not made with ipc_enabled=True"
        )
    return _rebuild_buffer, (resource, describe_buffer(buffer))


def _rebuild_buffer(resource: Any, descriptor: IPCBufferDescriptor) -> Buffer:
    from cuda.core._stream._stream import default_stream

    return open_buffer(resource, descriptor, default_stream())


def _rebuild_resource(kind: Any, uuid: uuids.UUID, handle: IPCAllocationHandle, arguments: tuple) -> Any:
    """Open another process's resource, or return the one that is registered already."""
    with _lock:
        found = _registry.get(uuid)
        if found is None or found.is_closed:
            found = kind.from_allocation_handle(*arguments, handle).register(uuid)
    handle.close()
    return found


def _receive_handle(descriptor: Any, uuid: uuids.UUID) -> IPCAllocationHandle:
    return IPCAllocationHandle(descriptor.detach(), uuid)


def _send_handle(handle: IPCAllocationHandle) -> tuple:
    from multiprocessing.reduction import DupFd

    return _receive_handle, (DupFd(int(handle)), handle.uuid)


def send_resource(resource: MemoryPool) -> tuple:
    """Return the reduction of a resource for multiprocessing, which sends a file descriptor."""
    if resource._sharing is None:
        raise not_pickled(resource)
    arguments = () if resource.device_id < 0 else (resource.device_id,)
    return _rebuild_resource, (type(resource), resource.uuid, resource._sharing.handle_of(resource), arguments)


_supported = False


def _support_multiprocessing() -> None:
    """Register the reduction of handles with multiprocessing, and the warning for forked children, once."""
    global _supported
    with _lock:
        if _supported:
            return
        _supported = True
        from multiprocessing.reduction import ForkingPickler

        ForkingPickler.register(IPCAllocationHandle, _send_handle)
        warn_forked_children()


def let_multiprocessing_send(kind: type) -> None:
    """Make multiprocessing send a class of resources by file descriptor, where plain pickle sends the UUID."""
    from multiprocessing.reduction import ForkingPickler

    ForkingPickler.register(kind, send_resource)
