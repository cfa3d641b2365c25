// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Exponential and logarithmic functions. Algorithms: P. Tang, ACM TOMS 15 (1989) and 16 (1990); J.-M. Muller, "Elementary
// Functions". Maximum errors: CUDA C++ Programming Guide, "Mathematical Functions".
#pragma once
#include "double_double.h"
#include "polynomials.h"

// x = k + rest: after an addition of 1.5 * 2**52 the last bits are those of the integer k.
struct __open_cuda_whole_double {
    double k;
    unsigned long long bits;
};
__OPEN_CUDA_CONST __open_cuda_whole_double __oc_whole(double x, double factor) {
    double t = fma(x, factor, 0x1.8p52);
    return {t - 0x1.8p52, __open_cuda_bits(t)};
}
// x 2**k for |k| < 2000: in two steps, of which the first is exact.
__OPEN_CUDA_CONST double __oc_scale(double x, unsigned long long bits) {
    unsigned long long half = bits >> 1 << 52, one = 0x3ff0000000000000ull;
    return x * __open_cuda_of_bits<double>(half + one) * __open_cuda_of_bits<double>((bits << 52) - half + one);
}
__OPEN_CUDA_CONST double __oc_clamp(double x, double low, double high) { // leaves NaN as it is
    x = x < low ? low : x;
    return x > high ? high : x;
}
__OPEN_CUDA_CONST double __oc_expm1_part(double r) { return fma(r * r, __open_cuda_poly_exp(r), r); } // |r| <= log(2) / 2
// exp(x + low) = 2**k (value.high + value.low), for small `low`
struct __open_cuda_scaled {
    __oc_dd value;
    unsigned long long bits; // the last ones are those of k
};
__OPEN_CUDA_CONST __open_cuda_scaled __oc_exp(double x, double low) {
    double c = __oc_clamp(x, -800.0, 750.0);
    __open_cuda_whole_double n = __oc_whole(c, 0x1.71547652b82fep+0);
    double r = fma(-n.k, 0x1.abc9e3b39803fp-56, fma(-n.k, 0x1.62e42fefa39efp-1, c));
    return {__oc_ordered_sum(1, __oc_expm1_part(r + low)), n.bits};
}
__OPEN_CUDA_CONST double __oc_scaled_exp(__oc_dd x, double factor) { // factor * exp(x) for any x
    __open_cuda_scaled e = __oc_exp(x.high, fabs(x.high) < 800 ? x.low : 0);
    return __oc_scale((e.value.high + e.value.low) * factor, e.bits);
}
__OPEN_CUDA_CONST double exp(double x) {
    __open_cuda_scaled e = __oc_exp(x, 0);
    return __oc_scale(e.value.high, e.bits);
}
__OPEN_CUDA_CONST double exp2(double x) {
    double c = __oc_clamp(x, -1100.0, 1050.0);
    __open_cuda_whole_double n = __oc_whole(c, 1);
    return __oc_scale(1 + __oc_expm1_part((c - n.k) * 0x1.62e42fefa39efp-1), n.bits);
}
__OPEN_CUDA_CONST double exp10(double x) {
    double c = __oc_clamp(x, -350.0, 320.0);
    __open_cuda_whole_double n = __oc_whole(c, 0x1.a934f0979a371p+1);
    double f = fma(c, 0x1.7f2495fb7fa6dp-53, fma(c, 0x1.a934f0979a371p+1, -n.k));
    return __oc_scale(1 + __oc_expm1_part(f * 0x1.62e42fefa39efp-1), n.bits);
}
__OPEN_CUDA_CONST double expm1(double x) {
    double c = __oc_clamp(x, -60.0, 710.0);
    __open_cuda_whole_double n = __oc_whole(c, 0x1.71547652b82fep+0);
    double r = fma(-n.k, 0x1.abc9e3b39803fp-56, fma(-n.k, 0x1.62e42fefa39efp-1, c));
    double s = __open_cuda_of_bits<double>((n.bits << 52) + 0x3fe0000000000000ull); // 2**(k - 1), without overflow
    __oc_dd sum = __oc_ordered_sum(s - 0.5, __dmul_rn(r, s));
    double half = sum.high + fma(r * r * __open_cuda_poly_exp(r), s, sum.low);
    return fabs(x) < 0x1p-60 ? x : half + half; // also where half of x is not exact
}

