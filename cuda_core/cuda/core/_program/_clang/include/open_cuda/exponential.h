// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Exponential and logarithmic functions. Algorithms: P. Tang, ACM TOMS 15 (1989) and 16 (1990); J.-M. Muller, "Elementary
// Functions". Maximum errors: CUDA C++ Programming Guide, "Mathematical Functions".
#pragma once
#include "double_double.h"

// exp(x) = 2**k (high + low), for |x| < 800.
struct __open_cuda_scaled {
    __oc_dd value;
    int k;
};
__OPEN_CUDA_CONST __open_cuda_scaled __oc_exp(__oc_dd x) {
    double k = rint(x.high * 0x1.71547652b82fep+0);
    double a = fma(-k, 0x1.62e42fee00000p-1, x.high); // exact: the constant has 32 bits
    double b = __dmul_rn(k, 0x1.a39ef35793c76p-33), r = a - b;
    double low = ((a - r) - b) + (x.low - k * 0x1.cc01f97b57a08p-87);
    __oc_dd s = __oc_ordered_sum(1, r);
    double rest = r * r * __open_cuda_poly_exp(r);
    return {__oc_ordered_sum(s.high, s.low + fma(low, 1 + (r + rest), rest)), (int)k};
}
__OPEN_CUDA_CONST double __oc_scaled_exp(__oc_dd x, double factor) { // factor * exp(x) for any x
    if (!(fabs(x.high) < 800)) return x.high != x.high ? x.high : x.high < 0 ? 0 : factor * (double)INFINITY;
    __open_cuda_scaled e = __oc_exp(x);
    return __open_cuda_scale((e.value.high + e.value.low) * factor, e.k);
}
__OPEN_CUDA_CONST double exp(double x) { return __oc_scaled_exp({x, 0}, 1); }
__OPEN_CUDA_CONST double exp2(double x) {
    if (!(fabs(x) < 1100)) return x != x ? x : x < 0 ? 0 : (double)INFINITY;
    double k = rint(x);
    __oc_dd r = __oc_product(__oc_dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, x - k);
    __open_cuda_scaled e = __oc_exp(r);
    return __open_cuda_scale(e.value.high + e.value.low, e.k + (int)k);
}
__OPEN_CUDA_CONST double exp10(double x) {
    if (!(fabs(x) < 350)) return x != x ? x : x < 0 ? 0 : (double)INFINITY;
    double k = rint(x * 3.3219280948873623), a = fma(-k, 0x1.3441350800000p-2, x), b = k * 0x1.f79fef311f12bp-34;
    __oc_dd r = __oc_product(__oc_dd{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53}, __oc_sum(a, -b));
    __open_cuda_scaled e = __oc_exp(r);
    return __open_cuda_scale(e.value.high + e.value.low, e.k + (int)k);
}
__OPEN_CUDA_CONST double expm1(double x) {
    if (fabs(x) < 0.34) return fma(x * x, __open_cuda_poly_exp(x), x);
    if (!(fabs(x) < 60)) return x < 0 ? -1.0 : exp(x);
    __open_cuda_scaled e = __oc_exp({x, 0});
    double power = __open_cuda_power_of_two<double>(e.k);
    __oc_dd s = __oc_sum(e.value.high * power, -1);
    return s.high + (s.low + e.value.low * power);
}

