# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Device: an NVML device, which needs no CUDA context and need not be visible to CUDA."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cuda.core.system import _codes
from cuda.core.system._info import (
    BAR1MemoryInfo,
    CoolerInfo,
    DeviceAttributes,
    FanInfo,
    GpuDynamicPstatesInfo,
    InforomInfo,
    MemoryInfo,
    ProcessInfo,
    RepairStatus,
    Temperature,
    Utilization,
)
from cuda.core.system._library import flag, nvml
from cuda.core.system._pci import NvlinkInfo as NvlinkInfo
from cuda.core.system._pci import PciInfo
from cuda.core.system.typing import (
    AddressingMode,
    AffinityScope,
    ClocksEventReasons,
    ClockType,
    DeviceArch,
    EventType,
    GpuTopologyLevel,
)

if TYPE_CHECKING:
    import cuda.core
    from cuda.core.system._clock import ClockInfo
    from cuda.core.system._events import DeviceEvents
    from cuda.core.system._fields import FieldValues
    from cuda.core.system._mig import MigInfo

_WORD = 64  # bits in an unsigned long
_NODE_SET_WORDS = 16  # NUMA nodes up to 1024, Linux's limit


class Device:
    """A device of NVML.

    NVML numbers devices in the order of their PCI bus ids, regardless of CUDA_VISIBLE_DEVICES: its indices differ from
    those of `cuda.core.Device`. `to_cuda_device` returns the same device there.

    Parameters
    ----------
    index : int, optional
        NVML's index of the device.
    uuid : str, optional
        The device's UUID, ``"GPU-..."``.
    pci_bus_id : str, optional
        The device's PCI bus id. Give one of the three.

    Raises
    ------
    NotFoundError, InvalidArgumentError
        If there is no such device.

    Examples
    --------
    >>> first = system.Device(0)
    >>> system.Device(uuid=first.uuid) == first
    True
    >>> first.name, first.memory_info.total
    ('...', ...)
    """

    __slots__ = ("_handle",)
    _handle: int

    def __init__(
        self, index: int | None = None, *, uuid: bytes | str | None = None, pci_bus_id: bytes | str | None = None
    ) -> None:
        given = [value for value in (index, uuid, pci_bus_id) if value is not None]
        if len(given) != 1:
            raise ValueError("give one of index, uuid and pci_bus_id")
        library = nvml()
        if index is not None:
            if isinstance(index, bool) or not hasattr(index, "__index__"):
                raise TypeError(f"index must be an int, not {type(index).__name__}")
            if index.__index__() < 0:
                raise ValueError(f"index must be at least 0, not {index}")
            self._handle = library.device_get_handle_by_index_v2(index)
        elif uuid is not None:
            self._handle = library.device_get_handle_by_uuid(_text(uuid, "uuid"))
        else:
            self._handle = library.device_get_handle_by_pci_bus_id_v2(_text(pci_bus_id, "pci_bus_id"))

    @classmethod
    def _of(cls, handle: Any) -> Device:
        self = cls.__new__(cls)
        self._handle = int(handle)
        return self

    # Enumeration.

    @classmethod
    def get_device_count(cls) -> int:
        """Return the number of devices."""
        return int(nvml().device_get_count_v2())

    @classmethod
    def get_all_devices(cls) -> Iterator[Device]:
        """Yield all devices, in the order of their indices.

        Examples
        --------
        >>> [each.index for each in system.Device.get_all_devices()]
        [0...]
        """
        for index in range(cls.get_device_count()):
            yield cls(index)

    @classmethod
    def get_all_devices_with_cpu_affinity(cls, cpu_index: int) -> Iterator[Device]:
        """Yield the devices with affinity to a CPU of the host."""
        for handle in nvml().system_get_topology_gpu_set(cpu_index):
            yield cls._of(handle)

    def get_topology_nearest_gpus(self, level: GpuTopologyLevel | str) -> Iterator[Device]:
        """Yield the devices whose topological distance from this one is at most `level`."""
        which = _codes.number(GpuTopologyLevel, level, "level")
        for handle in nvml().device_get_topology_nearest_gpus(self._handle, which):
            yield type(self)._of(handle)

    def to_cuda_device(self) -> cuda.core.Device:
        """Return the same device as `cuda.core.Device`.

        Raises
        ------
        RuntimeError
            If it is not visible to CUDA, for example because of CUDA_VISIBLE_DEVICES.
        """
        from cuda.core import Device as CudaDevice

        mine = self.uuid_without_prefix
        for device in CudaDevice.get_all_devices():
            if device.uuid == mine:
                return device
        raise RuntimeError(f"CUDA does not see device {self.uuid}: look at CUDA_VISIBLE_DEVICES")

    # Identity.

    @property
    def index(self) -> int:
        """Return NVML's index of the device."""
        return int(nvml().device_get_index(self._handle))

    @property
    def name(self) -> str:
        """Return the product's name."""
        return nvml().device_get_name(self._handle)

    @property
    def uuid(self) -> str:
        """Return the UUID with its prefix, ``"GPU-..."``."""
        return nvml().device_get_uuid(self._handle)

    @property
    def uuid_without_prefix(self) -> str:
        """Return the UUID as `cuda.core.Device.uuid` has it.

        Examples
        --------
        >>> first = system.Device(0)
        >>> first.uuid_without_prefix == first.to_cuda_device().uuid
        True
        """
        return self.uuid.partition("-")[2]

    @property
    def serial(self) -> str:
        """Return the board's serial number."""
        return nvml().device_get_serial(self._handle)

    @property
    def brand(self) -> str:
        """Return the brand, such as ``"NVIDIA"`` or ``"GeForce"``, or ``"Unknown"``."""
        return _codes.brand(int(nvml().device_get_brand(self._handle)))

    @property
    def arch(self) -> DeviceArch:
        """Return the GPU architecture, such as Hopper."""
        number = int(nvml().device_get_architecture(self._handle))
        return DeviceArch(number) if number in DeviceArch._value2member_map_ else DeviceArch.UNKNOWN

    @property
    def cuda_compute_capability(self) -> tuple[int, int]:
        """Return the version of the architecture as (major, minor).

        Examples
        --------
        >>> major, minor = system.Device(0).cuda_compute_capability
        >>> (major, minor) >= (7, 5)
        True
        """
        major, minor = nvml().device_get_cuda_compute_capability(self._handle)
        return int(major), int(minor)

    @property
    def minor_number(self) -> int:
        """Return the minor number of the device file, such as 0 for ``/dev/nvidia0``."""
        return int(nvml().device_get_minor_number(self._handle))

    @property
    def module_id(self) -> int:
        """Return the id of the module on its baseboard."""
        return int(nvml().device_get_module_id(self._handle))

    @property
    def pci_bus_id(self) -> str:
        """Return the PCI bus id as ``domain:bus:device.function``."""
        return self.pci_info.bus_id

    @property
    def pci_info(self) -> PciInfo:
        """Return the PCI ids and the state of the PCI Express link."""
        return PciInfo(self)

    @property
    def attributes(self) -> DeviceAttributes:
        """Return the numbers of multiprocessors, engines and so on of the device or MIG device."""
        return DeviceAttributes(nvml().device_get_attributes_v2(self._handle))

    @property
    def inforom(self) -> InforomInfo:
        """Return the information ROM."""
        return InforomInfo(self)

    @property
    def mig(self) -> MigInfo:
        """Return the state of MIG (Multi-Instance GPU)."""
        from cuda.core.system._mig import MigInfo

        return MigInfo(self)

    # State.

    @property
    def memory_info(self) -> MemoryInfo:
        """Return the current memory usage.

        Examples
        --------
        >>> memory = system.Device(0).memory_info
        >>> 0 <= memory.used <= memory.total  # bytes
        True
        """
        return MemoryInfo(nvml().device_get_memory_info_v2(self._handle))

    @property
    def bar1_memory_info(self) -> BAR1MemoryInfo:
        """Return the current usage of BAR1 memory, the part of the memory that the host can map."""
        return BAR1MemoryInfo(nvml().device_get_bar1_memory_info(self._handle))

    @property
    def utilization(self) -> Utilization:
        """Return the utilisation in the last sample period.

        Examples
        --------
        >>> busy = system.Device(0).utilization
        >>> 0 <= busy.gpu <= 100  # percent
        True
        """
        return Utilization(nvml().device_get_utilization_rates(self._handle))

    @property
    def compute_running_processes(self) -> list[ProcessInfo]:
        """Return the processes with a compute context on the device.

        Examples
        --------
        >>> pids = [process.pid for process in system.Device(0).compute_running_processes]
        """
        return [ProcessInfo(process) for process in nvml().device_get_compute_running_processes_v3(self._handle)]

    @property
    def temperature(self) -> Temperature:
        """Return the temperatures."""
        return Temperature(self)

    @property
    def cooler(self) -> CoolerInfo:
        """Return the cooler."""
        return CoolerInfo(nvml().device_get_cooler_info(self._handle))

    @property
    def num_fans(self) -> int:
        """Return the number of fans."""
        return int(nvml().device_get_num_fans(self._handle))

    def get_fan(self, fan: int = 0) -> FanInfo:
        """Return a fan by its index."""
        count = self.num_fans
        if not 0 <= fan < count:
            there = f"they are 0 to {count - 1}" if count else "the device has none"
            raise ValueError(f"fan is {fan}, but {there}")
        return FanInfo(self, fan)

    @property
    def performance_state(self) -> int | None:
        """Return the performance state, 0 (fastest) to 15; None if unknown."""
        return _pstate(nvml().device_get_performance_state(self._handle))

    @property
    def supported_pstates(self) -> list[int]:
        """Return the performance states that the device supports."""
        found = nvml().device_get_supported_performance_states(self._handle)
        return [state for state in map(_pstate, found) if state is not None]

    @property
    def dynamic_pstates_info(self) -> GpuDynamicPstatesInfo:
        """Return the utilisation of GPU, memory, video engine and bus."""
        found = nvml().device_get_dynamic_pstates_info(self._handle)
        return GpuDynamicPstatesInfo(found.utilization)

    def get_clock(self, clock_type: ClockType | str) -> ClockInfo:
        """Return one of the clocks."""
        from cuda.core.system._clock import ClockInfo

        return ClockInfo(self, clock_type)

    @property
    def current_clock_event_reasons(self) -> list[ClocksEventReasons]:
        """Return the reasons why the clocks are reduced now."""
        return _codes.members(ClocksEventReasons, nvml().device_get_current_clocks_event_reasons(self._handle))

    @property
    def supported_clock_event_reasons(self) -> list[ClocksEventReasons]:
        """Return the clock event reasons that the device supports."""
        return _codes.members(ClocksEventReasons, nvml().device_get_supported_clocks_event_reasons(self._handle))

    @property
    def is_auto_boosted_clocks_enabled(self) -> tuple[bool, bool]:
        """Return whether automatic boost of clocks is enabled, now and by default."""
        now, default = nvml().device_get_auto_boosted_clocks_enabled(self._handle)
        return flag(now), flag(default)

    @property
    def is_persistence_mode_enabled(self) -> bool:
        """Return whether the driver stays loaded while the device is unused; can be set."""
        return flag(nvml().device_get_persistence_mode(self._handle))

    @is_persistence_mode_enabled.setter
    def is_persistence_mode_enabled(self, enabled: bool) -> None:
        nvml().device_set_persistence_mode(self._handle, int(bool(enabled)))

    @property
    def is_display_connected(self) -> bool:
        """Return whether a display is connected."""
        return flag(nvml().device_get_display_mode(self._handle))

    @property
    def is_display_active(self) -> bool:
        """Return whether a display is active on the device."""
        return flag(nvml().device_get_display_active(self._handle))

    @property
    def repair_status(self) -> RepairStatus:
        """Return the hardware repairs that are pending until the next reset."""
        return RepairStatus(nvml().device_get_repair_status(self._handle))

    # Topology.

    @property
    def addressing_mode(self) -> AddressingMode | None:
        """Return the mode in which the device addresses host memory; None if there is none."""
        value = int(nvml().device_get_addressing_mode(self._handle).value)
        return None if value == 0 else _codes.member(AddressingMode, value)

    @property
    def is_c2c_enabled(self) -> bool:
        """Return whether the chip-to-chip link (C2C) to the host is enabled."""
        return flag(nvml().device_get_c2c_mode_info_v(self._handle).is_c2c_enabled)

    @property
    def numa_node_id(self) -> int:
        """Return the id of the NUMA node of the device's memory."""
        return int(nvml().device_get_numa_node_id(self._handle))

    def get_cpu_affinity(self, scope: AffinityScope | str = AffinityScope.NODE) -> list[int]:
        """Return the CPUs of the host with affinity to the device."""
        which = _codes.number(AffinityScope, scope, "scope")
        words = -(-(os.cpu_count() or 1) // _WORD)
        return _bits(nvml().device_get_cpu_affinity_within_scope(self._handle, words, which))

    def get_memory_affinity(self, scope: AffinityScope | str = AffinityScope.NODE) -> list[int]:
        """Return the NUMA nodes of the host with affinity to the device."""
        which = _codes.number(AffinityScope, scope, "scope")
        return _bits(nvml().device_get_memory_affinity(self._handle, _NODE_SET_WORDS, which))

    def set_cpu_affinity(self) -> None:
        """Restrict the calling thread to the CPUs with affinity to the device."""
        nvml().device_set_cpu_affinity(self._handle)

    def clear_cpu_affinity(self) -> None:
        """Let the calling thread run on all CPUs again."""
        nvml().device_clear_cpu_affinity(self._handle)

    def get_nvlink_count(self) -> int:
        """Return the number of NVLinks that the device supports."""
        library = nvml()
        fields = self.get_field_values([library.FieldId.DEV_NVLINK_LINK_COUNT])
        return int(fields[0].value)

    def get_nvlink(self, link: int) -> NvlinkInfo:
        """Return an NVLink by its index."""
        count = self.get_nvlink_count()
        if not 0 <= link < count:
            there = f"must be from 0 to {count - 1}" if count else "but the device has no NVLink"
            raise ValueError(f"link is {link}, {there}")
        return NvlinkInfo(self, link)

    def get_nvlinks(self) -> Iterator[NvlinkInfo]:
        """Yield the NVLinks."""
        for link in range(self.get_nvlink_count()):
            yield NvlinkInfo(self, link)

    # Fields and events.

    def get_field_values(self, field_ids: list[int | tuple[int, int]]) -> FieldValues:
        """Return NVML fields, given by their id (`cuda.core.system.typing.FieldId`) or as (id, scope)."""
        from cuda.core.system._fields import FieldValues, pairs

        wanted = pairs(field_ids)
        return FieldValues(nvml().device_get_field_values(self._handle, wanted) if wanted else ())

    def clear_field_values(self, field_ids: list[int | tuple[int, int]]) -> None:
        """Reset counter fields to 0."""
        from cuda.core.system._fields import pairs

        wanted = pairs(field_ids)
        if wanted:
            nvml().device_clear_field_values(self._handle, wanted)

    def get_supported_event_types(self) -> list[EventType]:
        """Return the types of events that the device can report."""
        return _codes.members(EventType, nvml().device_get_supported_event_types(self._handle))

    def register_events(self, events: EventType | str | list[EventType | str]) -> DeviceEvents:
        """Register for events; return an object with which to wait for them."""
        from cuda.core.system._events import DeviceEvents

        return DeviceEvents(self, events)

    def __eq__(self, other: object) -> bool:
        return self._handle == other._handle if isinstance(other, Device) else NotImplemented

    def __hash__(self) -> int:
        return hash((Device, self._handle))

    def __repr__(self) -> str:
        return f"<system.Device {self.index} ({self.name})>"


def _text(value: Any, argument: str) -> str:
    if isinstance(value, bytes):
        value = value.decode()
    if not isinstance(value, str):
        raise TypeError(f"{argument} must be a str, not {type(value).__name__}")
    return value


def _bits(words: Any) -> list[int]:
    """Return the indices of the bits that are set in a sequence of 64-bit words."""
    return [_WORD * i + bit for i, word in enumerate(words) for bit in range(_WORD) if int(word) >> bit & 1]


def _pstate(state: Any) -> int | None:
    return int(state) if 0 <= int(state) <= 15 else None
