# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Devices and their properties."""

from common import begin, outcome

from cuda.core import Device

NAMES = """
max_threads_per_block max_block_dim_x max_block_dim_y max_block_dim_z max_grid_dim_x max_grid_dim_y max_grid_dim_z
max_shared_memory_per_block total_constant_memory warp_size max_pitch maximum_texture1d_width maximum_texture2d_width
max_registers_per_block clock_rate texture_alignment texture_pitch_alignment gpu_overlap multiprocessor_count
kernel_exec_timeout integrated can_map_host_memory compute_mode concurrent_kernels ecc_enabled pci_bus_id
tcc_driver memory_clock_rate global_memory_bus_width l2_cache_size max_threads_per_multiprocessor async_engine_count
unified_addressing compute_capability_major compute_capability_minor stream_priorities_supported
global_l1_cache_supported local_l1_cache_supported max_shared_memory_per_multiprocessor
max_registers_per_multiprocessor managed_memory multi_gpu_board host_native_atomic_supported
pageable_memory_access concurrent_managed_access compute_preemption_supported
can_use_host_pointer_for_registered_mem cooperative_launch max_shared_memory_per_block_optin
virtual_memory_management_supported handle_type_posix_file_descriptor_supported memory_pools_supported
mempool_supported_handle_types max_blocks_per_multiprocessor reserved_shared_memory_per_block
"""
device, stream = begin()
print(Device.get_all_devices(), device == Device(0), hash(device) == hash(Device(0)), int(device), device.device_id)
print(device.arch, device.compute_capability, type(device.name).__name__, len(device.uuid))
for name in NAMES.split():
    print(name, getattr(device.properties, name))
print(device.context.is_closed if hasattr(device.context, "is_closed") else "no is_closed")
print(outcome(Device, 99), outcome(Device, -1), outcome(Device, "0"))
print(device.can_access_peer(device))
print(device.default_stream == device.default_stream, type(device.memory_resource).__name__)
