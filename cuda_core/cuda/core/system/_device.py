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

    Thread safety: threads may share it, as NVML is thread-safe; each access asks NVML.

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
        """Return the number of devices (nvmlDeviceGetCount).

        Returns
        -------
        int
            All devices, including those not visible to CUDA.

        Raises
        ------
        NvmlError
            If NVML cannot be initialised.

        Examples
        --------
        >>> system.Device.get_device_count() >= 1
        True
        """
        return int(nvml().device_get_count_v2())

    @classmethod
    def get_all_devices(cls) -> Iterator[Device]:
        """Yield all devices, in the order of their indices.

        Yields
        ------
        Device
            The devices, including those not visible to CUDA.

        Raises
        ------
        NvmlError
            If NVML cannot be initialised.

        Examples
        --------
        >>> [each.index for each in system.Device.get_all_devices()]
        [0...]
        """
        for index in range(cls.get_device_count()):
            yield cls(index)

    @classmethod
    def get_all_devices_with_cpu_affinity(cls, cpu_index: int) -> Iterator[Device]:
        """Yield the devices with affinity to a CPU of the host (nvmlSystemGetTopologyGpuSet).

        Parameters
        ----------
        cpu_index : int
            The number of the CPU.

        Yields
        ------
        Device
            The devices that are closest to this CPU.

        Raises
        ------
        NvmlError
            If there is no such CPU.

        Examples
        --------
        >>> system.Device(0) in system.Device.get_all_devices_with_cpu_affinity(0)
        True
        """
        for handle in nvml().system_get_topology_gpu_set(cpu_index):
            yield cls._of(handle)

    def get_topology_nearest_gpus(self, level: GpuTopologyLevel | str) -> Iterator[Device]:
        """Yield the devices whose topological distance from this one is at most `level`
        (nvmlDeviceGetTopologyNearestGpus).

        Parameters
        ----------
        level : GpuTopologyLevel or str
            The distance, from ``"internal"`` (one board) to ``"system"``.

        Yields
        ------
        Device
            The other devices.

        Raises
        ------
        NvmlError
            If the query fails.
        ValueError
            If `level` is unknown.

        Examples
        --------
        >>> first = system.Device(0)
        >>> first in first.get_topology_nearest_gpus("system")  # only others
        False
        """
        which = _codes.number(GpuTopologyLevel, level, "level")
        for handle in nvml().device_get_topology_nearest_gpus(self._handle, which):
            yield type(self)._of(handle)

    def to_cuda_device(self) -> cuda.core.Device:
        """Return the same device as `cuda.core.Device`, by its UUID.

        Returns
        -------
        cuda.core.Device
            The device, for streams, memory and launches.

        Raises
        ------
        RuntimeError
            If it is not visible to CUDA, for example because of CUDA_VISIBLE_DEVICES.

        Examples
        --------
        >>> system.Device(uuid="GPU-" + device.uuid).to_cuda_device() == device
        True
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
        """Return the UUID as `cuda.core.Device.uuid` has it, without ``GPU-``."""
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
        """Return the version of the architecture as (major, minor), such as (9, 0)."""
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
        """Return the current memory usage: `total`, `used`, `free` and `reserved`, in bytes.

        Examples
        --------
        >>> memory = system.Device(0).memory_info
        >>> 0 <= memory.used <= memory.total
        True
        """
        return MemoryInfo(nvml().device_get_memory_info_v2(self._handle))

    @property
    def bar1_memory_info(self) -> BAR1MemoryInfo:
        """Return the current usage of BAR1 memory, the part of the memory that the host can map."""
        return BAR1MemoryInfo(nvml().device_get_bar1_memory_info(self._handle))

    @property
    def utilization(self) -> Utilization:
        """Return the utilisation in the last sample period: `gpu` and `memory`, in percent of the time.

        Examples
        --------
        >>> busy = system.Device(0).utilization
        >>> 0 <= busy.gpu <= 100
        True
        """
        return Utilization(nvml().device_get_utilization_rates(self._handle))

    @property
    def compute_running_processes(self) -> list[ProcessInfo]:
        """Return the processes with a compute context on the device: `pid`, and their memory in bytes.

        Examples
        --------
        >>> pids = [process.pid for process in system.Device(0).compute_running_processes]
        """
        return [ProcessInfo(process) for process in nvml().device_get_compute_running_processes_v3(self._handle)]

    @property
    def temperature(self) -> Temperature:
        """Return the temperatures and their thresholds, in degrees Celsius."""
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
        """Return a fan by its index.

        Parameters
        ----------
        fan : int
            The index, below `num_fans`.

        Returns
        -------
        FanInfo
            Its speed in percent and in revolutions per minute, and its control policy.

        Raises
        ------
        ValueError
            If there is no such fan.
        NvmlError
            If the device has no fans.

        Examples
        --------
        >>> try:
        ...     percent = system.Device(0).get_fan().speed
        ... except (ValueError, system.NotSupportedError):  # passive cooling, or the CPU device
        ...     percent = None
        """
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
        """Return one of the clocks.

        Parameters
        ----------
        clock_type : ClockType or str
            ``"graphics"``, ``"sm"``, ``"memory"`` or ``"video"``.

        Returns
        -------
        ClockInfo
            Its current and maximum frequencies, in MHz.

        Raises
        ------
        ValueError
            If `clock_type` is unknown.

        Examples
        --------
        >>> system.Device(0).get_clock("sm").get_current_mhz() > 0
        True
        """
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
        """Return the CPUs of the host with affinity to the device (nvmlDeviceGetCpuAffinityWithinScope).

        Parameters
        ----------
        scope : AffinityScope or str
            ``"node"`` or ``"socket"``.

        Returns
        -------
        list of int
            The numbers of the CPUs.

        Raises
        ------
        NvmlError
            If the query fails.
        ValueError
            If `scope` is unknown.

        Examples
        --------
        >>> 0 in system.Device(0).get_cpu_affinity("socket")
        True
        """
        which = _codes.number(AffinityScope, scope, "scope")
        words = -(-(os.cpu_count() or 1) // _WORD)
        return _bits(nvml().device_get_cpu_affinity_within_scope(self._handle, words, which))

    def get_memory_affinity(self, scope: AffinityScope | str = AffinityScope.NODE) -> list[int]:
        """Return the NUMA nodes of the host with affinity to the device (nvmlDeviceGetMemoryAffinity).

        Parameters
        ----------
        scope : AffinityScope or str
            ``"node"`` or ``"socket"``.

        Returns
        -------
        list of int
            The numbers of the NUMA nodes.

        Raises
        ------
        NvmlError
            If the query fails.
        ValueError
            If `scope` is unknown.

        Examples
        --------
        >>> system.Device(0).get_memory_affinity()
        [0...]
        """
        which = _codes.number(AffinityScope, scope, "scope")
        return _bits(nvml().device_get_memory_affinity(self._handle, _NODE_SET_WORDS, which))

    def set_cpu_affinity(self) -> None:
        """Restrict the calling thread to the CPUs with affinity to the device (nvmlDeviceSetCpuAffinity).

        Raises
        ------
        NvmlError
            If the host does not allow it.

        Examples
        --------
        >>> import os
        >>> first, before = system.Device(0), os.sched_getaffinity(0)
        >>> first.set_cpu_affinity()
        >>> os.sched_getaffinity(0) <= set(first.get_cpu_affinity())
        True
        >>> os.sched_setaffinity(0, before)
        """
        nvml().device_set_cpu_affinity(self._handle)

    def clear_cpu_affinity(self) -> None:
        """Let the calling thread run on all CPUs again (nvmlDeviceClearCpuAffinity).

        Raises
        ------
        NvmlError
            If the host does not allow it.

        Examples
        --------
        >>> import os
        >>> before = os.sched_getaffinity(0)
        >>> system.Device(0).clear_cpu_affinity()
        >>> before <= os.sched_getaffinity(0)
        True
        >>> os.sched_setaffinity(0, before)
        """
        nvml().device_clear_cpu_affinity(self._handle)

    def get_nvlink_count(self) -> int:
        """Return the number of NVLinks that the device supports.

        Returns
        -------
        int
            0 for a device without NVLink, such as the CPU device.

        Raises
        ------
        NvmlError
            If the query fails.

        Examples
        --------
        >>> system.Device(0).get_nvlink_count() >= 0
        True
        """
        library = nvml()
        fields = self.get_field_values([library.FieldId.DEV_NVLINK_LINK_COUNT])
        try:
            return int(fields[0].value)
        except library.NotSupportedError:  # a GPU without NVLink has no such field
            return 0

    def get_nvlink(self, link: int) -> NvlinkInfo:
        """Return an NVLink by its index.

        Parameters
        ----------
        link : int
            The index, below `get_nvlink_count`.

        Returns
        -------
        NvlinkInfo
            Its state and version.

        Raises
        ------
        ValueError
            If there is no such link.
        NvmlError
            If the query fails.

        Examples
        --------
        >>> first = system.Device(0)
        >>> versions = [first.get_nvlink(link).version for link in range(first.get_nvlink_count())]
        """
        count = self.get_nvlink_count()
        if not 0 <= link < count:
            there = f"must be from 0 to {count - 1}" if count else "but the device has no NVLink"
            raise ValueError(f"link is {link}, {there}")
        return NvlinkInfo(self, link)

    def get_nvlinks(self) -> Iterator[NvlinkInfo]:
        """Yield the NVLinks.

        Yields
        ------
        NvlinkInfo
            Their states and versions.

        Raises
        ------
        NvmlError
            If the query fails.

        Examples
        --------
        >>> active = sum(link.state for link in system.Device(0).get_nvlinks())
        """
        for link in range(self.get_nvlink_count()):
            yield NvlinkInfo(self, link)

    # Fields and events.

    def get_field_values(self, field_ids: list[int | tuple[int, int]]) -> FieldValues:
        """Return fields of NVML, such as counters of errors (nvmlDeviceGetFieldValues).

        Parameters
        ----------
        field_ids : list of int or (int, int)
            The ids (`cuda.core.system.typing.FieldId`), or pairs of id and scope.

        Returns
        -------
        FieldValues
            A sequence of values in this order; each has its own status, which is raised on access.

        Raises
        ------
        NvmlError
            If the query fails.
        TypeError
            If `field_ids` is no list of ints or pairs.

        Examples
        --------
        >>> from cuda.bindings import nvml
        >>> values = system.Device(0).get_field_values([nvml.FieldId.DEV_NVLINK_LINK_COUNT])
        >>> values[0].value >= 0
        True
        """
        from cuda.core.system._fields import FieldValues, pairs

        wanted = pairs(field_ids)
        return FieldValues(nvml().device_get_field_values(self._handle, wanted) if wanted else ())

    def clear_field_values(self, field_ids: list[int | tuple[int, int]]) -> None:
        """Reset counter fields to 0 (nvmlDeviceClearFieldValues).

        Parameters
        ----------
        field_ids : list of int or (int, int)
            The ids, as for `get_field_values`.

        Raises
        ------
        NvmlError
            If the fields cannot be reset, or the caller is not root; the CPU device has no such counters.

        Examples
        --------
        >>> from cuda.bindings import nvml
        >>> try:
        ...     system.Device(0).clear_field_values([nvml.FieldId.DEV_ECC_SBE_VOL_TOTAL])
        ... except system.NvmlError as error:
        ...     print("not reset")
        not reset
        """
        from cuda.core.system._fields import pairs

        wanted = pairs(field_ids)
        if wanted:
            nvml().device_clear_field_values(self._handle, wanted)

    def get_supported_event_types(self) -> list[EventType]:
        """Return the types of events that the device can report (nvmlDeviceGetSupportedEventTypes).

        Returns
        -------
        list of EventType
            The types, for `register_events`.

        Raises
        ------
        NvmlError
            If the query fails.

        Examples
        --------
        >>> "xid_critical_error" in system.Device(0).get_supported_event_types()
        True
        """
        return _codes.members(EventType, nvml().device_get_supported_event_types(self._handle))

    def register_events(self, events: EventType | str | list[EventType | str]) -> DeviceEvents:
        """Register for events of the device; return an object with which to wait for them.

        Parameters
        ----------
        events : EventType or str, or a list of them
            The types of events: see `get_supported_event_types`.

        Returns
        -------
        DeviceEvents
            Its `wait` returns the next event; it is a context manager.

        Raises
        ------
        ValueError
            If a type is unknown.
        NvmlError
            If the device does not support it.

        Examples
        --------
        >>> with system.Device(0).register_events("xid_critical_error") as events:
        ...     try:
        ...         events.wait(timeout_ms=10)
        ...     except system.TimeoutError:
        ...         print("no error so far")
        no error so far
        """
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
