// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// 8-bit floating-point numbers: CUDA Math API, "FP8 Intrinsics". Instructions convert from sm_89; before that, and
// without saturation, integer arithmetic does.
#pragma once
#pragma clang system_header
#include "open_cuda/tiny_float.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

__OPEN_CUDA_FN __nv_fp8x2_storage_t __open_cuda_to_fp8x2(float x, float y, __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t kind) {
#if __OPEN_CUDA_ARCH >= 890
    if (saturation == __NV_SATFINITE) {
        unsigned short codes;
        if (kind == __NV_E5M2)
            asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(y), "f"(x));
        else
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(y), "f"(x));
        return codes;
    }
#endif
    bool saturate = saturation == __NV_SATFINITE;
    return (unsigned short)(kind == __NV_E5M2 ? __OPEN_CUDA_E5M2(x, saturate) | __OPEN_CUDA_E5M2(y, saturate) << 8
                                              : __OPEN_CUDA_E4M3(x, saturate) | __OPEN_CUDA_E4M3(y, saturate) << 8);
}
__OPEN_CUDA_FN __nv_fp8_storage_t __open_cuda_to_fp8(float x, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t kind) {
    return (unsigned char)__open_cuda_to_fp8x2(x, 0, saturation, kind);
}
__OPEN_CUDA_FN __half2 __open_cuda_from_fp8x2(__nv_fp8x2_storage_t codes, __nv_fp8_interpretation_t kind) {
#if __OPEN_CUDA_ARCH >= 890
    unsigned pair;
    if (kind == __NV_E5M2)
        asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(codes));
    else
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(codes));
    return __open_cuda_half2(pair);
#else
    if (kind == __NV_E5M2) return __open_cuda_half2((codes & 0xffu) << 8 | (codes & 0xff00u) << 16);
    __half x = __open_cuda_from_tiny<3, 7>(codes, 0x80), y = __open_cuda_from_tiny<3, 7>(codes >> 8, 0x80), nan = NAN;
    return {(codes & 0x7f) == 0x7f ? nan : x, (codes & 0x7f00) == 0x7f00 ? nan : y};
#endif
}
__OPEN_CUDA_FN __half __open_cuda_from_fp8(__nv_fp8_storage_t code, __nv_fp8_interpretation_t kind) {
    return __open_cuda_from_fp8x2(code, kind).x;
}
#define __OPEN_CUDA_FP8_ARGUMENTS saturation, kind
__OPEN_CUDA_TINY_CONVERSIONS(fp8, __OPEN_CUDA_FP8_ARGUMENTS, __nv_saturation_t saturation,
                             __nv_fp8_interpretation_t kind)
__OPEN_CUDA_TINY_CLASSES(e4m3, fp8, __NV_E4M3, 8, __NV_SATFINITE, __NV_E4M3)
__OPEN_CUDA_TINY_CLASSES(e5m2, fp8, __NV_E5M2, 8, __NV_SATFINITE, __NV_E5M2)
#include "open_cuda/scale_factors.h"
