// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers of 8, 6 and 4 bits: CUDA Math API, "FP8 Intrinsics", "FP6 Intrinsics" and "FP4 Intrinsics";
// Open Compute Project, "OCP Microscaling Formats (MX) Specification". For cuda_fp8.h, cuda_fp6.h and cuda_fp4.h.
#pragma once
#include "../cuda_bf16.h"
#include "runtime_enums.h"

// Rounds to the nearest number with `digits` digits after the point, in whose code the exponent has a `bias`; `most` is
// the code of the largest one. Without `saturate`, larger numbers become `overflow`. NaNs become `nan`.
template <int digits, int bias, unsigned most, unsigned nan, unsigned overflow>
__OPEN_CUDA_CONST unsigned __open_cuda_tiny(float x, bool saturate, unsigned sign) {
    unsigned bits = __float_as_uint(x), a = bits & 0x7fffffff;
    if (a > 0x7f800000) return nan;
    int exponent = (int)(a >> 23) - 127, least = 1 - bias, missing = max(least - exponent, 0);
    unsigned significand = (a & 0x7fffff) | 0x800000, shift = 23 - digits + min(missing, 8);
    unsigned q = significand >> shift, rest = significand << (32 - shift);
    q += rest > 0x80000000 || (rest == 0x80000000 && (q & 1));
    unsigned code = ((unsigned)(max(exponent, least) - least) << digits) + q;
    if (code > most) code = saturate ? most : overflow;
    return code | (bits >> 31 ? sign : 0);
}
// Reads a code without its sign as a half whose exponent has another bias: a multiplication mends that.
template <int digits, int bias> __OPEN_CUDA_CONST __half __open_cuda_from_tiny(unsigned code, unsigned sign) {
    __half_raw bits = {(unsigned short)((code & (sign - 1)) << (10 - digits) | (code & sign ? 0x8000 : 0))};
    __half_raw scale = {(unsigned short)((30 - bias) << 10)};
    return __hmul_rn(bits, scale);
}

#define __OPEN_CUDA_E4M3(x, saturate) __open_cuda_tiny<3, 7, 0x7e, 0x7f, 0x7f>(x, saturate, 0x80)
#define __OPEN_CUDA_E5M2(x, saturate) __open_cuda_tiny<2, 15, 0x7b, 0x7f, 0x7c>(x, saturate, 0x80)
#define __OPEN_CUDA_E2M3(x) __open_cuda_tiny<3, 1, 0x1f, 0x1f, 0x1f>(x, true, 0x20)
#define __OPEN_CUDA_E3M2(x) __open_cuda_tiny<2, 3, 0x1f, 0x1f, 0x1f>(x, true, 0x20)
#define __OPEN_CUDA_E2M1(x) __open_cuda_tiny<1, 1, 0x7, 0x7, 0x7>(x, true, 0x8)

