// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Distributions: cuRAND documentation, "Distributions". Uniform numbers are in (0, 1]. Pseudo-random normal numbers are
// made in pairs (Box and Muller, 1958), quasi-random ones by the inverse of the cumulative distribution.
#pragma once
#include "sobol.h"

__OPEN_CUDA_CONST float __open_cuda_unit(unsigned x) { return fmaf((float)x, 0x1p-32f, 0x1p-33f); }
__OPEN_CUDA_CONST double __open_cuda_unit(unsigned x, unsigned y) {
    return fma((double)((unsigned long long)x ^ (unsigned long long)y << 21), 0x1p-53, 0x1p-54);
}
__OPEN_CUDA_CONST double __open_cuda_wide_unit(unsigned x) { return fma((double)x, 0x1p-32, 0x1p-32); }
__OPEN_CUDA_CONST double __open_cuda_unit_of_64(unsigned long long x) { return fma((double)(x >> 11), 0x1p-53, 0x1p-54); }

// Uniform numbers of each generator.
#define __OPEN_CUDA_UNIFORM(State, of_float, of_double)                                                            \
    __OPEN_CUDA_FN float curand_uniform(State *state) { return of_float; }                                         \
    __OPEN_CUDA_FN double curand_uniform_double(State *state) { return of_double; }
template <class State> __OPEN_CUDA_FN double __open_cuda_two_words(State *state) {
    unsigned x = curand(state), y = curand(state);
    return __open_cuda_unit(x, y);
}
__OPEN_CUDA_UNIFORM(curandStateXORWOW_t, __open_cuda_unit(curand(state)), __open_cuda_two_words(state))
__OPEN_CUDA_UNIFORM(curandStatePhilox4_32_10_t, __open_cuda_unit(curand(state)), __open_cuda_wide_unit(curand(state)))
__OPEN_CUDA_UNIFORM(curandStateMRG32k3a_t, (float)(__open_cuda_mrg(state) * 2.3283065498378288e-10),
                    __open_cuda_mrg(state) * 2.3283065498378288e-10)
__OPEN_CUDA_UNIFORM(curandStateSobol32_t, __open_cuda_unit(curand(state)), __open_cuda_wide_unit(curand(state)))
__OPEN_CUDA_UNIFORM(curandStateScrambledSobol32_t, __open_cuda_unit(curand(state)),
                    __open_cuda_wide_unit(curand(state)))
__OPEN_CUDA_UNIFORM(curandStateSobol64_t, __open_cuda_unit((unsigned)(curand(state) >> 32)),
                    __open_cuda_unit_of_64(curand(state)))
__OPEN_CUDA_UNIFORM(curandStateScrambledSobol64_t, __open_cuda_unit((unsigned)(curand(state) >> 32)),
                    __open_cuda_unit_of_64(curand(state)))
__OPEN_CUDA_FN float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    return {__open_cuda_unit(x.x), __open_cuda_unit(x.y), __open_cuda_unit(x.z), __open_cuda_unit(x.w)};
}
__OPEN_CUDA_FN double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    return {__open_cuda_unit(x.x, x.y), __open_cuda_unit(x.z, x.w)};
}
__OPEN_CUDA_FN double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state) {
    double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return {a.x, a.y, b.x, b.y};
}

__OPEN_CUDA_CONST float2 __open_cuda_normals(float u, float angle) {
    float radius = sqrtf(-2.0f * logf(u)), sine, cosine;
    sincosf(angle, &sine, &cosine);
    return {radius * sine, radius * cosine};
}
__OPEN_CUDA_CONST double2 __open_cuda_normals(double u, double half_turns) {
    double radius = sqrt(-2.0 * log(u)), sine, cosine;
    sincospi(half_turns, &sine, &cosine);
    return {radius * sine, radius * cosine};
}
__OPEN_CUDA_CONST float2 __open_cuda_normals(unsigned x, unsigned y) {
    return __open_cuda_normals(__open_cuda_unit(x), fmaf((float)y, 0x1.921fb6p-30f, 0x1.921fb6p-31f));
}
template <class State> __OPEN_CUDA_FN float2 curand_normal2(State *state) {
    unsigned x = curand(state), y = curand(state);
    return __open_cuda_normals(x, y);
}
__OPEN_CUDA_FN float2 curand_normal2(curandStateMRG32k3a_t *state) {
    float u = curand_uniform(state), v = curand_uniform(state);
    return __open_cuda_normals(u, v * 6.2831853f);
}
template <class State> __OPEN_CUDA_FN double2 curand_normal2_double(State *state) {
    double u = curand_uniform_double(state), v = curand_uniform_double(state);
    return __open_cuda_normals(u, 2 * v);
}
__OPEN_CUDA_FN float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
    uint4 x = curand4(state);
    float2 a = __open_cuda_normals(x.x, x.y), b = __open_cuda_normals(x.z, x.w);
    return {a.x, a.y, b.x, b.y};
}
__OPEN_CUDA_FN double2 curand_normal2_double(curandStatePhilox4_32_10_t *state) {
    double2 u = curand_uniform2_double(state);
    return __open_cuda_normals(u.x, 2 * u.y);
}
__OPEN_CUDA_FN double4 curand_normal4_double(curandStatePhilox4_32_10_t *state) {
    double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
    return {a.x, a.y, b.x, b.y};
}
#define __OPEN_CUDA_NORMAL_BY_PAIRS(State, name, type, pair, flag, extra)                                          \
    __OPEN_CUDA_FN type name(State *state) {                                                                       \
        state->flag = !state->flag;                                                                                \
        if (!state->flag) return state->extra;                                                                     \
        pair both = name##_pair(state);                                                                            \
        state->extra = both.y;                                                                                     \
        return both.x;                                                                                             \
    }
