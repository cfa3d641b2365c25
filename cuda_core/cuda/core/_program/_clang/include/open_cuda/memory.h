// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Loads and stores with cache operators, address spaces, clocks, traps: CUDA C++ Programming Guide, "Read-Only Data Cache
// Load Function", "Load/Store Functions Using Cache Hints", "Address Space Predicate/Conversion Functions", "Time Function".
#pragma once
#include "../vector_types.h"

#define __OPEN_CUDA_LOAD(name, how, op, clobber, type, part, word, reg)                                       \
    __OPEN_CUDA_FN type name(const type *address) {                                                      \
        part value;                                                                                      \
        how("ld.global." op "." #word " %0, [%1];"                                              \
                     : "=" reg(value) : "l"(__cvta_generic_to_global(address)) clobber);                 \
        return (type)value;                                                                              \
    }
#define __OPEN_CUDA_LOAD2(name, how, op, clobber, type, part, word, reg)                                      \
    __OPEN_CUDA_FN type name(const type *address) {                                                      \
        part x, y;                                                                                       \
        how("ld.global." op ".v2." #word " {%0, %1}, [%2];"                                     \
                     : "=" reg(x), "=" reg(y) : "l"(__cvta_generic_to_global(address)) clobber);         \
        return {decltype(type::x)(x), decltype(type::x)(y)};                                             \
    }
#define __OPEN_CUDA_LOAD4(name, how, op, clobber, type, part, word, reg)                                      \
    __OPEN_CUDA_FN type name(const type *address) {                                                      \
        part x, y, z, w;                                                                                 \
        how("ld.global." op ".v4." #word " {%0, %1, %2, %3}, [%4];"                             \
                     : "=" reg(x), "=" reg(y), "=" reg(z), "=" reg(w)                                    \
                     : "l"(__cvta_generic_to_global(address)) clobber);                                  \
        return {decltype(type::x)(x), decltype(type::x)(y), decltype(type::x)(z), decltype(type::x)(w)}; \
    }
// Applies `each` to all types of the guide's table, with the register type, PTX type and constraint of an element.
#define __OPEN_CUDA_LOADABLE(one, two, four, ...)                          \
    one(__VA_ARGS__, char, short, s8, "h")                                 \
    one(__VA_ARGS__, signed char, short, s8, "h")                          \
    one(__VA_ARGS__, unsigned char, unsigned short, u8, "h")               \
    one(__VA_ARGS__, short, short, s16, "h")                               \
    one(__VA_ARGS__, unsigned short, unsigned short, u16, "h")             \
    one(__VA_ARGS__, int, int, s32, "r")                                   \
    one(__VA_ARGS__, unsigned int, unsigned int, u32, "r")                 \
    one(__VA_ARGS__, long, long, s64, "l")                                 \
    one(__VA_ARGS__, unsigned long, unsigned long, u64, "l")               \
    one(__VA_ARGS__, long long, long long, s64, "l")                       \
    one(__VA_ARGS__, unsigned long long, unsigned long long, u64, "l")     \
    one(__VA_ARGS__, float, float, f32, "f")                               \
    one(__VA_ARGS__, double, double, f64, "d")                             \
    two(__VA_ARGS__, char2, short, s8, "h")                                \
    two(__VA_ARGS__, uchar2, unsigned short, u8, "h")                      \
    two(__VA_ARGS__, short2, short, s16, "h")                              \
    two(__VA_ARGS__, ushort2, unsigned short, u16, "h")                    \
    two(__VA_ARGS__, int2, int, s32, "r")                                  \
    two(__VA_ARGS__, uint2, unsigned int, u32, "r")                        \
    two(__VA_ARGS__, longlong2, long long, s64, "l")                       \
    two(__VA_ARGS__, ulonglong2, unsigned long long, u64, "l")             \
    two(__VA_ARGS__, float2, float, f32, "f")                              \
    two(__VA_ARGS__, double2, double, f64, "d")                            \
    four(__VA_ARGS__, char4, short, s8, "h")                               \
    four(__VA_ARGS__, uchar4, unsigned short, u8, "h")                     \
    four(__VA_ARGS__, short4, short, s16, "h")                             \
    four(__VA_ARGS__, ushort4, unsigned short, u16, "h")                   \
    four(__VA_ARGS__, int4, int, s32, "r")                                 \
    four(__VA_ARGS__, uint4, unsigned int, u32, "r")                       \
    four(__VA_ARGS__, float4, float, f32, "f")

#define __OPEN_CUDA_SPACE(name, space)                                                                  \
    __OPEN_CUDA_CONST size_t __cvta_generic_to_##name(const void *address) {                            \
        size_t result;                                                                                  \
        asm("cvta.to." #space ".u64 %0, %1;" : "=l"(result) : "l"(address));                            \
        return result;                                                                                  \
    }                                                                                                   \
    __OPEN_CUDA_CONST void *__cvta_##name##_to_generic(size_t address) {                                \
        void *result;                                                                                   \
        asm("cvta." #space ".u64 %0, %1;" : "=l"(result) : "l"(address));                               \
        return result;                                                                                  \
    }
