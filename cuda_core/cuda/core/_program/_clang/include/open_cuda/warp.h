// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Warp functions and block barriers: CUDA C++ Programming Guide, "Warp Vote", "Warp Match", "Warp Reduce" and "Warp
// Shuffle Functions", "Synchronization Functions", "Memory Fence Functions".
#pragma once
#include "qualifiers.h"

// __syncthreads() is a builtin of clang.
#define __OPEN_CUDA_BLOCK_VOTE(name, op)                                                                    \
    __OPEN_CUDA_FN int name(int predicate) {                                                                \
        int result;                                                                                         \
        asm volatile("{.reg .pred p, q; setp.ne.s32 p, %1, 0; barrier.red." #op ".pred q, 0, p;\n"          \
                     "selp.s32 %0, 1, 0, q;}" : "=r"(result) : "r"(predicate) : "memory");                  \
        return result;                                                                                      \
    }
__OPEN_CUDA_BLOCK_VOTE(__syncthreads_and, and)
__OPEN_CUDA_BLOCK_VOTE(__syncthreads_or, or)
__OPEN_CUDA_FN int __syncthreads_count(int predicate) {
    int result;
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; barrier.red.popc.u32 %0, 0, p;}"
                 : "=r"(result) : "r"(predicate) : "memory");
    return result;
}
__OPEN_CUDA_FN void __barrier_sync(unsigned barrier) { asm volatile("barrier.sync %0;" ::"r"(barrier) : "memory"); }
__OPEN_CUDA_FN void __barrier_sync_count(unsigned barrier, unsigned threads) {
    asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__OPEN_CUDA_FN void __syncwarp(unsigned mask = 0xffffffff) {
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
__OPEN_CUDA_FN void __threadfence_block() { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
__OPEN_CUDA_FN void __threadfence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
#if __OPEN_CUDA_ARCH >= 900
__OPEN_CUDA_FN void __threadfence_cluster() { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }
#endif
__OPEN_CUDA_FN void __threadfence_system() { asm volatile("fence.acq_rel.sys;" ::: "memory"); }

__OPEN_CUDA_FN unsigned __activemask() {
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask)::"memory");
    return mask;
}
#define __OPEN_CUDA_VOTE(name, op)                                                                          \
    __OPEN_CUDA_FN int name(unsigned mask, int predicate) {                                                 \
        int result;                                                                                         \
        asm volatile("{.reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." #op ".pred q, p, %2;\n"           \
                     "selp.s32 %0, 1, 0, q;}" : "=r"(result) : "r"(predicate), "r"(mask) : "memory");       \
        return result;                                                                                      \
    }
__OPEN_CUDA_VOTE(__all_sync, all)
__OPEN_CUDA_VOTE(__any_sync, any)
__OPEN_CUDA_VOTE(__uni_sync, uni)
__OPEN_CUDA_FN unsigned __ballot_sync(unsigned mask, int predicate) {
    unsigned result;
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2;}"
                 : "=r"(result) : "r"(predicate), "r"(mask) : "memory");
    return result;
}

