/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers of integers.cu.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parallel.h"

void sieve(const int *restrict primes, int count, unsigned char *restrict flags, int segments)
{
    PARALLEL
    for (int segment = 0; segment < segments; segment++) {
        unsigned char mine[16384];
        const int low = segment * 16384;
        memset(mine, 1, sizeof mine);
        for (int k = 0; k < count; k++) {
            const int p = primes[k], factor = (low + p - 1) / p;
            for (int i = (factor > 2 ? factor : 2) * p - low; i < 16384; i += p)
                mine[i] = 0;
        }
        memcpy(flags + low, mine, sizeof mine);
    }
}

#define QUARTER(a, b, c, d)                    \
    a += b, d ^= a, d = d << 16 | d >> 16;     \
    c += d, b ^= c, b = b << 12 | b >> 20;     \
    a += b, d ^= a, d = d << 8 | d >> 24;      \
    c += d, b ^= c, b = b << 7 | b >> 25;

void chacha20(const unsigned *restrict key, const unsigned *restrict from, unsigned *restrict to, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++) {
        unsigned start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, s[16];
        memcpy(start + 4, key, 32);
        start[12] = i, start[13] = 1, start[14] = 2, start[15] = 3;
        memcpy(s, start, sizeof s);
        for (int round = 0; round < 10; round++) {
            for (int k = 0; k < 4; k++) {
                QUARTER(s[k], s[4 + k], s[8 + k], s[12 + k])
            }
            for (int k = 0; k < 4; k++) {
                QUARTER(s[k], s[4 + (k + 1) % 4], s[8 + (k + 2) % 4], s[12 + (k + 3) % 4])
            }
        }
        for (int k = 0; k < 16; k++)
            to[16 * i + k] = from[16 * i + k] ^ (s[k] + start[k]);
    }
}

void crc32(const unsigned char *restrict messages, const unsigned *restrict table, unsigned *restrict sums, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++) {
        unsigned crc = ~0u;
        for (int k = 0; k < 64; k++)
            crc = table[(crc ^ messages[64 * i + k]) & 255] ^ crc >> 8;
        sums[i] = ~crc;
    }
}

void hamming(const uint64_t *restrict words, const uint64_t *restrict pattern, int *restrict distances, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int k = 0; k < 4; k++)
            sum += __builtin_popcountll(words[4 * i + k] ^ pattern[k]);
        distances[i] = sum;
    }
}

void find_text(const char *restrict text, const char *restrict wanted, int length, unsigned char *restrict found, int n)
{
    PARALLEL
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < length && text[i + k] == wanted[k])
            k++;
        found[i] = k == length;
    }
}

void base64(const unsigned char *restrict from, unsigned char *restrict to, int n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    PARALLEL
    for (int i = 0; i < n; i++) {
        const unsigned v = from[3 * i] << 16 | from[3 * i + 1] << 8 | from[3 * i + 2];
        to[4 * i] = letters[v >> 18], to[4 * i + 1] = letters[v >> 12 & 63];
        to[4 * i + 2] = letters[v >> 6 & 63], to[4 * i + 3] = letters[v & 63];
    }
}

static int least(int a, int b) { return a < b ? a : b; }

/* By diagonals, which gcc vectorises. */
void levenshtein(const unsigned char *restrict words, int *restrict distances, int pairs)
{
    PARALLEL
    for (int pair = 0; pair < pairs; pair++) {
        const unsigned char *a = words + pair * 256, *b = a + 128;
        unsigned char reversed[128];
        int rows[3][130];
        for (int k = 0; k < 128; k++)
            reversed[k] = b[127 - k];
        for (int d = 0; d <= 256; d++) {
            int *restrict now = rows[d % 3];
            const int *last = rows[(d + 2) % 3], *older = rows[(d + 1) % 3];
            const int first = d > 128 ? d - 128 : 1, end = d <= 128 ? d - 1 : 128;
            if (d <= 128)
                now[0] = now[d] = d;
            const unsigned char *restrict from_b = reversed + 128 - d;
            for (int i = first; i <= end; i++)
                now[i] = least(least(last[i], last[i - 1]) + 1, older[i - 1] + (a[i - 1] != from_b[i]));
        }
        distances[pair] = rows[256 % 3][128];
    }
}

void knapsack(const int *restrict from, int *restrict to, int weight, int value, int n)
{
    memcpy(to, from, weight * sizeof *to);
    PARALLEL
    for (int i = weight; i < n; i++) {
        const int with = from[i - weight] + value;
        to[i] = from[i] > with ? from[i] : with;
    }
}