#define __OPEN_CUDA_IS_SPACE(name, space)                                                               \
    __OPEN_CUDA_CONST unsigned name(const void *address) {                                              \
        unsigned result;                                                                                \
        asm("{.reg .pred p; isspacep." #space " p, %1; selp.u32 %0, 1, 0, p;}"                          \
            : "=r"(result) : "l"(address));                                                             \
        return result;                                                                                  \
    }
__OPEN_CUDA_SPACE(global, global)
__OPEN_CUDA_SPACE(shared, shared)
__OPEN_CUDA_SPACE(local, local)
__OPEN_CUDA_SPACE(grid_constant, param)
__OPEN_CUDA_SPACE(constant, const)
__OPEN_CUDA_IS_SPACE(__isGlobal, global)
__OPEN_CUDA_IS_SPACE(__isShared, shared)
__OPEN_CUDA_IS_SPACE(__isLocal, local)
__OPEN_CUDA_IS_SPACE(__isConstant, const)
#if __OPEN_CUDA_ARCH >= 900
__OPEN_CUDA_IS_SPACE(__isClusterShared, shared::cluster)
#else
__OPEN_CUDA_CONST unsigned __isClusterShared(const void *address) { return __isShared(address); }
#endif
__OPEN_CUDA_IS_SPACE(__isGridConstant, param)

#define __OPEN_CUDA_LOADS(name, how, op, clobber) \
    __OPEN_CUDA_LOADABLE(__OPEN_CUDA_LOAD, __OPEN_CUDA_LOAD2, __OPEN_CUDA_LOAD4, name, how, op, clobber)
#define __OPEN_CUDA_CLOBBER : "memory"
__OPEN_CUDA_LOADS(__ldg, asm, "nc", )
__OPEN_CUDA_LOADS(__ldcg, asm volatile, "cg", __OPEN_CUDA_CLOBBER)
__OPEN_CUDA_LOADS(__ldca, asm volatile, "ca", __OPEN_CUDA_CLOBBER)
__OPEN_CUDA_LOADS(__ldcs, asm volatile, "cs", __OPEN_CUDA_CLOBBER)
__OPEN_CUDA_LOADS(__ldlu, asm volatile, "lu", __OPEN_CUDA_CLOBBER)
__OPEN_CUDA_LOADS(__ldcv, asm volatile, "cv", __OPEN_CUDA_CLOBBER)

#define __OPEN_CUDA_STORE(name, op, type, part, word, reg)                                               \
    __OPEN_CUDA_FN void name(type *address, type value) {                                                \
        asm volatile("st.global." op "." #word " [%0], %1;"                                              \
                     ::"l"(__cvta_generic_to_global(address)), reg((part)value) : "memory");             \
    }
#define __OPEN_CUDA_STORE2(name, op, type, part, word, reg)                                              \
    __OPEN_CUDA_FN void name(type *address, type value) {                                                \
        asm volatile("st.global." op ".v2." #word " [%0], {%1, %2};"                                     \
                     ::"l"(__cvta_generic_to_global(address)), reg((part)value.x), reg((part)value.y)    \
                     : "memory");                                                                        \
    }
#define __OPEN_CUDA_STORE4(name, op, type, part, word, reg)                                              \
    __OPEN_CUDA_FN void name(type *address, type value) {                                                \
        asm volatile("st.global." op ".v4." #word " [%0], {%1, %2, %3, %4};"                             \
                     ::"l"(__cvta_generic_to_global(address)), reg((part)value.x), reg((part)value.y),   \
                     reg((part)value.z), reg((part)value.w) : "memory");                                 \
    }
#define __OPEN_CUDA_STORES(name, op) \
    __OPEN_CUDA_LOADABLE(__OPEN_CUDA_STORE, __OPEN_CUDA_STORE2, __OPEN_CUDA_STORE4, name, op)
__OPEN_CUDA_STORES(__stwb, "wb")
__OPEN_CUDA_STORES(__stcg, "cg")
__OPEN_CUDA_STORES(__stcs, "cs")
__OPEN_CUDA_STORES(__stwt, "wt")

__OPEN_CUDA_FN long long clock64() {
    long long result;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(result)::"memory");
    return result;
}
__OPEN_CUDA_FN int clock() {
    int result;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(result)::"memory");
    return result;
}
#ifndef __OPEN_CUDA_PROGRAM__
typedef int clock_t;
#endif
__OPEN_CUDA_FN unsigned long long __globaltimer() {
    unsigned long long result;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(result)::"memory");
    return result;
}
__OPEN_CUDA_FN void __nanosleep(unsigned nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory"); }
__OPEN_CUDA_FN void __trap() { asm volatile("trap;" ::: "memory"); }
__OPEN_CUDA_FN void __brkpt() { asm volatile("brkpt;" ::: "memory"); }
#define __prof_trigger(n) asm volatile("pmevent " #n ";" ::: "memory")
#define alloca(size) __builtin_alloca(size)