template <class State> __OPEN_CUDA_FN float2 curand_normal_pair(State *state) { return curand_normal2(state); }
template <class State> __OPEN_CUDA_FN double2 curand_normal_double_pair(State *state) {
    double u = curand_uniform_double(state), v = curand_uniform_double(state);
    return __open_cuda_normals(u, 2 * v);
}
__OPEN_CUDA_FN double2 curand_normal_double_pair(curandStatePhilox4_32_10_t *state) { return curand_normal2_double(state); }
#define __OPEN_CUDA_NORMAL_OF(State)                                                                               \
    __OPEN_CUDA_NORMAL_BY_PAIRS(State, curand_normal, float, float2, boxmuller_flag, boxmuller_extra)              \
    __OPEN_CUDA_NORMAL_BY_PAIRS(State, curand_normal_double, double, double2, boxmuller_flag_double,               \
                                boxmuller_extra_double)
__OPEN_CUDA_NORMAL_OF(curandStateXORWOW_t)
__OPEN_CUDA_NORMAL_OF(curandStateMRG32k3a_t)
__OPEN_CUDA_NORMAL_OF(curandStatePhilox4_32_10_t)
#define __OPEN_CUDA_NORMAL_BY_INVERSE(State)                                                                       \
    __OPEN_CUDA_FN float curand_normal(State *state) { return normcdfinvf(curand_uniform(state)); }                \
    __OPEN_CUDA_FN double curand_normal_double(State *state) { return normcdfinv(curand_uniform_double(state)); }
__OPEN_CUDA_NORMAL_BY_INVERSE(curandStateSobol32_t)
__OPEN_CUDA_NORMAL_BY_INVERSE(curandStateScrambledSobol32_t)
__OPEN_CUDA_NORMAL_BY_INVERSE(curandStateSobol64_t)
__OPEN_CUDA_NORMAL_BY_INVERSE(curandStateScrambledSobol64_t)

template <class State> __OPEN_CUDA_FN float curand_log_normal(State *state, float mean, float deviation) {
    return expf(mean + deviation * curand_normal(state));
}
template <class State> __OPEN_CUDA_FN double curand_log_normal_double(State *state, double mean, double deviation) {
    return exp(mean + deviation * curand_normal_double(state));
}
template <class State> __OPEN_CUDA_FN float2 curand_log_normal2(State *state, float mean, float deviation) {
    float2 n = curand_normal2(state);
    return {expf(mean + deviation * n.x), expf(mean + deviation * n.y)};
}
template <class State> __OPEN_CUDA_FN double2 curand_log_normal2_double(State *state, double mean, double deviation) {
    double2 n = curand_normal2_double(state);
    return {exp(mean + deviation * n.x), exp(mean + deviation * n.y)};
}
template <class State> __OPEN_CUDA_FN float4 curand_log_normal4(State *state, float mean, float deviation) {
    float4 n = curand_normal4(state);
    return {expf(mean + deviation * n.x), expf(mean + deviation * n.y), expf(mean + deviation * n.z),
            expf(mean + deviation * n.w)};
}
template <class State> __OPEN_CUDA_FN double4 curand_log_normal4_double(State *state, double mean, double deviation) {
    double4 n = curand_normal4_double(state);
    return {exp(mean + deviation * n.x), exp(mean + deviation * n.y), exp(mean + deviation * n.z),
            exp(mean + deviation * n.w)};
}

// The Poisson distribution by inversion, from one uniform number: a search for small means, else Cornish and Fisher's
// expansion (1938) around the normal distribution.
__OPEN_CUDA_FN unsigned __open_cuda_poisson(double u, double mean) {
    if (mean < 64) {
        double share = exp(-mean), sum = share;
        unsigned k = 0;
        for (; u > sum && k < 400; sum += share) share *= mean / ++k;
        return k;
    }
    double z = normcdfinv(u < 0x1.fffffffffffffp-1 ? u : 0x1.fffffffffffffp-1), root = sqrt(mean);
    double x = mean + root * z + (z * z - 1) / 6 + (z - z * z * z) / (72 * root);
    return x < 0 ? 0 : (unsigned)(x + 0.5);
}
template <class State> __OPEN_CUDA_FN unsigned curand_poisson(State *state, double lambda) {
    return __open_cuda_poisson(curand_uniform_double(state), lambda);
}
__OPEN_CUDA_FN uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda) {
    double4 u = curand_uniform4_double(state);
    return {__open_cuda_poisson(u.x, lambda), __open_cuda_poisson(u.y, lambda), __open_cuda_poisson(u.z, lambda),
            __open_cuda_poisson(u.w, lambda)};
}
