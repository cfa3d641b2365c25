// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Arithmetic with a rounding mode, and fast approximations: CUDA Math API, "Single Precision Intrinsics" and "Double
// Precision Intrinsics". Denormals are flushed to zero if the option `ftz` says so.
#pragma once
#include "qualifiers.h"

#ifdef __OPEN_CUDA_FTZ__
#define __OPEN_CUDA_F32 "ftz.f32"
#else
#define __OPEN_CUDA_F32 "f32"
#endif

#define __OPEN_CUDA_UNARY(name, op, type, reg)                                       \
    __OPEN_CUDA_CONST type name(type x) {                                            \
        type result;                                                                 \
        asm(op " %0, %1;" : "=" reg(result) : reg(x));                               \
        return result;                                                               \
    }
#define __OPEN_CUDA_BINARY(name, op, type, reg)                                      \
    __OPEN_CUDA_CONST type name(type x, type y) {                                    \
        type result;                                                                 \
        asm(op " %0, %1, %2;" : "=" reg(result) : reg(x), reg(y));                   \
        return result;                                                               \
    }
#define __OPEN_CUDA_TERNARY(name, op, type, reg)                                     \
    __OPEN_CUDA_CONST type name(type x, type y, type z) {                            \
        type result;                                                                 \
        asm(op " %0, %1, %2, %3;" : "=" reg(result) : reg(x), reg(y), reg(z));       \
        return result;                                                               \
    }
#define __OPEN_CUDA_ROUNDED(form, name, op, word, type, reg)                         \
    form(name##_rn, op ".rn." word, type, reg)                                       \
    form(name##_rz, op ".rz." word, type, reg)                                       \
    form(name##_rd, op ".rm." word, type, reg)                                       \
    form(name##_ru, op ".rp." word, type, reg)
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_BINARY, __fadd, "add", __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_BINARY, __fsub, "sub", __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_BINARY, __fmul, "mul", __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_BINARY, __fdiv, "div", __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_UNARY, __frcp, "rcp", __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_UNARY, __fsqrt, "sqrt", __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_TERNARY, __fmaf, "fma", __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_TERNARY, __fmaf_ieee, "fma", "f32", float, "f")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_BINARY, __dadd, "add", "f64", double, "d")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_BINARY, __dsub, "sub", "f64", double, "d")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_BINARY, __dmul, "mul", "f64", double, "d")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_BINARY, __ddiv, "div", "f64", double, "d")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_UNARY, __drcp, "rcp", "f64", double, "d")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_UNARY, __dsqrt, "sqrt", "f64", double, "d")
__OPEN_CUDA_ROUNDED(__OPEN_CUDA_TERNARY, __fma, "fma", "f64", double, "d")

__OPEN_CUDA_CONST float __frsqrt_rn(float x) { return (float)(1 / __builtin_sqrt((double)x)); }
__OPEN_CUDA_BINARY(__fdividef, "div.approx." __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_UNARY(__sinf, "sin.approx." __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_UNARY(__cosf, "cos.approx." __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_UNARY(__open_cuda_ex2, "ex2.approx." __OPEN_CUDA_F32, float, "f")
__OPEN_CUDA_UNARY(__log2f, "lg2.approx." __OPEN_CUDA_F32, float, "f")
#if __OPEN_CUDA_ARCH >= 750
__OPEN_CUDA_UNARY(__tanhf, "tanh.approx.f32", float, "f")
#endif
__OPEN_CUDA_UNARY(__saturatef, "cvt.sat." __OPEN_CUDA_F32 ".f32", float, "f")
__OPEN_CUDA_FN void __sincosf(float x, float *sine, float *cosine) { *sine = __sinf(x); *cosine = __cosf(x); }
__OPEN_CUDA_CONST float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
__OPEN_CUDA_CONST float __expf(float x) { return __open_cuda_ex2(x * 1.4426950408889634f); }
__OPEN_CUDA_CONST float __exp10f(float x) { return __open_cuda_ex2(x * 3.3219280948873623f); }
__OPEN_CUDA_CONST float __logf(float x) { return __log2f(x) * 0.6931471805599453f; }
__OPEN_CUDA_CONST float __log10f(float x) { return __log2f(x) * 0.30102999566398120f; }
__OPEN_CUDA_CONST float __powf(float x, float y) { return __open_cuda_ex2(y * __log2f(x)); }
