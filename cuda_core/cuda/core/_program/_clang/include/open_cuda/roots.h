// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Roots and norms: an approximation, and Newton's steps, the last one with the exact residual.
#pragma once
#include "double_double.h"
#include "float_trigonometric.h"

__OPEN_CUDA_CONST double rsqrt(double x) {
    double y = 1 / sqrt(x);
    if (!(y > 0 && y < (double)INFINITY) || __open_cuda_exponent(x) == 0) return y;
    return fma(0.5 * y, fma(-__dmul_rn(x, y), y, 1) - fma(x, y, -__dmul_rn(x, y)) * y, y);
}
__OPEN_CUDA_UNARY(rsqrtf, "rsqrt.approx." __OPEN_CUDA_F32, float, "f")

// |x| = m 8**n with 1/8 <= m < 1; returns the cube root of m to 40 bits, and 2**n.
struct __open_cuda_cubic {
    double m, root, power;
};
__OPEN_CUDA_CONST __open_cuda_cubic __oc_cubic(double x) {
    int e;
    double f = __open_cuda_frexp(fabs(x), &e);
    int n = (e + 3000) / 3 - 1000 + ((e + 3000) % 3 != 0);
    double m = f * __open_cuda_power_of_two<double>(e - 3 * n), y = fma(m, fma(m, -0.4, 0.95), 0.44);
    for (int i = 0; i < 3; i++) { // Halley: each step triples the digits
        double cube = y * y * y;
        y *= (cube + 2 * m) / (2 * cube + m);
    }
    return {m, y, __open_cuda_power_of_two<double>(n)};
}
__OPEN_CUDA_CONST double cbrt(double x) {
    if (x == 0 || !(fabs(x) < (double)INFINITY)) return x;
    __open_cuda_cubic c = __oc_cubic(x);
    __oc_dd cube = __oc_product(__oc_product(c.root, c.root), c.root);
    double y = c.root - ((cube.high - c.m) + cube.low) / (3 * c.root * c.root);
    return copysign(y * c.power, x);
}
__OPEN_CUDA_CONST double rcbrt(double x) {
    if (x == 0 || !(fabs(x) < (double)INFINITY)) return 1 / x;
    __open_cuda_cubic c = __oc_cubic(x);
    double y = 1 / c.root;
    __oc_dd one = __oc_product(__oc_product(__oc_product(y, y), y), c.m);
    y -= y * ((one.high - 1) + one.low) * (1.0 / 3);
    return copysign(y / c.power, x);
}

// The sum of squares of up to four numbers, scaled by a power of two so that it neither overflows nor vanishes.
struct __open_cuda_squares {
    __oc_dd sum;
    double scale, inverse; // the numbers were multiplied by inverse = 1 / scale
    bool infinite;
};
__OPEN_CUDA_CONST __open_cuda_squares __oc_squares_of(double most) { // with a sum of 0
    bool large = most > 0x1p400, small = most < 0x1p-400;
    double scale = large ? 0x1p600 : small ? 0x1p-600 : 1.0, inverse = large ? 0x1p-600 : small ? 0x1p600 : 1.0;
    return {{0, 0}, scale, inverse, most == (double)INFINITY};
}
__OPEN_CUDA_CONST __open_cuda_squares __oc_squares(double a, double b) {
    __open_cuda_squares s = __oc_squares_of(fmax(fabs(a), fabs(b)));
    a *= s.inverse, b *= s.inverse, s.sum = __oc_add(__oc_product(a, a), __oc_product(b, b));
    return s;
}
__OPEN_CUDA_CONST __open_cuda_squares __oc_squares(double a, double b, double c, double d) {
    __open_cuda_squares s = __oc_squares_of(fmax(fmax(fabs(a), fabs(b)), fmax(fabs(c), fabs(d))));
    a *= s.inverse, b *= s.inverse, c *= s.inverse, d *= s.inverse;
    s.sum = __oc_add(__oc_product(a, a), __oc_product(b, b));
    s.sum = __oc_add(s.sum, __oc_add(__oc_product(c, c), __oc_product(d, d)));
    return s;
}
__OPEN_CUDA_CONST double __oc_norm(__open_cuda_squares s) {
    double y = sqrt(s.sum.high) * s.scale;
    return s.infinite ? (double)INFINITY : y;
}
__OPEN_CUDA_CONST double __oc_rnorm(__open_cuda_squares s) {
    double y = 1 / sqrt(s.sum.high);
    __oc_dd one = __oc_product(__oc_product(s.sum, y), y);
    y = (s.sum.high == 0 ? y : fma(-0.5 * y, (one.high - 1) + one.low, y)) * s.inverse;
    return s.infinite ? 0.0 : y;
}
__OPEN_CUDA_FN __open_cuda_squares __oc_all_squares(int count, const double *x) {
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    __open_cuda_squares s = __oc_squares_of(most);
    for (int i = 0; i < count; i++) s.sum = __oc_add(s.sum, __oc_product(x[i] * s.inverse, x[i] * s.inverse));
    return s;
}
__OPEN_CUDA_CONST double hypot(double x, double y) { return __oc_norm(__oc_squares(x, y)); }
__OPEN_CUDA_CONST float hypotf(float x, float y) { // in single precision: 3 ulps are allowed
    int a = __float_as_int(fabsf(x)), b = __float_as_int(fabsf(y)), most = max(a, b);
    int inverse = most > 0x5d800000 ? 0x12800000 : most < 0x21800000 ? 0x6c800000 : 0x3f800000; // 2^-90, 2^90, 1
    x *= __int_as_float(inverse), y *= __int_as_float(inverse);
    float norm = sqrtf(fmaf(x, x, y * y)) * __int_as_float(0x7f000000 - inverse);
    return a == 0x7f800000 || b == 0x7f800000 ? (float)INFINITY : norm;
}
#define __OPEN_CUDA_NORMS(type, f)                                                                                         \
    __OPEN_CUDA_CONST type rhypot##f(type x, type y) { return __oc_rnorm(__oc_squares(x, y)); }                            \
    __OPEN_CUDA_CONST type norm3d##f(type x, type y, type z) { return __oc_norm(__oc_squares(x, y, z, 0)); }               \
    __OPEN_CUDA_CONST type rnorm3d##f(type x, type y, type z) { return __oc_rnorm(__oc_squares(x, y, z, 0)); }             \
    __OPEN_CUDA_CONST type norm4d##f(type x, type y, type z, type w) { return __oc_norm(__oc_squares(x, y, z, w)); }       \
    __OPEN_CUDA_CONST type rnorm4d##f(type x, type y, type z, type w) { return __oc_rnorm(__oc_squares(x, y, z, w)); }     \
    __OPEN_CUDA_FN type norm##f(int count, const type *x) { return __oc_norm(__oc_all_squares(count, x)); }                \
    __OPEN_CUDA_FN type rnorm##f(int count, const type *x) { return __oc_rnorm(__oc_all_squares(count, x)); }
__OPEN_CUDA_NORMS(double, )
__OPEN_CUDA_NORMS(float, f)