// log(x) = k log 2 + value, for x > 0 and finite; 1/sqrt(2) <= m < sqrt(2).
__OPEN_CUDA_CONST __open_cuda_scaled __oc_log_parts(double x) {
    int k = 0;
    if (x < 0x1p-1022) x *= 0x1p54, k = -54;
    long long distance = (long long)(__open_cuda_bits(x) - 0x3fe6a09e667f3bcdull) >> 52;
    k += (int)distance;
    double m = __open_cuda_of_bits<double>(__open_cuda_bits(x) - ((unsigned long long)distance << 52));
    double f = m - 1;
    __oc_dd t = __oc_sum(m, 1);
    double s = f / t.high, s_low = (fma(-s, t.high, f) - s * t.low) / t.high;
    __oc_dd z = __oc_product(s, s);
    z.low += 2 * s * s_low;
    __oc_dd c = __oc_ordered_sum(0x1.5555555555555p-1, 0x1.5555555555555p-55 + z.high * __open_cuda_poly_log(z.high));
    __oc_dd cube = __oc_product(__oc_dd{s, s_low}, z);
    return {__oc_add({2 * s, 2 * s_low}, __oc_product(cube, c)), k};
}
__OPEN_CUDA_CONST __oc_dd __oc_log(double x) {
    __open_cuda_scaled p = __oc_log_parts(x);
    __oc_dd s = __oc_sum(p.k * 0x1.62e42fee00000p-1, p.value.high); // the product is exact
    return __oc_ordered_sum(s.high, s.low + (p.value.low + p.k * 0x1.a39ef35793c76p-33));
}
__OPEN_CUDA_CONST bool __oc_log_is_special(double x) { return !(x > 0) || x == (double)INFINITY; }
__OPEN_CUDA_CONST double __oc_log_special(double x) {
    return x == 0 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
}
__OPEN_CUDA_CONST double log(double x) {
    if (__oc_log_is_special(x)) return __oc_log_special(x);
    __oc_dd l = __oc_log(x);
    return l.high + l.low;
}
__OPEN_CUDA_CONST double log2(double x) {
    if (__oc_log_is_special(x)) return __oc_log_special(x);
    __open_cuda_scaled p = __oc_log_parts(x);
    __oc_dd l = __oc_product(p.value, __oc_dd{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
    __oc_dd s = __oc_sum(p.k, l.high);
    return s.high + (s.low + l.low);
}
__OPEN_CUDA_CONST double log10(double x) {
    if (__oc_log_is_special(x)) return __oc_log_special(x);
    __open_cuda_scaled p = __oc_log_parts(x);
    __oc_dd l = __oc_product(p.value, __oc_dd{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
    __oc_dd s = __oc_sum(p.k * 0x1.3441350800000p-2, l.high);
    return s.high + (s.low + (l.low + p.k * 0x1.f79fef311f12bp-34));
}
__OPEN_CUDA_CONST double log1p(double x) {
    if (fabs(x) < 0x1p-54) return x;
    if (!(x > -1) || x == (double)INFINITY) return x == -1 ? -(double)INFINITY : x < -1 ? (double)NAN : x;
    __oc_dd u = __oc_sum(x, 1), l = __oc_log(u.high);
    return l.high + (l.low + u.low / u.high);
}

// pow: ISO C23, F.10.4.4 for the special cases.
__OPEN_CUDA_CONST int __oc_parity(double y) { // 0: no integer, 1: odd, 2: even
    if (fabs(y) >= 0x1p53) return 2;
    if (y != trunc(y)) return 0;
    return (long long)y & 1 ? 1 : 2;
}
__OPEN_CUDA_CONST double pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    int parity = __oc_parity(y);
    double a = fabs(x), sign = __builtin_signbit(x) && parity == 1 ? -1.0 : 1.0;
    if (fabs(y) == (double)INFINITY) return a == 1 ? 1 : (a > 1) == (y > 0) ? (double)INFINITY : 0;
    if (a == 0 || a == (double)INFINITY) return sign * ((a == 0) == (y > 0) ? 0 : (double)INFINITY);
    if (x < 0 && parity == 0) return NAN;
    __oc_dd l = __oc_log(a);
    double p = __dmul_rn(l.high, y);
    if (!(fabs(p) < 800)) return sign * (p < 0 ? 0 : (double)INFINITY);
    return __oc_scaled_exp(__oc_ordered_sum(p, fma(l.high, y, -p) + l.low * y), sign);
}

