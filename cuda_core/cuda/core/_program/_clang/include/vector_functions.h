// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// make_int4(x, y, z, w) and relatives: CUDA C++ Programming Guide, "Built-in Vector Types".
#pragma once
#include "vector_types.h"

#define __OPEN_CUDA_MAKE static __host__ __device__ __inline__ __attribute__((always_inline, unused)) constexpr
#define __OPEN_CUDA_MAKERS(name, type)                                                                           \
    __OPEN_CUDA_MAKE name##1 make_##name##1(type x) { return {x}; }                                              \
    __OPEN_CUDA_MAKE name##2 make_##name##2(type x, type y) { return {x, y}; }                                   \
    __OPEN_CUDA_MAKE name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                        \
    __OPEN_CUDA_MAKE name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

__OPEN_CUDA_MAKERS(char, signed char)
__OPEN_CUDA_MAKERS(uchar, unsigned char)
__OPEN_CUDA_MAKERS(short, short)
__OPEN_CUDA_MAKERS(ushort, unsigned short)
__OPEN_CUDA_MAKERS(int, int)
__OPEN_CUDA_MAKERS(uint, unsigned int)
__OPEN_CUDA_MAKERS(long, long)
__OPEN_CUDA_MAKERS(ulong, unsigned long)
__OPEN_CUDA_MAKERS(longlong, long long)
__OPEN_CUDA_MAKERS(ulonglong, unsigned long long)
__OPEN_CUDA_MAKERS(float, float)
__OPEN_CUDA_MAKERS(double, double)
#define __OPEN_CUDA_ALIGNED_MAKERS(name, type)                                                                       \
    __OPEN_CUDA_MAKE name##4_16a make_##name##4_16a(type x, type y, type z, type w) { return {x, y, z, w}; }         \
    __OPEN_CUDA_MAKE name##4_32a make_##name##4_32a(type x, type y, type z, type w) { return {x, y, z, w}; }
__OPEN_CUDA_ALIGNED_MAKERS(long, long)
__OPEN_CUDA_ALIGNED_MAKERS(ulong, unsigned long)
__OPEN_CUDA_ALIGNED_MAKERS(longlong, long long)
__OPEN_CUDA_ALIGNED_MAKERS(ulonglong, unsigned long long)
__OPEN_CUDA_ALIGNED_MAKERS(double, double)
