/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Decoders of block-compressed formats (Khronos Data Format Specification, chapters on S3TC, RGTC and BPTC): blocks of
 * 4 x 4 elements with endpoints, and for each element an index that interpolates between two of them.
 */
#include <stdbool.h>
#include <string.h>

#include "texture.h"
#include "texture_bptc.h"

static uint64_t word(const uint8_t *data, int bytes)
{
    uint64_t found = 0;
    memcpy(&found, data, (size_t)bytes); /* little-endian */
    return found;
}

/* Decode red, green and blue of a colour block; `opaque`: without the mode of three colours and transparent black. */
static void colour(const uint8_t *block, uint32_t index, bool opaque, float *channels)
{
    static const float shares[2][4] = {{0, 1, 1.0f / 3, 2.0f / 3}, {0, 1, 0.5f, 0}};
    static const struct {
        uint8_t shift, most;
    } fields[3] = {{11, 31}, {5, 63}, {0, 31}};
    uint32_t first = (uint32_t)word(block, 2), second = (uint32_t)word(block + 2, 2);
    uint32_t which = (uint32_t)word(block + 4, 4) >> 2 * index & 3;
    bool three = !opaque && first <= second;
    for (int c = 0; c < 3; c++) {
        float a = (float)(first >> fields[c].shift & fields[c].most) / fields[c].most;
        float b = (float)(second >> fields[c].shift & fields[c].most) / fields[c].most;
        channels[c] = three && which == 3 ? 0 : a + (b - a) * shares[three][which];
    }
    if (three && which == 3)
        channels[3] = 0;
}

/* Decode one channel of BC3, BC4 or BC5: endpoints of 8 bits, indices of 3 bits. */
static float single(const uint8_t *block, uint32_t index, bool is_signed)
{
    uint32_t which = (uint32_t)(word(block + 2, 6) >> 3 * index & 7);
    int first = is_signed ? (int8_t)block[0] : block[0], second = is_signed ? (int8_t)block[1] : block[1];
    bool eight = first > second;
    float scale = is_signed ? 127 : 255, a = (float)first / scale, b = (float)second / scale;
    a = a < -1 ? -1 : a;
    b = b < -1 ? -1 : b;
    if (which < 2)
        return which ? b : a;
    if (!eight && which >= 6)
        return which == 7 ? 1 : is_signed ? -1 : 0;
    return a + (b - a) * (float)(which - 1) / (eight ? 7 : 5);
}

void cpu_block_element(uint32_t format, const uint8_t *block, uint32_t index, float *channels)
{
    bool is_signed = format == CPU_FORMAT_BC4_SIGNED || format == CPU_FORMAT_BC5_SIGNED;
    switch (format) {
    case CPU_FORMAT_BC1:
        colour(block, index, false, channels);
        return;
    case CPU_FORMAT_BC2: /* 4 bits of alpha for each element */
        colour(block + 8, index, true, channels);
        channels[3] = (float)(word(block, 8) >> 4 * index & 15) / 15;
        return;
    case CPU_FORMAT_BC3:
        colour(block + 8, index, true, channels);
        channels[3] = single(block, index, false);
        return;
    case CPU_FORMAT_BC5:
    case CPU_FORMAT_BC5_SIGNED:
        channels[1] = single(block + 8, index, is_signed);
        /* fall through */
    case CPU_FORMAT_BC4:
    case CPU_FORMAT_BC4_SIGNED:
        channels[0] = single(block, index, is_signed);
        return;
    case CPU_FORMAT_BC6H:
    case CPU_FORMAT_BC6H_SIGNED:
        cpu_bc6h_element(block, index, format == CPU_FORMAT_BC6H_SIGNED, channels);
        return;
    default:
        cpu_bc7_element(block, index, channels);
    }
}
