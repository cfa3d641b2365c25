// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Gamma functions and Bessel functions in single precision, with single-precision arithmetic only:
// see special.h.
#pragma once
#include "float_error_functions.h"
#include "float_trigonometric.h"
#include "special.h"

__OPEN_CUDA_CONST float __oc_lgammaf(float x) { // x > 0
    bool low = x < 0.6f, large = x >= 8, first = x < 0.4f || (!low && x < 1.4f), second = x < 3;
    float l = __oc_logf(x), shifted = low ? x + 1 : x, from_one = low ? x : x - 1, from_two = low ? x - 1 : x - 2;
    float y = first ? from_one * __open_cuda_poly_lgamma1f(from_one) : from_two * __open_cuda_poly_lgamma2f(from_two);
    y = second ? y : __open_cuda_poly_lgamma3f(shifted - 5.5f);
    y = low ? y - l : y;
    float inverse = 1 / x, rest = fmaf(inverse, __open_cuda_poly_stirlingf(inverse * inverse), 0x1.d67f1cp-1f);
    float far = fmaf(x - 0.5f, l, rest - x);
    far = x > 0x1p30f ? x * (l - 1) : far;
    return large ? far : y;
}
__OPEN_CUDA_CONST float lgammaf(float x) {
    float a = fabsf(x), y = __oc_lgammaf(a);
    if (x < 0) { // DLMF 5.5.3: gamma(x) gamma(1 - x) = pi / sin(pi x)
        float s = fabsf(__oc_sinpif_of(a, 0)) * a;
        y = a < 0x1p-20f ? -__oc_logf(a) : __oc_logf(0x1.921fb6p+1f / s) - y;
        y = truncf(x) == x ? INFINITY : y;
    }
    return a == INFINITY ? INFINITY : y;
}
// sqrt(2 pi) a**(a - 1/2) exp(-a) for a >= 4 by Stirling's series, or its reciprocal, times `factor`
__OPEN_CUDA_CONST float __oc_gamma_large(float a, float sign, float factor) {
    float c = a < 60 ? a : 60.0f, inverse = 1 / c;
    __oc_ff l = __oc_log2_ff(c), p = __oc_product(l, __oc_ff{c - 0.5f, 0}), e = __oc_product(__oc_ff{-0x1.715476p+0f, -0x1.4ae0cp-26f}, __oc_ff{c, 0});
    float s = p.high + e.high, t = s - p.high, low = (p.high - (s - t)) + (e.high - t) + (p.low + e.low);
    low += fmaf(inverse * __open_cuda_poly_stirlingf(inverse * inverse), 0x1.715476p+0f, 0x1.53643ap+0f); // log2(sqrt(2 pi))
    __oc_ff sum = __oc_ordered_sum(s, low);
    return __oc_exp2_ff({sign * sum.high, sign * sum.low}, factor);
}
__OPEN_CUDA_CONST float tgammaf(float x) {
    // gamma(n + t) = (t + 1) ... (t + n - 1) / (1 / gamma(1 + t)) for |t| <= 1/2; the differences from x are exact
    float up = 1, down = 1, n = ceilf(x - 0.5f), t = x - n;
    for (int i = 1; i < 5; i++) up *= x - i > 0.5f ? x - i : 1.0f;
    for (int i = 0; i < 5; i++) down *= x + i <= 0.5f ? x + i : 1.0f;
    float y = up / (down * __open_cuda_poly_rgammaf(t));
    if (!(x < 4.5f && x > -4.5f)) {
        float a = fabsf(x), s = a * __oc_sinpif_of(a, 0);
        float below = __oc_gamma_large(a, -1, -0x1.921fb6p+1f / s); // the factor keeps the sum of exponents
        y = x > 0 ? __oc_gamma_large(a, 1, 1) : below;
        y = x < 0 && truncf(x) == x ? NAN : x < -50 ? copysignf(0.0f, -s) : y;
        y = x != x ? x : y;
    }
    y = x < 0 && truncf(x) == x ? NAN : y;
    return x == 0 ? copysignf(INFINITY, x) : y;
}

// Modified Bessel functions: exp(a) is split so that the quotient overflows and nothing before.
__OPEN_CUDA_CONST float __oc_bessel_large(float a, float factor) {
    return __oc_expf(a, 0, -8) * (256 * factor / sqrtf(a));
}
__OPEN_CUDA_CONST float cyl_bessel_i0f(float x) {
    float a = fabsf(x), near = __open_cuda_poly_i0f(x * x * 0.015625f);
    if (a > 8) near = __oc_bessel_large(a, __open_cuda_poly_i0_largef(8 / a - 0.5f));
    return a > 95 ? INFINITY : near;
}
__OPEN_CUDA_CONST float cyl_bessel_i1f(float x) {
    float a = fabsf(x), near = a * __open_cuda_poly_i1f(x * x * 0.015625f);
    if (a > 8) near = __oc_bessel_large(a, __open_cuda_poly_i1_largef(8 / a - 0.5f));
    return copysignf(a > 95 ? INFINITY : near, x);
}

