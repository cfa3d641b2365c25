/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Decoder of BC6H (Khronos Data Format Specification, chapter on BPTC). Endpoints are bit patterns of half floats,
 * interpolated as integers.
 */
#include <stdbool.h>
#include <string.h>

#include "texture_bptc.h"

enum variable { R0, G0, B0, R1, G1, B1, R2, G2, B2, R3, G3, B3 };

#define MAX_PIECES 24
#define P(variable, from, to) {variable, from, to}

/* Consecutive bits of the block: bits `from` down to `to` of a variable, in reverse order if `from` is less. */
struct piece {
    uint8_t variable, from, to;
};

/* The mode number is followed by the pieces and, with two subsets, by five bits of the partition. */
static const struct mode {
    uint8_t number;
    bool transformed; /* all endpoints but the first are differences from it */
    uint8_t bits, differences[3], subsets;
    struct piece pieces[MAX_PIECES];
} modes[14] = {
    {0, true, 10, {5, 5, 5}, 2, {
         P(G2, 4, 4), P(B2, 4, 4), P(B3, 4, 4), P(R0, 9, 0), P(G0, 9, 0), P(B0, 9, 0), P(R1, 4, 0),
         P(G3, 4, 4), P(G2, 3, 0), P(G1, 4, 0), P(B3, 0, 0), P(G3, 3, 0), P(B1, 4, 0), P(B3, 1, 1),
         P(B2, 3, 0), P(R2, 4, 0), P(B3, 2, 2), P(R3, 4, 0), P(B3, 3, 3)}},
    {1, true, 7, {6, 6, 6}, 2, {
         P(G2, 5, 5), P(G3, 4, 4), P(G3, 5, 5), P(R0, 6, 0), P(B3, 0, 0), P(B3, 1, 1), P(B2, 4, 4),
         P(G0, 6, 0), P(B2, 5, 5), P(B3, 2, 2), P(G2, 4, 4), P(B0, 6, 0), P(B3, 3, 3), P(B3, 5, 5),
         P(B3, 4, 4), P(R1, 5, 0), P(G2, 3, 0), P(G1, 5, 0), P(G3, 3, 0), P(B1, 5, 0), P(B2, 3, 0),
         P(R2, 5, 0), P(R3, 5, 0)}},
    {2, true, 11, {5, 4, 4}, 2, {
         P(R0, 9, 0), P(G0, 9, 0), P(B0, 9, 0), P(R1, 4, 0), P(R0, 10, 10), P(G2, 3, 0), P(G1, 3, 0),
         P(G0, 10, 10), P(B3, 0, 0), P(G3, 3, 0), P(B1, 3, 0), P(B0, 10, 10), P(B3, 1, 1), P(B2, 3, 0),
         P(R2, 4, 0), P(B3, 2, 2), P(R3, 4, 0), P(B3, 3, 3)}},
    {6, true, 11, {4, 5, 4}, 2, {
         P(R0, 9, 0), P(G0, 9, 0), P(B0, 9, 0), P(R1, 3, 0), P(R0, 10, 10), P(G3, 4, 4), P(G2, 3, 0),
         P(G1, 4, 0), P(G0, 10, 10), P(G3, 3, 0), P(B1, 3, 0), P(B0, 10, 10), P(B3, 1, 1), P(B2, 3, 0),
         P(R2, 3, 0), P(B3, 0, 0), P(B3, 2, 2), P(R3, 3, 0), P(G2, 4, 4), P(B3, 3, 3)}},
    {10, true, 11, {4, 4, 5}, 2, {
         P(R0, 9, 0), P(G0, 9, 0), P(B0, 9, 0), P(R1, 3, 0), P(R0, 10, 10), P(B2, 4, 4), P(G2, 3, 0),
         P(G1, 3, 0), P(G0, 10, 10), P(B3, 0, 0), P(G3, 3, 0), P(B1, 4, 0), P(B0, 10, 10), P(B2, 3, 0),
         P(R2, 3, 0), P(B3, 1, 1), P(B3, 2, 2), P(R3, 3, 0), P(B3, 4, 4), P(B3, 3, 3)}},
    {14, true, 9, {5, 5, 5}, 2, {
         P(R0, 8, 0), P(B2, 4, 4), P(G0, 8, 0), P(G2, 4, 4), P(B0, 8, 0), P(B3, 4, 4), P(R1, 4, 0),
         P(G3, 4, 4), P(G2, 3, 0), P(G1, 4, 0), P(B3, 0, 0), P(G3, 3, 0), P(B1, 4, 0), P(B3, 1, 1),
         P(B2, 3, 0), P(R2, 4, 0), P(B3, 2, 2), P(R3, 4, 0), P(B3, 3, 3)}},
    {18, true, 8, {6, 5, 5}, 2, {
         P(R0, 7, 0), P(G3, 4, 4), P(B2, 4, 4), P(G0, 7, 0), P(B3, 2, 2), P(G2, 4, 4), P(B0, 7, 0),
         P(B3, 3, 3), P(B3, 4, 4), P(R1, 5, 0), P(G2, 3, 0), P(G1, 4, 0), P(B3, 0, 0), P(G3, 3, 0),
         P(B1, 4, 0), P(B3, 1, 1), P(B2, 3, 0), P(R2, 5, 0), P(R3, 5, 0)}},
    {22, true, 8, {5, 6, 5}, 2, {
         P(R0, 7, 0), P(B3, 0, 0), P(B2, 4, 4), P(G0, 7, 0), P(G2, 5, 5), P(G2, 4, 4), P(B0, 7, 0),
         P(G3, 5, 5), P(B3, 4, 4), P(R1, 4, 0), P(G3, 4, 4), P(G2, 3, 0), P(G1, 5, 0), P(G3, 3, 0),
         P(B1, 4, 0), P(B3, 1, 1), P(B2, 3, 0), P(R2, 4, 0), P(B3, 2, 2), P(R3, 4, 0), P(B3, 3, 3)}},
    {26, true, 8, {5, 5, 6}, 2, {
         P(R0, 7, 0), P(B3, 1, 1), P(B2, 4, 4), P(G0, 7, 0), P(B2, 5, 5), P(G2, 4, 4), P(B0, 7, 0),
         P(B3, 5, 5), P(B3, 4, 4), P(R1, 4, 0), P(G3, 4, 4), P(G2, 3, 0), P(G1, 4, 0), P(B3, 0, 0),
         P(G3, 3, 0), P(B1, 5, 0), P(B2, 3, 0), P(R2, 4, 0), P(B3, 2, 2), P(R3, 4, 0), P(B3, 3, 3)}},
    {30, false, 6, {6, 6, 6}, 2, {
         P(R0, 5, 0), P(G3, 4, 4), P(B3, 0, 0), P(B3, 1, 1), P(B2, 4, 4), P(G0, 5, 0), P(G2, 5, 5),
         P(B2, 5, 5), P(B3, 2, 2), P(G2, 4, 4), P(B0, 5, 0), P(G3, 5, 5), P(B3, 3, 3), P(B3, 5, 5),
         P(B3, 4, 4), P(R1, 5, 0), P(G2, 3, 0), P(G1, 5, 0), P(G3, 3, 0), P(B1, 5, 0), P(B2, 3, 0),
         P(R2, 5, 0), P(R3, 5, 0)}},
    {3, false, 10, {10, 10, 10}, 1, {
         P(R0, 9, 0), P(G0, 9, 0), P(B0, 9, 0), P(R1, 9, 0), P(G1, 9, 0), P(B1, 9, 0)}},
    {7, true, 11, {9, 9, 9}, 1, {
         P(R0, 9, 0), P(G0, 9, 0), P(B0, 9, 0), P(R1, 8, 0), P(R0, 10, 10), P(G1, 8, 0), P(G0, 10, 10),
         P(B1, 8, 0), P(B0, 10, 10)}},
    {11, true, 12, {8, 8, 8}, 1, {
         P(R0, 9, 0), P(G0, 9, 0), P(B0, 9, 0), P(R1, 7, 0), P(R0, 10, 11), P(G1, 7, 0), P(G0, 10, 11),
         P(B1, 7, 0), P(B0, 10, 11)}},
    {15, true, 16, {4, 4, 4}, 1, {
         P(R0, 9, 0), P(G0, 9, 0), P(B0, 9, 0), P(R1, 3, 0), P(R0, 10, 15), P(G1, 3, 0), P(G0, 10, 15),
         P(B1, 3, 0), P(B0, 10, 15)}},
};

