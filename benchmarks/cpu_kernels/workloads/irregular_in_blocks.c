/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of irregular.cu in C that keeps their order, as in dense_in_blocks.c. A shuffle is a loop over the lanes.
 */
#include <stdint.h>
#include <string.h>

void spmv_warp_in_blocks(const int *restrict starts, const int *restrict columns, const float *restrict values,
                         const float *restrict x, float *restrict y, int rows)
{
    for (int row = 0; row < rows; row++) {
        float sums[32] = {0};
        const int end = starts[row + 1];
        for (int first = starts[row]; first < end; first += 32)
            for (int lane = 0; lane < 32; lane++)
                if (first + lane < end)
                    sums[lane] += values[first + lane] * x[columns[first + lane]];
        for (int far = 16; far; far /= 2)
            for (int lane = 0; lane < far; lane++)
                sums[lane] += sums[lane + far];
        y[row] = sums[0];
    }
}

/* The inclusive sums of a warp, by shuffles. */
static void scan_warp(unsigned *restrict values)
{
    for (int far = 1; far < 32; far *= 2) {
        unsigned shuffled[32];
        for (int lane = 0; lane < 32; lane++)
            shuffled[lane] = lane >= far ? values[lane - far] : 0;
        for (int lane = 0; lane < 32; lane++)
            values[lane] += shuffled[lane];
    }
}

/* cub::BlockScan, which returns the total: the threads of one warp add a row of values each ("raking"). */
static int exclusive_sums(int *restrict values, int threads)
{
    const int length = threads / 32;
    unsigned sums[32];
    for (int lane = 0; lane < 32; lane++) {
        sums[lane] = 0;
        for (int k = 0; k < length; k++)
            sums[lane] += values[lane * length + k];
    }
    scan_warp(sums);
    for (int lane = 0; lane < 32; lane++)
        for (int k = 0, sum = lane ? sums[lane - 1] : 0; k < length; k++) {
            const int here = values[lane * length + k];
            values[lane * length + k] = sum, sum += here;
        }
    return sums[31];
}

static void radix_count(const unsigned *restrict keys, int *restrict counts, int shift, int blocks)
{
    for (int block = 0; block < blocks; block++) {
        int mine[16] = {0};
        for (int i = 0; i < 1024; i++)
            mine[keys[block * 1024 + i] >> shift & 15]++;
        for (int t = 0; t < 16; t++)
            counts[t * blocks + block] = mine[t];
    }
}

static void radix_scatter(const unsigned *restrict keys, unsigned *restrict sorted, const int *restrict offsets,
                          int shift, int blocks)
{
    for (int block = 0; block < blocks; block++) {
        int next[16];
        for (int t = 0; t < 16; t++)
            next[t] = offsets[t * blocks + block];
        for (int i = 0; i < 1024; i += 32) {
            const unsigned *key = keys + block * 1024 + i;
            unsigned same[16] = {0}, before[32];
            for (int lane = 0; lane < 32; lane++) {
                const unsigned digit = key[lane] >> shift & 15;
                before[lane] = __builtin_popcount(same[digit]);
                same[digit] |= 1u << lane;
            }
            for (int lane = 0; lane < 32; lane++)
                sorted[next[key[lane] >> shift & 15] + before[lane]] = key[lane];
            for (int digit = 0; digit < 16; digit++)
                next[digit] += __builtin_popcount(same[digit]);
        }
    }
}

void radix_pass_in_blocks(const unsigned *restrict keys, unsigned *restrict sorted, int shift, int n)
{
    static int counts[16 * 1024];
    const int blocks = n / 1024;
    radix_count(keys, counts, shift, blocks);
    for (int first = 0, carried = 0; first < 16 * blocks; first += 256) {
        const int total = exclusive_sums(counts + first, 256);
        for (int t = 0; t < 256; t++)
            counts[first + t] += carried;
        carried += total;
    }
    radix_scatter(keys, sorted, counts, shift, blocks);
}

void bitonic_in_blocks(int *restrict data, int blocks)
{
    for (int block = 0; block < blocks; block++, data += 512) {
        int tile[512];
        memcpy(tile, data, sizeof tile);
        for (int size = 2; size <= 512; size *= 2)
            for (int far = size / 2; far; far /= 2)
                for (int t = 0; t < 256; t += far) {   /* `far` threads, whose i are adjacent */
                    const int falling = (2 * t & size) != 0;
                    for (int i = 2 * t; i < 2 * t + far; i++) {
                        const int a = tile[i], b = tile[i + far], low = a < b ? a : b, high = a < b ? b : a;
                        tile[i] = falling ? high : low, tile[i + far] = falling ? low : high;
                    }
                }
        memcpy(data, tile, sizeof tile);
    }
}

