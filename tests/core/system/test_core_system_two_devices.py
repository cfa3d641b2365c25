# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""`cuda.core.system` with the NVML library of two CPU devices."""

import pytest
from support.scripts import run_checked


@pytest.mark.cpu_only
def test_on_the_cpu_device():
    """Here the NVML library for CPU devices is called."""
    said = run_checked(
        """
        import os

        from cuda.core import Device, system

        print(system.get_num_devices(), system.get_nvml_version()[:1])
        first, second = system.Device.get_all_devices()
        print(first.name == Device(0).name, first.cuda_compute_capability == Device(0).compute_capability)
        print(Device(1).to_system_device() == second, second.to_cuda_device() is Device(1))
        print(system.Device(uuid=first.uuid) == first, system.Device(pci_bus_id=second.pci_bus_id).index)
        before = first.memory_info
        Device(0).set_current()
        with Device(0).allocate(64 << 20, stream=Device(0).default_stream):
            now = first.memory_info
        print(now.used - before.used >= 64 << 20, now.total == before.total)
        print(os.getpid() in [process.pid for process in first.compute_running_processes])
        for use in (lambda: first.temperature.get_sensor(), lambda: first.get_fan()):
            try:
                use()
            except system.NotSupportedError as error:
                print(type(error).__name__)
        try:
            system.Device(2)
        except system.NvmlError as error:
            print(type(error).__name__)
        """,
        CUDA_CPU_DEVICES="2",
    )
    assert said.splitlines() == [
        "2 (13,)",
        "True True",
        "True True",
        "True 1",
        "True True",
        "True",
        "NotSupportedError",
        "NotSupportedError",
        "InvalidArgumentError",
    ]
