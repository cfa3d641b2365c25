// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Conversions of integers and float to the bits of 16-bit floating-point types and back, in the four rounding modes.
#pragma once
#include "../cuda_runtime.h"
#ifdef __OPEN_CUDA_PROGRAM__
#include "short_float_integers.h"
#endif

#define __OPEN_CUDA_PASTE_(a, b, c) a##b##c
#define __OPEN_CUDA_PASTE(a, b, c) __OPEN_CUDA_PASTE_(a, b, c)

enum __open_cuda_rounding { __open_cuda_rn, __open_cuda_rz, __open_cuda_rd, __open_cuda_ru };

// The next float towards zero if x is not a float, with an odd significand then: rounded again to fewer bits, in any mode,
// it gives the correct result (S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
template <class T> __OPEN_CUDA_CONST float __open_cuda_odd(float nearest_zero, T back, T x) {
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, nearest_zero) | (back != x));
}
__OPEN_CUDA_CONST float __open_cuda_to_odd(int x) {
    float f = __int2float_rz(x);
    return __open_cuda_odd(f, (int)f, x);
}
__OPEN_CUDA_CONST float __open_cuda_to_odd(unsigned x) {
    float f = __uint2float_rz(x);
    return __open_cuda_odd(f, (unsigned)f, x);
}
__OPEN_CUDA_CONST float __open_cuda_to_odd(long long x) {
    float f = __ll2float_rz(x);
    return __open_cuda_odd(f, (long long)f, x);
}
__OPEN_CUDA_CONST float __open_cuda_to_odd(unsigned long long x) {
    float f = __ull2float_rz(x);
    return __open_cuda_odd(f, (unsigned long long)f, x);
}
__OPEN_CUDA_CONST float __open_cuda_to_odd(double x) { // of a NaN, a NaN
    float f;
    asm("cvt.rz.f32.f64 %0, %1;" : "=f"(f) : "d"(x));
    return x != x ? f : __open_cuda_odd(f, (double)f, x);
}

struct __open_cuda_half_format {
    static constexpr int fraction = 10, bias = 15;
    // Where denormals of float are flushed, clang compares (float)x by instructions that flush those of half as well.
    static __host__ __device__ __forceinline__ float opaque(unsigned short bits) {
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
        return x;
    }
    static __host__ __device__ constexpr float widen(unsigned short bits) {
#ifdef __OPEN_CUDA_FTZ__
        if (!__builtin_is_constant_evaluated()) return opaque(bits);
#endif
        return (float)__builtin_bit_cast(_Float16, bits);
    }
#define __OPEN_CUDA_HALF_FROM(from, word, reg)                                              \
    template <__open_cuda_rounding mode> __OPEN_CUDA_CONST unsigned short round(from x) {   \
        unsigned short bits;                                                                \
        if (mode == __open_cuda_rn) asm("cvt.rn.f16." word " %0, %1;" : "=h"(bits) : reg(x)); \
        if (mode == __open_cuda_rz) asm("cvt.rz.f16." word " %0, %1;" : "=h"(bits) : reg(x)); \
        if (mode == __open_cuda_rd) asm("cvt.rm.f16." word " %0, %1;" : "=h"(bits) : reg(x)); \
        if (mode == __open_cuda_ru) asm("cvt.rp.f16." word " %0, %1;" : "=h"(bits) : reg(x)); \
        return bits;                                                                        \
    }
    __OPEN_CUDA_HALF_FROM(float, "f32", "f")
    __OPEN_CUDA_HALF_FROM(double, "f64", "d")
    __OPEN_CUDA_HALF_FROM(short, "s16", "h")
    __OPEN_CUDA_HALF_FROM(unsigned short, "u16", "h")
    __OPEN_CUDA_HALF_FROM(int, "s32", "r")
    __OPEN_CUDA_HALF_FROM(unsigned, "u32", "r")
    __OPEN_CUDA_HALF_FROM(long long, "s64", "l")
    __OPEN_CUDA_HALF_FROM(unsigned long long, "u64", "l")
    // LLVM takes an integer with few significant bits for exact in a half, even beyond 65504: it must not see both casts.
    template <class T> static __host__ __device__ constexpr unsigned short nearest(T x) {
#ifdef __CUDA_ARCH__
        if (!__builtin_is_constant_evaluated() && !__builtin_constant_p(x)) return round<__open_cuda_rn>(x);
#endif
        return __builtin_bit_cast(unsigned short, (_Float16)x);
    }
#define __OPEN_CUDA_HALF_TO(to, word, reg)                                                  \
    template <__open_cuda_rounding mode> __OPEN_CUDA_FN void whole(unsigned short bits, to *x) { \
        if (mode == __open_cuda_rn) asm("cvt.rni." word ".f16 %0, %1;" : "=" reg(*x) : "h"(bits)); \
        if (mode == __open_cuda_rz) asm("cvt.rzi." word ".f16 %0, %1;" : "=" reg(*x) : "h"(bits)); \
        if (mode == __open_cuda_rd) asm("cvt.rmi." word ".f16 %0, %1;" : "=" reg(*x) : "h"(bits)); \
        if (mode == __open_cuda_ru) asm("cvt.rpi." word ".f16 %0, %1;" : "=" reg(*x) : "h"(bits)); \
    }
    __OPEN_CUDA_HALF_TO(short, "s16", "h")
    __OPEN_CUDA_HALF_TO(unsigned short, "u16", "h")
    __OPEN_CUDA_HALF_TO(int, "s32", "r")
    __OPEN_CUDA_HALF_TO(unsigned, "u32", "r")
    __OPEN_CUDA_HALF_TO(long long, "s64", "l")
    __OPEN_CUDA_HALF_TO(unsigned long long, "u64", "l")
};

