# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""How `cuda.core.system` presents NVML's return values, which are faked here."""

import inspect

import pytest

from cuda.bindings import nvml
from cuda.core import ClosedError, system
from cuda.core.system import _library, typing


@pytest.fixture
def answers(monkeypatch):
    """Return a function that sets the return values of NVML's functions and records the calls."""
    calls = []

    def give(**functions):
        for name, answer in functions.items():
            assert callable(getattr(nvml, name))

            def function(*arguments, _name=name, _answer=answer):
                calls.append((_name, *arguments))
                result = _answer(*arguments) if inspect.isfunction(_answer) else _answer
                if isinstance(result, Exception):
                    raise result
                return result

            monkeypatch.setattr(nvml, name, function)
        return calls

    monkeypatch.setattr(_library, "_initialised_in", 0)  # restored afterwards, so that other tests initialise NVML
    give(init_v2=None, device_get_handle_by_index_v2=lambda index: 100 + index)
    return give


@pytest.fixture
def device(answers):
    answers(device_get_index=0, device_get_name="Test GPU")
    return system.Device(0)


def record(kind, **fields):
    return getattr(nvml, kind)(**fields)


def test_the_system(answers):
    answers(
        system_get_driver_version="580.65.06",
        system_get_nvml_version="13.580.65.06",
        system_get_driver_branch="r580_00",
        device_get_count_v2=2,
        system_get_process_name="python",
    )
    assert system.get_kernel_mode_driver_version() == (580, 65, 6)
    assert system.get_nvml_version() == (13, 580, 65, 6)
    assert system.get_driver_branch() == "r580_00"
    assert system.get_num_devices() == 2
    assert system.get_process_name(7) == "python"
    major, minor = system.get_user_mode_driver_version()
    assert major >= 12
    assert minor >= 0


def test_finding_devices(answers):
    calls = answers(
        device_get_count_v2=2,
        device_get_handle_by_uuid=200,
        device_get_handle_by_pci_bus_id_v2=300,
        system_get_topology_gpu_set=lambda cpu: [101, 100],
        device_get_topology_nearest_gpus=lambda handle, level: [101],
        device_get_index=lambda handle: handle - 100,
        device_get_name="Test GPU",
    )
    devices = list(system.Device.get_all_devices())
    assert devices == [system.Device(0), system.Device(1)]
    assert len(set(devices)) == 2
    assert repr(devices[1]) == "<system.Device 1 (Test GPU)>"
    assert system.Device.get_device_count() == 2
    system.Device(uuid=b"GPU-1234")
    system.Device(pci_bus_id="0000:01:00.0")
    assert calls[-2:] == [("device_get_handle_by_uuid", "GPU-1234"),
                          ("device_get_handle_by_pci_bus_id_v2", "0000:01:00.0")]  # fmt: skip
    assert list(system.Device.get_all_devices_with_cpu_affinity(3)) == devices[::-1]
    assert list(devices[0].get_topology_nearest_gpus("hostbridge")) == [devices[1]]
    assert calls[-1] == ("device_get_topology_nearest_gpus", 100, 30)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ValueError, r"^give one of index, uuid and pci_bus_id$"),
        ({"index": 0, "uuid": "x"}, ValueError, r"^give one of index, uuid and pci_bus_id$"),
        ({"index": "0"}, TypeError, r"^index must be an int, not str$"),
        ({"index": -1}, ValueError, r"^index must be at least 0, not -1$"),
        ({"uuid": 5}, TypeError, r"^uuid must be a str, not int$"),
    ],
)
def test_wrong_devices(answers, arguments, error, message):
    with pytest.raises(error, match=message):
        system.Device(**arguments)


def test_missing_device(answers):
    answers(device_get_handle_by_index_v2=nvml.InvalidArgumentError(nvml.Return.ERROR_INVALID_ARGUMENT))
    with pytest.raises(system.InvalidArgumentError):
        system.Device(9)
    with pytest.raises(system.NvmlError):
        system.Device(9)


