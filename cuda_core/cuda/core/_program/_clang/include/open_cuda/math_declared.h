// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Declarations of the device's mathematical functions in front of the C++ library's <cmath>. GCC's brings them into
// namespace std, and its templates for arguments of several types call them: std::sin(x) and pow(x, 2) are then
// functions of host and device. Those of integers, and others of several types for LLVM's library, are here, as double: the
// library's are for the host only, or call builtins of the compiler that have no code for the device.
#pragma once
#include "math_names.h"

#define __OPEN_CUDA_DECLARED(name)      \
    __OPEN_CUDA_FN double name(double); \
    __OPEN_CUDA_FN float name(float);
#define __OPEN_CUDA_DECLARED2(name)             \
    __OPEN_CUDA_FN double name(double, double); \
    __OPEN_CUDA_FN float name(float, float);
#define __OPEN_CUDA_DECLARED_OTHERS(type)      \
    __OPEN_CUDA_FN type fma(type, type, type); \
    __OPEN_CUDA_FN type frexp(type, int *);    \
    __OPEN_CUDA_FN type ldexp(type, int);      \
    __OPEN_CUDA_FN type modf(type, type *);    \
    __OPEN_CUDA_FN type scalbn(type, int);     \
    __OPEN_CUDA_FN int ilogb(type);            \
    __OPEN_CUDA_FN long lrint(type);           \
    __OPEN_CUDA_FN long lround(type);          \
    __OPEN_CUDA_FN long long llrint(type);     \
    __OPEN_CUDA_FN long long llround(type);
__OPEN_CUDA_MATH_ONE(__OPEN_CUDA_DECLARED)
__OPEN_CUDA_MATH_TWO(__OPEN_CUDA_DECLARED2)
__OPEN_CUDA_DECLARED_OTHERS(double)
__OPEN_CUDA_DECLARED_OTHERS(float)
__OPEN_CUDA_DECLARED(abs)
__OPEN_CUDA_FN int abs(int);
__OPEN_CUDA_FN long abs(long);
__OPEN_CUDA_FN long long abs(long long);
__OPEN_CUDA_FN long labs(long);
__OPEN_CUDA_FN long long llabs(long long);

template <bool, class T> struct __open_cuda_if {};
template <class T> struct __open_cuda_if<true, T> {
    typedef T type;
};
#define __OPEN_CUDA_TEMPLATE static __device__ __inline__
#define __OPEN_CUDA_OF_INTEGERS(name, result, parameters, ...)                                            \
    template <class T>                                                                                    \
    __OPEN_CUDA_TEMPLATE typename __open_cuda_if<__is_integral(T), result>::type name parameters {        \
        return __VA_ARGS__;                                                                               \
    }
// Of types that are not all float or all double.
#define __OPEN_CUDA_MIXED(A, B) \
    (__is_arithmetic(A) && __is_arithmetic(B) && (__is_integral(A) || __is_integral(B) || !__is_same(A, B)))
#define __OPEN_CUDA_OF_TWO(name)                                                                                \
    template <class A, class B>                                                                                 \
    __OPEN_CUDA_TEMPLATE typename __open_cuda_if<__OPEN_CUDA_MIXED(A, B), double>::type name(A x, B y) {        \
        return name((double)x, (double)y);                                                                      \
    }
#define __OPEN_CUDA_OF_INTEGER(name) __OPEN_CUDA_OF_INTEGERS(name, double, (T x), name((double)x))
__OPEN_CUDA_MATH_ONE(__OPEN_CUDA_OF_INTEGER)
__OPEN_CUDA_MATH_TWO(__OPEN_CUDA_OF_TWO)
template <class A, class B, class C>
__OPEN_CUDA_TEMPLATE
typename __open_cuda_if<__OPEN_CUDA_MIXED(A, B) || __OPEN_CUDA_MIXED(B, C), double>::type fma(A x, B y, C z) {
    return fma((double)x, (double)y, (double)z);
}
__OPEN_CUDA_OF_INTEGERS(ilogb, int, (T x), ilogb((double)x))
__OPEN_CUDA_OF_INTEGERS(lrint, long, (T x), lrint((double)x))
__OPEN_CUDA_OF_INTEGERS(lround, long, (T x), lround((double)x))
__OPEN_CUDA_OF_INTEGERS(llrint, long long, (T x), llrint((double)x))
__OPEN_CUDA_OF_INTEGERS(llround, long long, (T x), llround((double)x))
__OPEN_CUDA_OF_INTEGERS(frexp, double, (T x, int *exponent), frexp((double)x, exponent))
__OPEN_CUDA_OF_INTEGERS(ldexp, double, (T x, int n), ldexp((double)x, n))
__OPEN_CUDA_OF_INTEGERS(scalbn, double, (T x, int n), scalbn((double)x, n))
__OPEN_CUDA_OF_INTEGERS(isnan, bool, (T), false)
__OPEN_CUDA_OF_INTEGERS(isinf, bool, (T), false)
__OPEN_CUDA_OF_INTEGERS(isfinite, bool, (T), true)
__OPEN_CUDA_OF_INTEGERS(isnormal, bool, (T x), x != 0)
__OPEN_CUDA_OF_INTEGERS(signbit, bool, (T x), x < 0)
