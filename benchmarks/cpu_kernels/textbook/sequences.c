/* SPDX-FileCopyrightText: 2026 Open CUDA Python developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peers of sequences.cu.
 */
#include <stddef.h>
#include <string.h>

static inline int min(int a, int b)
{
    return a < b ? a : b;
}

static inline int max(int a, int b)
{
    return a > b ? a : b;
}

void pathfinder(const int *restrict wall, const int *restrict from, int *restrict between, int *restrict to,
                int columns, int steps)
{
    const int *old = from;
    for (int i = 0; i < steps; i++) {
        int *restrict next = (steps - 1 - i) & 1 ? between : to;
        const int *restrict row = wall + (ptrdiff_t)i * columns;
        next[0] = row[0] + min(old[0], old[1]);
        for (int x = 1; x < columns - 1; x++)
            next[x] = row[x] + min(min(old[x - 1], old[x]), old[x + 1]);
        next[columns - 1] = row[columns - 1] + min(old[columns - 2], old[columns - 1]);
        old = next;
    }
}

void needle(const int *restrict similar, int *restrict scores, int columns, int penalty)
{
    for (int y = 1; y < columns; y++) {
        const int *above = scores + (y - 1) * columns;
        int *here = scores + y * columns;
        for (int x = 1; x < columns; x++)
            here[x] = max(above[x - 1] + similar[y * columns + x], max(here[x - 1], above[x]) - penalty);
    }
}

#define QUERY 48
#define BESIDE 32   /* texts beside each other: gcc uses SIMD for the inner loop */

void smith_waterman(const signed char *restrict query, const signed char *restrict texts, int *restrict scores, int n,
                    int length)
{
    for (int first = 0; first < n; first += BESIDE) {
        short row[QUERY + 1][BESIDE] = {{0}}, best[BESIDE] = {0};
        for (int j = 0; j < length; j++) {
            short diagonal[BESIDE] = {0}, left[BESIDE] = {0};
            const signed char *c = texts + (ptrdiff_t)j * n + first;
            for (int i = 1; i <= QUERY; i++)
                for (int k = 0; k < BESIDE; k++) {
                    const short up = row[i][k], gap = (up > left[k] ? up : left[k]) - 4;
                    short value = diagonal[k] + (c[k] == query[i - 1] ? 3 : -2);
                    value = value > 0 ? value : 0;
                    value = value > gap ? value : gap;
                    diagonal[k] = up;
                    row[i][k] = value;
                    left[k] = value;
                    best[k] = best[k] > value ? best[k] : value;
                }
        }
        for (int k = 0; k < BESIDE; k++)
            scores[first + k] = best[k];
    }
}

void blelloch(const int *restrict from, int *restrict to, int *restrict sums, int count)
{
    for (int b = 0; b < count; b++) {
        int sum = 0;
        for (int i = 0; i < 512; i++) {
            to[b * 512 + i] = sum;
            sum += from[b * 512 + i];
        }
        sums[b] = sum;
    }
}

void csv_lines(const char *text, int n, int *to)
{
    const char *p = text, *end = text + n;
    while ((p = memchr(p, '\n', end - p)))
        *to++ = p++ - text;
}

void utf8(const unsigned char *restrict text, int n, unsigned *restrict result)
{
    unsigned all = 0, longer = 0;
    for (int i = 0; i < n; i++) {
        all += (signed char)text[i] > -65;
        longer += text[i] >= 0xc0;
    }
    result[0] = all;
    result[1] = longer;
}

void bitpack(const unsigned char *restrict from, const unsigned *restrict codes, const unsigned char *restrict lengths,
             unsigned *restrict to, int *restrict bits, int count)
{
    for (int b = 0; b < count; b++, from += 256, to += 256) {
        unsigned long long pending = 0;
        int have = 0, words = 0;
        for (int i = 0; i < 256; i++) {
            pending |= (unsigned long long)codes[from[i]] << have;
            have += lengths[from[i]];
            if (have >= 32) {
                to[words++] = (unsigned)pending;
                pending >>= 32;
                have -= 32;
            }
        }
        bits[b] = words * 32 + have;
        if (have)
            to[words++] = (unsigned)pending;
        memset(to + words, 0, (256 - words) * sizeof *to);
    }
}

static inline unsigned rotate(unsigned x, int n)
{
    return (x << n) | (x >> (32 - n));
}

void sha1(const unsigned *restrict messages, unsigned *restrict to, int n)
{
    for (int t = 0; t < n; t++) {
        unsigned w[80];
        for (int i = 0; i < 16; i++)
            w[i] = messages[i * n + t];
        for (int i = 16; i < 80; i++)
            w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
        unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
        for (int i = 0; i < 80; i++) {
            unsigned mixed, constant;
            if (i < 20) {
                mixed = (b & c) | (~b & d);
                constant = 0x5a827999;
            } else if (i < 40) {
                mixed = b ^ c ^ d;
                constant = 0x6ed9eba1;
            } else if (i < 60) {
                mixed = (b & c) | (b & d) | (c & d);
                constant = 0x8f1bbcdc;
            } else {
                mixed = b ^ c ^ d;
                constant = 0xca62c1d6;
            }
            const unsigned next = rotate(a, 5) + mixed + e + constant + w[i];
            e = d;
            d = c;
            c = rotate(b, 30);
            b = a;
            a = next;
        }
        to[t] = a + 0x67452301;
        to[n + t] = b + 0xefcdab89;
        to[2 * n + t] = c + 0x98badcfe;
        to[3 * n + t] = d + 0x10325476;
        to[4 * n + t] = e + 0xc3d2e1f0;
    }
}

#define ROUND(a, b, c, d) \
    (T[0][a & 255] ^ T[1][(b >> 8) & 255] ^ T[2][(c >> 16) & 255] ^ T[3][d >> 24])
#define LAST(a, b, c, d) \
    (S[a & 255] | S[(b >> 8) & 255] << 8 | S[(c >> 16) & 255] << 16 | (unsigned)S[d >> 24] << 24)

void aes(const unsigned *restrict from, unsigned *restrict to, const unsigned (*restrict T)[256],
         const unsigned *restrict keys, const unsigned char *restrict S, int n)
{
    for (int i = 0; i < n; i++, from += 4, to += 4) {
        unsigned a = from[0] ^ keys[0], b = from[1] ^ keys[1], c = from[2] ^ keys[2], d = from[3] ^ keys[3];
        for (int r = 1; r < 10; r++) {
            const unsigned e = ROUND(a, b, c, d) ^ keys[4 * r], f = ROUND(b, c, d, a) ^ keys[4 * r + 1];
            const unsigned g = ROUND(c, d, a, b) ^ keys[4 * r + 2], h = ROUND(d, a, b, c) ^ keys[4 * r + 3];
            a = e, b = f, c = g, d = h;
        }
        to[0] = LAST(a, b, c, d) ^ keys[40];
        to[1] = LAST(b, c, d, a) ^ keys[41];
        to[2] = LAST(c, d, a, b) ^ keys[42];
        to[3] = LAST(d, a, b, c) ^ keys[43];
    }
}
