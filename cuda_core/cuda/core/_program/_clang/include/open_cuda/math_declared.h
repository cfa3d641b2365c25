// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Declarations of the device's mathematical functions in front of the C++ library's <cmath>. Its using declarations bring
// them into namespace std, and its templates for arguments of several types call them: std::sin(x) and pow(x, 2) are
// then functions of host and device.
#pragma once

#define __OPEN_CUDA_DECLARED(name) \
    __OPEN_CUDA_FN double name(double); \
    __OPEN_CUDA_FN float name(float);
#define __OPEN_CUDA_DECLARED2(name) \
    __OPEN_CUDA_FN double name(double, double); \
    __OPEN_CUDA_FN float name(float, float);
__OPEN_CUDA_DECLARED(acos)
__OPEN_CUDA_DECLARED(acosh)
__OPEN_CUDA_DECLARED(asin)
__OPEN_CUDA_DECLARED(asinh)
__OPEN_CUDA_DECLARED(atan)
__OPEN_CUDA_DECLARED(atanh)
__OPEN_CUDA_DECLARED(cbrt)
__OPEN_CUDA_DECLARED(ceil)
__OPEN_CUDA_DECLARED(cos)
__OPEN_CUDA_DECLARED(cosh)
__OPEN_CUDA_DECLARED(erf)
__OPEN_CUDA_DECLARED(erfc)
__OPEN_CUDA_DECLARED(exp)
__OPEN_CUDA_DECLARED(exp2)
__OPEN_CUDA_DECLARED(expm1)
__OPEN_CUDA_DECLARED(fabs)
__OPEN_CUDA_DECLARED(floor)
__OPEN_CUDA_DECLARED(lgamma)
__OPEN_CUDA_DECLARED(log)
__OPEN_CUDA_DECLARED(log10)
__OPEN_CUDA_DECLARED(log1p)
__OPEN_CUDA_DECLARED(log2)
__OPEN_CUDA_DECLARED(logb)
__OPEN_CUDA_DECLARED(nearbyint)
__OPEN_CUDA_DECLARED(rint)
__OPEN_CUDA_DECLARED(round)
__OPEN_CUDA_DECLARED(sin)
__OPEN_CUDA_DECLARED(sinh)
__OPEN_CUDA_DECLARED(sqrt)
__OPEN_CUDA_DECLARED(tan)
__OPEN_CUDA_DECLARED(tanh)
__OPEN_CUDA_DECLARED(tgamma)
__OPEN_CUDA_DECLARED(trunc)
__OPEN_CUDA_DECLARED2(atan2)
__OPEN_CUDA_DECLARED2(copysign)
__OPEN_CUDA_DECLARED2(fdim)
__OPEN_CUDA_DECLARED2(fmax)
__OPEN_CUDA_DECLARED2(fmin)
__OPEN_CUDA_DECLARED2(fmod)
__OPEN_CUDA_DECLARED2(hypot)
__OPEN_CUDA_DECLARED2(nextafter)
__OPEN_CUDA_DECLARED2(pow)
__OPEN_CUDA_DECLARED2(remainder)
#define __OPEN_CUDA_DECLARED_FOR(type)               \
    __OPEN_CUDA_FN type fma(type, type, type);       \
    __OPEN_CUDA_FN type frexp(type, int *);          \
    __OPEN_CUDA_FN type ldexp(type, int);            \
    __OPEN_CUDA_FN type modf(type, type *);          \
    __OPEN_CUDA_FN type scalbn(type, int);           \
    __OPEN_CUDA_FN int ilogb(type);                  \
    __OPEN_CUDA_FN long lrint(type);                 \
    __OPEN_CUDA_FN long lround(type);                \
    __OPEN_CUDA_FN long long llrint(type);           \
    __OPEN_CUDA_FN long long llround(type);
__OPEN_CUDA_FN int abs(int);
__OPEN_CUDA_FN long abs(long);
__OPEN_CUDA_FN long long abs(long long);
__OPEN_CUDA_FN long labs(long);
__OPEN_CUDA_FN long long llabs(long long);
__OPEN_CUDA_DECLARED(abs)
__OPEN_CUDA_DECLARED_FOR(double)
__OPEN_CUDA_DECLARED_FOR(float)
#undef __OPEN_CUDA_DECLARED
#undef __OPEN_CUDA_DECLARED2
#undef __OPEN_CUDA_DECLARED_FOR
