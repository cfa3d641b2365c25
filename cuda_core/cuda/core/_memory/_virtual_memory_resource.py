# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""VirtualMemoryResource: buffers that can grow, as reserved addresses with memory mapped to them (cuMemMap)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cuda.core._device._context import use_primary
from cuda.core._errors import ClosedError
from cuda.core._memory._buffer import Buffer
from cuda.core._memory._resource import MemoryResource
from cuda.core._memory._virtual_memory import Pieces
from cuda.core._stream._stream import to_stream
from cuda.core._utils._options import named_options
from cuda.core.typing import (
    VirtualMemoryAccessType,
    VirtualMemoryAllocationType,
    VirtualMemoryGranularityType,
    VirtualMemoryHandleType,
    VirtualMemoryLocationType,
)

if TYPE_CHECKING:
    from cuda.core._device._device import Device
    from cuda.core.typing import DevicePointerType, IsStreamType

_ENUMS: dict[str, Callable[[Any], Any]] = {
    "allocation_type": VirtualMemoryAllocationType,
    "location_type": VirtualMemoryLocationType,
    "handle_type": VirtualMemoryHandleType,
    "granularity": VirtualMemoryGranularityType,
    "self_access": VirtualMemoryAccessType,
    "peer_access": VirtualMemoryAccessType,
}


@named_options
@dataclass
class VirtualMemoryResourceOptions:
    """Options of the physical memory behind virtual addresses: its type, location and access rights.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    allocation_type : VirtualMemoryAllocationType or str
        ``"pinned"``, memory that does not migrate, or ``"managed"``.
    location_type : VirtualMemoryLocationType or str
        ``"device"``; ``"host"``, ``"host_numa"`` (the device's node) or ``"host_numa_current"``, the calling
        thread's.
    handle_type : VirtualMemoryHandleType or str, optional
        The type of handle with which other processes can open the memory; None if it is not shared.
    granularity : VirtualMemoryGranularityType or str
        Whether sizes are rounded up to the minimum granularity or to the one that the driver recommends.
    gpu_direct_rdma : bool
        Whether other PCI devices can access the memory (GPUDirect RDMA).
    addr_hint : int, optional
        The preferred address, used if it is free.
    addr_align : int, optional
        The alignment of addresses in bytes, a power of two; by default the granularity.
    peers : iterable of int
        The ordinals of other devices that can access the memory.
    self_access, peer_access : VirtualMemoryAccessType or str
        The access of the device and of the peers: ``"rw"`` or read-only, ``"r"``.

    Examples
    --------
    >>> options = VirtualMemoryResourceOptions(location_type="host", granularity="minimum")
    >>> VirtualMemoryResource(device, options).is_host_accessible
    True
    """

    allocation_type: VirtualMemoryAllocationType | str = VirtualMemoryAllocationType.PINNED
    location_type: VirtualMemoryLocationType | str = VirtualMemoryLocationType.DEVICE
    handle_type: VirtualMemoryHandleType | str | None = VirtualMemoryHandleType.POSIX_FD
    granularity: VirtualMemoryGranularityType | str = VirtualMemoryGranularityType.RECOMMENDED
    gpu_direct_rdma: bool = False
    addr_hint: int | None = 0
    addr_align: int | None = None
    peers: Iterable[int] = field(default_factory=tuple)
    self_access: VirtualMemoryAccessType | str = VirtualMemoryAccessType.READ_WRITE
    peer_access: VirtualMemoryAccessType | str = VirtualMemoryAccessType.READ_WRITE

    def __post_init__(self) -> None:
        for name, kind in _ENUMS.items():
            value = getattr(self, name)
            if value is None and name == "handle_type":
                continue
            try:
                setattr(self, name, kind(value))
            except ValueError:
                choices = ", ".join(repr(str(member)) for member in kind)  # type: ignore[attr-defined]
                raise ValueError(f"{name} must be one of {choices}, not {value!r}") from None
        if self.handle_type == VirtualMemoryHandleType.WIN32_KMT:
            raise ValueError("handle_type 'win32_kmt' is Windows's; on Linux it is 'posix_fd', 'fabric' or None")
        self.peers = tuple(int(peer) for peer in self.peers)
        if self.addr_align is not None and (self.addr_align < 1 or self.addr_align & (self.addr_align - 1)):
            raise ValueError(f"addr_align must be a power of two, not {self.addr_align}")


