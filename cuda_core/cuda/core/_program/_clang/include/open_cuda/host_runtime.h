// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// The runtime API of whole programs: what runtime_api.h, which is generated, cannot state. C++ forms of functions: CUDA
// Runtime API reference, "C++ API Routines". The functions with two underscores are what clang makes launches of.
#pragma once
#include "../vector_functions.h"

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define __OPEN_CUDA_SYMBOL(symbol, per_thread) __asm__(#per_thread)
#else
#define __OPEN_CUDA_SYMBOL(symbol, per_thread) __asm__(#symbol)
#endif
#include "runtime_api.h"
// By these include guards of CUDA's headers, programs know what is declared: helper_cuda.h of NVIDIA's samples does.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define CUDA_VERSION CUDART_VERSION // clang's own headers include cuda.h, which defines it: CCCL relies on that

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = nullptr);

// Of the mathematical functions that the C library lacks before glibc 2.42, those that programs call on the host. Newer
// headers declare them, also those of ziglang, which links older libraries.
extern "C" __host__ __attribute__((weak)) float rsqrtf(float x) noexcept { return 1 / sqrtf(x); }
extern "C" __host__ __attribute__((weak)) double rsqrt(double x) noexcept { return 1 / sqrt(x); }
static __host__ __inline__ __attribute__((unused)) float rsqrt(float x) { return 1 / sqrtf(x); }

__OPEN_CUDA_HOST_DEVICE cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
__OPEN_CUDA_HOST_DEVICE cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
__OPEN_CUDA_HOST_DEVICE cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width, size_t height) {
    return {pointer, pitch, width, height};
}

// Pointers of any type, kernels and variables instead of void pointers.
template <class T> cudaError_t cudaMalloc(T **pointer, size_t size) { return cudaMalloc((void **)(void *)pointer, size); }
template <class T> cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned flags = 0) {
    return cudaHostAlloc((void **)(void *)pointer, size, flags);
}
template <class T> cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned flags) {
    return cudaHostAlloc((void **)(void *)pointer, size, flags);
}
template <class T> cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags) {
    return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T>
cudaError_t cudaMallocManaged(T **pointer, size_t size, unsigned flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void **)(void *)pointer, size, flags);
}
template <class T> cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
    return cudaMallocAsync((void **)(void *)pointer, size, stream);
}
template <class T> cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)(void *)pointer, size, pool, stream);
}
template <class T> cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)(void *)pointer, size, pool, stream);
}
template <class T> cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
    return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *made, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t) {
    return cudaGraphInstantiate(made, graph, 0); // the form before CUDA 12
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t size, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol((const void *)&symbol, from, size, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t size, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, size, offset, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t size, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, size, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t size, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, size, offset, kind, stream);
}
template <class T> cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
    return cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <class T> cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
    return cudaGetSymbolSize(size, (const void *)&symbol);
}

template <class T>
cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                             cudaStream_t stream = 0) {
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                        cudaStream_t stream = 0) {
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments) {
    return [&](P... converted) {
        void *addresses[] = {(void *)&converted..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)kernel, addresses);
    }(static_cast<A &&>(arguments)...);
}
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel) {
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <class T> cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class T> cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config) {
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class T> cudaError_t cudaGetKernel(cudaKernel_t *found, T *kernel) {
    return cudaGetKernel(found, (const void *)kernel);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count, T kernel, int block, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(count, (const void *)kernel, block, shared);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, T kernel, int block, size_t shared,
                                                                   unsigned flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, (const void *)kernel, block, shared, flags);
}
template <class T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *size, T *kernel, int blocks, int block) {
    return cudaOccupancyAvailableDynamicSMemPerBlock(size, (const void *)kernel, blocks, block);
}
template <class... P>
cudaError_t cudaOccupancyMaxActiveClusters(int *count, void (*kernel)(P...), const cudaLaunchConfig_t *config) {
    return cudaOccupancyMaxActiveClusters(count, (const void *)kernel, config);
}
template <class... P>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, void (*kernel)(P...), const cudaLaunchConfig_t *config) {
    return cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}
// The block size, of multiples of a warp, with which most threads are resident; the largest of those that are equal.
template <class T, class F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T kernel, F shared_of, int limit = 0) {
    int device = 0, processors = 0, best = 0;
    cudaFuncAttributes attributes;
    cudaError_t status = cudaGetDevice(&device);
    if (!status) status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (!status) status = cudaFuncGetAttributes(&attributes, (const void *)kernel);
    if (status) return status;
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most) most = limit;
    for (int size = most; size > 0; size = (size - 1) / 32 * 32) {
        int count = 0;
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, size, shared_of(size));
        if (status) return status;
        if (count * size > best) {
            best = count * size;
            *block = size;
            *grid = count * processors;
        }
    }
    return best ? cudaSuccess : cudaErrorInvalidConfiguration;
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T kernel, size_t shared = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, [=](int) { return shared; }, limit);
}

template <class T> cudaChannelFormatDesc cudaCreateChannelDesc() = delete; // not of this type: texels have other types
#define __OPEN_CUDA_CHANNELS(name, type, kind)                                                                         \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                           \
        return cudaCreateChannelDesc(8 * sizeof(type), 0, 0, 0, kind);                                                 \
    }                                                                                                                  \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##1>() { return cudaCreateChannelDesc<type>(); } \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##2>() {                                        \
        return cudaCreateChannelDesc(8 * sizeof(type), 8 * sizeof(type), 0, 0, kind);                                  \
    }                                                                                                                  \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##4>() {                                        \
        return cudaCreateChannelDesc(8 * sizeof(type), 8 * sizeof(type), 8 * sizeof(type), 8 * sizeof(type), kind);    \
    }
__OPEN_CUDA_CHANNELS(char, signed char, cudaChannelFormatKindSigned)
__OPEN_CUDA_CHANNELS(uchar, unsigned char, cudaChannelFormatKindUnsigned)
__OPEN_CUDA_CHANNELS(short, short, cudaChannelFormatKindSigned)
__OPEN_CUDA_CHANNELS(ushort, unsigned short, cudaChannelFormatKindUnsigned)
__OPEN_CUDA_CHANNELS(int, int, cudaChannelFormatKindSigned)
__OPEN_CUDA_CHANNELS(uint, unsigned, cudaChannelFormatKindUnsigned)
__OPEN_CUDA_CHANNELS(float, float, cudaChannelFormatKindFloat)

#include "host_forms.h"
