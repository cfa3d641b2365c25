// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// A 16-bit floating-point type, the type of pairs of it, and their conversions: CUDA Math API, "Half Precision Conversion
// and Data Movement" and the same for bfloat16. Included once for each type, by cuda_fp16.h and cuda_bf16.h, with
//   __OPEN_CUDA_T, _T2, _RAW, _RAW2   the types
//   __OPEN_CUDA_OTHER                 the other 16-bit type
//   __OPEN_CUDA_FORMAT                how it is rounded
//   __OPEN_CUDA_WORD                  PTX's name of it, a string
//   __OPEN_CUDA_KIND                  the part of functions' names that stands for it: half or bfloat16
#define __OPEN_CUDA_K(before, after) __OPEN_CUDA_PASTE(before, __OPEN_CUDA_KIND, after)

struct __attribute__((may_alias)) __align__(2) __OPEN_CUDA_RAW { unsigned short x; };
struct __attribute__((may_alias)) __align__(4) __OPEN_CUDA_RAW2 { unsigned short x, y; };

// To integers, members round towards zero and saturate. In whole programs, there are those of the host, too.
#ifdef __OPEN_CUDA_PROGRAM__
#define __OPEN_CUDA_HOST_INTEGER_MEMBERS(type)                                                                \
    __host__ __OPEN_CUDA_T(type x) : __x(__open_cuda_short_of<__OPEN_CUDA_FORMAT>(x)) {}                      \
    __host__ __OPEN_CUDA_T &operator=(type x) { return *this = __OPEN_CUDA_T(x); }                            \
    __OPEN_CUDA_HOST_CONVERSION(type)
#define __OPEN_CUDA_HOST_CONVERSION(type)                                                                     \
    __host__ operator type() const { return __open_cuda_whole_of<type>(__OPEN_CUDA_FORMAT::widen(__x)); }
#else
#define __OPEN_CUDA_HOST_INTEGER_MEMBERS(type)
#define __OPEN_CUDA_HOST_CONVERSION(type)
#endif
#define __OPEN_CUDA_INTEGER_MEMBERS(type, wide)                                                               \
    __OPEN_CUDA_HOST_INTEGER_MEMBERS(type)                                                                    \
    __device__ __forceinline__ __OPEN_CUDA_T(type x) : __x(__OPEN_CUDA_FORMAT::round<__open_cuda_rn>((wide)x)) {} \
    __device__ __forceinline__ __OPEN_CUDA_T &operator=(type x) { return *this = __OPEN_CUDA_T(x); }          \
    __device__ __forceinline__ operator type() const {                                                        \
        wide result;                                                                                          \
        __OPEN_CUDA_FORMAT::whole<__open_cuda_rz>(__x, &result);                                              \
        return (type)result;                                                                                  \
    }
#define __OPEN_CUDA_CHAR_MEMBER(type, least, most)                                                            \
    __OPEN_CUDA_HOST_CONVERSION(type)                                                                         \
    __device__ __forceinline__ operator type() const {                                                        \
        int x = *this;                                                                                        \
        return (type)(x < least ? least : x > most ? most : x);                                               \
    }
struct __attribute__((may_alias)) __align__(2) __OPEN_CUDA_T {
    unsigned short __x;
    __OPEN_CUDA_T() = default;
    __host__ __device__ constexpr __OPEN_CUDA_T(__OPEN_CUDA_RAW raw) : __x(raw.x) {}
    __host__ __device__ constexpr __OPEN_CUDA_T(float x) : __x(__OPEN_CUDA_FORMAT::nearest(x)) {}
    __host__ __device__ constexpr __OPEN_CUDA_T(double x) : __x(__OPEN_CUDA_FORMAT::nearest(x)) {}
    __device__ __forceinline__ explicit __OPEN_CUDA_T(const __OPEN_CUDA_OTHER &x);
    __host__ __device__ constexpr operator float() const { return __OPEN_CUDA_FORMAT::widen(__x); }
    __host__ __device__ constexpr operator bool() const { return (__x & 0x7fff) != 0; }
    __host__ __device__ constexpr operator __OPEN_CUDA_RAW() const { return {__x}; }
    __host__ __device__ operator __OPEN_CUDA_RAW() const volatile { return {__x}; }
    __host__ __device__ __OPEN_CUDA_T &operator=(__OPEN_CUDA_RAW raw) { return __x = raw.x, *this; }
    __host__ __device__ volatile __OPEN_CUDA_T &operator=(__OPEN_CUDA_RAW raw) volatile { return __x = raw.x, *this; }
    __host__ __device__ __OPEN_CUDA_T &operator=(float x) { return *this = __OPEN_CUDA_T(x); }
    __host__ __device__ __OPEN_CUDA_T &operator=(double x) { return *this = __OPEN_CUDA_T(x); }
    __OPEN_CUDA_INTEGER_MEMBERS(short, short)
    __OPEN_CUDA_INTEGER_MEMBERS(unsigned short, unsigned short)
    __OPEN_CUDA_INTEGER_MEMBERS(int, int)
    __OPEN_CUDA_INTEGER_MEMBERS(unsigned int, unsigned int)
    __OPEN_CUDA_INTEGER_MEMBERS(long, long long)
    __OPEN_CUDA_INTEGER_MEMBERS(unsigned long, unsigned long long)
    __OPEN_CUDA_INTEGER_MEMBERS(long long, long long)
    __OPEN_CUDA_INTEGER_MEMBERS(unsigned long long, unsigned long long)
    __OPEN_CUDA_CHAR_MEMBER(char, -128, 127)
    __OPEN_CUDA_CHAR_MEMBER(signed char, -128, 127)
    __OPEN_CUDA_CHAR_MEMBER(unsigned char, 0, 255)
};
struct __attribute__((may_alias)) __align__(4) __OPEN_CUDA_T2 {
    __OPEN_CUDA_T x, y;
    __OPEN_CUDA_T2() = default;
    __host__ __device__ constexpr __OPEN_CUDA_T2(const __OPEN_CUDA_T &x, const __OPEN_CUDA_T &y) : x(x), y(y) {}
    __host__ __device__ constexpr __OPEN_CUDA_T2(__OPEN_CUDA_RAW2 raw)
        : x(__OPEN_CUDA_RAW{raw.x}), y(__OPEN_CUDA_RAW{raw.y}) {}
    __host__ __device__ __OPEN_CUDA_T2 &operator=(__OPEN_CUDA_RAW2 raw) { return *this = __OPEN_CUDA_T2(raw); }
    __host__ __device__ constexpr operator __OPEN_CUDA_RAW2() const { return {x.__x, y.__x}; }
};

