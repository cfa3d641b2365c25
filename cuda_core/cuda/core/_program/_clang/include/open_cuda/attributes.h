// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// __maxnreg__, __cluster_dims__, __block_size__ and __managed__ (CUDA C++ Programming Guide, "Maximum Number of
// Registers", "Thread Block Clusters", "Launching with Clusters using Blocks as Clusters", "__managed__ Memory Space
// Specifier"), for which clang has no code on this target. They become annotations, from which the directives of the PTX
// are made (_attributes.py). An annotation refers to a variable: PTX that has it is of a program with them.
#pragma once

#ifdef __CUDA_ARCH__
template <class T> struct __open_cuda_annotated {
    static __device__ int mark;
};
template <class T> __device__ int __open_cuda_annotated<T>::mark = 0;

#define __OPEN_CUDA_ERROR_IF(condition, message) __attribute__((diagnose_if(condition, message, "error")))

__device__ constexpr long long __open_cuda_registers(long long count)
    __OPEN_CUDA_ERROR_IF(count <= 0, "__maxnreg__: the number of registers must be positive") {
    return count;
}
#define __maxnreg__(n)                                                                                                 \
    __attribute__((annotate("open_cuda.maxnreg", __open_cuda_registers(n), &__open_cuda_annotated<void>::mark)))

// The sizes that are not given are 1. Without any, each launch gives the dimensions: x is 0.
__device__ constexpr long long __open_cuda_cluster_x()
    __OPEN_CUDA_ERROR_IF(__CUDA_ARCH__ < 900, "__cluster_dims__ needs the architecture sm_90 or newer") {
    return 0;
}
__device__ constexpr long long __open_cuda_cluster_x(long long x, long long y = 1, long long z = 1)
    __OPEN_CUDA_ERROR_IF(__CUDA_ARCH__ < 900, "__cluster_dims__ needs the architecture sm_90 or newer")
    __OPEN_CUDA_ERROR_IF(x <= 0 || y <= 0 || z <= 0, "__cluster_dims__: the dimensions must be positive") {
    return x;
}
__device__ constexpr long long __open_cuda_cluster_y() { return 1; }
__device__ constexpr long long __open_cuda_cluster_y(long long) { return 1; }
template <class... T> __device__ constexpr long long __open_cuda_cluster_y(long long, long long y, T...) { return y; }
__device__ constexpr long long __open_cuda_cluster_z() { return 1; }
__device__ constexpr long long __open_cuda_cluster_z(long long) { return 1; }
__device__ constexpr long long __open_cuda_cluster_z(long long, long long) { return 1; }
template <class... T> __device__ constexpr long long __open_cuda_cluster_z(long long, long long, long long z, T...) {
    return z;
}
#define __cluster_dims__(...)                                                                                          \
    __attribute__((annotate("open_cuda.cluster", __open_cuda_cluster_x(__VA_ARGS__),                                   \
                            __open_cuda_cluster_y(__VA_ARGS__), __open_cuda_cluster_z(__VA_ARGS__),                    \
                            &__open_cuda_annotated<void>::mark)))
// The dimensions are in parentheses: the arguments of a function. Clusters of one block are the default.
__device__ constexpr long long __open_cuda_first(long long x, long long y, long long z)
    __OPEN_CUDA_ERROR_IF(x <= 0 || y <= 0 || z <= 0, "__block_size__: the dimensions must be positive") {
    return x;
}
__device__ constexpr long long __open_cuda_first_of_block(long long x, long long y, long long z)
    __OPEN_CUDA_ERROR_IF(__CUDA_ARCH__ < 900, "__block_size__ needs the architecture sm_90 or newer")
    __OPEN_CUDA_ERROR_IF(x <= 0 || y <= 0 || z <= 0, "__block_size__: the dimensions must be positive") {
    return x;
}
__device__ constexpr long long __open_cuda_second(long long, long long y, long long) { return y; }
__device__ constexpr long long __open_cuda_third(long long, long long, long long z) { return z; }
#define __OPEN_CUDA_BLOCK_SIZE(block, cluster, ...)                                                                    \
    __attribute__((annotate("open_cuda.block", __open_cuda_first_of_block block, __open_cuda_second block,             \
                            __open_cuda_third block, __open_cuda_first cluster, __open_cuda_second cluster,            \
                            __open_cuda_third cluster, &__open_cuda_annotated<void>::mark)))
#define __block_size__(...) __OPEN_CUDA_BLOCK_SIZE(__VA_ARGS__, (1, 1, 1), )
#define __managed__ __device__ __attribute__((annotate("open_cuda.managed", &__open_cuda_annotated<void>::mark)))
#else // the compilation for the host: the driver takes them from the PTX
#define __maxnreg__(n)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __managed__ __device__ // cuda/core/_program/_clang/_managed.py makes the host's variable of it
#endif
