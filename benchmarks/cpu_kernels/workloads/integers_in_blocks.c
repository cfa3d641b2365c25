/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of integers.cu in C that keeps their order, as in dense_in_blocks.c.
 */
#include <string.h>

static int least(int a, int b) { return a < b ? a : b; }

void sieve_in_blocks(const int *restrict primes, int count, unsigned char *restrict flags, int blocks)
{
    for (int block = 0; block < blocks; block++) {
        unsigned char mine[16384];
        const int low = block * 16384;
        memset(mine, 1, sizeof mine);
        for (int k = 0; k < count; k++) {
            const int p = primes[k], factor = (low + p - 1) / p, first = (factor > 2 ? factor : 2) * p - low;
            for (int t = 0; t < 256 && first + t * p < 16384; t++)
                for (int i = first + t * p; i < 16384; i += 256 * p)
                    mine[i] = 0;
        }
        memcpy(flags + low, mine, sizeof mine);
    }
}

/* All 128 threads compute in each step; those outside of the matrix keep their cells. */
void levenshtein_in_blocks(const unsigned char *restrict words, int *restrict distances, int blocks)
{
    for (int block = 0; block < blocks; block++) {
        unsigned char a[128], space[385] = {0}, *b = space + 129;   /* such threads read outside of b */
        int rows[3][129] = {{0}};
        memcpy(a, words + block * 256, 128), memcpy(b, words + block * 256 + 128, 128);
        for (int d = 0; d <= 256; d++) {
            int *restrict now = rows[d % 3];
            const int *last = rows[(d + 2) % 3], *older = rows[(d + 1) % 3];
            if (d <= 128)
                now[0] = d;
            for (int i = 1; i <= 128; i++) {
                const int j = d - i;
                const int value = least(least(last[i], last[i - 1]) + 1, older[i - 1] + (a[i - 1] != b[j - 1]));
                now[i] = j == 0 ? i : j > 0 && j <= 128 ? value : now[i];
            }
        }
        distances[block] = rows[256 % 3][128];
    }
}

void knapsack_in_blocks(const int *restrict from, int *restrict to, int weight, int value, int n)
{
    for (int i = 0; i < n; i++) {
        if (i < weight)
            to[i] = from[i];
        else
            to[i] = from[i] > from[i - weight] + value ? from[i] : from[i - weight] + value;
    }
}

void floyd_in_blocks(int *restrict distances, int n)
{
    for (int block = 0; block < n / 32; block++, distances += 1024) {
        int tile[32][32], through[32][32];
        memcpy(tile, distances, sizeof tile);
        for (int k = 0; k < 32; k++) {
            for (int y = 0; y < 32; y++)
                for (int x = 0; x < 32; x++)
                    through[y][x] = tile[y][k] + tile[k][x];
            for (int y = 0; y < 32; y++)
                for (int x = 0; x < 32; x++)
                    tile[y][x] = least(tile[y][x], through[y][x]);
        }
        memcpy(distances, tile, sizeof tile);
    }
}

void life_in_blocks(const unsigned char *restrict from, unsigned char *restrict to, int n)
{
    for (int y = 1; y < n - 1; y++)
        for (int bx = 0; bx < n; bx += 256) {
            const int end = bx + 256 < n ? bx + 256 : n - 1;
            for (int x = bx ? bx : 1; x < end; x++) {
                const unsigned char *p = from + y * n + x, *above = p - n, *below = p + n;
                const unsigned char count =
                    above[-1] + above[0] + above[1] + p[-1] + p[0] + p[1] + below[-1] + below[0] + below[1];
                to[y * n + x] = (count == 3) | ((p[0] != 0) & (count == 4));
            }
        }
}