void floyd(int *restrict all, int n)
{
    PARALLEL
    for (int graph = 0; graph < n / 32; graph++) {
        int *restrict distances = all + 1024 * graph;
        for (int k = 0; k < 32; k++) {
            int row[32];
            memcpy(row, distances + 32 * k, sizeof row);
            for (int y = 0; y < 32; y++) {
                const int to_k = distances[32 * y + k];
                for (int x = 0; x < 32; x++)
                    distances[32 * y + x] = least(distances[32 * y + x], to_k + row[x]);
            }
        }
    }
}

static unsigned draw(unsigned *state)
{
    *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
    return *state;
}

enum { LANES = 16 };   /* paths at a time, which gcc vectorises */

void pi(const unsigned *restrict seeds, int *restrict inside, int rounds, int n)
{
    PARALLEL
    for (int first = 0; first < n; first += LANES) {
        unsigned state[LANES];
        int count[LANES] = {0};
        memcpy(state, seeds + first, sizeof state);
        for (int r = 0; r < rounds; r++)
            for (int k = 0; k < LANES; k++) {
                const float x = (int)(draw(state + k) >> 8) * (1.0f / (1 << 24));
                const float y = (int)(draw(state + k) >> 8) * (1.0f / (1 << 24));
                count[k] += x * x + y * y < 1;
            }
        memcpy(inside + first, count, sizeof count);
    }
}

void asian_option(const unsigned *restrict seeds, float *restrict payoffs, int steps, int n)
{
    PARALLEL
    for (int first = 0; first < n; first += LANES) {
        unsigned state[LANES];
        float price[LANES], sum[LANES] = {0};
        memcpy(state, seeds + first, sizeof state);
        for (int k = 0; k < LANES; k++)
            price[k] = 100;
        for (int s = 0; s < steps; s++)
            for (int k = 0; k < LANES; k++) {
                const float u = ((int)(draw(state + k) >> 8) + .5f) * (1.0f / (1 << 24));
                price[k] *= 1.0002f + .01f * (2 * u - 1);
                sum[k] += price[k];
            }
        for (int k = 0; k < LANES; k++)
            payoffs[first + k] = sum[k] / steps > 100 ? sum[k] / steps - 100 : 0;
    }
}

void binomial(const float *restrict prices, float *restrict values, float up, float down, float p, float strike,
              int count)
{
    PARALLEL
    for (int option = 0; option < count; option++) {
        float v[129];
        for (int t = 0; t <= 128; t++)
            v[t] = prices[option];
        for (int k = 0; k < 128; k++)
            for (int t = 0; t <= 128; t++)
                v[t] *= k < t ? up : down;
        for (int t = 0; t <= 128; t++)
            v[t] = v[t] > strike ? v[t] - strike : 0;
        for (int step = 0; step < 128; step++)
            for (int t = 0; t < 128 - step; t++)
                v[t] = p * v[t + 1] + (1 - p) * v[t];
        values[option] = v[0];
    }
}

void life(const unsigned char *restrict from, unsigned char *restrict to, int n)
{
    PARALLEL
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            const unsigned char *p = from + y * n + x;
            const unsigned char count = p[-n - 1] + p[-n] + p[1 - n] + p[-1] + p[0] + p[1] + p[n - 1] + p[n] + p[n + 1];
            to[y * n + x] = (count == 3) | ((p[0] != 0) & (count == 4));
        }
}

static unsigned times(unsigned a, unsigned b, unsigned modulus, unsigned inverse)
{
    const uint64_t product = (uint64_t)a * b;
    const unsigned m = (unsigned)product * -inverse;
    const unsigned sum = (product + (uint64_t)m * modulus) >> 32;
    return sum >= modulus ? sum - modulus : sum;
}

void power_mod(const unsigned *restrict bases, unsigned *restrict powers, unsigned exponent, unsigned modulus, int n)
{
    unsigned inverse = 1;
    for (int k = 0; k < 5; k++)
        inverse *= 2 - modulus * inverse;
    PARALLEL
    for (int first = 0; first < n; first += LANES) {
        unsigned base[LANES], result[LANES];
        for (int k = 0; k < LANES; k++)
            base[k] = bases[first + k], result[k] = -modulus % modulus;
        for (unsigned e = exponent; e; e >>= 1) {
            if (e & 1)
                for (int k = 0; k < LANES; k++)
                    result[k] = times(result[k], base[k], modulus, inverse);
            for (int k = 0; k < LANES; k++)
                base[k] = times(base[k], base[k], modulus, inverse);
        }
        for (int k = 0; k < LANES; k++)
            powers[first + k] = times(result[k], 1, modulus, inverse);
    }
}
