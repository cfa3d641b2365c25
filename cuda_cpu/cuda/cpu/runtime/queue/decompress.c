/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Decompression of raw LZ4 blocks (lz4_Block_format.md), Snappy (its format_description.txt) and Deflate (RFC 1951),
 * without frames. If the data is invalid or does not fit, the output up to that point is left in place.
 */
#include "decompress.h"

#include <stdbool.h>
#include <string.h>

struct flow {
    const uint8_t *in, *in_end;
    uint8_t *out, *begin, *end;
};

/* Copy literal bytes; false: the input ends, or the output is full. */
static bool copy_plain(struct flow *flow, uint64_t count)
{
    if (count > (uint64_t)(flow->in_end - flow->in) || count > (uint64_t)(flow->end - flow->out))
        return false;
    memcpy(flow->out, flow->in, count);
    flow->in += count;
    flow->out += count;
    return true;
}

/* Copy a match from `distance` bytes back, which may overlap the output. */
static bool repeat(struct flow *flow, uint64_t distance, uint64_t count)
{
    if (!distance || distance > (uint64_t)(flow->out - flow->begin) || count > (uint64_t)(flow->end - flow->out))
        return false;
    for (const uint8_t *from = flow->out - distance; count; count--)
        *flow->out++ = *from++;
    return true;
}

static bool take_number(struct flow *flow, unsigned bytes, uint64_t *number)
{
    *number = 0;
    if ((uint64_t)(flow->in_end - flow->in) < bytes)
        return false;
    memcpy(number, flow->in, bytes); /* little-endian */
    flow->in += bytes;
    return true;
}

/* --- LZ4 ---------------------------------------------------------------------------------------------------------- */

static bool take_length(struct flow *flow, uint64_t *length)
{
    uint64_t more = 255;
    if (*length != 15)
        return true;
    while (more == 255) {
        if (!take_number(flow, 1, &more))
            return false;
        *length += more;
    }
    return true;
}

static void lz4(struct flow *flow)
{
    uint64_t token, distance;
    while (take_number(flow, 1, &token)) {
        uint64_t plain = token >> 4, again = token & 15;
        if (!take_length(flow, &plain) || !copy_plain(flow, plain) || flow->in == flow->in_end)
            return; /* a block ends with literals */
        if (!take_number(flow, 2, &distance) || !take_length(flow, &again) || !repeat(flow, distance, again + 4))
            return;
    }
}

/* --- Snappy ------------------------------------------------------------------------------------------------------- */

static bool take_varint(struct flow *flow, uint64_t *number)
{
    uint64_t byte = 128;
    *number = 0;
    for (unsigned shift = 0; byte & 128; shift += 7) {
        if (shift > 28 || !take_number(flow, 1, &byte))
            return false;
        *number |= (byte & 127) << shift;
    }
    return true;
}

static bool snappy_element(struct flow *flow, uint64_t tag)
{
    uint64_t length = tag >> 2, distance = 0;
    switch (tag & 3) {
    case 0: /* literals; the length of long ones is in 1 to 4 more bytes */
        if (length >= 60 && !take_number(flow, (unsigned)length - 59, &length))
            return false;
        return copy_plain(flow, length + 1);
    case 1:
        return take_number(flow, 1, &distance) && repeat(flow, tag >> 5 << 8 | distance, (length & 7) + 4);
    case 2:
        return take_number(flow, 2, &distance) && repeat(flow, distance, length + 1);
    default:
        return take_number(flow, 4, &distance) && repeat(flow, distance, length + 1);
    }
}

static void snappy(struct flow *flow)
{
    uint64_t size, tag;
    if (!take_varint(flow, &size))
        return;
    if (size < (uint64_t)(flow->end - flow->out))
        flow->end = flow->out + size;
    while (take_number(flow, 1, &tag) && snappy_element(flow, tag))
        ;
}

/* --- Deflate ------------------------------------------------------------------------------------------------------ */

#define MAX_BITS 15
#define LITERALS 288
#define DISTANCES 32
#define END_OF_BLOCK 256

/* A canonical Huffman code: the number of codes of each length, and the symbols in the order of their codes. */
struct code {
    uint16_t counts[MAX_BITS + 1], symbols[LITERALS];
};

struct bits {
    struct flow *flow;
    uint64_t held;
    unsigned count;
};

static bool take_bits(struct bits *bits, unsigned count, uint32_t *value)
{
    while (bits->count < count) {
        uint64_t byte;
        if (!take_number(bits->flow, 1, &byte))
            return false;
        bits->held |= byte << bits->count;
        bits->count += 8;
    }
    *value = (uint32_t)(bits->held & ((1u << count) - 1));
    bits->held >>= count;
    bits->count -= count;
    return true;
}

/* Build a code from the code lengths of its symbols; false: over-subscribed. */
static bool make_code(struct code *code, const uint8_t *lengths, unsigned count)
{
    uint16_t starts[MAX_BITS + 1];
    int left = 1;
    memset(code->counts, 0, sizeof code->counts);
    for (unsigned i = 0; i < count; i++)
        code->counts[lengths[i]]++;
    code->counts[0] = 0;
    for (unsigned length = 1; length <= MAX_BITS; length++) {
        left = 2 * left - code->counts[length];
        if (left < 0)
            return false;
    }
    starts[1] = 0;
    for (unsigned length = 1; length < MAX_BITS; length++)
        starts[length + 1] = starts[length] + code->counts[length];
    for (unsigned i = 0; i < count; i++)
        if (lengths[i])
            code->symbols[starts[lengths[i]]++] = (uint16_t)i;
    return true;
}

