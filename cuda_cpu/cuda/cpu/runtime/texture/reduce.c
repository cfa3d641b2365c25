/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Atomic reductions in memory, for bulk copies and multimem: all types of tensor maps, all operations of
 * cp.reduce.async.bulk.
 */
#include <math.h>
#include <string.h>

#include "tensor.h"
#include "texture.h"

enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR };
enum { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ }; /* CUtensorMapDataType */

const uint8_t cpu_type_sizes[13] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static uint64_t whole(uint64_t a, uint64_t b, uint32_t op, uint32_t bytes, int is_signed)
{
    int shift = 64 - 8 * (int)bytes;
    int64_t x = (int64_t)(a << shift) >> shift, y = (int64_t)(b << shift) >> shift;
    switch (op) {
    case ADD: return a + b;
    case MIN: return is_signed ? (uint64_t)(x < y ? x : y) : a < b ? a : b;
    case MAX: return is_signed ? (uint64_t)(x > y ? x : y) : a > b ? a : b;
    case INC: return a >= b ? 0 : a + 1;
    case DEC: return a == 0 || a > b ? b : a - 1;
    case AND: return a & b;
    case OR: return a | b;
    }
    return a ^ b;
}

static double floating(double a, double b, uint32_t op)
{
    return op == ADD ? a + b : op == MIN ? fmin(a, b) : fmax(a, b);
}

static float float_of_bfloat(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, 4);
    return value;
}

static uint16_t bfloat_of_float(float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    if (value != value)
        return 0x7fff;
    return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

static uint64_t apply(uint64_t a, uint64_t b, uint32_t type, uint32_t op)
{
    uint64_t result = 0;
    if (type == F16)
        return cpu_half_of_float((float)floating(cpu_float_of_half((uint16_t)a), cpu_float_of_half((uint16_t)b), op));
    if (type == BF16)
        return bfloat_of_float((float)floating(float_of_bfloat((uint16_t)a), float_of_bfloat((uint16_t)b), op));
    if (type == F64) {
        double x, y;
        memcpy(&x, &a, 8);
        memcpy(&y, &b, 8);
        x = floating(x, y, op);
        memcpy(&result, &x, 8);
        return result;
    }
    if (type >= F32) {
        float x, y, sum;
        memcpy(&x, &a, 4);
        memcpy(&y, &b, 4);
        sum = (float)floating(x, y, op); /* exact, except for add */
        if (op == ADD)
            sum = x + y;
        if ((type == F32_FTZ || type == TF32_FTZ) && fabsf(sum) < 0x1p-126f)
            sum = copysignf(0, sum);
        memcpy(&result, &sum, 4);
        return result;
    }
    return whole(a, b, op, cpu_type_sizes[type], type == S32 || type == S64);
}

uint64_t cpu_float_bits(uint64_t bits, uint32_t type)
{
    float value = type == F16 ? cpu_float_of_half((uint16_t)bits) : float_of_bfloat((uint16_t)bits);
    uint32_t word;
    memcpy(&word, &value, 4);
    return word;
}

uint64_t cpu_bits_of_float(uint64_t bits, uint32_t type)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, 4);
    return type == F16 ? cpu_half_of_float(value) : bfloat_of_float(value);
}

#define COMBINE(type_name)                                                                        \
    do {                                                                                          \
        type_name *word = target, old = __atomic_load_n(word, __ATOMIC_RELAXED), operand, next;    \
        memcpy(&operand, with, sizeof operand);                                                   \
        do                                                                                        \
            next = (type_name)apply(old, operand, type, op);                                      \
        while (!__atomic_compare_exchange_n(word, &old, next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    } while (0)

void cpu_combine(void *target, const void *with, uint32_t type, uint32_t op)
{
    switch (cpu_type_sizes[type]) {
    case 1: COMBINE(uint8_t); break;
    case 2: COMBINE(uint16_t); break;
    case 4: COMBINE(uint32_t); break;
    default: COMBINE(uint64_t);
    }
}
