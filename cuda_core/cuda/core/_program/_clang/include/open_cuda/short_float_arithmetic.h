// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons, mathematical functions and atomics of a 16-bit floating-point type and pairs of it: CUDA Math
// API, "Half Precision Intrinsics" and "Bfloat16 Precision Intrinsics". Included after short_float.h, once for each type;
//   __OPEN_CUDA_ADDS        whether instructions add, subtract, multiply and compare; with them come tanh.approx
//   __OPEN_CUDA_ADD_ATOMS   whether instructions add atomically
// PTX ISA 8.8: bfloat16 has fma, min, max from sm_80, the others from sm_90.
#define __OPEN_CUDA_PAIR_OF __OPEN_CUDA_K(__open_cuda_, 2)

// A function of numbers (a, b ...), and that of pairs which applies it to both parts.
#define __OPEN_CUDA_BOTH_PARTS(head, tail)                                                                \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 __h##head##2##tail(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) {                \
        return {__h##head##tail(a.x, b.x), __h##head##tail(a.y, b.y)};                                    \
    }
#define __OPEN_CUDA_BOTH_PARTS_OF_THREE(head, tail)                                                       \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 __h##head##2##tail(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b, __OPEN_CUDA_T2 c) { \
        return {__h##head##tail(a.x, b.x, c.x), __h##head##tail(a.y, b.y, c.y)};                          \
    }
// The same by one instruction each.
#define __OPEN_CUDA_SHORT_BINARY(head, tail, op)                                                          \
    __OPEN_CUDA_FN __OPEN_CUDA_T __h##head##tail(__OPEN_CUDA_T a, __OPEN_CUDA_T b) {                      \
        __OPEN_CUDA_RAW result;                                                                           \
        asm(op "." __OPEN_CUDA_WORD " %0, %1, %2;" : "=h"(result.x) : "h"(a.__x), "h"(b.__x));            \
        return result;                                                                                    \
    }                                                                                                     \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 __h##head##2##tail(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) {                \
        unsigned result;                                                                                  \
        asm(op "." __OPEN_CUDA_WORD "x2 %0, %1, %2;"                                                      \
            : "=r"(result) : "r"(__open_cuda_bits(a)), "r"(__open_cuda_bits(b)));                         \
        return __OPEN_CUDA_PAIR_OF(result);                                                               \
    }
#define __OPEN_CUDA_SHORT_TERNARY(head, tail, op)                                                         \
    __OPEN_CUDA_FN __OPEN_CUDA_T __h##head##tail(__OPEN_CUDA_T a, __OPEN_CUDA_T b, __OPEN_CUDA_T c) {     \
        __OPEN_CUDA_RAW result;                                                                           \
        asm(op "." __OPEN_CUDA_WORD " %0, %1, %2, %3;"                                                    \
            : "=h"(result.x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));                                       \
        return result;                                                                                    \
    }                                                                                                     \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 __h##head##2##tail(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b, __OPEN_CUDA_T2 c) { \
        unsigned result;                                                                                  \
        asm(op "." __OPEN_CUDA_WORD "x2 %0, %1, %2, %3;" : "=r"(result)                                   \
            : "r"(__open_cuda_bits(a)), "r"(__open_cuda_bits(b)), "r"(__open_cuda_bits(c)));              \
        return __OPEN_CUDA_PAIR_OF(result);                                                               \
    }

__OPEN_CUDA_FN __OPEN_CUDA_T __hneg(__OPEN_CUDA_T a) { return __OPEN_CUDA_RAW{(unsigned short)(a.__x ^ 0x8000)}; }
__OPEN_CUDA_FN __OPEN_CUDA_T __habs(__OPEN_CUDA_T a) { return __OPEN_CUDA_RAW{(unsigned short)(a.__x & 0x7fff)}; }
__OPEN_CUDA_FN __OPEN_CUDA_T2 __hneg2(__OPEN_CUDA_T2 a) { return __OPEN_CUDA_PAIR_OF(__open_cuda_bits(a) ^ 0x80008000); }
__OPEN_CUDA_FN __OPEN_CUDA_T2 __habs2(__OPEN_CUDA_T2 a) { return __OPEN_CUDA_PAIR_OF(__open_cuda_bits(a) & 0x7fff7fff); }
__OPEN_CUDA_FN bool __hisnan(__OPEN_CUDA_T a) { return (a.__x & 0x7fff) > __OPEN_CUDA_INFINITE; }
__OPEN_CUDA_FN int __hisinf(__OPEN_CUDA_T a) {
    return (a.__x & 0x7fff) != __OPEN_CUDA_INFINITE ? 0 : a.__x >> 15 ? -1 : 1;
}
__OPEN_CUDA_FN __OPEN_CUDA_T2 __hisnan2(__OPEN_CUDA_T2 a) {
    return {__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f};
}

