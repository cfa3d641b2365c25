# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Functions of the runtime API with the signature of a driver function, as tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda.cpu import driver
from cuda.cpu.runtime_api import device, host_code

# Those that need a context: runtime function, and driver function where that is not cu + the same.
IN_CONTEXT = """
cudaDeviceSynchronize cuCtxSynchronize
cudaDeviceSetLimit cuCtxSetLimit
cudaDeviceGetLimit cuCtxGetLimit
cudaDeviceGetCacheConfig cuCtxGetCacheConfig
cudaDeviceSetCacheConfig cuCtxSetCacheConfig
cudaDeviceGetSharedMemConfig cuCtxGetSharedMemConfig
cudaDeviceSetSharedMemConfig cuCtxSetSharedMemConfig
cudaDeviceGetStreamPriorityRange cuCtxGetStreamPriorityRange
cudaCtxResetPersistingL2Cache
cudaStreamCreateWithFlags cuStreamCreate
cudaStreamCreateWithPriority
cudaStreamDestroy
cudaStreamGetPriority
cudaStreamGetFlags
cudaStreamGetId
cudaStreamGetDevice
cudaStreamQuery
cudaStreamSynchronize
cudaStreamWaitEvent
cudaStreamAddCallback
cudaStreamIsCapturing
cudaStreamGetCaptureInfo
cudaStreamAttachMemAsync
cudaStreamGetAttribute
cudaStreamSetAttribute
cudaStreamCopyAttributes
cudaStreamGetDevResource
cudaLaunchHostFunc
cudaLaunchHostFunc_v2
cudaEventCreateWithFlags cuEventCreate
cudaEventDestroy
cudaEventRecord
cudaEventRecordWithFlags
cudaEventQuery
cudaEventSynchronize
cudaEventElapsedTime
cudaMallocHost cuMemAllocHost
cudaHostAlloc cuMemHostAlloc
cudaHostRegister cuMemHostRegister
cudaHostUnregister cuMemHostUnregister
cudaHostGetDevicePointer cuMemHostGetDevicePointer
cudaHostGetFlags cuMemHostGetFlags
cudaMallocManaged cuMemAllocManaged
cudaMemGetInfo
cudaMallocAsync cuMemAllocAsync
cudaMallocFromPoolAsync cuMemAllocFromPoolAsync
cudaFreeAsync cuMemFreeAsync
cudaMemPoolTrimTo
cudaMemPoolGetAttribute
cudaMemPoolSetAttribute
cudaMemPoolSetAccess
cudaMemPoolGetAccess
cudaMemPoolCreate
cudaMemPoolDestroy
cudaMemGetDefaultMemPool
cudaMemGetMemPool
cudaMemSetMemPool
cudaMemPoolExportToShareableHandle
cudaMemPoolImportFromShareableHandle
cudaMemPoolExportPointer
cudaMemPoolImportPointer
cudaIpcGetMemHandle
cudaIpcOpenMemHandle
cudaIpcCloseMemHandle
cudaIpcGetEventHandle
cudaIpcOpenEventHandle
cudaMemPrefetchAsync
cudaMemPrefetchBatchAsync
cudaMemDiscardBatchAsync
cudaMemDiscardAndPrefetchBatchAsync
cudaMemAdvise
cudaMemRangeGetAttribute
cudaMemRangeGetAttributes
cudaMemcpyBatchAsync
cudaMemcpyWithAttributesAsync
cudaMemcpy3DBatchAsync
cudaMemcpy3DWithAttributesAsync
cudaGetMipmappedArrayLevel cuMipmappedArrayGetLevel
cudaArrayGetPlane
cudaArrayGetSparseProperties
cudaMipmappedArrayGetSparseProperties
cudaArrayGetMemoryRequirements
cudaMipmappedArrayGetMemoryRequirements
cudaLibraryLoadData
cudaLibraryLoadFromFile
cudaLibraryUnload
cudaLibraryGetKernel
cudaLibraryGetKernelCount
cudaLibraryEnumerateKernels
cudaLibraryGetGlobal
cudaLibraryGetManaged
cudaLibraryGetUnifiedFunction
cudaStreamBeginCapture
cudaStreamBeginCaptureToGraph
cudaStreamEndCapture
cudaStreamUpdateCaptureDependencies
cudaThreadExchangeStreamCaptureMode
cudaGraphCreate
cudaGraphDestroy
cudaGraphClone
cudaGraphAddEmptyNode
cudaGraphAddHostNode
cudaGraphAddChildGraphNode
cudaGraphAddEventRecordNode
cudaGraphAddEventWaitNode
cudaGraphAddMemAllocNode
cudaGraphAddMemFreeNode
cudaGraphAddDependencies
cudaGraphRemoveDependencies
cudaGraphDestroyNode
cudaGraphHostNodeGetParams
cudaGraphHostNodeSetParams
cudaGraphChildGraphNodeGetGraph
cudaGraphEventRecordNodeGetEvent
cudaGraphEventRecordNodeSetEvent
cudaGraphEventWaitNodeGetEvent
cudaGraphEventWaitNodeSetEvent
cudaGraphMemAllocNodeGetParams
cudaGraphMemFreeNodeGetParams
cudaGraphKernelNodeCopyAttributes
cudaGraphKernelNodeGetAttribute
cudaGraphKernelNodeSetAttribute
cudaGraphMemsetNodeGetParams
cudaGraphMemsetNodeSetParams
cudaGraphNodeFindInClone
cudaGraphNodeGetType
cudaGraphNodeGetContainingGraph
cudaGraphNodeGetLocalId
cudaGraphNodeGetToolsId
cudaGraphNodeGetDependencies
cudaGraphNodeGetDependentNodes
cudaGraphGetId
cudaGraphGetNodes
cudaGraphGetRootNodes
cudaGraphGetEdges
cudaGraphInstantiate
cudaGraphInstantiateWithFlags cuGraphInstantiate
cudaGraphInstantiateWithParams
cudaGraphExecDestroy
cudaGraphExecGetFlags
cudaGraphExecGetId
cudaGraphExecHostNodeSetParams
cudaGraphExecChildGraphNodeSetParams
cudaGraphExecEventRecordNodeSetEvent
cudaGraphExecEventWaitNodeSetEvent
cudaGraphExecUpdate
cudaGraphNodeGetEnabled
cudaGraphNodeSetEnabled
cudaGraphUpload
cudaGraphLaunch
cudaGraphDebugDotPrint
cudaGraphRetainUserObject
cudaGraphReleaseUserObject
cudaUserObjectCreate
cudaUserObjectRetain
cudaUserObjectRelease
cudaImportExternalMemory
cudaDestroyExternalMemory
cudaExternalMemoryGetMappedBuffer
cudaProfilerStart
cudaProfilerStop
"""
# Those that need a context, and whose first input is a kernel in any of the forms that the runtime API knows.
OF_KERNEL = """
cudaOccupancyMaxActiveBlocksPerMultiprocessor
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
cudaOccupancyAvailableDynamicSMemPerBlock
cudaFuncSetAttribute
cudaFuncSetCacheConfig
cudaFuncSetSharedMemConfig
cudaFuncGetName
cudaFuncGetParamInfo
cudaFuncGetParamCount
"""
# Those that need no context, but devices.
WITH_DEVICES = """
cudaGetDeviceCount cuDeviceGetCount
cudaDeviceGetAttribute
cudaDeviceGetPCIBusId
cudaDeviceGetByPCIBusId
cudaDeviceCanAccessPeer
cudaDeviceGetP2PAttribute
cudaDeviceGetDefaultMemPool
cudaDeviceGetMemPool
cudaDeviceSetMemPool
cudaDeviceGraphMemTrim
cudaDeviceGetGraphMemAttribute
cudaDeviceSetGraphMemAttribute
cudaDriverGetVersion
cudaDeviceGetHostAtomicCapabilities
cudaDeviceGetP2PAtomicCapabilities
cudaDeviceRegisterAsyncNotification
cudaDeviceUnregisterAsyncNotification
cudaDeviceGetDevResource
cudaDevSmResourceSplitByCount
cudaDevSmResourceSplit
cudaDevResourceGenerateDesc
cudaLogsRegisterCallback
cudaLogsUnregisterCallback
cudaLogsCurrent
cudaLogsDumpToFile
cudaLogsDumpToMemory
"""


def functions() -> dict[str, Callable[..., Any]]:
    """Return the functions of all lists by name."""
    made = {}
    for text, prepare in ((IN_CONTEXT, device.ensure_context), (WITH_DEVICES, device.ensure_devices)):
        for row in text.split("\n")[1:-1]:
            name, _, of = row.partition(" ")
            made[name] = prepared(prepare, getattr(driver, of or name.replace("cuda", "cu", 1)))
    for name in OF_KERNEL.split():
        made[name] = prepared(device.ensure_context, with_kernel(getattr(driver, name.replace("cuda", "cu", 1))))
    return made


def with_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(func: int, *arguments: Any) -> Any:
        return function(host_code.kernel_of(func), *arguments)

    return call


def prepared(prepare: Callable[[], None], function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        prepare()
        return function(*arguments)

    return call
