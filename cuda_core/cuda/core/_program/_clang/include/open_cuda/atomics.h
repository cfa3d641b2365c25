// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Atomic functions: CUDA C++ Programming Guide, "Atomic Functions". Relaxed order; device scope, or that of the suffix.
#pragma once
#include "../vector_types.h"

// One function at three scopes. `word` is PTX's type, `reg` the constraint of a register of it. At device scope the
// compiler's own operation is used where it has one: it knows when an address is in shared memory.
#define __OPEN_CUDA_ATOMIC(name, type, op, word, reg)                       \
    __OPEN_CUDA_ATOMIC_##op(name, type, op, word, reg)                      \
    __OPEN_CUDA_ATOMIC_AT(name##_block, type, op, word, reg, cta)           \
    __OPEN_CUDA_ATOMIC_AT(name##_system, type, op, word, reg, sys)
#define __OPEN_CUDA_ATOMIC_OWN(name, type, operation)                                                      \
    __OPEN_CUDA_FN type name(type *address, type value) {                                                  \
        __OPEN_CUDA_IN_ORDER;                                                                              \
        type old = operation(address, value, __ATOMIC_RELAXED);                                            \
        __OPEN_CUDA_IN_ORDER;                                                                              \
        return old;                                                                                        \
    }
#define __OPEN_CUDA_IN_ORDER asm volatile("" ::: "memory") // other accesses stay on their side of the atomic one
#define __OPEN_CUDA_ATOMIC_add(name, type, op, word, reg) __OPEN_CUDA_ATOMIC_OWN(name, type, __atomic_fetch_add)
#define __OPEN_CUDA_ATOMIC_min(name, type, op, word, reg) __OPEN_CUDA_ATOMIC_OWN(name, type, __atomic_fetch_min)
#define __OPEN_CUDA_ATOMIC_max(name, type, op, word, reg) __OPEN_CUDA_ATOMIC_OWN(name, type, __atomic_fetch_max)
#define __OPEN_CUDA_ATOMIC_and(name, type, op, word, reg) __OPEN_CUDA_ATOMIC_OWN(name, type, __atomic_fetch_and)
#define __OPEN_CUDA_ATOMIC_or(name, type, op, word, reg) __OPEN_CUDA_ATOMIC_OWN(name, type, __atomic_fetch_or)
#define __OPEN_CUDA_ATOMIC_xor(name, type, op, word, reg) __OPEN_CUDA_ATOMIC_OWN(name, type, __atomic_fetch_xor)
#define __OPEN_CUDA_ATOMIC_exch(name, type, op, word, reg) __OPEN_CUDA_ATOMIC_AT(name, type, op, word, reg, gpu)
#define __OPEN_CUDA_ATOMIC_inc(name, type, op, word, reg) __OPEN_CUDA_ATOMIC_AT(name, type, op, word, reg, gpu)
#define __OPEN_CUDA_ATOMIC_dec(name, type, op, word, reg) __OPEN_CUDA_ATOMIC_AT(name, type, op, word, reg, gpu)
#define __OPEN_CUDA_ATOMIC_AT(name, type, op, word, reg, scope)                                            \
    __OPEN_CUDA_FN type name(type *address, type value) {                                                  \
        type old;                                                                                          \
        asm volatile("atom.relaxed." #scope "." #op "." #word " %0, [%1], %2;"                             \
                     : "=" reg(old) : "l"(address), reg(value) : "memory");                                \
        return old;                                                                                        \
    }
#define __OPEN_CUDA_ATOMIC_CAS(type, word, reg)                      \
    __OPEN_CUDA_ATOMIC_CAS_AT(atomicCAS, type, word, reg, gpu)       \
    __OPEN_CUDA_ATOMIC_CAS_AT(atomicCAS_block, type, word, reg, cta) \
    __OPEN_CUDA_ATOMIC_CAS_AT(atomicCAS_system, type, word, reg, sys)
#define __OPEN_CUDA_ATOMIC_CAS_AT(name, type, word, reg, scope)                                            \
    __OPEN_CUDA_FN type name(type *address, type compare, type value) {                                    \
        type old;                                                                                          \
        asm volatile("atom.relaxed." #scope ".cas." #word " %0, [%1], %2, %3;"                             \
                     : "=" reg(old) : "l"(address), reg(compare), reg(value) : "memory");                  \
        return old;                                                                                        \
    }

__OPEN_CUDA_ATOMIC(atomicAdd, int, add, s32, "r")
__OPEN_CUDA_ATOMIC(atomicAdd, unsigned int, add, u32, "r")
__OPEN_CUDA_ATOMIC(atomicAdd, unsigned long long, add, u64, "l")
__OPEN_CUDA_ATOMIC(atomicAdd, float, add, f32, "f")
__OPEN_CUDA_ATOMIC(atomicAdd, double, add, f64, "d")
__OPEN_CUDA_ATOMIC(atomicExch, int, exch, b32, "r")
__OPEN_CUDA_ATOMIC(atomicExch, unsigned int, exch, b32, "r")
__OPEN_CUDA_ATOMIC(atomicExch, unsigned long long, exch, b64, "l")
__OPEN_CUDA_ATOMIC(atomicExch, float, exch, b32, "f")
__OPEN_CUDA_ATOMIC(atomicMin, int, min, s32, "r")
__OPEN_CUDA_ATOMIC(atomicMin, unsigned int, min, u32, "r")
__OPEN_CUDA_ATOMIC(atomicMin, long long, min, s64, "l")
__OPEN_CUDA_ATOMIC(atomicMin, unsigned long long, min, u64, "l")
__OPEN_CUDA_ATOMIC(atomicMax, int, max, s32, "r")
__OPEN_CUDA_ATOMIC(atomicMax, unsigned int, max, u32, "r")
__OPEN_CUDA_ATOMIC(atomicMax, long long, max, s64, "l")
__OPEN_CUDA_ATOMIC(atomicMax, unsigned long long, max, u64, "l")
__OPEN_CUDA_ATOMIC(atomicInc, unsigned int, inc, u32, "r")
__OPEN_CUDA_ATOMIC(atomicDec, unsigned int, dec, u32, "r")
#define __OPEN_CUDA_ATOMIC_BITS(name, op)                    \
    __OPEN_CUDA_ATOMIC(name, int, op, b32, "r")              \
    __OPEN_CUDA_ATOMIC(name, unsigned int, op, b32, "r")     \
    __OPEN_CUDA_ATOMIC(name, unsigned long long, op, b64, "l")
__OPEN_CUDA_ATOMIC_BITS(atomicAnd, and)
__OPEN_CUDA_ATOMIC_BITS(atomicOr, or)
__OPEN_CUDA_ATOMIC_BITS(atomicXor, xor)
__OPEN_CUDA_ATOMIC_CAS(int, b32, "r")
__OPEN_CUDA_ATOMIC_CAS(unsigned int, b32, "r")
__OPEN_CUDA_ATOMIC_CAS(unsigned long long, b64, "l")
__OPEN_CUDA_ATOMIC_CAS(unsigned short, b16, "h")

#define __OPEN_CUDA_ATOMIC_SUB(suffix)                                                                               \
    __OPEN_CUDA_FN int atomicSub##suffix(int *address, int value) {                                                  \
        return (int)atomicAdd##suffix((unsigned int *)address, 0u - (unsigned int)value);                            \
    }                                                                                                                \
    __OPEN_CUDA_FN unsigned int atomicSub##suffix(unsigned int *address, unsigned int value) {                       \
        return atomicAdd##suffix(address, 0u - value);                                                               \
    }