#define __OPEN_CUDA_MATCH(type, word, reg)                                                                          \
    __OPEN_CUDA_FN unsigned __match_any_sync(unsigned mask, type value) {                                           \
        unsigned result;                                                                                            \
        asm volatile("match.any.sync." #word " %0, %1, %2;" : "=r"(result) : reg(value), "r"(mask) : "memory");     \
        return result;                                                                                              \
    }                                                                                                               \
    __OPEN_CUDA_FN unsigned __match_all_sync(unsigned mask, type value, int *predicate) {                           \
        unsigned result;                                                                                            \
        int all;                                                                                                    \
        asm volatile("{.reg .pred p; match.all.sync." #word " %0|p, %2, %3; selp.s32 %1, 1, 0, p;}"                 \
                     : "=r"(result), "=r"(all) : reg(value), "r"(mask) : "memory");                                 \
        *predicate = all;                                                                                           \
        return result;                                                                                              \
    }
__OPEN_CUDA_MATCH(unsigned, b32, "r")
__OPEN_CUDA_MATCH(int, b32, "r")
__OPEN_CUDA_MATCH(unsigned long, b64, "l")
__OPEN_CUDA_MATCH(long, b64, "l")
__OPEN_CUDA_MATCH(unsigned long long, b64, "l")
__OPEN_CUDA_MATCH(long long, b64, "l")
__OPEN_CUDA_MATCH(float, b32, "f")
__OPEN_CUDA_MATCH(double, b64, "d")

#if __OPEN_CUDA_ARCH >= 800
#define __OPEN_CUDA_REDUCE(name, type, op, word)                                                                    \
    __OPEN_CUDA_FN type name(unsigned mask, type value) {                                                           \
        type result;                                                                                                \
        asm volatile("redux.sync." #op "." #word " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask) : "memory"); \
        return result;                                                                                              \
    }
__OPEN_CUDA_REDUCE(__reduce_add_sync, unsigned, add, u32)
__OPEN_CUDA_REDUCE(__reduce_add_sync, int, add, s32)
__OPEN_CUDA_REDUCE(__reduce_min_sync, unsigned, min, u32)
__OPEN_CUDA_REDUCE(__reduce_min_sync, int, min, s32)
__OPEN_CUDA_REDUCE(__reduce_max_sync, unsigned, max, u32)
__OPEN_CUDA_REDUCE(__reduce_max_sync, int, max, s32)
__OPEN_CUDA_REDUCE(__reduce_and_sync, unsigned, and, b32)
__OPEN_CUDA_REDUCE(__reduce_or_sync, unsigned, or, b32)
__OPEN_CUDA_REDUCE(__reduce_xor_sync, unsigned, xor, b32)
#endif

// Shuffles. The third operand of PTX's shfl holds the first lane of a segment in bits 8 to 12, and the last one.
#define __OPEN_CUDA_SHUFFLE(name, type, mode, last)                                                                 \
    __OPEN_CUDA_FN type name(unsigned mask, type value, unsigned lane, int width = 32) {                            \
        type result;                                                                                                \
        asm volatile("shfl.sync." #mode ".b32 %0, %1, %2, %3, %4;"                                                  \
                     : "=r"(result) : "r"(value), "r"(lane), "r"(((32 - width) << 8) | last), "r"(mask) : "memory"); \
        return result;                                                                                              \
    }
#define __OPEN_CUDA_SHUFFLE_AS(name, type, other)                                                                   \
    __OPEN_CUDA_FN type name(unsigned mask, type value, unsigned lane, int width = 32) {                            \
        return __builtin_bit_cast(type, name(mask, __builtin_bit_cast(other, value), lane, width));                 \
    }
#define __OPEN_CUDA_SHUFFLE_TWO(name, type)                                                                         \
    __OPEN_CUDA_FN type name(unsigned mask, type value, unsigned lane, int width = 32) {                            \
        unsigned long long bits = __builtin_bit_cast(unsigned long long, value);                                    \
        unsigned low = name(mask, (unsigned)bits, lane, width), high = name(mask, (unsigned)(bits >> 32), lane, width); \
        return __builtin_bit_cast(type, (unsigned long long)high << 32 | low);                                      \
    }
#define __OPEN_CUDA_SHUFFLES(name, mode, last)                \
    __OPEN_CUDA_SHUFFLE(name, int, mode, last)                \
    __OPEN_CUDA_SHUFFLE(name, unsigned, mode, last)           \
    __OPEN_CUDA_SHUFFLE_AS(name, float, unsigned)             \
    __OPEN_CUDA_SHUFFLE_TWO(name, long)                       \
    __OPEN_CUDA_SHUFFLE_TWO(name, unsigned long)              \
    __OPEN_CUDA_SHUFFLE_TWO(name, long long)                  \
    __OPEN_CUDA_SHUFFLE_TWO(name, unsigned long long)         \
    __OPEN_CUDA_SHUFFLE_TWO(name, double)
__OPEN_CUDA_SHUFFLES(__shfl_sync, idx, 31)
__OPEN_CUDA_SHUFFLES(__shfl_up_sync, up, 0)
__OPEN_CUDA_SHUFFLES(__shfl_down_sync, down, 31)
__OPEN_CUDA_SHUFFLES(__shfl_xor_sync, bfly, 31)