static const struct mode *mode_of(struct cpu_bits block)
{
    uint32_t number = cpu_bits_at(block, 0, 2);
    number = number < 2 ? number : cpu_bits_at(block, 0, 5);
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
        if (modes[i].number == number)
            return &modes[i];
    return NULL;
}

/* Read the channels of the endpoints; return the position of the bit behind them. */
static uint32_t read_ends(struct cpu_bits block, const struct mode *mode, int32_t ends[12])
{
    uint32_t at = mode->number < 2 ? 2 : 5;
    memset(ends, 0, 12 * sizeof *ends);
    for (const struct piece *piece = mode->pieces; piece < mode->pieces + MAX_PIECES; piece++) {
        bool reverse = piece->from < piece->to;
        uint32_t count = (reverse ? piece->to - piece->from : piece->from - piece->to) + 1u;
        if (piece > mode->pieces && !piece->variable && !piece->from && !piece->to)
            break; /* the end: no piece consists of bit 0 of R0 alone */
        for (uint32_t i = 0; i < count; i++) {
            uint32_t bit = reverse ? piece->to - i : piece->to + i;
            ends[piece->variable] |= (int32_t)(cpu_bits_at(block, at + i, 1) << bit);
        }
        at += count;
    }
    return at;
}

static int32_t extended(int32_t value, uint32_t bits)
{
    return value << (32 - bits) >> (32 - bits);
}

