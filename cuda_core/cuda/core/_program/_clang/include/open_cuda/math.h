// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Overloads of the other mathematical functions, and integers as double.
#pragma once
#include "float_special.h"
#include "exact_overloads.h"

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
__OPEN_CUDA_CONST float pow(float x, int y) { return powf(x, (float)y); }
__OPEN_CUDA_CONST double pow(double x, int y) { return pow(x, (double)y); }
__OPEN_CUDA_FN void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
__OPEN_CUDA_FN void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
// Of turns: CUDA Math API, "Single Precision Intrinsics".
__OPEN_CUDA_CONST float __sin2pif(float x) { return sinpif(2 * x); }
__OPEN_CUDA_CONST float __cos2pif(float x) { return cospif(2 * x); }
__OPEN_CUDA_FN void __sincos2pif(float x, float *sine, float *cosine) { sincospif(2 * x, sine, cosine); }
#ifdef __OPEN_CUDA_PROGRAM__
#include "math_std.h"
#endif
