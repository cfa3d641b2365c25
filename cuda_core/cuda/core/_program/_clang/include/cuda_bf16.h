// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Bfloat16: CUDA Math API, "Bfloat16 Precision Intrinsics". Before sm_90 most functions compute in float.
#pragma once
#pragma clang system_header
#include "cuda_fp16.h"

#define __OPEN_CUDA_T __nv_bfloat16
#define __OPEN_CUDA_T2 __nv_bfloat162
#define __OPEN_CUDA_RAW __nv_bfloat16_raw
#define __OPEN_CUDA_RAW2 __nv_bfloat162_raw
#define __OPEN_CUDA_OTHER __half
#define __OPEN_CUDA_FORMAT __open_cuda_bfloat16_format
#define __OPEN_CUDA_WORD "bf16"
#define __OPEN_CUDA_KIND bfloat16
#define __OPEN_CUDA_TWICE __bfloat162bfloat162
#define __OPEN_CUDA_INFINITE 0x7f80
#define __OPEN_CUDA_ADDS (__OPEN_CUDA_ARCH >= 900)
#define __OPEN_CUDA_ADD_ATOMS (__OPEN_CUDA_ARCH >= 900)
#include "open_cuda/short_float.h"
#include "open_cuda/short_float_arithmetic.h"
#ifdef __OPEN_CUDA_PROGRAM__
#include "open_cuda/short_float_host.h"
#endif
#include "open_cuda/short_float_end.h"

#if defined __OPEN_CUDA_PROGRAM__ && !defined __CUDA_ARCH__
// clang calls these for conversions on the host; GCC's library has them since version 13. They return a __bf16, which is
// in the low half of a register for float; from a function that returns one, clang calls __truncsfbf2.
extern "C" __attribute__((weak)) float __open_cuda_to_bfloat16(float x) __asm__("__truncsfbf2");
extern "C" __attribute__((weak)) float __open_cuda_double_to_bfloat16(double x) __asm__("__truncdfbf2");
extern "C" float __open_cuda_to_bfloat16(float x) {
    unsigned bits = __builtin_bit_cast(unsigned, x);
    return __builtin_bit_cast(float, x != x ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
extern "C" float __open_cuda_double_to_bfloat16(double x) { // through a float that is rounded to an odd number
    float near = (float)x;
    unsigned bits = __builtin_bit_cast(unsigned, near);
    if (near != x && x == x) bits = (bits - (fabs((double)near) > fabs(x))) | 1;
    return __open_cuda_to_bfloat16(__builtin_bit_cast(float, bits));
}
#endif

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
__device__ __forceinline__ __half::__half(const __nv_bfloat16 &x) : __half((float)x) {}
__device__ __forceinline__ __nv_bfloat16::__nv_bfloat16(const __half &x) : __nv_bfloat16((float)x) {}

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)
