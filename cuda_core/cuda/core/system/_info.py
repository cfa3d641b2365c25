# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Groups of a device's properties: snapshots of one query, and objects that query each property on access."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cuda.core.system._codes import member, number
from cuda.core.system._library import nvml
from cuda.core.system.typing import (
    CoolerControl,
    CoolerTarget,
    FanControlPolicy,
    InforomObject,
    TemperatureThresholds,
    ThermalController,
    ThermalTarget,
)

if TYPE_CHECKING:
    from cuda.core.system._device import Device


_NO_INSTANCE = 0xFFFFFFFF


class _Answer:
    """Base of snapshots: the result of one NVML query."""

    __slots__ = ("_data",)

    def __init__(self, data: Any) -> None:
        self._data = data

    def __repr__(self) -> str:
        names = [name for name in dir(type(self)) if isinstance(getattr(type(self), name), property)]
        known = ", ".join(f"{name}={getattr(self, name)!r}" for name in names if self._has(name))
        return f"<{type(self).__name__} {known}>"

    def _has(self, name: str) -> bool:
        """Return whether a property is available, so that repr shows it."""
        return True


def _field(name: str, doc: str, kind: type = int) -> property:
    return property(lambda self: kind(getattr(self._data, name)), doc=doc)


class MemoryInfo(_Answer):
    """The usage of a device's memory, in bytes."""

    __slots__ = ()
    total = _field("total", "Return how much there is.")
    free = _field("free", "Return how much is free.")
    used = _field("used", "Return how much is in use.")
    reserved = _field("reserved", "Return how much the driver keeps for itself.")


class BAR1MemoryInfo(MemoryInfo):
    """The usage of BAR1 memory, the part of a device's memory that the host can map, in bytes."""

    __slots__ = ()
    total = _field("bar1_total", "Return how much there is.")
    free = _field("bar1_free", "Return how much is free.")
    used = _field("bar1_used", "Return how much is in use.")

    @property
    def reserved(self) -> int:
        """Return the memory that is neither free nor in use."""
        return self.total - self.free - self.used


class Utilization(_Answer):
    """The utilisation of a device in the last sample period, in percent of the time."""

    __slots__ = ()
    gpu = _field("gpu", "Return for how much of the time a kernel ran.")
    memory = _field("memory", "Return for how much of the time memory was read or written.")


class DeviceAttributes(_Answer):
    """The numbers of multiprocessors, engines and so on of a device or MIG device."""

    __slots__ = ()
    multiprocessor_count = _field("multiprocessor_count", "Return how many multiprocessors there are.")
    shared_copy_engine_count = _field("shared_copy_engine_count", "Return how many copy engines are shared.")
    shared_decoder_count = _field("shared_decoder_count", "Return how many decoders are shared.")
    shared_encoder_count = _field("shared_encoder_count", "Return how many encoders are shared.")
    shared_jpeg_count = _field("shared_jpeg_count", "Return how many JPEG engines are shared.")
    shared_ofa_count = _field("shared_ofa_count", "Return how many optical flow accelerators are shared.")
    gpu_instance_slice_count = _field("gpu_instance_slice_count", "Return how many slices the GPU instance has.")
    compute_instance_slice_count = _field("compute_instance_slice_count", "Return how many the compute instance has.")
    memory_size_mb = _field("memory_size_mb", "Return how much memory there is, in MiB.")


class ProcessInfo(_Answer):
    """A process that uses a device."""

    __slots__ = ()
    pid = _field("pid", "Return the process's number.")
    used_gpu_memory = _field("used_gpu_memory", "Return how much memory of the device it uses, in bytes.")

    @property
    def gpu_instance_id(self) -> int:
        """Return the id of its GPU instance, or raise NotSupportedError without MIG."""
        return self._instance("gpu_instance_id")

    @property
    def compute_instance_id(self) -> int:
        """Return the id of its compute instance, or raise NotSupportedError without MIG."""
        return self._instance("compute_instance_id")

    def _instance(self, name: str) -> int:
        if not self._has(name):
            library = nvml()
            raise library.NotSupportedError(library.Return.ERROR_NOT_SUPPORTED)
        return int(getattr(self._data, name))

    def _has(self, name: str) -> bool:
        return "instance" not in name or int(getattr(self._data, name)) != _NO_INSTANCE


class RepairStatus(_Answer):
    """The hardware repairs that are pending until the next reset."""

    __slots__ = ()
    channel_repair_pending = _field("b_channel_repair_pending", "Return whether memory channels will be.", bool)
    tpc_repair_pending = _field("b_tpc_repair_pending", "Return whether processing clusters will be.", bool)


class CoolerInfo(_Answer):
    """A device's cooler."""

    __slots__ = ()

    @property
    def signal_type(self) -> CoolerControl:
        """Return the type of control."""
        return member(CoolerControl, self._data.signal_type)

    @property
    def target(self) -> CoolerTarget:
        """Return the component that it cools."""
        return member(CoolerTarget, self._data.target)


class ClockOffsets(_Answer):
    """The offset of a clock and its range, in MHz."""

    __slots__ = ()
    clock_offset_mhz = _field("clock_offset_m_hz", "Return by how much it is.")
    min_offset_mhz = _field("min_clock_offset_m_hz", "Return the least that can be set.")
    max_offset_mhz = _field("max_clock_offset_m_hz", "Return the most that can be set.")


