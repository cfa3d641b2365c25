// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Trigonometric functions, their inverses, roots and norms in single precision, with single-precision and integer
// arithmetic only. Reduction of arguments: see trigonometric.h.
#pragma once
#include "float_exponential.h"
#include "integers.h"
#include "two_over_pi.h"

struct __open_cuda_anglef {
    float r; // |r| <= pi / 4, or a little more
    int quadrant;
};
// For |x| >= 2**16: 2 / pi times the significand, from three words of 2 / pi at the bit where multiples of 4 end.
static __device__ __noinline__ __open_cuda_anglef __open_cuda_reduce_largef(float x) {
    unsigned bits = __open_cuda_bits(x), m = (bits & 0x7fffffu) | 0x800000u;
    int start = (int)(bits >> 23 & 0xff) - 152 + 64, word = start >> 6, shift = start & 63; // -2 bits before the point
    unsigned long long a = __open_cuda_two_over_pi[word], b = __open_cuda_two_over_pi[word + 1], c = __open_cuda_two_over_pi[word + 2];
    unsigned long long high = shift ? a << shift | b >> (64 - shift) : a, low = shift ? b << shift | c >> (64 - shift) : b;
    unsigned long long p = high * m + __umul64hi(low, m); // 2 bits of the quadrant, 62 of the fraction
    int quadrant = (int)(p >> 62);
    long long fraction = (long long)(p << 2) >> 1; // of quarter turns, as a signed number
    if (fraction < 0) quadrant++;
    float first = (float)fraction, rest = (float)(fraction - (long long)first);
    float r = fmaf(first, 0x1.921fb6p-63f, fmaf(rest, 0x1.921fb6p-63f, first * -0x1.777a5cp-88f));
    if ((bits & 0x7fffffffu) >= 0x7f800000u) r = x - x;
    return {bits >> 31 ? -r : r, bits >> 31 ? -quadrant : quadrant};
}
__OPEN_CUDA_CONST __open_cuda_anglef __open_cuda_reducef(float x) {
    __open_cuda_whole n = __oc_whole(x, 0x1.45f306p-1f);
    float r = fmaf(-n.k, -0x1.ee59dap-50f, fmaf(-n.k, -0x1.777a5cp-25f, fmaf(-n.k, 0x1.921fb6p+0f, x)));
    __open_cuda_anglef a = {r, (int)n.bits};
    if (!(fabsf(x) < 65536.0f)) a = __open_cuda_reduce_largef(x);
    return a;
}
__OPEN_CUDA_CONST float __oc_sin_part(float r) { float z = r * r; return fmaf(r * z, __open_cuda_poly_sinf(z), r); }
__OPEN_CUDA_CONST float __oc_cos_part(float r) {
    float z = r * r;
    return fmaf(z, fmaf(z, __open_cuda_poly_cosf(z), -0.5f), 1.0f);
}
__OPEN_CUDA_CONST float __oc_negate_if(float x, int bit1) { // if bit 1 of an integer is set
    return __open_cuda_of_bits<float>(__open_cuda_bits(x) ^ ((unsigned)bit1 & 2u) << 30);
}
__OPEN_CUDA_CONST float __oc_sin_of(float r, int quadrant) {
    float s = __oc_sin_part(r), c = __oc_cos_part(r);
    return __oc_negate_if(quadrant & 1 ? c : s, quadrant);
}
#ifdef __USE_FAST_MATH__ // NVRTC documentation, --use_fast_math
__OPEN_CUDA_CONST float sinf(float x) { return __sinf(x); }
__OPEN_CUDA_CONST float cosf(float x) { return __cosf(x); }
__OPEN_CUDA_CONST float tanf(float x) { return __tanf(x); }
__OPEN_CUDA_FN void sincosf(float x, float *sine, float *cosine) { __sincosf(x, sine, cosine); }
#else
__OPEN_CUDA_CONST float sinf(float x) {
    __open_cuda_anglef a = __open_cuda_reducef(x);
    float s = __oc_sin_of(a.r, a.quadrant);
    return x == 0 ? x : s;
}
__OPEN_CUDA_CONST float cosf(float x) {
    __open_cuda_anglef a = __open_cuda_reducef(x);
    return __oc_sin_of(a.r, a.quadrant + 1);
}
__OPEN_CUDA_FN void sincosf(float x, float *sine, float *cosine) {
    __open_cuda_anglef a = __open_cuda_reducef(x);
    float s = __oc_sin_of(a.r, a.quadrant);
    *sine = x == 0 ? x : s;
    *cosine = __oc_sin_of(a.r, a.quadrant + 1);
}
__OPEN_CUDA_CONST float tanf(float x) {
    __open_cuda_anglef a = __open_cuda_reducef(x);
    float s = __oc_sin_part(a.r), c = __oc_cos_part(a.r);
    float t = (a.quadrant & 1 ? -c : s) / (a.quadrant & 1 ? s : c);
    return x == 0 ? x : t;
}
#endif
// Half turns: x = quadrant / 2 + rest, exactly; numbers from 2**21 on are reduced first.
__OPEN_CUDA_CONST float __oc_sinpif_of(float x, int more) {
    float c = fabsf(x) < 0x1p21f ? x : x - 2 * truncf(0.5f * x);
    __open_cuda_whole n = __oc_whole(c, 2.0f);
    float t = fmaf(-0.5f, n.k, c), z = t * t;
    int quadrant = (int)n.bits + more;
    float s = fmaf(t, 0x1.921fb6p+1f, t * fmaf(z, __open_cuda_poly_sinpif(z), -0x1.777a5cp-24f));
    float cosine = fmaf(z, __open_cuda_poly_cospif(z), 1.0f);
    return __oc_negate_if(quadrant & 1 ? cosine : s, quadrant);
}
__OPEN_CUDA_CONST float sinpif(float x) {
    float s = __oc_sinpif_of(x, 0);
    return truncf(x) == x ? x * 0 : s;
}
__OPEN_CUDA_CONST float cospif(float x) { return __oc_sinpif_of(x, 1) + 0.0f; }
__OPEN_CUDA_FN void sincospif(float x, float *sine, float *cosine) { *sine = sinpif(x), *cosine = cospif(x); }

