# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Options of memory pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cuda.core._utils._options import named_options

if TYPE_CHECKING:
    from cuda.core._device._device import Device
    from cuda.core.typing import ManagedMemoryLocationType


@named_options
@dataclass(slots=True, weakref_slot=True)
class DeviceMemoryResourceOptions:
    """Options for a new pool of device memory.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    ipc_enabled : bool
        Whether other processes can open the pool.
    max_size : int
        The maximum size of the pool in bytes; 0 leaves it to the driver.

    Examples
    --------
    >>> DeviceMemoryResourceOptions(max_size=1 << 20).ipc_enabled
    False
    """

    ipc_enabled: bool = False
    max_size: int = 0


@named_options
@dataclass(slots=True, weakref_slot=True)
class PinnedMemoryResourceOptions:
    """Options for a new pool of pinned host memory.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    ipc_enabled : bool
        Whether other processes can open the pool.
    max_size : int
        The maximum size of the pool in bytes; 0 leaves it to the driver.
    numa_id : int, optional
        The NUMA node of the memory. By default any, or with `ipc_enabled` that of the current device.

    Examples
    --------
    >>> PinnedMemoryResourceOptions(numa_id=0, max_size=1 << 20).max_size
    1048576
    """

    ipc_enabled: bool = False
    max_size: int = 0
    numa_id: int | None = None


@named_options
@dataclass(slots=True, weakref_slot=True)
class ManagedMemoryResourceOptions:
    """Options for a new pool of managed memory.

    Thread safety: threads may read it together; assignments to its attributes are not guarded.

    Attributes
    ----------
    preferred_location : int or Device, optional
        The device or its ordinal, or the number of a NUMA node, by default that of the current device's host memory; -1
        is the host if no type is given.
    preferred_location_type : ManagedMemoryLocationType or str, optional
        ``"device"``, ``"host"`` (without a number) or ``"host_numa"``.

    Examples
    --------
    >>> resource = ManagedMemoryResource(ManagedMemoryResourceOptions(preferred_location=0))
    """

    preferred_location: int | Device | None = None
    preferred_location_type: ManagedMemoryLocationType | str | None = None

    def _location(self) -> tuple[ManagedMemoryLocationType | None, int]:
        """Return the type of the location, None for no preference, and its number."""
        from cuda.core.typing import ManagedMemoryLocationType

        kind: Any = self.preferred_location_type
        given: Any = self.preferred_location
        if given is not None and not (hasattr(given, "__index__") or hasattr(given, "device_id")):
            raise TypeError(f"preferred_location must be an int or a Device, not {type(given).__name__}")
        number = getattr(given, "device_id", given)
        if kind is None:
            if number is None:
                return None, 0
            if number == -1:
                return ManagedMemoryLocationType.HOST, 0
            kind = ManagedMemoryLocationType.DEVICE
        try:
            kind = ManagedMemoryLocationType(kind)
        except ValueError:
            choices = ", ".join(repr(str(member)) for member in ManagedMemoryLocationType)
            raise ValueError(f"preferred_location_type must be one of {choices}, not {kind!r}") from None
        if kind == ManagedMemoryLocationType.HOST:
            if number is not None:
                raise ValueError(f"preferred_location must be None where its type is 'host', not {number}")
            return kind, 0
        if number is None and kind == ManagedMemoryLocationType.HOST_NUMA:
            from cuda.core import Device

            number = max(Device().properties.host_numa_id, 0)
        if number is None or number < 0:
            raise ValueError(f"preferred_location must be at least 0 where its type is '{kind}', not {number}")
        return kind, number
