// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Pseudo-random generators. XORWOW: Marsaglia, "Xorshift RNGs", 2003. MRG32k3a: L'Ecuyer, "Good parameters and
// implementations for combined multiple recursive random number generators", 1999. Philox: Salmon and others, "Parallel
// random numbers: as easy as 1, 2, 3", 2011. Distances of subsequences: cuRAND documentation, "Device API Overview". How
// seeds change the first state was found from states that cuRAND makes of chosen seeds.
#pragma once
#include "../../cuda_runtime.h"
#include "xorwow_jumps.h"

// What Box and Muller's method keeps: its second number.
#define __OPEN_CUDA_SECOND_NORMAL            \
    int boxmuller_flag, boxmuller_flag_double; \
    float boxmuller_extra;                     \
    double boxmuller_extra_double;
struct curandStateXORWOW {
    unsigned int d, v[5];
    __OPEN_CUDA_SECOND_NORMAL
};
struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    __OPEN_CUDA_SECOND_NORMAL
};
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE; // of the four words, how many have been drawn
    __OPEN_CUDA_SECOND_NORMAL
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// --- XORWOW -----------------------------------------------------------------------------------------------------------

__OPEN_CUDA_FN unsigned curand(curandStateXORWOW_t *state) {
    unsigned t = state->v[0] ^ state->v[0] >> 2;
    for (int i = 0; i < 4; i++) state->v[i] = state->v[i + 1];
    state->v[4] = state->v[4] ^ state->v[4] << 4 ^ t ^ t << 1;
    state->d += 362437;
    return state->v[4] + state->d;
}
// Applies one polynomial for each bit of n; those of subsequences begin at 64.
static __device__ __noinline__ void __open_cuda_jump(unsigned long long n, int first, curandStateXORWOW_t *state) {
    for (; n; n &= n - 1) {
        const unsigned *polynomial = __open_cuda_xorwow_jumps[first + __ffsll(n) - 1];
        curandStateXORWOW_t at = *state;
        unsigned sum[5] = {0, 0, 0, 0, 0};
        for (int i = 0; i < 160; i++) {
            unsigned mask = 0u - (polynomial[i >> 5] >> (i & 31) & 1);
            for (int k = 0; k < 5; k++) sum[k] ^= at.v[k] & mask;
            curand(&at);
        }
        for (int k = 0; k < 5; k++) state->v[k] = sum[k];
    }
}
__OPEN_CUDA_FN void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
    __open_cuda_jump(n, 0, state);
    state->d += 362437u * (unsigned)n;
}
__OPEN_CUDA_FN void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state) {
    __open_cuda_jump(n, 64, state);
}
__OPEN_CUDA_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStateXORWOW_t *state) {
    unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u), high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    *state = {6615241u + low + high,
              {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low}, 0, 0, 0, 0};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

// --- MRG32k3a ---------------------------------------------------------------------------------------------------------

#define __OPEN_CUDA_MRG_1 4294967087ull
#define __OPEN_CUDA_MRG_2 4294944443ull
// From 1 to the first modulus.
__OPEN_CUDA_FN unsigned __open_cuda_mrg(curandStateMRG32k3a_t *state) {
    const unsigned long long m1 = __OPEN_CUDA_MRG_1, m2 = __OPEN_CUDA_MRG_2;
    unsigned *a = state->s1, *b = state->s2;
    unsigned x = (1403580ull * a[1] + 810728ull * (m1 - a[0])) % m1, y = (527612ull * b[2] + 1370589ull * (m2 - b[0])) % m2;
    a[0] = a[1], a[1] = a[2], a[2] = x;
    b[0] = b[1], b[1] = b[2], b[2] = y;
    return (unsigned)(x <= y ? x + m1 - y : (unsigned long long)(x - y));
}
__OPEN_CUDA_FN unsigned curand(curandStateMRG32k3a_t *state) {
    return (unsigned)(__open_cuda_mrg(state) * 1.000000048662); // 2^32 over the modulus
}
struct __open_cuda_matrix { unsigned at[3][3]; };
static __device__ __noinline__ __open_cuda_matrix __open_cuda_multiply(const __open_cuda_matrix &a,
                                                                       const __open_cuda_matrix &b, unsigned long long m) {
    __open_cuda_matrix c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            unsigned long long sum = 0;
            for (int k = 0; k < 3; k++) sum += (unsigned long long)a.at[i][k] * b.at[k][j] % m;
            c.at[i][j] = (unsigned)(sum % m);
        }
    return c;
}
// Multiplies the state by the matrix to the power of n 2^doublings.
static __device__ __noinline__ void __open_cuda_jump(unsigned long long n, int doublings,
                                                     const __open_cuda_matrix &step, unsigned *s, unsigned long long m) {
    if (n == 0) return;
    __open_cuda_matrix matrix = step;
    for (int i = 0; i < doublings; i++) matrix = __open_cuda_multiply(matrix, matrix, m);
    for (; n; n >>= 1) {
        if (n & 1) {
            unsigned next[3];
            for (int i = 0; i < 3; i++) {
                unsigned long long sum = 0;
                for (int k = 0; k < 3; k++) sum += (unsigned long long)matrix.at[i][k] * s[k] % m;
                next[i] = (unsigned)(sum % m);
            }
            for (int i = 0; i < 3; i++) s[i] = next[i];
        }
        if (n > 1) matrix = __open_cuda_multiply(matrix, matrix, m);
    }
}
// One step, and 2^76 and 2^127 steps: the powers of the first matrices.
#define __OPEN_CUDA_MRG_JUMP(name, doublings)                                                                      \
    __OPEN_CUDA_FN void name(unsigned long long n, curandStateMRG32k3a_t *state) {                                 \
        const __open_cuda_matrix a = __OPEN_CUDA_MRG_MATRIX_1, b = __OPEN_CUDA_MRG_MATRIX_2;                       \
        __open_cuda_jump(n, doublings, a, state->s1, __OPEN_CUDA_MRG_1);                                           \
        __open_cuda_jump(n, doublings, b, state->s2, __OPEN_CUDA_MRG_2);                                           \
    }
