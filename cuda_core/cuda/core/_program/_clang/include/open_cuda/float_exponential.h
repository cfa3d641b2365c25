// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Exponential, logarithmic and hyperbolic functions in single precision, with single-precision arithmetic only. Special
// cases are selected at the end, so that the threads of a warp, or the lanes of a vector, do not diverge.
#pragma once
#include "float_polynomials.h"

// Sums of two floats, as in double_double.h.
struct __open_cuda_ff {
    float high, low;
};
typedef __open_cuda_ff __oc_ff;
__OPEN_CUDA_CONST __oc_ff __oc_ordered_sum(float a, float b) { // |a| >= |b|, or a == 0
    float s = a + b;
    return {s, b - (s - a)};
}
__OPEN_CUDA_CONST __oc_ff __oc_product(float a, float b) {
    float p = __fmul_rn(a, b);
    return {p, fmaf(a, b, -p)};
}
__OPEN_CUDA_CONST __oc_ff __oc_product(__oc_ff a, __oc_ff b) {
    float p = __fmul_rn(a.high, b.high);
    return __oc_ordered_sum(p, fmaf(a.high, b.high, -p) + fmaf(a.high, b.low, a.low * b.high));
}

// x = k + rest: after an addition of 1.5 * 2**23 the last bits are those of the integer k.
struct __open_cuda_whole {
    float k;
    unsigned bits;
};
__OPEN_CUDA_CONST __open_cuda_whole __oc_whole(float x, float factor) {
    float t = fmaf(x, factor, 0x1.8p23f);
    return {t - 0x1.8p23f, __open_cuda_bits(t)};
}
// x 2**k for |k| < 250: in two steps, of which the first is exact.
__OPEN_CUDA_CONST float __oc_scale(float x, unsigned bits) {
    unsigned half = bits >> 1 << 23, one = 0x3f800000u;
    return x * __open_cuda_of_bits<float>(half + one) * __open_cuda_of_bits<float>((bits << 23) - half + one);
}
__OPEN_CUDA_CONST float __oc_clamp(float x, float low, float high) { // leaves NaN as it is
    x = x < low ? low : x;
    return x > high ? high : x;
}
__OPEN_CUDA_CONST float __oc_exp2f_part(float f) { return fmaf(f, __open_cuda_poly_exp2f(f), 1.0f); } // |f| <= 1 / 2
// exp(x + low) 2**shift
__OPEN_CUDA_CONST float __oc_expf(float x, float low, int shift) {
    float c = __oc_clamp(x, -120.0f, 100.0f);
    __open_cuda_whole n = __oc_whole(c, 0x1.715476p+0f);
    float f = fmaf(c, 0x1.4ae0cp-26f, fmaf(c, 0x1.715476p+0f, -n.k));
    return __oc_scale(__oc_exp2f_part(fmaf(low, 0x1.715476p+0f, f)), n.bits + (unsigned)shift);
}
__OPEN_CUDA_CONST float __oc_exp10f(float x) {
    float c = __oc_clamp(x, -50.0f, 42.0f);
    __open_cuda_whole n = __oc_whole(c, 0x1.a934fp+1f);
    return __oc_scale(__oc_exp2f_part(fmaf(c, 0x1.2f346ep-24f, fmaf(c, 0x1.a934fp+1f, -n.k))), n.bits);
}
__OPEN_CUDA_CONST float exp2f(float x) {
    float c = __oc_clamp(x, -160.0f, 130.0f);
    __open_cuda_whole n = __oc_whole(c, 1.0f);
    return __oc_scale(__oc_exp2f_part(c - n.k), n.bits);
}
__OPEN_CUDA_CONST float expm1f(float x) {
    float c = __oc_clamp(x, -30.0f, 89.0f);
    __open_cuda_whole n = __oc_whole(c, 0x1.715476p+0f);
    float r = fmaf(-n.k, 0x1.7f7d1cp-20f, fmaf(-n.k, 0x1.62e4p-1f, c));
    float s = __open_cuda_of_bits<float>((n.bits << 23) + 0x3f000000u); // 2**(k - 1), without overflow
    float half = fmaf(fmaf(r * r, __open_cuda_poly_expf(r), r), s, s - 0.5f);
    return x == 0 ? x : half + half;
}