class VirtualMemoryResource(MemoryResource):
    """Memory whose buffers can grow in place (cuMemCreate, cuMemMap).

    Thread safety: threads may allocate and free memory at the same time.

    Parameters
    ----------
    device_id : Device or int
        The device that uses the memory.
    config : VirtualMemoryResourceOptions, optional
        The type, location and access rights of the memory.

    Raises
    ------
    RuntimeError
        If the device cannot do what `config` asks for.

    Examples
    --------
    >>> resource = VirtualMemoryResource(device)
    >>> growing = resource.allocate(1000)
    >>> size = growing.size  # a multiple of the granularity
    >>> resource.modify_allocation(growing, 2 * size).size == 2 * size
    True
    """

    def __init__(self, device_id: Device | int, config: VirtualMemoryResourceOptions | None = None) -> None:
        from cuda.core import Device

        self._lock = threading.RLock()
        self._pieces: dict[int, Pieces] = {}
        self.device = Device(device_id)
        self.config = _checked(self.device, config)

    def __reduce__(self) -> Any:
        return type(self), (self.device, self.config)

    def allocate(self, size: int, *, stream: IsStreamType | None = None) -> Buffer:
        """Allocate memory synchronously (cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess).

        Parameters
        ----------
        size : int
            Size in bytes, at least 1; the buffer's size is rounded up to the granularity.
        stream : Stream, optional
            The stream whose work `Buffer.close` waits for.

        Returns
        -------
        Buffer
            Uninitialised memory, which `modify_allocation` can enlarge.

        Raises
        ------
        TypeError
            If `size` is no int, or `stream` no stream.
        CUDAError
            If the thread has no current device, `size` is 0, or there is not enough memory.
        OverflowError
            If `size` is negative or exceeds 64 bits.

        Examples
        --------
        >>> memory = VirtualMemoryResource(device).allocate(1)
        >>> memory.size % 4096
        0
        """
        size = _checked_size(size)
        order = None if stream is None else to_stream(stream)
        use_primary(self.device.device_id)
        pieces = Pieces(self.device, self.config)
        pieces.grow(size)
        with self._lock:
            self._pieces[pieces.start] = pieces
        return Buffer.from_handle(pieces.start, pieces.size, mr=self, stream=order)

    def deallocate(self, ptr: DevicePointerType, size: int, *, stream: IsStreamType | None = None) -> None:
        """Free memory from `allocate`, after waiting for the work of the stream, if one is given; `Buffer.close` calls
        this.

        Parameters
        ----------
        ptr : int
            The address.
        size : int
            The size in bytes.
        stream : Stream, optional
            The stream that may still use the memory.

        Raises
        ------
        ValueError
            If no memory of this resource starts at `ptr`.
        TypeError
            If `stream` is no stream.
        CUDAError
            If the work of the stream has failed, or the memory cannot be unmapped (cuMemUnmap).

        Examples
        --------
        >>> memory = VirtualMemoryResource(device).allocate(4096, stream=stream)
        >>> memory.close()  # calls deallocate, which waits for the stream
        >>> stream.is_done
        True
        """
        address = 0 if ptr is None else int(ptr)
        if address == 0:
            return
        with self._lock:
            pieces = self._pieces.get(address)
        if pieces is None:
            raise ValueError(f"ptr {address:#x} is not the start of memory of this VirtualMemoryResource")
        if stream is not None and not getattr(stream, "is_closed", False):
            to_stream(stream).sync()
        with self._lock:
            del self._pieces[address]
        pieces.release()

    def modify_allocation(
        self, buf: Buffer, new_size: int, config: VirtualMemoryResourceOptions | None = None
    ) -> Buffer:
        """Enlarge a buffer and keep its contents.

        If the addresses after the buffer are free, it grows in place. Otherwise the same memory is mapped at a new
        address, and the caller must ensure that no work still uses the old one.

        Parameters
        ----------
        buf : Buffer
            A buffer of this resource, which is modified in place.
        new_size : int
            Size in bytes, rounded up to the granularity; nothing changes if it does not exceed the present size.
        config : VirtualMemoryResourceOptions, optional
            Options of the added memory, and access rights for all of it; by default those of the resource.

        Returns
        -------
        Buffer
            `buf`.

        Raises
        ------
        TypeError
            If `buf` is not a Buffer, or an argument is of another type.
        ClosedError
            If `buf` is closed.
        ValueError
            If `buf` is of another resource, or `new_size` is negative.
        RuntimeError
            If the device does not support `config`.
        BufferError
            If the address would change while arrays or graphs refer to the memory.
        CUDAError
            If there is not enough memory.

        Examples
        --------
        >>> resource = VirtualMemoryResource(device)
        >>> memory = resource.allocate(1)
        >>> before = memory.size
        >>> resource.modify_allocation(memory, before + 1).size == 2 * before
        True
        """
        if not isinstance(buf, Buffer):
            raise TypeError(f"buf must be a Buffer, not {type(buf).__name__}")
        if buf.is_closed:
            raise ClosedError("this Buffer is closed")
        if buf.memory_resource is not self:
            raise ValueError("buf is of another memory resource")
        config = _checked(self.device, config or self.config)
        new_size = _checked_size(new_size)
        if new_size <= buf.size:
            return buf
        with self._lock:
            pieces = self._pieces.get(buf.handle)
            if pieces is None:
                pieces = Pieces(self.device, config)
            start = pieces.start
            pieces.grow(new_size, config, before_moving=buf._check_movable)
            self._pieces.pop(start, None)
            self._pieces[pieces.start] = pieces
            buf._move(pieces.start, pieces.size)
        return buf

    @property
    def device_id(self) -> int:
        """Return the ordinal of the device that uses the memory."""
        return self.device.device_id

    @property
    def is_device_accessible(self) -> bool:
        """Return True: kernels can access the memory."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Return whether the host can access the memory, which depends on its location."""
        return self.config.location_type != VirtualMemoryLocationType.DEVICE

    @property
    def is_managed(self) -> bool:
        """Return whether it is managed memory, which migrates between host and devices."""
        return self.config.allocation_type == VirtualMemoryAllocationType.MANAGED

    def __repr__(self) -> str:
        return f"<VirtualMemoryResource of device {self.device_id}>"