// Minimum and maximum, fused multiplication and addition.
#if __OPEN_CUDA_ARCH >= 800
__OPEN_CUDA_SHORT_BINARY(min, , "min")
__OPEN_CUDA_SHORT_BINARY(max, , "max")
__OPEN_CUDA_SHORT_BINARY(min, _nan, "min.NaN")
__OPEN_CUDA_SHORT_BINARY(max, _nan, "max.NaN")
__OPEN_CUDA_SHORT_TERNARY(fma, , "fma.rn")
__OPEN_CUDA_SHORT_TERNARY(fma, _relu, "fma.rn.relu")
#else
#define __OPEN_CUDA_EXTREME(name)                                                                         \
    __OPEN_CUDA_FN __OPEN_CUDA_T __h##name(__OPEN_CUDA_T a, __OPEN_CUDA_T b) { return __builtin_f##name##f(a, b); } \
    __OPEN_CUDA_FN __OPEN_CUDA_T __h##name##_nan(__OPEN_CUDA_T a, __OPEN_CUDA_T b) {                      \
        return __hisnan(a) || __hisnan(b) ? __OPEN_CUDA_T(__OPEN_CUDA_RAW{0x7fff}) : __h##name(a, b);     \
    }                                                                                                     \
    __OPEN_CUDA_BOTH_PARTS(name, )                                                                        \
    __OPEN_CUDA_BOTH_PARTS(name, _nan)
__OPEN_CUDA_EXTREME(min)
__OPEN_CUDA_EXTREME(max)
#if __OPEN_CUDA_ADDS
__OPEN_CUDA_SHORT_TERNARY(fma, , "fma.rn")
#else
__OPEN_CUDA_FN __OPEN_CUDA_T __hfma(__OPEN_CUDA_T a, __OPEN_CUDA_T b, __OPEN_CUDA_T c) {
    // The product is exact in double. The sum is rounded to odd, so that the last rounding is the only one.
    double p = (double)(float)a * (double)(float)b, d = (float)c;
    return __open_cuda_to_odd(__open_cuda_odd(__dadd_rz(p, d), __dadd_rd(p, d), __dadd_ru(p, d)));
}
__OPEN_CUDA_BOTH_PARTS_OF_THREE(fma, )
#endif
__OPEN_CUDA_FN __OPEN_CUDA_T __hfma_relu(__OPEN_CUDA_T a, __OPEN_CUDA_T b, __OPEN_CUDA_T c) {
    return __hmax_nan(__hfma(a, b, c), 0.0f);
}
__OPEN_CUDA_BOTH_PARTS_OF_THREE(fma, _relu)
#endif

// Sums and products. Those without _rn may become part of an fma.
#if __OPEN_CUDA_ADDS
__OPEN_CUDA_SHORT_BINARY(add, , "add")
__OPEN_CUDA_SHORT_BINARY(sub, , "sub")
__OPEN_CUDA_SHORT_BINARY(mul, , "mul")
__OPEN_CUDA_SHORT_BINARY(add, _rn, "add.rn")
__OPEN_CUDA_SHORT_BINARY(sub, _rn, "sub.rn")
__OPEN_CUDA_SHORT_BINARY(mul, _rn, "mul.rn")
#else
#define __OPEN_CUDA_BY_FMA(name, one, three)                                                              \
    __OPEN_CUDA_FN __OPEN_CUDA_T __h##name##_rn(__OPEN_CUDA_T a, __OPEN_CUDA_T b) { return __hfma one; }  \
    __OPEN_CUDA_FN __OPEN_CUDA_T __h##name(__OPEN_CUDA_T a, __OPEN_CUDA_T b) { return __hfma one; }       \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 __h##name##2_rn(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) { return __hfma2 three; } \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 __h##name##2(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) { return __hfma2 three; }