// x = 2**k (1 + f).
struct __open_cuda_reduced {
    float f, k;
};
__OPEN_CUDA_CONST __open_cuda_reduced __oc_reduce_log(float x, unsigned least) { // `least` is the bits of the smallest 1 + f
    bool tiny = x < 0x1p-126f;
    unsigned bits = __open_cuda_bits(tiny ? x * 0x1p23f : x), e = (bits - least) & 0xff800000u;
    float m = __open_cuda_of_bits<float>(bits - e);
    return {m - 1, fmaf((float)(int)e, 0x1p-23f, tiny ? -23.0f : 0.0f)};
}
__OPEN_CUDA_CONST float __oc_log_or_special(float x, float y) { // infinity and NaN stay, negative numbers become NaN
    y = __open_cuda_bits(x) > 0x7f7fffffu ? fmaf(x, INFINITY, INFINITY) : y;
    return x == 0 ? -INFINITY : y;
}
__OPEN_CUDA_CONST float __oc_logf(float x) {
    __open_cuda_reduced n = __oc_reduce_log(x, 0x3f400000u); // 3/4 <= 1 + f < 3/2
    float y = fmaf(n.k, 0x1.62e430p-1f, fmaf(n.f * n.f, __open_cuda_poly_logf(n.f), n.f));
    return __oc_log_or_special(x, y);
}
// log2(1 + f) for sqrt(1/2) <= 1 + f < sqrt(2)
__OPEN_CUDA_CONST float __oc_log2_part(float f) {
    return fmaf(f, 0x1.715476p+0f, fmaf(f, 0x1.4ae0cp-26f, f * f * __open_cuda_poly_log2f(f)));
}
__OPEN_CUDA_CONST float __oc_log2f(float x) {
    __open_cuda_reduced n = __oc_reduce_log(x, 0x3f3504f3u);
    return __oc_log_or_special(x, n.k + __oc_log2_part(n.f));
}
__OPEN_CUDA_CONST float __oc_log10f(float x) {
    __open_cuda_reduced n = __oc_reduce_log(x, 0x3f3504f3u);
    float y = fmaf(n.f, 0x1.bcb7b2p-2f, fmaf(n.f, -0x1.5b235ep-27f, n.f * n.f * __open_cuda_poly_log10f(n.f)));
    return __oc_log_or_special(x, fmaf(n.k, 0x1.344136p-2f, y));
}
// log(1 + x) + more
__OPEN_CUDA_CONST float __oc_log1pf(float x, float more) {
    float u = x + 1;
    unsigned e = 0u - ((__open_cuda_bits(u) - 0x3f400000u) & 0xff800000u); // -k
    // 2**-k (1 + x) - 1, rounded once; 4 * 2**-k is normal even for the largest x
    float four = __open_cuda_of_bits<float>(0x40800000u + e), m = __open_cuda_of_bits<float>(__open_cuda_bits(x) + e);
    float f = m + fmaf(0.25f, four, -1.0f), k = (float)(int)e * -0x1p-23f; // -0 for k = 0, which leaves the sign of 0
    float y = fmaf(k, 0x1.62e430p-1f, fmaf(f * f, __open_cuda_poly_logf(f), f)) + more;
    return __oc_log_or_special(u, y);
}
__OPEN_CUDA_CONST float log1pf(float x) { return copysignf(__oc_log1pf(x, -0.0f), x); }

