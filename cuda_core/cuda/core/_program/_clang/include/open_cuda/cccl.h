// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Included before programs that can include CCCL. CCCL takes clang for a compiler of host code too and looks for the
// C++ standard library; to NVRTC, which has none, it brings its own. The macros are those that NVRTC defines.
#pragma once
#include "cccl_builtins.h"
#undef __clang__
#undef __GNUC__
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif
#pragma clang diagnostic ignored "-Wunknown-pragmas"
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wreserved-user-defined-literal"
#pragma clang diagnostic ignored "-Wuser-defined-literals"
#pragma clang diagnostic ignored "-Wc++26-extensions"
#pragma clang diagnostic ignored "-Wpass-failed" // loops that CUB asks to unroll
#pragma clang diagnostic ignored "-Winvalid-constexpr" // of functions that call such builtins
#pragma clang diagnostic ignored "-Wc++11-narrowing"   // in CUB's kernels

// Templates that only host code uses name this function of CUB. NVRTC looks for it when they are instantiated.
namespace cub {
__host__ cudaError_t SyncStream(cudaStream_t stream);
}

// Programming Guide, "L2 Access Management". What is known of a pointer is for the compiler: nothing is done with it.
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
extern "C++" __device__ __inline__ void *__nv_associate_access_property(const void *pointer, unsigned long long) {
    return const_cast<void *>(pointer);
}