__OPEN_CUDA_BY_FMA(add, (a, 1.0f, b), (a, __OPEN_CUDA_TWICE(1.0f), b))
__OPEN_CUDA_BY_FMA(sub, (b, -1.0f, a), (b, __OPEN_CUDA_TWICE(-1.0f), a))
__OPEN_CUDA_BY_FMA(mul, (a, b, -0.0f), (a, b, __OPEN_CUDA_TWICE(-0.0f)))
#endif
__OPEN_CUDA_FN __OPEN_CUDA_T __hdiv(__OPEN_CUDA_T a, __OPEN_CUDA_T b) { return __fdiv_rn(a, b); }
__OPEN_CUDA_FN __OPEN_CUDA_T2 __h2div(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
__OPEN_CUDA_FN __OPEN_CUDA_T2 __hcmadd(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b, __OPEN_CUDA_T2 c) {
    return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}

// Limited to 0 ... 1; NaNs become 0.
__OPEN_CUDA_FN __OPEN_CUDA_T __open_cuda_saturated(__OPEN_CUDA_T x) { return __hmin(__hmax(x, 0.0f), 1.0f); }
__OPEN_CUDA_FN __OPEN_CUDA_T2 __open_cuda_saturated(__OPEN_CUDA_T2 x) {
    return __hmin2(__hmax2(x, __OPEN_CUDA_TWICE(0.0f)), __OPEN_CUDA_TWICE(1.0f));
}
#define __OPEN_CUDA_SATURATED(name)                                                                       \
    __OPEN_CUDA_FN __OPEN_CUDA_T __h##name##_sat(__OPEN_CUDA_T a, __OPEN_CUDA_T b) {                      \
        return __open_cuda_saturated(__h##name##_rn(a, b));                                               \
    }                                                                                                     \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 __h##name##2_sat(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) {                  \
        return __open_cuda_saturated(__h##name##2_rn(a, b));                                              \
    }
__OPEN_CUDA_SATURATED(add)
__OPEN_CUDA_SATURATED(sub)
__OPEN_CUDA_SATURATED(mul)
__OPEN_CUDA_FN __OPEN_CUDA_T __hfma_sat(__OPEN_CUDA_T a, __OPEN_CUDA_T b, __OPEN_CUDA_T c) {
    return __open_cuda_saturated(__hfma(a, b, c));
}
__OPEN_CUDA_FN __OPEN_CUDA_T2 __hfma2_sat(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b, __OPEN_CUDA_T2 c) {
    return __open_cuda_saturated(__hfma2(a, b, c));
}

// Comparisons; a u in the name: true if a number is NaN. The instructions do not flush denormals, unlike those of float.
#if __OPEN_CUDA_ADDS
#define __OPEN_CUDA_COMPARED(op, test)                                                                    \
    asm("{.reg .pred p; setp." op "." __OPEN_CUDA_WORD " p, %1, %2; selp.s32 %0, 1, 0, p;}"               \
        : "=r"(result) : "h"(a.__x), "h"(b.__x));
#else
#define __OPEN_CUDA_COMPARED(op, test) result = test;
#endif
#define __OPEN_CUDA_RELATION(name, op, test)                                                              \
    __OPEN_CUDA_FN bool __h##name(__OPEN_CUDA_T a, __OPEN_CUDA_T b) {                                     \
        int result;                                                                                       \
        __OPEN_CUDA_COMPARED(op, test)                                                                    \
        return result;                                                                                    \
    }                                                                                                     \
    __OPEN_CUDA_FN unsigned __h##name##2_mask(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) {                       \
        return (__h##name(a.x, b.x) ? 0xffff : 0) | (__h##name(a.y, b.y) ? 0xffff0000 : 0);               \
    }                                                                                                     \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 __h##name##2(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) {                      \
        return __OPEN_CUDA_PAIR_OF(__h##name##2_mask(a, b) & __open_cuda_bits(__OPEN_CUDA_TWICE(1.0f)));  \
    }                                                                                                     \
    __OPEN_CUDA_FN bool __hb##name##2(__OPEN_CUDA_T2 a, __OPEN_CUDA_T2 b) {                               \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                \
    }