/* cub::BlockRadixSort: eight passes over 4 bits. Each of 128 threads counts the digits of its 8 keys, in halves of
 * words, and adds a row of 8 words; the ranks are the sums of all counters before. */
void cub_sort_in_blocks(const unsigned *restrict from, unsigned *restrict to, int blocks)
{
    for (int block = 0; block < blocks; block++, from += 1024, to += 1024) {
        unsigned keys[1024], exchanged[1024];
        memcpy(keys, from, sizeof keys);
        for (int shift = 0; shift < 32; shift += 4) {
            union { uint16_t counts[2048]; unsigned words[128][8]; } shared;   /* counts: [digit & 7][t][digit >> 3] */
            uint16_t places[1024], before[1024];
            unsigned sums[128], total = 0;
            memset(&shared, 0, sizeof shared);
            for (int i = 0; i < 1024; i++) {
                const unsigned digit = keys[i] >> shift & 15;
                places[i] = (digit & 7) * 256 + i / 8 * 2 + (digit >> 3);
            }
            for (int k = 0; k < 8; k++)
                for (int t = 0; t < 128; t++)
                    before[8 * t + k] = shared.counts[places[8 * t + k]]++;
            for (int t = 0; t < 128; t++) {
                sums[t] = 0;
                for (int k = 0; k < 8; k++)
                    sums[t] += shared.words[t][k];
            }
            for (int warp = 0; warp < 128; warp += 32) {
                scan_warp(sums + warp);
                for (int lane = 0; lane < 32; lane++)
                    sums[warp + lane] += total;
                total = sums[warp + 31];
            }
            for (int t = 0; t < 128; t++) {
                unsigned sum = (t ? sums[t - 1] : 0) + (total << 16);
                for (int k = 0; k < 8; k++) {
                    const unsigned here = shared.words[t][k];
                    shared.words[t][k] = sum, sum += here;
                }
            }
            for (int i = 0; i < 1024; i++)
                exchanged[shared.counts[places[i]] + before[i]] = keys[i];
            memcpy(keys, exchanged, sizeof keys);
        }
        memcpy(to, keys, sizeof keys);
    }
}

void cub_scan_in_blocks(const int *restrict from, int *restrict to, int *restrict totals, int blocks)
{
    for (int block = 0; block < blocks; block++, from += 512, to += 512) {
        int before[128], squares[128];
        for (int t = 0; t < 128; t++) {
            const int *v = from + 4 * t;
            before[t] = v[0] + v[1] + v[2] + v[3];
            squares[t] = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
        }
        exclusive_sums(before, 128);
        for (int warp = 0; warp < 128; warp += 32)   /* cub::BlockReduce: by shuffles in each warp */
            for (int far = 16; far; far /= 2)
                for (int lane = 0; lane < far; lane++)
                    squares[warp + lane] += squares[warp + lane + far];
        for (int t = 0; t < 128; t++)
            for (int k = 0, sum = before[t]; k < 4; k++)
                to[4 * t + k] = sum += from[4 * t + k];
        totals[block] = squares[0] + squares[32] + squares[64] + squares[96];
    }
}

void compact_in_blocks(const int *restrict from, int *restrict to, int *restrict lengths, int blocks)
{
    for (int block = 0; block < blocks; block++, from += 256, to += 256) {
        int counts[8], before[256], total = 0;
        for (int warp = 0; warp < 8; warp++) {
            counts[warp] = 0;
            for (int t = 32 * warp; t < 32 * warp + 32; t++) {
                before[t] = counts[warp];
                counts[warp] += from[t] & 1;
            }
            total += counts[warp];
        }
        for (int warp = 0, first = 0; warp < 8; first += counts[warp++])
            for (int t = 32 * warp; t < 32 * warp + 32; t++) {
                const int at = first + before[t], odd = -(from[t] & 1);
                to[(at & odd) | ((total + t - at) & ~odd)] = from[t] & odd;
            }
        lengths[block] = total;
    }
}
