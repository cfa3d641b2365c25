# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Events shared between processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuda.core._utils._fork import warn_forked_children

if TYPE_CHECKING:
    from cuda.core._stream._event import Event


class IPCEventDescriptor:
    """A descriptor with which another process can open an event.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ("__weakref__", "device", "is_blocking_sync", "payload")

    def __init__(self, payload: bytes, device: str, is_blocking_sync: bool) -> None:
        self.payload = payload
        self.device = device  # its UUID, since processes may number devices differently
        self.is_blocking_sync = is_blocking_sync

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IPCEventDescriptor):
            return NotImplemented
        return self.payload == other.payload

    def __hash__(self) -> int:
        return hash(self.payload)

    def __reduce__(self):
        return IPCEventDescriptor, (self.payload, self.device, self.is_blocking_sync)

    def __repr__(self) -> str:
        return f"<IPCEventDescriptor of device {self.device}>"


def describe_event(event: Event) -> IPCEventDescriptor:
    """Implement `Event.ipc_descriptor`."""
    warn_forked_children()
    return IPCEventDescriptor(event._export(), event.device.uuid, event.is_blocking_sync)


def device_of_event(descriptor: IPCEventDescriptor) -> Any:
    """Return the device on which another process created an event."""
    from cuda.core import Device

    if not isinstance(descriptor, IPCEventDescriptor):
        raise TypeError(f"ipc_descriptor must be an IPCEventDescriptor, not {type(descriptor).__name__}")
    for device in Device.get_all_devices():
        if device.uuid == descriptor.device:
            return device
    raise RuntimeError(f"the event belongs to device {descriptor.device}, which this process does not see")