// Conversions of a format, whose own are __open_cuda_to_<fp>(float, ...) and __open_cuda_from_<fp>(code, kind), and of
// pairs, of which x is in the lower `bits`. `...` are the last parameters, and `args` passes them on.
#define __OPEN_CUDA_TINY_CONVERSIONS(fp, args, ...)                                                           \
    __OPEN_CUDA_FN __nv_##fp##_storage_t __nv_cvt_float_to_##fp(float x, __VA_ARGS__) {                             \
        return __open_cuda_to_##fp(x, args);                                                                        \
    }                                                                                                               \
    __OPEN_CUDA_FN __nv_##fp##_storage_t __nv_cvt_double_to_##fp(double x, __VA_ARGS__) {                           \
        return __open_cuda_to_##fp(__open_cuda_to_odd(x), args);                                                    \
    }                                                                                                               \
    __OPEN_CUDA_FN __nv_##fp##_storage_t __nv_cvt_halfraw_to_##fp(__half_raw x, __VA_ARGS__) {                      \
        return __open_cuda_to_##fp((float)__half(x), args);                                                         \
    }                                                                                                               \
    __OPEN_CUDA_FN __nv_##fp##_storage_t __nv_cvt_bfloat16raw_to_##fp(__nv_bfloat16_raw x, __VA_ARGS__) {           \
        return __open_cuda_to_##fp((float)__nv_bfloat16(x), args);                                                  \
    }                                                                                                               \
    __OPEN_CUDA_FN __nv_##fp##x2_storage_t __nv_cvt_float2_to_##fp##x2(float2 x, __VA_ARGS__) {                     \
        return __open_cuda_to_##fp##x2(x.x, x.y, args);                                                             \
    }                                                                                                               \
    __OPEN_CUDA_FN __nv_##fp##x2_storage_t __nv_cvt_double2_to_##fp##x2(double2 x, __VA_ARGS__) {                   \
        return __open_cuda_to_##fp##x2(__open_cuda_to_odd(x.x), __open_cuda_to_odd(x.y), args);                     \
    }                                                                                                               \
    __OPEN_CUDA_FN __nv_##fp##x2_storage_t __nv_cvt_halfraw2_to_##fp##x2(__half2_raw x, __VA_ARGS__) {              \
        return __open_cuda_to_##fp##x2(__half2(x).x, __half2(x).y, args);                                           \
    }                                                                                                               \
    __OPEN_CUDA_FN __nv_##fp##x2_storage_t __nv_cvt_bfloat16raw2_to_##fp##x2(__nv_bfloat162_raw x, __VA_ARGS__) {   \
        return __open_cuda_to_##fp##x2(__nv_bfloat162(x).x, __nv_bfloat162(x).y, args);                             \
    }                                                                                                               \
    __OPEN_CUDA_FN __half_raw __nv_cvt_##fp##_to_halfraw(__nv_##fp##_storage_t x,                                   \
                                                         __nv_##fp##_interpretation_t kind) {                       \
        return __open_cuda_from_##fp(x, kind);                                                                      \
    }                                                                                                               \
    __OPEN_CUDA_FN __half2_raw __nv_cvt_##fp##x2_to_halfraw2(__nv_##fp##x2_storage_t x,                             \
                                                             __nv_##fp##_interpretation_t kind) {                   \
        return __open_cuda_from_##fp##x2(x, kind);                                                                  \
    }                                                                                                               \
    __OPEN_CUDA_FN __nv_bfloat16_raw __nv_cvt_##fp##_to_bf16raw(__nv_##fp##_storage_t x,                            \
                                                                __nv_##fp##_interpretation_t kind) {                \
        return __nv_bfloat16((float)__open_cuda_from_##fp(x, kind));                                                \
    }                                                                                                               \
    __OPEN_CUDA_FN __nv_bfloat162_raw __nv_cvt_##fp##x2_to_bf162raw(__nv_##fp##x2_storage_t x,                      \
                                                                    __nv_##fp##_interpretation_t kind) {            \
        return __float22bfloat162_rn(__half22float2(__open_cuda_from_##fp##x2(x, kind)));                           \
    }

// The classes of a kind of numbers. Constructors saturate and round to the nearest.
#define __OPEN_CUDA_TINY_FROM_INTEGER(name, type) \
    __device__ __forceinline__ explicit name(type x) : name((double)x) {}
#define __OPEN_CUDA_TINY_TO(type) \
    __device__ __forceinline__ explicit operator type() const { return (type)(__half)*this; }
#define __OPEN_CUDA_TINY_INTEGERS(name, type) __OPEN_CUDA_TINY_FROM_INTEGER(name, type) __OPEN_CUDA_TINY_TO(type)
#define __OPEN_CUDA_TINY_CLASSES(name, fp, kind, bits, ...)                                                         \
    struct __nv_##fp##_##name {                                                                                     \
        __nv_##fp##_storage_t __x;                                                                                  \
        __nv_##fp##_##name() = default;                                                                             \
        __device__ __forceinline__ explicit __nv_##fp##_##name(__half x)                                            \
            : __x(__nv_cvt_halfraw_to_##fp(x, __VA_ARGS__)) {}                                                      \
        __device__ __forceinline__ explicit __nv_##fp##_##name(__nv_bfloat16 x)                                     \
            : __x(__nv_cvt_bfloat16raw_to_##fp(x, __VA_ARGS__)) {}                                                  \
        __device__ __forceinline__ explicit __nv_##fp##_##name(float x)                                             \
            : __x(__nv_cvt_float_to_##fp(x, __VA_ARGS__)) {}                                                        \
        __device__ __forceinline__ explicit __nv_##fp##_##name(double x)                                            \
            : __x(__nv_cvt_double_to_##fp(x, __VA_ARGS__)) {}                                                       \
        __device__ __forceinline__ explicit operator __half() const { return __nv_cvt_##fp##_to_halfraw(__x, kind); } \
        __device__ __forceinline__ explicit operator float() const { return (float)(__half)*this; }                 \
        __device__ __forceinline__ explicit operator double() const { return (float)(__half)*this; }                \
        __device__ __forceinline__ explicit operator __nv_bfloat16() const { return (float)(__half)*this; }         \
        __OPEN_CUDA_TINY_INTEGERS(__nv_##fp##_##name, short)                                               \
        __OPEN_CUDA_TINY_INTEGERS(__nv_##fp##_##name, unsigned short)                                      \
        __OPEN_CUDA_TINY_INTEGERS(__nv_##fp##_##name, int)                                                 \
        __OPEN_CUDA_TINY_INTEGERS(__nv_##fp##_##name, unsigned)                                            \
        __OPEN_CUDA_TINY_INTEGERS(__nv_##fp##_##name, long)                                                \
        __OPEN_CUDA_TINY_INTEGERS(__nv_##fp##_##name, unsigned long)                                       \
        __OPEN_CUDA_TINY_INTEGERS(__nv_##fp##_##name, long long)                                           \
        __OPEN_CUDA_TINY_INTEGERS(__nv_##fp##_##name, unsigned long long)                                  \
        __OPEN_CUDA_TINY_TO(char) __OPEN_CUDA_TINY_TO(signed char) __OPEN_CUDA_TINY_TO(unsigned char)               \
        __OPEN_CUDA_TINY_TO(bool)                                                                                   \
    };                                                                                                              \
    struct __nv_##fp##x2_##name {                                                                                   \
        __nv_##fp##x2_storage_t __x;                                                                                \
        __nv_##fp##x2_##name() = default;                                                                           \
        __device__ __forceinline__ explicit __nv_##fp##x2_##name(__half2 x)                                         \
            : __x(__nv_cvt_halfraw2_to_##fp##x2(x, __VA_ARGS__)) {}                                                 \
        __device__ __forceinline__ explicit __nv_##fp##x2_##name(__nv_bfloat162 x)                                  \
            : __x(__nv_cvt_bfloat16raw2_to_##fp##x2(x, __VA_ARGS__)) {}                                             \
        __device__ __forceinline__ explicit __nv_##fp##x2_##name(float2 x)                                          \
            : __x(__nv_cvt_float2_to_##fp##x2(x, __VA_ARGS__)) {}                                                   \
        __device__ __forceinline__ explicit __nv_##fp##x2_##name(double2 x)                                         \
            : __x(__nv_cvt_double2_to_##fp##x2(x, __VA_ARGS__)) {}                                                  \
        __device__ __forceinline__ explicit operator __half2() const {                                              \
            return __nv_cvt_##fp##x2_to_halfraw2(__x, kind);                                                        \
        }                                                                                                           \
        __device__ __forceinline__ explicit operator float2() const { return __half22float2((__half2)*this); }      \
    };                                                                                                              \
    struct __nv_##fp##x4_##name {                                                                                   \
        __nv_##fp##x4_storage_t __x;                                                                                \
        __nv_##fp##x4_##name() = default;                                                                           \
        __device__ __forceinline__ explicit __nv_##fp##x4_##name(__half2 low, __half2 high)                         \
            : __nv_##fp##x4_##name(__nv_##fp##x2_##name(low), __nv_##fp##x2_##name(high)) {}                        \
        __device__ __forceinline__ explicit __nv_##fp##x4_##name(__nv_bfloat162 low, __nv_bfloat162 high)           \
            : __nv_##fp##x4_##name(__nv_##fp##x2_##name(low), __nv_##fp##x2_##name(high)) {}                        \
        __device__ __forceinline__ explicit __nv_##fp##x4_##name(float4 x)                                          \
            : __nv_##fp##x4_##name(__nv_##fp##x2_##name(float2{x.x, x.y}), __nv_##fp##x2_##name(float2{x.z, x.w})) {} \
        __device__ __forceinline__ explicit __nv_##fp##x4_##name(double4 x)                                         \
            : __nv_##fp##x4_##name(__nv_##fp##x2_##name(double2{x.x, x.y}),                                         \
                                   __nv_##fp##x2_##name(double2{x.z, x.w})) {}                                      \
        __device__ __forceinline__ explicit operator float4() const {                                               \
            __nv_##fp##x2_##name low, high;                                                                         \
            low.__x = (__nv_##fp##x2_storage_t)__x;                                                                 \
            high.__x = (__nv_##fp##x2_storage_t)(__x >> (2 * bits));                                                \
            float2 l = (float2)low, h = (float2)high;                                                               \
            return {l.x, l.y, h.x, h.y};                                                                            \
        }                                                                                                           \
                                                                                                                    \
    private:                                                                                                        \
        __device__ __forceinline__ __nv_##fp##x4_##name(__nv_##fp##x2_##name low, __nv_##fp##x2_##name high)        \
            : __x((__nv_##fp##x4_storage_t)(low.__x | (unsigned)high.__x << (2 * bits))) {}                         \
    };
