// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// The functions of <cmath> that device code of whole programs shares with the C++ library, by their parameters.
#pragma once

#define __OPEN_CUDA_MATH_ONE(each)                                                                                     \
    each(acos) each(acosh) each(asin) each(asinh) each(atan) each(atanh) each(cbrt) each(ceil) each(cos) each(cosh)    \
    each(erf) each(erfc) each(exp) each(exp2) each(expm1) each(fabs) each(floor) each(lgamma) each(log) each(log10)    \
    each(log1p) each(log2) each(logb) each(nearbyint) each(rint) each(round) each(sin) each(sinh) each(sqrt) each(tan) \
    each(tanh) each(tgamma) each(trunc)
#define __OPEN_CUDA_MATH_TWO(each)                                                                                     \
    each(atan2) each(copysign) each(fdim) each(fmax) each(fmin) each(fmod) each(hypot) each(nextafter) each(pow)       \
    each(remainder)
#define __OPEN_CUDA_MATH_CLASSES(each) each(isnan) each(isinf) each(isfinite) each(isnormal) each(signbit)
#define __OPEN_CUDA_MATH_OTHERS(each)                                                                                  \
    each(fma) each(frexp) each(ldexp) each(modf) each(scalbn) each(ilogb) each(lrint) each(lround) each(llrint)        \
    each(llround) each(abs) each(labs) each(llabs)
