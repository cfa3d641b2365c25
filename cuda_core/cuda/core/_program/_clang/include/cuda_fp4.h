// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// 4-bit floating-point numbers, two in a byte: CUDA Math API, "FP4 Intrinsics". All conversions round to the nearest
// and saturate; NaN becomes the largest number.
#pragma once
#pragma clang system_header
#include "open_cuda/tiny_float.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };

__OPEN_CUDA_FN __nv_fp4_storage_t __open_cuda_to_fp4(float x, __nv_fp4_interpretation_t, cudaRoundMode) {
    return (unsigned char)__OPEN_CUDA_E2M1(x);
}
__OPEN_CUDA_FN __nv_fp4x2_storage_t __open_cuda_to_fp4x2(float x, float y, __nv_fp4_interpretation_t, cudaRoundMode) {
    return (unsigned char)(__OPEN_CUDA_E2M1(x) | __OPEN_CUDA_E2M1(y) << 4);
}
__OPEN_CUDA_FN __half __open_cuda_from_fp4(__nv_fp4_storage_t code, __nv_fp4_interpretation_t) {
    return __open_cuda_from_tiny<1, 1>(code, 0x8);
}
__OPEN_CUDA_FN __half2 __open_cuda_from_fp4x2(__nv_fp4x2_storage_t codes, __nv_fp4_interpretation_t) {
    return {__open_cuda_from_tiny<1, 1>(codes, 0x8), __open_cuda_from_tiny<1, 1>(codes >> 4, 0x8)};
}
#define __OPEN_CUDA_FP4_ARGUMENTS kind, mode
__OPEN_CUDA_TINY_CONVERSIONS(fp4, __OPEN_CUDA_FP4_ARGUMENTS, __nv_fp4_interpretation_t kind, cudaRoundMode mode)
__OPEN_CUDA_TINY_CLASSES(e2m1, fp4, __NV_E2M1, 4, __NV_E2M1, cudaRoundNearest)