__OPEN_CUDA_RELATION(eq, "eq", (float)a == (float)b)
__OPEN_CUDA_RELATION(ne, "ne", (float)a < (float)b || (float)a > (float)b)
__OPEN_CUDA_RELATION(lt, "lt", (float)a < (float)b)
__OPEN_CUDA_RELATION(le, "le", (float)a <= (float)b)
__OPEN_CUDA_RELATION(gt, "gt", (float)a > (float)b)
__OPEN_CUDA_RELATION(ge, "ge", (float)a >= (float)b)
__OPEN_CUDA_RELATION(equ, "equ", !((float)a < (float)b || (float)a > (float)b))
__OPEN_CUDA_RELATION(neu, "neu", (float)a != (float)b)
__OPEN_CUDA_RELATION(ltu, "ltu", !((float)a >= (float)b))
__OPEN_CUDA_RELATION(leu, "leu", !((float)a > (float)b))
__OPEN_CUDA_RELATION(gtu, "gtu", !((float)a <= (float)b))
__OPEN_CUDA_RELATION(geu, "geu", !((float)a < (float)b))

// Operators.
#define __OPEN_CUDA_SHORT_OPERATOR(type, op, function)                                                    \
    __OPEN_CUDA_FN type operator op(const type &a, const type &b) { return function(a, b); }              \
    __OPEN_CUDA_FN type &operator op##=(type &a, const type &b) { return a = function(a, b); }
