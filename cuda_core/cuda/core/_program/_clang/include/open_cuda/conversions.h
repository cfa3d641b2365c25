// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Type casting intrinsics: CUDA Math API, "Type Casting Intrinsics".
#pragma once
#include "qualifiers.h"

#define __OPEN_CUDA_CAST(name, op, to, to_reg, from, from_reg)                       \
    __OPEN_CUDA_CONST to name(from x) {                                              \
        to result;                                                                   \
        asm("cvt." op " %0, %1;" : "=" to_reg(result) : from_reg(x));                \
        return result;                                                               \
    }
// From floating point to an integer: rni, rzi, rmi and rpi are PTX's roundings to an integral value.
#define __OPEN_CUDA_TO_INTEGER(name, types, to, to_reg, from, from_reg)              \
    __OPEN_CUDA_CAST(name##_rn, "rni." types, to, to_reg, from, from_reg)            \
    __OPEN_CUDA_CAST(name##_rz, "rzi." types, to, to_reg, from, from_reg)            \
    __OPEN_CUDA_CAST(name##_rd, "rmi." types, to, to_reg, from, from_reg)            \
    __OPEN_CUDA_CAST(name##_ru, "rpi." types, to, to_reg, from, from_reg)
#define __OPEN_CUDA_TO_FLOAT(name, types, to, to_reg, from, from_reg)                \
    __OPEN_CUDA_CAST(name##_rn, "rn." types, to, to_reg, from, from_reg)             \
    __OPEN_CUDA_CAST(name##_rz, "rz." types, to, to_reg, from, from_reg)             \
    __OPEN_CUDA_CAST(name##_rd, "rm." types, to, to_reg, from, from_reg)             \
    __OPEN_CUDA_CAST(name##_ru, "rp." types, to, to_reg, from, from_reg)
__OPEN_CUDA_TO_INTEGER(__float2int, "s32.f32", int, "r", float, "f")
__OPEN_CUDA_TO_INTEGER(__float2uint, "u32.f32", unsigned, "r", float, "f")
__OPEN_CUDA_TO_INTEGER(__float2ll, "s64.f32", long long, "l", float, "f")
__OPEN_CUDA_TO_INTEGER(__float2ull, "u64.f32", unsigned long long, "l", float, "f")
__OPEN_CUDA_TO_INTEGER(__double2int, "s32.f64", int, "r", double, "d")
__OPEN_CUDA_TO_INTEGER(__double2uint, "u32.f64", unsigned, "r", double, "d")
__OPEN_CUDA_TO_INTEGER(__double2ll, "s64.f64", long long, "l", double, "d")
__OPEN_CUDA_TO_INTEGER(__double2ull, "u64.f64", unsigned long long, "l", double, "d")
__OPEN_CUDA_TO_FLOAT(__int2float, "f32.s32", float, "f", int, "r")
__OPEN_CUDA_TO_FLOAT(__uint2float, "f32.u32", float, "f", unsigned, "r")
__OPEN_CUDA_TO_FLOAT(__ll2float, "f32.s64", float, "f", long long, "l")
__OPEN_CUDA_TO_FLOAT(__ull2float, "f32.u64", float, "f", unsigned long long, "l")
__OPEN_CUDA_TO_FLOAT(__ll2double, "f64.s64", double, "d", long long, "l")
__OPEN_CUDA_TO_FLOAT(__ull2double, "f64.u64", double, "d", unsigned long long, "l")
__OPEN_CUDA_TO_FLOAT(__double2float, "f32.f64", float, "f", double, "d")
__OPEN_CUDA_CONST double __int2double_rn(int x) { return x; }
__OPEN_CUDA_CONST double __uint2double_rn(unsigned x) { return x; }
__OPEN_CUDA_CONST int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__OPEN_CUDA_CONST unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__OPEN_CUDA_CONST float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__OPEN_CUDA_CONST float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__OPEN_CUDA_CONST long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__OPEN_CUDA_CONST double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__OPEN_CUDA_CONST int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
__OPEN_CUDA_CONST int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
__OPEN_CUDA_CONST double __hiloint2double(int high, int low) {
    return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}