/* Return a channel of an endpoint, with the difference to the first one applied. */
static int32_t end_of(const struct mode *mode, const int32_t ends[12], uint32_t channel, uint32_t end, bool is_signed)
{
    int32_t first = ends[channel], value = ends[3 * end + channel];
    uint32_t bits = end ? mode->differences[channel] : mode->bits;
    if (end && mode->transformed) {
        value = (first + extended(value, bits)) & (int32_t)((1u << mode->bits) - 1);
        bits = mode->bits;
    }
    return is_signed ? extended(value, bits) : value;
}

/* Unquantize a value of `bits` bits to 16 bits. */
static int32_t widened(int32_t value, uint32_t bits, bool is_signed)
{
    if (!is_signed) {
        if (bits >= 15 || !value)
            return value;
        return value == (1 << bits) - 1 ? 0xffff : ((value << 15) + 0x4000) >> (bits - 1);
    }
    if (bits >= 16 || !value)
        return value;
    int32_t size = value < 0 ? -value : value;
    size = size >= (1 << (bits - 1)) - 1 ? 0x7fff : ((size << 15) + 0x4000) >> (bits - 1);
    return value < 0 ? -size : size;
}

static float half(uint16_t bits)
{
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    uint32_t word = exponent == 31 ? 255u << 23 | fraction << 13 : (exponent + 112) << 23 | fraction << 13;
    float value;
    memcpy(&value, &word, sizeof value);
    if (!exponent)
        value = (float)fraction * 0x1p-24f;
    return bits & 0x8000 ? -value : value;
}

void cpu_bc6h_element(const uint8_t *data, uint32_t index, int is_signed, float *channels)
{
    struct cpu_bits block = cpu_bits_of(data);
    const struct mode *mode = mode_of(block);
    int32_t ends[12];
    channels[0] = channels[1] = channels[2] = 0;
    channels[3] = 1;
    if (!mode) /* reserved */
        return;
    uint32_t at = read_ends(block, mode, ends), bits = mode->subsets == 2 ? 3 : 4;
    uint32_t partition = mode->subsets == 2 ? cpu_bits_at(block, at, 5) : 0;
    uint32_t subset = cpu_bptc_subset(mode->subsets, partition, index);
    at += mode->subsets == 2 ? 5 : 0;
    uint32_t between = cpu_bptc_index(block, at, bits, mode->subsets, partition, index);
    for (uint32_t c = 0; c < 3; c++) {
        int32_t first = widened(end_of(mode, ends, c, 2 * subset, is_signed), mode->bits, is_signed);
        int32_t second = widened(end_of(mode, ends, c, 2 * subset + 1, is_signed), mode->bits, is_signed);
        int32_t value = cpu_bptc_between(first, second, bits, between);
        if (!is_signed)
            channels[c] = half((uint16_t)(value * 31 >> 6));
        else
            channels[c] = half((uint16_t)(value < 0 ? (-value * 31 >> 5) | 0x8000 : value * 31 >> 5));
    }
}