SIMPLE = {
    "name": ("device_get_name", "H200", "H200"),
    "index": ("device_get_index", 3, 3),
    "serial": ("device_get_serial", "123", "123"),
    "uuid": ("device_get_uuid", "GPU-12-34", "GPU-12-34"),
    "uuid_without_prefix": ("device_get_uuid", "GPU-12-34", "12-34"),
    "brand": ("device_get_brand", 14, "NVIDIA"),
    "arch": ("device_get_architecture", 9, typing.DeviceArch.HOPPER),
    "cuda_compute_capability": ("device_get_cuda_compute_capability", (9, 0), (9, 0)),
    "minor_number": ("device_get_minor_number", 0, 0),
    "module_id": ("device_get_module_id", 1, 1),
    "num_fans": ("device_get_num_fans", 2, 2),
    "performance_state": ("device_get_performance_state", 2, 2),
    "supported_pstates": ("device_get_supported_performance_states", [0, 8, 32], [0, 8]),
    "current_clock_event_reasons": ("device_get_current_clocks_event_reasons", 1, ["gpu_idle"]),
    "supported_clock_event_reasons": ("device_get_supported_clocks_event_reasons", 3,
                                      ["gpu_idle", "applications_clocks_setting"]),
    "is_auto_boosted_clocks_enabled": ("device_get_auto_boosted_clocks_enabled", (1, 0), (True, False)),
    "is_persistence_mode_enabled": ("device_get_persistence_mode", 1, True),
    "is_display_connected": ("device_get_display_mode", 0, False),
    "is_display_active": ("device_get_display_active", 1, True),
    "numa_node_id": ("device_get_numa_node_id", 1, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", SIMPLE)
def test_simple_properties(answers, device, name):
    function, answer, expected = SIMPLE[name]
    calls = answers(**{function: answer})
    assert getattr(device, name) == expected
    assert calls[-1] == (function, 100)


def test_unknown_values(answers, device):
    answers(device_get_architecture=99, device_get_performance_state=32)
    assert device.arch is typing.DeviceArch.UNKNOWN
    assert str(device.arch) == "<DeviceArch.UNKNOWN: 4294967295>"
    assert device.performance_state is None


def test_groups(answers, device):
    answers(
        device_get_memory_info_v2=record("Memory_v2", total=100, free=60, used=30, reserved=10),
        device_get_bar1_memory_info=record("BAR1Memory", bar1_total=64, bar1_free=60, bar1_used=4),
        device_get_utilization_rates=record("Utilization", gpu=75, memory=20),
        device_get_repair_status=record("RepairStatus_v1", b_channel_repair_pending=1),
        device_get_attributes_v2=record("DeviceAttributes", multiprocessor_count=132, memory_size_mb=1000),
        device_get_addressing_mode=record("DeviceAddressingMode_v1", value=2),
        device_get_c2c_mode_info_v=record("C2cModeInfo_v1", is_c2c_enabled=1),
    )
    memory = device.memory_info
    assert (memory.total, memory.free, memory.used, memory.reserved) == (100, 60, 30, 10)
    assert repr(memory) == "<MemoryInfo free=60, reserved=10, total=100, used=30>"
    bar1 = device.bar1_memory_info
    assert (bar1.total, bar1.free, bar1.used, bar1.reserved) == (64, 60, 4, 0)
    assert (device.utilization.gpu, device.utilization.memory) == (75, 20)
    assert (device.repair_status.channel_repair_pending, device.repair_status.tpc_repair_pending) == (True, False)
    assert (device.attributes.multiprocessor_count, device.attributes.memory_size_mb) == (132, 1000)
    assert device.addressing_mode == "ats"
    assert device.is_c2c_enabled
    answers(device_get_addressing_mode=record("DeviceAddressingMode_v1", value=0))
    assert device.addressing_mode is None


def test_processes(answers, device):
    found = nvml.ProcessInfo(2)
    found[0].pid, found[1].pid, found[1].used_gpu_memory = 7, 8, 1 << 30
    found[1].gpu_instance_id = found[1].compute_instance_id = 0xFFFFFFFF
    answers(device_get_compute_running_processes_v3=found)
    processes = device.compute_running_processes
    assert [(process.pid, process.used_gpu_memory) for process in processes] == [(7, 0), (8, 1 << 30)]
    assert (processes[0].gpu_instance_id, processes[0].compute_instance_id) == (0, 0)
    assert repr(processes[1]) == "<ProcessInfo pid=8, used_gpu_memory=1073741824>"
    for name in ("gpu_instance_id", "compute_instance_id"):
        with pytest.raises(system.NotSupportedError):
            getattr(processes[1], name)
    answers(device_get_compute_running_processes_v3=nvml.ProcessInfo(0))
    assert device.compute_running_processes == []


def test_clocks(answers, device):
    calls = answers(
        device_get_clock=1980,
        device_get_max_clock_info=2000,
        device_get_max_customer_boost_clock=1990,
        device_get_min_max_clock_of_p_state=(300, 1900),
        device_get_clock_offsets=record("ClockOffset_v1", clock_offset_m_hz=5, max_clock_offset_m_hz=9),
    )
    clock = device.get_clock("memory")
    assert (clock.get_current_mhz(), clock.get_current_mhz("customer_boost_max")) == (1980, 1980)
    assert calls[-2:] == [("device_get_clock", 100, 2, 0), ("device_get_clock", 100, 2, 3)]
    assert (clock.get_max_mhz(), clock.get_max_customer_boost_mhz()) == (2000, 1990)
    assert clock.get_min_max_clock_of_pstate_mhz(0) == (300, 1900)
    offsets = clock.get_offsets(2)
    assert (offsets.clock_offset_mhz, offsets.min_offset_mhz, offsets.max_offset_mhz) == (5, 0, 9)
    with pytest.raises(ValueError, match=r"^pstate must be from 0 \(fastest\) to 15, not 16$"):
        clock.get_offsets(16)
    with pytest.raises(ValueError, match=r"^clock_type must be one of 'graphics', 'sm', 'memory', 'video', not 'cpu'$"):
        device.get_clock("cpu")


def test_fans_and_temperatures(answers, device):
    calls = answers(
        device_get_num_fans=1,
        device_get_fan_speed_v2=40,
        device_set_fan_speed_v2=None,
        device_get_fan_speed_rpm=2000,
        device_get_target_fan_speed=45,
        device_get_min_max_fan_speed=(30, 100),
        device_get_fan_control_policy_v2=1,
        device_set_default_fan_speed_v2=None,
        device_get_temperature_v=55,
        device_get_margin_temperature=30,
        device_get_temperature_threshold=95,
        device_get_cooler_info=record("CoolerInfo_v1", signal_type=2, target=2),
    )
    fan = device.get_fan()
    assert (fan.speed, fan.speed_rpm, fan.target_speed, fan.min_max_speed) == (40, 2000, 45, (30, 100))
    assert fan.control_policy == "manual"
    fan.speed = 50
    assert calls[-1] == ("device_set_fan_speed_v2", 100, 0, 50)
    fan.set_default_speed()
    with pytest.raises(ValueError, match=r"^speed must be from 0 to 100 percent, not 101$"):
        fan.speed = 101
    with pytest.raises(ValueError, match=r"^fan is 1, but they are 0 to 0$"):
        device.get_fan(1)
    answers(device_get_num_fans=0)
    with pytest.raises(ValueError, match=r"^fan is 0, but the device has none$"):
        device.get_fan()
    temperature = device.temperature
    assert (temperature.get_sensor(), temperature.margin, temperature.get_threshold("slowdown")) == (55, 30, 95)
    assert calls[-1] == ("device_get_temperature_threshold", 100, 1)
    assert (device.cooler.signal_type, device.cooler.target) == ("variable", "gpu")


def test_thermal_settings_and_states(answers, device):
    settings = nvml.GpuThermalSettings()
    settings.count = 1
    answers(device_get_thermal_settings=settings, device_get_dynamic_pstates_info=nvml.GpuDynamicPstatesInfo())
    (sensor,) = device.temperature.get_thermal_settings("all")
    assert (sensor.current_temp, sensor.default_min_temp, sensor.default_max_temp) == (0, 0, 0)
    assert sensor.target == "none"
    parts = device.dynamic_pstates_info
    assert len(parts) >= 4
    assert (parts[0].is_present, parts[0].percentage) == (False, 0)


def test_pci_and_links(answers, device):
    info = record("PciInfo", domain=1, bus=2, device_=3, pci_device_id=0x233010DE)
    calls = answers(
        device_get_pci_info_v3=info,
        device_get_pci_info_ext=record("PciInfoExt_v1", base_class=3, sub_class=2),
        device_get_curr_pcie_link_generation=4,
        device_get_max_pcie_link_generation=5,
        device_get_gpu_max_pcie_link_generation=5,
        device_get_curr_pcie_link_width=8,
        device_get_max_pcie_link_width=16,
        device_get_pcie_throughput=lambda handle, counter: 10 + int(counter),
        device_get_pcie_replay_counter=0,
        device_get_nvlink_state=1,
        device_get_nvlink_version=6,
        device_get_field_values=link_count(18),
    )
    pci = device.pci_info
    assert (pci.domain, pci.bus, pci.device, pci.base_class, pci.sub_class) == (1, 2, 3, 3, 2)
    assert (pci.vendor_id, pci.device_id, pci.subsystem_id) == (0x10DE, 0x2330, 0)
    assert device.pci_bus_id == pci.bus_id == ""
    assert (pci.current_link_generation, pci.max_link_generation, pci.link_generation) == (4, 5, 5)
    assert (pci.current_link_width, pci.max_link_width, pci.replay_counter) == (8, 16, 0)
    assert (pci.tx_throughput, pci.rx_throughput) == (10, 11)
    link = device.get_nvlink(3)
    assert (link.state, link.version) == (True, (4, 0))
    assert calls[-1] == ("device_get_nvlink_version", 100, 3)
    with pytest.raises(ValueError, match=r"^link is 18, must be from 0 to 17$"):
        device.get_nvlink(18)
    answers(device_get_field_values=link_count(0))
    with pytest.raises(ValueError, match=r"^link is 0, but the device has no NVLink$"):
        device.get_nvlink(0)


def test_a_gpu_without_nvlink_has_no_field_for_their_number(answers, device):
    field = link_count(0)
    field[0].nvml_return = int(nvml.Return.ERROR_NOT_SUPPORTED)
    answers(device_get_field_values=field)
    assert (device.get_nvlink_count(), list(device.get_nvlinks())) == (0, [])
    field[0].nvml_return = int(nvml.Return.ERROR_GPU_IS_LOST)
    with pytest.raises(system.NvmlError, match="GPU_IS_LOST"):
        device.get_nvlink_count()


def link_count(count):
    found = nvml.FieldValue(1)
    found[0].field_id, found[0].value_type, found[0].value.ui_val = 91, 1, count
    return found


def test_affinity(answers, device):
    calls = answers(
        device_get_cpu_affinity_within_scope=[0b101, 1],
        device_get_memory_affinity=[2] + [0] * 15,
        device_set_cpu_affinity=None,
        device_clear_cpu_affinity=None,
    )
    assert device.get_cpu_affinity("socket") == [0, 2, 64]
    assert calls[-1][-1] == 1
    assert device.get_memory_affinity() == [1]
    device.set_cpu_affinity()
    device.clear_cpu_affinity()
    assert [call[0] for call in calls[-2:]] == ["device_set_cpu_affinity", "device_clear_cpu_affinity"]


def test_fields(answers, device):
    found = nvml.FieldValue(3)
    found[0].field_id, found[0].value_type, found[0].value.ui_val = 91, 1, 18
    found[1].field_id, found[1].value_type, found[1].value.d_val = 5, 0, 1.5
    found[2].field_id, found[2].nvml_return = 6, int(nvml.Return.ERROR_NOT_SUPPORTED)
    calls = answers(device_get_field_values=found, device_clear_field_values=None)
    values = device.get_field_values([91, (5, 2), 6])
    assert calls[-1] == ("device_get_field_values", 100, [(91, 0), (5, 2), (6, 0)])
    assert [value.value for value in values[:2]] == [18, 1.5]
    assert (values[1].field_id, values[1].scope_id, len(values)) == (5, 0, 3)
    for use in (values.validate, values.get_all_values, lambda: values[2].value):
        with pytest.raises(system.NotSupportedError):
            use()
    assert device.get_nvlink_count() == 18
    assert len(list(device.get_nvlinks())) == 18
    device.clear_field_values([91])
    assert calls[-1] == ("device_clear_field_values", 100, [(91, 0)])
    asked = len(calls)
    device.clear_field_values([])
    assert list(device.get_field_values([])) == []
    assert len(calls) == asked
    with pytest.raises(TypeError, match=r"^field_ids must be a list of field numbers, not int$"):
        device.get_field_values(91)


def test_events(answers, device):
    calls = answers(
        device_get_supported_event_types=8 | 1,
        event_set_create=900,
        device_register_events=None,
        event_set_wait_v2=record("EventData", event_type=8, event_data=31, gpu_instance_id=2),
        event_set_free=None,
    )
    assert device.get_supported_event_types() == ["single_bit_ecc_error", "xid_critical_error"]
    events = device.register_events(["xid_critical_error", "pstate"])
    assert calls[-1] == ("device_register_events", 100, 8 | 4, 900)
    event = events.wait(50)
    assert (event.event_type, event.event_data, event.gpu_instance_id) == ("xid_critical_error", 31, 2)
    with pytest.raises(ValueError, match=r"^timeout_ms must be from 0 to "):
        events.wait(-1)
    answers(event_set_wait_v2=nvml.TimeoutError(nvml.Return.ERROR_TIMEOUT))
    with pytest.raises(system.TimeoutError):
        events.wait()
    events.close()
    events.close()
    assert calls[-1] == ("event_set_free", 900)
    assert calls.count(("event_set_free", 900)) == 1
    with pytest.raises(ClosedError, match=r"^this DeviceEvents is closed$"):
        events.wait()


def test_the_event_set_is_freed_if_registration_fails(answers, device):
    calls = answers(
        event_set_create=900,
        device_register_events=nvml.NotSupportedError(nvml.Return.ERROR_NOT_SUPPORTED),
        event_set_free=None,
    )
    with pytest.raises(system.NotSupportedError):
        device.register_events("clock")
    assert ("event_set_free", 900) in calls


def test_system_events(answers):
    found = nvml.SystemEventData_v1(2)
    found[0].event_type, found[1].event_type, found[1].gpu_id = 1, 2, 1
    calls = answers(
        system_event_set_create=800,
        system_register_events=None,
        system_event_set_free=None,
        system_event_set_wait=found,
    )
    events = system.register_events(["bind", "unbind"])
    assert calls[-1] == ("system_register_events", 3, 800)
    seen = events.wait(10, buffer_size=2)
    assert [(event.event_type, event.gpu_id) for event in seen] == [("unbind", 0), ("bind", 1)]
    with events, pytest.raises(ValueError, match=r"^buffer_size must be at least 1, not 0$"):
        events.wait(0, 0)
    assert calls[-1] == ("system_event_set_free", 800)


def test_mig_devices(answers, device):
    absent = nvml.NotFoundError(nvml.Return.ERROR_NOT_FOUND)
    calls = answers(
        device_is_mig_device_handle=0,
        device_get_mig_mode=(1, 0),
        device_set_mig_mode=(0),
        device_get_max_mig_device_count=3,
        device_get_mig_device_handle_by_index=lambda handle, index: absent if index == 1 else 500 + index,
        device_get_device_handle_from_mig_device_handle=100,
    )
    mig = device.mig
    assert (mig.is_mig_device, mig.mode, mig.pending_mode, mig.device_count) == (False, True, False, 3)
    parts = list(mig.get_all_devices())
    assert [part._handle for part in parts] == [500, 502]
    assert parts[0].mig.parent == device
    mig.mode = False
    assert calls[-1] == ("device_set_mig_mode", 100, 0)
    with pytest.raises(system.NotFoundError):
        mig.get_device_by_index(1)


def test_inforom(answers, device):
    calls = answers(
        device_get_inforom_image_version="G520",
        device_get_inforom_configuration_checksum=5,
        device_get_board_part_number="900",
        device_get_last_bbx_flush_time=(10, 2),
        device_get_inforom_version="2.1",
        device_validate_inforom=nvml.CorruptedInforomError(nvml.Return.ERROR_CORRUPTED_INFOROM),
    )
    inforom = device.inforom
    assert (inforom.image_version, inforom.configuration_checksum, inforom.board_part_number) == ("G520", 5, "900")
    assert (inforom.bbx_flush_time, inforom.get_version("ecc")) == ((10, 2), "2.1")
    assert calls[-1] == ("device_get_inforom_version", 100, 1)
    with pytest.raises(system.CorruptedInforomError):
        inforom.validate()


def test_two_devices(answers, device):
    calls = answers(device_get_topology_common_ancestor=50, device_get_p2p_status=5)
    other = system.Device(1)
    assert system.get_topology_common_ancestor(device, other) == "system"
    assert system.get_p2p_status(device, other, "nvlink") == "not supported"
    assert calls[-1] == ("device_get_p2p_status", 100, 101, 2)


def test_conversion_to_a_cuda_device(answers):
    from cuda.core import Device

    cuda_device = Device(0)
    answers(
        device_get_handle_by_uuid=lambda uuid: 100 if uuid == f"GPU-{cuda_device.uuid}" else None,
        device_get_uuid=f"GPU-{cuda_device.uuid}",
    )
    found = cuda_device.to_system_device()
    assert found == system.Device(0)
    assert found.to_cuda_device() is cuda_device
    answers(device_get_uuid="GPU-other")
    with pytest.raises(RuntimeError, match=r"^CUDA does not see device GPU-other: look at CUDA_VISIBLE_DEVICES$"):
        found.to_cuda_device()
