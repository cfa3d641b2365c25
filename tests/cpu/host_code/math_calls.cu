// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Functions of <cmath> with and without std::, of every type and of several types, give in kernels what they give on
// the host.
#include <cmath>
#include <cstdio>

#define OF_ONE(F)                                                                                                     \
    F(acos, 0.5) F(acosh, 2) F(asin, 0.5) F(asinh, 0.5) F(atan, 0.5) F(atanh, 0.5) F(cbrt, 2) F(ceil, 1.5) F(cos, 1)  \
    F(cosh, 1) F(erf, 0.5) F(erfc, 0.5) F(exp, 1) F(exp2, 1.5) F(expm1, 0.5) F(fabs, -1.5) F(floor, 1.5)              \
    F(lgamma, 2.5) F(log, 2) F(log10, 2) F(log1p, 0.5) F(log2, 3) F(logb, 9) F(nearbyint, 1.5) F(rint, 2.5)           \
    F(round, 2.5) F(sin, 1) F(sinh, 1) F(sqrt, 2) F(tan, 1) F(tanh, 0.5) F(tgamma, 2.5) F(trunc, 1.5) F(abs, -2.5)    \
    F(lrint, 2.5) F(llrint, 2.5) F(lround, 2.5) F(llround, 2.5) F(ilogb, 9) F(isnan, 1) F(isinf, 1) F(isfinite, 1)    \
    F(signbit, -1)
#define OF_TWO(F)                                                                                                     \
    F(atan2, 1, 2) F(fmod, 7, 4) F(pow, 2, 3) F(copysign, 2, -1) F(fdim, 3, 1) F(fmax, 1, 2) F(fmin, 1, 2)            \
    F(hypot, 3, 4) F(nextafter, 1, 2) F(remainder, 7, 4)

struct Results {
    double numbers[600];
    int count;
    __host__ __device__ void operator()(double number) { numbers[count++] = number; }
};

#define NAME(name, ...) #name,
#define CALL(name, x) add(name((double)x)), add(name((float)x)), add(name((int)x));
#define CALL_STD(name, x) add(std::name((double)x)), add(std::name((float)x)), add(std::name((int)x));
#define CALL_PAIRS(name, x, y)                                                                                        \
    add(name((double)x, (double)y)), add(name((float)x, (float)y)), add(name(x, y)), add(name((float)x, y)),          \
        add(name(x, (double)y)), add(name((float)x, (double)y));

__host__ __device__ void evaluate(Results &add) {
    int exponent;
    double whole;
    float whole_float;
    OF_ONE(CALL) OF_ONE(CALL_STD) OF_TWO(CALL_PAIRS)
    {
        using std::atan2, std::fmod, std::pow, std::copysign, std::fdim, std::fmax, std::fmin, std::hypot;
        using std::nextafter, std::remainder;
        OF_TWO(CALL_PAIRS)
    }
    add(fma(1.5, 2, 3)), add(std::fma(1.5f, 2.0f, 3.0f)), add(std::fma(1.5, 2.0, 3.0));
    add(frexp(9.0, &exponent)), add(std::frexp(9.0f, &exponent)), add(frexp(9, &exponent)), add(exponent);
    add(ldexp(1.5f, 3)), add(std::ldexp(1.5, 3)), add(ldexp(3, 2)), add(scalbn(3, 2)), add(std::scalbn(1.5, 2));
    add(std::modf(1.25, &whole)), add(std::modf(1.25f, &whole_float)), add(whole), add(whole_float);
    add(abs(-5L)), add(std::abs(-5LL)), add(std::labs(-3)), add(std::abs((short)-3));
}
__global__ void evaluate_there(Results *results) { evaluate(*results); }

int main() {
    static Results here;
    Results *there;
    cudaMallocManaged(&there, sizeof *there);
    there->count = 0;
    evaluate(here);
    evaluate_there<<<1, 1>>>(there);
    if (cudaDeviceSynchronize() || there->count != here.count || here.count < 300) return 1;
    const char *names[] = {OF_ONE(NAME) OF_ONE(NAME) OF_TWO(NAME)};
    for (int i = 0, of_one = 6 * 43; i < here.count; i++) {
        double x = here.numbers[i], y = there->numbers[i];
        if (std::isnan(x) ? std::isnan(y) : std::fabs(x - y) <= 1e-6 * std::fabs(x)) continue;
        std::printf("%d (%s): %g on the host, %g in a kernel\n", i, i < of_one ? names[i / 3] : "later", x, y);
        return 1;
    }
    std::puts("fine");
}
