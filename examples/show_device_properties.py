# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Print the properties of all devices."""

from cuda.core import Device

LIMITS = (
    "multiprocessor_count",
    "warp_size",
    "max_threads_per_block",
    "max_threads_per_multiprocessor",
    "max_shared_memory_per_block",
    "max_shared_memory_per_block_optin",
    "max_registers_per_block",
    "total_constant_memory",
    "l2_cache_size",
    "clock_rate",
    "global_memory_bus_width",
)
ABILITIES = (
    "cooperative_launch",
    "cluster_launch",
    "managed_memory",
    "concurrent_managed_access",
    "memory_pools_supported",
    "virtual_memory_management_supported",
    "host_memory_pools_supported",
    "ipc_event_supported",
)


def show(device):
    major, minor = device.compute_capability
    print(f"device {device.device_id}: {device.name}")
    print(f"  compute capability {major}.{minor}, at {device.pci_bus_id}, uuid {device.uuid}")
    for name in LIMITS:
        print(f"  {name:36} {getattr(device.properties, name):>12,}")
    for name in ABILITIES:
        print(f"  {name:36} {'yes' if getattr(device.properties, name) else 'no':>12}")
    peers = [other.device_id for other in Device.get_all_devices() if device.can_access_peer(other)]
    print(f"  {'can use the memory of devices':36} {', '.join(map(str, peers)) or 'none':>12}")
    sms = device.resources.sm
    print(f"  {'multiprocessors can be divided by':36} {sms.min_partition_size:>12}")


def main():
    devices = Device.get_all_devices()
    for device in devices:
        show(device)
    print(f"show_device_properties: {len(devices)} device(s)")


if __name__ == "__main__":
    main()
