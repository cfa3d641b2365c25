# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""ManagedMemoryResource: pools of managed memory."""

from __future__ import annotations

from cuda.core._memory._managed_buffer import ManagedBuffer
from cuda.core._memory._memory_pool import MemoryPool
from cuda.core._memory._pool_options import ManagedMemoryResourceOptions
from cuda.core._utils._options import as_options
from cuda.core.typing import ManagedMemoryLocationType

# CUmemAllocationType and CUmemLocationType
_MANAGED = 2
_NOWHERE = 0
_LOCATIONS = {
    ManagedMemoryLocationType.DEVICE: 1,
    ManagedMemoryLocationType.HOST: 2,
    ManagedMemoryLocationType.HOST_NUMA: 3,
}


class ManagedMemoryResource(MemoryPool):
    """A pool of managed memory, which migrates between host and devices; it allocates a `ManagedBuffer`.

    Thread safety: threads may allocate and free memory at the same time.

    Parameters
    ----------
    options : ManagedMemoryResourceOptions, optional
        The properties of a new pool. By default the driver's pool is used, which other code shares.

    Examples
    --------
    >>> from cuda.core import Device, ManagedMemoryResource
    >>> device = Device()
    >>> device.set_current()
    >>> stream = device.create_stream()
    >>> buffer = ManagedMemoryResource().allocate(4, stream=stream)
    >>> buffer.preferred_location = device
    >>> buffer.fill(1, stream=stream)
    >>> stream.sync()
    >>> bytes(buffer)
    b'\\x01\\x01\\x01\\x01'
    """

    __slots__ = ("_preferred",)
    _preferred: tuple[ManagedMemoryLocationType, int | None] | None

    def __init__(self, options: ManagedMemoryResourceOptions | None = None) -> None:
        self._use_buffers(ManagedBuffer)
        self._preferred = None
        if options is None:
            self._use_current(-1, _MANAGED, _NOWHERE, 0)
            return
        options = as_options(ManagedMemoryResourceOptions, options, "options")
        kind, number = options._location()
        if kind is None:
            self._create(-1, _MANAGED, _NOWHERE, 0)
            return
        ordinal = number if kind == ManagedMemoryLocationType.DEVICE else -1
        self._create(ordinal, _MANAGED, _LOCATIONS[kind], number)
        self._preferred = (kind, None if kind == ManagedMemoryLocationType.HOST else number)

    @property
    def preferred_location(self) -> tuple[ManagedMemoryLocationType, int | None] | None:
        """Return the preferred location of the pool's memory as type and number, or None."""
        return self._preferred

    @property
    def is_device_accessible(self) -> bool:
        """Return True: kernels can access the memory."""
        return True

    @property
    def is_host_accessible(self) -> bool:
        """Return True: the host can access the memory."""
        return True

    @property
    def is_managed(self) -> bool:
        """Return True: it is managed memory."""
        return True
