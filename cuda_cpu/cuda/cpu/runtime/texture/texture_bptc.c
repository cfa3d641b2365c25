/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Decoder of BC7, and the functions that BC6H shares with it (Khronos Data Format Specification, chapter on BPTC).
 */
#include "texture_bptc.h"

#include <string.h>

/* Partitions. Two subsets: bit i is the subset of element i. Three subsets: two bits for each element. */
static const uint16_t partitions_2[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800,
    0xffe8, 0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce,
    0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc,
    0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
    0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718,
    0xccf0, 0x0fcc, 0x7744, 0xee22,
};
static const uint32_t partitions_3[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
};

/* Anchors: elements whose index has one bit less, since its highest bit is 0. The tables are for the second of two
 * subsets, and for the second and third of three; the anchor of the first subset is element 0. */
static const uint8_t anchors_2[64] = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
    15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
};
static const uint8_t anchors_3[2][64] = {
    {
        3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
        8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3,
    },
    {
        15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
        15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8,
    },
};

static const uint8_t weights_2[] = {0, 21, 43, 64}, weights_3[] = {0, 9, 18, 27, 37, 46, 55, 64};
static const uint8_t weights_4[] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
static const uint8_t *const weights[] = {NULL, NULL, weights_2, weights_3, weights_4};

struct cpu_bits cpu_bits_of(const uint8_t *block)
{
    struct cpu_bits bits;
    memcpy(&bits, block, sizeof bits); /* little-endian */
    return bits;
}

uint32_t cpu_bits_at(struct cpu_bits block, uint32_t at, uint32_t count)
{
    uint64_t found = at >= 64 ? block.high >> (at - 64) : block.low >> at | (at ? block.high << (64 - at) : 0);
    return (uint32_t)(found & (((uint64_t)1 << count) - 1));
}

uint32_t cpu_bptc_subset(uint32_t subsets, uint32_t partition, uint32_t index)
{
    if (subsets == 3)
        return partitions_3[partition] >> 2 * index & 3;
    return subsets == 2 ? partitions_2[partition] >> index & 1 : 0;
}

uint32_t cpu_bptc_index(struct cpu_bits block, uint32_t start, uint32_t bits, uint32_t subsets, uint32_t partition,
                        uint32_t index)
{
    const uint32_t anchors[3] = {
        0, subsets == 2 ? anchors_2[partition] : subsets == 3 ? anchors_3[0][partition] : 16,
        subsets == 3 ? anchors_3[1][partition] : 16,
    };
    uint32_t at = start + bits * index, count = bits;
    for (int i = 0; i < 3; i++) {
        at -= index > anchors[i];
        count -= index == anchors[i];
    }
    return cpu_bits_at(block, at, count);
}

int32_t cpu_bptc_between(int32_t first, int32_t second, uint32_t bits, uint32_t index)
{
    int32_t weight = weights[bits][index];
    return ((64 - weight) * first + weight * second + 32) >> 6;
}

/* Number of bits of each field, in the order of the fields in a block. */
static const struct mode {
    uint8_t subsets, partition, rotation, selection, colour, alpha, own, shared, index, second;
} modes[8] = {
    {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};

/* Bit positions of the fields of a block. */
struct fields {
    uint32_t partition, rotation, selection, ends, low, index, second;
};

static struct fields lay_out(const struct mode *mode, uint32_t number)
{
    struct fields at;
    uint32_t low = 2u * mode->subsets * mode->own + mode->subsets * mode->shared, ends = 2u * mode->subsets;
    at.partition = number + 1;
    at.rotation = at.partition + mode->partition;
    at.selection = at.rotation + mode->rotation;
    at.ends = at.selection + mode->selection;
    at.low = at.ends + ends * (3u * mode->colour + mode->alpha);
    at.index = at.low + low;
    at.second = at.index + 16u * mode->index - mode->subsets;
    return at;
}

/* Return a channel of an endpoint, expanded to 8 bits; the first endpoint of subset s has the number 2 * s. */
static int32_t end_of(struct cpu_bits block, const struct mode *mode, const struct fields *at, uint32_t channel,
                      uint32_t end)
{
    uint32_t bits = channel == 3 ? mode->alpha : mode->colour;
    if (!bits)
        return 255;
    uint32_t value = cpu_bits_at(block, at->ends + 2u * mode->subsets * mode->colour * channel + bits * end, bits);
    if (mode->own || mode->shared) {
        value = value << 1 | cpu_bits_at(block, at->low + (mode->own ? end : end / 2), 1);
        bits++;
    }
    value <<= 8 - bits;
    return (int32_t)(value | value >> bits);
}

void cpu_bc7_element(const uint8_t *data, uint32_t index, float *channels)
{
    struct cpu_bits block = cpu_bits_of(data);
    uint32_t number = data[0] ? (uint32_t)__builtin_ctz(data[0]) : 8;
    memset(channels, 0, 4 * sizeof *channels);
    if (number == 8) /* reserved */
        return;
    const struct mode *mode = &modes[number];
    struct fields at = lay_out(mode, number);
    uint32_t partition = cpu_bits_at(block, at.partition, mode->partition);
    uint32_t rotation = cpu_bits_at(block, at.rotation, mode->rotation);
    uint32_t swapped = cpu_bits_at(block, at.selection, mode->selection);
    uint32_t subset = cpu_bptc_subset(mode->subsets, partition, index);
    uint32_t bits[2] = {mode->index, mode->second ? mode->second : mode->index}, between[2];
    between[0] = between[1] = cpu_bptc_index(block, at.index, mode->index, mode->subsets, partition, index);
    if (mode->second)
        between[1] = cpu_bptc_index(block, at.second, mode->second, mode->subsets, partition, index);
    for (uint32_t c = 0; c < 4; c++) {
        uint32_t which = (c == 3) ^ swapped;
        int32_t value = cpu_bptc_between(end_of(block, mode, &at, c, 2 * subset),
                                         end_of(block, mode, &at, c, 2 * subset + 1), bits[which], between[which]);
        channels[c] = (float)value / 255;
    }
    if (rotation) {
        float alpha = channels[3];
        channels[3] = channels[rotation - 1];
        channels[rotation - 1] = alpha;
    }
}
