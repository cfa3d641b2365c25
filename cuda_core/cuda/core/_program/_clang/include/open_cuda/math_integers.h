// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Mathematical functions of integers in device code of whole programs, as double. Those of the C++ library are for host
// and device, as they are constexpr, but call builtins of the compiler that have no code for the device.
#pragma once

template <bool, class T> struct __open_cuda_if {};
template <class T> struct __open_cuda_if<true, T> {
    typedef T type;
};
#define __OPEN_CUDA_OF_INTEGERS(name, result, parameters, arguments)                                                   \
    template <class T>                                                                                                 \
    static __device__ __inline__ typename __open_cuda_if<__is_integral(T), result>::type name parameters {             \
        return name arguments;                                                                                         \
    }                                                                                                                  \
    namespace std {                                                                                                    \
    using ::name;                                                                                                      \
    }
#define __OPEN_CUDA_OF_INTEGER(name) __OPEN_CUDA_OF_INTEGERS(name, double, (T x), ((double)x))
__OPEN_CUDA_OF_INTEGER(acos)
__OPEN_CUDA_OF_INTEGER(acosh)
__OPEN_CUDA_OF_INTEGER(asin)
__OPEN_CUDA_OF_INTEGER(asinh)
__OPEN_CUDA_OF_INTEGER(atan)
__OPEN_CUDA_OF_INTEGER(atanh)
__OPEN_CUDA_OF_INTEGER(cbrt)
__OPEN_CUDA_OF_INTEGER(ceil)
__OPEN_CUDA_OF_INTEGER(cos)
__OPEN_CUDA_OF_INTEGER(cosh)
__OPEN_CUDA_OF_INTEGER(erf)
__OPEN_CUDA_OF_INTEGER(erfc)
__OPEN_CUDA_OF_INTEGER(exp)
__OPEN_CUDA_OF_INTEGER(exp2)
__OPEN_CUDA_OF_INTEGER(expm1)
__OPEN_CUDA_OF_INTEGER(fabs)
__OPEN_CUDA_OF_INTEGER(floor)
__OPEN_CUDA_OF_INTEGER(lgamma)
__OPEN_CUDA_OF_INTEGER(log)
__OPEN_CUDA_OF_INTEGER(log10)
__OPEN_CUDA_OF_INTEGER(log1p)
__OPEN_CUDA_OF_INTEGER(log2)
__OPEN_CUDA_OF_INTEGER(logb)
__OPEN_CUDA_OF_INTEGER(nearbyint)
__OPEN_CUDA_OF_INTEGER(rint)
__OPEN_CUDA_OF_INTEGER(round)
__OPEN_CUDA_OF_INTEGER(sin)
__OPEN_CUDA_OF_INTEGER(sinh)
__OPEN_CUDA_OF_INTEGER(sqrt)
__OPEN_CUDA_OF_INTEGER(tan)
__OPEN_CUDA_OF_INTEGER(tanh)
__OPEN_CUDA_OF_INTEGER(tgamma)
__OPEN_CUDA_OF_INTEGER(trunc)
__OPEN_CUDA_OF_INTEGERS(ilogb, int, (T x), ((double)x))
__OPEN_CUDA_OF_INTEGERS(lrint, long, (T x), ((double)x))
__OPEN_CUDA_OF_INTEGERS(lround, long, (T x), ((double)x))
__OPEN_CUDA_OF_INTEGERS(llrint, long long, (T x), ((double)x))
__OPEN_CUDA_OF_INTEGERS(llround, long long, (T x), ((double)x))
__OPEN_CUDA_OF_INTEGERS(frexp, double, (T x, int *exponent), ((double)x, exponent))
__OPEN_CUDA_OF_INTEGERS(ldexp, double, (T x, int n), ((double)x, n))
__OPEN_CUDA_OF_INTEGERS(scalbn, double, (T x, int n), ((double)x, n))
#undef __OPEN_CUDA_OF_INTEGER
#undef __OPEN_CUDA_OF_INTEGERS
