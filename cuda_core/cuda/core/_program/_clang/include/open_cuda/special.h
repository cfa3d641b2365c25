// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Error functions, gamma functions and Bessel functions: NIST Digital Library of Mathematical Functions (DLMF), chapters
// 5, 7 and 10; the approximations are those of ci/device_math.py.
#pragma once
#include "roots.h"
#include "trigonometric.h"

__OPEN_CUDA_CONST double __oc_erfcx(double x) { // x >= 0
    double c = x < 0x1p100 ? x : 0x1p100, u = c + 2, inverse = 1 / u, t = (c - 2) * inverse;
    t = fma(fma(-t, u, c - 2), inverse, t);
    return 0.5 * __open_cuda_poly_erfcx(t) / (x + 0.5);
}
__OPEN_CUDA_CONST double __oc_exp_of_square(double x, double scale) { // exp(scale x**2)
    __oc_dd s = __oc_product(x < 60 ? x : 60.0, x < 60 ? x : 60.0);
    return __oc_scaled_exp({scale * s.high, scale * s.low}, 1);
}
__OPEN_CUDA_CONST double erfc(double x) {
    double a = fabs(x), y = __oc_erfcx(a) * __oc_exp_of_square(a, -1);
    return x < 0 ? 2 - y : y;
}
__OPEN_CUDA_CONST double erf(double x) {
    double a = fabs(x), near = fma(x, 0x1.20dd750429b6dp+0, x * (__open_cuda_poly_erf(x * x) + 0x1.1ae3a914fed80p-56));
    // 1 - erfc(a), whose error matters little, and one division suffices
    double c = a < 6 ? a : 6.0, u = c + 2, v = c + 0.5, inverse = 1 / (u * v), t = (c - 2) * v * inverse;
    double far = copysign(1 - 0.5 * __open_cuda_poly_erfcx(t) * (u * inverse) * exp(-c * c), x);
    return a > 1 ? far : near;
}
__OPEN_CUDA_CONST double erfcx(double x) {
    double a = fabs(x), y = __oc_erfcx(a), more = 2 * __oc_exp_of_square(a, 1);
    return x < 0 ? more - y : y;
}
__OPEN_CUDA_CONST double normcdf(double x) {
    double a = fabs(x), y = 0.5 * __oc_erfcx(a * 0x1.6a09e667f3bcdp-1) * __oc_exp_of_square(a, -0.5);
    return x > 0 ? 1 - y : y;
}
// erfinv(1 - x) for w = -log(x (2 - x)), y = 1 - x
__OPEN_CUDA_CONST double __oc_erfinv(double w, double y) {
    double r = y * __open_cuda_poly_erfinv1(w - 3);
    if (w >= 6) {
        double v = sqrt(w);
        r = v < 4.1 ? y * __open_cuda_poly_erfinv2(v - 3.25) : copysign(v * __open_cuda_poly_erfinv3(1 / v - 0.14), y);
    }
    return r;
}
__OPEN_CUDA_CONST double erfinv(double x) {
    double y = __oc_erfinv(-log(fma(-x, x, 1)), x);
    return fabs(x) == 1 ? copysign((double)INFINITY, x) : y;
}
__OPEN_CUDA_CONST double erfcinv(double x) {
    double y = 1 - x, p = x < 0.25 ? x * (2 - x) : fma(-y, y, 1), r = __oc_erfinv(-log(p), y);
    r = x == 0 ? (double)INFINITY : r;
    return x == 2 ? -(double)INFINITY : r;
}
__OPEN_CUDA_CONST double normcdfinv(double x) { return fma(-1.4142135623730951, erfcinv(2 * x), 0.0); }

