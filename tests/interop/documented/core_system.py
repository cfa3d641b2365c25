# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""What the system management part tells of the machine."""

from common import outcome

from cuda.core import system

print(type(system.get_num_devices()).__name__, system.get_num_devices())
for name in (
    "get_driver_version",
    "get_driver_version_full",
    "get_user_mode_driver_version",
    "get_kernel_mode_driver_version",
    "get_nvml_version",
    "get_process_name",
):
    function = getattr(system, name, None)
    print(name, function is not None, type(outcome(function)).__name__ if function else "")
print(sorted(name for name in system.__all__ if name not in ("typing", "exceptions"))[:200])
device = system.Device(index=0)
print(type(device).__name__, sorted(name for name in dir(device) if not name.startswith("_")))
print(type(device.name).__name__, device.uuid[:4], device.index)
print(outcome(system.Device, index=99), outcome(system.Device))
memory = device.memory_info
print(
    memory.total > 0,
    memory.used + memory.free <= memory.total + memory.reserved,
    sorted(n for n in dir(memory) if n[0] != "_"),
)
