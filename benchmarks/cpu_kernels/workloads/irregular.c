/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers of irregular.cu.
 */
#include <stdlib.h>
#include <string.h>

#include "parallel.h"

void pagerank(const int *restrict starts, const int *restrict targets, const float *restrict ranks,
              float *restrict next, int n)
{
    PARALLEL_SUMS(next, n)
    for (int v = 0; v < n; v++) {
        const float share = ranks[v] / (starts[v + 1] - starts[v]);
        for (int i = starts[v]; i < starts[v + 1]; i++)
            next[targets[i]] += share;
    }
}

void bfs(const int *restrict starts, const int *restrict targets, const int *restrict distance, int *restrict next,
         int level, int n)
{
    PARALLEL
    for (int v = 0; v < n; v++) {
        int found = distance[v];
        if (found < 0)
            for (int i = starts[v]; i < starts[v + 1]; i++)
                if (distance[targets[i]] == level) {
                    found = level + 1;
                    break;
                }
        next[v] = found;
    }
}

void spmv_warp(const int *restrict starts, const int *restrict columns, const float *restrict values,
               const float *restrict x, float *restrict y, int rows)
{
    PARALLEL
    for (int row = 0; row < rows; row++) {
        float sums[16] = {0}, sum = 0;
        int i = starts[row];
        for (; i + 16 <= starts[row + 1]; i += 16)
            for (int lane = 0; lane < 16; lane++)
                sums[lane] += values[i + lane] * x[columns[i + lane]];
        for (; i < starts[row + 1]; i++)
            sum += values[i] * x[columns[i]];
        for (int lane = 0; lane < 16; lane++)
            sum += sums[lane];
        y[row] = sum;
    }
}

void spmv_ell(const int *restrict columns, const float *restrict values, const float *restrict x, float *restrict y,
              int rows, int width)
{
    enum { PART = 1024 };
    PARALLEL
    for (int first = 0; first < rows; first += PART) {
        const int count = rows - first < PART ? rows - first : PART;
        memset(y + first, 0, count * sizeof *y);
        for (int i = 0; i < width; i++)
            for (int row = first; row < first + count; row++)
                y[row] += values[i * rows + row] * x[columns[i * rows + row]];
    }
}

void gather(const int *restrict indices, const float *restrict from, float *restrict to, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++)
        to[i] = from[indices[i]];
}

void scatter_add(const int *restrict indices, const float *restrict from, float *restrict sums, int n)
{
    PARALLEL_SUMS(sums, 4096)
    for (int i = 0; i < n; i++)
        sums[indices[i]] += from[i];
}

static unsigned hash_of(unsigned key, unsigned mask) { return (key * 2654435769u >> 8) & mask; }

void hash_count(const unsigned *restrict keys, unsigned *restrict table, unsigned *restrict counts,
                unsigned *restrict found, int n, int size)
{
    memset(table, 0, size * sizeof *table), memset(counts, 0, size * sizeof *counts);
    for (int i = 0; i < n; i++) {
        unsigned slot = hash_of(keys[i], size - 1);
        while (table[slot] && table[slot] != keys[i])
            slot = (slot + 1) & (size - 1);
        table[slot] = keys[i], counts[slot]++;
    }
    for (int i = 0; i < n; i++) {
        unsigned slot = hash_of(keys[i], size - 1);
        while (table[slot] != keys[i])
            slot = (slot + 1) & (size - 1);
        found[i] = counts[slot];
    }
}

void binary_search(const int *restrict sorted, const int *restrict wanted, int *restrict positions, int size, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++) {
        const int *base = sorted;
        for (int left = size; left > 1; left -= left / 2)
            base += base[left / 2 - 1] < wanted[i] ? left / 2 : 0;
        positions[i] = base - sorted + (*base < wanted[i]);
    }
}

void radix_pass(const unsigned *restrict keys, unsigned *restrict sorted, int shift, int n)
{
    int next[16] = {0}, counts[4][16] = {{0}};
    for (int i = 0; i < n; i += 4)
        for (int part = 0; part < 4; part++)
            counts[part][keys[i + part] >> shift & 15]++;
    for (int d = 0, sum = 0; d < 16; d++) {
        next[d] = sum;
        for (int part = 0; part < 4; part++)
            sum += counts[part][d];
    }
    for (int i = 0; i < n; i++)
        sorted[next[keys[i] >> shift & 15]++] = keys[i];
}

static __attribute__((noinline)) void bitonic_piece(int *restrict data)
{
    for (int size = 2; size <= 512; size *= 2)
        for (int far = size / 2; far; far /= 2)
            for (int first = 0; first < 512; first += 2 * far) {
                const int falling = (first & size) != 0;
                for (int i = first; i < first + far; i++) {
                    const int a = data[i], b = data[i + far], low = a < b ? a : b, high = a < b ? b : a;
                    data[i] = falling ? high : low, data[i + far] = falling ? low : high;
                }
            }
}

void bitonic(int *restrict data, int count)
{
    PARALLEL
    for (int piece = 0; piece < count; piece++)
        bitonic_piece(data + 512 * piece);
}

void cub_sort(const unsigned *restrict all, unsigned *restrict sorted, int count)
{
    PARALLEL
    for (int piece = 0; piece < count; piece++) {
        unsigned room[1024];
        const unsigned *restrict from = all + 1024 * piece;
        unsigned *restrict to = sorted + 1024 * piece;
        for (int pass = 0; pass < 4; pass++) {
            const unsigned *restrict in = pass == 0 ? from : pass & 1 ? room : to;
            unsigned *restrict out = pass & 1 ? to : room;
            int next[256] = {0};
            for (int i = 0; i < 1024; i++)
                next[in[i] >> 8 * pass & 255]++;
            for (int d = 0, sum = 0; d < 256; d++) {
                const int here = next[d];
                next[d] = sum, sum += here;
            }
            for (int i = 0; i < 1024; i++)
                out[next[in[i] >> 8 * pass & 255]++] = in[i];
        }
    }
}

void cub_scan(const int *restrict all, int *restrict sums, int *restrict totals, int count)
{
    PARALLEL
    for (int piece = 0; piece < count; piece++) {
        const int *restrict from = all + 512 * piece;
        int *restrict to = sums + 512 * piece;
        int sum = 0, squares = 0;
        for (int i = 0; i < 512; i++)
            to[i] = sum += from[i];
        for (int i = 0; i < 512; i++)
            squares += from[i] * from[i];
        totals[piece] = squares;
    }
}

void compact(const int *restrict all, int *restrict chosen, int *restrict lengths, int count)
{
    PARALLEL
    for (int piece = 0; piece < count; piece++) {
        const int *restrict from = all + 256 * piece;
        int *restrict to = chosen + 256 * piece;
        int length = 0;
        for (int i = 0; i < 256; i++) {
            to[length] = from[i];
            length += from[i] & 1;
        }
        memset(to + length, 0, (256 - length) * sizeof *to);
        lengths[piece] = length;
    }
}

void group_sums(const float *restrict from, float *restrict sums, int n)
{
    PARALLEL
    for (int i = 0; i < n / 16; i++) {
        float parts[16];
        memcpy(parts, from + 16 * i, sizeof parts);
        for (int far = 8; far; far /= 2)
            for (int k = 0; k < far; k++)
                parts[k] += parts[k + far];
        sums[i] = parts[0];
    }
}