#define __OPEN_CUDA_SHORT_OPERATORS(type, two, div, one)                                                  \
    __OPEN_CUDA_SHORT_OPERATOR(type, +, __hadd##two)                                                      \
    __OPEN_CUDA_SHORT_OPERATOR(type, -, __hsub##two)                                                      \
    __OPEN_CUDA_SHORT_OPERATOR(type, *, __hmul##two)                                                      \
    __OPEN_CUDA_SHORT_OPERATOR(type, /, div)                                                              \
    __OPEN_CUDA_FN type operator+(const type &a) { return a; }                                            \
    __OPEN_CUDA_FN type operator-(const type &a) { return __hneg##two(a); }                               \
    __OPEN_CUDA_FN type &operator++(type &a) { return a = __hadd##two(a, one); }                          \
    __OPEN_CUDA_FN type &operator--(type &a) { return a = __hsub##two(a, one); }                          \
    __OPEN_CUDA_FN type operator++(type &a, int) { type old = a; ++a; return old; }                       \
    __OPEN_CUDA_FN type operator--(type &a, int) { type old = a; --a; return old; }
#define __OPEN_CUDA_SHORT_RELATION(op, name)                                                              \
    __OPEN_CUDA_FN bool operator op(const __OPEN_CUDA_T &a, const __OPEN_CUDA_T &b) { return __h##name(a, b); } \
    __OPEN_CUDA_FN bool operator op(const __OPEN_CUDA_T2 &a, const __OPEN_CUDA_T2 &b) { return __hb##name##2(a, b); }
#define __OPEN_CUDA_SHORT_ALL_OPERATORS                                              \
    __OPEN_CUDA_SHORT_OPERATORS(__OPEN_CUDA_T, , __hdiv, __OPEN_CUDA_T(1.0f))        \
    __OPEN_CUDA_SHORT_OPERATORS(__OPEN_CUDA_T2, 2, __h2div, __OPEN_CUDA_TWICE(1.0f)) \
    __OPEN_CUDA_SHORT_RELATION(==, eq)                                               \
    __OPEN_CUDA_SHORT_RELATION(!=, neu)                                              \
    __OPEN_CUDA_SHORT_RELATION(<, lt)                                                \
    __OPEN_CUDA_SHORT_RELATION(<=, le)                                               \
    __OPEN_CUDA_SHORT_RELATION(>, gt)                                                \
    __OPEN_CUDA_SHORT_RELATION(>=, ge)
__OPEN_CUDA_SHORT_ALL_OPERATORS

// Mathematical functions, computed in float.
#define __OPEN_CUDA_SHORT_FUNCTION(name, ...)                                                             \
    __OPEN_CUDA_FN __OPEN_CUDA_T h##name(__OPEN_CUDA_T a) {                                               \
        float x = a;                                                                                      \
        return __VA_ARGS__;                                                                               \
    }                                                                                                     \
    __OPEN_CUDA_FN __OPEN_CUDA_T2 h2##name(__OPEN_CUDA_T2 a) { return {h##name(a.x), h##name(a.y)}; }
__OPEN_CUDA_SHORT_FUNCTION(ceil, ceilf(x))
__OPEN_CUDA_SHORT_FUNCTION(floor, floorf(x))
__OPEN_CUDA_SHORT_FUNCTION(trunc, truncf(x))
__OPEN_CUDA_SHORT_FUNCTION(rint, rintf(x))
__OPEN_CUDA_SHORT_FUNCTION(sqrt, __fsqrt_rn(x))
__OPEN_CUDA_SHORT_FUNCTION(rsqrt, rsqrtf(x))
__OPEN_CUDA_SHORT_FUNCTION(rcp, __frcp_rn(x))
__OPEN_CUDA_SHORT_FUNCTION(exp, expf(x))
__OPEN_CUDA_SHORT_FUNCTION(exp2, exp2f(x))
__OPEN_CUDA_SHORT_FUNCTION(exp10, exp10f(x))
__OPEN_CUDA_SHORT_FUNCTION(log, logf(x))
__OPEN_CUDA_SHORT_FUNCTION(log2, log2f(x))
__OPEN_CUDA_SHORT_FUNCTION(log10, log10f(x))
__OPEN_CUDA_SHORT_FUNCTION(sin, sinf(x))
__OPEN_CUDA_SHORT_FUNCTION(cos, cosf(x))
__OPEN_CUDA_SHORT_FUNCTION(tanh, tanhf(x))
#if __OPEN_CUDA_ADDS
__OPEN_CUDA_FN __OPEN_CUDA_T htanh_approx(__OPEN_CUDA_T a) {
    __OPEN_CUDA_RAW result;
    asm("tanh.approx." __OPEN_CUDA_WORD " %0, %1;" : "=h"(result.x) : "h"(a.__x));
    return result;
}
__OPEN_CUDA_FN __OPEN_CUDA_T2 h2tanh_approx(__OPEN_CUDA_T2 a) {
    unsigned result;
    asm("tanh.approx." __OPEN_CUDA_WORD "x2 %0, %1;" : "=r"(result) : "r"(__open_cuda_bits(a)));
    return __OPEN_CUDA_PAIR_OF(result);
}
#else
__OPEN_CUDA_SHORT_FUNCTION(tanh_approx, __tanhf(x))
#endif

// Atomic additions.
#if __OPEN_CUDA_ADD_ATOMS
__OPEN_CUDA_FN __OPEN_CUDA_T atomicAdd(__OPEN_CUDA_T *address, __OPEN_CUDA_T value) {
    __OPEN_CUDA_RAW old;
    asm volatile("atom.add.noftz." __OPEN_CUDA_WORD " %0, [%1], %2;"
                 : "=h"(old.x) : "l"(address), "h"(value.__x) : "memory");
    return old;
}
__OPEN_CUDA_FN __OPEN_CUDA_T2 atomicAdd(__OPEN_CUDA_T2 *address, __OPEN_CUDA_T2 value) {
    unsigned old;
    asm volatile("atom.add.noftz." __OPEN_CUDA_WORD "x2 %0, [%1], %2;"
                 : "=r"(old) : "l"(address), "r"(__open_cuda_bits(value)) : "memory");
    return __OPEN_CUDA_PAIR_OF(old);
}
#else
#define __OPEN_CUDA_ATOMIC_LOOP(type, word, two)                                                          \
    __OPEN_CUDA_FN type atomicAdd(type *address, type value) {                                            \
        word old = *(volatile word *)address, seen;                                                       \
        do {                                                                                              \
            seen = old;                                                                                   \
            old = atomicCAS((word *)address, seen,                                                        \
                            __open_cuda_bits(__hadd##two##_rn(__builtin_bit_cast(type, seen), value)));   \
        } while (old != seen);                                                                            \
        return __builtin_bit_cast(type, old);                                                             \
    }
__OPEN_CUDA_ATOMIC_LOOP(__OPEN_CUDA_T, unsigned short, )
__OPEN_CUDA_ATOMIC_LOOP(__OPEN_CUDA_T2, unsigned, 2)
#endif