def _checked_size(size: Any) -> int:
    try:
        size = size.__index__()
    except AttributeError:
        raise TypeError(f"size must be an int (bytes), not {type(size).__name__}") from None
    return size


def _checked(device: Device, config: Any) -> VirtualMemoryResourceOptions:
    """Return the options, or raise for what the device cannot do."""
    from cuda.core._utils._options import as_options

    config = as_options(VirtualMemoryResourceOptions, config, "config")
    properties = device.properties
    needs = [("virtual_memory_management_supported", True, "virtual memory")]
    needs += [
        (
            "handle_type_posix_file_descriptor_supported",
            config.handle_type == VirtualMemoryHandleType.POSIX_FD,
            "handle_type 'posix_fd'",
        ),
        ("handle_type_fabric_supported", config.handle_type == VirtualMemoryHandleType.FABRIC, "handle_type 'fabric'"),
        ("gpu_direct_rdma_with_cuda_vmm_supported", config.gpu_direct_rdma, "gpu_direct_rdma"),
    ]
    for attribute, wanted, feature in needs:
        if wanted and not getattr(properties, attribute):
            raise RuntimeError(f"device {device.device_id} does not support {feature} (Device.properties.{attribute})")
    for peer in config.peers:
        if peer != device.device_id and not device.can_access_peer(peer):
            raise RuntimeError(f"peers: device {device.device_id} and device {peer} cannot use each other's memory")
    return config
