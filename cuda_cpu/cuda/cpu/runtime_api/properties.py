# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""cudaDeviceProp, filled from the driver's device attributes."""

from __future__ import annotations

import ctypes

from cuda.cpu import abi as driver_abi
from cuda.cpu import runtime_abi as abi
from cuda.cpu.driver.base.error import CudaError, invalid
from cuda.cpu.driver.device import device as devices
from cuda.cpu.runtime_api.device import ensure_devices

# Field -> attributes, without CU_DEVICE_ATTRIBUTE_; several fill an array.
FIELDS = {
    "sharedMemPerBlock": "MAX_SHARED_MEMORY_PER_BLOCK",
    "regsPerBlock": "MAX_REGISTERS_PER_BLOCK",
    "warpSize": "WARP_SIZE",
    "memPitch": "MAX_PITCH",
    "maxThreadsPerBlock": "MAX_THREADS_PER_BLOCK",
    "maxThreadsDim": "MAX_BLOCK_DIM_X MAX_BLOCK_DIM_Y MAX_BLOCK_DIM_Z",
    "maxGridSize": "MAX_GRID_DIM_X MAX_GRID_DIM_Y MAX_GRID_DIM_Z",
    "totalConstMem": "TOTAL_CONSTANT_MEMORY",
    "major": "COMPUTE_CAPABILITY_MAJOR",
    "minor": "COMPUTE_CAPABILITY_MINOR",
    "textureAlignment": "TEXTURE_ALIGNMENT",
    "texturePitchAlignment": "TEXTURE_PITCH_ALIGNMENT",
    "multiProcessorCount": "MULTIPROCESSOR_COUNT",
    "integrated": "INTEGRATED",
    "canMapHostMemory": "CAN_MAP_HOST_MEMORY",
    "surfaceAlignment": "SURFACE_ALIGNMENT",
    "concurrentKernels": "CONCURRENT_KERNELS",
    "ECCEnabled": "ECC_ENABLED",
    "pciBusID": "PCI_BUS_ID",
    "pciDeviceID": "PCI_DEVICE_ID",
    "pciDomainID": "PCI_DOMAIN_ID",
    "tccDriver": "TCC_DRIVER",
    "asyncEngineCount": "ASYNC_ENGINE_COUNT",
    "unifiedAddressing": "UNIFIED_ADDRESSING",
    "memoryBusWidth": "GLOBAL_MEMORY_BUS_WIDTH",
    "l2CacheSize": "L2_CACHE_SIZE",
    "persistingL2CacheMaxSize": "MAX_PERSISTING_L2_CACHE_SIZE",
    "maxThreadsPerMultiProcessor": "MAX_THREADS_PER_MULTIPROCESSOR",
    "streamPrioritiesSupported": "STREAM_PRIORITIES_SUPPORTED",
    "globalL1CacheSupported": "GLOBAL_L1_CACHE_SUPPORTED",
    "localL1CacheSupported": "LOCAL_L1_CACHE_SUPPORTED",
    "sharedMemPerMultiprocessor": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "regsPerMultiprocessor": "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "managedMemory": "MANAGED_MEMORY",
    "isMultiGpuBoard": "MULTI_GPU_BOARD",
    "multiGpuBoardGroupID": "MULTI_GPU_BOARD_GROUP_ID",
    "hostNativeAtomicSupported": "HOST_NATIVE_ATOMIC_SUPPORTED",
    "pageableMemoryAccess": "PAGEABLE_MEMORY_ACCESS",
    "concurrentManagedAccess": "CONCURRENT_MANAGED_ACCESS",
    "computePreemptionSupported": "COMPUTE_PREEMPTION_SUPPORTED",
    "canUseHostPointerForRegisteredMem": "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM",
    "cooperativeLaunch": "COOPERATIVE_LAUNCH",
    "sharedMemPerBlockOptin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "pageableMemoryAccessUsesHostPageTables": "PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES",
    "directManagedMemAccessFromHost": "DIRECT_MANAGED_MEM_ACCESS_FROM_HOST",
    "maxBlocksPerMultiProcessor": "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "accessPolicyMaxWindowSize": "MAX_ACCESS_POLICY_WINDOW_SIZE",
    "reservedSharedMemPerBlock": "RESERVED_SHARED_MEMORY_PER_BLOCK",
    "hostRegisterSupported": "HOST_REGISTER_SUPPORTED",
    "sparseCudaArraySupported": "SPARSE_CUDA_ARRAY_SUPPORTED",
    "hostRegisterReadOnlySupported": "READ_ONLY_HOST_REGISTER_SUPPORTED",
    "timelineSemaphoreInteropSupported": "TIMELINE_SEMAPHORE_INTEROP_SUPPORTED",
    "memoryPoolsSupported": "MEMORY_POOLS_SUPPORTED",
    "gpuDirectRDMASupported": "GPU_DIRECT_RDMA_SUPPORTED",
    "gpuDirectRDMAFlushWritesOptions": "GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS",
    "gpuDirectRDMAWritesOrdering": "GPU_DIRECT_RDMA_WRITES_ORDERING",
    "memoryPoolSupportedHandleTypes": "MEMPOOL_SUPPORTED_HANDLE_TYPES",
    "deferredMappingCudaArraySupported": "DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED",
    "ipcEventSupported": "IPC_EVENT_SUPPORTED",
    "clusterLaunch": "CLUSTER_LAUNCH",
    "unifiedFunctionPointers": "UNIFIED_FUNCTION_POINTERS",
    "deviceNumaConfig": "NUMA_CONFIG",
    "deviceNumaId": "NUMA_ID",
    "mpsEnabled": "MPS_ENABLED",
    "hostNumaId": "HOST_NUMA_ID",
    "gpuPciDeviceID": "GPU_PCI_DEVICE_ID",
    "gpuPciSubsystemID": "GPU_PCI_SUBSYSTEM_ID",
    "hostNumaMultinodeIpcSupported": "HOST_NUMA_MULTINODE_IPC_SUPPORTED",
}


def cudaGetDeviceProperties(prop: int, device: int) -> None:
    """Fill a cudaDeviceProp. The limits of textures and surfaces stay 0: the device has none yet."""
    ensure_devices()
    of = devices.find(device)
    if not prop:
        raise invalid("cudaGetDeviceProperties: prop is NULL")
    ctypes.memset(prop, 0, ctypes.sizeof(abi.cudaDeviceProp))
    answer = abi.cudaDeviceProp.from_address(prop)
    answer.name = of.name.encode()[:255]
    answer.totalGlobalMem = of.memory
    ctypes.memmove(ctypes.addressof(answer.uuid), of.uuid, 16)
    answer.luidDeviceNodeMask = devices.cuDeviceGetLuid(prop + abi.cudaDeviceProp.luid.offset, device)
    for field, text in FIELDS.items():
        values = [of.attributes[getattr(driver_abi, f"CU_DEVICE_ATTRIBUTE_{name}")] for name in text.split()]
        if len(values) == 1:
            setattr(answer, field, values[0])
        else:
            getattr(answer, field)[:] = values


def cudaChooseDevice(prop: int) -> int:
    """Return the first device that has the memory and the compute capability requested, or else the first."""
    ensure_devices()
    if not prop:
        raise invalid("cudaChooseDevice: prop is NULL")
    wanted = abi.cudaDeviceProp.from_address(prop)
    if not devices.all_devices():
        raise CudaError(abi.cudaErrorNoDevice, "cudaChooseDevice: there is no device")
    for of in devices.all_devices():
        if of.memory >= wanted.totalGlobalMem and of.capability >= (wanted.major, wanted.minor):
            return of.ordinal
    return 0
