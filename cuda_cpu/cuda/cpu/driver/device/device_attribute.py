# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Values of every CUdevice_attribute (cuDeviceGetAttribute), with their reasons.

Limits of the architecture (threads, registers, shared memory) are those of the compute capability that the device
declares, since kernels are compiled for it; what concerns the machine is the machine's.
"""

from __future__ import annotations

import os

from cuda.cpu import abi, check
from cuda.cpu.runtime.abi import number
from cuda.cpu.signals import own

# Compute capability -> (KiB of shared memory per SM, per block with opt-in, threads per SM, blocks per SM),
# from the tables of the CUDA programming guide. The nearest lower one serves.
ARCHITECTURE = {
    (7, 5): (64, 64, 1024, 16),
    (8, 0): (164, 163, 2048, 32),
    (8, 6): (100, 99, 1536, 16),
    (8, 7): (164, 163, 1536, 16),
    (8, 9): (100, 99, 1536, 24),
    (9, 0): (228, 227, 2048, 32),
    (10, 0): (228, 227, 2048, 32),
    (11, 0): (228, 227, 1536, 24),
    (12, 0): (100, 99, 1536, 24),
}

CLUSTERS_SINCE = (9, 0)  # compute capability

# Any host address can be read by a kernel, unless memcheck is enabled, which reports it.
PAGEABLE = ("PAGEABLE_MEMORY_ACCESS", "PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES")

FIXED = {
    "MAX_THREADS_PER_BLOCK": number("MAX_BLOCK_THREADS"),
    "MAX_BLOCK_DIM_X": number("MAX_BLOCK_XY"),
    "MAX_BLOCK_DIM_Y": number("MAX_BLOCK_XY"),
    "MAX_BLOCK_DIM_Z": number("MAX_BLOCK_Z"),
    "MAX_GRID_DIM_X": number("MAX_GRID_X"),
    "MAX_GRID_DIM_Y": number("MAX_GRID_YZ"),
    "MAX_GRID_DIM_Z": number("MAX_GRID_YZ"),
    "MAX_SHARED_MEMORY_PER_BLOCK": 48 << 10,
    "TOTAL_CONSTANT_MEMORY": 64 << 10,
    "WARP_SIZE": number("WARP_SIZE"),
    "MAX_PITCH": 2**31 - 1,
    "MAX_REGISTERS_PER_BLOCK": 65536,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 65536,
    "TEXTURE_ALIGNMENT": 256,  # that of every allocation
    "TEXTURE_PITCH_ALIGNMENT": 32,
    "SURFACE_ALIGNMENT": 512,
    "GPU_OVERLAP": 1,  # copies run beside kernels
    "ASYNC_ENGINE_COUNT": 2,
    "INTEGRATED": 1,  # device memory is the host's
    "CAN_MAP_HOST_MEMORY": 1,
    "CONCURRENT_KERNELS": 1,
    "UNIFIED_ADDRESSING": 1,
    "GLOBAL_MEMORY_BUS_WIDTH": 128,  # of a desktop's two channels; no system call reports the real one
    "STREAM_PRIORITIES_SUPPORTED": 1,
    "GLOBAL_L1_CACHE_SUPPORTED": 1,
    "LOCAL_L1_CACHE_SUPPORTED": 1,
    "MANAGED_MEMORY": 1,
    "HOST_NATIVE_ATOMIC_SUPPORTED": 1,  # kernels' atomics are the processor's
    "CONCURRENT_MANAGED_ACCESS": 1,
    "DIRECT_MANAGED_MEM_ACCESS_FROM_HOST": 1,
    "COMPUTE_PREEMPTION_SUPPORTED": 1,
    "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM": 1,
    "CAN_USE_64_BIT_STREAM_MEM_OPS": 1,
    "CAN_USE_STREAM_WAIT_VALUE_NOR": 1,
    "COOPERATIVE_LAUNCH": 1,
    "HOST_REGISTER_SUPPORTED": 1,
    "READ_ONLY_HOST_REGISTER_SUPPORTED": 1,
    "MEMORY_POOLS_SUPPORTED": 1,
    "HOST_MEMORY_POOLS_SUPPORTED": 1,
    "HOST_NUMA_MEMORY_POOLS_SUPPORTED": 1,
    "HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED": 1,
    "HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED": 1,
    "MEMPOOL_SUPPORTED_HANDLE_TYPES": 1,  # CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    "IPC_EVENT_SUPPORTED": 1,
    "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED": 1,
    "MULTICAST_SUPPORTED": 1,
    "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED": 1,
    "UNIFIED_FUNCTION_POINTERS": 0,
    "SPARSE_CUDA_ARRAY_SUPPORTED": 1,
    "DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED": 1,
    "MEM_DECOMPRESS_ALGORITHM_MASK": 7,  # Deflate, Snappy, LZ4
    "MEM_DECOMPRESS_MAXIMUM_LENGTH": 2**31 - 1,
    "CAN_TEX2D_GATHER": 1,
    "MEM_SYNC_DOMAIN_COUNT": 1,
    "PCI_DOMAIN_ID": 0xFFFF,  # device.PCI_DOMAIN
    "PCI_DEVICE_ID": 0,
    "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO": 2,  # vectors hold twice as many
    "MULTI_GPU_BOARD_GROUP_ID": 0,
    "NUMA_CONFIG": 0,  # CU_DEVICE_NUMA_CONFIG_NONE
    "NUMA_ID": -1,
    "HOST_NUMA_ID": 0,
    "COMPUTE_MODE": 0,  # CU_COMPUTEMODE_DEFAULT
    # Textures and surfaces: the programming guide's table for compute capability 9.0.
    "MAXIMUM_TEXTURE1D_WIDTH": 131072,
    "MAXIMUM_TEXTURE1D_LINEAR_WIDTH": 2**28,
    "MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH": 32768,
    "MAXIMUM_TEXTURE1D_LAYERED_WIDTH": 32768,
    "MAXIMUM_TEXTURE1D_LAYERED_LAYERS": 2048,
    "MAXIMUM_TEXTURE2D_WIDTH": 131072,
    "MAXIMUM_TEXTURE2D_HEIGHT": 65536,
    "MAXIMUM_TEXTURE2D_LINEAR_WIDTH": 131072,
    "MAXIMUM_TEXTURE2D_LINEAR_HEIGHT": 65000,
    "MAXIMUM_TEXTURE2D_LINEAR_PITCH": 2097120,
    "MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH": 32768,
    "MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT": 32768,
    "MAXIMUM_TEXTURE2D_GATHER_WIDTH": 32768,
    "MAXIMUM_TEXTURE2D_GATHER_HEIGHT": 32768,
    "MAXIMUM_TEXTURE2D_LAYERED_WIDTH": 32768,
    "MAXIMUM_TEXTURE2D_LAYERED_HEIGHT": 32768,
    "MAXIMUM_TEXTURE2D_LAYERED_LAYERS": 2048,
    "MAXIMUM_TEXTURE3D_WIDTH": 16384,
    "MAXIMUM_TEXTURE3D_HEIGHT": 16384,
    "MAXIMUM_TEXTURE3D_DEPTH": 16384,
    "MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE": 8192,
    "MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE": 8192,
    "MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE": 32768,
    "MAXIMUM_TEXTURECUBEMAP_WIDTH": 32768,
    "MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH": 32768,
    "MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS": 2046,
    "MAXIMUM_SURFACE1D_WIDTH": 32768,
    "MAXIMUM_SURFACE1D_LAYERED_WIDTH": 32768,
    "MAXIMUM_SURFACE1D_LAYERED_LAYERS": 2048,
    "MAXIMUM_SURFACE2D_WIDTH": 131072,
    "MAXIMUM_SURFACE2D_HEIGHT": 65536,
    "MAXIMUM_SURFACE2D_LAYERED_WIDTH": 32768,
    "MAXIMUM_SURFACE2D_LAYERED_HEIGHT": 32768,
    "MAXIMUM_SURFACE2D_LAYERED_LAYERS": 2048,
    "MAXIMUM_SURFACE3D_WIDTH": 16384,
    "MAXIMUM_SURFACE3D_HEIGHT": 16384,
    "MAXIMUM_SURFACE3D_DEPTH": 16384,
    "MAXIMUM_SURFACECUBEMAP_WIDTH": 32768,
    "MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH": 32768,
    "MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS": 2046,
}

# The fields of CUdevprop, an older and smaller form of the same table.
LEGACY_PROPERTIES = {
    "maxThreadsPerBlock": (1,),
    "maxThreadsDim": (2, 3, 4),
    "maxGridSize": (5, 6, 7),
    "sharedMemPerBlock": (8,),
    "totalConstantMemory": (9,),
    "SIMDWidth": (10,),
    "memPitch": (11,),
    "regsPerBlock": (12,),
    "clockRate": (13,),
    "textureAlign": (14,),
}


def reserved_shared(capability: tuple[int, int]) -> int:
    """Return the bytes of shared memory that the system takes of each block."""
    return 1024 if capability >= (8, 0) else 0


def architecture(capability: tuple[int, int]) -> tuple[int, int, int, int]:
    return ARCHITECTURE[max(known for known in ARCHITECTURE if known <= capability)]


def clock_rate_khz() -> int:
    """Return the processor's highest clock rate in kHz, 1 GHz where the kernel does not report it."""
    try:
        with open("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") as file:
            return int(file.read())
    except own(OSError, ValueError):
        pass
    try:
        with open("/proc/cpuinfo") as file:
            rates = [float(stream.split(":")[1]) for stream in file if stream.startswith("cpu MHz")]
            return int(max(rates) * 1000)
    except own(OSError, ValueError):
        return 1_000_000


