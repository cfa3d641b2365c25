// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Sobol's quasi-random sequences, in the order of Gray codes: Antonov and Saleev, 1979. The scrambled ones begin with a
// word of the program's.
#pragma once
#include "generators.h"

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#define __OPEN_CUDA_SOBOL(name, word, bits)                                                                        \
    struct name {                                                                                                  \
        word i, x, c, direction_vectors[bits];                                                                     \
    };                                                                                                             \
    typedef struct name name##_t;                                                                                  \
    __OPEN_CUDA_FN word curand(name##_t *state) {                                                                  \
        word drawn = state->x;                                                                                     \
        int zero = __ffsll((long long)(unsigned long long)~state->i) - 1;                                          \
        if (zero >= 0 && zero < bits) state->x ^= state->direction_vectors[zero];                                  \
        state->i++;                                                                                                \
        return drawn;                                                                                              \
    }                                                                                                              \
    __OPEN_CUDA_FN void __open_cuda_skip(word n, name##_t *state) {                                                \
        state->i += n;                                                                                             \
        word gray = state->i ^ state->i >> 1;                                                                      \
        state->x = state->c;                                                                                       \
        for (int k = 0; k < bits; k++)                                                                             \
            if (gray >> k & 1) state->x ^= state->direction_vectors[k];                                            \
    }                                                                                                              \
    __OPEN_CUDA_FN void __open_cuda_start(const word *vectors, word first, word offset, name##_t *state) {         \
        for (int k = 0; k < bits; k++) state->direction_vectors[k] = vectors[k];                                   \
        state->i = 0, state->c = first;                                                                            \
        __open_cuda_skip(offset, state);                                                                           \
    }
#define __OPEN_CUDA_PLAIN_SOBOL(name, word, bits)                                                                  \
    __OPEN_CUDA_SOBOL(name, word, bits)                                                                            \
    __OPEN_CUDA_FN void skipahead(word n, name##_t *state) { __open_cuda_skip(n, state); }                         \
    __OPEN_CUDA_FN void curand_init(word *vectors, word offset, name##_t *state) {                                 \
        __open_cuda_start(vectors, 0, offset, state);                                                              \
    }
#define __OPEN_CUDA_SCRAMBLED_SOBOL(name, word, bits)                                                              \
    __OPEN_CUDA_SOBOL(name, word, bits)                                                                            \
    __OPEN_CUDA_FN void skipahead(word n, name##_t *state) { __open_cuda_skip(n, state); }                         \
    __OPEN_CUDA_FN void curand_init(word *vectors, word scramble_c, word offset, name##_t *state) {                \
        __open_cuda_start(vectors, scramble_c, offset, state);                                                     \
    }
__OPEN_CUDA_PLAIN_SOBOL(curandStateSobol32, unsigned int, 32)
__OPEN_CUDA_PLAIN_SOBOL(curandStateSobol64, unsigned long long, 64)
__OPEN_CUDA_SCRAMBLED_SOBOL(curandStateScrambledSobol32, unsigned int, 32)
__OPEN_CUDA_SCRAMBLED_SOBOL(curandStateScrambledSobol64, unsigned long long, 64)
