// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Mathematical functions with exactly defined results: CUDA Math API, "Single Precision Mathematical Functions" and
// "Double Precision Mathematical Functions"; ISO C23, annex F.
#pragma once
#include "conversions.h"
#include "rounding.h"

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()

// A function of one type, by the name that has its suffix.
#define __OPEN_CUDA_BOTH(name, arguments, call)                                                     \
    __OPEN_CUDA_EXACT(name, double, arguments, __builtin_##name call)                               \
    __OPEN_CUDA_EXACT(name##f, float, arguments, __builtin_##name##f call)
#define __OPEN_CUDA_EXACT(name, type, arguments, value)                                             \
    __OPEN_CUDA_CONST type name arguments(type) { return value; }
#define __OPEN_CUDA_X(type) (type x)
#define __OPEN_CUDA_XY(type) (type x, type y)
#define __OPEN_CUDA_XYZ(type) (type x, type y, type z)
__OPEN_CUDA_BOTH(fabs, __OPEN_CUDA_X, (x))
__OPEN_CUDA_BOTH(floor, __OPEN_CUDA_X, (x))
__OPEN_CUDA_BOTH(ceil, __OPEN_CUDA_X, (x))
__OPEN_CUDA_BOTH(trunc, __OPEN_CUDA_X, (x))
__OPEN_CUDA_BOTH(rint, __OPEN_CUDA_X, (x))
__OPEN_CUDA_BOTH(nearbyint, __OPEN_CUDA_X, (x))
__OPEN_CUDA_BOTH(sqrt, __OPEN_CUDA_X, (x))
__OPEN_CUDA_BOTH(copysign, __OPEN_CUDA_XY, (x, y))
__OPEN_CUDA_BOTH(fmin, __OPEN_CUDA_XY, (x, y))
__OPEN_CUDA_BOTH(fmax, __OPEN_CUDA_XY, (x, y))
__OPEN_CUDA_BOTH(fma, __OPEN_CUDA_XYZ, (x, y, z))

// The bits of both formats.
template <class T> struct __open_cuda_format;
template <> struct __open_cuda_format<double> {
    typedef unsigned long long bits;
    enum { digits = 52, bias = 1023, most = 0x7ff };
};
template <> struct __open_cuda_format<float> {
    typedef unsigned bits;
    enum { digits = 23, bias = 127, most = 0xff };
};
template <class T> __OPEN_CUDA_CONST typename __open_cuda_format<T>::bits __open_cuda_bits(T x) {
    return __builtin_bit_cast(typename __open_cuda_format<T>::bits, x);
}
template <class T> __OPEN_CUDA_CONST T __open_cuda_of_bits(typename __open_cuda_format<T>::bits x) {
    return __builtin_bit_cast(T, x);
}
template <class T> __OPEN_CUDA_CONST int __open_cuda_exponent(T x) { // biased
    typedef __open_cuda_format<T> F;
    return (int)(__open_cuda_bits(x) >> F::digits) & F::most;
}
template <class T> __OPEN_CUDA_CONST T __open_cuda_power_of_two(int exponent) { // a normal number
    typedef __open_cuda_format<T> F;
    return __open_cuda_of_bits<T>((typename F::bits)(exponent + F::bias) << F::digits);
}
__OPEN_CUDA_CONST double __open_cuda_abs(double x) { return fabs(x); }
__OPEN_CUDA_CONST float __open_cuda_abs(float x) { return fabsf(x); }

// Halves are rounded away from zero; adding the largest number below one half leaves all other fractions alone.
template <class T> __OPEN_CUDA_CONST T __open_cuda_round(T x) {
    T half = __open_cuda_of_bits<T>(__open_cuda_bits((T)0.5) - 1);
    T rounded = sizeof(T) == 8 ? (T)trunc(x + copysign((double)half, x)) : (T)truncf((float)x + copysignf(half, x));
    return __open_cuda_exponent(x) >= __open_cuda_format<T>::bias + __open_cuda_format<T>::digits ? x : rounded;
}
template <class T> __OPEN_CUDA_CONST T __open_cuda_scale(T x, int n) {
    typedef __open_cuda_format<T> F;
    // The first steps are exact, or the result is 0 or infinite: what `down` leaves to the last one is below -digits.
    int most = F::bias, least = 1 - F::bias, down = least + F::digits + 1;
    for (int i = 0; i < 2 && n > most; i++) x *= __open_cuda_power_of_two<T>(most), n -= most;
    for (int i = 0; i < 2 && n < least; i++) x *= __open_cuda_power_of_two<T>(down), n -= down;
    n = n > most ? most : n < least ? least : n;
    return x * __open_cuda_power_of_two<T>(n);
}
template <class T> __OPEN_CUDA_FN T __open_cuda_frexp(T x, int *exponent) {
    typedef __open_cuda_format<T> F;
    int e = __open_cuda_exponent(x), more = 0;
    if (e == F::most || x == 0) return *exponent = 0, x + x;
    if (e == 0) x *= __open_cuda_power_of_two<T>(F::digits + 2), more = F::digits + 2, e = __open_cuda_exponent(x);
    *exponent = e - F::bias + 1 - more;
    typename F::bits mask = (typename F::bits)F::most << F::digits;
    return __open_cuda_of_bits<T>((__open_cuda_bits(x) & ~mask) | (typename F::bits)(F::bias - 1) << F::digits);
}
template <class T> __OPEN_CUDA_FN T __open_cuda_logb(T x) {
    int e;
    if (x == 0) return -INFINITY;
    if (__open_cuda_exponent(x) == __open_cuda_format<T>::most) return x * x;
    __open_cuda_frexp(x, &e);
    return (T)(e - 1);
}
template <class T> __OPEN_CUDA_FN int __open_cuda_ilogb(T x) {
    int e;
    if (x == 0 || x != x) return -2147483647 - 1;
    if (__open_cuda_exponent(x) == __open_cuda_format<T>::most) return 2147483647;
    __open_cuda_frexp(x, &e);
    return e - 1;
}
template <class T> __OPEN_CUDA_CONST T __open_cuda_nextafter(T x, T y) {
    typedef typename __open_cuda_format<T>::bits B;
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    B one = (B)1, sign = one << (sizeof(T) * 8 - 1);
    if (x == 0) return __open_cuda_of_bits<T>((__open_cuda_bits(y) & sign) | one);
    return __open_cuda_of_bits<T>(__open_cuda_bits(x) + ((x < y) == (x > 0) ? one : (B)0 - one));
}
// x - q y for the quotient q truncated, which is exact where the quotient has at most as many bits as a number.
__OPEN_CUDA_CONST double __oc_short_division(double x, double y, double *q) { return *q = trunc(__ddiv_rn(x, y)), fma(-*q, y, x); }
__OPEN_CUDA_CONST float __oc_short_division(float x, float y, float *q) { return *q = truncf(__fdiv_rn(x, y)), fmaf(-*q, y, x); }
// The remainder by long division of the significands, digit by digit, with the last bits of the quotient.
template <class T> __OPEN_CUDA_FN T __open_cuda_divide(T x, T y, unsigned *quotient) {
    typedef __open_cuda_format<T> F;
    typedef typename F::bits B;
    *quotient = 0;
    T a = __open_cuda_abs(x), b = __open_cuda_abs(y);
    if (b == 0 || !(a <= __open_cuda_of_bits<T>(((B)F::most << F::digits) - 1)) || y != y) return __open_cuda_of_bits<T>(~(B)0 >> 1);
    if (a < b) return x;
    if (a < b * __open_cuda_power_of_two<T>(F::digits - 1)) {
        T q, rest = __oc_short_division(a, b, &q); // q is the quotient, or the next integer
        *quotient = (unsigned)(long long)q - (rest < 0);
        rest = rest < 0 ? rest + b : rest;
        return __builtin_signbit(x) ? -rest : rest;
    }
    int ea, eb;
    B hidden = (B)1 << F::digits;
    B ma = (B)(__open_cuda_frexp(a, &ea) * (T)(hidden * 2)), mb = (B)(__open_cuda_frexp(b, &eb) * (T)(hidden * 2));
    unsigned q = 0;
    for (int n = ea - eb;; n--) {
        q <<= 1;
        if (ma >= mb) ma -= mb, q |= 1;
        if (n == 0) break;
        ma <<= 1;
    }
    *quotient = q;
    T rest = __open_cuda_scale((T)ma, eb - F::digits - 1);
    return __builtin_signbit(x) ? -rest : rest;
}
template <class T> __OPEN_CUDA_FN T __open_cuda_remainder(T x, T y, int *quotient) {
    unsigned q;
    T b = __open_cuda_abs(y), rest = __open_cuda_divide(x, y, &q), r = __open_cuda_abs(rest);
    *quotient = 0;
    if (r != r) return r;
    if (b == (T)INFINITY) return x;
    // Compare twice the rest with y; if both are huge, halves of them.
    bool huge = b > __open_cuda_power_of_two<T>(__open_cuda_format<T>::bias - 1);
    T twice = huge ? r : r + r, other = huge ? b * (T)0.5 : b;
    if (twice > other || (twice == other && (q & 1))) r -= b, q++;
    int sign = __builtin_signbit(x) != __builtin_signbit(y) ? -1 : 1;
    *quotient = (int)(q & 7) * sign;
    return __builtin_signbit(x) ? -r : r;
}

#define __OPEN_CUDA_EXACT_OF(type, f)                                                                                  \
    __OPEN_CUDA_CONST type round##f(type x) { return __open_cuda_round(x); }                                           \
    __OPEN_CUDA_CONST type fdim##f(type x, type y) { return x != x || y != y ? x + y : x > y ? x - y : (type)0; }      \
    __OPEN_CUDA_CONST type ldexp##f(type x, int n) { return __open_cuda_scale(x, n); }                                 \
    __OPEN_CUDA_CONST type scalbn##f(type x, int n) { return __open_cuda_scale(x, n); }                                \
    __OPEN_CUDA_CONST type scalbln##f(type x, long n) {                                                                \
        return __open_cuda_scale(x, n > 9999 ? 9999 : n < -9999 ? -9999 : (int)n);                                     \
    }                                                                                                                  \
    __OPEN_CUDA_FN type frexp##f(type x, int *exponent) { return __open_cuda_frexp(x, exponent); }                     \
    __OPEN_CUDA_FN type logb##f(type x) { return __open_cuda_logb(x); }                                                \
    __OPEN_CUDA_FN int ilogb##f(type x) { return __open_cuda_ilogb(x); }                                               \
    __OPEN_CUDA_FN type modf##f(type x, type *whole) {                                                                 \
        *whole = trunc##f(x);                                                                                          \
        type part = __open_cuda_abs(x) == (type)INFINITY ? (type)0 : x - *whole;                                       \
        return copysign##f(part, x);                                                                                   \
    }                                                                                                                  \
    __OPEN_CUDA_CONST type nextafter##f(type x, type y) { return __open_cuda_nextafter(x, y); }                        \
    __OPEN_CUDA_FN type fmod##f(type x, type y) { unsigned q; return __open_cuda_divide(x, y, &q); }                   \
    __OPEN_CUDA_FN type remainder##f(type x, type y) { int q; return __open_cuda_remainder(x, y, &q); }                \
    __OPEN_CUDA_FN type remquo##f(type x, type y, int *quotient) { return __open_cuda_remainder(x, y, quotient); }     \
    __OPEN_CUDA_CONST long lround##f(type x) { return (long)__open_cuda_round(x); }                                    \
    __OPEN_CUDA_CONST long long llround##f(type x) { return (long long)__open_cuda_round(x); }