__OPEN_CUDA_CONST float __oc_asin_part(float x, float z) { return fmaf(x * z, __open_cuda_poly_asinf(z), x); } // z = x * x
__OPEN_CUDA_CONST float asinf(float x) {
    float a = fabsf(x), half = fmaf(-0.5f, a, 0.5f); // its root is not a number for |x| above 1
    bool far = a > 0.5f;
    float p = __oc_asin_part(far ? sqrtf(half) : a, far ? half : a * a);
    return copysignf(far ? fmaf(-2.0f, p, 0x1.921fb6p+0f) : p, x);
}
__OPEN_CUDA_CONST float acosf(float x) {
    float a = fabsf(x), half = fmaf(-0.5f, a, 0.5f);
    bool far = a > 0.5f;
    float p = __oc_asin_part(far ? sqrtf(half) : a, far ? half : a * a);
    float near = 0x1.921fb6p+0f - (copysignf(p, x) + 0x1.777a5cp-25f);
    float beyond = x > 0 ? 2 * p : fmaf(-2.0f, p, 0x1.921fb6p+1f);
    return far ? beyond : near;
}
__OPEN_CUDA_CONST float __oc_atan_part(float t) { float z = t * t; return fmaf(t * z, __open_cuda_poly_atanf(z), t); } // |t| <= 1
__OPEN_CUDA_CONST float atanf(float x) {
    float a = fabsf(x), p = __oc_atan_part(a > 1 ? 1 / a : a);
    return copysignf(a > 1 ? 0x1.921fb6p+0f - p : p, x);
}
__OPEN_CUDA_CONST float atan2f(float y, float x) {
    float a = fabsf(y), b = fabsf(x), most = a > b ? a : b, least = a > b ? b : a;
    bool same = (least == INFINITY) | (most == 0); // of which the quotient is none
    float r = __oc_atan_part((same ? most == 0 ? 0.0f : 1.0f : least) / (same ? 1.0f : most));
    r = a > b ? 0x1.921fb6p+0f - (r + 0x1.777a5cp-25f) : r;
    r = __open_cuda_bits(x) >> 31 ? 0x1.921fb6p+1f - (r + 0x1.777a5cp-24f) : r;
    r = copysignf(r, y);
    return __builtin_isunordered(x, y) ? x + y : r;
}