// Bessel functions: factors with the zeros below 8 as sums of two floats; beyond, DLMF 10.17.3 and 10.17.4.
__OPEN_CUDA_CONST float __oc_from(float x, float high, float low) { return ((x - high) - low) * (x + high); }
struct __open_cuda_wavef {
    float first, second; // of J and Y
};
__OPEN_CUDA_CONST __open_cuda_wavef __oc_wave(float x, float p, float q, int quarters) {
    __open_cuda_anglef a = __open_cuda_reducef(x); // x - pi / 4 = r - pi / 4 + quadrant pi / 2
    float r = (a.r - 0x1.921fb6p-1f) + 0x1.777a5cp-26f;
    int n = a.quadrant - (quarters == 3 ? 1 : 0);
    bool below = r < -0x1.921fb6p-1f;
    r = below ? a.r + 0x1.921fb6p-1f : r;
    n = below ? n - 1 : n;
    float s = __oc_sin_of(r, n), c = __oc_sin_of(r, n + 1), scale = sqrtf(0x1.45f306p-1f / x);
    q /= x;
    return {scale * (p * c - q * s), scale * (p * s + q * c)};
}
__OPEN_CUDA_CONST float __oc_j0_near(float a) {
    float f = __oc_from(a, 0x1.33d152p+1f, 0x1.d2e368p-24f) * __oc_from(a, 0x1.6148f6p+2f, -0x1.34f46ep-24f);
    return f * __open_cuda_poly_j0f(fmaf(a * -0.015625f, a, 1.0f));
}
__OPEN_CUDA_CONST float __oc_j1_near(float a) {
    float f = __oc_from(a, 0x1.ea7558p+1f, -0x1.4a121ep-24f) * __oc_from(a, 0x1.c0ff60p+2f, -0x1.8971b6p-23f);
    return a * (f * __open_cuda_poly_j1f(fmaf(a * -0.015625f, a, 1.0f)));
}
__OPEN_CUDA_CONST float j0f(float x) {
    float a = fabsf(x), y = __oc_j0_near(a < 8 ? a : 8.0f);
    if (!(a < 8)) {
        float t = 64 / a / a;
        y = __oc_wave(a, __open_cuda_poly_p0f(t), __open_cuda_poly_q0f(t), 1).first;
    }
    return a == INFINITY ? 0.0f : y;
}
__OPEN_CUDA_CONST float j1f(float x) {
    float a = fabsf(x), y = __oc_j1_near(a < 8 ? a : 8.0f);
    if (!(a < 8)) {
        float t = 64 / a / a;
        y = __oc_wave(a, __open_cuda_poly_p1f(t), __open_cuda_poly_q1f(t), 3).first;
    }
    y = a == INFINITY ? 0.0f : y;
    return x < 0 ? -y : x == 0 ? x : y;
}
// log(x / a) for a zero a of Y: accurate near it, where the logarithm vanishes
__OPEN_CUDA_CONST float __oc_log_from(float x, float high, float low, float log_high) {
    float d = (x - high) - low, near = __oc_log1pf(d / high, 0), far = __oc_logf(x) - log_high;
    return fabsf(d) < 0.5f * high ? near : far;
}
__OPEN_CUDA_CONST float y0f(float x) {
    const float a = 0x1.c982ecp-1f, b = -0x1.cafa06p-27f;
    float c = x < 8 ? x : 8.0f, l = __oc_log_from(c, a, b, -0x1.cce4b8p-4f);
    float y = fmaf(0x1.45f306p-1f * l, __oc_j0_near(c), __oc_from(c, a, b) * __open_cuda_poly_y0f(fmaf(c * c, 0.03125f, -1.0f)));
    if (!(x < 8)) {
        float t = 64 / x / x;
        y = __oc_wave(x, __open_cuda_poly_p0f(t), __open_cuda_poly_q0f(t), 1).second;
    }
    y = x == INFINITY ? 0.0f : y;
    return x > 0 ? y : x == 0 ? -INFINITY : NAN;
}
__OPEN_CUDA_CONST float y1f(float x) {
    const float a = 0x1.193beep+1f, b = -0x1.6401b8p-24f;
    float c = x < 8 ? x : 8.0f, l = __oc_log_from(c, a, b, 0x1.930642p-1f), pole = 0x1.45f306p-1f * __oc_from(c, a, b) / (c * (a * a));
    float y = fmaf(0x1.45f306p-1f * l, __oc_j1_near(c), pole +
                   c * (__oc_from(c, a, b) * __open_cuda_poly_y1f(fmaf(c * c, 0.03125f, -1.0f))));
    if (!(x < 8)) {
        float t = 64 / x / x;
        y = __oc_wave(x, __open_cuda_poly_p1f(t), __open_cuda_poly_q1f(t), 3).second;
    }
    y = x == INFINITY ? 0.0f : y;
    return x > 0 ? y : x == 0 ? -INFINITY : NAN;
}
__OPEN_CUDA_FN float jnf(int n, float x) { return (float)jn(n, (double)x); }
__OPEN_CUDA_FN float ynf(int n, float x) { return (float)yn(n, (double)x); }