// log gamma(x) for x >= 8, Stirling's series: DLMF 5.11.1.
__OPEN_CUDA_CONST __oc_dd __oc_stirling(double x) {
    __oc_dd l = __oc_product(__oc_log(x), x - 0.5), s = __oc_add(l, -x);
    double rest = __open_cuda_poly_stirling(1 / (x * x)) / x;
    return __oc_add(__oc_add(s, __oc_dd{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55}), rest);
}
__OPEN_CUDA_CONST double __oc_lgamma(double x) { // x > 0
    bool low = x < 0.6, first = (x < 0.4) | (!low & (x < 1.4));
    double l = log(x), from_one = low ? x : x - 1, from_two = low ? x - 1 : x - 2;
    double y1 = from_one * __open_cuda_poly_lgamma1(from_one), y2 = from_two * __open_cuda_poly_lgamma2(from_two);
    double y3 = __open_cuda_poly_lgamma3(x - 5.5), y = first ? y1 : x < 3 ? y2 : y3;
    y = low ? y - l : y;
    double inverse = 1 / x, rest = fma(inverse, __open_cuda_poly_stirling(inverse * inverse), 0x1.d67f1c864beb5p-1);
    double far = fma(x - 0.5, l, rest - x);
    far = x > 0x1p60 ? x * (l - 1) : far;
    return x >= 8 ? far : y;
}
__OPEN_CUDA_CONST double lgamma(double x) {
    double a = fabs(x), y = __oc_lgamma(a);
    if (x < 0) { // DLMF 5.5.3: gamma(x) gamma(1 - x) = pi / sin(pi x)
        y = a < 0x1p-60 ? -log(a) : log(3.141592653589793 / fabs(a * sinpi(a))) - y;
        y = trunc(x) == x ? (double)INFINITY : y;
    }
    return a == (double)INFINITY ? a : y;
}
__OPEN_CUDA_CONST double tgamma(double x) {
    if (x != x || x == (double)INFINITY) return x;
    if (x == 0) return copysign((double)INFINITY, x);
    if (x < 0 && x == trunc(x)) return NAN;
    double a = fabs(x);
    if (a >= 12) {
        if (a > 200) return x > 0 ? (double)INFINITY : fmod(trunc(a), 2.0) == 0 ? -0.0 : 0.0;
        __oc_dd l = __oc_stirling(a);
        if (x > 0) return __oc_scaled_exp(l, 1);
        return __oc_scaled_exp({-l.high, -l.low}, -3.141592653589793 / (a * sinpi(a)));
    }
    double product = 1;
    bool divide = x < 2;
    if (a < 0x1p-60) return 1 / x;
    while (x > 3) x -= 1, product *= x;
    while (x < 2) product *= x, x += 1;
    double y = __open_cuda_poly_gamma(x - 2);
    return divide ? y / product : y * product;
}

// Modified Bessel functions: DLMF 10.25, 10.40.
__OPEN_CUDA_CONST double cyl_bessel_i0(double x) {
    double a = fabs(x);
    if (a <= 8) return __open_cuda_poly_i0(x * x * 0.015625);
    return a > 720 ? a == a ? (double)INFINITY : a : __oc_scaled_exp({a, 0}, __open_cuda_poly_i0_large(8 / a - 0.5) / sqrt(a));
}
__OPEN_CUDA_CONST double cyl_bessel_i1(double x) {
    double a = fabs(x);
    if (a <= 8) return x * __open_cuda_poly_i1(x * x * 0.015625);
    double y = a > 720 ? (double)INFINITY : __oc_scaled_exp({a, 0}, __open_cuda_poly_i1_large(8 / a - 0.5) / sqrt(a));
    return x != x ? x : copysign(y, x);
}

