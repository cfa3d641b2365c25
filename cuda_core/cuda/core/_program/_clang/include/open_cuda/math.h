// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Mathematical functions of all overloads: in C++, a name without suffix also takes float, and integers as double.
#pragma once
#include "float_special.h"

#define __OPEN_CUDA_OVERLOAD(name) \
    __OPEN_CUDA_CONST float name(float x) { return name##f(x); }
#define __OPEN_CUDA_OVERLOAD2(name)                                                  \
    __OPEN_CUDA_CONST float name(float x, float y) { return name##f(x, y); }
__OPEN_CUDA_OVERLOAD(fabs)
__OPEN_CUDA_OVERLOAD(floor)
__OPEN_CUDA_OVERLOAD(ceil)
__OPEN_CUDA_OVERLOAD(trunc)
__OPEN_CUDA_OVERLOAD(round)
__OPEN_CUDA_OVERLOAD(rint)
__OPEN_CUDA_OVERLOAD(nearbyint)
__OPEN_CUDA_OVERLOAD(logb)
__OPEN_CUDA_OVERLOAD(sqrt)
__OPEN_CUDA_OVERLOAD(rsqrt)
__OPEN_CUDA_OVERLOAD(cbrt)
__OPEN_CUDA_OVERLOAD(rcbrt)
__OPEN_CUDA_OVERLOAD(exp)
__OPEN_CUDA_OVERLOAD(exp2)
__OPEN_CUDA_OVERLOAD(exp10)
__OPEN_CUDA_OVERLOAD(expm1)
__OPEN_CUDA_OVERLOAD(log)
__OPEN_CUDA_OVERLOAD(log2)
__OPEN_CUDA_OVERLOAD(log10)
__OPEN_CUDA_OVERLOAD(log1p)
__OPEN_CUDA_OVERLOAD(sin)
__OPEN_CUDA_OVERLOAD(cos)
__OPEN_CUDA_OVERLOAD(tan)
__OPEN_CUDA_OVERLOAD(sinpi)
__OPEN_CUDA_OVERLOAD(cospi)
__OPEN_CUDA_OVERLOAD(asin)
__OPEN_CUDA_OVERLOAD(acos)
__OPEN_CUDA_OVERLOAD(atan)
__OPEN_CUDA_OVERLOAD(sinh)
__OPEN_CUDA_OVERLOAD(cosh)
__OPEN_CUDA_OVERLOAD(tanh)
__OPEN_CUDA_OVERLOAD(asinh)
__OPEN_CUDA_OVERLOAD(acosh)
__OPEN_CUDA_OVERLOAD(atanh)
__OPEN_CUDA_OVERLOAD(erf)
__OPEN_CUDA_OVERLOAD(erfc)
__OPEN_CUDA_OVERLOAD(erfcx)
__OPEN_CUDA_OVERLOAD(erfinv)
__OPEN_CUDA_OVERLOAD(erfcinv)
__OPEN_CUDA_OVERLOAD(normcdf)
__OPEN_CUDA_OVERLOAD(normcdfinv)
__OPEN_CUDA_OVERLOAD(lgamma)
__OPEN_CUDA_OVERLOAD(tgamma)
__OPEN_CUDA_OVERLOAD2(pow)
__OPEN_CUDA_OVERLOAD2(atan2)
__OPEN_CUDA_OVERLOAD2(hypot)
__OPEN_CUDA_OVERLOAD2(fmod)
__OPEN_CUDA_OVERLOAD2(remainder)
__OPEN_CUDA_OVERLOAD2(fmin)
__OPEN_CUDA_OVERLOAD2(fmax)
__OPEN_CUDA_OVERLOAD2(fdim)
__OPEN_CUDA_OVERLOAD2(copysign)
__OPEN_CUDA_OVERLOAD2(nextafter)
__OPEN_CUDA_CONST float fma(float x, float y, float z) { return fmaf(x, y, z); }
__OPEN_CUDA_CONST float ldexp(float x, int n) { return ldexpf(x, n); }
__OPEN_CUDA_CONST float scalbn(float x, int n) { return scalbnf(x, n); }
__OPEN_CUDA_CONST float pow(float x, int y) { return powf(x, (float)y); }
__OPEN_CUDA_CONST double pow(double x, int y) { return pow(x, (double)y); }
__OPEN_CUDA_FN float frexp(float x, int *exponent) { return frexpf(x, exponent); }
__OPEN_CUDA_FN float modf(float x, float *whole) { return modff(x, whole); }
__OPEN_CUDA_FN void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
__OPEN_CUDA_FN void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
__OPEN_CUDA_CONST long lrint(float x) { return lrintf(x); }
__OPEN_CUDA_CONST long long llrint(float x) { return llrintf(x); }
__OPEN_CUDA_CONST long lround(float x) { return lroundf(x); }
__OPEN_CUDA_CONST long long llround(float x) { return llroundf(x); }
__OPEN_CUDA_CONST int ilogb(float x) { return ilogbf(x); }
__OPEN_CUDA_CONST float abs(float x) { return fabsf(x); }
__OPEN_CUDA_CONST double abs(double x) { return fabs(x); }
__OPEN_CUDA_HOST_DEVICE_CONST float min(float x, float y) { return fminf(x, y); }
__OPEN_CUDA_HOST_DEVICE_CONST double min(double x, double y) { return fmin(x, y); }
__OPEN_CUDA_HOST_DEVICE_CONST double min(float x, double y) { return fmin((double)x, y); }
__OPEN_CUDA_HOST_DEVICE_CONST double min(double x, float y) { return fmin(x, (double)y); }
__OPEN_CUDA_HOST_DEVICE_CONST float max(float x, float y) { return fmaxf(x, y); }
__OPEN_CUDA_HOST_DEVICE_CONST double max(double x, double y) { return fmax(x, y); }
__OPEN_CUDA_HOST_DEVICE_CONST double max(float x, double y) { return fmax((double)x, y); }
__OPEN_CUDA_HOST_DEVICE_CONST double max(double x, float y) { return fmax(x, (double)y); }
__OPEN_CUDA_CONST float fdividef(float x, float y) { return x / y; }
// Of turns: CUDA Math API, "Single Precision Intrinsics".
__OPEN_CUDA_CONST float __sin2pif(float x) { return sinpif(2 * x); }
__OPEN_CUDA_CONST float __cos2pif(float x) { return cospif(2 * x); }
__OPEN_CUDA_FN void __sincos2pif(float x, float *sine, float *cosine) { sincospif(2 * x, sine, cosine); }
#ifdef __OPEN_CUDA_PROGRAM__
#include "math_integers.h"
#endif
