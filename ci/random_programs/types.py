# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Types of the random programs, and the text that precedes every program."""

from __future__ import annotations

# Type -> bits.
SIGNED = {"signed char": 8, "short": 16, "int": 32, "long": 64, "long long": 64}
UNSIGNED = {"unsigned char": 8, "unsigned short": 16, "unsigned": 32, "unsigned long": 64, "unsigned long long": 64}
INTEGERS = SIGNED | UNSIGNED | {"char": 8}
FLOATS = {"float": 32, "double": 64}
SHORT_FLOATS = {"__half": 16, "__nv_bfloat16": 16}
NUMBERS = [*INTEGERS, "bool", *FLOATS, *SHORT_FLOATS]
# Vector type -> (type of its members, their count)
VECTORS = {
    "char4": ("signed char", 4), "uchar2": ("unsigned char", 2), "short3": ("short", 3), "int2": ("int", 2),
    "ushort4": ("unsigned short", 4), "uint4": ("unsigned", 4), "longlong2": ("long long", 2),
    "ulonglong2": ("unsigned long long", 2), "float3": ("float", 3), "float4": ("float", 4), "double2": ("double", 2),
}  # fmt: skip
THREADS = 64

# Helpers with a defined result for all arguments: C++ leaves overflow, division by zero, wide shifts and conversions
# out of range undefined. `u64` is what is compared of a value: of NaNs not the bits, which C++ leaves open.
PREAMBLE = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#define D __device__ inline
typedef unsigned long long u64;
template <class T, class F> D T bits_as(F x) { T t; memcpy(&t, &x, sizeof t); return t; }
template <class T> D u64 u(T x) { return (u64)x; }
D u64 u(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }
D u64 u(double x) { return x != x ? 0x7ff8000000000000u : (u64)__double_as_longlong(x); }
D u64 u(__half x) { return __hisnan(x) ? 0x7fffu : __half_as_ushort(x); }
D u64 u(__nv_bfloat16 x) { return __hisnan(x) ? 0x7fffu : __bfloat16_as_ushort(x); }
D int float_word(float x) { return (int)u(x); }
D int high_word(double x) { return x != x ? 7 : __double2hiint(x); }
D float with_sign(float x, float y) { return copysignf(x, y != y ? 1.0f : y); }
D double with_sign_of(double x, double y) { return copysign(x, y != y ? 1.0 : y); }
template <class T> D T quotient(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(a / b); }
template <class T> D T remainder_of(T a, T b) { return b == 0 || b == (T)-1 ? b : (T)(a % b); }
template <class T> D T whole(float x) { return (T)(x >= -100.0f && x <= 100.0f ? x : 77.0f); }
template <class T> D T whole(double x) { return (T)(x >= -100.0 && x <= 100.0 ? x : 55.0); }
template <> D unsigned char whole(float x) { return (unsigned char)(x >= 0.0f && x <= 255.0f ? x : 3.0f); }
template <> D unsigned short whole(float x) { return (unsigned short)(x >= 0.0f && x <= 65535.0f ? x : 5.0f); }
template <> D unsigned whole(float x) { return (unsigned)(x >= 0.0f && x <= 4e9f ? x : 7.0f); }
template <> D unsigned long whole(float x) { return (unsigned long)(x >= 0.0f && x <= 1e19f ? x : 9.0f); }
template <> D unsigned long long whole(float x) { return (u64)(x >= 0.0f && x <= 1e19f ? x : 11.0f); }
template <> D unsigned char whole(double x) { return (unsigned char)(x >= 0.0 && x <= 255.0 ? x : 3.0); }
template <> D unsigned short whole(double x) { return (unsigned short)(x >= 0.0 && x <= 65535.0 ? x : 5.0); }
template <> D unsigned whole(double x) { return (unsigned)(x >= 0.0 && x <= 4e9 ? x : 7.0); }
template <> D unsigned long whole(double x) { return (unsigned long)(x >= 0.0 && x <= 1e19 ? x : 9.0); }
template <> D unsigned long long whole(double x) { return (u64)(x >= 0.0 && x <= 1e19 ? x : 11.0); }
template <int n, class T> D T repeated(T x) { T s = x; for (int i = 0; i < n; i++) s = (T)(s * (T)3 + (T)i); return s; }
template <class T> D T larger(const T &a, const T &b) { return a < b ? b : a; }
template <> D double larger(const double &a, const double &b) { return a < b ? a - 1.0 : b; }
template <class F, class T> D T twice(F f, T x) { return f(f(x)); }
"""


def wide(type_: str) -> str:
    """Return the unsigned type in which arithmetic of an integer type wraps."""
    return "u64" if INTEGERS[type_] == 64 else "unsigned"
