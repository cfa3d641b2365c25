// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Conversions, arithmetic and comparisons of half and bfloat16 give on the host what they give in kernels.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cstring>

struct Results {
    double numbers[400];
    int count;
    template <class T> __host__ __device__ void operator()(T number) { numbers[count++] = (double)number; }
};
__host__ __device__ void convert(Results &add, __half, float x) {
    __half number = __float2half(x);
    add(__half2float(__float2half_rn(x))), add(__half2float(__float2half_rz(x)));
    add(__half2float(__float2half_rd(x))), add(__half2float(__float2half_ru(x)));
    add(__half2int_rz(number)), add(__half2ull_rz(number)), add(__half2short_rz(number)), add(__half2uchar_rz(number));
}
__host__ __device__ void convert(Results &add, __nv_bfloat16, float x) {
    __nv_bfloat16 number = __float2bfloat16(x);
    add(__bfloat162float(__float2bfloat16_rn(x))), add(__bfloat162float(__float2bfloat16_rz(x)));
    add(__bfloat162float(__float2bfloat16_rd(x))), add(__bfloat162float(__float2bfloat16_ru(x)));
    add(__bfloat162int_rz(number)), add(__bfloat162uint_rz(number)), add(__bfloat162char_rz(number));
}

template <class T> __host__ __device__ void evaluate(Results &add, long long n, float x, float y) {
    add((float)T((int)n)), add((float)T((unsigned)n)), add((float)T(n)), add((float)T((unsigned long long)n));
    add((float)T((short)n)), add((float)T((unsigned short)n)), add((float)T((long)n));
    T a = x, b = y;
    a = a + b, add((float)a), a -= b, add((float)a), add((float)(a * b)), add((float)(a / b)), add((float)-a);
    add((int)a), add((short)a), add((unsigned)a), add((unsigned char)a), add((char)a), add((long)a), add((bool)a);
    add((unsigned long long)a), add((unsigned short)a), add((signed char)a), add((long long)b);
    add(a == b), add(a != b), add(a < b), add(a <= b), add(a > b), add(a >= b), add((float)a++), add((float)--a);
    add(__hltu(a, b)), add(__hequ(a, b)), add(__hisnan(a)), add(__hisinf(a)), add((float)__habs(a));
    add((float)__hmin(a, b)), add((float)__hmax(a, b)), add((float)__hadd_rn(a, b));
    a = (short)n, add((float)a);
    convert(add, a, x);
    auto pair = __halves2half2(__half(x), __half(y));
    pair = pair * pair + pair, add((float)pair.x), add((float)pair.y), add(pair == pair), add(__hbgt2(pair, -pair));
}
__host__ __device__ void evaluate_all(Results &add, long long n, float x, float y) {
    evaluate<__half>(add, n, x, y);
    evaluate<__nv_bfloat16>(add, n, x, y);
}
__global__ void evaluate_there(Results *results, long long n, float x, float y) { evaluate_all(*results, n, x, y); }

int main() {
    const float infinite = 1.0f / 0.0f;
    const float numbers[] = {0.0f, -0.0f, 1.0f, -3.7f, 1.0009f, 300.5f, -65519.0f, 65520.0f, 7e4f, 1e-7f, -3e-8f,
                             6.1e-5f, 3e38f, 2147483648.0f, -1e20f, infinite, -infinite, infinite - infinite};
    const long long integers[] = {0, 1, -1, 2049, 2051, -4098, 65519, 65520, -65504, 257, 1LL << 40, -(1LL << 62) - 1,
                                  0x7fffffffffffffff, 16777217, 0xffffffff, -32768, 0x101, 0x181};
    Results *there;
    cudaMallocManaged(&there, sizeof *there);
    for (int i = 0; i < 18; i++) {
        Results here = {};
        float y = numbers[i * 7 % 18];
        there->count = 0;
        evaluate_all(here, integers[i], numbers[i], y);
        evaluate_there<<<1, 1>>>(there, integers[i], numbers[i], y);
        if (cudaDeviceSynchronize() || there->count != here.count) return 1;
        for (int j = 0; j < here.count; j++) {
            double a = here.numbers[j], b = there->numbers[j];
            if (a != a ? b != b : !std::memcmp(&a, &b, sizeof a)) continue;
            std::printf("%d, %lld, %g, %g: %.9g on the host, %.9g in a kernel\n", j, integers[i], numbers[i], y, a, b);
            return 1;
        }
    }
    std::puts("fine");
}
