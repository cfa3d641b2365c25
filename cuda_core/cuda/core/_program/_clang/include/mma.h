// SPDX-FileCopyrightText: 2026 Open CUDA Python developers
// SPDX-License-Identifier: Apache-2.0
// Matrix products of warps: CUDA C++ Programming Guide, "Warp Matrix Functions"; PTX ISA, "Warp-level Matrix
// Instructions" (wmma), with the numbers of registers in its table of fragments.
#pragma once
#pragma clang system_header
#include "cuda_bf16.h"

// Lists of n operands: their text, and the operands themselves.
#define __OPEN_CUDA_LIST1(v) "{%[" #v "0]}"
#define __OPEN_CUDA_LIST2(v) "{%[" #v "0], %[" #v "1]}"
#define __OPEN_CUDA_LIST4(v) "{%[" #v "0], %[" #v "1], %[" #v "2], %[" #v "3]}"
#define __OPEN_CUDA_LIST8(v) \
    "{%[" #v "0], %[" #v "1], %[" #v "2], %[" #v "3], %[" #v "4], %[" #v "5], %[" #v "6], %[" #v "7]}"
#define __OPEN_CUDA_ARGS1(v, reg) [v##0] reg(v[0])
#define __OPEN_CUDA_ARGS2(v, reg) __OPEN_CUDA_ARGS1(v, reg), [v##1] reg(v[1])
#define __OPEN_CUDA_ARGS4(v, reg) __OPEN_CUDA_ARGS2(v, reg), [v##2] reg(v[2]), [v##3] reg(v[3])
#define __OPEN_CUDA_ARGS8(v, reg) \
    __OPEN_CUDA_ARGS4(v, reg), [v##4] reg(v[4]), [v##5] reg(v[5]), [v##6] reg(v[6]), [v##7] reg(v[7])

namespace nvcuda {
namespace wmma {
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

template <class T, class Stored, int size, int packed = 1> struct __open_cuda_fragment {
    enum { num_elements = size * packed, num_storage_elements = size };
    typedef T element_type;
    typedef Stored storage_element_type;
    Stored x[size];
};
template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;
template <class Layout> struct __open_cuda_is_row { enum { value = 0 }; };
template <> struct __open_cuda_is_row<row_major> { enum { value = 1 }; };

template <class T, class Stored, int size, int packed, class Value>
__OPEN_CUDA_FN void __open_cuda_fill(__open_cuda_fragment<T, Stored, size, packed> &f, Value value) {
    for (int i = 0; i < size; i++) f.x[i] = value;
}
template <class Use, int m, int n, int k, class T, class Layout, class Value>
__OPEN_CUDA_FN void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const Value &value) {
    __open_cuda_fill(f, (typename fragment<Use, m, n, k, T, Layout>::storage_element_type)value);
}

// Fragments of A and B: `count` registers hold `size` elements, of `packed` numbers each.
#define __OPEN_CUDA_OPERAND(use, part, m, n, k, T, stored, size, packed, pointer, word, type, reg, count)             \
    template <class Layout> class fragment<use, m, n, k, T, Layout>                                                   \
        : public __open_cuda_fragment<T, stored, size, packed> {};                                                    \
    template <class Layout>                                                                                           \
    __OPEN_CUDA_FN void load_matrix_sync(fragment<use, m, n, k, T, Layout> &f, const pointer *p, unsigned stride) {   \
        type v[count];                                                                                                \
        if (__open_cuda_is_row<Layout>::value)                                                                        \
            asm volatile("wmma.load." part ".sync.aligned.row.m" #m "n" #n "k" #k "." word " "                        \
                         __OPEN_CUDA_LIST##count(v) ", [%[p]], %[stride];"                                            \
                         : __OPEN_CUDA_ARGS##count(v, "=" reg) : [p] "l"(p), [stride] "r"(stride) : "memory");        \
        else                                                                                                          \
            asm volatile("wmma.load." part ".sync.aligned.col.m" #m "n" #n "k" #k "." word " "                        \
                         __OPEN_CUDA_LIST##count(v) ", [%[p]], %[stride];"                                            \
                         : __OPEN_CUDA_ARGS##count(v, "=" reg) : [p] "l"(p), [stride] "r"(stride) : "memory");        \
        __builtin_memcpy(f.x, v, sizeof v);                                                                           \
    }
#define __OPEN_CUDA_SUM_MEMORY(layout, m, n, k, word, reg, count)                                                     \
    asm volatile("wmma.load.c.sync.aligned." layout ".m" #m "n" #n "k" #k "." word " " __OPEN_CUDA_LIST##count(v)     \
                 ", [%[p]], %[stride];"                                                                               \
                 : __OPEN_CUDA_ARGS##count(v, "=" reg) : [p] "l"(p), [stride] "r"(stride) : "memory");
#define __OPEN_CUDA_SUM_STORE(layout, m, n, k, word, reg, count)                                                      \
    asm volatile("wmma.store.d.sync.aligned." layout ".m" #m "n" #n "k" #k "." word " [%[p]], "                       \
                 __OPEN_CUDA_LIST##count(v) ", %[stride];"                                                            \
                 ::__OPEN_CUDA_ARGS##count(v, reg), [p] "l"(p), [stride] "r"(stride) : "memory");
#define __OPEN_CUDA_SUM(m, n, k, T, size, word, type, reg, count)                                                     \
    template <> class fragment<accumulator, m, n, k, T, void> : public __open_cuda_fragment<T, T, size> {};           \
    __OPEN_CUDA_FN void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned stride,           \
                                         layout_t layout) {                                                           \
        type v[count];                                                                                                \
        if (layout == mem_row_major) __OPEN_CUDA_SUM_MEMORY("row", m, n, k, word, reg, count)                         \
        else __OPEN_CUDA_SUM_MEMORY("col", m, n, k, word, reg, count)                                                 \
        __builtin_memcpy(f.x, v, sizeof v);                                                                           \
    }                                                                                                                 \
    __OPEN_CUDA_FN void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned stride,          \
                                          layout_t layout) {                                                          \
        type v[count];                                                                                                \
        __builtin_memcpy(v, f.x, sizeof v);                                                                           \
        if (layout == mem_row_major) __OPEN_CUDA_SUM_STORE("row", m, n, k, word, reg, count)                          \
        else __OPEN_CUDA_SUM_STORE("col", m, n, k, word, reg, count)                                                  \
    }

// Products. `types` is the end of the instruction's name.
#define __OPEN_CUDA_MMA(op, layouts, m, n, k, types, d_reg, nd, ab_reg, na, nb, c_reg, nc)                            \
    asm volatile("wmma.mma" op ".sync.aligned." layouts ".m" #m "n" #n "k" #k "." types " " __OPEN_CUDA_LIST##nd(d)   \
                 ", " __OPEN_CUDA_LIST##na(a) ", " __OPEN_CUDA_LIST##nb(b) ", " __OPEN_CUDA_LIST##nc(c) ";"           \
                 : __OPEN_CUDA_ARGS##nd(d, "=" d_reg)                                                                 \
                 : __OPEN_CUDA_ARGS##na(a, ab_reg), __OPEN_CUDA_ARGS##nb(b, ab_reg), __OPEN_CUDA_ARGS##nc(c, c_reg))
#define __OPEN_CUDA_MMA_REGISTERS(d_type, nd, ab_type, na, nb, c_type, nc)                                            \
    d_type d[nd];                                                                                                     \
    ab_type a[na], b[nb];                                                                                             \
    c_type c[nc];                                                                                                     \
    __builtin_memcpy(a, fa.x, sizeof a);                                                                              \
    __builtin_memcpy(b, fb.x, sizeof b);                                                                              \
    __builtin_memcpy(c, fc.x, sizeof c);
// All four layouts. Where `satf` is set, the instruction's name ends with `saturated`, and `saturate` is applied to the
// result.
#define __OPEN_CUDA_PRODUCT(m, n, k, T, D, C, types, saturated, d_type, d_reg, nd, ab_type, ab_reg, na, nb, c_type,   \
                            c_reg, nc, saturate)                                                                      \
    template <class LA, class LB>                                                                                     \
    __OPEN_CUDA_FN void mma_sync(fragment<accumulator, m, n, k, D> &fd, const fragment<matrix_a, m, n, k, T, LA> &fa, \
                                 const fragment<matrix_b, m, n, k, T, LB> &fb,                                        \
                                 const fragment<accumulator, m, n, k, C> &fc, bool satf = false) {                    \
        __OPEN_CUDA_MMA_REGISTERS(d_type, nd, ab_type, na, nb, c_type, nc)                                            \
        __OPEN_CUDA_LAYOUT(row, row, 1, 1, m, n, k, types, saturated, d_reg, nd, ab_reg, na, nb, c_reg, nc)           \
        __OPEN_CUDA_LAYOUT(row, col, 1, 0, m, n, k, types, saturated, d_reg, nd, ab_reg, na, nb, c_reg, nc)           \
        __OPEN_CUDA_LAYOUT(col, row, 0, 1, m, n, k, types, saturated, d_reg, nd, ab_reg, na, nb, c_reg, nc)           \
        __OPEN_CUDA_LAYOUT(col, col, 0, 0, m, n, k, types, saturated, d_reg, nd, ab_reg, na, nb, c_reg, nc)           \
        __builtin_memcpy(fd.x, d, sizeof d);                                                                          \
        if (satf) saturate(fd);                                                                                       \
    }
#define __OPEN_CUDA_LAYOUT(la, lb, a_row, b_row, m, n, k, types, saturated, d_reg, nd, ab_reg, na, nb, c_reg, nc)     \
    if (__open_cuda_is_row<LA>::value == a_row && __open_cuda_is_row<LB>::value == b_row) {                           \
        if (satf) __OPEN_CUDA_MMA("", #la "." #lb, m, n, k, types saturated, d_reg, nd, ab_reg, na, nb, c_reg, nc);   \
        else __OPEN_CUDA_MMA("", #la "." #lb, m, n, k, types, d_reg, nd, ab_reg, na, nb, c_reg, nc);                  \
    }

__OPEN_CUDA_CONST float __open_cuda_finite(float x) {
    return x != x ? 0 : fminf(fmaxf(x, -0x1.fffffep127f), 0x1.fffffep127f);
}
__OPEN_CUDA_FN __half __open_cuda_finite(__half x) { return fminf(fmaxf(__hisnan(x) ? 0 : (float)x, -65504), 65504); }
template <class F> __OPEN_CUDA_FN void __open_cuda_finite_all(F &f) {
    for (int i = 0; i < F::num_elements; i++) f.x[i] = __open_cuda_finite(f.x[i]);
}
template <class F> __OPEN_CUDA_FN void __open_cuda_unchanged(F &) {}

#define __OPEN_CUDA_OPERANDS(m, n, k, T, stored, sizes, packed, pointer, word, type, reg, na, nb)                     \
    __OPEN_CUDA_OPERAND(matrix_a, "a", m, n, k, T, stored, na * sizes, packed, pointer, word, type, reg, na)          \
    __OPEN_CUDA_OPERAND(matrix_b, "b", m, n, k, T, stored, nb * sizes, packed, pointer, word, type, reg, nb)
#define __OPEN_CUDA_INTEGER_MMA(m, n, k, T, word, na, nb)                                                             \
    __OPEN_CUDA_OPERANDS(m, n, k, T, T, 4, 1, T, word, unsigned, "r", na, nb)                                         \
    __OPEN_CUDA_PRODUCT(m, n, k, T, int, int, "s32." word "." word ".s32", ".satfinite", int, "r", 8, unsigned, "r",  \
                        na, nb, int, "r", 8, __open_cuda_unchanged)
#define __OPEN_CUDA_HALF_MMA(m, n, k, D, C, types, d_type, d_reg, nd, c_type, c_reg, nc)                              \
    __OPEN_CUDA_PRODUCT(m, n, k, __half, D, C, types, "", d_type, d_reg, nd, unsigned, "r", 8, 8, c_type, c_reg, nc,  \
                        __open_cuda_finite_all)
#define __OPEN_CUDA_SHAPE(m, n, k)                                                                                    \
    __OPEN_CUDA_SUM(m, n, k, float, 8, "f32", float, "f", 8)                                                          \
    __OPEN_CUDA_SUM(m, n, k, __half, 8, "f16", unsigned, "r", 4)                                                      \
    __OPEN_CUDA_SUM(m, n, k, int, 8, "s32", int, "r", 8)                                                              \
    __OPEN_CUDA_OPERANDS(m, n, k, __half, __half, 2, 1, __half, "f16", unsigned, "r", 8, 8)                           \
    __OPEN_CUDA_HALF_MMA(m, n, k, float, float, "f32.f32", float, "f", 8, float, "f", 8)                              \
    __OPEN_CUDA_HALF_MMA(m, n, k, float, __half, "f32.f16", float, "f", 8, unsigned, "r", 4)                          \
    __OPEN_CUDA_HALF_MMA(m, n, k, __half, float, "f16.f32", unsigned, "r", 4, float, "f", 8)                          \
    __OPEN_CUDA_HALF_MMA(m, n, k, __half, __half, "f16.f16", unsigned, "r", 4, unsigned, "r", 4)
__OPEN_CUDA_SHAPE(16, 16, 16)
__OPEN_CUDA_SHAPE(32, 8, 16)
__OPEN_CUDA_SHAPE(8, 32, 16)
__OPEN_CUDA_INTEGER_MMA(16, 16, 16, signed char, "s8", 2, 2)
__OPEN_CUDA_INTEGER_MMA(16, 16, 16, unsigned char, "u8", 2, 2)
__OPEN_CUDA_INTEGER_MMA(32, 8, 16, signed char, "s8", 4, 1)
__OPEN_CUDA_INTEGER_MMA(32, 8, 16, unsigned char, "u8", 4, 1)
__OPEN_CUDA_INTEGER_MMA(8, 32, 16, signed char, "s8", 1, 4)
__OPEN_CUDA_INTEGER_MMA(8, 32, 16, unsigned char, "u8", 1, 4)

#if __OPEN_CUDA_ARCH >= 800
#define __OPEN_CUDA_BFLOAT16_MMA(m, n, k, na, nb)                                                                     \
    __OPEN_CUDA_OPERANDS(m, n, k, __nv_bfloat16, __nv_bfloat16, 2, 1, __nv_bfloat16, "bf16", unsigned, "r", na, nb)   \
    __OPEN_CUDA_PRODUCT(m, n, k, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", "", float, "f", 8, unsigned, "r",  \
                        na, nb, float, "f", 8, __open_cuda_finite_all)
__OPEN_CUDA_BFLOAT16_MMA(16, 16, 16, 4, 4)
__OPEN_CUDA_BFLOAT16_MMA(32, 8, 16, 8, 2)
__OPEN_CUDA_BFLOAT16_MMA(8, 32, 16, 2, 8)
__OPEN_CUDA_SUM(16, 16, 8, float, 8, "f32", float, "f", 8)
__OPEN_CUDA_OPERANDS(16, 16, 8, precision::tf32, float, 1, 1, float, "tf32", unsigned, "r", 4, 4)
__OPEN_CUDA_PRODUCT(16, 16, 8, precision::tf32, float, float, "f32.tf32.tf32.f32", "", float, "f", 8, unsigned, "r", 4,
                    4, float, "f", 8, __open_cuda_finite_all)
__OPEN_CUDA_SUM(8, 8, 4, double, 2, "f64", double, "d", 2)
__OPEN_CUDA_OPERANDS(8, 8, 4, double, double, 1, 1, double, "f64", double, "d", 1, 1)
__OPEN_CUDA_PRODUCT(8, 8, 4, double, double, double, "f64.f64.f64.f64", "", double, "d", 2, double, "d", 1, 1,
                    double, "d", 2, __open_cuda_unchanged)
__OPEN_CUDA_CONST float __float_to_tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __builtin_bit_cast(float, bits);
}
#endif

// Numbers of less than a byte: A by rows, B by columns.
#define __OPEN_CUDA_FOUR_BITS_MMA(types) \
    __OPEN_CUDA_MMA("", "row.col", 8, 8, 32, "s32." types, "r", 2, "r", 1, 1, "r", 2)
#define __OPEN_CUDA_FOUR_BITS(T, word)                                                                                \
    __OPEN_CUDA_OPERANDS(8, 8, 32, T, unsigned, 1, 8, void, word, unsigned, "r", 1, 1)                                \
    __OPEN_CUDA_FN void mma_sync(fragment<accumulator, 8, 8, 32, int> &fd,                                            \
                                 const fragment<matrix_a, 8, 8, 32, T, row_major> &fa,                                \
                                 const fragment<matrix_b, 8, 8, 32, T, col_major> &fb,                                \
                                 const fragment<accumulator, 8, 8, 32, int> &fc, bool satf = false) {                 \
        __OPEN_CUDA_MMA_REGISTERS(int, 2, unsigned, 1, 1, int, 2)                                                     \
        if (satf) __OPEN_CUDA_FOUR_BITS_MMA(word "." word ".s32.satfinite");                                          \
        else __OPEN_CUDA_FOUR_BITS_MMA(word "." word ".s32");                                                         \
        __builtin_memcpy(fd.x, d, sizeof d);                                                                          \
    }
__OPEN_CUDA_SUM(8, 8, 32, int, 2, "s32", int, "r", 2)
__OPEN_CUDA_FOUR_BITS(experimental::precision::s4, "s4")
__OPEN_CUDA_FOUR_BITS(experimental::precision::u4, "u4")
__OPEN_CUDA_SUM(8, 8, 128, int, 2, "s32", int, "r", 2)
__OPEN_CUDA_OPERANDS(8, 8, 128, experimental::precision::b1, unsigned, 1, 32, void, "b1", unsigned, "r", 1, 1)
__OPEN_CUDA_FN void bmma_sync(fragment<accumulator, 8, 8, 128, int> &fd,
                              const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &fa,
                              const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &fb,
                              const fragment<accumulator, 8, 8, 128, int> &fc,
                              experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                              experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    __OPEN_CUDA_MMA_REGISTERS(int, 2, unsigned, 1, 1, int, 2)
#if __OPEN_CUDA_ARCH >= 800
    if (op == experimental::bmmaBitOpAND)
        __OPEN_CUDA_MMA(".and.popc", "row.col", 8, 8, 128, "s32.b1.b1.s32", "r", 2, "r", 1, 1, "r", 2);
    else
#endif
        __OPEN_CUDA_MMA(".xor.popc", "row.col", 8, 8, 128, "s32.b1.b1.s32", "r", 2, "r", 1, 1, "r", 2);
    __builtin_memcpy(fd.x, d, sizeof d);
}
}
}