static bool take_symbol(struct bits *bits, const struct code *code, uint32_t *symbol)
{
    int value = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= MAX_BITS; length++) {
        uint32_t bit;
        if (!take_bits(bits, 1, &bit))
            return false;
        value |= (int)bit;
        if (value - first < code->counts[length]) {
            *symbol = code->symbols[index + value - first];
            return true;
        }
        index += code->counts[length];
        first = (first + code->counts[length]) << 1;
        value <<= 1;
    }
    return false;
}

static bool take_repeat(struct bits *bits, const struct code *distances, uint32_t symbol)
{
    static const uint16_t lengths[] = {
        3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
    };
    static const uint8_t length_bits[] = {
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    };
    static const uint16_t starts[] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
    };
    uint32_t more, code;
    symbol -= END_OF_BLOCK + 1;
    if (symbol >= sizeof length_bits || !take_bits(bits, length_bits[symbol], &more))
        return false;
    uint64_t length = lengths[symbol] + more;
    if (!take_symbol(bits, distances, &code) || code >= sizeof starts / sizeof *starts)
        return false;
    return take_bits(bits, code < 2 ? 0 : code / 2 - 1, &more) && repeat(bits->flow, starts[code] + more, length);
}

static bool coded_block(struct bits *bits, const struct code *literals, const struct code *distances)
{
    uint32_t symbol;
    struct flow *flow = bits->flow;
    while (take_symbol(bits, literals, &symbol)) {
        if (symbol == END_OF_BLOCK)
            return true;
        if (symbol > END_OF_BLOCK ? !take_repeat(bits, distances, symbol) : flow->out == flow->end)
            return false;
        if (symbol < END_OF_BLOCK)
            *flow->out++ = (uint8_t)symbol;
    }
    return false;
}

static bool plain_block(struct bits *bits)
{
    uint64_t length, inverse;
    bits->flow->in -= bits->count / 8; /* give back whole bytes from the bit buffer */
    bits->held = bits->count = 0;
    return take_number(bits->flow, 2, &length) && take_number(bits->flow, 2, &inverse) &&
           length == (~inverse & 0xffff) && copy_plain(bits->flow, length);
}

static bool fixed_block(struct bits *bits)
{
    uint8_t lengths[LITERALS], fives[DISTANCES];
    struct code literals, distances;
    for (unsigned i = 0; i < LITERALS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(fives, 5, sizeof fives);
    make_code(&literals, lengths, LITERALS);
    make_code(&distances, fives, DISTANCES);
    return coded_block(bits, &literals, &distances);
}

/* Read the code lengths of both codes, which are themselves Huffman-coded. */
static bool take_lengths(struct bits *bits, const struct code *code, uint8_t *lengths, unsigned count)
{
    unsigned at = 0;
    while (at < count) {
        static const uint8_t least[] = {3, 3, 11}, extra[] = {2, 3, 7};
        uint32_t symbol, more;
        if (!take_symbol(bits, code, &symbol))
            return false;
        if (symbol < 16) {
            lengths[at++] = (uint8_t)symbol;
            continue;
        }
        if (symbol > 18 || (symbol == 16 && !at) || !take_bits(bits, extra[symbol - 16], &more))
            return false;
        uint8_t again = symbol == 16 ? lengths[at - 1] : 0;
        for (more += least[symbol - 16]; more; more--) {
            if (at == count)
                return false;
            lengths[at++] = again;
        }
    }
    return true;
}

static bool dynamic_block(struct bits *bits)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + DISTANCES] = {0}, of_lengths[sizeof order] = {0};
    struct code code, literals, distances;
    uint32_t literal_count, distance_count, count, length;
    if (!take_bits(bits, 5, &literal_count) || !take_bits(bits, 5, &distance_count) || !take_bits(bits, 4, &count))
        return false;
    literal_count += END_OF_BLOCK + 1;
    distance_count++;
    if (literal_count > LITERALS)
        return false;
    for (unsigned i = 0; i < count + 4; i++) {
        if (!take_bits(bits, 3, &length))
            return false;
        of_lengths[order[i]] = (uint8_t)length;
    }
    return make_code(&code, of_lengths, sizeof order) &&
           take_lengths(bits, &code, lengths, literal_count + distance_count) &&
           make_code(&literals, lengths, literal_count) &&
           make_code(&distances, lengths + literal_count, distance_count) &&
           coded_block(bits, &literals, &distances);
}

static void deflate(struct flow *flow)
{
    struct bits bits = {flow, 0, 0};
    uint32_t last = 0, kind;
    while (!last && take_bits(&bits, 1, &last) && take_bits(&bits, 2, &kind)) {
        bool fine = kind == 0 ? plain_block(&bits) : kind == 1 ? fixed_block(&bits) : kind == 2 && dynamic_block(&bits);
        if (!fine)
            return;
    }
}

uint32_t cpu_decompress(const struct cpu_compressed *compressed)
{
    uint8_t *target = (uint8_t *)(uintptr_t)compressed->target;
    const uint8_t *source = (const uint8_t *)(uintptr_t)compressed->source;
    struct flow flow = {source, source + compressed->source_size, target, target, target + compressed->room};
    if (compressed->algorithm == CPU_LZ4)
        lz4(&flow);
    else if (compressed->algorithm == CPU_SNAPPY)
        snappy(&flow);
    else
        deflate(&flow);
    uint32_t written = (uint32_t)(flow.out - target);
    if (compressed->written)
        memcpy((void *)(uintptr_t)compressed->written, &written, sizeof written);
    return written;
}