def last_level_cache() -> int:
    for name in ("SC_LEVEL3_CACHE_SIZE", "SC_LEVEL2_CACHE_SIZE"):
        size = os.sysconf(name) if name in os.sysconf_names else 0
        if size > 0:
            return min(size, 2**31 - 1)
    return 1 << 20


def values(device) -> dict[int, int]:
    """Return attribute number -> value for `device`; what the table does not name is a feature it has not: 0."""
    per_sm, per_block, threads, blocks = architecture(device.capability)
    clock = clock_rate_khz()
    known = FIXED | {
        "CLOCK_RATE": clock,
        "MEMORY_CLOCK_RATE": clock,
        "MULTIPROCESSOR_COUNT": device.cores,
        "LOCALITY_DOMAIN_COUNT": 1,
        "LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT": device.cores,
        "L2_CACHE_SIZE": last_level_cache(),
        "MAX_THREADS_PER_MULTIPROCESSOR": threads,
        "MAX_BLOCKS_PER_MULTIPROCESSOR": blocks,
        "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": per_sm << 10,
        "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": per_block << 10,
        "RESERVED_SHARED_MEMORY_PER_BLOCK": reserved_shared(device.capability),
        "COMPUTE_CAPABILITY_MAJOR": device.capability[0],
        "COMPUTE_CAPABILITY_MINOR": device.capability[1],
        "CLUSTER_LAUNCH": int(device.capability >= CLUSTERS_SINCE),
        "TENSOR_MAP_ACCESS_SUPPORTED": int(device.capability >= CLUSTERS_SINCE),
        "PCI_BUS_ID": device.ordinal,
        **dict.fromkeys(PAGEABLE, int(not check.chosen() & check.MEMCHECK)),
    }
    prefix = "CU_DEVICE_ATTRIBUTE_"
    numbered = {getattr(abi, prefix + name): value for name, value in known.items()}
    return {number: numbered.get(number, 0) for number in range(1, abi.CU_DEVICE_ATTRIBUTE_MAX)}
