// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Launches, streams, events, memory and queries in kernels: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism". clang
// makes calls of cudaGetParameterBuffer and cudaLaunchDevice from `<<<>>>` (since clang 22).
#pragma once
#include "../vector_functions.h"
#include "runtime.h"
#include "runtime_enums.h"

#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#ifdef __OPEN_CUDA_PROGRAM__
#include "host_runtime.h"
#else
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct cudaArray *cudaArray_t;
typedef unsigned long long cudaGraphConditionalHandle;

#define cudaStreamDefault 0x0
#define cudaStreamNonBlocking 0x1
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaEventDefault 0x0
#define cudaEventBlockingSync 0x1
#define cudaEventDisableTiming 0x2
#define cudaEventInterprocess 0x4
#define cudaOccupancyDefault 0x0
#define cudaOccupancyDisableCachingOverride 0x1

struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, deviceNodeUpdateStatus;
    unsigned sharedMemoryMode;
    int reserved[14];
};
__OPEN_CUDA_CONST cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
__OPEN_CUDA_CONST cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
__OPEN_CUDA_CONST cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width, size_t height) {
    return {pointer, pitch, width, height};
}
#endif

#define __cudart_builtin__
// Graphs: conditional nodes, and launches of graphs. The CUDA driver resolves these names.
extern "C" {
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
__device__ cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
}

#if __OPEN_CUDA_ARCH >= 900 // Programming Guide, "Programmatic Dependent Launch and Synchronization"
__OPEN_CUDA_FN void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__OPEN_CUDA_FN void cudaTriggerProgrammaticLaunchCompletion() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#endif

#ifdef __CLANG_RDC__ // only relocatable code can be linked with the library
// The second version of dynamic parallelism has functions with a prefix; the first one is for devices before 9.0.
#if defined(CUDA_FORCE_CDP1_IF_SUPPORTED) && __OPEN_CUDA_ARCH < 900
#define __OPEN_CUDA_DEVICE(result, name, ...) __device__ result cuda##name(__VA_ARGS__);
#else
#define __OPEN_CUDA_DEVICE(result, name, ...) __device__ result cuda##name(__VA_ARGS__) __asm__("__cudaCDP2" #name);
#endif
extern "C" {
__OPEN_CUDA_DEVICE(void *, GetParameterBufferV2, void *kernel, dim3 grid, dim3 block, unsigned shared)
__OPEN_CUDA_DEVICE(cudaError_t, LaunchDeviceV2, void *parameters, cudaStream_t stream)
__OPEN_CUDA_DEVICE(cudaError_t, StreamCreateWithFlags, cudaStream_t *stream, unsigned flags)
__OPEN_CUDA_DEVICE(cudaError_t, StreamDestroy, cudaStream_t stream)
__OPEN_CUDA_DEVICE(cudaError_t, StreamWaitEvent, cudaStream_t stream, cudaEvent_t event, unsigned flags)
__OPEN_CUDA_DEVICE(cudaError_t, EventCreateWithFlags, cudaEvent_t *event, unsigned flags)
__OPEN_CUDA_DEVICE(cudaError_t, EventRecord, cudaEvent_t event, cudaStream_t stream)
__OPEN_CUDA_DEVICE(cudaError_t, EventRecordWithFlags, cudaEvent_t event, cudaStream_t stream, unsigned flags)
__OPEN_CUDA_DEVICE(cudaError_t, EventDestroy, cudaEvent_t event)
__OPEN_CUDA_DEVICE(cudaError_t, MemcpyAsync, void *to, const void *from, size_t size, cudaMemcpyKind kind,
                   cudaStream_t stream)
__OPEN_CUDA_DEVICE(cudaError_t, Memcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                   size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
__OPEN_CUDA_DEVICE(cudaError_t, Memcpy3DAsync, const cudaMemcpy3DParms *copy, cudaStream_t stream)
__OPEN_CUDA_DEVICE(cudaError_t, MemsetAsync, void *to, int value, size_t size, cudaStream_t stream)
__OPEN_CUDA_DEVICE(cudaError_t, Memset2DAsync, void *to, size_t pitch, int value, size_t width, size_t height,
                   cudaStream_t stream)
__OPEN_CUDA_DEVICE(cudaError_t, Memset3DAsync, cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream)
__OPEN_CUDA_DEVICE(cudaError_t, Malloc, void **pointer, size_t size)
__OPEN_CUDA_DEVICE(cudaError_t, Free, void *pointer)
__OPEN_CUDA_DEVICE(cudaError_t, GetLastError)
__OPEN_CUDA_DEVICE(cudaError_t, PeekAtLastError)
__OPEN_CUDA_DEVICE(const char *, GetErrorString, cudaError_t error)
__OPEN_CUDA_DEVICE(const char *, GetErrorName, cudaError_t error)
__OPEN_CUDA_DEVICE(cudaError_t, GetDeviceCount, int *count)
__OPEN_CUDA_DEVICE(cudaError_t, GetDevice, int *device)
__OPEN_CUDA_DEVICE(cudaError_t, DeviceGetAttribute, int *value, cudaDeviceAttr attribute, int device)
__OPEN_CUDA_DEVICE(cudaError_t, DeviceGetLimit, size_t *value, cudaLimit limit)
__OPEN_CUDA_DEVICE(cudaError_t, DeviceGetCacheConfig, cudaFuncCache *config)
__OPEN_CUDA_DEVICE(cudaError_t, DeviceGetSharedMemConfig, cudaSharedMemConfig *config)
__OPEN_CUDA_DEVICE(cudaError_t, RuntimeGetVersion, int *version)
__OPEN_CUDA_DEVICE(cudaError_t, FuncGetAttributes, cudaFuncAttributes *attributes, const void *kernel)
__OPEN_CUDA_DEVICE(cudaError_t, OccupancyMaxActiveBlocksPerMultiprocessor, int *count, const void *kernel, int block,
                   size_t shared)
__OPEN_CUDA_DEVICE(cudaError_t, OccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *count, const void *kernel,
                   int block, size_t shared, unsigned flags)

#ifndef __OPEN_CUDA_CUBIN__
__OPEN_CUDA_DEVICE(void *, GetParameterBuffer, size_t alignment, size_t size)
__OPEN_CUDA_DEVICE(cudaError_t, LaunchDevice, void *kernel, void *parameters, dim3 grid, dim3 block, unsigned shared,
                   cudaStream_t stream)
#else
// NVIDIA's library, with which cubins are linked, has the functions of the second version only: there, a buffer belongs to
// a kernel. Until the kernel is known, parameters are in memory of the heap, behind their size.
__device__ __inline__ void *cudaGetParameterBuffer(size_t, size_t size) {
    size_t *memory = (size_t *)malloc(size + 2 * sizeof(size_t));
    if (memory) *memory = size;
    return memory ? memory + 2 : nullptr;
}
__device__ __inline__ cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block,
                                                   unsigned shared, cudaStream_t stream) {
    size_t *memory = (size_t *)parameters - 2;
    void *buffer = cudaGetParameterBufferV2(kernel, grid, block, shared);
    if (buffer) memcpy(buffer, parameters, *memory);
    free(memory);
    return buffer ? cudaLaunchDeviceV2(buffer, stream) : cudaPeekAtLastError();
}
#endif
}
template <class T> __OPEN_CUDA_FN cudaError_t cudaMalloc(T **pointer, size_t size) {
    return cudaMalloc((void **)(void *)pointer, size);
}
template <class T> __OPEN_CUDA_FN cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel) {
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <class T>
__OPEN_CUDA_FN cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count, T kernel, int block, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(count, (const void *)kernel, block, shared);
}
#endif
