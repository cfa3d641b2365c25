// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Integer intrinsics: CUDA Math API, "Integer Intrinsics".
#pragma once
#include "../vector_types.h"

__OPEN_CUDA_CONST int __popc(unsigned x) { return __builtin_popcount(x); }
__OPEN_CUDA_CONST int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__OPEN_CUDA_CONST int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
__OPEN_CUDA_CONST int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
__OPEN_CUDA_CONST int __ffs(int x) { return __builtin_ffs(x); }
__OPEN_CUDA_CONST int __ffsll(long long x) { return __builtin_ffsll(x); }
__OPEN_CUDA_CONST unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__OPEN_CUDA_CONST unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
__OPEN_CUDA_CONST int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
__OPEN_CUDA_CONST unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
__OPEN_CUDA_CONST long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
__OPEN_CUDA_CONST unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
__OPEN_CUDA_CONST int __mul24(int x, int y) { return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8)); }
__OPEN_CUDA_CONST unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
__OPEN_CUDA_CONST unsigned __sad(int x, int y, unsigned z) {
    return (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x) + z;
}
__OPEN_CUDA_CONST unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }
__OPEN_CUDA_CONST int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
__OPEN_CUDA_CONST int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
__OPEN_CUDA_CONST unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y) >> 1); }
__OPEN_CUDA_CONST unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }
__OPEN_CUDA_CONST unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    unsigned result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(selector & 0x7777));
    return result;
}
#define __OPEN_CUDA_FUNNEL(name, op)                                                                     \
    __OPEN_CUDA_CONST unsigned name(unsigned low, unsigned high, unsigned shift) {                       \
        unsigned result;                                                                                 \
        asm("shf." #op ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift));         \
        return result;                                                                                   \
    }
__OPEN_CUDA_FUNNEL(__funnelshift_l, l.wrap)
__OPEN_CUDA_FUNNEL(__funnelshift_lc, l.clamp)
__OPEN_CUDA_FUNNEL(__funnelshift_r, r.wrap)
__OPEN_CUDA_FUNNEL(__funnelshift_rc, r.clamp)
__OPEN_CUDA_CONST unsigned __fns(unsigned mask, unsigned base, int offset) {
    unsigned result;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(mask), "r"(base), "r"(offset));
    return result;
}

#define __OPEN_CUDA_DP(name, op, result_type, a_type, b_type)                                                        \
    __OPEN_CUDA_CONST result_type name(a_type a, b_type b, result_type c) {                                          \
        result_type result;                                                                                          \
        asm(op " %0, %1, %2, %3;" : "=r"(result)                                                                     \
            : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)), "r"(c));                   \
        return result;                                                                                               \
    }
__OPEN_CUDA_DP(__dp4a, "dp4a.s32.s32", int, int, int)
__OPEN_CUDA_DP(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned)
__OPEN_CUDA_DP(__dp4a, "dp4a.s32.s32", int, char4, char4)
__OPEN_CUDA_DP(__dp4a, "dp4a.u32.u32", unsigned, uchar4, uchar4)
__OPEN_CUDA_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
__OPEN_CUDA_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned, unsigned)
__OPEN_CUDA_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4)
__OPEN_CUDA_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, ushort2, uchar4)
__OPEN_CUDA_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
__OPEN_CUDA_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned, unsigned)
__OPEN_CUDA_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4)
__OPEN_CUDA_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, ushort2, uchar4)

// Minimum, maximum and absolute value: CUDA Math API, "Integer Mathematical Functions".
#define __OPEN_CUDA_EXTREMES(type)                                                      \
    __OPEN_CUDA_HOST_DEVICE_CONST constexpr type min(type x, type y) { return y < x ? y : x; }      \
    __OPEN_CUDA_HOST_DEVICE_CONST constexpr type max(type x, type y) { return x < y ? y : x; }
__OPEN_CUDA_EXTREMES(int)
__OPEN_CUDA_EXTREMES(unsigned int)
__OPEN_CUDA_EXTREMES(long)
__OPEN_CUDA_EXTREMES(unsigned long)
__OPEN_CUDA_EXTREMES(long long)
__OPEN_CUDA_EXTREMES(unsigned long long)
// Of different signs: both operands become unsigned.
#define __OPEN_CUDA_MIXED(signed_type, unsigned_type)                                                                  \
    __OPEN_CUDA_HOST_DEVICE_CONST constexpr unsigned_type min(signed_type x, unsigned_type y) {                        \
        return min((unsigned_type)x, y);                                                                               \
    }                                                                                                                  \
    __OPEN_CUDA_HOST_DEVICE_CONST constexpr unsigned_type min(unsigned_type x, signed_type y) {                        \
        return min(x, (unsigned_type)y);                                                                               \
    }                                                                                                                  \
    __OPEN_CUDA_HOST_DEVICE_CONST constexpr unsigned_type max(signed_type x, unsigned_type y) {                        \
        return max((unsigned_type)x, y);                                                                               \
    }                                                                                                                  \
    __OPEN_CUDA_HOST_DEVICE_CONST constexpr unsigned_type max(unsigned_type x, signed_type y) {                        \
        return max(x, (unsigned_type)y);                                                                               \
    }
__OPEN_CUDA_MIXED(int, unsigned int)
__OPEN_CUDA_MIXED(long, unsigned long)
__OPEN_CUDA_MIXED(long long, unsigned long long)
__OPEN_CUDA_HOST_DEVICE_CONST unsigned umin(unsigned x, unsigned y) { return min(x, y); }
__OPEN_CUDA_HOST_DEVICE_CONST unsigned umax(unsigned x, unsigned y) { return max(x, y); }
__OPEN_CUDA_HOST_DEVICE_CONST long long llmin(long long x, long long y) { return min(x, y); }
__OPEN_CUDA_HOST_DEVICE_CONST long long llmax(long long x, long long y) { return max(x, y); }
__OPEN_CUDA_HOST_DEVICE_CONST unsigned long long ullmin(unsigned long long x, unsigned long long y) {
    return min(x, y);
}
__OPEN_CUDA_HOST_DEVICE_CONST unsigned long long ullmax(unsigned long long x, unsigned long long y) {
    return max(x, y);
}
// The least number is its own absolute value, as that of PTX; to __builtin_abs it is undefined.
__OPEN_CUDA_CONST int abs(int x) { return x < 0 ? (int)-(unsigned int)x : x; }
__OPEN_CUDA_CONST long abs(long x) { return x < 0 ? (long)-(unsigned long)x : x; }
__OPEN_CUDA_CONST long long abs(long long x) { return x < 0 ? (long long)-(unsigned long long)x : x; }
__OPEN_CUDA_CONST long labs(long x) { return x < 0 ? (long)-(unsigned long)x : x; }
__OPEN_CUDA_CONST long long llabs(long long x) { return x < 0 ? (long long)-(unsigned long long)x : x; }