// log(x) = k log 2 + value, for x > 0 and finite; 1/sqrt(2) <= m < sqrt(2).
struct __open_cuda_log_parts {
    __oc_dd value;
    double k;
};
struct __open_cuda_reduced_double {
    double f, k; // x = 2**k (1 + f)
};
__OPEN_CUDA_CONST __open_cuda_reduced_double __oc_reduce_log(double x) {
    bool tiny = x < 0x1p-1022;
    unsigned long long bits = __open_cuda_bits(tiny ? x * 0x1p52 : x), e = (bits - 0x3fe6a09e667f3bcdull) & 0xfffull << 52;
    double m = __open_cuda_of_bits<double>(bits - e);
    return {m - 1, fma((double)(int)(e >> 32), 0x1p-20, tiny ? -52.0 : 0.0)};
}
__OPEN_CUDA_CONST double __oc_log_or_special(double x, double y) { // infinity and NaN stay, negative numbers become NaN
    y = __open_cuda_bits(x) > 0x7fefffffffffffffull ? fma(x, (double)INFINITY, (double)INFINITY) : y;
    return x == 0 ? -(double)INFINITY : y;
}
__OPEN_CUDA_CONST __open_cuda_log_parts __oc_log_parts(double x) {
    __open_cuda_reduced_double n = __oc_reduce_log(x);
    double f = n.f, m = f + 1; // exact
    __oc_dd t = __oc_sum(m, 1);
    double s = f / t.high, s_low = (fma(-s, t.high, f) - s * t.low) / t.high;
    __oc_dd z = __oc_product(s, s);
    z.low += 2 * s * s_low;
    __oc_dd c = __oc_ordered_sum(0x1.5555555555555p-1, 0x1.5555555555555p-55 + z.high * __open_cuda_poly_log(z.high));
    __oc_dd cube = __oc_product(__oc_dd{s, s_low}, z);
    return {__oc_add({2 * s, 2 * s_low}, __oc_product(cube, c)), n.k};
}
__OPEN_CUDA_CONST __oc_dd __oc_log(double x) {
    __open_cuda_log_parts p = __oc_log_parts(x);
    __oc_dd s = __oc_sum(p.k * 0x1.62e42fee00000p-1, p.value.high); // the product is exact
    return __oc_ordered_sum(s.high, s.low + (p.value.low + p.k * 0x1.a39ef35793c76p-33));
}
// log(1 + f) = f - (half - rest), half = f**2 / 2: W. Cody, W. Waite
struct __open_cuda_log_terms {
    double half, rest;
};
__OPEN_CUDA_CONST __open_cuda_log_terms __oc_log_terms(double f) {
    double s = f / (2 + f), z = s * s, half = __dmul_rn(0.5 * f, f);
    return {half, s * fma(z, fma(z, __open_cuda_poly_log(z), 0x1.5555555555555p-1), half)};
}
__OPEN_CUDA_CONST double log(double x) {
    __open_cuda_reduced_double n = __oc_reduce_log(x);
    __open_cuda_log_terms t = __oc_log_terms(n.f);
    double y = n.f - (t.half - fma(n.k, 0x1.a39ef35793c76p-33, t.rest));
    return __oc_log_or_special(x, fma(n.k, 0x1.62e42fee00000p-1, y));
}
// The logarithm to another base, whose reciprocal logarithm and logarithm of 2 are sums of two doubles.
__OPEN_CUDA_CONST double __oc_log_base(double x, __oc_dd factor, __oc_dd of_two) {
    __open_cuda_reduced_double n = __oc_reduce_log(x);
    __open_cuda_log_terms t = __oc_log_terms(n.f);
    double high = n.f - t.half, low = ((n.f - high) - t.half) + t.rest;
    __oc_dd p = __oc_product(high, factor.high);
    p.low += fma(high, factor.low, fma(low, factor.high, n.k * of_two.low));
    double whole = __dmul_rn(n.k, of_two.high), s = whole + p.high;
    double e = n.k == 0 ? 0 : p.high - (s - whole);
    return __oc_log_or_special(x, s + (e + p.low));
}
__OPEN_CUDA_CONST double log2(double x) {
    return __oc_log_base(x, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}, {1, 0});
}
__OPEN_CUDA_CONST double log10(double x) {
    return __oc_log_base(x, {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}, {0x1.3441350800000p-2, 0x1.f79fef311f12bp-34});
}
__OPEN_CUDA_CONST double log1p(double x) {
    if (fabs(x) < 0x1p-54) return x;
    if (!(x > -1) || x == (double)INFINITY) return x == -1 ? -(double)INFINITY : x < -1 ? (double)NAN : x;
    __oc_dd u = __oc_sum(x, 1), l = __oc_log(u.high);
    return l.high + (l.low + u.low / u.high);
}

// pow: ISO C23, F.10.4.4 for the special cases.
__OPEN_CUDA_CONST double pow(double x, double y) {
    double a = fabs(x), half = 0.5 * y;
    __oc_dd l = __oc_log(a);
    double p = __dmul_rn(l.high, y), low = fma(l.low, y, fma(l.high, y, -p));
    double result = __oc_scaled_exp({p, low}, 1);
    bool whole = trunc(y) == y, odd = whole & (trunc(half) != half);
    bool edge = (a == 0) | (a == (double)INFINITY), grows = (y > 0) == (a > 1);
    double limit = grows ? (double)INFINITY : 0.0;
    result = edge | (fabs(y) == (double)INFINITY) ? limit : result;
    result = (x < 0) & !whole & !edge ? (double)NAN : result;
    result = odd ? copysign(result, x) : result;
    result = __builtin_isunordered(x, y) ? x + y : result;
    return (y == 0) | (x == 1) | ((x == -1) & (fabs(y) == (double)INFINITY)) ? 1.0 : result;
}
