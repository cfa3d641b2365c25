// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Sums of two doubles, high + low, with |low| <= half a unit in the last place of high: T. Dekker, 1971;
// D. Knuth, TAOCP 4.2.2. Products are rounded before they are used, which __dmul_rn ensures: a contraction to fma
// would disagree with the error term.
#pragma once
#include "exact.h"

struct __open_cuda_dd {
    double high, low;
};
typedef __open_cuda_dd __oc_dd;

__OPEN_CUDA_CONST __oc_dd __oc_sum(double a, double b) {
    double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}
__OPEN_CUDA_CONST __oc_dd __oc_ordered_sum(double a, double b) { // |a| >= |b|, or a == 0
    double s = a + b;
    return {s, b - (s - a)};
}
__OPEN_CUDA_CONST __oc_dd __oc_product(double a, double b) {
    double p = __dmul_rn(a, b);
    return {p, fma(a, b, -p)};
}
__OPEN_CUDA_CONST __oc_dd __oc_product(__oc_dd a, double b) {
    double p = __dmul_rn(a.high, b);
    return __oc_ordered_sum(p, fma(a.high, b, -p) + a.low * b);
}
__OPEN_CUDA_CONST __oc_dd __oc_product(__oc_dd a, __oc_dd b) {
    double p = __dmul_rn(a.high, b.high);
    return __oc_ordered_sum(p, fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
}
__OPEN_CUDA_CONST __oc_dd __oc_add(__oc_dd a, __oc_dd b) {
    __oc_dd s = __oc_sum(a.high, b.high);
    return __oc_ordered_sum(s.high, s.low + (a.low + b.low));
}
__OPEN_CUDA_CONST __oc_dd __oc_add(__oc_dd a, double b) {
    __oc_dd s = __oc_sum(a.high, b);
    return __oc_ordered_sum(s.high, s.low + a.low);
}
__OPEN_CUDA_CONST double __oc_quotient(__oc_dd a, __oc_dd b) { // rounded, nearly correctly
    double q = a.high / b.high;
    return q + (fma(-q, b.high, a.high) + (a.low - q * b.low)) / b.high;
}
