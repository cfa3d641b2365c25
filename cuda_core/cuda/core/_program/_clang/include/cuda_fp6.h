// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// 6-bit floating-point numbers, in the lower bits of bytes: CUDA Math API, "FP6 Intrinsics". All conversions round
// to the nearest and saturate; NaN becomes the largest number.
#pragma once
#pragma clang system_header
#include "open_cuda/tiny_float.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };

__OPEN_CUDA_FN __nv_fp6_storage_t __open_cuda_to_fp6(float x, __nv_fp6_interpretation_t kind, cudaRoundMode) {
    return (unsigned char)(kind == __NV_E3M2 ? __OPEN_CUDA_E3M2(x) : __OPEN_CUDA_E2M3(x));
}
__OPEN_CUDA_FN __nv_fp6x2_storage_t __open_cuda_to_fp6x2(float x, float y, __nv_fp6_interpretation_t kind,
                                                         cudaRoundMode mode) {
    return (unsigned short)(__open_cuda_to_fp6(x, kind, mode) | __open_cuda_to_fp6(y, kind, mode) << 8);
}
__OPEN_CUDA_FN __half __open_cuda_from_fp6(__nv_fp6_storage_t code, __nv_fp6_interpretation_t kind) {
    return kind == __NV_E3M2 ? __open_cuda_from_tiny<2, 3>(code, 0x20) : __open_cuda_from_tiny<3, 1>(code, 0x20);
}
__OPEN_CUDA_FN __half2 __open_cuda_from_fp6x2(__nv_fp6x2_storage_t codes, __nv_fp6_interpretation_t kind) {
    return {__open_cuda_from_fp6((unsigned char)codes, kind), __open_cuda_from_fp6((unsigned char)(codes >> 8), kind)};
}
#define __OPEN_CUDA_FP6_ARGUMENTS kind, mode
__OPEN_CUDA_TINY_CONVERSIONS(fp6, __OPEN_CUDA_FP6_ARGUMENTS, __nv_fp6_interpretation_t kind, cudaRoundMode mode)
__OPEN_CUDA_TINY_CLASSES(e2m3, fp6, __NV_E2M3, 8, __NV_E2M3, cudaRoundNearest)
__OPEN_CUDA_TINY_CLASSES(e3m2, fp6, __NV_E3M2, 8, __NV_E3M2, cudaRoundNearest)
