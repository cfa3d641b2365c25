// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Functions of two halves or four bytes of a word, and DPX functions: CUDA Math API, "SIMD Intrinsics"; CUDA C++
// Programming Guide, "Dynamic Programming eXtension Instructions". PTX's video instructions do most of them.
#pragma once
#include "integers.h"

#define __OPEN_CUDA_VIDEO(name, op)                                                                         \
    __OPEN_CUDA_CONST unsigned name(unsigned a, unsigned b) {                                               \
        unsigned result;                                                                                    \
        asm(op " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(0));                                 \
        return result;                                                                                      \
    }
#define __OPEN_CUDA_VIDEO_ALONE(name, op, ...)                                                              \
    __OPEN_CUDA_CONST unsigned name(unsigned a) { return op(__VA_ARGS__); }
#define __OPEN_CUDA_COMPARE(n, relation, sign, type, ones)                                                  \
    __OPEN_CUDA_VIDEO(__vset##relation##sign##n, "vset" #n "." type "." type "." #relation)                 \
    __OPEN_CUDA_CONST unsigned __vcmp##relation##sign##n(unsigned a, unsigned b) {                          \
        return __vset##relation##sign##n(a, b) * ones;                                                      \
    }
#define __OPEN_CUDA_ORDER(n, relation, ones)                                                                \
    __OPEN_CUDA_COMPARE(n, relation, s, "s32", ones) __OPEN_CUDA_COMPARE(n, relation, u, "u32", ones)
// The functions for n parts of a word. `ones` is a part whose bits are all set, `low` has the lower bits of each part.
#define __OPEN_CUDA_SIMD(n, ones, low)                                                                      \
    __OPEN_CUDA_VIDEO(__vadd##n, "vadd" #n ".u32.u32.u32")                                                  \
    __OPEN_CUDA_VIDEO(__vsub##n, "vsub" #n ".u32.u32.u32")                                                  \
    __OPEN_CUDA_VIDEO(__vaddss##n, "vadd" #n ".s32.s32.s32.sat")                                            \
    __OPEN_CUDA_VIDEO(__vaddus##n, "vadd" #n ".u32.u32.u32.sat")                                            \
    __OPEN_CUDA_VIDEO(__vsubss##n, "vsub" #n ".s32.s32.s32.sat")                                            \
    __OPEN_CUDA_VIDEO(__vsubus##n, "vsub" #n ".u32.u32.u32.sat")                                            \
    __OPEN_CUDA_VIDEO(__vabsdiffs##n, "vabsdiff" #n ".s32.s32.s32")                                         \
    __OPEN_CUDA_VIDEO(__vabsdiffu##n, "vabsdiff" #n ".u32.u32.u32")                                         \
    __OPEN_CUDA_VIDEO(__open_cuda_vabsdiffss##n, "vabsdiff" #n ".s32.s32.s32.sat")                          \
    __OPEN_CUDA_VIDEO(__vavgs##n, "vavrg" #n ".s32.s32.s32")                                                \
    __OPEN_CUDA_VIDEO(__vavgu##n, "vavrg" #n ".u32.u32.u32")                                                \
    __OPEN_CUDA_VIDEO(__vmaxs##n, "vmax" #n ".s32.s32.s32")                                                 \
    __OPEN_CUDA_VIDEO(__vmaxu##n, "vmax" #n ".u32.u32.u32")                                                 \
    __OPEN_CUDA_VIDEO(__vmins##n, "vmin" #n ".s32.s32.s32")                                                 \
    __OPEN_CUDA_VIDEO(__vminu##n, "vmin" #n ".u32.u32.u32")                                                 \
    __OPEN_CUDA_VIDEO(__vsads##n, "vabsdiff" #n ".u32.s32.s32.add")                                         \
    __OPEN_CUDA_VIDEO(__vsadu##n, "vabsdiff" #n ".u32.u32.u32.add")                                         \
    __OPEN_CUDA_VIDEO_ALONE(__vabs##n, __vabsdiffs##n, a, 0)                                                \
    __OPEN_CUDA_VIDEO_ALONE(__vabsss##n, __open_cuda_vabsdiffss##n, a, 0)                                   \
    __OPEN_CUDA_VIDEO_ALONE(__vneg##n, __vsub##n, 0, a)                                                     \
    __OPEN_CUDA_VIDEO_ALONE(__vnegss##n, __vsubss##n, 0, a)                                                 \
    __OPEN_CUDA_CONST unsigned __vhaddu##n(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1 & low); } \
    __OPEN_CUDA_COMPARE(n, eq, , "u32", ones) __OPEN_CUDA_COMPARE(n, ne, , "u32", ones)                     \
    __OPEN_CUDA_ORDER(n, lt, ones) __OPEN_CUDA_ORDER(n, le, ones)                                           \
    __OPEN_CUDA_ORDER(n, gt, ones) __OPEN_CUDA_ORDER(n, ge, ones)
__OPEN_CUDA_SIMD(2, 0xffff, 0x7fff7fff)
__OPEN_CUDA_SIMD(4, 0xff, 0x7f7f7f7f)

// DPX. `max` and `min` of two parts are the functions above, for all parts alike.
#define __OPEN_CUDA_DPX(extreme, kind, type, both, sum)                                                     \
    __OPEN_CUDA_CONST type __vi##extreme##3_##kind(type a, type b, type c) { return both(both(a, b), c); }  \
    __OPEN_CUDA_CONST type __viadd##extreme##_##kind(type a, type b, type c) { return both(sum(a, b), c); }
#define __OPEN_CUDA_DPX_RELU(extreme, kind, type, both, sum, most)                                          \
    __OPEN_CUDA_DPX(extreme, kind, type, both, sum)                                                         \
    __OPEN_CUDA_CONST type __vi##extreme##_##kind##_relu(type a, type b) { return most(both(a, b), 0); }    \
    __OPEN_CUDA_CONST type __vi##extreme##3_##kind##_relu(type a, type b, type c) {                         \
        return most(__vi##extreme##3_##kind(a, b, c), 0);                                                   \
    }                                                                                                       \
    __OPEN_CUDA_CONST type __viadd##extreme##_##kind##_relu(type a, type b, type c) {                       \
        return most(__viadd##extreme##_##kind(a, b, c), 0);                                                 \
    }
__OPEN_CUDA_CONST int __open_cuda_sum(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
__OPEN_CUDA_CONST unsigned __open_cuda_sum(unsigned a, unsigned b) { return a + b; }
__OPEN_CUDA_DPX_RELU(max, s32, int, max, __open_cuda_sum, max)
__OPEN_CUDA_DPX_RELU(min, s32, int, min, __open_cuda_sum, max)
__OPEN_CUDA_DPX_RELU(max, s16x2, unsigned, __vmaxs2, __vadd2, __vmaxs2)
__OPEN_CUDA_DPX_RELU(min, s16x2, unsigned, __vmins2, __vadd2, __vmaxs2)
__OPEN_CUDA_DPX(max, u32, unsigned, max, __open_cuda_sum)
__OPEN_CUDA_DPX(min, u32, unsigned, min, __open_cuda_sum)
__OPEN_CUDA_DPX(max, u16x2, unsigned, __vmaxu2, __vadd2)
__OPEN_CUDA_DPX(min, u16x2, unsigned, __vminu2, __vadd2)

// The predicates report whether the first argument was chosen.
#define __OPEN_CUDA_DPX_CHOICE(extreme, relation)                                                           \
    __OPEN_CUDA_FN int __vib##extreme##_s32(int a, int b, bool *chosen) {                                   \
        *chosen = a relation b;                                                                             \
        return extreme(a, b);                                                                               \
    }                                                                                                       \
    __OPEN_CUDA_FN unsigned __vib##extreme##_u32(unsigned a, unsigned b, bool *chosen) {                    \
        *chosen = a relation b;                                                                             \
        return extreme(a, b);                                                                               \
    }                                                                                                       \
    __OPEN_CUDA_FN unsigned __vib##extreme##_s16x2(unsigned a, unsigned b, bool *high, bool *low) {         \
        *high = (short)(a >> 16) relation (short)(b >> 16);                                                 \
        *low = (short)a relation (short)b;                                                                  \
        return __v##extreme##s2(a, b);                                                                      \
    }                                                                                                       \
    __OPEN_CUDA_FN unsigned __vib##extreme##_u16x2(unsigned a, unsigned b, bool *high, bool *low) {         \
        *high = a >> 16 relation b >> 16;                                                                   \
        *low = (unsigned short)a relation (unsigned short)b;                                                \
        return __v##extreme##u2(a, b);                                                                      \
    }
__OPEN_CUDA_DPX_CHOICE(max, >=)
__OPEN_CUDA_DPX_CHOICE(min, <=)
