// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Functions and operators of a 16-bit floating-point type and pairs of it in host code: CUDA Math API, those that are
// `__host__ __device__` there. Included after short_float_arithmetic.h, once for each type. They compute in float,
// whose result, rounded again, is that of one rounding: it has more than twice as many digits.
#define __OPEN_CUDA_HOST static __host__ __inline__ __attribute__((unused))

#define __OPEN_CUDA_HOST_ROUNDED(word, type)                                                              \
    __OPEN_CUDA_HOST __OPEN_CUDA_T __OPEN_CUDA_K(__##word##2, _rn)(type x) { return x; }                  \
    __OPEN_CUDA_HOST type __OPEN_CUDA_K(__, 2##word##_rz)(__OPEN_CUDA_T x) { return x; }
__OPEN_CUDA_HOST_ROUNDED(short, short)
__OPEN_CUDA_HOST_ROUNDED(ushort, unsigned short)
__OPEN_CUDA_HOST_ROUNDED(int, int)
__OPEN_CUDA_HOST_ROUNDED(uint, unsigned int)
__OPEN_CUDA_HOST_ROUNDED(ll, long long)
__OPEN_CUDA_HOST_ROUNDED(ull, unsigned long long)
__OPEN_CUDA_HOST signed char __OPEN_CUDA_K(__, 2char_rz)(__OPEN_CUDA_T x) { return x; }
__OPEN_CUDA_HOST unsigned char __OPEN_CUDA_K(__, 2uchar_rz)(__OPEN_CUDA_T x) { return x; }
__OPEN_CUDA_HOST __OPEN_CUDA_T __OPEN_CUDA_K(__float2, _rn)(float x) { return x; }
__OPEN_CUDA_HOST __OPEN_CUDA_T __OPEN_CUDA_K(__float2, _rd)(float x) {
    return __OPEN_CUDA_RAW{__open_cuda_directed<__OPEN_CUDA_FORMAT>(x, false)};
}
__OPEN_CUDA_HOST __OPEN_CUDA_T __OPEN_CUDA_K(__float2, _ru)(float x) {
    return __OPEN_CUDA_RAW{__open_cuda_directed<__OPEN_CUDA_FORMAT>(x, true)};
}
__OPEN_CUDA_HOST __OPEN_CUDA_T __OPEN_CUDA_K(__float2, _rz)(float x) {
    return __OPEN_CUDA_RAW{__open_cuda_directed<__OPEN_CUDA_FORMAT>(x, x < 0)};
}

#define __OPEN_CUDA_HOST_UNARY(name, value)                                                               \
    __OPEN_CUDA_HOST __OPEN_CUDA_T __h##name(__OPEN_CUDA_T a) { return __OPEN_CUDA_RAW{(unsigned short)(value)}; } \
    __OPEN_CUDA_HOST __OPEN_CUDA_T2 __h##name##2(__OPEN_CUDA_T2 a) { return {__h##name(a.x), __h##name(a.y)}; }
__OPEN_CUDA_HOST_UNARY(neg, a.__x ^ 0x8000)
__OPEN_CUDA_HOST_UNARY(abs, a.__x & 0x7fff)
__OPEN_CUDA_HOST bool __hisnan(__OPEN_CUDA_T a) { return (a.__x & 0x7fff) > __OPEN_CUDA_INFINITE; }
__OPEN_CUDA_HOST int __hisinf(__OPEN_CUDA_T a) {
    return (a.__x & 0x7fff) != __OPEN_CUDA_INFINITE ? 0 : a.__x >> 15 ? -1 : 1;
}

#define __OPEN_CUDA_HOST_BINARY(name, two, value)                                                         \
    __OPEN_CUDA_HOST __OPEN_CUDA_T __h##name(__OPEN_CUDA_T a, __OPEN_CUDA_T b) {                          \
        float x = a, y = b;                                                                               \
        return __OPEN_CUDA_T(value);                                                                      \
    }                                                                                                     \
    __OPEN_CUDA_HOST __OPEN_CUDA_T2 __h##two(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) {                        \
        return {__h##name(a.x, b.x), __h##name(a.y, b.y)};                                                \
    }
__OPEN_CUDA_HOST_BINARY(add, add2, x + y)
__OPEN_CUDA_HOST_BINARY(sub, sub2, x - y)
__OPEN_CUDA_HOST_BINARY(mul, mul2, x * y)
__OPEN_CUDA_HOST_BINARY(div, 2div, x / y)
__OPEN_CUDA_HOST_BINARY(add_rn, add2_rn, x + y)
__OPEN_CUDA_HOST_BINARY(sub_rn, sub2_rn, x - y)
__OPEN_CUDA_HOST_BINARY(mul_rn, mul2_rn, x * y)
__OPEN_CUDA_HOST_BINARY(min, min2, __builtin_fminf(x, y))
__OPEN_CUDA_HOST_BINARY(max, max2, __builtin_fmaxf(x, y))

#define __OPEN_CUDA_HOST_RELATION(name, test)                                                             \
    __OPEN_CUDA_HOST bool __h##name(__OPEN_CUDA_T a, __OPEN_CUDA_T b) {                                   \
        float x = a, y = b;                                                                               \
        return test;                                                                                      \
    }                                                                                                     \
    __OPEN_CUDA_HOST bool __hb##name##2(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) {                             \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                \
    }                                                                                                     \
    __OPEN_CUDA_HOST __OPEN_CUDA_T2 __h##name##2(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) {                    \
        return {__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f};                    \
    }
__OPEN_CUDA_HOST_RELATION(eq, x == y)
__OPEN_CUDA_HOST_RELATION(ne, x < y || x > y)
__OPEN_CUDA_HOST_RELATION(lt, x < y)
__OPEN_CUDA_HOST_RELATION(le, x <= y)
__OPEN_CUDA_HOST_RELATION(gt, x > y)
__OPEN_CUDA_HOST_RELATION(ge, x >= y)
__OPEN_CUDA_HOST_RELATION(equ, !(x < y || x > y))
__OPEN_CUDA_HOST_RELATION(neu, x != y)
__OPEN_CUDA_HOST_RELATION(ltu, !(x >= y))
__OPEN_CUDA_HOST_RELATION(leu, !(x > y))
__OPEN_CUDA_HOST_RELATION(gtu, !(x <= y))
__OPEN_CUDA_HOST_RELATION(geu, !(x < y))

#pragma push_macro("__OPEN_CUDA_FN")
#undef __OPEN_CUDA_FN
#define __OPEN_CUDA_FN __OPEN_CUDA_HOST
__OPEN_CUDA_SHORT_ALL_OPERATORS
#pragma pop_macro("__OPEN_CUDA_FN")