__OPEN_CUDA_EXACT_OF(double, )
__OPEN_CUDA_EXACT_OF(float, f)
__OPEN_CUDA_CONST long lrint(double x) { return (long)__double2ll_rn(x); }
__OPEN_CUDA_CONST long long llrint(double x) { return __double2ll_rn(x); }
__OPEN_CUDA_CONST long lrintf(float x) { return (long)__float2ll_rn(x); }
__OPEN_CUDA_CONST long long llrintf(float x) { return __float2ll_rn(x); }
__OPEN_CUDA_CONST double nan(const char *) { return __builtin_nan(""); }
__OPEN_CUDA_CONST float nanf(const char *) { return __builtin_nanf(""); }

#define __OPEN_CUDA_CLASSES(type)                                                                   \
    __OPEN_CUDA_CONST constexpr bool isnan(type x) { return __builtin_isnan(x); }                   \
    __OPEN_CUDA_CONST constexpr bool isinf(type x) { return __builtin_isinf(x); }                   \
    __OPEN_CUDA_CONST constexpr bool isfinite(type x) { return __builtin_isfinite(x); }             \
    __OPEN_CUDA_CONST constexpr bool isnormal(type x) { return __builtin_isnormal(x); }             \
    __OPEN_CUDA_CONST constexpr bool signbit(type x) { return __builtin_signbit(x); }
__OPEN_CUDA_CLASSES(float)
__OPEN_CUDA_CLASSES(double)
#define __OPEN_CUDA_CLASSES_AS_INT(type, suffix)                                                    \
    __OPEN_CUDA_CONST int __isnan##suffix(type x) { return __builtin_isnan(x); }                    \
    __OPEN_CUDA_CONST int __isinf##suffix(type x) { return __builtin_isinf(x); }                    \
    __OPEN_CUDA_CONST int __finite##suffix(type x) { return __builtin_isfinite(x); }                \
    __OPEN_CUDA_CONST int __signbit##suffix(type x) { return __builtin_signbit(x); }
__OPEN_CUDA_CLASSES_AS_INT(float, f)
__OPEN_CUDA_CLASSES_AS_INT(double, )
