// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// __maxnreg__, __cluster_dims__ and __managed__ (CUDA C++ Programming Guide, "Maximum Number of Registers", "Thread Block
// Clusters", "__managed__ Memory Space Specifier"), for which clang has no code on this target. They become annotations,
// from which the directives of the PTX are made (_attributes.py). An annotation refers to a variable: PTX that has it is
// of a program with them.
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
#else // the compilation for the host: the driver takes them from the PTX
#define __maxnreg__(n)
#define __cluster_dims__(...)
#endif

#ifdef __OPEN_CUDA_PROGRAM__ // clang makes host code for these only with HIP
#define __managed__ _Pragma("GCC error \"__managed__ variables are not supported; use cudaMallocManaged\"")
#else
#define __managed__ __device__ __attribute__((annotate("open_cuda.managed", &__open_cuda_annotated<void>::mark)))
#endif
