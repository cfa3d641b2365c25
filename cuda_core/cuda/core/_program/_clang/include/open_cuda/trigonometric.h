// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Trigonometric and hyperbolic functions and their inverses. Reduction: W. Cody, W. Waite, "Software Manual for the
// Elementary Functions"; large arguments: M. Payne, R. Hanek, ACM SIGNUM Newsletter 18 (1983).
#pragma once
#include "exponential.h"
#include "integers.h"
#include "two_over_pi.h"

struct __open_cuda_angle {
    __oc_dd r; // |r| <= pi / 4
    int quadrant;
};

// For |x| >= 2**30: 2 / pi times the significand, from three words of 2 / pi at the bit where multiples of 8 end.
static __device__ __noinline__ __open_cuda_angle __open_cuda_reduce_large(double x) {
    unsigned long long bits = __open_cuda_bits(x);
    int e = (int)(bits >> 52 & 0x7ff) - 1075, start = e - 3 + 64, word = start >> 6, shift = start & 63;
    unsigned long long m = (bits & 0xfffffffffffffull) | 1ull << 52, w[3];
    for (int i = 0; i < 3; i++) {
        unsigned long long a = __open_cuda_two_over_pi[word + i], b = word + i + 1 < 21 ? __open_cuda_two_over_pi[word + i + 1] : 0;
        w[i] = shift ? a << shift | b >> (64 - shift) : a;
    }
    unsigned long long p0 = m * w[2], p1 = m * w[1], c = p1 + __umul64hi(m, w[2]);
    unsigned long long p2 = m * w[0] + __umul64hi(m, w[1]) + (c < p1);
    int quadrant = (int)(p2 >> 61);
    unsigned long long high = p2 << 3 | c >> 61, low = c << 3 | p0 >> 61; // the fraction
    bool negative = high >> 63;
    if (negative) quadrant++, high = ~high, low = ~low;
    int zeros = high ? __clzll((long long)high) : 64;
    if (zeros == 64) high = low, low = 0;
    else if (zeros) high = high << zeros | low >> (64 - zeros), low <<= zeros;
    double a = (double)(high >> 11) * 0x1p-53, b = (double)((high & 0x7ff) << 42 | low >> 22) * 0x1p-106;
    double scale = __open_cuda_power_of_two<double>(-zeros);
    __oc_dd r = __oc_product(__oc_dd{a * scale, b * scale}, __oc_dd{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
    if (negative != (x < 0)) r = {-r.high, -r.low};
    return {r, x < 0 ? -quadrant : quadrant};
}
__OPEN_CUDA_CONST __open_cuda_angle __open_cuda_reduce(double x) {
    if (!(fabs(x) < 0x1p30)) return fabs(x) < (double)INFINITY ? __open_cuda_reduce_large(x) : __open_cuda_angle{{x - x, 0}, 0};
    double k = rint(x * 0x1.45f306dc9c883p-1), t = fma(-k, 0x1.921fb54442d18p+0, x); // exact
    __oc_dd b = __oc_product(k, 0x1.1a62633145c07p-54), r = __oc_sum(t, -b.high);
    return {__oc_ordered_sum(r.high, r.low - (b.low - k * 0x1.f1976b7ed8fbcp-110)), (int)k};
}
__OPEN_CUDA_CONST __oc_dd __oc_sin_part(__oc_dd r) {
    double z = r.high * r.high;
    return __oc_ordered_sum(r.high, fma(r.high * z, __open_cuda_poly_sin(z), r.low * fma(z, -0.5, 1)));
}
__OPEN_CUDA_CONST __oc_dd __oc_cos_part(__oc_dd r) {
    __oc_dd z = __oc_product(r.high, r.high);
    __oc_dd s = __oc_ordered_sum(1, -0.5 * z.high);
    return __oc_ordered_sum(s.high, s.low + (fma(z.high * z.high, __open_cuda_poly_cos(z.high), -0.5 * z.low) - r.high * r.low));
}
__OPEN_CUDA_CONST double __oc_sin_of(__oc_dd r, int quadrant) {
    __oc_dd s = quadrant & 1 ? __oc_cos_part(r) : __oc_sin_part(r);
    return quadrant & 2 ? -s.high : s.high;
}
__OPEN_CUDA_CONST double sin(double x) {
    __open_cuda_angle a = __open_cuda_reduce(x);
    return x == 0 ? x : __oc_sin_of(a.r, a.quadrant);
}
__OPEN_CUDA_CONST double cos(double x) {
    __open_cuda_angle a = __open_cuda_reduce(x);
    return __oc_sin_of(a.r, a.quadrant + 1);
}
__OPEN_CUDA_FN void sincos(double x, double *sine, double *cosine) {
    __open_cuda_angle a = __open_cuda_reduce(x);
    *sine = x == 0 ? x : __oc_sin_of(a.r, a.quadrant);
    *cosine = __oc_sin_of(a.r, a.quadrant + 1);
}
__OPEN_CUDA_CONST double tan(double x) {
    if (x == 0) return x;
    __open_cuda_angle a = __open_cuda_reduce(x);
    __oc_dd s = __oc_sin_part(a.r), c = __oc_cos_part(a.r);
    return a.quadrant & 1 ? -__oc_quotient(c, s) : __oc_quotient(s, c);
}
// x = quadrant / 2 + rest, in half turns.
__OPEN_CUDA_CONST __open_cuda_angle __open_cuda_reduce_half_turns(double x) {
    if (!(fabs(x) < 0x1p53)) return {{x - x, 0}, 0}; // even, or not finite
    double k = rint(2 * x), part = fma(-0.5, k, x);
    return {__oc_product(__oc_dd{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}, part), (int)(long long)k};
}
__OPEN_CUDA_CONST double sinpi(double x) {
    __open_cuda_angle a = __open_cuda_reduce_half_turns(x);
    return x == trunc(x) ? x * 0 : __oc_sin_of(a.r, a.quadrant);
}
__OPEN_CUDA_CONST double cospi(double x) {
    __open_cuda_angle a = __open_cuda_reduce_half_turns(x);
    return __oc_sin_of(a.r, a.quadrant + 1) + 0.0;
}
__OPEN_CUDA_FN void sincospi(double x, double *sine, double *cosine) { *sine = sinpi(x), *cosine = cospi(x); }

__OPEN_CUDA_CONST double __oc_asin_part(double x) { double z = x * x; return fma(x * z, __open_cuda_poly_asin(z), x); }
__OPEN_CUDA_CONST double asin(double x) {
    double a = fabs(x);
    if (!(a > 0.5)) return __oc_asin_part(x);
    double s = sqrt(fma(-0.5, a, 0.5)); // not a number above 1
    return copysign(0x1.921fb54442d18p+0 - (2 * __oc_asin_part(s) - 0x1.1a62633145c07p-54), x);
}
__OPEN_CUDA_CONST double acos(double x) {
    double a = fabs(x);
    if (!(a > 0.5)) return 0x1.921fb54442d18p+0 - (__oc_asin_part(x) - 0x1.1a62633145c07p-54);
    double s = 2 * __oc_asin_part(sqrt(fma(-0.5, a, 0.5)));
    return x > 0 ? s : 0x1.921fb54442d18p+1 - (s - 0x1.1a62633145c07p-53);
}
// atan(y / x) for 0 <= y, x; the angle is reduced by pi / 4 or pi / 2.
__OPEN_CUDA_CONST double __oc_atan(double y, double x) {
    bool steep = y > 2.414213562373095 * x, middle = !steep & (y > 0.4142135623730951 * x);
    double t = (steep ? -x : middle ? y - x : y) / (steep ? y : middle ? y + x : x), z = t * t;
    double high = steep ? 0x1.921fb54442d18p+0 : middle ? 0x1.921fb54442d18p-1 : 0;
    return high + (fma(t * z, __open_cuda_poly_atan(z), high * 0x1.1a62633145c07p-54 * 0x1.45f306dc9c883p-1) + t);
}
__OPEN_CUDA_CONST double atan(double x) {
    double a = fabs(x), y = __oc_atan(a < 0x1p60 ? a : 0x1p60, 1);
    return x == x ? copysign(y, x) : x;
}
__OPEN_CUDA_CONST double atan2(double y, double x) {
    double a = fabs(y), b = fabs(x), most = a > b ? a : b;
    // Equal infinities, and zeros, become finite; without overflow in y + x.
    bool none = most == 0, both = (a == (double)INFINITY) & (b == (double)INFINITY);
    double scale = most > 0x1p1000 ? 0x1p-60 : most < 0x1p-900 ? 0x1p60 : 1.0;
    double up = both ? 1.0 : a * scale, right = both | none ? 1.0 : b * scale;
    up = up == (double)INFINITY ? 0x1p1000 : up, right = up == 0x1p1000 ? 0.0 : right;
    double r = __oc_atan(up, right);
    r = __builtin_signbit(x) ? 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53) : r;
    r = copysign(r, y);
    return __builtin_isunordered(x, y) ? x + y : r;
}

__OPEN_CUDA_CONST double sinh(double x) {
    double a = fabs(x), z = x * x, near = fma(x * z, __open_cuda_poly_sinh(z), x);
    __open_cuda_scaled e = __oc_exp(a, 0);
    double t = __oc_scale(e.value.high, e.bits - 1); // exp(|x|) / 2
    double far = t + (__oc_scale(e.value.low, e.bits - 1) - 0.25 / t);
    return a < 1 ? near : copysign(a > 720 ? a * 0x1p1023 : far, x);
}
__OPEN_CUDA_CONST double cosh(double x) {
    double a = fabs(x);
    __open_cuda_scaled e = __oc_exp(a, 0);
    double t = __oc_scale(e.value.high, e.bits - 1);
    double y = t + (__oc_scale(e.value.low, e.bits - 1) + 0.25 / t);
    return a > 720 ? (double)INFINITY : y;
}
__OPEN_CUDA_CONST double tanh(double x) {
    double a = fabs(x), z = x * x, near = fma(x * z, __open_cuda_poly_tanh(z), x);
    __open_cuda_scaled e = __oc_exp(-2 * a, 0);
    // (1 - p) / (1 + p) for p = exp(-2 a) in two parts
    double p = __oc_scale(e.value.high, e.bits), low = __oc_scale(e.value.low, e.bits);
    __oc_dd above = __oc_ordered_sum(1, -p), below = __oc_ordered_sum(1, p);
    double inverse = 1 / below.high, q = above.high * inverse;
    q = fma(fma(-q, below.high, above.high) + ((above.low - low) - q * (below.low + low)), inverse, q);
    return copysign(a < 0.55 ? near : q, x);
}
__OPEN_CUDA_CONST double asinh(double x) {
    double a = fabs(x);
    if (!(a < 0x1p28)) return copysign(log(a) + 0x1.62e42fefa39efp-1, x);
    return copysign(log1p(a + a * a / (1 + sqrt(fma(a, a, 1)))), x);
}
__OPEN_CUDA_CONST double acosh(double x) {
    if (!(x < 0x1p28)) return log(x) + 0x1.62e42fefa39efp-1;
    double t = x - 1, y = log1p(t + sqrt(fma(t, t, 2 * t)));
    return x < 1 ? (double)NAN : y;
}
__OPEN_CUDA_CONST double atanh(double x) {
    double a = fabs(x);
    return copysign(0.5 * log1p(2 * a / (1 - a)), x);
}

