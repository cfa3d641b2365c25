// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Conversions between integers and 16-bit floating-point types on the host, by integers: x86-64 and aarch64 have no
// instructions that every machine can execute.
#pragma once

// The bits of the nearest number with so many bits of fraction, ties to even; an infinity beyond the largest.
static inline __attribute__((unused)) unsigned short __open_cuda_short_of(unsigned long long magnitude, bool negative,
                                                                          int fraction, int bias) {
    unsigned short sign = negative ? 0x8000 : 0, infinite = 0x7fff >> fraction << fraction;
    if (!magnitude) return 0;
    int exponent = 63 - __builtin_clzll(magnitude), dropped = exponent - fraction;
    unsigned long long kept = dropped < 0 ? magnitude << -dropped : magnitude >> dropped;
    if (dropped > 0) {
        unsigned long long rest = magnitude & ((1ull << dropped) - 1), tie = 1ull << (dropped - 1);
        kept += rest > tie || (rest == tie && (kept & 1));
    }
    // A fraction that became 1 adds to the exponent.
    unsigned bits = ((unsigned)(exponent + bias) << fraction) + (unsigned)(kept - (1ull << fraction));
    return sign | (bits < infinite ? bits : infinite);
}

// Rounded towards zero and limited to the type, as by cvt.rzi: PTX ISA, "cvt". Of a NaN, 0, or the sign bit of 64.
template <class T> static inline __attribute__((unused)) T __open_cuda_whole_of(float x) {
    constexpr bool with_sign = (T)-1 < (T)0;
    constexpr T least = with_sign ? (T)(1ull << (8 * sizeof(T) - 1)) : (T)0, most = (T)~least;
    if (x != x) return sizeof(T) == 8 ? (T)(1ull << 63) : (T)0;
    float limit = (with_sign ? 1.0f : 2.0f) * (float)(1ull << (8 * sizeof(T) - 1));
    return x >= limit ? most : x <= (with_sign ? -limit : 0.0f) ? least : (T)x;
}

template <class Format, class T> static inline __attribute__((unused)) unsigned short __open_cuda_short_of(T x) {
    bool negative = x < (T)0;
    unsigned long long magnitude = negative ? 0 - (unsigned long long)x : (unsigned long long)x;
    return __open_cuda_short_of(magnitude, negative, Format::fraction, Format::bias);
}

// The bits of a float rounded down (or up) from those of the nearest number.
template <class Format> static inline __attribute__((unused)) unsigned short __open_cuda_directed(float x, bool up) {
    unsigned short bits = Format::nearest(x);
    float near = Format::widen(bits);
    bool moves = up ? near < x : near > x;
    return moves ? bits + ((bits >> 15) == up ? -1 : 1) : bits;
}
