// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Error functions in single precision, with single-precision arithmetic only: see special.h.
#pragma once
#include "float_exponential.h"

__OPEN_CUDA_CONST float __oc_erfcx(float x) { // x >= 0
    float c = x < 0x1p30f ? x : 0x1p30f, u = c + 1.5f, inverse = 1 / u, t = (c - 1.5f) * inverse;
    t = fmaf(fmaf(-t, u, c - 1.5f), inverse, t);
    return 0.5f * __open_cuda_poly_erfcxf(t) / (x + 0.5f);
}
// exp(sign scale x**2) 2**shift
__OPEN_CUDA_CONST float __oc_exp_of_square(float x, float scale, int shift) {
    float c = x < 20.0f ? x : 20.0f, p = __fmul_rn(c, c);
    return __oc_expf(scale * p, scale * fmaf(c, c, -p), shift);
}
__OPEN_CUDA_CONST float erff(float x) {
    float a = fabsf(x), z = x * x, c = a < 4 ? a : 4.0f;
    float near = fmaf(x, 0x1.20dd76p+0f, x * (__open_cuda_poly_erff(z) - 0x1.f7ac92p-25f));
    __open_cuda_whole n = __oc_whole(__open_cuda_poly_erfcf(c), 1.0f);
    float power = __open_cuda_of_bits<float>((n.bits << 23) + 0x3f800000u);
    float far = fmaf(-power, __oc_exp2f_part(__open_cuda_poly_erfcf(c) - n.k), 1.0f);
    return copysignf(a > 1 ? far : near, x);
}
__OPEN_CUDA_CONST float erfcf(float x) {
    float a = fabsf(x), y = __oc_erfcx(a) * __oc_exp_of_square(a, -1, 0);
    return x < 0 ? 2 - y : y;
}
__OPEN_CUDA_CONST float erfcxf(float x) {
    float a = fabsf(x), y = __oc_erfcx(a), more = __oc_exp_of_square(a, 1, 1);
    return x < 0 ? more - y : y;
}
__OPEN_CUDA_CONST float normcdff(float x) {
    float a = fabsf(x), y = 0.5f * __oc_erfcx(a * 0x1.6a09e6p-1f) * __oc_exp_of_square(a, -0.5f, 0);
    return x > 0 ? 1 - y : y;
}
// erfinv(1 - x) for w = -log(x (2 - x)), y = 1 - x
__OPEN_CUDA_CONST float __oc_erfinv(float w, float y) {
    float r = y * __open_cuda_poly_erfinv1f(w);
    if (w >= 5) {
        float v = sqrtf(w);
        r = copysignf(v * __open_cuda_poly_erfinv2f(1 / v - 0.27f), y);
    }
    return r;
}
__OPEN_CUDA_CONST float erfinvf(float x) {
    float a = fabsf(x), y = __oc_erfinv(-__oc_logf(fmaf(-x, x, 1.0f)), x);
    return a == 1 ? copysignf(INFINITY, x) : y;
}
__OPEN_CUDA_CONST float erfcinvf(float x) {
    float y = 1 - x, p = x < 0.25f ? x * (2 - x) : fmaf(-y, y, 1.0f), r = __oc_erfinv(-__oc_logf(p), y);
    r = x == 0 ? INFINITY : r;
    return x == 2 ? -INFINITY : r;
}
__OPEN_CUDA_CONST float normcdfinvf(float x) { return fmaf(-0x1.6a09e6p+0f, erfcinvf(2 * x), 0.0f); }