__OPEN_CUDA_ATOMIC_SUB()
__OPEN_CUDA_ATOMIC_SUB(_block)
__OPEN_CUDA_ATOMIC_SUB(_system)

// Vectors in global memory, one element at a time in any order (compute capability 9.0 and later).
#if __OPEN_CUDA_ARCH >= 900
#define __OPEN_CUDA_ATOMIC_FLOATS(name, scope)                                                                       \
    __OPEN_CUDA_FN float2 name(float2 *address, float2 value) {                                                      \
        float2 old;                                                                                                  \
        asm volatile("{.reg .u64 g; cvta.to.global.u64 g, %2;\n"                                                     \
                     "atom.global.relaxed." #scope ".add.v2.f32 {%0, %1}, [g], {%3, %4};}"                           \
                     : "=f"(old.x), "=f"(old.y) : "l"(address), "f"(value.x), "f"(value.y) : "memory");              \
        return old;                                                                                                  \
    }                                                                                                                \
    __OPEN_CUDA_FN float4 name(float4 *address, float4 value) {                                                      \
        float4 old;                                                                                                  \
        asm volatile("{.reg .u64 g; cvta.to.global.u64 g, %4;\n"                                                     \
                     "atom.global.relaxed." #scope ".add.v4.f32 {%0, %1, %2, %3}, [g], {%5, %6, %7, %8};}"           \
                     : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                                            \
                     : "l"(address), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w) : "memory");             \
        return old;                                                                                                  \
    }
__OPEN_CUDA_ATOMIC_FLOATS(atomicAdd, gpu)
__OPEN_CUDA_ATOMIC_FLOATS(atomicAdd_block, cta)
__OPEN_CUDA_ATOMIC_FLOATS(atomicAdd_system, sys)
#endif