// log2(x) for x > 0, with a relative error below 2**-33
__OPEN_CUDA_CONST __oc_ff __oc_log2_ff(float x) {
    __open_cuda_reduced n = __oc_reduce_log(x, 0x3f3504f3u); // sqrt(1/2) <= 1 + f < sqrt(2)
    // log(1 + f) = 2 atanh(s), s = f / (2 + f) in two parts
    float u = n.f + 2, u_low = n.f - (u - 2), inverse = 1 / u, s = __fmul_rn(n.f, inverse);
    float s_low = fmaf(-s, u_low, fmaf(-s, u, n.f)) * inverse;
    __oc_ff z = __oc_product(s, s);
    z.low = fmaf(2 * s, s_low, z.low);
    __oc_ff c = __oc_ordered_sum(0x1.555556p-2f, fmaf(z.high, __open_cuda_poly_atanhf(z.high), -0x1.555556p-27f));
    __oc_ff t = __oc_product(__oc_product(z, c), {s, s_low});
    t = __oc_ordered_sum(s, t.high + (s_low + t.low)); // atanh(s)
    t = __oc_product(t, __oc_ff{0x1.715476p+1f, 0x1.4ae0cp-25f});
    __oc_ff sum = __oc_ordered_sum(n.k, t.high);
    return {n.k == 0 ? t.high : sum.high, n.k == 0 ? t.low : sum.low + t.low};
}
__OPEN_CUDA_CONST float __oc_exp2_ff(__oc_ff x, float factor) { // |x.low| is small
    float c = __oc_clamp(x.high, -160.0f, 130.0f);
    __open_cuda_whole n = __oc_whole(c, 1.0f);
    float low = c == x.high ? x.low : 0.0f;
    return __oc_scale(__oc_exp2f_part((c - n.k) + low) * factor, n.bits);
}
// ISO C23, F.10.4.4 for the special cases.
__OPEN_CUDA_CONST float __oc_powf(float x, float y) {
    float a = fabsf(x);
    __oc_ff l = __oc_log2_ff(a), p = __oc_product(l.high, y);
    float result = __oc_exp2_ff({p.high, fmaf(l.low, y, p.low)}, 1);
    float half = y * 0.5f;
    bool whole = truncf(y) == y, odd = whole & (truncf(half) != half);
    bool edge = (a == 0) | (a == INFINITY), grows = (y > 0) == (a > 1);
    float limit = grows ? INFINITY : 0.0f;
    result = edge | (fabsf(y) == INFINITY) ? limit : result;
    result = (x < 0) & !whole & !edge ? NAN : result;
    result = odd ? copysignf(result, x) : result;
    result = __builtin_isunordered(x, y) ? x + y : result;
    return (y == 0) | (x == 1) | ((x == -1) & (fabsf(y) == INFINITY)) ? 1.0f : result;
}
#ifdef __USE_FAST_MATH__ // NVRTC documentation, --use_fast_math
__OPEN_CUDA_CONST float expf(float x) { return __expf(x); }
__OPEN_CUDA_CONST float exp10f(float x) { return __exp10f(x); }
__OPEN_CUDA_CONST float logf(float x) { return __logf(x); }
__OPEN_CUDA_CONST float log2f(float x) { return __log2f(x); }
__OPEN_CUDA_CONST float log10f(float x) { return __log10f(x); }
__OPEN_CUDA_CONST float powf(float x, float y) { return __powf(x, y); }
#else
__OPEN_CUDA_CONST float expf(float x) { return __oc_expf(x, 0, 0); }
__OPEN_CUDA_CONST float exp10f(float x) { return __oc_exp10f(x); }
__OPEN_CUDA_CONST float logf(float x) { return __oc_logf(x); }
__OPEN_CUDA_CONST float log2f(float x) { return __oc_log2f(x); }
__OPEN_CUDA_CONST float log10f(float x) { return __oc_log10f(x); }
__OPEN_CUDA_CONST float powf(float x, float y) { return __oc_powf(x, y); }
#endif

__OPEN_CUDA_CONST float coshf(float x) {
    float t = __oc_expf(fabsf(x), 0, -1); // exp(|x|) / 2
    return t + 0.25f / t;
}
__OPEN_CUDA_CONST float sinhf(float x) {
    float a = fabsf(x), t = __oc_expf(a, 0, -1), z = x * x;
    float near = fmaf(x * z, __open_cuda_poly_sinhf(z), x), far = copysignf(t - 0.25f / t, x);
    return a < 1 ? near : far;
}
__OPEN_CUDA_CONST float tanhf(float x) {
    float a = fabsf(x), z = x * x, e = __oc_expf(2 * a, 0, 0);
    float near = fmaf(x * z, __open_cuda_poly_tanhf(z), x), far = 1 - 2 / (e + 1);
    return copysignf(a < 0.6f ? near : far, x);
}
__OPEN_CUDA_CONST float asinhf(float x) {
    float a = fabsf(x), u = a + a * a / (1 + sqrtf(fmaf(a, a, 1.0f)));
    bool large = a > 0x1p60f;
    return copysignf(__oc_log1pf(large ? a : u, large ? 0x1.62e430p-1f : 0.0f), x);
}
__OPEN_CUDA_CONST float acoshf(float x) {
    float t = x - 1, u = t + sqrtf(fmaf(t, t, 2 * t));
    bool large = x > 0x1p60f;
    float y = __oc_log1pf(large ? x : u, large ? 0x1.62e430p-1f : -0.0f);
    return x < 1 ? NAN : y;
}
__OPEN_CUDA_CONST float atanhf(float x) {
    float a = fabsf(x);
    return copysignf(0.5f * __oc_log1pf(2 * a / (1 - a), 0), x);
}
