// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Overloads for float of the functions that are exact or one instruction: in C++, a name without suffix also takes float.
#pragma once
#include "exact.h"

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
__OPEN_CUDA_FN float frexp(float x, int *exponent) { return frexpf(x, exponent); }
__OPEN_CUDA_FN float modf(float x, float *whole) { return modff(x, whole); }
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
