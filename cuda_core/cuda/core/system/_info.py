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
    """The usage of a device's memory, in bytes.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ()
    total = _field("total", "Return the total size in bytes.")
    free = _field("free", "Return the free memory in bytes.")
    used = _field("used", "Return the memory in use, in bytes.")
    reserved = _field("reserved", "Return the memory that the driver reserves for itself, in bytes.")


class BAR1MemoryInfo(MemoryInfo):
    """The usage of BAR1 memory, the part of a device's memory that the host can map, in bytes.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ()
    total = _field("bar1_total", "Return the total size in bytes.")
    free = _field("bar1_free", "Return the free memory in bytes.")
    used = _field("bar1_used", "Return the memory in use, in bytes.")

    @property
    def reserved(self) -> int:
        """Return the memory that is neither free nor in use, in bytes."""
        return self.total - self.free - self.used


class Utilization(_Answer):
    """The utilisation of a device in the last sample period, in percent of the time.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ()
    gpu = _field("gpu", "Return the share of the time in which a kernel ran, in percent.")
    memory = _field("memory", "Return the share of the time in which memory was read or written, in percent.")


class DeviceAttributes(_Answer):
    """The numbers of multiprocessors, engines and so on of a device or MIG device.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ()
    multiprocessor_count = _field("multiprocessor_count", "Return the number of multiprocessors.")
    shared_copy_engine_count = _field("shared_copy_engine_count", "Return the number of shared copy engines.")
    shared_decoder_count = _field("shared_decoder_count", "Return the number of shared decoders.")
    shared_encoder_count = _field("shared_encoder_count", "Return the number of shared encoders.")
    shared_jpeg_count = _field("shared_jpeg_count", "Return the number of shared JPEG engines.")
    shared_ofa_count = _field("shared_ofa_count", "Return the number of shared optical flow accelerators.")
    gpu_instance_slice_count = _field("gpu_instance_slice_count", "Return the number of slices of the GPU instance.")
    compute_instance_slice_count = _field(
        "compute_instance_slice_count", "Return the number of slices of the compute instance."
    )
    memory_size_mb = _field("memory_size_mb", "Return the size of the memory in MiB (1048576 bytes).")


class ProcessInfo(_Answer):
    """A process that uses a device.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ()
    pid = _field("pid", "Return the process id.")
    used_gpu_memory = _field("used_gpu_memory", "Return the memory of the device that the process uses, in bytes.")

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
    """The hardware repairs that are pending until the next reset.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ()
    channel_repair_pending = _field(
        "b_channel_repair_pending", "Return whether memory channels will be repaired at the next reset.", bool
    )
    tpc_repair_pending = _field(
        "b_tpc_repair_pending", "Return whether processing clusters will be repaired at the next reset.", bool
    )


class CoolerInfo(_Answer):
    """A device's cooler.

    Thread safety: immutable; threads may share it.
    """

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
    """The offset of a clock and its range, in MHz.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ()
    clock_offset_mhz = _field("clock_offset_m_hz", "Return the offset in MHz.")
    min_offset_mhz = _field("min_clock_offset_m_hz", "Return the lowest offset that can be set, in MHz.")
    max_offset_mhz = _field("max_clock_offset_m_hz", "Return the highest offset that can be set, in MHz.")


class ThermalSensor(_Answer):
    """A temperature sensor, in degrees Celsius.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ()
    current_temp = _field("current_temp", "Return the temperature in degrees Celsius.")
    default_max_temp = _field("default_max_temp", "Return the highest normal temperature in degrees Celsius.")
    default_min_temp = _field("default_min_temp", "Return the lowest normal temperature in degrees Celsius.")

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
    """The sensors of a device, as a sequence of ThermalSensor.

    Thread safety: immutable; threads may share it.
    """

    _kind = ThermalSensor


class GpuDynamicPstatesUtilization(_Answer):
    """The utilisation of a component of a device.

    Thread safety: immutable; threads may share it.
    """

    __slots__ = ()
    is_present = _field("b_is_present", "Return whether the device has the part.", bool)
    percentage = _field("percentage", "Return the utilisation in percent.")
    inc_threshold = _field("inc_threshold", "Return the utilisation above which its clocks are raised, in percent.")
    dec_threshold = _field("dec_threshold", "Return the utilisation below which its clocks are lowered, in percent.")


