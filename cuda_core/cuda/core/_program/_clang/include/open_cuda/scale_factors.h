// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Scale factors: powers of two from 2^-127 (code 0) to 2^127, and NaN (code 255), of kind e8m0: CUDA Math API, "FP8
// Conversion and Data Movement"; Open Compute Project, "OCP Microscaling Formats (MX) Specification".
#pragma once

// The magnitude is rounded to a power of two, halves upwards, where cudaRoundNearest is asked for.
__OPEN_CUDA_CONST unsigned char __open_cuda_to_e8m0(float x, __nv_saturation_t saturation, cudaRoundMode mode) {
    unsigned bits = __float_as_uint(x) & 0x7fffffff, code = bits >> 23, rest = bits & 0x7fffff;
    if (bits > 0x7f800000) return 255;
    unsigned least = code ? 1 : 0x400001, half = code ? 0x400000 : 0x600000; // 2^-127 is a denormal float
    code += mode == cudaRoundPosInf ? rest >= least : mode == cudaRoundNearest ? rest >= half : false;
    code = code > 255 ? 255 : code;
    return (unsigned char)(saturation == __NV_SATFINITE && code == 255 ? 254 : code);
}
__OPEN_CUDA_CONST __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
    return {(unsigned short)(x == 255 ? 0x7fff : x == 0 ? 0x40 : x << 7)};
}
__OPEN_CUDA_CONST __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
    return {__nv_cvt_e8m0_to_bf16raw((unsigned char)x).x, __nv_cvt_e8m0_to_bf16raw((unsigned char)(x >> 8)).x};
}
#define __OPEN_CUDA_TO_E8M0(name, type, single)                                                                   \
    __OPEN_CUDA_FN __nv_fp8_storage_t name(type x, __nv_saturation_t saturation, cudaRoundMode mode) {            \
        return __open_cuda_to_e8m0(single, saturation, mode);                                                     \
    }
__OPEN_CUDA_TO_E8M0(__nv_cvt_float_to_e8m0, float, x)
__OPEN_CUDA_TO_E8M0(__nv_cvt_double_to_e8m0, double, __open_cuda_to_odd(x))
__OPEN_CUDA_TO_E8M0(__nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat16_raw, (float)__nv_bfloat16(x))
#define __OPEN_CUDA_TO_E8M0X2(name, type, each, part)                                                             \
    __OPEN_CUDA_FN __nv_fp8x2_storage_t name(type x, __nv_saturation_t saturation, cudaRoundMode mode) {          \
        return (unsigned short)(each(part(x.x), saturation, mode) | each(part(x.y), saturation, mode) << 8);      \
    }
#define __OPEN_CUDA_BFLOAT16_BITS(bits) (__nv_bfloat16_raw{bits})
__OPEN_CUDA_TO_E8M0X2(__nv_cvt_float2_to_e8m0x2, float2, __nv_cvt_float_to_e8m0, )
__OPEN_CUDA_TO_E8M0X2(__nv_cvt_double2_to_e8m0x2, double2, __nv_cvt_double_to_e8m0, )
__OPEN_CUDA_TO_E8M0X2(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_e8m0,
                      __OPEN_CUDA_BFLOAT16_BITS)

#define __OPEN_CUDA_SCALE_FROM(type, convert)                                                                     \
    __device__ __forceinline__ explicit __nv_fp8_e8m0(type x) : __x(convert(x, __NV_SATFINITE, cudaRoundPosInf)) {}
#define __OPEN_CUDA_SCALE_INTEGER(type) __OPEN_CUDA_SCALE_FROM(type, __nv_cvt_double_to_e8m0)
// To integers, they round towards zero and saturate; NaN becomes 0, or 2^63 in 64 bits, as PTX's conversions have it.
#define __OPEN_CUDA_SCALE_TO(type, most)                                                                          \
    __device__ __forceinline__ explicit operator type() const {                                                   \
        return __x == 255 ? (type)(most < 63 ? 0 : 1ull << 63) : __x >= 127 + most ? (type)(~0ull >> (64 - most)) : (type)(float)*this;        \
    }
struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    __OPEN_CUDA_SCALE_FROM(float, __nv_cvt_float_to_e8m0)
    __OPEN_CUDA_SCALE_FROM(double, __nv_cvt_double_to_e8m0)
    __OPEN_CUDA_SCALE_FROM(__half, __nv_cvt_float_to_e8m0)
    __OPEN_CUDA_SCALE_FROM(__nv_bfloat16, __nv_cvt_bfloat16raw_to_e8m0)
    __OPEN_CUDA_SCALE_INTEGER(short)
    __OPEN_CUDA_SCALE_INTEGER(unsigned short)
    __OPEN_CUDA_SCALE_INTEGER(int)
    __OPEN_CUDA_SCALE_INTEGER(unsigned)
    __OPEN_CUDA_SCALE_INTEGER(long)
    __OPEN_CUDA_SCALE_INTEGER(unsigned long)
    __OPEN_CUDA_SCALE_INTEGER(long long)
    __OPEN_CUDA_SCALE_INTEGER(unsigned long long)
    __device__ __forceinline__ explicit operator __nv_bfloat16() const { return __nv_cvt_e8m0_to_bf16raw(__x); }
    __device__ __forceinline__ explicit operator float() const { return (float)(__nv_bfloat16)*this; }
    __device__ __forceinline__ explicit operator double() const { return (float)*this; }
    __device__ __forceinline__ explicit operator __half() const { return (float)*this; }
    __device__ __forceinline__ explicit operator bool() const { return true; }
    __OPEN_CUDA_SCALE_TO(char, 7)
    __OPEN_CUDA_SCALE_TO(signed char, 7)
    __OPEN_CUDA_SCALE_TO(unsigned char, 8)
    __OPEN_CUDA_SCALE_TO(short, 15)
    __OPEN_CUDA_SCALE_TO(unsigned short, 16)
    __OPEN_CUDA_SCALE_TO(int, 31)
    __OPEN_CUDA_SCALE_TO(unsigned, 32)
    __OPEN_CUDA_SCALE_TO(long, 63)
    __OPEN_CUDA_SCALE_TO(unsigned long, 64)
    __OPEN_CUDA_SCALE_TO(long long, 63)
    __OPEN_CUDA_SCALE_TO(unsigned long long, 64)
};
struct __nv_fp8x2_e8m0 {
    __nv_fp8x2_storage_t __x;
    __nv_fp8x2_e8m0() = default;
    __device__ __forceinline__ explicit __nv_fp8x2_e8m0(float2 x)
        : __x(__nv_cvt_float2_to_e8m0x2(x, __NV_SATFINITE, cudaRoundPosInf)) {}
    __device__ __forceinline__ explicit __nv_fp8x2_e8m0(double2 x)
        : __x(__nv_cvt_double2_to_e8m0x2(x, __NV_SATFINITE, cudaRoundPosInf)) {}
    __device__ __forceinline__ explicit __nv_fp8x2_e8m0(__half2 x) : __nv_fp8x2_e8m0(__half22float2(x)) {}
    __device__ __forceinline__ explicit __nv_fp8x2_e8m0(__nv_bfloat162 x) : __nv_fp8x2_e8m0(__bfloat1622float2(x)) {}
    __device__ __forceinline__ explicit operator __nv_bfloat162() const { return __nv_cvt_e8m0x2_to_bf162raw(__x); }
    __device__ __forceinline__ explicit operator float2() const { return __bfloat1622float2((__nv_bfloat162)*this); }
    __device__ __forceinline__ explicit operator __half2() const { return __float22half2_rn((float2)*this); }
};
struct __nv_fp8x4_e8m0 {
    __nv_fp8x4_storage_t __x;
    __nv_fp8x4_e8m0() = default;
    __device__ __forceinline__ explicit __nv_fp8x4_e8m0(float4 x)
        : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(float2{x.x, x.y}), __nv_fp8x2_e8m0(float2{x.z, x.w})) {}
    __device__ __forceinline__ explicit __nv_fp8x4_e8m0(double4 x)
        : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(double2{x.x, x.y}), __nv_fp8x2_e8m0(double2{x.z, x.w})) {}
    __device__ __forceinline__ explicit __nv_fp8x4_e8m0(__half2 low, __half2 high)
        : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(low), __nv_fp8x2_e8m0(high)) {}
    __device__ __forceinline__ explicit __nv_fp8x4_e8m0(__nv_bfloat162 low, __nv_bfloat162 high)
        : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(low), __nv_fp8x2_e8m0(high)) {}
    __device__ __forceinline__ explicit operator float4() const {
        float2 low = __bfloat1622float2(__nv_cvt_e8m0x2_to_bf162raw((unsigned short)__x));
        float2 high = __bfloat1622float2(__nv_cvt_e8m0x2_to_bf162raw((unsigned short)(__x >> 16)));
        return {low.x, low.y, high.x, high.y};
    }

private:
    __device__ __forceinline__ __nv_fp8x4_e8m0(__nv_fp8x2_e8m0 low, __nv_fp8x2_e8m0 high)
        : __x(low.__x | (unsigned)high.__x << 16) {}
};