// Bessel functions: factors with the zeros below 8 as sums of two doubles; beyond, DLMF 10.17.3 and 10.17.4.
__OPEN_CUDA_CONST double __oc_from(double x, double high, double low) { return ((x - high) - low) * (x + high); }
struct __open_cuda_wave {
    double first, second; // of J and Y
};
__OPEN_CUDA_CONST __open_cuda_wave __oc_wave(double x, double p, double q, int quarters) {
    // c = x - quarters pi / 4: by reduction of x to eighths of a turn around odd multiples of pi / 4
    __open_cuda_angle a = __open_cuda_reduce(x);
    __oc_dd r = __oc_add(a.r, __oc_dd{-0x1.921fb54442d18p-1, -0x1.1a62633145c07p-55});
    int n = a.quadrant - (quarters == 3 ? 1 : 0);
    if (r.high < -0.7853981633974483) r = __oc_add(r, __oc_dd{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}), n--;
    double s = __oc_sin_of(r, n), c = __oc_sin_of(r, n + 1), scale = sqrt(0.6366197723675814 / x);
    q /= x;
    return {scale * (p * c - q * s), scale * (p * s + q * c)};
}
__OPEN_CUDA_CONST double j0(double x) {
    double a = fabs(x);
    if (!(a < (double)INFINITY)) return x != x ? x : 0;
    if (a < 8) {
        double f = __oc_from(a, 0x1.33d152e971b40p+1, -0x1.0f539d7da258ep-53) * __oc_from(a, 0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54);
        return f * __open_cuda_poly_j0(fma(x * -0.015625, x, 1));
    }
    double t = 64 / (a * a);
    return __oc_wave(a, __open_cuda_poly_p0(t), __open_cuda_poly_q0(t), 1).first;
}
__OPEN_CUDA_CONST double j1(double x) {
    double a = fabs(x);
    if (!(a < (double)INFINITY)) return x != x ? x : 0;
    if (a < 8) {
        double f = __oc_from(a, 0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53) * __oc_from(a, 0x1.c0ff5f3b47250p+2, -0x1.b226d9d243827p-54);
        return x * (f * __open_cuda_poly_j1(fma(x * -0.015625, x, 1)));
    }
    double t = 64 / (a * a);
    return copysign(1.0, x) * __oc_wave(a, __open_cuda_poly_p1(t), __open_cuda_poly_q1(t), 3).first;
}
// log(x / a) for a zero a of Y: accurate near it, where the logarithm vanishes
__OPEN_CUDA_CONST double __oc_log_from(double x, double high, double low) {
    double d = (x - high) - low;
    return fabs(d) < 0.5 * high ? log1p(d / high) : log(x / high);
}
__OPEN_CUDA_CONST double y0(double x) {
    if (!(x > 0)) return x == 0 ? -(double)INFINITY : (double)NAN;
    if (x == (double)INFINITY) return 0;
    if (x < 8) {
        const double a = 0x1.c982eb8d417eap-1, b = 0x1.ea9d270347f83p-56;
        return fma(0.6366197723675814 * __oc_log_from(x, a, b), j0(x), __oc_from(x, a, b) * __open_cuda_poly_y0(fma(x * x, 0.03125, -1)));
    }
    double t = 64 / (x * x);
    return __oc_wave(x, __open_cuda_poly_p0(t), __open_cuda_poly_q0(t), 1).second;
}
__OPEN_CUDA_CONST double y1(double x) {
    if (!(x > 0)) return x == 0 ? -(double)INFINITY : (double)NAN;
    if (x == (double)INFINITY) return 0;
    if (x < 8) {
        const double a = 0x1.193bed4dff243p+1, b = -0x1.bd1e50d219bfdp-55;
        double pole = __oc_from(x, a, b) / (x * a * a); // x / a**2 - 1 / x
        double l = fma(__oc_log_from(x, a, b), j1(x), pole);
        return fma(0.6366197723675814, l, x * (__oc_from(x, a, b) * __open_cuda_poly_y1(fma(x * x, 0.03125, -1))));
    }
    double t = 64 / (x * x);
    return __oc_wave(x, __open_cuda_poly_p1(t), __open_cuda_poly_q1(t), 3).second;
}
__OPEN_CUDA_FN double yn(int n, double x) {
    if (n < 0) return NAN;
    double before = y0(x), y = n == 0 ? before : y1(x);
    if (!(x > 0) || x == (double)INFINITY) return y;
    for (int i = 1; i < n && y > -(double)INFINITY; i++) { // DLMF 10.6.1, stable upwards
        double next = 2 * i / x * y - before;
        before = y, y = next;
    }
    return y;
}
__OPEN_CUDA_FN double jn(int n, double x) {
    if (n < 0) return NAN;
    double a = fabs(x), sign = x < 0 && (n & 1) ? -1.0 : 1.0;
    if (n < 2 || !(a < (double)INFINITY)) return n == 0 ? j0(x) : j1(x);
    if (a == 0) return 0;
    if (n < a) {
        double before = j0(a), y = j1(a);
        for (int i = 1; i < n; i++) {
            double next = 2 * i / a * y - before;
            before = y, y = next;
        }
        return sign * y;
    }
    // J. Miller's algorithm: downwards from far above n, normalised by J0 or J1, whichever is larger.
    int top = 2 * ((n + 20 + (int)sqrt(60.0 * n)) / 2);
    double above = 0, y = 0x1p-900, found = 0;
    for (int i = top; i > 0; i--) {
        double below = 2 * i / a * y - above;
        above = y, y = below;
        if (fabs(y) > 0x1p900) y *= 0x1p-900, above *= 0x1p-900, found *= 0x1p-900;
        if (i - 1 == n) found = y;
    }
    double first = j0(a), second = j1(a);
    return sign * found * (fabs(first) > fabs(second) ? first / y : second / above);
}