// Bits.
__OPEN_CUDA_HOST_DEVICE unsigned short __open_cuda_bits(__OPEN_CUDA_T x) { return x.__x; }
__OPEN_CUDA_HOST_DEVICE unsigned __open_cuda_bits(__OPEN_CUDA_T2 x) { return __builtin_bit_cast(unsigned, x); }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_K(__open_cuda_, 2)(unsigned x) {
    return __builtin_bit_cast(__OPEN_CUDA_T2, x);
}
__OPEN_CUDA_HOST_DEVICE short __OPEN_CUDA_K(__, _as_short)(__OPEN_CUDA_T x) { return (short)x.__x; }
__OPEN_CUDA_HOST_DEVICE unsigned short __OPEN_CUDA_K(__, _as_ushort)(__OPEN_CUDA_T x) { return x.__x; }
__OPEN_CUDA_HOST_DEVICE constexpr __OPEN_CUDA_T __OPEN_CUDA_K(__ushort_as_, )(unsigned short x) { return __OPEN_CUDA_RAW{x}; }
__OPEN_CUDA_HOST_DEVICE constexpr __OPEN_CUDA_T __OPEN_CUDA_K(__short_as_, )(short x) {
    return __OPEN_CUDA_RAW{(unsigned short)x};
}

// Integers and float.
#define __OPEN_CUDA_ROUNDED_FROM(from, type, mode)                                                 \
    __OPEN_CUDA_FN __OPEN_CUDA_T __OPEN_CUDA_K(__##from##2, _##mode)(type x) {                     \
        return __OPEN_CUDA_RAW{__OPEN_CUDA_FORMAT::round<__open_cuda_##mode>(x)};                  \
    }
#define __OPEN_CUDA_ROUNDED_TO(to, type, mode)                                                     \
    __OPEN_CUDA_FN type __OPEN_CUDA_K(__, 2##to##_##mode)(__OPEN_CUDA_T x) {                       \
        type result;                                                                               \
        __OPEN_CUDA_FORMAT::whole<__open_cuda_##mode>(x.__x, &result);                             \
        return result;                                                                             \
    }
#define __OPEN_CUDA_ALL_MODES(each, word, type) \
    each(word, type, rn) each(word, type, rz) each(word, type, rd) each(word, type, ru)
#define __OPEN_CUDA_TO_AND_FROM(word, type)                     \
    __OPEN_CUDA_ALL_MODES(__OPEN_CUDA_ROUNDED_FROM, word, type) \
    __OPEN_CUDA_ALL_MODES(__OPEN_CUDA_ROUNDED_TO, word, type)
__OPEN_CUDA_ALL_MODES(__OPEN_CUDA_ROUNDED_FROM, float, float)
__OPEN_CUDA_TO_AND_FROM(short, short)
__OPEN_CUDA_TO_AND_FROM(ushort, unsigned short)
__OPEN_CUDA_TO_AND_FROM(int, int)
__OPEN_CUDA_TO_AND_FROM(uint, unsigned int)
__OPEN_CUDA_TO_AND_FROM(ll, long long)
__OPEN_CUDA_TO_AND_FROM(ull, unsigned long long)
__OPEN_CUDA_FN signed char __OPEN_CUDA_K(__, 2char_rz)(__OPEN_CUDA_T x) { return x; }
__OPEN_CUDA_FN unsigned char __OPEN_CUDA_K(__, 2uchar_rz)(__OPEN_CUDA_T x) { return x; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T __OPEN_CUDA_K(__float2, )(float x) { return x; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T __OPEN_CUDA_K(__double2, )(double x) { return x; }
__OPEN_CUDA_HOST_DEVICE float __OPEN_CUDA_K(__, 2float)(__OPEN_CUDA_T x) { return x; }

// Pairs.
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_K(make_, 2)(__OPEN_CUDA_T x, __OPEN_CUDA_T y) { return {x, y}; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_K(__halves2, 2)(__OPEN_CUDA_T x, __OPEN_CUDA_T y) { return {x, y}; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_TWICE(__OPEN_CUDA_T x) { return {x, x}; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_K(__float2, 2_rn)(float x) { return {x, x}; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_K(__floats2, 2_rn)(float x, float y) { return {x, y}; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_K(__float22, 2_rn)(float2 x) { return {x.x, x.y}; }
__OPEN_CUDA_HOST_DEVICE float2 __OPEN_CUDA_K(__, 22float2)(__OPEN_CUDA_T2 x) { return {(float)x.x, (float)x.y}; }
__OPEN_CUDA_HOST_DEVICE float __low2float(__OPEN_CUDA_T2 x) { return x.x; }
__OPEN_CUDA_HOST_DEVICE float __high2float(__OPEN_CUDA_T2 x) { return x.y; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T __OPEN_CUDA_K(__low2, )(__OPEN_CUDA_T2 x) { return x.x; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T __OPEN_CUDA_K(__high2, )(__OPEN_CUDA_T2 x) { return x.y; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_K(__low2, 2)(__OPEN_CUDA_T2 x) { return {x.x, x.x}; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_K(__high2, 2)(__OPEN_CUDA_T2 x) { return {x.y, x.y}; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_K(__lows2, 2)(__OPEN_CUDA_T2 x, __OPEN_CUDA_T2 y) { return {x.x, y.x}; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __OPEN_CUDA_K(__highs2, 2)(__OPEN_CUDA_T2 x, __OPEN_CUDA_T2 y) { return {x.y, y.y}; }
__OPEN_CUDA_HOST_DEVICE __OPEN_CUDA_T2 __lowhigh2highlow(__OPEN_CUDA_T2 x) { return {x.y, x.x}; }

// Loads, stores and shuffles, of the bits.
#define __OPEN_CUDA_LOAD_SHORT_FLOAT(name)                                                                \
    __OPEN_CUDA_FN __OPEN_CUDA_T name(const __OPEN_CUDA_T *address) {                                     \
        return __OPEN_CUDA_RAW{name((const unsigned short *)address)};                                    \
    }                                                                                                     \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 name(const __OPEN_CUDA_T2 *address) {                                   \
        return __OPEN_CUDA_K(__open_cuda_, 2)(name((const unsigned *)address));                           \
    }
__OPEN_CUDA_LOAD_SHORT_FLOAT(__ldg)
__OPEN_CUDA_LOAD_SHORT_FLOAT(__ldcg)
__OPEN_CUDA_LOAD_SHORT_FLOAT(__ldca)
__OPEN_CUDA_LOAD_SHORT_FLOAT(__ldcs)
__OPEN_CUDA_LOAD_SHORT_FLOAT(__ldlu)
__OPEN_CUDA_LOAD_SHORT_FLOAT(__ldcv)
#define __OPEN_CUDA_STORE_SHORT_FLOAT(name)                                                               \
    __OPEN_CUDA_FN void name(__OPEN_CUDA_T *address, __OPEN_CUDA_T value) {                               \
        name((unsigned short *)address, value.__x);                                                       \
    }                                                                                                     \
    __OPEN_CUDA_FN void name(__OPEN_CUDA_T2 *address, __OPEN_CUDA_T2 value) {                             \
        name((unsigned *)address, __open_cuda_bits(value));                                               \
    }
__OPEN_CUDA_STORE_SHORT_FLOAT(__stwb)
__OPEN_CUDA_STORE_SHORT_FLOAT(__stcg)
__OPEN_CUDA_STORE_SHORT_FLOAT(__stcs)
__OPEN_CUDA_STORE_SHORT_FLOAT(__stwt)
#define __OPEN_CUDA_SHUFFLE_SHORT_FLOAT(name)                                                  \
    __OPEN_CUDA_FN __OPEN_CUDA_T name(unsigned mask, __OPEN_CUDA_T value, unsigned lane, int width = 32) { \
        return __OPEN_CUDA_RAW{(unsigned short)name(mask, (unsigned)value.__x, lane, width)};             \
    }                                                                                                     \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 name(unsigned mask, __OPEN_CUDA_T2 value, unsigned lane, int width = 32) { \
        return __OPEN_CUDA_K(__open_cuda_, 2)(name(mask, __open_cuda_bits(value), lane, width));          \
    }
__OPEN_CUDA_SHUFFLE_SHORT_FLOAT(__shfl_sync)
__OPEN_CUDA_SHUFFLE_SHORT_FLOAT(__shfl_up_sync)
__OPEN_CUDA_SHUFFLE_SHORT_FLOAT(__shfl_down_sync)
__OPEN_CUDA_SHUFFLE_SHORT_FLOAT(__shfl_xor_sync)