#define __OPEN_CUDA_MRG_MATRIX_1 {{{0, 1, 0}, {0, 0, 1}, {(unsigned)(__OPEN_CUDA_MRG_1 - 810728), 1403580, 0}}}
#define __OPEN_CUDA_MRG_MATRIX_2 {{{0, 1, 0}, {0, 0, 1}, {(unsigned)(__OPEN_CUDA_MRG_2 - 1370589), 0, 527612}}}
__OPEN_CUDA_MRG_JUMP(skipahead, 0)
__OPEN_CUDA_MRG_JUMP(skipahead_subsequence, 76)
__OPEN_CUDA_MRG_JUMP(skipahead_sequence, 127)
__OPEN_CUDA_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStateMRG32k3a_t *state) {
    unsigned long long low = (unsigned)seed ^ 0x55555555u, high = (unsigned)(seed >> 32) ^ 0xaaaaaaaau;
    if (seed == 0) low = high = 1;
    unsigned a = (unsigned)(12345 * low % __OPEN_CUDA_MRG_1), b = (unsigned)(12345 * high % __OPEN_CUDA_MRG_1);
    unsigned c = (unsigned)(12345 * low % __OPEN_CUDA_MRG_2), d = (unsigned)(12345 * high % __OPEN_CUDA_MRG_2);
    *state = {{a, b, a}, {d, c, d}, 0, 0, 0, 0};
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}

// --- Philox -----------------------------------------------------------------------------------------------------------

__OPEN_CUDA_CONST uint4 __open_cuda_philox(uint4 counter, uint2 key) {
    for (int i = 0; i < 10; i++) {
        unsigned long long a = 0xd2511f53ull * counter.x, b = 0xcd9e8d57ull * counter.z;
        counter = {(unsigned)(b >> 32) ^ counter.y ^ key.x, (unsigned)b, (unsigned)(a >> 32) ^ counter.w ^ key.y, (unsigned)a};
        key.x += 0x9e3779b9u, key.y += 0xbb67ae85u;
    }
    return counter;
}
__OPEN_CUDA_FN void __open_cuda_add(uint4 *counter, unsigned long long low, unsigned long long high) {
    unsigned __int128 sum = (unsigned __int128)counter->w << 96 | (unsigned __int128)counter->z << 64 |
                            (unsigned __int128)counter->y << 32 | counter->x;
    sum += (unsigned __int128)high << 64 | low;
    *counter = {(unsigned)sum, (unsigned)(sum >> 32), (unsigned)(sum >> 64), (unsigned)(sum >> 96)};
}
__OPEN_CUDA_FN unsigned __open_cuda_word(const uint4 &words, unsigned n) {
    return n == 0 ? words.x : n == 1 ? words.y : n == 2 ? words.z : words.w;
}
__OPEN_CUDA_FN unsigned curand(curandStatePhilox4_32_10_t *state) {
    unsigned word = __open_cuda_word(state->output, state->STATE++);
    if (state->STATE == 4) {
        __open_cuda_add(&state->ctr, 1, 0);
        state->output = __open_cuda_philox(state->ctr, state->key);
        state->STATE = 0;
    }
    return word;
}
__OPEN_CUDA_FN uint4 curand4(curandStatePhilox4_32_10_t *state) {
    uint4 before = state->output;
    __open_cuda_add(&state->ctr, 1, 0);
    uint4 next = state->output = __open_cuda_philox(state->ctr, state->key);
    switch (state->STATE) {
    case 0: return before;
    case 1: return {before.y, before.z, before.w, next.x};
    case 2: return {before.z, before.w, next.x, next.y};
    default: return {before.w, next.x, next.y, next.z};
    }
}
__OPEN_CUDA_FN void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    state->STATE += (unsigned)(n & 3);
    n /= 4;
    if (state->STATE > 3) n++, state->STATE -= 4;
    __open_cuda_add(&state->ctr, n, 0);
    state->output = __open_cuda_philox(state->ctr, state->key);
}
__OPEN_CUDA_FN void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
    __open_cuda_add(&state->ctr, 0, n);
    state->output = __open_cuda_philox(state->ctr, state->key);
}
__OPEN_CUDA_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                curandStatePhilox4_32_10_t *state) {
    *state = {};
    state->key = {(unsigned)seed, (unsigned)(seed >> 32)};
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