struct __open_cuda_bfloat16_format {
    static constexpr int fraction = 7, bias = 127;
    static __host__ __device__ constexpr float widen(unsigned short bits) {
        return __builtin_bit_cast(float, (unsigned)bits << 16);
    }
    template <class T> static __host__ __device__ constexpr unsigned short nearest(T x) {
        return __builtin_bit_cast(unsigned short, (__bf16)x);
    }
    template <__open_cuda_rounding mode> __OPEN_CUDA_CONST unsigned short round(float x) {
        if (mode == __open_cuda_rn) return nearest(x);
        if (x != x) return 0x7fff;
        unsigned bits = __builtin_bit_cast(unsigned, x);
        bool away = mode == __open_cuda_rd ? bits >> 31 : mode == __open_cuda_ru && !(bits >> 31);
        return (unsigned short)((bits + (away ? 0xffff : 0)) >> 16);
    }
    template <__open_cuda_rounding mode, class T> __OPEN_CUDA_CONST unsigned short round(T x) {
        return round<mode>(__open_cuda_to_odd(x));
    }
    template <__open_cuda_rounding mode> __OPEN_CUDA_CONST unsigned short round(short x) { return round<mode>((float)x); }
    template <__open_cuda_rounding mode> __OPEN_CUDA_CONST unsigned short round(unsigned short x) {
        return round<mode>((float)x);
    }
#define __OPEN_CUDA_BFLOAT16_TO(to, word)                                                   \
    template <__open_cuda_rounding mode> __OPEN_CUDA_FN void whole(unsigned short bits, to *x) { \
        float f = widen(bits);                                                              \
        *x = mode == __open_cuda_rn ? __float2##word##_rn(f) : mode == __open_cuda_rz ? __float2##word##_rz(f) \
           : mode == __open_cuda_rd ? __float2##word##_rd(f) : __float2##word##_ru(f);      \
    }
#define __OPEN_CUDA_BFLOAT16_TO_SHORT(to, least, most)                                      \
    template <__open_cuda_rounding mode> __OPEN_CUDA_FN void whole(unsigned short bits, to *x) { \
        int wide;                                                                           \
        whole<mode>(bits, &wide);                                                           \
        *x = (to)(wide < least ? least : wide > most ? most : wide);                        \
    }
    __OPEN_CUDA_BFLOAT16_TO(int, int)
    __OPEN_CUDA_BFLOAT16_TO(unsigned, uint)
    __OPEN_CUDA_BFLOAT16_TO(long long, ll)
    __OPEN_CUDA_BFLOAT16_TO(unsigned long long, ull)
    __OPEN_CUDA_BFLOAT16_TO_SHORT(short, -32768, 32767)
    __OPEN_CUDA_BFLOAT16_TO_SHORT(unsigned short, 0, 65535)
};
