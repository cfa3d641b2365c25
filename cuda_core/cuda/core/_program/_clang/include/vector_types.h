// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Vector types and dim3: CUDA C++ Programming Guide, "Built-in Vector Types", with its table of alignments.
#pragma once
#include "open_cuda/qualifiers.h"

#define __OPEN_CUDA_VECTORS(name, type, align1, align2, align4) \
    struct __align__(align1) name##1 { type x; };               \
    struct __align__(align2) name##2 { type x, y; };            \
    struct __align__(align1) name##3 { type x, y, z; };         \
    struct __align__(align4) name##4 { type x, y, z, w; };

__OPEN_CUDA_VECTORS(char, signed char, 1, 2, 4)
__OPEN_CUDA_VECTORS(uchar, unsigned char, 1, 2, 4)
__OPEN_CUDA_VECTORS(short, short, 2, 4, 8)
__OPEN_CUDA_VECTORS(ushort, unsigned short, 2, 4, 8)
__OPEN_CUDA_VECTORS(int, int, 4, 8, 16)
__OPEN_CUDA_VECTORS(uint, unsigned int, 4, 8, 16)
__OPEN_CUDA_VECTORS(long, long, 8, 16, 16)
__OPEN_CUDA_VECTORS(ulong, unsigned long, 8, 16, 16)
__OPEN_CUDA_VECTORS(longlong, long long, 8, 16, 16)
__OPEN_CUDA_VECTORS(ulonglong, unsigned long long, 8, 16, 16)
__OPEN_CUDA_VECTORS(float, float, 4, 8, 16)
__OPEN_CUDA_VECTORS(double, double, 8, 16, 16)

// Four 8-byte words with the alignment in their names (CUDA 13).
#define __OPEN_CUDA_ALIGNED(name, type)                            \
    struct __align__(16) name##4_16a { type x, y, z, w; };         \
    struct __align__(32) name##4_32a { type x, y, z, w; };
__OPEN_CUDA_ALIGNED(long, long)
__OPEN_CUDA_ALIGNED(ulong, unsigned long)
__OPEN_CUDA_ALIGNED(longlong, long long)
__OPEN_CUDA_ALIGNED(ulonglong, unsigned long long)
__OPEN_CUDA_ALIGNED(double, double)

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