// The reciprocal of the cube root of a > 0, with a relative error of some 2**-23: Newton's method of third order.
__OPEN_CUDA_CONST float __oc_rcbrtf(float a) {
    unsigned third = __open_cuda_bits(a);
    third = (third >> 2) + (third >> 4), third += third >> 4, third += third >> 8;
    float y = __open_cuda_of_bits<float>(0x54a23400u - third);
    float h = fmaf(-a * y, y * y, 1.0f);
    y = fmaf(y * h, fmaf(h, fmaf(h, 0x1.61f9aep-3f, 0x1.c71c72p-3f), 0x1.555556p-2f), y);
    h = fmaf(-a * y, y * y, 1.0f);
    return fmaf(y * h, fmaf(h, 0x1.c71c72p-3f, 0x1.555556p-2f), y);
}
__OPEN_CUDA_CONST float cbrtf(float x) {
    float a = fabsf(x);
    bool tiny = a < 0x1p-126f;
    float m = tiny ? a * 0x1p24f : a, r = __oc_rcbrtf(m), y = m * r * r;
    y = fmaf(fmaf(-y * y, y, m), r * r * 0x1.555556p-2f, y);
    y = tiny ? y * 0x1p-8f : y;
    return x == 0 || !(a < INFINITY) ? x : copysignf(y, x);
}
__OPEN_CUDA_CONST float rcbrtf(float x) {
    float a = fabsf(x);
    bool tiny = a < 0x1p-126f;
    float m = tiny ? a * 0x1p24f : a, r = __oc_rcbrtf(m);
    // once more, with the residual of an exact square
    __oc_ff s = __oc_product(r, r), c = __oc_product(s.high, m);
    r = fmaf(r * 0x1.555556p-2f, -((fmaf(c.high, r, -1.0f) + c.low * r) + s.low * m * r), r);
    r = tiny ? r * 0x1p8f : r;
    r = x == 0 ? INFINITY : a == INFINITY ? 0.0f : r;
    return copysignf(r, x);
}

// The sum of squares of up to four numbers, scaled by a power of two so that it neither overflows nor vanishes.
struct __open_cuda_squaresf {
    float sum, scale, inverse; // the numbers were multiplied by inverse = 1 / scale
    bool infinite;
};
__OPEN_CUDA_CONST __open_cuda_squaresf __oc_squares_of(float most) { // with a sum of 0
    bool large = most > 0x1p60f, small = most < 0x1p-50f;
    float scale = large ? 0x1p80f : small ? 0x1p-100f : 1.0f, inverse = large ? 0x1p-80f : small ? 0x1p100f : 1.0f;
    return {0, scale, inverse, most == INFINITY};
}
__OPEN_CUDA_CONST __open_cuda_squaresf __oc_squares(float a, float b) {
    __open_cuda_squaresf s = __oc_squares_of(fmaxf(fabsf(a), fabsf(b)));
    a *= s.inverse, b *= s.inverse, s.sum = fmaf(a, a, b * b);
    return s;
}
__OPEN_CUDA_CONST __open_cuda_squaresf __oc_squares(float a, float b, float c, float d) {
    __open_cuda_squaresf s = __oc_squares_of(fmaxf(fmaxf(fabsf(a), fabsf(b)), fmaxf(fabsf(c), fabsf(d))));
    a *= s.inverse, b *= s.inverse, c *= s.inverse, d *= s.inverse;
    s.sum = fmaf(a, a, b * b) + fmaf(c, c, d * d);
    return s;
}
__OPEN_CUDA_CONST float __oc_norm(__open_cuda_squaresf s) {
    float y = sqrtf(s.sum) * s.scale;
    return s.infinite ? INFINITY : y;
}
__OPEN_CUDA_CONST float __oc_rnorm(__open_cuda_squaresf s) {
    float y = 1 / sqrtf(s.sum) * s.inverse;
    return s.infinite ? 0.0f : y;
}
__OPEN_CUDA_FN __open_cuda_squaresf __oc_all_squares(int count, const float *x) {
    float most = 0;
    for (int i = 0; i < count; i++) most = fmaxf(most, fabsf(x[i]));
    __open_cuda_squaresf s = __oc_squares_of(most);
    for (int i = 0; i < count; i++) s.sum = fmaf(x[i] * s.inverse, x[i] * s.inverse, s.sum);
    return s;
}