class GpuDynamicPstatesInfo(_Parts):
    """The utilisation of a device's components, as a sequence: GPU, memory, video engine, bus.

    Thread safety: immutable; threads may share it.
    """

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
    """One of a device's fans.

    Thread safety: threads may share it; each access asks NVML.
    """

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
        """Restore automatic control (nvmlDeviceSetDefaultFanSpeed).

        Raises
        ------
        NvmlError
            If the caller is not root.

        Examples
        --------
        >>> fan = system.Device(0).get_fan()  # doctest: +SKIP
        >>> fan.speed = 80  # percent  # doctest: +SKIP
        >>> fan.set_default_speed()  # doctest: +SKIP
        """
        nvml().device_set_default_fan_speed_v2(self._handle, self._fan)


class Temperature(_NvmlQueries):
    """A device's temperatures, in degrees Celsius.

    Thread safety: threads may share it; each access asks NVML.
    """

    __slots__ = ()

    @property
    def margin(self) -> int:
        """Return the margin to the temperature at which the device slows down, in degrees Celsius."""
        return int(nvml().device_get_margin_temperature(self._handle))

    def get_sensor(self) -> int:
        """Return the temperature of the GPU (nvmlDeviceGetTemperature).

        Returns
        -------
        int
            Degrees Celsius.

        Raises
        ------
        NvmlError
            If there is no sensor; the CPU device has none.

        Examples
        --------
        >>> system.Device(0).temperature.get_sensor()  # doctest: +SKIP
        41
        """
        library = nvml()
        return int(library.device_get_temperature_v(self._handle, library.TemperatureSensors.TEMPERATURE_GPU))

    def get_threshold(self, threshold_type: TemperatureThresholds | str) -> int:
        """Return the temperature of a threshold (nvmlDeviceGetTemperatureThreshold).

        Parameters
        ----------
        threshold_type : TemperatureThresholds or str
            Such as ``"slowdown"`` or ``"shutdown"``.

        Returns
        -------
        int
            Degrees Celsius.

        Raises
        ------
        ValueError
            If `threshold_type` is unknown.
        NvmlError
            If the device has no such threshold; the CPU device has none.

        Examples
        --------
        >>> system.Device(0).temperature.get_threshold("slowdown")  # doctest: +SKIP
        87
        """
        which = number(TemperatureThresholds, threshold_type, "threshold_type")
        return int(nvml().device_get_temperature_threshold(self._handle, which))

    def get_thermal_settings(self, sensor_index: ThermalTarget | str) -> ThermalSettings:
        """Return the sensors of one component of the device (nvmlDeviceGetThermalSettings).

        Parameters
        ----------
        sensor_index : ThermalTarget or str
            The component, such as ``"gpu"``, or ``"all"``.

        Returns
        -------
        ThermalSettings
            A sequence of sensors; their temperatures are in degrees Celsius.

        Raises
        ------
        ValueError
            If `sensor_index` is unknown.
        NvmlError
            If the query fails; the CPU device has no sensors.

        Examples
        --------
        >>> sensors = system.Device(0).temperature.get_thermal_settings("all")  # doctest: +SKIP
        >>> [sensor.current_temp for sensor in sensors]  # doctest: +SKIP
        [41]
        """
        which = number(ThermalTarget, sensor_index, "sensor_index")
        found = nvml().device_get_thermal_settings(self._handle, which)
        return ThermalSettings(list(found.sensor)[: int(found.count)])


class InforomInfo(_NvmlQueries):
    """A device's information ROM.

    Thread safety: threads may share it; each access asks NVML.
    """

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
        """Return the version of one object in the ROM (nvmlDeviceGetInforomVersion).

        Parameters
        ----------
        inforom : InforomObject or str
            ``"oem"``, ``"ecc"``, ``"power"`` or ``"den"``.

        Returns
        -------
        str
            The version.

        Raises
        ------
        ValueError
            If `inforom` is unknown.
        NvmlError
            If the device has no such object; the CPU device has none.

        Examples
        --------
        >>> system.Device(0).inforom.get_version("ecc")  # doctest: +SKIP
        '6.16'
        """
        return nvml().device_get_inforom_version(self._handle, number(InforomObject, inforom, "inforom"))

    def validate(self) -> None:
        """Report wrong checksums (nvmlDeviceValidateInforom).

        Raises
        ------
        CorruptedInforomError
            If a checksum is wrong.
        NvmlError
            If the query fails; the CPU device has no such ROM.

        Examples
        --------
        >>> system.Device(0).inforom.validate()  # doctest: +SKIP
        """
        nvml().device_validate_inforom(self._handle)