class ThermalSensor(_Answer):
    """A temperature sensor, in degrees Celsius."""

    __slots__ = ()
    current_temp = _field("current_temp", "Return what it measures now.")
    default_max_temp = _field("default_max_temp", "Return the most that is normal.")
    default_min_temp = _field("default_min_temp", "Return the least that is normal.")

    @property
    def controller(self) -> ThermalController:
        """Return the type of the sensor."""
        return member(ThermalController, self._data.controller)

    @property
    def target(self) -> ThermalTarget:
        """Return the component whose temperature it measures."""
        return member(ThermalTarget, self._data.target)


class _Parts(Sequence):
    """Base of snapshots that are sequences."""

    _kind: type[_Answer]

    def __init__(self, parts: Any) -> None:
        self._parts = [self._kind(part) for part in parts]

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, index: Any) -> Any:
        return self._parts[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._parts!r}>"


class ThermalSettings(_Parts):
    """The sensors of a device, as a sequence of ThermalSensor."""

    _kind = ThermalSensor


class GpuDynamicPstatesUtilization(_Answer):
    """The utilisation of a component of a device."""

    __slots__ = ()
    is_present = _field("b_is_present", "Return whether the device has the part.", bool)
    percentage = _field("percentage", "Return how busy it is, in percent.")
    inc_threshold = _field("inc_threshold", "Return above how many percent its clocks go up.")
    dec_threshold = _field("dec_threshold", "Return below how many percent its clocks go down.")


class GpuDynamicPstatesInfo(_Parts):
    """The utilisation of a device's components, as a sequence: GPU, memory, video engine, bus."""

    _kind = GpuDynamicPstatesUtilization


class _NvmlQueries:
    """Base of objects that query NVML on each access to a property."""

    __slots__ = ("_device",)

    def __init__(self, device: Device) -> None:
        self._device = device

    @property
    def _handle(self) -> int:
        return self._device._handle

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._device!r}>"


class FanInfo(_NvmlQueries):
    """One of a device's fans."""

    __slots__ = ("_fan",)

    def __init__(self, device: Device, fan: int) -> None:
        super().__init__(device)
        self._fan = fan

    @property
    def speed(self) -> int:
        """Return the intended speed in percent; setting it switches to manual control."""
        return int(nvml().device_get_fan_speed_v2(self._handle, self._fan))

    @speed.setter
    def speed(self, percent: int) -> None:
        if not 0 <= percent <= 100:
            raise ValueError(f"speed must be from 0 to 100 percent, not {percent}")
        nvml().device_set_fan_speed_v2(self._handle, self._fan, percent)

    @property
    def speed_rpm(self) -> int:
        """Return the measured speed in revolutions per minute."""
        return int(nvml().device_get_fan_speed_rpm(self._handle, self._fan))

    @property
    def target_speed(self) -> int:
        """Return the target speed in percent."""
        return int(nvml().device_get_target_fan_speed(self._handle, self._fan))

    @property
    def min_max_speed(self) -> tuple[int, int]:
        """Return the minimum and maximum speed that can be set, in percent."""
        low, high = nvml().device_get_min_max_fan_speed(self._handle)
        return int(low), int(high)

    @property
    def control_policy(self) -> FanControlPolicy:
        """Return the control policy: automatic or manual."""
        return member(FanControlPolicy, nvml().device_get_fan_control_policy_v2(self._handle, self._fan))

    def set_default_speed(self) -> None:
        """Return to automatic control."""
        nvml().device_set_default_fan_speed_v2(self._handle, self._fan)


class Temperature(_NvmlQueries):
    """A device's temperatures, in degrees Celsius."""

    __slots__ = ()

    @property
    def margin(self) -> int:
        """Return the margin to the temperature at which the device slows down."""
        return int(nvml().device_get_margin_temperature(self._handle))

    def get_sensor(self) -> int:
        """Return the temperature of the GPU."""
        library = nvml()
        return int(library.device_get_temperature_v(self._handle, library.TemperatureSensors.TEMPERATURE_GPU))

    def get_threshold(self, threshold_type: TemperatureThresholds | str) -> int:
        """Return the temperature of a threshold."""
        which = number(TemperatureThresholds, threshold_type, "threshold_type")
        return int(nvml().device_get_temperature_threshold(self._handle, which))

    def get_thermal_settings(self, sensor_index: ThermalTarget | str) -> ThermalSettings:
        """Return the sensors of one component of the device, or of ``"all"``."""
        which = number(ThermalTarget, sensor_index, "sensor_index")
        found = nvml().device_get_thermal_settings(self._handle, which)
        return ThermalSettings(list(found.sensor)[: int(found.count)])


class InforomInfo(_NvmlQueries):
    """A device's information ROM."""

    __slots__ = ()

    @property
    def image_version(self) -> str:
        """Return the version of the whole image."""
        return nvml().device_get_inforom_image_version(self._handle)

    @property
    def configuration_checksum(self) -> int:
        """Return a checksum of the configuration."""
        return int(nvml().device_get_inforom_configuration_checksum(self._handle))

    @property
    def board_part_number(self) -> str:
        """Return the board's part number."""
        return nvml().device_get_board_part_number(self._handle)

    @property
    def bbx_flush_time(self) -> tuple[int, int]:
        """Return the time of the last flush of the black box, in microseconds since 1970, and its duration."""
        time, duration = nvml().device_get_last_bbx_flush_time(self._handle)
        return int(time), int(duration)

    def get_version(self, inforom: InforomObject | str) -> str:
        """Return the version of one object in the ROM."""
        return nvml().device_get_inforom_version(self._handle, number(InforomObject, inforom, "inforom"))

    def validate(self) -> None:
        """Check the checksums.

        Raises
        ------
        CorruptedInforomError
            If a checksum is wrong.
        """
        nvml().device_validate_inforom(self._handle)
